"""Tables of features from files: read, prepared, and said what was done.

A table is read column by column, as numbers or as text;
:class:`comitia.prepare.TablePreparer` makes numbers of it. What cannot be used is
refused with the names of its columns, all of them in one answer; ``notes`` says what
was done with the others. Nothing is unpickled.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack, get_args
from typing import Literal as L

import numpy as np
from numpy.typing import NDArray

from comitia._label_tables import looks_like_labels
from comitia._steps import check_choice
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    counted,
    known_labels,
    object_names_of,
)
from comitia.io._file_columns import (
    FileColumns,
    Reading,
    ReadOptions,
    chosen_columns,
    other_column,
    read_columns,
)
from comitia.io._input_paths import Format, source_of
from comitia.io._lazy_columns import MatrixColumns
from comitia.io._table_notes import MOST_LISTED, preparation_notes, scaling_word
from comitia.io._transposed import note_features_in_rows
from comitia.prepare.column_decisions import (
    ColumnDecision,
    Preferences,
    TableDecisions,
    decide_columns,
    decide_counts,
    numbers_meant,
)
from comitia.prepare.new_rows import describe_new, match_counts
from comitia.prepare.table_columns import TableColumn
from comitia.prepare.table_forms import looks_like_counts

if TYPE_CHECKING:
    from comitia.prepare import TablePreparer

__all__ = ["Table", "TableCheck", "examine_table", "read_prepared", "read_table"]

Form = L["auto", "columns", "alike", "counts"]
Scale = L["auto", "standard", "robust", "none"]
Impute = L["auto", "knn", "median", "refuse"]
Categorical = L["onehot", "gower", "famd", "standard", "drop"]
Dates = L["drop", "number", "cyclic"]

# What a file of cells may bring along, made for comparing them.
_EMBEDDING = "X_pca"


@dataclass(frozen=True)
class Table:
    """A table of features, ready to be clustered.

    Attributes
    ----------
    X : ndarray of shape (n_objects, n_features)
        The features as they are compared.

    raw : ndarray of shape (n_objects, n_units)
        The same before scaling and rotation, which is what people know them by.

    feature_names : list of str
        Names of the columns of raw.

    preparer : TablePreparer
        What was decided about each column, and learnt.

    object_names : list of str or None
        Names of the rows, where the file has them.

    truth : ndarray of shape (n_objects,) or None
        A label column to score against, as text; None where it is blank or -1.

    source : str
        Where the table came from.

    scaling : str
        What was done to the columns, in a word: "standardised".

    notes : tuple of str
        Sentences on what was done and what looks odd.
    """

    X: NDArray[np.float64]
    raw: NDArray[np.float64]
    feature_names: list[str]
    preparer: TablePreparer
    object_names: list[str] | None = None
    truth: NDArray[Any] | None = None
    source: str = ""
    scaling: str = "not scaled"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableCheck:
    """What would be done with a table.

    Attributes
    ----------
    n_objects : int
        Number of rows.

    decisions : TableDecisions
        What would be done with each column, and why.

    notes : tuple of str
        The same in sentences.

    problems : tuple of str
        Why it cannot be used as it is.

    source : str
        Where the table came from.
    """

    n_objects: int
    decisions: TableDecisions
    notes: tuple[str, ...]
    problems: tuple[str, ...]
    source: str


@dataclass(frozen=True)
class _Read:
    """Features of a file, and what stands beside them."""

    names: list[str]
    columns: list[TableColumn]  # empty where the counts are sparse
    counts: Any
    n_objects: int
    object_names: list[str] | None
    truth: NDArray[Any] | None
    notes: list[str]
    embedded: bool

    def decide(self, asked: Preferences) -> TableDecisions:
        if self.counts is not None:
            return decide_counts(self.names, self.counts)
        return decide_columns(self.columns, asked)


def read_table(
    path: str | os.PathLike[str],
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    id: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    form: Form = "auto",
    scale: Scale = "auto",
    impute: Impute = "auto",
    categorical: Categorical = "onehot",
    dates: Dates = "drop",
    keep_ids: bool = False,
    rotate: bool | None = None,
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
        The column with the names of the objects. By default it is the first one that
        counts the rows, or has another text in each of them.

    kinds, form, scale, impute, categorical, dates, keep_ids : shared
        As for :class:`comitia.prepare.TablePreparer`.

    rotate : bool, default=None
        The same; ``None`` rotates tables with many more columns than rows.

    truth : str, default=None
        A column with known labels. It is kept apart and never clustered.

    format : str, default=None
        The format, where the name of the file does not say it.

    header : bool, default=None
        Whether the first line of a .csv, .tsv or .xlsx file holds names. By default it
        does unless all its cells are numbers; ``0,1,2,…`` counts columns and is names.

    key : str, default=None
        Which array of a .npz, .mat or .zarr file, which layer or ``.obsm`` entry of a
        .h5ad file or of AnnData in Zarr, by default ``X_pca`` where that is there and
        else ``X``; which sheet of a .xlsx file, by default the first.

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

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("name,age,height\\nann,31,1.7\\nbob,45,1.8\\n")
    ...     table = read_table(path)
    >>> table.feature_names
    ['age', 'height']
    >>> table.object_names
    ['ann', 'bob']
    """
    asked = _preferences(kinds, form, scale, impute, categorical, dates, keep_ids)
    how = Reading(
        columns=columns,
        drop=drop,
        id=id,
        truth=truth,
        format=format,
        header=header,
        key=key,
        sep=sep,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        transpose=transpose,
    )
    found = _read(path, how, asked)
    asked = _for_file(asked, found)
    decided = found.decide(asked)
    if decided.problems:
        raise ComitiaError(" ".join(decided.problems))
    from comitia.prepare import TablePreparer

    preparer = TablePreparer(
        kinds=dict(asked.kinds),
        form=asked.form,
        scale=asked.scale,
        impute=asked.impute,
        categorical=asked.categorical,
        dates=asked.dates,
        keep_ids=asked.keep_ids,
        rotate="auto" if rotate is None else rotate,
    )
    if found.counts is None:
        preparer.fit_columns(found.columns, decided)
        X, raw = preparer.transform_columns(found.columns)
    else:
        preparer.fit_counts(found.counts, found.names)
        X, raw = preparer.transform_counts(found.counts)
    return Table(
        X=X,
        raw=raw,
        feature_names=preparer.unit_names_,
        preparer=preparer,
        object_names=_names_of_rows(found, decided.columns),
        truth=found.truth,
        source=source_of(path),
        scaling=scaling_word(preparer, found.embedded),
        notes=(
            *found.notes,
            *preparation_notes(
                decided,
                found.object_names is not None,
                0 if asked.fills_from_nearest(found.n_objects) else found.n_objects,
            ),
            *_note_on_blank_rows(found.columns, decided.columns),
        ),
    )


