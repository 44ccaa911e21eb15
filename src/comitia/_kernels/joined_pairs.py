"""Sums over the clusterings that join two objects, for all pairs of objects.

Matrices are symmetric: half of each is computed. Codes are clustering-major; a missing
label has a negative code that no other object has.
"""

import numpy as np

from comitia._kernels._njit import njit
from comitia._kernels.coassociation import add_matches

__all__ = ["squared_distances", "weights_joined"]


@njit(cache=True, nogil=True)
def weights_joined(codes, weights, out):
    """Write the summed weights of the clusterings that join each two objects."""
    n_objects = codes.shape[1]
    labels = np.empty(len(codes), codes.dtype)
    for i in range(n_objects):
        own = 0.0
        for m in range(len(codes)):
            labels[m] = codes[m, i]
            own += weights[m] if codes[m, i] >= 0 else 0.0
        out[i, i] = own
        row = out[i, i + 1 :]
        row[:] = 0.0
        add_matches(codes, labels, weights, i + 1, row)
        for j in range(i + 1, n_objects):
            out[j, i] = out[i, j]


@njit(cache=True, nogil=True)
def squared_distances(codes, S, W, counts):
    """Squared distance of a graph S to each clustering, with W for each two objects.

    Pairs of which a clustering lacks one are left out of its distance. Differences are
    squared one by one, so that no small distance is lost in a large sum. Column j of
    ``sums`` is added up at last, since a loop over columns is one that a compiler turns
    into vectors.
    """
    n_clusterings, n_objects = codes.shape
    sums = np.zeros((n_clusterings, n_objects))
    joined, apart = np.empty(n_objects), np.empty(n_objects)
    for i in range(n_objects):
        for j in range(i, n_objects):
            # Each two objects are met twice, an object with itself once.
            times = counts[i] * counts[j] * (2.0 if j > i else 1.0)
            far, near = S[i, j] * W[i, j], (S[i, j] - 1.0) * W[i, j]
            apart[j], joined[j] = times * far * far, times * near * near
        for m in range(n_clusterings):
            label, column, to = codes[m, i], codes[m], sums[m]
            if label < 0:
                continue
            to[i] += joined[i]
            for j in range(i + 1, n_objects):
                missed = apart[j] if column[j] >= 0 else 0.0
                to[j] += joined[j] if column[j] == label else missed
    found = np.empty(n_clusterings)
    for m in range(n_clusterings):
        total = 0.0
        for j in range(n_objects):
            total += sums[m, j]
        found[m] = total
    return found
