"""Methods side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.plot._style import COLORS, GRAY, name_ticks, tidy
from comitia.plot.base import Display

__all__ = ["ComparisonDisplay"]


@dataclass(eq=False, repr=False)
class ComparisonDisplay(Display):
    """Mean ranks of several methods, with their spread, the best on top.

    Bars at the right join methods whose differences are noise.

    Attributes
    ----------
    names : ndarray of shape (n_methods,)
        The methods, from the best to the worst.

    means : ndarray of shape (n_methods,)
        Mean rank of each; 1 is the best.

    spreads : ndarray of shape (n_methods,)
        Standard deviation of the ranks of each.

    groups : list of tuple of int
        First and last place of methods that are not told apart from each other.

    unranked : dict of str to str
        Methods without a rank, and what became of them.

    Examples
    --------
    >>> from comitia import compare
    >>> from comitia.plot import ComparisonDisplay
    >>> found = compare(X, panel="quick", n_clusters=3)  # doctest: +SKIP
    >>> ComparisonDisplay.from_comparison(found).plot()  # doctest: +SKIP
    """

    names: NDArray[Any]
    means: NDArray[np.float64]
    spreads: NDArray[np.float64]
    groups: list[tuple[int, int]]
    unranked: dict[str, str]

    @classmethod
    def from_comparison(cls, comparison: Any, *, ax: Any = None) -> Self:
        """Take it from what :func:`comitia.compare` found.

        Parameters
        ----------
        comparison : Comparison
            Methods that were compared on resamples.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        Returns
        -------
        display : ComparisonDisplay
            The ranks, the best first.
        """
        ranked = [row for row in comparison.rows if np.isfinite(row.rank)]
        if not ranked:
            raise ComitiaError(
                "no method has a rank, since ranks come from resamples; compare with "
                "n_resamples of 2 or more."
            )
        ranked.sort(key=lambda row: row.rank)
        place = {row.id: i for i, row in enumerate(ranked)}
        ends = [sorted(place[name] for name in group) for group in comparison.groups]
        return cls(
            names=np.array([row.id for row in ranked]),
            means=np.array([row.rank for row in ranked]),
            spreads=np.array([row.rank_sd for row in ranked]),
            groups=[(places[0], places[-1]) for places in ends],
            unranked={
                row.id: "no result in some resample"
                if row.status == "ok"
                else row.status
                for row in comparison.rows
                if not np.isfinite(row.rank)
            },
        )._drawn_on(ax)

    def _size(self) -> tuple[float, float]:
        return 6.4, 1.5 + 0.28 * max(len(self.names) + len(self.unranked), 6)

    def _draw(self, ax: Any) -> None:
        n = len(self.names)
        places = np.arange(n)
        ax.errorbar(
            self.means,
            places,
            xerr=self.spreads,
            linestyle="none",
            marker="o",
            color=COLORS[0],
            ecolor=COLORS[0],
            elinewidth=1.2,
            capsize=3,
            label="mean rank and its standard deviation",
        )
        right = float((self.means + self.spreads).max())
        left = float((self.means - self.spreads).min())
        step = 0.03 * max(right - left, 1.0)
        # A method that is told apart from all others needs no bar.
        joined = [group for group in self.groups if group[1] > group[0]]
        for number, (first, last) in enumerate(joined):
            ax.plot(
                [right + (number + 2) * step] * 2,
                [first - 0.2, last + 0.2],
                color=COLORS[1],
                linewidth=3.0,
                solid_capstyle="butt",
                label="differences that are noise" if number == 0 else None,
            )
        for number, why in enumerate(self.unranked.values()):
            ax.text(
                0.02,
                n + number,
                f"not ranked: {why}",
                transform=ax.get_yaxis_transform(),
                va="center",
                color=GRAY,
                fontstyle="italic",
                fontsize="small",
            )
        names = [*self.names, *self.unranked]
        name_ticks(ax.yaxis, names, range(len(names)), most=len(names))
        ax.set_ylim(len(names) - 0.4, -0.6)
        ax.set_xlabel("mean rank, 1 is the best")
        ax.set_ylabel("method")
        ax.legend(
            frameon=False,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=2,
            fontsize="small",
        )
        tidy(ax, "x")

    def _table(self) -> dict[str, Any]:
        nothing = np.full(len(self.unranked), np.nan)
        return {
            "data": {
                "mean_rank": np.concatenate([self.means, nothing]),
                "spread": np.concatenate([self.spreads, nothing]),
                "status": ["ok"] * len(self.names) + list(self.unranked.values()),
            },
            "index": [*self.names, *self.unranked],
        }
