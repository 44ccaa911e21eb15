"""Time series by the protocol of tsml-eval, beside tslearn and aeon in the same run.

Train and test together, k given, rows shuffled with the seed. The published means are
over 93 sets of the UCR archive; here are the 33 public sets of our data, some of which
are of other archives. Peers of a package that is not installed are left out.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.leaderboards import standings
from benchmarks.evaluation.leaderboards.paired import source
from benchmarks.evaluation.pages import NOT_MEASURED, enumerated, list_table, number
from benchmarks.evaluation.store import Job, Options, Row, read
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.view_default import halves

__all__ = ["KEY", "METHODS", "PUBLISHED", "answer", "fit", "page", "run"]

KEY = ("data", "method", "seed")
TABLE = "leaderboard_series"
DEFAULT = "time_series"
#: Mean adjusted Rand index over 93 sets of the archive, as published.
PUBLISHED = {
    "shape-DBA": 0.258,
    "k-shape": 0.239,
    "KASBA": 0.236,
    "k-means (Euclidean)": 0.208,
}
#: What warps series is tried where objects times squared length is no more, and hidden
#: Markov models where numbers times classes are no more.
MOST_WARPED, MOST_MODELLED = 5_000_000, 2_000_000
PACKAGES, ABSENT = ("tslearn", "aeon"), "not installed"

Series = list[NDArray[np.float64]]
Labels = NDArray[Any]


def _ours(series: Series, k: int, seed: int, id: str) -> Labels:
    import comitia

    return comitia.method(id)(n_clusters=k, random_state=seed).fit_predict(series)


def _values(series: Series, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    table = data_sets.one_length(series).reshape(len(series), -1)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(table)


def _standardized(series: Series) -> Any:
    """Series of one length, each channel standardised, with channels before time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that it can do without
        from tslearn.preprocessing import TimeSeriesScalerMeanVariance

    X = data_sets.one_length(series).transpose(0, 2, 1)
    return TimeSeriesScalerMeanVariance().fit_transform(X).transpose(0, 2, 1)


def _tslearn(series: Series, k: int, seed: int, kind: str) -> Labels:
    X = _standardized(series).transpose(0, 2, 1)
    from tslearn.clustering import KShape, TimeSeriesKMeans

    if kind == "k-shape":
        return KShape(k, n_init=1, random_state=seed).fit_predict(X)
    if kind == "DTW":
        made = TimeSeriesKMeans(k, metric="dtw", max_iter=10, random_state=seed)
        return made.fit_predict(X)
    return TimeSeriesKMeans(k, n_init=10, random_state=seed).fit_predict(X)


def _aeon(series: Series, k: int, seed: int, kind: str) -> Labels:
    X = _standardized(series)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of packages that it can do without
        from aeon.clustering import KASBA, TimeSeriesKMeans

    if kind == "KASBA":
        return KASBA(k, random_state=seed).fit_predict(X)
    made = TimeSeriesKMeans(
        k,
        distance="shape_dtw",
        average_params={"distance": "shape_dtw"},
        n_init=1,
        max_iter=10,
        random_state=seed,
    )
    return made.fit_predict(X)


WARPED = "tslearn k-means, DTW barycentres"
SHAPE_DBA = "aeon shape-DBA"
TSLEARN = {
    "tslearn k-shape": partial(_tslearn, kind="k-shape"),
    "tslearn k-means": partial(_tslearn, kind="euclidean"),
    WARPED: partial(_tslearn, kind="DTW"),
}
#: They take series as tslearn scales them, and need both packages.
AEON = {
    "aeon KASBA": partial(_aeon, kind="KASBA"),
    SHAPE_DBA: partial(_aeon, kind="shape-DBA"),
}
#: What is compared: called with series, the number of clusters and a seed.
METHODS: dict[str, Callable[[Series, int, int], Labels]] = {
    DEFAULT: partial(_ours, id=DEFAULT),
    "yang_chen_2011": partial(_ours, id="yang_chen_2011"),
    "yang_jiang_2018": partial(_ours, id="yang_jiang_2018"),
    "scikit-learn k-means": _values,
    **TSLEARN,
    **AEON,
}
OURS = (DEFAULT, "yang_chen_2011", "yang_jiang_2018")


def run(options: Options) -> None:
    """Score the methods on every set that has no row yet."""
    found = {name: _version(name) for name in PACKAGES}
    run_jobs(
        TABLE,
        _jobs(options, _methods({name for name in found if found[name] != ABSENT})),
        options,
        values=("half", "n_objects", "length", "k", *standings.SCORES),
        after_timeout=lambda job: (job.key["data"], job.key["method"]),
        about={"peers": found},
    )


def _version(package: str) -> str:
    if importlib.util.find_spec(package) is None:
        return ABSENT
    return importlib.metadata.version(package)


