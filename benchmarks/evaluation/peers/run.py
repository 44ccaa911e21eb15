"""Measure our tools and those of other packages on the same input."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.peers import junk
from benchmarks.evaluation.store import Job, Options
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.evaluation.tools import TOOLS, absent, versions

__all__ = ["PLANTED", "cases", "load_case", "measure", "run"]

#: Planted members: share of junk and of random labels in junk, and imbalance.
PLANTED = {
    "equal sizes": (0.0, 0.9, 1.0),
    "unequal sizes": (0.0, 0.9, 16.0),
    "14 of 20 junk": (0.7, 0.9, 1.0),
    "14 of 20 junk, unequal": (0.7, 0.9, 16.0),
}
N_PLANTED, M_PLANTED, N_SEEDS = 2000, 20, 3
#: To how many objects larger sets are cut; all tools are to have a chance.
MAX_OBJECTS, SMOKE_OBJECTS = 600, 60
SMOKE_CASES = ("equal sizes", "iris", "iris_views", "waves")

Labels = NDArray[np.int64]


def run(options: Options) -> None:
    """Measure the tools, and then the grid of junk.

    ``options.sets`` are cases and ``options.methods`` are tools.
    """
    start = monotonic()
    about = {"peers": versions(), "absent": absent()}
    values = ("package", "n_objects", "k", "nmi", "ari")
    run_jobs(
        "peers",
        _jobs(options),
        options,
        values=values,
        about=about,
        # What is too slow for one seed is so for the others.
        after_timeout=lambda job: (job.key["case"], job.key["tool"]),
    )
    if options.stop_after is not None:
        left = max(options.stop_after - (monotonic() - start), 0.0)
        options = replace(options, stop_after=left)
    junk.run(options)


def _jobs(options: Options) -> Iterator[Job]:
    n = SMOKE_OBJECTS if options.smoke else None
    tools = _tools(options)
    for seed in options.seeds[: 1 if options.smoke else N_SEEDS]:
        for takes, case in cases():
            asked = SMOKE_CASES if options.smoke else options.sets
            if asked and case not in asked:
                continue
            for name in tools:
                if TOOLS[name].takes == takes:
                    key = {"case": case, "tool": name, "seed": seed}
                    yield Job(key, measure, {"n_objects": n})


def _tools(options: Options) -> list[str]:
    missing = absent()
    here = [name for name, tool in TOOLS.items() if tool.package not in missing]
    if options.smoke:  # one of each package for each kind of input
        first = {(TOOLS[name].package, TOOLS[name].takes): name for name in here[::-1]}
        here = [name for name in here if name in first.values()]
    return [name for name in here if not options.methods or name in options.methods]


def cases() -> Iterator[tuple[str, str]]:
    """The cases: what tools start from, and a name.

    Yields
    ------
    takes, case : str, str
        For :func:`load_case`.
    """
    for name in (*PLANTED, "k-means of digits"):
        yield "labels", name
    kinds = {"table": "single", "views": "views", "series": "series"}
    for takes, kind in kinds.items():
        for name in data_sets.BUILT_IN[kind]:
            yield takes, name


@lru_cache(maxsize=2)
def load_case(case: str, seed: int, n_objects: int | None) -> tuple[Any, Labels]:
    """What the tools get, and the classes.

    Parameters
    ----------
    case : str
        A name of :func:`cases`.

    seed : int
        Of what is made.

    n_objects : int or None
        How many objects; None for as many as are meant to be.

    Returns
    -------
    given : ndarray or list of ndarray
        The input.

    classes : ndarray of shape (n_objects,)
        The classes.
    """
    if case in PLANTED:
        share, noise, imbalance = PLANTED[case]
        n = n_objects or N_PLANTED
        return junk.planted_with_junk(n, M_PLANTED, share, noise, imbalance, seed)
    most = n_objects or MAX_OBJECTS
    if case == "k-means of digits":
        data = data_sets.load("single", "digits", None, n_objects)
        return _kmeans_members(data.X, seed), data.y
    kind = next(kind for kind, sets in data_sets.BUILT_IN.items() if case in sets)
    data = data_sets.load(kind, case, None, most)
    if kind == "views":
        return [data_sets.standardized(X) for X in data.X], data.y
    if kind == "series":
        return data_sets.one_length(data.X), data.y
    return data.X, data.y


def _kmeans_members(X: Any, seed: int) -> Labels:
    """Labels of 20 runs of k-means, each with its own number of clusters."""
    from sklearn.cluster import KMeans

    rng = np.random.RandomState(seed)
    most = int(len(X) ** 0.5)
    members = [
        KMeans(rng.randint(2, most + 1), n_init=1, random_state=rng).fit(X).labels_
        for _ in range(M_PLANTED)
    ]
    return np.stack(members, axis=1).astype(np.int64)


def measure(case: str, tool: str, seed: int, n_objects: int | None) -> dict[str, Any]:
    """What a tool finds in a case, and what it costs.

    Parameters
    ----------
    case, tool, seed : str, str, int
        What is given to whom.

    n_objects : int or None
        As for :func:`load_case`.

    Returns
    -------
    values : dict
        The cells of the row.
    """
    from comitia.agreement import agreement

    given, classes = load_case(case, seed, n_objects)
    few = _first_objects(given, 40)
    k = len(np.unique(classes))
    labels, costs = TOOLS[tool].measured(given, few, k, seed)
    return {
        "package": TOOLS[tool].package,
        "n_objects": len(classes),
        "k": len(np.unique(labels)),
        "nmi": agreement(labels, classes, "nmi_sqrt"),
        "ari": agreement(labels, classes, "adjusted_rand"),
        **costs,
    }


def _first_objects(given: Any, n: int) -> Any:
    return [one[:n] for one in given] if isinstance(given, list) else given[:n]
