"""One value for each row block, wherever the blocks are, and the rows of each block.

What a linear method does with objects is a function of each row block, then a sum of
what came out. A :class:`Blocks` hands such functions to the blocks: those of an array
in memory, of a folder on disk, or of workers elsewhere (:mod:`comitia.distributed`).

Objects with equal labels are one row with a count, where that saves work. Whether it
does depends on the blocks; what is computed from the rows does not, because it is made
of per-object values that are equal in equal rows and of integer sums.
"""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._kernels.sums import fixed_scale

if TYPE_CHECKING:
    from comitia.engine.protocol import Engine
    from comitia.ensemble import Ensemble, MicroObjects

__all__ = [
    "Blocks",
    "LocalBlocks",
    "Micro",
    "MicroRows",
    "Units",
    "add",
    "call_method",
    "join",
    "merge_in_memory",
    "micro_rows",
    "pieces",
    "rows_as_they_are",
    "with_units",
]

Floats = NDArray[np.float64]

# With fewer equal rows than this leaves, merging them saves nothing.
_WORTH_MERGING = 0.8


# -- values of blocks ------------------------------------------------------------------


class Blocks(ABC):
    """A handle on one value per row block, in the order of the blocks."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of blocks."""

    @abstractmethod
    def map(
        self, function: Callable[..., Any] | str, *others: Any, **shared: Any
    ) -> Blocks:
        """Call ``function(value, *values_of_the_others, **shared)`` on each block.

        A string names a method of the values, such as ``"engine.row_sums"``. Functions
        are found by their name on other machines, so they stand in a module, and do
        not change what they are given: a block that is lost is made again. What comes
        out stays where it was made.
        """

    @abstractmethod
    def each(self, function: Callable[..., Any], **shared: Any) -> Iterable[Any]:
        """The same, brought here one by one; nothing is kept."""

    @abstractmethod
    def put(self, values: Sequence[Any]) -> Blocks:
        """Put one value of this process beside each block."""

    @abstractmethod
    def gather(self) -> Iterable[Any]:
        """Bring the values here, one after the other."""

    @abstractmethod
    def total(self) -> Any:
        """The sum of the values: of integers, so that the order does not matter."""

    def repeat(self, value: Any) -> Blocks:
        """Put the same small value beside each block."""
        return self.put([value] * len(self))


class LocalBlocks(Blocks):
    """Values in this process."""

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def map(
        self, function: Callable[..., Any] | str, *others: Any, **shared: Any
    ) -> LocalBlocks:
        """Call a function on each block, one after the other."""
        given = zip(self.values, *(other.values for other in others), strict=True)
        if isinstance(function, str):
            method = attrgetter(function)
            return LocalBlocks(
                [method(value)(*rest, **shared) for value, *rest in given]
            )
        return LocalBlocks([function(*values, **shared) for values in given])

    def each(self, function: Callable[..., Any], **shared: Any) -> Iterable[Any]:
        """Call a function on each block when its turn comes."""
        return (function(value, **shared) for value in self.values)

    def put(self, values: Sequence[Any]) -> LocalBlocks:
        """Put one value beside each block."""
        return LocalBlocks(values)

    def gather(self) -> Iterable[Any]:
        """The values."""
        return iter(self.values)

    def total(self) -> Any:
        """Add the values up."""
        return add(*self.values)


def call_method(value: Any, *others: Any, method: str, **shared: Any) -> Any:
    """Call a method of a value by its name, as ``Blocks.map`` does with a string."""
    return attrgetter(method)(value)(*others, **shared)


def add(*values: Any) -> Any:
    """The first value plus the second, and so on."""
    return functools.reduce(operator.add, values)


def join(blocks: Blocks, n: int) -> NDArray[Any]:
    """The arrays of all blocks end to end, n rows together.

    Of a single block its own, a tensor where that is one.
    """
    joined: NDArray[Any] | None = None
    start = 0
    for part in blocks.gather():
        if len(part) == n:
            return np.asarray(part) if isinstance(part, np.ndarray | list) else part
        if joined is None:
            joined = np.empty((n, *part.shape[1:]), dtype=part.dtype)
        joined[start : start + len(part)] = part
        start += len(part)
    assert joined is not None
    assert start == n
    return joined


