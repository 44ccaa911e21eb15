"""Reading labels: whatever names people give their clusters become codes 0..k-1."""

import contextlib
from collections.abc import Hashable, Sequence
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._arrays import device_of
from comitia._inputs import holds_dates
from comitia._names import (
    as_names,
    in_order,
    match_rows,
    names_of,
    names_of_each,
    proper_names,
)
from comitia.exceptions import ComitiaError

__all__ = [
    "Coded",
    "ReadLabels",
    "as_columns",
    "as_labels",
    "check_not_sparse",
    "cluster_names",
    "encode",
    "label_columns",
    "narrowest",
    "texts_of",
]


# Rows of a table that are turned into columns at once: they stay in the cache.
_ROWS_AT_ONCE = 1024


class ReadLabels(NamedTuple):
    """Columns of labels, one per clustering, and the names that came with them."""

    columns: list[Any]
    object_names: Any
    clustering_names: Any


def label_columns(labels: Any) -> ReadLabels:
    """Split what the user gave into one label vector per clustering.

    Parameters
    ----------
    labels : array-like, DataFrame or list of label vectors
        Rows of a table are objects; in a list of one-dimensional arrays or Series
        each item is a clustering.

    Returns
    -------
    table : ReadLabels
        The columns, and names where the input has them.
    """
    check_not_sparse(labels, "labels")
    device = device_of(labels)
    if device is not None and device not in ("torch", "array_api_strict"):
        raise ComitiaError(
            f"labels are on device {device!r}; Ensemble.on_device(labels) leaves them "
            "there."
        )
    if hasattr(labels, "columns") and hasattr(labels, "shape"):
        return _read_frame(labels)
    if _is_list_of_vectors(labels):
        order, rows = match_rows(
            names_of_each(labels),
            [f"labels[{m}]" for m in range(len(labels))],
        )
        columns = list(map(in_order, map(as_labels, labels), rows))
        lengths = {len(column) for column in columns}
        if len(lengths) > 1:
            raise ComitiaError(
                "labels must be label vectors of one length; got lengths "
                f"{sorted(lengths)}. Mark objects a clustering leaves out with -1."
            )
        names = [getattr(column, "name", None) for column in labels]
        # A Polars Series without a name has the name "".
        named = all(isinstance(name, str) and name for name in names)
        return ReadLabels(columns, order, names if named else None)
    try:
        table = as_labels(labels)
    except ValueError:
        raise ComitiaError(
            "labels must be a table with one row per object and one column per "
            "clustering; the rows given differ in length."
        ) from None
    if table.ndim != 2:
        raise ComitiaError(
            "labels must be two-dimensional, one row per object and one column per "
            f"clustering; got {table.ndim} dimension(s). For a single clustering give "
            "labels.reshape(-1, 1)."
        )
    if table.dtype.kind in "iu" and table.size:
        return ReadLabels(list(_narrow_columns(table)), None, None)
    return ReadLabels(list(table.T), None, None)


def as_columns(labels: Any) -> Any:
    """Take one label vector for a list of one.

    Parameters
    ----------
    labels : array-like
        A vector, or whatever an ensemble is made of.

    Returns
    -------
    labels : object
        What :func:`label_columns` reads.
    """
    if hasattr(labels, "shape"):
        return [labels] if len(labels.shape) == 1 else labels
    is_list = isinstance(labels, list | tuple)
    if is_list and all(np.isscalar(label) or label is None for label in labels):
        return [as_labels(labels)]
    return labels


def as_labels(given: Any) -> NDArray[Any]:
    """Read labels from outside as an array in which missing ones are marked.

    Parameters
    ----------
    given : array-like
        Labels; masked ones, and nulls of PyArrow, are missing.

    Returns
    -------
    labels : ndarray
        With -1, NaN or None for what is missing.
    """
    if isinstance(given, np.ma.MaskedArray):
        return _filled(given)
    if _is_arrow(given):
        nulls = given.null_count > 0
        return np.array(given.to_pylist(), object) if nulls else np.asarray(given)
    array = np.asarray(given)
    if array.dtype.kind in "US" and not isinstance(given, np.ndarray):
        # NumPy writes None, NaN and what is masked out as text beside strings.
        array = np.asarray(given, dtype=object)
    return array


def check_not_sparse(given: Any, argument: str) -> None:
    """Refuse a sparse matrix where a table is wanted.

    Parameters
    ----------
    given : object
        What was given.

    argument : str
        What messages call it.
    """
    if hasattr(given, "tocsr") and hasattr(given, "nnz"):
        raise ComitiaError(
            f"{argument} is a sparse matrix, whose empty places would be taken for a "
            f"label; give an array: {argument}.toarray()."
        )


class Coded(NamedTuple):
    """One label vector as codes."""

    codes: NDArray[Any]  # 0..k-1, and k for objects that are not clustered
    n_clusters: int
    names: Any  # what the label of each code was; None for 0..k-1 themselves


