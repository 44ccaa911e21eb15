"""Search over partitions by single-object moves, in O(M) for each move.

The peer tries the same move as a textbook would: it moves the object and asks
scikit-learn, or our kernels of a whole table, for all likenesses again.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from benchmarks.ensembles import planted_labels
from benchmarks.harness import Row, cpu, two_thread_wall
from comitia.agreement import contingency
from comitia.catalogue import method
from comitia.ensemble import Ensemble
from comitia.partition.moves import MedianSearch
from comitia.represent.partition_kernel import (
    PartitionKernel,
    path_kernel_table,
    subset_kernel_table,
)

N_CLUSTERS = 10
N_CLUSTERINGS = 20
NOISE = 0.3
# At each of them n moves are tried.
N_TEMPERATURES = 200


def run(scale: str) -> list[Row]:
    """Fits of the methods that anneal, then the cost of a move against the peers."""
    n = 60 if scale == "smoke" else 1000
    smoke = scale == "smoke"
    methods = ("median_partition", "vega_pons_2008", "wpck", "gkwea")
    return [
        *(_fit_row(name, n, smoke) for name in methods),
        *(_move_row(name, n, smoke) for name in _LIKENESSES),
    ]


def fit_case(id: str, n_objects: int) -> Callable[[], Any]:
    """A whole fit, weights and annealing, from data and labels."""
    labels, truth = _input(n_objects)
    rng = np.random.RandomState(0)
    X = 3.0 * np.eye(N_CLUSTERS)[truth] + rng.randn(n_objects, N_CLUSTERS)
    ensemble = Ensemble(labels)
    options = {"search": "annealing"} if id == "median_partition" else {}
    made = method(id)(max_iter=N_TEMPERATURES, random_state=0, **options)
    if id == "median_partition":
        return lambda: made.fit(ensemble)
    return lambda: made.fit(X, ensemble=ensemble)


def _fit_row(id: str, n: int, smoke: bool) -> Row:
    case = fit_case(id, n)
    spent = cpu(case, 1 if smoke else 2)
    fitted = case()
    found = adjusted_rand_score(_input(n)[1], fitted.labels_)
    return Row(
        f"annealing, {id}",
        f"n={n} M={N_CLUSTERINGS}",
        spent,
        target=None if smoke else "<= 60 s",
        wall2_s=None if smoke else two_thread_wall(fit_case, id, n, repeats=1),
        note=f"{fitted.n_iter_} rounds, ARI {found:.2f}",
    )


def _move_row(name: str, n: int, smoke: bool) -> Row:
    """CPU seconds for a million moves, tried by us and by a peer."""
    labels, truth = _input(n)
    likeness, peer_name, peer = _LIKENESSES[name](n)
    search = MedianSearch(
        Ensemble(labels), likeness, np.random.RandomState(0), n_clusters=N_CLUSTERS
    )
    n_rounds = 2 if smoke else 100
    ours = cpu(lambda: search.annealing(cooling=0.999, max_iter=n_rounds), 1)

    def try_moves() -> None:
        rng = np.random.RandomState(0)
        for _ in range(3):
            moved = truth.copy()
            moved[rng.randint(n)] = rng.randint(N_CLUSTERS)
            sum(peer(moved, column) for column in labels.T)

    return Row(
        f"a million moves, {name}",
        f"n={n} M={N_CLUSTERINGS} k={N_CLUSTERS}",
        ours / (n_rounds * n) * 1e6,
        peer_name,
        cpu(try_moves, 1 if smoke else 3) / 3 * 1e6,
        target=None if smoke else 100,
        note="both extrapolated; ours with starts and the final greedy sweeps",
    )


def _by_table(kernel: PartitionKernel) -> tuple[Any, str, Callable[..., float]]:
    return kernel, "whole table", lambda a, b: kernel.normalized(contingency(a, b))


_LIKENESSES: dict[str, Callable[[int], tuple[Any, str, Callable[..., float]]]] = {
    "nmi_sqrt": lambda n: (
        "nmi_sqrt",
        "scikit-learn",
        lambda a, b: normalized_mutual_info_score(a, b, average_method="geometric"),
    ),
    "adjusted_rand": lambda n: ("adjusted_rand", "scikit-learn", adjusted_rand_score),
    "subset kernel": lambda n: _by_table(subset_kernel_table(n)),
    "path kernel": lambda n: _by_table(path_kernel_table(n)),
}


def _input(n_objects: int) -> tuple[Any, Any]:
    labels, truth = planted_labels(n_objects, N_CLUSTERS, N_CLUSTERINGS, NOISE)
    return np.asarray(labels), np.asarray(truth)
