"""Tables that are too large for memory: from row blocks to a result folder."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from comitia import sizes
from comitia._storage_paths import AnyPath, path_of
from comitia.cli._fitting import (
    collected_warnings,
    describe_interruption,
    draw_variables,
    seconds_of,
)
from comitia.cli._folder import ResultFolder, can_report
from comitia.cli._meter import Meter
from comitia.cli._methods import GENERATORS
from comitia.cli._run_command import UsageError
from comitia.cli._summary import spaced
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.cli._options import (
        BlockOptions,
        DataOptions,
        MethodOptions,
        TimedOptions,
    )
    from comitia.io.block_tables import BlockTable

__all__ = ["BlockFit", "fit_in_blocks", "open_in_blocks"]

_FORMATS = (".npy", ".parquet", ".zarr")


@dataclass
class BlockFit:
    """What a fit in blocks found."""

    result: Any  # the result for a sample of the objects
    n_objects: int  # how many objects there are
    sizes: list[int]  # how many are in each cluster
    report: Path | None  # where the report on the sample is
    words: str  # what the data are, in words


def open_in_blocks(
    data: str,
    estimator: Any,
    wanted: Any,
    how: DataOptions,
    which: MethodOptions,
    making: TimedOptions,
    blocks: BlockOptions,
    write_obs: str | None,
    meter: Meter,
) -> BlockTable | None:
    """Open a table that is to be worked on in blocks.

    Parameters
    ----------
    data : str
        The file or folder.

    estimator : EnsembleMethod
        The method.

    wanted : int, range or None
        Number of clusters.

    how : DataOptions
        How the table is read.

    which : MethodOptions
        Which method, with what.

    making : TimedOptions
        How clusterings are made.

    blocks : BlockOptions
        What was asked for.

    write_obs : str or None
        Column of a .h5ad file.

    meter : Meter
        Shows progress.

    Returns
    -------
    table : BlockTable or None
        The table for folders, when a block option is given, and for tables with many
        rows if nothing stands against it; None if it is to be read into memory.
    """
    reason = next(
        _reasons_against(data, estimator, wanted, how, which, making, write_obs), None
    )
    path = path_of(data)
    is_zarr = path.suffix.lower() == ".zarr"
    is_folder = path.is_dir() and not is_zarr
    if is_folder or blocks.is_given():
        _check_options(blocks)
        if reason is not None:
            raise UsageError(f"{reason}.")
        return _open(data, how, meter)
    if reason is not None or not (path.is_file() or is_zarr):
        return None
    try:
        if _n_rows(path) <= sizes.MANY_FILE_ROWS:
            return None
        return _open(data, how, meter)
    except (ComitiaError, ImportError):
        return None  # whoever reads it in memory says what is wrong, or mends it


def _check_options(blocks: BlockOptions) -> None:
    for option, value in (
        ("--block-rows", blocks.block_rows),
        ("--workers", blocks.workers),
    ):
        if value is not None and value < 1:
            raise UsageError(f"{option} {value} must be at least 1.")
    if blocks.scheduler is not None and blocks.workers is not None:
        raise UsageError("--scheduler has workers of its own; leave out --workers.")


def _reasons_against(
    data: str,
    estimator: Any,
    wanted: Any,
    how: DataOptions,
    which: MethodOptions,
    making: TimedOptions,
    write_obs: str | None,
) -> Iterator[str]:
    """What speaks against blocks: whatever needs the whole table in memory."""
    path, card = path_of(data), estimator.card
    if not path.is_dir() and path.suffix.lower() not in _FORMATS:
        yield (
            f"{data} is not read in blocks; give a .npy or .parquet file, a folder of "
            ".parquet files or a .zarr array"
        )
    if card.scales != "linear" or "labels" not in card.needs or "data" in card.needs:
        yield (
            f"{card.id} does not work on row blocks; take a linear method on labels, "
            "such as lwgp (comitia methods --scales linear)"
        )
    generator = estimator.get_generator()
    if not hasattr(generator, "needs_memory"):
        yield f"{type(generator).__name__} needs the whole table in memory"
    elif why := generator.needs_memory():
        for option, name in GENERATORS.items():
            why = re.sub(rf"\b{name}\b", option, why)
        yield why.removesuffix(".").replace("generator=", "--generator ")
    if isinstance(wanted, range):
        yield "-k must be one number for a table in blocks"
    if how.key is not None:
        yield "--key needs the whole table in memory"
    if option := how.asks_for_more():
        yield f"{option} needs the whole table in memory"
    if which.must_link is not None or which.cannot_link is not None:
        yield "constraints are not read for a table in blocks"
    if which.approximate is not None:
        yield "--approximate needs the whole table in memory"
    if making.time_limit is not None:
        yield "--time-limit needs the whole table in memory"
    if making.n_clusterings == "auto":
        yield "--n-clusterings auto needs the whole table in memory"
    if which.device is not None:
        yield "--device needs the whole table in memory"
    if write_obs is not None:
        yield "--write-obs goes with .h5ad files, which are not read in blocks"


def fit_in_blocks(
    data: str,
    table: BlockTable,
    estimator: Any,
    folder: ResultFolder,
    *,
    blocks: BlockOptions,
    meter: Meter,
    command: str,
    report: bool,
) -> BlockFit:
    """Make clusterings block by block, combine them, and let the folder appear.

    Parameters
    ----------
    data : str
        The file or folder.

    table : BlockTable
        What is in it.

    estimator : EnsembleMethod
        The method.

    folder : ResultFolder
        Where the result goes.

    blocks : BlockOptions
        How large blocks are, and who works on them.

    meter : Meter
        Shows progress.

    command : str
        What was typed.

    report : bool
        Whether to write the report.

    Returns
    -------
    found : BlockFit
        The result.
    """
    from comitia.io.block_results import save_blocks

    rows = table.rows
    n, p = len(rows), rows.n_features
    what = f"{spaced(p)} column{'' if p == 1 else 's'}, {table.scaling}"
    words = f"{data}, {spaced(n)} objects, {what}, in blocks"
    try:
        folder.begin(command)
        with _client(blocks) as client:
            with meter, collected_warnings() as warned:
                draw_variables(estimator, table.preparer.groups_)
                ensemble = estimator.generate_blocks(
                    rows,
                    folder.blocks,
                    block_rows=blocks.block_rows,
                    client=client,
                    on_progress=meter.on_progress,
                )
                estimator.combine(ensemble, on_progress=meter.on_progress)
            with meter, folder.replaced_result() as place:
                kept = save_blocks(
                    estimator,
                    rows,
                    table.raw,
                    place,
                    object_names=table.object_names,
                    truth=table.truth,
                    notes=[f"{what}.", *table.notes, *warned],
                    preparation=table.preparer.to_dict(),
                    timings=seconds_of(estimator),
                    command=command,
                    source=data,
                    on_progress=meter.on_progress,
                )
                _link_files(folder.blocks, place / "ensemble")
                written = report and can_report()
                if written:
                    from comitia.report import write_report

                    meter.on_progress("report", 0, 1)
                    write_report(kept.result, place / "report.html")
        folder.abandon()
    except BaseException as error:
        describe_interruption(error, folder)
        raise
    where = folder.path / "report.html" if written else None
    return BlockFit(kept.result, n, kept.sizes, where, words)


def _open(data: str, how: DataOptions, meter: Meter) -> BlockTable:
    """The rows, prepared and as they are, with names and known labels beside them."""
    from comitia.io.block_tables import open_block_table
    from comitia.prepare import TablePreparer

    path = path_of(data)
    if (path / "result.json").exists():
        raise ComitiaError(f"{data} is the folder of a result; give that of the data.")
    asked = how.how()
    names = [*TablePreparer().get_params().keys() & asked.keys() - {"rotate"}]
    with meter:
        meter.on_progress("prepare", 0, 1)
        return open_block_table(
            path,
            TablePreparer(**{name: asked[name] for name in names}, rotate=False),
            columns=how.columns,
            drop=how.drop,
            id=how.id,
            truth=how.truth,
        )


def _n_rows(path: AnyPath) -> int:
    """Number of rows, of which nothing is read."""
    from comitia.generate.sources import open_rows

    if path.suffix.lower() == ".parquet":
        from comitia.generate.parquet import parquet_length

        return parquet_length(path)
    return len(open_rows(path))


@contextmanager
def _client(blocks: BlockOptions) -> Iterator[Any]:
    if blocks.scheduler is None and blocks.workers is None:
        yield None
        return
    import logging

    from comitia.distributed import client_for

    with client_for(blocks.scheduler, blocks.workers) as client:
        # A lost scheduler is one line here, and not a traceback of Dask's.
        logging.getLogger("distributed.client").setLevel(logging.CRITICAL)
        yield client


def _link_files(source: Path, target: Path) -> None:
    """The same files under a second path, without a copy where the disk can do it."""
    target.mkdir()
    for file in sorted(source.glob("[!.]*")):  # not what a killed worker left
        try:
            os.link(file, target / file.name)
        except OSError:
            shutil.copy2(file, target / file.name)
