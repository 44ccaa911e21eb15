"""How all plots are drawn: one way to make axes, one way to write names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from comitia._optional import import_optional
from comitia.plot.palette import COLORS, MARKERS

__all__ = [
    "cluster_color",
    "cluster_marker",
    "color_bar",
    "ink_on",
    "make_axes",
    "name_ticks",
    "short_name",
]

_LONGEST_NAME = 28


def cluster_color(c: int) -> str:
    """Colour of the c-th cluster, curve or bar."""
    return COLORS[c % len(COLORS)]


def cluster_marker(c: int) -> str:
    """Shape of the c-th cluster."""
    return MARKERS[c % len(MARKERS)]


def ink_on(color: Any) -> str:
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
    plt = import_optional("matplotlib.pyplot", "plot()", "plot")
    figure, axes = plt.subplots(
        1, n_panels, figsize=size, layout="constrained", squeeze=False
    )
    return figure, list(axes[0])


def short_name(name: Any) -> str:
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
    labels = [short_name(name) for name in names]
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
