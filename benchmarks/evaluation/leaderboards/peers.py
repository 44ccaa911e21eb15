"""Packages that people use for consensus clustering, on the same ensembles in one run.

Ensembles are draws of ten members of the published pools, whose members have different
numbers of clusters, and twenty runs of k-means at the number of classes on tables of
UCI: some packages take only members with as many clusters as they are asked for. Tools
that make their own members get the tables. A tool that fails is a row that says how.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.leaderboards import standings
from benchmarks.evaluation.leaderboards.paired import source
from benchmarks.evaluation.pages import NOT_MEASURED, list_table, section
from benchmarks.evaluation.pools import draw_of, load_pool, pools
from benchmarks.evaluation.store import Job, Options, Row, read
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.evaluation.tools import CPU_LIMIT, DEFAULT, TOOLS, absent, versions

__all__ = ["KEY", "OURS", "TABLES", "answer", "load_case", "measure", "page", "run"]

KEY = ("data", "method", "seed")
TABLE = "leaderboard_peers"
#: Our methods that stand beside the peers; the package has more.
OURS = (DEFAULT, "lwgp", "lwea", "eac", "kcc", "mcla", "cspa", "hbgf", "voting")
#: The tables: those of UCI with at most a thousand objects.
TABLES = (
    *("iris", "glass", "thyroid", "ionosphere", "wdbc", "breast_wisconsin"),
    *("authorship", "vehicle"),
)
#: Pools of more objects are left out: some peers have no chance there.
MAX_OBJECTS = 2400
#: k-means members of a table; objects of a smoke run.
N_MEMBERS, SMOKE_OBJECTS = 20, 60
#: What a case is of: the first word of its name, and what tools take from it.
KINDS = {"pool": "labels", "members": "labels", "table": "table"}
#: Our tool of each kind that the others are compared with.
REFERENCE = {"labels": DEFAULT, "table": "ConsensusClustering"}

Labels = NDArray[Any]


def run(options: Options) -> None:
    """Measure every tool that is installed on every case that has no row yet."""
    run_jobs(
        TABLE,
        _jobs(options),
        options,
        values=("package", "n_objects", "k", *standings.SCORES),
        after_timeout=lambda job: (job.key["data"], job.key["method"]),
        about={"peers": versions(), "absent": absent()},
    )


def _jobs(options: Options) -> Iterator[Job]:
    missing = absent()
    tools = [
        name
        for name, tool in TOOLS.items()
        if tool.takes in REFERENCE and tool.package not in missing
        if tool.takes == "table" or tool.package != "comitia" or name in OURS
    ]
    if options.smoke:
        tools = [*REFERENCE.values(), "scikit-learn k-means of rows"]
    for seed in options.seeds[: 1 if options.smoke else None]:
        for case in _cases(options):
            for name in tools:
                if TOOLS[name].takes == KINDS[case.split()[0]]:
                    key = {"data": case, "method": name, "seed": seed}
                    also = {"folder": options.data, "smoke": options.smoke}
                    yield Job(key, measure, also)


def _cases(options: Options) -> list[str]:
    found = data_sets.sources(options.data, kinds=("single",))
    tables = [one.name for one in found if one.name in TABLES]
    drawn = [
        name
        for name in pools(options)
        if len(load_pool(name, options.data)[1]) <= MAX_OBJECTS
    ]
    if options.smoke:
        tables, drawn = tables[:1], []
    return [
        *(f"members of {name}" for name in tables),
        *(f"table {name}" for name in tables),
        *(f"pool {name}" for name in drawn),
    ]


@lru_cache(maxsize=2)
def load_case(
    case: str, seed: int, folder: Path | None, smoke: bool = False
) -> tuple[Any, Labels]:
    """What the tools get, its objects in an order that the seed draws.

    Parameters
    ----------
    case : str
        Such as "pool VS", "members of iris" or "table iris".

    seed : int
        Of the order, and of the members of a table; the draw of a pool.

    folder : path or None
        Where the data are.

    smoke : bool, default=False
        Whether few objects are enough.

    Returns
    -------
    given : ndarray
        Members as columns, labels from 0; or a table with standardised columns.

    y : ndarray of shape (n_objects,)
        The classes.
    """
    kind, name = case.split()[0], case.split()[-1]
    given: Any
    y: Labels
    if kind == "pool":
        members, y = load_pool(name, folder)
        given = draw_of(members, seed + 1)
    else:
        most = SMOKE_OBJECTS if smoke else None
        data = data_sets.load("single", name, folder, most)
        given, y = data.X, data.y
        if kind == "members":
            given = _kmeans_members(data.X, data.n_clusters, seed)
    order = np.random.RandomState(seed).permutation(len(y))
    given = given[order]
    if KINDS[kind] == "labels":
        columns = [np.unique(one, return_inverse=True)[1] for one in given.T]
        given = np.stack(columns, axis=1).astype(np.int64)
    return given, y[order]


def _kmeans_members(X: Any, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    rng = np.random.RandomState(seed)
    made = [
        KMeans(k, n_init=1, random_state=rng).fit(X).labels_ for _ in range(N_MEMBERS)
    ]
    return np.stack(made, axis=1)


def measure(
    data: str, method: str, seed: int, folder: Path | None, smoke: bool = False
) -> dict[str, Any]:
    """What a tool finds in a case, and what it costs.

    Parameters
    ----------
    data, method : str
        The case, and a name of :data:`benchmarks.evaluation.tools.TOOLS`.

    seed : int
        Of both.

    folder : path or None
        Where the data are.

    smoke : bool, default=False
        Whether few objects are enough.

    Returns
    -------
    values : dict
        The cells of the row.
    """
    given, y = load_case(data, seed, folder, smoke)
    k = len(np.unique(y[y >= 0]))
    labels, costs = TOOLS[method].measured(given, given[:40], k, seed)
    if len(labels) != len(y):
        raise ValueError(f"{len(labels)} labels for {len(y)} objects")
    about = {"package": TOOLS[method].package, "n_objects": len(y), "k": k}
    return {**about, **standings.scores(np.asarray(labels), y), **costs}


# -- what is said of it ----------------------------------------------------------------


def _taking(rows: list[Row], takes: str) -> list[Row]:
    return [row for row in rows if KINDS[row["data"].split()[0]] == takes]


def _peers_of(rows: list[Row]) -> list[str]:
    return [
        name
        for name in dict.fromkeys(row["method"] for row in rows)
        if TOOLS[name].package != "comitia"
    ]


def answer(results: Path) -> str:
    """Who is better on the same input, and by how much."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    told = []
    for takes, what in (("labels", "ensembles"), ("table", "tables")):
        some = _taking(rows, takes)
        best = standings.best_of(some, _peers_of(some))
        both = standings.compared(some, REFERENCE[takes], best)
        if both is None:
            continue
        found = standings.means(some)
        ours, theirs = (
            float(np.mean([*found[one].values()])) for one in (REFERENCE[takes], best)
        )
        n_peers = len(_peers_of(some))
        told.append(
            f"On the same {both.n_sets} {what} our default has a mean ARI of "
            f"{ours:.3f} and {best}, the best of {n_peers} functions of other "
            f"packages, {theirs:.3f}: {both.told()}."
        )
    return " ".join(told) or NOT_MEASURED


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the board."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    texts = [answer(results), "", _TOLD]
    for takes, title in (("labels", "The same members"), ("table", "The same table")):
        some = _taking(rows, takes)
        if some:
            texts += section(title)
            texts += [standings.table(some, REFERENCE[takes], memory=True), ""]
    texts += [*section("What failed, and how"), _failures(rows), ""]
    texts += [standings.packages(results, "peers"), source(results, "peers")]
    return "\n".join(texts)


