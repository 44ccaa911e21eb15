"""Rows of an array in Zarr, some chunks at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._storage_paths import AnyPath, open_zarr, refuse_pickles
from comitia.exceptions import ComitiaError
from comitia.generate.sources import Rows, _check_shape, _checked, _unreadable

__all__ = ["ZarrRows"]

Floats = NDArray[np.float64]


class ZarrRows(Rows):
    """Rows of an array in Zarr, here and on other machines.

    Parameters
    ----------
    path : Path or StoredPath
        The array: a store that is one, or an array in a store, ``store.zarr/X``.
    """

    def __init__(self, path: AnyPath) -> None:
        self.path = path.absolute()
        self.name = str(path)
        self._array: Any = None
        array = self._opened()
        self.n_features = int(array.shape[1])
        self.n_rows = int(array.shape[0])

    def _opened(self) -> Any:
        if self._array is None:
            try:
                found = open_zarr(self.path)
            except (ComitiaError, ImportError):
                raise
            except Exception as error:  # Zarr fails in a dozen ways
                message = " ".join(str(error).split())
                raise ComitiaError(
                    f"{self.name} cannot be read as .zarr ({message})."
                ) from None
            if not hasattr(found, "shape"):
                raise ComitiaError(
                    f"{self.name} is a group of arrays; give one of them, such as "
                    f"{self.name}/X."
                )
            _check_shape(found.shape, found.dtype, self.name)
            refuse_pickles(found, self.path)
            self._array = found
        return self._array

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_array": None}

    def __len__(self) -> int:
        return self.n_rows

    def read(self, start: int, stop: int) -> Floats:
        return _checked(self._part(start, stop), self.name, start)

    def read_as_is(self, start: int, stop: int, column: int | None = None) -> Floats:
        """Read rows in which values may be missing.

        Parameters
        ----------
        start, stop : int
            Where they begin and end.

        column : int, default=None
            The only column that is meant.

        Returns
        -------
        X : ndarray of shape (stop - start, n_features), or (stop - start,)
            The rows, or the column.
        """
        columns = slice(None) if column is None else column
        return np.array(self._part(start, stop, columns), dtype=np.float64, order="C")

    def _part(self, start: int, stop: int, columns: Any = slice(None)) -> Any:
        array = self._opened()
        try:
            return np.asarray(array[start:stop, columns])
        except Exception as error:  # and its codecs in a dozen more
            raise _unreadable(self.name, start, stop, error) from None
