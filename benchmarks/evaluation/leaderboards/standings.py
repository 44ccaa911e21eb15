"""Where methods stand: means over the seeds on each set, and each beside ours.

Rows have ``data``, ``method``, ``seed``, ``half``, ``ari``, ``nmi``, ``seconds`` and
``status``. A method without a result on a set that it was tried on has the worst score
that anybody has there, or zero if that is less.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.leaderboards.paired import Paired, paired
from benchmarks.evaluation.pages import list_table, number
from benchmarks.evaluation.store import Row

__all__ = [
    "CONFIRM",
    "LEGEND",
    "SCORES",
    "best_of",
    "compared",
    "means",
    "packages",
    "scores",
    "table",
    "timed",
]

#: What :func:`scores` gives.
SCORES = ("n_clusters", "ari", "nmi")
#: The half of the sets that no default was chosen on.
CONFIRM = "confirm"

#: What the columns of :func:`table` mean.
LEGEND = """\
*default better by* is the mean of the default less the line's score on the line's sets,
with Wilcoxon's signed rank test and the rank-biserial effect size; a tie is within .01.
*to confirm* is the mean on the sets that our default was not chosen on. No result
counts as the worst score of its set. Seconds are of CPU time, medians.
"""

Labels = NDArray[Any]
Means = dict[str, dict[str, float]]


def scores(labels: Labels, y: Labels) -> dict[str, Any]:
    """How well labels agree with known classes.

    Parameters
    ----------
    labels, y : ndarray of shape (n_objects,)
        The labels, and the classes: -1 for objects of none, which are left out.

    Returns
    -------
    scores : dict
        :data:`SCORES`; the mutual information is divided by the mean of the entropies.
    """
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    known = y >= 0
    return {
        "n_clusters": len(np.unique(labels)),
        "ari": float(adjusted_rand_score(y[known], labels[known])),
        "nmi": float(normalized_mutual_info_score(y[known], labels[known])),
    }


def timed(fit: Callable[[], Any]) -> tuple[Any, float]:
    """What a call gives, and the CPU seconds of this process that it took.

    Parameters
    ----------
    fit : callable
        The call.

    Returns
    -------
    found : object
        Its result.

    seconds : float
        The seconds.
    """
    start = time.process_time()
    found = fit()
    return found, time.process_time() - start


def means(rows: Iterable[Row], score: str = "ari") -> Means:
    """Mean score of each method on each set.

    Parameters
    ----------
    rows : iterable of dict
        The rows of a board.

    score : str, default="ari"
        The column that is averaged.

    Returns
    -------
    means : dict of str to dict of str to float
        By method and set. A row without a result has the worst score of its set.
    """
    rows = list(rows)
    worst: dict[str, float] = defaultdict(float)
    for row in rows:
        if row["status"] == "ok" and row[score]:
            worst[row["data"]] = min(worst[row["data"]], float(row[score]))
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["status"] != "ok":
            found[row["method"]][row["data"]].append(worst[row["data"]])
        elif row[score]:
            found[row["method"]][row["data"]].append(float(row[score]))
    return {
        method: {name: float(np.mean(each)) for name, each in sets.items()}
        for method, sets in found.items()
    }


def compared(
    rows: Sequence[Row], ours: str, theirs: str, score: str = "ari"
) -> Paired | None:
    """Two methods on the sets that both were tried on.

    Parameters
    ----------
    rows : sequence of dict
        The rows of a board.

    ours, theirs : str
        The methods.

    score : str, default="ari"
        The column that is compared.

    Returns
    -------
    paired : Paired or None
        None where they have no set in common.
    """
    found = means(rows, score)
    here, there = found.get(ours, {}), found.get(theirs, {})
    both = sorted(here.keys() & there.keys())
    if not both:
        return None
    return paired([here[one] for one in both], [there[one] for one in both])


def best_of(rows: Sequence[Row], methods: Iterable[str], score: str = "ari") -> str:
    """Of some methods the one with the best mean over all sets.

    Parameters
    ----------
    rows : sequence of dict
        The rows of a board.

    methods : iterable of str
        The methods; those that were not tried on every set are left out.

    score : str, default="ari"
        The column by which.

    Returns
    -------
    method : str
        Its name; empty where no method was tried on every set.
    """
    found = means(rows, score)
    n_sets = len({name for sets in found.values() for name in sets})
    overall = {
        one: float(np.mean(list(found[one].values())))
        for one in methods
        if one in found and len(found[one]) == n_sets
    }
    return max(overall, key=lambda one: (overall[one], one), default="")


def table(
    rows: Sequence[Row], ours: str, score: str = "ari", memory: bool = False
) -> str:
    """A line for each method: its means, and ours less its score, set by set.

    Methods that were not tried on all sets come last.

    Parameters
    ----------
    rows : sequence of dict
        The rows of a board.

    ours : str
        The method that the others are compared with.

    score : str, default="ari"
        The column that is compared.

    memory : bool, default=False
        Whether the lines end with the memory that the methods took.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    found, nmi = means(rows, score), means(rows, "nmi")
    halves = {row["data"]: row["half"] for row in rows if row.get("half")}
    most, ari = max(len(sets) for sets in found.values()), score == "ari"
    lines = []
    for method, sets in found.items():
        mine = [row for row in rows if row["method"] == method]
        aside = [value for name, value in sets.items() if halves.get(name) == CONFIRM]
        failed = sum(row["status"] != "ok" for row in mine)
        ended = [row for row in mine if row["status"] == "ok"]
        told = compared(rows, ours, method, score) if method != ours else None
        lines.append(
            (
                len(sets) < most,
                -_mean(list(sets.values())),
                [
                    f"**{method}**" if method == ours else method,
                    str(len(sets)),
                    str(len({row["seed"] for row in mine})),
                    number(_mean(list(sets.values()))),
                    *([number(_mean(aside))] if halves else []),
                    *([number(_mean([*nmi.get(method, {}).values()]))] if ari else []),
                    *_cells(told),
                    str(failed),
                    number(_median(ended, "seconds"), 2),
                    *([number(_median(ended, "peak_mb"), 1)] if memory else []),
                ],
            )
        )
    head = (
        *("", "sets", "seeds", score.upper() if len(score) < 4 else score),
        *(["to confirm"] if halves else []),
        *(["NMI"] if ari else []),
        *("default better by", "p", "effect", "won / tied / lost"),
        *("no result", "seconds", *(["MB"] if memory else [])),
    )
    return list_table(head, [line for *_, line in sorted(lines)])


def packages(results: Path, board: str) -> str:
    """Versions of the peers of the last run, and what was not there.

    Parameters
    ----------
    results : path
        Folder of the tables.

    board : str
        Name of the board.

    Returns
    -------
    text : str
        One sentence or two; empty where nothing is known.
    """
    path = results / f"leaderboard_{board}.json"
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    if not runs or "peers" not in runs[-1]:
        return ""
    here = ", ".join(f"{name} {it}" for name, it in runs[-1]["peers"].items())
    gone = runs[-1].get("absent", {}).values()
    return f"Peers: {here}." + (f" Left out: {'; '.join(gone)}." if gone else "") + "\n"


def _cells(told: Paired | None) -> list[str]:
    if told is None:
        return ["–"] * 4
    return [
        f"{told.gain:+.3f}",
        f"{told.p:.2g}",
        f"{told.effect:+.2f}",
        f"{told.won} / {told.tied} / {told.lost}",
    ]


def _median(rows: Sequence[Row], column: str) -> float:
    values = [float(row[column]) for row in rows if row[column]]
    return float(np.median(values)) if values else float("nan")


def _mean(values: Sequence[float]) -> float:
    return float(np.mean(values)) if values else float("nan")
