"""Jobs that are done once: a table that grows row by row, and goes on after a kill.

A :class:`Job` is a call of a function at module level and the key of the one row that
comes of it::

    jobs = [
        Job({"data": name, "method": id, "seed": seed}, fit, {"k": 3})
        for seed in options.seeds
        for name in names
        for id in ids
    ]
    run("everything", jobs, options, values=("ari", "nmi"))

calls ``fit(data=..., method=..., seed=..., k=3)`` in another process; it returns a dict
with ``ari`` and ``nmi``. The row has the key, these values, ``seconds`` and ``peak_mb``
of the call (unless the function tells its own), ``status`` ("ok", "failed",
"timed out", "out of memory") and ``message``. A job that fails or takes too long is a
row, too. Rows are appended as jobs end; when all are through, the file is put into the
order of the jobs. ``<part>.json`` beside it says on what machine, with which versions
and by which command the rows were made, one entry for each run that added some.

A table of more than 500 kB is kept compressed, as ``<part>.csv.xz``; a run that goes on
appends its rows to ``<part>.csv`` beside it until all are through. :func:`read` and
:func:`write` know about this, and everybody else names a table ``<part>.csv``.
"""

from __future__ import annotations

import csv
import io
import json
import lzma
import os
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from benchmarks.__main__ import machine
from benchmarks.evaluation.jobs import Crew, Job, Slow, cell

__all__ = ["Job", "Options", "Store", "read", "run", "write"]

RESULTS = Path(__file__).parent.parent / "results" / "evaluation"
#: What every row ends with.
OUTCOME = ("seconds", "peak_mb", "status", "message")
#: Bytes of text from which a table is compressed: each version stays in the repository.
LARGE = 500_000

Row = dict[str, Any]


@dataclass(frozen=True)
class Options:
    """What the command line asks of a part.

    Parameters
    ----------
    data : path, default=None
        Folder of the data sets; None takes those of scikit-learn.

    results : path, default=RESULTS
        Folder of the tables.

    n_jobs : int, default=1
        Number of processes that work at the same time, one thread each.

    seeds : tuple of int, default=(0, ..., 9)
        The repetitions.

    max_objects : int, default=None
        Larger data sets are cut to so many objects.

    time_limit, memory_limit : float, default=60.0, 2000.0
        Most seconds and MB of one job.

    stop_after : float, default=None
        Seconds after which no more is done; what is not finished then is not kept.

    methods, sets : tuple of str, default=()
        Only these; empty for all.

    smoke : bool, default=False
        Only show that it runs: what takes seconds.

    retry : bool, default=False
        Do again what did not end well before.
    """

    data: Path | None = None
    results: Path = RESULTS
    n_jobs: int = 1
    seeds: tuple[int, ...] = tuple(range(10))
    max_objects: int | None = None
    time_limit: float = 60.0
    memory_limit: float = 2000.0
    stop_after: float | None = None
    methods: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    smoke: bool = False
    retry: bool = False


class Store:
    """A table of results: one row for each key, the last one where there are more.

    Parameters
    ----------
    path : path
        The .csv file, as for :func:`read`; it is made with the first row.

    key, values : sequence of str
        The columns that tell rows apart, and those that are measured.
    """

    def __init__(self, path: Path, key: Sequence[str], values: Sequence[str]) -> None:
        self.path = path
        self.key = tuple(key)
        self.columns = (*key, *values, *(c for c in OUTCOME if c not in values))
        self._rows: dict[tuple[str, ...], Row] = {}
        _drop_torn_line(path)
        for file in _files(path):
            self._check_head(file)
        for row in read(path):
            self._rows[self._id(row)] = row

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows.values())

    def get(self, key: tuple[str, ...]) -> Row | None:
        """The row of a key, if there is one.

        Parameters
        ----------
        key : tuple of str
            The values of the key, as :attr:`Job.id` has them.

        Returns
        -------
        row : dict or None
            Its cells, as texts.
        """
        return self._rows.get(key)

    def add(self, row: Mapping[str, Any]) -> None:
        """Append a row to the table and to the file.

        Parameters
        ----------
        row : dict
            The key and what was measured. A column that is absent stays empty.
        """
        unknown = sorted(set(row) - set(self.columns))
        if unknown:
            raise ValueError(
                f"row has {', '.join(unknown)}, which {self.path.name} has no column "
                f"for; there are {', '.join(self.columns)}."
            )
        cells = {name: cell(row.get(name, "")) for name in self.columns}
        is_new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns, lineterminator="\n")
            if is_new:
                writer.writeheader()
            writer.writerow(cells)
        self._rows[self._id(cells)] = cells

    def tidy(self, order: Iterable[tuple[str, ...]]) -> None:
        """Write the file anew, in an order that does not depend on who was faster.

        Parameters
        ----------
        order : iterable of tuple of str
            Keys; rows with other keys come after these, sorted by their key.
        """
        at = {key: place for place, key in enumerate(order)}
        if not self._rows:
            return
        keys = sorted(self._rows, key=lambda key: (at.get(key, len(at)), key))
        self._rows = {key: self._rows[key] for key in keys}
        write(self.path, self.columns, self._rows.values())

    def _id(self, row: Mapping[str, Any]) -> tuple[str, ...]:
        return tuple(str(row[name]) for name in self.key)

    def _check_head(self, path: Path) -> None:
        with _open(path) as file:
            head = tuple(next(csv.reader(file), ()))
        if head != self.columns:
            raise ValueError(
                f"{path} has the columns {', '.join(head)}, where "
                f"{', '.join(self.columns)} are wanted; move the old file away."
            )


