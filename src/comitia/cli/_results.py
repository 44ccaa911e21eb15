"""The commands that make a result folder. Their help is their docstring."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from comitia._lock import locked
from comitia.cli._advice import look_through
from comitia.cli._append import append_to_result, refuse_options
from comitia.cli._fitting import fit_and_keep
from comitia.cli._folder import ResultFolder, check_obs
from comitia.cli._folder import write_obs as write_obs_column
from comitia.cli._input_files import (
    FitInput,
    add_data,
    is_series,
    memory_limit,
    parse_k,
    read_constraints,
    read_data,
    refuse_large_k,
    refuse_needs,
)
from comitia.cli._meter import Meter
from comitia.cli._methods import build
from comitia.cli._options import (
    BlockOptions,
    DataOptions,
    Flag,
    MethodOptions,
    OutputOptions,
    Series,
    TimedOptions,
)
from comitia.cli._out_of_core import fit_in_blocks, open_in_blocks
from comitia.cli._run_command import UsageError, refuse_absent, typed_command
from comitia.cli._summary import (
    print_json,
    print_lines,
    result_as_json,
    result_lines,
)

__all__ = ["combine", "fit", "report"]

K = Annotated[str | None, Parameter(name=["-k", "--n-clusters"])]


_DATA, _METHOD, _MAKING, _BLOCKS, _OUTPUT = (
    DataOptions(),
    MethodOptions(),
    TimedOptions(),
    BlockOptions(),
    OutputOptions(),
)


def fit(
    data: str,
    /,
    *,
    k: K = None,
    series: Series = False,
    how: DataOptions = _DATA,
    which: MethodOptions = _METHOD,
    making: TimedOptions = _MAKING,
    blocks: BlockOptions = _BLOCKS,
    output: OutputOptions = _OUTPUT,
    resume: Flag = False,
    write_obs: str | None = None,
) -> None:
    """Cluster a table: many clusterings are made, weighed and combined into one.

    Parameters
    ----------
    data
        Table with one row per object: .csv .tsv .json, also packed as .gz .bz2 .xz
        .zst; .xlsx .parquet .feather .npy .npz .mat .zarr .h5ad; or - for standard
        input. A graph is an adjacency matrix: .mtx, or .npz as SciPy saves it. Series
        in time are an array (objects, channels, times), or rows with --series. A
        folder of .parquet files is worked on block by block.
    k
        Number of clusters; the method chooses without it. A range such as 2-10 is
        looked through first, as comitia choose-k does.
    resume
        Go on with a run that was interrupted; the result is the same.
    write_obs
        Write the clusters into this column of .obs of the .h5ad file as well.
    """
    wanted = parse_k(k)
    refuse_absent(data)
    with ResultFolder.held(
        output.out, force=output.force, resume=resume, quiet=output.quiet
    ) as folder:
        _fit(
            data, wanted, series, folder, how, which, making, blocks, output, write_obs
        )


def _fit(
    data: str,
    wanted: int | range | None,
    series: bool,
    folder: ResultFolder,
    how: DataOptions,
    which: MethodOptions,
    making: TimedOptions,
    blocks: BlockOptions,
    output: OutputOptions,
    write_obs: str | None,
) -> None:
    from comitia.io.graph_files import is_graph_file

    kind = "data"
    if is_series(data, how, series):
        kind = "series"
    elif which.method is None and is_graph_file(data):
        kind = "graph"
    default = which.method_or_default(kind)
    if kind == "graph" and wanted is not None:
        raise UsageError(
            f"{data} is a graph, and its default {default} finds the number of "
            "clusters itself; leave out -k, or name a method."
        )
    estimator = build(
        default,
        wanted if isinstance(wanted, int) else None,
        seed=which.seed,
        params=which.param or (),
        generator=making.generator,
        n_clusterings=making.n_clusterings,
        n_jobs=making.n_jobs,
    )
    refuse_needs(estimator.card, "data" if kind == "graph" else kind)
    estimator.check_parameters(device=which.device, approximate=which.approximate)
    if write_obs is not None:
        check_obs(data, write_obs, output.force)
    meter = Meter(output.quiet, folder.n_clusterings if folder.resume else 0)
    with memory_limit(which.memory):
        table = open_in_blocks(
            data, estimator, wanted, how, which, making, blocks, write_obs, meter
        )
        if table is not None:
            found = fit_in_blocks(
                data,
                table,
                estimator,
                folder,
                blocks=blocks,
                meter=meter,
                command=typed_command(),
                report=not output.no_report,
            )
    if table is not None:
        _print_result(
            found.result,
            folder.path,
            found.report,
            output,
            found.words,
            how.truth,
            found.sizes,
        )
        return
    with memory_limit(which.memory):
        with meter:
            meter.on_progress("read", 0, 1)
            given, words = read_data(
                data,
                how,
                estimator.card.needs,
                by_feature="features" in estimator.card.weighs,
            )
        given.device, given.approximate = which.device, which.approximate
        given.time_limit = making.time_limit
        names = given.about.get("object_names")
        result, report = _fit_in_memory(
            given, names, wanted, estimator, which, folder, output, meter, making
        )
    if write_obs is not None:
        write_obs_column(data, write_obs, result)
    _print_result(result, folder.path, report, output, words, how.truth)
    if write_obs is not None and not (output.json or output.quiet):
        print(f"  written   .obs[{write_obs!r}] of {data}")


def _fit_in_memory(
    given: FitInput,
    names: Sequence[str] | None,
    wanted: int | range | None,
    estimator: Any,
    which: MethodOptions,
    folder: ResultFolder,
    output: OutputOptions,
    meter: Meter,
    making: TimedOptions | None = None,
) -> tuple[Any, Path | None]:
    """Look through a range of numbers of clusters, if one is wanted, and fit."""
    refuse_large_k(wanted, given.n_objects)
    given.constraints = read_constraints(
        estimator.card, which.must_link, which.cannot_link, given.n_objects, names
    )
    choice = None
    if isinstance(wanted, range):
        choice = look_through(
            given,
            wanted,
            estimator,
            which.seed,
            1 if making is None else making.n_jobs,
            meter,
            own_generator=making is not None and making.is_given(),
            own_method=which.method is not None,
        )
        estimator.set_params(n_clusters=choice.n_clusters)
    return fit_and_keep(
        estimator,
        given,
        folder,
        meter=meter,
        command=typed_command(),
        report=not output.no_report,
        choice=choice,
    )


def combine(
    labels: list[str],
    /,
    *,
    k: K = None,
    data: str | None = None,
    how: DataOptions = _DATA,
    which: MethodOptions = _METHOD,
    output: OutputOptions = _OUTPUT,
    write_obs: str | None = None,
    append: str | None = None,
) -> None:
    """Combine given clusterings: label columns in, the weighted consensus out.

    Labels are numbers or names; a blank, NA or -1 means that the object is not
    clustered there. Several files are joined by --id; without it their rows must be
    the same objects in the same order.

    Parameters
    ----------
    labels
        Files with one clustering per column, of any format that comitia fit reads, a
        saved Ensemble or the folder of an earlier result, or - for standard input. Of
        .h5ad the columns of .obs are taken that --columns names.
    k
        Number of clusters; the method chooses without it.
    data
        Table of features of the same objects, for methods that judge clusterings on
        their data. It is scaled as --scale says.
    write_obs
        Write the clusters into this column of .obs of the .h5ad file as well.
    append
        Add to the result in this folder instead: new clusterings of its objects, or
        new objects if the columns are those of the result. Its method is used again,
        its clusters keep their numbers, and drift.csv says what became of them.
    """
    if append is not None:
        refuse_options(
            which, output, **{"-k": k, "--data": data, "--write-obs": write_obs}
        )
        for each in [*labels, append]:
            refuse_absent(each)
        with ResultFolder.held(append, force=True, quiet=output.quiet) as folder:
            result, where, drift = append_to_result(labels, folder, how, which, output)
        _print_result(result, folder.path, where, output, "", how.truth, drift=drift)
        return
    wanted = parse_k(k)
    for each in [*labels, *([] if data is None else [data])]:
        refuse_absent(each)
    with ResultFolder.held(
        output.out, force=output.force, quiet=output.quiet
    ) as folder:
        _combine(labels, wanted, folder, data, how, which, output, write_obs)


def _combine(
    labels: list[str],
    wanted: int | range | None,
    folder: ResultFolder,
    data: str | None,
    how: DataOptions,
    which: MethodOptions,
    output: OutputOptions,
    write_obs: str | None,
) -> None:
    from comitia.io import read_votes

    if write_obs is not None:
        if len(labels) > 1:
            raise UsageError("--write-obs goes with one .h5ad file; give it alone.")
        check_obs(labels[0], write_obs, output.force)

    estimator = build(
        which.method_or_default(),
        wanted if isinstance(wanted, int) else None,
        seed=which.seed,
        params=which.param or (),
    )
    card = estimator.card
    refuse_needs(card, "labels")
    if "data" in card.needs and data is None:
        raise UsageError(
            f"{card.id} judges clusterings on their data; give it with --data FILE."
        )
    estimator.check_parameters(device=which.device, approximate=which.approximate)
    meter = Meter(output.quiet)
    with memory_limit(which.memory):
        with meter:
            meter.on_progress("read", 0, 1)
            votes = read_votes(labels, **how.where())
        ensemble = votes.ensemble
        names = ensemble.object_names
        about: dict[str, Any] = {
            "truth": votes.truth,
            "notes": votes.notes,
            "source": votes.source,
        }
        given = FitInput(
            ensemble=ensemble,
            about=about,
            device=which.device,
            approximate=which.approximate,
        )
        if data is not None:
            add_data(given, data, how)
        called = None if names is None else [*map(str, names)]
        result, report = _fit_in_memory(
            given, called, wanted, estimator, which, folder, output, meter
        )
    if write_obs is not None:
        write_obs_column(labels[0], write_obs, result)
    _print_result(result, folder.path, report, output, "", how.truth)
    if write_obs is not None and not (output.json or output.quiet):
        print(f"  written   .obs[{write_obs!r}] of {labels[0]}")


def report(
    folder: str,
    /,
    *,
    out: Annotated[str | None, Parameter(name=["--out", "-o"])] = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Write report.html of a result folder again, from the folder alone.

    Parameters
    ----------
    folder
        The result folder.
    out
        Where the report goes; into the folder by default.
    json
        Print JSON and nothing else on standard output.
    quiet
        Say nothing but errors.
    """
    from comitia.io import Result
    from comitia.report import write_report

    # A report goes into the folder that it was made from, not into one that has taken
    # its place meanwhile.
    with nullcontext() if out else locked(folder, beside=True):
        path = write_report(
            Result.load(folder), Path(out) if out else Path(folder) / "report.html"
        )
    if json:
        print_json({"report": str(path)})
    elif not quiet:
        print(f"  report    {path}")


# -- what the commands share ----------------------------------------------------


def _print_result(
    result: Any,
    folder: Path,
    report: Path | None,
    output: OutputOptions,
    data: str,
    truth: str | None,
    sizes: list[int] | None = None,
    drift: Any = None,
) -> None:
    if output.quiet and not output.json:
        return
    from comitia.report import result_alerts

    alerts = result_alerts(result)
    if output.json:
        about = result_as_json(result, folder, report, sizes, alerts)
        if drift is not None:
            about["drift"] = [row._asdict() for row in drift.rows()]
        print_json(about)
    else:
        # The first note is the line on the data again.
        notes = result.notes[1:] if data else result.notes
        print_lines(
            result_lines(
                result,
                folder,
                report,
                data=data,
                truth=truth or "the known labels",
                notes=notes,
                sizes=sizes,
                alerts=alerts,
            )
        )
        if drift is not None:
            print("  drift     " + str(drift).replace("\n", "\n            "))
        if report is None and not output.no_report:
            print("  report    needs jinja2; pip install 'comitia[report]', then")
            print(f"            comitia report {folder}")
