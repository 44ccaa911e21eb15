"""The co-association as a picture, in the order of the consensus."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.display.consensus_view import Consensus, read_estimator, read_result
from comitia.display.heat_maps import heat_map, with_room
from comitia.plot._style import color_bar
from comitia.plot.display_base import Display
from comitia.plot.palette import COLORS, GRAY, SEQUENTIAL

__all__ = ["CoassociationDisplay"]

# Room for the number of a cluster, as a share of the axis.
_NAME_ROOM = 1 / 30

# The darkest colour is this quantile of the values that are not zero.
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
    array([0, 2, 1, 3])
    >>> display.coassociation
    array([[1. , 1. , 0. , 0.5],
           [1. , 1. , 0. , 0.5],
           [0. , 0. , 1. , 0.5],
           [0.5, 0.5, 0.5, 1. ]])
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
            Not used; all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        n_bins : int, default=None
            Rows of the picture. By default one for each object up to 1000 objects,
            and 400 beyond; then no n × n matrix is made.

        Returns
        -------
        display : CoassociationDisplay
            The numbers.
        """
        return cls._from_consensus(read_estimator(estimator), n_bins)._plot_if(ax)

    @classmethod
    def from_result(
        cls, result: Any, *, ax: Any = None, n_bins: int | None = None
    ) -> Self:
        """Compute it for a result.

        Parameters
        ----------
        result : Result
            The result.

        ax, n_bins : shared
            As for :meth:`from_estimator`.

        Returns
        -------
        display : CoassociationDisplay
            The numbers.
        """
        return cls._from_consensus(read_result(result), n_bins)._plot_if(ax)

    @classmethod
    def _from_consensus(cls, consensus: Consensus, n_bins: int | None) -> Self:
        picture = heat_map(
            consensus.ensemble, consensus.labels, n_bins, **consensus.vote_weights
        )
        return cls(
            coassociation=picture.values,
            order=picture.order,
            edges=picture.edges,
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
        # With weights of clusters a few values are far above the others, and a scale
        # up to them would leave the others white.
        top = float(np.quantile(S[S > 0], _DARKEST)) if S.any() else 1.0
        image = ax.imshow(
            S,
            cmap=SEQUENTIAL,
            vmin=0.0,
            vmax=top,
            extent=(0, n, n, 0),
            # Averages what is smaller than a pixel.
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
        named = with_room(ends - self.sizes / 2, n * _NAME_ROOM)
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
