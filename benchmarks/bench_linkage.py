"""Average and single linkage on B W B' without the matrix, against dense peers.

The peers are given the condensed distances ready made; only their linkage is timed.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.cluster import hierarchy
from sklearn.metrics import adjusted_rand_score

from benchmarks.ensembles import voronoi_ensemble
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia.ensemble import Ensemble
from comitia.partition.linkage import cut, ensemble_linkage
from comitia.represent.coassociation import condensed_coassociation

# Objects, and the least ratios to SciPy and fastcluster (average), SciPy (single).
SIZES = [(10_000, 6.0, 3.0, None), (20_000, 10.0, 5.0, 8.0)]
LARGE = 100_000
N_CLUSTERINGS = 20


def run(scale: str) -> list[Row]:
    """One row for each size, linkage and peer; the largest size has no peer."""
    if scale == "smoke":
        return _rows(300, None, None, None, smoke=True)
    rows = [row for size in SIZES for row in _rows(*size)]
    return [*rows, _large_row("average", "<= 0.5 GB"), _large_row("single", None)]


def linkage_case(n_objects: int, linkage: Any) -> Callable[[], Any]:
    """A tree with one weight for each cluster, from the labels on."""
    ensemble, weights = _input(n_objects)
    return lambda: ensemble_linkage(
        Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each),
        cluster_weights=weights,
        linkage=linkage,
    )


def _rows(
    n: int,
    average_scipy: float | None,
    average_fastcluster: float | None,
    single_scipy: float | None,
    *,
    smoke: bool = False,
) -> list[Row]:
    ensemble, weights = _input(n)
    distances = condensed_coassociation(
        ensemble, cluster_weights=weights, dtype=np.float64
    )
    np.subtract(1.0, distances, out=distances)
    rows = []
    for linkage, targets in (
        ("average", {"scipy": average_scipy, "fastcluster": average_fastcluster}),
        ("single", {"scipy": single_scipy}),
    ):
        ours = linkage_case(n, linkage)
        ours_s = cpu(ours, 1 if smoke else 5)
        wall2_s = None if smoke else two_thread_wall(linkage_case, n, linkage)
        peak = (
            None if smoke else peak_mb(linkage_case, n, linkage, warm_up=(200, linkage))
        )
        for peer, target in targets.items():
            rows.append(
                Row(
                    f"{linkage} linkage",
                    _size(ensemble),
                    ours_s,
                    peer,
                    # A warm-up would only show these peers their own memory.
                    cpu(_peer(peer, distances, linkage), 2, warm_up=False),
                    target,
                    wall2_s=wall2_s,
                    peak_mb=peak,
                    note=_cuts(ours(), _peer(peer, distances, linkage)())
                    if peer == "scipy"
                    else "",
                )
            )
    return rows


def _large_row(linkage: str, target: str | None) -> Row:
    ensemble, _ = _input(LARGE)
    return Row(
        f"{linkage} linkage",
        _size(ensemble),
        cpu(linkage_case(LARGE, linkage), 1, warm_up=False),
        target=target,
        peak_mb=peak_mb(linkage_case, LARGE, linkage, warm_up=(200, linkage)),
        note="one run; the distances would be 40 GB",
    )


def _peer(name: str, distances: Any, linkage: Any) -> Callable[[], Any]:
    if name == "scipy":
        return lambda: hierarchy.linkage(distances, linkage)
    import fastcluster

    return lambda: fastcluster.linkage(distances, linkage)


def _cuts(tree: Any, expected: Any) -> str:
    """How alike the cuts are; ties are the only reason for less than 1."""
    alike = [
        adjusted_rand_score(
            cut(tree, k), hierarchy.fcluster(expected, k, criterion="maxclust")
        )
        for k in (5, 20, 50)
    ]
    return "ARI of the cuts at 5, 20, 50: " + ", ".join(f"{a:.4f}" for a in alike)


def _input(n_objects: int) -> tuple[Ensemble, Any]:
    ensemble = voronoi_ensemble(n_objects, N_CLUSTERINGS)
    return ensemble, np.random.RandomState(0).rand(ensemble.n_clusters_total)


def _size(ensemble: Ensemble) -> str:
    u = ensemble.distinct().ensemble.n_objects
    return f"n={ensemble.n_objects} M={N_CLUSTERINGS} k=10-100 (u={u})"
