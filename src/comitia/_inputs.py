"""Input that is no plain table: views, series in time, and AnnData.

Where a table is asked for, an AnnData may be given (``fit(adata)``, ``generate``,
``predict``, ``choose_k``, ``compare``). The contract, in :func:`table_or_anndata`: the
rows are its ``obs``, called by ``obs_names``; the table is ``obsm["X_pca"]`` where
there is one, and else ``X``, which a warning says, and says as well if ``X`` looks like
raw counts. Nothing is normalised here, nothing is written back, and anndata is not
imported.
"""

from __future__ import annotations

import datetime as dt
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._names import in_order, is_network, match_rows, names_of_each
from comitia.exceptions import ComitiaError, ComitiaWarning, DataTypeError

__all__ = [
    "Views",
    "check_series",
    "check_sparse",
    "check_views",
    "count_objects",
    "holds_dates",
    "masked_to_nan",
    "refuse_large",
    "refuse_masks_and_dates",
    "refuse_repeated_names",
    "refuse_small",
    "refuse_width",
    "special_kind",
    "table_or_anndata",
]

# What NumPy turns into numbers of days, or of nanoseconds.
_TEMPORAL = (dt.date, dt.time, dt.timedelta, np.datetime64, np.timedelta64)
_TEMPORAL_TYPES = ("date", "time", "duration", "period")

# Sums of fourth powers, which validity indices take, stay finite below the one and
# differ from zero above the other.
_LARGEST, _SMALLEST = 1e75, 1e-75


@dataclass(frozen=True)
class Views:
    """Tables that describe the same objects.

    Parameters
    ----------
    arrays : tuple of ndarray of shape (n_objects, n_features of the view)
        The views. An object that a view does not have is a row of NaN there.

    names : tuple of str
        A name for each view.

    object_names : ndarray of str of shape (n_objects,), default=None
        Names of the objects.
    """

    arrays: tuple[NDArray[np.float64], ...]
    names: tuple[str, ...]
    object_names: NDArray[Any] | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.arrays[0])

    @property
    def n_views(self) -> int:
        """Number of views."""
        return len(self.arrays)

    @property
    def present(self) -> NDArray[np.bool_]:
        """Which objects each view has, (n_objects, n_views)."""
        return np.stack([~np.isnan(X[:, 0]) for X in self.arrays], axis=1)


def count_objects(X: Any) -> int:
    """How many objects there are in data of any kind.

    Parameters
    ----------
    X : table, views, series, graph or Ensemble
        What was checked.

    Returns
    -------
    n_objects : int
        How many.
    """
    if hasattr(X, "n_objects"):
        return int(X.n_objects)
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def check_sparse(matrix: Any, name: str) -> None:
    """Refuse a sparse matrix of which an entry lies outside.

    SciPy believes the arrays of a matrix that it converts or multiplies. Its own check
    looks at no entry where their number is not positive, and takes that from the last
    of the places at which rows begin.

    Parameters
    ----------
    matrix : sparse matrix or array
        Of what came from outside.

    name : str
        What the message calls it.

    Raises
    ------
    ComitiaError
        If its arrays do not fit each other.
    """
    try:
        if hasattr(matrix, "indptr"):
            if (np.diff(matrix.indptr) < 0).any():
                raise ValueError("a row ends before it begins")
            matrix.check_format(full_check=True)
        elif matrix.format == "coo":
            for places, size in zip(matrix.coords, matrix.shape, strict=True):
                _check_places(places, len(matrix.data), size)
        elif matrix.format == "lil":
            for places, values in zip(matrix.rows, matrix.data, strict=True):
                _check_places(places, len(values), matrix.shape[1])
    except ValueError as error:
        raise ComitiaError(f"{name} is a damaged sparse matrix: {error}.") from None


def _check_places(places: Sequence[int], n_values: int, size: int) -> None:
    if len(places) != n_values:
        raise ValueError(f"{len(places)} places for {n_values} values")
    if n_values and not 0 <= np.min(places) <= np.max(places) < size:
        raise ValueError(f"a place is not in the range from 0 to {size - 1}")