def encode(column: NDArray[Any], name: str, *, may_be_empty: bool = False) -> Coded:
    """Code one label vector as 0..k-1, with k for objects that are not clustered.

    Parameters
    ----------
    column : ndarray of shape (n,)
        Labels; -1, NaN and None mean "not clustered here".

    name : str
        How messages call the clustering.

    may_be_empty : bool, default=False
        Whether all of them may be missing, as those of a few new objects may.

    Returns
    -------
    coded : Coded
        The codes, in the narrowest integer type that holds them; the number of
        clusters, k; and what they were called.
    """
    if column.ndim != 1:
        raise ComitiaError(
            f"labels of {name} must be one-dimensional; got shape {column.shape}."
        )
    if column.dtype.kind == "b":
        column = column.astype(np.uint8)
    if column.dtype.kind == "f":
        coded = _encode_floats(column, name)
    elif column.dtype.kind in "iu":
        coded = _encode_integers(column, name)
    elif column.dtype.kind in "US":
        names, codes = np.unique(column, return_inverse=True)
        coded = Coded(codes, len(names), names)
    elif column.dtype.kind == "O":
        coded = _encode_objects(column, name)
    else:
        raise ComitiaError(
            f"labels of {name} have type {column.dtype}; give integers or names."
        )
    k = coded.n_clusters
    if k == 0 and not may_be_empty:
        raise ComitiaError(f"labels of {name} are all missing; leave it out.")
    # The type holds k itself even when nothing is missing, so that blocks with and
    # without missing objects share one type.
    return coded._replace(codes=coded.codes.astype(narrowest(k), copy=False))


def cluster_names(coded: Sequence[Coded]) -> NDArray[Any] | None:
    """What the clusters of several clusterings were called, as text.

    Parameters
    ----------
    coded : sequence of Coded
        The clusterings.

    Returns
    -------
    names : ndarray of str of shape (n_clusters_total,), or None
        None where all labels were 0..k-1.
    """
    if all(one.names is None for one in coded):
        return None
    return np.array([name for one in coded for name in texts_of(one)], dtype=str)


def texts_of(coded: Coded) -> list[str]:
    """What the clusters of a clustering were called, as text.

    Parameters
    ----------
    coded : Coded
        The clustering.

    Returns
    -------
    names : list of str
        Different for each cluster: as in Python where 1 and "1" are two labels.
    """
    if coded.names is None:
        return [str(c) for c in range(coded.n_clusters)]
    texts = [str(name) for name in coded.names]
    return texts if len({*texts}) == len(texts) else [repr(n) for n in coded.names]


def narrowest(largest: int) -> type[np.unsignedinteger[Any]] | type[np.int32]:
    """Smallest label type that holds 0..largest.

    Parameters
    ----------
    largest : int
        The largest code.

    Returns
    -------
    dtype : type
        ``uint8``, ``uint16`` or ``int32``.
    """
    if largest <= np.iinfo(np.uint8).max:
        return np.uint8
    return np.uint16 if largest <= np.iinfo(np.uint16).max else np.int32


def _narrow_columns(table: NDArray[Any]) -> NDArray[Any]:
    """The columns of a table of integers as rows, in the narrowest type that fits.

    Row by row a table of labels is read once; column by column, M times.
    """
    least, largest = table.min(), table.max()
    dtype = np.promote_types(np.min_scalar_type(least), np.min_scalar_type(largest))
    if dtype.kind not in "iu":  # below 0 and above 2**63 at once
        return table.T
    columns = np.empty(table.shape[::-1], dtype=dtype)
    for lo in range(0, len(table), _ROWS_AT_ONCE):
        rows = table[lo : lo + _ROWS_AT_ONCE]
        columns[:, lo : lo + len(rows)] = rows.astype(dtype).T
    return columns


def _filled(labels: np.ma.MaskedArray[Any, Any]) -> NDArray[Any]:
    """Labels with -1, NaN or None where they are masked."""
    mask, values = np.ma.getmaskarray(labels), labels.data
    if not mask.any():
        return values
    if values.dtype.kind in "bu":
        # Too narrow for -1; numbers that only uint64 holds stay what they are.
        wide = values.dtype.itemsize < 8 or values.max() <= np.iinfo(np.int64).max
        values = values.astype(np.int64 if wide else object)
    elif values.dtype.kind not in "if":
        values = values.astype(object)
    values = values.copy()
    values[mask] = {"i": -1, "f": np.nan}.get(values.dtype.kind)
    return values


def _is_arrow(given: Any) -> bool:
    """True for a vector of PyArrow, which has no shape."""
    return hasattr(given, "null_count") and hasattr(given, "to_pylist")


def _is_list_of_vectors(labels: Any) -> bool:
    """True for a list of 1-D arrays or Series; plain nested lists are tables."""
    if not isinstance(labels, Sequence) or isinstance(labels, str):
        return False
    vectors = [
        (len(getattr(item, "shape", ())) == 1 and hasattr(item, "dtype"))
        or _is_arrow(item)
        for item in labels
    ]
    if any(vectors) and not all(vectors):
        at, kind = vectors.index(False), type(labels[vectors.index(False)]).__name__
        raise ComitiaError(
            "labels mixes vectors, each of which is a clustering, with other things: "
            f"labels[{at}] is a {kind}. Make all of them arrays or Series, or none."
        )
    return any(vectors)


