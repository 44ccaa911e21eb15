"""The different rows of an ensemble, block by block.

Objects with equal labels are one row with a count, where that saves work. Whether it
does depends on the blocks; what is computed from the rows does not, because it is made
of per-object values that are equal in equal rows and of integer sums.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._arrays import device_of, to_tensor
from comitia.engine.row_blocks import Blocks, LocalBlocks, join, pieces

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble, MicroObjects

__all__ = ["Micro", "MicroRows", "common_values", "micro_rows", "rows_as_they_are"]

Floats = NDArray[np.float64]


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

    @classmethod
    def of(cls, block: Ensemble, counts: NDArray[np.int64] | None = None) -> Micro:
        """The rows of a block as they are, each of which may stand for several."""
        return cls(block, counts, None, None, None)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.ensemble.n_objects

    @property
    def weights(self) -> Floats:
        """Weight of each row: of all its objects together."""
        weights = np.ones(self.n_rows) if self.each is None else self.each
        return weights if self.counts is None else weights * self.counts


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
        _merged,
        blocks.put(nothing) if each is None else ensemble.split(each),
        blocks.put(nothing) if scale is None else ensemble.split(scale),
    )
    if len(blocks) == 1 or max(parts.map(_n_rows).gather()) > sizes.MANY_ROWS:
        return MicroRows(ensemble, parts)
    return _in_one_place(ensemble, parts) or MicroRows(ensemble, parts)


def _in_one_place(ensemble: Ensemble, parts: Blocks) -> MicroRows | None:
    """The different rows of all blocks as one, when they are few."""
    found = list(parts.map(_rows_of).gather())
    codes = np.concatenate([part.ensemble.codes for part in found], axis=1)
    micro = ensemble.with_codes(codes).distinct()
    if len(micro.counts) > sizes.MANY_ROWS:
        return None
    counts = np.zeros(len(micro.counts), dtype=np.int64)
    np.add.at(counts, micro.inverse, np.concatenate([part.counts for part in found]))
    values: list[Any] = []
    for name in ("each", "scale"):
        given = [getattr(part, name) for part in found]
        ours = None if given[0] is None else common_values(np.concatenate(given), micro)
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


def rows_as_they_are(
    ensemble: Ensemble, counts: NDArray[np.int64] | None = None
) -> MicroRows:
    """One row for each object, which may stand for several.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    counts : ndarray of shape (n_objects,), default=None
        How many objects each stands for; 1 by default.

    Returns
    -------
    rows : MicroRows
        Nothing is merged.
    """
    blocks = ensemble.row_blocks
    given = (
        blocks.put([None] * len(blocks)) if counts is None else ensemble.split(counts)
    )
    n_counted = None if counts is None else int(counts.sum())
    return MicroRows(ensemble, blocks.map(Micro.of, given), n_counted=n_counted)


def common_values(values: Floats, micro: MicroObjects) -> Floats | None:
    """The value of each micro-object.

    Parameters
    ----------
    values : ndarray of shape (n_objects,)
        A value of each object.

    micro : MicroObjects
        The objects, merged.

    Returns
    -------
    values : ndarray of shape (n_micro,), or None
        None if equal rows have different ones.
    """
    first = np.empty(len(micro.counts))
    first[micro.inverse] = values
    return first if np.array_equal(first[micro.inverse], values) else None


def _merged(block: Ensemble, each: Any, scale: Any) -> Micro:
    return block.engine.merged(each, scale)


def _n_rows(micro: Micro) -> int:
    return micro.n_rows


def _rows_of(micro: Micro) -> Micro:
    """What travels: the rows without the way back, in memory and counted."""
    counts = micro.counts
    small = micro.ensemble
    return Micro(
        small.with_codes(np.array(small.codes)),
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
