"""Fuzzy c-means ensemble with Markov-random-field fusion."""

from __future__ import annotations

from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._parameter_rules import SHARED
from comitia._sklearn import Interval, StrOptions
from comitia.agreement import entropy
from comitia.catalogue import MethodCard
from comitia.cluster.adjacency import check_graph
from comitia.engine.sparse import largest_votes
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.fixed_clusterings._alhichri_2014_field import (
    grid_graph,
    iterated_modes,
)
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.represent import align_clusters, knn_graph
from comitia.represent.alignment import group_votes
from comitia.represent.graphs import combined_weights
from comitia.weigh import mean_agreement, normalize_weights

__all__ = ["MarkovFieldFusion"]


class MarkovFieldFusion(SameNumberOfClusters):
    r"""Fuzzy c-means ensemble with Markov-random-field fusion.

    Fuzzy c-means runs on random features vote on each object, and so do the labels of
    its neighbours: the pixels around it in an image, or the nearest objects
    otherwise [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of a first ensemble with random numbers of clusters.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    feature_fraction : float or "sqrt", default=0.8
        Share of the features (spectral bands) that a run sees, at least one.

    fuzziness : float or "auto", default="auto"
        The exponent of the memberships in fuzzy c-means, above 1. "auto" takes 2 in few
        dimensions and less in many, as :class:`~comitia.cluster.FuzzyCMeans` does.

    graph_penalty : float, default=1.0
        The price :math:`\beta` of two neighbours with different labels, where the vote
        of all clusterings together is worth 1.

    connectivity : (int, int), sparse matrix or array-like, default=None
        Which objects are neighbours. Rows and columns of an image, whose pixels are the
        objects row by row: the eight pixels around each. A symmetric matrix of edge
        weights: those. ``None``: the nearest in the data.

    n_neighbors : int, default=8
        Number of nearest neighbours where ``connectivity`` is None.

    agreement : shared

    max_iter : int, default=100
        Most sweeps over the objects.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    clustering_weights_ : shared

    reference_ : int
        The clustering that the others were aligned to.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The energy of the weighted vote, and after each sweep.

    n_iter_ : int
        Number of sweeps.

    converged_ : bool
        Whether no single label could be changed for the better.

    Notes
    -----
    Memberships are hardened to their largest. The weights are mean agreements,
    :math:`w_m \propto \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l)`. The clustering of
    the largest entropy :math:`H(C_m)`, the first of equals, is the reference that the
    others are aligned to by the Hungarian method. With the aligned labels
    :math:`L_m(i)`,

    .. math::
        U(y) = \sum_i \sum_m w_m [y_i \ne L_m(i)]
        + \beta \sum_{(i, j)} [y_i \ne y_j]

    is lowered by iterated conditional modes from the weighted vote, which it is for
    :math:`\beta = 0`.

    The abstract of [1]_ confirms the runs on random bands, the reference of maximum
    entropy, the pairwise relabelling, and a Markov field of spatial and inter-partition
    context in which mutual information weighs the partitions. Energy, neighbourhood and
    solver are in neither the abstract nor the review; the Potts energy with iterated
    conditional modes is the usual choice.

    References
    ----------
    .. [1] H. Alhichri, N. Ammour, N. Alajlan and Y. Bazi, "Clustering of hyperspectral
       images with an ensemble method based on fuzzy c-means and Markov random fields",
       Arabian Journal for Science and Engineering 39, 2014.
       :doi:`10.1007/s13369-014-1037-3`

    Examples
    --------
    >>> from comitia import method
    >>> image = [[0.0], [0.1], [5.0], [0.2], [0.1], [5.1]]  # two rows of three pixels
    >>> fusion = method("alhichri_2014")(2, connectivity=(2, 3), graph_penalty=0.1)
    >>> fusion.fit_predict(image)
    array([0, 0, 1, 0, 0, 1], dtype=int32)
    """

    card = MethodCard(
        id="alhichri_2014",
        weighs="clusterings",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"})],
        "feature_fraction": [Interval(Real, 0, 1, closed="right"), str],
        "graph_penalty": [Interval(Real, 0, None, closed="left")],
        "connectivity": ["array-like", "sparse matrix", None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        feature_fraction: float | str = 0.8,
        fuzziness: float | Literal["auto"] = "auto",
        graph_penalty: float = 1.0,
        connectivity: Any = None,
        n_neighbors: int = 8,
        agreement: Any = "nmi_sqrt",
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.feature_fraction = feature_fraction
        self.fuzziness = fuzziness
        self.graph_penalty = graph_penalty
        self.connectivity = connectivity
        self.n_neighbors = n_neighbors
        self.agreement = agreement
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import FeatureSubset, FuzzyGenerator

        return FuzzyGenerator(
            self.n_clusterings,
            n_clusters=self.n_clusters,
            fuzziness=self.fuzziness,
            features=FeatureSubset(self.feature_fraction),
            n_jobs=self.n_jobs,
        )

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        fuzzy = super()._generate(X, rng)
        return Ensemble.from_codes(fuzzy.codes, fuzzy.n_clusters_each)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(
            mean_agreement(ensemble, self.agreement)
        )
        self.reference_ = _most_entropy(ensemble)
        votes = aligned_votes(
            ensemble,
            ensemble.labels[:, self.reference_],
            int(ensemble.n_clusters_each[self.reference_]),
            self.clustering_weights_,
        )
        found = iterated_modes(
            largest_votes(votes),
            1.0 - votes,
            self._neighbors(X),
            self.graph_penalty,
            max_iter=self.max_iter,
        )
        keep_run(self, found, "sweeps", "max_iter")
        return found.labels

    def _neighbors(self, X: Data) -> Any:
        n = len(X)
        if self.connectivity is None:
            if n == 1:
                return grid_graph((1, 1))
            return knn_graph(X, min(self.n_neighbors, n - 1))
        shape = np.shape(self.connectivity)
        is_image = shape == (2,)
        graph = (grid_graph if is_image else check_graph)(self.connectivity)
        if graph.shape[0] != n:
            what = "pixels" if is_image else "rows"
            raise ComitiaError(
                f"connectivity has {graph.shape[0]} {what} for {n} objects; give one "
                "for each."
            )
        return graph


def _most_entropy(ensemble: Ensemble) -> int:
    """The clustering of the largest entropy; of equals up to rounding, the first."""
    H = [entropy(sizes) for sizes in np.split(ensemble.sizes, ensemble.offsets[1:-1])]
    return int(np.argmax(np.asarray(H) >= max(H) - 1e-12))


def aligned_votes(
    ensemble: Ensemble, reference: ArrayLike, n_labels: int, weights: ArrayLike
) -> NDArray[np.float64]:
    r"""Count the votes of aligned clusterings for each label of the reference.

    .. math::
        V_{ir} = \sum_m w_m \, [\pi_m(\text{label of } i \text{ in } m) = r];

    fuzzy clusterings split their vote. An object that a clustering leaves out gets no
    vote from it.
    """
    targets = align_clusters(ensemble, reference, n_labels)
    return group_votes(ensemble, targets, n_labels, combined_weights(ensemble, weights))
