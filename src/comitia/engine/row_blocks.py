"""One value for each row block, wherever the blocks are.

What a linear method does with objects is a function of each row block, then a sum of
what came out. A :class:`Blocks` hands such functions to the blocks: those of an array
in memory, of a folder on disk, or of workers elsewhere (:mod:`comitia.distributed`).
"""

from __future__ import annotations

import functools
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import device_of

__all__ = ["Blocks", "LocalBlocks", "add", "join", "pieces"]


class Blocks(ABC):
    """A handle on one value per row block, in the order of the blocks."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of blocks."""

    @abstractmethod
    def map(self, function: Callable[..., Any], *others: Any, **shared: Any) -> Blocks:
        """Call a function on each block.

        Parameters
        ----------
        function : callable
            Called as ``function(value, *values_of_the_others, **shared)``. It is
            found by its name on other machines, so it stands in a module, and it does
            not change what it is given: a block that is lost is made again.

        *others : Blocks
            More values for each block.

        **shared : dict
            What all blocks get.

        Returns
        -------
        blocks : Blocks
            What came out; it stays where it was made.
        """

    @abstractmethod
    def each(self, function: Callable[..., Any], **shared: Any) -> Iterable[Any]:
        """Call a function on each block and bring what comes out here, one by one.

        Parameters
        ----------
        function : callable
            As for :meth:`map`. Nothing that it returns is kept.

        **shared : dict
            What all blocks get.

        Returns
        -------
        values : iterable
            In the order of the blocks.
        """

    @abstractmethod
    def put(self, values: Sequence[Any]) -> Blocks:
        """Put one value of this process beside each block.

        Parameters
        ----------
        values : sequence
            One for each block.

        Returns
        -------
        blocks : Blocks
            Their handle.
        """

    @abstractmethod
    def gather(self) -> Iterable[Any]:
        """Bring the values here, one after the other.

        Returns
        -------
        values : iterable
            In the order of the blocks.
        """

    @abstractmethod
    def total(self) -> Any:
        """Add the values up.

        Returns
        -------
        total : object
            The sum. Values are integers, so that the order does not matter.
        """


class LocalBlocks(Blocks):
    """Values in this process.

    Parameters
    ----------
    values : iterable
        One for each block.
    """

    def __init__(self, values: Iterable[Any]) -> None:
        self.values = list(values)

    def __len__(self) -> int:
        return len(self.values)

    def map(
        self, function: Callable[..., Any], *others: Any, **shared: Any
    ) -> LocalBlocks:
        """Call a function on each block, one after the other.

        Parameters
        ----------
        function : callable
            Called as ``function(value, *values_of_the_others, **shared)``.

        *others : LocalBlocks
            More values for each block.

        **shared : dict
            What all blocks get.

        Returns
        -------
        blocks : LocalBlocks
            What came out.
        """
        given = zip(self.values, *(other.values for other in others), strict=True)
        return LocalBlocks(function(*values, **shared) for values in given)

    def each(self, function: Callable[..., Any], **shared: Any) -> Iterable[Any]:
        """Call a function on each block when its turn comes.

        Parameters
        ----------
        function : callable
            Called as ``function(value, **shared)``.

        **shared : dict
            What all blocks get.

        Returns
        -------
        values : iterable
            In the order of the blocks.
        """
        return (function(value, **shared) for value in self.values)

    def put(self, values: Sequence[Any]) -> LocalBlocks:
        """Put one value beside each block.

        Parameters
        ----------
        values : sequence
            One for each block.

        Returns
        -------
        blocks : LocalBlocks
            Their handle.
        """
        return LocalBlocks(values)

    def gather(self) -> Iterable[Any]:
        """The values.

        Returns
        -------
        values : iterable
            In the order of the blocks.
        """
        return iter(self.values)

    def total(self) -> Any:
        """Add the values up.

        Returns
        -------
        total : object
            The sum.
        """
        return add(*self.values)


def add(*values: Any) -> Any:
    """The sum of one or more values.

    Parameters
    ----------
    *values : objects
        Anything that can be added.

    Returns
    -------
    total : object
        The first plus the second, and so on.
    """
    return functools.reduce(operator.add, values)


def join(blocks: Blocks, n: int) -> NDArray[Any]:
    """Put the arrays of all blocks end to end.

    Parameters
    ----------
    blocks : Blocks
        Of arrays that differ only in their length.

    n : int
        Their lengths together.

    Returns
    -------
    joined : ndarray of shape (n, ...)
        The arrays; of a single block its own, a tensor where that is one.
    """
    joined: NDArray[Any] | None = None
    start = 0
    for part in blocks.gather():
        if len(part) == n:
            return part if device_of(part) else np.asarray(part)
        if joined is None:
            joined = np.empty((n, *part.shape[1:]), dtype=part.dtype)
        joined[start : start + len(part)] = part
        start += len(part)
    assert joined is not None
    assert start == n
    return joined


def pieces(array: NDArray[Any], n_rows: Sequence[int]) -> list[NDArray[Any]]:
    """Cut an array as the blocks are cut.

    Parameters
    ----------
    array : ndarray of shape (n, ...)
        One row for each object.

    n_rows : sequence of int
        Objects of each block.

    Returns
    -------
    parts : list of ndarray
        The rows of each block.
    """
    ends = np.cumsum(n_rows).tolist()
    return [array[end - n : end] for n, end in zip(n_rows, ends, strict=True)]
