"""What the documentation says of the peers, and of junk."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.junk import METHODS
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    figure,
    list_table,
    number,
)
from benchmarks.evaluation.peer_tools import TOOLS
from benchmarks.evaluation.store import Row, read

__all__ = ["against", "page"]

#: Differences below this are ties.
TIE = 0.005
_TITLES = {
    "labels": "The same members",
    "table": "The same table",
    "views": "The same views",
    "series": "The same series",
}


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the peers, and of junk.

    Parameters
    ----------
    results : path
        Folder of the tables.

    figures : path
        Folder for the plots.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    rows = read(results / "peers.csv")
    if not rows:
        return NOT_MEASURED
    texts = [_INTRODUCTION, about(results, "peers"), _packages(results), ""]
    for takes, title in _TITLES.items():
        found = [row for row in rows if TOOLS[row["tool"]].takes == takes]
        if found:
            texts += _section(title, f"{_TOLD[takes]}\n{_table(found)}")
    junk = [row for row in read(results / "peers_junk.csv") if row["status"] == "ok"]
    if junk:
        texts += _section("When weighting wins", _finding(junk, figures))
        texts += [_on_pools(results), ""]
    return "\n".join(texts)


_INTRODUCTION = """\
Every tool gets the same input in the same run. Seconds are CPU time on one thread,
after a call that is not counted; MB are the most memory above that before the call.
Both are medians over the cases of a table, the scores are adjusted Rand indices, means
over the seeds.
"""
_TOLD = {
    "labels": """\
Twenty members of 2000 objects in five clusters, four tenths of whose labels are random;
with unequal sizes the largest cluster is sixteen times the smallest; in junk members
nine tenths of the labels are random. The last case is k-means with 2 to
:math:`\\sqrt n` clusters on the digits of scikit-learn. A star is a second look, by
:func:`comitia.partition.reassign`; see below.
""",
    "table": """\
Data sets of scikit-learn, cut to 600 objects. ConsensusClusterPlus makes fifty
clusterings of 80 % of the objects; ours has its defaults.
""",
    "views": """\
The columns of the same data sets, in groups. snfpy is similarity network fusion, cut by
spectral clustering.
""",
    "series": """\
Noisy waves of three frequencies with a random phase, of equal and of unequal length.
""",
}


def _section(title: str, text: str) -> list[str]:
    return [title, "^" * len(title), "", text, ""]


def _packages(results: Path) -> str:
    path = results / "peers.json"
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    if not runs:
        return ""
    last = runs[-1]
    here = ", ".join(f"{name} {it}" for name, it in last.get("peers", {}).items())
    gone = "; ".join(f"{name}: {why}" for name, why in last.get("absent", {}).items())
    return f"The peers: {here}." + (f" Left out: {gone}." if gone else "") + "\n"


def _table(rows: Sequence[Row]) -> str:
    cases = list(dict.fromkeys(row["case"] for row in rows))
    by_tool: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_tool[row["tool"]].append(row)
    body = []
    for tool, found in by_tool.items():
        cells = [
            _score([row for row in found if row["case"] == case]) for case in cases
        ]
        costs = [_median(found, "seconds", 3), _median(found, "peak_mb", 1)]
        named = tool if TOOLS[tool].package != "comitia" else f"**{tool}**"
        # A star in bold type would end it.
        body.append([named.replace("***", "\\***"), *cells, *costs])
    return list_table(["tool", *cases, "seconds", "MB"], body)


def _score(rows: Sequence[Row]) -> str:
    good = [float(row["ari"]) for row in rows if row["status"] == "ok"]
    if good:
        return number(float(np.mean(good)))
    return rows[0]["status"] if rows else ""


def _median(rows: Sequence[Row], column: str, digits: int) -> str:
    values = [float(row[column]) for row in rows if row["status"] == "ok"]
    return number(float(np.median(values)) if values else float("nan"), digits)


# -- junk ------------------------------------------------------------------------------


def against(
    rows: Sequence[Row], method: str, other: str
) -> tuple[int, int, int, float]:
    """How often one method beats another, cell by cell of the grid.

    Parameters
    ----------
    rows : sequence of dict
        The rows of ``peers_junk.csv``.

    method, other : str
        Two of its columns.

    Returns
    -------
    wins, ties, losses : int
        Cells of the grid, by the mean over the seeds; 0.005 is a tie.

    worst : float
        The lowest difference.
    """
    cells: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        cell = tuple(row[name] for name in _GRID)
        cells[cell].append(float(row[method]) - float(row[other]))
    gaps = np.array([np.mean(values) for values in cells.values()])
    wins, losses = int((gaps > TIE).sum()), int((gaps < -TIE).sum())
    return wins, len(gaps) - wins - losses, losses, float(gaps.min())


_GRID = ("junk_share", "junk_noise", "imbalance", "n_clusterings")


def _finding(rows: Sequence[Row], figures: Path) -> str:
    shares = sorted({float(row["junk_share"]) for row in rows})
    ratios = sorted({float(row["imbalance"]) for row in rows})
    body = []
    for method in (*METHODS, "oracle"):
        wins, ties, losses, worst = against(rows, method, "kcc")
        body.append(
            [
                method,
                number(_mean(rows, method)),
                *(_where(rows, method, "junk_share", share) for share in shares),
                *(_where(rows, method, "imbalance", ratio) for ratio in ratios),
                f"{wins} / {ties} / {losses}",
                number(worst),
            ]
        )
    head = [
        "method",
        "mean",
        *(f"{share:.0%} junk" for share in shares),
        *(f"sizes {ratio:g}:1" for ratio in ratios),
        "kcc: won / tied / lost",
        "worst",
    ]
    drawn = figure(_plot(rows), figures, "junk", _ALT)
    gains = [
        _mean(some, "weac") - _mean(some, "eac")
        for share in (shares[0], shares[-1])
        for some in [[row for row in rows if float(row["junk_share"]) == share]]
    ]
    told = _WHEN.format(none=gains[0], most=gains[1], share=shares[-1])
    return "\n".join([told, list_table(head, body), "", drawn])


_WHEN = """\
Members are planted: five clusters, 1000 objects, four tenths of the labels random. A
share of the members, 0 to 80 %, is junk with 70, 90 or 100 % random labels; the largest
cluster is 1, 4 or 16 times the smallest; there are 10, 20 or 50 members; three seeds.
``oracle`` assigns objects by error tables that were counted with the planted partition.

