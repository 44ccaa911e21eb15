"""K-means for very many objects: centres from a subsample, all objects to the nearest.

The data are kept feature by feature in single precision (:class:`Columns`), which is
what the kernels read fastest, and are made once for all members of an ensemble.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = [
    "Columns",
    "ColumnsCentres",
    "Frame",
    "landmark_centres",
    "minibatch_centres",
    "nearest_of_columns",
    "nearest_of_rows",
]

Array = NDArray[np.float64]

# Rows that are turned into columns at once.
_BLOCK = 1 << 14

# Landmarks: so many objects at least, and so many for each cluster. With 20 000
# objects and 50 clusters the inertia is half a per cent above that of full k-means.
_LANDMARKS = 20_000
_LANDMARKS_EACH = 256

# Lloyd's iterations on the landmarks; later ones gain less than more landmarks do.
_MAX_ITER = 25

# Mini-batches: of so many objects, from a subsample so many times as large, which is
# swept so many times, and more often if that makes less than so many batches.
_BATCH = 2048
_PER_LANDMARK = 4
_SWEEPS = 2
_BATCHES = 60

# Stop when the centres move by less than this share of the variance, as scikit-learn.
_TOL = 1e-4


class Frame:
    """Where single precision has its zero and its one.

    Parameters
    ----------
    shift : ndarray of shape (p,)
        What is subtracted from the features.

    scale : float
        What they are multiplied with then; a power of two, which costs no digits.
    """

    def __init__(self, shift: Array, scale: float) -> None:
        self.shift = shift
        self.scale = scale

    @classmethod
    def of(cls, X: Array) -> Frame:
        """The frame in which data have mean zero and no value is beyond one.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        Returns
        -------
        frame : Frame
            The frame.
        """
        shift = X.mean(axis=0)
        reach = max(
            float(np.abs(end - shift).max(initial=0.0))
            for end in (X.min(axis=0), X.max(axis=0))
        )
        if not np.isfinite(reach):
            raise ComitiaError("X has values too large to be subtracted; scale it.")
        _, exponent = np.frexp(reach)
        return cls(shift, float(2.0 ** -int(exponent)))

    def columns(self, X: Array, dtype: Any = np.float32) -> NDArray[Any]:
        """Turn rows into columns.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        dtype : dtype, default=float32
            Precision of the result.

        Returns
        -------
        columns : ndarray of shape (p, n)
            The data in this frame, feature by feature.
        """
        n, p = X.shape
        columns = np.empty((p, n), dtype=dtype)
        for lo in range(0, n, _BLOCK):
            rows = slice(lo, min(lo + _BLOCK, n))
            columns[:, rows] = ((X[rows] - self.shift) * self.scale).T
        return columns


class Columns:
    """Data feature by feature, in single precision.

    Parameters
    ----------
    values : ndarray of shape (p, n)
        The data in a frame.

    frame : Frame
        The frame.
    """

    def __init__(self, values: NDArray[np.float32], frame: Frame) -> None:
        self.values = values
        self.frame = frame

    @classmethod
    def of(cls, X: Array) -> Columns:
        """Turn data into columns.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        Returns
        -------
        columns : Columns
            The same in single precision.
        """
        frame = Frame.of(X)
        return cls(frame.columns(X), frame)

    def __len__(self) -> int:
        return self.values.shape[1]


class ColumnsCentres:
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
    def centres(self) -> Array:
        """The centres in the units of the data."""
        shift = self.frame.shift[None]
        origin = shift if self.features is None else self.features(shift)
        return self.values.astype(np.float64) / self.frame.scale + origin

    def predict(self, X: Array) -> NDArray[np.int32]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        labels : ndarray of shape (n,)
            Index of the nearest centre; the lower one of two that are equally near.
        """
        return nearest_of_rows(X, self.values, self.frame, self.features)


