"""Features without correlations, and directions that constraints ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import column_scales
from comitia.cluster.constraints import ConstraintSet
from comitia.exceptions import ComitiaError

__all__ = ["LinearProjection", "constraint_directions", "principal_axes"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearProjection:
    """A linear map of the features, known beforehand.

    It is also a sampler that draws itself: as ``features`` of
    :class:`~comitia.generate.EstimatorGenerator` it is what every member sees.
    """

    mean: Array  # of the objects, (n_features,)
    directions: Array  # (n_features, n_components)

    def __call__(self, X: ArrayLike) -> Array:
        """Project objects."""
        return np.asarray((np.asarray(X) - self.mean) @ self.directions)

    def draw(self, n_features: int, rng: Any = None) -> LinearProjection:
        """Return the projection, whatever the draw."""
        if n_features != len(self.mean):
            raise ComitiaError(
                f"the projection is for {len(self.mean)} features; the data have "
                f"{n_features}."
            )
        return self


def principal_axes(X: ArrayLike, n_components: int | None = None) -> LinearProjection:
    r"""Standardise the features and turn them until they are uncorrelated.

    With Z the features at mean 0 and variance 1 and
    :math:`\frac1n Z'Z = V \Lambda V'`,

    .. math::
        Y = Z V, \qquad \frac1n Y'Y = \Lambda .

    Distances are those of Z. Divided by :math:`\Lambda^{1/2}` as well, directions in
    which there is nothing but noise would count as much as those that clusters differ
    in.
    """
    data = np.asarray(X, dtype=np.float64)
    n, p = data.shape
    mean, scale, varies = column_scales(data)
    standard = np.where(varies, (data - mean) / scale, 0.0)
    _, values, directions = np.linalg.svd(standard, full_matrices=False)
    # The tolerance of a rank: what is below is rounding.
    kept = values > values.max(initial=0.0) * max(n, p) * np.finfo(np.float64).eps
    if not kept.any():
        return LinearProjection(mean, np.eye(p)[:, :1])
    directions = directions[kept]
    # The sign of a direction is free: its largest entry is positive.
    largest = np.abs(directions).argmax(axis=1)
    signs = np.sign(directions[np.arange(len(directions)), largest])
    scaled = (directions * signs[:, None] / scale).T
    return LinearProjection(mean, scaled[:, :n_components])


def constraint_directions(
    Y: ArrayLike, constraints: ConstraintSet, n_components: int | None = None
) -> Array:
    r"""Directions along which cannot-links are long and must-links are short.

    They are the leading eigenvectors of the difference of two mean scatters,

    .. math::
        \frac{1}{|C|} \sum_{(i, j) \in C} (y_i - y_j)(y_i - y_j)' -
        \frac{1}{|M|} \sum_{(i, j) \in M} (y_i - y_j)(y_i - y_j)',

    over the cannot-links C and the must-links M. Where there are none of one kind, the
    pairs of all objects stand in for it.
    """
    data = np.asarray(Y, dtype=np.float64)
    n, p = data.shape
    if constraints.n_objects != n:
        raise ComitiaError(
            f"the constraints are for {constraints.n_objects} objects; Y has {n}."
        )
    apart = _root_of_scatter(data, constraints.cannot_link)
    together = _root_of_scatter(data, constraints.must_link)
    basis = np.eye(p)
    n_roots = len(apart) + len(together)
    if n_roots < p and (n_components is None or n_components <= n_roots):
        # Directions that no pair extends in have the eigenvalue zero: with many
        # features, the few that pairs extend in are enough.
        basis = np.linalg.qr(np.concatenate([apart, together]).T)[0]
    apart, together = apart @ basis, together @ basis
    values, vectors = np.linalg.eigh(apart.T @ apart - together.T @ together)
    values, vectors = values[::-1], basis @ vectors[:, ::-1]
    if n_components is None:
        rounding = p * np.finfo(np.float64).eps * np.abs(values).max(initial=0.0)
        n_components = max(1, int((values > rounding).sum()))
    largest = np.abs(vectors).argmax(axis=0)
    vectors = vectors * np.sign(vectors[largest, np.arange(len(largest))])
    return np.asarray(vectors[:, :n_components]) + 0.0  # no -0.0


def _root_of_scatter(Y: Array, pairs: NDArray[np.intp]) -> Array:
    """Rows whose outer products sum to the mean scatter of the pairs."""
    if not len(pairs):
        # The mean over all pairs of (y_i - y_j)(y_i - y_j)' is twice the covariance.
        return np.asarray((Y - Y.mean(axis=0)) * np.sqrt(2.0 / max(len(Y) - 1, 1)))
    return np.asarray((Y[pairs[:, 0]] - Y[pairs[:, 1]]) / np.sqrt(len(pairs)))
