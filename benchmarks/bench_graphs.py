"""Votes, meta-clusters and balanced cuts.

Voting against NumPy; MCLA at a million objects; and what the balance of METIS costs
when clusters are of unequal size. MCLA, HBGF and CSPA against another package are in
``bench_peers``.
"""

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from benchmarks.ensembles import planted_labels
from benchmarks.harness import Row, cpu, peak_mb, two_thread_wall
from comitia import Ensemble, method
from comitia.partition.vote_winners import cluster_vote
from comitia.represent import align_clusters
from comitia.represent.votes import vote_shares

N_CLUSTERS, N_CLUSTERINGS, NOISE = 50, 20, 0.4

# Shares of four clusters, from equal to one that has most.
SIZES = ((1, 1, 1, 1), (3, 2, 2, 1), (8, 4, 2, 1), (16, 4, 2, 1))


def run(scale: str) -> list[Row]:
    """Our rows."""
    n = 1_000_000 if scale == "full" else 2_000
    labels, _ = planted_labels(n, N_CLUSTERS, N_CLUSTERINGS, NOISE, seed=0)
    ensemble = Ensemble(labels)
    size = f"n={n} M={N_CLUSTERINGS} k={N_CLUSTERS}"
    return [
        _voting(ensemble, labels, size),
        _converged_voting(ensemble, size),
        _mcla(ensemble, size),
        _shares(ensemble, labels[:, 0], size),
        *_balance(scale),
    ]


def voting_case(n):
    """One round of voting, the first clustering as the reference."""
    labels, _ = planted_labels(n, N_CLUSTERS, N_CLUSTERINGS, NOISE, seed=0)
    ensemble = Ensemble(labels)
    return lambda: _vote_once(ensemble)


def mcla_case(n):
    """MCLA on labels that are an Ensemble already."""
    labels, _ = planted_labels(n, N_CLUSTERS, N_CLUSTERINGS, NOISE, seed=0)
    ensemble = Ensemble(labels)
    return lambda: _mcla_fit(ensemble)


def _vote_once(ensemble):
    reference = ensemble.codes[0]
    targets = align_clusters(ensemble, reference, N_CLUSTERS)
    return cluster_vote(ensemble, targets, N_CLUSTERS)


def _mcla_fit(ensemble):
    # A fresh object: its tables of overlaps are kept once they are counted.
    fresh = Ensemble.from_codes(ensemble.codes, ensemble.n_clusters_each)
    return method("mcla")(N_CLUSTERS, random_state=0).fit(fresh)


def numpy_voting(columns, k):
    """The same round with NumPy: tables by bincount, votes by fancy indexing."""
    n = len(columns[0])
    votes, rows = np.zeros((n, k)), np.arange(n)
    for column in columns:
        table = np.bincount(column * k + columns[0], minlength=k * k).reshape(k, k)
        _, name = linear_sum_assignment(-table)
        votes[rows, name[column]] += 1
    return votes.argmax(axis=1)


def _voting(ensemble, labels, size):
    n = ensemble.n_objects
    columns = list(np.ascontiguousarray(labels.T, dtype=np.int64))
    ours, theirs = _vote_once(ensemble), numpy_voting(columns, N_CLUSTERS)
    same = np.array_equal(ours, theirs)
    return Row(
        "voting, one round",
        size,
        cpu(lambda: _vote_once(ensemble)),
        "numpy",
        cpu(lambda: numpy_voting(columns, N_CLUSTERS), 3, warm_up=False),
        20,
        wall2_s=two_thread_wall(voting_case, n),
        peak_mb=peak_mb(voting_case, n, warm_up=(2_000,)),
        note=f"labels {'equal' if same else 'DIFFER'}; peer best of 3",
    )


def _converged_voting(ensemble, size):
    fitted = method("voting")(N_CLUSTERS).fit(ensemble)
    return Row(
        "voting, median reference, until converged",
        size,
        cpu(lambda: method("voting")(N_CLUSTERS).fit(ensemble), 3),
        note=f"{fitted.n_iter_} rounds",
    )


def _mcla(ensemble, size):
    n = ensemble.n_objects
    return Row(
        "mcla",
        size,
        cpu(lambda: _mcla_fit(ensemble), 3),
        wall2_s=two_thread_wall(mcla_case, n),
        peak_mb=peak_mb(mcla_case, n, warm_up=(2_000,)),
    )


def _shares(ensemble, labels, size):
    return Row(
        "vote_shares",
        size,
        cpu(lambda: vote_shares(ensemble, labels, N_CLUSTERS), 3),
    )


def _balance(scale):
    """Mean ARI over five seeds as the planted clusters become unequal."""
    n, n_seeds = (5_000, 5) if scale == "full" else (300, 1)
    for name in ("hbgf", "cspa", "mcla"):
        if name == "cspa":
            n = min(n, 1_000)
        scores = []
        for sizes in SIZES:
            found = []
            for seed in range(n_seeds):
                labels, truth = planted_labels(n, 4, 20, 0.2, sizes=sizes, seed=seed)
                fitted = method(name)(4, random_state=seed).fit(Ensemble(labels))
                found.append(adjusted_rand_score(truth, fitted.labels_))
            shares = ":".join(map(str, sizes))
            scores.append(f"{np.mean(found):.2f} ({shares})")
        yield Row(
            f"{name}, ARI by the sizes of clusters",
            f"n={n} M=20 k=4 noise=0.2",
            None,
            note=", ".join(scores),
        )
