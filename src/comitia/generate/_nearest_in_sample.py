"""Members that are fitted on a sample, and label objects like the nearest in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property, partial
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._labels import narrowest
from comitia.generate._checkpoint import check_state
from comitia.generate._kmeans_on_samples import landmark_centers
from comitia.generate._kmeans_on_samples import sample_rows as draw_rows
from comitia.generate.columns import Columns, Frame
from comitia.generate.generator import Generator, Keep, Plan
from comitia.generate.member import Made, ShiftedModel

__all__ = ["NearestInSample", "ShapesGenerator"]

# Rows that are labelled at once.
_BLOCK = 1 << 16

# What it takes to compare an object with one of the sample in one feature, where a row
# of labels is 1.
_COST = 1e-3

# Members keep all objects together, not each a copy of its sample, where there are no
# more than so many times as many.
_SHARED = 10

# Groups of the sample that an object looks at; rounds of k-means that make them.
_LOOKED = 6
_MAX_ITER = 5  # of the k-means that makes groups


class NearestInSample:
    """Labels an object like its nearest neighbour in a sample.

    Parameters
    ----------
    sample : Columns
        The objects of the sample, or more objects.

    labels : ndarray of shape (m,)
        Their labels, 0..k-1, all of which occur.

    rows : ndarray of int of shape (m,), default=None
        Which objects are the sample; all by default.
    """

    def __init__(
        self,
        sample: Columns,
        labels: NDArray[Any],
        rows: NDArray[np.int64] | None = None,
    ) -> None:
        self._objects: Columns | None = sample
        self._rows = rows
        self.labels = labels.astype(np.int32)

    @property
    def sample(self) -> Columns:
        """The objects of the sample."""
        assert self._objects is not None
        return self._objects if self._rows is None else self._objects.take(self._rows)

    def among(self, objects: Columns, rows: NDArray[np.int64]) -> NearestInSample:
        """The same, without a copy of the sample where that is much of all objects.

        Members of one ensemble share the objects.
        """
        if _SHARED * len(rows) < len(objects):
            return self
        return NearestInSample(objects, self.labels, rows)

    def share(self, objects: Columns | None) -> None:
        """Look at these objects, where they are shared; None lets go of them."""
        if self._rows is not None:
            self._objects = objects

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max()) + 1

    def label_columns(self, columns: NDArray[Any]) -> NDArray[np.int32]:
        """Label objects of shape (p, n) that are in the frame; the first of equals."""
        from comitia._kernels.nearest import (
            nearest_by_groups,
            nearest_of_wide,
            nearest_points,
        )
        from comitia._kernels.sums import over_ranges

        points = self.sample.values
        columns = np.ascontiguousarray(columns, dtype=points.dtype)
        n = columns.shape[1]
        nearest = np.empty(n, dtype=np.int64)

        # Single precision is for very many objects; they look at a part of the sample.
        groups = self._groups if points.dtype == np.float32 else None
        wide = len(points) >= sizes.MANY_FEATURES
        whole = nearest_of_wide if wide else nearest_points

        def work(start: int, stop: int) -> None:
            if groups is None:
                whole(columns, points, start, stop, nearest)
            else:
                nearest_by_groups(columns, *groups, start, stop, nearest)

        over_ranges(work, n, _COST * points.size)
        return self.labels[nearest]

    @cached_property
    def _groups(self) -> tuple[Any, ...]:
        """The sample in groups: what the kernel wants after the objects."""
        points, order, starts, centers = in_groups(self.sample.values)
        return points, order, starts, centers, min(_LOOKED, centers.shape[1])

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Label objects of shape (n, p)."""
        sample = self.sample
        frame, dtype = sample.frame, sample.values.dtype
        found = [
            self.label_columns(frame.columns(X[lo : lo + _BLOCK], dtype))
            for lo in range(0, len(X), _BLOCK)
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int32)

    def state(self) -> dict[str, NDArray[Any]]:
        """The arrays it is made of."""
        sample = self.sample
        return {
            "sample": sample.values,
            "sample_labels": self.labels,
            "shift": sample.frame.shift,
            "scale": np.asarray(sample.frame.scale),
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
        X = np.ascontiguousarray(sample.values.T, dtype=np.float64)
        labels = self.label_sample(X, plan)[_first_copies(X)]
        return NearestInSample(sample, np.unique(labels, return_inverse=True)[1])

    def fit_member(self, X: Columns, plan: Plan) -> Made:
        rows = self.sample_rows(len(X), plan)
        model = self.fit_sample(X.take(rows), plan)
        labels = np.empty(len(X), dtype=narrowest(model.n_clusters))
        # The nearest of an object of the sample is that object.
        labels[rows] = model.labels
        left = np.delete(np.arange(len(X)), rows)
        if len(left):
            labels[left] = model.label_columns(X.values[:, left])
        return Made(labels, model=model.among(X, rows))

    def fit_members(self, X: Columns, plans: list[Plan], keep: Keep) -> Iterable[Made]:
        # A process that made a member does not send all objects back with it.
        for made in super().fit_members(X, plans, partial(_keep_alone, keep)):
            _share(made, X)
            yield made

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> NearestInSample:
        return NearestInSample.restored(state, int(self.n_features_in_))


def _keep_alone(keep: Keep, m: int, fit: Callable[[], Made]) -> Made:
    made = keep(m, fit)
    _share(made, None)
    return made


def _share(made: Made, objects: Columns | None) -> None:
    model = made.model
    while isinstance(model, ShiftedModel):
        model = model.model
    if isinstance(model, NearestInSample):
        model.share(objects)


def _first_copies(X: NDArray[np.float64]) -> NDArray[np.intp]:
    """The first object with the values of each object."""
    # As bytes; the sum turns the other zero into this one.
    rows = np.ascontiguousarray(X + 0.0).view(f"V{X.itemsize * X.shape[1]}").ravel()
    _, first, copies = np.unique(rows, return_index=True, return_inverse=True)
    return first[copies]


def in_groups(columns: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Points of (p, n) group after group, their places, where groups start, centres."""
    from comitia._kernels.nearest import nearest_points
    from comitia._kernels.sums import over_ranges

    n = columns.shape[1]
    rng = np.random.RandomState(0)
    found = landmark_centers(columns, isqrt(n), rng, init="random", max_iter=_MAX_ITER)
    centers = np.ascontiguousarray(found.T)
    groups = np.empty(n, dtype=np.int64)

    def assign(start: int, stop: int) -> None:
        nearest_points(columns, centers, start, stop, groups)

    over_ranges(assign, n, _COST * centers.size)
    # Groups that nobody is in would be looked at in vain.
    used, groups = np.unique(groups, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    starts = np.searchsorted(groups[order], np.arange(len(used) + 1))
    points = np.ascontiguousarray(columns[:, order])
    return points, order, starts, np.ascontiguousarray(centers[:, used])
