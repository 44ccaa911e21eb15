"""Fuzzy clusterings, weighted by a validity index and factorised into one."""

from typing import Any

import numpy as np

from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.optimize import symmetric_nmf_simplex
from comitia.partition import ncut
from comitia.weigh import index_scores, normalize_weights

__all__ = ["ValidityWeightedFuzzyEnsemble"]


class ValidityWeightedFuzzyEnsemble(SameNumberOfClusters):
    r"""Multiple fuzzy clustering by internal validity and gradient descent.

    Two objects are alike if they have the same memberships in the clusterings that a
    validity index finds good, and the consensus is the fuzzy clustering that explains
    this likeness best [1]_.

    Parameters
    ----------
    n_clusters : shared

    index : str or callable, default="dunn"
        Validity index that weighs a clustering, hardened to its largest memberships: a
        name of :mod:`comitia.validity`, or a function ``index(X, labels)`` that returns
        a number, 0 or more and larger for a better clustering.

    max_iter : int, default=500
        Most steps of the gradient descent.

    tol : float, default=1e-6
        Stop when ten steps together lower the objective by less than this times
        :math:`\|S\|_F^2`.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default, as in
        the paper, fuzzy c-means, kernel fuzzy c-means and the algorithm of Gustafson
        and Kessel in turn, with ``n_clusters`` clusters, each on four of five features
        drawn at random.

    random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        The fuzzy consensus F; rows sum to one.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each step; it does not rise.

    n_iter_ : int
        Number of steps.

    converged_ : bool
        Whether the objective stopped falling before ``max_iter``.

    Notes
    -----
    With :math:`F^m` the memberships of clustering m and :math:`w_m` its index, divided
    by the sum over the clusterings,

    .. math::
        S_{ij} = \sum_m w_m \, e^{-\lVert F^m_{i\cdot} - F^m_{j\cdot} \rVert^2}, \qquad
        \min_F \lVert S - F F' \rVert_F^2 \quad \text{s. t.} \quad F \ge 0, \; F 1 = 1,

    by projected gradient: steps along :math:`-4 (F F' - S) F`, rows projected onto the
    simplex. The start is half way between the normalised cut of S and equal
    memberships. The labels are the largest memberships; a cluster that is nobody's
    largest is left out, and the others share what it had.

    How a crisp index judges a fuzzy clustering the review does not say; here it judges
    the hardened one, without the clusters that are empty then. S is at least
    :math:`e^{-2} = 0.135`, also for objects that all clusterings keep apart, so F is
    fuzzy even where the ensemble is crisp and unanimous. The more alike all memberships
    are, as in very fuzzy clusterings or those with fewer clusters than are wanted, the
    more the minimum puts together what S hardly tells apart: fewer clusters than
    ``n_clusters`` can be left.

    Runs of fuzzy c-means alone, on all features and with a fuzziness of 2, are one and
    the same clustering; the three algorithms, the features and the fuzziness by the
    dimension (:class:`comitia.cluster.FuzzyCMeans`) make the clusterings differ. The
    kernel is Gaussian and as wide as the median distance; how the paper chooses it is
    not known here, nor that it draws features. The fuzziness is 1.5 at most: with 2
    memberships in few dimensions are so much alike that iris has two clusters of three.

    Overlapping clusters share their objects in equal parts. Where an object has no
    label, the similarity is the weighted mean over the clusterings that have both
    objects; it is :math:`e^{-2}` if there are none.

    References
    ----------
    .. [1] L. H. Son and P. V. Hai, "A novel multiple fuzzy clustering method based on
       internal clustering validation measures with gradient descent", International
       Journal of Fuzzy Systems 18(5), 2016.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> F = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.1, 0.9]]
    >>> G = [[0.7, 0.3], [0.2, 0.8], [0.3, 0.7], [0.2, 0.8]]
    >>> votes = Ensemble.from_memberships([F, G])
    >>> fitted = method("son_2016")(n_clusters=2).fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(3)
    array([0.986, 0.014])
    """

    card = MethodCard(
        id="son_2016",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "helps": "its similarities are at least 0.135, also of objects that no "
            "clustering puts together; its factors put together what noisy "
            "clusterings hardly tell apart",
        },
    )

    _parameter_constraints = {
        "index": [str, callable],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        index: Any = "dunn",
        max_iter: int = 500,
        tol: float = 1e-6,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.index = index
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import FeatureSubset
        from comitia.methods.fixed_clusterings._fuzzy_algorithms import FuzzyAlgorithms

        return FuzzyAlgorithms(n_clusters=self.n_clusters, features=FeatureSubset(0.8))

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        # Asked before the index, which may look at each two objects.
        _require_memory_for(ensemble.n_objects)
        scores = index_scores(X, ensemble, self.index)
        self.clustering_weights_ = normalize_weights(scores)
        n_clusters = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        S = weighted_membership_similarity(ensemble, self.clustering_weights_)
        start = np.eye(n_clusters)[ncut(S, n_clusters, rng)] + 1.0 / n_clusters
        found = symmetric_nmf_simplex(
            S, start / 2, max_iter=self.max_iter, tol=self.tol
        )
        keep_run(self, found, "steps")
        labels, _, self.membership_ = fuzzy_clusters(found.F)
        return labels


def _require_memory_for(n: int) -> None:
    """Ask for the similarities of n objects and what it takes to compute them."""
    require_memory(
        8 * 4 * n**2,
        f"the similarities of {n} objects",
        "use lwgp or sec, which are linear in n",
    )


def weighted_membership_similarity(
    ensemble: Ensemble, clustering_weights: Array
) -> Array:
    """Weighted mean, over the clusterings, of how alike the memberships are."""
    n = ensemble.n_objects
    _require_memory_for(n)
    apart = np.exp(-2.0)
    S, mass = np.zeros((n, n)), np.zeros((n, n))
    for m in np.flatnonzero(clustering_weights):
        begin, end = ensemble.offsets[m : m + 2]
        F = ensemble.membership[:, begin:end].toarray()
        total = F.sum(axis=1, keepdims=True)
        F /= np.where(total > 0, total, 1.0)
        lengths = (F * F).sum(axis=1)
        squares = lengths[:, None] + lengths - 2.0 * (F @ F.T)
        both = clustering_weights[m] * (total > 0) * (total > 0).T
        S += both * np.exp(-np.maximum(squares, 0.0))
        mass += both
    S = np.where(mass > 0, S / np.where(mass > 0, mass, 1.0), apart)
    np.fill_diagonal(S, 1.0)
    return S
