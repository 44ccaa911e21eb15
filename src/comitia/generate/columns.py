"""Data feature by feature: in single precision what the kernels read fastest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import refuse_width
from comitia.exceptions import ComitiaError

__all__ = ["PIECE", "Columns", "Ends", "Frame"]

Array = NDArray[np.float64]

# Rows that are turned into columns at once.
_BLOCK = 1 << 14

# Sums over all rows are sums over pieces of so many: the order in which floats are
# added does not depend on how data are divided otherwise.
PIECE = 1 << 16


class Ends(NamedTuple):
    """What a frame has to know of some rows.

    Parameters
    ----------
    n : int
        How many they are.

    total, low, high : ndarray of shape (p,)
        Sum, least and largest value of each feature.
    """

    n: int
    total: Array
    low: Array
    high: Array

    @classmethod
    def of(cls, piece: Array) -> Ends:
        """Look at some rows.

        Parameters
        ----------
        piece : ndarray of shape (n, p)
            The rows.

        Returns
        -------
        ends : Ends
            Of these rows.
        """
        # Sums of rows in another layout have another order.
        piece = np.ascontiguousarray(piece)
        return cls(len(piece), piece.sum(axis=0), piece.min(axis=0), piece.max(axis=0))

    def with_next(self, other: Ends) -> Ends:
        """The ends of these rows and of the piece that follows.

        Parameters
        ----------
        other : Ends
            Those of the next piece.

        Returns
        -------
        ends : Ends
            Of both.
        """
        return Ends(
            self.n + other.n,
            self.total + other.total,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
        )


class Frame:
    """Where single precision has its zero and its one.

    Parameters
    ----------
    shift : ndarray of shape (p,)
        What is subtracted from the features.

    scale : float
        What they are multiplied with then; a power of two, which costs no digits.
    """

    def __init__(self, shift: Array, scale: float) -> None:
        self.shift = shift
        self.scale = scale

    @classmethod
    def of(cls, X: Array) -> Frame:
        """The frame in which data have mean zero and no value is beyond one.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        Returns
        -------
        frame : Frame
            The frame.
        """
        return cls.of_pieces(X[lo : lo + PIECE] for lo in range(0, len(X), PIECE))

    @classmethod
    def of_pieces(cls, pieces: Iterable[Array]) -> Frame:
        """The same for data that come piece by piece.

        Parameters
        ----------
        pieces : iterable of ndarray of shape (PIECE, p)
            The data; the last piece may be shorter.

        Returns
        -------
        frame : Frame
            The frame.
        """
        return cls.of_ends(map(Ends.of, pieces))

    @classmethod
    def of_ends(cls, ends: Iterable[Ends]) -> Frame:
        """The same for data of whose pieces this is known, in their order.

        Parameters
        ----------
        ends : iterable of Ends
            What is known of each piece.

        Returns
        -------
        frame : Frame
            The frame.
        """
        whole: Ends | None = None
        for each in ends:
            whole = each if whole is None else whole.with_next(each)
        if whole is None:
            raise ComitiaError("there are no objects; give at least one.")
        return cls.between(whole.total / whole.n, whole.low, whole.high)

    @classmethod
    def between(cls, shift: Array, low: Array, high: Array) -> Frame:
        """The frame of data with about these means, and these ends.

        Parameters
        ----------
        shift, low, high : ndarray of shape (p,)
            Mean, least and largest value of each feature.

        Returns
        -------
        frame : Frame
            The frame.
        """
        reach = max(float(np.abs(end - shift).max(initial=0.0)) for end in (low, high))
        if not np.isfinite(reach):
            raise ComitiaError("X has values too large to be subtracted; scale it.")
        widths = high - low
        refuse_width(float(widths.max(initial=0.0)), "X")
        _, exponent = np.frexp(reach)
        # Only so many digits that rows in another order, whose sum is rounded in
        # another way, have the same frame.
        _, digits = np.frexp(widths)
        shift = np.ldexp(np.rint(np.ldexp(shift, 10 - digits)), digits - 10)
        return cls(shift, float(2.0 ** -int(exponent)))

    def columns(self, X: Array, dtype: Any = np.float32) -> NDArray[Any]:
        """Turn rows into columns.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        dtype : dtype, default=float32
            Precision of the result.

        Returns
        -------
        columns : ndarray of shape (p, n)
            The data in this frame, feature by feature.
        """
        n, p = X.shape
        columns = np.empty((p, n), dtype=dtype)
        for lo in range(0, n, _BLOCK):
            rows = slice(lo, min(lo + _BLOCK, n))
            columns[:, rows] = ((X[rows] - self.shift) * self.scale).T
        return columns


class Columns:
    """Data feature by feature, in single precision unless something else is said.

    Parameters
    ----------
    values : ndarray of shape (p, n)
        The data in a frame.

    frame : Frame
        The frame.
    """

    def __init__(self, values: NDArray[Any], frame: Frame) -> None:
        self.values = values
        self.frame = frame

    @classmethod
    def of(cls, X: Array, dtype: Any = np.float32) -> Columns:
        """Turn data into columns.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The data.

        dtype : dtype, default=float32
            Precision of the result.

        Returns
        -------
        columns : Columns
            The same, feature by feature.
        """
        frame = Frame.of(X)
        return cls(frame.columns(X, dtype), frame)

    def take(self, rows: NDArray[np.int64]) -> Columns:
        """Some of the objects.

        Parameters
        ----------
        rows : ndarray of int
            Their numbers, without repeats.

        Returns
        -------
        columns : Columns
            Those objects.
        """
        if len(rows) == len(self) and np.array_equal(rows, np.arange(len(rows))):
            return self
        return Columns(np.ascontiguousarray(self.values[:, rows]), self.frame)

    def __len__(self) -> int:
        return self.values.shape[1]
