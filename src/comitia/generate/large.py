"""K-means for very many objects: centres from a subsample, all objects to the nearest.

The data are kept feature by feature in single precision (:class:`Columns`), which is
what the kernels read fastest, and are made once for all members of an ensemble.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from comitia._labels import narrowest
from comitia.generate.base import Made
from comitia.generate.columns import Columns, Frame

__all__ = [
    "ColumnsCenters",
    "half_squares",
    "landmark_centers",
    "landmark_count",
    "made_of_sample",
    "minibatch_centers",
    "minibatch_count",
    "nearest_of_columns",
    "nearest_of_rows",
    "sample_rows",
]

Array = NDArray[np.float64]

# Rows that are labelled at once.
_BLOCK = 1 << 17

# Landmarks: so many objects at least, and so many for each cluster. With 20 000
# objects and 50 clusters the inertia is half a per cent above that of full k-means.
_LANDMARKS = 20_000
_LANDMARKS_EACH = 256

# Lloyd's iterations on the landmarks.
_MAX_ITER = 25

# Mini-batches: of so many objects, from a subsample so many times as large, which is
# swept so many times, and more often if that makes less than so many batches.
_BATCH = 2048
_PER_LANDMARK = 4
_SWEEPS = 2
_BATCHES = 60

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
        """Label objects that are in the frame already.

        Parameters
        ----------
        columns : ndarray of shape (p, n)
            The objects, feature by feature.

        Returns
        -------
        labels : ndarray of shape (n,)
            Index of the nearest centre; the lower one of two that are equally near.
        """
        if self.features is not None:
            columns = self.features.on_columns(columns)
        return nearest_of_columns(columns, self.values)[0]

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

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays it is made of, all but the feature map.

        Returns
        -------
        state : dict of ndarray
            The centres and the frame.
        """
        return {
            "centers": self.values,
            "shift": self.frame.shift,
            "scale": np.asarray(self.frame.scale),
        }


class SampleModel(Protocol):
    """What a member is that was fitted on a sample."""

    @property
    def n_clusters(self) -> int:
        """How many clusters there are; each has an object of the sample."""

    def label_columns(self, columns: NDArray[np.float32]) -> NDArray[np.int32]:
        """Label objects that are in the frame already."""

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays that a checkpoint keeps."""


class FromSample(Protocol):
    """A generator whose members are fitted on samples and then label all objects."""

    def _sample_rows(self, n: int, plan: dict[str, Any]) -> NDArray[np.int64]:
        """The objects, in order, that the member of a plan is fitted on."""

    def _fit_sample(self, sample: Columns, plan: dict[str, Any]) -> SampleModel:
        """Fit the member of a plan."""


def made_of_sample(generator: FromSample, X: Columns, plan: dict[str, Any]) -> Made:
    """Make a member: fitted on a sample, all objects labelled.

    Parameters
    ----------
    generator : FromSample
        Who draws the sample and fits the member.

    X : Columns
        The data.

    plan : dict
        What the member is to do.

    Returns
    -------
    made : Made
        The member.
    """
    rows = generator._sample_rows(len(X), plan)
    model = generator._fit_sample(X.take(rows), plan)
    labels = model.label_columns(X.values)
    labels = labels.astype(narrowest(model.n_clusters))
    return Made(labels, model=model, state=model.state())


def sample_rows(n: int, size: int, rng: np.random.RandomState) -> NDArray[np.int64]:
    """Draw objects.

    Parameters
    ----------
    n : int
        Number of objects.

    size : int
        How many draws; some are drawn twice and count once, which is cheaper than a
        permutation of all objects. All are taken if there are no more.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    rows : ndarray of int64
        The objects, in order.
    """
    if n <= size:
        return np.arange(n)
    return np.unique(rng.randint(n, size=size))


def nearest_of_columns(
    columns: NDArray[Any], centers: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Nearest centre of each object of feature-major data.

    Parameters
    ----------
    columns : ndarray of shape (p, n)
        The data.

    centers : ndarray of shape (k, p)
        The centres, of the same precision.

    Returns
    -------
    labels : ndarray of shape (n,)
        The nearest centre, the first of equals; the same for any number of threads.

    scores : ndarray of shape (n,)
        What grows as the squared distance falls: half the squared length of the
        object minus half its squared distance.
    """
    from comitia._kernels.assign import nearest_centers
    from comitia._kernels.chunks import over_ranges

    n = columns.shape[1]
    labels = np.empty(n, dtype=np.int32)
    scores = np.empty(n, dtype=columns.dtype)
    penalty = half_squares(centers)

    def work(start: int, stop: int) -> None:
        nearest_centers(columns, centers, penalty, start, stop, labels, scores)

    over_ranges(work, n)
    return labels, scores


def half_squares(centers: NDArray[Any]) -> NDArray[Any]:
    """Half the squared length of each centre.

    Parameters
    ----------
    centers : ndarray of shape (k, p)
        The centres.

    Returns
    -------
    halves : ndarray of shape (k,)
        What is taken off the products of an object with the centres; of their type.
    """
    squares = (centers.astype(np.float64) ** 2).sum(axis=1)
    return (squares / 2).astype(centers.dtype)


def nearest_of_rows(
    X: Array, centers: NDArray[Any], frame: Frame, features: Any = None
) -> NDArray[np.int32]:
    """Nearest centre of each row, a block of rows at a time.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        The data.

    centers : ndarray of shape (k, p)
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
    step = _BLOCK
    for lo in range(0, len(X), step):
        columns = frame.columns(X[lo : lo + step], centers.dtype)
        if features is not None:
            columns = features.on_columns(columns)
        labels[lo : lo + step] = nearest_of_columns(columns, centers)[0]
    return labels


def landmark_count(n_clusters: int) -> int:
    """How many objects :func:`landmark_centers` looks at.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.

    Returns
    -------
    n : int
        The size of the subsample.
    """
    return max(_LANDMARKS, _LANDMARKS_EACH * n_clusters)


def minibatch_count(n_clusters: int) -> int:
    """How many objects :func:`minibatch_centers` looks at.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.

    Returns
    -------
    n : int
        The size of the subsample.
    """
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

    max_iter : int, default=25
        Most iterations; later ones gain less than more landmarks do.

    Returns
    -------
    centers : ndarray of shape (n_clusters, p)
        The centres.
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
    centers : ndarray of shape (n_clusters, p)
        The centres.
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
