"""Gagolewski's battery: the number of clusters given, columns as they are.

A set may have several reference labels. A method clusters it once for each number of
clusters that they have, and the best score over the references counts; noise points
are clustered and left out of the scores. A result with another number of clusters than
was asked for is no result there, and scores 0 here, as does one that failed.
"""

from __future__ import annotations

import gzip
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.leaderboards._gagolewski_page import (
    OURS,
    PUBLISHED,
    TABLE,
    answer,
    page,
)
from benchmarks.evaluation.store import RESULTS, Job, Options, read, write
from benchmarks.evaluation.store import run as run_jobs

__all__ = [
    "KEY",
    "METHODS",
    "answer",
    "normalized_clustering_accuracy",
    "page",
    "references",
    "run",
    "score",
    "write_label_files",
]

KEY = ("data", "half", "method", "seed")
VALUES = ("n_objects", "ari", "nca", "n_references", "n_wrong", "cpu")

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


def _single(X: Floats, k: int, seed: int) -> Labels:
    from comitia.cluster import Genie

    return Genie(k).fit_predict(X)


def _published_method(X: Floats, k: int, seed: int, name: str) -> Labels:
    import comitia

    return comitia.method(name)(k, random_state=seed).fit_predict(X)


def _consensus(X: Floats, k: int, seed: int, family: str | None = None) -> Labels:
    """The default, with its own members or those of one family."""
    from comitia import ConsensusClustering

    made = None if family is None else _families((max(k, 2), None))[family]
    return ConsensusClustering(k, generator=made, random_state=seed).fit_predict(X)


def _families(ends: tuple[int, None]) -> dict[str, Any]:
    """Generators with the range of clusters that the default gives its own."""
    from comitia import generate

    # Trees and mixtures of all objects would take hours here.
    half: dict[str, Any]
    half = {"n_clusters": ends, "objects": generate.Subsample(0.5), "extend": True}
    three = ("KMeansGenerator", "NeighborSpectralGenerator", "GenieGenerator")
    return {
        "k-means": generate.KMeansGenerator(n_clusters=ends),
        "spectral": generate.NeighborSpectralGenerator(n_clusters=ends),
        "Genie": generate.GenieGenerator(n_clusters=ends),
        "landmarks": generate.LandmarkSpectralGenerator(n_clusters=ends),
        "trees": generate.HierarchicalGenerator(
            20, linkages=("average", "ward"), **half
        ),
        "mixtures": generate.MixtureGenerator(20, **half),
        "mixed": generate.MixedGenerator(
            [getattr(generate, name)(17) for name in three], n_clusters=ends
        ),
    }


#: What is compared: called with data, the number of clusters and a seed.
METHODS: dict[str, Callable[[Floats, int, int], Labels]] = {
    OURS: _consensus,
    "single Genie": _single,
    "lwgp": partial(_published_method, name="lwgp"),
    "lwea": partial(_published_method, name="lwea"),
    **{
        f"{name} members": partial(_consensus, family=name)
        for name in (
            *("k-means", "spectral", "Genie", "mixed"),
            *("landmarks", "trees", "mixtures"),
        )
    },
}


# -- running ---------------------------------------------------------------------------


def run(options: Options) -> None:
    """Score every method on every set and seed that has no row yet."""
    labels = _label_folder(options)
    run_jobs(TABLE, _jobs(options, labels), options, values=VALUES)
    write_label_files(labels)
    if options.data is not None:
        _write_published(options.data, options.results)


def _label_folder(options: Options) -> Path:
    """Where label files go: never into the repository."""
    if options.results.resolve() == RESULTS.resolve():
        return RESULTS.parents[2] / "build" / "leaderboards" / "labels"
    return options.results / "labels"