def pieces(array: NDArray[Any], n_rows: Sequence[int]) -> list[NDArray[Any]]:
    """The rows of an array that belong to each block, cut as the blocks are."""
    ends = np.cumsum(n_rows).tolist()
    return [array[end - n : end] for n, end in zip(n_rows, ends, strict=True)]


# -- the rows of a block, equal ones merged --------------------------------------------


class Micro(NamedTuple):
    """Rows of one block, equal ones merged."""

    ensemble: Ensemble  # the rows
    counts: NDArray[np.int64] | None = None  # objects of each row; None for one each
    inverse: NDArray[Any] | None = None  # the row of each object; None: not merged
    each: Floats | None = None  # weight of each object of a row; None for one
    scale: Floats | None = None  # factor of each row; None for one

    @property
    def weights(self) -> Floats:
        """Weight of each row: of all its objects together."""
        weights = np.ones(self.ensemble.n_objects) if self.each is None else self.each
        return weights if self.counts is None else weights * self.counts

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each object what its row has."""
        if self.inverse is None:
            return values
        if not isinstance(self.inverse, np.ndarray):
            from comitia._arrays import device_of, to_tensor

            values = to_tensor(values, device_of(self.inverse))
        return values[self.inverse]

    def spread_numbers(
        self, numbers: NDArray[Any], *, values: NDArray[Any]
    ) -> NDArray[Any]:
        """The same for values of rows that have other numbers in one place."""
        return self.spread(values[numbers])

    def without_objects(self) -> Micro:
        """What travels: the rows without the way back, in memory and counted."""
        small = self.ensemble.with_codes(np.array(self.ensemble.codes))
        counts = self.counts
        if counts is None:
            counts = np.ones(small.n_objects, dtype=np.int64)
        return Micro(small, counts, None, self.each, self.scale)


class MicroRows:
    """The rows of all blocks, and the way back from rows to objects.

    ``rows`` are Blocks of Micro. Where few different rows were brought to one place,
    ``parts`` are the blocks that they came from, and ``numbers`` says for each row of
    these which one it is there. ``n_counted`` is what the counts add up to, where that
    is not the number of objects.
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
        """Give each object what its row has; values are Blocks of arrays."""
        if self._numbers is None or self._parts is None:
            return join(self.rows.map("spread", values), self.n_objects)
        (everyone,) = values.gather()
        given = self._parts.map("spread_numbers", self._numbers, values=everyone)
        return join(given, self.n_objects)

    def lloyd_rows(
        self, squares: Blocks, scale: Blocks | None = None, **options: Any
    ) -> Blocks:
        """The rows of the indicator matrix B, each times its scale, for k-means.

        ``squares`` are their squared lengths; ``scale`` is used in place of that of
        the rows. With ``by_clustering=True`` objects without a label in a clustering
        are left out of its part of the centres, and of the distances. Otherwise the
        row is zero there.
        """
        if scale is None:
            scale = self.rows.map(attrgetter("scale"))
        rows = self.rows.map(
            "ensemble.engine.lloyd_rows", self.rows, squares, scale, **options
        )
        return with_units(rows, self.n_counted)


def micro_rows(
    ensemble: Ensemble, each: Floats | None = None, scale: Floats | None = None
) -> MicroRows:
    """The different rows of an ensemble.

    ``each`` are the weights of the objects and ``scale`` factors of their rows, both 1
    by default. Rows with equal labels, weights and factors are one. Where they are in
    one place and not many, they stand in the order of what their labels say, so that
    starts which are drawn by place do not hang on the order of the objects.
    """
    blocks = ensemble.row_blocks
    parts = blocks.map(
        "engine.merged",
        blocks.repeat(None) if each is None else ensemble.split(each),
        blocks.repeat(None) if scale is None else ensemble.split(scale),
    )
    if len(blocks) > 1:
        most = max(parts.map(attrgetter("ensemble.n_objects")).gather())
        found = None if most > sizes.MANY_ROWS else _in_one_place(ensemble, parts)
        if found is not None:
            return found
    elif isinstance(parts, LocalBlocks):
        (only,) = parts.values
        return MicroRows(ensemble, LocalBlocks([_in_content_order(only)]))
    return MicroRows(ensemble, parts)


