"""Fuzzy c-medoid vectors on dissimilarities, with weights of views for each cluster."""

from typing import Any

import numpy as np

from comitia._arrays import floats_on, to_numpy
from comitia._inputs import Views
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.cluster.dissimilarity import dissimilarities
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Rng, Seed
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._mvfcmddv_medoids import cmedoid_vectors
from comitia.methods.multiview._shared import choose_from_views
from comitia.optimize.ties import first_lowest, lowest_run

__all__ = ["MVFCMddV"]


class MVFCMddV(MultiViewMethod):
    r"""Multi-view relational fuzzy c-medoid vectors (MVFCMddV).

    Fuzzy clusters of objects of which only dissimilarities are known, several for
    each pair: a cluster has a medoid in every view, and weighs the views by how compact
    it is in them [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : shared

    metric : str or callable, default="euclidean"
        A metric of scikit-learn's ``pairwise_distances``, or "precomputed" when the
        views hold dissimilarities of shape (n_objects, n_objects).

    scale : {"mean"} or None, default="mean"
        Divide the dissimilarities of each view by their mean, so that the weights of
        views can be compared; ``None`` takes them as they are.

    fuzziness : float, default=1.2
        The exponent :math:`\alpha > 1` of the memberships; near 1 they are crisp.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=300
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when the medoids stay and no membership changes by more.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_clusters_, n_views)
        Weight of each view for each cluster; those of a cluster have the product one.

    membership_ : ndarray of shape (n_objects, n_clusters_)
        How much each object belongs to each cluster; rows sum to one.

    medoid_indices_ : ndarray of shape (n_views, n_clusters_)
        The object that stands for each cluster in each view.

    view_labels_ : ndarray of shape (n_objects, n_views)
        The nearest medoid in each view.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration; it does not rise.

    n_iter_ : int
        Number of iterations of the best start.

    converged_ : bool
        Whether medoids and memberships stopped changing before ``max_iter``.

    Notes
    -----
    With the dissimilarities :math:`R_m` of view m and the medoids :math:`g_{mr}`,

    .. math::
        \min_{F, g, w} \sum_r \sum_i F_{ir}^\alpha \sum_m w_{mr} [R_m]_{i g_{mr}},
        \qquad \sum_r F_{ir} = 1, \quad \prod_m w_{mr} = 1 .

    Each of the three steps is exact,

    .. math::
        g_{mr} = \arg\min_j \sum_i F_{ir}^\alpha [R_m]_{ij}, \qquad
        w_{mr} = \frac{(\prod_l E_{lr})^{1/M}}{E_{mr}}, \qquad
        F_{ir} \propto \Bigl( \sum_m w_{mr} [R_m]_{i g_{mr}} \Bigr)^{-1/(\alpha-1)},

    with :math:`E_{mr} = \sum_i F_{ir}^\alpha [R_m]_{i g_{mr}}`, at least 1e-12 of the
    mean dissimilarity of the view. A start draws medoids and gives all
    views the weight 1. As printed, c times the dissimilarities have 1/c times the
    weight, and nothing else changes but for the start: a weight tells the units of its
    view first of all, and a view of noise with small numbers has the most. In units of
    their mean, which is ours, a weight tells how compact a cluster is for the view.

    An object that is the medoid of its cluster in every view belongs to it altogether.
    No two clusters may have the same medoids in all views, or they were one; a cluster
    whose best medoids are taken moves to the next best in one view, or stays where it
    was, so that the objective does not rise. The authors' code was not at hand; that
    rule and the defaults are ours. In views of hundreds of features all objects are
    about equally far from each other; with the usual fuzziness of 2 every membership
    then becomes 1/k, and a value near 1 keeps clusters apart. With one view the method
    is fuzzy c-medoids.

    Weights belong to a view and a cluster of the consensus, not to a clustering of the
    ensemble; hence their shape. Memory is that of the dissimilarities,
    :math:`O(M n^2)`.

    References
    ----------
    .. [1] F. de A. T. de Carvalho, F. M. de Melo and Y. Lechevallier, "A multi-view
       relational fuzzy c-medoid vectors clustering algorithm", Neurocomputing 163,
       2015.

    Examples
    --------
    >>> from comitia import method
    >>> height = [[0.0], [1.0], [2.0], [7.0], [8.0], [9.0]]
    >>> width = [[1.0], [2.0], [4.0], [7.0], [8.0], [9.0]]
    >>> fitted = method("mvfcmddv")(n_clusters=2, random_state=0)
    >>> fitted.fit({"height": height, "width": width}).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.medoid_indices_
    array([[1, 4],
           [1, 4]])
    """

    card = MethodCard(
        id="mvfcmddv",
        weighs="clusters",
        approach="variable",
        needs="views",
        scales="quadratic",
        on_device=True,
        quick={"n_init": 3},
    )

    _object_numbers = ("medoid_indices_",)
    _per_cluster = {"medoid_indices_": 1, "membership_": 1, "view_weights_": 0}

    _parameter_constraints = {
        "metric": [str, callable],
        "scale": [StrOptions({"mean"}), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        metric: Any = "euclidean",
        scale: str | None = "mean",
        fuzziness: float = 1.2,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.metric = metric
        self.scale = scale
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        tables = [dissimilarities(X, self.metric) for X in views.arrays]
        if self.scale == "mean":
            # Without any dissimilarity there is nothing to scale.
            tables = [R / (float(R.mean()) or 1.0) for R in tables]
        k = self.n_clusters or choose_from_views(tables, metric="precomputed")
        starts = [self._start(tables, k, rng) for _ in range(self.n_init)]
        R = [floats_on(table, self._device) for table in tables]
        runs = [
            cmedoid_vectors(
                R,
                start,
                fuzziness=self.fuzziness,
                max_iter=self.max_iter,
                tol=self.tol,
            )
            for start in starts
        ]
        return self._store(tables, lowest_run(runs, lambda run: run.objective[-1]))

    def _start(self, tables: list[Any], n_clusters: int, rng: Rng) -> Array:
        # Different objects in the first view: no two clusters have all in common.
        n = len(tables[0])
        return np.stack([rng.choice(n, n_clusters, replace=False) for _ in tables])

    def _store(self, tables: list[Any], run: Any) -> Any:
        keep_run(self, run, "iterations")
        labels, order, self.membership_ = fuzzy_clusters(to_numpy(run.membership))
        self.view_weights_ = run.weights[:, order].T
        self.medoid_indices_ = run.medoids[:, order]
        self.view_labels_ = np.stack(
            [
                first_lowest(R[:, g])
                for R, g in zip(tables, self.medoid_indices_, strict=True)
            ],
            axis=1,
        )
        return labels
