"""Are the trees of LWEA and WEAC those of SciPy?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.fidelity.scores import BEST_OF
from benchmarks.evaluation.pools import draw_of, load_pool

__all__ = [
    "WITHOUT_TIES",
    "compare_shaken",
    "compare_trees",
    "dense_distances",
    "same_partition",
]

#: Whose trees have no ties that matter, so that there is only one answer.
WITHOUT_TIES = ("lwea", "weac")
#: How much distances are changed to see what is tied, and how often.
SHAKE, N_SHAKES = 1e-12, 3


def compare_trees(
    pool: str, draw: int, method: str, folder: Path | None
) -> dict[str, Any]:
    """Hold the tree of a method to SciPy's on the dense matrix.

    Parameters
    ----------
    pool, draw : str, int
        The base clusterings.

    method : {"lwea", "weac"}
        The method.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        ``equal``: whether the labels are, with as many clusters as there are classes;
        ``k_apart``: the other numbers of clusters up to 30 with different labels;
        ``k_tied``: those that SciPy's tree cannot be cut into, because merges are
        equally high; ``height_gap``: the largest difference of sorted merge heights.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    import comitia
    from comitia.partition import cut

    members, classes = load_pool(pool, folder)
    labels = draw_of(members, draw)
    ensemble = comitia.Ensemble(labels)
    n_classes = len(np.unique(classes))
    ours = comitia.method(method)(n_clusters=n_classes).fit(ensemble)
    theirs = linkage(dense_distances(ensemble, *_weights(ours)), "average")
    apart, tied = [], []
    for k in sorted({*BEST_OF, n_classes}):
        wanted = fcluster(theirs, k, "maxclust")
        if len(np.unique(wanted)) < k:
            tied.append(k)
        elif not same_partition(wanted, cut(ours.linkage_, k)):
            apart.append(k)
    return {
        "equal": n_classes not in (*apart, *tied),
        "k_apart": " ".join(map(str, apart)),
        "k_tied": " ".join(map(str, tied)),
        "height_gap": float(np.abs(theirs[:, 2] - ours.linkage_[:, 2]).max()),
    }


def compare_shaken(
    pool: str, draw: int, method: str, folder: Path | None
) -> dict[str, Any]:
    """Hold SciPy's tree to SciPy's trees of distances that are changed by rounding.

    Where a change of one part in a million million changes the labels, pairs of
    clusters are equally far apart, and average linkage has more than one answer.

    Parameters
    ----------
    pool, draw, method, folder
        As for :func:`compare_trees`.

    Returns
    -------
    values : dict
        ``k_apart``: the numbers of clusters up to 30 whose labels change; ``k_ours``:
        those that are then ours.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    import comitia
    from comitia.partition import cut

    members, _ = load_pool(pool, folder)
    ours = comitia.method(method)(2).fit(comitia.Ensemble(draw_of(members, draw)))
    weights = _weights(ours)
    tree = linkage(dense_distances(ours.ensemble_, *weights), "average")
    apart, as_ours = set(), set()
    for seed in range(N_SHAKES):
        distances = _shaken(dense_distances(ours.ensemble_, *weights), seed)
        shaken = linkage(distances, "average")
        for k in BEST_OF:
            found = fcluster(shaken, k, "maxclust")
            if not same_partition(fcluster(tree, k, "maxclust"), found):
                apart.add(k)
                if same_partition(found, cut(ours.linkage_, k)):
                    as_ours.add(k)
    return {
        "k_apart": " ".join(map(str, sorted(apart))),
        "k_ours": " ".join(map(str, sorted(as_ours))),
    }


def _shaken(distances: NDArray[np.float64], seed: int) -> NDArray[np.float64]:
    rng = np.random.RandomState(seed)
    block = 1_000_000  # the distances of 20 000 objects are 1.6 GB; not once more
    for begin in range(0, len(distances), block):
        some = distances[begin : begin + block]
        some *= 1.0 + rng.uniform(-SHAKE, SHAKE, size=len(some))
    return distances


def _weights(fitted: Any) -> tuple[Any, ...]:
    if hasattr(fitted, "cluster_weights_"):
        return (fitted.cluster_weights_ / fitted.ensemble_.n_clusterings,)
    clustering_of = fitted.ensemble_.clustering_of
    return (fitted.clustering_weights_[clustering_of],)


def dense_distances(ensemble: Any, weights: NDArray[np.float64]) -> Any:
    """One minus the weighted co-association, pair by pair.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, with n objects.

    weights : ndarray of shape (n_clusters,)
        What it counts to be together in each cluster.

    Returns
    -------
    distances : ndarray of shape (n (n - 1) / 2,)
        The upper triangle row by row.
    """
    n = ensemble.n_objects
    labels = np.ascontiguousarray(ensemble.labels.T.astype(np.int16))
    own = weights[ensemble.labels + ensemble.offsets[:-1]]
    distances = np.ones(n * (n - 1) // 2)
    end = 0
    for i in range(n - 1):
        begin, end = end, end + n - 1 - i
        for m, column in enumerate(labels):
            distances[begin:end] -= (column[i + 1 :] == column[i]) * own[i, m]
    # Rounding can leave -1e-16 where two objects always meet; SciPy refuses it.
    return np.maximum(distances, 0.0, out=distances)


def same_partition(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two clusterings are equal up to the names of their labels.

    Parameters
    ----------
    one, other : ndarray of shape (n_objects,)
        Labels.

    Returns
    -------
    same : bool
        True if they are.
    """
    pairs = np.unique(np.stack([one, other]), axis=1).shape[1]
    return pairs == len(np.unique(one)) == len(np.unique(other))