def read_prepared(
    path: str | os.PathLike[str],
    preparer: TablePreparer,
    **how: Unpack[ReadOptions],
) -> Table:
    """Read new rows, and prepare them as an earlier table was prepared.

    Parameters
    ----------
    path : path-like
        The file.

    preparer : TablePreparer
        Fitted on the earlier table. Columns are found by their names; those that it
        does not use may be missing.

    **how : dict
        How the file is read, as for :func:`read_table`: ``columns``, ``drop``, ``id``,
        ``truth``, ``format``, ``header``, ``key``, ``sep``, ``decimal``,
        ``thousands``, ``encoding`` and ``transpose``.

    Returns
    -------
    table : Table
        The table; its notes say what is new in it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> from comitia.io import read_prepared
    >>> from comitia.prepare import TablePreparer
    >>> earlier = pd.DataFrame({"age": [31, 45, 38], "height": [1.7, 1.8, 1.6]})
    >>> preparer = TablePreparer().fit(earlier)
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("height,age\\n1.7,38\\n1.9,50\\n")
    ...     table = read_prepared(path, preparer)
    >>> table.X.shape
    (2, 2)
    """
    decided = preparer.decisions_
    known = {each.column for each in decided}
    asked = Preferences({}, form=preparer.form_)
    embedded = f"{_EMBEDDING} 1" in known
    found = _read(path, Reading(**how), asked, fewest=1, embed=embedded)
    notes = list(found.notes)
    extra = [name for name in found.names if name not in known]
    if found.counts is None:
        X, raw = preparer.transform_columns(found.columns)
        notes += describe_new(preparer, found.columns)
        notes += _note_on_blank_rows(found.columns, decided)
    else:
        X, raw = preparer.transform_counts(
            match_counts(preparer, found.counts, found.names)
        )
    if extra:
        listed = ", ".join(map(repr, extra[:MOST_LISTED]))
        more = len(extra) - MOST_LISTED
        notes.append(
            f"left out: {listed}{f' and {more} more' if more > 0 else ''} (not in the "
            "table that was clustered)."
        )
    return Table(
        X=X,
        raw=raw,
        feature_names=preparer.unit_names_,
        preparer=preparer,
        object_names=_names_of_rows(found, decided),
        truth=found.truth,
        source=source_of(path),
        scaling=scaling_word(preparer, embedded),
        notes=tuple(notes),
    )


