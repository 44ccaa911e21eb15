"""Clusterings, constraints and graphs from files."""

from __future__ import annotations

import os
import shlex
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_arrays, read_npy
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.io._cell_text import (
    counted,
    find_column,
    known_labels,
    quoted,
    text_or_none,
)
from comitia.io._delimited_text import rows_of
from comitia.io._file_columns import (
    FileColumns,
    chosen_columns,
    object_names_from,
    other_column,
    read_columns,
)
from comitia.io._input_paths import (
    Format,
    format_of,
    is_stdin,
    local_file,
    open_input,
    source_of,
)
from comitia.io._text_form import TextForm, decode, separator_of

__all__ = [
    "LabelTable",
    "is_graph_file",
    "read_graph",
    "read_labels",
    "read_pairs",
    "read_votes",
    "saved_ensemble",
    "saved_truth",
]


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

    format : str, default=None
        The format, where the name of a file does not say it.

    header : bool, default=None
        Whether the first line of a .csv or .tsv file holds names.

    key : str, default=None
        Which array of a .npz, .mat or .zarr file, or which sheet of a .xlsx file.

    sep, decimal, thousands, encoding : str, default=None
        How text is written, as in :func:`read_table`.

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
    *,
    columns: str | Sequence[str] | None = None,
    drop: str | Sequence[str] | None = None,
    id: str | None = None,
    truth: str | None = None,
    format: Format | None = None,
    header: bool | None = None,
    key: str | None = None,
    sep: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    encoding: str | None = None,
    transpose: bool = False,
) -> LabelTable:
    """Read clusterings from label files, with known labels and notes.

    Parameters
    ----------
    paths : path-like or sequence of path-like
        As for :func:`read_labels`.

    columns, drop : str or sequence of str, default=None
        Columns to use, or to leave out, as in :func:`read_table`.

    id : str, default=None
        The column with the names of the objects.

    truth : str, default=None
        A column with known labels, in one of the files. It is never combined.

    format : str, default=None
        The format, where the name of a file does not say it.

    header : bool, default=None
        Whether the first line of a .csv or .tsv file holds names.

    key : str, default=None
        Which array of a .npz, .mat or .zarr file, or which sheet of a .xlsx file.

    sep, decimal, thousands, encoding : str, default=None
        How text is written, as in :func:`read_table`.

    transpose : bool, default=False
        Whether rows are the clusterings and columns the objects.

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
    source = ", ".join(map(source_of, paths))
    saved = [saved_ensemble(path) for path in paths]
    if saved[0] is not None and len(paths) == 1:
        if columns is None and drop is None and id is None:
            known = None if truth is None else saved_truth(paths[0], truth)
            return LabelTable(saved[0], known, source)
        raise ComitiaError(
            f"{source} is a saved ensemble, which has no columns to choose from; "
            "leave out --columns, --drop and --id."
        )
    form = TextForm(sep, decimal, thousands, encoding)
    files = []
    for path, ensemble in zip(paths, saved, strict=True):
        if ensemble is not None:
            files.append(_saved_clusterings(path, ensemble))
            continue
        keep = [id, truth]
        found = read_columns(path, format, header, key, keep, form, transpose)
        files.append(_clusterings_of(path, found, columns, drop, id, truth))
    notes = [note for one in files for note in one.notes]
    object_names = _align_objects(files, [source_of(path) for path in paths], notes)
    with_truth = [one for one in files if one.truth is not None]
    if truth is not None and not with_truth:
        raise ComitiaError(f"truth={truth!r} is no column of {source}.")
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


def read_pairs(
    path: str | os.PathLike[str],
    n_objects: int,
    object_names: Sequence[str] | None = None,
) -> NDArray[np.int64]:
    """Read pairs of objects: constraints.

    Parameters
    ----------
    path : path-like
        A .csv or .tsv file with two columns, with or without a header. Objects are
        called by their names, where they have names, and else by their numbers from 0,
        as in ``labels.csv``.

    n_objects : int
        Number of objects.

    object_names : sequence of str, default=None
        Their names.

    Returns
    -------
    pairs : ndarray of shape (n_pairs, 2)
        Indices of the objects.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_pairs
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "together.csv")
    ...     _ = path.write_text("ann,cy\\n")
    ...     read_pairs(path, 3, object_names=["ann", "bob", "cy"])
    array([[0, 2]])
    """
    if object_names is None:
        object_names = [str(i) for i in range(n_objects)]
    place = {name: i for i, name in enumerate(object_names)}
    if len(place) < n_objects:
        raise ComitiaError(
            f"{source_of(path)} cannot say which objects it means: their names repeat."
        )
    rows = [
        (line, [cell if cell in place else cell.strip() for cell in cells])
        for line, cells in _pair_rows(path)
    ]
    # A first line that names no objects is a header.
    if rows and not {*rows[0][1]} & {*place}:
        rows = rows[1:]
    pairs = np.empty((len(rows), 2), dtype=np.int64)
    for each, (line, cells) in zip(pairs, rows, strict=True):
        for side, cell in enumerate(cells):
            if cell not in place:
                raise ComitiaError(
                    f"{source_of(path)} line {line}: there is no object {cell!r}; "
                    f"objects are called {', '.join(map(repr, object_names[:3]))}, …"
                )
            each[side] = place[cell]
    return pairs


def is_graph_file(path: str | os.PathLike[str]) -> bool:
    """Whether :func:`read_graph` reads a file that could not be a table.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    is_graph : bool
        True for a .mtx file, and for a .npz file that ``scipy.sparse.save_npz`` wrote.
    """
    suffix = Path(path).suffix.lower()
    if is_stdin(path) or suffix not in (".mtx", ".npz") or not Path(path).is_file():
        return False
    if suffix == ".mtx":
        return True
    try:
        with zipfile.ZipFile(path) as archive:
            return {"format.npy", "shape.npy", "data.npy"} <= {*archive.namelist()}
    except (OSError, zipfile.BadZipFile):  # the reader of tables says what is wrong
        return False


def read_graph(path: str | os.PathLike[str]) -> Any:
    """Read a graph.

    Parameters
    ----------
    path : path-like
        The adjacency matrix: a .npz file that ``scipy.sparse.save_npz`` wrote, or a
        Matrix Market .mtx file.

    Returns
    -------
    graph : csr_array of shape (n_objects, n_objects)
        The adjacency matrix.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from scipy.sparse import csr_array, save_npz
    >>> from comitia.io import read_graph
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "links.npz")
    ...     save_npz(path, csr_array([[0, 1], [1, 0]]))
    ...     read_graph(path).toarray().tolist()
    [[0, 1], [1, 0]]
    """
    from scipy.io import mminfo, mmread
    from scipy.sparse import csr_array, load_npz

    file = local_file(path)
    try:
        if file.suffix == ".mtx":
            n_rows, n_columns, n_entries = mminfo(file)[:3]
            size = 8 * (max(n_rows, n_columns) + 3 * n_entries)
            require_memory(size, f"the graph of {file}")
            return csr_array(mmread(file))
        if file.suffix == ".npz":
            read_arrays(file)  # refuses what would not fit
            return csr_array(load_npz(file))
    except MemoryBudgetError:
        raise
    except Exception as error:  # zipfile, NumPy and SciPy fail in a dozen ways
        raise ComitiaError(
            f"{file} is not a sparse matrix that can be read ({error}); write it with "
            "scipy.sparse.save_npz or as Matrix Market."
        ) from None
    raise ComitiaError(
        f"{file} is no graph; give the adjacency matrix as .npz "
        "(scipy.sparse.save_npz) or .mtx (Matrix Market)."
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


def saved_ensemble(path: str | os.PathLike[str]) -> Ensemble | None:
    """Read an ensemble that comitia saved, if it is one.

    Parameters
    ----------
    path : path-like
        A file, or a folder: a result, or an ensemble in row blocks.

    Returns
    -------
    ensemble : Ensemble or None
        None if the file is something else.
    """
    if is_stdin(path):
        return None
    if Path(path).is_dir() and Path(path).suffix.lower() != ".zarr":
        # A result folder, or an ensemble in row blocks.
        inside = Path(path) / "ensemble.npz"
        return Ensemble.load(inside if inside.exists() else path)
    if Path(path).suffix.lower() != ".npz":
        return None
    with open_input(path) as file:
        try:
            with zipfile.ZipFile(file) as archive:
                named = archive.getinfo("format.npy")
                with archive.open(named) as part:
                    # The name of our format is short; nothing longer is unpacked.
                    is_ours = named.file_size < 1000 and str(
                        read_npy(part, named.file_size)
                    ).startswith("comitia-ensemble")
        except Exception:  # the reader of tables says what is wrong with it
            return None
    return Ensemble.load(path) if is_ours else None


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


def saved_truth(path: str | os.PathLike[str], name: str) -> NDArray[Any]:
    """Read the known labels of a result that comitia saved.

    Parameters
    ----------
    path : path-like
        The result folder.

    name : str
        What the known labels were called when the result was made, or ``"truth"``, as
        ``labels.csv`` calls them.

    Returns
    -------
    truth : ndarray of shape (n_objects,)
        As text; None where they are not known.
    """
    from comitia.io.results import Result

    is_result = (Path(path) / "result.json").exists()
    result = Result.load(path) if is_result else None
    if result is None or result.truth is None:
        raise ComitiaError(
            f"{source_of(path)} holds no known labels, so that --truth {name} means "
            "nothing; a result has them if comitia fit was given --truth."
        )
    words = [*shlex.split(result.command or ""), ""]
    called = "truth"
    for at, word in enumerate(words[:-1]):
        option, equals, value = word.partition("=")
        if option == "--truth":
            called = value if equals else words[at + 1]
    if name not in ("truth", called):
        raise ComitiaError(
            f"truth={name!r} is not in {source_of(path)}; its known labels are called "
            f"{called!r}."
        )
    return np.array([value or None for value in result.truth.tolist()], dtype=object)


def _clusterings_of(
    path: str | os.PathLike[str],
    found: FileColumns,
    columns: str | Sequence[str] | None,
    drop: str | Sequence[str] | None,
    id: str | None,
    truth: str | None,
) -> _LabelFile:
    if found.is_annotated:
        found = _observations(path, found, columns)
    object_names = found.object_names
    if id is not None:
        object_names = object_names_from(found, id)
    names = [*found.names, *found.aside]
    known = None
    if truth is not None and find_column(names, truth) is not None:
        known = known_labels(other_column(found, truth, "truth"))
    wanted = chosen_columns(
        found.names, columns, drop, [id, truth if known is not None else None]
    )
    labels = [_labels_of(found.values[j]) for j in wanted]
    for j, column in zip(wanted, labels, strict=True):
        if columns is None and _is_unique_for_each(column):
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
    return _LabelFile(
        [found.names[j] for j in wanted], labels, object_names, known, notes
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
    for one, source in zip(files, sources, strict=True):
        where = [place[name] for name in one.object_names or []]
        absent = len(place) - len(where)
        if absent:
            notes.append(f"{counted(absent, 'object')} not in {source}.")
        one.columns = [_place_rows(column, where, len(place)) for column in one.columns]
        if one.truth is not None:
            one.truth = _place_rows(one.truth, where, len(place))
    return [*place]


def _other_length(sources: list[str], lengths: list[int]) -> str:
    at = next(i for i, length in enumerate(lengths) if length != lengths[0])
    return f"{sources[at]} has {lengths[at]}"


def _place_rows(column: NDArray[Any], where: list[int], n: int) -> NDArray[Any]:
    whole = (
        np.full(n, None, dtype=object) if column.dtype == object else np.full(n, np.nan)
    )
    whole[where] = column
    return whole


def _pair_rows(path: str | os.PathLike[str]) -> list[tuple[int, list[str]]]:
    kind = format_of(path, None)
    if kind not in ("csv", "tsv"):
        raise ComitiaError(f"{source_of(path)}: pairs are read from .csv and .tsv.")
    with open_input(path) as file:
        text = decode(file.read(), source_of(path), None, [])
    if not text.strip():
        raise ComitiaError(f"{source_of(path)} is empty.")
    delimiter = separator_of(text, kind, None, rows_of, [])
    rows = list(rows_of(text, delimiter, source_of(path)))
    for line, row in rows:
        if len(row) != 2:
            raise ComitiaError(
                f"{source_of(path)} line {line} has {counted(len(row), 'cell')}; a "
                "pair has two."
            )
    return rows
