"""Tables of any library as columns of numbers or of text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import masked_to_nan
from comitia.exceptions import ComitiaError, DataTypeError
from comitia.prepare.missing_words import without_gap_words

__all__ = ["TableColumn", "as_table_columns", "is_frame"]

_NANOSECONDS_A_DAY = 86_400e9


@dataclass(frozen=True)
class TableColumn:
    """One column of a table.

    Parameters
    ----------
    name : str
        Its name.

    values : ndarray of shape (n_objects,)
        Numbers (float64) with NaN where a value is missing, or text with None. Words
        such as n.a. are missing values, too.

    declared : str, default=""
        What the type of the column says that it is: ``"boolean"``, ``"category"``,
        ``"ordinal"``, ``"date"``. Dates are days since 1970.

    levels : tuple of str, default=()
        The values of an ordinal in their order.
    """

    name: str
    values: NDArray[Any]
    declared: str = ""
    levels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.is_text:
            object.__setattr__(self, "values", without_gap_words(self.values))

    @property
    def is_text(self) -> bool:
        """Whether the values are text."""
        return self.values.dtype == object


def is_frame(X: Any) -> bool:
    """Whether something is a DataFrame of any library, or a table of Arrow.

    Parameters
    ----------
    X : object
        Anything.

    Returns
    -------
    yes : bool
        Arrays and lists are none.
    """
    return hasattr(X, "__dataframe__") or hasattr(X, "__arrow_c_stream__")


def as_table_columns(X: Any, names: Sequence[str] | None = None) -> list[TableColumn]:
    """Take a table apart.

    Parameters
    ----------
    X : DataFrame or array-like of shape (n_objects, n_features)
        The table.

    names : sequence of str, default=None
        Names of columns that have none, or names that are not all text; ``x0``,
        ``x1``, ... by default.

    Returns
    -------
    columns : list of TableColumn
        The columns.
    """
    if is_frame(X):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(X, eager_only=True)
        given = frame.columns
        if not all(isinstance(name, str) for name in given):
            given = names or [f"x{j}" for j in range(len(given))]
        return [
            _from_series(name, series)
            for name, series in zip(given, frame.iter_columns(), strict=True)
        ]
    X = np.asarray(masked_to_nan(X))
    if names is None:
        names = [f"x{j}" for j in range(X.shape[1])]
    if X.dtype.kind in "biuf":
        X = X.astype(np.float64, copy=False)
        return [TableColumn(name, X[:, j]) for j, name in enumerate(names)]
    return [_from_values(name, X[:, j]) for j, name in enumerate(names)]


def _from_series(name: str, series: Any) -> TableColumn:
    import narwhals.stable.v1 as nw

    kind = series.dtype
    if kind.is_numeric():
        return TableColumn(name, _numbers(series))
    if kind == nw.Boolean:
        return TableColumn(name, _numbers(series), "boolean")
    if kind in (nw.Date, nw.Datetime):
        days = series.cast(nw.Datetime("ns")).to_numpy().astype("datetime64[ns]")
        values = days.astype(np.int64) / _NANOSECONDS_A_DAY
        return TableColumn(name, np.where(np.isnat(days), np.nan, values), "date")
    if kind == nw.Duration:
        raise DataTypeError(
            f"column {name!r} holds durations; give numbers, such as days."
        )
    values = series.to_list()
    if kind in (nw.Categorical, nw.Enum):
        native = series.to_native()
        ordered = bool(getattr(getattr(native, "cat", None), "ordered", False))
        levels = tuple(map(str, native.cat.categories)) if ordered else ()
        declared = "ordinal" if ordered else "category"
        return TableColumn(name, _texts(values), declared, levels)
    return _from_values(name, np.array([*values, None], dtype=object)[:-1])


def _numbers(series: Any) -> NDArray[np.float64]:
    import narwhals.stable.v1 as nw

    values = series.cast(nw.Float64).to_list() if series.is_null().any() else series
    if values is series:
        return np.asarray(series.to_numpy(), dtype=np.float64)
    return np.array([np.nan if _is_missing(v) else v for v in values], dtype=float)


def _from_values(name: str, values: NDArray[Any]) -> TableColumn:
    """A column of objects: numbers if all are, text otherwise."""
    if values.dtype.kind == "M":
        days = values.astype("datetime64[ns]")
        numbers = days.astype(np.int64) / _NANOSECONDS_A_DAY
        return TableColumn(name, np.where(np.isnat(days), np.nan, numbers), "date")
    if values.dtype.kind in "mV":
        raise DataTypeError(
            f"column {name!r} holds {values.dtype}; give numbers or text."
        )
    found = [None if _is_missing(value) else value for value in values.tolist()]
    present = [value for value in found if value is not None]
    for value in present:
        if isinstance(value, complex):
            raise ComitiaError("Complex data not supported; give real numbers.")
        if not isinstance(value, str | Real | np.generic) and hasattr(
            value, "__iter__"
        ):
            raise DataTypeError(
                f"column {name!r} holds a {type(value).__name__}; argument must be a "
                "string or a number."
            )
    if present and all(isinstance(value, Real) for value in present):
        floats = [np.nan if value is None else float(value) for value in found]
        declared = "boolean" if all(isinstance(v, bool) for v in present) else ""
        return TableColumn(name, np.array(floats), declared)
    if present and all(hasattr(value, "toordinal") for value in present):
        days = np.array(
            ["NaT" if value is None else value for value in found],
            dtype="datetime64[us]",
        )
        numbers = np.where(
            np.isnat(days), np.nan, days.astype(np.int64) / (_NANOSECONDS_A_DAY / 1e3)
        )
        return TableColumn(name, numbers, "date")
    return TableColumn(name, _texts(found))


def _texts(values: Sequence[Any]) -> NDArray[Any]:
    texts = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        text = None if _is_missing(value) else str(value).strip()
        texts[i] = text or None
    return texts


def _is_missing(value: Any) -> bool:
    return (
        value is None
        or type(value).__name__ in ("NAType", "NaTType")  # these equal nothing, too
        or bool(value != value)
    )
