"""Engines whose labels are NumPy arrays: what sparse and compiled sums share."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels.sums import steps
from comitia.engine.merged_rows import Micro, common_values
from comitia.engine.protocol import Engine

__all__ = ["HostEngine"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# With fewer equal rows than this leaves, merging them saves nothing.
_WORTH_MERGING = 0.8


class HostEngine(Engine):
    """Sums over labels in memory, or mapped into it."""

    def n_votes(self) -> Integers:
        """In how many clusterings each object is."""
        block = self.block
        if block.kind == "hard":
            # One number that is read n times: nothing of that size is made.
            return np.broadcast_to(np.int64(block.n_clusterings), (block.n_objects,))
        none = block.n_clusters_each[:, None].astype(block.codes.dtype)
        return (block.codes != none).sum(axis=0)

    def labels(self, m: int) -> NDArray[np.int32]:
        """Labels of one clustering, int32, -1 where there is none."""
        labels = self.block.codes[m].astype(np.int32)
        labels[labels == int(self.block.n_clusters_each[m])] = -1
        return labels

    def n_differing(self, m: int, labels: NDArray[np.int32]) -> int:
        """How many labels of one clustering are not these."""
        block = self.block
        none, codes, n_differ = int(block.n_clusters_each[m]), block.codes[m], 0
        for rows in steps(0, len(codes)):
            given = np.where(labels[rows] < 0, none, labels[rows])
            n_differ += int(np.count_nonzero(given != codes[rows]))
        return n_differ

    def unit_scales(
        self, table: Floats, degrees: Floats, floor: float
    ) -> tuple[Floats, Floats]:
        """What makes the rows of B times a table unit vectors, and their new squares.

        Rows shorter than ``floor`` times their degree are rounding errors: zero.
        """
        squares = self._row_norms(table)
        scale = np.zeros_like(squares)
        for rows in steps(0, len(squares)):
            # An object that no column reaches stays at the origin; scaling would blow
            # up rounding errors.
            lengths, least = squares[rows], floor * degrees[rows]
            np.divide(1.0, lengths + least, out=scale[rows], where=lengths > least)
            squares[rows] = (scale[rows] * lengths) ** 2
        return scale, squares

    @abstractmethod
    def _row_norms(self, table: Floats) -> Floats:
        """Length of each row of B times a table."""

    def merged(self, each: Floats | None, scale: Floats | None) -> Micro:
        """The different rows, where merging equal ones saves work."""
        micro = self.block.distinct_if(_WORTH_MERGING)
        if micro is None:
            return Micro(self.block, None, None, each, scale)
        values: list[Any] = []
        for given in (each, scale):
            ours = None if given is None else common_values(given, micro)
            if ours is None and given is not None:  # equal rows differ in this
                return Micro(self.block, None, None, each, scale)
            values.append(ours)
        # Half the memory, and no block has so many rows.
        inverse = micro.inverse.astype(np.int32, copy=False)
        return Micro(micro.ensemble, micro.counts, inverse, *values)

    def put(self, rows: Any) -> NDArray[Any]:
        """An array with a row for each object, where the labels are."""
        return np.asarray(rows)
