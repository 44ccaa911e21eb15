"""The multiplex of CEAM: its layers, what spreads over them, and the final cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array, vstack

from comitia.config import require_memory
from comitia.optimize.eigenpairs import largest_eigenpairs

__all__ = ["Layer", "cosine_graph", "diffused", "spectral_rows"]

Floats = NDArray[np.float64]

# Cosines, and eigenvalues, that differ by less are the same.
_SAME = 1e-9
# Cosines that are looked at together.
_AT_A_TIME = 4_000_000


class Layer(NamedTuple):
    """A layer: ``walk @ T``, or ``walk @ meet @ T``, takes a step along its edges.

    A clustering joins all objects of a cluster, where they ``meet``. A graph that is
    learnt joins objects with their nearest, and is ``normalized``.
    """

    scale: Floats
    walk: csr_array
    meet: csr_array | None
    normalized: csr_array

    @classmethod
    def of_clusters(cls, B: Floats, counts: NDArray[np.int64], n_layers: int) -> Layer:
        """Of memberships of objects that stand for several."""
        scale = _scale(B @ (counts @ B), n_layers)
        walk, meet = csr_array(B * scale[:, None]), csr_array(B.T * (counts * scale))
        return cls(scale, walk, meet, csr_array((len(B), len(B)), dtype=np.float64))

    @classmethod
    def of_neighbors(
        cls, T: Floats, counts: NDArray[np.int64], n_neighbors: int, n_layers: int
    ) -> Layer:
        """Of the rows by their cosines; all that are as near as the last count."""
        graph = cosine_graph(T, counts, n_neighbors)
        scale = _scale(graph @ counts, n_layers)
        normalized = csr_array(diags_array(scale) @ graph @ diags_array(scale))
        walk = csr_array(normalized @ diags_array(counts * 1.0))
        return cls(scale, walk, None, normalized)


def _scale(degrees: Floats, n_layers: int) -> Floats:
    return np.asarray(1.0 / np.sqrt(np.maximum(degrees + n_layers - 1.0, 1.0)))


def diffused(
    layers: Sequence[Layer], B: Floats, j: int, continuation: float, n_steps: int
) -> Floats:
    """Where the clusters of a clustering arrive in its own layer j."""
    from comitia._kernels.multiplex import walk_rows

    # Numba looks at each index that has a sign, whether it counts from the end.
    walks = [
        (one.walk.indptr, one.walk.indices.astype(np.uint32), one.walk.data)
        for one in layers
    ]
    home = (1 - continuation) * B
    T = np.repeat(B[None], len(layers), axis=0)
    new = np.empty_like(T)
    # The sum over the other layers is that over all, less what stays in its own.
    carried = np.sum([layer.scale for layer in layers], axis=0)[:, None] * B
    for step in range(n_steps):
        carry = np.zeros_like(B)
        # Of the last step, only what arrives in layer j is wanted.
        for m in range(len(layers)) if step < n_steps - 1 else [j]:
            scale, _, meet, _ = layers[m]
            source = T[m] if meet is None else meet @ T[m]
            rows = scale, continuation, home, carried, new[m], carry
            walk_rows(T[m], source, walks[m], *rows)
        T, new, carried = new, T, carry
    return np.asarray(T[j])


def cosine_graph(T: Floats, counts: NDArray[np.int64], n_neighbors: int) -> csr_array:
    """Graph of each row and its nearest, with the larger weight of both directions.

    Rows stand for several objects, which are neighbours of each other. All rows count
    that are as near as the last neighbour.
    """
    from comitia._kernels.multiplex import nearest_rows

    u = len(T)
    lengths = np.linalg.norm(T, axis=1, keepdims=True)
    rows = np.divide(T, lengths, out=np.zeros_like(T), where=lengths > 0)
    columns = np.ascontiguousarray(rows.T)
    wanted = min(n_neighbors, int(counts.sum()) - 1)
    size = min(max(1, _AT_A_TIME // u), u)
    require_memory(12 * size * u, f"the cosines of {size} objects with {u} others")
    neighbors, cosines = np.empty(size * u, np.int32), np.empty(size * u)
    blocks, n_edges = [], 0
    for start in range(0, u, size):
        stop = min(start + size, u)
        ends = np.zeros(stop - start + 1, np.int32)
        block = start, stop, ends[1:], neighbors, cosines
        nearest_rows(columns, counts, wanted, _SAME, *block)
        n_edges += int(ends[-1])
        require_memory(2 * 12 * n_edges, f"{n_edges} edges of neighbours")
        found = cosines[: ends[-1]].copy(), neighbors[: ends[-1]].copy(), ends
        blocks.append(csr_array(found, shape=(stop - start, u)))
    graph = vstack(blocks, format="csr")
    return csr_array(graph.maximum(graph.T))


def spectral_rows(
    W: csr_array, counts: NDArray[np.int64], k: int
) -> tuple[Floats, bool]:
    """Unit rows of the k eigenvectors after the first, and whether these are unique.

    Where the last is tied with the next, all that are tied are taken.
    """
    u = W.shape[0]
    masses = np.sqrt(counts)
    degrees = W @ counts
    root = masses / np.sqrt(degrees)
    similarity = csr_array(diags_array(root) @ W @ diags_array(root))
    first = masses * np.sqrt(degrees)
    first /= np.linalg.norm(first)
    n_pairs = min(u, k + 2)
    while True:
        values, vectors = largest_eigenpairs(similarity, n_pairs)
        if n_pairs == u or values[k] - values[-1] > _SAME:
            break
        n_pairs = min(u, 2 * n_pairs)
    kept = int((values >= values[min(k, u - 1)] - _SAME).sum())
    # The first eigenvector is known; what is left of the others spans the rest.
    rest = vectors[:, :kept] - np.outer(first, first @ vectors[:, :kept])
    basis, _, _ = np.linalg.svd(rest, full_matrices=False)
    points = basis[:, : kept - 1] / masses[:, None]
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    return points / np.maximum(lengths, np.finfo(np.float64).tiny), kept == k + 1