def read(path: Path) -> list[Row]:
    """The rows of a table, their cells as texts.

    Parameters
    ----------
    path : path
        A .csv file, which may be compressed: ``<path>.xz``.

    Returns
    -------
    rows : list of dict
        Empty without the file. Where there are both, those of the compressed file come
        first, and then those that a run has added since.
    """
    rows: list[Row] = []
    for found in _files(path):
        with _open(found) as file:
            rows += csv.DictReader(file)
    return rows


def write(
    path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]
) -> None:
    """Write a table as a whole; one that is large, compressed.

    Parameters
    ----------
    path : path
        A .csv file. The same rows give the same bytes, and a file that is not finished
        never has this name.

    columns : sequence of str
        The columns, in this order.

    rows : iterable of dict
        The rows.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    data = text.getvalue().encode()
    plain, packed = path, _packed(path)
    if len(data) > LARGE:
        _replace(packed, lzma.compress(data))
        plain.unlink(missing_ok=True)
    else:
        _replace(plain, data)
        packed.unlink(missing_ok=True)


def _packed(path: Path) -> Path:
    return path.with_name(f"{path.name}.xz")


def _files(path: Path) -> list[Path]:
    """The files of a table: the compressed one, and what was added to it."""
    return [one for one in (_packed(path), path) if one.exists()]


def _open(path: Path) -> TextIO:
    if path.suffix == ".xz":
        return lzma.open(path, "rt", newline="", encoding="utf-8")
    return path.open(newline="", encoding="utf-8")


def _replace(path: Path, data: bytes) -> None:
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(data)
    part.replace(path)


def run(
    part: str,
    jobs: Iterable[Job],
    options: Options,
    *,
    values: Sequence[str],
    after_timeout: Callable[[Job], Any] | None = None,
    about: Mapping[str, Any] | None = None,
) -> list[Row]:
    """Do the jobs of a part that are not done yet, and keep a row of each.

    Parameters
    ----------
    part : str
        Names the files: ``<part>.csv`` and ``<part>.json`` in ``options.results``.

    jobs : iterable of Job
        In the order in which they are begun.

    options : Options
        Where, how many at once, and the limits.

    values : sequence of str
        What the functions return: columns of the table.

    after_timeout : callable, default=None
        Names what is too slow when a job ran out of time; later jobs of that name get
        a row that says so and are not tried. By default each job is tried.

    about : dict, default=None
        What else the .json file is to say of this run, such as versions of peers.

    Returns
    -------
    rows : list of dict
        All rows of the table, also those of earlier runs.
    """
    jobs = list(jobs)
    if not jobs:
        raise ValueError(f"{part} has no jobs; is the data folder empty?")
    if len({job.id for job in jobs}) < len(jobs):
        raise ValueError(f"two jobs of {part} have the same key.")
    store = Store(options.results / f"{part}.csv", tuple(jobs[0].key), values)
    left = [job for job in jobs if _is_open(store.get(job.id), options)]
    slow = Slow(after_timeout)
    if not options.retry:
        for job in jobs:
            slow.note(job, store.get(job.id))
    note = _Note(options.results / f"{part}.json", options, about or {})
    progress = _Progress(part, len(jobs) - len(left), len(jobs))
    limits = (options.time_limit, options.memory_limit, options.stop_after)
    with Crew(options.n_jobs, *limits) as crew:
        for job, answer in crew.work(left, slow):
            value = answer.pop("value", {})
            store.add({**job.key, **answer, **value})
            progress.step(answer["status"])
            note.write(progress)
    store.tidy(job.id for job in jobs)
    progress.tell()
    return list(store)


class _Note:
    """The .json file beside a table: who made the rows, and when."""

    def __init__(self, path: Path, options: Options, about: Mapping[str, Any]) -> None:
        self._path = path
        self._runs = json.loads(path.read_text())["runs"] if path.exists() else []
        limits = ("n_jobs", "max_objects", "time_limit", "memory_limit", "smoke")
        self._run = {
            "command": shlex.join(
                ["python", "-m", "benchmarks.evaluation", *map(_anywhere, sys.argv[1:])]
            ),
            **{name: getattr(options, name) for name in limits},
            **about,
            **machine(),
        }

    def write(self, progress: _Progress) -> None:
        run = {**self._run, "rows": progress.added, "seconds": round(progress.spent)}
        part = self._path.with_suffix(".json.part")
        part.write_text(json.dumps({"runs": [*self._runs, run]}, indent=2) + "\n")
        part.replace(self._path)


class _Progress:
    """One line on standard error that says how far it is."""

    def __init__(self, part: str, done: int, total: int) -> None:
        self._part, self._done, self._total = part, done, total
        self._failed = 0
        self._start = self._told = time.monotonic()
        self.added = 0

    @property
    def spent(self) -> float:
        return time.monotonic() - self._start

    def step(self, status: str) -> None:
        self._done += 1
        self.added += 1
        self._failed += status != "ok"
        if time.monotonic() - self._told > 10.0:
            self._told = time.monotonic()
            self.tell()

    def tell(self) -> None:
        print(
            f"{self._part}: {self._done} of {self._total} jobs done, {self.added} in "
            f"{self.spent:.0f} s, {self._failed} of these without a result",
            file=sys.stderr,
            flush=True,
        )


def _anywhere(argument: str) -> str:
    """An argument without the folders of this machine."""
    return "FOLDER" if "/" in argument else argument


def _is_open(row: Row | None, options: Options) -> bool:
    return row is None or (options.retry and row["status"] != "ok")


def _drop_torn_line(path: Path) -> None:
    """Cut off what a killed run has written of a row that it did not finish."""
    text = path.read_bytes() if path.exists() else b""
    if text and not text.endswith(b"\n"):
        whole = text.rfind(b"\n") + 1
        os.truncate(path, whole)
        if whole == 0:
            path.unlink()  # not even the head was whole
