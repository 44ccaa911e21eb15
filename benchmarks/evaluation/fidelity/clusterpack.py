"""CSPA, MCLA and HGPA as ClusterPack runs them, the package of their authors.

The published figures of these three are ClusterPack's. Its code was read, and differs
from our defaults: graphs are bisected again and again by ``pmetis``, which makes parts
of exactly equal weight; a cluster weighs as many objects as it has when clusters are
grouped (MCLA), and when it is torn (HGPA, cut by ``shmetis`` into parts of 45 to 55 %
each time, where a cluster that is torn is forgotten); ties of the vote are broken at
random.

``pmetis`` is a program of METIS 4. The METIS of today bisects differently.
:data:`OLD_METIS` is an environment variable that names a shared library of METIS 4, or
of METIS 5.0 before its release, such as the sources in PyMetis 0.91 give; they may be
used for evaluation and not be passed on, so that nobody gets them with comitia.
``shmetis`` belongs to hMETIS, which comes without sources: here Mt-KaHyPar bisects.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["OLD_METIS", "bisect", "cspa", "hgpa", "mcla", "old_bisect"]

OLD_METIS = "COMITIA_OLD_METIS"
#: ClusterPack hands over weights as integers of this sum.
SUM_OF_WEIGHTS = 1e8
#: The 5 of ``shmetis <file> <k> 5``: a half has 45 to 55 %, a tenth more than half.
HALF_TOLERANCE = 0.1

Labels = NDArray[Any]
Partitioner = Callable[[Any, int, "NDArray[Any] | None", int], Labels]


# -- the partitioners ------------------------------------------------------------------


def bisect(
    graph: Any, n_clusters: int, vertex_weights: NDArray[Any] | None, seed: int
) -> Labels:
    """Parts of equal weight by repeated bisection, with the METIS of today.

    Parameters
    ----------
    graph : sparse array of shape (n, n)
        Integer weights of the edges.

    n_clusters : int
        Number of parts.

    vertex_weights : ndarray of shape (n,) or None
        Integer weights of the vertices; 1 by default.

    seed : int
        The seed of METIS.

    Returns
    -------
    labels : ndarray of shape (n,)
        The part of each vertex.
    """
    from comitia.partition import metis_partition

    return metis_partition(
        graph,
        n_clusters,
        vertex_weights=vertex_weights,
        imbalance=0.001,  # the least that METIS takes
        recursive=True,
        rng=np.random.RandomState(seed),
    )


def old_bisect(
    graph: Any, n_clusters: int, vertex_weights: NDArray[Any] | None, seed: int
) -> Labels:
    """The same with the METIS of :data:`OLD_METIS`, which has a seed of its own.

    Parameters
    ----------
    graph, n_clusters, vertex_weights, seed
        As for :func:`bisect`.

    Returns
    -------
    labels : ndarray of shape (n,)
        The part of each vertex.
    """
    n = graph.shape[0]
    arrays = [graph.indptr, graph.indices, vertex_weights, graph.data]
    kept = [None if it is None else np.ascontiguousarray(it, np.int32) for it in arrays]
    labels, cut = np.zeros(n, np.int32), np.zeros(1, np.int32)
    options = np.zeros(10, np.int32)  # all as by default

    def pointer(array: NDArray[np.int32] | None) -> Any:
        integers = ctypes.POINTER(ctypes.c_int32)
        return None if array is None else array.ctypes.data_as(integers)

    def number(value: int) -> Any:
        return ctypes.byref(ctypes.c_int32(value))

    _old_metis(os.environ[OLD_METIS]).METIS_PartGraphRecursive(
        number(n),
        *map(pointer, kept),
        number(1 if vertex_weights is None else 3),  # which weights there are
        number(0),  # vertices are counted from 0
        number(n_clusters),
        *map(pointer, (options, cut, labels)),
    )
    return labels


@cache
def _old_metis(path: str) -> ctypes.CDLL:
    return ctypes.CDLL(path)


# -- the methods -----------------------------------------------------------------------


def cspa(
    ensemble: Any, n_clusters: int, seed: int, partition: Partitioner = bisect
) -> Labels:
    """CSPA of ClusterPack: objects are not merged, and parts are exactly equal.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    n_clusters, seed : int
        Number of clusters, and the seed.

    partition : callable, default=bisect
        Cuts the graph.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The clusters.
    """
    from comitia.represent.coassociation import coassociation

    return partition(_whole_edges(coassociation(ensemble)), n_clusters, None, seed)


def mcla(
    ensemble: Any, n_clusters: int, seed: int, partition: Partitioner = bisect
) -> Labels:
    """MCLA of ClusterPack: meta-clusters have equally many objects; random ties.

    Parameters
    ----------
    ensemble, n_clusters, seed, partition
        As for :func:`cspa`.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The clusters.
    """
    from scipy.sparse import csr_array

    from comitia.partition import meta_vote
    from comitia.represent import jaccard_clusters

    J = jaccard_clusters(ensemble)
    graph = _whole_edges(csr_array(J).toarray())
    groups = partition(graph, n_clusters, _whole(ensemble.sizes), seed)
    _, association = meta_vote(ensemble, groups, n_clusters)
    assert association is not None
    ties = np.random.RandomState(seed).uniform(size=association.shape)
    return (association + ties / 10_000).argmax(axis=1)


def _whole(weights: NDArray[Any]) -> NDArray[np.int64]:
    return np.rint(weights * (SUM_OF_WEIGHTS / weights.sum())).astype(np.int64)


def _whole_edges(similarity: NDArray[Any]) -> Any:
    from scipy.sparse import csr_array

    S = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(S, 0.0)
    return csr_array(_whole(S))  # what is rounded to 0 is no edge


def hgpa(
    ensemble: Any, n_clusters: int, seed: int, largest: int | None = None
) -> Labels:
    """HGPA of ClusterPack: bisections, where large clusters cost more to tear.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    n_clusters, seed : int
        Number of clusters, and the seed.

    largest : int, default=None
        Clusters of more objects are left out; none by default.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The clusters.
    """
    columns = ensemble.membership.tocsc()
    most = ensemble.n_objects if largest is None else largest
    clusters = np.split(columns.indices, columns.indptr[1:-1])
    clusters = [c for c in clusters if len(c) <= most]
    labels = np.zeros(ensemble.n_objects, np.int32)
    rng = np.random.RandomState(seed)
    # Objects, the clusters that are whole among them, and the parts they are cut into.
    waiting = [(np.arange(ensemble.n_objects), clusters, range(n_clusters))]
    while waiting:
        objects, whole, parts = waiting.pop()
        if len(parts) == 1:
            labels[objects] = parts[0]
            continue
        half = len(parts) // 2
        is_right = _halve(objects, whole, half / len(parts), rng)
        side = np.zeros(ensemble.n_objects, bool)
        side[objects[is_right]] = True
        for right, some in ((False, parts[:half]), (True, parts[half:])):
            kept = [c for c in whole if (side[c] == right).all()]
            waiting.append((objects[is_right == right], kept, some))
    return labels


def _halve(
    objects: NDArray[Any],
    clusters: Sequence[NDArray[Any]],
    share: float,
    rng: np.random.RandomState,
) -> NDArray[np.bool_]:
    """Which objects are not in the left half, which has this share of them."""
    n, seed = len(objects), int(rng.randint(np.iinfo(np.int32).max))
    edges = [np.searchsorted(objects, c).tolist() for c in clusters if len(c) > 1]
    if not edges:  # nothing can be torn any more
        return rng.permutation(n) >= round(share * n)
    # A process may make one handle of Mt-KaHyPar only, which is comitia's.
    from comitia.methods.baselines._hgpa_hypergraph import _mtkahypar

    mtkahypar, initializer = _mtkahypar()
    mtkahypar.set_seed(seed)
    context = initializer.context_from_preset(mtkahypar.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(2, HALF_TOLERANCE, mtkahypar.Objective.CUT)
    context.logging = False
    most = np.ceil(np.array([share, 1.0 - share]) * n * (1.0 + HALF_TOLERANCE))
    context.set_individual_target_block_weights(most.astype(int).tolist())
    sizes = list(map(len, edges))
    hypergraph = initializer.create_hypergraph(
        context, n, len(edges), edges, [1] * n, sizes
    )
    return np.asarray(hypergraph.partition(context).get_partition()) == 1
