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
    """A layer: ``walk`` + ``left @ right`` takes a step along its edges.

    A clustering joins all objects of a cluster, by ``left`` and ``right``. A graph that
    is learnt joins objects with their nearest, by ``walk``, and is ``normalized``.
    """

    scale: Floats
    walk: csr_array
    left: csr_array
    right: csr_array
    normalized: csr_array

    @classmethod
    def of_clusters(cls, B: Floats, counts: NDArray[np.int64], n_layers: int) -> Layer:
        """Of memberships of objects that stand for several."""
        u = len(B)
        scale = _scale(B @ (counts @ B), n_layers)
        left = csr_array(B * scale[:, None])
        right = csr_array(B.T * (counts * scale))
        none = csr_array((u, u), dtype=np.float64)
        return cls(scale, none, left, right, none)

    @classmethod
    def of_neighbors(
        cls, T: Floats, counts: NDArray[np.int64], n_neighbors: int, n_layers: int
    ) -> Layer:
        """Of the rows by their cosines; all that are as near as the last count."""
        u = len(T)
        graph = cosine_graph(T, counts, n_neighbors)
        scale = _scale(graph @ counts, n_layers)
        normalized = csr_array(diags_array(scale) @ graph @ diags_array(scale))
        walk = csr_array(normalized @ diags_array(counts * 1.0))
        none = csr_array((u, 0), dtype=np.float64)
        return cls(scale, walk, none, csr_array(none.T), normalized)


def _scale(degrees: Floats, n_layers: int) -> Floats:
    return np.asarray(1.0 / np.sqrt(np.maximum(degrees + n_layers - 1.0, 1.0)))


def diffused(
    layers: Sequence[Layer], B: Floats, j: int, continuation: float, n_steps: int
) -> Floats:
    """Where the clusters of a clustering arrive in its own layer j."""
    k = B.shape[1]
    scale = np.stack([layer.scale for layer in layers])
    left, right = (
        _block_diagonal([getattr(layer, name) for layer in layers])
        for name in ("left", "right")
    )
    # The sum over the other layers is that over all, less what stays in its own.
    walk = _block_diagonal([layer.walk for layer in layers])
    walk = csr_array(continuation * (walk - diags_array(scale.ravel() ** 2)))
    left, across = continuation * left, continuation * scale
    home = (1 - continuation) * B
    T = np.repeat(B[None], len(layers), axis=0)
    for _ in range(n_steps):
        stacked = T.reshape(-1, k)
        arrived = walk @ stacked
        if right.shape[0]:
            arrived += left @ (right @ stacked)
        carried = np.einsum("mi,mik->ik", scale, T)
        T = arrived.reshape(T.shape)
        for m, own in enumerate(T):
            own += across[m, :, None] * carried
            own += home
    return np.asarray(T[j])


def _block_diagonal(blocks: Sequence[csr_array]) -> csr_array:
    """Sparse blocks along the diagonal; SciPy's takes a detour by coordinates."""
    columns = np.cumsum([0, *(block.shape[1] for block in blocks)])
    ends = np.cumsum([0, *(block.nnz for block in blocks)])
    return csr_array(
        (
            np.concatenate([block.data for block in blocks]),
            np.concatenate(
                [b.indices + at for b, at in zip(blocks, columns, strict=False)]
            ),
            np.concatenate(
                [[0], *(b.indptr[1:] + at for b, at in zip(blocks, ends, strict=False))]
            ),
        ),
        shape=(sum(block.shape[0] for block in blocks), columns[-1]),
    )


def cosine_graph(T: Floats, counts: NDArray[np.int64], n_neighbors: int) -> csr_array:
    """Graph of each row and its nearest, with the larger weight of both directions.

    Rows stand for several objects, which are neighbours of each other. All rows count
    that are as near as the last neighbour.
    """
    u = len(T)
    lengths = np.linalg.norm(T, axis=1, keepdims=True)
    rows = np.divide(T, lengths, out=np.zeros_like(T), where=lengths > 0)
    wanted = min(n_neighbors, int(counts.sum()) - 1)
    near = min(n_neighbors + 1, u)
    alone = bool((counts == 1).all())
    size = min(max(1, _AT_A_TIME // u), u)
    require_memory(4 * 8 * size * u, f"the cosines of {size} objects with {u} others")
    blocks, n_edges = [], 0
    for start in range(0, u, size):
        block = np.clip(rows[start : start + size] @ rows.T, 0.0, 1.0)
        own = np.arange(len(block)), np.arange(start, start + len(block))
        block[own] = 1.0
        if alone:
            border = np.partition(block, u - 1 - wanted, axis=1)[:, [u - 1 - wanted]]
        else:
            border = _border(block, own[1], counts, wanted, near)
        block[block < border - _SAME] = 0.0
        blocks.append(csr_array(block))
        n_edges += blocks[-1].nnz
        require_memory(2 * 12 * n_edges, f"{n_edges} edges of neighbours")
    graph = vstack(blocks, format="csr")
    return csr_array(graph.maximum(graph.T))


def _border(
    block: Floats,
    own: NDArray[np.int64],
    counts: NDArray[np.int64],
    wanted: int,
    n: int,
) -> Floats:
    """The cosine of each row with the last of the neighbours that it wants.

    The n nearest are enough: each stands for one object at least.
    """
    others = np.argpartition(-block, n - 1, axis=1)[:, :n]
    cosines = np.take_along_axis(block, others, axis=1)
    by_cosine = np.argsort(-cosines, axis=1, kind="stable")
    cosines = np.take_along_axis(cosines, by_cosine, axis=1)
    others = np.take_along_axis(others, by_cosine, axis=1)
    met = np.cumsum(counts[others] - (others == own[:, None]), axis=1)
    last = np.minimum((met < wanted).sum(axis=1), n - 1)
    return np.take_along_axis(cosines, last[:, None], axis=1)


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
