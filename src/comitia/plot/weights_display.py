"""What a method weighs, from the heaviest to the lightest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia._steps import check_choice
from comitia.display.consensus_view import (
    WEIGHED,
    Consensus,
    read_estimator,
    read_result,
)
from comitia.display.feature_table import name_features
from comitia.exceptions import ComitiaError
from comitia.plot._style import color_bar, name_ticks
from comitia.plot.display_base import Display
from comitia.plot.palette import COLORS, GRAY, SEQUENTIAL, tidy

__all__ = ["WeightsDisplay"]

# The attribute that holds the weights of each kind of item.
_ATTRIBUTES = {items: attribute for attribute, items in WEIGHED.items()}

# More bars than this cannot be told apart, nor their names read.
_BARS = 40


@dataclass(eq=False, repr=False)
class WeightsDisplay(Display):
    """What a method weighs, from the heaviest to the lightest.

    Up to 40 weights are bars with names, more are one falling curve. Feature weights
    that differ from cluster to cluster are a table of colours.

    Attributes
    ----------
    of : {"clusterings", "clusters", "objects", "features", "views"}
        What has the weights.

    weights : ndarray of shape (n_items,) or (n_rows, n_items)
        The weights in falling order; in two dimensions columns in falling order of
        their means.

    order : ndarray of shape (n_items,)
        Which item each weight belongs to.

    names : ndarray of shape (n_items,)
        The name of each, in the order of the weights.

    selected : ndarray of bool of shape (n_items,) or None
        Which items a selection kept, in the order of the weights.

    rows : str
        In two dimensions, what a row is.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import WeightsDisplay
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("weac")(n_clusters=2).fit(votes)
    >>> display = WeightsDisplay.from_estimator(fitted)
    >>> display.of, display.order
    ('clusterings', array([0, 1, 2]))
    """

    of: str
    weights: NDArray[np.float64]
    order: NDArray[np.int64]
    names: NDArray[Any]
    selected: NDArray[np.bool_] | None = None
    rows: str = "cluster"

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        ax: Any = None,
        of: str | None = None,
        feature_names: Sequence[Any] | None = None,
    ) -> Self:
        """Take them from a fitted method.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : DataFrame, default=None
            The data; only the names of its columns are read.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        of : {"clusterings", "clusters", "objects", "features", "views"}, default=None
            Which weights, for a method that has several; the first of these that it
            has by default.

        feature_names : sequence of shape (n_features,), default=None
            Names of the features; those of the data by default.

        Returns
        -------
        display : WeightsDisplay
            The weights, sorted.
        """
        consensus = read_estimator(estimator)
        if feature_names is None:
            feature_names = getattr(X, "columns", None)
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        who = f"this {type(estimator).__name__}"
        return cls._from_consensus(consensus, of, feature_names, who)._plot_if(ax)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None, of: str | None = None) -> Self:
        """Take them from a result.

        Parameters
        ----------
        result : Result
            The result.

        ax, of : shared
            As for :meth:`from_estimator`.

        Returns
        -------
        display : WeightsDisplay
            The weights, sorted.
        """
        names = result.feature_names or None
        who = f"the method {result.method}"
        return cls._from_consensus(read_result(result), of, names, who)._plot_if(ax)

    @classmethod
    def _from_consensus(
        cls,
        consensus: Consensus,
        of: str | None,
        feature_names: Sequence[Any] | None,
        who: str,
    ) -> Self:
        of = _kind_to_draw(consensus.weights, of, who)
        weights = np.asarray(consensus.weights[_ATTRIBUTES[of]], dtype=np.float64)
        level = weights if weights.ndim == 1 else weights.mean(axis=0)
        order = np.argsort(-level, kind="stable")
        names = _names(consensus, of, len(level), feature_names)
        kept = consensus.weights.get("selected")
        if kept is not None:
            # It may have selected clusters where weights of clusterings are drawn.
            fits = of in ("clusterings", "clusters") and len(kept) == len(level)
            kept = kept[order].astype(bool) if fits else None
        return cls(
            of=of,
            weights=weights[..., order],
            order=order,
            names=names[order],
            selected=kept,
            rows=(
                "cluster of the consensus"
                if len(weights) == consensus.n_clusters
                else "cluster of the ensemble"
            ),
        )

    def _size(self) -> tuple[float, float]:
        if self.weights.ndim == 1 and len(self.weights) <= _BARS:
            return 6.4, 1.2 + 0.24 * max(len(self.weights), 6)
        return 6.4, 4.8

    def _draw(self, ax: Any) -> None:
        if self.weights.ndim == 2:
            self._draw_table(ax)
        elif len(self.weights) <= _BARS:
            self._draw_bars(ax)
        else:
            self._draw_curve(ax)

    def _draw_bars(self, ax: Any) -> None:
        places = np.arange(len(self.weights))
        kept = True if self.selected is None else self.selected
        ax.barh(
            places,
            self.weights,
            color=np.where(np.broadcast_to(kept, places.shape), COLORS[0], "white"),
            edgecolor=COLORS[0],
            height=0.75,
        )
        name_ticks(ax.yaxis, self.names, places)
        ax.set_ylim(len(places) - 0.4, -0.6)
        ax.set_xlabel(self._value_name())
        ax.set_ylabel(_singular(self.of))
        self._draw_mean(ax.axvline)
        self._draw_legend(ax)
        tidy(ax, "x")

    def _draw_curve(self, ax: Any) -> None:
        n = len(self.weights)
        ax.stairs(
            self.weights,
            np.arange(n + 1) + 0.5,
            baseline=min(0.0, self.weights.min()),
            fill=True,
            color=COLORS[0],
            alpha=0.3,
        )
        ax.stairs(self.weights, np.arange(n + 1) + 0.5, baseline=None, color=COLORS[0])
        if self.selected is not None:
            places = np.flatnonzero(self.selected)
            ax.plot(
                places + 1,
                self.weights[places],
                linestyle="none",
                marker="o",
                markersize=4,
                color=COLORS[1],
                label=f"kept, {len(places)} of {n}",
            )
        ax.set_xlim(0.5, n + 0.5)
        ax.set_xlabel(
            f"{self.of}, from the largest {self._value_name()} to the smallest"
        )
        ax.set_ylabel(self._value_name())
        self._draw_mean(ax.axhline)
        ax.legend(frameon=False)
        tidy(ax, "y")

    def _draw_table(self, ax: Any) -> None:
        image = ax.imshow(
            self.weights.T,
            cmap=SEQUENTIAL,
            vmin=min(0.0, self.weights.min()),
            aspect="auto",
            interpolation="nearest",
        )
        k, p = self.weights.shape
        name_ticks(ax.yaxis, self.names, range(p))
        name_ticks(ax.xaxis, range(k), range(k), most=20)
        ax.set_xlabel(self.rows)
        ax.set_ylabel("features, from the heaviest to the lightest")
        color_bar(image, ax, "weight")

    def _value_name(self) -> str:
        # Weights of a selection are scores; what it kept has equal votes.
        return "weight" if self.selected is None else "score"

    def _draw_mean(self, line: Any) -> None:
        line(
            self.weights.mean(),
            color=GRAY,
            linestyle="--",
            linewidth=1.0,
            label="mean",
        )

    def _draw_legend(self, ax: Any) -> None:
        from matplotlib.patches import Patch

        handles = ax.get_legend_handles_labels()[0]
        if self.selected is not None:
            handles += [
                Patch(facecolor=COLORS[0], edgecolor=COLORS[0], label="kept"),
                Patch(facecolor="white", edgecolor=COLORS[0], label="not kept"),
            ]
        # Above the axes, which long bars may fill.
        ax.legend(
            handles=handles,
            frameon=False,
            loc="lower center",
            bbox_to_anchor=(0.5, 1.0),
            ncols=len(handles),
        )

    def _table(self) -> dict[str, Any]:
        if self.weights.ndim == 2:
            return {"data": self.weights, "columns": self.names}
        data = {_singular(self.of): self.names, self._value_name(): self.weights}
        if self.selected is not None:
            data["selected"] = self.selected
        return {"data": data, "index": self.order}


def _kind_to_draw(weights: dict[str, NDArray[Any]], of: str | None, who: str) -> str:
    """The kind of weights to draw: the one asked for, or the first that there is."""
    weighed = [items for items, name in _ATTRIBUTES.items() if name in weights]
    check_choice("of", of, (None, *_ATTRIBUTES))
    if of is None and weighed:
        return weighed[0]
    if of is None or of not in weighed:
        has = " and ".join(weighed) if weighed else "nothing"
        raise ComitiaError(
            f"{who} has no weights{'' if of is None else f' of {of}'} to draw; it "
            f"weighs {has}."
        )
    return of


def _names(
    consensus: Consensus, of: str, n: int, feature_names: Sequence[Any] | None
) -> NDArray[Any]:
    ensemble = consensus.ensemble
    if of == "features":
        return name_features(feature_names, None, n)
    if of == "objects" and consensus.object_names is not None:
        return consensus.object_names
    called = ensemble.clustering_names
    if called is None:
        called = np.arange(ensemble.n_clusterings).astype(str)
    if of == "clusterings":
        return called
    if of == "clusters" and n == ensemble.n_clusters_total:
        within = np.arange(n) - ensemble.offsets[ensemble.clustering_of]
        owners = called[ensemble.clustering_of]
        return np.array([f"{m}, {c}" for m, c in zip(owners, within, strict=True)])
    return np.arange(n).astype(str)


def _singular(of: str) -> str:
    return "clustering, cluster" if of == "clusters" else of.removesuffix("s")
