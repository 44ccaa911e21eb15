"""What every generator does: seeds first, then the members, then an Ensemble."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.parallel import delayed
from sklearn.utils.validation import check_is_fitted

from comitia._lock import locked
from comitia._names import names_of, proper_names
from comitia._sklearn import Interval, in_workers, validate_data
from comitia.cluster._dissimilarity import nearest_rows
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.checkpoint import Checkpoint, fingerprint

__all__ = [
    "Generator",
    "Made",
    "MadeAgain",
    "Member",
    "NearestCenter",
    "draw_seeds",
    "make_once",
]


# From here on own kernels are used, which take a moment to load.
MANY_OBJECTS = 50_000


@dataclass
class Made:
    """One base clustering.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,), or None
        Its labels, -1 for objects it does not cluster; None for a fuzzy clustering.

    membership : ndarray of shape (n_objects, k), or None
        The memberships of a fuzzy clustering.

    model : object or None
        Labels new objects with ``predict``.

    state : dict of ndarray
        Arrays from which ``Generator._restore`` makes the model again.

    earlier : bool
        Whether an earlier run made it.
    """

    labels: NDArray[Any] | None = None
    membership: NDArray[Any] | None = None
    model: Any = None
    state: dict[str, NDArray[Any]] = field(default_factory=dict)
    earlier: bool = False

    @property
    def names(self) -> NDArray[Any]:
        """Labels that occur, or columns in which an object has a share."""
        if self.membership is not None:
            return np.flatnonzero(np.any(self.membership, axis=0))
        labels = np.asarray(self.labels)
        if labels.max() < len(labels):
            return np.flatnonzero(np.bincount(labels + 1)[1:])
        return np.unique(labels[labels >= 0])


class Generator(BaseEstimator):
    """Base class of the generators.

    A generator writes ``_plan``, which says what each member is to do, and ``_make``,
    which does it. Seeds are drawn before the work is handed out, so ``n_jobs`` cannot
    change the result, and a run that was killed goes on from its checkpoint with the
    same result.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "checkpoint": [str, os.PathLike, None],
        "verbose": ["verbose"],
        "random_state": ["random_state"],
    }

    n_clusterings: int
    n_jobs: int | None
    checkpoint: Any
    verbose: Any
    random_state: Any

    # -- what a generator writes ------------------------------------------------

    def _plan(self, X: Any, rng: np.random.RandomState) -> list[dict[str, Any]]:
        """One plan for each member: numbers and names, which JSON can hold."""
        raise TypeError(f"{type(self).__name__} does not plan its members.")

    def _make(self, X: Any, plan: dict[str, Any]) -> Made:
        """Make the member that a plan describes; the same plan, the same member."""
        raise TypeError(f"{type(self).__name__} does not make its members.")

    def _prepare(self, X: Any) -> Any:
        """The data in the form in which ``_make`` wants them, made once for all."""
        return X

    def _restore(self, plan: dict[str, Any], state: dict[str, NDArray[Any]]) -> Any:
        """The model of a member that an earlier run finished; None if not kept."""
        return None

    def _check_data(self, X: Any, *, reset: bool = True) -> Any:
        return validate_data(self, X, dtype=np.float64, reset=reset)

    def _shift_of(self, X: Any) -> NDArray[np.float64] | None:
        """What is taken off data before a member sees them, if anything."""
        return None

    # -- what it inherits -------------------------------------------------------

    def generate(self, X: Any) -> Ensemble:
        """Cluster the data several times.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data; the index of a DataFrame names the objects of the ensemble.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.
        """
        return self.fit(X).ensemble_

    def fit(self, X: Any, y: Any = None) -> Generator:
        """Cluster the data several times.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        Returns
        -------
        self : object
            The generator with its members.
        """
        self._validate_params()
        names: dict[str, Any] = {"object_names": proper_names(names_of(X))}
        X = self._check_data(X)
        plans = self._plan(X, check_random_state(self.random_state))
        checkpoint = None
        with nullcontext() if self.checkpoint is None else locked(self.checkpoint):
            if self.checkpoint is not None:
                checkpoint = Checkpoint(
                    self.checkpoint,
                    self._fingerprint(X),
                    plans,
                    X.shape[0] if hasattr(X, "shape") else len(X),
                    is_seeded=isinstance(self.random_state, Integral),
                )
                plans = checkpoint.plans
            shift = self._shift_of(X)
            X = self._prepare(X if shift is None else X - shift)
            made = list(self._progress(self._run(X, plans, checkpoint), len(plans)))
        plans = plans[: len(made)]  # a loop may end before its last round
        groups = [plan.get("group") for plan in plans]
        if any(groups):
            names["groups"] = groups
        self.ensemble_ = self._ensemble(made, names)
        self.members_ = [
            Member(self._model_of(one, X, plan), one.names, shift)
            for one, plan in zip(made, plans, strict=True)
        ]
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
        """
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        return np.column_stack([member.predict(X) for member in self.members_])

    # -- how fit works ----------------------------------------------------------

    def _run(
        self, X: Any, plans: list[dict[str, Any]], checkpoint: Checkpoint | None
    ) -> Iterable[Made]:
        if checkpoint is None and self.n_jobs in (None, 1):
            return (self._make(X, plan) for plan in plans)
        return in_workers(
            (
                delayed(_make_or_read)(self, X, plan, m, checkpoint)
                for m, plan in enumerate(plans)
            ),
            self.n_jobs,
        )

    def _ensemble(self, made: list[Made], names: dict[str, Any]) -> Ensemble:
        if made[0].membership is not None:
            memberships = [np.asarray(one.membership) for one in made]
            return Ensemble.from_memberships(memberships, **names)
        return Ensemble([np.asarray(one.labels) for one in made], **names)

    def _model_of(self, made: Made, X: Any, plan: dict[str, Any]) -> Any:
        if not made.earlier:
            return made.model
        model = self._restore(plan, made.state)
        return MadeAgain(partial(self._make, X, plan)) if model is None else model

    def _fingerprint(self, X: NDArray[Any]) -> str:
        what = {
            name: value
            for name, value in self.get_params().items()
            if name not in ("n_jobs", "verbose", "checkpoint")
        }
        # A generator without a fixed seed goes on with the seeds of its first run.
        if not isinstance(self.random_state, Integral):
            what["random_state"] = None
        return fingerprint({"generator": type(self).__name__, **what}, X)

    def _progress(self, members: Iterable[Made], total: int) -> Iterator[Made]:
        if not self.verbose:
            return iter(members)
        try:
            from rich.progress import track
        except ImportError:
            raise ImportError(
                "verbose=True draws a progress bar with rich; install comitia[cli]."
            ) from None
        return iter(track(members, total=total, description="clusterings"))


class Member:
    """A fitted base clusterer that answers in the codes of its ensemble.

    Parameters
    ----------
    model : estimator or None
        Has ``predict``.

    names : ndarray of int
        The labels that occur in the ensemble, in order: their places are the codes.

    shift : ndarray of shape (n_features,), default=None
        What was taken off the data before the model saw them.
    """

    def __init__(
        self,
        model: Any,
        names: NDArray[Any],
        shift: NDArray[np.float64] | None = None,
    ) -> None:
        self.model = model
        self.names = names
        self.shift = shift

    def predict(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Label new objects.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)
            New objects.

        Returns
        -------
        codes : ndarray of shape (n_new,)
            The code of the cluster of each; -1 where the model answers with a
            cluster that no object of the ensemble is in.
        """
        if not hasattr(self.model, "predict"):
            raise ComitiaError(
                "these clusterings cannot label new objects; use a clusterer with "
                "predict, or extend=True."
            )
        X = X if self.shift is None else X - self.shift
        labels = np.asarray(self.model.predict(X))
        places = np.searchsorted(self.names, labels)
        places[places == len(self.names)] = 0
        known = self.names[places] == labels
        return np.where(known, places, -1).astype(np.int32)


