"""What the map can show besides: other numbers of clusters, and columns as colours."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.display.tracked_cuts import tracked_cuts, vote_tree
from comitia.report._maps import Maps

__all__ = ["MapChoices"]

# A cluster is a letter in the page, from "0" on; there are no more printable ones.
_LETTERS = 78


class MapChoices(Maps):
    """The map at other numbers of clusters, and by columns, when asked for."""

    @cached_property
    def cuts(self) -> dict[int, NDArray[np.int64]]:
        """Labels at other numbers of clusters; empty where there is no tree."""
        if self.map is None or self.k > _LETTERS or self.n < 3:
            return {}
        tree = self.result.details.get("linkage")
        if tree is None:
            tree = vote_tree(self.ensemble, self._tree_weights())
        return {} if tree is None else tracked_cuts(tree, self.result.labels)

    @cached_property
    def own_k(self) -> int:
        """Number of clusters of the result that have objects."""
        return len(np.unique(self.result.labels))

    def _tree_weights(self) -> dict[str, NDArray[Any]]:
        return {} if self.shares is None else {"clustering_weights": self.shares}

    def cuts_data(self) -> dict[str, Any] | None:
        """For each number of clusters a text with a letter for each drawn object."""
        if len(self.cuts) < 2:
            return None
        return {
            "k": list(self.cuts),
            "own": self.own_k,
            "letters": [
                "".join(map(chr, (48 + labels[self.drawn]).tolist()))
                for labels in self.cuts.values()
            ],
            "sizes": [np.bincount(labels).tolist() for labels in self.cuts.values()],
        }

    def columns_data(self) -> list[dict[str, Any]]:
        """The columns by which the objects of the map can be coloured."""
        return [column.take(self.drawn) for column in self.columns]
