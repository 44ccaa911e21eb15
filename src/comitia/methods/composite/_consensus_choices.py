"""What a selection keeps and a weighting gives, whatever form these have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import masked_to_nan
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["DEFAULT_WEIGHTING", "WEIGHTINGS", "cover_clusters", "kept_by", "weights_by"]

# What weighs when nobody names another: chosen on one half of the data sets of the
# evaluation and confirmed on the other (docs/evaluation.rst).
DEFAULT_WEIGHTING = "entropy_certainty"


def kept_by(selection: Any, ensemble: Ensemble, X: Any) -> NDArray[np.bool_]:
    """What a selection keeps: a mask of the clusterings, or of the clusters."""
    of_clusters = not hasattr(selection, "select") and hasattr(
        selection, "select_clusters"
    )
    if of_clusters:
        chosen = np.asarray(selection.select_clusters(ensemble, X))
    else:
        select = getattr(selection, "select", selection)
        chosen = np.asarray(select(ensemble, X))
        # Of one cluster each, clusterings and their clusters are the same.
        of_clusters = (
            chosen.dtype == bool
            and chosen.shape == (ensemble.n_clusters_total,)
            and ensemble.n_clusters_total != ensemble.n_clusterings
        )
    what = "cluster" if of_clusters else "clustering"
    n = ensemble.n_clusters_total if of_clusters else ensemble.n_clusterings
    kept = np.zeros(n, dtype=bool)
    try:
        # An empty list is one of floats.
        kept[chosen if chosen.size else []] = True
    except IndexError:
        raise ComitiaError(
            f"selection must return indices of {what}s or a mask; got "
            f"{chosen!r} for {n} {what}s."
        ) from None
    if not kept.any():
        raise ComitiaError(f"selection keeps no {what}; keep at least one.")
    if of_clusters:
        kept[cover_clusters(ensemble, np.flatnonzero(kept))] = True
    return kept


def cover_clusters(ensemble: Ensemble, chosen: ArrayLike) -> NDArray[np.int64]:
    """Add clusters until each object is in one of them.

    The cluster that has most of the objects left out is added, again and again; of
    equals the first.
    """
    kept = np.unique(np.asarray(chosen, dtype=np.int64))
    B = ensemble.membership
    mask = np.zeros(ensemble.n_clusters_total)
    mask[kept] = 1.0
    left = np.asarray(B @ mask) == 0
    while left.any():
        gains = np.asarray(B.T @ left.astype(np.float64))
        if not gains.any():
            break
        kept = np.append(kept, gains.argmax())
        left &= np.asarray(B[:, [kept[-1]]].sum(axis=1)).ravel() == 0
    return np.sort(kept)


def _crowd_agreement(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh import crowd_agreement

    return crowd_agreement(ensemble)


def _entropy_certainty(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh import entropy_certainty

    return entropy_certainty(ensemble)


def _normalized_entropy_certainty(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh import entropy_certainty

    return entropy_certainty(ensemble, theta=0.09, normalized=True)


def _silhouette_weights(ensemble: Ensemble, X: Any) -> NDArray[Any]:
    from comitia.weigh.cluster_silhouettes import silhouette_weights

    return silhouette_weights(ensemble, X)


WEIGHTINGS: dict[str, Callable[[Ensemble, Any], NDArray[Any]]] = {
    "crowd_agreement": _crowd_agreement,
    "entropy_certainty": _entropy_certainty,
    "normalized_entropy_certainty": _normalized_entropy_certainty,
    "silhouette_weights": _silhouette_weights,
}


def _weights_of_method(method: Any, ensemble: Ensemble, X: Any) -> NDArray[Any]:
    """The weights that another method gives the clusterings, or their clusters."""
    from sklearn.base import clone

    fitted = clone(method).combine(ensemble, X)
    for name in ("cluster_weights_", "clustering_weights_"):
        if hasattr(fitted, name):
            return np.asarray(getattr(fitted, name))
    raise ComitiaError(
        f"weighting={fitted.card.id} gives weights neither to clusterings nor to "
        "clusters; take one that does (comitia.methods(weighs='clusterings'))."
    )


def weights_by(weighting: Any, ensemble: Ensemble, X: Any) -> dict[str, NDArray[Any]]:
    """Weights of the clusterings or of the clusters, as keywords of a consensus."""
    from comitia.weigh import normalize_weights

    if hasattr(weighting, "combine"):
        found = _weights_of_method(weighting, ensemble, X)
    else:
        found = masked_to_nan(WEIGHTINGS.get(weighting, weighting)(ensemble, X))
    weights = np.asarray(found, dtype=np.float64)
    if weights.shape == (ensemble.n_clusterings,):
        return {"clustering_weights": normalize_weights(weights)}
    if weights.shape == (ensemble.n_clusters_total,):
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ComitiaError(
                "weighting gave weights that are negative or not finite."
            )
        return {"cluster_weights": weights}
    raise ComitiaError(
        f"weighting returned weights of shape {weights.shape}; expected one for "
        f"each of {ensemble.n_clusterings} clusterings or "
        f"{ensemble.n_clusters_total} clusters."
    )
