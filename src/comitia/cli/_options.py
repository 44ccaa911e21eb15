"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD
from comitia.cli._run_command import UsageError

__all__ = [
    "As",
    "BlockOptions",
    "ComparisonOutput",
    "DataOptions",
    "Flag",
    "LabelOptions",
    "MakingOptions",
    "MethodOptions",
    "OutputOptions",
    "Series",
    "TimedOptions",
    "parse_kinds",
]

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Several = Annotated[list[str] | None, Parameter(negative=())]

As = Annotated[Literal["features", "labels"] | None, Parameter(name="--as")]

Series = Annotated[
    bool,
    Parameter(
        negative=(),
        show_default=False,
        help="Each row is a series in time, a column for each time. An array of three "
        "dimensions (objects, channels, times) in .npy or .npz is read so by itself.",
    ),
]

Generators = Literal[
    "kmeans",
    "spectral",
    "landmark-spectral",
    "neighbor-spectral",
    "genie",
    "mixed",
    "hierarchical",
    "mixture",
    "kernel",
    "fuzzy",
    "tree",
    "community",
]

_TABLE = Group("Table", sort_key=1)
_METHOD = Group("Method", sort_key=2)
_BLOCKS = Group("Very large tables", sort_key=3)
_OUTPUT = Group("Output", sort_key=4)


@Parameter(name="*", group=_TABLE)
@dataclass(frozen=True, kw_only=True)
class LabelOptions:
    """Which columns of a file are meant."""

    columns: Several = None
    "Columns to use: names, positions from 1, and ranges such as 3-7 or age:income, \
separated by commas."

    drop: Several = None
    "Columns to leave out, written in the same way."

    id: str | None = None
    "Column with the names of the objects."

    truth: str | None = None
    "Column with known labels. They are compared with the result, never used."

    format: (
        Literal[
            "csv",
            "tsv",
            "json",
            "xlsx",
            "parquet",
            "feather",
            "npy",
            "npz",
            "mat",
            "zarr",
            "h5ad",
        ]
        | None
    ) = None
    "Format of the file, where its name does not say it; needed for standard input."

    header: bool | None = None
    "Whether the first line holds names; by default it does unless it is all numbers."

    key: str | None = None
    "Array of a .npz, .mat or .zarr file, layer or .obsm entry of a .h5ad file (such \
as X_pca), or sheet of a .xlsx file."

    sep: str | None = None
    "What separates the cells of a line of text; seen from the file by default."

    decimal: str | None = None
    "What stands before the fraction of numbers, . or ,; seen from the file by default."

    thousands: str | None = None
    "What stands between groups of three digits; seen from the file by default."

    encoding: str | None = None
    "How text is encoded, such as cp1252; UTF-8, UTF-16 or Windows-1252 by default."

    transpose: Flag = False
    "Rows are the features and columns the objects, as in tables of genes."

    def where(self) -> dict[str, Any]:
        """What the readers of :mod:`comitia.io` are called with."""
        return {name: getattr(self, name) for name in LabelOptions.__annotations__}


@Parameter(name="*", group=_TABLE)
@dataclass(frozen=True, kw_only=True)
class DataOptions(LabelOptions):
    """How a table of features is read."""

    kinds: Several = None
    "What columns are, as NAME=KIND, separated by commas: numeric, counts, shares, \
boolean, category, date, id or drop; NAME=S<M<L for values in their order."

    form: Literal["auto", "columns", "alike", "counts"] = "auto"
    "Whether each column has a unit of its own, all have the same, or they are counts; \
by default what the table looks like."

    scale: Literal["auto", "standard", "robust", "none"] = "auto"
    "Numbers to mean 0 and variance 1, to median 0 and interquartile range 1, or as \
they are; by default the first, and the last where all columns have one unit."

    impute: Literal["auto", "knn", "median", "refuse"] = "auto"
    "What to put where a number is missing: what the nearest rows have, or the median; \
by default the first, in tables of up to 10 000 rows."

    categorical: Literal["onehot", "gower", "famd", "standard", "drop"] = "onehot"
    "How yes/no columns and text of few values count: 0/1 columns with half of a \
number's variance, Gower's distance, factor analysis of mixed data, standardised 0/1 \
columns, or not at all."

    dates: Literal["drop", "number", "cyclic"] = "drop"
    "Dates are left out, become days, or the place in the year and in the week."

    keep_ids: Flag = False
    "Use columns that look like identifiers all the same."

    rotate: bool | None = None
    "Replace a table with more columns than rows by its principal components; done by \
default from 50 columns on."

    def how(self) -> dict[str, Any]:
        """What :func:`comitia.io.read_table` is called with."""
        own = {name: getattr(self, name) for name in DataOptions.__annotations__}
        return {**self.where(), **own, "kinds": parse_kinds(self.kinds or ())}

    def of_features(self) -> dict[str, Any]:
        """The same for a second file, whose columns are all features."""
        keys = ("id", *DataOptions.__annotations__)
        return {name: value for name, value in self.how().items() if name in keys}

    def of_series(self) -> dict[str, Any]:
        """What :func:`comitia.io.read_series` is called with."""
        plain = DataOptions()
        for name in DataOptions.__annotations__:
            value = getattr(self, name)
            if value != getattr(plain, name) and (name, value) != ("impute", "refuse"):
                option = name.replace("_", "-")
                raise UsageError(f"--{option} is for tables; leave it out for series.")
        impute = "refuse" if self.impute == "refuse" else "interpolate"
        return {**self.where(), "impute": impute}

    def asks_for_more(self) -> str:
        """The first option, if any, that needs the whole table in memory."""
        for name, values in _NEEDS_ALL.items():
            value = getattr(self, name)
            if value in values:
                shown = f" {value}" if isinstance(value, str) else ""
                return f"--{name}{shown}"
        return ""


