"""How sure the consensus is for each number of clusters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia._steps import check_choice
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.plot._style import make_axes
from comitia.plot.display_base import Display, make_frame
from comitia.plot.palette import COLORS, GRAY, LIGHT, LINES, tidy

__all__ = ["ConsensusCDFDisplay"]

Floats = NDArray[np.float64]

_PANELS = ("cdf", "pac", "area")
_N_BINS = 101


@dataclass(eq=False, repr=False)
class ConsensusCDFDisplay(Display):
    """How sure the consensus is for each number of clusters, k.

    Three panels: the distribution of the shares in which pairs of objects are
    together, where a curve that is flat between its ends says that pairs are together
    always or never; the share of pairs that are neither (PAC), where less is better;
    and how much the area under the curve still grows from one k to the next.

    Attributes
    ----------
    ks : ndarray of shape (n_ks,)
        Numbers of clusters.

    cdf : ndarray of shape (n_ks, n_bins)
        Share of the pairs whose consensus is at most ``cdf_at``, for each k.

    cdf_at : ndarray of shape (n_bins,)
        Where the curves are taken, in [0, 1].

    pac : ndarray of shape (n_ks,)
        Proportion of ambiguous clustering.

    area : ndarray of shape (n_ks,)
        Area under each curve.

    area_change : ndarray of shape (n_ks,)
        Its relative growth over the largest so far; the first is the area itself.

    n_clusters : int or None
        The k that is recommended, if there is a recommendation.

    axes_ : dict of str to Axes
        The axes of each panel that was drawn.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> from comitia.plot import ConsensusCDFDisplay
    >>> two = Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> three = Ensemble([[0, 0], [0, 1], [1, 2], [2, 2]])
    >>> display = ConsensusCDFDisplay.from_ensembles({2: two, 3: three})
    >>> display.pac
    array([0.        , 0.33333333])
    """

    ks: NDArray[np.int64]
    cdf: Floats
    cdf_at: Floats
    pac: Floats
    area: Floats
    area_change: Floats
    n_clusters: int | None = None

    axes_ = None

    @classmethod
    def from_choice(cls, choice: Any, *, ax: Any = None) -> Self:
        """Take it from what :func:`comitia.choose_k` found.

        Parameters
        ----------
        choice : KChoice
            The choice of the number of clusters.

        ax : Axes, default=None
            Draw at once, as :meth:`plot` does with these axes.

        Returns
        -------
        display : ConsensusCDFDisplay
            The numbers.
        """
        return cls(
            ks=np.asarray(choice.ks),
            cdf=np.asarray(choice.cdf),
            cdf_at=np.asarray(choice.cdf_at),
            pac=np.asarray(choice.criteria["pac"]),
            area=np.asarray(choice.criteria["area"]),
            area_change=np.asarray(choice.criteria["delta_area"]),
            n_clusters=choice.n_clusters,
        )._plot_if(ax)

    @classmethod
    def from_result(cls, result: Any, *, ax: Any = None) -> Self:
        """Take it from a result whose number of clusters was chosen.

        Parameters
        ----------
        result : Result
            The result.

        ax : Axes, default=None
            As for :meth:`from_choice`.

        Returns
        -------
        display : ConsensusCDFDisplay
            The numbers.
        """
        from comitia.evaluate import KChoice

        if result.choice is None:
            raise ComitiaError(
                "the number of clusters of this result was given, not chosen; see "
                "comitia.choose_k."
            )
        if not result.choice.get("cdf"):
            raise ComitiaError(
                "the number of clusters of this result was chosen by its probability, "
                "without consensus CDFs; see comitia.choose_k."
            )
        return cls.from_choice(KChoice.from_dict(result.choice), ax=ax)

    @classmethod
    def from_ensembles(
        cls,
        ensembles: Mapping[int, Ensemble] | Sequence[Ensemble],
        ks: Sequence[int] | None = None,
        *,
        ax: Any = None,
        random_state: int = 0,
    ) -> Self:
        """Compute it from one ensemble for each k.

        Parameters
        ----------
        ensembles : dict of int to Ensemble, or sequence of Ensemble
            For each k, clusterings of resamples of the objects into k clusters.

        ks : sequence of int, default=None
            The numbers of clusters, when the ensembles are a sequence. By default
            the most clusters of a clustering in each.

        ax : Axes, default=None
            As for :meth:`from_choice`.

        random_state : int, default=0
            Seed of the sample of pairs, where there are too many to look at all.

        Returns
        -------
        display : ConsensusCDFDisplay
            The numbers.
        """
        from comitia.evaluate import (
            area_changes,
            cdf_area,
            consensus_cdf,
            pac,
            pair_shares,
        )

        if isinstance(ensembles, Mapping):
            ks, ensembles = list(ensembles), list(ensembles.values())
        if not len(ensembles):
            raise ComitiaError("ensembles is empty; give one for each k.")
        if ks is None:
            ks = [int(ensemble.n_clusters_each.max()) for ensemble in ensembles]
        if len(ks) != len(ensembles) or len(set(ks)) != len(ks):
            raise ComitiaError(
                f"ks must be a different number for each ensemble; got {list(ks)} for "
                f"{len(ensembles)}."
            )
        rising = np.argsort(ks, kind="stable")
        at = np.linspace(0.0, 1.0, _N_BINS)
        rng = np.random.RandomState(random_state)
        shares = [pair_shares(ensembles[i], rng=rng) for i in rising]
        area = np.array([cdf_area(share) for share in shares])
        return cls(
            ks=np.asarray(ks)[rising],
            cdf=np.array([consensus_cdf(share, at) for share in shares]),
            cdf_at=at,
            pac=np.array([pac(share) for share in shares]),
            area=area,
            area_change=area_changes(area),
        )._plot_if(ax)

    def plot(self, ax: Any = None, *, of: str | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : Axes or sequence of Axes, default=None
            Where to draw: one for each panel, or one alone. A new figure by default.

        of : {"cdf", "pac", "area"}, default=None
            Which panel. By default all three, or the first on axes alone.

        Returns
        -------
        self : ConsensusCDFDisplay
            With ``ax_``, the axes of the first panel drawn, ``axes_`` and ``figure_``.
        """
        check_choice("of", of, (None, *_PANELS))
        alone = ax is not None and not np.ndim(ax)
        panels = _PANELS if of is None and not alone else (of or "cdf",)
        if ax is not None and not alone and np.size(ax) != len(panels):
            raise ComitiaError(
                f"ax holds {np.size(ax)} axes; give {len(panels)}, one for each panel."
            )
        size = (13.0, 4.2) if len(panels) > 1 else (6.4, 4.8)
        self.figure_, axes = make_axes(ax, size, len(panels))
        self.axes_ = dict(zip(panels, axes, strict=True))
        self.ax_ = axes[0]
        draw = {"cdf": self._draw_cdf, "pac": self._draw_pac, "area": self._draw_area}
        for panel, place in self.axes_.items():
            draw[panel](place)
        return self

    def curves(self) -> Any:
        """Give the curves as a table.

        Returns
        -------
        table : DataFrame
            One column for each k, one row for each point of ``cdf_at``.
        """
        return make_frame(self.cdf.T, index=self.cdf_at, columns=self.ks)

    def _draw_cdf(self, ax: Any) -> None:
        from matplotlib import colormaps

        # Darker with k, also in print; the recommended k has its own colour.
        shades = colormaps["cividis"](np.linspace(0.8, 0.0, len(self.ks)))
        ax.axvspan(0.1, 0.9, color=LIGHT, alpha=0.35, linewidth=0)
        for number, (k, values) in enumerate(zip(self.ks, self.cdf, strict=True)):
            chosen = k == self.n_clusters
            ax.plot(
                self.cdf_at,
                values,
                color=COLORS[1] if chosen else shades[number],
                linestyle="-" if chosen else LINES[number % len(LINES)],
                linewidth=2.6 if chosen else 1.4,
                zorder=3 if chosen else 2,
                drawstyle="steps-post",
                label=f"{k} (recommended)" if chosen else str(k),
            )
        ax.set_xlim(0, 1)
        ax.set_ylim(0, 1.02)
        ax.set_xlabel("share of clusterings that put a pair together")
        ax.set_ylabel("share of pairs with no more than that")
        ax.legend(
            title="clusters",
            frameon=False,
            loc="lower right",
            ncols=1 + (len(self.ks) > 6),
            fontsize="small",
        )
        tidy(ax)

    def _draw_pac(self, ax: Any) -> None:
        self._draw_over_k(ax, self.pac)
        ax.set_ylim(bottom=0)
        ax.set_ylabel("share of ambiguous pairs (PAC)")

    def _draw_area(self, ax: Any) -> None:
        self._draw_over_k(ax, self.area_change)
        ax.axhline(0.0, color=GRAY, linewidth=0.8)
        ax.set_ylabel("growth of the area under the curve")

    def _draw_over_k(self, ax: Any, values: Floats) -> None:
        ax.plot(self.ks, values, color=COLORS[0], marker="o", linewidth=1.6)
        chosen = self.ks == self.n_clusters
        if chosen.any():
            ax.plot(
                self.ks[chosen],
                values[chosen],
                linestyle="none",
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=COLORS[1],
                markeredgewidth=2.0,
                label="recommended",
            )
            ax.legend(frameon=False)
        step = max(1, -(-len(self.ks) // 12))
        ax.set_xticks(self.ks[::step])
        ax.set_xlabel("number of clusters")
        tidy(ax, "y")

    def _table(self) -> dict[str, Any]:
        return {
            "data": {
                "pac": self.pac,
                "area": self.area,
                "area_change": self.area_change,
            },
            "index": self.ks,
        }
