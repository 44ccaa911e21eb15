"""Clustering by two objectives at once, with a kernel distance and feature weights."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import sizes
from comitia._scales import column_scales
from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_random_state
from comitia.cluster.clusterer import (
    Clusterer,
    fill_empty,
    initial_centers,
    refuse_excess_clusters,
)
from comitia.cluster.minkowski import minkowski_weights
from comitia.exceptions import ComitiaError
from comitia.methods._types import Seed
from comitia.methods.variable_features._zhou_zhu_2017_pareto import (
    best_first,
    knee,
    non_dominated_ranks,
)
from comitia.optimize.ties import without_last_bits

__all__ = [
    "KernelParetoClustering",
    "ParetoFront",
    "ParetoRun",
    "kernel_distances",
    "pareto_search",
]

Array = NDArray[np.float64]

# How far a centre that mutates moves, in widths of the kernel.
_MUTATION = 0.1

# A search has converged when the objectives changed by less than a thousandth in the
# last fifth of its generations.
_QUIET_SHARE, _QUIET_CHANGE = 0.2, 1e-3


class ParetoFront(NamedTuple):
    """Solutions none of which is better than another in both objectives."""

    # (n_solutions, 2), the objectives J1 and J2 of each, in the order of J1, with every
    # object at the centre that its weights make nearest
    costs: Array
    centers: Array  # (n_solutions, n_clusters, n_features), their centres
    # (n_solutions, n_clusters, n_features), weight of each feature in each cluster; the
    # last axis sums to one
    weights: Array


class ParetoRun(NamedTuple):
    """Result of a search for two objectives."""

    # The solutions of the last population that nobody dominates. Their costs are no
    # larger than those of the search, which looks for weights once more after it has
    # assigned the objects.
    front: ParetoFront
    # (n_iter + 1, 2), the least J1 and the least J2 at the start and after each
    # generation; neither rises
    objective: Array
    converged: bool  # whether the last generations hardly changed them


class _Solution(NamedTuple):
    centers: Array
    weights: Array
    costs: tuple[float, float]
    labels: NDArray[np.intp]
    distances: Array | None


def kernel_distances(X: ArrayLike, centers: ArrayLike, widths: ArrayLike) -> Array:
    r"""Distance of objects and centres in the space of a Gaussian kernel.

    .. math::
        kd(x, c) = 2 \left( 1 - e^{-(x - c)^2 / 2 s^2} \right),

    in each feature: an array of shape (n_clusters, n_features, n_objects).
    """
    from comitia._kernels.feature_distances import gaussian_distances

    columns = np.ascontiguousarray(np.transpose(X), dtype=np.float64)
    centers = np.ascontiguousarray(centers, dtype=np.float64)
    widths = np.ones(len(columns)) * np.asarray(widths, dtype=np.float64)
    distances = np.empty((len(centers), *columns.shape))
    gaussian_distances(columns, centers, widths, np.arange(len(centers)), distances)
    return distances


def pareto_search(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weight_power: float = 3.0,
    n_individuals: int = 20,
    max_iter: int = 50,
) -> ParetoRun:
    """Search for the best trade-offs of compact and separate clusters.

    Individuals are sets of centres. Two parents, chosen by tournament, swap centres
    that are near to each other; some centres mutate, and all move to the kernel means
    of their clusters. Of parents and children those are kept that fewest dominate, and
    of equals those with most room around them.
    """
    data = np.asarray(X, dtype=np.float64)
    refuse_excess_clusters(n_clusters, len(data))
    search = _Search(data, n_clusters, weight_power, rng, n_kept=2 * n_individuals)
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
    before = objective[-1 - int(np.ceil(_QUIET_SHARE * max_iter))]
    with np.errstate(invalid="ignore"):
        fall = before - objective[-1]
    converged = bool((np.nan_to_num(fall) <= _QUIET_CHANGE * np.abs(before)).all())
    front = _front([search.settle(one) for one in population])
    return ParetoRun(front, objective, converged)


class _Search:
    """How individuals come about, on one set of data."""

    def __init__(
        self,
        X: Array,
        n_clusters: int,
        beta: float,
        rng: np.random.RandomState,
        n_kept: int = 0,
    ) -> None:
        self.X, self.k, self.beta, self.rng = X, n_clusters, beta, rng
        self.widths = _widths(X)
        self.mean = X.mean(axis=0)
        self.columns = np.ascontiguousarray(X.T)
        # One buffer for the distances, which all individuals use in turn.
        self.room = np.empty((n_clusters, *self.columns.shape))
        # Children have most of their centres from their parents, and the distances.
        self.keeps = n_kept * self.room.size <= sizes.KEPT_DISTANCES

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
        new = np.arange(k)
        if one.distances is not None and other.distances is not None:
            np.copyto(self.room, one.distances)
            self.room[swapped] = other.distances[partner[swapped]]
            new = np.flatnonzero(mutant)
        return self.evaluate(self.kernel_means(self.assign(centers, new)))

    def evaluate(self, centers: Array) -> _Solution:
        """Labels and the best weights for centres, and what they cost."""
        labels = self.assign(centers, np.arange(self.k))
        D, weights = self._weighed(labels)
        costs = _costs(self.mean, centers, weights, self.widths, self.beta, D)
        kept = self.room.copy() if self.keeps else None
        return _Solution(centers, weights, costs, labels, kept)

    def settle(self, one: _Solution) -> _Solution:
        """The labels that centres and weights give new objects too, and their costs."""
        from comitia._kernels.feature_distances import nearest_weighted, sums_to_own

        self._measure(one.centers, np.arange(self.k))
        labels, _ = nearest_weighted(self.room, one.weights**self.beta)
        D = sums_to_own(self.room, labels)
        costs = _costs(self.mean, one.centers, one.weights, self.widths, self.beta, D)
        return one._replace(labels=labels, costs=costs)

    def assign(self, centers: Array, new: NDArray[np.intp]) -> NDArray[np.intp]:
        """The nearest centres, by the weights that the nearest without weights give.

        Of the centres those are measured that are new.
        """
        self._measure(centers, new)
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

    def kernel_means(self, labels: NDArray[np.intp]) -> Array:
        """Means that the kernel weighs, of the centres that were measured last.

        J1 does not rise if labels and weights stay.
        """
        k = self.k
        kernel = 1.0 - 0.5 * self.room[labels, :, np.arange(len(labels))]
        mass = _sums(kernel, labels, k)
        centers = _sums(kernel * self.X, labels, k) / np.maximum(mass, 1e-12)
        if (mass <= 1e-12).any():
            # Where no object is near enough for the kernel, the plain mean.
            sizes = np.bincount(labels, minlength=k)
            means = _sums(self.X, labels, k) / sizes[:, None]
            centers = np.where(mass > 1e-12, centers, means)
        return centers

    def _measure(self, centers: Array, which: NDArray[np.intp]) -> None:
        """Write the distances to some of the centres into the room for them."""
        from comitia._kernels.feature_distances import gaussian_distances

        gaussian_distances(self.columns, centers, self.widths, which, self.room)


def _widths(X: Array) -> Array:
    return column_scales(X)[1]


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
    r"""Compactness of clusters, and compactness over separation.

    With the kernel distances :math:`D_{vr} = \sum_{i \in C^v} kd(x_{ir}, c_{vr})`

    .. math::
        J_1 = \sum_v \sum_r w_{vr}^\beta D_{vr}, \qquad
        J_2 = \frac{J_1}{\min_{t \ne v} \sum_r kd(c_{tr}, c_{vr}) \;
        \sum_v \sum_r w_{vr}^\beta \, kd(\bar x_r, c_{vr})} .
    """
    powered = weights**beta
    J1 = float((powered * D).sum())
    k = len(centers)
    if k == 1:
        return J1, J1
    between = kernel_distances(centers, centers, widths).sum(axis=1)
    np.fill_diagonal(between, np.inf)
    apart = float(between.min())
    spread = kernel_distances(mean[None], centers, widths)[:, :, 0]
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
    """Kernel-based multi-objective clustering with feature weights.

    An evolutionary search for clusters that are compact and, at the same time, compact
    for how separate they are [1]_; see ``_costs`` for the two objectives.

    References
    ----------
    .. [1] Z. Zhou and S. Zhu, "Kernel-based multiobjective clustering algorithm with
       automatic attribute weighting", Soft Computing, 2017.
       :doi:`10.1007/s00500-017-2590-y`
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
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
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight_power = weight_power
        self.n_individuals = n_individuals
        self.max_iter = max_iter
        self.selection = selection
        self.random_state = random_state

    def fit(self, X: Array, y: Any = None) -> KernelParetoClustering:
        """Cluster the data."""
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

    def predict(self, X: Array) -> NDArray[np.intp]:
        """Label new objects."""
        from comitia._kernels.feature_distances import nearest_weighted

        X = self._read_new(X)
        distances = kernel_distances(X, self.cluster_centers_, self.widths_)
        labels, _ = nearest_weighted(
            distances, self.feature_weights_**self.weight_power
        )
        return labels
