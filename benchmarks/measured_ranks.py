"""The measured ranks that ``comitia.recommend`` reads, from the results kept here.

    python -m benchmarks.measured_ranks

writes ``src/comitia/evaluate/measured_ranks.json`` anew: the wheel has no results of
benchmarks, and nothing is recommended that was not measured. A league holds methods
that had the same to work with:

``rivals``
    The default and its rivals on whole tables (``default_rivals.csv``).
``tables``, ``constraints``, ``series``, ``graph``
    All methods on all data (``everything.csv``).
``views``
    The methods for several views, and the default for them (``views.csv``).
``pools``
    Methods that combine given clusterings, on published pools (``fidelity.csv``), and
    the default on the same (``peers_pools.csv``).
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.everything.leagues import REFERENCE, leagues
from benchmarks.evaluation.store import RESULTS, Row, read
from comitia.catalogue import DEFAULT_FOR_VIEWS, DEFAULT_METHOD
from comitia.evaluate import mean_ranks

__all__ = ["measured_ranks"]

TARGET = Path(__file__).parent.parent / "src/comitia/evaluate/measured_ranks.json"

# What the results call the defaults and the reference.
_CALLED = {
    "default": DEFAULT_METHOD,
    "the default": DEFAULT_METHOD,
    "ensemble lwgp": DEFAULT_FOR_VIEWS,
    "k-means (all views)": REFERENCE,
}

# Lines of other results that are no methods of the catalogue.
_RIVALS = (DEFAULT_METHOD, "lwgp", "lwea", "eac", "kcc", REFERENCE)

Scores = dict[str, dict[str, list[float]]]


def measured_ranks(results: Path = RESULTS) -> dict[str, Any]:
    """Ranks and mean scores of the methods, by league.

    Parameters
    ----------
    results : path, default=RESULTS
        Folder of the tables of the evaluation.

    Returns
    -------
    leagues : dict
        For each league the day of its last run, how many data sets and methods it has,
        the difference below which mean ranks are not told apart, and for each method
        its mean rank and its mean adjusted Rand index, the best first.
    """
    found = {"rivals": _league(_rivals(results), _day(results / "default_rivals.json"))}
    day = _day(results / "everything.json")
    for name, league in leagues(read(results / "everything.csv")).items():
        if name == "views":
            continue  # the default is not in it
        found["tables" if name == "single" else name] = {
            "date": day,
            "n_sets": len(league.sets),
            "n_methods": len(league.lines),
            "critical_difference": _short(league.critical_difference),
            "methods": {
                line.method: [_short(line.rank), _short(line.ari)]
                for line in league.lines
            },
        }
    beside = results.parent / "views.csv"
    found["views"] = _league(_views(read(beside)), _day(beside.with_suffix(".json")))
    found["pools"] = _league(_pools(results), _day(results / "fidelity.json"))
    return found


def _rivals(results: Path) -> Scores:
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for row in read(results / "default_rivals.csv"):
        for called, value in row.items():
            method = _CALLED.get(called, called)
            if method in _RIVALS and value != "":
                scores[row["data"]][method].append(float(value))
    return scores


def _views(rows: Iterable[Row]) -> Scores:
    import comitia

    known = {*(card.id for card in comitia.methods(needs="views")), REFERENCE}
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for row in rows:
        method = _CALLED.get(row["method"], row["method"])
        if row["part"] == "views" and row["status"] == "ok" and method in known:
            scores[row["set"]][method].append(float(row["ari"]))
    return scores


def _pools(results: Path) -> Scores:
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for row in read(results / "fidelity.csv"):
        if row["criterion"] == "true-k" and row["status"] == "ok":
            scores[row["pool"]][row["method"]].append(float(row["ari"]))
    for row in read(results / "peers_pools.csv"):
        scores[row["pool"]][DEFAULT_METHOD].append(float(row["the default"]))
    return scores


def _league(scores: Mapping[str, Mapping[str, list[float]]], day: str) -> Any:
    """Ranks of the methods that have a result on every data set."""
    tried = [set(of_set) for of_set in scores.values()]
    methods = sorted(set.intersection(*tried))
    means = np.array(
        [[np.mean(of_set[method]) for method in methods] for of_set in scores.values()]
    )
    ranks = mean_ranks(means)
    return {
        "date": day,
        "n_sets": len(means),
        "n_methods": len(methods),
        "critical_difference": _short(ranks.critical_difference),
        "methods": {
            methods[j]: [_short(ranks.means[j]), _short(means[:, j].mean())]
            for j in np.argsort(ranks.means, kind="stable")
        },
    }


def _day(about: Path) -> str:
    known = json.loads(about.read_text(encoding="utf-8"))
    runs = known.get("runs", [known])
    return max(str(run.get("date", "")) for run in runs)[:10]


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def main() -> None:
    """Write the table."""
    lines = []
    for name, league in measured_ranks().items():
        methods = league.pop("methods")
        head = json.dumps(league)[1:-1]
        each = ",\n   ".join(
            f"{json.dumps(method)}: {json.dumps(pair)}"
            for method, pair in methods.items()
        )
        lines.append(f' {json.dumps(name)}: {{{head},\n  "methods": {{\n   {each}}}}}')
    TARGET.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"written: {TARGET}")


if __name__ == "__main__":
    main()
