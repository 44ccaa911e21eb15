"""Why a method leaves its published figures: the same method as its authors ran it.

Each variant changes one thing that the published runs did differently from our
default. Where a variant gives the published figure, the difference is explained.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["VARIANTS", "random_start_kmeans", "score_variant"]

Labels = NDArray[Any]


def score_variant(
    pool: str, draw: int, variant: str, folder: Path | None
) -> dict[str, float]:
    """Scores of a variant with as many clusters as there are classes.

    Parameters
    ----------
    pool, draw : str, int
        The base clusterings; the draw is the seed.

    variant : str
        A name of :data:`VARIANTS`.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        ``nmi_sqrt``, ``nmi_max`` and ``ari``.
    """
    import comitia
    from benchmarks.evaluation.fidelity import draw_of, load_pool
    from comitia.agreement import agreement

    members, classes = load_pool(pool, folder)
    ensemble = comitia.Ensemble(draw_of(members, draw))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = VARIANTS[variant](ensemble, len(np.unique(classes)), draw)
    measures = {"nmi_sqrt": "nmi_sqrt", "nmi_max": "nmi_max", "ari": "adjusted_rand"}
    return {name: agreement(labels, classes, it) for name, it in measures.items()}


def random_start_kmeans(
    ensemble: Any, n_clusters: int, seed: int, *, by_degree: bool = False
) -> Labels:
    """K-means on indicator rows from one random start, as KCC and SEC were run.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    n_clusters, seed : int
        Number of clusters, and the seed.

    by_degree : bool, default=False
        Whether rows are divided by the degree of their object and weigh as much: SEC.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The result of a single run, whose first centres are random objects.
    """
    from scipy.sparse import diags_array

    rng = np.random.RandomState(seed)
    B = ensemble.membership.astype(np.float64)
    n = ensemble.n_objects
    degrees = B @ ensemble.sizes.astype(np.float64) if by_degree else np.ones(n)
    X = (diags_array(1.0 / degrees) @ B).tocsr()
    centres = X[rng.choice(n, n_clusters, replace=False)].toarray()
    labels = np.full(n, -1)
    for _ in range(100):
        new = ((centres**2).sum(axis=1) - 2.0 * (X @ centres.T)).argmin(axis=1)
        for r in np.setdiff1d(np.arange(n_clusters), new):
            new[rng.randint(n)] = r  # an empty cluster gets a random object
        if np.array_equal(new, labels):
            break
        labels = new
        ours = np.zeros((n, n_clusters))
        ours[np.arange(n), labels] = degrees
        centres = (X.T @ ours / ours.sum(axis=0)).T
    return labels


def _spectral(ensemble: Any, n_clusters: int, seed: int) -> Labels:
    from comitia.partition import tcut
    from comitia.represent import bipartite_graph

    return tcut(bipartite_graph(ensemble), n_clusters, np.random.RandomState(seed))


def _with(
    id: str, parameters: dict[str, Any], ensemble: Any, n_clusters: int, seed: int
) -> Labels:
    import comitia

    made = comitia.method(id)(n_clusters, random_state=seed, **parameters)
    return made.fit_predict(ensemble)


def _again(id: str, ensemble: Any, n_clusters: int, seed: int) -> Labels:
    from benchmarks.evaluation.junk import combine

    return combine(ensemble, f"{id}*", n_clusters, seed)


#: By name; the first word is the method. The last two are of nobody's paper: they show
#: what :func:`comitia.partition.reassign` does to real members.
VARIANTS: dict[str, Callable[[Any, int, int], Labels]] = {
    "kcc, one random start": random_start_kmeans,
    "sec, one random start": partial(random_start_kmeans, by_degree=True),
    "hbgf, cut by its spectrum": _spectral,
    "mcla, clusters weighted by size": partial(_with, "mcla", {"variant": "objects"}),
    "cspa, imbalance 0.3": partial(_with, "cspa", {"imbalance": 0.3}),
    "lwea, second look": partial(_again, "lwea"),
    "lwgp, second look": partial(_again, "lwgp"),
}
