"""Making k-means ensembles of very many objects, against scikit-learn's k-means."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia.generate import KMeansGenerator
from comitia.generate.base import NearestCenter

N_BLOBS, SPREAD = 30, 1.5


def run(scale: str) -> list[Row]:
    """Landmark and mini-batch ensembles, and labels for new objects."""
    if scale == "smoke":
        return [
            _ensemble_row(60_000, 4, 5, 3, "landmark", None, KMeansRun(60_000, 4, 5)),
            _nearest_row(60_000, 4, 5),
        ]
    narrow, wide = KMeansRun(1_000_000, 10, 50), KMeansRun(200_000, 50, 50)
    return [
        _ensemble_row(1_000_000, 10, 50, 20, "landmark", ">= 100 x", narrow),
        _ensemble_row(1_000_000, 10, 50, 20, "minibatch", ">= 100 x", narrow),
        _ensemble_row(200_000, 50, 50, 20, "landmark", None, wide),
        _nearest_row(1_000_000, 10, 50),
    ]


def blobs(n_objects: int, n_features: int, seed: int = 0) -> NDArray[np.float64]:
    """Blobs that overlap; k-means has no easy optimum there."""
    rng = np.random.RandomState(seed)
    middles = SPREAD * rng.randn(N_BLOBS, n_features)
    return middles[rng.randint(N_BLOBS, size=n_objects)] + rng.randn(
        n_objects, n_features
    )


def ensemble_case(
    n_objects: int, n_features: int, k: int, n_clusterings: int, solver: str
) -> Callable[[], Any]:
    """A whole ensemble, from data in double precision to Ensemble."""
    X = blobs(n_objects, n_features)
    generator = KMeansGenerator(
        n_clusterings, n_clusters=k, solver=solver, random_state=0
    )
    return lambda: generator.generate(X)


class KMeansRun:
    """One run of scikit-learn's k-means, made when it is first asked for."""

    def __init__(self, n_objects: int, n_features: int, k: int) -> None:
        self.X = blobs(n_objects, n_features)
        self.k = k
        self._measured: tuple[float, float] | None = None

    def measured(self) -> tuple[float, float]:
        """CPU seconds and inertia."""
        if self._measured is None:
            model = KMeans(self.k, n_init=1, random_state=0)
            # Minutes for an ensemble: once, without a warm-up.
            seconds = cpu(lambda: model.fit(self.X), repeats=1, warm_up=False)
            self._measured = seconds, float(model.inertia_)
        return self._measured


def _ensemble_row(
    n_objects: int,
    n_features: int,
    k: int,
    n_clusterings: int,
    solver: str,
    target: str | None,
    peer: KMeansRun,
) -> Row:
    case = ensemble_case(n_objects, n_features, k, n_clusterings, solver)
    ours = cpu(case, repeats=2)
    seconds, inertia = peer.measured()
    ensemble = case()
    excess = np.mean(
        [_inertia(peer.X, labels) / inertia - 1 for labels in ensemble.labels.T]
    )
    holds = None
    ratio = n_clusterings * seconds / ours
    if target is not None:
        holds = bool(ratio >= 100 and excess <= 0.02)
    return Row(
        f"{solver} k-means ensemble",
        f"n={n_objects} p={n_features} k={k} M={n_clusterings}",
        ours,
        f"scikit-learn KMeans(n_init=1) x {n_clusterings}",
        n_clusterings * seconds,
        None if target is None else f"{target}, inertia <= +2 %",
        wall2_s=two_thread_wall(
            ensemble_case, n_objects, n_features, k, n_clusterings, solver, repeats=1
        ),
        peak_mb=peak_mb(
            ensemble_case,
            n_objects,
            n_features,
            k,
            n_clusterings,
            solver,
            warm_up=(2000, n_features, 5, 2, solver),
        ),
        note=f"peer: one run of {seconds:.1f} s times {n_clusterings}; mean inertia "
        f"{excess:+.2%}",
        passed=holds,
    )


def _nearest_row(n_objects: int, n_features: int, k: int) -> Row:
    from sklearn.metrics import pairwise_distances_argmin

    X = blobs(n_objects, n_features)
    model = NearestCenter(X[:k].copy())
    return Row(
        "nearest centre of new objects",
        f"n={n_objects} p={n_features} k={k}",
        cpu(lambda: model.predict(X)),
        "scikit-learn pairwise_distances_argmin",
        cpu(lambda: pairwise_distances_argmin(X, model.centers)),
    )


def _inertia(X: NDArray[np.float64], labels: NDArray[Any]) -> float:
    """Squared distances to the means of the clusters."""
    mass = np.bincount(labels)
    between = 0.0
    for column in X.T:
        sums = np.bincount(labels, column)
        between += float((sums[mass > 0] ** 2 / mass[mass > 0]).sum())
    return float((X**2).sum()) - between
