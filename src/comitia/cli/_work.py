"""From files to a fitted method to a result folder."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from comitia.cli._folder import ResultFolder
from comitia.cli._given import Given
from comitia.cli._meter import Meter, watching
from comitia.cli._methods import generation
from comitia.exceptions import (
    ComitiaError,
    EnsembleFileError,
    FolderInUseError,
    MemoryBudgetError,
)

__all__ = ["fit_and_keep", "heard", "leave"]


@contextmanager
def heard() -> Iterator[list[str]]:
    """Collect the warnings that are meant for users, once each.

    Yields
    ------
    said : list of str
        Filled in at the end.
    """
    from sklearn.exceptions import ConvergenceWarning

    from comitia.exceptions import ComitiaWarning

    said: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield said
    texts = [
        " ".join(str(each.message).split())
        for each in caught
        if issubclass(each.category, ComitiaWarning | ConvergenceWarning)
    ]
    said.extend(dict.fromkeys(texts))


def fit_and_keep(
    estimator: Any,
    given: Given,
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

    given : Given
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
    from comitia.io import Result

    try:
        folder.begin(command)
        begin = perf_counter()
        with (
            heard() as said,
            generation(estimator, folder.checkpoint) as made,
            meter.stage("ensemble"),
            watching(folder.checkpoint, meter),
        ):
            how = {
                **given.constraints,
                "device": given.device,
                "approximate": given.approximate,
            }
            if given.X is None:
                estimator.fit(given.ensemble, **how)
            else:
                estimator.fit(given.X, ensemble=given.ensemble, **how)
        if estimator.ensemble_.device is not None:
            # What is written and drawn is read from memory.
            estimator.ensemble_ = estimator.ensemble_.whole
        seconds = perf_counter() - begin
        with meter.stage("result"):
            about = dict(given.about)
            about["notes"] = [*about.get("notes", ()), *said]
            result = Result.from_estimator(
                estimator,
                given.X if given.about.get("feature_names") is not None else None,
                choice=choice,
                timings={
                    "ensemble": made.seconds or 0.0,
                    "consensus": seconds - (made.seconds or 0.0),
                },
                command=command,
                **about,
            )
            where = folder.publish(result, report)
    except BaseException as error:
        leave(error, folder)
        raise
    return result, where


def leave(error: BaseException, folder: ResultFolder) -> None:
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
