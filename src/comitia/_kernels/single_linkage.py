"""Single linkage on B W B': a maximum spanning tree by Prim, without the matrix.

Objects with many equal labels stand in blocks, and a block is passed over when its
labels say that no object of it comes nearer to the tree. The tree is the one without
such bounds, ties included.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia._kernels._njit import njit
from comitia._kernels.coassociation import add_matches

__all__ = ["spanning_tree"]

# Objects of a block. Small blocks are left alone more often; where
# they have nearly all labels that there are, none is, and large ones cost less.
_BLOCK, _LARGE_BLOCK, _NEARLY_ALL = 512, 4096, 0.8

# More than any similarity.
_TOP = 2**31 - 1


def spanning_tree(
    codes: NDArray[Any],
    weights: NDArray[np.int32],
    seen: NDArray[np.bool_] | None = None,
    shares: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """The edges of a maximum spanning tree.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n_objects)
        The labels.

    weights : ndarray of shape (n_clusterings, n_codes)
        The weight of each label, zero for the one that means "missing".

    seen : ndarray of shape (n_clusterings, n_objects), default=None
        Which labels are not missing; by default all.

    shares : ndarray of shape (n_clusterings,), default=None
        What each clustering has of the weight; similarities are divided by the sum
        over the clusterings that have both objects.

    Returns
    -------
    edges : ndarray of shape (n_objects - 1, 2)
        Each joins an object to one that was in the tree before.
    """
    n = codes.shape[1]
    if seen is None or shares is None:
        # Whole numbers run at twice the width of ratios.
        best: NDArray[Any] = np.full(n, -1, dtype=np.int32)
        seen, shares = np.empty((0, n), dtype=bool), np.empty(0, dtype=np.int32)
    else:
        best = np.full(n, -1.0)
    # Objects with equal labels stand together, those of few clusters before others.
    order = np.lexsort(codes[np.argsort(-codes.max(axis=1).astype(np.int64))])
    codes, edges = codes.take(order, axis=1), np.empty((n - 1, 2), dtype=np.int32)
    grow_tree(
        codes,
        weights,
        seen.take(order, axis=1).astype(np.uint8),
        shares,
        order.astype(np.int32),
        best,
        make_blocks(codes, best.dtype),
        int(np.argmin(order)),
        edges,
    )
    return edges


class Blocks(NamedTuple):
    """Objects that stand together, and what is known of those outside the tree."""

    begin: NDArray[np.int64]
    n_left: NDArray[np.int64]  # those outside the tree, which come first
    # By clustering, by the last eight bits of a label: whether a block has it.
    has: NDArray[np.uint8]
    # The most that the newest object of the tree can be similar to one of a block.
    reach: NDArray[np.int32]
    # The similarity to the tree of the farthest and the nearest object, and where the
    # nearest stands.
    least: NDArray[Any]
    most: NDArray[Any]
    place: NDArray[np.int64]


def make_blocks(codes: NDArray[Any], dtype: Any) -> Blocks:
    """Blocks of objects that stand in the order of their labels."""
    n_clusterings, n = codes.shape
    for size in (_BLOCK, _LARGE_BLOCK):
        begin = np.arange(0, n, size)
        has = np.zeros((n_clusterings, 256, len(begin)), dtype=np.uint8)
        note_labels(codes, size, has)
        frequent = np.stack([np.bincount(row & 255, minlength=256) for row in codes])
        if (frequent * has.mean(axis=2)).sum() < _NEARLY_ALL * codes.size:
            break
    return Blocks(
        begin=begin,
        n_left=np.diff(np.append(begin, n)),
        has=has,
        reach=np.empty(len(begin), dtype=np.int32),
        least=np.full(len(begin), -1, dtype=dtype),
        most=np.full(len(begin), -1, dtype=dtype),
        place=begin.copy(),
    )


@njit(cache=True)
def note_labels(codes, size, has):
    """Note which labels there are in each block."""
    for m in range(len(codes)):
        for j in range(codes.shape[1]):
            has[m, codes[m, j] & 255, j // size] = 1


@njit(cache=True)
def bound_similarities(has, labels, values, reach):
    """The most that an object with these labels can be similar to one of a block."""
    reach[:] = 0
    for m in range(len(labels)):
        if values[m] > 0:
            row, value = has[m, labels[m] & 255], values[m]
            for b in range(len(reach)):
                reach[b] += value * row[b]


@njit(cache=True)
def raise_best(found, v, best, near):
    """Make v the nearest one where it is more similar than the nearest so far.

    Returns whether it is so anywhere.
    """
    is_any = False
    for j in range(len(found)):
        closer = found[j] > best[j]
        is_any |= closer
        near[j] = v if closer else near[j]
        best[j] = found[j] if closer else best[j]
    return is_any


@njit(cache=True)
def update_best(codes, labels, values, seen, parts, v, first, tiles, best, near):
    """Let the objects of a block know how similar the newest in the tree, v, is."""
    sums, found = tiles
    sums[:] = 0
    add_matches(codes, labels, values, first, sums)
    if len(parts) == 0:
        return raise_best(sums, v, best, near)
    found[:] = 0.0
    for m in range(len(parts)):
        if parts[m] > 0:
            row = seen[m, first : first + len(found)]
            for j in range(len(found)):
                found[j] += parts[m] * row[j]
    for j in range(len(found)):
        found[j] = sums[j] / max(found[j], 1.0)
    return raise_best(found, v, best, near)


@njit(cache=True)
def look_through(best, objects, blocks, b):
    """Find the nearest object of a block, the lowest of equals, and the farthest."""
    least = most = best[0]
    for j in range(len(best)):
        least = min(least, best[j])
    for j in range(len(best)):
        most = max(most, best[j])
    found = -1
    for j in range(len(best)):
        if best[j] == most and (found < 0 or objects[j] < objects[found]):
            found = j
    blocks.least[b], blocks.most[b] = least, most
    blocks.place[b] = blocks.begin[b] + found


@njit(cache=True)
def nearest_to_tree(blocks, objects):
    """Where the object nearest to the tree stands; the lowest one wins a tie."""
    largest = blocks.most[0]
    for b in range(len(blocks.most)):
        largest = max(largest, blocks.most[b])
    found = -1
    for b in range(len(blocks.most)):
        if blocks.most[b] == largest and (
            found < 0 or objects[blocks.place[b]] < objects[found]
        ):
            found = blocks.place[b]
    return found


@njit(cache=True)
def grow_tree(codes, weights, seen, shares, objects, best, blocks, place, edges):
    """Prim's algorithm, from the object at ``place``.

    The columns of ``codes`` and ``seen`` are overwritten: the objects outside the tree
    stand first in their blocks, so that their labels are contiguous. A block is left
    alone if no object with its labels would be nearer to the tree than the farthest.
    """
    n_clusterings, n = codes.shape
    near = np.zeros(n, dtype=np.int32)
    sums, ratios = np.empty(_LARGE_BLOCK, dtype=np.int32), np.empty(_LARGE_BLOCK)
    parts = np.empty(len(seen), dtype=np.int32)
    labels = np.empty(n_clusterings, dtype=codes.dtype)
    values = np.empty(n_clusterings, dtype=np.int32)
    size = blocks.n_left[0]
    for t in range(n - 1):
        v, home = objects[place], place // size
        blocks.n_left[home] -= 1
        last = blocks.begin[home] + blocks.n_left[home]
        for m in range(n_clusterings):
            labels[m] = codes[m, place]
            values[m] = weights[m, labels[m]]
            codes[m, place] = codes[m, last]
        for m in range(len(seen)):
            parts[m] = shares[m] if seen[m, place] else 0
            seen[m, place] = seen[m, last]
        objects[place] = objects[last]
        near[place], best[place] = near[last], best[last]
        bound_similarities(blocks.has, labels, values, blocks.reach)
        for b in range(len(blocks.n_left)):
            is_nearer = len(parts) > 0 or blocks.reach[b] > blocks.least[b]
            if not is_nearer and b != home:
                continue
            first, end = blocks.begin[b], blocks.begin[b] + blocks.n_left[b]
            if first == end:
                # Never near, and never to be looked at again.
                blocks.least[b], blocks.most[b] = _TOP, -2
                continue
            tiles = sums[: end - first], ratios[: end - first]
            best_here = best[first:end]
            if is_nearer:
                is_nearer = update_best(
                    codes,
                    labels,
                    values,
                    seen,
                    parts,
                    v,
                    first,
                    tiles,
                    best_here,
                    near[first:end],
                )
            if is_nearer or b == home:
                look_through(best_here, objects[first:end], blocks, b)
        place = nearest_to_tree(blocks, objects)
        edges[t, 0], edges[t, 1] = near[place], objects[place]