# What cannot be done row by row, once the columns are known one by one.
_NEEDS_ALL = {
    "form": ("alike", "counts"),
    "impute": ("knn",),
    "categorical": ("famd",),
    "rotate": (True,),
    "transpose": (True,),
}


def parse_kinds(given: Sequence[str]) -> dict[str, Any]:
    """Read what columns are.

    Parameters
    ----------
    given : sequence of str
        Such as ``"age=numeric,size=S<M<L"``.

    Returns
    -------
    kinds : dict of str to str or list
        By the names of the columns.
    """
    kinds: dict[str, Any] = {}
    for piece in ",".join(given).split(","):
        name, equals, kind = piece.rpartition("=")
        if not piece.strip():
            continue
        if not equals or not name.strip() or not kind.strip():
            raise UsageError(f"--kinds {piece} is no NAME=KIND, such as age=numeric.")
        levels = [level.strip() for level in kind.split("<")]
        kinds[name.strip()] = levels if len(levels) > 1 else levels[0]
    return kinds


@Parameter(name="*", group=_METHOD)
@dataclass(frozen=True, kw_only=True)
class MethodOptions:
    """Which method, and with what parameters."""

    method: Annotated[
        str | None,
        Parameter(
            name=["--method", "-m"],
            help=f"Method, by its id in comitia methods; {DEFAULT_METHOD} by default, "
            f"{DEFAULT_FOR['graph']} for a graph, {DEFAULT_FOR['series']} for series.",
        ),
    ] = None

    param: Several = None
    "A parameter of the method as NAME=VALUE, such as theta=0.2; may be repeated. \
generator__NAME=VALUE sets one of the generator."

    must_link: str | None = None
    "File with pairs of objects that belong together, two columns, for methods that \
take constraints."

    cannot_link: str | None = None
    "File with pairs of objects that do not."

    seed: int = 0
    "Seed of everything random: the same seed, the same result."

    memory: str | None = None
    "Memory that one step may take, such as '8 GB'; by default 60 % of what is free."

    device: str | None = None
    "Device to work on, such as cuda, for methods that can; by default the CPU. It \
needs PyTorch."

    approximate: Literal["landmarks"] | None = None
    "landmarks runs a method that is quadratic in the number of objects on a sample of \
5000 of them, and lets their clusters vote for the others."

    def method_or_default(self, kind: str = "data") -> str:
        """The id of the method that is used on data, a graph or series."""
        return self.method or DEFAULT_FOR.get(kind, DEFAULT_METHOD)


@Parameter(name="*", group=_METHOD)
@dataclass(frozen=True, kw_only=True)
class MakingOptions:
    """How clusterings are made."""

    n_clusterings: int | Literal["auto"] | None = None
    "How many clusterings are made; auto makes them until they have settled."

    generator: Generators | None = None
    "How they are made; by default as the method likes it, most often by k-means; \
community is for graphs."

    n_jobs: int = 1
    "Parallel jobs; -1 takes all cores."

    def is_given(self) -> bool:
        """Whether the clusterings are to be made in a way that was asked for."""
        return self.generator is not None or self.n_clusterings is not None


@Parameter(name="*", group=_METHOD)
@dataclass(frozen=True, kw_only=True)
class TimedOptions(MakingOptions):
    """How clusterings are made, and for how long."""

    time_limit: float | None = None
    "Seconds after which no more clusterings are made; the result then depends on the \
speed of the machine."


@Parameter(name="*", group=_BLOCKS)
@dataclass(frozen=True, kw_only=True)
class BlockOptions:
    """How tables are worked on that do not fit into memory."""

    block_rows: int | None = None
    "Work on so many rows at a time; half a million by default for folders, and for \
files with more than 200 000 rows."

    workers: int | None = None
    "Start so many processes on this machine that work on the blocks, by Dask."

    scheduler: str | None = None
    "Let the workers of a running Dask scheduler do it, such as tcp://10.0.0.5:8786; \
they must see the files under the same paths."

    def is_given(self) -> bool:
        """Whether blocks were asked for."""
        return any(
            value is not None
            for value in (self.block_rows, self.workers, self.scheduler)
        )


@Parameter(name="*", group=_OUTPUT)
@dataclass(frozen=True, kw_only=True)
class OutputOptions:
    """Where the result goes and what is said."""

    out: Annotated[str, Parameter(name=["--out", "-o"])] = "result"
    "The result folder."

    force: Flag = False
    "Replace the result in a folder that is there."

    no_report: Flag = False
    "Write no report.html."

    json: Flag = False
    "Print JSON and nothing else on standard output."

    quiet: Flag = False
    "Say nothing but errors."


@Parameter(name="*", group=_OUTPUT)
@dataclass(frozen=True, kw_only=True)
class ComparisonOutput(OutputOptions):
    """The same for a comparison."""

    out: Annotated[str, Parameter(name=["--out", "-o"])] = "comparison"
    "The folder of the comparison."
