"""How good the consensus is: label-only methods on pools of real base clusterings.

``python -m benchmarks.quality --data FOLDER [--methods lwea,eac] [--pools VS,IS]``

FOLDER holds ``pools/<name>.npz`` (``members``, one column per base clustering, and
``gt``, the classes) and, if there, ``published/*.csv``. Draw e takes columns
10(e-1)+1 to 10e; k is the number of classes. Finished rows are kept, so a run that was
stopped goes on; tables are printed from whatever is finished.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi_sqrt", "nmi_max", "adjusted_rand")
COLUMNS = ("pool", "draw", "method", "k", *MEASURES, "cpu_s")
N_DRAWS = 10

Result = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    from comitia.catalogue import find_methods

    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.quality", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--pools", help="names, separated by commas; default all")
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument("--out", type=Path, default=RESULTS / "quality.csv")
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the pools are: --data FOLDER, or COMITIA_DATA")
    pools = sorted(path.stem for path in (asked.data / "pools").glob("*.npz"))
    if not pools:
        parser.error(f"there are no pools in {asked.data / 'pools'}")
    methods = [card.id for card in find_methods(needs="labels")]
    results = run(
        asked.data,
        asked.pools.split(",") if asked.pools else pools,
        asked.methods.split(",") if asked.methods else methods,
        asked.draws,
        asked.out,
    )
    print(tables(results, published(asked.data)))
    return 0


def run(
    data: Path, pools: Iterable[str], methods: Iterable[str], n_draws: int, out: Path
) -> list[Result]:
    """Fit every method on every draw that is not in the file yet."""
    done = {(row["pool"], row["draw"], row["method"]): row for row in read(out)}
    out.parent.mkdir(parents=True, exist_ok=True)
    is_new = not out.exists()
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if is_new:
            writer.writeheader()
        for pool in pools:
            members, truth = load(data, pool)
            for draw in range(n_draws):
                labels = members[:, 10 * draw : 10 * (draw + 1)]
                for method in methods:
                    key = (pool, draw + 1, method)
                    if key not in done:
                        done[key] = evaluate(labels, truth, *key)
                        writer.writerow(done[key])
                        file.flush()
            print(f"{pool}: {n_draws} draws", file=sys.stderr, flush=True)
    return list(done.values())


def load(data: Path, pool: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The base clusterings and the classes of a pool."""
    with np.load(data / "pools" / f"{pool}.npz", allow_pickle=False) as file:
        return file["members"], file["gt"]


def evaluate(
    labels: NDArray[Any], truth: NDArray[Any], pool: str, draw: int, method: str
) -> Result:
    """Fit one method on one draw and compare it with the classes."""
    import comitia
    from comitia.agreement import agreement

    k = len(np.unique(truth))
    ensemble = comitia.Ensemble(labels)
    estimator = comitia.method(method)(n_clusters=k, random_state=draw)
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missed max_iter shows in the numbers
        found = estimator.fit_predict(ensemble)
    seconds = time.process_time() - start
    scores = {measure: agreement(found, truth, measure) for measure in MEASURES}
    return {
        "pool": pool,
        "draw": draw,
        "method": method,
        "k": estimator.n_clusters_,
        **{name: round(value, 4) for name, value in scores.items()},
        "cpu_s": round(seconds, 3),
    }


def read(path: Path) -> Iterator[Result]:
    """The rows of an earlier run."""
    if not path.exists():
        return
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            numbers = {name: float(row[name]) for name in (*MEASURES, "cpu_s")}
            yield {**row, **numbers, "draw": int(row["draw"]), "k": int(row["k"])}


def published(data: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Mean and spread of the max-normalised NMI that the authors report at true k."""
    found = {}
    path = data / "published" / "published_lwea_lwgp_tables_5_7.csv"
    if path.exists():
        with path.open(newline="") as file:
            for row in csv.DictReader(file):
                if (row["measure"], row["criterion"]) == ("NMI", "true-k"):
                    method = row["method"].lower().replace("-", "_")
                    spread = (float(row["mean"]), float(row["sd"] or "nan"))
                    found[row["dataset"], method] = spread
    return found


def tables(
    results: list[Result], reference: dict[tuple[str, str], tuple[float, float]]
) -> str:
    """A table for each measure, and the mean ranks; best method first."""
    scores: dict[str, dict[tuple[str, str], list[float]]] = {
        name: defaultdict(list) for name in (*MEASURES, "cpu_s")
    }
    for row in results:
        for name, values in scores.items():
            values[row["method"], row["pool"]].append(row[name])
    pools = sorted({row["pool"] for row in results})
    # Ranks and means are comparable only between methods that ran on all the pools.
    methods = sorted(
        method
        for method in {row["method"] for row in results}
        if all((method, pool) in scores["nmi_max"] for pool in pools)
    )
    if not methods:
        return "no method is finished on all pools"
    ranks = mean_ranks(scores["adjusted_rand"], methods, pools)
    methods.sort(key=lambda method: ranks[method])
    lines = []
    for name in MEASURES:
        lines += ["", name, row_text("method", [*pools, "mean"])]
        for method in methods:
            means = [float(np.mean(scores[name][method, pool])) for pool in pools]
            cells = [f"{mean:.3f}" for mean in (*means, float(np.mean(means)))]
            lines.append(row_text(method, cells))
            if name == "nmi_max":
                beside = [reference.get((pool, method)) for pool in pools]
                if any(beside):
                    cells = [f"{mean[0]:.3f}" if mean else "" for mean in beside]
                    lines.append(row_text("  published", cells))
    lines += ["", row_text("method", ["rank", "cpu s"])]
    for method in methods:
        seconds = np.mean([np.mean(scores["cpu_s"][method, pool]) for pool in pools])
        lines.append(row_text(method, [f"{ranks[method]:.2f}", f"{seconds:.2f}"]))
    return "\n".join(lines)


def mean_ranks(
    scores: dict[tuple[str, str], list[float]], methods: list[str], pools: list[str]
) -> dict[str, float]:
    """Mean rank of each method over the pools, 1 for the best."""
    from scipy.stats import rankdata

    means = np.array([[np.mean(scores[m, pool]) for pool in pools] for m in methods])
    return dict(zip(methods, rankdata(-means, axis=0).mean(axis=1), strict=True))


def row_text(name: str, cells: list[str]) -> str:
    """One line of a table."""
    return f"{name:<24}" + "".join(f"{cell:>10.9}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main())
