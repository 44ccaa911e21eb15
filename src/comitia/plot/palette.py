"""What pictures share: colours, shapes and lines, and how axes look."""

from __future__ import annotations

from typing import Any

__all__ = [
    "COLORS",
    "DIVERGING",
    "GRAY",
    "LIGHT",
    "LINES",
    "MARKERS",
    "SEQUENTIAL",
    "tidy",
]

# The palette of Okabe and Ito less its yellow, which is lost on white. Seven colours
# and eight shapes make 56 pairs that differ in both from one cluster to the next.
COLORS = (
    "#0072B2",  # blue
    "#D55E00",  # vermilion
    "#009E73",  # green
    "#CC79A7",  # purple
    "#E69F00",  # orange
    "#56B4E9",  # sky blue
    "#000000",  # black
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
GRAY = "#6B6B6B"
LIGHT = "#D9D9D9"

# White is zero. Colour-blind readers tell the values of both apart, and the first also
# reads in black and white.
SEQUENTIAL = "Blues"
DIVERGING = "PuOr_r"


def tidy(ax: Any, grid: str | None = None) -> None:
    """Hide the top and the right spine; draw a faint grid along an axis.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
        The axes.

    grid : {"x", "y", "both"}, default=None
        Where the grid is; None for nowhere.
    """
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=LIGHT, linewidth=0.7)
        ax.set_axisbelow(True)
