"""Fuzzy c-medoid vectors on dissimilarities, with weights of views for each cluster."""

from numbers import Integral, Real

import numpy as np

from comitia._arrays import floats_on, to_numpy
from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.cluster import cmedoid_vectors
from comitia.cluster._base import warn_unconverged
from comitia.cluster._dissimilarity import dissimilarities
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._shared import choose_n_clusters, order_of_appearance
from comitia.optimize._ties import first_lowest, lowest_run

__all__ = ["MVFCMddV"]


class MVFCMddV(MultiViewMethod):
    r"""Multi-view relational fuzzy c-medoid vectors (MVFCMddV).

    Fuzzy clusters of objects of which only dissimilarities are known, several for
    each pair: a cluster has a medoid in every view, and weighs the views by how compact
    it is in them [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the largest gap between the eigenvalues of
        the mean of the views' neighbour graphs.

    views : list of slice or of lists of int, default=None
        Which columns make up each view, when :meth:`fit` is given one table.

    metric : str or callable, default="euclidean"
        A metric of scikit-learn's ``pairwise_distances``, or "precomputed" when the
        views hold dissimilarities of shape (n_objects, n_objects).

    fuzziness : float, default=1.2
        The power of the memberships, :math:`\alpha > 1`.

    n_init : int, default=10
        Number of starts; the lowest objective wins.

    max_iter : int, default=300
        Most iterations of a start.

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
    views the weight 1. The units of a view do not matter but for the start: c times the
    dissimilarities have 1/c times the weight.

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

    _parameter_constraints = {
        **MultiViewMethod._parameter_constraints,
        "metric": [str, callable],
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        views=None,
        metric="euclidean",
        fuzziness=1.2,
        n_init=10,
        max_iter=300,
        tol=1e-5,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.views = views
        self.metric = metric
        self.fuzziness = fuzziness
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _combine(self, ensemble, views, rng):
        tables = [dissimilarities(X, self.metric) for X in views.arrays]
        k = self.n_clusters or choose_n_clusters(tables, metric="precomputed")
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

    def _start(self, tables, n_clusters, rng):
        # Different objects in the first view: no two clusters have all in common.
        n = len(tables[0])
        return np.stack([rng.choice(n, n_clusters, replace=False) for _ in tables])

    def _store(self, tables, run):
        warn_unconverged(run.converged, self, self.max_iter)
        self.objective_, self.converged_ = run.objective, run.converged
        self.n_iter_ = len(run.objective) - 1
        F = to_numpy(run.membership)
        labels = F.argmax(axis=1)
        # A cluster that nobody prefers is none.
        order = order_of_appearance(labels)
        kept = F[:, order]
        self.membership_ = kept / kept.sum(axis=1, keepdims=True)
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
