"""The map of the objects, and their co-association as a heat map."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.report._facts import Facts, Floats
from comitia.report._figures import image, map_figure
from comitia.report._text import shown
from comitia.represent import binned_coassociation, seriated_order

__all__ = ["Maps"]

# More objects than this are drawn as a sample.
MAP_OBJECTS = 10_000

# Up to here each object has a row of the heat map; beyond, bins of objects have.
HEAT_OBJECTS = 1000
HEAT_BINS = 400


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
            "name": None if names is None else [shown(names[i]) for i in drawn],
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
    def order(self) -> NDArray[np.int64]:
        return seriated_order(self.ensemble, self.result.labels)

    @cached_property
    def heat(self) -> dict[str, Any]:
        n_bins = self.n if self.n <= HEAT_OBJECTS else HEAT_BINS
        S = binned_coassociation(
            self.ensemble,
            self.order,
            n_bins,
            co_sampled=self.ensemble.kind == "partial",
            clustering_weights=self.shares,
        )
        largest = float(S.max()) or 1.0
        blocks: list[dict[str, Any]] = []
        end, named = 0, -100.0
        for c, size in enumerate(self.result.sizes.tolist()):
            if not size:
                continue
            end += size
            at = 100 * (end - size / 2) / self.n
            # A name stands only where the one before leaves it room.
            has_room = at - named >= 3.6
            named = at if has_room else named
            blocks.append(
                {"cluster": c, "to": 100 * end / self.n, "at": at, "named": has_room}
            )
        within, across = self._mean_heat(S, n_bins)
        return {
            "image": image(S, largest),
            "n_bins": n_bins,
            "binned": n_bins < self.n,
            "per_bin": self.n / n_bins,
            "largest": largest,
            "blocks": blocks,
            "within": within,
            "across": across,
            "weighted": self.shares is not None,
            "overlaps": self.ensemble.kind == "overlapping",
        }

    def heat_data(self) -> dict[str, Any]:
        """Which objects stand in the rows of the heat map."""
        n_bins = self.heat["n_bins"]
        edges = np.arange(n_bins + 1) * self.n // n_bins
        data: dict[str, Any] = {
            "largest": self.heat["largest"],
            "cluster": self.result.labels[self.order[edges[:-1]]].tolist(),
        }
        if n_bins == self.n:
            data["object"] = self.order.tolist()
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

    def _mean_heat(self, S: Floats, n_bins: int) -> tuple[float, float]:
        """Mean co-association inside the clusters and between them."""
        edges = np.arange(n_bins + 1) * self.n // n_bins
        sizes = np.diff(edges).astype(np.float64)
        labels = self.result.labels[self.order[edges[:-1]]]
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