def _in_content_order(micro: Micro) -> Micro:
    """The rows sorted by what the labels say, if they are not many."""
    from comitia.engine.content_keys import label_order

    rows = micro.ensemble
    if not rows.is_hard or rows.n_objects > sizes.MANY_ROWS:
        return micro
    codes = rows.codes
    counts = micro.counts
    if counts is None:
        counts = np.ones(rows.n_objects, dtype=np.int64)
    order, place = label_order(codes, rows.n_clusters_each, counts)
    place = place.astype(np.int32)
    each, scale = (
        None if values is None else values[order]
        for values in (micro.each, micro.scale)
    )
    inverse = micro.inverse
    if inverse is None:
        inverse = place
    elif isinstance(inverse, np.ndarray):
        inverse = place[inverse]
    else:
        from comitia._arrays import device_of, to_tensor

        inverse = to_tensor(place, device_of(inverse))[inverse]
    counts = None if micro.counts is None else counts[order]
    return Micro(rows.with_codes(codes[:, order]), counts, inverse, each, scale)


def _in_one_place(ensemble: Ensemble, parts: Blocks) -> MicroRows | None:
    """The different rows of all blocks as one, when they are few."""
    found = list(parts.map("without_objects").gather())
    codes = np.concatenate([part.ensemble.codes for part in found], axis=1)
    micro = ensemble.with_codes(codes).distinct()
    if len(micro.counts) > sizes.MANY_ROWS:
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
    only = _in_content_order(Micro(micro.ensemble, counts, micro.inverse, *values))
    assert only.inverse is not None
    numbers = pieces(only.inverse, [len(part.counts) for part in found])
    return MicroRows(
        ensemble, LocalBlocks([only._replace(inverse=None)]), parts.put(numbers), parts
    )


def rows_as_they_are(
    ensemble: Ensemble, counts: NDArray[np.int64] | None = None
) -> MicroRows:
    """One row for each object, which may stand for several; nothing is merged."""
    blocks = ensemble.row_blocks
    if counts is None:
        return MicroRows(ensemble, blocks.map(Micro))
    rows = blocks.map(Micro, ensemble.split(counts))
    return MicroRows(ensemble, rows, n_counted=int(counts.sum()))


def merge_in_memory(engine: Engine, each: Floats | None, scale: Floats | None) -> Micro:
    """The different rows of a block in memory, where merging equal ones saves work."""
    block = engine.block
    micro = block.distinct_if(_WORTH_MERGING)
    if micro is None:
        return Micro(block, None, None, each, scale)
    values: list[Any] = []
    for given in (each, scale):
        ours = None if given is None else _common(given, micro)
        if ours is None and given is not None:  # equal rows differ in this
            return Micro(block, None, None, each, scale)
        values.append(ours)
    # Half the memory, and no block has so many rows.
    inverse = micro.inverse.astype(np.int32, copy=False)
    return Micro(micro.ensemble, micro.counts, inverse, *values)


def _common(values: Floats, micro: MicroObjects) -> Floats | None:
    """The value of each micro-object; None if equal rows have different ones."""
    first = np.empty(len(micro.counts))
    first[micro.inverse] = values
    return first if np.array_equal(first[micro.inverse], values) else None


# -- integer units ---------------------------------------------------------------------


class Units(NamedTuple):
    """What one is, in the integers that are summed in place of floats.

    They follow from all rows together, so that every block has the same.
    """

    weight: float = 1.0  # of weights
    row: float = 1.0  # of weights times the scale of a row
    square: float = 1.0  # of weights times squared lengths


def with_units(rows: Blocks, n_counted: int) -> Blocks:
    """Give rows that stand for so many objects the units in which their sums fit.

    Those of labels get new units; others are summed as floats.
    """
    largest = np.max(list(rows.map("largest").gather()), axis=0)
    units = Units(*(fixed_scale(float(value), n_counted) for value in largest))
    return rows.map("with_units", units=units)