def _jobs(options: Options, labels: Path) -> Iterator[Job]:
    found = data_sets.sources(options.data, kinds=("single",))
    # The split that the default was chosen by.
    half = data_sets.halves([one.name for one in found])
    names = [one.name for one in found if _takes_part(one.name, options)]
    methods = [one for one in METHODS if not options.methods or one in options.methods]
    if options.smoke:
        names, methods = names[:1], methods[:3]
    seeds = options.seeds[: 1 if options.smoke else None]
    # Small sets come first: a run that is stopped has compared all methods on some.
    for seed in seeds:
        for name in names:
            for method in methods:
                key = dict(zip(KEY, (name, half[name], method, seed), strict=True))
                yield Job(key, score, {"folder": options.data, "labels": labels})


def _takes_part(name: str, options: Options) -> bool:
    if options.sets and name not in options.sets:
        return False
    if options.data is None:
        return True
    published = options.data / "published" / "gagolewski_public.csv"
    return name in {row["data"] for row in read(published)}


def references(data: str, folder: Path | None) -> tuple[Floats, list[Labels]]:
    """A set as it is, and its reference labels.

    Parameters
    ----------
    data : str
        Name of the set.

    folder : path or None
        Where it is; None for a set of scikit-learn.

    Returns
    -------
    X : ndarray of shape (n_objects, n_features)
        The table.

    references : list of ndarray of shape (n_objects,)
        Classes from 0 on, -1 for noise.
    """
    if folder is None:
        X, y = data_sets.BUILT_IN["single"][data]()
        return X, [y]
    with np.load(folder / "single" / f"{data}.npz", allow_pickle=False) as file:
        names = sorted(name for name in file.files if name[0] == "y")
        return file["X"].astype(float), [file[name].astype(int) for name in names]


def score(
    data: str, half: str, method: str, seed: int, folder: Path | None, labels: Path
) -> dict[str, float]:
    """Cluster a set with shuffled rows for each number of clusters, and score it.

    Parameters
    ----------
    data, half, method, seed : str, str, str, int
        What is clustered by whom; the half only tells rows apart.

    folder : path or None
        Where the data are.

    labels : path
        Where the labels of the first seed go, in the order of the rows of the set.

    Returns
    -------
    values : dict
        The best adjusted Rand index and normalised clustering accuracy over the
        references, how many references there are, how many results had a wrong number
        of clusters, and the seconds of CPU of the clusterings.
    """
    from comitia.agreement import agreement

    X, known = references(data, folder)
    order = np.random.RandomState(seed).permutation(len(X))
    of_k: dict[int, list[Labels]] = defaultdict(list)
    for y in known:
        of_k[len(np.unique(y[y >= 0]))].append(y)
    aris, ncas, n_wrong, cpu = [0.0], [0.0], 0, 0.0
    for k, ys in of_k.items():
        start = process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # fewer clusters show in the score
            shuffled = METHODS[method](X[order], k, seed)
        cpu += process_time() - start
        found = np.empty(len(X), dtype=np.int64)
        found[order] = np.unique(shuffled, return_inverse=True)[1]
        if found.max() + 1 != k:
            n_wrong += 1
            continue
        if seed == 0:
            _write_column(labels / "columns" / f"{data}.result{k}", method, found + 1)
        for y in ys:
            a, b = y[y >= 0], found[y >= 0]
            aris.append(float(agreement(a, b, "adjusted_rand")))
            ncas.append(normalized_clustering_accuracy(a, b))
    values = (len(X), max(aris), max(ncas), len(known), n_wrong, cpu)
    return dict(zip(VALUES, values, strict=True))


