"""The commands that give advice: how many clusters, which method."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import Parameter

from comitia.catalogue import DEFAULT_FOR_K, DEFAULT_METHOD
from comitia.cli._folder import ResultFolder
from comitia.cli._input_files import (
    FitInput,
    is_series,
    memory_limit,
    parse_k,
    read_data,
    read_data_or_ensemble,
    refuse_large_k,
    refuse_needs,
    series_members,
)
from comitia.cli._meter import Meter
from comitia.cli._methods import build
from comitia.cli._options import (
    As,
    ComparisonOutput,
    DataOptions,
    Flag,
    MakingOptions,
    Series,
)
from comitia.cli._run_command import UsageError, refuse_absent, typed_command
from comitia.cli._summary import print_json, print_lines, print_table, print_wrapped
from comitia.exceptions import ComitiaError

__all__ = ["choose_k", "compare", "look_through", "recommend"]

# Ten criteria side by side have to be short.
_SHORT = {
    "pac": "PAC",
    "cophenetic": "coph.",
    "delta_area": "Δ area",
    "silhouette": "silh.",
    "calinski_harabasz": "CH",
    "davies_bouldin": "DB",
}

_DATA, _MAKING = DataOptions(), MakingOptions()
_COMPARISON = ComparisonOutput()


def choose_k(
    data: str,
    /,
    *,
    k: Annotated[str | None, Parameter(name=["-k", "--n-clusters"])] = None,
    as_: As = None,
    series: Series = False,
    method: Annotated[str, Parameter(name=["--method", "-m"])] = DEFAULT_FOR_K,
    how: DataOptions = _DATA,
    making: MakingOptions = _MAKING,
    n_resamples: int | None = None,
    n_references: int | None = None,
    seed: int = 0,
    memory: str | None = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Say how many clusters there are: how likely each number is, and criteria over k.

    Parameters
    ----------
    data
        Table with one row per object, or series, as for comitia fit; or clusterings:
        label columns, or what comitia saved (ensemble.npz, or a result folder).
    k
        Range of numbers of clusters to try, 2 to the root of n and at most 20 by
        default. One cluster is always a possible answer.
    as_
        What the columns are: features, or labels, one clustering each; by default
        labels if they look like it.
    method
        Method that combines the clusterings, by its id in comitia methods.
    n_resamples
        How many times a share of the objects is drawn and clustered for the criteria.
    n_references
        How many data sets without clusters the criteria are held against; they then
        decide, and not the probabilities. For clusterings 19 by default.
    seed
        Seed of everything random.
    memory
        Memory that one step may take, such as '8 GB'.
    json
        Print JSON and nothing else on standard output.
    quiet
        Show no progress.
    """
    refuse_absent(data)
    wanted = parse_k(k)
    if isinstance(wanted, int):
        raise UsageError(f"-k {k} is one number; write a range, such as 2-10.")
    estimator = build(
        method,
        None,
        seed=seed,
        generator=making.generator,
        n_clusterings=making.n_clusterings,
    )
    refuse_needs(estimator.card, "labels")
    with memory_limit(memory):
        if is_series(data, how, series):
            given, _ = read_data(data, how, ("series",))
        else:
            given, _ = read_data_or_ensemble(data, how, as_)
        refuse_large_k(wanted, given.n_objects)
        choice = look_through(
            given,
            wanted,
            estimator,
            seed,
            making.n_jobs,
            Meter(quiet),
            own_generator=making.is_given(),
            n_resamples=n_resamples,
            n_references=n_references,
        )
    scaling = _on_scaling(given)
    if json:
        print_json({**choice.to_dict(), "scaling": scaling})
    else:
        _print_choice(choice)
        print_wrapped(scaling)


def _on_scaling(given: FitInput) -> str:
    """What the answer depends on."""
    if given.X is None:
        return (
            "The answer is for the given clusterings, however their data were scaled."
        )
    scaled = given.about["notes"][0].rstrip(".")
    if isinstance(given.X, list):
        return f"The answer is for {scaled}, all representations of them side by side."
    return (
        f"The answer depends on the scaling; this one is for {scaled}, and --scale "
        "asks for another."
    )