def nearest_of_columns(
    columns: NDArray[Any], centres: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Nearest centre of each object of feature-major data.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The data.

    centres : ndarray of shape (k, p)
        The centres, of the same precision.

    Returns
    -------
    labels : ndarray of shape (n,)
        The nearest centre, the first of equals; the same for any number of threads.

    scores : ndarray of shape (n,)
        What grows as the squared distance falls: half the squared length of the
        object minus half its squared distance.
    """
    from comitia._kernels.assign import nearest_centres
    from comitia._kernels.chunks import over_ranges

    n = columns.shape[1]
    labels = np.empty(n, dtype=np.int32)
    scores = np.empty(n, dtype=columns.dtype)
    penalty = ((centres.astype(np.float64) ** 2).sum(axis=1) / 2).astype(columns.dtype)

    def work(start: int, stop: int) -> None:
        nearest_centres(columns, centres, penalty, start, stop, labels, scores)

    over_ranges(work, n)
    return labels, scores


def nearest_of_rows(
    X: Array, centres: NDArray[Any], frame: Frame, features: Any = None
) -> NDArray[np.int32]:
    """Nearest centre of each row, a block of rows at a time.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.

    centres : ndarray of shape (k, p)
        The centres in the frame; their precision is the one that is used.

    frame : Frame
        The frame.

    features : FeatureMap, default=None
        What the centres' features are made with.

    Returns
    -------
    labels : ndarray of shape (n,)
        The nearest centre, the first of equals.
    """
    labels = np.empty(len(X), dtype=np.int32)
    step = 8 * _BLOCK
    for lo in range(0, len(X), step):
        columns = frame.columns(X[lo : lo + step], centres.dtype)
        if features is not None:
            columns = features.on_columns(columns)
        labels[lo : lo + step] = nearest_of_columns(columns, centres)[0]
    return labels


def landmark_centres(
    columns: NDArray[np.float32],
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: Array | None = None,
    init: str = "k-means++",
) -> NDArray[np.float32]:
    """Centres of k-means on a subsample, the landmarks.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The data, feature by feature.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    weights : ndarray of shape (n,), default=None
        Weights of the objects.

    init : {"k-means++", "random"}, default="k-means++"
        How the centres start.

    Returns
    -------
    centres : ndarray of shape (n_clusters, p)
        The centres.
    """
    size = max(_LANDMARKS, _LANDMARKS_EACH * n_clusters)
    points, mass = _subsample(columns, weights, size, rng)
    centres = _start(points, mass, n_clusters, init, rng)
    lengths = (points.astype(np.float64) ** 2).sum(axis=0)
    enough = _TOL * float(points.var(axis=1, dtype=np.float64).mean())
    before = None
    for _ in range(_MAX_ITER):
        labels, scores = nearest_of_columns(points, centres)
        if before is not None and np.array_equal(labels, before):
            break
        before, last = labels, centres
        centres = _means(points, labels, mass, centres, lengths - 2.0 * scores)
        if ((centres - last).astype(np.float64) ** 2).sum() <= enough:
            break
    return centres


def minibatch_centres(
    columns: NDArray[np.float32],
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: Array | None = None,
    init: str = "k-means++",
) -> NDArray[np.float32]:
    r"""Centres that follow the means of small batches of a subsample.

    A batch with weight :math:`w` and mean :math:`\bar x` in a cluster moves its centre
    by :math:`(\bar x - c)\, w / W`, where :math:`W` is the weight of all batches of a
    sweep that the centre has seen, this one included.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The data, feature by feature.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    weights : ndarray of shape (n,), default=None
        Weights of the objects.

    init : {"k-means++", "random"}, default="k-means++"
        How the centres start.

    Returns
    -------
    centres : ndarray of shape (n_clusters, p)
        The centres.
    """
    from comitia._kernels.assign import sum_columns

    few = max(_LANDMARKS, _LANDMARKS_EACH * n_clusters)
    points, mass = _subsample(columns, weights, _PER_LANDMARK * few, rng)
    shuffled = rng.permutation(points.shape[1])
    points, mass = np.ascontiguousarray(points[:, shuffled]), mass[shuffled]
    first = slice(0, max(_BATCH, 64 * n_clusters))
    head = np.ascontiguousarray(points[:, first])
    centres = _start(head, mass[first], n_clusters, init, rng).astype(np.float64)
    n_batches = -(-points.shape[1] // _BATCH)
    for _ in range(max(_SWEEPS, _BATCHES // n_batches)):
        # A new sweep forgets where the centres of the last one came from.
        seen = np.zeros(n_clusters)
        for lo in range(0, points.shape[1], _BATCH):
            batch = np.ascontiguousarray(points[:, lo : lo + _BATCH])
            labels, _ = nearest_of_columns(batch, centres.astype(np.float32))
            sums, here = np.zeros_like(centres), np.zeros(n_clusters)
            sum_columns(batch, labels, mass[lo : lo + _BATCH], sums, here)
            seen += here
            rate = np.divide(1.0, seen, out=np.zeros_like(seen), where=seen > 0)
            centres += rate[:, None] * (sums - here[:, None] * centres)
    return centres.astype(np.float32)


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
    # Some are drawn twice and count once: cheaper than a permutation of all objects.
    rows = np.unique(rng.randint(n, size=size))
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
        from comitia._kernels.assign import spread_centres

        # As many candidates for each centre as scikit-learn takes.
        draws = rng.uniform(size=(n_clusters, 2 + int(np.log(n_clusters))))
        chosen = np.empty(n_clusters, dtype=np.int64)
        spread_centres(points, mass, draws, chosen)
    return np.ascontiguousarray(points[:, chosen].T)


def _means(
    points: NDArray[np.float32],
    labels: NDArray[np.int32],
    mass: Array,
    centres: NDArray[np.float32],
    distances: Array,
) -> NDArray[np.float32]:
    """Means of the clusters; an empty one moves to the object farthest from its own."""
    from comitia._kernels.assign import sum_columns

    sums, weight = np.zeros(centres.shape), np.zeros(len(centres))
    sum_columns(points, labels, mass, sums, weight)
    means = np.divide(
        sums, weight[:, None], out=np.zeros_like(sums), where=weight[:, None] > 0
    )
    empty = np.flatnonzero(weight == 0)
    if len(empty):
        farthest = np.argsort(-distances, kind="stable")[: len(empty)]
        means[empty[: len(farthest)]] = points[:, farthest].T
    return means.astype(np.float32)
