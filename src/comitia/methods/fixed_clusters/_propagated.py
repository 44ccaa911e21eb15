"""Co-association that also counts how alike the clusters of two objects are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import ImplicitCoassociation

__all__ = ["propagated_coassociation"]

# Columns of the co-association that are made at once.
_COLUMNS = 1024


def propagated_coassociation(
    ensemble: Ensemble, similarity: ArrayLike
) -> NDArray[np.float64]:
    r"""Co-association that also counts how alike the clusters of two objects are.

    .. math::
        S_{ij} = \frac{1}{M_{ij}} \sum_m Z\bigl(C_m(i), C_m(j)\bigr),

    with the cluster :math:`C_m(i)` that holds object i in clustering m, over the
    :math:`M_{ij}` clusterings that have both objects. Where Z tells all clusters apart,
    this is the plain co-association.
    """
    Z = np.array(similarity, dtype=np.float64)
    n, K = ensemble.n_objects, ensemble.n_clusters_total
    if Z.shape != (K, K):
        raise ComitiaError(
            "similarity must have one row and one column per cluster, "
            f"{(K, K)}; got shape {Z.shape}."
        )
    require_memory(
        8 * n * n,
        f"the similarity of each two of {n} objects",
        "use a method that is linear in n, such as ecpcs_mc or lwgp",
    )
    Z[ensemble.clustering_of[:, None] != ensemble.clustering_of] = 0.0
    objects = ImplicitCoassociation(ensemble)
    seen = (ensemble.codes != ensemble.n_clusters_each[:, None]).astype(np.float64)
    both: Any = float(len(seen)) if seen.all() else None
    out = np.empty((n, n))
    for start in range(0, n, _COLUMNS):
        columns = slice(start, min(start + _COLUMNS, n))
        sums = objects.to_objects(_towards(ensemble, Z, columns))
        some = np.maximum(seen.T @ seen[:, columns], 1.0) if both is None else both
        np.divide(sums, some, out=out[:, columns])
    return out


def _towards(
    ensemble: Ensemble, Z: NDArray[np.float64], objects: slice
) -> NDArray[np.float64]:
    """Similarity of each cluster to the clusters of some objects, Z B'."""
    if not ensemble.is_hard:
        return np.asarray((ensemble.membership[objects] @ Z).T)
    table = np.zeros((ensemble.n_clusters_total, objects.stop - objects.start))
    for m, codes in enumerate(ensemble.codes[:, objects]):
        own = slice(ensemble.offsets[m], ensemble.offsets[m + 1])
        # The code after the last cluster means "missing": similarity 0 to all.
        table[own] = np.pad(Z[own, own], ((0, 0), (0, 1)))[:, codes]
    return table