def table_or_anndata(X: Any) -> Any:
    """The table that is meant: that of an AnnData, or what was given.

    Parameters
    ----------
    X : object
        An AnnData, by its attributes ``obs_names``, ``obsm`` and ``X``; or anything.

    Returns
    -------
    table : array-like
        Of an AnnData ``obsm["X_pca"]`` if it is there, and else ``X``, dense.
    """
    if not all(hasattr(X, name) for name in ("obs_names", "obsm", "X")):
        return X
    if "X_pca" in X.obsm:
        return np.asarray(X.obsm["X_pca"])
    table = X.X
    if hasattr(table, "toarray"):
        check_sparse(table, "X of the AnnData")
        from comitia.config import require_memory

        n, p = table.shape
        require_memory(
            8 * n * p,
            f"the sparse X of the AnnData as a table of {n} rows and {p} columns",
            'compute obsm["X_pca"] first',
        )
        table = table.toarray()
    table = np.asarray(table)
    text = 'X of the AnnData is clustered as it is, since obsm has no "X_pca"'
    if _are_counts(table):
        text += (
            ", and looks like raw counts: normalise it, take logarithms and compute a "
            "PCA first, as scanpy does"
        )
    warnings.warn(f"{text}.", ComitiaWarning, stacklevel=2)
    return table


def _are_counts(table: NDArray[Any]) -> bool:
    """Whether the first rows hold whole numbers, none negative, not all 0, 1 or 2."""
    some = table[:1000]
    if some.size == 0 or not np.issubdtype(some.dtype, np.number):
        return False
    return bool((some >= 0).all() and (some == np.rint(some)).all() and some.max() > 2)


def check_views(
    X: Any, parts: Sequence[Any] | None, *, missing: bool, empty: bool = False
) -> Views:
    """Check views, or take them out of one wide table.

    Parameters
    ----------
    X : list or dict of array-like, or array-like of shape (n_objects, n_features)
        The views, or one table. Rows of DataFrames and AnnData are matched by name
        (:mod:`comitia._names`).

    parts : list of slice, or of lists of column numbers, or None
        Which columns of one table make up each view; ``None`` takes it as one view.

    missing : bool
        Whether a view may lack objects, as rows of NaN.

    empty : bool, default=False
        Whether a view may lack all of them, as in a part of a stream.

    Returns
    -------
    views : Views
        The views, as float64.
    """
    names: Sequence[Any] | None = None
    if isinstance(X, Mapping):
        names, X = list(X), list(X.values())
    elif not _is_list_of_tables(X):
        table = _check_table(X, "X")
        X = [table] if parts is None else _cut(table, parts)
    elif parts is not None:
        raise ComitiaError(
            "views says how to cut one table, but X is a list of views already; give "
            "one of the two."
        )
    if len(X) == 0:
        raise ComitiaError("X is an empty list; give at least one view.")
    names = [f"view {v}" for v in range(len(X))] if names is None else names
    arrays = tuple(
        _check_table(table_or_anndata(view), f"X[{v}]") for v, view in enumerate(X)
    )
    object_names, rows = match_rows(
        names_of_each(X), [f"X[{v}]" for v in range(len(X))]
    )
    arrays = tuple(map(in_order, arrays, rows))
    lengths = [len(array) for array in arrays]
    if len(set(lengths)) > 1:
        raise ComitiaError(
            f"the views have {', '.join(map(str, lengths))} rows; they must describe "
            "the same objects in the same order, with a row of NaN for an object that "
            "a view does not have."
        )
    for v, array in enumerate(arrays):
        _check_rows(array, f"X[{v}]", missing=missing, empty=empty)
    views = Views(arrays, tuple(map(str, names)), object_names)
    nowhere = np.flatnonzero(~views.present.any(axis=1))
    if len(nowhere):
        raise ComitiaError(
            f"{len(nowhere)} object(s) are in no view, the first is row {nowhere[0]}; "
            "leave them out."
        )
    return views


def check_series(X: Any) -> list[NDArray[np.float64]]:
    """Check time series.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_channels, n_times), or list of 2-D arrays
        One (channels, time) array per object, of any length. A table of shape
        (n_objects, n_times) holds series of one channel.

    Returns
    -------
    series : list of ndarray of shape (n_channels, n_times of the object)
        The series, as float64.
    """
    if not isinstance(X, list | tuple):
        table = _check_numbers(X, "X")
        if table.ndim not in (2, 3):
            raise ComitiaError(
                f"X has {table.ndim} dimension(s); series are (n_objects, n_channels, "
                "n_times), (n_objects, n_times), or a list of (n_channels, n_times). "
                "Reshape your data."
            )
        series = list(table[:, None, :] if table.ndim == 2 else table)
    else:
        series = [
            np.atleast_2d(_check_numbers(one, f"X[{i}]")) for i, one in enumerate(X)
        ]
    if not series:
        raise ComitiaError("X has no series; give at least one.")
    for i, one in enumerate(series):
        if one.ndim != 2 or one.shape[1] == 0:
            raise ComitiaError(
                f"X[{i}] has shape {one.shape}; a series is (n_channels, n_times)."
            )
        if one.shape[0] != series[0].shape[0]:
            raise ComitiaError(
                f"X[{i}] has {one.shape[0]} channel(s) and X[0] has "
                f"{series[0].shape[0]}; all series need the same channels."
            )
        if not np.isfinite(one).all():
            raise ComitiaError(
                f"X[{i}] contains NaN or infinity; cut a series where it ends instead "
                "of filling it up."
            )
    return series


