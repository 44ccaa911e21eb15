"""K-means for very many objects: centres from a sample, all objects to the nearest.

The data are kept feature by feature in single precision (:class:`Columns`), which is
what the kernels read fastest, and are made once for all members of an ensemble.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.generate.columns import Frame

__all__ = [
    "ColumnsCenters",
    "landmark_centers",
    "landmark_count",
    "minibatch_centers",
    "minibatch_count",
    "nearest_of_columns",
    "nearest_of_rows",
    "sample_rows",
]

Array = NDArray[np.float64]

# Rows that are labelled at once.
_BLOCK = 1 << 17

_MAX_ITER = 25  # Lloyd's iterations on the landmarks
_BATCH = 2048  # objects in a mini-batch
_PER_LANDMARK = 4  # objects in the subsample of mini-batches for each landmark
_SWEEPS = 2  # passes over that subsample, at least
_BATCHES = 60  # mini-batches in all passes together, at least

# Stop when the centres move by less than this share of the variance, as scikit-learn.
_TOL = 1e-4


class ColumnsCenters:
    """Labels an object with its nearest centre, in single precision.

    Parameters
    ----------
    values : ndarray of shape (k, p) of float32
        The centres in the frame, after the feature map.

    frame : Frame
        The frame.

    features : FeatureMap, default=None
        What the centres' features are made with.
    """

    def __init__(
        self, values: NDArray[np.float32], frame: Frame, features: Any = None
    ) -> None:
        self.values = values
        self.frame = frame
        self.features = features

    @property
    def centers(self) -> Array:
        """The centres in the units of the data."""
        shift = self.frame.shift[None]
        origin = shift if self.features is None else self.features(shift)
        return self.values.astype(np.float64) / self.frame.scale + origin

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.values)

    def label_columns(self, columns: NDArray[np.float32]) -> NDArray[np.int32]:
        """Label objects of shape (p, n) that are in the frame; the first of equals."""
        if self.features is not None:
            columns = self.features.on_columns(columns)
        return nearest_of_columns(columns, self.values)[0]

    def label_tensor(self, columns: Any) -> Any:
        """Label objects of shape (p, n) in the frame that are on a device."""
        from comitia._kernels.device import nearest_centers

        if self.features is not None:
            columns = self.features.on_tensor(columns)
        return nearest_centers(columns, self.values, _half_squares(self.values))

    def predict(self, X: Array) -> NDArray[np.int32]:
        """Label objects of shape (n, p)."""
        return nearest_of_rows(X, self.values, self.frame, self.features)

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays it is made of, all but the feature map."""
        return {
            "centers": self.values,
            "shift": self.frame.shift,
            "scale": np.asarray(self.frame.scale),
        }


