"""How good the methods for views and for time series are, on data with known classes.

``python -m benchmarks.views --data FOLDER [--parts views,missing,series] [--smoke]``

FOLDER holds ``multiview/<name>.npz`` (``X0``, ``X1``, … and ``y``) and
``temporal/<name>.npz`` (``X`` of shape (n, channels, length), ``y``, and ``lengths``
where they differ). k is the number of classes. Three parts:

views
    Every method of the catalogue for views and :class:`comitia.MultiViewEnsemble`,
    beside k-means on all standardised views side by side, the best single view (an
    oracle: it looks at the classes) and similarity network fusion.
missing
    Methods for views with missing objects, at several shares of missing rows. Each
    object stays in one view at least.
series
    The methods for time series, beside k-means on the flattened series and, on small
    sets, k-means under dynamic time warping.

Large sets are cut to some rows, drawn once. Each fit runs in a process of its own with
a limit of CPU time; one that does not end in time is a row that says so, and its other
seeds are not tried. Finished rows are kept, so a run that was stopped goes on; tables
are printed from whatever is finished.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import importlib
import importlib.metadata
import json
import multiprocessing
import os
import pkgutil
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.__main__ import machine
from benchmarks.evaluation import data as data_sets
from benchmarks.evaluation.data import one_length, some_rows, standardized
from benchmarks.tables import markdown, pivot

RESULTS = Path(__file__).parent / "results"
COLUMNS = (
    "part",
    "set",
    "n",
    "n_all",
    "k",
    "method",
    "missing",
    "seed",
    "status",
    "nmi",
    "ari",
    "cpu_s",
    "note",
)
PARTS = ("views", "missing", "series")
SHARES = (0.0, 0.1, 0.3, 0.5)
# What the dynamic time warping of the peer can do in the time that there is.
WARPED_OBJECTS, WARPED_LENGTH = 200, 160

Array = NDArray[np.float64]
Labels = NDArray[Any]
Fit = Callable[[Any, int, int], Labels]
Result = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.views",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--sets", help="names, separated by commas; default all")
    parser.add_argument("--methods", help="names, separated by commas; default all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rows", type=int, default=2000, help="most objects of a set")
    parser.add_argument("--limit", type=int, default=60, help="CPU seconds of a fit")
    parser.add_argument("--minutes", type=float, help="begin no fit after so many")
    parser.add_argument("--smoke", action="store_true", help="one seed, few rows")
    parser.add_argument("--out", type=Path, default=RESULTS / "views.csv")
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the data are: --data FOLDER, or COMITIA_DATA")
    unknown = set(asked.parts.split(",")) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {min(unknown)}; choose from {PARTS}")
    if asked.smoke:
        asked.seeds, asked.rows = 1, min(asked.rows, 60)
    # One thread: CPU time is what is limited and told.
    limits = importlib.import_module("threadpoolctl").threadpool_limits
    with limits(limits=1):
        results = run(asked)
    print(tables(results))
    return 0


def run(asked: argparse.Namespace) -> list[Result]:
    """Do every fit that is not in the file yet."""
    load_code()
    done = {key_of(row): row for row in read(asked.out)}
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    is_new = not asked.out.exists()
    start = time.monotonic()
    with asked.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        slow: set[tuple[str, ...]] = set()
        for task in tasks(asked):
            row, key = task["row"], key_of(task["row"])
            if key not in done:
                if asked.minutes and time.monotonic() - start > 60 * asked.minutes:
                    break
                # What one seed did not end in time, another will not.
                if key[:-1] in slow:
                    continue
                data = task["load"]()
                done[key] = row | limited(
                    task["fit"], data, row["k"], row["seed"], task["truth"], asked.limit
                )
                writer.writerow(done[key])
                file.flush()
            if done[key]["status"] == "timed out":
                slow.add(key[:-1])
        note = asked.out.with_suffix(".json")
        about = {"seeds": asked.seeds, "rows": asked.rows, "limit_s": asked.limit}
        note.write_text(json.dumps({**about, **machine(), **peers()}, indent=2) + "\n")
    return list(done.values())


def load_code() -> None:
    """Import here what each fit would import in its own process, and be timed for.

    Nothing is called: a process that has run threads must not be forked.
    """
    import comitia._kernels

    for name in (
        "comitia.methods.composite.multi_view",
        "sklearn.cluster",
        "sklearn.metrics",
    ):
        importlib.import_module(name)
    for module in pkgutil.iter_modules(comitia._kernels.__path__):
        importlib.import_module(f"comitia._kernels.{module.name}")


def key_of(row: Result) -> tuple[str, ...]:
    """What makes a fit the same as another; the seed comes last."""
    return tuple(str(row[c]) for c in ("part", "set", "method", "missing", "seed"))


def tasks(asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The fits: seed by seed, and small sets first.

    What is there when time runs out then has all sets, or at least whole ones.
    """
    for part in asked.parts.split(","):
        folder = "temporal" if part == "series" else "multiview"
        paths = sorted((asked.data / folder).glob("*.npz"), key=_size)
        if asked.sets:
            paths = [path for path in paths if path.stem in asked.sets.split(",")]
        for seed in range(asked.seeds):
            for path in paths:
                yield from tasks_of_set(asked, part, path, seed)
                print(f"{part}: {path.stem}, seed {seed}", file=sys.stderr, flush=True)


