"""Which families of clusterings carry a consensus."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.agreement import agreement, agreement_with
from comitia.ensemble import Ensemble
from comitia.explanation import FamilyShare
from comitia.partition.confidence import vote_model
from comitia.represent.alignment import align

__all__ = ["answers_without", "family_shares", "share_of_answers", "why_no_answers"]

Labels = NDArray[Any]

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


def share_of_answers(
    labels: Labels, answers: dict[str, Labels]
) -> NDArray[np.float64] | None:
    """Share of the answers, the result among them, that leave objects where they are.

    Parameters
    ----------
    labels : ndarray of shape (n_objects,)
        The result.

    answers : dict of str to ndarray of shape (n_objects,)
        What it would be without each family.

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
