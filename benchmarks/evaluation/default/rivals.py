"""The default beside single algorithms and published methods, on tables as they are."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.store import Job, Options, read
from benchmarks.evaluation.store import run as run_jobs

__all__ = ["RIVALS", "quick_rivals", "run", "score_battery", "score_table"]

Floats = NDArray[np.float64]

#: To how many objects tables are cut; those of the battery, which others cut nowhere.
MAX_OBJECTS, MAX_BATTERY, SMOKE_OBJECTS = 2000, 10_000, 60
#: The least cluster sizes of which HDBSCAN takes the one that gives k clusters.
LEAST_SIZES = (2, 3, 5, 8, 12, 20, 30, 50)
#: What takes longer, in seconds of CPU, has failed.
MOST_SECONDS = 60.0
#: What took longer on a table's first seed is not run with others: its cell is empty.
ONCE_SECONDS = 10.0


def _consensus(X: Floats, k: int, seed: int, **settings: Any) -> NDArray[Any]:
    from comitia import ConsensusClustering

    return ConsensusClustering(k, random_state=seed, **settings).fit_predict(X)


def _means(X: Floats, k: int, seed: int, n_clusters: Any = None) -> NDArray[Any]:
    """The default of before: k-means members, with a range that knows k or not."""
    from comitia.generate import KMeansGenerator

    ends = (k, None) if n_clusters == "k" else None
    return _consensus(X, k, seed, generator=KMeansGenerator(n_clusters=ends))


def _method(X: Floats, k: int, seed: int, name: str) -> NDArray[Any]:
    import comitia

    return comitia.method(name)(n_clusters=k, random_state=seed).fit_predict(X)


def _genie(X: Floats, k: int, seed: int) -> NDArray[Any]:
    from comitia.cluster import Genie

    return Genie(k).fit_predict(X)


def _sklearn(X: Floats, k: int, seed: int, name: str, **settings: Any) -> NDArray[Any]:
    from sklearn import cluster, mixture

    home = mixture if name == "GaussianMixture" else cluster
    counts = "n_components" if home is mixture else "n_clusters"
    model = getattr(home, name)(**{counts: k}, **settings)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model.fit_predict(X)


def _hdbscan(X: Floats, k: int, seed: int) -> NDArray[Any]:
    """The least size whose number of clusters is nearest; noise is one more cluster."""
    from sklearn.cluster import HDBSCAN

    found = [
        HDBSCAN(min_cluster_size=size, copy=True).fit_predict(X)
        for size in LEAST_SIZES
        if size < len(X)
    ]
    return min(found, key=lambda labels: abs(labels.max() + 1 - k))


#: What is compared: called with data, the number of clusters and a seed.
RIVALS: dict[str, Callable[[Floats, int, int], NDArray[Any]]] = {
    "default": _consensus,
    "k-means members": _means,
    "k-means members, k to 2k": partial(_means, n_clusters="k"),
    "lwgp": partial(_method, name="lwgp"),
    "lwea": partial(_method, name="lwea"),
    "eac": partial(_method, name="eac"),
    "kcc": partial(_method, name="kcc"),
    "k-means": partial(_sklearn, name="KMeans", n_init=10),
    "bisecting k-means": partial(_sklearn, name="BisectingKMeans", n_init=10),
    "Ward": partial(_sklearn, name="AgglomerativeClustering"),
    "average linkage": partial(
        _sklearn, name="AgglomerativeClustering", linkage="average"
    ),
    "Gaussian mixture": partial(
        _sklearn, name="GaussianMixture", n_init=3, reg_covar=1e-4
    ),
    "spectral, neighbors": partial(
        _sklearn, name="SpectralClustering", affinity="nearest_neighbors"
    ),
    "spectral, rbf": partial(_sklearn, name="SpectralClustering"),
    "HDBSCAN": _hdbscan,
    "Genie": _genie,
}

#: Those that end in reasonable time on ten thousand objects.
ON_BATTERY = (
    *("default", "k-means members", "k-means members, k to 2k", "lwgp", "lwea"),
    *("k-means", "Gaussian mixture", "spectral, neighbors", "Genie"),
)


def run(options: Options, halves: Callable[..., dict[str, str]]) -> None:
    """Score the rivals on every table and seed that has no row yet.

    Parameters
    ----------
    options : Options
        What the command line asks for.

    halves : callable
        Says for names of data sets which are there to choose and which to confirm.
    """
    values = [*RIVALS, *(f"{name} s" for name in RIVALS)]
    run_jobs("default_rivals", _jobs(options, halves), options, values=values)
    if options.data is not None and (battery := list(_battery_jobs(options))):
        values = [*ON_BATTERY, *(f"{name} s" for name in ON_BATTERY)]
        run_jobs("default_battery", battery, options, values=values)


def _jobs(options: Options, halves: Callable[..., dict[str, str]]) -> Iterator[Job]:
    most = SMOKE_OBJECTS if options.smoke else options.max_objects or MAX_OBJECTS
    found = data_sets.sources(options.data, max_objects=most, kinds=("single",))
    half = halves([one.name for one in found])
    if options.sets:
        found = [one for one in found if one.name in options.sets]
    found = found[:2] if options.smoke else found
    rows = read(options.results / "default_rivals.csv")
    first = {row["data"]: row for row in reversed(rows) if row["status"] == "ok"}
    for seed in options.seeds[: 1 if options.smoke else None]:
        for source in found:
            key = {
                "data": source.name,
                "half": half[source.name],
                "n_objects": source.n_objects,
                "seed": seed,
            }
            arguments = {
                "folder": options.data,
                "max_objects": most,
                "names": quick_rivals(first.get(source.name)),
            }
            yield Job(key, score_table, arguments)


def quick_rivals(row: Mapping[str, str] | None) -> tuple[str, ...]:
    """The rivals that one more seed is worth its time for.

    Parameters
    ----------
    row : dict or None
        The row of another seed, if there is one.

    Returns
    -------
    names : tuple of str
        All of them, less those that took more than :data:`ONCE_SECONDS`.
    """
    if row is None:
        return tuple(RIVALS)
    seconds = {name: row[f"{name} s"] for name in RIVALS}
    return tuple(name for name, s in seconds.items() if s and float(s) <= ONCE_SECONDS)


def _battery_jobs(options: Options) -> Iterator[Job]:
    assert options.data is not None
    published = options.data / "published" / "gagolewski_public.csv"
    if not published.exists():
        return
    lines = published.read_text().splitlines()[1:]
    for name in sorted({line.split(",")[0] for line in lines}):
        if not options.sets or name in options.sets:
            yield Job({"data": name}, score_battery, {"folder": options.data})


def score_table(
    data: str,
    half: str,
    n_objects: int,
    seed: int,
    folder: Path | None,
    max_objects: int,
    names: tuple[str, ...] = tuple(RIVALS),
) -> dict[str, float]:
    """Score rivals on a standardised table, its rows in random order.

    Parameters
    ----------
    data : str
        Name of the data set.

    half, n_objects : str, int
        What it is for, and its size; only tell rows apart.

    seed : int
        Of the order of the rows, and of the rivals.

    folder : path or None
        Where the data are.

    max_objects : int
        To how many objects large sets are cut.

    names : tuple of str, default=all
        The rivals.

    Returns
    -------
    scores : dict of str to float
        Adjusted Rand index of each rival, 0 if it failed, and its seconds of CPU.
    """
    found = data_sets.load("single", data, folder, max_objects)
    order = np.random.RandomState(seed).permutation(len(found.y))
    X, y = found.X[order], found.y[order]
    return _scores(X, [y], found.n_clusters, seed, names)


def score_battery(data: str, folder: Path) -> dict[str, float]:
    """Score rivals on a set of Gagolewski's battery, by his protocol.

    Parameters
    ----------
    data : str
        Name of the data set.

    folder : path
        Where the data are.

    Returns
    -------
    scores : dict of str to float
        The best adjusted Rand index over the reference labels, each with its own
        number of clusters, and the seconds of CPU.
    """
    with np.load(folder / "single" / f"{data}.npz", allow_pickle=False) as file:
        X = file["X"].astype(np.float64)
        names = sorted(name for name in file.files if name[0] == "y")
        references = [file[name].astype(np.int64) for name in names]
    order = np.random.RandomState(0).permutation(len(X))[:MAX_BATTERY]
    of_k: dict[int, list[NDArray[np.int64]]] = {}
    for y in references:
        of_k.setdefault(len(np.unique(y[y >= 0])), []).append(y[order])
    found = [_scores(X[order], ys, k, 0, ON_BATTERY) for k, ys in of_k.items()]
    return {name: max(one[name] for one in found) for name in found[0]}


@contextmanager
def _no_longer_than(seconds: float) -> Iterator[None]:
    """Stop what is inside after so much CPU; scikit-learn's rbf graph may never end."""

    def stop(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _scores(
    X: Floats, references: list[Any], k: int, seed: int, names: tuple[str, ...]
) -> dict[str, float]:
    from comitia.agreement import agreement

    scores = {}
    for name in names:
        start = process_time()
        try:
            with warnings.catch_warnings(), _no_longer_than(MOST_SECONDS):
                warnings.simplefilter("ignore")  # fewer clusters show in the score
                labels = RIVALS[name](X, k, seed)
            scores[name] = max(
                float(agreement(labels[y >= 0], y[y >= 0], "adjusted_rand"))
                for y in references
            )
        except (ArithmeticError, ValueError, TimeoutError, np.linalg.LinAlgError):
            scores[name] = 0.0
        scores[f"{name} s"] = process_time() - start
    return scores
