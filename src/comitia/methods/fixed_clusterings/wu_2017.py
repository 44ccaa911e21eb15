"""Protein-complex ensemble with co-complex affinity."""

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import triu

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.methods._loops import warn_stopped_early
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, hac
from comitia.represent import condensed_coassociation, overlaps
from comitia.weigh import normalize_weights

__all__ = ["CoComplexEnsemble"]


class CoComplexEnsemble(EnsembleMethod):
    r"""Protein-complex ensemble with co-complex affinity scores.

    Clusterings count by how well a reference keeps their clusters whole, the reference
    is a tree cut on their weighted co-association, and the two take turns; pairs of
    objects that are known to be close count more when they are together [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at ``threshold``, or takes the
        eigengap of the ensemble's graph where that is None too.

    threshold : float, default=None
        Similarity, from 0 to 1, below which clusters are not merged. Only one of
        ``n_clusters`` and ``threshold`` can be given.

    linkage : shared

    max_iter : int, default=50
        Most references.

    tol : float, default=0.1
        Stop when the Pearson correlation of the weights with the last ones is above ``1
        - tol``.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given a graph alone; it must take
        the graph.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Share of the objects of each clustering that the reference keeps together, at
        most 1.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the last reference, in SciPy form; its distances are one minus
        the similarity.

    n_iter_ : int
        Number of references.

    converged_ : bool
        Whether the weights settled.

    Notes
    -----
    ``fit(affinity, ensemble=E)`` takes the affinity scores :math:`\tau_{ij}`, from 0 to
    1 and 0 where nothing is stored, as a sparse symmetric matrix; ``fit(E)`` takes 1
    everywhere, which is plain co-occurrence. With uniform weights at first,

    .. math::
        S_{ij} = \sum_m \frac{w_m}{\sum_l w_l} \, \frac{1 + \tau_{ij}}{2} \,
        [\,i, j \text{ together in } C_m\,], \qquad
        w_m = \frac{\sum_v \max_r |C^r \cap C_m^v|}
        {\sum_v \bigl| \bigcup_r (C^r \cap C_m^v) \bigr|},

    where the clusters :math:`C^r` are those of the reference, cut from the tree of
    :math:`1 - S`. Every object is in the reference, so that :math:`w_m` is the purity
    of :math:`C_m`; an object in several clusters of :math:`C_m` counts in each of them.
    Two objects that share several clusters of one clustering are together once. The
    similarity is divided by the sum of the weights, which changes no tree and lets
    ``threshold`` mean the same in every round.

    The correlation of a constant vector, such as the uniform start, is not defined:
    equal weights have settled, and the loop goes on otherwise. Start, linkage and cut
    are not given in the review.

    References
    ----------
    .. [1] M. Wu, L. Ou-Yang and X.-L. Li, "Protein complex detection via effective
       integration of base clustering solutions and co-complex affinity scores",
       IEEE/ACM Trans. Computational Biology and Bioinformatics 14(3), 2017.
       :doi:`10.1109/TCBB.2016.2552176`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("wu_2017")(n_clusters=2).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_
    array([1. , 1. , 0.5])
    """

    card = MethodCard(
        id="wu_2017",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "graph"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, 1, closed="both"), None],
        "tol": [Interval(Real, 0, 2, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float | None = None,
        linkage: Linkage = "average",
        max_iter: int = 50,
        tol: float = 0.1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.linkage = linkage
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        if self.generator is None:
            raise ComitiaError(
                "CoComplexEnsemble has no clusterings of a graph by itself; call "
                "fit(affinity, ensemble=E), or fit(E) without affinities."
            )
        return super()._generate(X, rng)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self._check(X)
        weights = np.ones(ensemble.n_clusterings)
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            before = weights
            self.linkage_ = self._tree(ensemble, X, before)
            labels = self._cut(self.linkage_, ensemble)
            weights = _purity(ensemble, labels)
            if _settled(before, weights, self.tol):
                self.converged_ = True
                break
        # A single reference is plain evidence accumulation, not a loop cut short.
        if not self.converged_ and self.max_iter > 1:
            warn_stopped_early(self, "references")
        self.clustering_weights_ = weights
        return labels

    def _check(self, affinity: Any) -> Any:
        if self.n_clusters is not None and self.threshold is not None:
            raise ComitiaError(
                f"n_clusters={self.n_clusters} and threshold={self.threshold} are both "
                "given; leave one of them out."
            )
        if affinity is not None and affinity.nnz and affinity.data.max() > 1:
            raise ComitiaError(
                f"graph has affinities up to {affinity.data.max():.6g}; scale them to "
                "0..1."
            )

    def _tree(self, ensemble: Ensemble, affinity: Any, weights: Array) -> Any:
        """The tree of one minus the weighted co-association."""
        w = normalize_weights(weights)
        if ensemble.kind == "overlapping":
            S = _together_once(ensemble, w)
        elif affinity is not None:
            S = condensed_coassociation(
                ensemble, clustering_weights=w, dtype=np.float64
            )
        else:
            return ensemble_linkage(
                ensemble, clustering_weights=w, linkage=self.linkage
            )
        if affinity is not None:
            places, tau = _condensed(affinity)
            S *= 0.5
            S[places] *= 1.0 + tau
        np.subtract(1.0, S, out=S)
        # Rounding can leave -1e-16 where two objects always meet.
        return hac(np.maximum(S, 0.0, out=S), self.linkage)

    def _cut(self, tree: Any, ensemble: Ensemble) -> Any:
        if self.threshold is None:
            return cut(tree, self._resolve_n_clusters(ensemble))
        n_merges = int((tree[:, 2] <= 1.0 - self.threshold + 1e-12).sum())
        return cut(tree, len(tree) + 1 - n_merges)


def _together_once(ensemble: Ensemble, clustering_weights: Any) -> Any:
    """The co-association, with pairs that share several clusters counted once."""
    n = ensemble.n_objects
    require_memory(4 * n * (n - 1), f"the co-association of {n} objects")
    S = np.zeros(n * (n - 1) // 2)
    B = ensemble.membership.tocsc()
    for w, lo, hi in zip(
        clustering_weights, ensemble.offsets[:-1], ensemble.offsets[1:], strict=True
    ):
        places, _ = _condensed(B[:, lo:hi] @ B[:, lo:hi].T)
        S[places] += w
    return S


def _condensed(matrix: Any) -> Any:
    """Where the entries above the diagonal of a sparse matrix stand, and what they are.

    Places are those of SciPy's condensed form.
    """
    upper = triu(matrix, k=1, format="coo")
    i, j = upper.row.astype(np.int64), upper.col.astype(np.int64)
    return i * (2 * matrix.shape[0] - i - 1) // 2 + j - i - 1, upper.data


def _purity(ensemble: Ensemble, labels: Array) -> Any:
    """Share of the objects of each clustering in the largest part of their cluster."""
    shared = overlaps(ensemble, labels)
    first = ensemble.offsets[:-1]
    kept = np.add.reduceat(shared.max(axis=1), first)
    return kept / np.add.reduceat(shared.sum(axis=1), first)


def _settled(before: Any, after: Any, tol: Any) -> Any:
    if np.allclose(before, after, rtol=0.0, atol=1e-12):
        return True
    if min(np.ptp(before), np.ptp(after)) <= 1e-12:
        return False
    return np.corrcoef(before, after)[0, 1] > 1.0 - tol
