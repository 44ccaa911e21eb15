"""How all plots look: one palette, one way to make axes, one way to write names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = [
    "COLORS",
    "DIVERGING",
    "GRAY",
    "LIGHT",
    "LINES",
    "MARKERS",
    "SEQUENTIAL",
    "cluster_color",
    "cluster_marker",
    "color_bar",
    "ink_on",
    "make_axes",
    "name_ticks",
    "tidy",
    "words",
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

# From white, so that "nothing" is the paper; both stay apart for colour-blind readers
# and the first in print.
SEQUENTIAL = "Blues"
DIVERGING = "PuOr_r"

_LONGEST_NAME = 28


def cluster_color(c: int) -> str:
    """Colour of the c-th cluster, curve or bar."""
    return COLORS[c % len(COLORS)]


def cluster_marker(c: int) -> str:
    """Shape of the c-th cluster."""
    return MARKERS[c % len(MARKERS)]


def ink_on(color: str) -> str:
    """Black or white, whichever is read better on a colour."""
    from matplotlib.colors import to_rgb

    return "black" if np.dot(to_rgb(color), (0.299, 0.587, 0.114)) > 0.5 else "white"


def make_axes(
    ax: Any, size: tuple[float, float], n_panels: int = 1
) -> tuple[Any, list[Any]]:
    """The figure and the axes to draw on: those given, or new ones."""
    if ax is not None:
        given = [ax] if n_panels == 1 and not np.ndim(ax) else list(np.ravel(ax))
        return given[0].get_figure(), given
    try:
        from matplotlib import pyplot as plt
    except ImportError:
        raise ImportError(
            "plot() needs matplotlib; install it with pip install 'comitia[plot]'."
        ) from None
    figure, axes = plt.subplots(
        1, n_panels, figsize=size, layout="constrained", squeeze=False
    )
    return figure, list(axes[0])


def tidy(ax: Any, grid: str | None = None) -> None:
    """Take off the frame where nothing is read; a faint grid where something is."""
    ax.spines[["top", "right"]].set_visible(False)
    if grid is not None:
        ax.grid(True, axis=grid, color=LIGHT, linewidth=0.7)
        ax.set_axisbelow(True)


def words(name: Any) -> str:
    """A name from the user's data, as one short line that matplotlib leaves alone."""
    text = " ".join(str(name).split())
    if len(text) > _LONGEST_NAME:
        text = text[: _LONGEST_NAME - 1] + "…"
    # Between two dollar signs matplotlib would set mathematics.
    return text.replace("$", r"\$")


def name_ticks(
    axis: Any, names: Iterable[Any], positions: Iterable[float], most: int = 40
) -> None:
    """Names at their places; every second, third, … where they are too many."""
    labels = [words(name) for name in names]
    step = max(1, -(-len(labels) // most))
    axis.set_ticks(list(positions)[::step], labels=labels[::step])
    axis.set_tick_params(length=0, labelsize="small" if len(labels) > 15 else "medium")


def color_bar(image: Any, ax: Any, label: str, extend: str = "neither") -> Any:
    """The scale beside an image, without a frame."""
    bar = ax.get_figure().colorbar(
        image, ax=ax, fraction=0.046, pad=0.03, aspect=30, extend=extend
    )
    bar.set_label(label)
    bar.outline.set_visible(False)
    return bar