def _read_frame(frame: Any) -> ReadLabels:
    import narwhals.stable.v1 as nw

    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise ComitiaError(
            f"labels of type {type(frame).__name__} cannot be read; give an array or "
            "an eager DataFrame (pandas, Polars, PyArrow)."
        ) from None
    for name, dtype in table.schema.items():
        if dtype.is_temporal():
            raise ComitiaError(
                f"labels of clustering {name} are dates; give integers or names."
            )
    columns = {
        str(column.name): np.array(column.to_list(), dtype=object)
        if column.is_null().any() or not column.dtype.is_numeric()
        else column.to_numpy()
        for column in table.iter_columns()
    }
    # As pandas hands an index that has no name on to PyArrow.
    index = columns.pop("__index_level_0__", None)
    names = proper_names(names_of(frame) if index is None else as_names(index))
    return ReadLabels(list(columns.values()), names, list(columns))


def _encode_floats(column: NDArray[Any], name: str) -> Coded:
    missing = np.isnan(column)
    column = np.where(missing, -1.0, column)
    # Beyond 2**53 neighbouring whole numbers are the same float.
    whole = np.array_equal(column, np.rint(column))
    if not whole or np.abs(column).max(initial=0.0) > 2.0**53:
        raise ComitiaError(
            f"labels of {name} are not whole numbers; give cluster labels, not data."
        )
    return _encode_integers(column.astype(np.int64), name)


def _encode_integers(column: NDArray[Any], name: str) -> Coded:
    if len(column) == 0:
        return Coded(column, 0, None)
    smallest, largest = int(column.min()), int(column.max())
    if smallest < -1:
        raise ComitiaError(
            f"labels of {name} contain {smallest}; labels are 0 or more, and -1 for "
            "objects that are not clustered."
        )
    if largest + 2 > max(4 * len(column), sizes.FEW_VALUES):
        values, codes = np.unique(column, return_inverse=True)
        if smallest == -1:  # np.unique sorts it first; it belongs behind the last
            k = len(values) - 1
            return Coded(np.where(codes == 0, k, codes - 1), k, values[1:])
        return Coded(codes, len(values), values)
    # Counting is 30 times faster than np.unique.
    # Widened first: one more than the largest int8 is no int8.
    first = 0 if smallest >= 0 else 1
    place = column.astype(np.int64)
    place += first
    used = np.bincount(place, minlength=largest + 1 + first)[first:] > 0
    k = int(used.sum())
    if k == largest + 1 and first == 0:  # 0..k-1 already
        return Coded(column, k, None)
    table = np.full(first + len(used), k, dtype=narrowest(k))
    table[first:][used] = np.arange(k)
    names = None if k == len(used) else np.flatnonzero(used)
    return Coded(table[place], k, names)


def _encode_objects(column: NDArray[Any], name: str) -> Coded:
    missing = np.array([_is_missing(value) for value in column], dtype=bool)
    numbers = _as_numbers(column[~missing].tolist())
    if numbers is not None:
        filled = np.full(len(column), -1, dtype=numbers.dtype)
        filled[~missing] = numbers
        return encode(filled, name)
    places: dict[Hashable, int] = {}
    try:
        for value in column[~missing]:
            places.setdefault(value, len(places))
    except TypeError:
        raise ComitiaError(
            f"labels of {name} contain a {type(value).__name__}, which cannot be a "
            "label; give integers or names."
        ) from None
    if any(isinstance(value, complex | np.complexfloating) for value in places):
        raise ComitiaError(
            f"labels of {name} have type complex; give integers or names."
        )
    if holds_dates("object", lambda: np.array([*places, None], dtype=object)):
        raise ComitiaError(f"labels of {name} are dates; give integers or names.")
    if any(isinstance(value, Number) and value % 1 for value in places):  # type: ignore[operator]
        raise ComitiaError(
            f"labels of {name} are not whole numbers; give cluster labels, not data."
        )
    # Sorted names make the codes independent of the order of the objects.
    with contextlib.suppress(TypeError):
        places = {value: code for code, value in enumerate(sorted(places))}  # type: ignore[type-var]
    k = len(places)
    codes = np.full(len(column), k, dtype=np.int64)
    codes[~missing] = [places[value] for value in column[~missing]]
    return Coded(codes, k, list(places))


def _as_numbers(values: list[Any]) -> NDArray[Any] | None:
    """The values as int64 or float64 if all of them are numbers that fit."""
    number = int | float | np.integer | np.floating
    if not all(isinstance(v, number) and not isinstance(v, bool) for v in values):
        return None
    numbers = np.array(values)
    return numbers if numbers.dtype in (np.int64, np.float64) and values else None


def _is_missing(value: Any) -> bool:
    if (
        value is None
        or value is np.ma.masked
        or type(value).__name__ in ("NAType", "NaTType")
    ):
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value) or value == -1
    return isinstance(value, int | np.integer) and bool(value == -1)
