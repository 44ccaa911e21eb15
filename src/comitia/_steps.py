"""What steps of a fit share: checks, seeds, threads, progress, all or nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import cache
from numbers import Integral
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import sizes
from comitia._inputs import masked_to_nan
from comitia.exceptions import ComitiaError

__all__ = [
    "FitSteps",
    "Generated",
    "OnProgress",
    "Progress",
    "check_choice",
    "check_random_state",
    "check_weights",
    "nonnegative_weights",
    "threads_for",
]

# Called as ``on_progress(stage, done, total)``.
OnProgress = Callable[[str, int, int], None]


def check_choice(argument: str, value: Any, allowed: Collection[Any]) -> None:
    """Refuse a value that is none of those allowed, and name these.

    Parameters
    ----------
    argument : str
        What the argument is called.

    value : object
        What was given.

    allowed : collection
        Words that may be given, and None where nothing may be.
    """
    if value not in allowed:
        known = ", ".join(f'"{word}"' for word in allowed if word is not None)
        raise ComitiaError(f"{argument}={value!r} is none of {known}.")


def check_weights(
    weights: ArrayLike, n: int, argument: str, noun: str
) -> NDArray[np.float64]:
    """Weights as an array, one for each of n nouns, finite."""
    try:
        given = weights if type(weights) is np.ndarray else masked_to_nan(weights)
        checked = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ComitiaError(f"{argument} must be numbers, one per {noun}.") from None
    if checked.shape != (n,):
        raise ComitiaError(
            f"{argument} must have one entry per {noun}, {n}; got shape "
            f"{checked.shape}."
        )
    if not np.isfinite(checked).all():
        raise ComitiaError(f"{argument} must be finite; got NaN or infinity.")
    return checked


def nonnegative_weights(
    weights: ArrayLike | None, n: int, argument: str, noun: str
) -> NDArray[np.float64]:
    """The same where none may be negative; ones by default."""
    if weights is None:
        return np.ones(n)
    checked = check_weights(weights, n, argument, noun)
    if (checked < 0).any():
        raise ComitiaError(f"{argument} must be finite and not negative.")
    return checked


def check_random_state(seed: Any) -> np.random.RandomState:
    """Make the random numbers of a call out of a ``random_state``.

    Parameters
    ----------
    seed : int, RandomState, Generator or None
        As in scikit-learn. A Generator of NumPy goes on as a RandomState would: each
        call takes further numbers of it.

    Returns
    -------
    rng : RandomState
        The random numbers.
    """
    from sklearn import utils  # who only watches progress does not need it

    if isinstance(seed, np.random.Generator):
        seed = np.random.RandomState(seed.bit_generator)
    return utils.check_random_state(seed)


@contextmanager
def threads_for(n_objects: int) -> Iterator[None]:
    """Hold libraries to one thread while few objects are clustered.

    The threads of OpenMP, which scikit-learn's k-means takes, and those of OpenBLAS
    meet many times in a second, and turn round and round while they wait: where another
    process has one of the cores, for as long as it has it.

    Parameters
    ----------
    n_objects : int
        How many objects are clustered.

    Yields
    ------
    nothing : None
        OpenMP is held for the thread that asks, BLAS for the process.
    """
    if n_objects > sizes.FEW_TO_SHARE:
        yield
        return
    held = ("openmp",) if n_objects > sizes.FEW_TO_SHARE_BLAS else ("blas", "openmp")
    with ExitStack() as stack:
        for kind in held:
            stack.enter_context(_libraries(kind).limit(limits=1))
        yield


@cache
def _libraries(kind: str) -> Any:
    """What sets the threads of one kind of library, and of no other."""
    import scipy.linalg  # noqa: F401
    import sklearn.utils  # noqa: F401  they bring an OpenBLAS and an OpenMP
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api=kind)


class Progress:
    """Tells a caller how far the stages of a step are, and times them.

    Parameters
    ----------
    on_progress : callable or None, default=None
        Who is told.

    seconds : dict of str to float, default=None
        What earlier stages took.

    Attributes
    ----------
    seconds : dict of str to float
        What each stage took, less the stages inside of it.
    """

    def __init__(
        self,
        on_progress: OnProgress | None = None,
        seconds: dict[str, float] | None = None,
    ) -> None:
        self.on_progress = on_progress
        self.seconds = {} if seconds is None else dict(seconds)
        self._last: dict[str, tuple[int, int]] = {}

    def report(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage is.

        Parameters
        ----------
        stage : str
            What is being done.

        done, total : int
            How much of it is done, and of how much.
        """
        self._last[stage] = (done, total)
        if self.on_progress is not None:
            self.on_progress(stage, done, total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and say when it begins and when it is done.

        Parameters
        ----------
        name : str
            What is being done.
        """
        begin, earlier = perf_counter(), sum(self.seconds.values())
        self.report(name, 0, 1)
        yield
        inside = sum(self.seconds.values()) - earlier
        self.seconds[name] = perf_counter() - begin - inside
        done, total = self._last[name]
        if done != total:  # a loop may end before its last round
            self.report(name, total, total)


class Generated(NamedTuple):
    """What ``generate`` of a method leaves for its ``combine``.

    ``fit`` draws the seed of the generator and all that combining needs from one
    generator of random numbers; ``rng_state`` is where the first step left it.
    """

    ensemble: Any
    device: str | None
    random_state: Any
    rng_state: Any
    fitted: dict[str, Any]
    table: Any


class FitSteps:
    """What a method knows while one of its steps runs: all of it kept, or nothing."""

    # What generate has made.
    _generated: Generated | None = None
    # What a step was given: None outside of it.
    _progress: Progress | None = None
    _checkpoint: str | None = None
    _time_limit: float | None = None
    _device: str | None = None
    # Some rows of the table that is fitted, for the number of clusters.
    _table: Any = None
    # The order in which the objects are looked at: None for that of the data.
    _order: Any = None

    n_clusters: int | None
    random_state: Any
    timings_: dict[str, float]

    def _fitted_attributes(self) -> list[str]:
        return [name for name in vars(self) if name.endswith("_") and name[-2:] != "__"]

    @contextmanager
    def _all_or_nothing(
        self,
        on_progress: OnProgress | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        going_on: Generated | None = None,
    ) -> Iterator[None]:
        """Start without the results of an earlier fit; a failure leaves them as is."""
        before = dict(vars(self))
        for name in self._fitted_attributes():
            delattr(self, name)
        self.__dict__.pop("_generated", None)
        if going_on is not None:
            self.__dict__.update(_generated=going_on, **going_on.fitted)
            self._table = going_on.table
            if self.n_clusters is not None:  # given since then
                for name in ("n_clusters_probabilities_", "likely_n_clusters_"):
                    self.__dict__.pop(name, None)
        self._progress = Progress(on_progress, getattr(self, "timings_", None))
        self._checkpoint = None if checkpoint is None else os.fspath(checkpoint)
        try:
            yield
            self.timings_ = self._progress.seconds
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        finally:
            self.__dict__.pop("_progress", None)
            self.__dict__.pop("_checkpoint", None)
            self.__dict__.pop("_time_limit", None)
            self.__dict__.pop("_table", None)
            self.__dict__.pop("_order", None)

    def _stage(self, name: str) -> AbstractContextManager[None]:
        """Time what is done inside, and say when it begins and ends."""
        return nullcontext() if self._progress is None else self._progress.stage(name)

    def _report(self, stage: str, done: int, total: int) -> None:
        """Say how far a stage is, to whoever gave ``on_progress``."""
        if self._progress is not None:
            self._progress.report(stage, done, total)

    def _random_numbers(self) -> np.random.RandomState:
        """The random numbers of a step; those of generate go on in combine."""
        rng = check_random_state(self.random_state)
        made = self._generated
        # A generator of the caller's has gone on by itself.
        if (
            made is not None
            and isinstance(self.random_state, Integral)
            and self.random_state == made.random_state
        ):
            rng.set_state(made.rng_state)
        return rng

    def _remember(self, ensemble: Any, rng: Any) -> None:
        assert self._progress is not None
        fitted = {name: getattr(self, name) for name in self._fitted_attributes()}
        fitted["timings_"] = dict(self._progress.seconds)
        self._generated = Generated(
            ensemble,
            self._device,
            self.random_state,
            rng.get_state(legacy=False),
            fitted,
            self._table,
        )
