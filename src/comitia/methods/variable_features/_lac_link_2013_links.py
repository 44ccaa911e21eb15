"""How alike clusters are by what they share, and by the neighbours they share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["link_similarity", "refine_by_links", "soft_jaccard"]

Floats = NDArray[np.float64]


def soft_jaccard(probabilities: ArrayLike) -> Floats:
    r"""Overlap of each two clusters that objects belong to with probabilities.

    .. math::
        s(C, C') = \frac{\sum_i \min(P_{iC}, P_{iC'})}{\sum_i \max(P_{iC}, P_{iC'})},

    the Jaccard coefficient where probabilities are 0 and 1.
    """
    P = np.asarray(probabilities, dtype=np.float64)
    if P.ndim != 2 or not np.isfinite(P).all() or (P < 0).any():
        raise ComitiaError(
            "probabilities must be finite, not negative, one row per object."
        )
    columns = np.ascontiguousarray(P.T)
    sums = columns.sum(axis=1)
    shared = np.empty((len(sums), len(sums)))
    for c, column in enumerate(columns):
        shared[c, c:] = shared[c:, c] = np.minimum(column, columns[c:]).sum(axis=1)
    either = sums[:, None] + sums - shared
    similarity = np.divide(shared, either, out=np.zeros_like(shared), where=either > 0)
    np.fill_diagonal(similarity, 1.0)
    return np.asarray(similarity)


def link_similarity(
    probabilities: ArrayLike, ensemble: Ensemble, decay: float = 1.0
) -> Floats:
    r"""How alike two clusters of one clustering are, by the neighbours they share.

    With :math:`N(C)` the clusters of other clusterings that share an object with C,

    .. math::
        s(C^r, C^v) = \frac{\delta}{s_{\max}} \sum_{T \in N(C^r) \cap N(C^v)}
        \frac{s(T, C^r) + s(T, C^v)}{\sum_{U \in N(T)} s(T, U)}, \qquad s(C, C) = 1,

    where the clusters of different clusterings are as alike as :func:`soft_jaccard`
    says, :math:`s_{\max}` is the largest sum of all clusterings, and :math:`\delta`
    the decay factor.
    """
    P = np.asarray(probabilities, dtype=np.float64)
    if P.shape != (ensemble.n_objects, ensemble.n_clusters_total):
        raise ComitiaError(
            "probabilities must have shape "
            f"{(ensemble.n_objects, ensemble.n_clusters_total)}; got {P.shape}."
        )
    owner = ensemble.clustering_of
    same = owner[:, None] == owner
    shared: Any = ensemble.contingency()
    neighbors = (shared.toarray() > 0) & ~same
    weights = np.where(neighbors, soft_jaccard(P), 0.0)
    totals = weights.sum(axis=1)
    totals[totals == 0] = 1.0  # a cluster without neighbours is nobody's
    # Row r, column v: the sum of s(T, C^r) over the neighbours T that both have.
    one_side = (weights / totals) @ neighbors.T
    similarity = np.where(same, one_side + one_side.T, 0.0)
    np.fill_diagonal(similarity, 0.0)
    largest = float(similarity.max())
    if largest > 0:
        similarity *= decay / largest
    np.fill_diagonal(similarity, 1.0)
    return np.asarray(similarity)


def refine_by_links(
    probabilities: ArrayLike, ensemble: Ensemble, similarity: ArrayLike
) -> Floats:
    r"""Probabilities of clusters by how like the most probable one they are.

    .. math::
        P'_{ir} = P_{i i^*} \, s(C^{i^*}, C^r), \qquad i^* = \arg\max_v P_{iv},

    in each clustering.
    """
    P = np.asarray(probabilities, dtype=np.float64)
    s = np.asarray(similarity, dtype=np.float64)
    refined = np.empty_like(P)
    for first, end in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True):
        own = slice(first, end)
        best = P[:, own].argmax(axis=1)
        refined[:, own] = P[:, own].max(axis=1)[:, None] * s[own, own][best]
    return refined
