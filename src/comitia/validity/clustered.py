"""Data and one clustering of them, with what several indices share."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cached_property, partial, wraps
from inspect import signature
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import _labels
from comitia._inputs import refuse_masks_and_dates
from comitia._members import check_codes
from comitia._names import in_order, matching_rows
from comitia._shared_docs import written_out
from comitia.exceptions import ComitiaError

__all__ = ["Clustered", "SameData", "check_data", "index", "ratio"]

Value = TypeVar("Value")

# What the indices are given, for their docstrings.
_TEXTS = {
    "X": """array-like of shape (n_objects, n_features) or Clustered
    The data, or data and labels together.""",
    "labels": """array-like of shape (n_objects,), default=None
    The cluster of each object; -1, NaN or None leave it out.""",
}

# Values that are rearranged at a time.
_BLOCK_VALUES = 2**17


class CenterPairs(NamedTuple):
    """Distances between centres; see the kernel of the same name."""

    sums: NDArray[np.float64]
    similarities: NDArray[np.float64]
    smallest: float
    largest: float
    squares: float


class DistanceSums(NamedTuple):
    """Distances between objects, in the order of ``Clustered.order``.

    Attributes
    ----------
    own : ndarray of shape (n_objects,)
        Sum of the distances to the members of the own cluster.

    other : ndarray of shape (n_objects,)
        Smallest mean distance to the members of another cluster.

    between, between_centers : float
        Sum of the distances of objects in different clusters, plain and times the
        distance of the centres of these clusters.
    """

    own: NDArray[np.float64]
    other: NDArray[np.float64]
    between: float
    between_centers: float


class SameData:
    """What clusterings of the same data have in common.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        Checked data.
    """

    def __init__(self, X: NDArray[np.float64]) -> None:
        self.X = X
        self.neighbors: dict[int, NDArray[np.int64]] = {}

    @cached_property
    def distances(self) -> tuple[NDArray[np.float64], float] | None:
        """Distances of all pairs of objects, and what they were divided by.

        Only where the data have as many features as objects: they are as large, and to
        compare the objects for each clustering anew would take as long as all else.
        """
        from comitia._kernels.pairwise import fill_distances
        from comitia._kernels.sums import over_ranges

        n, p = self.X.shape
        if p < n:
            return None
        XT, scale = feature_major(self.X)
        distances = np.empty((n, n))
        over_ranges(partial(fill_distances, XT, distances), -(-n // 4), 2 * n)
        return distances, scale


class Clustered:
    """Data and one clustering of them.

    Every index takes ``(X, labels)``, or one of these in the place of both. What
    several indices need (centres, scatter, distance sums) is computed once, when it is
    first asked for.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data; finite.

    labels : array-like of shape (n_objects,)
        Any hashable labels. Objects labelled -1, NaN or None are left out.

    Attributes
    ----------
    X : ndarray of shape (n_clustered, n_features)
        The objects that have a label.

    codes : ndarray of shape (n_clustered,)
        Their labels, 0..n_clusters - 1 in the order of the first objects, so that
        names change no sum.

    n_clusters : int
        Number of clusters, k.

    Examples
    --------
    >>> from comitia.validity import INDICES, Clustered
    >>> clustered = Clustered([[0.0], [1.0], [4.0], [5.0]], ["a", "a", "b", "b"])
    >>> [INDICES[name].function(clustered) for name in ("dunn", "sse")]
    [3.0, 1.0]
    """

    def __init__(self, X: ArrayLike, labels: ArrayLike) -> None:
        data = check_data(X)
        column = _labels.as_labels(labels)
        codes, k, _ = _labels.encode(column, "this clustering")
        codes = in_order(codes, matching_rows(X, labels, ("X", "labels")))
        if len(codes) != len(data):
            raise ComitiaError(
                f"labels has {len(codes)} entries and X has {len(data)} rows; they "
                "must be the same objects in the same order."
            )
        self._set(data, codes, k)

    def _set(
        self,
        X: NDArray[np.float64],
        codes: NDArray[Any],
        n_clusters: int,
        same: SameData | None = None,
    ) -> None:
        self._same, self._kept = same, None
        self._neighbors = {} if same is None else same.neighbors
        if (codes == n_clusters).any():
            self._kept = codes < n_clusters
            self._neighbors = {}
            X, codes = X[self._kept], codes[self._kept]
        self.X = X
        self.codes = _by_first_object(codes, n_clusters)
        self.n_clusters = n_clusters

    @classmethod
    def from_codes(
        cls,
        X: NDArray[np.float64],
        codes: NDArray[Any],
        n_clusters: int,
        same: SameData | None = None,
    ) -> Clustered:
        """Make one of data and labels that are checked and coded already.

        Parameters
        ----------
        X : ndarray of shape (n_objects, n_features)
            Checked data.

        codes : ndarray of shape (n_objects,)
            Labels 0..n_clusters - 1, and n_clusters for objects to be left out.

        n_clusters : int
            Number of clusters; empty ones are dropped.

        same : SameData, default=None
            What this clustering shares with others of the same X.

        Returns
        -------
        clustered : Clustered
            Data and labels.
        """
        check_codes(codes[None], [n_clusters], least_objects=0)
        used = np.bincount(codes, minlength=n_clusters)[:n_clusters] > 0
        if not used.all():
            new = np.full(n_clusters + 1, used.sum())
            new[:-1][used] = np.arange(used.sum())
            codes, n_clusters = new[codes], int(used.sum())
        made = cls.__new__(cls)
        made._set(X, codes, int(n_clusters), same)
        return made

    @property
    def n_objects(self) -> int:
        """Number of clustered objects, n."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of features, p."""
        return int(self.X.shape[1])

    # -- passes over the data ---------------------------------------------------

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """Number of objects in each cluster."""
        return np.bincount(self.codes, minlength=self.n_clusters)

    @cached_property
    def _sums(self) -> NDArray[np.float64]:
        from comitia._kernels.validity import center_sums

        return center_sums(self.X, self.codes, self.n_clusters)

    @cached_property
    def centers(self) -> NDArray[np.float64]:
        """Mean of each cluster, shape (n_clusters, n_features)."""
        return self._sums / self.sizes[:, None]

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean of all objects."""
        return self._sums.sum(axis=0) / self.n_objects

    @cached_property
    def _scatter(self) -> tuple[NDArray[np.float64], ...]:
        from comitia._kernels.validity import scatter

        return scatter(self.X, self.codes, self.centers)

    @cached_property
    def _whole_scatter(self) -> tuple[NDArray[np.float64], ...]:
        from comitia._kernels.validity import scatter

        nobody = np.zeros(self.n_objects, dtype=self.codes.dtype)
        return scatter(self.X, nobody, self.mean[None])

    @property
    def squares(self) -> NDArray[np.float64]:
        """Sum of squares about the centre, for each cluster and feature."""
        return self._scatter[0]

    @property
    def distances(self) -> NDArray[np.float64]:
        """Sum of the distances to the centre, for each cluster."""
        return self._scatter[1]

    @property
    def radii(self) -> NDArray[np.float64]:
        """Largest distance to the centre, for each cluster."""
        return self._scatter[2]

    @property
    def within(self) -> float:
        """Sum of squares within the clusters."""
        return float(self.squares.sum())

    @property
    def total_squares(self) -> NDArray[np.float64]:
        """Sum of squares about the mean of all objects, for each feature."""
        return self._whole_scatter[0][0]

    @property
    def total_distance(self) -> float:
        """Sum of the distances to the mean of all objects."""
        return float(self._whole_scatter[1][0])

    @cached_property
    def between(self) -> float:
        """Sum of squares between the clusters."""
        gaps = ((self.centers - self.mean) ** 2).sum(axis=1)
        return float(self.sizes @ gaps)

    @cached_property
    def center_pairs(self) -> CenterPairs:
        """Distances between the centres."""
        from comitia._kernels.validity import center_pairs

        return CenterPairs(*center_pairs(self.centers, self.distances / self.sizes))

    @cached_property
    def center_distances(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Distance of each object to its own and to the nearest other centre."""
        from comitia._kernels.validity import nearest_centers

        return nearest_centers(self.X, self.codes, self.centers)

    # -- passes over the pairs --------------------------------------------------

    def neighbors(self, n_neighbors: int) -> NDArray[np.int64]:
        """The nearest other objects of each object, nearest first.

        Parameters
        ----------
        n_neighbors : int
            How many; less than the number of objects.

        Returns
        -------
        neighbors : ndarray of shape (n_objects, n_neighbors)
            Their indices.
        """
        if n_neighbors not in self._neighbors:
            from sklearn.neighbors import NearestNeighbors

            finder = NearestNeighbors(n_neighbors=n_neighbors).fit(self.X)
            found = finder.kneighbors(return_distance=False)
            self._neighbors[n_neighbors] = found
        return self._neighbors[n_neighbors]

    @cached_property
    def order(self) -> NDArray[np.int64]:
        """The objects, sorted by cluster."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """Where each cluster begins in ``order``."""
        return np.r_[0, np.cumsum(self.sizes)].astype(np.int64)

    @cached_property
    def scaled(self) -> tuple[NDArray[np.float64], float]:
        """Objects sorted by cluster, feature-major, and what they were divided by."""
        return feature_major(self.X, self.order)

    @cached_property
    def pair_extremes(self) -> tuple[float, float]:
        """Smallest distance of objects in two clusters, and largest inside one.

        Both are divided by the same number.
        """
        from comitia._kernels.pairwise import ROWS, dunn_extremes
        from comitia._kernels.sums import over_ranges

        if self._pairs_known is not None:
            return self._pairs_known[1:]
        n_tiles = -(-self.n_objects // ROWS)
        separation, diameter = np.empty(n_tiles), np.empty(n_tiles)
        given = self.scaled[0], self.starts, separation, diameter
        over_ranges(partial(dunn_extremes, *given), n_tiles, ROWS * self.n_objects)
        return float(np.sqrt(separation.min())), float(np.sqrt(diameter.max()))

    @cached_property
    def _pairs_known(self) -> tuple[DistanceSums, float, float] | None:
        """Sums and extremes where all clusterings share the distances of pairs."""
        if self._same is None or self._same.distances is None:
            return None
        distances, scale = self._same.distances
        order = self.order
        if self._kept is not None:
            order = np.flatnonzero(self._kept)[order]
        own, other = np.empty(self.n_objects), np.empty(self.n_objects)
        between = between_centers = diameter = 0.0
        separation = np.inf
        step = max(1, _BLOCK_VALUES // self.n_objects)
        for r, (begin, end) in enumerate(itertools.pairwise(self.starts)):
            sums = np.zeros(self.n_clusters)
            for start in range(begin, end, step):
                some = slice(start, min(start + step, end))
                block = distances[order[some]][:, order]
                to_clusters = np.add.reduceat(block, self.starts[:-1], axis=1)
                own[some] = to_clusters[:, r]
                sums += to_clusters.sum(axis=0)
                to_clusters /= self.sizes
                to_clusters[:, r] = np.inf
                other[some] = to_clusters.min(axis=1)
                diameter = max(diameter, block[:, begin:end].max())
                block[:, begin:end] = np.inf
                separation = min(separation, block.min())
            between += sums[r + 1 :].sum()
            between_centers += float(sums[r + 1 :] @ self._gaps(r))
        found = DistanceSums(
            own * scale, other * scale, between * scale, between_centers * scale
        )
        return found, float(separation), float(diameter)

    def _gaps(self, r: int) -> NDArray[np.float64]:
        """Distance of the centre of cluster r to those of later ones."""
        return np.sqrt(((self.centers[r + 1 :] - self.centers[r]) ** 2).sum(axis=1))

    @cached_property
    def pair_sums(self) -> DistanceSums:
        """Sums of the distances between objects."""
        if self._pairs_known is not None:
            return self._pairs_known[0]
        from comitia._kernels import pairwise
        from comitia._kernels.sums import over_ranges

        XT, scale = self.scaled
        n, k, starts = self.n_objects, self.n_clusters, self.starts
        own = np.zeros(n)
        other = np.full(n, np.inf)
        n_tiles = -(-self.sizes // pairwise.ROWS)
        n_groups = np.minimum(n_tiles, pairwise.GROUPS)
        to_columns = np.zeros((n_groups.max(), n))
        sums = np.zeros(k)
        between = between_centers = 0.0
        shifted = np.empty(XT.shape, dtype=np.float32)
        for r in range(k):
            # Single precision is enough when the cluster at hand is at the origin: a
            # mean distance to a cluster is never below the distance to its centre, so
            # that it cannot be small where coordinates, and their errors, are large.
            behind = XT[:, starts[r] :]
            middle = behind[:, : self.sizes[r]].mean(axis=1, keepdims=True)
            np.subtract(
                behind, middle, out=shifted[:, starts[r] :], casting="same_kind"
            )
            given = shifted, starts, r, n_groups[r], to_columns, own, other
            over_ranges(
                partial(pairwise.rows_of_cluster, *given),
                int(n_groups[r]),
                self.sizes[r] / n_groups[r] * (n - starts[r]),
            )
            pairwise.columns_of_cluster(
                starts, r, n_groups[r], to_columns, own, other, sums
            )
            between += sums[r + 1 :].sum()
            between_centers += float(sums[r + 1 :] @ self._gaps(r))
        return DistanceSums(
            own * scale, other * scale, between * scale, between_centers * scale
        )


def feature_major(
    X: NDArray[np.float64], order: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.float64], float]:
    """Objects in an order, with a row for each feature, and what they were divided by.

    Centred, and divided by a power of two so that single precision holds their squared
    distances; features of zeros make their number a multiple of four.
    """
    n, p = X.shape
    mean = X.mean(axis=0)
    XT = np.zeros((-(-p // 4) * 4, n))
    # Some objects at a time: X may be as large as the memory allows.
    step = max(1, _BLOCK_VALUES // p)
    for start in range(0, n, step):
        some = slice(start, start + step)
        XT[:p, some] = (X[some if order is None else order[some]] - mean).T
    scale = 2.0 ** np.frexp(max(XT.max(), -XT.min()))[1]
    XT /= scale
    return XT, float(scale)


def _by_first_object(codes: NDArray[Any], n_clusters: int) -> NDArray[Any]:
    """The same clusters in the order in which they appear."""
    n = len(codes)
    first = np.full(n_clusters, n)
    n_seen = 0
    # Most often all clusters are among the first thousand objects.
    while n_seen < n and (first == n).any():
        n_seen = min(n, max(1024, 16 * n_seen))
        first[codes[:n_seen][::-1]] = np.arange(n_seen)[::-1]
    new = np.empty(n_clusters, dtype=codes.dtype)
    new[np.argsort(first, kind="stable")] = np.arange(n_clusters)
    return np.asarray(new[codes])


def index(function: Callable[..., Value]) -> Callable[..., Value]:
    """Let a function of Clustered take data and labels in its place.

    Parameters
    ----------
    function : callable
        Called with a Clustered, and with keywords of its own. The line
        ``X, labels : shared`` of its docstring is written out.

    Returns
    -------
    index : callable
        Called with data and labels, or with a Clustered.
    """

    @wraps(function, assigned=("__module__", "__name__", "__qualname__"))
    def called(
        X: ArrayLike | Clustered, labels: ArrayLike | None = None, **settings: Any
    ) -> Value:
        if not isinstance(X, Clustered):
            if labels is None:
                raise ComitiaError(
                    "labels is missing; give one label for each row of X."
                )
            X = Clustered(X, labels)
        elif labels is not None:
            raise ComitiaError("labels were given twice; Clustered has its own.")
        return function(X, **settings)

    given = [*signature(called, follow_wrapped=False).parameters.values()][:2]
    own = signature(function)
    # What signature() tells of a function, and so help() and the documentation.
    vars(called)["__signature__"] = own.replace(
        parameters=[*given, *list(own.parameters.values())[1:]]
    )
    called.__doc__ = written_out(function.__doc__ or "", _TEXTS)
    return called


def check_data(X: ArrayLike) -> NDArray[np.float64]:
    """Data as a C-ordered float64 array, refused if it is not one.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        What the user gave.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        Finite.
    """
    if hasattr(X, "toarray"):
        raise ComitiaError("X is a sparse matrix; the indices need X.toarray().")
    refuse_masks_and_dates(X, "X")
    try:
        if np.iscomplexobj(X):
            raise ComitiaError("X is complex; give real numbers.")
        data = np.ascontiguousarray(X, dtype=np.float64)
    except ComitiaError:
        raise
    except (TypeError, ValueError, OverflowError):
        raise ComitiaError(
            "X must be numbers, one row per object and one column per feature."
        ) from None
    if np.ndim(X) != 2 or 0 in data.shape:
        raise ComitiaError(
            "X must have one row per object and one column per feature; got shape "
            f"{np.shape(X)}. For a single feature give X.reshape(-1, 1)."
        )
    if not np.isfinite(data).all():
        i = int(np.argmin(np.isfinite(data).all(axis=1)))
        raise ComitiaError(
            f"X contains NaN or infinity, first in row {i}; impute or drop such rows."
        )
    return data


def ratio(numerator: float, denominator: float) -> float:
    """Quotient of two values that are 0 or more.

    Parameters
    ----------
    numerator, denominator : float
        The values.

    Returns
    -------
    ratio : float
        Infinite for x / 0, NaN for 0 / 0.
    """
    if denominator > 0:
        return float(numerator / denominator)
    return np.inf if numerator > 0 else np.nan