def tasks_of_set(
    asked: argparse.Namespace, part: str, path: Path, seed: int
) -> Iterator[dict[str, Any]]:
    """The fits on one set with one seed."""
    read_set = read_series if part == "series" else read_views
    data, truth, n_all = read_set(path, asked.rows)
    fits = FITS[part](data)
    if asked.methods:
        wanted = asked.methods.split(",")
        fits = {name: fit for name, fit in fits.items() if name in wanted}
    for missing in SHARES if part == "missing" else (0.0,):
        for name, fit in fits.items():
            row = {
                "part": part,
                "set": path.stem,
                "n": len(truth),
                "n_all": n_all,
                "k": len(np.unique(truth)),
                "method": name,
                "missing": missing,
                "seed": seed,
            }
            yield {
                "row": row,
                "fit": fit,
                "truth": truth,
                "load": _loader(data, missing, seed),
            }


def limited(
    fit: Fit, data: Any, k: int, seed: int, truth: Labels, limit: int
) -> Result:
    """Fit in a process of its own that ends when its CPU time is spent."""
    ours, theirs = multiprocessing.get_context("fork").Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(
        target=_child, args=(theirs, fit, data, k, seed, truth, limit)
    )
    child.start()
    theirs.close()
    answer: Result = {}
    with contextlib.suppress(EOFError):
        answer = ours.recv()
    child.join()
    if not answer and child.exitcode in (-signal.SIGXCPU, -signal.SIGKILL):
        answer = {"status": "timed out", "note": f"more than {limit} s of CPU time"}
    elif not answer:
        answer = {"status": "failed", "note": f"ended with code {child.exitcode}"}
    return dict.fromkeys(("nmi", "ari", "cpu_s", "note"), "") | answer


def _child(
    pipe: Any, fit: Fit, data: Any, k: int, seed: int, truth: Labels, limit: int
) -> None:
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
    start = time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a missed max_iter shows in the numbers
            labels = fit(data, k, seed)
    except Exception as error:
        text = f"{type(error).__name__}: {error}"
        pipe.send({"status": "failed", "note": " ".join(text.split())[:200]})
        return
    seconds = time.process_time() - start
    pipe.send(
        {
            "status": "ok",
            "nmi": round(float(normalized_mutual_info_score(truth, labels)), 4),
            "ari": round(float(adjusted_rand_score(truth, labels)), 4),
            "cpu_s": round(seconds, 2),
        }
    )


# -- the data --------------------------------------------------------------------


def read_views(path: Path, most: int) -> tuple[list[Array], Labels, int]:
    """The views, the classes and the number of objects before some were drawn."""
    views, truth = data_sets.read_views(path.parent.parent, path.stem)
    rows = some_rows(len(truth), most)
    return [X[rows] for X in views], truth[rows], len(truth)


