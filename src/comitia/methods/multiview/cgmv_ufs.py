"""Features that a consensus of all views asks for."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import to_numpy
from comitia._inputs import Views
from comitia._scales import column_scales
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.multiview._cgmv_ufs_guided import guided_consensus, guided_step
from comitia.methods.multiview._coupled_factors import distance_to
from comitia.methods.multiview._factors import ViewFactorMethod, ViewFactors
from comitia.optimize import frobenius_loss, l21_norm, power_weights
from comitia.optimize.nmf import row_lengths
from comitia.partition import kmeans

__all__ = ["CGMVUFS"]


class CGMVUFS(ViewFactorMethod):
    r"""Consensus-guided multi-view unsupervised feature selection (CGMV-UFS).

    Each view is factorised by few features, smoothly along its neighbours and near to a
    consensus of all views; views that need fewer features, are smoother or nearer count
    more, and k-means on the features with the largest factors gives the clusters [1]_.

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

    variant : {"features", "consensus"}, default="features"
        The clusters: k-means on the selected features, or the largest entry of each
        row of :math:`U^*`.

    feature_fraction : float, default=0.1
        Share of the features of each view that is selected, rounded up, and at least
        as many as there are clusters.

    weight_power : float or (float, float, float), default=2.0
        The exponents :math:`a_1, a_2, a_3 > 1` of the three vectors of weights, for
        sparsity, consensus and smoothness.

    sparsity_penalty : float, default=1.0
        Strength of the sparsity.

    smoothing : float, default=1.0
        What keeps the weights for consensus and smoothness from gathering on one
        view, :math:`\varepsilon`; 0 is the printed form.

    view_penalty : float, default=None
        Strength of the consensus. By default the number of objects per cluster.

    graph_penalty : float, default=None
        Strength of the smoothness. By default the number of objects per cluster.

    kernel : {"exponential", "heat"}, default="exponential"
        How the weight of an edge falls with its length: :math:`e^{-d / \sigma}` or
        :math:`e^{-d^2 / 2 \sigma^2}`, with the mean distance of a neighbour for
        :math:`\sigma`.

    n_neighbors : int, default=5
        Neighbours of each object; at most all others.

    n_init : int, default=10
        Number of starts of k-means, from which the factors start and on the selected
        features.

    max_iter : int, default=1000
        Most updates of the weights, each with one sweep over the factors.

    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        How much each view counts for the consensus, :math:`\beta`; they sum to one.

    sparsity_weights_, graph_weights_ : ndarray of shape (n_views,)
        The other two vectors, :math:`\gamma` and w.

    feature_weights_ : ndarray of shape (n_features of all views,)
        Lengths of the rows of :math:`V^m`, view after view, with sum one in each.

    selected_features_ : ndarray of shape (n_features of all views,)
        Which features were selected.

    consensus_ : ndarray of shape (n_objects, n_clusters)
        The consensus :math:`U^*`.

    components_ : list of ndarray of shape (n_features of the view, n_clusters)
        The factors :math:`V^m` of the features.

    view_labels_ : ndarray of shape (n_objects, n_views)
        Where the row of :math:`U^m` is largest.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each update. The result belongs to its
        minimum.

    n_iter_, converged_ : shared

    Notes
    -----
    With :math:`t_m = \sum_{i \ne j} A^m_{ij} \|U^m_i - U^m_j\|^2` along the neighbours
    in view m,

    .. math::
        \min \; \sum_m \|X^m - U^m V^m{}'\|_F^2
        + \lambda_s \gamma_m^{a_1} \|V^m\|_{2,1}
        + \lambda_v \beta_m^{a_2} \|U^m - U^*\|_F^2 + \lambda_g w_m^{a_3} t_m,

    subject to :math:`U^m, V^m, U^* \ge 0`, :math:`U^*{}'U^* = I` and each of
    :math:`\gamma, \beta, w` on its simplex. Each vector solves its own problem: with
    the terms :math:`q_m` that it multiplies it is proportional to
    :math:`q_m^{-1/(a-1)}`, and terms that are zero share the whole weight.

    As printed, the consensus can leave all views but one: with :math:`U^* = U^m` and
    :math:`\beta_m = 1` its term is zero, and the iteration goes there. A floor under
    the distances that prevents this has to be of their own size; with a tenth of it
    one view still has nearly all the weight. Here each has
    :math:`\varepsilon k` added, k being the squared length of :math:`U^*`; the weights
    still minimise the objective. Likewise the smoothness would gather on one view,
    whose :math:`U^m` becomes ever smoother and leaves the consensus; each :math:`t_m`
    has the same share added of the roughness :math:`2 k \sum_{ij} A^m_{ij} / n` of a
    factor that knows nothing of the view. As every view has a :math:`U^m` of its own,
    which is smooth along neighbours even where these are noise, w differs little.

    :math:`U^m / c` and :math:`c V^m` fit as well, and would lower the penalties for
    free; columns of :math:`U^m` and :math:`U^*` have length one. Entries are then of
    the size :math:`\sqrt{k / n}`, and fixed penalties would mean less the more objects
    there are; the defaults count per object. The review's objective has all three
    strengths at 1. :math:`U^m` is updated on the sphere and :math:`U^*` by
    :func:`comitia.optimize.onmf.update_orthogonal`; with these constraints the
    objective may rise, and the best iterate is kept.

    Which features are selected, and how they are joined, is ours: of each view those
    with the longest rows of :math:`V^m`, never one whose row is zero, standardised and
    put side by side for k-means. On the real data we tried, :math:`U^*` itself tells
    the clusters better, ``variant="consensus"``. Long rows are those of features that
    are large where their cluster is, after ``scale="minmax"`` compared with their own
    range.

    References
    ----------
    .. [1] C. Tang, J. Chen, X. Liu, M. Li, P. Wang, M. Wang and P. Lu, "Consensus
       learning guided multi-view unsupervised feature selection", Knowledge-Based
       Systems 160, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> X0 = np.array([[1.0, 9.0], [2.0, 8.0], [1.0, 8.0], [9.0, 1.0], [8.0, 1.0]])
    >>> X1 = np.array([[0.0, 5.0], [1.0, 5.0], [0.0, 4.0], [5.0, 0.0], [5.0, 0.0]])
    >>> empty = np.zeros((5, 1))
    >>> fitted = method("cgmv_ufs")(n_clusters=2, n_neighbors=1, random_state=0)
    >>> fitted.fit([X0, np.hstack([X1, empty])]).labels_
    array([0, 0, 0, 1, 1], dtype=int32)
    >>> fitted.selected_features_
    array([ True,  True,  True,  True, False])
    """

    card = MethodCard(
        id="cgmv_ufs",
        weighs="views",
        approach="variable",
        needs="views",
        scales="linear",
        on_device=True,
    )

    _parameter_constraints = {
        "variant": [StrOptions({"features", "consensus"})],
        "weight_power": [Interval(Real, 1, None, closed="neither"), "array-like"],
        "view_penalty": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        scale: str | None = "minmax",
        variant: str = "features",
        feature_fraction: float = 0.1,
        weight_power: Any = 2.0,
        sparsity_penalty: float = 1.0,
        smoothing: float = 1.0,
        view_penalty: float | None = None,
        graph_penalty: float | None = None,
        kernel: str = "exponential",
        n_neighbors: int = 5,
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-5,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.scale = scale
        self.variant = variant
        self.feature_fraction = feature_fraction
        self.weight_power = weight_power
        self.sparsity_penalty = sparsity_penalty
        self.smoothing = smoothing
        self.view_penalty = view_penalty
        self.graph_penalty = graph_penalty
        self.kernel = kernel
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _problem(self, ensemble: Any, X: Data, rng: Rng) -> Any:
        return _Problem(self, X, rng)

    def _start(self, problem: Any, rng: Rng) -> tuple[Any, Any]:
        weights = np.full((3, problem.n_views), 1.0 / problem.n_views)
        U = [problem.shares] * problem.n_views
        return weights, (U, problem.features(problem.shares), problem.shares)

    def _update_weights(self, problem: Any, consensus: Any) -> Any:
        terms = zip(self._terms(problem, consensus), problem.powers, strict=True)
        return np.array([power_weights(costs, power) for costs, power in terms])

    def _update_consensus(self, problem: Any, weights: Array, consensus: Any) -> Any:
        U, V, middle = consensus
        strengths = self._factors(problem, weights).T.tolist()
        moved = [
            guided_step(
                X,
                U[m],
                V[m],
                middle,
                problem.graphs[m],
                sparsity_penalty=sparsity,
                view_penalty=coupling,
                graph_penalty=graph,
            )
            for m, (X, (sparsity, coupling, graph)) in enumerate(
                zip(problem.X, strengths, strict=True)
            )
        ]
        U, V = (list(factors) for factors in zip(*moved, strict=True))
        middle = guided_consensus(middle, U, [strength[1] for strength in strengths])
        return U, V, middle

    def _objective(self, problem: Any, weights: Array, consensus: Any) -> float:
        U, V, _ = consensus
        loss = sum(map(frobenius_loss, problem.X, U, V))
        terms = self._factors(problem, weights) * self._terms(problem, consensus)
        return loss + terms.sum()

    def _result(self, problem: Any, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.sparsity_weights_, self.view_weights_, self.graph_weights_ = weights
        U, V, middle = consensus
        self.view_labels_ = np.stack([to_numpy(u).argmax(axis=1) for u in U], axis=1)
        self.consensus_ = to_numpy(middle)
        self.components_ = [to_numpy(F) for F in V]
        lengths = [row_lengths(F) for F in self.components_]
        self.feature_weights_ = np.concatenate(
            [length / (length.sum() or 1.0) for length in lengths]
        )
        chosen = [self._select(length, problem.n_clusters) for length in lengths]
        self.selected_features_ = np.concatenate(chosen)
        if self.variant == "consensus":
            return self.consensus_.argmax(axis=1)
        wide = np.concatenate(
            [
                _standardized(X[:, c])
                for X, c in zip(problem.tables, chosen, strict=True)
            ],
            axis=1,
        )
        if wide.shape[1] == 0:
            wide = np.zeros((len(wide), 1))  # nothing varies in any view
        return kmeans(wide, problem.n_clusters, rng, n_init=self.n_init).labels

    def _select(self, lengths: Any, n_clusters: int) -> Array:
        """The features with the longest rows; the first ones of equals."""
        n = max(int(np.ceil(self.feature_fraction * len(lengths))), n_clusters)
        chosen = np.zeros(len(lengths), dtype=bool)
        chosen[np.argsort(-lengths, kind="stable")[:n]] = True
        return chosen & (lengths > 0)

    def _terms(self, problem: Any, consensus: Any) -> Any:
        """What each vector of weights weighs, (3, n_views)."""
        U, V, middle = consensus
        return np.array(
            [
                [l21_norm(F) for F in V],
                [distance_to(middle, u) + problem.floor for u in U],
                problem.roughness(U) + self.smoothing * problem.roughest,
            ]
        )

    def _factors(self, problem: Any, weights: Array) -> Any:
        return problem.strengths[:, None] * weights ** problem.powers[:, None]


class _Problem(ViewFactors):
    """The views, and what is the same in every sweep."""

    def __init__(self, method: Any, views: Views, rng: Rng) -> None:
        powers = np.ravel(np.asarray(method.weight_power, dtype=np.float64))
        if len(powers) not in (1, 3) or not (powers > 1).all():
            raise ComitiaError(
                f"weight_power={method.weight_power!r} must be one number above 1, or "
                "three."
            )
        super().__init__(method, views, rng)
        given = method.view_penalty, method.graph_penalty
        coupling, graph = (self.unit if one is None else one for one in given)
        self.strengths = np.array([method.sparsity_penalty, coupling, graph])
        self.powers = np.broadcast_to(powers, (3,))
        self.floor = method.smoothing * self.n_clusters


def _standardized(X: Data) -> Any:
    """Features of mean zero and variance one."""
    mean, scale, _ = column_scales(X)
    return (X - mean) / scale
