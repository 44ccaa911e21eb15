"""Which families of clusterings carry a consensus."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._content_order import draw_by_content
from comitia._scales import off_center, untied
from comitia.agreement import adjusted_rand, agreement, agreement_with
from comitia.ensemble import Ensemble
from comitia.explanation import FamilyShare
from comitia.partition.confidence import vote_model
from comitia.represent.alignment import align

__all__ = [
    "ANOTHER",
    "WithoutTwofold",
    "answer_without_twofold",
    "answers_without",
    "doubt_of_twofold",
    "family_shares",
    "share_of_answers",
    "why_no_answers",
]

Labels = NDArray[Any]

# Of fewer objects, two values may be all that a feature had room for.
_FEW_FOR_VALUES = 10

# Adjusted Rand index below which an answer is another one, and share of the variance of
# a feature that clusters explain if they follow it.
ANOTHER, _TOLD = 0.5, 0.8

# Families without each of which the consensus is found again, at most.
_MOST_FAMILIES = 6


def why_no_answers(ensemble: Ensemble) -> str:
    """Say why the consensus is not found again without each family, if it is not."""
    if ensemble.groups is None:
        return "The clusterings have no groups, of which some could be left out."
    n_families = len(np.unique(ensemble.groups))
    if n_families == 1:
        return (
            f"All clusterings are of one family ({ensemble.groups[0]}), so that there "
            "is no other to ask."
        )
    if n_families > _MOST_FAMILIES:
        return (
            f"With more than {_MOST_FAMILIES} families the result is not found again "
            "without each."
        )
    n = ensemble.n_objects
    is_here = ensemble.storage.is_local and ensemble.device is None
    if n > sizes.FAMILY_ANSWERS_OBJECTS or not is_here:
        return (
            f"With more than {sizes.FAMILY_ANSWERS_OBJECTS} objects, or on a device, "
            "the result is not found again without each family."
        )
    return ""


def answers_without(
    ensemble: Ensemble, consensus: Callable[[Ensemble], Labels]
) -> dict[str, Labels]:
    """Find the consensus again without each family.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, with groups.

    consensus : callable
        Called with what is left of the ensemble; returns labels.

    Returns
    -------
    answers : dict of str to ndarray of shape (n_objects,)
        For the families without which each object is in a clustering still.
    """
    if why_no_answers(ensemble):
        return {}
    assert ensemble.groups is not None
    answers = {}
    for name in np.unique(ensemble.groups):
        left = ensemble.take(clusterings=ensemble.groups != name)
        if left.kind == "hard" or not len(left.uncovered):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # it is a check, not the result
                answers[str(name)] = consensus(left)
    return answers


class WithoutTwofold(NamedTuple):
    """What is found without the features that have two values."""

    labels: Labels  # (n_objects,), k-means of the other features
    # The largest share of the variance of a feature with two values that the clusters
    # of the consensus explain
    told: float


def answer_without_twofold(
    X: NDArray[np.float64], labels: Labels, rng: np.random.RandomState
) -> WithoutTwofold | None:
    """What k-means finds in the features that have more than two values.

    A feature with two values cuts the objects in two, whether or not that has to do
    with the clusters, and all clusterings that see it may follow it alike.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The data.

    labels : ndarray of shape (n_objects,)
        The consensus, 0..k-1.

    rng : RandomState
        For the sample of many objects, and the starts.

    Returns
    -------
    found : WithoutTwofold or None
        None if no feature has two values, or all have.
    """
    n_clusters = int(labels.max()) + 1
    if len(X) < max(_FEW_FOR_VALUES, n_clusters) or n_clusters < 2:
        return None
    low, high = X.min(axis=0), X.max(axis=0)
    varies = low < high
    twofold = ((low == X) | (high == X)).all(axis=0) & varies
    rest = X[:, varies & ~twofold]
    if not twofold.any() or not rest.shape[1]:
        return None
    from sklearn.cluster import KMeans
    from threadpoolctl import threadpool_limits

    rest = untied(off_center(rest))
    some = draw_by_content(rest, sizes.RIVALS_SAMPLE, rng)
    seed = rng.randint(np.iinfo(np.int32).max)
    with threadpool_limits(limits=1):
        found = KMeans(n_clusters, n_init=10, random_state=seed).fit(rest[some])
        answer = np.asarray(found.predict(rest))
    return WithoutTwofold(answer, _largest_explained(X[:, twofold], labels))


def _largest_explained(X: NDArray[np.float64], labels: Labels) -> float:
    """The largest share of the variance of a feature that clusters explain."""
    X = (X - X.min(axis=0)) / np.ptp(X, axis=0)
    counts = np.bincount(labels)
    sums = np.array([np.bincount(labels, column) for column in X.T])
    means = X.mean(axis=0)
    between = (sums**2 / counts).sum(axis=1) / len(X) - means**2
    return float((between / (means * (1.0 - means))).max())


def doubt_of_twofold(apart: WithoutTwofold, labels: Labels) -> str | None:
    """Say that the clusters hang on features that have two values, if they do."""
    agreement = adjusted_rand(labels, apart.labels)
    if agreement >= ANOTHER or apart.told < _TOLD:
        return None
    return (
        "The clusters hang on features that have two values: in the others k-means "
        f"finds different ones (adjusted Rand index {agreement:.2f}). Leave these "
        "features out, or let them count less, unless they are what the clusters are "
        "about."
    )


def share_of_answers(
    labels: Labels, answers: dict[str, Labels]
) -> NDArray[np.float64] | None:
    """Share of the answers, the result among them, that leave objects where they are.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,)
        The result.

    answers : dict of str to ndarray of shape (n_objects,)
        What it would be without each family, or without some features.

    Returns
    -------
    share : ndarray of shape (n_objects,) or None
        None if there are no other answers.
    """
    if not answers:
        return None
    same = [align(one, labels).labels == labels for one in answers.values()]
    return (1.0 + np.sum(same, axis=0)) / (1.0 + len(same))


def family_shares(
    ensemble: Ensemble,
    labels: Labels,
    n_clusters: int,
    answers: dict[str, Labels],
    **weights: Any,
) -> tuple[FamilyShare, ...]:
    r"""What each family has to do with a consensus.

    The evidence of clustering m is the sum over the objects of
    :math:`\log (q_{mrc} / p_{mc})`, with :math:`q_{mrc}` the probability that it puts
    an object of cluster r of the consensus into its cluster c, and :math:`p_{mc}` that
    it puts any object there (:func:`comitia.partition.consensus_posterior`). The share
    of a family is that of its clusterings in the sum of all; those that are equal count
    together as one.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels, n_clusters : ndarray of shape (n_objects,) and int
        The consensus, and its number of clusters.

    answers : dict of str to ndarray of shape (n_objects,)
        What it would be without some families.

    **weights : ndarray
        Weights of clusterings or clusters; what weighs nothing has no evidence.

    Returns
    -------
    families : tuple of FamilyShare
        The one with the most evidence first; none without groups.
    """
    if ensemble.groups is None:
        return ()
    # What is worse than chance says nothing for the result.
    evidence = vote_model(ensemble, labels, n_clusters, **weights).evidence.clip(0.0)
    total = evidence.sum()
    alike = None
    if ensemble.kind != "overlapping":
        alike = agreement_with(labels, ensemble, "adjusted_rand")
    found = []
    for name in np.unique(ensemble.groups):
        mine = ensemble.groups == name
        answer = answers.get(str(name))
        found.append(
            FamilyShare(
                name=str(name),
                n_clusterings=int(mine.sum()),
                evidence=float(evidence[mine].sum() / total) if total > 0 else 0.0,
                agreement=None if alike is None else float(alike[mine].mean()),
                without=None
                if answer is None
                else float(agreement(answer, labels, "adjusted_rand")),
            )
        )
    return tuple(sorted(found, key=lambda one: (-round(one.evidence, 9), one.name)))