def examine_table(
    path: str | os.PathLike[str],
    *,
    kinds: Mapping[str, Any] | None = None,
    form: Form = "auto",
    scale: Scale = "auto",
    impute: Impute = "auto",
    categorical: Categorical = "onehot",
    dates: Dates = "drop",
    keep_ids: bool = False,
    rotate: bool | None = None,
    **how: Unpack[ReadOptions],
) -> TableCheck:
    """Say what :func:`read_table` would do, and everything that stands against it.

    Parameters
    ----------
    path : path-like
        The file.

    kinds, form, scale, impute, categorical, dates, keep_ids, rotate : shared
        As for :func:`read_table`.

    **how : dict
        How the file is read, as for :func:`read_prepared`.

    Returns
    -------
    check : TableCheck
        The decisions and the problems.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import examine_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "people.csv")
    ...     _ = path.write_text("name,age,height\\nann,31,1.7\\nbob,45,1.8\\n")
    ...     check = examine_table(path)
    >>> check.n_objects, check.problems
    (2, ())
    """
    asked = _preferences(kinds, form, scale, impute, categorical, dates, keep_ids)
    found = _read(path, Reading(**how), asked)
    decided = found.decide(_for_file(asked, found))
    values = [each.values for each in found.columns if not each.is_text]
    if values and looks_like_labels(np.stack(values, axis=1)):
        found.notes.append(
            "the columns look like clusterings; comitia combine reads them so."
        )
    return TableCheck(
        found.n_objects,
        decided,
        (*found.notes, *preparation_notes(decided, found.object_names is not None)),
        tuple(decided.problems),
        source_of(path),
    )


def _preferences(
    kinds: Mapping[str, Any] | None,
    form: str,
    scale: str,
    impute: str,
    categorical: str,
    dates: str,
    keep_ids: bool,
) -> Preferences:
    check_choice("form", form, get_args(Form))
    check_choice("scale", scale, get_args(Scale))
    check_choice("impute", impute, get_args(Impute))
    check_choice("categorical", categorical, get_args(Categorical))
    check_choice("dates", dates, get_args(Dates))
    return Preferences(
        kinds=dict(kinds or {}),
        form=form,
        scale=scale,
        impute=impute,
        categorical=categorical,
        dates=dates,
        keep_ids=keep_ids,
    )


def _for_file(asked: Preferences, found: _Read) -> Preferences:
    """Coordinates that were made for comparing stay as they are."""
    if not found.embedded or asked.form != "auto" or asked.scale != "auto":
        return asked
    return replace(asked, form="alike")


