"""Consensus similarity that is near to the clusterings in a Bregman divergence."""

from typing import Any

import numpy as np

from comitia._arrays import array_namespace, floats_on, to_numpy
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods._votes import (
    ObjectVotes,
    Votes,
    VotesMethod,
    penalized_weights,
)
from comitia.optimize.bregman import Bregman, get_bregman
from comitia.partition import cut, distances_of, micro_linkage, ncut
from comitia.represent.coassociation import seen_by

__all__ = ["BregmannianConsensus"]

# Divergences from zero are infinite; similarities are kept this far from 0 and 1.
_EPSILON = 1e-3


class BregmannianConsensus(VotesMethod):
    r"""Bregmannian consensus clustering.

    A similarity of objects that is near to the co-occurrence of each clustering, in a
    divergence of one's choice; clusterings far from it count less [1]_.

    Parameters
    ----------
    n_clusters : shared

    metric : {"squared", "kl", "itakura_saito"} or Bregman, default="squared"
        The divergence: squared differences, Kullback-Leibler, Itakura-Saito, or that of
        a convex function of one's own, a ``comitia.optimize.bregman.Bregman`` that is a
        sum of ``terms`` and whose gradient has an ``inverse``.

    similarities : list of array-like of shape (n_objects, n_objects), default=None
        A similarity :math:`S^m`, in [0, 1] and symmetric, for each clustering; its
        co-occurrence by default, also where the entry is None.

    consensus : {"linkage", "ncut"}, default="linkage"
        What cuts the similarity: a tree or a normalised cut.

    linkage : {"average", "single", "complete"}, default="average"
        Distance of two clusters in the tree.

    weight_penalty : float, default=None
        Strength of the penalty on the squares of the weights, :math:`\lambda`. By
        default twice the least for which there is one optimum.

    max_iter : int, default=100
        Most updates of the weights.

    tol : float, default=1e-9
        Stop when the objective changes by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form; for ``consensus="linkage"``.

    objective_, n_iter_, converged_ : shared

    Notes
    -----
    With :math:`D_\varphi` the divergence of the convex function :math:`\varphi` and
    :math:`S^m`, by default :math:`B_m B_m'`,

    .. math::
        \min_{S^*, \, w \in \Delta} \; \sum_m w_m d_m + \lambda \|w\|^2, \qquad
        d_m = \sum_{ij} D_\varphi(S^*_{ij}, S^m_{ij}), \\
        w = P_\Delta \left( \frac{-d}{2 \lambda} \right), \qquad
        \varphi'(S^*) = \sum_m w_m \varphi'(S^m) .

    The unknown is the first argument of the divergence, so that :math:`S^*` is the
    weighted arithmetic mean for the squared divergence, the geometric mean for
    Kullback-Leibler and the harmonic mean for Itakura-Saito. These two are infinite at
    zero, and see :math:`(1 - 2\varepsilon) S^m + \varepsilon` with
    :math:`\varepsilon = 10^{-3}`; so does a divergence of one's own that asks for
    numbers above a ``lowest``.

    The review gives no :math:`\lambda`. With the best :math:`S^*` for each w the
    squared divergence leaves :math:`g'w - w'Gw + \lambda w'w`, where
    :math:`G_{ml} = \langle S^m, S^l \rangle` and g is its diagonal. This is convex on
    the simplex from :math:`\lambda_1` on, the largest eigenvalue of G after rows and
    columns are centred; below, weights gather on a single clustering, whichever it is.
    The default is :math:`2 \lambda_1`, with which an update halves the distance to the
    optimum at least. The trace of the centred G is the sum of the divergences from the
    mean, :math:`\sum_m d_m`, and other divergences take the same share of theirs,
    :math:`2 (\lambda_1 / \mathrm{tr}) \sum_m d_m`. The whole sum, which was the
    default once, is up to M times as strong as it need be, and weights of clusterings
    with equally many clusters hardly differed. The factor 2 was chosen with classes of
    data in view, which 1 and 3 hardly change. How :math:`S^*` is cut is not described;
    both ways are ours.

    Where labels are missing, :math:`S^*` is the mean over the clusterings that have
    both objects, and :math:`d_m` the mean over the pairs that clustering m has, times
    the number of all pairs. A pair is held by fewer clusterings then, and the default
    penalty is larger: :math:`d_m` counts in it all pairs over those that m has.

    A hard clustering has only two different similarities, so that :math:`\varphi'(S^*)`
    is a linear function of the weighted co-association, whatever M is. For the squared
    divergence the weights need no similarity at all: :math:`d_m = w'Gw - 2(Gw)_m +
    G_{mm}` from contingency counts. The rest is quadratic in the number of objects with
    different labels: :math:`O(u^2 M)` time for an update, :math:`O(u^2)` memory. On a
    device similarities and divergences are there; the result is cut on the CPU.

    References
    ----------
    .. [1] J. Li, L. Xie, Y. Xie and F. Wang, "Bregmannian consensus clustering for
       cancer subtypes analysis", Computer Methods and Programs in Biomedicine 189,
       2020. :doi:`10.1016/j.cmpb.2020.105337`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("bregman_cc")(n_clusters=2).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(2)
    array([0.42, 0.42, 0.17])
    """

    card = MethodCard(
        id="bregman_cc",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        on_device=True,
    )

    _parameter_constraints = {
        "metric": [StrOptions({"squared", "kl", "itakura_saito"}), Bregman],
        "similarities": [list, tuple, None],
        "consensus": [StrOptions({"linkage", "ncut"})],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: Any = "squared",
        similarities: Any = None,
        consensus: str = "linkage",
        linkage: Linkage = "average",
        weight_penalty: float | None = None,
        max_iter: int = 100,
        tol: float = 1e-9,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.similarities = similarities
        self.consensus = consensus
        self.linkage = linkage
        self.weight_penalty = weight_penalty
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _problem(self, ensemble: Ensemble, X: Any, rng: Rng) -> Any:
        _check_divergence(self.metric)
        if self.similarities is None:
            return super()._problem(ensemble, X, rng)
        k = self._resolve_n_clusters(ensemble)
        return GivenVotes(ensemble, self.similarities, k, self._device)

    # The consensus in the loop is the weights of its mean and the divergences from it.

    def _start(self, votes: Votes, rng: Rng) -> tuple[Any, Any]:
        u = votes.counts.shape[0]
        votes.require(3 * u * u, f"the similarities of {u} different objects")
        # The cut is made on the CPU, wherever the similarities come from.
        n = u if self.consensus == "linkage" else len(votes.inverse)
        require_memory(
            3 * 8 * n * n,
            f"the cut of the similarities of {n} objects",
            instead="use wcc, wgnmf or iwnmf, which are linear in n",
        )
        consensus = self._update_consensus(votes, votes.uniform, None)
        votes.penalty = self._penalty(lambda: _convex(votes, consensus[1]))
        return votes.uniform, consensus

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        return penalized_weights(consensus[1], votes.penalty)

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        return weights, divergences(votes, weights, self.metric)

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        return weights @ consensus[1] + votes.penalty * weights @ weights

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.clustering_weights_ = weights
        S = to_numpy(mean_similarity(votes, consensus[0], self.metric))
        S = S.astype(np.float64, copy=False)
        if self.consensus == "ncut":
            full = S[np.ix_(votes.inverse, votes.inverse)]
            _, first = np.unique(votes.inverse, return_index=True)
            return ncut(full, votes.n_clusters, rng)[first][votes.inverse]
        counts = np.bincount(votes.inverse)
        self.linkage_ = micro_linkage(
            distances_of(S), counts, votes.inverse, linkage=self.linkage
        )
        labels = np.zeros(len(counts), dtype=np.int64)
        labels[votes.inverse] = cut(self.linkage_, votes.n_clusters)
        return labels[votes.inverse]


class GivenVotes(Votes):
    """The clusterings with similarities of the objects that were given."""

    def __init__(
        self, ensemble: Ensemble, similarities: Any, n_clusters: Any, device: Any
    ) -> None:
        ObjectVotes.__init__(self, ensemble, n_clusters)
        if len(similarities) != self.n_clusterings:
            raise ComitiaError(
                f"similarities has {len(similarities)} entries for "
                f"{self.n_clusterings} clusterings; give one for each."
            )
        n = ensemble.n_objects
        require_memory(
            8 * self.n_clusterings * n * n,
            f"the {self.n_clusterings} similarities of {n} objects",
            instead="leave similarities out, or use fewer objects",
        )
        self.micro, self.inverse = ensemble, np.arange(n)
        self.device = device
        self.similarities = [
            Votes.cooccurrence(self, m) if one is None else _similarity(one, n, m)
            for m, one in enumerate(similarities)
        ]
        flat = [S.ravel() for S in self.similarities]
        self.gram = np.array([[float(a @ b) for b in flat] for a in flat])
        self.counts = self.put(np.ones(n))
        self.is_hard = False
        given = np.array([one is not None for one in similarities])
        self.seen = seen_by(ensemble) | given[:, None]

    def put(self, array: Any) -> Any:
        """Numbers, where the similarities are."""
        return floats_on(array, self.device)

    def cooccurrence(self, m: int) -> Any:
        """What was given for clustering m."""
        return self.put(self.similarities[m])


def _similarity(matrix: Any, n: int, m: int) -> Array:
    S = np.asarray(matrix, dtype=np.float64)
    if S.shape != (n, n) or not ((S >= 0) & (S <= 1)).all() or not (S == S.T).all():
        raise ComitiaError(
            f"similarities[{m}] must be a symmetric matrix of shape ({n}, {n}) with "
            f"entries from 0 to 1; got shape {S.shape}."
        )
    return S


def _check_divergence(metric: Any) -> None:
    if isinstance(metric, Bregman) and None in (metric.terms, metric.inverse):
        raise ComitiaError(
            f"metric={metric.name!r} is no sum over elements or has no inverse of its "
            "gradient; give a Bregman with terms and inverse."
        )


def _convex(votes: Any, d: Array) -> float:
    """Twice the least penalty for which the objective is convex in the weights."""
    G = votes.gram
    centered = G - G.mean(axis=0)
    centered -= centered.mean(axis=1, keepdims=True)
    trace = max(float(np.trace(centered)), np.finfo(float).tiny)
    largest = float(np.linalg.eigvalsh((centered + centered.T) / 2)[-1])
    # Fewer clusterings hold a pair of objects where labels are missing.
    return 2 * min(largest / trace, 1.0) * float(_scales(votes) @ d)


def cooccurrences(votes: Votes, epsilon: Any) -> Any:
    """The similarity of each clustering in turn, kept away from 0 and 1."""
    for m in range(votes.n_clusterings):
        yield (1 - 2 * epsilon) * votes.cooccurrence(m) + epsilon


def mean_similarity(votes: Votes, weights: Array, metric: Any) -> Any:
    """The similarity whose gradient is the weighted mean of the gradients, (u, u).

    Where labels are missing, the mean is over the clusterings that have both objects.
    """
    g: Any = _bregman(metric)
    epsilon = _epsilon_of(metric)
    low, high = g.gradient(np.array([epsilon, 1 - epsilon])).tolist()

    def above(v: Array) -> Any:
        """Weighted sum of how far gradients are above that of objects apart."""
        if votes.is_hard:
            return (high - low) * votes.coassociation(v)
        each = zip(v.tolist(), cooccurrences(votes, epsilon), strict=True)
        return sum(x * (g.gradient(S) - low) for x, S in each)

    if votes.seen.all():
        return g.inverse(low + above(weights))
    seen = votes.seen.astype(np.float64)
    v = weights * _scales(votes)
    share = seen.T @ (v[:, None] * seen)
    mean = above(v)
    # Objects that no clustering with a weight has both of: all clusterings are asked.
    nobody = share <= 1e-12 * v.max()
    if nobody.any():
        xp, by_all = array_namespace(mean), above(np.ones_like(v))
        mean = xp.where(votes.put(nobody) > 0, by_all, mean)
        share = np.where(nobody, np.maximum(seen.T @ seen, 1.0), share)
    return g.inverse(low + mean / votes.put(share))


def divergences(votes: Votes, weights: Array, metric: Any) -> Any:
    """Divergence of the mean similarity from each clustering, all copies, (M,).

    A clustering without some labels is compared on the pairs of objects it has, and
    the sum is scaled up to all pairs.
    """
    if metric == "squared" and votes.seen.all():
        Gw = votes.gram @ weights
        d = weights @ Gw - 2 * Gw + np.diag(votes.gram)
        # The sums cancel for equal clusterings; what is left there is rounding.
        return np.where(d > 1e-12 * np.diag(votes.gram), d, 0.0)
    S, c = mean_similarity(votes, weights, metric), votes.counts
    epsilon = _epsilon_of(metric)
    present = (votes.put(row) * c for row in votes.seen.astype(np.float64))
    if votes.is_hard:
        apart = elementwise_divergence(S, epsilon, metric)
        joined = elementwise_divergence(S, 1 - epsilon, metric)
        sums = np.array([float(x @ (apart @ x)) for x in present])
        sums += votes.pair_sums(joined - apart)
    else:
        pairs = zip(present, cooccurrences(votes, epsilon), strict=True)
        each = ((x, elementwise_divergence(S, one, metric)) for x, one in pairs)
        sums = np.array([float(x @ (apart @ x)) for x, apart in each])
    d = _scales(votes) * sums
    # Less than this for a pair of objects is rounding.
    return np.where(d > 1e-10 * len(votes.inverse) ** 2, d, 0.0)


def _scales(votes: Votes) -> Array:
    """All pairs over those that each clustering has, (M,)."""
    n_seen = votes.seen @ np.bincount(votes.inverse)
    return (len(votes.inverse) / np.maximum(n_seen, 1)) ** 2


def elementwise_divergence(x: Any, y: Any, metric: Any) -> Any:
    """D(x, y), element by element; for "kl" and "itakura_saito" without cancelling."""
    xp = array_namespace(x)
    if metric == "kl":
        return xp.clip(x * xp.log(x / y) - x + y, 0.0, None)
    if metric == "itakura_saito":
        return xp.clip(x / y - xp.log(x / y) - 1.0, 0.0, None)
    g: Any = _bregman(metric)
    if not hasattr(y, "shape"):
        y = xp.full_like(x, y)
    return xp.clip(g.terms(x) - g.terms(y) - g.gradient(y) * (x - y), 0.0, None)


def _bregman(metric: Any) -> Bregman:
    return metric if isinstance(metric, Bregman) else get_bregman(metric)


def _epsilon_of(metric: Any) -> float:
    return 0.0 if np.isneginf(_bregman(metric).lowest) else _EPSILON
