"""Steps of AWEC: topologies of the objects, and the graph that is learnt.

Matrices of all pairs of objects are kept as values of micro-objects.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from comitia.methods._twins import TwinMatrix

__all__ = ["smooth_rows", "topologies", "twins_apart"]

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

# Values that differ by less are the same.
_SAME = 1e-9
# Values of all pairs are cut at so many standard deviations from their mean: the
# co-association, and what is left of it at the links.
_WIDE, _NARROW = 4.0, 3.0
# What the distances of the eigenvectors count.
_DISTANCE = 1.1
# Steps of the programme of the graph, and the change at which it has been solved.
_MOST_STEPS, _STILL = 1000, 1e-7
# Root of the condition number up to which a heavy ball is used, 1 + sqrt(2) at most.
_WELL_CONDITIONED = 2.4
# Steps that tell the largest eigenvalue of a Laplacian.
_LANCZOS_STEPS = 12


def topologies(
    A: TwinMatrix, counts: Counts, n_near: int, order: int
) -> list[TwinMatrix]:
    """Who is near whom, up to the given order; rows and columns of equal weight.

    An object is linked to its nearest by the centred co-association and to all that are
    as near as the last of them.
    """
    n = int(counts.sum())
    mean, sd = _moments(A, counts, n * n)
    K = A.map(lambda a: np.clip(a, mean - _WIDE * sd, mean + _WIDE * sd))
    scale = 1.0 / np.sqrt(np.maximum(K.own, _SAME))
    K = TwinMatrix(K.pairs * scale[:, None] * scale, np.ones(len(counts)))
    centered = K.pairs - K.row_sums(counts) / n
    linked = _nearest(centered, counts, n_near)
    X = TwinMatrix(A.pairs * (linked + linked.T), np.zeros(len(counts)))
    mean, sd = _moments(X, counts, n * n)
    low, high = max(0.0, mean - _NARROW * sd), mean + _NARROW * sd
    pairs = np.clip(X.pairs, low, high)
    empty = TwinMatrix(pairs, X.own).row_sums(counts) <= 0
    if empty.any():
        alone = empty[:, None] & (_nearest(centered, counts, 2) > 0)
        pairs = np.where(alone | alone.T, mean, pairs)
    found = [_normalized(TwinMatrix(pairs, X.own), counts)]
    while len(found) < order:
        found.append(_normalized(_strong(found[-1], counts), counts))
    return found


def _moments(
    matrix: TwinMatrix, counts: Counts, n_values: float
) -> tuple[float, float]:
    """Mean and standard deviation of so many values, of which the others are 0."""
    ones = TwinMatrix(np.ones_like(matrix.pairs), np.ones_like(matrix.own))
    mean = matrix.inner(ones, counts) / n_values
    return mean, max(matrix.inner(matrix, counts) / n_values - mean**2, 0.0) ** 0.5


def _nearest(values: Floats, counts: Counts, n_near: int) -> Floats:
    """1 for the objects with the largest values of each row, ties included; else 0."""
    weights = twins_apart(counts)
    order = np.argsort(-values, axis=1, kind="stable")
    met = np.cumsum(np.take_along_axis(weights, order, axis=1), axis=1)
    last = np.minimum((met < n_near).sum(axis=1, keepdims=True), len(counts) - 1)
    border = np.take_along_axis(values, np.take_along_axis(order, last, axis=1), axis=1)
    return (values >= border - _SAME).astype(np.float64)


def twins_apart(counts: Counts) -> Counts:
    """How many other objects an object meets in each micro-object."""
    return np.broadcast_to(counts, (len(counts), len(counts))) - np.eye(
        len(counts), dtype=np.int64
    )


def _strong(T: TwinMatrix, counts: Counts) -> TwinMatrix:
    """The square of a topology without its weak values."""
    P = T.product(T, counts)
    positive = P.map(lambda p: (p > 0).astype(np.float64))
    n_positive = max(positive.inner(positive, counts), 1.0)
    mean, sd = _moments(P, counts, n_positive)
    return P.map(lambda p: np.where(p >= mean - sd / 2 - _SAME, p, 0.0))


def _normalized(X: TwinMatrix, counts: Counts) -> TwinMatrix:
    own = np.zeros_like(X.own)
    degrees = TwinMatrix(X.pairs, own).row_sums(counts)
    scale = np.divide(1.0, np.sqrt(degrees), out=own.copy(), where=degrees > 0)
    return TwinMatrix(X.pairs * scale[:, None] * scale, own)


def smooth_rows(
    C: TwinMatrix, distances: Floats, penalty: float, counts: Counts, start: TwinMatrix
) -> TwinMatrix:
    r"""The graph that is smooth over C, and near the identity and the eigenvectors.

    Row i is the point of the simplex with the least
    :math:`z'(L_C + \gamma I) z - 2 \gamma z_i + 1.1 \sum_j d_{ij} z_j`, by projected
    gradients with momentum, which all rows take at once. C is not negative, so that the
    programme is strongly convex.
    """
    from comitia._kernels.smooth_rows import step_rows

    L = C.laplacian(counts)
    matrix = 2.0 * L.pairs * counts[:, None]
    linear = _DISTANCE * distances, 2.0 * (L.shift() + penalty), 2.0 * penalty
    rates = _rates(2.0 * penalty, 2.0 * (_largest_eigenvalue(L, counts) + penalty))
    now, before = (TwinMatrix(start.pairs.copy(), start.own.copy()) for _ in range(2))
    first = now.pairs @ matrix if now.pairs.any() else np.zeros_like(matrix)
    # Without a momentum of slopes, those before are not looked at.
    slopes = (first, first) if rates[1] == 0.0 else (first, first.copy())
    n = counts.astype(np.float64)
    for step in range(_MOST_STEPS):
        if step > 0:
            np.matmul(now.pairs, matrix, out=slopes[0])
        change = step_rows(tuple(now), tuple(before), slopes, matrix, linear, n, rates)
        now, before, slopes = before, now, slopes[::-1]
        if change <= _STILL:
            break
    return now.symmetric()


def _rates(flattest: float, steepest: float) -> tuple[float, float, float]:
    """The momenta of the values and of the slopes, and the step.

    A heavy ball is the fastest; with this condition each projected step makes the sum
    of two errors smaller, so that it comes to rest. Otherwise Nesterov's momentum does.
    """
    ratio = math.sqrt(steepest / flattest)
    momentum = (ratio - 1.0) / (ratio + 1.0)
    if ratio < _WELL_CONDITIONED:
        step = 4.0 / (math.sqrt(steepest) + math.sqrt(flattest)) ** 2
        return momentum**2, 0.0, step
    return momentum, momentum, 1.0 / steepest


def _largest_eigenvalue(L: TwinMatrix, counts: Counts) -> float:
    """An estimate from above by some Lanczos steps; at most twice the largest degree.

    Of two objects of a micro-object, one may be moved against the other.
    """
    root, shift = np.sqrt(counts), L.shift()
    rng = np.random.RandomState(0)
    vector = rng.standard_normal(len(counts))
    vector /= np.linalg.norm(vector)
    last, beside, diagonal, residual = np.zeros_like(vector), [], [], 0.0
    for _ in range(min(_LANCZOS_STEPS, len(counts))):
        image = root * (L.pairs @ (root * vector)) + shift * vector - residual * last
        diagonal.append(float(image @ vector))
        image -= diagonal[-1] * vector
        residual = float(np.linalg.norm(image))
        beside.append(residual)
        if residual <= _SAME * abs(diagonal[-1]):
            break
        last, vector = vector, image / residual
    inner = beside[: len(diagonal) - 1]
    T = np.diag(diagonal) + np.diag(inner, 1) + np.diag(inner, -1)
    values, vectors = np.linalg.eigh(T)
    largest = float(values[-1] + residual * abs(vectors[-1, -1]))
    largest = max(largest, float(shift[counts > 1].max(initial=0.0)))
    return min(largest, 2.0 * float(L.own.max()))
