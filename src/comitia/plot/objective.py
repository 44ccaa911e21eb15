"""How the objective fell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.plot._consensus import check_fitted
from comitia.plot._style import COLORS, tidy
from comitia.plot.base import Display

__all__ = ["ObjectiveDisplay"]


@dataclass(eq=False, repr=False)
class ObjectiveDisplay(Display):
    """How the objective of a method changed from iteration to iteration.

    A method that optimises each clustering has one curve for each. Since their values
    cannot be compared, what is drawn of each is how much of the way from its first
    value to its last is left.

    Attributes
    ----------
    curves : tuple of ndarray
        The values of each optimisation, one after each iteration.

    first : int
        The iteration of the first value: 0 when it is that of the start.

    converged : bool or None
        Whether the objective stopped changing; None when the method does not say.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import ObjectiveDisplay
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("wcc")(n_clusters=2, random_state=0).fit(votes)
    >>> display = ObjectiveDisplay.from_estimator(fitted)
    >>> len(display.curves), display.first, display.converged
    (1, 0, True)
    """

    curves: tuple[NDArray[np.float64], ...]
    first: int = 1
    converged: bool | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, ax: Any = None, component: int = 0
    ) -> Self:
        """Take it from a fitted method that has ``objective_``.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like, default=None
            Not used; there so that all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        component : int, default=0
            Which objective, for a method that has several.

        Returns
        -------
        display : ObjectiveDisplay
            The numbers.
        """
        check_fitted(estimator, "objective_")
        values = estimator.objective_
        parts = list(values) if isinstance(values, list | tuple) else [values]
        if all(np.ndim(part) == 0 for part in parts):
            parts = [np.asarray(parts)]
        curves = tuple(_component(np.asarray(part), component) for part in parts)
        n_iter = getattr(estimator, "n_iter_", -1)
        longest = max(map(len, curves))
        converged = getattr(estimator, "converged_", None)
        return cls(
            curves=curves,
            # One value more than iterations: the first is that of the start.
            first=0 if longest == np.max(n_iter) + 1 else 1,
            converged=None if converged is None else bool(np.all(converged)),
        )._drawn_on(ax)

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
        display : ObjectiveDisplay
            The numbers. A result does not say whether the first value is that of the
            start, so that values are numbered from 1.
        """
        curves = tuple(np.asarray(curve, dtype=float) for curve in result.objective)
        if not curves:
            raise ComitiaError(
                f"the method {result.method} has no objective; there is no curve to "
                "draw."
            )
        return cls(curves=curves, converged=result.converged)._drawn_on(ax)

    def _draw(self, ax: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        several = len(self.curves) > 1
        for number, curve in enumerate(self.curves):
            iterations = np.arange(self.first, self.first + len(curve))
            ax.plot(
                iterations,
                _left(curve) if several else curve,
                color=COLORS[0],
                linewidth=1.0 if several else 1.8,
                alpha=max(0.25, min(1.0, 6 / len(self.curves))),
                marker="o" if len(curve) <= 30 else None,
                markersize=3.5 if several else 5,
                label=f"{len(self.curves)} clusterings" if number == 0 else None,
            )
        end = {True: "converged", False: "stopped before it converged"}
        if not several and self.converged is not None:
            ax.plot(
                self.first + len(self.curves[0]) - 1,
                self.curves[0][-1],
                "o",
                markersize=9,
                markeredgecolor=COLORS[1],
                markeredgewidth=1.8,
                markerfacecolor=COLORS[1] if self.converged else "white",
                linestyle="none",
                label=end[self.converged],
            )
            ax.legend(handles=ax.get_legend_handles_labels()[0][-1:], frameon=False)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel(
            "iteration, from the start at 0" if not self.first else "iteration"
        )
        ax.set_ylabel(
            "what is left of the way to the last value" if several else "objective"
        )
        tidy(ax, "y")

    def _table(self) -> dict[str, Any]:
        lengths = [len(curve) for curve in self.curves]
        return {
            "data": {
                "curve": np.repeat(np.arange(len(lengths)), lengths),
                "iteration": np.concatenate([np.arange(n) for n in lengths])
                + self.first,
                "objective": np.concatenate(self.curves),
            }
        }


def _component(values: NDArray[Any], component: int) -> NDArray[np.float64]:
    if values.ndim == 1:
        if component != 0:
            raise ComitiaError(
                f"component={component} was asked for of a method with one objective; "
                "give 0."
            )
        return values.astype(np.float64)
    if not 0 <= component < values.shape[1]:
        raise ComitiaError(
            f"component={component} must lie in 0..{values.shape[1] - 1}, since the "
            f"method has {values.shape[1]} objectives."
        )
    return values[:, component].astype(np.float64)


def _left(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    way = curve[0] - curve[-1]
    return (curve - curve[-1]) / way if way != 0 else np.zeros_like(curve)
