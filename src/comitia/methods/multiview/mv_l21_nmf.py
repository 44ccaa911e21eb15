"""One factor for all views, smooth along each view's neighbours."""

from typing import Any

import numpy as np

from comitia._arrays import to_numpy
from comitia.catalogue import MethodCard
from comitia.generate.nearest_models import NearestCenter
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Rng, Seed
from comitia.methods.multiview._factors import ViewFactorMethod
from comitia.methods.multiview._mv_l21_nmf_step import shared_factor_step
from comitia.optimize import l21_norm, power_weights

__all__ = ["MultiViewL21NMF"]


class MultiViewL21NMF(ViewFactorMethod):
    r"""Robust multi-view NMF with the L2,1 loss.

    All views share one factor of the objects, which is to be smooth along the
    neighbours in each view; a view along whose neighbours it is smooth counts more, and
    single objects that fit badly do not count by the square [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the views' neighbour graphs.

    views : shared

    scale : {"minmax", "shift"} or None, default="minmax"
        How views become non-negative: each feature to [0, 1], or its minimum to 0;
        then a view is divided by the root mean square length of its rows, so that all
        views count alike. ``None`` takes the views as they are and refuses negative
        numbers.

    weight_power : float, default=2.0
        The exponent of the weights, :math:`a_1 > 1`. Near one the smoothest view has
        all the weight; large exponents make the weights equal.

    smoothing : float, default=0.1
        What keeps the weights from gathering on one view, :math:`\varepsilon`; 0 is the
        printed form.

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
        Number of starts of k-means, from which the factors start.

    max_iter : int, default=1000
        Most updates of the weights, each with one sweep over the factors.

    tol : float, default=1e-4
        Stop when the objective changes by less than this share of itself.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

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

    n_iter_, converged_ : shared

    Notes
    -----
    With the neighbour graph :math:`A^m` of each view,

    .. math::
        \min \; \sum_m \|X^m - U V^m{}'\|_{2,1} + \lambda \sum_m w_m^{a_1} t_m, \qquad
        t_m = \sum_{i \ne j} A^m_{ij} \|U_i - U_j\|^2,

    subject to :math:`U, V \ge 0`, :math:`U'U = I` and w on the simplex. In turn

    .. math::
        w_m = \frac{t_m^{-1/(a_1 - 1)}}{\sum_l t_l^{-1/(a_1 - 1)}}

    and a sweep of multiplicative updates, with :math:`d_i = 1 / (2 \|X_i - U_i V'\|)`

    .. math::
        V \leftarrow V \circ \frac{X'DU}{V U'DU}, \qquad
        U \leftarrow U \circ \sqrt{ \frac{\text{pull} + \eta U}
        {\text{push} + \eta U U'U} }, \qquad
        \eta = \frac{4 \langle \text{pull}, U \rangle}{k}, \\
        \text{pull} = \sum_m D^m X^m V^m + 2 \lambda_m S^m U, \qquad
        \text{push} = \sum_m D^m U V^m{}' V^m + 2 \lambda_m \mathrm{diag}(S^m 1) U .

    An object belongs to the
    column in which its row of U is largest. Views without any roughness share the whole
    weight, the limit of a floor under :math:`t_m`.

    As printed, the weight gathers on one view: U becomes smooth along the view that
    weighs most, which then weighs more, and of two equally good views one has nearly
    all. Here each :math:`t_m` has :math:`\varepsilon \, 2 k \sum_{ij} A^m_{ij} / n`
    added, that share of the roughness of a U that knows nothing of the view; the
    weights still minimise the objective. Views along which U is smooth then weigh much
    the same, and one of noise up to :math:`1 + 1 / \varepsilon` times less.

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
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "minmax",
        weight_power: float = 2.0,
        smoothing: float = 0.1,
        graph_penalty: float | None = None,
        kernel: str = "exponential",
        n_neighbors: int = 5,
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-4,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.weight_power = weight_power
        self.smoothing = smoothing
        self.graph_penalty = graph_penalty
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _start(self, problem: Any, rng: Rng) -> tuple[Any, Any]:
        weights = np.full(problem.n_views, 1.0 / problem.n_views)
        return weights, (problem.shares, problem.features(problem.shares))

    def _update_weights(self, problem: Any, consensus: Any) -> Any:
        return power_weights(self._roughness(problem, consensus), self.weight_power)

    def _update_consensus(self, problem: Any, weights: Array, consensus: Any) -> Any:
        strengths = (self._strength(problem) * weights**self.weight_power).tolist()
        return shared_factor_step(problem.X, problem.graphs, strengths, *consensus)

    def _objective(self, problem: Any, weights: Array, consensus: Any) -> float:
        U, V = consensus
        loss = sum(l21_norm(X - U @ F.T) for X, F in zip(problem.X, V, strict=True))
        rough = weights**self.weight_power @ self._roughness(problem, consensus)
        return loss + self._strength(problem) * rough

    def _result(self, problem: Any, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.view_weights_ = weights
        U, V = to_numpy(consensus[0]), consensus[1]
        labels, _, self.membership_ = fuzzy_clusters(U)
        self.components_ = [to_numpy(F) for F in V]
        codes = np.unique(labels, return_inverse=True)[1]
        self.view_labels_ = np.stack(
            [NearestCenter.of_labels(X, codes).predict(X) for X in problem.tables],
            axis=1,
        )
        return labels

    def _roughness(self, problem: Any, consensus: Any) -> Any:
        """How rough each view finds U, and a floor under it."""
        rough = problem.roughness([consensus[0]] * problem.n_views)
        return rough + self.smoothing * problem.roughest

    def _strength(self, problem: Any) -> float:
        return problem.unit if self.graph_penalty is None else self.graph_penalty