def _methods(installed: set[str]) -> list[str]:
    """What can be compared where only some packages of peers are installed."""
    absent = set(PACKAGES) - installed
    # aeon's methods take series as tslearn scales them.
    left_out = {*(TSLEARN if "tslearn" in absent else ()), *(AEON if absent else ())}
    return [name for name in METHODS if name not in left_out]


def _jobs(options: Options, methods: list[str]) -> Iterator[Job]:
    found = data_sets.sources(options.data, kinds=("series",))
    half_of = halves([one.name for one in found])
    if options.smoke:
        found, methods = found[:1], [DEFAULT, "scikit-learn k-means"]
    if options.methods:
        methods = [one for one in methods if one in options.methods]
    for seed in options.seeds[: 1 if options.smoke else None]:
        for one in found:
            for method in methods:
                if _too_large(method, one, options.data):
                    continue
                key = {"data": one.name, "method": method, "seed": seed}
                also = {"half": half_of[one.name], "folder": options.data}
                yield Job(key, fit, also)


def _too_large(method: str, one: data_sets.Source, folder: Path | None) -> bool:
    if method in (WARPED, SHAPE_DBA):
        return one.size**2 / one.n_objects > MOST_WARPED
    if method == "yang_jiang_2018":
        k = data_sets.load("series", one.name, folder).n_clusters
        return one.size * k > MOST_MODELLED
    return False


def fit(
    data: str, method: str, seed: int, half: str, folder: Path | None
) -> dict[str, Any]:
    """Score one method on one set, its rows in an order that the seed draws."""
    found = data_sets.load("series", data, folder)
    order = np.random.RandomState(seed).permutation(len(found.y))
    series, y = [found.X[i] for i in order], found.y[order]
    k = found.n_clusters
    labels, seconds = standings.timed(lambda: METHODS[method](series, k, seed))
    return {
        "half": half,
        "n_objects": len(y),
        "length": max(one.shape[1] for one in series),
        "k": k,
        **standings.scores(labels, y),
        "seconds": seconds,
    }


# -- what is said of it ----------------------------------------------------------------


def answer(results: Path) -> str:
    """Who is better on time series, and by how much."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    peers = [name for name in METHODS if name not in OURS]
    best = standings.best_of(rows, peers)
    told = standings.compared(rows, DEFAULT, best)
    assert told is not None
    aside = [row for row in rows if row["half"] == standings.CONFIRM]
    again = standings.compared(aside, DEFAULT, best)
    found = standings.means(rows)
    ours, theirs = (float(np.mean([*found[one].values()])) for one in (DEFAULT, best))
    text = (
        f"On {told.n_sets} sets of time series our default has a mean ARI of "
        f"{ours:.3f} and {best}, the best peer of the same run, {theirs:.3f}: "
        f"{told.told()}."
    )
    if again is not None:
        text += (
            f" On the {again.n_sets} of them that the default was not chosen on: "
            f"{again.told()}."
        )
    return text


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the board."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    published = [[name, number(value)] for name, value in PUBLISHED.items()]
    texts = [
        answer(results),
        "",
        _TOLD,
        standings.table(rows, DEFAULT),
        "",
        standings.LEGEND,
        _easier(rows),
        list_table(["published, 93 sets", "ARI"], published),
        "",
        standings.packages(results, "series"),
        source(results, "series"),
    ]
    return "\n".join(texts)


_TOLD = f"""\
The protocol is that of tsml-eval: train and test part together, the number of classes
given, scores by the adjusted Rand index. Rows are in an order that the seed draws, and
parameters were fixed before the run. tslearn and aeon get series of one length, each
standardised; tslearn's k-means has ten starts, its k-shape one, and k-means with
barycentres of dynamic time warping ten rounds. aeon's KASBA has its defaults, and
shape-DBA is its k-means with distances and barycentres of shape-DTW, one start and ten
rounds. What warps all pairs of values is tried on sets of which the number of series
times the squared number of values of one is at most {MOST_WARPED:,}. scikit-learn's
k-means gets the series as they are. ``yang_jiang_2018`` is tried where all values times
the number of classes are at most {MOST_MODELLED:,}, a rule that was made while it ran,
for its time.
"""


def _easier(rows: list[Row]) -> str:
    """How the sets compare with the published ones, by what ran on both."""
    found = standings.means(rows)
    both = {
        "tslearn k-shape": "k-shape",
        "tslearn k-means": "k-means (Euclidean)",
        "aeon KASBA": "KASBA",
    }
    told = [
        f"{theirs} has {np.mean([*found[ours].values()]):.3f} here and "
        f"{PUBLISHED[theirs]:.3f} there"
        for ours, theirs in both.items()
        if ours in found
    ]
    n_sets = len({row["data"] for row in rows})
    text = (
        f"**These {n_sets} sets are not the 93 of the published means**, which cannot "
        "be compared with ours number by number"
    )
    return f"{text}: {enumerated(told)}.\n" if told else f"{text}.\n"
