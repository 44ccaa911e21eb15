"""Self-organising map with a rule of one's own for the best-matching unit."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from comitia._sklearn import Interval, StrOptions
from comitia.cluster.clusterer import Clusterer, initial_centers
from comitia.exceptions import ComitiaError

__all__ = ["SelfOrganizingMap", "nearest_unit"]

Array = NDArray[np.float64]
Rule = Callable[[int, Callable[[int], Array], NDArray[np.intp]], int]


def nearest_unit(
    i: int, distance_of: Callable[[int], Array], labels: NDArray[np.intp]
) -> int:
    """The rule of the plain map: the nearest unit wins.

    Parameters
    ----------
    i : int
        The object.

    distance_of : callable
        Gives the squared distances of an object to the units.

    labels : ndarray of shape (n_objects,)
        The unit of each object in this pass, -1 for those not seen yet.

    Returns
    -------
    unit : int
        The nearest one, the first of equals.
    """
    return int(distance_of(i).argmin())


class SelfOrganizingMap(Clusterer):
    r"""Self-organising map.

    The units of a map are pulled towards the objects one by one: most the one that
    matches best, and the others less the farther they are from it on the map [1]_.
    The best-matching unit of an object is its cluster. In pass :math:`t` of
    :math:`T`, with :math:`b` the best-matching unit of :math:`x_i`,

    .. math::
        m_u \leftarrow m_u + \eta_t \, e^{-\lVert r_u - r_b \rVert^2 / 2 \sigma_t^2}
        (x_i - m_u),

    in which :math:`\eta_t` and :math:`\sigma_t` fall exponentially.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of units.

    shape : (int, int), default=None
        Rows and columns of the map; one column of ``n_clusters`` units by default.

    rule : callable, default=None
        Finds the best-matching unit: ``rule(i, distance_of, labels)`` gives the unit
        of object i, where ``distance_of(j)`` are the squared distances of an object to
        the units and ``labels`` the units of the objects in this pass, -1 for those
        not seen yet, which it may change. Its method ``start()``, if it has one, is
        called before each pass. The nearest unit by default;
        :class:`~comitia.cluster.ConstrainedPlacement` obeys constraints.

    n_rounds : int, default=100
        Number of passes over the objects, :math:`T`.

    learning_rate : (float, float), default=(0.5, 0.01)
        The :math:`\eta_t` of the first and the last pass.

    radius : (float, float), default=None
        The :math:`\sigma_t` of the first and the last pass; from half the longer side
        of the map to 0.1 by default, so that units are on their own in the end.

    init : {"random", "k-means++"} or array-like of shape (n_clusters, n_features)
        First positions of the units.

    random_state : int, RandomState instance or None, default=None
        Seed of the first units and of the order of the objects.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The unit of each object.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The units.

    inertia_ : float
        Sum of squared distances of the objects to their units.

    n_iter_ : int
        Number of passes.

    Notes
    -----
    The labels come from one more pass with the units at rest, over the objects in
    their own order. Units that match no object are possible.

    References
    ----------
    .. [1] T. Kohonen, "Self-organized formation of topologically correct feature maps",
       Biological Cybernetics 43, 1982. :doi:`10.1007/BF00337288`

    Examples
    --------
    >>> from comitia.cluster import SelfOrganizingMap
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> SelfOrganizingMap(2, init=[[0.0], [12.0]], random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "shape": [tuple, list, None],
        "rule": [callable, None],
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [tuple, list],
        "radius": [tuple, list, None],
        "init": [StrOptions({"random", "k-means++"}), "array-like"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        shape: tuple[int, int] | None = None,
        rule: Rule | None = None,
        n_rounds: int = 100,
        learning_rate: tuple[float, float] = (0.5, 0.01),
        radius: tuple[float, float] | None = None,
        init: str | ArrayLike = "random",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.shape = shape
        self.rule = rule
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.radius = radius
        self.init = init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> SelfOrganizingMap:
        """Train the map.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        Returns
        -------
        self : object
            The trained map.
        """
        from comitia._kernels.cluster_som import train_pass

        X = np.ascontiguousarray(self._read(X))
        places = self._places()
        rng = check_random_state(self.random_state)
        units = np.array(initial_centers(X, self.n_clusters, self.init, rng))
        between = ((places[:, None] - places) ** 2).sum(axis=2)
        longest = max(places.max() + 1, 2.0)
        rates = _falling("learning_rate", self.learning_rate, self.n_rounds)
        radii = _falling("radius", self.radius or (longest / 2, 0.1), self.n_rounds)
        for rate, radius in zip(rates, radii, strict=True):
            pull = rate * np.exp(-between / (2 * radius**2))
            order = rng.permutation(len(X))
            if self.rule is None:
                train_pass(X, order, units, pull)
            else:
                _pass(X, order, units, pull, self.rule)
        at_rest = np.zeros_like(between)
        rule = nearest_unit if self.rule is None else self.rule
        labels = _pass(X, np.arange(len(X)), units, at_rest, rule)
        self.labels_ = labels
        self.cluster_centers_ = units
        self.inertia_ = float(((X - units[labels]) ** 2).sum())
        self.n_iter_ = self.n_rounds
        return self

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The nearest unit, whatever the rule.
        """
        from scipy.spatial.distance import cdist

        X = self._read_new(X)
        return cdist(X, self.cluster_centers_, "sqeuclidean").argmin(axis=1)

    def _places(self) -> Array:
        """Where the units are on the map."""
        rows, columns = self.shape or (self.n_clusters, 1)
        if rows * columns != self.n_clusters:
            raise ComitiaError(
                f"shape={self.shape} has {rows * columns} units; n_clusters asks for "
                f"{self.n_clusters}."
            )
        return np.array([(r, c) for r in range(rows) for c in range(columns)], float)


def _falling(name: str, ends: tuple[float, float], n_rounds: int) -> Array:
    """Values that fall exponentially from the first to the last."""
    valid = len(ends) == 2 and all(isinstance(x, Real) and x > 0 for x in ends)
    if not valid:
        raise ComitiaError(f"{name}={ends!r} must be two positive numbers.")
    return np.geomspace(ends[0], ends[1], n_rounds)


def _pass(
    X: Array, order: NDArray[np.intp], units: Array, pull: Array, rule: Rule
) -> NDArray[np.intp]:
    """One pass over the objects; the units move in place."""
    labels = np.full(len(X), -1, dtype=np.intp)
    if hasattr(rule, "start"):
        rule.start()

    def distance_of(i: int) -> Array:
        return ((units - X[i]) ** 2).sum(axis=1)

    for i in order:
        best = rule(int(i), distance_of, labels)
        labels[i] = best
        units += pull[best][:, None] * (X[i] - units)
    return labels
