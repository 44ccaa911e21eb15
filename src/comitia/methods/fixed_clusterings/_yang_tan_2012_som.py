"""Self-organising map with a rule of one's own for the best-matching unit."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.cluster.clusterer import initial_centers, refuse_excess_clusters
from comitia.exceptions import ComitiaError

__all__ = ["nearest_unit", "train_map"]

Array = NDArray[np.float64]
Rule = Callable[[int, Callable[[int], Array], NDArray[np.intp]], int]


def nearest_unit(
    i: int, distance_of: Callable[[int], Array], labels: NDArray[np.intp]
) -> int:
    """The rule of the plain map: the nearest unit wins."""
    return int(distance_of(i).argmin())


def train_map(
    X: ArrayLike,
    n_units: int,
    rng: np.random.RandomState,
    *,
    rule: Rule | None = None,
    n_rounds: int = 100,
    learning_rate: tuple[float, float] = (0.5, 0.01),
) -> tuple[NDArray[np.intp], Array]:
    r"""The unit of each object on a map of one column, and the units.

    In pass :math:`t` of ``n_rounds``, with :math:`b` the best-matching unit of
    :math:`x_i`,

    .. math::
        m_u \leftarrow m_u + \eta_t \, e^{-(u - b)^2 / 2 \sigma_t^2} (x_i - m_u),

    in which :math:`\eta_t` falls exponentially between the two learning rates, and
    :math:`\sigma_t` from half the map to 0.1, so that units are on their own in the
    end. The labels come from one more pass with the units at rest, over the objects in
    their own order. Units that match no object are possible [1]_.

    ``rule(i, distance_of, labels)`` gives the unit of object i, where
    ``distance_of(j)`` are the squared distances of an object to the units and
    ``labels`` the units of the objects in this pass, -1 for those not seen yet, which
    it may change. Its method ``start()``, if it has one, is called before each pass.

    References
    ----------
    .. [1] T. Kohonen, "Self-organized formation of topologically correct feature maps",
       Biological Cybernetics 43, 1982. :doi:`10.1007/BF00337288`
    """
    from comitia._kernels.cluster_som import train_pass

    X = np.ascontiguousarray(X, dtype=np.float64)
    refuse_excess_clusters(n_units, len(X))
    units = np.array(initial_centers(X, n_units, "k-means++", rng))
    places = np.arange(n_units, dtype=np.float64)
    between = (places[:, None] - places) ** 2
    rates = _falling("learning_rate", learning_rate, n_rounds)
    radii = _falling("radius", (max(n_units, 2.0) / 2, 0.1), n_rounds)
    for rate, radius in zip(rates, radii, strict=True):
        pull = rate * np.exp(-between / (2 * radius**2))
        order = rng.permutation(len(X))
        if rule is None:
            train_pass(X, order, units, pull)
        else:
            _pass(X, order, units, pull, rule)
    at_rest = np.zeros_like(between)
    labels = _pass(X, np.arange(len(X)), units, at_rest, rule or nearest_unit)
    return labels, units


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
