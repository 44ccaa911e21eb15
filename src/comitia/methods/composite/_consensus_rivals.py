"""The consensus beside what one would have had without it, judged without classes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from comitia import sizes
from comitia._arrays import to_numpy
from comitia._content_order import draw_by_content
from comitia._scales import off_center, untied
from comitia.agreement import agreement
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.explanation import RivalScores
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.optimize.ties import merged_ties
from comitia.represent.cluster_sums import labels_of

__all__ = ["Criteria", "RivalComparison", "beats", "compare_rivals", "doubt_of_best"]

Floats = NDArray[np.float64]
Labels = NDArray[Any]

#: What the consensus is called beside the others.
CONSENSUS = "consensus"

# Neighbours in the graph of the modularity, and the one that an object's density is
# read from.
_NEIGHBORS, _CORE = 10, 5

# Principal components in which clusters are normal.
_COMPONENTS = 10

# Variance that a cluster has at least, as a share of that of the data.
_LEAST_VARIANCE = 1e-3

# Members that are looked at, at most.
_MEMBERS = 50

# Values that differ by a smaller share are equal; sums of thousands of terms.
_EQUAL = 1e-6

# Labels that agree so far are the same answer.
SAME_ANSWER = 0.95


class RivalComparison(NamedTuple):
    """The consensus and its rivals."""

    rivals: list[RivalScores]  # the consensus first
    # The rival that is better by all criteria, if there is one that differs
    best: RivalScores | None
    labels: Labels  # (n_objects,), of the best, or of the consensus


def compare_rivals(
    X: Floats, ensemble: Ensemble, labels: Labels, rng: np.random.RandomState
) -> RivalComparison | None:
    """Compare a consensus with k-means, Ward's linkage and the best member.

    All have as many clusters as the consensus. Of many objects a sample is compared,
    and what is not in it is labelled like its nearest object there.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    ensemble : Ensemble
        The members.

    labels : ndarray of shape (n_objects,)
        The consensus, 0..k-1.

    rng : RandomState
        For the sample and the starts of k-means.

    Returns
    -------
    found : RivalComparison or None
        None where there is nothing to compare: one cluster, or hardly more objects
        than clusters.
    """
    some = draw_by_content(X, sizes.RIVALS_SAMPLE, rng)
    data, ours = X[some], np.unique(labels[some], return_inverse=True)[1]
    k = int(ours.max()) + 1
    if k < 2 or len(data) <= k + 1:
        return None
    if not np.ptp(data, axis=0).any():
        _warn_of_equal_objects(k)
        return None
    data = untied(off_center(data))
    criteria = Criteria(data)
    single = _single_algorithms(data, k, rng)
    if (member := _best_member(criteria, ensemble, some, k)) is not None:
        name, theirs = member
        single[name] = theirs[some]
    rivals = [criteria.judge(CONSENSUS, ours, ours)]
    rivals += [criteria.judge(name, one, ours) for name, one in single.items()]
    better = [
        one
        for one in rivals[1:]
        if one.agreement < SAME_ANSWER and beats(one, rivals[0])
    ]
    if not better:
        return RivalComparison(rivals, None, labels)
    best = better[int(_rank_sums([_scores(one) for one in better]).argmax())]
    if member is not None and best.name == member[0]:
        return RivalComparison(rivals, best, member[1])
    return RivalComparison(rivals, best, _extended(X, some, single[best.name]))


def doubt_of_best(best: RivalScores, on_doubt: str | None, *, taken: bool) -> str:
    """Say that a rival is better than the consensus, and whether it is taken."""
    if not taken:
        what = "on_doubt='best' (--param on_doubt=best) would take its labels"
    elif on_doubt == "best":
        what = "its labels are taken, as on_doubt='best' says"
    else:
        what = (
            "its labels are taken, because without one of its families the consensus "
            "would be another too (--param on_doubt=consensus keeps it)"
        )
    return (
        f"{best.name[0].upper()}{best.name[1:]} looks better than the consensus: its "
        "clusters are likelier, more apart and more modular, and agree with those of "
        f"the consensus to {best.agreement:.2f} (adjusted Rand index); {what}."
    )


def beats(one: RivalScores, other: RivalScores) -> bool:
    """Whether a clustering is better by all criteria, by more than rounding."""
    mine, theirs = _scores(one), _scores(other)
    return bool((mine > theirs + _EQUAL * np.maximum(abs(theirs), _EQUAL)).all())


def _scores(one: RivalScores) -> Floats:
    return np.array([one.likelihood, one.separation, one.modularity])


class Criteria:
    r"""What tells good clusterings of some data from bad ones, without classes.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data, at least two objects that differ.

    Notes
    -----
    With the shares :math:`\pi_c` of the clusters, and a normal distribution for each in
    the leading ten principal components, *likelihood* is the mean of
    :math:`\log \pi_c \, \phi(x_i; \mu_c, \Sigma_c)`. The covariance of a cluster of m
    objects is drawn towards the variances of all, with the weight r / (m + r) in r
    components.

    *Separation* is that of Moulavi et al. [1]_ in short: two objects are no nearer than
    each is to its fifth neighbour; a cluster's inside is the longest edge of its
    minimum spanning tree, the way out the shortest distance to another cluster, and the
    mean over the objects of :math:`(\text{out} - \text{in}) / \max(\text{out},
    \text{in})` is taken.

    *Modularity* is that of the graph of ten nearest neighbours,
    :math:`\sum_c (e_c - a_c^2)` for the shares of links inside and of ends, divided by
    the :math:`1 - \sum_c a_c^2` that clusters of these sizes could have.

    References
    ----------
    .. [1] D. Moulavi, P. A. Jaskowiak, R. J. G. B. Campello, A. Zimek and J. Sander,
       "Density-based clustering validation", SIAM Data Mining, 2014.
       :doi:`10.1137/1.9781611973440.96`
    """

    def __init__(self, X: Floats) -> None:
        from sklearn.neighbors import NearestNeighbors

        _, exponent = np.frexp(np.abs(X).max())
        self.X = np.ldexp(X, -int(exponent))
        self.components = _principal_components(self.X)
        near = min(_NEIGHBORS, len(X) - 1)
        # Sums of products would round; the distances are taken from differences.
        found = NearestNeighbors(n_neighbors=near).fit(self.X)
        self.neighbors = found.kneighbors(return_distance=False)
        core = self.X[self.neighbors[:, min(_CORE, near) - 1]]
        self.cores = ((self.X - core) ** 2).sum(axis=1)
        self.ends, self.lengths = self._tree(np.arange(len(X)))

    def judge(self, name: str, labels: Labels, consensus: Labels) -> RivalScores:
        """What the criteria say of one clustering, 0..k-1."""
        return RivalScores(
            name,
            self.likelihood(labels),
            self.separation(labels),
            self.modularity(labels),
            float(agreement(labels, consensus, "adjusted_rand")),
        )

    def likelihood(self, labels: Labels) -> float:
        """Mean log-likelihood of the objects."""
        Z = self.components
        n, r = Z.shape
        spread = Z.var(axis=0)
        total = 0.0
        for c in range(int(labels.max()) + 1):
            mine = Z[labels == c]
            if not len(mine):
                continue
            m, around = len(mine), mine - mine.mean(axis=0)
            covariance = (around.T @ around + r * np.diag(spread)) / (m + r)
            covariance[np.diag_indices(r)] += _LEAST_VARIANCE * spread.mean()
            root = np.linalg.cholesky(covariance)
            squares = float((np.linalg.solve(root, around.T) ** 2).sum())
            total += m * np.log(m / n) - squares / 2 - m * np.log(np.diag(root)).sum()
        return float(total / n - r * np.log(2 * np.pi) / 2)

    def separation(self, labels: Labels) -> float:
        """Mean over the objects of how apart their clusters are."""
        i, j = labels[self.ends].T
        total = 0.0
        for c in range(int(labels.max()) + 1):
            mine = np.flatnonzero(labels == c)
            leaving = self.lengths[(i == c) != (j == c)]
            if not len(mine) or not len(leaving):
                continue
            inside = self.lengths[(i == c) & (j == c)]
            # In pieces, a cluster has edges of its own between them.
            if len(inside) < len(mine) - 1:
                inside = self._tree(mine)[1]
            way_out, way = leaving.min(), inside.max(initial=0.0)
            if max(way_out, way) > 0:
                total += len(mine) * (way_out - way) / max(way_out, way)
        return float(total / len(labels))

    def modularity(self, labels: Labels) -> float:
        """Modularity, as a share of the largest."""
        k = int(labels.max()) + 1
        near = self.neighbors.shape[1]
        cells = np.repeat(labels, near) * k + labels[self.neighbors].ravel()
        links = np.bincount(cells, minlength=k * k).reshape(k, k) / len(cells)
        ends = (links.sum(axis=0) + links.sum(axis=1)) / 2
        room = 1.0 - float(ends @ ends)
        return (float(np.trace(links)) - float(ends @ ends)) / room if room > 0 else 0.0

    def _tree(self, some: NDArray[np.intp]) -> tuple[NDArray[np.int64], Floats]:
        """Minimum spanning tree of some objects: ends and lengths of its edges."""
        from comitia._kernels.spanning_tree import prim

        n = len(some)
        ends = np.empty((max(n - 1, 0), 2), dtype=np.int64)
        weights, squares = np.empty(len(ends)), np.empty(len(ends))
        if n > 1:
            columns = np.array(self.X[some].T, order="C")
            prim(columns, self.cores[some], ends, weights, squares)
        return some[ends], np.sqrt(weights)


def _principal_components(X: Floats) -> Floats:
    """Coordinates along the leading principal axes that have any variance."""
    Z = X - X.mean(axis=0)
    wide = Z.shape[1] > Z.shape[0]
    r = min(_COMPONENTS, *Z.shape)
    values, vectors = largest_eigenpairs(Z @ Z.T if wide else Z.T @ Z, r)
    there = values > 1e-10 * values[0]
    if wide:
        return vectors[:, there] * np.sqrt(values[there])
    return Z @ vectors[:, there]


def _warn_of_equal_objects(k: int) -> None:
    warnings.warn(
        f"n_clusters={k} is more than there are different objects: equal objects "
        "are in different clusters.",
        ComitiaWarning,
        stacklevel=3,
    )


def _single_algorithms(
    data: Floats, k: int, rng: np.random.RandomState
) -> dict[str, Labels]:
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from threadpoolctl import threadpool_limits

    seed = rng.randint(np.iinfo(np.int32).max)
    with threadpool_limits(limits=1), warnings.catch_warnings():
        # That there are fewer distinct objects is said below, in words of our own.
        warnings.simplefilter("ignore", ConvergenceWarning)
        means = KMeans(k, n_init=10, random_state=seed).fit_predict(data)
        ward = AgglomerativeClustering(k).fit_predict(data)
    if len(np.unique(means)) < k:
        _warn_of_equal_objects(k)
    return {"k-means": means, "Ward": ward}


def _best_member(
    criteria: Criteria, ensemble: Ensemble, some: NDArray[np.intp], k: int
) -> tuple[str, Labels] | None:
    """The likeliest and most modular of the members with k clusters, and its name."""
    if not ensemble.is_hard or len(ensemble.row_blocks) > 1:
        return None
    found = np.flatnonzero(ensemble.n_clusters_each == k)
    found = found[:: -(-len(found) // _MEMBERS)] if len(found) else found
    codes = {m: to_numpy(labels_of(ensemble, m)) for m in found.tolist()}
    codes = {m: one for m, one in codes.items() if one.min() >= 0}
    if not codes:
        return None
    scores = [
        (criteria.likelihood(one[some]), criteria.modularity(one[some]))
        for one in codes.values()
    ]
    best = [*codes][int(_rank_sums(scores).argmax())]
    family = "" if ensemble.groups is None else f" ({ensemble.groups[best]})"
    return f"member {best}{family}", codes[best]


def _rank_sums(scores: Sequence[Any]) -> Floats:
    """For each row the sum of its ranks in the columns, larger being better."""
    from scipy.stats import rankdata

    columns = np.asarray(scores, dtype=np.float64).T
    return np.sum([rankdata(merged_ties(column)) for column in columns], axis=0)


def _extended(X: Floats, some: NDArray[np.intp], labels: Labels) -> Labels:
    """Labels of all objects: their own, or that of the nearest that has one."""
    if len(X) == len(some):
        return labels[np.argsort(some)]
    from sklearn.metrics import pairwise_distances_argmin

    return labels[pairwise_distances_argmin(X, X[some])]
