"""Groups of clusterings that are alike."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.cluster.kmedoids import around_medoids
from comitia.partition import cut, hac, ncut

__all__ = ["group_clusterings"]


def group_clusterings(
    similarity: NDArray[np.float64],
    n_groups: int,
    rng: np.random.RandomState,
    grouper: str = "spectral",
) -> NDArray[np.int64]:
    """Put clusterings that are alike into one group."""
    phi = np.clip(similarity, 0.0, 1.0)
    M = len(phi)
    if n_groups >= M:
        return np.arange(M)
    # A clustering stands with the first one that it equals.
    same = (phi >= 1.0 - 1e-12).argmax(axis=1)
    different, code = np.unique(same, return_inverse=True)
    if n_groups >= len(different):
        return code.astype(np.int64)
    if grouper == "spectral":
        return ncut(phi, n_groups, rng).astype(np.int64)
    if grouper == "average":
        return cut(hac(1.0 - phi), n_groups)
    return around_medoids(1.0 - phi, n_groups).labels.astype(np.int64)
