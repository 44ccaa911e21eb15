"""Landmarks of data, the graph of objects and landmarks, and its cut."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.config import require_memory
from comitia.exceptions import EnsembleFileError
from comitia.generate._checkpoint import check_state
from comitia.generate._kmeans_on_samples import (
    landmark_centers,
    landmark_count,
    nearest_of_columns,
    sample_rows,
)
from comitia.generate.columns import Columns, Frame

__all__ = ["LandmarkClusters", "LandmarkIndex", "cut_landmark_graph"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]

# Candidates for each landmark, and neighbours of a landmark that are looked at for
# each link: as in the paper.
_CANDIDATES_EACH = 10
_AROUND_EACH = 10

# Landmarks are at most half of the objects, unless these are few: with all objects as
# landmarks every member would cut the same graph, and where that falls into parts, no
# member would join them.
_FEW_LANDMARKS = 20

# Landmarks need not be centres to the last digit.
_MAX_ITER = 10

# Objects that are labelled at once: what is kept of each meanwhile is 8 bytes.
_BLOCK = 1 << 17

# The arrays of clusters that were kept, by the names of their dimensions.
_SHAPES = {
    "landmarks": "p landmark",
    "group_centers": "group p",
    "group_starts": "start",
    "around": "landmark near",
    "shift": "p",
    "scale": "",
    "gamma": "",
    "n_links": "",
    "table": "landmark q",
    "centers": "k q",
}

# An object is as much work as this many rows of labels.
_COST = 8.0


@dataclass(frozen=True)
class LandmarkIndex:
    """Landmarks in groups, for a search from coarse to fine."""

    # (p, n_landmarks), the landmarks, feature by feature, group after group
    landmarks: Singles
    centers: Singles  # (n_groups, p), the centres of the groups
    starts: NDArray[np.int64]  # (n_groups + 1,), where each group begins
    # (n_landmarks, n_around), the nearest landmarks of each landmark, nearest first:
    # itself at the front
    around: NDArray[np.int32]

    @classmethod
    def of(
        cls, landmarks: Singles, n_around: int, rng: np.random.RandomState
    ) -> LandmarkIndex:
        """Put n landmarks of shape (p, n) into about root n groups by k-means."""
        n = landmarks.shape[1]
        centers = landmark_centers(landmarks, isqrt(n), rng, max_iter=_MAX_ITER)
        groups, _ = nearest_of_columns(landmarks, centers)
        landmarks = np.ascontiguousarray(
            landmarks[:, np.argsort(groups, kind="stable")]
        )
        sizes = np.bincount(groups, minlength=len(centers))
        starts = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        around = _nearest_each(landmarks.T, min(n_around, n))
        return cls(landmarks, centers, starts, around)

    def arguments(self, columns: Singles) -> tuple[Any, ...]:
        """The first six arguments of the kernels for objects of shape (p, n)."""
        # A part of wider columns has another layout, for which kernels are slower.
        columns = np.ascontiguousarray(columns)
        groups, _ = nearest_of_columns(columns, self.centers)
        n_around, p = self.around.size, len(self.landmarks)
        require_memory(
            4 * n_around * p,
            f"the {p} features of the neighbours of {len(self.around)} landmarks",
            "take fewer n_landmarks or n_neighbors, or reduce the features",
        )
        near = np.ascontiguousarray(self.landmarks[:, self.around].swapaxes(0, 1))
        return columns, groups, self.starts, self.landmarks, self.around, near

    def link(self, columns: Singles, n_links: int) -> tuple[NDArray[np.int32], Singles]:
        """The nearest landmarks of objects of shape (p, n), and the squared distances.

        Both have shape (n, n_links), nearest first. Now and then a landmark that is a
        little farther stands for one that is nearer.
        """
        from comitia._kernels.landmarks import link_objects
        from comitia._kernels.sums import over_ranges

        n = columns.shape[1]
        links = np.empty((n, n_links), dtype=np.int32)
        squares = np.empty((n, n_links), dtype=np.float32)
        given = self.arguments(columns)

        def work(start: int, stop: int) -> None:
            link_objects(*given, start, stop, links, squares)

        over_ranges(work, n, _COST)
        return links, squares


@dataclass(frozen=True)
class LandmarkClusters:
    """Clusters of a landmark graph: they label an object by its nearest landmarks."""

    index: LandmarkIndex  # the landmarks
    frame: Frame  # the frame in which the landmarks are
    gamma: float  # what a squared distance is multiplied with in the affinity
    n_links: int  # how many landmarks an object looks at
    table: Floats  # (n_landmarks, q), the point of each landmark
    centers: Floats  # (k, q), the centres of the clusters

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.centers)

    def label_columns(self, columns: Singles) -> NDArray[np.int32]:
        """Label objects of shape (p, n) that are in the frame already."""
        from comitia._kernels.landmarks import label_objects
        from comitia._kernels.sums import over_ranges

        n = columns.shape[1]
        labels = np.empty(n, dtype=np.int32)
        scores = np.ascontiguousarray(_product(self.table, self.centers.T))
        penalty = (self.centers**2).sum(axis=1) / 2
        rest = (self.gamma, self.table, scores, penalty, self.n_links)
        for lo in range(0, n, _BLOCK):
            here = labels[lo : lo + _BLOCK]
            given = self.index.arguments(columns[:, lo : lo + _BLOCK])

            def work(
                start: int, stop: int, given: Any = given, out: Any = here
            ) -> None:
                label_objects(*given, *rest, start, stop, out)

            over_ranges(work, len(here), _COST)
        return labels

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Label objects of shape (n, p)."""
        labels = np.empty(len(X), dtype=np.int32)
        for lo in range(0, len(X), _BLOCK):
            rows = slice(lo, lo + _BLOCK)
            labels[rows] = self.label_columns(self.frame.columns(X[rows]))
        return labels

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays it is made of."""
        return {
            "landmarks": self.index.landmarks,
            "group_centers": self.index.centers,
            "group_starts": self.index.starts,
            "around": self.index.around,
            "shift": self.frame.shift,
            "scale": np.asarray(self.frame.scale),
            "gamma": np.asarray(self.gamma),
            "n_links": np.asarray(self.n_links),
            "table": self.table,
            "centers": self.centers,
        }

    @classmethod
    def restored(
        cls, state: dict[str, NDArray[Any]], n_features: int
    ) -> LandmarkClusters:
        """Make it again of what :meth:`state` gave."""
        sizes = check_state(state, _SHAPES, p=n_features)
        starts, around = state["group_starts"], state["around"]
        first, last, n = int(starts[0]), int(starts[-1]), sizes["landmark"]
        if not (
            starts.dtype.kind == around.dtype.kind == "i"
            and sizes["start"] == sizes["group"] + 1
            and (first, last) == (0, n)
            and (np.diff(starts) >= 0).all()
            and starts[-2] < n
            and around.min() >= 0
            and around.max() < n
            and 1 <= int(state["n_links"]) <= sizes["near"]
        ):
            raise EnsembleFileError(
                "a member in the checkpoint is damaged: its landmarks do not fit; "
                "delete the checkpoint, or give a new folder."
            )
        index = LandmarkIndex(
            *(
                state[name]
                for name in ("landmarks", "group_centers", "group_starts", "around")
            )
        )
        return cls(
            index,
            Frame(state["shift"], float(state["scale"])),
            float(state["gamma"]),
            int(state["n_links"]),
            state["table"],
            state["centers"],
        )


def cut_landmark_graph(
    sample: Columns,
    n_clusters: int,
    n_landmarks: int,
    n_neighbors: int,
    rng: np.random.RandomState,
) -> LandmarkClusters:
    """Choose landmarks of a sample, link its objects to them, and cut the graph.

    There are at most half as many landmarks as objects, and fewer clusters where there
    are fewer landmarks. Every cluster has an object of the sample.
    """
    landmarks = _choose_landmarks(sample.values, n_landmarks, rng)
    n_links = min(n_neighbors, landmarks.shape[1])
    index = LandmarkIndex.of(landmarks, _AROUND_EACH * n_links, rng)
    links, squares = index.link(sample.values, n_links)
    sigma = float(np.sqrt(squares, dtype=np.float64).mean())
    gamma = 0.5 / sigma**2 if sigma > 0 else 1.0
    affinities = np.exp(-gamma * squares.astype(np.float64))
    table = _landmark_points(links, affinities, landmarks.shape[1], n_clusters)
    some = sample_rows(len(sample), landmark_count(n_clusters), rng)
    points = _object_points(links[some], squares[some], gamma, table)
    columns = np.ascontiguousarray(points.T, dtype=np.float32)
    centers = landmark_centers(columns, n_clusters, rng)
    found = LandmarkClusters(
        index, sample.frame, gamma, n_links, table, centers.astype(np.float64)
    )
    used = np.unique(found.label_columns(sample.values))
    return LandmarkClusters(
        index, sample.frame, gamma, n_links, table, found.centers[used]
    )


def _choose_landmarks(
    columns: Singles, n_landmarks: int, rng: np.random.RandomState
) -> Singles:
    """Hybrid selection: k-means among random candidates."""
    n = columns.shape[1]
    n_landmarks = min(n_landmarks, max(n // 2, _FEW_LANDMARKS))
    if n_landmarks >= n:
        return columns
    n_candidates = min(n, _CANDIDATES_EACH * n_landmarks)
    drawn = np.sort(rng.choice(n, size=n_candidates, replace=False))
    candidates = np.ascontiguousarray(columns[:, drawn])
    centers = landmark_centers(
        candidates, n_landmarks, rng, init="random", max_iter=_MAX_ITER
    )
    return np.ascontiguousarray(centers.T)


def _nearest_each(points: NDArray[Any], n_nearest: int) -> NDArray[np.int32]:
    """The nearest points of each point, nearest first; of equals the first."""
    from scipy.spatial.distance import cdist

    points = points.astype(np.float64)
    found = np.empty((len(points), n_nearest), dtype=np.int32)
    step = max(1, 1_000_000 // len(points))
    for lo in range(0, len(points), step):
        squares = cdist(points[lo : lo + step], points, "sqeuclidean")
        # An object is its own nearest neighbour, also where others lie upon it.
        here = np.arange(len(squares))
        squares[here, lo + here] = -1.0
        some = np.argpartition(squares, n_nearest - 1, axis=1)[:, :n_nearest]
        some.sort(axis=1)
        order = np.argsort(squares[here[:, None], some], axis=1, kind="stable")
        found[lo : lo + step] = some[here[:, None], order]
    return found


def _landmark_points(
    links: NDArray[np.int32], affinities: Floats, n_landmarks: int, n_vectors: int
) -> Floats:
    """The leading eigenvectors of the transfer cut, a row for each landmark."""
    from threadpoolctl import threadpool_limits

    from comitia._kernels.landmarks import sum_links
    from comitia.optimize.eigenpairs import largest_eigenpairs

    require_memory(
        24 * n_landmarks**2,
        f"the graph of {n_landmarks} landmarks",
        "take fewer n_landmarks",
    )
    shared = np.zeros((n_landmarks, n_landmarks))
    mass = np.zeros(n_landmarks)
    sum_links(links, affinities, affinities.sum(axis=1), shared, mass)
    # A landmark that no object is near has no part in the graph.
    used = np.flatnonzero(mass > 0)
    root = np.sqrt(mass[used])
    N = shared[np.ix_(used, used)] / root[:, None] / root
    q = min(n_vectors, len(used))
    # One thread: sums inside of BLAS depend on how many there are.
    with threadpool_limits(limits=1, user_api="blas"):
        _, vectors = largest_eigenpairs(N, q, ties=True)
    table = np.zeros((n_landmarks, vectors.shape[1]))
    table[used] = vectors / root[:, None]
    return table


def _object_points(
    links: NDArray[np.int32], squares: Singles, gamma: float, table: Floats
) -> Floats:
    """The points of objects, on the sphere: means of those of their landmarks."""
    squares = squares.astype(np.float64)
    shares = np.exp(gamma * (squares[:, :1] - squares))
    points = np.zeros((len(links), table.shape[1]))
    for a in range(links.shape[1]):
        points += shares[:, a, None] * table[links[:, a]]
    lengths = np.sqrt((points * points).sum(axis=1))
    points /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return points


def _product(A: Floats, B: Floats) -> Floats:
    """A matrix product that does not depend on the threads of BLAS."""
    return np.einsum("ir,rk->ik", A, B)
