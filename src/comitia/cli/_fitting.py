"""From files to a fitted method to a result folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from comitia.cli._folder import ResultFolder
from comitia.cli._input_files import FitInput
from comitia.cli._meter import Meter
from comitia.exceptions import (
    ComitiaError,
    EnsembleFileError,
    FolderInUseError,
    MemoryBudgetError,
)

__all__ = [
    "avoid_hidden_values",
    "collected_warnings",
    "describe_interruption",
    "draw_variables",
    "fit_and_keep",
    "seconds_of",
]


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the warnings that are meant for users, once each.

    Yields
    ------
    texts : list of str
        Filled in at the end.
    """
    from sklearn.exceptions import ConvergenceWarning

    from comitia.exceptions import ComitiaWarning

    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    for each in caught:
        text = " ".join(str(each.message).split())
        is_for_users = issubclass(each.category, ComitiaWarning | ConvergenceWarning)
        if is_for_users and text not in texts:
            texts.append(text)


def fit_and_keep(
    estimator: Any,
    given: FitInput,
    folder: ResultFolder,
    *,
    meter: Meter,
    command: str,
    report: bool,
    choice: Any = None,
) -> tuple[Any, Path | None]:
    """Fit a method and let the result folder appear.

    Bad input leaves nothing behind. What could go better next time (a kill, a lack of
    memory or of space on the disk) leaves the finished clusterings to ``--resume``.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method.

    given : FitInput
        What it is fitted on.

    folder : ResultFolder
        Where the result goes.

    meter : Meter
        Shows progress.

    command : str
        What was typed.

    report : bool
        Whether to write the report.

    choice : KChoice, default=None
        How the number of clusters was chosen.

    Returns
    -------
    result : Result
        The result.

    report : Path or None
        Where its report is.
    """
    from comitia.display.object_map import has_umap
    from comitia.io import Result

    try:
        folder.begin(command)
        with meter, collected_warnings() as warned:
            settings = {
                **given.constraints,
                "device": given.device,
                "approximate": given.approximate,
                "align_to": given.align_to,
                "on_progress": meter.on_progress,
            }
            if given.ensemble is None:
                draw_variables(estimator, given.groups)
                settings["time_limit"] = given.time_limit
                if given.hides_values:
                    avoid_hidden_values(estimator, given.X)
                estimator.fit(given.X, checkpoint=folder.checkpoint, **settings)
            else:
                estimator.combine(given.ensemble, given.X, **settings)
        if estimator.ensemble_.device is not None:
            # What is written and drawn is read from memory.
            estimator.ensemble_ = estimator.ensemble_.whole
        with meter:
            meter.on_progress("collect", 0, 1)
            about = dict(given.about)
            of_series = isinstance(given.X, list)
            about["notes"] = [*about.get("notes", ()), *warned]
            result = Result.from_estimator(
                estimator,
                given.X if "feature_names" in given.about or of_series else None,
                choice=choice,
                timings=seconds_of(estimator),
                command=command,
                umap=has_umap(),
                **about,
            )
            drift = getattr(estimator, "drift_", None)
            where = folder.publish(result, report, meter.on_progress, drift)
    except BaseException as error:
        describe_interruption(error, folder)
        raise
    return result, where


def draw_variables(estimator: Any, groups: Any) -> None:
    """Let a generator of random subspaces draw variables instead of columns.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method; its generator is replaced if it draws features.

    groups : ndarray of shape (n_features,) or None
        The variable that each column belongs to.
    """
    from comitia.generate import FeatureSubset

    if groups is None or len(groups) == groups.max() + 1:
        return
    if "generator" not in estimator.get_params(deep=False):
        return
    generator = estimator.get_generator()
    drawn = getattr(generator, "features", None)
    if isinstance(drawn, FeatureSubset) and drawn.groups is None:
        generator.set_params(features=replace(drawn, groups=groups))
        estimator.set_params(generator=generator)


def avoid_hidden_values(estimator: Any, X: Any) -> None:
    """Let the default combine k-means, which gaps between values lead astray least.

    It sees by itself that a column has two values, but not what became of the column
    in a rotation.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method; its generator is replaced if it is one that goes by the data.

    X : ndarray of shape (n_objects, n_features)
        The rotated table.
    """
    from comitia.generate import MixedGenerator
    from comitia.partition.k_probabilities import k_odds, table_sample

    generator = estimator.get_generator()
    if not isinstance(generator, MixedGenerator) or generator.families is not None:
        return
    generator.set_params(families="samples")
    if generator.n_clusters is None:
        k = k_odds(table_sample(X)).n_clusters
        generator.set_params(n_clusters=(max(k, 2), None))
    estimator.set_params(generator=generator)


def seconds_of(estimator: Any) -> dict[str, float]:
    """What a result says of the time that it took.

    Parameters
    ----------
    estimator : EnsembleMethod
        The method, fitted.

    Returns
    -------
    seconds : dict of str to float
        For the ensemble, 0 if it was given, and for the consensus with its weights.
    """
    seconds = dict(estimator.timings_)
    made = seconds.pop("generate", 0.0)
    return {"ensemble": made, "consensus": sum(seconds.values())}


def describe_interruption(error: BaseException, folder: ResultFolder) -> None:
    """Keep finished clusterings or blocks if they can be of use, and say so.

    Parameters
    ----------
    error : BaseException
        Why the run ends; it gets a note.

    folder : ResultFolder
        Where the result would have gone.
    """
    if isinstance(error, FolderInUseError):
        return  # what is there belongs to whoever writes to it
    another = isinstance(error, EnsembleFileError) and "another run" in str(error)
    if another and folder.resume:
        raise ComitiaError(
            f"{folder.partial} belongs to a run with other data or options"
            f"{folder.earlier_command}; repeat that one, or start again with --force."
        ) from None
    # A block that could not be written is an EnsembleFileError that an OSError caused.
    reasons = KeyboardInterrupt | OSError | MemoryError | MemoryBudgetError
    worth = isinstance(error, reasons) or isinstance(error.__cause__, OSError)
    kept = folder.kept
    if not (worth and kept):
        if not folder.resume:
            folder.abandon()
        return
    text = f"{kept} are kept in {folder.partial}; go on with --resume."
    if isinstance(error, KeyboardInterrupt):
        error.args = (text,)
    else:
        error.add_note(text)
