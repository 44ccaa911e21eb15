"""Probabilistic fuzzy clustering ensemble."""

from typing import Any, NamedTuple

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, hac
from comitia.weigh import Groups, decision_variance, normalize_weights
from comitia.weigh.groups import floored_variance

__all__ = ["FuzzyHellingerEnsemble"]

# Values of a block of rows, small enough to stay in the cache.
_BLOCK_VALUES = 2**16


class FuzzyHellingerEnsemble(EnsembleMethod):
    r"""Probabilistic model of a fuzzy clustering ensemble.

    Two objects are as far apart as their memberships, by the Hellinger distance, and
    an algorithm whose runs agree on these distances counts for more [1]_.

    Parameters
    ----------
    n_clusters, linkage : shared

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default fuzzy
        c-means, kernel fuzzy c-means and the algorithm of Gustafson and Kessel in turn.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    group_weights_ : ndarray of shape (n_groups,)
        Weight :math:`w_m` of each algorithm, in the order in which they appear in
        ``ensemble_.groups``; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The weight of each clustering, :math:`w_m / a_m`; they sum to 1.

    linkage_ : shared

    Notes
    -----
    Run a of algorithm m has the memberships :math:`F^{ma}`, and

    .. math::
        D^{ma}_{ij} = \frac{1}{\sqrt 2}
        \bigl\lVert \sqrt{F^{ma}_{i\cdot}} - \sqrt{F^{ma}_{j\cdot}} \bigr\rVert_2,
        \qquad
        D = \sum_m w_m \frac{1}{a_m} \sum_a D^{ma}.

    The review calls :math:`D^{ma}` a similarity. It is the Hellinger distance, 0 for
    equal rows and 1 for disjoint ones, and the tree is grown on it as a distance. The
    optimum of the paper is not reproduced there; the variance of D under
    :math:`\sum_m w_m = 1` is least for

    .. math::
        w_m \propto \frac{a_m}{v_m}, \qquad
        v_m = \text{mean over pairs of the sample variance of } D^{ma}_{ij}
        \text{ over the runs } a.

    Which algorithm made a clustering, ``ensemble.groups`` says; without it they are all
    the work of one and weigh the same, with a warning. An algorithm that varies less
    than :math:`1 / (4 a_m^2)` gets this variance, with a warning; so does one with a
    single run. The variance is not relative to the size of the distances: an algorithm
    whose memberships are all nearly equal varies little and weighs much, so combine
    algorithms of similar fuzziness.

    Crisp memberships have :math:`D^{ma} = 1 - B_{ma} B_{ma}'`, and the method is
    ``berikov_2014``, whose tree needs no matrix of the objects. Overlapping clusters
    share their objects in equal parts. Where an object has no label, the distance is
    the weighted mean over the clusterings that have both objects; it is 1 if there are
    none.

    References
    ----------
    .. [1] V. Berikov, "A probabilistic model of fuzzy clustering ensemble", Pattern
       Recognition and Image Analysis 28(1), 2018.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> F = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    >>> G = [[0.7, 0.3], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8]]
    >>> votes = Ensemble.from_memberships([F, G], groups=["c-means", "mixture"])
    >>> method("berikov_2018")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="berikov_2018",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "weights are those of the groups; clusterings without "
            "groups are one group",
            "weights_follow_quality": "weights are those of the groups; clusterings "
            "without groups are one group",
        },
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.methods.fixed_clusterings._fuzzy_algorithms import FuzzyAlgorithms

        return FuzzyAlgorithms()

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        groups = Groups.of(ensemble, warn=True)
        if ensemble.kind == "hard":
            # The distances are those of the co-association, and need no matrix.
            self._weigh(groups, decision_variance(ensemble))
            self.linkage_ = ensemble_linkage(
                ensemble,
                clustering_weights=self.clustering_weights_,
                linkage=self.linkage,
            )
        else:
            self.linkage_ = hac(self._distances(ensemble, groups), self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _weigh(self, groups: Groups, variance: Array) -> None:
        self.group_weights_ = normalize_weights(groups.n_runs / variance)
        self.clustering_weights_ = (self.group_weights_ / groups.n_runs)[groups.codes]

    def _distances(self, ensemble: Ensemble, groups: Groups) -> Array:
        """The condensed distances D, by the weights that their variances give."""
        n, n_groups = ensemble.n_objects, len(groups.names)
        # Sums and counts of each algorithm, one value for each pair; the tree needs two
        # copies of their mean.
        require_memory(
            4 * max(2 * n_groups, 3) * n * (n - 1),
            f"the distances of {n} objects to {n_groups} algorithm(s)",
            "use a method that is linear in n, such as lwgp or sec",
        )
        roots = _roots(ensemble)
        runs = [
            _over_runs([roots[m] for m in np.flatnonzero(groups.codes == g)])
            for g in range(n_groups)
        ]
        variance = floored_variance([one.variance for one in runs], groups.n_runs)
        self._weigh(groups, variance)
        return _mean_distances(runs, self.group_weights_ / groups.n_runs)


class _Runs(NamedTuple):
    """Distances over the runs of one algorithm, for each pair of objects."""

    sums: Any
    counts: Any  # in how many runs both objects are clustered
    variance: float  # mean over pairs of the sample variance over runs


def _roots(ensemble: Ensemble) -> list[Any]:
    """Square roots of the memberships of each clustering; rows of zeros are missing."""
    B, begin = ensemble.membership, ensemble.offsets
    roots = []
    for m in range(ensemble.n_clusterings):
        F = B[:, begin[m] : begin[m + 1]].toarray()
        total = F.sum(axis=1, keepdims=True)
        roots.append(np.sqrt(F / np.where(total > 0, total, 1.0)))
    return roots


def _over_runs(roots: list[Any]) -> Any:
    n, a = len(roots[0]), len(roots)
    present = [root.any(axis=1) for root in roots]
    complete = all(here.all() for here in present)
    sums = np.empty(n * (n - 1) // 2)
    counts = np.array(float(a)) if complete else np.empty(len(sums))
    spread, n_pairs, end = 0.0, 0, 0
    step = max(1, _BLOCK_VALUES // n)
    for start in range(0, n, step):
        stop = min(start + step, n)
        later = np.arange(start, n) > np.arange(start, stop)[:, None]
        S, Q, C = np.zeros((3, *later.shape))
        for root, here in zip(roots, present, strict=True):
            # The squared Hellinger distance is 1 - r r' for rows of unit length.
            square = 1.0 - root[start:stop] @ root[start:].T
            # Equal objects are at distance 0, not at the root of 1e-16.
            square[square < 1e-14] = 0.0
            if not complete:
                both = np.outer(here[start:stop], here[start:])
                square *= both
                C += both
            Q += square
            S += np.sqrt(square)
        begin, end = end, end + int(later.sum())
        sums[begin:end], q, c = S[later], Q[later], C[later]
        if complete:
            c[:] = a
        else:
            counts[begin:end] = c
        several = c > 1
        s, q, c = sums[begin:end][several], q[several], c[several]
        spread += float((np.maximum(q - s**2 / c, 0.0) / (c - 1)).sum())
        n_pairs += len(c)
    return _Runs(sums, counts, spread / n_pairs if n_pairs else 0.0)


def _mean_distances(runs: list[Any], weights: Array) -> Array:
    """Weighted means over the runs of all algorithms, which are overwritten."""
    for (sums, counts, _), w in zip(runs, weights, strict=True):
        sums *= w
        counts *= w
    D, mass = runs[0].sums, runs[0].counts
    for one in runs[1:]:
        D += one.sums
        # Algorithms whose runs have all objects have one count for all pairs.
        mass = np.add(mass, one.counts, out=mass if mass.ndim else None)
    np.divide(D, mass, out=D, where=mass > 0)
    # Objects that no clustering has both of are as far apart as can be.
    D[mass <= 0] = 1.0
    return D
