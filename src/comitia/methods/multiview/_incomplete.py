"""What MIC and OMVC share: factors of views that lack objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import floats_on, to_numpy
from comitia._parameter_rules import SHARED
from comitia._sklearn import StrOptions
from comitia.exceptions import ComitiaError
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._coupled_factors import (
    CoupledView,
    coupled_objective,
    coupled_sweep,
)
from comitia.methods.multiview._prepared_views import (
    balance_view,
    row_scale,
    scale_view,
    view_limits,
)
from comitia.methods.multiview._shared import choose_from_views
from comitia.partition import kmeans

__all__ = ["IncompleteViewMethod", "ViewUnits", "start_shares"]

Floats = NDArray[np.float64]

# What every object has of every cluster at the start: an entry of zero would stay zero.
_OFFSET = 0.2


class ViewUnits:
    """How a view is made non-negative and brought to common units, once for all.

    Attributes
    ----------
    total : float
        Mean sum of a row, in the new units: what the columns of V sum to.
    """

    def __init__(self, X: Floats, scale: str | None) -> None:
        self.scale = scale
        self.limits = view_limits(X, scale)
        self.length = 1.0
        scaled = self.apply(X)
        if scale is not None:
            self.length = row_scale(scaled)
        total = float(np.nansum(scaled)) / self.length
        n_present = int((~np.isnan(X[:, 0])).sum())
        self.total = total / n_present if total > 0 else 1.0

    def apply(self, X: Floats) -> Floats:
        """Bring objects to these units."""
        if self.scale is None and np.nanmin(X, initial=0.0) < 0:
            view_limits(X, None)  # refuses negative numbers in words
        return scale_view(X, self.scale, limits=self.limits) / self.length


class IncompleteViewMethod(MultiViewMethod):
    """Base class: factors of views in which objects may be missing.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Mean weight of each object over the views.

    view_object_weights_ : ndarray of shape (n_objects, n_views)
        Weight of each object in each view.
    """

    _takes_missing = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "view_penalty": [*SHARED["view_penalty"], "array-like"],
        "sparsity_penalty": [*SHARED["sparsity_penalty"], "array-like"],
        "scale": [StrOptions({"minmax", "shift"}), None],
    }

    scale: str | None
    view_penalty: float | Sequence[float]
    sparsity_penalty: float | Sequence[float]
    n_init: int
    max_iter: int
    tol: float

    def _number_of_clusters(
        self, present: NDArray[np.bool_], arrays: list[Floats]
    ) -> int:
        """``n_clusters``, or the eigengap of the neighbour graphs."""
        if self.n_clusters is not None:
            return int(self.n_clusters)
        everywhere = present.all(axis=1)
        # Objects that were filled in are all alike, and would make a cluster.
        if everywhere.sum() > 2:
            return choose_from_views([X[everywhere] for X in arrays])
        return choose_from_views(arrays)

    def _place(
        self,
        arrays: list[Floats],
        units: list[ViewUnits],
        weights: Floats,
        shares: Floats,
    ) -> list[CoupledView]:
        """The views on their device, with factors that start from shares of clusters.

        All views start from the same shares, so that a column means the same cluster
        in each of them.
        """
        placed = []
        for m, (X, unit) in enumerate(zip(arrays, units, strict=True)):
            t = weights[:, m] ** 2
            sums = X.T @ (t[:, None] * shares) + 1e-12
            # Means of the clusters, as far as the shares tell them apart.
            means = sums * (unit.total / sums.sum(axis=0))
            X, t, U, V = (floats_on(A, self._device) for A in (X, t, shares, means))
            placed.append(CoupledView(X, t, U, V, unit.total))
        return placed

    def _sweep(
        self, views: list[CoupledView], consensus: Any
    ) -> tuple[list[CoupledView], Any, list[float], bool]:
        """Sweep until the objective stops falling; its values, and whether it did."""
        penalties = self._penalties(len(views))
        objective = [coupled_objective(views, consensus, *penalties)]
        for _ in range(self.max_iter):
            views, consensus = coupled_sweep(views, consensus, *penalties)
            objective.append(coupled_objective(views, consensus, *penalties))
            if objective[-2] - objective[-1] <= self.tol * objective[0]:
                return views, consensus, objective, True
        return views, consensus, objective, False

    def _penalties(self, n_views: int) -> tuple[list[float], list[float]]:
        """The two penalties of each view."""
        return (
            _one_for_each("view_penalty", self.view_penalty, n_views),
            _one_for_each("sparsity_penalty", self.sparsity_penalty, n_views),
        )

    def _start_shares(
        self, arrays: list[Floats], n_clusters: int, rng: np.random.RandomState
    ) -> Floats:
        """Shares of clusters, from k-means on all views side by side."""
        wide = np.concatenate([balance_view(X) for X in arrays], axis=1)
        labels = kmeans(wide, n_clusters, rng, n_init=self.n_init).labels
        return start_shares(labels, n_clusters)

    def _keep_views(self, views: list[CoupledView], present: NDArray[np.bool_]) -> None:
        labels = np.stack([to_numpy(view.U).argmax(axis=1) for view in views], axis=1)
        self.view_labels_ = np.where(present, labels, -1)

    def _keep_weights(self, weights: Floats) -> None:
        self.view_object_weights_ = weights
        self.object_weights_ = weights.mean(axis=1)


def _one_for_each(name: str, penalty: Any, n_views: int) -> list[float]:
    found = np.asarray(penalty, dtype=np.float64)
    if found.shape not in ((), (n_views,)):
        raise ComitiaError(
            f"{name} has the shape {found.shape}; give one number, or one for each of "
            f"the {n_views} view(s)."
        )
    if not (np.isfinite(found).all() and (found >= 0).all()):
        raise ComitiaError(f"{name}={penalty!r} must be finite and not negative.")
    return list(np.broadcast_to(found, (n_views,)).tolist())


def start_shares(labels: NDArray[Any], n_clusters: int) -> Floats:
    """Shares of clusters that are mostly, but not only, that of a partition.

    Rows sum to one.
    """
    shares = np.eye(n_clusters)[labels] + _OFFSET
    return shares / (1.0 + _OFFSET * n_clusters)
