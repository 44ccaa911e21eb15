"""Several views: the public sets beside the figures of their README, and two papers.

The README of the data has k-means and average linkage on all standardised columns, the
best single view by the true classes, and for texts k-means on rows of length one.
``multiview_ref`` has what the code of the authors of two papers found on their own
data: weighted kernel k-means (Tzortzis and Likas, ICDM 2012) and late fusion alignment
(Wang and others, IJCAI 2019), for every value of their parameter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.leaderboards import standings
from benchmarks.evaluation.leaderboards.paired import source
from benchmarks.evaluation.leaderboards.readme_figures import readme_table
from benchmarks.evaluation.pages import NOT_MEASURED, list_table, number, section
from benchmarks.evaluation.store import Job, Options, Row, read
from benchmarks.evaluation.store import run as run_jobs
from benchmarks.view_default import halves

__all__ = ["KEY", "METHODS", "README", "answer", "fit", "page", "run"]

KEY = ("data", "method", "seed")
TABLE = "leaderboard_views"
DEFAULT = "multi_view"
#: Columns of the table of the README, by what they are called here.
README = {
    "README: k-means": ("KM ARI", "KM NMI"),
    "README: k-means, rows of length one": ("KM-L2 ARI", ""),
    "README: average linkage": ("AL ARI", ""),
    "README: best view, by the classes": ("best view ARI", ""),
}
#: Data of papers with what their authors' code found.
PAPERS = {"mvkkm_synthetic": "weighted kernel k-means", "lf_mvc_ar10p": "late fusion"}
#: The most numbers of a set that the methods get which take longest.
MOST_NUMBERS = 500_000

Views = list[NDArray[np.float64]]
Labels = NDArray[Any]


def _ours(views: Views, k: int, seed: int, id: str) -> Labels:
    import comitia

    return comitia.method(id)(n_clusters=k, random_state=seed).fit_predict(views)


def _side_by_side(views: Views, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    table = np.hstack([data_sets.standardized(X) for X in views])
    return KMeans(k, n_init=10, random_state=seed).fit_predict(table)


SLOW = ("mvcc", "mic")
#: What is compared: called with views, the number of clusters and a seed.
METHODS: dict[str, Callable[[Views, int, int], Labels]] = {
    DEFAULT: partial(_ours, id=DEFAULT),
    "scikit-learn k-means": _side_by_side,
    "mvcc": partial(_ours, id="mvcc"),
    "mic": partial(_ours, id="mic"),
}


def run(options: Options) -> None:
    """Score the methods on every set that has no row yet."""
    run_jobs(
        TABLE,
        _jobs(options),
        options,
        values=("half", "n_objects", "n_views", "k", *standings.SCORES),
        after_timeout=lambda job: (job.key["data"], job.key["method"]),
    )


def _jobs(options: Options) -> Iterator[Job]:
    found = data_sets.sources(options.data, kinds=("views",))
    names = [one.name for one in found]
    sizes = {one.name: one.size for one in found}
    half_of = halves(names)
    methods = list(METHODS)
    if options.smoke:
        names, methods = names[:1], [DEFAULT, "scikit-learn k-means"]
    if options.data is not None:
        told = readme_table(options.data, "Multi-view")
        for method, (column, _) in README.items():
            for name in names:
                if re.match(r"-?\d", told.get(name, {}).get(column, "")):
                    key = {"data": name, "method": method, "seed": 0}
                    also = {"half": half_of[name], "folder": options.data}
                    yield Job(key, told_in_readme, also)
        for name in PAPERS:
            path = options.data / "multiview_ref" / f"{name}.npz"
            if path.exists():
                names.insert(0, name)
                for method in _of_authors(path):
                    key = {"data": name, "method": method, "seed": 0}
                    yield Job(key, fit, {"half": "", "folder": options.data})
    for seed in options.seeds[: 1 if options.smoke else None]:
        for name in names:
            for method in methods:
                if method in SLOW and sizes.get(name, 0) > MOST_NUMBERS:
                    continue
                key = {"data": name, "method": method, "seed": seed}
                also = {"half": half_of.get(name, ""), "folder": options.data}
                yield Job(key, fit, also)


def told_in_readme(
    data: str, method: str, seed: int, half: str, folder: Path
) -> dict[str, Any]:
    """What the README of the data says of a set."""
    cells = readme_table(folder, "Multi-view")[data]
    columns = zip(("ari", "nmi"), README[method], strict=True)
    # The best view has its name behind the number.
    found = {
        score: float(cells[column].split()[0]) for score, column in columns if column
    }
    about = {"half": half, "n_objects": cells["n"], "k": cells["k"]}
    return {**about, **found, "seconds": "", "peak_mb": ""}


def fit(
    data: str, method: str, seed: int, half: str, folder: Path | None
) -> dict[str, Any]:
    """Score one method on one set, its rows in an order that the seed draws."""
    views, y = _load(data, folder)
    k = len(np.unique(y[y >= 0]))
    about = {"half": half, "n_objects": len(y), "n_views": len(views), "k": k}
    if method not in METHODS:
        assert folder is not None
        path = folder / "multiview_ref" / f"{data}.npz"
        found = standings.scores(_of_authors(path)[method], y)
        return {**about, **found, "seconds": "", "peak_mb": ""}
    order = np.random.RandomState(seed).permutation(len(y))
    shuffled = [X[order] for X in views]
    labels, seconds = standings.timed(lambda: METHODS[method](shuffled, k, seed))
    return {**about, **standings.scores(labels, y[order]), "seconds": seconds}


def _load(name: str, folder: Path | None) -> tuple[Views, Labels]:
    if name not in PAPERS:
        found = data_sets.load("views", name, folder)
        return found.X, found.y
    assert folder is not None
    with np.load(folder / "multiview_ref" / f"{name}.npz", allow_pickle=False) as file:
        if name == "mvkkm_synthetic":
            return [file["view1"], file["view2"]], file["gt"].ravel()
        return list(file["HP"].transpose(2, 0, 1)), file["y"].ravel()


@lru_cache(maxsize=2)
def _of_authors(path: Path) -> dict[str, Labels]:
    """Labels that the authors' code found, for each value of its parameter."""
    from sklearn.cluster import KMeans

    with np.load(path, allow_pickle=False) as file:
        if path.stem == "mvkkm_synthetic":
            columns = zip(file["p"].ravel(), file["mvkkm_labels"].T, strict=True)
            return {f"its authors, p = {p:g}": labels for p, labels in columns}
        made = KMeans(len(np.unique(file["y"])), n_init=10, random_state=0)
        layers = zip(file["lam"].ravel(), file["Hstar"].transpose(2, 0, 1), strict=True)
        # They end with k-means on the rows of the consensus, as here.
        return {f"its authors, λ = {lam:g}": made.fit_predict(H) for lam, H in layers}


