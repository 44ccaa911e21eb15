"""What a generator is: it plans members, and fits the member of a plan.

How plans are carried out is the matter of three executors, which know no generator in
particular: :mod:`~comitia.generate.executor_memory`,
:mod:`~comitia.generate.executor_row_blocks` and
:mod:`~comitia.generate.executor_device`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from comitia._arrays import device_of
from comitia._content_order import ContentOrder
from comitia._labels import narrowest
from comitia._parameter_rules import Rules, inherited_rules
from comitia._sklearn import (
    RANDOM_STATE,
    Interval,
    StrOptions,
    in_workers,
    validate_data,
)
from comitia._steps import OnProgress, check_random_state
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate._checkpoint import fingerprint
from comitia.generate._docs import SharedDocs
from comitia.generate.columns import Columns
from comitia.generate.member import Made
from comitia.generate.stopping import AUTO, MOST

__all__ = ["Generator", "Plan", "draw_seeds", "report_each"]

T = TypeVar("T")

# What one member is to do: numbers and names, which JSON can hold.
Plan = dict[str, Any]

# Fits a member, or reads it where an earlier run has left it: keep(m, fit).
Keep = Callable[[int, Callable[[], Made]], Made]


class Generator(SharedDocs, BaseEstimator):
    """Base class of the generators.

    A generator of one's own writes two methods. :meth:`plan` says what each member is
    to do; all seeds are drawn there, before the work is handed out, so that ``n_jobs``
    cannot change the result. :meth:`fit_member` does what a plan says: the same plan
    on the same data makes the same member, in any process. A generator whose members
    can be fitted on samples writes :meth:`sample_rows` and :meth:`fit_sample` instead
    of :meth:`fit_member`; it then works on rows that are too many for memory, too. The
    other methods have defaults.

    Examples
    --------
    Each member cuts a feature, drawn at random, at its mean.

    >>> from comitia.generate import Generator
    >>> from comitia.generate.member import Made
    >>> class Halves(Generator):
    ...     def __init__(self, n_clusterings=50, *, random_state=None):
    ...         self.n_clusterings = n_clusterings
    ...         self.random_state = random_state
    ...
    ...     def plan(self, X, rng):
    ...         drawn = rng.randint(X.shape[1], size=self.n_clusterings)
    ...         return [{"feature": int(feature)} for feature in drawn]
    ...
    ...     def fit_member(self, X, plan):
    ...         column = X[:, plan["feature"]]
    ...         return Made((column > column.mean()).astype(int))
    >>> Halves(4, random_state=0).generate([[0.0, 9.0], [0.1, 1.0], [5.0, 2.0]])
    Ensemble(kind='hard', n_objects=3, n_clusterings=4, n_clusters_total=8)
    """

    _parameter_constraints: ClassVar[Rules] = {
        "n_clusterings": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({AUTO}),
        ],
        "n_clusters": [Integral, tuple, list, None],
        "n_jobs": [Integral, None],
        "checkpoint": [str, os.PathLike, None],
        "verbose": ["verbose"],
        "random_state": RANDOM_STATE,
    }

    # Whether data may be on a device.
    takes_tensors: ClassVar[bool] = False
    # Whether each member can be fitted without the others.
    members_are_alone: ClassVar[bool] = True

    n_clusterings: Any
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._parameter_constraints = inherited_rules(cls)

    # -- what a generator writes ------------------------------------------------

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        """Say what each member is to do.

        Parameters
        ----------
        X : ndarray, or anything with a length
            The data, checked; rows in a file have a length only.

        rng : RandomState
            Source of randomness.

        Returns
        -------
        plans : list of dict
            One for each member, of numbers and names that JSON can hold. The entry
            ``"group"`` becomes the group of the clustering.
        """
        raise TypeError(f"{type(self).__name__} does not plan its members.")

    def fit_member(self, X: Any, plan: Plan) -> Made:
        """Fit the member of a plan.

        By default it is fitted on a sample of the objects, and labels all of them.

        Parameters
        ----------
        X : what :meth:`prepare` returns
            The data.

        plan : dict
            What the member is to do.

        Returns
        -------
        made : Made
            The member.
        """
        model = self.fit_sample(X.take(self.sample_rows(len(X), plan)), plan)
        labels = model.label_columns(X.values).astype(narrowest(model.n_clusters))
        return Made(labels, model=model)

    def sample_rows(self, n: int, plan: Plan) -> NDArray[np.int64]:
        """Draw the objects that the member of a plan is fitted on.

        Parameters
        ----------
        n : int
            Number of objects.

        plan : dict
            What the member is to do.

        Returns
        -------
        rows : ndarray of int64
            The objects, in order.
        """
        raise TypeError(f"{type(self).__name__} does not fit its members on samples.")

    def fit_sample(self, sample: Columns, plan: Plan) -> Any:
        """Fit the member of a plan on its sample.

        Parameters
        ----------
        sample : Columns
            The objects that :meth:`sample_rows` drew.

        plan : dict
            What the member is to do.

        Returns
        -------
        model : object
            Has ``n_clusters``, each with an object of the sample; ``predict(X)``;
            ``label_columns(columns)`` for objects in the frame of the sample, feature
            by feature; and ``state()``, the arrays that a checkpoint keeps.
        """
        raise TypeError(f"{type(self).__name__} does not fit its members on samples.")

    # -- what it may write besides ----------------------------------------------

    @property
    def n_members(self) -> int:
        """How many clusterings are made, at most."""
        return MOST if self.n_clusterings == AUTO else self.n_clusterings

    def needs_memory(self, n: int | None = None) -> str:
        """Say why all objects must be in memory.

        Parameters
        ----------
        n : int, default=None
            Their number; None if they are too many in any case.

        Returns
        -------
        reason : str
            A sentence; empty if members are fitted on samples.
        """
        return (
            f"generator={type(self).__name__} needs all objects in memory; use "
            "KMeansGenerator or LandmarkSpectralGenerator."
        )

    def labels_tensors(self, n: int) -> bool:
        """Whether so many objects on a device are labelled there.

        Parameters
        ----------
        n : int
            Number of objects.

        Returns
        -------
        there : bool
            Otherwise they are copied into memory, and the labels put on the device.
        """
        return self.takes_tensors and not self.needs_memory(n)

    def check_data(self, X: Any, *, reset: bool = True) -> Any:
        """Check data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data, as they were given.

        reset : bool, default=True
            Whether they are to be clustered, or labelled by members.

        Returns
        -------
        X : ndarray of shape (n_objects, n_features)
            The data.
        """
        return validate_data(self, X, dtype=np.float64, reset=reset)

    def shift_of(self, X: Any) -> NDArray[np.float64] | None:
        """Say what is taken off data before a member sees them.

        Parameters
        ----------
        X : what :meth:`check_data` returns
            The data.

        Returns
        -------
        shift : ndarray of shape (n_features,) or None
            None for nothing.
        """
        return None

    def put_back(self, order: ContentOrder) -> None:
        """Put what the generator keeps of objects into the order that they had.

        Parameters
        ----------
        order : ContentOrder
            That in which :meth:`prepare` and the members saw them.
        """

    def prepare(self, X: Any) -> Any:
        """Bring data into the form that members want, once for all of them.

        Parameters
        ----------
        X : what :meth:`check_data` returns
            The data, shifted.

        Returns
        -------
        X : object
            What :meth:`fit_member` gets.
        """
        return X

    def fit_members(self, X: Any, plans: list[Plan], keep: Keep) -> Iterable[Made]:
        """Fit the members of plans, each on its own.

        A generator whose members build on each other overrides this.

        Parameters
        ----------
        X : what :meth:`prepare` returns
            The data.

        plans : list of dict
            What the members are to do.

        keep : callable
            Called as ``keep(m, fit)``; returns ``fit()``, or what an earlier run made.

        Returns
        -------
        members : iterable of Made
            The members, in the order of their plans; there may be fewer of them.
        """
        calls = ((m, partial(self.fit_member, X, plan)) for m, plan in enumerate(plans))
        if self.n_jobs in (None, 1):
            return (keep(*call) for call in calls)
        return in_workers((delayed(keep)(*call) for call in calls), self.n_jobs)

    def restore(self, plan: Plan, state: dict[str, NDArray[Any]]) -> Any:
        """Make the model of a member that an earlier run finished.

        Parameters
        ----------
        plan : dict
            What the member was to do.

        state : dict of ndarray
            The arrays that it kept.

        Returns
        -------
        model : object or None
            The model; None has the member made again if it is asked.
        """
        return None

    def assemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        """Put members together.

        Parameters
        ----------
        made : list of Made
            The members.

        names : dict
            Names and groups, as :class:`~comitia.Ensemble` takes them.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.
        """
        if made[0].membership is not None:
            memberships = [np.asarray(one.membership) for one in made]
            return Ensemble.from_memberships(memberships, **names)
        return Ensemble([np.asarray(one.labels) for one in made], **names)

    def fingerprint(self, X: Any) -> str:
        """Tell one run from another.

        Parameters
        ----------
        X : what :meth:`check_data` returns
            The data.

        Returns
        -------
        digest : str
            Equal for equal parameters and data.
        """
        what = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("n_jobs", "verbose", "checkpoint")
        }
        # A generator without a fixed seed goes on with the seeds of its first run.
        if not isinstance(self.random_state, Integral):
            what["random_state"] = None
        return fingerprint({"generator": type(self).__name__, **what}, X)

    # -- what it inherits -------------------------------------------------------

    def plan_members(self, X: Any) -> list[Plan]:
        """Check the parameters, and plan with the seed of the generator.

        Parameters
        ----------
        X : ndarray, or anything with a length
            The data, checked.

        Returns
        -------
        plans : list of dict
            What each member is to do.
        """
        self._validate_params()
        if getattr(self, "n_clusterings", None) == AUTO:
            raise ComitiaError(
                'n_clusterings="auto" is for data in memory; give a number.'
            )
        return self.plan(X, check_random_state(self.random_state))

    def generate(
        self,
        X: Any,
        *,
        on_progress: OnProgress | None = None,
        time_limit: float | None = None,
    ) -> Ensemble:
        """Cluster the data several times.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data; the index of a DataFrame names the objects of the ensemble.

        on_progress, time_limit : shared
            As for :meth:`fit`.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.

        Examples
        --------
        >>> from comitia.generate import KMeansGenerator
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> KMeansGenerator(5, n_clusters=2, random_state=0).generate(X).labels.shape
        (6, 5)
        """
        return self.fit(X, on_progress=on_progress, time_limit=time_limit).ensemble_

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        on_progress: OnProgress | None = None,
        time_limit: float | None = None,
    ) -> Generator:
        """Cluster the data several times.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data. :class:`KMeansGenerator` labels those of a tensor or a CuPy array
            where they are, and the ensemble stays there.

        y : None
            Not used; there for scikit-learn's pipelines.

        on_progress : callable, default=None
            Called as ``on_progress("generate", done, total)`` with numbers of
            clusterings, in this process: once with 0, then after each that is done.

        time_limit : float, default=None
            Seconds after which no clustering is begun, for data in memory. At least two
            are made; a warning says how many there are.

        Returns
        -------
        self : object
            The generator with its members.

        Examples
        --------
        >>> from comitia.generate import KMeansGenerator
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> KMeansGenerator(5, n_clusters=2, random_state=0).fit(
        ...     X
        ... ).ensemble_.n_clusterings
        5
        """
        self._validate_params()
        if self.takes_tensors and device_of(X) is not None:
            from comitia.generate.executor_device import fit_on_device

            if time_limit is not None:
                raise ComitiaError("time_limit is for data in memory, not on a device.")
            self.ensemble_, self.members_ = fit_on_device(self, X, on_progress)
        else:
            from comitia.generate.executor_memory import fit_in_memory

            made = fit_in_memory(self, X, on_progress, time_limit)
            self.ensemble_, self.members_ = made
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.int32]:
        """Cluster the data several times and return the labels.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used.

        Returns
        -------
        labels : ndarray of shape (n_objects, n_clusterings)
            The cluster of each object in each clustering, -1 for none of them.

        Examples
        --------
        >>> from comitia.generate import KMeansGenerator
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> KMeansGenerator(5, n_clusters=2, random_state=0).fit_transform(X).shape
        (6, 5)
        """
        return self.fit(X).ensemble_.labels.copy()

    def transform(self, X: Any) -> NDArray[np.int32]:
        """Label objects with each member.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects.

        Returns
        -------
        labels : ndarray of shape (n_new, n_clusterings)
            The cluster of each object in each clustering, -1 for none of them.

        Examples
        --------
        >>> from comitia.generate import KMeansGenerator
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = KMeansGenerator(5, n_clusters=2, random_state=0).fit(X)
        >>> fitted.transform([[0.5, 0.5]]).shape
        (1, 5)
        """
        check_is_fitted(self)
        X = self.check_data(X, reset=False)
        return np.column_stack([member.predict(X) for member in self.members_])


def report_each(
    items: Iterable[T], total: int, on_progress: OnProgress | None, done: int = 0
) -> Iterator[T]:
    """Pass items on, and tell after each how many there have been.

    Parameters
    ----------
    items : iterable
        What is made.

    total : int
        How many there will be.

    on_progress : callable or None
        Who is told, as ``on_progress("generate", done, total)``; first before the
        first item is asked for.

    done : int, default=0
        How many there were before.

    Yields
    ------
    item : object
        The items.
    """
    if on_progress is not None:
        on_progress("generate", done, total)
    for number, item in enumerate(items, done + 1):
        if on_progress is not None:
            on_progress("generate", number, total)
        yield item


def draw_seeds(n: int, rng: np.random.RandomState) -> list[int]:
    """Draw seeds, one for each member, before the work is handed out.

    Parameters
    ----------
    n : int
        How many.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    seeds : list of int
        The seeds.
    """
    return [int(seed) for seed in rng.randint(np.iinfo(np.int32).max, size=n)]
