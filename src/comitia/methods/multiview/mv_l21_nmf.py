"""One factor for all views, smooth along each view's neighbours."""

import numpy as np

from comitia._arrays import to_numpy
from comitia.catalogue import MethodCard
from comitia.generate.base import NearestCenter
from comitia.methods.multiview._factors import AlternatingViewMethod, ViewFactors
from comitia.methods.multiview._shared import order_of_appearance
from comitia.optimize import l21_norm, power_weights
from comitia.optimize.multiview import shared_factor_step

__all__ = ["MultiViewL21NMF"]


class MultiViewL21NMF(AlternatingViewMethod):
    r"""Robust multi-view NMF with the L2,1 loss.

    All views share one factor of the objects, which is to be smooth along the
    neighbours in each view; a view along whose neighbours it is smooth counts more, and
    single objects that fit badly do not count by the square [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : list of slices or of lists of column numbers, default=None
        Which columns make up each view, when :meth:`fit` is given one wide table.

    scale : {"minmax", "shift"} or None, default="minmax"
        How views become non-negative: each feature to [0, 1], or its minimum to 0;
        then a view is divided by the root mean square length of its rows, so that all
        views count alike. ``None`` takes the views as they are and refuses negative
        numbers.

    weight_power : float, default=2.0
        The exponent of the weights, :math:`a_1 > 1`. Near one the smoothest view has
        all the weight; large exponents make the weights equal.

    graph_penalty : float, default=None
        Strength of the smoothness, :math:`\lambda`. By default the number of objects
        per cluster.

    kernel : {"exponential", "heat"}, default="exponential"
        How the weight of an edge falls with its length: :math:`e^{-d / a_2}`, as
        printed, or :math:`e^{-d^2 / 2 a_2^2}`, with the mean distance of a neighbour
        for :math:`a_2`.

    n_neighbors : int, default=5
        Neighbours of each object; at most all others.

    n_init : int, default=10
        Number of starts of the k-means from which the factors start.

    max_iter : int, default=1000
        The most updates of the weights, each with one sweep over the factors.

    tol : float, default=1e-4
        Stop when the objective changes by less than this share of itself.

    random_state : int, RandomState instance or None, default=None
        Seed of the start.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        Weight of each view; they sum to one.

    membership_ : ndarray of shape (n_objects, n_clusters_)
        The rows of the factor of the objects, U, with sum one.

    components_ : list of ndarray of shape (n_features of the view, n_clusters)
        The factors :math:`V^m` of the features.

    view_labels_ : ndarray of shape (n_objects, n_views)
        The cluster whose mean is nearest in the view alone.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each update. The labels belong to its
        minimum.

    n_iter_ : int
        Number of updates of the weights.

    converged_ : bool
        Whether the objective stopped changing before ``max_iter``.

    Notes
    -----
    With the neighbour graph :math:`A^m` of each view,

    .. math::
        \min \; \sum_m \|X^m - U V^m{}'\|_{2,1} + \lambda \sum_m w_m^{a_1} t_m, \qquad
        t_m = \sum_{i \ne j} A^m_{ij} \|U_i - U_j\|^2,

    subject to :math:`U, V \ge 0`, :math:`U'U = I` and w on the simplex. In turn

    .. math::
        w_m = \frac{t_m^{-1/(a_1 - 1)}}{\sum_l t_l^{-1/(a_1 - 1)}}

    and a sweep of :func:`comitia.optimize.shared_factor_step`. An object belongs to the
    column in which its row of U is largest. Views without any roughness share the whole
    weight, the limit of a floor under :math:`t_m`.

    The updates keep U orthonormal up to some per cent, and are not monotone; the best
    iterate is kept. Columns of U have length one after each sweep, or the roughness
    would fall for free. Its entries are then of the size :math:`\sqrt{k / n}`, and a
    fixed :math:`\lambda` would mean less the more objects there are; the default counts
    per object. ``graph_penalty=1`` is the form without :math:`\lambda`.

    The paper behind the entry of the review could not be identified; formulas follow
    the review. Time is :math:`O(nk(\sum_m p_m + Mq))` for a sweep with q neighbours.

    References
    ----------
    .. [1] IEEE document 7900020 (probably Int. Conf. Pattern Recognition, 2016), as
       described in M. Zhang, "Weighted clustering ensemble: a review", arXiv
       1910.02433.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> X0 = np.array([[1.0, 9.0], [2.0, 8.0], [1.0, 8.0], [9.0, 1.0], [8.0, 1.0]])
    >>> X1 = np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 4.0], [5.0, 1.0], [5.0, 0.0]])
    >>> fitted = method("mv_l21_nmf")(n_clusters=2, n_neighbors=1, random_state=0)
    >>> fitted.fit([X0, X1]).labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="mv_l21_nmf",
        weighs="views",
        approach="variable",
        needs="views",
        scales="linear",
        on_device=True,
    )

    def __init__(
        self,
        n_clusters=None,
        *,
        views=None,
        scale="minmax",
        weight_power=2.0,
        graph_penalty=None,
        kernel="exponential",
        n_neighbors=5,
        n_init=10,
        max_iter=1000,
        tol=1e-4,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.weight_power = weight_power
        self.graph_penalty = graph_penalty
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _problem(self, views, rng):
        return ViewFactors(self, views, rng)

    def _begin(self, problem, rng):
        return problem.shares, problem.features(problem.shares)

    def _weigh(self, problem, consensus):
        return power_weights(self._roughness(problem, consensus), self.weight_power)

    def _refine(self, problem, weights, consensus):
        strengths = (self._strength(problem) * weights**self.weight_power).tolist()
        return shared_factor_step(problem.X, problem.graphs, strengths, *consensus)

    def _cost(self, problem, weights, consensus):
        U, V = consensus
        loss = sum(l21_norm(X - U @ F.T) for X, F in zip(problem.X, V, strict=True))
        rough = weights**self.weight_power @ self._roughness(problem, consensus)
        return loss + self._strength(problem) * rough

    def _store(self, problem, weights):
        self.view_weights_ = weights

    def _labels(self, problem, weights, consensus):
        U, V = to_numpy(consensus[0]), consensus[1]
        labels = U.argmax(axis=1)
        shares = U[:, order_of_appearance(labels)]
        self.membership_ = shares / shares.sum(axis=1, keepdims=True)
        self.components_ = [to_numpy(F) for F in V]
        codes = np.unique(labels, return_inverse=True)[1]
        self.view_labels_ = np.stack(
            [NearestCenter.of_labels(X, codes).predict(X) for X in problem.tables],
            axis=1,
        )
        return labels

    def _roughness(self, problem, consensus):
        return problem.roughness([consensus[0]] * problem.n_views)

    def _strength(self, problem):
        return problem.unit if self.graph_penalty is None else self.graph_penalty
