"""Contingency tables, agreement of all pairs, equal rows and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.ensembles import uniform_ensemble, voronoi_ensemble
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia.agreement import agreement_matrices
from comitia.ensemble import Ensemble
from comitia.weigh.cluster_entropy import cluster_uncertainty

__all__ = ["run"]

MEASURES = ["nmi_sqrt", "adjusted_rand"]

# What the peers are timed on; the rest of their pairs is extrapolated.
PEER_PAIRS = 10

MAKERS = {"voronoi": voronoi_ensemble, "uniform": uniform_ensemble}


def make(kind: str, n: int, M: int, low: int, high: int) -> Ensemble:
    """An ensemble of a kind and size."""
    return MAKERS[kind](n, M, (low, high))


def fresh(ensemble: Ensemble) -> Ensemble:
    """The same ensemble, with nothing computed yet."""
    return Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each)


def agreement_case(kind: str, n: int, M: int, low: int, high: int) -> Callable[[], Any]:
    """NMI and adjusted Rand of all pairs."""
    ensemble = make(kind, n, M, low, high)
    return lambda: agreement_matrices(fresh(ensemble), MEASURES)


def contingency_case(
    kind: str, n: int, M: int, low: int, high: int
) -> Callable[[], Any]:
    """Every table at once, as one sparse matrix."""
    ensemble = make(kind, n, M, low, high)
    return lambda: fresh(ensemble).contingency()


def uncertainty_case(
    kind: str, n: int, M: int, low: int, high: int
) -> Callable[[], Any]:
    """Entropy of each cluster over all clusterings."""
    ensemble = make(kind, n, M, low, high)
    return lambda: cluster_uncertainty(fresh(ensemble))


def distinct_case(kind: str, n: int, M: int, low: int, high: int) -> Callable[[], Any]:
    """Objects with equal label rows, merged."""
    ensemble = make(kind, n, M, low, high)
    return lambda: fresh(ensemble).distinct()


def some_pairs(labels: NDArray[Any]) -> tuple[list[tuple[int, int]], float]:
    """Pairs of clusterings spread over all of them, and all pairs per one of these."""
    pairs = list(combinations(range(labels.shape[1]), 2))
    step = max(1, len(pairs) // PEER_PAIRS)
    some = pairs[::step][:PEER_PAIRS]
    return some, len(pairs) / len(some)


def sklearn_loop(labels: NDArray[Any]) -> float:
    """CPU seconds of scikit-learn's NMI for every pair, extrapolated."""
    from sklearn.metrics import normalized_mutual_info_score

    pairs, factor = some_pairs(labels)

    def loop() -> None:
        for m, j in pairs:
            normalized_mutual_info_score(labels[:, m], labels[:, j])

    return factor * cpu(loop, repeats=3)


def bincount_loop(ensemble: Ensemble, order: str) -> float:
    """CPU seconds of ``np.bincount`` for every pair, with NMI and adjusted Rand.

    The layout decides: "F" gives it contiguous int64 columns for nothing, its best
    case; "C" the (n, M) table of labels that people have.
    """
    codes = np.asarray(ensemble.codes.T.astype(np.int64), order=order).T  # type: ignore[call-overload]
    k = ensemble.n_clusters_each
    n = ensemble.n_objects
    pairs, factor = some_pairs(codes.T)

    def nlogn(counts: NDArray[Any]) -> float:
        counts = counts[counts > 0]
        return float((counts * np.log(counts)).sum())

    def loop() -> None:
        for m, j in pairs:
            table = np.bincount(codes[m] * k[j] + codes[j], minlength=k[m] * k[j])
            table = table.reshape(k[m], k[j])
            rows, columns = table.sum(axis=1), table.sum(axis=0)
            h, h_, joint = (
                np.log(n) - nlogn(c) / n for c in (rows, columns, table.ravel())
            )
            _ = (h + h_ - joint) / np.sqrt(h * h_)
            both, one, other = (
                ((c.astype(float) ** 2).sum() - n) / 2 for c in (table, rows, columns)
            )
            expected = one * other / (n * (n - 1) / 2)
            _ = (both - expected) / ((one + other) / 2 - expected)

    return factor * cpu(loop, repeats=3)


def unique_rows(ensemble: Ensemble) -> None:
    """What NumPy offers for equal rows."""
    np.unique(
        ensemble.row_codes,
        axis=0,
        return_index=True,
        return_inverse=True,
        return_counts=True,
    )


