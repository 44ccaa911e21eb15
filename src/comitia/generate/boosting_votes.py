"""Rounds of boosting as a vote: names, indecision, losses and the next weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.generate.boosting import Round

__all__ = [
    "align_to_first",
    "align_to_vote",
    "by_pseudoloss",
    "indecision",
    "no_better_than_chance",
    "pseudoloss",
    "vote_so_far",
]

Array = NDArray[np.float64]


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


def _aligned(made: Round, reference: Any) -> Round:
    from comitia.represent import align

    return made.renamed(align(made.everyone, reference).mapping)


def _memberships(made: Round) -> Array:
    if made.membership is not None:
        return made.membership
    labels = np.asarray(made.labels)
    return (labels[:, None] == np.arange(labels.max() + 1)).astype(np.float64)
