"""Rounds of clusterings in which the hard objects, features or constraints count more.

Sample or weight, cluster, align, measure, reweight: the loop is here once, and a method
says what it does at each step by handing over a plain function. Side by side, that is
all in which the boosted methods differ:

=========  ====================  =====================
step       ``topchy_2004``       ``boost_clustering``
=========  ====================  =====================
draw       draw_objects          draw_objects
cluster    kmeans_round          kmeans_round, soft
align      align_to_first        align_to_vote
measure                          pseudoloss
stop                             no_better_than_chance
reweight   by_inconsistency      by_pseudoloss
consensus  linkage               vote_so_far
=========  ====================  =====================

The functions are in :mod:`comitia.generate.boosting_rounds` (draw, cluster) and
:mod:`comitia.generate.boosting_votes` (the others), or in the file of the method. They
get the :class:`Round` objects of the earlier rounds, and each of them holds what it was
made with (``weights``, ``drawn``), what came out (``labels``, ``membership``,
``model``) and what ``measure`` said of it (``measures``).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._content_order import ContentOrder
from comitia._inputs import masked_to_nan
from comitia._sklearn import RANDOM_STATE, Interval, StrOptions
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate.generator import Generator, Keep, Plan, draw_seeds
from comitia.generate.member import Made, MadeAgain
from comitia.generate.nearest_models import NearestCenter
from comitia.generate.sampling import Sample

__all__ = ["BoostingGenerator", "Round"]

Array = NDArray[np.float64]


@dataclass
class Round(Made):
    """One round of the loop: a base clustering and how it came about.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,), default=None
        Its labels, -1 for objects it leaves out; by its memberships if there are any.

    membership : ndarray of shape (n_objects, k), default=None
        The memberships of a fuzzy clustering.

    model : object, default=None
        Labels new objects with ``predict``.

    state : dict of ndarray, default={}
        What a checkpoint keeps besides. Rounds that drew different objects are aligned
        by ``state["everyone"]``, labels of all objects, if ``cluster`` gives them.

    earlier : bool, default=False
        Whether an earlier run made it.

    weights : ndarray, default=[]
        The weights it was made with.

    drawn : Sample, FeatureMap or None, default=None
        What ``draw`` drew; None for everything.

    measures : dict, default={}
        What ``measure`` said of it: numbers or arrays by name. The entry ``"vote"``
        is the weight of the round in :func:`vote_so_far`.
    """

    weights: Array = field(default_factory=lambda: np.empty(0))
    drawn: Any = None
    measures: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.labels is None and self.membership is not None:
            F = np.asarray(self.membership)
            self.labels = np.where(F.any(axis=1), F.argmax(axis=1), -1)

    @property
    def everyone(self) -> NDArray[Any]:
        """Labels of as many objects as are known."""
        return self.state.get("everyone", np.asarray(self.labels))

    def put_back(self, order: ContentOrder) -> Self:
        """Put the objects into the order in which they were given.

        Parameters
        ----------
        order : ContentOrder
            That in which they were clustered.

        Returns
        -------
        round : Round
            The same round: the labels, the objects that were drawn, and whatever has an
            entry for each object.
        """
        n = len(order.places)

        def placed(value: Any) -> Any:
            each = isinstance(value, np.ndarray) and value.shape[:1] == (n,)
            return value[order.places] if each else value

        drawn = self.drawn
        if isinstance(drawn, Sample):
            drawn = drawn._replace(rows=order.objects[drawn.rows])
        return replace(
            super().put_back(order),
            weights=placed(self.weights),
            drawn=drawn,
            state={name: placed(value) for name, value in self.state.items()},
            measures={name: placed(value) for name, value in self.measures.items()},
        )

    def renamed(self, mapping: NDArray[Any]) -> Round:
        """Give the clusters other numbers.

        Parameters
        ----------
        mapping : ndarray of int
            The new number of each cluster, all different.

        Returns
        -------
        round : Round
            The same round under new numbers, its model included.
        """
        mapping = self._whole(np.asarray(mapping))
        membership = None
        if self.membership is not None:
            membership = np.zeros((len(self.membership), int(mapping.max()) + 1))
            membership[:, mapping] = self.membership
        model = None if self.model is None else _Renamed(self.model, mapping)
        names = np.append(mapping, -1)  # an object without a label finds the -1
        return replace(
            self,
            labels=names[self.labels],
            membership=membership,
            model=model,
            state=self.state | {"everyone": names[self.everyone]},
        )

    def _whole(self, mapping: NDArray[Any]) -> NDArray[Any]:
        """Give a number that is left to each cluster that no object is nearest to."""
        k = len(mapping)
        if self.membership is not None:
            k = max(k, self.membership.shape[1])
        elif isinstance(self.model, NearestCenter):
            k = max(k, len(self.model.centers))
        free = np.setdiff1d(np.arange(k + mapping.max(initial=0) + 1), mapping)
        return np.r_[mapping, free[: k - len(mapping)]]


class _Renamed:
    """A model whose clusters have other numbers."""

    def __init__(self, model: Any, mapping: NDArray[Any]) -> None:
        self.model = model
        self.mapping = mapping

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "model" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model, name)

    def predict(self, X: Any) -> NDArray[np.int64]:
        labels = np.asarray(self.model.predict(X))
        # A cluster that no object of the round is in has no number.
        return np.append(self.mapping, -1)[np.minimum(labels, len(self.mapping))]

    def predict_membership(self, X: Any) -> Array:
        F = self.model.predict_membership(X)
        membership = np.zeros((len(F), int(self.mapping.max()) + 1))
        membership[:, self.mapping] = F
        return membership


class BoostingGenerator(Generator):
    """Clusterings made one after the other, each with weights that the last ones set.

    A round goes through the steps below in this order; those that are None are left
    out. All of them are plain functions (or :func:`functools.partial` of one) at the
    level of a module, so that a generator can be cloned, pickled and resumed.

    Parameters
    ----------
    n_rounds : int, default=20
        Number of rounds, which is the size of the ensemble unless ``stop`` ends it.

    cluster : callable
        ``cluster(X, drawn, weights, rng)`` clusters what was drawn, or everything with
        weights, and returns a :class:`~comitia.generate.member.Made`: ``labels``, -1
        for objects it leaves out, or ``membership`` of shape (n, k), and a ``model``
        with ``predict``. :func:`kmeans_round` is one.

    draw : callable, default=None
        ``draw(weights, rng)`` draws objects (a ``Sample``) or features (a
        ``FeatureMap``): :func:`draw_objects`, :func:`draw_hybrid`,
        :func:`draw_features`.

    align : callable, default=None
        ``align(made, rounds)`` returns the new round with the clusters renamed after
        those of the earlier ones, of which there is at least one:
        :func:`align_to_first`, :func:`align_to_vote`.

    measure : callable, default=None
        ``measure(X, made, rounds)`` judges the new round; returns a dict that is kept
        in ``made.measures``.

    stop : callable, default=None
        ``stop(made, rounds)`` says whether the new round is too bad to go on: it is
        dropped and the loop ends. The first round is kept in any case.

    reweight : callable, default=None
        ``reweight(weights, rounds)`` returns the weights of the next round; the new
        round is ``rounds[-1]``.

    weights : {"objects", "features"} or array-like, default="objects"
        The first weights: uniform over what is weighted, with sum one, or those given
        (one for each constraint, say).

    checkpoint, verbose, random_state : shared

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings; fuzzy if the rounds have memberships.

    rounds_ : list of Round
        The rounds: labels, membership, model, and the weights, draw and measures that
        went with them.

    weights_ : ndarray
        The weights after the last round.

    members_ : list
        What labels new objects.

    Examples
    --------
    Objects that no round has drawn yet come first in the next one.

    >>> from functools import partial
    >>> from comitia.generate.boosting import BoostingGenerator
    >>> from comitia.generate.boosting_rounds import draw_objects, kmeans_round
    >>> from comitia.generate.boosting_votes import align_to_first
    >>> def unseen_first(weights, rounds):
    ...     seen = sum(made.labels >= 0 for made in rounds)
    ...     return (seen == 0) + 0.1
    >>> generator = BoostingGenerator(
    ...     3,
    ...     draw=partial(draw_objects, object_fraction=0.5),
    ...     cluster=partial(kmeans_round, n_clusters=2),
    ...     align=align_to_first,
    ...     reweight=unseen_first,
    ...     random_state=0,
    ... )
    >>> generator.generate([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    Ensemble(kind='partial', n_objects=6, n_clusterings=3, n_clusters_total=6)
    """

    members_are_alone = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_rounds": [Interval(Integral, 1, None, closed="left")],
        "cluster": [callable],
        "draw": [callable, None],
        "align": [callable, None],
        "measure": [callable, None],
        "stop": [callable, None],
        "reweight": [callable, None],
        "weights": [StrOptions({"objects", "features"}), "array-like"],
        "checkpoint": [str, os.PathLike, None],
        "verbose": ["verbose"],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_rounds: int = 20,
        *,
        cluster: Callable[..., Made],
        draw: Callable[..., Any] | None = None,
        align: Callable[..., Round] | None = None,
        measure: Callable[..., dict[str, Any]] | None = None,
        stop: Callable[..., bool] | None = None,
        reweight: Callable[..., ArrayLike] | None = None,
        weights: Any = "objects",
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.cluster = cluster
        self.draw = draw
        self.align = align
        self.measure = measure
        self.stop = stop
        self.reweight = reweight
        self.weights = weights
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    @property
    def n_members(self) -> int:
        """How many clusterings are made, at most."""
        return self.n_rounds

    def plan(self, X: Any, rng: np.random.RandomState) -> list[Plan]:
        draws, seeds = (draw_seeds(self.n_rounds, rng) for _ in range(2))
        return [
            {"draw_seed": draw, "seed": seed}
            for draw, seed in zip(draws, seeds, strict=True)
        ]

    def fit_members(self, X: Any, plans: list[Plan], keep: Keep) -> Iterator[Made]:
        weights = self._first_weights(X)
        rounds: list[Round] = []
        for t, plan in enumerate(plans):
            drawn = None
            if self.draw is not None:
                rng = np.random.RandomState(plan["draw_seed"])
                drawn = self.draw(weights, rng)
            fit = partial(_cluster, self.cluster, X, drawn, weights, plan["seed"])
            kept = keep(t, fit)
            made = Round(
                kept.labels,
                kept.membership,
                MadeAgain(fit) if kept.earlier else kept.model,
                state=kept.state,
                weights=weights,
                drawn=drawn,
            )
            if self.align is not None and rounds:
                made = self.align(made, rounds)
            if self.measure is not None:
                made.measures = self.measure(X, made, rounds)
            if rounds and self.stop is not None and self.stop(made, rounds):
                break
            rounds.append(made)
            if self.reweight is not None:
                weights = _checked(self.reweight(weights, rounds), len(weights))
            yield made
        self.rounds_ = rounds
        self.weights_ = weights

    def put_back(self, order: ContentOrder) -> None:
        self.rounds_ = [made.put_back(order) for made in self.rounds_]
        if len(self.weights_) == len(order.places):
            self.weights_ = self.weights_[order.places]

    def _first_weights(self, X: Any) -> Array:
        if isinstance(self.weights, str):
            size = np.shape(X)[0 if self.weights == "objects" else 1]
            return np.full(size, 1 / size)
        weights = np.asarray(masked_to_nan(self.weights), dtype=np.float64)
        return _checked(weights, weights.size)


def _cluster(
    cluster: Callable[..., Made], X: Any, drawn: Any, weights: Array, seed: int
) -> Made:
    return cluster(X, drawn, weights, np.random.RandomState(seed))


def _checked(weights: ArrayLike, size: int) -> Array:
    checked = np.asarray(masked_to_nan(weights), dtype=np.float64)
    if checked.shape != (size,):
        raise ComitiaError(
            f"weights must have {size} entries after reweight as before; got shape "
            f"{checked.shape}."
        )
    if not np.isfinite(checked).all() or (checked < 0).any():
        raise ComitiaError("weights must be finite and not negative.")
    if not checked.any():
        warnings.warn(
            "all weights became zero; the next round has uniform ones.",
            ComitiaWarning,
            stacklevel=3,
        )
        return np.full(size, 1 / size)
    return checked
