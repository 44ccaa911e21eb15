"""The map of the objects."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.report._annotated_heat import AnnotatedHeat
from comitia.report._figures import map_figure, map_places
from comitia.report._page_text import printable

__all__ = ["Maps"]

Floats = NDArray[np.float64]

# More objects than this are drawn as a sample.
MAP_OBJECTS = 10_000


class Maps(AnnotatedHeat):
    """The map, computed when asked for."""

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
            "umap": self._umap_places(),
        }

    def _umap_places(self) -> dict[str, list[float]] | None:
        """Where the objects are in the same figure by UMAP, if that is known."""
        found = self.result.details.get("umap")
        if found is None:
            return None
        positions = np.asarray(found[self.drawn], dtype=np.float64)
        places, _ = map_places(positions, self.map["height"])
        return dict(zip("xy", places.T.round(1).tolist(), strict=True))


def _largest_shares(shares: Floats) -> list[int]:
    """Clusters and their shares in thousandths, flat, the four largest at most."""
    order = np.argsort(-shares, kind="stable")[:4].tolist()
    flat: list[int] = []
    for c in order:
        if shares[c] >= 0.005:
            flat += [c, round(1000 * float(shares[c]))]
    return flat