def normalized_clustering_accuracy(classes: ArrayLike, labels: ArrayLike) -> float:
    r"""Mean share of each class that its own cluster has, above that of chance.

    With the number of objects :math:`c_{ij}` of class i in cluster j, K classes and
    clusters, and each class given another cluster :math:`\sigma(i)`,

    .. math::
        \max_\sigma \frac{1}{K} \sum_i \frac{c_{i\sigma(i)} / c_{i\cdot} - 1/K}{1 - 1/K}

    Small classes count as much as large ones [1]_. There may be fewer clusters than
    classes where a cluster has noise points only.

    Parameters
    ----------
    classes, labels : array-like of shape (n_objects,)
        The reference, and what was found.

    Returns
    -------
    accuracy : float
        1 for the same clusters, about 0 by chance.

    References
    ----------
    .. [1] M. Gagolewski, "Normalised clustering accuracy: An asymmetric external
       cluster validity measure", Journal of Classification 42, 2025.
       :doi:`10.1007/s00357-024-09482-2`

    Examples
    --------
    >>> normalized_clustering_accuracy([0, 0, 0, 0, 1, 1], [0, 0, 0, 1, 1, 1])
    0.75
    """
    from scipy.optimize import linear_sum_assignment

    from comitia.agreement import contingency_table

    table = contingency_table(classes, labels)
    K = len(table)
    shares = table / table.sum(axis=1, keepdims=True)
    given = linear_sum_assignment(shares, maximize=True)
    return float((shares[given].sum() / K - 1 / K) / (1 - 1 / K))


# -- files as the author has them ------------------------------------------------------

#: Sets whose names do not begin with that of their battery.
_BATTERIES = {
    **dict.fromkeys(("glass", "ionosphere", "segment", "wdbc", "wine", "yeast"), "uci"),
    **dict.fromkeys(("fcps", "graves", "sipu", "wut"), ""),
}


def _write_column(stem: Path, method: str, labels: Labels) -> None:
    stem.mkdir(parents=True, exist_ok=True)
    np.savetxt(stem / f"{method}.txt", labels, fmt="%d")


def write_label_files(folder: Path) -> None:
    """Put the columns of the methods side by side, as the author's files have them.

    Parameters
    ----------
    folder : path
        With ``columns/<set>.result<k>/<method>.txt``. Written are
        ``original/comitia/<battery>/<set>.result<k>.gz``: text, a head line with the
        names of the methods, then a line for each object with labels from 1 on.
    """
    for stem in sorted((folder / "columns").glob("*")):
        columns = {path.stem: path.read_text().split() for path in stem.glob("*.txt")}
        names = [name for name in METHODS if name in columns]
        lines = [
            ",".join(f"comitia_{name.replace(' ', '_')}" for name in names),
            *map(",".join, zip(*(columns[name] for name in names), strict=True)),
        ]
        battery, name = battery_of(stem.name)
        path = folder / "original" / "comitia" / battery / f"{name}.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        # No time and no name inside: the same labels give the same bytes.
        path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))


def battery_of(name: str) -> tuple[str, str]:
    """The folder of a set in the author's repository, and its name there.

    Parameters
    ----------
    name : str
        As it is called here, such as "wut_x2" or "iris".

    Returns
    -------
    battery, name : str
        Such as "wut" and "x2", or "other" and "iris".
    """
    first, _, rest = name.partition("_")
    if _BATTERIES.get(first) == "":
        return first, rest
    return _BATTERIES.get(name.partition(".")[0], "other"), name


# -- beside the published labels -------------------------------------------------------


def _write_published(data: Path, results: Path) -> None:
    """Keep the adjusted Rand index of the best published variant of each family."""
    variants: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row in read(data / "published" / "gagolewski_public.csv"):
        variants[row["family"], row["method"]][row["data"]] = row["ari"]
    # Of each family the last one stays, which is the best.
    best = dict(sorted(variants, key=lambda one: _total(variants[one])))
    sets = sorted({name for scores in variants.values() for name in scores})
    rows = (
        # A set that a variant has no result of counts as the worst.
        {"data": one, **{m: variants[f, m].get(one, "0") for f, m in best.items()}}
        for one in sets
    )
    write(results / f"{PUBLISHED}.csv", ("data", *best.values()), rows)


def _total(scores: Mapping[str, str]) -> float:
    return sum(map(float, scores.values()))