# -- what is said of it ----------------------------------------------------------------


def _of_sets(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["data"] not in PAPERS]


def answer(results: Path) -> str:
    """Who is better on several views, and by how much."""
    rows = _of_sets(read(results / f"{TABLE}.csv"))
    if not rows:
        return NOT_MEASURED
    found = standings.means(rows)
    aside = [row for row in rows if row["half"] == standings.CONFIRM]
    told = []
    for theirs in ("scikit-learn k-means", "README: best view, by the classes"):
        both = standings.compared(rows, DEFAULT, theirs)
        again = standings.compared(aside, DEFAULT, theirs)
        if both is None:
            continue
        told.append(
            f"{theirs} has {np.mean([*found[theirs].values()]):.3f}, and the default "
            f"less it is {both.told()}"
            + (
                f", on the sets that the default was not chosen on {again.in_short()}"
                if again is not None
                else ""
            )
        )
    mean = np.mean([*found[DEFAULT].values()])
    return (
        f"On {len(found[DEFAULT])} sets with several views our default has a mean ARI "
        f"of {mean:.3f}. {'. '.join(one[0].upper() + one[1:] for one in told)}."
    )


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the board."""
    rows = read(results / f"{TABLE}.csv")
    if not rows:
        return NOT_MEASURED
    of_sets = _of_sets(rows)
    texts = [answer(results), "", _TOLD, standings.table(of_sets, DEFAULT), ""]
    texts += [*section("Set by set"), _set_by_set(of_sets), ""]
    papers = [row for row in rows if row["data"] in PAPERS]
    if papers:
        texts += [*section("Data of two papers"), _PAPERS, _of_papers(papers), ""]
    return "\n".join([*texts, source(results, "views")])


_TOLD = f"""\
Whole sets, the number of classes given, rows in an order that the seed draws. Lines
that begin with README are figures of the README of the data, which were made before
ours: one run on standardised columns of all views, on rows of length one (texts alone),
average linkage, and the best single view, which nobody could pick without the classes.
``mvcc`` and ``mic`` have sets of at most {MOST_NUMBERS:,} numbers.
{standings.LEGEND}"""
_PAPERS = """\
Labels that the authors' code found on the data of their papers, for each value of the
parameter that they leave open, beside ours on the same views, which has none to set.
Late fusion gives coordinates; k-means with ten starts makes labels of them.
"""


def _set_by_set(rows: list[Row]) -> str:
    found = standings.means(rows)
    methods = [one for one in (*METHODS, *README) if one in found]
    names = sorted({row["data"] for row in rows})
    sizes = {row["data"]: row["n_objects"] for row in rows if row["n_objects"]}
    body = [
        [
            name,
            sizes.get(name, ""),
            *(number(found[one].get(name, float("nan"))) for one in methods),
        ]
        for name in names
    ]
    return list_table(["ARI", "objects", *methods], body)


def _of_papers(rows: list[Row]) -> str:
    body = []
    for name, what in PAPERS.items():
        found = standings.means([row for row in rows if row["data"] == name])
        body += [
            [what, method, number(value)]
            for method, sets in found.items()
            for value in sets.values()
        ]
    return list_table(["data of", "", "ARI"], body)
