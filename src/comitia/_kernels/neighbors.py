"""What two clusters have in common, seen from all the others."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["common_neighbors"]


@njit(cache=True, nogil=True)
def common_neighbors(indptr, indices, data, weights, out):
    """Add weights[t] * min(J[t, r], J[t, s]) over t into out[r, s].

    J is a symmetric CSR matrix without negative entries. Row t is unpacked once; its
    neighbours r then add a whole row each, in which the others add nothing.
    """
    row = np.zeros(len(weights))
    for t in range(len(weights)):
        neighbors = indices[indptr[t] : indptr[t + 1]]
        values = data[indptr[t] : indptr[t + 1]]
        for i in range(len(neighbors)):
            row[neighbors[i]] = values[i]
        for i in range(len(neighbors)):
            total = out[neighbors[i]]
            for s in range(len(row)):
                smaller = row[s] if row[s] < values[i] else values[i]
                total[s] += weights[t] * smaller
        for i in range(len(neighbors)):
            row[neighbors[i]] = 0.0
