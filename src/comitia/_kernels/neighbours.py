"""What two clusters have in common, seen from all the others."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["common_neighbours"]


@njit(cache=True, nogil=True)
def common_neighbours(indptr, indices, data, weights, out):
    """Add weights[t] * min(J[t, r], J[t, s]) over t into out[r, s].

    J is a symmetric CSR matrix without negative entries. Row t is unpacked once; its
    neighbours r then add a whole row each, in which the others add nothing.
    """
    row = np.zeros(len(weights))
    for t in range(len(weights)):
        neighbours = indices[indptr[t] : indptr[t + 1]]
        values = data[indptr[t] : indptr[t + 1]]
        for i in range(len(neighbours)):
            row[neighbours[i]] = values[i]
        for i in range(len(neighbours)):
            total = out[neighbours[i]]
            for s in range(len(row)):
                smaller = row[s] if row[s] < values[i] else values[i]
                total[s] += weights[t] * smaller
        for i in range(len(neighbours)):
            row[neighbours[i]] = 0.0