def _read(
    path: str | os.PathLike[str],
    how: Reading,
    asked: Preferences,
    fewest: int = 2,
    embed: bool = True,
) -> _Read:
    found = read_columns(path, how)
    notes = list(found.notes)
    embedded = embed and how.takes_all and _EMBEDDING in found.embeddings
    if embedded:
        found = _embedding_of(found)
        notes.append(
            f"{counted(len(found.names), 'column')} of {_EMBEDDING} in the file "
            f"{'is' if len(found.names) == 1 else 'are'} used; --key X takes the "
            "features themselves."
        )
    n = _n_rows(found.values)
    if n < fewest:
        raise ComitiaError(f"{source_of(path)} has one row; give at least two objects.")
    object_names = how.object_names(found)
    known = None if how.truth is None else other_column(found, how.truth, "truth")
    features = chosen_columns(found.names, how.columns, how.drop, [how.id, how.truth])
    names = [found.names[j] for j in features]
    counts = _sparse_counts(found, features, asked.form)
    if counts is None:
        _require_dense(found, source_of(path))
        note_features_in_rows(object_names, found, notes)
    return _Read(
        names,
        [TableColumn(found.names[j], found.values[j]) for j in features]
        if counts is None
        else [],
        counts,
        n,
        object_names,
        None if known is None else known_labels(known),
        notes,
        embedded or how.key == _EMBEDDING,
    )


def _embedding_of(found: FileColumns) -> FileColumns:
    """What was made for comparing the objects of a file, in place of its features."""
    embedding = np.asarray(found.embeddings[_EMBEDDING], dtype=np.float64)
    return FileColumns(
        [f"{_EMBEDDING} {j + 1}" for j in range(embedding.shape[1])],
        list(embedding.T),
        found.object_names,
        aside=found.aside,
    )


def _n_rows(values: Any) -> int:
    return values.shape[0] if isinstance(values, MatrixColumns) else len(values[0])


def _sparse_counts(found: FileColumns, features: list[int], form: str) -> Any:
    """The features as a sparse matrix, if they are that and counts; else None."""
    if not isinstance(found.values, MatrixColumns) or not found.values.is_sparse:
        return None
    matrix = found.values.matrix.tocsr()
    if features != [*range(matrix.shape[1])]:
        matrix = matrix[:, features]
    is_counts = form == "counts" or (form == "auto" and looks_like_counts(matrix))
    return matrix if is_counts else None


def _require_dense(found: FileColumns, source: str) -> None:
    """Refuse a matrix that is too large once its zeros are written out."""
    if isinstance(found.values, MatrixColumns):
        n, p = found.values.shape
        require_memory(
            16 * n * p,
            f"the {n} × {p} matrix of {source}",
            "give a smaller entry with key, such as X_pca",
        )


def _note_on_blank_rows(
    columns: Sequence[TableColumn], decisions: Sequence[ColumnDecision]
) -> list[str]:
    """Say which rows have no value in any column that counts."""
    used = {each.column: each for each in decisions if each.used}
    blank = np.array(True)
    for each in columns:
        if each.name in used and blank.any():
            if used[each.name].kind == "numeric":
                gaps = np.isnan(numbers_meant(used[each.name], each))
            else:
                gaps = np.array([v is None or v != v for v in each.values.tolist()])
            blank = blank & gaps
    n = int(blank.sum()) if used and blank.ndim else 0
    if not n:
        return []
    verb, first = "has" if n == 1 else "have", int(np.argmax(blank)) + 1
    note = (
        f"{counted(n, 'row')}, the first of them row {first}, {verb} no value in any "
        "column that counts; the cluster follows from what was filled in, whatever its "
        "confidence."
    )
    if n == first == 1:
        note = (
            "the first row has no value in any column that counts: take it out if it "
            "is a second line of names, or units, and no object."
        )
    return [note]


def _names_of_rows(
    found: _Read, decisions: Sequence[ColumnDecision]
) -> list[str] | None:
    """The names of the objects: those of the file, or else of the first identifier."""
    if found.object_names is not None:
        return found.object_names
    columns = {each.name: each for each in found.columns}
    for about in decisions:
        if about.can_name_rows and about.column in columns:
            return object_names_of(columns[about.column].values, blank="")
    return None
