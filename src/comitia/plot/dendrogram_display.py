"""The tree of a consensus, with the cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from comitia.display.consensus_view import check_fitted
from comitia.display.row_tree import lay_out
from comitia.exceptions import ComitiaError
from comitia.plot._style import cluster_color, ink_on, name_ticks
from comitia.plot.display_base import Display
from comitia.plot.palette import COLORS, GRAY, tidy

__all__ = ["DendrogramDisplay"]


@dataclass(eq=False, repr=False)
class DendrogramDisplay(Display):
    """The tree of a consensus, with the cut that makes its clusters.

    Attributes
    ----------
    merges : ndarray of shape (n_leaves - 1, 4)
        The top of the tree in SciPy form: the two nodes that meet, the height, and the
        number of objects below. Node i < n_leaves is a leaf, node n_leaves + i the
        merge i.

    leaf_sizes : ndarray of shape (n_leaves,)
        How many objects each leaf stands for.

    leaf_labels : ndarray of shape (n_leaves,)
        The cluster of the consensus that each leaf belongs to.

    leaf_names : ndarray of shape (n_leaves,)
        The object, or the number of objects, at each leaf.

    order : ndarray of shape (n_leaves,)
        The leaves from left to right.

    positions : ndarray of shape (2 * n_leaves - 1,)
        Where each node stands from left to right, the first leaf at 0.

    cut : float
        The height of the cut, halfway between the last merge below it and the first
        above.

    n_clusters : int
        Number of clusters that the cut leaves.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> from comitia.plot import DendrogramDisplay
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("eac")(n_clusters=2).fit(votes)
    >>> display = DendrogramDisplay.from_estimator(fitted)
    >>> display.order, round(display.cut, 3)
    (array([0, 1, 2, 3]), 0.583)
    """

    merges: NDArray[np.float64]
    leaf_sizes: NDArray[np.int64]
    leaf_labels: NDArray[np.int64]
    leaf_names: NDArray[Any]
    order: NDArray[np.int64]
    positions: NDArray[np.float64]
    cut: float
    n_clusters: int

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any = None, *, ax: Any = None, max_leaves: int = 40
    ) -> Self:
        """Take it from a fitted method that has ``linkage_``.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like, default=None
            Not used; all Displays are called alike.

        ax : Axes, default=None
            Draw at once, on these axes; otherwise :meth:`plot` draws.

        max_leaves : int, default=40
            Of a larger tree only the top is shown, with this many leaves, or with one
            for each cluster when these are more.

        Returns
        -------
        display : DendrogramDisplay
            The top of the tree.
        """
        check_fitted(estimator, "linkage_")
        if max_leaves < 2:
            raise ComitiaError(f"max_leaves={max_leaves} must be at least 2.")
        tree = np.asarray(estimator.linkage_, dtype=np.float64)
        labels, k = estimator.labels_, int(estimator.n_clusters_)
        n = len(tree) + 1
        if n != len(labels):
            raise ComitiaError(
                f"the tree of this {type(estimator).__name__} has {n} leaves and there "
                f"are {len(labels)} objects; only a tree of the objects is drawn."
            )
        if n < 2:
            raise ComitiaError("a tree of one object has no merge to draw.")
        merges, leaves = _top_of_tree(tree, min(n, max(max_leaves, k)))
        sizes = np.ones(len(leaves), dtype=np.int64)
        grown = leaves >= n
        sizes[grown] = tree[leaves[grown] - n, 3].astype(np.int64)
        names = estimator.ensemble_.object_names
        names = np.arange(n).astype(str) if names is None else names
        order, positions = lay_out(merges)
        return cls(
            merges=merges,
            leaf_sizes=sizes,
            leaf_labels=np.array([labels[_any_object(tree, v)] for v in leaves]),
            leaf_names=np.array(
                [
                    names[v] if v < n else f"({size})"
                    for v, size in zip(leaves, sizes, strict=True)
                ]
            ),
            order=order,
            positions=positions,
            cut=_height_of_cut(tree[:, 2], k),
            n_clusters=k,
        )._plot_if(ax)

    @property
    def is_top(self) -> bool:
        """Whether leaves stand for several objects."""
        return bool((self.leaf_sizes > 1).any())

    def _size(self) -> tuple[float, float]:
        return min(12.0, max(6.4, 0.2 * len(self.order))), 4.8

    def _draw(self, ax: Any) -> None:
        from matplotlib.collections import LineCollection

        heights, clusters = self._nodes()
        x, lines, colors = self.positions, [], []
        for i, (a, b) in enumerate(self.merges[:, :2].astype(int)):
            y, own = self.merges[i, 2], clusters[len(self.order) + i]
            lines += [
                [(x[a], heights[a]), (x[a], y)],
                [(x[b], heights[b]), (x[b], y)],
                [(x[a], y), (x[b], y)],
            ]
            colors += [
                GRAY if c < 0 else cluster_color(c)
                for c in (clusters[a], clusters[b], own)
            ]
        ax.add_collection(
            LineCollection(lines, colors=colors, linewidths=1.4, capstyle="round")
        )
        ax.axhline(self.cut, color=COLORS[1], linestyle="--", linewidth=1.0)
        for c, v in self._roots().items():
            ax.annotate(
                str(c),
                (x[v], self.cut),
                ha="center",
                va="center",
                fontsize="small",
                color=ink_on(cluster_color(c)),
                bbox={
                    "boxstyle": "round,pad=0.25",
                    "facecolor": cluster_color(c),
                    "edgecolor": "none",
                },
            )
        n = len(self.order)
        low, high = self.merges[:, 2].min(), max(self.merges[-1, 2], self.cut)
        # Where leaves stand for many objects, the axis need not start at 0.
        low = max(0.0, low - 0.25 * (high - low)) if self.is_top else 0.0
        ax.set_xlim(-0.7, n - 0.3)
        ax.set_ylim(low, (high + 0.06 * (high - low)) or 1.0)
        name_ticks(ax.xaxis, self.leaf_names[self.order], range(n), most=60)
        ax.tick_params(axis="x", rotation=90)
        ax.set_xlabel("object, or (number of objects)" if self.is_top else "object")
        ax.set_ylabel("height of the merge")
        tidy(ax)

    def _nodes(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Height and cluster of each node; -1 above the cut."""
        p = len(self.order)
        heights = np.concatenate([np.zeros(p), self.merges[:, 2]])
        clusters = np.concatenate([self.leaf_labels, np.full(p - 1, -1)])
        # The last n_clusters - 1 merges are those that the cut undoes.
        for i in range(p - self.n_clusters):
            clusters[p + i] = clusters[int(self.merges[i, 0])]
        return heights, clusters

    def _roots(self) -> dict[int, int]:
        """The node at the top of each cluster."""
        p = len(self.order)
        last = 2 * p - 1 - (self.n_clusters - 1)
        _, clusters = self._nodes()
        return {int(clusters[v]): v for v in range(last)}

    def _table(self) -> dict[str, Any]:
        _, clusters = self._nodes()
        p = len(self.order)
        return {
            "data": {
                "left": self.merges[:, 0].astype(np.int64),
                "right": self.merges[:, 1].astype(np.int64),
                "height": self.merges[:, 2],
                "objects": self.merges[:, 3].astype(np.int64),
                "cluster": clusters[p:],
            },
            "index": np.arange(p, 2 * p - 1),
        }


def _top_of_tree(
    tree: NDArray[np.float64], p: int
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The last merges of a tree, on p leaves, and which nodes these leaves are."""
    n = len(tree) + 1
    merges = tree[n - p :].copy()
    pairs = merges[:, :2].astype(np.int64)
    leaves = np.unique(pairs[pairs < 2 * n - p])
    number = np.empty(2 * n - 1, dtype=np.int64)
    number[leaves] = np.arange(p)
    number[2 * n - p :] = np.arange(p, 2 * p - 1)
    merges[:, :2] = number[pairs]
    return merges, leaves


def _any_object(tree: NDArray[np.float64], v: int) -> int:
    n = len(tree) + 1
    while v >= n:
        v = int(tree[v - n, 0])
    return int(v)


def _height_of_cut(heights: NDArray[np.float64], k: int) -> float:
    """Halfway between the last merge that is kept and the first that is undone."""
    n = len(heights) + 1
    below = heights[n - k - 1] if k < n else 0.0
    above = heights[n - k] if k > 1 else heights[-1] * 1.1
    return float((below + above) / 2)