def look_through(
    given: FitInput,
    ks: range | None,
    estimator: Any,
    seed: int,
    n_jobs: int,
    meter: Meter,
    *,
    own_generator: bool = False,
    own_method: bool = True,
    **settings: Any,
) -> Any:
    """Look through numbers of clusters.

    Parameters
    ----------
    given : FitInput
        Data or clusterings.

    ks : range or None
        Numbers of clusters.

    estimator : EnsembleMethod
        The method. One that does not combine given clusterings is left to itself, and
        what choose-k uses by default looks in its stead.

    seed : int
        The seed.

    n_jobs : int
        Number of parallel jobs.

    meter : Meter
        Shows progress.

    own_generator : bool, default=False
        Whether the clusterings are made as the estimator would make them.

    own_method : bool, default=True
        Whether the estimator was named. If not, what choose-k uses by default looks:
        it is several times as fast.

    **settings : dict
        As for :func:`comitia.evaluate.choose_k`.

    Returns
    -------
    choice : KChoice
        The choice.
    """
    from comitia.evaluate import choose_k as choose

    method: Any = DEFAULT_FOR_K
    if own_method and tuple(estimator.card.needs) == ("labels",):
        method = type(estimator)(
            **{**estimator.get_params(deep=False), "generator": None}
        )
    X = given.ensemble if given.X is None else given.X
    if isinstance(X, list):
        from comitia.generate.series_generators import series_table

        X = series_table(X)
    with meter:
        return choose(
            X,
            ks,
            method=method,
            generator=estimator.generator if own_generator else None,
            random_state=seed,
            n_jobs=n_jobs,
            on_progress=meter.on_progress,
            **settings,
        )


def _print_choice(choice: Any) -> None:
    names = list(choice.criteria)
    rows = []
    has_odds = len(choice.probabilities) > 0
    for i, k in enumerate(choice.ks):
        cells = [f"{k}"]
        if has_odds:
            cells.append(f"{choice.probabilities[1 + i]:.2f} ")
        for name in names:
            value = choice.criteria[name][i]
            mark = "*" if choice.best.get(name) == k else " "
            cells.append(("–" if np.isnan(value) else f"{value:.3g}") + mark)
        rows.append(cells)
    odds = ["prob. "] if has_odds else []
    better = [f"{choice.better[name]} " for name in names]
    rows.append(["better", *(["higher "] if has_odds else []), *better])
    head = ["k", *odds, *(f"{_SHORT.get(name, name)} " for name in names)]
    print_table(head, rows, right=range(len(head)))
    held = ", held against data without clusters" if choice.reference else ""
    print(f"\n  * what the criterion prefers{held}\n")
    print(f"  k = {choice.n_clusters}")
    print_wrapped(choice.reason)


def compare(
    data: str,
    /,
    *,
    k: Annotated[int | None, Parameter(name=["-k", "--n-clusters"])] = None,
    as_: As = None,
    series: Series = False,
    method: Annotated[
        list[str] | None, Parameter(name=["--method", "-m"], negative=())
    ] = None,
    panel: Literal["quick", "classic", "linear", "weighs", "all"] | None = None,
    how: DataOptions = _DATA,
    making: MakingOptions = _MAKING,
    time_limit: float = 60.0,
    n_resamples: int = 10,
    seed: int = 0,
    memory: str | None = None,
    output: ComparisonOutput = _COMPARISON,
) -> None:
    """Compare several methods on the same data, and say which differences are noise.

    Writes leaderboard.csv, labels.csv with the result of each method (which comitia
    combine can read), agreement.csv, comparison.json and report.html.

    Parameters
    ----------
    data
        Table with one row per object, as for comitia fit; or clusterings: label
        columns, or what comitia saved (ensemble.npz, or a result folder). Of series
        the clusterings that their default makes are combined by each method.
    k
        Number of clusters; each method chooses for itself without it.
    as_
        What the columns are: features, or labels, one clustering each; by default
        labels if they look like it.
    method
        Methods by their ids, separated by commas.
    panel
        Instead of methods: the default and five quick ones of different kinds (quick,
        which is compared when nothing is said), the classic baselines, all linear ones,
        one for each thing that is weighed, or all.
    time_limit
        Seconds for each fit of a method.
    n_resamples
        How many times a share of the objects is drawn to see how stable methods are.
    seed
        Seed of everything random.
    memory
        Memory for each method, such as '8 GB'.
    """
    refuse_absent(data)
    from comitia.cli._comparison import print_leaderboard, write_comparison
    from comitia.evaluate import compare as run

    if method and panel:
        raise UsageError("give methods with -m or a panel with --panel, not both.")
    ids = [one.strip() for each in method or () for one in each.split(",") if one]
    for each in ids:
        refuse_needs(build(each, k, seed=seed).card, "data")
    if k is not None and k < 1:
        raise UsageError(f"-k {k} is no number of clusters.")
    with ResultFolder.held(
        output.out, force=output.force, quiet=output.quiet
    ) as folder:
        generator = build(
            DEFAULT_METHOD,
            None,
            seed=seed,
            generator=making.generator,
            n_clusterings=making.n_clusterings,
        ).generator
        if is_series(data, how, series):
            if making.is_given():
                raise UsageError(
                    "the clusterings of series are those of their default; leave out "
                    "--generator and --n-clusterings."
                )
            given, words = series_members(data, how, k, seed, making.n_jobs)
        else:
            given, words = read_data_or_ensemble(data, how, as_)
        refuse_large_k(k, given.n_objects)
        with Meter(output.quiet) as meter:
            found = run(
                given.ensemble if given.X is None else given.X,
                ids or None,
                panel=panel,
                n_clusters=k,
                truth=given.about.get("truth"),
                generator=None if given.X is None else generator,
                time_limit=time_limit,
                memory_limit=memory,
                n_resamples=n_resamples,
                random_state=seed,
                n_jobs=making.n_jobs,
                on_progress=meter.on_progress,
            )
        about = {
            "command": typed_command(),
            "source": data,
            "data": words,
            "seed": seed,
        }
        report = write_comparison(
            folder, found, given.about.get("object_names"), about, not output.no_report
        )
    if output.json:
        print_json({**found.to_dict(), **about, "folder": str(folder.path)})
    elif not output.quiet:
        notes = given.about.get("notes", []) if given.X is None else []
        print_lines([("data", words, ""), *(("note", note, "") for note in notes)])
        print_leaderboard(found)
        print_lines([("result", str(report or folder.path), "")])


