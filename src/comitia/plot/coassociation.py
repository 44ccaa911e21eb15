"""The co-association as a picture, in the order of the consensus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.plot._consensus import Consensus, read_estimator, read_result
from comitia.plot._style import COLORS, GRAY, SEQUENTIAL, color_bar
from comitia.plot.base import Display
from comitia.represent import binned_coassociation, seriated_order

__all__ = ["CoassociationDisplay"]

# Up to here each object has a row of its own; a picture has no room for more.
_MANY = 1000
_BINS = 500

# Numbers of clusters stand at least this share of the axis apart.
_ROOM = 1 / 30

# Of the values that are not zero, the share that the scale of colours covers.
_DARKEST = 0.98


@dataclass(eq=False, repr=False)
class CoassociationDisplay(Display):
    """How much of the vote puts each two objects together.

    Objects stand in the order of the consensus: cluster by cluster, and in each cluster
    the alike next to each other. A cluster that the clusterings agree on is a dark
    square on the diagonal; one that they tear apart shows its parts.

    Attributes
    ----------
    coassociation : ndarray of shape (n_bins, n_bins)
        Mean co-association of each two bins of objects; of each two objects where
        there are at most 1000.

    order : ndarray of shape (n_objects,)
        The objects in the order of the picture.

    edges : ndarray of shape (n_bins + 1,)
        Bin b holds the objects ``order[edges[b]:edges[b + 1]]``.

    sizes : ndarray of shape (n_clusters,)
        Number of objects in each cluster.

    weighted : bool
        Whether clusters have weights, so that the values are no shares.

    object_names : ndarray of shape (n_objects,) or None
        Names of the objects, in their own order.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import CoassociationDisplay
    >>> votes = Ensemble([[0, 0], [1, 1], [0, 0], [1, 0]])
    >>> display = CoassociationDisplay.from_estimator(method("eac")(2).fit(votes))
    >>> display.order
    array([0, 2, 3, 1])
    >>> display.coassociation
    array([[1. , 1. , 0.5, 0. ],
           [1. , 1. , 0.5, 0. ],
           [0.5, 0.5, 1. , 0.5],
           [0. , 0. , 0.5, 1. ]])
    """

    coassociation: NDArray[np.float64]
    order: NDArray[np.int64]
    edges: NDArray[np.int64]
    sizes: NDArray[np.int64]
    weighted: bool = False
    object_names: NDArray[Any] | None = None

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, ax: Any = None, n_bins: int | None = None
    ) -> Self:
        """Compute it for a fitted method, with the weights that the method votes with.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like, default=None
            Not used; there so that all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        n_bins : int, default=None
            Rows of the picture. By default one for each object up to 1000 objects,
            and 500 beyond; then no n × n matrix is made.

        Returns
        -------
        display : CoassociationDisplay
            The numbers.
        """
        return cls._of(read_estimator(estimator), n_bins)._drawn_on(ax)

    @classmethod
    def from_result(
        cls, result: Any, *, ax: Any = None, n_bins: int | None = None
    ) -> Self:
        """Compute it for a result.

        Parameters
        ----------
        result : Result
            The result.

        ax : Axes, default=None
            As for :meth:`from_estimator`.

        n_bins : int, default=None
            As for :meth:`from_estimator`.

        Returns
        -------
        display : CoassociationDisplay
            The numbers.
        """
        return cls._of(read_result(result), n_bins)._drawn_on(ax)

    @classmethod
    def _of(cls, consensus: Consensus, n_bins: int | None) -> Self:
        n = consensus.ensemble.n_objects
        if n_bins is None:
            n_bins = n if n <= _MANY else _BINS
        order = seriated_order(consensus.ensemble, consensus.labels)
        return cls(
            coassociation=binned_coassociation(
                consensus.ensemble,
                order,
                n_bins,
                co_sampled=consensus.ensemble.kind == "partial",
                **consensus.vote_weights,
            ),
            order=order,
            edges=np.arange(n_bins + 1) * n // n_bins,
            sizes=np.bincount(consensus.labels, minlength=consensus.n_clusters),
            weighted="cluster_weights" in consensus.vote_weights,
            object_names=consensus.object_names,
        )

    def _size(self) -> tuple[float, float]:
        return 6.4, 5.4

    def _draw(self, ax: Any) -> None:
        from matplotlib.patches import Rectangle

        n = len(self.order)
        S = self.coassociation
        # Few values are far above the others where clusters have weights; a scale
        # that ends at the largest would leave the others white.
        top = float(np.quantile(S[S > 0], _DARKEST)) if S.any() else 1.0
        image = ax.imshow(
            S,
            cmap=SEQUENTIAL,
            vmin=0.0,
            vmax=top,
            extent=(0, n, n, 0),
            # What is smaller than a pixel is averaged, not skipped.
            interpolation="nearest" if n <= 300 else "antialiased",
        )
        ends = np.cumsum(self.sizes)
        for size, end in zip(self.sizes, ends, strict=True):
            ax.add_patch(
                Rectangle(
                    (end - size, end - size),
                    size,
                    size,
                    fill=False,
                    edgecolor=COLORS[1],
                    linewidth=1.2,
                )
            )
        named = _apart(ends - self.sizes / 2, n * _ROOM)
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_ticks((ends - self.sizes / 2)[named], labels=map(str, named))
            axis.set_tick_params(length=0)
        ax.set_xlabel("objects, by cluster")
        ax.set_ylabel("objects, by cluster")
        for spine in ax.spines.values():
            spine.set_edgecolor(GRAY)
        votes = "weight" if self.weighted else "share of the votes"
        color_bar(
            image,
            ax,
            f"{votes} that puts two objects together",
            extend="max" if S.max() > top else "neither",
        )

    def _table(self) -> dict[str, Any]:
        if len(self.edges) == len(self.order) + 1:
            names = (
                self.order
                if self.object_names is None
                else self.object_names[self.order]
            )
        else:
            names = np.array(
                [
                    f"places {first} to {last - 1}"
                    for first, last in zip(self.edges[:-1], self.edges[1:], strict=True)
                ]
            )
        return {"data": self.coassociation, "index": names, "columns": names}


def _apart(places: NDArray[Any], room: float) -> list[int]:
    """Which of some places, in rising order, can be named without overlap."""
    named: list[int] = []
    for c, place in enumerate(places):
        if not named or place - places[named[-1]] >= room:
            named.append(c)
    return named