def special_kind(X: Any) -> str | None:
    """What X is if it is no table, as far as its form tells.

    Parameters
    ----------
    X : object
        Data.

    Returns
    -------
    kind : {"views", "series", "graph"} or None
        Three dimensions are series, and so is a list of arrays, unless these have equal
        numbers of rows, no fewer than there are arrays: those are views. A square
        sparse matrix, or a graph of networkx, is a graph.
    """
    shape = getattr(X, "shape", None)
    if is_network(X) or (hasattr(X, "toarray") and shape and shape[0] == shape[-1]):
        return "graph"
    if isinstance(X, list | tuple) and X and np.ndim(X[0]) == 2:
        alike = all(len(one) == len(X[0]) for one in X)
        return "views" if alike and len(X) <= len(X[0]) else "series"
    return "series" if shape is not None and len(shape) == 3 else None


def refuse_masks_and_dates(X: Any, name: str) -> None:
    """Refuse what NumPy would turn into numbers without a word.

    Masked values become whatever stands under the mask, dates numbers of days, and of
    complex numbers in an array of objects the real part is left.

    Parameters
    ----------
    X : array-like
        What was given.

    name : str
        How messages call it.
    """
    if type(X) is np.ndarray and X.dtype.kind in "biuf":
        return  # numbers, as most series of a long list are
    if masked_to_nan(X) is not X:
        raise ComitiaError(
            f"{name} has masked values; fill them in, or leave out their rows or "
            "columns."
        )
    for column, kind, values in _columns_of(X):
        if holds_dates(kind, values):
            where = "" if column is None else f" in column {column!r}"
            raise DataTypeError(
                f"{name} holds dates or durations{where}; give numbers, such as days "
                "since the first."
            )
        # Complex numbers of another type are refused by those who read them.
        if kind == "object" and _holds(values(), np.complexfloating):
            raise DataTypeError(f"{name} is complex; give real numbers.")


def refuse_repeated_names(X: Any, name: str) -> None:
    """Refuse a DataFrame of which two columns have one name.

    Parameters
    ----------
    X : array-like
        What was given.

    name : str
        How messages call it.
    """
    seen = set()
    for column, _, _ in [] if isinstance(X, list | tuple) else _columns_of(X):
        if column is not None and column in seen:
            raise ComitiaError(f"{name} has two columns called {column!r}; rename one.")
        seen.add(column)


def holds_dates(kind: str, values: Callable[[], Any]) -> bool:
    """Whether some of the values are dates, times or durations.

    Parameters
    ----------
    kind : str
        The type of an array or of a column, in lower-case letters, as NumPy, pandas,
        Polars or Arrow write it.

    values : callable
        Returns the values, which are looked at one by one if they are objects.

    Returns
    -------
    found : bool
        Whether there are any.
    """
    if kind != "object":
        return kind.startswith(_TEMPORAL_TYPES)
    return _holds(values(), _TEMPORAL)


def _holds(values: Any, types: Any) -> bool:
    return any(isinstance(value, types) for value in np.asarray(values).flat)


def _columns_of(X: Any) -> list[tuple[Any, str, Callable[[], Any]]]:
    """Name, type and values of the columns; one without a name if X is no DataFrame."""
    if hasattr(X, "iloc") and hasattr(X, "dtypes") and hasattr(X, "columns"):
        # A name of pandas may stand for two columns.
        return [
            (name, str(dtype).lower(), partial(X.iloc.__getitem__, (slice(None), j)))
            for j, (name, dtype) in enumerate(zip(X.columns, X.dtypes, strict=True))
        ]
    if isinstance(getattr(X, "schema", None), Mapping):  # Polars
        return [
            (name, str(dtype).lower(), partial(X.__getitem__, name))
            for name, dtype in X.schema.items()
        ]
    if hasattr(X, "schema") and hasattr(X, "column_names"):  # Arrow
        return [
            (name, str(dtype), partial(X.column, j))
            for j, (name, dtype) in enumerate(
                zip(X.column_names, X.schema.types, strict=True)
            )
        ]
    if isinstance(X, list | tuple):
        try:
            X = np.asarray(X)
        except (TypeError, ValueError):  # said in words by whoever reads it next
            return []
    return [(None, str(getattr(X, "dtype", "")), lambda: X)]