*What loses to plain k-means on the indicator rows* (``kcc``) *is the tree, not the
weights.* Average linkage joins an object once, by few labels if most members are junk,
and never looks again: every weighting of it, by clusterings (``weac``) or by clusters
(``lwea``), loses to ``kcc`` where junk prevails and sizes are equal. K-means compares
each object with k centres, and a junk member has the same centre everywhere: it cancels
without being weighed. ``lwgp``, which weighs clusters and then also runs k-means, is
level with it.

*Weights pay once there is junk.* Against the same tree without weights (``eac``), the
weights of ``weac`` bring {none:+.3f} without junk, and {most:+.3f} with {share:.0%}.

*Where sizes are unequal, trees win.* K-means prefers clusters of equal size: with sizes
16 : 1 even the tree without weights is ahead of it. So it is on real members, which
have many more clusters than there are classes (the table at the end).

*Both are to be had.* ``lwea*`` takes the tree of LWEA as a start and then moves each
object to the cluster in which its labels are likeliest, each member weighed by how far
the consensus explains it better than chance (:func:`comitia.partition.reassign`). It
has no parameter, takes time linear in n, leaves LWEA's scores on the real pools as they
are, and is nearest to the oracle here. It loses to ``kcc``, by a few hundredths, where
sizes are equal and six good members or fewer are left: the tree is too bad a start.
"""


def _on_pools(results: Path) -> str:
    """The same methods on real members, on the draws that all of them have."""
    scores: dict[str, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in read(results / "fidelity_variants.csv"):
        method, _, variant = row["variant"].partition(", ")
        if variant == "second look" and row["status"] == "ok":
            scores[f"{method}*"][row["pool"], row["draw"]] = row
    if not scores:
        return ""
    for row in read(results / "fidelity.csv"):
        if row["criterion"] == "true-k" and row["status"] == "ok":
            scores[row["method"]][row["pool"], row["draw"]] = row
    shown = [method for method in METHODS if method in scores]
    common = sorted(set.intersection(*(set(scores[method]) for method in shown)))
    by_pool: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for draw in common:
        by_pool[draw[0]].append(draw)

    def mean(method: str, column: str) -> str:
        means = [
            np.mean([float(scores[method][draw][column]) for draw in draws])
            for draws in by_pool.values()
        ]
        return number(float(np.mean(means)))

    body = [[method, mean(method, "ari"), mean(method, "nmi_max")] for method in shown]
    said = (
        f"The same methods on real members: the pools of Fidelity, {len(common)} draws "
        f"from {len(by_pool)} of them.\n"
    )
    return f"{said}\n{list_table(['method', 'ARI', 'NMI (max)'], body)}"


_ALT = "Adjusted Rand index above that of kcc against the share of junk"


def _mean(rows: Sequence[Row], method: str) -> float:
    return float(np.mean([float(row[method]) for row in rows]))


def _where(rows: Sequence[Row], method: str, name: str, value: float) -> str:
    return number(_mean([row for row in rows if float(row[name]) == value], method))


def _plot(rows: Sequence[Row]) -> Any:
    """How far methods are above kcc, by the share of junk, for each imbalance."""
    from matplotlib import pyplot as plt

    from comitia.plot._style import COLOURS, GREY, MARKERS, tidy

    ratios = sorted({float(row["imbalance"]) for row in rows})
    shares = sorted({float(row["junk_share"]) for row in rows})
    drawn, axes = plt.subplots(
        1,
        len(ratios),
        figsize=(2.6 * len(ratios) + 0.6, 3.0),
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    shown = ("eac", "weac", "lwea", "lwgp", "sec", "lwea*")
    for ax, ratio in zip(axes[0], ratios, strict=True):
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        for at, method in enumerate(shown):
            gaps = []
            for share in shares:
                some = [
                    row
                    for row in rows
                    if float(row["imbalance"]) == ratio
                    and float(row["junk_share"]) == share
                ]
                gaps.append(_mean(some, method) - _mean(some, "kcc"))
            look = {"color": COLOURS[at], "marker": MARKERS[at], "markersize": 4}
            ax.plot(shares, gaps, label=method, **look)
        ax.set_xlabel(f"share of junk, sizes {ratio:g}:1")
        tidy(ax, "y")
    axes[0, 0].set_ylabel("ARI above that of kcc")
    axes[0, -1].legend(fontsize="x-small")
    return drawn
