"""Similarity of objects by memberships that a t-norm combines."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.graphs import combined_weights

__all__ = ["tnorm_coassociation"]

# Pairs of objects that are looked at together.
_BLOCK_VALUES = 2**17


def tnorm_coassociation(
    ensemble: Ensemble,
    *,
    cluster_weights: ArrayLike | None = None,
    tnorm: Literal["minimum", "product"] = "minimum",
) -> NDArray[np.float64]:
    r"""Co-association of objects that share themselves among their clusters.

    .. math::
        S_{ij} = \frac{1}{M} \sum_m \sum_{r \in C_m} w_r \, T(F_{ir}, F_{jr}),
        \qquad F_{ir} = \frac{B_{ir}}{\sum_{s \in C_m} B_{is}},

    with a t-norm T, the minimum or the product.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings. An object in several clusters of one clustering is in each by
        an equal part.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight :math:`w_r` of each cluster; 1 by default.

    tnorm : {"minimum", "product"}, default="minimum"
        The t-norm.

    Returns
    -------
    coassociation : ndarray of shape (n_objects, n_objects)
        Symmetric; the co-association when no clusters overlap.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cover = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)
    >>> tnorm_coassociation(cover)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    """
    if tnorm not in ("minimum", "product"):
        raise ComitiaError(f'tnorm={tnorm!r} is neither "minimum" nor "product".')
    n = ensemble.n_objects
    require_memory(8 * n * n, f"the similarity of each two of {n} objects")
    weights = combined_weights(ensemble, None, cluster_weights)
    B = ensemble.membership.tocsc().astype(np.float64)
    together = np.minimum.outer if tnorm == "minimum" else np.multiply.outer
    shares = 1.0 / _totals(ensemble)
    S = np.zeros((n, n))
    for c, m in enumerate(ensemble.clustering_of):
        column = slice(B.indptr[c], B.indptr[c + 1])
        members = B.indices[column]
        F = B.data[column] * shares[members, m]
        # Some rows at a time: a cluster may hold nearly all objects.
        step = max(1, _BLOCK_VALUES // max(len(members), 1))
        for start in range(0, len(members), step):
            rows = slice(start, start + step)
            S[np.ix_(members[rows], members)] += weights[c] * together(F[rows], F)
    return S


def _totals(ensemble: Ensemble) -> NDArray[np.float64]:
    """Summed memberships of each object in each clustering, 1 where it has none."""
    B = ensemble.membership
    m = ensemble.clustering_of[B.indices]
    row = np.repeat(np.arange(ensemble.n_objects), np.diff(B.indptr))
    M = ensemble.n_clusterings
    totals = np.bincount(row * M + m, B.data, minlength=ensemble.n_objects * M)
    return np.asarray(np.where(totals > 0, totals, 1.0)).reshape(-1, M)
