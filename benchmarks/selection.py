"""Does selecting beat keeping all? Every selector against the same consensus of all.

``python -m benchmarks.selection --data FOLDER [--selectors cas,asa]``

FOLDER holds ``pools/<name>.npz``, as for ``benchmarks.evaluation.pools``, and
``single/<name>.npz`` (data ``X``, classes ``y``). A draw of a pool is half of its base
clusterings, drawn at random; pools of more than 5 000 objects are drawn down to 2 000
objects, once. The single-view sets are the ten smallest that have 150 objects, three
classes and no noise points, or more; their columns are standardised, and a draw is an
ensemble of fifty k-means clusterings. k is the number of classes.

Each selector is paired with three consensus functions: its own, where it can be run
with everything kept, average linkage of the co-association (EAC), and LWGP. Both sides
of a pair have the same members to choose from and the same seed, and what was selected
is the same in all three. ``random_half`` keeps half of the clusterings, drawn at
random: what selecting costs when nothing is known.

A fit that fails or takes too long is a row with the reason. Finished rows are kept, so
a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import signal
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.pools import load_pool

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi_max", "adjusted_rand")
COLUMNS = (
    "data",
    "kind",
    "n_objects",
    "n_available",
    "draw",
    "selector",
    "consensus",
    "kept",
    *(f"{measure}_{side}" for measure in MEASURES for side in ("all", "selected")),
    "cpu_s",
    "status",
)
CONSENSUS = ("own", "eac", "lwgp")
MIXES: dict[str, dict[str, Any]] = {
    "eac": {"consensus": "average"},
    "lwgp": {"weighting": "entropy_certainty", "consensus": "tcut"},
}
#: What these selectors need is not in the data: see the documentation of the run.
LEFT_OUT = {
    "dcss": "makes its own mixtures of Gaussians, which are no clusterings to choose",
    "issce": "makes its own clusterings from constraints",
    "zheng_2014": "selects dendrograms",
}
N_CLUSTERINGS, N_DRAWS = 50, 2
MOST_OBJECTS, OBJECTS_DRAWN = 5000, 2000
N_SINGLE, LEAST_OBJECTS, LEAST_CLASSES = 10, 150, 3

Result = dict[str, Any]


class Case(NamedTuple):
    """One draw: an ensemble, the data if there are any, and the classes.

    Attributes
    ----------
    data, kind : str
        Name of the data set; ``"pool"`` or ``"single"``.

    draw : int
        Number of the draw, and seed.

    ensemble : Ensemble
        What is selected from.

    X : ndarray of shape (n_objects, n_features), or None
        The data.

    truth : ndarray of shape (n_objects,)
        The classes.

    n_available : int
        How many objects the data set has.
    """

    data: str
    kind: str
    draw: int
    ensemble: Any
    X: NDArray[Any] | None
    truth: NDArray[Any]
    n_available: int

    @property
    def n_clusters(self) -> int:
        """Number of classes."""
        return len(np.unique(self.truth))


# The name of a data set, the number of a draw, and what makes the case.
Draw = tuple[str, int, Callable[[], Case]]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.selection", description=__doc__
    )
    parser.add_argument("--data", type=Path, default=os.environ.get("COMITIA_DATA"))
    parser.add_argument("--selectors", help="ids, separated by commas; default all")
    parser.add_argument("--draws", type=int, default=N_DRAWS)
    parser.add_argument(
        "--limit", type=float, default=60.0, help="processor seconds for a fit"
    )
    parser.add_argument("--out", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    if asked.data is None:
        parser.error("say where the data are: --data FOLDER, or COMITIA_DATA")
    # Draw after draw: a run that is stopped has seen all data sets alike.
    cases = [
        case
        for draw in range(1, asked.draws + 1)
        for case in (*pool_cases(asked.data, draw), *single_cases(asked.data, draw))
    ]
    if not cases:
        parser.error(f"there are no pools and no single-view sets in {asked.data}")
    chosen = asked.selectors.split(",") if asked.selectors else selectors()
    asked.out.mkdir(parents=True, exist_ok=True)
    results = run(cases, chosen, asked.out / "selection.csv", asked.limit)
    summary = summarize(results)
    write_summary(asked.out, summary)
    print(as_text(summary, results))
    return 0


def selectors() -> list[str]:
    """The selection methods that judge given clusterings, and the control."""
    from comitia.catalogue import find_methods

    cards = find_methods(approach="selection")
    return [card.id for card in cards if card.id not in LEFT_OUT] + ["random_half"]


# -- the data ----------------------------------------------------------------------


def pool_cases(data: Path, draw: int) -> Iterator[Draw]:
    """Half of the base clusterings of each pool."""
    for path in sorted((data / "pools").glob("*.npz")):
        yield path.stem, draw, partial(_pool_case, data, path.stem, draw)


def _pool_case(data: Path, name: str, draw: int) -> Case:
    from comitia import Ensemble

    members, truth = load_pool(name, data)
    rows = np.arange(len(truth))
    if len(rows) > MOST_OBJECTS:
        rows = np.sort(np.random.RandomState(0).permutation(rows)[:OBJECTS_DRAWN])
    n = members.shape[1]
    columns = np.sort(np.random.RandomState(draw).permutation(n)[: (n + 1) // 2])
    ensemble = Ensemble(members[np.ix_(rows, columns)])
    return Case(name, "pool", draw, ensemble, None, truth[rows], len(truth))


def single_cases(data: Path, draw: int) -> Iterator[Draw]:
    """Ensembles of k-means clusterings of the smallest sets that are large enough."""
    found = []
    for path in sorted((data / "single").glob("*.npz")):
        with np.load(path, allow_pickle=False) as file:
            y = file["y"]
        fits = len(y) >= LEAST_OBJECTS and len(np.unique(y)) >= LEAST_CLASSES
        if fits and (y >= 0).all():
            found.append((len(y), path.stem))
    for _, name in sorted(found)[:N_SINGLE]:
        yield name, draw, partial(_single_case, data, name, draw)


def _single_case(data: Path, name: str, draw: int) -> Case:
    from comitia.generate import KMeansGenerator

    with np.load(data / "single" / f"{name}.npz", allow_pickle=False) as file:
        X, y = file["X"].astype(np.float64), file["y"]
    X = X[:, X.std(axis=0) > 0]
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    ensemble = KMeansGenerator(N_CLUSTERINGS, random_state=draw).generate(X)
    return Case(name, "single", draw, ensemble, X, y, len(y))


# -- the run -----------------------------------------------------------------------


def run(
    cases: Iterable[Draw],
    chosen: Iterable[str],
    out: Path,
    limit: float,
) -> list[Result]:
    """Judge every selector on every draw that is not in the file yet."""
    chosen, results = list(chosen), list(read(out))
    done = {(row["data"], row["draw"], row["selector"]) for row in results}
    is_new = not out.exists()
    with out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        for data, draw, make in cases:
            left = [name for name in chosen if (data, draw, name) not in done]
            if not left:
                continue
            case, base = make(), None
            for selector in left:
                if case.X is None and needs_data(selector):
                    continue
                # What the mixes make of all members is the same for all selectors.
                base = base or {name: _mix(case, name) for name in MIXES}
                rows = list(evaluate(case, selector, base, limit))
                writer.writerows(rows)
                file.flush()
                results += rows
            print(f"{data}: draw {draw}", file=sys.stderr, flush=True)
    return results


def needs_data(selector: str) -> bool:
    """Whether a selector looks at the data."""
    import comitia

    return selector != "random_half" and "data" in comitia.method(selector).card.needs


def evaluate(
    case: Case, selector: str, base: dict[str, NDArray[Any]], limit: float
) -> Iterator[Result]:
    """One row for each consensus: all members, and those that were selected."""
    start = {
        "data": case.data,
        "kind": case.kind,
        "n_objects": case.ensemble.n_objects,
        "n_available": case.n_available,
        "draw": case.draw,
        "selector": selector,
    }
    begun = time.process_time()
    try:
        with time_limit(limit):
            kept, own = select(case, selector)
    except Exception as error:  # whatever it was, it belongs in the table
        reason = f"{type(error).__name__}: {error}"[:200]
        for consensus in CONSENSUS:
            yield {**start, "consensus": consensus, "status": reason}
        return
    shared = {**start, "kept": round(float(kept.mean()), 4), "status": "ok"}
    shared["cpu_s"] = round(time.process_time() - begun, 3)
    for consensus in CONSENSUS:
        row = {**shared, "consensus": consensus}
        try:
            with time_limit(limit):
                if consensus == "own":
                    whole, selected = keep_all(selector, case), own
                else:
                    whole, selected = base[consensus], _mix(case, consensus, kept)
        except Exception as error:
            yield {**row, "status": f"{type(error).__name__}: {error}"[:200]}
            continue
        if whole is not None:
            yield {**row, **scores(case.truth, whole, selected)}


def select(case: Case, selector: str) -> tuple[NDArray[np.bool_], NDArray[Any] | None]:
    """What a selector keeps, and its own consensus of that."""
    if selector == "random_half":
        M = case.ensemble.n_clusterings
        kept = np.zeros(M, dtype=bool)
        kept[np.random.RandomState(case.draw).permutation(M)[: (M + 1) // 2]] = True
        return kept, None
    fitted = _fit(_method(selector), case)
    return fitted.selected_, fitted.labels_


def keep_all(selector: str, case: Case) -> NDArray[Any] | None:
    """A selector's own consensus of all members; None where selecting is part of it."""
    from comitia.methods.selection._base import SelectionMethod
    from comitia.methods.selection._clusters import ClusterSelectionMethod

    if selector == "random_half":
        return None
    cls = _method(selector)
    if issubclass(cls, ClusterSelectionMethod):
        return _fit(type("KeepsAll", (cls,), {"_above": _all_clusters}), case).labels_
    # A method with a loop of its own selects while it combines.
    if issubclass(cls, SelectionMethod) and cls._combine is SelectionMethod._combine:
        keeps = type("KeepsAll", (cls,), {"_select": _all_clusterings})
        return _fit(keeps, case).labels_
    return None


