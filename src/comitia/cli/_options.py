"""Options that several commands share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter

from comitia.catalogue import DEFAULT_METHOD, DEFAULT_ON_DEVICE

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
]

Flag = Annotated[bool, Parameter(negative=(), show_default=False)]
Several = Annotated[list[str] | None, Parameter(negative=())]

As = Annotated[Literal["features", "labels"] | None, Parameter(name="--as")]

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

    format: Literal["csv", "tsv", "parquet", "npy", "npz", "h5ad"] | None = None
    "Format of the file, where its name does not say it; needed for standard input."

    header: bool | None = None
    "Whether the first line holds names; by default it does unless it is all numbers."

    key: str | None = None
    "Array of a .npz file, or layer or .obsm entry of a .h5ad file (such as X_pca)."

    def where(self) -> dict[str, Any]:
        """What the readers of :mod:`comitia.io` are called with."""
        return {name: getattr(self, name) for name in LabelOptions.__annotations__}


@Parameter(name="*", group=_TABLE)
@dataclass(frozen=True, kw_only=True)
class DataOptions(LabelOptions):
    """How a table of features is read."""

    scale: Literal["standard", "robust", "none"] = "standard"
    "Columns to mean 0 and variance 1, to median 0 and interquartile range 1, or as \
they are."

    impute: Literal["median"] | None = None
    "What to put where a value is missing; by default missing values are refused."

    categorical: Literal["onehot"] | None = None
    "What to do with columns of text; by default they are refused."

    def how(self) -> dict[str, Any]:
        """What :func:`comitia.io.read_table` is called with."""
        own = {name: getattr(self, name) for name in DataOptions.__annotations__}
        return {**self.where(), **own}


@Parameter(name="*", group=_METHOD)
@dataclass(frozen=True, kw_only=True)
class MethodOptions:
    """Which method, and with what parameters."""

    method: Annotated[
        str | None,
        Parameter(
            name=["--method", "-m"],
            help=f"Method, by its id in comitia methods; {DEFAULT_METHOD} by default, "
            f"and {DEFAULT_ON_DEVICE} with --device.",
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

    def method_or_default(self) -> str:
        """The id of the method that is used."""
        default = DEFAULT_METHOD if self.device is None else DEFAULT_ON_DEVICE
        return self.method or default


@Parameter(name="*", group=_METHOD)
@dataclass(frozen=True, kw_only=True)
class MakingOptions:
    """How clusterings are made."""

    n_clusterings: int | None = None
    "How many clusterings are made."

    generator: Generators | None = None
    "How they are made; by default as the method likes it, most often by k-means; \
community is for graphs."

    n_jobs: int = 1
    "Parallel jobs; -1 takes all cores."

    def is_given(self) -> bool:
        """Whether the clusterings are to be made in a way that was asked for."""
        return self.generator is not None or self.n_clusterings is not None


@Parameter(name="*", group=_BLOCKS)
@dataclass(frozen=True, kw_only=True)
class BlockOptions:
    """How tables are worked on that do not fit into memory."""

    block_rows: int | None = None
    "Work on so many rows at a time; half a million by default for folders, and for \
files with more than two million rows."

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
