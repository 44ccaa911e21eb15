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
    The methods for several views (``views.csv``).
``view_rivals``, ``series_rivals``
    The default for views, or for series, and its rivals, on the sets that it was not
    chosen on (``view_default.csv``).
``graph_rivals``
    The methods for networks, and some on the same members that do not look at the
    network (``network_default.csv``: rows of ``python -m benchmarks.evaluation
    networks`` with three seeds, as they were when the default was chosen).
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
from comitia.catalogue import DEFAULT_FOR, DEFAULT_METHOD
from comitia.evaluate import mean_ranks

__all__ = ["measured_ranks"]

TARGET = Path(__file__).parent.parent / "src/comitia/evaluate/measured_ranks.json"

# What the results call the defaults and the reference.
_CALLED = {
    "default": DEFAULT_METHOD,
    "the default": DEFAULT_METHOD,
    "k-means (all views)": REFERENCE,
}

# What is compared on the sets that a default was not chosen on, and its id here.
_KEPT_ASIDE: dict[str, dict[str, str]] = {
    "view": {
        "the default": DEFAULT_FOR["views"],
        "mic": "mic",
        "mvcc": "mvcc",
        "KMeans on all columns": REFERENCE,
    },
    "series": {
        "the default": DEFAULT_FOR["series"],
        "yang_chen_2011": "yang_chen_2011",
        "yang_jiang_2018": "yang_jiang_2018",
        "k-shape": "k-shape",
        "KMeans on values": REFERENCE,
    },
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
    views = results.parent / "views.csv"
    found["views"] = _league(_views(read(views)), _day(views.with_suffix(".json")))
    beside = read(results.parent / "view_default.csv")
    for kind, called in _KEPT_ASIDE.items():
        rows = [
            row
            for row in beside
            if row["half"] == "confirm"
            and row["kind"].startswith(kind)
            and row["candidate"] in called
        ]
        scores = _by_set((row["set"], called[row["candidate"]], row) for row in rows)
        day = max(row["date"] for row in rows)
        found[f"{kind}_rivals"] = _league(scores, day)
    networks = read(results.parent / "network_default.csv")
    scores = _by_set((row["data"], row["rival"], row) for row in networks if row["ari"])
    found["graph_rivals"] = _league(scores, max(row["date"] for row in networks))
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
    tried = [
        (row["set"], str(_CALLED.get(row["method"], row["method"])), row)
        for row in rows
        if row["part"] == "views" and row["status"] == "ok"
    ]
    return _by_set(one for one in tried if one[1] in known)


def _by_set(rows: Iterable[tuple[str, str, Row]]) -> Scores:
    scores: Scores = defaultdict(lambda: defaultdict(list))
    for of_set, method, row in rows:
        scores[of_set][method].append(float(row["ari"]))
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
