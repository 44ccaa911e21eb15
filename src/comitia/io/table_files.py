"""Tables of features from files, with nothing guessed silently.

A table is read column by column, as numbers or as text. Values that are missing,
infinite or text are refused with the name of their column; ``notes`` says what was done
with the others. Nothing is unpickled.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args
from typing import Literal as L

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import refuse_width
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    LAST_EXACT,
    all_missing,
    check_choice,
    counted,
    known_labels,
    quoted,
    refuse_duplicates,
)
from comitia.io._file_columns import (
    FileColumns,
    chosen_columns,
    object_names_from,
    other_column,
    read_columns,
)
from comitia.io._input_paths import Format, source_of
from comitia.io._lazy_columns import MatrixColumns
from comitia.io._text_form import TextForm
from comitia.io._transposed import note_features_in_rows

__all__ = ["Table", "read_table"]

Scale = L["standard", "robust", "none"]
Impute = L["median"]
Categorical = L["onehot"]

# A text column with more different values is refused as names.
_MOST_CATEGORIES = 200


@dataclass(frozen=True)
class Table:
    """A table of features, ready to be clustered.

    Attributes
    ----------
    X : ndarray of shape (n_objects, n_features)
        The features, scaled.

    raw : ndarray of shape (n_objects, n_features)
        The same before scaling, which is what people know them by.

    feature_names : list of str
        Names of the columns of X.

    object_names : list of str or None
        Names of the rows, where the file has them.

    truth : ndarray of shape (n_objects,) or None
        A label column to score against, as text; None where it is blank or -1.

    source : str
        Where the table came from.

    scaling : str
        What was done to the columns, in a word: "standardized".

    notes : tuple of str
        Sentences on what was done and what looks odd.
    """

    X: NDArray[np.float64]
    raw: NDArray[np.float64]
    feature_names: list[str]
    object_names: list[str] | None = None
    truth: NDArray[Any] | None = None
    source: str = ""
    scaling: str = "not scaled"
    notes: tuple[str, ...] = ()


def read_table(
    path: str | os.PathLike[str],
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    id: str | None = None,
    scale: Scale = "standard",
    impute: Impute | None = None,
    categorical: Categorical | None = None,
    truth: str | None = None,
    format: Format | None = None,
    header: bool | None = None,
    key: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
) -> Table:
    """Read a table of features.

    Parameters
    ----------
    path : path-like
        A .csv or .tsv file, or a .json file with one object on each line, each of them
        also packed as .gz, .bz2, .xz or .zst; a .xlsx, .parquet, .feather, .npy, .npz,
        .mat, .zarr or .h5ad file; ``"-"`` for standard input.

    columns, drop : str or sequence of str, default=None
        Columns to use, or to leave out: names, positions from 1, and ranges of either
        such as ``"3-7"`` or ``"age:income"``, separated by commas.

    id : str, default=None
        The column with the names of the objects.

    scale : {"standard", "robust", "none"}, default="standard"
        Columns to mean 0 and variance 1; to median 0 and interquartile range 1; as
        they are. One-hot columns stay 0 and 1.

    impute : {"median"}, default=None
        What stands in for missing values; they are refused by default.

    categorical : {"onehot"}, default=None
        What becomes of columns of text; they are refused by default.

    truth : str, default=None
        A column with known labels. It is kept apart and never clustered.

    format : str, default=None
        The format, where the name of the file does not say it.

    header : bool, default=None
        Whether the first line of a .csv, .tsv or .xlsx file holds names. By default it
        does unless all its cells are numbers; ``0,1,2,…`` counts columns and is names.

    key : str, default=None
        Which array of a .npz, .mat or .zarr file, which layer or ``.obsm`` entry of a
        .h5ad file or of AnnData in Zarr, by default ``X``; which sheet of a .xlsx file,
        by default the first.

    sep : str, default=None
        What separates the cells of a line; a blank means any number of blanks. By
        default what makes lines of equal length: commas, semicolons, tabs, bars or
        blanks.

    decimal, thousands : str, default=None
        What stands before the fraction of a number, and between groups of three
        digits. By default what fits all numbers of the file, as 35.573,56 is seen from
        its comma; where nothing decides, 1,234 is refused.

    encoding : str, default=None
        How the text is encoded, such as ``"cp1252"``. By default UTF-8, UTF-16 and
        UTF-32 are recognised, and what is none of them is read as Windows-1252.

    transpose : bool, default=False
        Whether rows are the features and columns the objects, as in tables of genes.

    Returns
    -------
    table : Table
        The table.
    """
    check_choice("scale", scale, get_args(Scale))
    check_choice("impute", impute, (None, *get_args(Impute)))
    check_choice("categorical", categorical, (None, *get_args(Categorical)))
    form = TextForm(sep, decimal, thousands, encoding)
    found = read_columns(path, format, header, key, [id, truth], form, transpose)
    _require_dense(found, source_of(path))
    if len(found.values[0]) < 2:
        raise ComitiaError(f"{source_of(path)} has one row; give at least two objects.")
    object_names = found.object_names
    if id is not None:
        object_names = object_names_from(found, id)
    known = None if truth is None else other_column(found, truth, "truth")
    features = chosen_columns(found.names, columns, drop, [id, truth])
    notes = list(found.notes)
    note_features_in_rows(object_names, found, notes)
    names, values, one_hot = _numeric(features, found, categorical, notes)
    raw = _without_missing(names, values, impute, object_names, notes)
    _note_oddities(names, raw, one_hot, notes)
    X, scaling = _scaled(names, raw, one_hot, scale)
    return Table(
        X=X,
        raw=raw,
        feature_names=names,
        object_names=object_names,
        truth=None if known is None else known_labels(known),
        source=source_of(path),
        scaling=scaling,
        notes=tuple(notes),
    )


def _require_dense(found: FileColumns, source: str) -> None:
    """Refuse a matrix that is too large once its zeros are written out."""
    n, p = len(found.object_names or ()), len(found.names)
    if isinstance(found.values, MatrixColumns):
        require_memory(
            16 * n * p,
            f"the {n} × {p} matrix of {source}",
            "give a smaller entry with key, such as X_pca",
        )


def _numeric(
    features: list[int],
    found: FileColumns,
    categorical: Categorical | None,
    notes: list[str],
) -> tuple[list[str], list[NDArray[np.float64]], set[int]]:
    """Names and values of the features; which of them are one-hot."""
    text = [j for j in features if found.values[j].dtype == object]
    # A column with no value at all is missing, not text.
    empty = {j for j in text if all_missing(found.values[j])}
    text = [j for j in text if j not in empty]
    if text and categorical is None:
        raise ComitiaError(_refusal_of_text(text, found))
    names: list[str] = []
    values: list[NDArray[np.float64]] = []
    one_hot: set[int] = set()
    for j in features:
        column, name = found.values[j], found.names[j]
        if j in empty:
            column = np.full(len(column), np.nan)
        if j not in text:
            names.append(name)
            values.append(column.astype(np.float64, copy=False))
            continue
        levels = sorted({value for value in column if value is not None})
        if len(levels) > _MOST_CATEGORIES:
            raise ComitiaError(
                f"column {name!r} has {len(levels)} different values, too many for "
                "one-hot columns; leave it out with --drop, or name it with --id."
            )
        missing = np.array([value is None for value in column])
        one_hot |= {*range(len(values), len(values) + len(levels))}
        for level in levels:
            names.append(f"{name}={level}")
            values.append(np.where(missing, np.nan, column == level).astype(np.float64))
    if text:
        refuse_duplicates(names, "after one-hot coding the table")
        notes.append(
            f"{_listed([found.names[j] for j in text])} became {len(one_hot)} one-hot "
            "columns, which stay 0 and 1."
        )
    return names, values, one_hot


def _refusal_of_text(text: list[int], found: FileColumns) -> str:
    j = text[0]
    name, column = found.names[j], found.values[j]
    seen = list(dict.fromkeys(value for value in column if value is not None))
    shown = ", ".join(repr(value) for value in seen[:2]) + (
        ", …" if len(seen) > 2 else ""
    )
    also = f" (so do {len(text) - 1} more columns)" if len(text) > 1 else ""
    ways = "leave it out with --drop"
    if len(seen) == len(column):
        ways = f"if it names the objects say --id {quoted(name)}, else {ways}"
    else:
        ways = (
            f"turn it into 0/1 columns with --categorical onehot, {ways}, or if it "
            f"holds known labels say --truth {quoted(name)}"
        )
    return f"column {name!r} holds text ({shown}){also}; {ways}."


def _without_missing(
    names: list[str],
    values: list[NDArray[np.float64]],
    impute: Impute | None,
    object_names: Sequence[str] | None,
    notes: list[str],
) -> NDArray[np.float64]:
    """The columns side by side, without missing or infinite values."""
    filled: dict[str, int] = {}
    raw = np.empty((len(values[0]), len(values)))
    for j, (name, column) in enumerate(zip(names, values, strict=True)):
        infinite = np.isinf(column)
        if infinite.any():
            raise ComitiaError(
                f"column {name!r} has {counted(infinite.sum(), 'infinite value')}, the "
                f"first in {_row_name(int(np.argmax(infinite)), object_names)}; "
                "mend or drop it."
            )
        missing = np.isnan(column)
        n_missing = int(missing.sum())
        if n_missing == len(column):
            raise ComitiaError(
                f"column {name!r} has no values at all; leave it out with --drop."
            )
        if n_missing and impute is None:
            holes = [
                each
                for each, other in zip(names, values, strict=True)
                if np.isnan(other).any()
            ]
            also = f" ({counted(len(holes) - 1, 'more column')} too)"
            raise ComitiaError(
                f"column {name!r} has {counted(n_missing, 'missing value')}, the first "
                f"in {_row_name(int(np.argmax(missing)), object_names)}"
                f"{also if len(holes) > 1 else ''}; fill them with --impute median, or "
                "leave columns out with --drop."
            )
        if n_missing:
            filled[name] = n_missing
            column = np.where(missing, np.nanmedian(column), column)
        raw[:, j] = column
    if filled:
        notes.append(
            f"{counted(sum(filled.values()), 'missing value')} in "
            f"{_listed([*filled])} filled with the column's median."
        )
    return raw


def _note_oddities(
    names: list[str], raw: NDArray[np.float64], one_hot: set[int], notes: list[str]
) -> None:
    """Note what is allowed and looks like a mistake."""
    constant = [
        name
        for j, name in enumerate(names)
        if raw[0, j] == raw[:, j].max() == raw[:, j].min()
    ]
    if len(constant) == len(names):
        raise ComitiaError("all columns are constant; there is nothing to cluster.")
    if constant:
        notes.append(
            f"{_listed(constant)} {_is_are(constant)} constant and cannot tell objects "
            "apart."
        )
    vast = [
        name
        for j, name in enumerate(names)
        if np.abs(raw[:, j]).max() > LAST_EXACT
        and np.array_equal(raw[:, j], np.rint(raw[:, j]))
    ]
    if vast:
        notes.append(
            f"{_listed(vast)} {_is_are(vast)} whole numbers beyond 2**53, whose last "
            f"digits are lost; identifiers belong to --id or --drop."
        )
    steps = np.arange(len(raw)) if len(raw) > 2 else None
    counting = [
        name
        for j, name in enumerate(names)
        if steps is not None
        and j not in one_hot
        and np.array_equal(raw[:, j], raw[0, j] + steps)
    ]
    if counting:
        notes.append(
            f"{_listed(counting)} only {'counts' if len(counting) == 1 else 'count'} "
            "the rows; an identifier belongs to --id or --drop."
        )


def _scaled(
    names: list[str], raw: NDArray[np.float64], one_hot: set[int], scale: Scale
) -> tuple[NDArray[np.float64], str]:
    if scale == "none":
        return raw, "not scaled"
    numeric = [j for j in range(len(names)) if j not in one_hot]
    X = raw.copy()
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        part = raw[:, numeric]
        if scale == "standard":
            center, width = part.mean(axis=0), part.std(axis=0)
            # The mean of a constant column can be off by rounding.
            constant = part.max(axis=0) == part.min(axis=0)
            center[constant], width[constant] = part[0, constant], 0.0
            for j, span in zip(numeric, np.ptp(part, axis=0), strict=True):
                refuse_width(span, f"column {names[j]!r}")
        else:
            low, center, high = np.percentile(part, [25, 50, 75], axis=0)
            width = high - low
        X[:, numeric] = (part - center) / np.where(width == 0, 1.0, width)
    # Divided by an infinite width every value would be zero.
    wrong = ~(np.isfinite(width) & np.isfinite(X[:, numeric]).all(axis=0))
    if wrong.any():
        name = names[numeric[int(np.argmax(wrong))]]
        raise ComitiaError(
            f"the values of column {name!r} are too large to "
            "be scaled; divide them, or drop the column."
        )
    return X, "standardised" if scale == "standard" else "robustly scaled"


def _row_name(i: int, object_names: Sequence[str] | None) -> str:
    return (
        f"row {i + 1}" if object_names is None else f"row {i + 1} ({object_names[i]})"
    )


def _is_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _listed(names: Sequence[str]) -> str:
    if len(names) == 1:
        return f"column {names[0]!r}"
    if len(names) > 4:
        return f"{len(names)} columns ({names[0]!r}, {names[1]!r}, …)"
    return f"columns {', '.join(map(repr, names[:-1]))} and {names[-1]!r}"
