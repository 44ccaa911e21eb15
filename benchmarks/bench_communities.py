"""Communities of networks that look like cells joined with their neighbours.

Leiden and Louvain at a million vertices with fifteen neighbours each, the
co-association on their links, and the methods that are made of it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from benchmarks.harness import Row, cpu, peak_mb
from comitia import Ensemble, method
from comitia.cluster import leiden, louvain
from comitia.represent import edge_coassociation

N_COMMUNITIES, N_NEIGHBORS, N_CLUSTERINGS = 50, 15, 20

# What a million vertices may take, in seconds of one processor.
MOST_SECONDS = 20


def run(scale: str) -> list[Row]:
    """Our rows."""
    n, n_methods = (1_000_000, 100_000) if scale == "full" else (2_000, 1_000)
    graph, truth = neighbor_network(n)
    size = f"n={n} links={graph.nnz // 2}"
    return [
        _detected("leiden", leiden, leiden_case, graph, truth, size),
        _detected("louvain", louvain, louvain_case, graph, truth, size),
        _coassociation(graph, truth, size),
        *_methods(n_methods),
    ]


def neighbor_network(n: int, seed: int = 0) -> tuple[csr_array, Any]:
    """Vertices linked to vertices near them, in their community, and anywhere.

    Of the fifteen links of a vertex 60 % are to one of the eighty around it, 30 % to
    anyone of its community and 10 % to anyone; communities are of unequal size, and
    vertices are numbered at random.
    """
    rng = np.random.RandomState(seed)
    shares = rng.dirichlet(np.full(N_COMMUNITIES, 2.0))
    member = np.sort(rng.choice(N_COMMUNITIES, size=n, p=shares))
    first = np.searchsorted(member, np.arange(N_COMMUNITIES))
    last = np.searchsorted(member, np.arange(N_COMMUNITIES), side="right")
    i = np.repeat(np.arange(n), N_NEIGHBORS)
    low, width = first[member[i]], (last - first)[member[i]]
    near = low + (i - low + rng.randint(-40, 41, size=len(i))) % width
    same = low + (rng.random_sample(len(i)) * width).astype(int)
    kind = rng.random_sample(len(i))
    anyone = rng.randint(n, size=len(i))
    j = np.where(kind < 0.6, near, np.where(kind < 0.9, same, anyone))
    number = rng.permutation(n)
    i, j = number[i[i != j]], number[j[i != j]]
    W = csr_array((rng.uniform(0.05, 1.05, size=len(i)), (i, j)), shape=(n, n))
    truth = np.empty(n, dtype=np.int64)
    truth[number] = member
    return csr_array(W.maximum(W.T)), truth


def leiden_case(n: int) -> Callable[[], Any]:
    """Leiden, as by default."""
    graph, _ = neighbor_network(n)
    return lambda: leiden(graph, np.random.RandomState(0))


def louvain_case(n: int) -> Callable[[], Any]:
    """Louvain."""
    graph, _ = neighbor_network(n)
    return lambda: louvain(graph, np.random.RandomState(0))


def _detected(name, detect, case, graph, truth, size):
    n = len(truth)
    labels = detect(graph, np.random.RandomState(0))
    seconds = cpu(lambda: detect(graph, np.random.RandomState(0)), 2, warm_up=False)
    score = adjusted_rand_score(truth, labels)
    return Row(
        name,
        size,
        seconds,
        target=f"<= {MOST_SECONDS} s" if n == 1_000_000 else None,
        peak_mb=peak_mb(case, n, warm_up=(2_000,)),
        note=f"ARI with the planted communities {score:.3f}; best of 2",
    )


def _coassociation(graph, truth, size):
    rng = np.random.RandomState(0)
    columns = [
        np.where(rng.random_sample(len(truth)) < 0.1, rng.permutation(truth), truth)
        for _ in range(N_CLUSTERINGS)
    ]
    ensemble = Ensemble(columns)
    return Row(
        "edge_coassociation",
        f"{size} M={N_CLUSTERINGS}",
        cpu(lambda: edge_coassociation(ensemble, graph), 2),
    )


def _methods(n):
    graph, truth = neighbor_network(n)
    for name in ("ecg", "fast_ensemble", "lf_consensus"):
        fitted = method(name)(random_state=0).fit(graph)
        score = adjusted_rand_score(truth, fitted.labels_)
        yield Row(
            name,
            f"n={n} links={graph.nnz // 2}",
            cpu(lambda name=name: method(name)(random_state=0).fit(graph), 1),
            note=f"members included; ARI with the planted communities {score:.3f}",
        )
