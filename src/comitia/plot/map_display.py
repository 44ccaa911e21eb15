"""The objects on a map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.display.consensus_view import Consensus, read_estimator, read_result
from comitia.display.object_map import map_objects
from comitia.plot._style import cluster_color, cluster_marker
from comitia.plot.display_base import Display
from comitia.plot.palette import GRAY, tidy

__all__ = ["MapDisplay"]

# Markers of objects with confidence 0 and 1: area in square points, and opacity.
_AREA = (12.0, 46.0)
_OPACITY = (0.25, 0.9)

# From this many objects on markers are smaller.
_FEW = 500


@dataclass(eq=False, repr=False)
class MapDisplay(Display):
    """The objects on a map, in the colours and shapes of their clusters.

    With data, the map is that of their two principal components; without, that of the
    labels (see ``comitia.display.object_map``). An object that the clusterings
    are sure of is large and solid, a doubtful one small and pale.

    Attributes
    ----------
    positions : ndarray of shape (n_objects, 2)
        Where each object is.

    labels : ndarray of shape (n_objects,)
        Its cluster.

    confidence : ndarray of shape (n_objects,)
        Probability that it is in the right cluster.

    axes : tuple of str
        What the two axes are, in words.

    n_clusters : int
        Number of clusters.

    object_names : ndarray of shape (n_objects,) or None
        Names of the objects.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import MapDisplay
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 0], [1, 0]])
    >>> display = MapDisplay.from_estimator(method("eac")(n_clusters=2).fit(votes))
    >>> display.positions[:, 0].round(2)
    array([ 0.71,  0.71, -0.71, -0.71])
    """

    positions: NDArray[np.float64]
    labels: NDArray[np.int32]
    confidence: NDArray[np.float64]
    axes: tuple[str, str]
    n_clusters: int
    object_names: NDArray[Any] | None = None

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, ax: Any = None) -> Self:
        """Compute it for a fitted method.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like of shape (n_objects, n_features), default=None
            The data. Without, the map is made of the labels alone.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        Returns
        -------
        display : MapDisplay
            The numbers.
        """
        consensus = read_estimator(estimator)
        positions, axes = map_objects(consensus.ensemble, X)
        return cls._from_consensus(consensus, positions, axes)._plot_if(ax)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None) -> Self:
        """Take it from a result.

        Parameters
        ----------
        result : Result
            The result.

        ax : Axes, default=None
            As for :meth:`from_estimator`.

        Returns
        -------
        display : MapDisplay
            The numbers.
        """
        consensus = read_result(result)
        positions, axes = result.positions, result.axes
        if positions is None:
            positions, axes = map_objects(consensus.ensemble)
        return cls._from_consensus(consensus, positions, axes)._plot_if(ax)

    @classmethod
    def _from_consensus(
        cls,
        consensus: Consensus,
        positions: NDArray[np.float64],
        axes: tuple[str, str],
    ) -> Self:
        return cls(
            positions=positions,
            labels=consensus.labels,
            confidence=consensus.confidence,
            axes=axes,
            n_clusters=consensus.n_clusters,
            object_names=consensus.object_names,
        )

    def _draw(self, ax: Any) -> None:
        sure = np.clip(self.confidence, 0.0, 1.0)
        n = len(sure)
        shrink = max(0.08, min(1.0, (_FEW / n) ** 0.5))
        areas = (_AREA[0] + (_AREA[1] - _AREA[0]) * sure) * shrink
        opacity = _OPACITY[0] + (_OPACITY[1] - _OPACITY[0]) * sure
        for c in range(self.n_clusters):
            inside = np.flatnonzero(self.labels == c)
            # The sure ones on top of the doubtful ones.
            inside = inside[np.argsort(sure[inside], kind="stable")]
            ax.scatter(
                *self.positions[inside].T,
                s=areas[inside],
                alpha=opacity[inside],
                color=cluster_color(c),
                marker=cluster_marker(c),
                linewidths=0,
                rasterized=n > 5000,
                label=f"cluster {c}, {len(inside)}",
            )
        self._draw_legend(ax)
        ax.set_xlabel(self.axes[0])
        ax.set_ylabel(self.axes[1])
        tidy(ax)

    def _draw_legend(self, ax: Any) -> None:
        from matplotlib.lines import Line2D

        def entry(label: str, color: str, marker: str, sure: float) -> Any:
            area = _AREA[0] + (_AREA[1] - _AREA[0]) * sure
            return Line2D(
                [],
                [],
                linestyle="none",
                marker=marker,
                markersize=area**0.5,
                alpha=_OPACITY[0] + (_OPACITY[1] - _OPACITY[0]) * sure,
                color=color,
                markeredgewidth=0,
                label=label,
            )

        sizes = np.bincount(self.labels, minlength=self.n_clusters)
        handles = [
            entry(f"{c}  ({sizes[c]})", cluster_color(c), cluster_marker(c), 1.0)
            for c in range(self.n_clusters)
        ]
        handles += [
            entry("sure", GRAY, "o", 1.0),
            entry("doubtful", GRAY, "o", 0.0),
        ]
        # Beside the map where there is room, so that it hides no object.
        place = {"loc": "upper left", "bbox_to_anchor": (1.0, 1.0), "frameon": False}
        ax.legend(
            handles=handles,
            title="cluster (objects)",
            ncols=-(-len(handles) // 18),
            **(place if self._has_room else {"loc": "best", "fontsize": "small"}),
        )

    def _table(self) -> dict[str, Any]:
        return {
            "data": {
                "x": self.positions[:, 0],
                "y": self.positions[:, 1],
                "cluster": self.labels,
                "confidence": self.confidence,
            },
            "index": self.object_names,
        }
