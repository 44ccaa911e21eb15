"""Clusterings from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import (
    counted,
    find_column,
    known_labels,
    quoted,
    text_or_none,
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
from comitia.io.saved_ensembles import saved_ensemble, saved_truth

__all__ = ["LabelTable", "read_labels", "read_votes"]


@dataclass(frozen=True)
class LabelTable:
    """Clusterings read from label files.

    Attributes
    ----------
    ensemble : Ensemble
        The clusterings.

    truth : ndarray of shape (n_objects,) or None
        A label column to score against, as text; None where it is blank or -1.

    source : str
        Where the labels came from.

    notes : tuple of str
        Sentences on what was done.
    """

    ensemble: Ensemble
    truth: NDArray[Any] | None = None
    source: str = ""
    notes: tuple[str, ...] = ()


def read_labels(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    id: str | None = None,
    format: Format | None = None,
    header: bool | None = None,
    key: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
) -> Ensemble:
    """Read clusterings from label files.

    Each column is a clustering. Labels are numbers or names; a blank, ``NA`` or -1
    means that the object is not clustered there.

    Parameters
    ----------
    paths : path-like or sequence of path-like
        Files of any format that :func:`read_table` reads, among them a saved
        Ensemble; ``"-"`` for standard input. Of AnnData the ``columns`` of ``.obs``
        are taken.

    columns, drop : str or sequence of str, default=None
        Columns to use, or to leave out, as in :func:`read_table`.

    id : str, default=None
        The column with the names of the objects. Several files are then joined by
        name; without it their rows must be the same objects in the same order.

    format, header, key, sep, decimal, thousands, encoding : shared
        How the files are written, as in :func:`read_table`.

    transpose : bool, default=False
        Whether rows are the clusterings and columns the objects.

    Returns
    -------
    ensemble : Ensemble
        The clusterings.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_labels
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("first,second\\n0,a\\n0,b\\n1,b\\n")
    ...     votes = read_labels(path)
    >>> votes.labels
    array([[0, 0],
           [0, 1],
           [1, 1]], dtype=int32)
    """
    return read_votes(
        paths,
        columns=columns,
        drop=drop,
        id=id,
        format=format,
        header=header,
        key=key,
        sep=sep,
        decimal=decimal,
        thousands=thousands,
        encoding=encoding,
        transpose=transpose,
    ).ensemble


def read_votes(
    paths: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    **how: Unpack[ReadOptions],
) -> LabelTable:
    """Read clusterings from label files, with known labels and notes.

    Parameters
    ----------
    paths : path-like or sequence of path-like
        As for :func:`read_labels`.

    **how : dict
        How the files are read, as for :func:`read_labels`; and ``truth``, a column with
        known labels, in one of the files, which is never combined.

    Returns
    -------
    votes : LabelTable
        The clusterings and what came with them.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_votes
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "votes.csv")
    ...     _ = path.write_text("first,second,known\\n0,0,a\\n0,1,a\\n1,1,b\\n")
    ...     table = read_votes(path, truth="known")
    >>> table.ensemble.n_clusterings, list(table.truth)
    (2, ['a', 'a', 'b'])
    """
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    if not paths:
        raise ComitiaError("no label file was given; give at least one.")
    asked = Reading(**how)
    source = ", ".join(map(source_of, paths))
    saved = [saved_ensemble(path) for path in paths]
    if saved[0] is not None and len(paths) == 1:
        if asked.columns is None and asked.drop is None and asked.id is None:
            known = None if asked.truth is None else saved_truth(paths[0], asked.truth)
            return LabelTable(saved[0], known, source)
        raise ComitiaError(
            f"{source} is a saved ensemble, which has no columns to choose from; "
            "leave out --columns, --drop and --id."
        )
    files = [
        _clusterings_of(path, read_columns(path, asked), asked)
        if ensemble is None
        else _saved_clusterings(path, ensemble)
        for path, ensemble in zip(paths, saved, strict=True)
    ]
    notes = [note for one in files for note in one.notes]
    object_names = _align_objects(files, [source_of(path) for path in paths], notes)
    with_truth = [one for one in files if one.truth is not None]
    if asked.truth is not None and not with_truth:
        raise ComitiaError(f"truth={asked.truth!r} is no column of {source}.")
    names = [name for one in files for name in one.names]
    if len({*names}) < len(names):
        names = [
            f"{Path(path).stem}/{name}"
            for path, one in zip(paths, files, strict=True)
            for name in one.names
        ]
    ensemble = Ensemble(
        [column for one in files for column in one.columns],
        clustering_names=names,
        object_names=object_names,
    )
    return LabelTable(
        ensemble, with_truth[0].truth if with_truth else None, source, tuple(notes)
    )


# More clusterings than this, and twice as many as objects, look turned round.
_MANY_CLUSTERINGS = 50


@dataclass
class _LabelFile:
    names: list[str]
    columns: list[NDArray[Any]]
    object_names: list[str] | None
    truth: NDArray[Any] | None
    notes: list[str]
    # Columns that were left out and have another value in each row.
    named_by: dict[str, list[Any]] = field(default_factory=dict)


def _saved_clusterings(path: str | os.PathLike[str], saved: Ensemble) -> _LabelFile:
    if not saved.is_hard:
        raise ComitiaError(
            f"{path} holds {saved.kind} clusterings, which cannot be put beside "
            "others; give it alone."
        )
    stem = Path(path).stem
    return _LabelFile(
        [f"{stem} {m + 1}" for m in range(saved.n_clusterings)]
        if saved.clustering_names is None
        else [str(name) for name in saved.clustering_names],
        list(saved.labels.T),
        None if saved.object_names is None else [*map(str, saved.object_names)],
        None,
        [],
    )


def _clusterings_of(
    path: str | os.PathLike[str], found: FileColumns, how: Reading
) -> _LabelFile:
    if found.is_annotated:
        found = _observations(path, found, how.columns)
    object_names = how.object_names(found)
    names = [*found.names, *found.aside]
    known = None
    if how.truth is not None and find_column(names, how.truth) is not None:
        known = known_labels(other_column(found, how.truth, "truth"))
    not_labels = [how.id, how.truth if known is not None else None]
    wanted = chosen_columns(found.names, how.columns, how.drop, not_labels)
    labels = [_labels_of(found.values[j]) for j in wanted]
    for j, column in zip(wanted, labels, strict=True):
        if how.columns is None and _is_unique_for_each(column):
            raise ComitiaError(
                f"column {found.names[j]!r} of {source_of(path)} has a label of its "
                f"own for every object; if it names the objects say --id "
                f"{quoted(found.names[j])}, else leave it out with --drop."
            )
    n, notes = len(labels[0]), list(found.notes)
    if len(wanted) > max(_MANY_CLUSTERINGS, 2 * n):
        notes.append(
            f"{source_of(path)} holds {len(wanted)} clusterings of {n} objects; if its "
            "rows are the clusterings, say --transpose."
        )
    named_by = {
        name: found.values[j].tolist()
        for j, name in enumerate(found.names)
        if j not in wanted and _is_unique_for_each(found.values[j])
    }
    return _LabelFile(
        [found.names[j] for j in wanted], labels, object_names, known, notes, named_by
    )


def _observations(
    path: str | os.PathLike[str],
    found: FileColumns,
    columns: str | Sequence[str] | None,
) -> FileColumns:
    """The columns of .obs in place of the features; those not asked for stay unread."""
    names = [*found.aside]
    if columns is None:
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        raise ComitiaError(
            f"say with --columns which columns of .obs of {source_of(path)} are "
            f"clusterings; it has {shown or 'none'}."
        )
    wanted = {*chosen_columns(names, columns)}
    nothing = np.full(len(found.object_names or ()), None, dtype=object)
    values = [
        text_or_none(found.aside[name]) if j in wanted else nothing
        for j, name in enumerate(names)
    ]
    return FileColumns(names, values, found.object_names, found.notes, found.aside)


def _labels_of(column: NDArray[Any]) -> NDArray[Any]:
    if column.dtype != object:
        return column
    # The text "-1" means missing, as the number does.
    return np.array([None if value == "-1" else value for value in column], object)


def _is_unique_for_each(column: NDArray[Any]) -> bool:
    values = {value for value in column.tolist() if value is not None and value != -1}
    return len(column) > 2 and len(values) == len(column)


def _align_objects(
    files: list[_LabelFile], sources: list[str], notes: list[str]
) -> list[str] | None:
    """Put the objects of all files into one order; returns their names."""
    named = [one.object_names for one in files]
    if len(files) == 1:
        return named[0]
    if any(names is None for names in named):
        lengths = [len(one.columns[0]) for one in files]
        if len({*lengths}) > 1:
            raise ComitiaError(
                f"{sources[0]} has {lengths[0]} rows and "
                f"{_other_length(sources, lengths)}; give --id to join the files by "
                "name, or files with the same objects in the same order."
            )
        _refuse_other_objects(files, sources)
        return next((names for names in named if names is not None), None)
    place: dict[str, int] = {}
    for one, source in zip(files, sources, strict=True):
        names = one.object_names or []
        if len({*names}) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ComitiaError(
                f"{source} names the object {twice!r} twice; names must tell objects "
                "apart to join files."
            )
        for name in names:
            place.setdefault(name, len(place))
    _refuse_strangers(files, sources)
    for one, source in zip(files, sources, strict=True):
        where = [place[name] for name in one.object_names or []]
        absent = len(place) - len(where)
        if absent:
            notes.append(f"{counted(absent, 'object')} not in {source}.")
        one.columns = [_place_rows(column, where, len(place)) for column in one.columns]
        if one.truth is not None:
            one.truth = _place_rows(one.truth, where, len(place))
    return [*place]


def _refuse_other_objects(files: list[_LabelFile], sources: list[str]) -> None:
    """Refuse to join by position what a column in all files names otherwise."""
    first, *others = files
    for name, mine in first.named_by.items():
        for other, source in zip(others, sources[1:], strict=True):
            if other.named_by.get(name, mine) != mine:
                raise ComitiaError(
                    f"the rows of {sources[0]} and {source} are not the same objects "
                    f"in the same order, as column {name!r} says; give --id "
                    f"{quoted(name)} to join the files by name."
                )


def _refuse_strangers(files: list[_LabelFile], sources: list[str]) -> None:
    """Refuse a file that has no object in common with any other."""
    named = [{*(one.object_names or ())} for one in files]
    for i, names in enumerate(named):
        if not any(names & other for j, other in enumerate(named) if j != i):
            j = 1 if i == 0 else 0
            examples = [repr(min(named[at], default="")) for at in (i, j)]
            raise ComitiaError(
                f"{sources[i]} has no object in common with the other files "
                f"({examples[0]} stands there, {examples[1]} in {sources[j]}); are the "
                "names written alike?"
            )


def _other_length(sources: list[str], lengths: list[int]) -> str:
    at = next(i for i, length in enumerate(lengths) if length != lengths[0])
    return f"{sources[at]} has {lengths[at]}"


def _place_rows(column: NDArray[Any], where: list[int], n: int) -> NDArray[Any]:
    whole = (
        np.full(n, None, dtype=object) if column.dtype == object else np.full(n, np.nan)
    )
    whole[where] = column
    return whole