def read_series(path: Path, most: int) -> tuple[list[Array], Labels, int]:
    """The series, cut where they end, the classes and the number of all."""
    series, truth = data_sets.read_series(path.parent.parent, path.stem)
    rows = some_rows(len(truth), most)
    return [series[i] for i in rows], truth[rows], len(truth)


def _size(path: Path) -> int:
    """How many numbers are in a file, from the heads of its arrays."""
    with np.load(path, allow_pickle=False) as file:
        return sum(file[name].size for name in file.files if name[0] == "X")


def _loader(data: Any, missing: float, seed: int) -> Callable[[], Any]:
    return lambda: data if missing == 0.0 else without(data, missing, seed)


def without(views: list[Array], share: float, seed: int) -> list[Array]:
    """The views with a share of their rows gone; no object is gone everywhere."""
    rng = np.random.RandomState(seed)
    n, n_views = len(views[0]), len(views)
    gone = rng.rand(n, n_views) < share
    nowhere = gone.all(axis=1)
    gone[nowhere, rng.randint(n_views, size=nowhere.sum())] = False
    return [np.where(gone[:, [v]], np.nan, X) for v, X in enumerate(views)]


# -- the fits --------------------------------------------------------------------


def _kmeans(X: Array, k: int, seed: int) -> Labels:
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def concatenated(views: list[Array], k: int, seed: int) -> Labels:
    """K-means on all standardised views side by side."""
    return _kmeans(np.hstack([standardized(X) for X in views]), k, seed)


def fused(views: list[Array], k: int, seed: int) -> Labels:
    """Spectral clustering of snfpy's fused similarities, with its defaults."""
    from sklearn.cluster import spectral_clustering

    snf = importlib.import_module("snf")
    # snfpy 0.2.2 calls scikit-learn's check by a name that went with version 1.8.
    vars(importlib.import_module("snf.compute"))["check_array"] = _check_array
    n_neighbors = min(20, len(views[0]) - 1)
    affinities = snf.make_affinity([standardized(X) for X in views], K=n_neighbors)
    if len(views) == 1:
        affinities = [affinities]
    return spectral_clustering(
        snf.snf(affinities, K=n_neighbors), n_clusters=k, random_state=seed
    )


def _check_array(X: Any, force_all_finite: bool = True, **options: Any) -> Any:
    from sklearn.utils import check_array

    return check_array(X, ensure_all_finite=force_all_finite, **options)


def _catalogued(id: str) -> Fit:
    def fit(data: Any, k: int, seed: int) -> Labels:
        import comitia

        return comitia.method(id)(n_clusters=k, random_state=seed).fit_predict(data)

    return fit


def _ensemble(**parameters: Any) -> Fit:
    def fit(views: list[Array], k: int, seed: int) -> Labels:
        from comitia import MultiViewEnsemble
        from comitia.generate import KMeansGenerator

        # As it was when the rows that are kept were measured.
        settings = {"generators": KMeansGenerator(20), "scale": "standard"} | parameters
        model = MultiViewEnsemble(k, random_state=seed, **settings)
        return model.fit_predict(views)

    return fit


def _best_view(truth_free_views: list[Array]) -> dict[str, Fit]:
    """K-means on each view alone; the table shows the best as an oracle."""

    def single(v: int) -> Fit:
        return lambda views, k, seed: _kmeans(standardized(views[v]), k, seed)

    return {f"view {v}": single(v) for v in range(len(truth_free_views))}


def fits_of_views(views: list[Array]) -> dict[str, Fit]:
    """The methods and the peers on several views."""
    return {
        "k-means (all views)": concatenated,
        **_best_view(views),
        "SNF": fused,
        "ensemble lwgp": _ensemble(method="lwgp"),
        "ensemble lwea": _ensemble(method="lwea"),
        "ensemble lwgp (unit rows)": _ensemble(method="lwgp", scale="unit"),
        **{name: _catalogued(name) for name in _methods("views")},
    }


def fits_with_missing(views: list[Array]) -> dict[str, Fit]:
    """Those that take views with missing objects."""
    named = [name for name in _methods("views") if name in ("mic", "omvc")]
    return {
        "ensemble lwgp": _ensemble(method="lwgp"),
        "ensemble lwea": _ensemble(method="lwea"),
        **{name: _catalogued(name) for name in named},
    }