class NearestCenter:
    """Labels an object with its nearest centre.

    Parameters
    ----------
    centers : ndarray of shape (k, p)
        The centres.

    features : callable, default=None
        What the centres' features are made with.

    fuzziness : float, default=3.0
        The exponent of the memberships; with 3 they are shares of inverse distances.
    """

    def __init__(
        self, centers: NDArray[Any], features: Any = None, fuzziness: float = 3.0
    ) -> None:
        self.centers = centers
        self.features = features
        self.fuzziness = fuzziness

    @classmethod
    def of_labels(
        cls, X: NDArray[Any], labels: NDArray[Any], counts: Any = None
    ) -> NearestCenter:
        """Take the means of labelled objects as centres.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        labels : ndarray of shape (n,)
            Their labels, 0..k-1, all of which occur; negative ones are left out.

        counts : ndarray of shape (n,), default=None
            How often each object counts.

        Returns
        -------
        model : NearestCenter
            The model.
        """
        counts = np.ones(len(X)) if counts is None else np.asarray(counts, float)
        kept = labels >= 0
        k = int(labels.max()) + 1
        mass = np.bincount(labels[kept], counts[kept], minlength=k)
        sums = np.column_stack(
            [
                np.bincount(labels[kept], (counts * column)[kept], minlength=k)
                for column in X.T
            ]
        )
        return cls(sums / mass[:, None])

    def predict(self, X: NDArray[Any]) -> NDArray[Any]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        labels : ndarray of shape (n,)
            Index of the nearest centre; the lower one of two that are equally near.
        """
        X = X if self.features is None else self.features(X)
        if len(X) >= MANY_OBJECTS:
            from comitia.generate.columns import Frame
            from comitia.generate.large import nearest_of_rows

            # Double precision: as exact as the way for few objects.
            frame = Frame(self.centers.mean(axis=0), 1.0)
            return nearest_of_rows(X, self.centers - frame.shift, frame)
        return nearest_rows(X, self.centers)

    def predict_membership(self, X: NDArray[Any]) -> NDArray[np.float64]:
        r"""Memberships by the distances to the centres.

        .. math::
            F_{ir} = d_{ir}^{-2 / (\alpha - 1)} \Big/ \sum_s d_{is}^{-2 / (\alpha - 1)}

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        membership : ndarray of shape (n, k)
            Rows sum to one; an object on a centre belongs to it altogether.
        """
        from scipy.spatial.distance import cdist

        from comitia.cluster import fuzzy_memberships

        X = X if self.features is None else self.features(X)
        squares = cdist(X, self.centers, "sqeuclidean")
        return fuzzy_memberships(squares, self.fuzziness)


class MadeAgain:
    """A model of an earlier run that was not kept: made again when it is asked.

    Parameters
    ----------
    make : callable
        Makes the member, as it was made then.
    """

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: Made | None = None

    def __getattr__(self, name: str) -> Any:
        # Copying and pickling ask for what a half-made object cannot answer.
        if name.startswith("_"):
            raise AttributeError(name)
        if self._made is None:
            self._made = self._make()
        return getattr(self._made.model, name)


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


def _make_or_read(
    generator: Generator,
    X: Any,
    plan: dict[str, Any],
    m: int,
    checkpoint: Checkpoint | None,
) -> Made:
    return make_once(lambda: generator._make(X, plan), m, checkpoint)


def make_once(make: Callable[[], Made], m: int, checkpoint: Checkpoint | None) -> Made:
    """Make a member, unless an earlier run has.

    Parameters
    ----------
    make : callable
        Makes the member.

    m : int
        Its number.

    checkpoint : Checkpoint or None
        Where finished members are.

    Returns
    -------
    made : Made
        The member; without its model if an earlier run made it.
    """
    if checkpoint is None:
        return make()
    found = checkpoint.read(m)
    if found is not None:
        labels, membership = found.pop("labels", None), found.pop("membership", None)
        return Made(labels, membership, state=found, earlier=True)
    made = make()
    arrays = dict(made.state)
    if made.labels is not None:
        arrays["labels"] = np.asarray(made.labels)
    if made.membership is not None:
        arrays["membership"] = np.asarray(made.membership)
    checkpoint.write(m, arrays)
    return made
