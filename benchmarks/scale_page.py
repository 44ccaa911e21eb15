"""The page of the scale runs: limits held or missed, and how time grows with n."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.evaluation.pages import NOT_MEASURED, figure, list_table
from benchmarks.evaluation.store import read

__all__ = ["cluster_runs", "costs", "page", "trees"]

# File, what it shows, its columns and what they are called.
TABLES = (
    (
        "scale",
        "From clusterings to a consensus; one thread, the peak is that of the process.",
        {
            "run": "run",
            "method": "method",
            "n": "objects",
            "M": "clusterings",
            "k": "k",
            "blocks": "blocks",
            "cpu_s": "CPU s",
            "peak_gb": "peak GB",
            "worker_gb": "GB of a worker",
            "ratio": "times the CPU in memory",
            "same_labels": "same labels",
            "target": "limit",
            "passed": "held",
        },
    ),
    (
        "scale_features",
        "From features to a result folder with ``comitia fit``; two threads.",
        {
            "data": "data",
            "n": "objects",
            "generator": "generator",
            "cpu_s": "CPU s",
            "wall_s": "wall s",
            "peak_gb": "peak GB",
            "nmi": "NMI",
            "usenc_nmi": "NMI of U-SENC in its paper",
            "target": "limit",
            "passed": "held",
        },
    ),
    ("gpu_linear", "Labels that live on a GPU.", None),
    ("gpu_huge", "A thousand million objects on one GPU.", None),
)

#: Columns of ``million_linkage`` and what they are called.
TREES = {
    "linkage": "linkage",
    "weights": "weights",
    "features": "features",
    "n": "objects",
    "u": "that differ",
    "cpu_s": "CPU s",
    "peak_gb": "peak GB",
    "lowest": "lowest merge",
    "10 %": "10 % of the merges",
    "50 %": "50 %",
    "90 %": "90 %",
    "99 %": "99 %",
    "top": "all",
}

#: Parts of the table of times that are told as growth.
DOUBLINGS = ("growth", "last")


def page(results: Path, figures: Path) -> str:
    """What was measured, in words, tables and one plot.

    Parameters
    ----------
    results : path
        Folder of the tables.

    figures : path
        Where the plot goes.

    Returns
    -------
    text : str
        reStructuredText.
    """
    parts = []
    for name, says, columns in TABLES:
        rows = read(results / f"{name}.csv")
        if rows:
            shown = [row for row in rows if row.get("part") not in DOUBLINGS]
            parts.append(f"{says}\n\n{_table(shown, columns)}\n")
            parts.append(_about(results / f"{name}.json"))
            if len(shown) < len(rows):
                parts.append(_growth(rows, figures))
    return "\n".join(parts) or NOT_MEASURED


def trees(results: Path) -> str:
    """Time, memory and heights of large trees.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        reStructuredText.
    """
    rows = read(results / "million_linkage.csv")
    if not rows:
        return NOT_MEASURED
    return f"{_table(rows, TREES)}\n\n{_about(results / 'million_linkage.json')}"


# What was done to the cluster in each part of benchmarks/tcp_cluster.py.
_DONE = {
    "killed": "a worker is killed in each of three stages",
    "slow": "a worker stands still four fifths of the time",
    "scheduler": "the scheduler is killed; ``--resume`` with another one",
}


def cluster_runs(results: Path) -> str:
    """What was done to a cluster over TLS, and how often labels stayed the same.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        reStructuredText.
    """
    rows = read(results / "tcp_cluster.csv")
    if not rows:
        return NOT_MEASURED
    lines = []
    for part, done in _DONE.items():
        own = [row for row in rows if row["part"] == part]
        kills = sum(int(row["kills"]) for row in own)
        same = sum(row["same_labels"] == "True" for row in own)
        lines.append([done, str(len(own)), str(kills), str(same)])
    head = ["what happens", "runs", "kills", "runs with the same labels"]
    about = _about(results / "tcp_cluster.json")
    return f"{list_table(head, lines)}\n\n{about}"


def costs(results: Path) -> str:
    """What an object costs, and what 1e10 would cost.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        reStructuredText.
    """
    rows = read(results / "cost_model.csv")
    if not rows:
        return NOT_MEASURED
    names = {
        "stage": "stage",
        "cpu_us": "CPU µs per object",
        "bytes": "bytes per object",
        "fixed_cpu_s": "CPU s whatever n",
        "cpu_h_1e10": "CPU hours at 1e10",
        "tb_1e10": "TB at 1e10",
    }
    return f"{_table(rows, names)}\n\n{_about(results / 'cost_model.json')}"


def _table(rows: list[dict[str, str]], columns: dict[str, str] | None) -> str:
    names = columns or {name: name.replace("_", " ") for name in rows[0]}
    return list_table(
        list(names.values()),
        [[_cell(name, row.get(name) or "") for name in names] for row in rows],
    )


def _cell(name: str, value: str) -> str:
    if value in ("True", "False"):
        return "yes" if value == "True" else "no"
    try:
        number = float(value)
    except ValueError:
        return value
    if number.is_integer() and abs(number) >= 1000:
        return f"{int(number):,}"
    return f"{number:.3g}"


def _about(path: Path) -> str:
    """When and with what."""
    if not path.exists():
        return ""
    runs = json.loads(path.read_text())
    several = [runs] if "date" in runs else list(runs.values())
    told = [_who(run) for run in several if isinstance(run, dict) and "date" in run]
    return f"*{'; '.join(dict.fromkeys(told))}.*\n" if told else ""


def _who(run: dict[str, Any]) -> str:
    versions = ", ".join(f"{name} {it}" for name, it in run.get("versions", {}).items())
    where = run.get("device") or f"{run.get('cores')} cores"
    return f"{run['date'][:10]}, {where} ({versions})"


def _growth(rows: list[dict[str, str]], figures: Path) -> str:
    from matplotlib import pyplot as plt

    grown = [row for row in rows if row["part"] == "growth"]
    drawn, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for method in dict.fromkeys(row["method"] for row in grown):
        own = [row for row in grown if row["method"] == method]
        n, seconds = ([float(row[name]) for row in own] for name in ("n", "cpu_s"))
        axes.loglog(n, seconds, marker="o", markersize=3, label=method)
    axes.set(xlabel="objects", ylabel="CPU seconds, one thread")
    axes.legend(frameon=False)
    ratios = [
        (float(row["ratio"]), row["method"], int(row["n"]))
        for row in rows
        if row["part"] in DOUBLINGS and row["ratio"]
    ]
    words = ""
    if ratios:
        most, method, up_to = max(ratios)
        words = (
            f"Each doubling of the objects takes {min(ratios)[0]:.2f} to {most:.2f} "
            "times as long (ten clusterings, twenty clusters); longest is "
            f"{method}, up to {up_to:,} objects.\n"
        )
    return (
        words + "\n" + figure(drawn, figures, "growth", "CPU seconds against objects")
    )
