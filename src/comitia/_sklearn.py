"""The one place that imports scikit-learn's private names."""

from collections.abc import Iterable, Iterator
from concurrent.futures import BrokenExecutor
from multiprocessing.connection import wait
from threading import Event, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, validation
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from comitia._inputs import (
    masked_to_nan,
    refuse_large,
    refuse_masks_and_dates,
    refuse_repeated_names,
    refuse_small,
    table_or_anndata,
)
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = [
    "RANDOM_STATE",
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_table",
    "feature_names",
    "in_workers",
    "validate_data",
    "validate_parameters",
]

# What random_state may be: what it is for scikit-learn, or a Generator of NumPy.
RANDOM_STATE = ["random_state", np.random.Generator]

# NumPy's words do not say what was being read; scikit-learn's do.
_NUMPYS_WORDS = ("could not convert", "setting an array element")

# What scikit-learn says next is about supervised learning.
_NAN_WORDS = "Input X contains NaN"
_PREPARE = (
    "comitia.prepare.TablePreparer().fit_transform(X) makes numbers of text, dates and "
    "missing values, as the command line does."
)

# A worker that is dead at two looks is one that joblib does not see.
_SECONDS_BETWEEN_LOOKS = 10.0


def validate_data(estimator: Any, X: Any, **how: Any) -> Any:
    """Check a table as scikit-learn does, and refuse what it lets through.

    Its ``TypeError`` becomes one that is a ``ValueError`` as well.

    Parameters
    ----------
    estimator : estimator or None
        Who asks; it keeps the number and the names of the features.

    X : array-like of shape (n_objects, n_features)
        The table.

    **how : dict
        As for scikit-learn's function of this name.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        The table as an array.
    """
    X = table_or_anndata(X)
    if how.get("ensure_all_finite", True) is not True:
        X = masked_to_nan(X)
    refuse_masks_and_dates(X, "X")
    refuse_repeated_names(X, "X")
    try:
        if estimator is None:
            X = check_array(X, input_name="X", **how)
        else:
            X = validation.validate_data(estimator, X, **how)
    except (TypeError, OverflowError) as error:
        raise DataTypeError(f"X is not a table of numbers: {error}") from None
    except ValueError as error:
        if str(error).startswith(_NAN_WORDS):
            raise ComitiaError(f"Input X contains NaN. {_PREPARE}") from None
        if not str(error).startswith(_NUMPYS_WORDS):
            raise
        raise ComitiaError(
            f"X is not a table of numbers: {error}. {_PREPARE}"
        ) from None
    refuse_large(X, "X")
    if how.get("reset", True):  # new objects may well be alike
        refuse_small(X, "X")
    return X


def feature_names(X: Any) -> NDArray[Any] | None:
    """Names of the features, as scikit-learn keeps them.

    Parameters
    ----------
    X : DataFrame or anything else
        The table.

    Returns
    -------
    names : ndarray of str or None
        None where columns have no names, or names that are not all text.
    """
    try:
        return validation._get_feature_names(X)
    except TypeError:
        return None


def check_table(X: Any, **how: Any) -> Any:
    """Check a table for nobody in particular, as :func:`validate_data` does.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The table.

    **how : dict
        As for scikit-learn's ``check_array``.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        The table as an array.
    """
    return validate_data(None, X, **how)


def validate_parameters(estimator: Any) -> None:
    """Refuse parameters that an estimator does not take, if it says what it takes.

    Parameters
    ----------
    estimator : object
        An estimator, or anything else.
    """
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()


def in_workers(jobs: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Do jobs in joblib's worker processes, and say so in words when one dies.

    Parameters
    ----------
    jobs : iterable of delayed calls
        What to do.

    n_jobs : int or None
        How many at a time, as scikit-learn counts.

    Yields
    ------
    done : object
        What each job returned, in their order.
    """
    from sklearn.utils.parallel import Parallel

    try:
        parallel = Parallel(n_jobs=n_jobs, return_as="generator")
    except ValueError:  # joblib's "multiprocessing" answers when all is done
        parallel = Parallel(n_jobs=n_jobs)
    done = Event()
    Thread(target=_end_what_waits, args=(parallel, done), daemon=True).start()
    try:
        yield from parallel(jobs)
    except BrokenExecutor:
        raise ChildProcessError(
            f"a worker process ended before its work was done (n_jobs={n_jobs}): it "
            "was killed, or the memory was not enough. Try again with fewer jobs."
        ) from None
    finally:
        done.set()


def _end_what_waits(parallel: Any, done: Event) -> None:
    """Break a run that waits for the rest of what a dead worker began to say.

    joblib reads a result as soon as it begins to come, and sees no worker die while it
    does. Where the one that sent it was killed in the middle, the rest never comes:
    joblib learns of that when there is nobody left who could write.
    """
    dead: set[int] = set()
    while not done.wait(_SECONDS_BETWEEN_LOOKS):
        executor = getattr(parallel._backend, "_workers", None)
        workers = dict(getattr(executor, "_processes", None) or {})
        ended = wait([worker.sentinel for worker in workers.values()], timeout=0)
        gone = {pid for pid, worker in workers.items() if worker.sentinel in ended}
        if executor is not None and dead & gone:
            for worker in workers.values():
                worker.terminate()
            executor._result_queue._writer.close()
            return
        dead = gone
