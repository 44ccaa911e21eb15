"""What all Displays share."""

from __future__ import annotations

from typing import Any, Self

from comitia._optional import import_optional
from comitia.plot._style import make_axes

__all__ = ["Display"]


class Display:
    """Base class of the plots; a Display has its own ``_draw`` and ``_table``.

    Attributes
    ----------
    ax_ : Axes
        What was drawn on last.

    figure_ : Figure
        The figure it belongs to.
    """

    ax_: Any
    figure_: Any

    # Whether the figure is our own, so that a legend may stand beside the axes.
    _has_room: bool

    # -- what a Display writes ----------------------------------------------------

    def _draw(self, ax: Any) -> None:
        """Put the numbers on the axes."""
        raise TypeError(f"{type(self).__name__} does not say how it is drawn.")

    def _table(self) -> dict[str, Any]:
        """The arguments of a DataFrame of the numbers."""
        raise TypeError(f"{type(self).__name__} does not say what its table is.")

    def _size(self) -> tuple[float, float]:
        """Width and height of a figure of its own, in inches."""
        return 6.4, 4.8

    # -- what it inherits ---------------------------------------------------------

    def plot(self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes, default=None
            Where to draw; a new figure by default.

        Returns
        -------
        self : Display
            With ``ax_`` and ``figure_``.
        """
        self.figure_, [self.ax_] = make_axes(ax, self._size())
        self._has_room = ax is None
        self._draw(self.ax_)
        return self

    def frame(self) -> Any:
        """Give the numbers as a table.

        Returns
        -------
        table : DataFrame
            What is drawn, with names.
        """
        return make_frame(**self._table())

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: plot() draws it, frame() tables it>"

    def _plot_if(self, ax: Any) -> Self:
        """Draw at once if axes were given to ``from_…``."""
        return self if ax is None else self.plot(ax)


def make_frame(data: Any, index: Any = None, columns: Any = None) -> Any:
    """A DataFrame of pandas, or an error that says how to get pandas."""
    pd = import_optional("pandas", "frame()", "io")
    return pd.DataFrame(data, index=index, columns=columns)
