"""Clustering by two objectives at once, with a kernel distance and feature weights."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from comitia._scales import column_scales
from comitia._sklearn import Interval, StrOptions
from comitia.cluster._base import (
    COMMON_CONSTRAINTS,
    Clusterer,
    check_n_clusters,
    fill_empty,
    initial_centers,
)
from comitia.cluster.minkowski import minkowski_weights
from comitia.exceptions import ComitiaError
from comitia.optimize._ties import without_last_bits
from comitia.optimize.pareto import best_first, knee, non_dominated_ranks

__all__ = [
    "KernelParetoClustering",
    "ParetoFront",
    "ParetoRun",
    "kernel_distances",
    "pareto_costs",
    "pareto_search",
]

Array = NDArray[np.float64]

# How far a centre that mutates moves, in widths of the kernel.
_MUTATION = 0.1

# Distances are multiples of this. Processors disagree about the last bit of an
# exponential, and of copies of an object the centre is off by rounding.
_UNIT = 2.0**-40

# Numbers that fit into the nearest memory.
_BLOCK = 2**15

# A search has come to rest when this share of its generations changed nothing much.
_REST, _NOTHING_MUCH = 0.2, 1e-3


class ParetoFront(NamedTuple):
    """Solutions none of which is better than another in both objectives.

    Attributes
    ----------
    costs : ndarray of shape (n_solutions, 2)
        The objectives J1 and J2 of each, in the order of J1.

    centers : ndarray of shape (n_solutions, n_clusters, n_features)
        Their centres.

    weights : ndarray of shape (n_solutions, n_clusters, n_features)
        Weight of each feature in each cluster; the last axis sums to one.
    """

    costs: Array
    centers: Array
    weights: Array


class ParetoRun(NamedTuple):
    """Result of a search for two objectives.

    Attributes
    ----------
    front : ParetoFront
        The solutions of the last population that nobody dominates.

    objective : ndarray of shape (n_iter + 1, 2)
        The least J1 and the least J2 at the start and after each generation; neither
        rises.

    converged : bool
        Whether the last generations hardly changed them.
    """

    front: ParetoFront
    objective: Array
    converged: bool


class _Solution(NamedTuple):
    centers: Array
    weights: Array
    costs: tuple[float, float]
    labels: NDArray[np.intp]


def kernel_distances(X: ArrayLike, centers: ArrayLike, widths: ArrayLike) -> Array:
    r"""Distance of objects and centres in the space of a Gaussian kernel.

    .. math::
        kd(x, c) = 2 \left( 1 - e^{-(x - c)^2 / 2 s^2} \right),

    in each feature.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    centers : array-like of shape (n_clusters, n_features)
        The centres.

    widths : float or array-like of shape (n_features,)
        Width s of the kernel in each feature.

    Returns
    -------
    distances : ndarray of shape (n_clusters, n_objects, n_features)
        From 0 to 2.

    Examples
    --------
    >>> kernel_distances([[0.0], [1.0]], [[0.0]], 1.0).round(6)
    array([[[0.      ],
            [0.786939]]])
    """
    X = np.asarray(X, dtype=np.float64)
    centers = np.asarray(centers, dtype=np.float64)
    return _kernel(X - centers[:, None], np.asarray(widths, dtype=np.float64))


def pareto_costs(
    X: ArrayLike,
    labels: ArrayLike,
    centers: ArrayLike,
    weights: ArrayLike,
    widths: ArrayLike,
    weight_power: float = 3.0,
) -> tuple[float, float]:
    r"""Compactness of clusters, and compactness over separation.

    .. math::
        J_1 = \sum_v \sum_{i \in C^v} \sum_r w_{vr}^\beta \, kd(x_{ir}, c_{vr}), \qquad
        J_2 = \frac{J_1}{\min_{t \ne v} \sum_r kd(c_{tr}, c_{vr}) \;
        \sum_v \sum_r w_{vr}^\beta \, kd(\bar x_r, c_{vr})} .

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    labels : array-like of shape (n_objects,)
        The cluster of each object.

    centers, weights : array-like of shape (n_clusters, n_features)
        Centres and feature weights of the clusters.

    widths : float or array-like of shape (n_features,)
        Width of the kernel in each feature.

    weight_power : float, default=3.0
        The exponent :math:`\beta` of the weights.

    Returns
    -------
    compactness, ratio : float, float
        J1 and J2, both to be small. J2 is infinite where two centres are the same, and
        J1 for a single cluster.

    Examples
    --------
    >>> X, labels = [[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]
    >>> J1, J2 = pareto_costs(X, labels, [[0.5], [9.5]], [[1.0], [1.0]], 1.0)
    >>> round(J1, 6), round(J2, 6)
    (0.940025, 0.117508)
    """
    X = np.asarray(X, dtype=np.float64)
    labels = np.asarray(labels, dtype=np.intp)
    centers = np.asarray(centers, dtype=np.float64)
    widths = np.asarray(widths, dtype=np.float64)
    own = _kernel(X - centers[labels], widths)
    return _costs(
        X.mean(axis=0),
        centers,
        np.asarray(weights, dtype=np.float64),
        widths,
        weight_power,
        _sums(own, labels, len(centers)),
    )


def pareto_search(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weight_power: float = 3.0,
    n_individuals: int = 20,
    max_iter: int = 50,
) -> ParetoRun:
    r"""Search for the best trade-offs of compact and separate clusters.

    Individuals are sets of centres. Two parents, chosen by tournament, swap centres
    that are near to each other; some centres mutate, and all move to the kernel means
    of their clusters. Of parents and children those are kept that fewest dominate, and
    of equals those with most room around them.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    weight_power : float, default=3.0
        The exponent :math:`\beta \ge 1` of the weights.

    n_individuals : int, default=20
        Size of the population.

    max_iter : int, default=50
        Number of generations.

    Returns
    -------
    run : ParetoRun
        The front, the history and whether the search came to rest.
    """
    data = np.asarray(X, dtype=np.float64)
    check_n_clusters(n_clusters, len(data))
    search = _Search(data, n_clusters, weight_power, rng)
    population = [search.start(i) for i in range(n_individuals)]
    history = [_costs_of(population).min(axis=0)]
    for _ in range(max_iter):
        order = best_first(_costs_of(population))
        # Of two drawn at random the better one becomes a parent.
        parents = [
            [population[order[rng.randint(n_individuals, size=2).min()]] for _ in "ab"]
            for _ in range(n_individuals)
        ]
        pool = population + [search.child(one, other) for one, other in parents]
        population = [pool[i] for i in best_first(_costs_of(pool))[:n_individuals]]
        history.append(_costs_of(population).min(axis=0))
    objective = np.array(history)
    before = objective[-1 - int(np.ceil(_REST * max_iter))]
    with np.errstate(invalid="ignore"):
        fall = before - objective[-1]
    converged = bool((np.nan_to_num(fall) <= _NOTHING_MUCH * np.abs(before)).all())
    return ParetoRun(_front(population), objective, converged)


class _Search:
    """How individuals come about, on one set of data."""

    def __init__(
        self, X: Array, n_clusters: int, beta: float, rng: np.random.RandomState
    ) -> None:
        self.X, self.k, self.beta, self.rng = X, n_clusters, beta, rng
        self.widths = _widths(X)
        self.mean = X.mean(axis=0)
        # One place for the distances of all individuals, who come one by one.
        self.room = np.empty((n_clusters, *X.shape))

    def start(self, i: int) -> _Solution:
        how = "k-means++" if i % 2 == 0 else "random"
        return self.evaluate(initial_centers(self.X, self.k, how, self.rng))

    def child(self, one: _Solution, other: _Solution) -> _Solution:
        from scipy.optimize import linear_sum_assignment
        from scipy.spatial.distance import cdist

        rng, k = self.rng, self.k
        apart = cdist(one.centers / self.widths, other.centers / self.widths)
        _, partner = linear_sum_assignment(apart)
        swapped = rng.uniform(size=k) < 0.5
        centers = np.where(swapped[:, None], other.centers[partner], one.centers)
        mutant, jump = rng.uniform(size=(2, k)) < np.array([[1 / k], [0.5]])
        moved = centers + _MUTATION * self.widths * rng.normal(size=centers.shape)
        drawn = self.X[rng.randint(len(self.X), size=k)]
        mutated = np.where(jump[:, None], drawn, moved)
        centers = np.where(mutant[:, None], mutated, centers)
        return self.evaluate(self.kernel_means(centers, self.assign(centers)))

    def evaluate(self, centers: Array) -> _Solution:
        """Labels and the best weights for centres, and what they cost."""
        labels = self.assign(centers)
        D, weights = self._weighed(labels)
        costs = _costs(self.mean, centers, weights, self.widths, self.beta, D)
        return _Solution(centers, weights, costs, labels)

    def assign(self, centers: Array) -> NDArray[np.intp]:
        """The nearest centres, by the weights that the nearest without weights give."""
        self._measure(centers)
        _, weights = self._weighed(self._nearest(np.full(centers.shape, 1.0)))
        return self._nearest(weights)

    def _nearest(self, weights: Array) -> NDArray[np.intp]:
        from comitia._kernels.feature_distances import nearest_weighted

        labels, own = nearest_weighted(self.room, weights**self.beta)
        return fill_empty(labels, own, self.k)

    def _weighed(self, labels: NDArray[np.intp]) -> tuple[Array, Array]:
        """How far the features of the clusters spread, and the best weights for it."""
        from comitia._kernels.feature_distances import sums_to_own

        D = sums_to_own(self.room, labels)
        return D, minkowski_weights(D, self.beta)

    def kernel_means(self, centers: Array, labels: NDArray[np.intp]) -> Array:
        """Means that the kernel weighs: J1 does not rise if labels and weights stay."""
        k = self.k
        own = _kernel(self.X - centers[labels], self.widths)
        kernel = 1.0 - 0.5 * own
        mass = _sums(kernel, labels, k)
        centers = _sums(kernel * self.X, labels, k) / np.maximum(mass, 1e-12)
        if (mass <= 1e-12).any():
            # Where no object is near enough for the kernel, the plain mean.
            sizes = np.bincount(labels, minlength=k)
            means = _sums(self.X, labels, k) / sizes[:, None]
            centers = np.where(mass > 1e-12, centers, means)
        return centers

    def _measure(self, centers: Array) -> None:
        """Write the distances to centres into the room for them."""
        # Some clusters at a time: what numpy goes over again and again stays near.
        step = max(1, _BLOCK // self.X.size)
        for first in range(0, self.k, step):
            block = slice(first, first + step)
            apart = np.subtract(self.X, centers[block, None], out=self.room[block])
            _kernel(apart, self.widths, out=apart)


def _widths(X: Array) -> Array:
    return column_scales(X)[1]


def _kernel(apart: Array, widths: Array, out: Array | None = None) -> Array:
    """The kernel distance of what is that far apart in each feature."""
    scaled = np.divide(apart, widths, out=out)
    np.square(scaled, out=scaled)
    scaled *= -0.5
    np.expm1(scaled, out=scaled)
    scaled *= -2.0 / _UNIT
    np.rint(scaled, out=scaled)
    scaled *= _UNIT
    return scaled


def _sums(values: Array, labels: NDArray[np.intp], n_clusters: int) -> Array:
    from comitia._kernels.validity import center_sums

    return center_sums(values, labels, n_clusters)


def _costs(
    mean: Array,
    centers: Array,
    weights: Array,
    widths: Array,
    beta: float,
    D: Array,
) -> tuple[float, float]:
    powered = weights**beta
    J1 = float((powered * D).sum())
    k = len(centers)
    if k == 1:
        return J1, J1
    between = kernel_distances(centers, centers, widths).sum(axis=2)
    np.fill_diagonal(between, np.inf)
    apart = float(between.min())
    spread = kernel_distances(mean[None], centers, widths)[:, 0]
    denominator = apart * float((powered * spread).sum())
    return J1, J1 / denominator if denominator > 0 else np.inf


def _costs_of(population: list[_Solution]) -> Array:
    # Individuals that differ by rounding do not dominate each other.
    return without_last_bits(np.array([one.costs for one in population]))


def _front(population: list[_Solution]) -> ParetoFront:
    costs = _costs_of(population)
    first = np.flatnonzero(non_dominated_ranks(costs) == 0)
    # Each trade-off once, in the order of the first objective.
    _, which = np.unique(costs[first], axis=0, return_index=True)
    chosen = [population[i] for i in first[which]]
    return ParetoFront(
        _costs_of(chosen),
        np.array([one.centers for one in chosen]),
        np.array([one.weights for one in chosen]),
    )


class KernelParetoClustering(Clusterer):
    r"""Kernel-based multi-objective clustering with feature weights.

    An evolutionary search for clusters that are compact and, at the same time, compact
    for how separate they are [1]_; see :func:`pareto_costs` for the two objectives.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    weight_power : float, default=3.0
        The exponent :math:`\beta \ge 1` of the weights. With 1 each cluster puts all
        weight on one feature.

    n_individuals : int, default=20
        Size of the population.

    max_iter : int, default=50
        Number of generations.

    selection : {"knee", "compactness", "separation"} or callable, default="knee"
        Which solution of the front is taken: the knee, the one of least J1, that of
        least J2, or ``selection(costs)``, an index into the front.

    random_state : int, RandomState instance or None, default=None
        Seed of the search.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Their centres.

    feature_weights_ : ndarray of shape (n_clusters, n_features)
        Weight of each feature in each cluster; rows sum to one.

    front_ : ParetoFront
        All solutions that no other one dominates: costs, centers, weights.

    selected_ : int
        Which of them was taken.

    objective_ : ndarray of shape (n_iter_ + 1, 2)
        The least J1 and the least J2 at the start and after each generation.

    n_iter_ : int
        Number of generations.

    converged_ : bool
        Whether the last fifth of the generations hardly changed them.

    References
    ----------
    .. [1] Z. Zhou and S. Zhu, "Kernel-based multiobjective clustering algorithm with
       automatic attribute weighting", Soft Computing, 2017.
       :doi:`10.1007/s00500-017-2590-y`

    Examples
    --------
    >>> from comitia.cluster import KernelParetoClustering
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> labels = KernelParetoClustering(2, max_iter=5, random_state=0).fit(X).labels_
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{
            k: COMMON_CONSTRAINTS[k] for k in ("n_clusters", "max_iter", "random_state")
        },
        "weight_power": [Interval(Real, 1, None, closed="left")],
        "n_individuals": [Interval(Integral, 4, None, closed="left")],
        "selection": [StrOptions({"knee", "compactness", "separation"}), callable],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        weight_power: float = 3.0,
        n_individuals: int = 20,
        max_iter: int = 50,
        selection: str | Callable[[Array], int] = "knee",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight_power = weight_power
        self.n_individuals = n_individuals
        self.max_iter = max_iter
        self.selection = selection
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> KernelParetoClustering:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        X = self._read(X)
        run = pareto_search(
            X,
            self.n_clusters,
            check_random_state(self.random_state),
            weight_power=self.weight_power,
            n_individuals=self.n_individuals,
            max_iter=self.max_iter,
        )
        self.front_ = run.front
        self.selected_ = self._choose(run.front.costs)
        self.cluster_centers_ = run.front.centers[self.selected_]
        self.feature_weights_ = run.front.weights[self.selected_]
        self.widths_ = _widths(X)
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged
        self.labels_ = self.predict(X)
        return self

    def _choose(self, costs: Array) -> int:
        if callable(self.selection):
            chosen = self.selection(costs)
            if not (isinstance(chosen, Integral) and 0 <= chosen < len(costs)):
                raise ComitiaError(
                    f"selection returned {chosen!r}; return an index into a front of "
                    f"{len(costs)} solutions."
                )
            return int(chosen)
        if self.selection == "knee":
            return knee(costs)
        return int(
            costs[:, ["compactness", "separation"].index(self.selection)].argmin()
        )

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The cluster of the nearest centre.
        """
        X = self._read_new(X)
        distances = kernel_distances(X, self.cluster_centers_, self.widths_)
        powered = self.feature_weights_**self.weight_power
        return np.einsum("knp,kp->nk", distances, powered).argmin(axis=1)
