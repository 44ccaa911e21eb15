"""NMF consensus: our time and the agreement with a planted partition.

The comparison with ``ensembleclustering`` is in :mod:`benchmarks.bench_peers`; here are
the sizes and the noise levels beyond it.
"""

from collections.abc import Callable

import numpy as np
from sklearn.metrics import normalized_mutual_info_score

import comitia
from benchmarks.ensembles import planted_labels
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall

N_CLUSTERS, N_CLUSTERINGS, N_SEEDS = 10, 20, 3


def run(scale: str) -> list[Row]:
    """One row for each size and level of noise, without a peer."""
    if scale == "smoke":
        return [_row(200, 0.4, n_seeds=1)]
    rows = [_row(n, noise) for n in (2000, 5000) for noise in (0.2, 0.4, 0.6)]
    return [*rows, _large_row(200_000, 0.4)]


def fit_case(n_objects: int, noise: float) -> Callable[[], object]:
    """A fit of one planted ensemble, from its labels."""
    labels, _ = planted_labels(n_objects, N_CLUSTERS, N_CLUSTERINGS, noise, seed=0)
    method = comitia.method("nmf_consensus")(n_clusters=N_CLUSTERS, random_state=0)
    return lambda: method.fit(comitia.Ensemble(labels))


def _row(n_objects: int, noise: float, n_seeds: int = N_SEEDS) -> Row:
    method = comitia.method("nmf_consensus")
    quality = []
    for seed in range(n_seeds):
        labels, truth = planted_labels(
            n_objects, N_CLUSTERS, N_CLUSTERINGS, noise, seed=seed
        )
        fitted = method(n_clusters=N_CLUSTERS, random_state=seed)
        fitted.fit(comitia.Ensemble(labels))
        quality.append(normalized_mutual_info_score(truth, fitted.labels_))
    return Row(
        "NMF consensus",
        _size(n_objects, noise),
        cpu(fit_case(n_objects, noise)),
        note=f"mean NMI of {n_seeds} seeds {np.mean(quality):.3f}",
    )


def _large_row(n_objects: int, noise: float) -> Row:
    return Row(
        "NMF consensus",
        _size(n_objects, noise),
        cpu(fit_case(n_objects, noise), repeats=1),
        wall2_s=two_thread_wall(fit_case, n_objects, noise, repeats=1),
        peak_mb=peak_mb(fit_case, n_objects, noise, warm_up=(500, noise)),
        note="one repeat",
    )


def _size(n_objects: int, noise: float) -> str:
    return f"n={n_objects} M={N_CLUSTERINGS} k={N_CLUSTERS} noise={noise}"