def _all_clusters(self: Any, scores: NDArray[Any]) -> NDArray[np.bool_]:
    return np.ones(len(scores), dtype=bool)


def _all_clusterings(self: Any, ensemble: Any, X: Any, rng: Any) -> NDArray[np.intp]:
    return np.arange(ensemble.n_clusterings)


def _method(selector: str) -> Any:
    import comitia

    return comitia.method(selector)


def _fit(cls: Any, case: Case) -> Any:
    estimator = cls(n_clusters=case.n_clusters, random_state=case.draw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a missed max_iter shows in the numbers
        if case.X is None or "data" not in cls.card.needs:
            return estimator.fit(case.ensemble)
        return estimator.fit(case.X, ensemble=case.ensemble)


def _mix(case: Case, name: str, kept: NDArray[np.bool_] | None = None) -> NDArray[Any]:
    """Consensus of all members, or of those kept: a mask of clusterings or clusters."""
    from comitia import ConsensusClustering

    selection = None if kept is None else (lambda ensemble, X: kept)
    return ConsensusClustering(
        case.n_clusters, selection=selection, random_state=case.draw, **MIXES[name]
    ).fit_predict(case.ensemble)


def scores(truth: NDArray[Any], whole: Any, selected: Any) -> dict[str, float]:
    """Agreement of both consensus clusterings with the classes."""
    from comitia.agreement import agreement

    return {
        f"{measure}_{side}": round(agreement(found, truth, measure), 4)
        for measure in MEASURES
        for side, found in (("all", whole), ("selected", selected))
    }


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError when the body takes more processor time.

    On Unix, in the main thread. Other programs on the machine do not count.
    """

    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {seconds:g} s")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def read(path: Path) -> Iterator[Result]:
    """The rows of an earlier run."""
    if not path.exists():
        return
    texts = {"data", "kind", "selector", "consensus", "status"}
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            yield {
                name: value
                if name in texts
                else int(value)
                if name in ("draw", "n_objects", "n_available")
                else float(value or "nan")
                for name, value in row.items()
            }


# -- what it says ------------------------------------------------------------------


def summarize(results: Iterable[Result]) -> list[Result]:
    """Of each selector and consensus the paired differences over the data sets.

    The data sets are the units: draws of one are averaged first. The p-values are of
    Wilcoxon's signed-rank test, corrected by Holm over the selectors of a consensus.
    """
    pairs: dict[tuple[str, str], dict[str, list[Result]]] = defaultdict(
        lambda: defaultdict(list)
    )
    failures: dict[tuple[str, str], int] = defaultdict(int)
    for row in results:
        key = row["consensus"], row["selector"]
        if row["status"] == "ok":
            pairs[key][row["data"]].append(row)
        else:
            failures[key] += 1
    summary = [
        _summary(*key, sets, failures[key], measure)
        for key, sets in sorted(pairs.items())
        for measure in MEASURES
    ]
    for measure in MEASURES:
        for consensus in CONSENSUS:
            family = [
                row
                for row in summary
                if (row["measure"], row["consensus"]) == (measure, consensus)
                # The control asks no question.
                and row["selector"] != "random_half"
            ]
            adjusted = holm([row["p"] for row in family])
            for row, p in zip(family, adjusted, strict=True):
                row["p_holm"] = p
    return summary


def _summary(
    consensus: str,
    selector: str,
    sets: dict[str, list[Result]],
    n_failures: int,
    measure: str,
) -> Result:
    means = np.array(
        [
            np.mean(
                [row[f"{measure}_selected"] - row[f"{measure}_all"] for row in draws]
            )
            for draws in sets.values()
        ]
    )
    whole = [
        np.mean([row[f"{measure}_all"] for row in draws]) for draws in sets.values()
    ]
    kept = [np.mean([row["kept"] for row in draws]) for draws in sets.values()]
    # Scores are kept to four decimals, and means of draws to five.
    tie = 5e-5
    return {
        "consensus": consensus,
        "selector": selector,
        "measure": measure,
        "n_sets": len(means),
        "n_failures": n_failures,
        "kept": float(np.mean(kept)),
        "all": float(np.mean(whole)),
        "difference": float(means.mean()),
        "spread": float(means.std(ddof=1)) if len(means) > 1 else 0.0,
        "wins": int((means > tie).sum()),
        "ties": int((abs(means) <= tie).sum()),
        "losses": int((means < -tie).sum()),
        "p": signed_rank(means),
        "p_holm": None,
    }


def signed_rank(differences: NDArray[np.float64]) -> float:
    """P-value of Wilcoxon's signed-rank test; 1 where nothing differs."""
    from scipy.stats import wilcoxon

    if not np.any(differences):
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ties: the approximation is used
        return float(wilcoxon(differences, zero_method="zsplit").pvalue)


def holm(p: list[float]) -> list[float]:
    """Holm's correction of several p-values."""
    order = np.argsort(p)
    factors = len(p) - np.arange(len(p))
    adjusted = np.minimum(np.maximum.accumulate(np.array(p)[order] * factors), 1.0)
    result = np.empty(len(p))
    result[order] = adjusted
    return result.tolist()


def write_summary(folder: Path, summary: list[Result]) -> None:
    """Keep the summary as CSV, and on what it was measured as JSON."""
    from benchmarks.__main__ import machine

    with (folder / "selection_summary.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(summary[0]), lineterminator="\n")
        writer.writeheader()
        for row in summary:
            writer.writerow(
                {
                    name: float(f"{value:.4g}") if isinstance(value, float) else value
                    for name, value in row.items()
                }
            )
    note = {"topic": "selection", "left_out": LEFT_OUT, **machine()}
    (folder / "selection.json").write_text(json.dumps(note, indent=2) + "\n")


def as_text(summary: list[Result], results: list[Result]) -> str:
    """A table for each measure and consensus; the largest gain first."""
    lines = []
    head = ["sets", "kept", "all", "gain", "spread", "w/t/l", "p", "p Holm", "failed"]
    for measure in MEASURES:
        for consensus in CONSENSUS:
            rows = [
                row
                for row in summary
                if (row["measure"], row["consensus"]) == (measure, consensus)
            ]
            lines += ["", f"{measure}, {consensus} consensus", row_text("", head)]
            for row in sorted(rows, key=lambda row: -row["difference"]):
                p = row["p_holm"]
                cells = [
                    str(row["n_sets"]),
                    f"{row['kept']:.2f}",
                    f"{row['all']:.3f}",
                    f"{row['difference']:+.4f}",
                    f"{row['spread']:.4f}",
                    f"{row['wins']}/{row['ties']}/{row['losses']}",
                    f"{row['p']:.3f}",
                    "" if p is None else f"{p:.3f}",
                    str(row["n_failures"]),
                ]
                lines.append(row_text(row["selector"], cells))
    drawn = sorted(
        {row["data"] for row in results if row["n_objects"] < row["n_available"]}
    )
    if drawn:
        lines += ["", f"drawn down to {OBJECTS_DRAWN} objects: {', '.join(drawn)}"]
    lines += ["", *(f"left out: {name} {why}" for name, why in LEFT_OUT.items())]
    return "\n".join(lines)


def row_text(name: str, cells: list[str]) -> str:
    """One line of a table."""
    return f"{name:<24}" + "".join(f"{cell:>10.9}" for cell in cells)


if __name__ == "__main__":
    sys.exit(main())