def masked_to_nan(X: Any) -> Any:
    """Write NaN where values are masked, which NumPy forgets when it copies.

    Parameters
    ----------
    X : array-like
        What was given: a masked array, a list that has some, or anything else.

    Returns
    -------
    X : array-like
        What was given, itself if nothing in it is masked.
    """
    if isinstance(X, list | tuple):
        return [masked_to_nan(row) for row in X] if any(map(_is_masked, X)) else X
    if not _is_masked(X):
        return X
    return np.where(X.mask, np.nan if X.dtype.kind in "biufc" else None, X.data)


def refuse_large(X: NDArray[np.float64], name: str) -> None:
    """Refuse values whose powers overflow, which ends in NaN much later.

    Parameters
    ----------
    X : ndarray
        The numbers; NaN is not looked at.

    name : str
        How messages call them.
    """
    if X.size == 0:
        return
    largest = max(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None))
    if _LARGEST < largest < np.inf:
        raise ComitiaError(
            f"{name} has values as large as {largest:.2g}, whose powers overflow; "
            "divide the columns by their scale."
        )


def refuse_small(X: NDArray[np.float64], name: str) -> None:
    """Refuse differences whose powers underflow: all objects would seem alike.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The numbers; NaN is not looked at.

    name : str
        How messages call them.
    """
    if X.size == 0:
        return
    widths = np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0)
    refuse_width(np.fmax.reduce(widths), name)


def refuse_width(widest: float, name: str) -> None:
    """The same for data whose width is known.

    Parameters
    ----------
    widest : float
        Largest less least value of the column that varies most.

    name : str
        How messages call the data.
    """
    if 0 < widest < _SMALLEST:
        raise ComitiaError(
            f"{name} varies by no more than {widest:.2g}, whose powers underflow; "
            "divide by the scale of the values."
        )


def _is_masked(X: Any) -> bool:
    return isinstance(X, np.ma.MaskedArray) and bool(np.ma.getmaskarray(X).any())


def _is_list_of_tables(X: Any) -> bool:
    return isinstance(X, list | tuple) and any(
        getattr(view, "ndim", None) == 2
        or hasattr(view, "columns")
        or hasattr(view, "obs_names")
        for view in X
    )


def _check_numbers(X: Any, name: str) -> NDArray[np.float64]:
    if hasattr(X, "toarray"):
        raise ComitiaError(f"{name} is sparse; give {name}.toarray().")
    X = masked_to_nan(X)
    refuse_masks_and_dates(X, name)
    try:
        array = np.asarray(X)
        if np.iscomplexobj(array):
            raise ComitiaError(f"{name} is complex; give real numbers.")
        array = array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, ComitiaError):
            raise
        raise ComitiaError(f"{name} is not an array of numbers: {error}.") from None
    refuse_large(array, name)
    return array


def _check_table(X: Any, name: str) -> NDArray[np.float64]:
    array = _check_numbers(X, name)
    if array.ndim != 2:
        raise ComitiaError(
            f"{name} has {array.ndim} dimension(s); a view is (n_objects, n_features). "
            "Reshape your data."
        )
    for size, what in zip(array.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ComitiaError(
                f"Found array with 0 {what}(s) (shape={array.shape}) in {name} while "
                "a minimum of 1 is required."
            )
    return array


def _check_rows(
    X: NDArray[np.float64], name: str, *, missing: bool, empty: bool
) -> None:
    if np.isinf(X).any():
        raise ComitiaError(f"{name} contains infinity; give finite numbers.")
    holes = np.isnan(X)
    if not holes.any():
        return
    partly = np.flatnonzero(holes.any(axis=1) & ~holes.all(axis=1))
    if not missing:
        raise ComitiaError(
            f"{name} contains NaN, and this method needs every object in every view; "
            "liu_2010, mic, omvc and MultiViewEnsemble take views with missing objects."
        )
    if len(partly):
        raise ComitiaError(
            f"{name} contains NaN in a part of row {partly[0]}; a missing object is a "
            "whole row of NaN, and single values have to be filled in first."
        )
    if holes.all() and not empty:
        raise ComitiaError(f"{name} has no object at all; leave the view out.")


def _cut(table: NDArray[np.float64], parts: Sequence[Any]) -> list[NDArray[np.float64]]:
    pieces = []
    for v, part in enumerate(parts):
        try:
            piece = table[:, part]
        except (IndexError, TypeError, ValueError):
            piece = table[:, :0]
        if piece.ndim != 2 or piece.shape[1] == 0:
            raise ComitiaError(
                f"views[{v}]={part!r} takes no columns out of {table.shape[1]}; give a "
                "slice or a list of column numbers."
            )
        pieces.append(piece)
    return pieces
