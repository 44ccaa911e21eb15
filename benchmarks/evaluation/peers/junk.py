"""When does weighting win? Planted ensembles of which a share of the members is junk.

A good member is the planted partition with four tenths of the labels replaced by random
ones; a junk member has more of them replaced. ``peers_junk.csv`` has a row for each
ensemble of a grid, and the adjusted Rand index of each method as a column, so that
methods are compared on the same ensembles. ``oracle`` knows the planted partition when
it learns how members err: no method that sees labels alone can be expected to do
better.

``peers_pools.csv`` has the same methods on the real members of the pools
(:mod:`benchmarks.evaluation.pools`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.pools import draw_of, load_pool, pools
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.evaluation.tools import DEFAULT, combine

__all__ = [
    "COLUMNS",
    "DEFAULT",
    "METHODS",
    "combine",
    "planted_with_junk",
    "run",
    "score_junk",
    "score_pool",
]

#: Ids of the catalogue; a star is a second look by :func:`comitia.partition.reassign`.
METHODS = (
    "eac",
    "weac",
    "lwea",
    "lwgp",
    "gp_mgla",
    "mcla",
    "voting",
    "kcc",
    "sec",
    "lwea*",
    "lwgp*",
    DEFAULT,
)
COLUMNS = (*METHODS, "oracle")
#: The grid: share of junk members, share of random labels in these, ratio of the
#: largest to the smallest cluster, and number of members.
SHARES, JUNK_NOISE = (0.0, 0.25, 0.5, 0.7, 0.8), (0.7, 0.9, 1.0)
IMBALANCES, SIZES = (1, 4, 16), (10, 20, 50)
GOOD_NOISE, N_OBJECTS, N_CLUSTERS, N_SEEDS = 0.4, 1000, 5, 3
#: How often ten members are drawn from a pool; at most ten times.
N_DRAWS = 5

Labels = NDArray[np.int64]


def run(options: Options) -> None:
    """Score all methods on every ensemble of the grid that has no row yet.

    At most three of ``options.seeds`` are used.
    """
    start = monotonic()
    run_jobs("peers_junk", _jobs(options), options, values=COLUMNS)
    if options.stop_after is not None:
        left = max(options.stop_after - (monotonic() - start), 0.0)
        options = replace(options, stop_after=left)
    if on_pools := list(_pool_jobs(options)):  # a data folder may have none
        run_jobs("peers_pools", on_pools, options, values=METHODS)


def _jobs(options: Options) -> Iterator[Job]:
    smoke = options.smoke
    n = 120 if smoke else N_OBJECTS
    grid = (
        [(0.5, 0.9, 4, 10)] if smoke else product(SHARES, JUNK_NOISE, IMBALANCES, SIZES)
    )
    cells = [
        cell
        for cell in grid
        # Without junk members their noise is nobody's.
        if cell[0] > 0 or cell[1] == JUNK_NOISE[0]
    ]
    for seed in options.seeds[: 1 if smoke else N_SEEDS]:
        for share, noise, imbalance, n_clusterings in cells:
            key = {
                "junk_share": share,
                "junk_noise": noise,
                "imbalance": imbalance,
                "n_clusterings": n_clusterings,
                "seed": seed,
            }
            yield Job(key, score_junk, {"n_objects": n})


def _pool_jobs(options: Options) -> Iterator[Job]:
    for draw in range(1, 2 if options.smoke else N_DRAWS + 1):
        for pool in pools(replace(options, sets=())):
            yield Job(
                {"pool": pool, "draw": draw}, score_pool, {"folder": options.data}
            )


def planted_with_junk(
    n_objects: int,
    n_clusterings: int,
    junk_share: float,
    junk_noise: float,
    imbalance: float,
    seed: int,
) -> tuple[Labels, Labels]:
    """Noisy copies of a partition, some of them with more noise.

    Parameters
    ----------
    n_objects, n_clusterings : int
        Size of the ensemble.

    junk_share, junk_noise : float
        Share of junk members, and of random labels in each of them.

    imbalance : float
        How much larger the largest cluster is than the smallest; the sizes between are
        a geometric sequence.

    seed : int
        The same seed gives the same labels.

    Returns
    -------
    labels : ndarray of shape (n_objects, n_clusterings)
        The members, junk first, with the names of their labels permuted.

    truth : ndarray of shape (n_objects,)
        The partition.
    """
    rng = np.random.default_rng(seed)
    shares = np.geomspace(imbalance, 1, N_CLUSTERS)
    truth = rng.choice(N_CLUSTERS, size=n_objects, p=shares / shares.sum())
    n_junk = round(junk_share * n_clusterings)
    labels = np.empty((n_objects, n_clusterings), dtype=np.int64)
    for m in range(n_clusterings):
        noisy = rng.random(n_objects) < (junk_noise if m < n_junk else GOOD_NOISE)
        drawn = rng.integers(N_CLUSTERS, size=n_objects)
        labels[:, m] = rng.permutation(N_CLUSTERS)[np.where(noisy, drawn, truth)]
    return labels, truth


def score_junk(n_objects: int, **cell: Any) -> dict[str, float]:
    """Adjusted Rand index of each method on one ensemble.

    Parameters
    ----------
    n_objects : int
        Number of objects.

    **cell : int or float
        The other arguments of :func:`planted_with_junk`.

    Returns
    -------
    values : dict
        One for each of :data:`COLUMNS`.
    """
    from comitia import Ensemble
    from comitia.agreement import agreement

    labels, truth = planted_with_junk(n_objects, **cell)
    ensemble = Ensemble(labels)
    found: dict[str, Labels] = {"oracle": _oracle(labels, truth)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in METHODS:
            found[method] = combine(ensemble, method, N_CLUSTERS, cell["seed"])
    return {name: agreement(found[name], truth, "adjusted_rand") for name in COLUMNS}


def score_pool(pool: str, draw: int, folder: Path | None) -> dict[str, float]:
    """Adjusted Rand index of each method on members of a pool.

    Parameters
    ----------
    pool, draw : str, int
        Which members; the draw is the seed, too.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        One for each of :data:`METHODS`.
    """
    from comitia import Ensemble
    from comitia.agreement import agreement

    members, classes = load_pool(pool, folder)
    ensemble, k = Ensemble(draw_of(members, draw)), len(np.unique(classes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {
            one: agreement(combine(ensemble, one, k, draw), classes, "adjusted_rand")
            for one in METHODS
        }


def _oracle(labels: Labels, truth: Labels) -> Labels:
    """The likeliest cluster of each object, from tables that the truth has filled."""
    k = N_CLUSTERS
    scores = np.log(np.bincount(truth, minlength=k) / len(truth) + 1e-12)
    scores = np.repeat(scores[None], len(truth), axis=0)
    for column in labels.T:
        table = np.bincount(column * k + truth, minlength=k * k).reshape(k, k) + 1.0
        scores += np.log(table / table.sum(axis=0))[column]
    return scores.argmax(axis=1)
