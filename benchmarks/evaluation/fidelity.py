"""Do the methods give what their authors published?

``pools/<name>.npz`` of the data folder holds ``members``, a hundred base clusterings of
one data set as columns, and ``gt``, its classes. Draw 1 is the columns 1 to 10, draw 2
the columns 11 to 20, and so on. ``fidelity.csv`` has the scores of every method on
every draw by two criteria, which are those of the papers:

``true-k``
    As many clusters as there are classes.
``best-k``
    The best score of 2, 3, …, 30 clusters, for each measure; ``k`` is that of the best
    NMI. It looks at the classes, and is there because the papers have it.

``fidelity_linkage.csv`` compares the trees of LWEA and WEAC with those that SciPy's
average linkage makes of the dense matrix, and ``fidelity_variants.csv`` has methods as
their authors ran them, where that differs from our default. Without a data folder,
pools are made of the data sets of scikit-learn.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.fidelity_page import page
from benchmarks.evaluation.fidelity_summary import write_summary
from benchmarks.evaluation.fidelity_variants import VARIANTS, score_variant
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["METHODS", "compare_trees", "load_pool", "page", "pools", "run", "score"]

#: The methods that the papers have figures of, and voting.
METHODS = (
    "lwea",
    "lwgp",
    "weac",
    "gp_mgla",
    "ecpcs_hc",
    "ecpcs_mc",
    "eac",
    "kcc",
    "sec",
    "mcla",
    "cspa",
    "hgpa",
    "hbgf",
    "voting",
)
TREES = ("lwea", "weac", "eac", "ecpcs_hc")
#: The numbers of clusters of which the papers take the best.
BEST_OF = tuple(range(2, 31))
#: Whose trees have no ties that matter, so that there is only one answer.
WITHOUT_TIES = ("lwea", "weac")
MEASURES = ("nmi_sqrt", "nmi_max", "ari")
N_DRAWS, N_MEMBERS = 10, 10
N_VARIANT_DRAWS = 5

Labels = NDArray[np.int32]


def run(options: Options) -> None:
    """Score the methods, and compare the trees.

    Parameters
    ----------
    options : Options
        What the command line asks for. ``sets`` are pools.
    """
    end = None if options.stop_after is None else monotonic() + options.stop_after
    # The distances of 20 000 objects are 1.6 GB, and SciPy copies them.
    large = replace(
        options,
        memory_limit=max(options.memory_limit, 8000.0),
        time_limit=max(options.time_limit, 900.0),
    )
    trees = ("equal", "k_apart", "k_tied", "height_gap")
    for part, jobs, values, limits in (
        ("fidelity", _score_jobs(options), ("k", *MEASURES), options),
        ("fidelity_linkage", _tree_jobs(options), trees, large),
        ("fidelity_variants", _variant_jobs(options), MEASURES, options),
    ):
        if end is not None:
            limits = replace(limits, stop_after=max(end - monotonic(), 0.0))
        run_jobs(part, jobs, limits, values=values)
    write_summary(options.results, options.data)


def _score_jobs(options: Options) -> Iterator[Job]:
    from comitia.advise.recommendation import MEASURED

    names = pools(options)
    draws = range(1, 2 if options.smoke else N_DRAWS + 1)
    asked = options.methods or (METHODS[:4] if options.smoke else METHODS)
    # Methods that the papers do not have: their ranks are what `recommend` goes by.
    others = () if options.methods or options.smoke else MEASURED
    rest = tuple(one for one in others if one not in METHODS)
    # A tree is cut, where the other methods are fitted 29 times: trees come first.
    trees = tuple(one for one in asked if one in TREES)
    fitted = tuple(one for one in asked if one not in TREES)
    for criterion, methods in (
        ("true-k", (*asked, *rest)),
        ("best-k", trees),
        ("best-k", fitted),
    ):
        for draw, name, method in product(draws, names, methods):
            key = {"pool": name, "draw": draw, "method": method}
            key["criterion"] = criterion
            yield Job(key, score, {"folder": options.data})


def _tree_jobs(options: Options) -> Iterator[Job]:
    for name in pools(options):
        for draw in range(1, 2 if options.smoke else N_DRAWS + 1):
            for method in WITHOUT_TIES:
                key = {"pool": name, "draw": draw, "method": method}
                yield Job(key, compare_trees, {"folder": options.data})


def _variant_jobs(options: Options) -> Iterator[Job]:
    for draw in range(1, 2 if options.smoke else N_VARIANT_DRAWS + 1):
        for name in pools(options):
            for variant in VARIANTS:
                key = {"pool": name, "draw": draw, "variant": variant}
                yield Job(key, score_variant, {"folder": options.data})


# -- the pools -------------------------------------------------------------------------


def pools(options: Options) -> list[str]:
    """Names of the pools, small ones first.

    Parameters
    ----------
    options : Options
        What the command line asks for.

    Returns
    -------
    names : list of str
        Names for :func:`load_pool`.
    """
    if options.data is None:
        names = ["iris"] if options.smoke else ["iris", "wine"]
    else:
        files = sorted((options.data / "pools").glob("*.npz"))
        names = [path.stem for path in files]
        names.sort(key=lambda name: len(load_pool(name, options.data)[1]))
    return [name for name in names if not options.sets or name in options.sets]


@lru_cache(maxsize=2)
def load_pool(name: str, folder: Path | None) -> tuple[Labels, Labels]:
    """The base clusterings and the classes of a pool.

    Parameters
    ----------
    name : str
        Name of the pool.

    folder : path or None
        The data folder; None makes the pool of a data set of scikit-learn.

    Returns
    -------
    members : ndarray of shape (n_objects, 100)
        The base clusterings.

    classes : ndarray of shape (n_objects,)
        The classes.
    """
    if folder is not None:
        with np.load(folder / "pools" / f"{name}.npz", allow_pickle=False) as file:
            return file["members"].astype(np.int32), file["gt"].astype(np.int32)
    from sklearn.cluster import KMeans

    data = data_sets.load("single", name, None)
    rng = np.random.RandomState(0)
    members = [
        # As the authors do: k-means with 2 to the root of n clusters.
        KMeans(rng.randint(2, int(len(data.y) ** 0.5) + 1), n_init=1, random_state=m)
        .fit(data.X)
        .labels_
        for m in range(N_DRAWS * N_MEMBERS)
    ]
    return np.stack(members, axis=1), data.y.astype(np.int32)


def draw_of(members: Labels, draw: int) -> Labels:
    """The columns of a draw.

    Parameters
    ----------
    members : ndarray of shape (n_objects, 100)
        A pool.

    draw : int
        1 to 10.

    Returns
    -------
    labels : ndarray of shape (n_objects, 10)
        Ten base clusterings.
    """
    return members[:, N_MEMBERS * (draw - 1) : N_MEMBERS * draw]


# -- the scores ------------------------------------------------------------------------


def score(
    pool: str, draw: int, method: str, criterion: str, folder: Path | None
) -> dict[str, Any]:
    """Fit a method on a draw and compare it with the classes.

    Parameters
    ----------
    pool, draw, method : str, int, str
        What is fitted on what; the draw is the seed.

    criterion : {"true-k", "best-k"}
        How many clusters.

    folder : path or None
        The data folder.

    Returns
    -------
    values : dict
        ``k``, ``nmi_sqrt``, ``nmi_max`` and ``ari``.
    """
    import comitia
    from comitia.agreement import agreement
    from comitia.partition import cut

    members, classes = load_pool(pool, folder)
    ensemble = comitia.Ensemble(draw_of(members, draw))
    n_classes = len(np.unique(classes))
    numbers = BEST_OF if criterion == "best-k" else (n_classes,)
    made = comitia.method(method)(n_clusters=numbers[0], random_state=draw)
    measures = ("nmi_sqrt", "nmi_max", "adjusted_rand")
    found = []
    labels: NDArray[Any]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missed max_iter shows in the scores
        made.fit(ensemble)
        for k in numbers:
            if k == numbers[0]:
                labels = made.labels_
            elif hasattr(made, "linkage_"):
                labels = cut(made.linkage_, k)
            else:
                labels = made.set_params(n_clusters=k).fit_predict(ensemble)
            found.append([agreement(labels, classes, one) for one in measures])
    scores = np.array(found)
    best = numbers[int(scores[:, 1].argmax())]
    return {"k": best, **dict(zip(MEASURES, scores.max(axis=0).tolist(), strict=True))}


# -- the trees -------------------------------------------------------------------------


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
