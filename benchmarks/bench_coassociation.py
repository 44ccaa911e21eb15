"""Weighted co-association against a sparse product made dense.

Small clusters are the peer's best case, because its work is the number of pairs that
meet; they are measured too.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import diags_array

from benchmarks.ensembles import uniform_ensemble, voronoi_ensemble
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia.ensemble import Ensemble
from comitia.represent.coassociation import coassociation, condensed_coassociation

# Kind of ensemble, objects, clusterings, clusters of each, least ratio.
SIZES = [
    ("blobs", 10_000, 20, (10, 100), 6.0),
    ("uniform", 10_000, 20, (10, 100), 6.0),
    ("uniform", 10_000, 20, (10, 10), 6.0),
    ("blobs", 10_000, 100, (10, 100), None),
]
TINY = [("blobs", 200, 5, (3, 9), None)]


def run(scale: str) -> list[Row]:
    """Two rows for each size: the condensed float32 matrix and the full one."""
    return [
        row
        for size in (TINY if scale == "smoke" else SIZES)
        for row in _rows(*size, smoke=scale == "smoke")
    ]


def condensed_case(
    kind: str, n_objects: int, n_clusterings: int, least: int, most: int
) -> Callable[[], Any]:
    """A condensed co-association with one weight for each cluster."""
    ensemble, weights = _input(kind, n_objects, n_clusterings, least, most)
    return lambda: condensed_coassociation(_fresh(ensemble), cluster_weights=weights)


def _rows(
    kind: str,
    n: int,
    M: int,
    k: tuple[int, int],
    target: float | None,
    *,
    smoke: bool,
) -> list[Row]:
    ensemble, weights = _input(kind, n, M, *k)
    B, W = ensemble.membership, diags_array(weights / M)
    repeats = 1 if smoke else 5
    peer_s = cpu(lambda: (B @ W @ B.T).toarray(), repeats)
    args = (kind, n, M, *k)
    tiny = ("blobs", 200, 5, 3, 9)
    size = f"{kind} n={n} M={M} k={k[0]}-{k[1]}"
    most = 1.1 * 2 * n**2 / 1e6
    return [
        Row(
            "co-association, condensed",
            size,
            cpu(condensed_case(*args), repeats),
            "scipy sparse, toarray",
            peer_s,
            target and f">= {target:g} x, <= {most:g} MB",
            wall2_s=None if smoke else two_thread_wall(condensed_case, *args),
            peak_mb=None if smoke else peak_mb(condensed_case, *args, warm_up=tiny),
            note="peak of the input included",
        ),
        Row(
            "co-association, full",
            size,
            cpu(
                lambda: coassociation(_fresh(ensemble), cluster_weights=weights),
                repeats,
            ),
            "scipy sparse, toarray",
            peer_s,
        ),
    ]


def _input(
    kind: str, n_objects: int, n_clusterings: int, least: int, most: int
) -> tuple[Ensemble, Any]:
    make = voronoi_ensemble if kind == "blobs" else uniform_ensemble
    ensemble = make(n_objects, n_clusterings, (least, most))
    return ensemble, np.random.RandomState(0).rand(ensemble.n_clusters_total)


def _fresh(ensemble: Ensemble) -> Ensemble:
    """The ensemble without what it remembers, so that every call pays for all."""
    return Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each)
