"""Members that are fitted on a sample, and label objects like the nearest in it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.generate._checkpoint import check_state
from comitia.generate._kmeans_on_samples import sample_rows as draw_rows
from comitia.generate.columns import Columns, Frame
from comitia.generate.generator import Generator, Plan

__all__ = ["NearestInSample", "ShapesGenerator"]

# Rows that are labelled at once.
_BLOCK = 1 << 16

# What it takes to compare an object with one of the sample in one feature, where a row
# of labels is 1.
_COST = 1e-3


class NearestInSample:
    """Labels an object like its nearest neighbour in a sample.

    Parameters
    ----------
    sample : Columns
        The objects of the sample.

    labels : ndarray of shape (m,)
        Their labels, 0..k-1, all of which occur.
    """

    def __init__(self, sample: Columns, labels: NDArray[Any]) -> None:
        self.sample = sample
        self.labels = labels.astype(np.int32)

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1

    def label_columns(self, columns: NDArray[Any]) -> NDArray[np.int32]:
        """Label objects of shape (p, n) that are in the frame; the first of equals."""
        from comitia._kernels.spanning_tree import nearest_points
        from comitia._kernels.sums import over_ranges

        points = self.sample.values
        columns = columns.astype(points.dtype, copy=False)
        nearest = np.empty(columns.shape[1], dtype=np.int64)

        def work(start: int, stop: int) -> None:
            nearest_points(columns, points, start, stop, nearest)

        over_ranges(work, len(nearest), _COST * points.size)
        return self.labels[nearest]

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Label objects of shape (n, p)."""
        frame, dtype = self.sample.frame, self.sample.values.dtype
        found = [
            self.label_columns(frame.columns(X[lo : lo + _BLOCK], dtype))
            for lo in range(0, len(X), _BLOCK)
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int32)

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays it is made of."""
        return {
            "sample": self.sample.values,
            "sample_labels": self.labels,
            "shift": self.sample.frame.shift,
            "scale": np.asarray(self.sample.frame.scale),
        }

    @classmethod
    def restored(
        cls, state: dict[str, NDArray[Any]], n_features: int
    ) -> NearestInSample:
        """Make it again of what :meth:`state` gave."""
        shapes = {"sample": "p m", "sample_labels": "m", "shift": "p", "scale": ""}
        check_state(state, shapes, p=n_features)
        frame = Frame(state["shift"], float(state["scale"]))
        return cls(Columns(state["sample"], frame), state["sample_labels"])


class ShapesGenerator(Generator):
    """Base class of generators whose members may have clusters of any shape.

    A member clusters a sample of bounded size, and labels all objects like the nearest
    of the sample. A kind writes :meth:`plan` and :meth:`label_sample`.
    """

    # The share of the objects that a member sees, unless they are too many.
    object_fraction: float = 1.0

    def label_sample(self, X: NDArray[np.float64], plan: Plan) -> NDArray[Any]:
        """Cluster a sample.

        Parameters
        ----------
        X : ndarray of shape (m, p)
            Its objects.

        plan : dict
            What the member is to do.

        Returns
        -------
        labels : ndarray of shape (m,)
            Their labels, 0..k-1, all of which occur.
        """
        raise TypeError(f"{type(self).__name__} does not label its samples.")

    def prepare(self, X: NDArray[Any]) -> Columns:
        many = len(X) >= sizes.SINGLE_PRECISION_OBJECTS
        return Columns.of(X, np.float32 if many else np.float64)

    def needs_memory(self, n: int | None = None) -> str:
        return ""

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        rng = np.random.RandomState(plan["object_seed"])
        size = max(round(self.object_fraction * n), min(n, plan["n_clusters"]))
        most = max(sizes.SHAPES_SAMPLE, sizes.SHAPES_SAMPLE_EACH * plan["n_clusters"])
        if size > most:
            return draw_rows(n, most, rng)
        return np.sort(rng.choice(n, size=size, replace=False))

    def fit_sample(self, sample: Columns, plan: Plan) -> NearestInSample:
        rows = np.ascontiguousarray(sample.values.T, dtype=np.float64)
        return NearestInSample(sample, self.label_sample(rows, plan))

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> NearestInSample:
        return NearestInSample.restored(state, int(self.n_features_in_))
