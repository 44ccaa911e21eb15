"""What pictures show of a fitted method or of a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = [
    "WEIGHED",
    "Consensus",
    "check_fitted",
    "objective_columns",
    "read_estimator",
    "read_result",
    "remaining_way",
    "weights_of",
]

# The attributes that hold weights, without their underscore, and what they weigh.
WEIGHED = {
    "clustering_weights": "clusterings",
    "cluster_weights": "clusters",
    "object_weights": "objects",
    "feature_weights": "features",
    "view_weights": "views",
}


@dataclass(frozen=True, eq=False)
class Consensus:
    """What pictures show of a consensus, be it a fitted method or a result.

    ``confidence`` is the probability that each object is in the right cluster.
    ``weights`` holds what :func:`weights_of` finds; ``vote_weights`` the weights of
    clusterings, summing to one, and of clusters, as they vote.
    """

    ensemble: Ensemble
    labels: NDArray[np.int32]
    n_clusters: int
    confidence: NDArray[np.float64]
    weights: dict[str, NDArray[Any]]
    vote_weights: dict[str, NDArray[Any]]
    object_names: NDArray[Any] | None


def read_estimator(estimator: Any) -> Consensus:
    """What pictures show of a fitted method."""
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
    """What pictures show of a result."""
    return Consensus(
        ensemble=result.ensemble,
        labels=result.labels,
        n_clusters=int(result.n_clusters),
        confidence=np.asarray(result.confidence),
        weights=result.weights,
        vote_weights=_voting(result.vote_weights),
        object_names=result.object_names,
    )


def check_fitted(estimator: Any, *names: str) -> None:
    """Refuse what is not a fitted method, or lacks an attribute that is drawn."""
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


def weights_of(estimator: Any) -> dict[str, NDArray[Any]]:
    """The weights that a fitted method has, and what it ``selected``."""
    found = {}
    for name in (*WEIGHED, "selected"):
        values = getattr(estimator, f"{name}_", None)
        if values is None:
            continue
        if isinstance(values, list | tuple):  # one array for each view
            values = np.concatenate([np.ravel(part) for part in values])
        kind = bool if name == "selected" else np.float64
        found[name] = np.array(values, dtype=kind)
    return found


def objective_columns(estimator: Any) -> list[NDArray[np.float64]]:
    """The objective: one array (n_values, n_objectives) for each optimisation."""
    values = getattr(estimator, "objective_", None)
    if values is None:
        return []
    runs = values if isinstance(values, list | tuple) else [values]
    if all(np.ndim(run) == 0 for run in runs):
        runs = [np.asarray(runs)]
    arrays = [np.asarray(run, dtype=np.float64) for run in runs]
    return [run[:, None] if run.ndim == 1 else run for run in arrays]


def remaining_way(curve: NDArray[np.float64]) -> NDArray[np.float64]:
    """What is left of the way from the first finite value, 1, to the last, 0.

    >>> remaining_way(np.array([10.0, 4.0, 2.0]))
    array([1.  , 0.25, 0.  ])
    """
    finite = curve[np.isfinite(curve)]
    if not len(finite):
        return curve
    way = float(finite[0] - finite[-1])
    return np.asarray((curve - finite[-1]) / (way or 1.0))


def _voting(weights: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """Weights of votes, clusterings summing to one; none if negative or all zero."""
    votes = {name: np.asarray(value, dtype=float) for name, value in weights.items()}
    if any((w < 0).any() or not w.any() for w in votes.values()):
        return {}
    if "clustering_weights" in votes:
        w = votes["clustering_weights"]
        votes["clustering_weights"] = w / w.sum()
    return votes