def _methods(need: str) -> list[str]:
    from comitia.catalogue import find_methods

    return [card.id for card in find_methods() if need in card.needs]


def flattened(series: list[Array], k: int, seed: int) -> Labels:
    """K-means on series of one length, to which the others are interpolated."""
    return _kmeans(one_length(series).reshape(len(series), -1), k, seed)


def warped(series: list[Array], k: int, seed: int) -> Labels:
    """K-means under dynamic time warping, of tslearn."""
    clustering = importlib.import_module("tslearn.clustering")
    model = clustering.TimeSeriesKMeans(
        k, metric="dtw", n_init=1, max_iter=10, random_state=seed
    )
    return model.fit_predict(one_length(series).transpose(0, 2, 1))


def fits_of_series(series: list[Array]) -> dict[str, Fit]:
    """The methods and the peers on time series."""
    fits: dict[str, Fit] = {"k-means (flattened)": flattened}
    longest = max(one.shape[1] for one in series)
    if len(series) <= WARPED_OBJECTS and longest <= WARPED_LENGTH:
        fits["k-means (DTW)"] = warped
    return fits | {name: _catalogued(name) for name in _methods("series")}


FITS: dict[str, Callable[[Any], dict[str, Fit]]] = {
    "views": fits_of_views,
    "missing": fits_with_missing,
    "series": fits_of_series,
}


# -- what came of it -------------------------------------------------------------


def read(path: Path) -> Iterator[Result]:
    """The rows of an earlier run."""
    if path.exists():
        with path.open(newline="") as file:
            yield from csv.DictReader(file)


def with_oracle(results: list[Result]) -> list[Result]:
    """Single views replaced by the one with the best mean, which nobody could know."""
    kept: list[Result] = []
    views: dict[str, dict[str, list[Result]]] = {}
    for row in results:
        if row["part"] == "views" and row["method"].startswith("view "):
            views.setdefault(row["set"], {}).setdefault(row["method"], []).append(row)
        else:
            kept.append(row)
    for by_view in views.values():
        ended = {
            view: rows
            for view, rows in by_view.items()
            if all(row["status"] == "ok" for row in rows)
        }
        if ended:
            best = max(
                ended, key=lambda view: np.mean([float(r["ari"]) for r in ended[view]])
            )
            kept += [{**row, "method": "best view (oracle)"} for row in ended[best]]
    return kept


def tables(results: list[Result]) -> str:
    """A table in markdown for each part and measure."""
    texts = []
    for part in PARTS:
        mine = [row for row in with_oracle(results) if row["part"] == part]
        if not mine:
            continue
        for value in ("ari", "nmi"):
            if part == "missing":
                for share in SHARES:
                    some = [r for r in mine if float(r["missing"]) == share]
                    title = f"missing {share:.0%}, {value}"
                    if some:
                        table = markdown(pivot(some, "method", "set", value))
                        texts += ["", title, "", table]
            else:
                table = markdown(pivot(mine, "method", "set", value))
                texts += ["", f"{part}, {value}", "", table]
        seconds = [row for row in mine if row["status"] == "ok"]
        texts += ["", f"{part}, CPU seconds (mean over all fits that ended)", ""]
        for name in dict.fromkeys(row["method"] for row in seconds):
            mean = np.mean([float(r["cpu_s"]) for r in seconds if r["method"] == name])
            texts.append(f"- {name}: {mean:.2f}")
    cut = {
        f"{row['set']} ({row['n']} of {row['n_all']})"
        for row in results
        if int(row["n"]) < int(row["n_all"])
    }
    if cut:
        texts += ["", f"Cut to some rows: {', '.join(sorted(cut))}."]
    return "\n".join(texts)


def peers() -> dict[str, Any]:
    """Versions of the peers that are installed."""
    found = {}
    for package in ("snfpy", "tslearn", "hmmlearn"):
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {"peers": found}


if __name__ == "__main__":
    sys.exit(main())
