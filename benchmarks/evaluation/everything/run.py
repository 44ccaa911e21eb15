"""Fit every method on every data set that it can take."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.data import DataSet, Source
from benchmarks.evaluation.store import Job, Options, read
from benchmarks.evaluation.store import run as run_jobs

__all__ = [
    "REFERENCE",
    "applicable",
    "compile_kernels",
    "describe",
    "fit",
    "jobs",
    "run",
    "scores",
]

#: What is done without an ensemble.
REFERENCE = "k-means"
MEASURES = {"ari": "adjusted_rand", "nmi": "nmi_arithmetic"}
MEMBERS = ("n_members", "best_member_ari", "mean_member_ari")
#: What ``everything_sets.csv`` says of the classes of a data set.
DESCRIBED = ("n_classes", "balance")
VALUES = ("n_clusters", "n_found", *MEASURES, *MEMBERS)
LINKAGES: tuple[Any, ...] = ("single", "average", "weighted", "complete")
#: Ten seconds and more where the others take a tenth of one.
SLOW = ("mwk_central", "yang_jiang_2018", "zhou_zhu_2017")
TINY = 40


def run(options: Options) -> None:
    """Fit everything that has no row yet."""
    start = time.monotonic()
    run_jobs("everything_sets", _set_jobs(options), options, values=DESCRIBED)
    todo = list(jobs(options))
    if not options.smoke and len(read(options.results / "everything.csv")) < len(todo):
        compile_kernels(dict.fromkeys(job.key["method"] for job in todo), options)
    if options.stop_after is not None:
        left = options.stop_after - (time.monotonic() - start)
        options = replace(options, stop_after=max(left, 0.0))
    run_jobs(
        "everything",
        todo,
        options,
        values=VALUES,
        # What one seed did not end in time, another will not.
        after_timeout=lambda job: (job.key["data"], job.key["method"]),
    )


def compile_kernels(methods: Iterable[str], options: Options) -> None:
    """Fit methods on tiny data, so that numba keeps what they need compiled.

    Parameters
    ----------
    methods : iterable of str
        Catalogue ids.

    options : Options
        How many processes, and when to stop.
    """
    found = _first_of_each_kind(data_sets.sources(None, max_objects=TINY))
    with TemporaryDirectory() as folder:
        tiny = replace(
            options,
            data=None,
            results=Path(folder),
            max_objects=TINY,
            seeds=(0,),
            methods=tuple(methods),
            time_limit=120.0,
        )
        # The slow ones first, or all would wait for them at the end.
        todo = sorted(
            _jobs_on(found, tiny), key=lambda job: job.key["method"] not in SLOW
        )
        run_jobs("compiling", todo, tiny, values=VALUES)


def _found(options: Options) -> list[Source]:
    if options.smoke:
        options = replace(options, max_objects=TINY)
    found = data_sets.sources(options.data, max_objects=options.max_objects)
    if options.sets:
        found = [one for one in found if one.name in options.sets]
    return _first_of_each_kind(found) if options.smoke else found


def _set_jobs(options: Options) -> Iterator[Job]:
    for one in _found(options):
        key = {"kind": one.kind, "data": one.name, "n_objects": one.n_objects}
        yield Job(key, describe, {"folder": options.data})


def describe(
    kind: str, data: str, n_objects: int, folder: Path | None
) -> dict[str, Any]:
    """What the classes of a data set are like.

    Parameters
    ----------
    kind, data : str
        The data set.

    n_objects : int
        To how many objects it is cut.

    folder : path or None
        Where the data are.

    Returns
    -------
    values : dict
        Number of classes, and their balance: their entropy as a share of what it would
        be if all were of equal size.
    """
    y = data_sets.load(kind, data, folder, n_objects).y
    p = np.unique(y[y >= 0], return_counts=True)[1] / np.sum(y >= 0)
    entropy = float(-(p * np.log(p)).sum())
    balance = entropy / np.log(len(p)) if len(p) > 1 else 1.0
    return {"n_classes": len(p), "balance": balance}


def jobs(options: Options) -> Iterator[Job]:
    """The fits, in the order in which they are begun.

    Parameters
    ----------
    options : Options
        What the command line asks for.

    Yields
    ------
    job : Job
        One fit.
    """
    if options.smoke:
        options = replace(options, max_objects=TINY, seeds=options.seeds[:1])
    first = options.seeds[0]

    def turn(job: Job) -> int:
        return 2 * (job.key["seed"] != first) + (job.key["method"] in SLOW)

    yield from sorted(_jobs_on(_found(options), options), key=turn)  # a stable sort


def _jobs_on(found: Sequence[Source], options: Options) -> Iterator[Job]:
    methods = {kind: applicable(kind) for kind in data_sets.KINDS}
    if options.smoke:
        methods = {kind: _one_of_each_need(ids) for kind, ids in methods.items()}
    arguments = {"folder": options.data, "max_objects": options.max_objects}
    for seed in options.seeds:
        for source in found:
            for method in methods[source.kind]:
                if not options.methods or method in options.methods:
                    key = {
                        "kind": source.kind,
                        "data": source.name,
                        "n_objects": source.n_objects,
                        "method": method,
                        "seed": seed,
                    }
                    yield Job(key, fit, arguments)


def applicable(kind: str) -> list[str]:
    """The methods that can take data of a kind.

    Parameters
    ----------
    kind : str
        A kind of data set.

    Returns
    -------
    ids : list of str
        Catalogue ids, and the reference where there is one.
    """
    from comitia.catalogue import find_methods

    kinds = {"views": "views", "series": "series", "graph": "graph"}
    ids = [
        card.id
        for card in find_methods()
        if next((kinds[need] for need in card.needs if need in kinds), "single") == kind
    ]
    return ids if kind == "graph" else [REFERENCE, *ids]


def fit(
    kind: str,
    data: str,
    n_objects: int,
    method: str,
    seed: int,
    folder: Path | None,
    max_objects: int | None,
) -> dict[str, Any]:
    """Fit one method on one data set and compare it with the classes.

    Parameters
    ----------
    kind, data : str
        The data set.

    n_objects : int
        How many objects it has; only tells rows apart.

    method : str
        Catalogue id, or the reference.

    seed : int
        Of the method, of what it is given, and of the constraints.

    folder : path or None
        Where the data are.

    max_objects : int or None
        To how many objects large sets are cut.

    Returns
    -------
    values : dict
        Scores of the consensus and of the members, and seconds.
    """
    import comitia

    about = (kind, data, folder, max_objects)
    found = data_sets.load(*about)
    k = found.n_clusters
    if method == REFERENCE:
        return _reference(found, k, seed)
    cls = comitia.method(method)
    # A method that finds the number of clusters itself may take none.
    chooses = cls._parameter_constraints["n_clusters"] == [None]
    estimator = cls(n_clusters=None if chooses else k, random_state=seed)
    X, given = _fit_arguments(estimator, found, about, seed)
    start = time.perf_counter()
    estimator.fit(X, **given)
    seconds = time.perf_counter() - start
    return {
        "n_clusters": k,
        **scores(found.y, estimator.labels_),
        **_member_scores(found.y, getattr(estimator, "ensemble_", None)),
        "seconds": seconds,
    }


def scores(y: NDArray[Any], labels: NDArray[Any]) -> dict[str, Any]:
    """Agreement with the classes, over the objects that have one.

    Parameters
    ----------
    y : ndarray of shape (n_objects,)
        The classes; -1 for none.

    labels : ndarray of shape (n_objects,)
        A clustering; objects with -1 are one more cluster.

    Returns
    -------
    values : dict
        Number of clusters and the measures.
    """
    from comitia.agreement import agreement

    known = y >= 0
    found = labels[known] - min(int(labels.min()), 0)
    return {
        "n_found": len(np.unique(labels)),
        **{
            name: float(agreement(found, y[known], measure))
            for name, measure in MEASURES.items()
        },
    }


def _member_scores(y: NDArray[Any], ensemble: Any) -> dict[str, Any]:
    """The best and the mean of the clusterings that were combined, if there are any."""
    from comitia import Ensemble
    from comitia.agreement import agreement_with

    if ensemble is None:
        return {}
    values: dict[str, Any] = {"n_members": ensemble.n_clusterings}
    if ensemble.kind == "overlapping":  # no member is a partition
        return values
    if ensemble.kind == "fuzzy":
        # The consensus is hard: so are its members, or none could be as good.
        ensemble = Ensemble(ensemble.labels)
    known = np.flatnonzero(y >= 0)
    alone = agreement_with(y[known], ensemble.take(objects=known), MEASURES["ari"])
    return {
        **values,
        "best_member_ari": float(alone.max()),
        "mean_member_ari": float(alone.mean()),
    }


def _reference(found: DataSet, k: int, seed: int) -> dict[str, Any]:
    from sklearn.cluster import KMeans

    table = found.table
    start = time.perf_counter()
    labels = KMeans(k, n_init=10, random_state=seed).fit_predict(table)
    seconds = time.perf_counter() - start
    return {"n_clusters": k, **scores(found.y, labels), "seconds": seconds}


# -- what a method is given ------------------------------------------------------------


def _fit_arguments(
    estimator: Any, found: DataSet, about: tuple[Any, ...], seed: int
) -> tuple[Any, dict[str, Any]]:
    """The arguments of ``fit``: the first, and those that have a name."""
    from comitia.generate import GraphGenerator

    needs = estimator.card.needs
    if "dendrograms" in needs:
        return _trees(found.X), {}
    if "constraints" in needs:
        must, cannot = data_sets.constraints(found.y, len(found.y), seed)
        return found.X, {"must_link": must, "cannot_link": cannot}
    if "graph" in needs:
        # Affinities lie between 0 and 1.
        graph = found.X / found.X.max()
        if "labels" not in needs:
            return graph, {}
        members = GraphGenerator(detector="louvain", random_state=seed).generate(
            found.X
        )
        return graph, {"ensemble": members}
    if "labels" in needs and _takes_default_members(estimator):
        members = _default_members(*about, seed)
        if "data" in needs:
            return found.X, {"ensemble": members}
        return members, {}
    return found.X, {}


def _takes_default_members(estimator: Any) -> bool:
    from sklearn.base import clone

    from comitia.generate import KMeansGenerator

    # A generator that is told the number of clusters makes members of its own.
    told = clone(estimator).set_params(n_clusters=7)
    return repr(told.get_generator()) == repr(KMeansGenerator())


@lru_cache(maxsize=2)
def _default_members(
    kind: str, data: str, folder: Path | None, max_objects: int | None, seed: int
) -> Any:
    from comitia.generate import KMeansGenerator

    X = data_sets.load(kind, data, folder, max_objects).X
    return KMeansGenerator(random_state=seed).generate(X)


def _trees(X: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    trees = [linkage(X, "ward")]
    for metric in ("euclidean", "cityblock"):
        distances = pdist(X, metric)
        trees += [linkage(distances, how) for how in LINKAGES]
    return trees


# -- what is left of it for a smoke test -----------------------------------------------


def _first_of_each_kind(found: Sequence[Source]) -> list[Source]:
    return [
        next(one for one in found if one.kind == kind)
        for kind in dict.fromkeys(one.kind for one in found)
    ]


def _one_of_each_need(ids: Sequence[str]) -> list[str]:
    import comitia

    needs = [() if one == REFERENCE else comitia.method(one).card.needs for one in ids]
    return [one for at, one in enumerate(ids) if needs.index(needs[at]) == at]
