"""Keys that sort objects by what their labels say, not by where they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = [
    "clusterings_by_content",
    "clusters_by_content",
    "content_keys",
    "label_order",
    "vertex_keys",
]


def label_order(
    codes: NDArray[np.integer[Any]],
    n_clusters_each: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sort objects by the keys of :func:`content_keys`, which has the parameters.

    Returns
    -------
    order : ndarray of shape (n_objects,)
        The objects in their order.

    place : ndarray of shape (n_objects,)
        Where each object stands in it.
    """
    keys = content_keys(codes, n_clusters_each, counts)
    order = np.argsort(keys, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return order, place


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
    from scipy.sparse import csr_array

    # Missing labels have a column of their own, so that all rows are equally long.
    width = n_clusters_each + 1
    first = np.cumsum(width) - width
    columns = np.add(codes, first[:, None], dtype=np.int32)
    is_missing = first + n_clusters_each
    kept = _different(columns, is_missing)
    M, n = len(kept), codes.shape[1]
    indices = np.ascontiguousarray(columns[kept].T).ravel()
    B = csr_array(
        (np.ones(M * n, dtype=np.uint64), indices, np.arange(0, M * n + 1, M)),
        shape=(n, int(width.sum())),
    )
    how_many = counts.astype(np.uint64)
    keys = np.zeros(n, dtype=np.uint64)
    for _ in range(3):
        clusters = _scrambled(B.T @ (_scrambled(keys) * how_many))
        clusters[is_missing] = 0  # a missing label says nothing
        beside = np.repeat(np.add.reduceat(clusters, first), width)
        clusters = _scrambled(clusters + beside)
        clusters[is_missing] = 0
        keys = B @ clusters
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
    from scipy.sparse import csr_array

    keys = _scrambled(vertices.astype(np.uint64))
    of_edges = _scrambled(edges.astype(np.uint64))
    n = len(vertices)
    n_before = n_different = n_sweeps = 0
    # Three sweeps tell most apart; more are made where they tell more apart.
    while n_sweeps < 3 or n > n_different > n_before:
        votes = _scrambled(of_edges + keys[neighbor])
        around = csr_array((votes, neighbor, begin), shape=(n, n))
        keys = _scrambled(_scrambled(keys) + around @ np.ones(n, dtype=np.uint64))
        n_sweeps += 1
        if n_sweeps >= 3:
            n_before, n_different = n_different, len(np.unique(keys))
    return keys


def clusters_by_content(ensemble: Ensemble) -> NDArray[np.int64]:
    """An order of all clusters that neither places nor names change.

    It comes from how many objects clusters share. Clusters of fuzzy and overlapping
    ensembles stay where they are.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    order : ndarray of shape (n_clusters_total,)
        The clusters, by their numbers in the ensemble.
    """
    return np.argsort(_cluster_keys(ensemble), kind="stable")


def clusterings_by_content(ensemble: Ensemble) -> NDArray[np.int64]:
    """An order of the clusterings, as of :func:`clusters_by_content`.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    order : ndarray of shape (n_clusterings,)
        The clusterings, by their numbers.
    """
    keys = np.add.reduceat(_cluster_keys(ensemble), ensemble.offsets[:-1])
    return np.argsort(keys, kind="stable")


def _cluster_keys(ensemble: Ensemble) -> NDArray[np.uint64]:
    if not ensemble.is_hard:
        return np.zeros(ensemble.n_clusters_total, dtype=np.uint64)
    shared = ensemble.contingency()
    counts = shared.data.astype(np.int64)
    return vertex_keys(shared.indptr, shared.indices, counts, ensemble.sizes)


def _different(columns: NDArray[np.int64], is_missing: NDArray[np.int64]) -> list[int]:
    """Which clusterings are kept when each counts once, whatever its names."""
    n = columns.shape[1]
    # The first object of each cluster names it; backwards, the first is the last.
    first = np.empty(is_missing[-1] + 1, dtype=np.int32)
    first[columns[:, ::-1]] = np.arange(n - 1, -1, -1, dtype=np.int32)
    first[is_missing] = n
    partitions = {row.tobytes(): m for m, row in enumerate(first[columns])}
    return [*partitions.values()]


def _scrambled(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash numbers of 64 bits as SplitMix64 does; products overflow on purpose."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
