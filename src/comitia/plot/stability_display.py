"""How far the clusterings of each setting agree."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.plot._style import short_name
from comitia.plot.display_base import Display
from comitia.plot.palette import COLORS, GRAY, tidy

__all__ = ["StabilityDisplay"]

# Above this many points numbers of clusters would lie on one another.
_MOST_NUMBERS = 30


@dataclass(eq=False, repr=False)
class StabilityDisplay(Display):
    """The inconsistency of each setting, such as a resolution.

    Settings below the dashed line are consistent: their clusterings are nearly the
    same whatever the seed. The number beside a point is that of its clusters, and a
    ring is around the consistent setting with the most.

    Attributes
    ----------
    settings : list
        The settings.

    inconsistency : ndarray of shape (n_settings,)
        The inconsistency coefficient of each, 1 or more.

    n_clusters : ndarray of shape (n_settings,)
        Number of clusters of each.

    threshold : float
        Below it a setting is consistent.

    best : object
        The consistent setting with the most clusters; None if there is none.

    Examples
    --------
    >>> import comitia
    >>> from comitia.plot import StabilityDisplay
    >>> votes = comitia.Ensemble([[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1]])
    >>> found = comitia.stability(votes, by=[0.5, 0.5, 1.0, 1.0])
    >>> StabilityDisplay.from_stability(found).inconsistency.round(2)
    array([1.  , 1.33])
    """

    settings: list[Any]
    inconsistency: NDArray[np.float64]
    n_clusters: NDArray[np.int64]
    threshold: float
    best: Any = None

    @classmethod
    def from_stability(cls, stability: Any, *, ax: Any = None) -> Self:
        """Take it from what :func:`comitia.stability` found.

        Parameters
        ----------
        stability : Stability
            The stability of each setting.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        Returns
        -------
        display : StabilityDisplay
            The numbers.
        """
        return cls(
            settings=list(stability.settings),
            inconsistency=np.asarray(stability.inconsistency),
            n_clusters=np.asarray(stability.n_clusters),
            threshold=float(stability.threshold),
            best=stability.best,
        )._plot_if(ax)

    def _draw(self, ax: Any) -> None:
        numeric = all(isinstance(one, Real) for one in self.settings)
        places = np.asarray(
            self.settings if numeric else range(len(self.settings)), dtype=np.float64
        )
        ax.axhline(
            self.threshold, color=GRAY, linestyle="--", linewidth=1.0, label="threshold"
        )
        ax.plot(places, self.inconsistency, color=COLORS[0], marker="o", linewidth=1.6)
        if self.best is not None:
            at = self.settings.index(self.best)
            ax.plot(
                places[at],
                self.inconsistency[at],
                linestyle="none",
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=COLORS[1],
                markeredgewidth=2.0,
                label="finest consistent setting",
            )
        if len(places) <= _MOST_NUMBERS:
            for x, y, k in zip(
                places, self.inconsistency, self.n_clusters.tolist(), strict=True
            ):
                if not np.isnan(y):
                    ax.annotate(
                        str(k),
                        (x, y),
                        textcoords="offset points",
                        xytext=(0, 9),
                        ha="center",
                        fontsize="small",
                        color=GRAY,
                    )
        if not numeric:
            ax.set_xticks(places, [short_name(one) for one in self.settings])
        ax.set_xlabel("setting")
        ax.set_ylabel("inconsistency of its clusterings")
        ax.legend(frameon=False, fontsize="small")
        tidy(ax, "y")

    def _table(self) -> dict[str, Any]:
        return {
            "data": {
                "n_clusters": self.n_clusters,
                "inconsistency": self.inconsistency,
                "consistent": self.inconsistency < self.threshold,
            },
            "index": self.settings,
        }