_TOLD = f"""\
Ten members of a published pool, which have different numbers of clusters, and twenty
runs of k-means at the number of classes on tables of UCI; tools that make their own
members get the tables, and make fifty. The number of classes is given; OpenEnsembles'
linkage and majority vote do not take it, and cut where half of the members agree. Rows
are in an order that the seed draws. Seconds are CPU time on one thread after a call
that is not counted, MB the most memory above that before the call, both medians; a call
that takes more than {CPU_LIMIT:g} s of CPU time is ended. *default better by* is the
mean of the default less the line's score, case by case, with Wilcoxon's signed rank
test and the rank-biserial effect size; a tie is within .01. No result counts as the
worst score of its case.
"""


_FAILED = """\
tsml-eval takes only members that have as many clusters as it is asked for. PCE's
``cspa``, ``mcla`` and ``hgpa`` start programs that lie in its repository without the
right to be executed; where it fails it says so and gives all objects the same label,
which is no result here. OpenEnsembles' pins (NumPy 1.19) do not install on Python 3.11,
and tsml-eval's were not found as wheels that go together: both are here without them.

"""


def _failures(rows: list[Row]) -> str:
    tried = Counter(row["method"] for row in rows)
    said: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if row["status"] != "ok":
            said[row["method"]].append(f"{row['status']}: {row['message']}")
    if not said:
        return "Nothing.\n"
    body = [
        # What one says most often; a message has its numbers from the case.
        [name, f"{len(texts)} of {tried[name]}", _plain(Counter(texts).most_common(1))]
        for name, texts in said.items()
    ]
    return _FAILED + list_table(["", "without a result", "what it says"], body)


def _plain(common: list[tuple[str, int]]) -> str:
    """The most common message, as words that are no markup."""
    return f"``{common[0][0].replace('`', chr(39))[:200].strip()}``"
