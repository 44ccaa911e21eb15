"""Probabilistic fuzzy clustering ensemble."""

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.partition import cut, hac
from comitia.weigh import Groups, floored_variance, normalise_weights

__all__ = ["FuzzyHellingerEnsemble"]

# Values of a block of rows: 16 MB of float64.
_BLOCK_VALUES = 2**21


class FuzzyHellingerEnsemble(EnsembleMethod):
    r"""Probabilistic model of a fuzzy clustering ensemble.

    Two objects are as far apart as their memberships, by the Hellinger distance, and
    an algorithm whose runs agree on these distances counts for more [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        How far two clusters are apart.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone: fuzzy c-means by
        default.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    group_weights_ : ndarray of shape (n_groups,)
        Weight :math:`w_m` of each algorithm, in the order in which they appear in
        ``ensemble_.groups``; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The weight of each clustering, :math:`w_m / a_m`; they sum to 1.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form.

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
    the work of one and weigh the same. An algorithm that varies less than
    :math:`1 / (4 a_m^2)` gets this variance, with a warning; so does one with a single
    run. The variance is not relative to the size of the distances: an algorithm whose
    memberships are all nearly equal varies little and weighs much, so combine
    algorithms of similar fuzziness.

    Crisp memberships have :math:`D^{ma} = 1 - B_{ma} B_{ma}'`, and the method is
    ``berikov_2014``. Overlapping clusters share their objects in equal parts. Where an
    object has no label, the distance is the weighted mean over the clusterings that
    have both objects; it is 1 if there are none.

    References
    ----------
    .. [1] V. Berikov, "A probabilistic model of fuzzy clustering ensemble", Pattern
       Recognition and Image Analysis 28(1), 2018.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> F = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    >>> G = [[0.7, 0.3], [0.8, 0.2], [0.3, 0.7], [0.2, 0.8]]
    >>> votes = Ensemble.from_memberships([F, G])
    >>> method("berikov_2018")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="berikov_2018",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        scales="quadratic",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "linkage": [StrOptions({"single", "complete", "average", "ward"})],
    }

    def __init__(
        self, n_clusters=None, *, linkage="average", generator=None, random_state=None
    ):
        self.n_clusters = n_clusters
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self):
        from comitia.generate import FuzzyGenerator

        return FuzzyGenerator()

    def _combine(self, ensemble, X, rng):
        groups = Groups.of(ensemble)
        roots, present = _roots(ensemble)
        variance = np.ones(1)
        if len(groups.names) > 1:
            each = [
                _mean_variance([roots[m] for m in runs], present[runs])
                for runs in _members(groups)
            ]
            variance = floored_variance(each, groups.n_runs)
        self.group_weights_ = normalise_weights(groups.n_runs / variance)
        self.clustering_weights_ = (self.group_weights_ / groups.n_runs)[groups.codes]
        D = _mean_distance(roots, present, self.clustering_weights_)
        self.linkage_ = hac(D, self.linkage)
        return cut(self.linkage_, self.n_clusters)


def _members(groups):
    return [np.flatnonzero(groups.codes == g) for g in range(len(groups.names))]


def _roots(ensemble):
    """Square roots of the memberships of each clustering, and who has any."""
    B, begin = ensemble.membership, ensemble.offsets
    roots, present = [], []
    for m in range(ensemble.n_clusterings):
        F = B[:, begin[m] : begin[m + 1]].toarray()
        total = F.sum(axis=1)
        present.append(total > 0)
        roots.append(np.sqrt(F / np.where(total > 0, total, 1.0)[:, None]))
    return roots, np.array(present)


def _distances(root, rows):
    """Hellinger distances of some objects to all: half the square is 1 - r r'."""
    D = 1.0 - root[rows] @ root.T
    # An object is at distance 0 from its equals, which the root makes 1e-8 of 1e-16.
    D[D < 1e-14] = 0.0
    return np.sqrt(D, out=D)


def _blocks(n):
    step = max(1, _BLOCK_VALUES // n)
    return [slice(start, min(start + step, n)) for start in range(0, n, step)]


def _mean_variance(roots, present):
    """Mean over pairs of the sample variance of their distances over the runs."""
    n = present.shape[1]
    total, n_pairs = 0.0, 0
    for rows in _blocks(n):
        both = np.zeros((rows.stop - rows.start, n))
        sums, squares = np.zeros_like(both), np.zeros_like(both)
        for root, here in zip(roots, present, strict=True):
            seen = np.outer(here[rows], here)
            D = _distances(root, rows) * seen
            both += seen
            sums += D
            squares += D * D
        several = both > 1
        # An object is no pair with itself.
        several[np.arange(len(both)), np.arange(rows.start, rows.stop)] = False
        a = both[several]
        spread = squares[several] - sums[several] ** 2 / a
        total += float((np.maximum(spread, 0.0) / (a - 1)).sum())
        n_pairs += len(a)
    return total / n_pairs if n_pairs else 0.0


def _mean_distance(roots, present, weights):
    """The weighted mean distance of each two objects."""
    n = present.shape[1]
    require_memory(8 * n * n, f"the distances of {n} objects", "use lwgp or sec")
    mean = np.empty((n, n))
    complete = present.all()
    for rows in _blocks(n):
        out = np.zeros((rows.stop - rows.start, n))
        mass = np.zeros_like(out)
        for root, here, w in zip(roots, present, weights, strict=True):
            D = _distances(root, rows)
            if complete:
                out += w * D
            else:
                seen = w * np.outer(here[rows], here)
                out += seen * D
                mass += seen
        if not complete:
            never = mass == 0
            out = np.where(never, 1.0, out / np.where(never, 1.0, mass))
        mean[rows] = out
    np.fill_diagonal(mean, 0.0)
    return mean
