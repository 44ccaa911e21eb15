"""The co-association as a heat map, with a tree and bars of other things above it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.display.heat_maps import HeatMap, heat_map, with_room
from comitia.display.row_tree import RowTree, row_tree
from comitia.report._facts import Facts
from comitia.report._figures import CODE_PALETTE, COLORS, TRACK_PALETTE, image
from comitia.report._page_text import number, printable

__all__ = ["AnnotatedHeat"]

Floats = NDArray[np.float64]

# Room for a number at the edge of a heat map, in hundredths of its width.
NAME_ROOM = 3.6

# Heights of the tree and of a bar, and from bar to bar, in the same unit.
TREE, BAR, STEP = 14.0, 2.2, 2.7

# Bars of columns of the table: those that tell the clusters apart best.
TRACK_COLUMNS = 6

# Classes that can be told apart by colour; more are not offered.
_CLASSES = 24

# The share of the height of the tree that the branches inside clusters have.
_INSIDE = 0.6


@dataclass(frozen=True, eq=False)
class Column:
    """A value of each object: a number, or a class where there are ``names``."""

    name: str
    values: NDArray[Any]
    names: tuple[str, ...] = ()

    def take(self, objects: NDArray[np.int64]) -> dict[str, Any]:
        """The values of some objects, for the script."""
        return self._data(self.values[objects])

    def rows(self, heat: HeatMap) -> NDArray[Any]:
        """One value for each row: the mean of its objects, or their usual class."""
        values, first = self.values[heat.order], heat.edges[:-1]
        if self.names:
            of_class = values[:, None] == np.arange(len(self.names))
            return np.add.reduceat(of_class.astype(np.int64), first).argmax(axis=1)
        known = np.isfinite(values)
        sums = np.add.reduceat(np.where(known, values, 0.0), first)
        counts = np.add.reduceat(known.astype(np.int64), first)
        return np.divide(
            sums, counts, out=np.full(len(first), np.nan), where=counts > 0
        )

    def track(self, heat: HeatMap) -> dict[str, Any]:
        """The values of the rows of a heat map as a picture, and its legend."""
        values = self.rows(heat)
        if self.names:
            legend = [*enumerate(self.names)]
            picture = image(values[None] % len(COLORS), 255.0, CODE_PALETTE)
            return {"name": self.name, "image": picture, "classes": legend}
        known = values[np.isfinite(values)]
        low, high = (known.min(), known.max()) if len(known) else (0.0, 0.0)
        # The last colour is for what is missing.
        levels = 254 * (values - low) / ((high - low) or 1.0)
        picture = image(np.nan_to_num(levels, nan=255.0)[None], 255.0, TRACK_PALETTE)
        between = f"{number(float(low))} to {number(float(high))}"
        return {"name": self.name, "image": picture, "range": between}

    def data(self, heat: HeatMap) -> dict[str, Any]:
        """The values of the rows of a heat map, for the script."""
        return self._data(self.rows(heat))

    def _data(self, values: NDArray[Any]) -> dict[str, Any]:
        if self.names:
            return {"name": self.name, "names": self.names, "codes": values.tolist()}
        return {"name": self.name, "values": [_rounded(float(v)) for v in values]}


class AnnotatedHeat(Facts):
    """The heat map and what stands above it, computed when asked for."""

    @cached_property
    def columns(self) -> list[Column]:
        """Known classes and columns of the table, where there are any."""
        found = []
        truth, details = self.result.truth, self.result.details
        if truth is not None:
            names, codes = np.unique(truth, return_inverse=True)
            if len(names) <= _CLASSES:
                texts = tuple(printable(name) or "unknown" for name in names)
                found.append(Column("known class", codes, texts))
        if "columns" in details:
            named = zip(details["column_names"], details["columns"].T, strict=True)
            found += [Column(printable(name), values) for name, values in named]
        return found

    @cached_property
    def tracks(self) -> list[Column]:
        """What the bars above the heat map show, below that of the clusters."""
        n_classes = sum(bool(column.names) for column in self.columns)
        confidence = Column("confidence", self.result.confidence)
        return [confidence, *self.columns[: n_classes + TRACK_COLUMNS]]

    @cached_property
    def _heat_and_tree(self) -> tuple[HeatMap, RowTree | None]:
        heat = heat_map(
            self.ensemble, self.result.labels, clustering_weights=self.shares
        )
        if len(heat.values) < 2:
            return heat, None
        tree = row_tree(heat, self.result.labels, self.result.details.get("linkage"))
        return heat.taken(tree.order), tree

    @cached_property
    def heat_map(self) -> HeatMap:
        return self._heat_and_tree[0]

    @cached_property
    def row_clusters(self) -> NDArray[np.int32]:
        """The cluster of each row of the heat map: that of its first object."""
        return self.result.labels[self.heat_map.order[self.heat_map.edges[:-1]]]

    @cached_property
    def heat(self) -> dict[str, Any]:
        S, n_bins = self.heat_map.values, len(self.heat_map.values)
        largest = float(S.max()) or 1.0
        within, across = self._mean_heat()
        blocks = self._blocks()
        shown = {block["cluster"] for block in blocks}
        return {
            "image": image(S, largest),
            "n_bins": n_bins,
            "binned": n_bins < self.n,
            "per_bin": self.n / n_bins,
            "largest": largest,
            "blocks": blocks,
            "too_small": [
                c for c in np.flatnonzero(self.result.sizes) if c not in shown
            ],
            "tree": self._branches(),
            "tree_height": TREE,
            "bar": BAR,
            "step": STEP,
            "own_tree": "linkage" in self.result.details and n_bins == self.n,
            "tracks": [
                {
                    "name": "cluster",
                    "image": image(
                        self.row_clusters[None] % len(COLORS), 255.0, CODE_PALETTE
                    ),
                },
                *(column.track(self.heat_map) for column in self.tracks),
            ],
            "within": within,
            "across": across,
            "weighted": self.shares is not None,
            "overlaps": self.ensemble.kind == "overlapping",
        }

    def _blocks(self) -> list[dict[str, Any]]:
        """Where the rows of each cluster end, and which have room for their names."""
        clusters = self.row_clusters
        ends = np.r_[np.flatnonzero(np.diff(clusters)) + 1, len(clusters)]
        scale = 100 / len(clusters)
        middles = scale * (ends - np.diff(ends, prepend=0) / 2)
        named = set(with_room(middles, NAME_ROOM))
        return [
            {
                "cluster": int(clusters[end - 1]),
                "to": scale * float(end),
                "at": float(middle),
                "named": i in named,
            }
            for i, (end, middle) in enumerate(zip(ends, middles, strict=True))
        ]

    def _branches(self) -> list[dict[str, Any]]:
        """Paths of the tree: of each cluster, and -1, of those that join clusters."""
        tree = self._heat_and_tree[1]
        if tree is None:
            return []
        n, scale = len(tree.order), 100 / len(tree.order)
        inside = n - 1 - tree.n_between
        heights = tree.merges[:, 2].copy()
        # Two scales: means between clusters differ little, and may be below those
        # inside where the clusters are not those of this tree.
        low, high = heights[inside:].min(initial=np.inf), heights.max()
        top = heights[:inside].max(initial=0.0) or 1.0
        heights[:inside] *= (_INSIDE if tree.n_between else 1.0) * TREE / top
        part = (heights[inside:] - low) / ((high - low) or 1.0)
        heights[inside:] = TREE * (_INSIDE + (1 - _INSIDE) * (0.3 + 0.7 * part))
        y = np.r_[np.zeros(n), heights]
        x = scale * (tree.positions + 0.5)
        clusters = np.r_[np.empty(n, np.int64), np.full(n - 1, -1)]
        clusters[tree.order] = self.row_clusters
        paths: dict[int, list[str]] = {}
        for i, (a, b) in enumerate(tree.merges[:, :2].astype(np.int64)):
            v = n + i
            clusters[v] = clusters[a] if i < inside else -1
            paths.setdefault(int(clusters[v]), []).append(
                f"M{x[a]:.2f} {-y[a]:.2f}V{-y[v]:.2f}H{x[b]:.2f}V{-y[b]:.2f}"
            )
        return [{"cluster": c, "path": "".join(d)} for c, d in sorted(paths.items())]

    def heat_data(self) -> dict[str, Any]:
        """Which objects stand in the rows of the heat map."""
        order, edges = self.heat_map.order, self.heat_map.edges
        data: dict[str, Any] = {
            "largest": self.heat["largest"],
            "cluster": self.row_clusters.tolist(),
            "tracks": [column.data(self.heat_map) for column in self.tracks],
        }
        if len(edges) == self.n + 1:
            data["object"] = order.tolist()
        else:
            data["size"] = np.diff(edges).tolist()
        return data

    @cached_property
    def shares(self) -> Floats | None:
        """Weights of the clusterings as shares of all; None where all count alike.

        Weights of single clusters are left out: with them nobody could say what a
        value means.
        """
        weights = self.result.vote_weights.get("clustering_weights")
        if weights is None or len(weights) != self.M:
            return None
        weights = np.maximum(weights, 0.0)
        return weights / weights.sum() if weights.any() else None

    def _mean_heat(self) -> tuple[float, float]:
        """Mean co-association inside the clusters and between them."""
        S, labels = self.heat_map.values, self.row_clusters
        sizes = np.diff(self.heat_map.edges).astype(np.float64)
        same = labels[:, None] == labels
        pairs = np.outer(sizes, sizes)
        within = float((S * pairs)[same].sum() / pairs[same].sum())
        if same.all():
            return within, math.nan
        return within, float((S * pairs)[~same].sum() / pairs[~same].sum())


def _rounded(value: float) -> float | None:
    """Four digits, which is more than a colour or a table needs."""
    return float(f"{value:.4g}") if math.isfinite(value) else None