def recommend(
    data: str | None = None,
    /,
    *,
    labels: Annotated[list[str] | None, Parameter(negative=())] = None,
    as_: As = None,
    series: Series = False,
    weighs: str | None = None,
    constraints: Flag = False,
    n_best: int = 5,
    how: DataOptions = _DATA,
    json: Flag = False,
) -> None:
    """Say which methods fit what there is, the best measured first, and why.

    Parameters
    ----------
    data
        Table with one row per object, a graph, or series, as for comitia fit; or
        clusterings: label columns, or what comitia saved (ensemble.npz, or a result
        folder).
    labels
        Instead of it: files with one clustering per column, as for comitia combine.
    as_
        What the columns of the table are: features, or labels, one clustering each; by
        default labels if they look like it.
    weighs
        Only methods that weigh this: clusterings, clusters, objects, features, views
        or nothing; several separated by commas.
    constraints
        Only methods that use pairs of objects that must or must not be together.
    n_best
        How many are listed, at most.
    json
        Print JSON and nothing else on standard output.
    """
    from comitia.evaluate import recommend as run
    from comitia.io import read_graph, read_votes
    from comitia.io.graph_files import is_graph_file

    if (data is None) == (labels is None):
        raise UsageError("give a table, or label files with --labels.")
    known: dict[str, Any] = {}
    if data is None:
        given = FitInput(ensemble=read_votes(labels or [], **how.where()).ensemble)
    elif is_series(data, how, series):
        given, _ = read_data(data, how, ("series",))
        known = {"n_objects": given.n_objects, "needs": "series"}
    elif is_graph_file(data):
        given = FitInput(read_graph(data))
    else:
        given, _ = read_data_or_ensemble(data, how, as_)
    try:
        found = run(
            None if known else given.ensemble if given.X is None else given.X,
            **known,
            weighs=None if weighs is None else [w.strip() for w in weighs.split(",")],
            constraints=constraints,
            n_best=n_best,
        )
    except ComitiaError as error:
        raise UsageError(str(error)) from None
    if json:
        print_json(
            {
                "recommended": [vars(each) for each in found],
                "excluded": [vars(each) for each in found.excluded],
            }
        )
        return
    if not found:
        print_wrapped("No method fits; comitia methods shows them all.")
    for each in found:
        print(f"  {each.id}: {each.name}")
        print_wrapped(each.reason, indent="      ")
    if found.excluded:
        n = len(found.excluded)
        print(f"\n  {n} more fit in kind but not here; --json says why.")
    runs = "fit -m" if "needs" in known else "compare"
    print(f"\n  comitia {runs} runs them on your data.")
