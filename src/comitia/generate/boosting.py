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

A function here gets the :class:`Round` objects of the earlier rounds, and each of them
holds what it was made with (``weights``, ``drawn``), what came out (``labels``,
``membership``, ``model``) and what ``measure`` said of it (``measures``).
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate.base import (
    Generator,
    Made,
    MadeAgain,
    NearestCentre,
    draw_seeds,
    make_once,
)
from comitia.generate.checkpoint import Checkpoint
from comitia.generate.sampling import (
    FeatureMap,
    FeatureSubset,
    HybridSample,
    Sample,
    WeightedSample,
)

__all__ = [
    "BoostingGenerator",
    "Round",
    "align_to_first",
    "align_to_vote",
    "by_pseudoloss",
    "draw_features",
    "draw_heaviest",
    "draw_hybrid",
    "draw_objects",
    "fuzzy_round",
    "indecision",
    "kmeans_round",
    "mixture_round",
    "no_better_than_chance",
    "pseudoloss",
    "vote_so_far",
]

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
        model = None if self.model is None else Renamed(self.model, mapping)
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
        elif isinstance(self.model, NearestCentre):
            k = max(k, len(self.model.centres))
        free = np.setdiff1d(np.arange(k + mapping.max(initial=0) + 1), mapping)
        return np.r_[mapping, free[: k - len(mapping)]]


