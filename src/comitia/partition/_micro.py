"""The different rows of an ensemble, block by block.

Objects with equal labels are one row with a count, where that saves work. Whether it
does depends on the blocks; what is computed from the rows does not, because it is made
of per-object values that are equal in equal rows and of integer sums.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import device_of, to_tensor
from comitia.blocks import Blocks, LocalBlocks, join, pieces
from comitia.device_ensemble import DeviceEnsemble
from comitia.ensemble import Ensemble, MicroObjects

__all__ = ["MANY_ROWS", "Micro", "MicroRows", "micro_rows"]

Floats = NDArray[np.float64]

# With fewer equal rows than this leaves, merging them saves nothing.
_WORTH_MERGING = 0.8

# So many different rows, from all blocks together, are brought to one place.
MANY_ROWS = 40_000


class Micro(NamedTuple):
    """Rows of one block, equal ones merged.

    Attributes
    ----------
    ensemble : Ensemble
        The rows.

    counts : ndarray of shape (n_rows,), or None
        Objects of each row; None where each has one.

    inverse : ndarray of shape (n_objects,), or None
        The row of each object; None where nothing is merged.

    each : ndarray of shape (n_rows,), or None
        Weight of each object of a row; None for one.

    scale : ndarray of shape (n_rows,), or None
        Factor of each row; None for one.
    """

    ensemble: Ensemble
    counts: NDArray[np.int64] | None
    inverse: NDArray[Any] | None
    each: Floats | None
    scale: Floats | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.ensemble.n_objects


class MicroRows:
    """The rows of all blocks, and the way back from rows to objects.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    rows : Blocks of Micro
        What is worked on.

    numbers : Blocks of ndarray, default=None
        Where few different rows were brought to one place, the number there of each
        row of each block.

    parts : Blocks of Micro, default=None
        The blocks that they came from.

    n_counted : int, default=None
        The counts together, where they are not those of the objects.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        rows: Blocks,
        numbers: Blocks | None = None,
        parts: Blocks | None = None,
        n_counted: int | None = None,
    ) -> None:
        self.n_objects = ensemble.n_objects
        self.n_counted = self.n_objects if n_counted is None else n_counted
        self.rows = rows
        self._numbers = numbers
        self._parts = parts

    @property
    def only(self) -> Micro | None:
        """The rows, if they are in one place in this process."""
        if isinstance(self.rows, LocalBlocks) and len(self.rows) == 1:
            micro: Micro = self.rows.values[0]
            return micro
        return None

    def spread(self, values: Blocks) -> NDArray[Any]:
        """Give each object what its row has.

        Parameters
        ----------
        values : Blocks of ndarray
            One value for each row.

        Returns
        -------
        values : ndarray of shape (n_objects, ...)
            One for each object.
        """
        if self._numbers is None or self._parts is None:
            return join(self.rows.map(_spread, values), self.n_objects)
        (everyone,) = values.gather()
        given = self._parts.map(_spread_numbers, self._numbers, values=everyone)
        return join(given, self.n_objects)


def micro_rows(
    ensemble: Ensemble, each: Floats | None = None, scale: Floats | None = None
) -> MicroRows:
    """The different rows of an ensemble.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    each : ndarray of shape (n_objects,), default=None
        Weight of each object; 1 by default.

    scale : ndarray of shape (n_objects,), default=None
        Factor of each row; 1 by default.

    Returns
    -------
    rows : MicroRows
        Rows with equal labels, weights and factors are one.
    """
    blocks = ensemble.row_blocks
    nothing = [None] * len(blocks)
    parts = blocks.map(
        _micro_of,
        blocks.put(nothing) if each is None else ensemble.split(each),
        blocks.put(nothing) if scale is None else ensemble.split(scale),
    )
    if len(blocks) == 1 or max(parts.map(_n_rows).gather()) > MANY_ROWS:
        return MicroRows(ensemble, parts)
    return _in_one_place(ensemble, parts) or MicroRows(ensemble, parts)


def _in_one_place(ensemble: Ensemble, parts: Blocks) -> MicroRows | None:
    """The different rows of all blocks as one, when they are few."""
    found = list(parts.map(_rows_of).gather())
    codes = np.concatenate([part.ensemble.codes for part in found], axis=1)
    together = Ensemble._make(codes, ensemble.n_clusters_each, None, ensemble.kind)
    micro = together.distinct()
    if len(micro.counts) > MANY_ROWS:
        return None
    counts = np.zeros(len(micro.counts), dtype=np.int64)
    np.add.at(counts, micro.inverse, np.concatenate([part.counts for part in found]))
    values: list[Any] = []
    for name in ("each", "scale"):
        given = [getattr(part, name) for part in found]
        ours = None if given[0] is None else _common(np.concatenate(given), micro)
        if ours is None and given[0] is not None:
            return None
        values.append(ours)
    numbers = pieces(micro.inverse, [part.n_rows for part in found])
    return MicroRows(
        ensemble,
        LocalBlocks([Micro(micro.ensemble, counts, None, *values)]),
        parts.put(numbers),
        parts,
    )


def _micro_of(block: Ensemble, each: Floats | None, scale: Floats | None) -> Micro:
    if isinstance(block, DeviceEnsemble):
        from comitia.partition import _on_device

        return _on_device.micro_of(block, each, scale)
    micro = block.distinct_if(_WORTH_MERGING)
    if micro is None:
        return Micro(block, None, None, each, scale)
    values = [
        None if given is None else _common(given, micro) for given in (each, scale)
    ]
    differs = any(
        given is not None and ours is None
        for given, ours in zip((each, scale), values, strict=True)
    )
    if differs:
        return Micro(block, None, None, each, scale)
    # Half the memory, and no block has so many rows.
    inverse = micro.inverse.astype(np.int32, copy=False)
    return Micro(micro.ensemble, micro.counts, inverse, *values)


def _common(values: Floats, micro: MicroObjects) -> Floats | None:
    """The value of each micro-object; None if equal rows have different ones."""
    first = np.empty(len(micro.counts))
    first[micro.inverse] = values
    return first if np.array_equal(first[micro.inverse], values) else None


def _n_rows(micro: Micro) -> int:
    return micro.n_rows


def _rows_of(micro: Micro) -> Micro:
    """What travels: the rows without the way back, in memory and counted."""
    counts = micro.counts
    small = micro.ensemble
    return Micro(
        Ensemble._make(np.array(small.codes), small.n_clusters_each, None, small.kind),
        np.ones(micro.n_rows, dtype=np.int64) if counts is None else counts,
        None,
        micro.each,
        micro.scale,
    )


def _spread(micro: Micro, values: NDArray[Any]) -> NDArray[Any]:
    if micro.inverse is None:
        return values
    device = device_of(micro.inverse)
    if device is not None:
        values = to_tensor(values, device)
    return values[micro.inverse]


def _spread_numbers(
    micro: Micro, numbers: NDArray[Any], *, values: NDArray[Any]
) -> NDArray[Any]:
    return _spread(micro, values[numbers])
