"""Where the columns of a table lie and how far they spread, down to rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "column_scales",
    "far_shift",
    "hashed_rows",
    "off_center",
    "off_center_of",
    "untied",
    "untied_weights",
]

Array = NDArray[np.float64]

# A column whose spread is no more than a few last digits of its values is constant.
_LAST_DIGITS = 4 * np.finfo(np.float64).eps

# The share of its range by which a value may move: far above rounding, far below what
# anybody measures.
_UNSEEN = 1e-9

# The square of a column that is no wider may underflow.
_SMALL = 1e-75

# A column is far from zero when its values are so many times as large as its range:
# squares then lose six digits of the sixteen.
_FAR = 1e3


def column_scales(X: Array) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Mean and standard deviation of each column; 1 where it does not vary.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    mean : ndarray of shape (n_features,)
        What to take off. Of a column that does not vary it is the first value, so that
        what is left is zero and not the rounding of a mean.

    scale : ndarray of shape (n_features,)
        What to divide by; never zero.

    varies : ndarray of shape (n_features,)
        Which columns vary by more than rounding.

    Examples
    --------
    >>> import numpy as np
    >>> column_scales(np.array([[1.0, 0.1], [4.0, 0.1]]))
    (array([2.5, 0.1]), array([1.5, 1. ]), array([ True, False]))
    """
    scale = X.std(axis=0)
    width = X.max(axis=0) - X.min(axis=0)
    small = (width > 0) & (width < _SMALL)
    if small.any():
        # Squares of these underflow; times a power of two they are ordinary numbers.
        _, power = np.frexp(width[small])
        scale[small] = np.ldexp(np.ldexp(X[:, small], -power).std(axis=0), power)
    varies = scale > _LAST_DIGITS * np.abs(X).max(axis=0)
    mean = np.where(varies, X.mean(axis=0), X[0])
    return mean, np.where(varies, scale, 1.0), varies


def off_center(X: Array) -> Array:
    r"""A table without its mean.

    Distances stay as they are, but not their rounding: :math:`\|x\|^2 - 2 x'y +
    \|y\|^2` has the last digits of the squares, which are large for data far from zero.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    X : ndarray of the same shape
        Its columns sum to zero.

    Examples
    --------
    >>> import numpy as np
    >>> off_center(np.array([[1.0], [3.0]])).tolist()
    [[-1.0], [1.0]]
    """
    return np.asarray(X - X.mean(axis=0))


def off_center_of(X: Array, Y: Array | None) -> tuple[Array, Array | None]:
    """Two tables whose rows are compared, without the mean of the second.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        A table.

    Y : ndarray of shape (n_others, n_features), or None
        Another; None compares the first with itself.

    Returns
    -------
    X, Y : ndarray of the same shapes
        Both, shifted alike.

    Examples
    --------
    >>> import numpy as np
    >>> off_center_of(np.array([[2.5]]), np.array([[1.0], [3.0]]))
    (array([[0.5]]), array([[-1.],
           [ 1.]]))
    """
    if Y is None:
        return off_center(X), None
    mean = Y.mean(axis=0)
    return X - mean, Y - mean


def far_shift(X: Array) -> Array | None:
    """What to take off columns that lie far from zero.

    Values that are close to each other are subtracted without rounding, so nothing is
    lost by it, and whatever squares the values afterwards keeps the digits that tell
    objects apart.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    shift : ndarray of shape (n_features,), or None
        The middle of each column that is a thousand times farther from zero than it is
        wide, 0 for the others; None if none is. A column that does not vary is compared
        with the widest one.

    Examples
    --------
    >>> import numpy as np
    >>> far_shift(np.array([[1.0, 1e6, 7e6], [4.0, 1e6 + 2, 7e6]]))
    array([      0., 1000001., 7000000.])
    """
    low, high = X.min(axis=0), X.max(axis=0)
    widths = high - low
    widths = np.where(widths > 0, widths, widths.max(initial=0.0))
    middle = low + (high - low) / 2
    far = (widths > 0) & (np.abs(middle) > _FAR * widths)
    return np.where(far, middle, 0.0) if far.any() else None


def untied(X: Array) -> Array:
    r"""A table with distances that are equal by chance no longer equal.

    Whole numbers leave many objects halfway between two centres, and the last bits of
    the sums of a processor would decide where they go. Here every value moves by up to
    1e-9 of the range of its column, by an amount that hangs on the column and on the
    values of its row alone: copies stay copies, and neither the order of the objects
    nor the processor matters.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    X : ndarray of the same shape
        The values, moved.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [1.0]])
    >>> moved = untied(X)
    >>> bool(moved[1] == moved[3]), bool(abs(moved - X).max() < 3e-9)
    (True, True)
    """
    low = X.min(axis=0)
    extent = X.max(axis=0) - low
    bits = _hashed_cells(X, low, extent)
    bits = _mixed(bits + bits.sum(axis=1, keepdims=True))
    share = (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.asarray(X + _UNSEEN * extent * share)


def untied_weights(X: Array) -> Array:
    """Weights of objects for k-means++, which are 1 but for 1e-9.

    Of two objects that are each other's nearest, k-means++ gains the same by either,
    wherever they lie; here one of them counts for more, by the values of its row alone.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The table.

    Returns
    -------
    weights : ndarray of shape (n_objects,)
        From 1 to 1 + 1e-9.
    """
    return np.asarray(1.0 + _UNSEEN * (hashed_rows(X) >> np.uint64(11)) * 2.0**-53)


def hashed_rows(X: Array) -> NDArray[np.uint64]:
    """A number for each row by its values, the same on every kind of processor.

    Parameters
    ----------
    X : ndarray of shape (n, p)
        Finite numbers.

    Returns
    -------
    keys : ndarray of shape (n,)
        Spread over all 64 bits. Rows that differ by rounding alone have the same, and
        so do equal rows.
    """
    low = X.min(axis=0)
    return _mixed(_hashed_cells(X, low, X.max(axis=0) - low).sum(axis=1))


def _hashed_cells(X: Array, low: Array, extent: Array) -> NDArray[np.uint64]:
    # In units that rounding does not reach. A range just below a power of two would be
    # just above it elsewhere; whole numbers and unit ranges are far from 1.1 of one.
    _, exponent = np.frexp(1.1 * extent)
    bits = np.rint(np.ldexp(X - low, 20 - exponent)).astype(np.uint64)
    columns = np.arange(1, X.shape[1] + 1, dtype=np.uint64)
    return _mixed(bits + columns * np.uint64(0x9E3779B97F4A7C15))


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Splitmix64, which spreads neighbours all over the 64 bits."""
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


def unit_rows(X: Array) -> Array:
    """Rows of length one; a row of zeros stays as it is."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1.0)
