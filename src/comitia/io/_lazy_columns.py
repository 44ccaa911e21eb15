"""Columns and arrays of a file that are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LazyMapping", "MatrixColumns"]


class LazyMapping(Mapping[str, Any]):
    """Arrays by their names, each of them read when it is asked for.

    Parameters
    ----------
    names : iterable of str
        What there is.

    read : callable
        Called with a name, gives the array.

    shapes : dict of str to tuple of int, default=None
        Shapes of the arrays, where they are known before.
    """

    def __init__(
        self,
        names: Sequence[str],
        read: Callable[[str], Any],
        shapes: Mapping[str, tuple[int, ...]] | None = None,
    ) -> None:
        self._names = [*names]
        self._read = read
        self.shapes = dict(shapes or {})

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        return self._read(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


class MatrixColumns(Sequence[NDArray[np.float64]]):
    """The columns of a matrix that is read when the first is asked for.

    A sparse matrix stays one; a column alone is dense.

    Parameters
    ----------
    shape : tuple of int
        The shape of the matrix.

    read : callable
        Gives the matrix, sparse or not.
    """

    def __init__(self, shape: tuple[int, int], read: Callable[[], Any]) -> None:
        self.shape = shape
        self._read = read

    @cached_property
    def matrix(self) -> Any:
        """The matrix: a ndarray, or a csr_array or csc_array; float64 either way."""
        from scipy.sparse import csc_array, csr_array

        found = self._read()
        if not hasattr(found, "tocsr"):
            return np.asarray(found, dtype=np.float64)
        made: Any = csc_array if found.format == "csc" else csr_array
        return made(found, dtype=np.float64)

    @property
    def is_sparse(self) -> bool:
        """Whether the matrix is a sparse one."""
        return not isinstance(self.matrix, np.ndarray)

    @cached_property
    def _by_columns(self) -> Any:
        if self.is_sparse:
            return self.matrix.tocsc()
        return np.asfortranarray(self.matrix)

    def __len__(self) -> int:
        return self.shape[1]

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[j] for j in range(*at.indices(len(self)))]
        j = range(len(self))[at]
        columns = self._by_columns
        if isinstance(columns, np.ndarray):
            return columns[:, j]
        column = np.zeros(self.shape[0])
        held = slice(columns.indptr[j], columns.indptr[j + 1])
        column[columns.indices[held]] = columns.data[held]
        return column
