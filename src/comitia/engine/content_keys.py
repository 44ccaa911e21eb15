"""Keys that sort objects by what their labels say, not by where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["content_keys", "vertex_keys"]


def content_keys(
    codes: NDArray[np.integer[Any]],
    n_clusters_each: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Hash the labels of objects, whatever their order and the names of the labels.

    An object is known by its clusters, a cluster by its objects and by the others of
    its clustering. From the sizes of the clusters on, each is hashed from the other in
    turn, in sums that no order changes. A clustering that is given twice counts once,
    as one of double weight does.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n_objects)
        Labels 0..k_m - 1 in row m, and k_m where the label is missing.

    n_clusters_each : ndarray of shape (n_clusterings,)
        The numbers of clusters k_m.

    counts : ndarray of shape (n_objects,)
        How many objects each stands for.

    Returns
    -------
    keys : ndarray of shape (n_objects,)
        Equal for equal labels. Different ones are equal only by accident, or where
        exchanging the objects would change nothing that three sweeps can see.
    """
    how_many = counts.astype(np.uint64)
    keys = np.zeros(codes.shape[1], dtype=np.uint64)
    columns = list(_different(codes, n_clusters_each))
    for _ in range(3):
        votes = _scrambled(keys) * how_many
        keys = np.zeros_like(keys)
        for column, k in columns:
            clusters = np.zeros(k + 1, dtype=np.uint64)
            np.add.at(clusters, column, votes)
            clusters = _scrambled(clusters)
            clusters = _scrambled(clusters + clusters[:-1].sum(dtype=np.uint64))
            clusters[-1] = 0  # a missing label says nothing
            keys += clusters[column]
    return keys


def vertex_keys(
    begin: NDArray[Any],
    neighbor: NDArray[Any],
    edges: NDArray[np.int64],
    vertices: NDArray[np.int64],
) -> NDArray[np.uint64]:
    """Hash the vertices of a graph by their weights, edges and neighbours.

    Parameters
    ----------
    begin, neighbor, edges : ndarray
        Rows, columns and whole weights of the adjacency, in compressed rows.

    vertices : ndarray of shape (n_vertices,)
        Whole weights of the vertices.

    Returns
    -------
    keys : ndarray of shape (n_vertices,)
        The same in whatever order the vertices are given.
    """
    keys = _scrambled(vertices.astype(np.uint64))
    row = np.repeat(np.arange(len(vertices)), np.diff(begin))
    of_edges = _scrambled(edges.astype(np.uint64))
    for _ in range(3):
        votes = _scrambled(of_edges + keys[neighbor])
        around = np.zeros_like(keys)
        np.add.at(around, row, votes)
        keys = _scrambled(_scrambled(keys) + around)
    return keys


def _different(
    codes: NDArray[np.integer[Any]], n_clusters_each: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.integer[Any]], int]]:
    """The clusterings, each once whatever its names, with numbers of clusters."""
    n = codes.shape[1]
    known = set()
    for column, k in zip(codes, n_clusters_each.tolist(), strict=True):
        # The first object of each cluster names it; backwards, the first is the last.
        first = np.full(k + 1, n)
        first[column[::-1]] = np.arange(n - 1, -1, -1)
        first[k] = n
        partition = blake2b(first[column].tobytes()).digest()
        if partition not in known:
            known.add(partition)
            yield column, k


def _scrambled(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash numbers of 64 bits as SplitMix64 does; products overflow on purpose."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
