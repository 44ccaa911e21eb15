"""Series in time as tables to cluster, and what others do with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.data import one_length, standardized

__all__ = ["at_most_long", "k_shape", "tables_of_series"]

MAX_LENGTH = 300  # longer series are read at so many times

Floats = NDArray[np.float64]
Labels = NDArray[Any]


def _z(X: Floats) -> Floats:
    spread = X.std(axis=-1, keepdims=True)
    return (X - X.mean(axis=-1, keepdims=True)) / np.where(spread > 1e-12, spread, 1.0)


def at_most_long(one: Floats) -> Floats:
    """A series at evenly spaced times, no more than :data:`MAX_LENGTH`."""
    length = one.shape[1]
    at = np.linspace(0, length - 1, min(length, MAX_LENGTH)).round().astype(int)
    return one[:, at]


def _shape_distances(X: Floats) -> Floats:
    """One less the largest cross-correlation of z-normalised series, over channels."""
    n, channels, length = X.shape
    size = 2 ** int(np.ceil(np.log2(2 * length)))
    F = np.fft.rfft(_z(X), size, axis=2)
    D = np.empty((n, n))
    for i in range(n):
        moved = np.fft.irfft((F[i] * np.conj(F)).sum(axis=1), size, axis=1)
        D[i] = 1.0 - moved.max(axis=1) / (length * channels)
    return np.maximum((D + D.T) / 2, 0.0)


def _embedded(D: Floats) -> Floats:
    """Coordinates with nearly these distances, squared."""
    n = len(D)
    J = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * J @ D @ J)
    keep = values > 1e-9 * values[-1]
    return vectors[:, keep] * np.sqrt(values[keep])


def _dtw_distances(X: Floats, width: float = 0.1) -> Floats:
    """Squared distances of warped series, in a band of that share of the length."""
    from numba import njit

    @njit
    def fill(Z: Floats, band: int, D: Floats) -> None:
        n, length, channels = Z.shape
        for i in range(n):
            for j in range(i):
                before = np.full(length + 1, np.inf)
                before[0] = 0.0
                for s in range(length):
                    now = np.full(length + 1, np.inf)
                    for t in range(max(0, s - band), min(length, s + band + 1)):
                        cost = 0.0
                        for c in range(channels):
                            cost += (Z[i, s, c] - Z[j, t, c]) ** 2
                        now[t + 1] = cost + min(before[t], before[t + 1], now[t])
                    before = now
                D[i, j] = D[j, i] = before[length]

    D = np.zeros((len(X), len(X)))
    steps = np.ascontiguousarray(_z(X).transpose(0, 2, 1))
    fill(steps, max(1, int(width * X.shape[2])), D)
    return D


def _shifted(x: Floats, by: int) -> Floats:
    """A series moved in time, with zeros where it has left."""
    moved = np.zeros_like(x)
    if by >= 0:
        moved[:, by:] = x[:, : x.shape[1] - by]
    else:
        moved[:, :by] = x[:, -by:]
    return moved


def k_shape(X: Floats, k: int, seed: int, n_init: int = 3) -> Labels:
    """K-Shape of Paparrizos and Gravano (2015); channels move together."""
    from scipy.linalg import eigh

    Z = _z(X)
    n, channels, length = Z.shape
    size = 2 ** int(np.ceil(np.log2(2 * length)))
    F = np.fft.rfft(Z, size, axis=2)
    rng = np.random.RandomState(seed)
    best: Labels = np.zeros(n, dtype=int)
    least = np.inf
    for _ in range(n_init):
        labels: Labels = rng.randint(k, size=(n,))
        centers = np.zeros((k, channels, length))
        for _ in range(30):
            for c in range(k):
                rows = np.flatnonzero(labels == c)
                if len(rows) == 0:
                    rows = rng.randint(n, size=1)
                C = np.conj(np.fft.rfft(centers[c], size, axis=1))
                moved = np.fft.irfft((F[rows] * C).sum(axis=1), size, axis=1)
                by = (-moved.argmax(axis=1) + length) % size - length
                by *= bool(centers[c].any())
                A = _z(
                    np.array(
                        [_shifted(Z[i], int(b)) for i, b in zip(rows, by, strict=True)]
                    )
                )
                for channel in range(channels):
                    Y = A[:, channel] - A[:, channel].mean(axis=1, keepdims=True)
                    top = [length - 1, length - 1]
                    v = eigh(Y.T @ Y, subset_by_index=top)[1][:, 0]
                    centers[c, channel] = v * (1.0 if v @ Y.sum(axis=0) >= 0 else -1.0)
            C = np.conj(np.fft.rfft(_z(centers), size, axis=2))
            near = np.array(
                [
                    np.fft.irfft((F * one).sum(axis=1), size, axis=1).max(axis=1)
                    for one in C
                ]
            )
            before, labels = labels, near.argmax(axis=0)
            if (before == labels).all():
                break
        apart = -near.max(axis=0).sum()
        if apart < least:
            best, least = labels, apart
    return best


def tables_of_series(series: list[Floats]) -> Iterator[tuple[str, str, Floats]]:
    """The tables to cluster: values, shapes and features of the series."""
    from comitia.generate.series_features import represent_series

    X = one_length(series)
    n = len(X)
    z = _z(X)
    yield "raw", "joint", X.reshape(n, -1)
    yield "z", "joint", z.reshape(n, -1)
    yield "slope", "joint", _z(np.diff(z, axis=2)).reshape(n, -1)
    F = np.abs(np.fft.rfft(z, 2 * z.shape[2], axis=2)) ** 2
    lags = np.fft.irfft(F, axis=2)[:, :, 1 : max(2, z.shape[2] // 2)] / z.shape[2]
    yield "lags", "joint", lags.reshape(n, -1)
    yield "shape", "joint", _embedded(_shape_distances(X))
    yield "dtw", "joint", _embedded(_dtw_distances(X))
    for name in ("statistics", "wavelets", "polynomial", "fourier"):
        yield "features", name, standardized(represent_series(series, name))
