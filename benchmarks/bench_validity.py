"""Internal indices against scikit-learn's, on the data that k blobs make."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import metrics

from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia import Ensemble, validity

N_FEATURES, N_CLUSTERS = 10, 10


def run(scale: str) -> list[Row]:
    """Silhouette, Calinski-Harabasz with Davies-Bouldin, Dunn, and a whole table."""
    if scale == "smoke":
        return [_silhouette_row(300, None), _centers_row(500), _dunn_row(300)]
    return [
        _silhouette_row(5_000, None),
        _silhouette_row(20_000, ">= 15 x"),
        _centers_row(100_000),
        _centers_row(1_000_000),
        _dunn_row(20_000),
        _table_row(5_000, 20),
    ]


def blobs(
    n_objects: int, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Overlapping blobs and the one that each object came from."""
    rng = np.random.RandomState(seed)
    labels = rng.randint(N_CLUSTERS, size=n_objects)
    labels[:N_CLUSTERS] = np.arange(N_CLUSTERS)
    middles = 3.0 * rng.randn(N_CLUSTERS, N_FEATURES)
    return middles[labels] + rng.randn(n_objects, N_FEATURES), labels


def silhouette_case(n_objects: int) -> Callable[[], float]:
    """The exact silhouette, input checks and sorting included."""
    X, labels = blobs(n_objects)
    return lambda: validity.silhouette(X, labels)


def _silhouette_row(n_objects: int, target: str | None) -> Row:
    X, labels = blobs(n_objects)
    difference = abs(
        validity.silhouette(X, labels) - metrics.silhouette_score(X, labels)
    )
    return Row(
        "exact silhouette",
        _size(n_objects),
        cpu(silhouette_case(n_objects)),
        "scikit-learn",
        cpu(lambda: metrics.silhouette_score(X, labels), repeats=3),
        target,
        wall2_s=two_thread_wall(silhouette_case, n_objects),
        peak_mb=peak_mb(silhouette_case, n_objects, warm_up=(200,)),
        note=f"differs from scikit-learn by {difference:.0e}; peer: best of 3",
    )


def _centers_row(n_objects: int) -> Row:
    X, labels = blobs(n_objects)

    def ours() -> None:
        clustered = validity.Clustered(X, labels)
        validity.calinski_harabasz(clustered)
        validity.davies_bouldin(clustered)

    def peer() -> None:
        metrics.calinski_harabasz_score(X, labels)
        metrics.davies_bouldin_score(X, labels)

    return Row(
        "Calinski-Harabasz + Davies-Bouldin",
        _size(n_objects),
        cpu(ours),
        "scikit-learn",
        cpu(peer),
    )


def _dunn_row(n_objects: int) -> Row:
    X, labels = blobs(n_objects)
    return Row("exact Dunn", _size(n_objects), cpu(lambda: validity.dunn(X, labels)))


def _table_row(n_objects: int, n_clusterings: int) -> Row:
    X, labels = blobs(n_objects)
    rng = np.random.RandomState(1)
    noisy = np.where(
        rng.rand(n_objects, n_clusterings) < 0.2,
        rng.randint(N_CLUSTERS, size=(n_objects, n_clusterings)),
        labels[:, None],
    )
    ensemble = Ensemble(noisy)
    return Row(
        "score table, 23 indices",
        f"{_size(n_objects)} M={n_clusterings}",
        cpu(lambda: validity.score_table(X, ensemble), repeats=3),
        note="best of 3",
    )


def _size(n_objects: int) -> str:
    return f"n={n_objects} p={N_FEATURES} k={N_CLUSTERS}"
