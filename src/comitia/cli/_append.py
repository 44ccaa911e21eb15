"""New clusterings or new objects for a result that is there already."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from comitia.cli._fitting import fit_and_keep
from comitia.cli._folder import ResultFolder
from comitia.cli._input_files import FitInput, memory_limit
from comitia.cli._meter import Meter
from comitia.cli._options import DataOptions, MethodOptions, OutputOptions
from comitia.cli._run_command import UsageError, typed_command
from comitia.exceptions import ComitiaError

__all__ = ["append_to_result", "refuse_options"]


def refuse_options(which: MethodOptions, output: OutputOptions, **given: Any) -> None:
    """Refuse options that a result decides which is there already.

    Parameters
    ----------
    which : MethodOptions
        The method, which is that of the result.

    output : OutputOptions
        Where the result goes, which is where it is.

    **given : object
        What else was typed, by option; None where it was not.
    """
    given |= {
        "-m": which.method,
        "--param": which.param,
        "-o": None if output.out == OutputOptions.out else output.out,
        "--must-link": which.must_link,
        "--cannot-link": which.cannot_link,
    }
    for option, value in given.items():
        if value is not None:
            raise UsageError(
                f"--append keeps the method and the folder of the result; leave out "
                f"{option}."
            )


def append_to_result(
    labels: Sequence[str],
    folder: ResultFolder,
    how: DataOptions,
    which: MethodOptions,
    output: OutputOptions,
) -> tuple[Any, Path | None, Any]:
    """Combine the clusterings of a result and new ones, and let it take its place.

    Parameters
    ----------
    labels : sequence of str
        Files with new clusterings of its objects; or, if their columns are those of
        the result, with new objects.

    folder : ResultFolder
        The result.

    how : DataOptions
        How the files are read.

    which : MethodOptions
        Memory, device and approximation; the rest is that of the result.

    output : OutputOptions
        What is said.

    Returns
    -------
    result : Result
        The new result.

    report : Path or None
        Where its report is.

    drift : Drift
        What became of the clusters.
    """
    from comitia.io import Result, read_votes

    before = Result.load(folder.path)
    if before.all_sizes:
        raise ComitiaError(
            f"{folder.path} was made block by block; let its ensemble grow with "
            "Ensemble.grow in Python."
        )
    estimator = _same_method(before)
    meter = Meter(output.quiet)
    with memory_limit(which.memory):
        with meter:
            meter.on_progress("read", 0, 1)
            votes = read_votes(labels, **how.where())
        old = before.ensemble.with_object_names(before.object_names)
        new = votes.ensemble
        rows = _are_new_objects(old, new)
        grown = old.append(new, axis="objects" if rows else "clusterings")
        words = (
            f"from {old.n_objects} to {grown.n_objects} objects"
            if rows
            else f"from {old.n_clusterings} to {grown.n_clusterings} clusterings"
        )
        given = FitInput(
            ensemble=grown,
            about={
                "truth": _truth(before, votes, rows),
                "notes": [*votes.notes, f"Grown {words}, by {votes.source}."],
                "source": before.source,
            },
            device=which.device,
            approximate=which.approximate,
            align_to=before,
        )
        result, report = fit_and_keep(
            estimator,
            given,
            folder,
            meter=meter,
            command=typed_command(),
            report=not output.no_report,
        )
    return result, report, estimator.drift_


def _same_method(before: Any) -> Any:
    """The method of a result with its parameters, to be fitted again."""
    from comitia.catalogue import method

    cls = method(before.method)
    needs = cls.card.needs
    if needs != ("labels",):
        raise ComitiaError(
            f"{before.method} needs more than clusterings; run comitia fit, or comitia "
            "combine with --data, on everything."
        )
    estimator = cls()
    for name in estimator.get_params(deep=False):
        value = before.parameters.get(name)
        if isinstance(value, dict) and "class" in value:
            if name != "generator":  # clusterings are given, none are made
                raise ComitiaError(
                    f"the result was made with {name}={value['class']}, which its "
                    "folder does not hold; combine all clusterings in Python."
                )
        elif name in before.parameters:
            estimator.set_params(**{name: value})
    estimator.check_parameters()
    return estimator


def _are_new_objects(old: Any, new: Any) -> bool:
    """Whether the columns are those of the result, so that what is new are rows."""
    if old.clustering_names is None or new.clustering_names is None:
        return False
    known, given = {*old.clustering_names.tolist()}, {*new.clustering_names.tolist()}
    if given < known and old.n_objects != new.n_objects:
        raise ComitiaError(
            f"new objects need all columns of the result; {min(known - given)!r} is "
            "missing. Leave its cells blank where a run does not know them."
        )
    return known == given


def _truth(before: Any, votes: Any, rows: bool) -> Any:
    """The known classes of all objects; empty where unknown."""
    if not rows:
        return before.truth
    if before.truth is None and votes.truth is None:
        return None
    parts = [
        np.full(n, "", dtype=object) if part is None else np.asarray(part, object)
        for part, n in (
            (before.truth, before.n_objects),
            (votes.truth, votes.ensemble.n_objects),
        )
    ]
    return np.concatenate(parts)
