"""What Displays read of a fitted method or a result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.io._collect import weights_of

__all__ = [
    "Consensus",
    "check_fitted",
    "name_features",
    "read_estimator",
    "read_result",
]


@dataclass(frozen=True, eq=False)
class Consensus:
    """What plots show of a consensus, wherever it comes from.

    Attributes
    ----------
    ensemble : Ensemble
        The clusterings.

    labels : ndarray of shape (n_objects,)
        The consensus.

    n_clusters : int
        Its number of clusters.

    confidence : ndarray of shape (n_objects,)
        Share of the votes that each object gives to its cluster.

    weights : dict of str to ndarray
        What the method weighs, and what it ``selected``.

    vote_weights : dict of str to ndarray
        ``clustering_weights`` and ``cluster_weights`` as they vote: not negative, and
        those of clusterings sum to one.

    object_names : ndarray of shape (n_objects,) or None
        Names of the objects.
    """

    ensemble: Ensemble
    labels: NDArray[np.int32]
    n_clusters: int
    confidence: NDArray[np.float64]
    weights: dict[str, NDArray[Any]] = field(default_factory=dict)
    vote_weights: dict[str, NDArray[Any]] = field(default_factory=dict)
    object_names: NDArray[Any] | None = None


def read_estimator(estimator: Any) -> Consensus:
    """What plots show of a fitted method."""
    check_fitted(estimator, "labels_", "ensemble_", "n_clusters_")
    return Consensus(
        ensemble=estimator.ensemble_,
        labels=estimator.labels_,
        n_clusters=int(estimator.n_clusters_),
        confidence=np.asarray(estimator.confidence_),
        weights=weights_of(estimator),
        vote_weights=_voting(estimator.vote_weights()),
        object_names=estimator.ensemble_.object_names,
    )


def read_result(result: Any) -> Consensus:
    """What plots show of a result."""
    weights = {name: np.asarray(value) for name, value in result.weights.items()}
    return Consensus(
        ensemble=result.ensemble,
        labels=result.labels,
        n_clusters=int(result.n_clusters),
        confidence=np.asarray(result.confidence),
        weights=weights,
        vote_weights=_voting(result.vote_weights),
        object_names=result.object_names,
    )


def check_fitted(estimator: Any, *names: str) -> None:
    """Refuse in words what is not a fitted method, or lacks what is drawn."""
    kind = type(estimator).__name__
    if isinstance(estimator, type):
        raise ComitiaError(
            f"estimator is the class {estimator.__name__}; give a fitted instance."
        )
    if hasattr(estimator, "steps"):
        raise ComitiaError(
            "estimator is a pipeline; give its last step, estimator[-1], and the data "
            "that reach it."
        )
    if not hasattr(estimator, "labels_") or not hasattr(estimator, "ensemble_"):
        raise ComitiaError(
            f"this {kind} has no labels_ and ensemble_; give a method of comitia, "
            "after its fit."
        )
    for name in names:
        if getattr(estimator, name, None) is None:
            raise ComitiaError(
                f"this {kind} has no {name}, which is what is drawn here; give a "
                "method that has."
            )


def _voting(weights: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Weights that a picture of votes can show; none where they are no weights."""
    votes = {name: np.asarray(value, dtype=float) for name, value in weights.items()}
    if any((w < 0).any() or not w.any() for w in votes.values()):
        return {}
    if "clustering_weights" in votes:
        w = votes["clustering_weights"]
        votes["clustering_weights"] = w / w.sum()
    return votes


def name_features(names: Any, n: int) -> NDArray[Any]:
    """Names of the features: those given, or their numbers."""
    if names is None:
        return np.array([f"feature {j}" for j in range(n)])
    checked = np.array([str(name) for name in names])
    if len(checked) != n:
        raise ComitiaError(
            f"feature_names must have one entry per feature; got {len(checked)} for "
            f"{n}."
        )
    return checked