def sample_rows(n: int, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Draw objects, in order; all of them if there are no more than asked for.

    Some are drawn twice and count once, which is cheaper than a permutation of all.
    """
    if n <= size:
        return np.arange(n)
    return np.unique(rng.randint(n, size=size))


def nearest_of_columns(
    columns: NDArray[Any], centers: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Nearest centre of each object of feature-major data (p, n), the first of equals.

    Centres have the precision of the data; the result is the same for any number of
    threads. Also returned are scores that grow as the squared distance falls: half the
    squared length of the object minus half its squared distance.
    """
    from comitia._kernels.assign import nearest_centers
    from comitia._kernels.sums import over_ranges

    n = columns.shape[1]
    labels = np.empty(n, dtype=np.int32)
    scores = np.empty(n, dtype=columns.dtype)
    penalty = _half_squares(centers)

    def work(start: int, stop: int) -> None:
        nearest_centers(columns, centers, penalty, start, stop, labels, scores)

    over_ranges(work, n)
    return labels, scores


def nearest_of_rows(
    X: Array, centers: NDArray[Any], frame: Frame, features: Any = None
) -> NDArray[np.int32]:
    """Nearest centre of each row of X, the first of equals; a block of rows at a time.

    Centres are in the frame, after the feature map; their precision is the one used.
    """
    labels = np.empty(len(X), dtype=np.int32)
    step = _BLOCK
    for lo in range(0, len(X), step):
        columns = frame.columns(X[lo : lo + step], centers.dtype)
        if features is not None:
            columns = features.on_columns(columns)
        labels[lo : lo + step] = nearest_of_columns(columns, centers)[0]
    return labels


def landmark_count(n_clusters: int) -> int:
    """How many objects :func:`landmark_centers` looks at."""
    return max(sizes.KMEANS_SAMPLE, sizes.KMEANS_SAMPLE_EACH * n_clusters)


def minibatch_count(n_clusters: int) -> int:
    """How many objects :func:`minibatch_centers` looks at."""
    return _PER_LANDMARK * landmark_count(n_clusters)


def landmark_centers(
    columns: NDArray[np.float32],
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: Array | None = None,
    init: str = "k-means++",
    max_iter: int = _MAX_ITER,
) -> NDArray[np.float32]:
    """Centres (k, p) of k-means on a subsample of feature-major data, the landmarks.

    Later iterations than the 25th gain less than more landmarks do.
    """
    points, mass = _subsample(columns, weights, landmark_count(n_clusters), rng)
    centers = _start(points, mass, n_clusters, init, rng)
    lengths = (points.astype(np.float64) ** 2).sum(axis=0)
    enough = _TOL * float(points.var(axis=1, dtype=np.float64).mean())
    before = None
    for _ in range(max_iter):
        labels, scores = nearest_of_columns(points, centers)
        if before is not None and np.array_equal(labels, before):
            break
        before, last = labels, centers
        centers = _means(points, labels, mass, centers, lengths - 2.0 * scores)
        if ((centers - last).astype(np.float64) ** 2).sum() <= enough:
            break
    return centers


def minibatch_centers(
    columns: NDArray[np.float32],
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: Array | None = None,
    init: str = "k-means++",
) -> NDArray[np.float32]:
    r"""Centres (k, p) that follow the means of small batches of a subsample.

    A batch with weight :math:`w` and mean :math:`\bar x` in a cluster moves its centre
    by :math:`(\bar x - c)\, w / W`, where :math:`W` is the weight of all batches of a
    sweep that the centre has seen, this one included.
    """
    from comitia._kernels.assign import sum_columns

    points, mass = _subsample(columns, weights, minibatch_count(n_clusters), rng)
    shuffled = rng.permutation(points.shape[1])
    points, mass = np.ascontiguousarray(points[:, shuffled]), mass[shuffled]
    first = slice(0, max(_BATCH, 64 * n_clusters))
    head = np.ascontiguousarray(points[:, first])
    centers = _start(head, mass[first], n_clusters, init, rng).astype(np.float64)
    n_batches = -(-points.shape[1] // _BATCH)
    for _ in range(max(_SWEEPS, _BATCHES // n_batches)):
        # A new sweep forgets where the centres of the last one came from.
        seen = np.zeros(n_clusters)
        for lo in range(0, points.shape[1], _BATCH):
            batch = np.ascontiguousarray(points[:, lo : lo + _BATCH])
            labels, _ = nearest_of_columns(batch, centers.astype(np.float32))
            sums, here = np.zeros_like(centers), np.zeros(n_clusters)
            sum_columns(batch, labels, mass[lo : lo + _BATCH], sums, here)
            seen += here
            rate = np.divide(1.0, seen, out=np.zeros_like(seen), where=seen > 0)
            centers += rate[:, None] * (sums - here[:, None] * centers)
    return centers.astype(np.float32)


def _subsample(
    columns: NDArray[np.float32],
    weights: Array | None,
    size: int,
    rng: np.random.RandomState,
) -> tuple[NDArray[np.float32], Array]:
    n = columns.shape[1]
    mass = np.ones(n) if weights is None else weights
    if n <= size:
        return columns, mass
    rows = sample_rows(n, size, rng)
    return np.ascontiguousarray(columns[:, rows]), mass[rows]


def _start(
    points: NDArray[np.float32],
    mass: Array,
    n_clusters: int,
    init: str,
    rng: np.random.RandomState,
) -> NDArray[np.float32]:
    n = points.shape[1]
    if init == "random":
        chosen = rng.choice(n, size=n_clusters, replace=n < n_clusters)
    else:
        from comitia._kernels.assign import spread_centers

        # As many candidates for each centre as scikit-learn takes.
        draws = rng.uniform(size=(n_clusters, 2 + int(np.log(n_clusters))))
        chosen = np.empty(n_clusters, dtype=np.int64)
        spread_centers(points, mass, draws, chosen)
    return np.ascontiguousarray(points[:, chosen].T)


def _means(
    points: NDArray[np.float32],
    labels: NDArray[np.int32],
    mass: Array,
    centers: NDArray[np.float32],
    distances: Array,
) -> NDArray[np.float32]:
    """Means of the clusters; an empty one moves to the object farthest from its own."""
    from comitia._kernels.assign import sum_columns

    sums, weight = np.zeros(centers.shape), np.zeros(len(centers))
    sum_columns(points, labels, mass, sums, weight)
    means = np.divide(
        sums, weight[:, None], out=np.zeros_like(sums), where=weight[:, None] > 0
    )
    empty = np.flatnonzero(weight == 0)
    if len(empty):
        farthest = np.argsort(-distances, kind="stable")[: len(empty)]
        means[empty[: len(farthest)]] = points[:, farthest].T
    return means.astype(np.float32)


def _half_squares(centers: NDArray[Any]) -> NDArray[Any]:
    """Half the squared length of each centre, in their precision."""
    squares = (centers.astype(np.float64) ** 2).sum(axis=1)
    return (squares / 2).astype(centers.dtype)