def run(scale: str) -> list[Row]:
    """Measure all of it.

    Parameters
    ----------
    scale : {"full", "smoke"}
        The sizes of the targets, or tiny ones.

    Returns
    -------
    rows : list of Row
        One for each kernel, size and peer.
    """
    full = scale == "full"
    big, many = (1_000_000, 100_000) if full else (5_000, 3_000)
    rows = []
    for kind, n, M, low, high, target in [
        ("uniform", many, 100 if full else 8, 10, 100, 200),
        ("voronoi", many, 100 if full else 8, 10, 100, 200),
        ("uniform", many, 100 if full else 8, 10, 10, 200),
        ("uniform", big, 20 if full else 8, 10, 100, 300),
        ("voronoi", big, 20 if full else 8, 10, 100, 300),
    ]:
        rows += agreement_rows((kind, n, M, low, high), target if full else None)
    rows += product_rows(("voronoi", big, 20 if full else 8, 10, 100))
    size = ("voronoi", many, 20 if full else 8, 10, 100)
    rows += distinct_rows_of(size, 50 if full else None)
    return rows


def in_words(size: tuple[Any, ...]) -> str:
    """A size as it is printed."""
    kind, n, M, low, high = size
    return f"n={n:.0e} M={M} k={low}-{high} {kind}".replace("e+0", "e")


def agreement_rows(size: tuple[Any, ...], target: float | None) -> list[Row]:
    """NMI and adjusted Rand of all pairs, against scikit-learn and np.bincount."""
    ensemble = make(*size)
    labels = np.asfortranarray(ensemble.codes.T.astype(np.int64))
    ours = cpu(lambda: agreement_matrices(fresh(ensemble), MEASURES))
    kernel, words = "all pairs NMI + ARI", in_words(size)
    few = f"peer extrapolated from {PEER_PAIRS} pairs"
    rows = [
        Row(
            kernel,
            words,
            ours,
            "sklearn NMI loop",
            sklearn_loop(labels),
            target,
            wall2_s=two_thread_wall(agreement_case, *size),
            peak_mb=peak_mb(agreement_case, *size, warm_up=(size[0], 2_000, 40, 5, 9)),
            note=f"{few}, NMI only",
        )
    ]
    # np.bincount on columns that were copied out beforehand is its best case: an
    # increment each, as ours, and ours cannot be less than what the store costs.
    peer_s = bincount_loop(ensemble, "F")
    peer = "bincount, contiguous int64 columns"
    rows.append(Row(kernel, words, ours, peer, peer_s, note=few))
    # What people have is a table of labels, and the target is held against that: both
    # sides begin with the table.
    table = np.ascontiguousarray(labels)
    begun = cpu(lambda: agreement_matrices(Ensemble(table), MEASURES))
    peer_s = bincount_loop(ensemble, "C")
    bound = 5 if target == 300 else None
    kernel = "(n, M) labels to NMI + ARI"
    peer = "bincount, (n, M) int64"
    rows.append(Row(kernel, words, begun, peer, peer_s, bound, note=few))
    return rows


def product_rows(size: tuple[Any, ...]) -> list[Row]:
    """What scipy's sparse product B'B is used for."""
    ensemble = make(*size)
    B = ensemble.membership
    product = cpu(lambda: B.T @ B, repeats=1, warm_up=False)
    once = "peer run once"
    return [
        Row(
            "contingency, B'B",
            in_words(size),
            cpu(lambda: fresh(ensemble).contingency()),
            "scipy sparse product",
            product,
            wall2_s=two_thread_wall(contingency_case, *size),
            note=once,
        ),
        Row(
            "cluster uncertainty",
            in_words(size),
            cpu(lambda: cluster_uncertainty(fresh(ensemble))),
            "scipy sparse product",
            product,
            wall2_s=two_thread_wall(uncertainty_case, *size),
            note=once,
        ),
    ]


def distinct_rows_of(size: tuple[Any, ...], target: float | None) -> list[Row]:
    """Equal label rows: the kernel like for like, and the method as it is called."""
    from comitia._kernels.distinct import distinct_rows

    ensemble = make(*size)
    codes, rows = ensemble.codes, ensemble.row_codes
    n_distinct = ensemble.distinct().ensemble.n_objects

    def like_unique() -> tuple[NDArray[Any], ...]:
        first, inverse = distinct_rows(codes, rows)
        return rows[first], first, inverse, np.bincount(inverse)

    peer_s = cpu(lambda: unique_rows(ensemble), repeats=3)
    return [
        Row(
            "distinct rows, kernel",
            in_words(size),
            cpu(like_unique),
            "np.unique(axis=0)",
            peer_s,
            target,
            note=f"{n_distinct} distinct; what np.unique is given and gives",
        ),
        Row(
            "Ensemble.distinct()",
            in_words(size),
            cpu(lambda: fresh(ensemble).distinct()),
            "np.unique(axis=0)",
            peer_s,
            wall2_s=two_thread_wall(distinct_case, *size),
            note="ours transposes and builds the micro-ensemble too",
        ),
    ]
