"""HCSS."""

from typing import Any

import numpy as np

from comitia.catalogue import MethodCard
from comitia.cluster import around_medoids
from comitia.methods._exemptions import HALF_KEPT
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, by_ncut
from comitia.methods.selection._hcss_subsets import (
    graph_scores,
    relevance_redundancy,
    subset_weights,
)
from comitia.represent import knn_graph
from comitia.select import top
from comitia.validity import score_table

__all__ = ["HCSS"]


class HCSS(SelectionMethod):
    r"""Hybrid clustering solution selection.

    Four feature selectors, to which a clustering is a feature, each propose a subset;
    the clusterings that lie close to the data and are in good subsets are kept [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        How many clusterings each selector proposes, and how many are kept; half of
        them by default.

    n_neighbors : int, default=5
        Neighbours of each object, for the Laplacian score.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`, to the last two selectors.

    generator, random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The score :math:`w_m` of each clustering; 0 if no selector proposes it.

    subsets_ : ndarray of bool of shape (4, n_clusterings)
        What each selector proposes.

    subset_weights_ : ndarray of shape (4,)
        The weight :math:`w^t` of each subset; 1 for the best.

    Notes
    -----
    Let :math:`q_m` be the mean distance of the objects to the nearest centre of
    :math:`C_m`, and :math:`s_1, \dots, s_4` the subsets. The clusterings with the
    largest

    .. math::
        w_m = \sum_t [m \in s_t] \, w^t w^t_m, \qquad
        w^t_m = e^{-(q_m - \min q^t) / \overline{q^t}}, \qquad
        w^t = e^{(\bar w^t - \max_u \bar w^u) / \overline{\bar w}}

    are kept, where :math:`q^t` are the values inside the subset and :math:`\bar w^t` is
    the mean of its :math:`w^t_m`. The normalised cut of the co-association of those
    kept is the result.

    The review prints :math:`w^t` without the exponential: then it is 0 for the best
    subset and negative for the others, and the best subset counts for nothing. It must
    be the exponential that :math:`w^t_m` is, and is that here.

    The four selectors are not named. Ours propose the clusterings with the smallest
    Laplacian score on the graph of nearest neighbours in the data; with the smallest
    spectral score on the co-association; with most relevance and least redundancy by
    mutual information; and the medoids of the clusterings, by :math:`1 - \phi`. Where
    distances of neighbours are equal, the order of objects may change the first of
    these.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] Z. Yu, L. Li, Y. Gao, J. You, J. Liu, H.-S. Wong and G. Han, "Hybrid
       clustering solution selection strategy", Pattern Recognition 47(10), 2014.
       :doi:`10.1016/j.patcog.2014.04.005`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 0], [1, 1], [1, 0], [1, 1]])
    >>> judge = method("hcss")(n_clusters=2, n_select=1, random_state=0)
    >>> fitted = judge.fit(X, ensemble=votes)
    >>> fitted.selected_
    array([ True, False])
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="hcss",
        weighs="clusterings",
        approach="selection",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "equal_clusterings": "each selector proposes n_select clusterings; of "
            "equal ones at the border it takes the first",
            "helps": HALF_KEPT,
        },
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        n_neighbors: int = 5,
        agreement: Any = "nmi_sqrt",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.n_neighbors = n_neighbors
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_select = self._n_select(ensemble)
        subsets = self._propose(ensemble, X, n_select)
        self.subsets_ = np.zeros((4, ensemble.n_clusterings), dtype=bool)
        for row, subset in zip(self.subsets_, subsets, strict=True):
            row[subset] = True
        q = score_table(X, ensemble, ["mean_distance_to_center"]).values[:, 0]
        self.clustering_weights_, self.subset_weights_ = subset_weights(q, subsets)
        return top(self.clustering_weights_, n_select)

    def _propose(self, ensemble: Ensemble, X: Data, n_select: int) -> list[Any]:
        """The subsets of the four selectors."""
        phi = ensemble.agreement(self.agreement)
        nearby = None
        if ensemble.n_objects > 1:
            n_neighbors = min(self.n_neighbors, ensemble.n_objects - 1)
            nearby = knn_graph(X, n_neighbors, weights="heat")
        return [
            top(-_finite(graph_scores(ensemble, nearby)), n_select),
            top(-_finite(graph_scores(ensemble)), n_select),
            relevance_redundancy(phi, n_select),
            around_medoids(np.maximum(1.0 - phi, 0.0), n_select).medoids,
        ]

    _agree = by_ncut


def _finite(scores: Array) -> Array:
    """Scores in which those of single clusters are poorest, and not infinite."""
    worst = scores[np.isfinite(scores)].max(initial=0.0)
    return np.where(np.isfinite(scores), scores, worst + 1.0)