class Renamed:
    """A model whose clusters have other numbers.

    Parameters
    ----------
    model : object
        With ``predict``, and ``predict_membership`` if it is fuzzy.

    mapping : ndarray of int
        The new number of each cluster.
    """

    def __init__(self, model: Any, mapping: NDArray[Any]) -> None:
        self.model = model
        self.mapping = mapping

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or "model" not in vars(self):
            raise AttributeError(name)
        return getattr(self.model, name)

    def predict(self, X: Any) -> NDArray[np.int64]:
        """Label objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        labels : ndarray of shape (n,)
            Their clusters, under the new numbers; -1 for one without a number.
        """
        labels = np.asarray(self.model.predict(X))
        # A cluster that no object of the round is in has no number.
        return np.append(self.mapping, -1)[np.minimum(labels, len(self.mapping))]

    def predict_membership(self, X: Any) -> Array:
        """Memberships of objects.

        Parameters
        ----------
        X : ndarray of shape (n, p)
            The objects.

        Returns
        -------
        membership : ndarray of shape (n, k)
            Their shares in the clusters, under the new numbers.
        """
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
        weights, and returns a :class:`~comitia.generate.base.Made`: ``labels``, -1 for
        objects it leaves out, or ``membership`` of shape (n, k), and a ``model`` with
        ``predict``. :func:`kmeans_round` is one.

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

    checkpoint : path-like, default=None
        A folder for finished rounds. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

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
    >>> from comitia.generate.boosting import *
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
    Ensemble(kind='partial', n_objects=6, n_clusterings=3, n_clusters=6)
    """

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
        "random_state": ["random_state"],
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

    def _plan(self, X: Any, rng: np.random.RandomState) -> list[dict[str, Any]]:
        draws, seeds = (draw_seeds(self.n_rounds, rng) for _ in range(2))
        return [
            {"draw_seed": draw, "seed": seed}
            for draw, seed in zip(draws, seeds, strict=True)
        ]

    def _run(
        self, X: Any, plans: list[dict[str, Any]], checkpoint: Checkpoint | None
    ) -> Iterator[Made]:
        weights = self._first_weights(X)
        rounds: list[Round] = []
        for t, plan in enumerate(plans):
            drawn = None
            if self.draw is not None:
                rng = np.random.RandomState(plan["draw_seed"])
                drawn = self.draw(weights, rng)
            made = self._round(X, weights, drawn, plan["seed"], t, checkpoint)
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

    def _round(
        self,
        X: Any,
        weights: Array,
        drawn: Any,
        seed: int,
        t: int,
        checkpoint: Checkpoint | None,
    ) -> Round:
        make = partial(_cluster, self.cluster, X, drawn, weights, seed)
        made = make_once(make, t, checkpoint)
        model = MadeAgain(make) if made.earlier else made.model
        return Round(
            made.labels,
            made.membership,
            model,
            state=made.state,
            weights=weights,
            drawn=drawn,
        )

    def _first_weights(self, X: Any) -> Array:
        if isinstance(self.weights, str):
            size = np.shape(X)[0 if self.weights == "objects" else 1]
            return np.full(size, 1 / size)
        weights = np.asarray(self.weights, dtype=np.float64)
        return _checked(weights, weights.size)


# -- draw -----------------------------------------------------------------------------


def draw_objects(
    weights: ArrayLike,
    rng: np.random.RandomState,
    *,
    object_fraction: float = 1.0,
    replace: bool = True,
) -> Sample:
    """Draw objects in proportion to their weights.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights.

    rng : RandomState
        Source of randomness.

    object_fraction : float, default=1.0
        Number of draws, as a share of the number of objects.

    replace : bool, default=True
        Whether an object can be drawn twice.

    Returns
    -------
    sample : Sample
        The objects and how often each was drawn.
    """
    return WeightedSample(weights, object_fraction, replace).draw(np.size(weights), rng)


def draw_hybrid(
    weights: ArrayLike, rng: np.random.RandomState, *, object_fraction: float = 1.0
) -> Sample:
    """Draw objects in proportion to their weights, among a bootstrap of them.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights.

    rng : RandomState
        Source of randomness.

    object_fraction : float, default=1.0
        Number of draws in the second step, as a share of the number of objects.

    Returns
    -------
    sample : Sample
        The objects and how often each was drawn.
    """
    return HybridSample(weights, object_fraction).draw(np.size(weights), rng)


def draw_features(
    weights: ArrayLike,
    rng: np.random.RandomState,
    *,
    feature_fraction: float | str = "sqrt",
) -> FeatureMap:
    """Draw features in proportion to their weights, none of them twice.

    Parameters
    ----------
    weights : array-like of shape (n_features,)
        The weights.

    rng : RandomState
        Source of randomness.

    feature_fraction : float or "sqrt", default="sqrt"
        The share of the features that is drawn, or the square root of their number.

    Returns
    -------
    features : FeatureMap
        Keeps the features that were drawn.
    """
    return FeatureSubset(feature_fraction, weights).draw(np.size(weights), rng)


def draw_heaviest(
    weights: ArrayLike, rng: np.random.RandomState | None = None, *, at_least: int = 1
) -> Sample:
    r"""Take the objects of largest weight, as many as the weights are spread over.

    .. math::
        \mathrm{round}\Bigl( \exp\Bigl( -\sum_i w_i \ln w_i \Bigr) \Bigr)

    objects, the perplexity of the weights: all of them if the weights are equal.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The weights :math:`w`; they need not sum to one.

    rng : RandomState, default=None
        Not used: nothing is drawn.

    at_least : int, default=1
        Fewest objects to take, if there are so many.

    Returns
    -------
    sample : Sample
        The objects, once each; of equal weights at the cut the lowest index.

    Examples
    --------
    >>> draw_heaviest([0.5, 0.3, 0.1, 0.05, 0.03, 0.02]).rows
    array([0, 1, 2, 3])
    """
    w = np.asarray(weights, dtype=np.float64)
    w = w / w.sum()
    logs = np.log(w, out=np.zeros_like(w), where=w > 0)
    size = min(len(w), max(round(float(np.exp(-(w * logs).sum()))), at_least))
    rows = np.sort(np.argsort(-w, kind="stable")[:size])
    return Sample(rows, np.ones(size, dtype=np.int64))


# -- cluster --------------------------------------------------------------------------


def kmeans_round(
    X: Array,
    drawn: Any,
    weights: Array,
    rng: np.random.RandomState,
    *,
    n_clusters: int,
    soft: bool = False,
    repeats: bool = True,
) -> Made:
    """K-means on what was drawn; on everything, with weights, if nothing was.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample, FeatureMap or None
        The objects, or the features, to cluster by.

    weights : ndarray
        The weights of the round; they are the weights of the objects when nothing was
        drawn, and not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of clusters; as many as there are objects drawn, if these are fewer.

    soft : bool, default=False
        Whether to return memberships of all objects, the shares of their inverse
        distances to the centres, instead of labels of those that were drawn.

    repeats : bool, default=True
        Whether an object that was drawn twice counts twice.

    Returns
    -------
    made : Made
        The clustering, with its centres.
    """
    from sklearn.cluster import KMeans

    features = drawn if isinstance(drawn, FeatureMap) else None
    seen = X if features is None else features(X)
    counts: Any = None
    rows: Any = slice(None)
    if isinstance(drawn, Sample):
        rows, counts = drawn.rows, drawn.counts if repeats else None
    elif features is None and len(weights) == len(X):
        counts = weights
    data = seen[rows]
    model = KMeans(min(n_clusters, len(data)), n_init=1, random_state=rng)
    model.fit(data, sample_weight=counts)
    centres = NearestCentre(model.cluster_centers_, features)
    if soft:
        return Made(membership=centres.predict_membership(X), model=centres)
    everyone = centres.predict(X)
    labels = np.full(len(X), -1)
    labels[rows] = everyone[rows] = model.labels_
    return Made(labels, model=centres, state={"everyone": everyone})


def fuzzy_round(
    X: Array,
    drawn: Any,
    weights: Array,
    rng: np.random.RandomState,
    *,
    n_clusters: int,
    fuzziness: float = 2.0,
) -> Made:
    """Fuzzy c-means on the objects drawn; on everything, with weights, if none were.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample or None
        The objects to cluster by.

    weights : ndarray of shape (n_objects,)
        The weights of the objects when nothing was drawn; not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of clusters; as many as there are objects drawn, if these are fewer.

    fuzziness : float, default=2.0
        The exponent of the memberships.

    Returns
    -------
    made : Made
        The memberships of all objects, with the centres.
    """
    from comitia.cluster import fuzzy_cmeans

    rows, counts = (slice(None), weights) if drawn is None else drawn
    data = X[rows]
    run = fuzzy_cmeans(
        data,
        min(n_clusters, len(data)),
        rng,
        fuzziness=fuzziness,
        sample_weight=counts,
        n_init=1,
    )
    model = NearestCentre(run.centers, fuzziness=fuzziness)
    return Made(membership=model.predict_membership(X), model=model)


def mixture_round(
    X: Array, drawn: Any, weights: Array, rng: np.random.RandomState, *, n_clusters: int
) -> Made:
    """Gaussian mixture of the objects drawn; of all, with weights, if none were.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    drawn : Sample or None
        The objects to fit the mixture to.

    weights : ndarray of shape (n_objects,)
        The weights of the objects when nothing was drawn; not used otherwise.

    rng : RandomState
        Source of randomness.

    n_clusters : int
        Number of components; as many as there are objects drawn, if these are fewer.

    Returns
    -------
    made : Made
        The posterior probabilities of all objects, with the mixture. Covariances are
        full, and diagonal if there are less than p + 1 objects for each component; a
        millionth of the mean variance of the features is added to their diagonals.
    """
    from sklearn.exceptions import ConvergenceWarning

    from comitia.cluster import WeightedGaussianMixture

    rows, counts = (slice(None), weights) if drawn is None else drawn
    data = X[rows]
    k = min(n_clusters, len(data))
    enough = len(data) >= k * (X.shape[1] + 1)
    model = WeightedGaussianMixture(
        k,
        covariance_type="full" if enough else "diag",
        reg_covar=1e-6 * (float(X.var(axis=0).mean()) or 1.0),
        random_state=rng,
    )
    with warnings.catch_warnings():
        # A mixture that is not quite at its best is a member like any other.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(data, sample_weight=counts)
    return Made(membership=model.predict_membership(X), model=model)


# -- align ----------------------------------------------------------------------------


def align_to_first(made: Round, rounds: list[Round]) -> Round:
    """Rename the clusters of a round after those of the first.

    Parameters
    ----------
    made : Round
        The new round.

    rounds : list of Round
        The earlier rounds.

    Returns
    -------
    made : Round
        The new round, matched to have the most objects in common with the first.
    """
    return _aligned(made, rounds[0].everyone)


def align_to_vote(made: Round, rounds: list[Round]) -> Round:
    """Rename the clusters of a round after those of the vote so far.

    Parameters
    ----------
    made : Round
        The new round.

    rounds : list of Round
        The earlier rounds.

    Returns
    -------
    made : Round
        The new round, matched to have the most objects in common with the clusters
        that the earlier rounds elect (:func:`vote_so_far`).
    """
    votes = vote_so_far(rounds)
    return _aligned(made, np.where(votes.any(axis=1), votes.argmax(axis=1), -1))


def vote_so_far(rounds: list[Round]) -> Array:
    r"""Weighted vote of aligned rounds.

    .. math::
        V_{ir} = \sum_t v_t F^t_{ir} \Big/ \sum_t v_t

    where :math:`v_t` is the measure ``"vote"`` of round t, one if there is none.

    Parameters
    ----------
    rounds : list of Round
        The rounds; their labels count as crisp memberships if they have none.

    Returns
    -------
    votes : ndarray of shape (n_objects, k)
        The votes of each object for each cluster; the largest elects its cluster.
    """
    votes = np.array([made.measures.get("vote", 1.0) for made in rounds], dtype=float)
    if not votes.sum() > 0:
        votes = np.ones(len(rounds))
    tables = [_memberships(made) for made in rounds]
    total = np.zeros((len(tables[0]), max(F.shape[1] for F in tables)))
    for vote, F in zip(votes / votes.sum(), tables, strict=True):
        total[:, : F.shape[1]] += vote * F
    return total


# -- measure --------------------------------------------------------------------------


def indecision(membership: ArrayLike, variant: str = "minmax") -> Array:
    r"""How undecided each object is, from 0 for a crisp to 1 for an even membership.

    .. math::
        Q_i = 1 - \max_r F_{ir} + \min_r F_{ir}
        \qquad\text{or}\qquad
        Q_i = -\frac{1}{\ln k} \sum_r F_{ir} \ln F_{ir}.

    Parameters
    ----------
    membership : array-like of shape (n_objects, k)
        The memberships :math:`F`; rows sum to one.

    variant : {"minmax", "entropy"}, default="minmax"
        The first or the second form.

    Returns
    -------
    indecision : ndarray of shape (n_objects,)
        :math:`Q`; zero if there is only one cluster.

    Examples
    --------
    >>> indecision([[1.0, 0.0], [0.75, 0.25], [0.5, 0.5]])
    array([0. , 0.5, 1. ])
    """
    F = np.asarray(membership, dtype=np.float64)
    if F.shape[1] == 1:
        return np.zeros(len(F))
    if variant == "minmax":
        return 1.0 - F.max(axis=1) + F.min(axis=1)
    if variant != "entropy":
        raise ComitiaError(f'variant={variant!r} is neither "minmax" nor "entropy".')
    logs = np.log(F, out=np.zeros_like(F), where=F > 0)
    return np.maximum(-(F * logs).sum(axis=1) / np.log(F.shape[1]), 0.0)


def pseudoloss(
    X: Any,
    made: Round,
    rounds: list[Round],
    *,
    variant: str = "minmax",
    weighted: bool = True,
) -> dict[str, Any]:
    r"""How much of the weight is on objects that a round cannot decide on.

    .. math::
        \varepsilon_t = \tfrac12 \sum_i w_i Q_i, \qquad
        v_t = \ln \frac{1 - \varepsilon_t}{\varepsilon_t}

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        Not used.

    made : Round
        The new round, with memberships.

    rounds : list of Round
        Not used.

    variant : {"minmax", "entropy"}, default="minmax"
        How :func:`indecision` measures :math:`Q`.

    weighted : bool, default=True
        Whether :math:`w` are the weights of the round; 1 / n otherwise.

    Returns
    -------
    measures : dict
        The indecision ``"Q"`` of each object, the pseudoloss ``"error"``, at least
        1e-6, and the weight ``"vote"`` of the round.
    """
    Q = indecision(np.asarray(made.membership), variant)
    error = 0.5 * float(made.weights @ Q if weighted else Q.mean())
    error = max(error, 1e-6)
    return {"Q": Q, "error": error, "vote": np.log((1.0 - error) / error)}


def no_better_than_chance(made: Round, rounds: list[Round]) -> bool:
    """Whether the pseudoloss is one half, or clusters are missing.

    Parameters
    ----------
    made : Round
        The new round, measured by :func:`pseudoloss`.

    rounds : list of Round
        The earlier rounds.

    Returns
    -------
    stop : bool
        True if nothing is decided any more, and also when so few objects were drawn
        that there are less clusters than in the first round.
    """
    k, k_first = (np.asarray(one.membership).shape[1] for one in (made, rounds[0]))
    return bool(made.measures["error"] >= 0.5 or k < k_first)


def by_pseudoloss(weights: Array, rounds: list[Round]) -> Array:
    r"""Raise the weights of the objects that the last round could not decide on.

    .. math::
        w_i \leftarrow w_i \left( \frac{1 - \varepsilon_t}{\varepsilon_t}
        \right)^{Q_i} \Big/ \sum_j \dots

    Parameters
    ----------
    weights : ndarray of shape (n_objects,)
        The weights.

    rounds : list of Round
        The rounds, measured by :func:`pseudoloss`.

    Returns
    -------
    weights : ndarray of shape (n_objects,)
        The new weights; they sum to one.
    """
    last = rounds[-1].measures
    raised = weights * np.exp(last["vote"] * last["Q"])
    return raised / raised.sum()


# -- small print ----------------------------------------------------------------------


def _cluster(
    cluster: Callable[..., Made], X: Any, drawn: Any, weights: Array, seed: int
) -> Made:
    return cluster(X, drawn, weights, np.random.RandomState(seed))


def _aligned(made: Round, reference: Any) -> Round:
    from comitia.represent import align

    return made.renamed(align(made.everyone, reference).mapping)


def _memberships(made: Round) -> Array:
    if made.membership is not None:
        return made.membership
    labels = np.asarray(made.labels)
    return (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)


def _checked(weights: ArrayLike, size: int) -> Array:
    checked = np.asarray(weights, dtype=np.float64)
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
