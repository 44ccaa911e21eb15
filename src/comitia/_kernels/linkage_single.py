"""Single linkage on B W B' without the matrix: a maximum spanning tree by Prim."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit
from comitia._kernels.coassociation import add_matches

__all__ = ["spanning_tree"]

# Similarities of one tile stay in the first-level cache.
_TILE = 4096


def spanning_tree(codes: NDArray[Any], weights: NDArray[np.int32]) -> NDArray[np.int32]:
    """The edges of a maximum spanning tree.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n_objects)
        The labels.

    weights : ndarray of shape (n_clusterings, n_codes)
        The weight of each label, zero for the one that means "missing".

    Returns
    -------
    edges : ndarray of shape (n_objects - 1, 2)
        Each joins an object to one that was in the tree before.
    """
    edges = np.empty((codes.shape[1] - 1, 2), dtype=np.int32)
    grow_tree(codes.copy(), weights, edges)
    return edges


@njit(cache=True)
def update_best(codes, labels, values, v, n_left, tile, best, near):
    """Let the objects outside the tree know how similar the newest in it, v, is."""
    for first in range(0, n_left, len(tile)):
        n_tile = min(len(tile), n_left - first)
        found = tile[:n_tile]
        found[:] = 0
        add_matches(codes, labels, values, first, found)
        best_here, near_here = (
            best[first : first + n_tile],
            near[first : first + n_tile],
        )
        for j in range(n_tile):
            closer = found[j] > best_here[j]
            near_here[j] = v if closer else near_here[j]
            best_here[j] = found[j] if closer else best_here[j]


@njit(cache=True)
def most_similar(best, objects, n_left):
    """Where the object nearest to the tree stands; the lowest one wins a tie."""
    largest = best[0]
    for j in range(1, n_left):
        largest = max(largest, best[j])
    found = -1
    for j in range(n_left):
        if best[j] == largest and (found < 0 or objects[j] < objects[found]):
            found = j
    return found


@njit(cache=True)
def grow_tree(codes, weights, edges):
    """Prim's algorithm; the columns of ``codes`` are overwritten.

    The objects outside the tree stand in the first ``n_left`` places, so that their
    labels are contiguous.
    """
    n_clusterings, n = codes.shape
    objects = np.arange(n).astype(np.int32)
    near = np.zeros(n, dtype=np.int32)
    best = np.full(n, -1, dtype=np.int32)
    tile = np.empty(_TILE, dtype=np.int32)
    labels = np.empty(n_clusterings, dtype=codes.dtype)
    values = np.empty(n_clusterings, dtype=np.int32)
    place = 0
    for n_left in range(n - 1, 0, -1):
        v = objects[place]
        for m in range(n_clusterings):
            labels[m] = codes[m, place]
            values[m] = weights[m, labels[m]]
            codes[m, place] = codes[m, n_left]
        objects[place] = objects[n_left]
        near[place], best[place] = near[n_left], best[n_left]
        update_best(codes, labels, values, v, n_left, tile, best, near)
        place = most_similar(best, objects, n_left)
        edges[n - 1 - n_left, 0] = near[place]
        edges[n - 1 - n_left, 1] = objects[place]
