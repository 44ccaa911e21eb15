"""K-means that obeys must-links and cannot-links."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._names import names_of
from comitia._sklearn import Interval, StrOptions
from comitia._steps import check_choice, check_random_state
from comitia.cluster.clusterer import (
    Repeats,
    TableClusterer,
    cluster_means,
    fill_empty,
    initial_centers,
    refuse_excess_clusters,
    warn_unconverged,
)
from comitia.cluster.constraints import ConstraintSet, pairs_by_name
from comitia.exceptions import ComitiaError
from comitia.optimize.ties import lowest_run

__all__ = ["COPKMeans", "COPRun", "ConstrainedPlacement", "constrained_kmeans"]

Array = NDArray[np.float64]
Labels = NDArray[np.intp]
DistanceOf = Callable[[int], Array]

_ON_FAILURE = ("raise", "skip_constraint", "displace")


class _NoClusterLeftError(ComitiaError):
    """An object may join none of the clusters."""


class COPRun(NamedTuple):
    """Result of constrained k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The clusters.

    centers : ndarray of shape (n_clusters, n_features)
        Their means.

    objective : ndarray of shape (n_iter,)
        Sum of squared distances to the centres after each iteration.

    converged : bool
        Whether the labels stopped changing, or came back to earlier ones.

    n_violated : int
        Number of constraints that do not hold.
    """

    labels: Labels
    centers: Array
    objective: Array
    converged: bool
    n_violated: int


class ConstrainedPlacement:
    """Put objects into clusters one after the other, obeying constraints.

    An object joins the nearest cluster that violates no constraint with the objects
    placed before it. What happens when there is none is ``on_failure``. It is also a
    rule for the best-matching unit of a self-organising map.

    Parameters
    ----------
    constraints : ConstraintSet
        The constraints.

    on_failure : {"raise", "skip_constraint", "displace"}, default="raise"
        Refuse; or take the constraints of the object in the order of their weights
        and leave out those that would leave no cluster; or join the nearest cluster
        and move the objects out that may not stay there.

    max_displacements : int, default=None
        Most moves in one pass over the objects; then violations are accepted. Ten for
        each object by default.
    """

    def __init__(
        self,
        constraints: ConstraintSet,
        on_failure: str = "raise",
        max_displacements: int | None = None,
    ) -> None:
        check_choice("on_failure", on_failure, _ON_FAILURE)
        n = constraints.n_objects
        self.constraints = constraints
        self.on_failure = on_failure
        self.max_displacements = (
            10 * n if max_displacements is None else max_displacements
        )
        if on_failure == "skip_constraint":
            self._partners = _partners_by_weight(constraints)
        else:
            constraints.refuse_contradictions()
            self._group = constraints.groups
            self._members = constraints.group_members
            self._rivals: list[list[int]] = [[] for _ in self._members]
            for a, b in constraints.group_conflicts:
                self._rivals[a].append(b)
                self._rivals[b].append(a)
        self.start()

    def start(self) -> None:
        """Forget where objects were put: a new pass begins."""
        if self.on_failure != "skip_constraint":
            self._place = [-1] * len(self._members)
        self._n_displaced = 0

    def order(self) -> Labels:
        """Tell the objects that have constraints, in the order to place them.

        Returns
        -------
        objects : ndarray of int
            By number; where constraints may be skipped, those with the weightiest
            constraints first.
        """
        pairs = self.constraints.pairs
        if self.on_failure != "skip_constraint":
            return np.unique(pairs)
        weightiest = np.argsort(-self.constraints.weights, kind="stable")
        named = pairs[weightiest].ravel()
        objects, first = np.unique(named, return_index=True)
        return objects[np.argsort(first)]

    def __call__(self, i: int, distance_of: DistanceOf, labels: Labels) -> int:
        """Place an object.

        Parameters
        ----------
        i : int
            The object.

        distance_of : callable
            Gives the distances of an object to the clusters.

        labels : ndarray of shape (n_objects,)
            The cluster of each object, -1 for those not placed yet; changed in place.

        Returns
        -------
        c : int
            The cluster of the object, also written into ``labels``.
        """
        if self.on_failure == "skip_constraint":
            c = self._place_skipping(i, distance_of(i), labels)
        else:
            group = int(self._group[i])
            if self._place[group] == -1:
                self._place_group(group, i, distance_of, labels)
            c = self._place[group]
        labels[i] = c
        return c

    def _place_skipping(self, i: int, distance: Array, labels: Labels) -> int:
        allowed = set(range(len(distance)))
        for j, sign in self._partners.get(i, ()):
            theirs = int(labels[j])
            if theirs == -1:
                continue
            left = allowed & {theirs} if sign > 0 else allowed - {theirs}
            # A constraint that leaves no cluster is skipped.
            allowed = left or allowed
        return min(sorted(allowed), key=distance.__getitem__)

    def _place_group(
        self, group: int, i: int, distance_of: DistanceOf, labels: Labels
    ) -> None:
        # Each item: a group, the objects of it to be placed, where it may not go.
        waiting = deque([(group, [i], -1)])
        while waiting:
            group, objects, left = waiting.popleft()
            distance = distance_of(objects[0])
            if len(objects) > 1:
                distance = np.sum([distance_of(j) for j in objects], axis=0)
            taken = {self._place[rival] for rival in self._rivals[group]}
            c: int | None = int(distance.argmin())
            if c == left or c in taken:
                nearest_first = np.argsort(distance, kind="stable").tolist()
                elsewhere = [c for c in nearest_first if c != left] or nearest_first
                c = next((c for c in elsewhere if c not in taken), None)
            if c is None:
                if self.on_failure == "raise":
                    raise _NoClusterLeftError(self._no_cluster_left(i, len(distance)))
                c = elsewhere[0]
                waiting.extend(self._displace(group, c, labels))
            self._place[group] = c
            labels[objects] = c

    def _displace(
        self, group: int, c: int, labels: Labels
    ) -> list[tuple[int, list[int], int]]:
        """The rivals of a group that have to leave its cluster."""
        moved = []
        for rival in self._rivals[group]:
            if self._place[rival] != c or self._n_displaced >= self.max_displacements:
                continue
            self._n_displaced += 1
            self._place[rival] = -1
            objects = [j for j in self._members[rival] if labels[j] != -1]
            moved.append((rival, objects, c))
        return moved

    def _no_cluster_left(self, i: int, n_clusters: int) -> str:
        return (
            f"object {i} has a cannot-link into each of the {n_clusters} clusters; "
            "the constraints could not be met. Give more clusters, fewer constraints, "
            'or on_failure="skip_constraint" or "displace".'
        )


def constrained_kmeans(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    constraints: ConstraintSet,
    *,
    on_failure: str = "raise",
    order: ArrayLike | None = None,
    max_displacements: int | None = None,
    init: str | ArrayLike = "k-means++",
    n_init: int = 10,
    max_iter: int = 300,
) -> COPRun:
    """K-means that obeys must-links and cannot-links.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    constraints : ConstraintSet
        The constraints; their weights are priorities.

    on_failure : {"raise", "skip_constraint", "displace"}, default="raise"
        What to do with an object that may join no cluster, see
        :class:`ConstrainedPlacement`.

    order : array-like of int, shape (n_objects,), default=None
        The objects in the order in which they are placed.

    max_displacements : int, default=None
        Most moves in one pass; ten for each object by default.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; fewest violations win, then the best objective.

    max_iter : int, default=300
        Most iterations of a start.

    Returns
    -------
    run : COPRun
        The best run: labels, centers, objective, converged, n_violated.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.cluster import ConstraintSet, constrained_kmeans
    >>> pairs = ConstraintSet(4, must_link=[(0, 3)])
    >>> rng = np.random.RandomState(0)
    >>> labels = constrained_kmeans([[0], [1], [9], [4]], 2, rng, pairs).labels
    >>> bool(labels[0] == labels[3])
    True
    """
    from scipy.spatial.distance import cdist

    data = np.asarray(X, dtype=np.float64)
    n = len(data)
    refuse_excess_clusters(n_clusters, n)
    if constraints.n_objects != n:
        raise ComitiaError(
            f"the constraints are for {constraints.n_objects} objects; X has {n}."
        )
    placement = ConstrainedPlacement(constraints, on_failure, max_displacements)
    # An object without constraints neither heeds nor hinders another: only the
    # others have to be placed one by one.
    bound = placement.order() if order is None else _check_order(order, constraints)
    free = np.ones(n, dtype=bool)
    free[bound] = False

    def run() -> COPRun:
        centers = initial_centers(data, n_clusters, init, rng)
        labels = np.full(n, -1, dtype=np.intp)
        objective: list[float] = []
        best = (np.inf, np.inf, labels, centers)
        seen_before, converged = Repeats(), False
        for _ in range(max_iter):
            distance = cdist(data, centers, "sqeuclidean")
            labels = distance.argmin(axis=1)
            labels[bound] = -1
            placement.start()
            for i in bound:
                placement(i, distance.__getitem__, labels)
            own = distance[np.arange(n), labels]
            labels = fill_empty(labels, own, n_clusters, free)
            means = cluster_means(data, labels, n_clusters)
            centers = np.where(np.isnan(means), centers, means)
            objective.append(float(((data - centers[labels]) ** 2).sum()))
            n_violated = constraints.n_violated(labels)
            if (n_violated, objective[-1]) < best[:2]:
                best = (n_violated, objective[-1], labels, centers)
            if seen_before(labels):
                converged = True
                break
        return COPRun(best[2], best[3], np.array(objective), converged, int(best[0]))

    runs, failure = [], None
    for _ in range(n_init if isinstance(init, str) else 1):
        try:
            runs.append(run())
        except _NoClusterLeftError as error:
            # Another start may succeed: placing objects greedily is not exhaustive.
            failure = failure or error
    if not runs:
        raise ComitiaError(str(failure))
    least = min(run.n_violated for run in runs)
    keeping = [run for run in runs if run.n_violated == least]
    return lowest_run(keeping, lambda run: run.objective.min())


class COPKMeans(TableClusterer):
    r"""Constrained k-means with background knowledge.

    K-means in which each object, in the given order, joins the nearest centre that
    violates no constraint with the objects placed before it [1]_.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    on_failure : {"raise", "skip_constraint", "displace"}, default="raise"
        What to do with an object that may join no cluster. Refuse, when it happens
        from every start; or take its constraints in the order of their priority and
        skip those that would leave no cluster; or let it join the nearest cluster and
        move the objects out that may not be there with it [2]_.

    max_displacements : int, default=None
        Most such moves in one pass over the objects; after that violations are
        accepted. Ten for each object by default.

    init : {"k-means++", "random"} or array-like of shape (n_clusters, n_features)
        First centres.

    n_init : int, default=10
        Number of starts; fewest violations win, then the best objective.

    max_iter : int, default=300
        Most iterations of a start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Their means.

    inertia_ : float
        Sum of squared distances to the centres.

    n_violated_ : int
        Number of constraints that do not hold.

    objective_ : ndarray of shape (n_iter_,)
        Sum of squared distances after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the labels stopped changing, or came back to earlier ones.

    Notes
    -----
    Must-links are closed transitively first, and contradictions refused; with
    ``on_failure="skip_constraint"`` the weaker constraint of a contradiction is
    skipped. Priorities are no part of [1]_. Placing objects one by one is greedy: the
    objective can rise and labels can come back, so the best iterate is kept. An
    emptied cluster gets the farthest object that has no constraints.

    References
    ----------
    .. [1] K. Wagstaff, C. Cardie, S. Rogers and S. Schroedl, "Constrained k-means
       clustering with background knowledge", ICML 2001.

    .. [2] Y. Yang, W. Tan, T. Li and D. Ruan, "Consensus clustering based on
       constrained self-organizing map and improved Cop-Kmeans ensemble in intelligent
       decision support systems", Knowledge-Based Systems 32, 2012.

    Examples
    --------
    >>> from comitia.cluster import COPKMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> clusterer = COPKMeans(2, init=[[0.0], [12.0]])
    >>> clusterer.fit_predict(X, must_link=[(2, 3)])
    array([0, 0, 0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "on_failure": [StrOptions({*_ON_FAILURE})],
        "max_displacements": [Interval(Integral, 0, None, closed="left"), None],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        on_failure: str = "raise",
        max_displacements: int | None = None,
        init: str | ArrayLike = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.on_failure = on_failure
        self.max_displacements = max_displacements
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        priorities: ArrayLike | None = None,
        order: ArrayLike | None = None,
    ) -> COPKMeans:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        must_link : array-like of shape (c, 2), default=None
            Pairs of objects that belong together: numbers of rows, or names as text.

        cannot_link : array-like of shape (d, 2), default=None
            Pairs of objects that do not.

        priorities : array-like of shape (c + d,), default=None
            Priority of each must-link and then of each cannot-link.

        order : array-like of int, shape (n_objects,), default=None
            The objects in the order in which they are placed. By number by default;
            where constraints may be skipped, those with the highest priority first.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        must_link = pairs_by_name(must_link, names_of(X), "must_link")
        cannot_link = pairs_by_name(cannot_link, names_of(X), "cannot_link")
        X = self._read(X)
        run = constrained_kmeans(
            X,
            self.n_clusters,
            check_random_state(self.random_state),
            ConstraintSet(len(X), must_link, cannot_link, weights=priorities),
            on_failure=self.on_failure,
            order=order,
            max_displacements=self.max_displacements,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.labels_ = run.labels
        self.cluster_centers_ = run.centers
        self.inertia_ = float(((X - run.centers[run.labels]) ** 2).sum())
        self.n_violated_ = run.n_violated
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective)
        self.converged_ = run.converged
        return self

    def _distances(self, X: Array) -> Array:
        from scipy.spatial.distance import cdist

        return cdist(X, self.cluster_centers_, "sqeuclidean")


def _partners_by_weight(
    constraints: ConstraintSet,
) -> dict[int, list[tuple[int, int]]]:
    """For each object its constraints, the weightiest first: (partner, sign)."""
    partners: dict[int, list[tuple[int, int]]] = {}
    for index in np.argsort(-constraints.weights, kind="stable"):
        i, j = (int(x) for x in constraints.pairs[index])
        sign = int(constraints.signs[index])
        partners.setdefault(i, []).append((j, sign))
        partners.setdefault(j, []).append((i, sign))
    return partners


def _check_order(order: ArrayLike, constraints: ConstraintSet) -> Labels:
    """The objects with constraints, in the order asked for."""
    given = np.asarray(order)
    n = constraints.n_objects
    if given.shape != (n,) or not (np.sort(given) == np.arange(n)).all():
        raise ComitiaError(f"order must name each of the {n} objects once.")
    bound = np.zeros(n, dtype=bool)
    bound[constraints.pairs] = True
    given = given.astype(np.intp)
    return given[bound[given]]
