"""The map of the objects, and their co-association as a heat map."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.display.heat_maps import HeatMap, heat_map, with_room
from comitia.report._facts import Facts
from comitia.report._figures import image, map_figure
from comitia.report._page_text import printable

__all__ = ["Maps"]

Floats = NDArray[np.float64]

# More objects than this are drawn as a sample.
MAP_OBJECTS = 10_000

# Room for a number at the edge of a heat map, in hundredths of its width.
NAME_ROOM = 3.6


class Maps(Facts):
    """The two pictures that show every object, computed when asked for."""

    # -- the map ------------------------------------------------------------------

    @cached_property
    def drawn(self) -> NDArray[np.int64]:
        """The objects on the map: all, or a sample with the least certain in it."""
        if self.n <= MAP_OBJECTS:
            return np.arange(self.n)
        rng = np.random.RandomState(0)
        least = np.argsort(self.result.confidence, kind="stable")[:200]
        others = np.setdiff1d(np.arange(self.n), least)
        some = rng.choice(others, MAP_OBJECTS - len(least), replace=False)
        return np.sort(np.r_[least, some])

    @cached_property
    def map(self) -> Any:
        if self.result.positions is None:
            return None
        return map_figure(
            self.result.positions[self.drawn],
            self.result.labels[self.drawn],
            self.sure[self.drawn],
            self.k,
        )

    def map_data(self) -> dict[str, Any] | None:
        """What the page needs to name the object under the pointer."""
        if self.map is None:
            return None
        drawn = self.drawn
        names = self.result.object_names
        return {
            "x": self.map["x"],
            "y": self.map["y"],
            "r": self.map["radius"],
            "cluster": self.result.labels[drawn].tolist(),
            "name": None if names is None else [printable(names[i]) for i in drawn],
            "index": None if len(drawn) == self.n else drawn.tolist(),
            # In hundredths, rounded as in the tables.
            "confidence": [
                int(f"{value:.2f}".replace(".", ""))
                for value in self.result.confidence[drawn].tolist()
            ],
            "votes": [_largest_shares(self.result.membership[i]) for i in drawn],
            "guess": self.guess,
        }

    # -- co-association ---------------------------------------------------------------

    @cached_property
    def heat_map(self) -> HeatMap:
        return heat_map(
            self.ensemble, self.result.labels, clustering_weights=self.shares
        )

    @cached_property
    def heat(self) -> dict[str, Any]:
        S = self.heat_map.values
        n_bins = len(S)
        largest = float(S.max()) or 1.0
        clusters = np.flatnonzero(self.result.sizes)
        sizes = self.result.sizes[clusters]
        ends = np.cumsum(sizes)
        middles = 100 * (ends - sizes / 2) / self.n
        named = set(with_room(middles, NAME_ROOM))
        within, across = self._mean_heat()
        return {
            "image": image(S, largest),
            "n_bins": n_bins,
            "binned": n_bins < self.n,
            "per_bin": self.n / n_bins,
            "largest": largest,
            "blocks": [
                {"cluster": c, "to": 100 * end / self.n, "at": at, "named": i in named}
                for i, (c, end, at) in enumerate(
                    zip(clusters.tolist(), ends.tolist(), middles.tolist(), strict=True)
                )
            ],
            "within": within,
            "across": across,
            "weighted": self.shares is not None,
            "overlaps": self.ensemble.kind == "overlapping",
        }

    def heat_data(self) -> dict[str, Any]:
        """Which objects stand in the rows of the heat map."""
        order, edges = self.heat_map.order, self.heat_map.edges
        data: dict[str, Any] = {
            "largest": self.heat["largest"],
            "cluster": self.result.labels[order[edges[:-1]]].tolist(),
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
        S, edges = self.heat_map.values, self.heat_map.edges
        sizes = np.diff(edges).astype(np.float64)
        labels = self.result.labels[self.heat_map.order[edges[:-1]]]
        same = labels[:, None] == labels
        pairs = np.outer(sizes, sizes)
        within = float((S * pairs)[same].sum() / pairs[same].sum())
        if same.all():
            return within, math.nan
        return within, float((S * pairs)[~same].sum() / pairs[~same].sum())


def _largest_shares(shares: Floats) -> list[int]:
    """Clusters and their shares in thousandths, flat, the four largest at most."""
    order = np.argsort(-shares, kind="stable")[:4].tolist()
    flat: list[int] = []
    for c in order:
        if shares[c] >= 0.005:
            flat += [c, round(1000 * float(shares[c]))]
    return flat
