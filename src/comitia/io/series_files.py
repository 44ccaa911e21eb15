"""Series in time from files: arrays of three dimensions, and rows of a table."""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack
from typing import Literal as L

import numpy as np
from numpy.typing import NDArray

from comitia._files import read_npy_header
from comitia._steps import check_choice
from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._array_files import main_array
from comitia.io._cell_text import (
    all_missing,
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
from comitia.io._input_paths import is_stdin, source_of
from comitia.prepare.column_decisions import Preferences, decide_column
from comitia.prepare.table_columns import TableColumn

__all__ = ["SeriesTable", "is_series_file", "read_series"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SeriesTable:
    """Series in time, ready to be clustered.

    Attributes
    ----------
    series : list of ndarray of shape (n_channels, n_times of the series)
        One array for each object.

    object_names : list of str or None
        Names of the objects, where the file has them.

    truth : ndarray of shape (n_objects,) or None
        A label column to score against, as text; None where it is blank or -1.

    source : str
        Where the series came from.

    notes : tuple of str
        Sentences on what was done and what looks odd.
    """

    series: list[Array]
    object_names: list[str] | None = None
    truth: NDArray[Any] | None = None
    source: str = ""
    notes: tuple[str, ...] = ()

    def in_words(self) -> str:
        """Say how many series there are, how long, and of how many channels.

        Returns
        -------
        words : str
            Such as ``"30 series of 60 to 98 times, 2 channels"``.
        """
        lengths = [one.shape[1] for one in self.series]
        times = counted(max(lengths), "time")
        if min(lengths) < max(lengths):
            times = f"{min(lengths)} to {times}"
        channels = len(self.series[0])
        more = f", {channels} channels" if channels > 1 else ""
        return f"{len(self.series)} series of {times}{more}"


def is_series_file(path: str | os.PathLike[str], key: str | None = None) -> bool:
    """Whether :func:`read_series` reads a file that could not be a table.

    Parameters
    ----------
    path : path-like
        The file.

    key : str, default=None
        Which array of a .npz file is meant.

    Returns
    -------
    is_series : bool
        True for a .npy or .npz file whose array has three dimensions.
    """
    file, suffix = Path(path), Path(path).suffix.lower()
    if is_stdin(path) or suffix not in (".npy", ".npz") or not file.is_file():
        return False
    try:
        if suffix == ".npy":
            with file.open("rb") as opened:
                return len(read_npy_header(opened)[0]) == 3
        shapes = {}
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                with archive.open(name) as part:
                    shapes[name.removesuffix(".npy")] = read_npy_header(part)[0]
        return len(shapes[main_array(shapes, key, os.fspath(path))]) == 3
    except Exception:  # the reader of tables says what is wrong
        return False


def read_series(
    path: str | os.PathLike[str],
    *,
    impute: L["interpolate", "refuse"] = "interpolate",
    **how: Unpack[ReadOptions],
) -> SeriesTable:
    """Read series in time.

    An array of three dimensions is (objects, channels, times). A table holds one series
    of one channel in each row, a column for each time, in their order. A series ends
    where nothing but missing values follows.

    Parameters
    ----------
    path : path-like
        A file of any format that :func:`read_table` reads.

    impute : {"interpolate", "refuse"}, default="interpolate"
        What to put where values are missing inside of a series: what lies on the line
        between the values before and after, or the nearest one at the beginning.

    **how : dict
        How the file is read, as for :func:`read_table`. ``columns`` and ``drop`` name
        columns of a table that are times, or that are none. ``id`` is by default the
        first column, if it counts the rows or has another text in each of them.
        ``transpose`` says that the columns of a table are the series.

    Returns
    -------
    table : SeriesTable
        The series.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia.io import read_series
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "load.csv")
    ...     _ = path.write_text("meter,0h,1h,2h\\nm1,3,5,4\\nm2,2,2,\\n")
    ...     table = read_series(path)
    >>> table.in_words(), table.object_names
    ('2 series of 2 to 3 times', ['m1', 'm2'])
    """
    check_choice("impute", impute, ("interpolate", "refuse"))
    asked = Reading(**how)
    found = read_columns(path, asked, series=True)
    names = asked.object_names(found)
    truth = asked.truth
    known = None if truth is None else other_column(found, truth, "truth")
    notes = list(found.notes)
    if found.n_channels is None:
        times = chosen_columns(
            found.names, asked.columns, asked.drop, [asked.id, truth]
        )
        if names is None and (names := _names_in(found, times)) is not None:
            notes.append(f"{found.names[times.pop(0)]!r} holds the objects' names.")
    elif asked.columns is not None or asked.drop is not None:
        raise ComitiaError(
            f"{source_of(path)} holds an array of 3 dimensions, which has no columns; "
            "leave out columns and drop."
        )
    else:
        times = [*range(len(found.names))]
    values = _values_at(found, times, source_of(path))
    if found.n_channels is None and truth is None:
        notes += _note_classes(found.names[times[0]], values)
    n = len(values)
    series, n_filled = [], 0
    for i, one in enumerate(values.reshape(n, found.n_channels or 1, -1)):
        called = f"series {names[i]!r}" if names else f"series {i + 1}"
        whole, n_gaps = _whole(one, called, impute)
        series.append(whole)
        n_filled += n_gaps
    n_short = sum(one.size < values.shape[1] for one in series)
    if n_short:
        notes.append(
            f"{n_short} of {n} series {'is' if n_short == 1 else 'are'} shorter: a "
            "series ends where nothing but missing values follows."
        )
    if n_filled:
        notes.append(
            f"{counted(n_filled, 'missing value')} inside of series: filled on the "
            "line between those before and after."
        )
    return SeriesTable(
        series,
        names,
        None if known is None else known_labels(known),
        source_of(path),
        tuple(notes),
    )


def _names_in(found: FileColumns, times: list[int]) -> list[str] | None:
    """The names of the objects, if the first column holds them."""
    if len(times) < 2:
        return None
    first = TableColumn(found.names[times[0]], found.values[times[0]])
    is_id = decide_column(first, Preferences({})).kind == "id"
    return object_names_of(first.values, blank="") if is_id else None


def _values_at(found: FileColumns, times: list[int], source: str) -> Array:
    """The columns of a table as one array, (n_objects, n_times)."""
    is_text = [
        found.values[j].dtype == object and not all_missing(found.values[j])
        for j in times
    ]
    words = [found.names[j] for j, each in zip(times, is_text, strict=True) if each]
    if words:
        listed = ", ".join(map(repr, words[:3])) + (", …" if len(words) > 3 else "")
        raise ComitiaError(
            f"{listed} of {source} holds text, and each column of series holds the "
            "values at one time; say what it is with id or truth, or leave it out with "
            "drop."
        )
    n = len(found.values[times[0]])
    require_memory(16 * n * len(times), f"the {n} series of {source}")
    empty = np.full(n, np.nan)
    kept = (found.values[j] for j in times)
    each = [empty if one.dtype == object else one for one in kept]
    return np.array(each, dtype=np.float64).T.copy()


def _note_classes(name: str, values: Array) -> list[str]:
    """Note a first column that looks like classes, as archives of series have them."""
    first, others = values[:, 0], values[:, 1:]
    whole = others[np.isfinite(others)]
    n_distinct = len(np.unique(first))
    if (
        others.size == 0
        or not 1 < n_distinct <= len(first) / 2
        or not (first == np.rint(first)).all()
        or (whole == np.rint(whole)).all()
    ):
        return []
    said = (
        f"the first column holds {n_distinct} whole numbers and the others fractions: "
        f"if it is the class of a series and not a value, say --truth {name!r}."
    )
    return [said]


def _whole(one: Array, called: str, impute: str) -> tuple[Array, int]:
    """A series up to its end, without gaps, and how many values were filled in."""
    present = ~np.isnan(one)
    if not present.any(axis=1).all():
        raise ComitiaError(f"{called} has no values; drop it, or give its values.")
    end = int(np.flatnonzero(present.any(axis=0))[-1]) + 1
    one, present = one[:, :end], present[:, :end]
    n_gaps = int((~present).sum())
    if n_gaps and impute == "refuse":
        raise ComitiaError(
            f"{called} lacks {counted(n_gaps, 'value')} before its end; fill them in."
        )
    if n_gaps:
        at = np.arange(end)
        rows = zip(one, present, strict=True)
        one = np.array([np.interp(at, at[p], x[p]) for x, p in rows])
    return one, n_gaps
