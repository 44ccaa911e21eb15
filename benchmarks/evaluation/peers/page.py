"""What the documentation says of the peers, and of junk."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    Finding,
    about,
    enumerated,
    figure,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.peers.junk import (
    DEFAULT,
    GOOD_NOISE,
    METHODS,
    N_CLUSTERS,
    N_OBJECTS,
)
from benchmarks.evaluation.store import Row, read
from benchmarks.evaluation.tools import TOOLS

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
            texts += [*section(title), _TOLD[takes], _table(found), ""]
    junk = [row for row in read(results / "peers_junk.csv") if row["status"] == "ok"]
    if junk:
        texts += [*section("When weighting wins"), _finding(junk, figures), ""]
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
    gaps = np.array(list(_gaps(rows, method, other).values()))
    wins, losses = int((gaps > TIE).sum()), int((gaps < -TIE).sum())
    return wins, len(gaps) - wins - losses, losses, float(gaps.min())


def _gaps(rows: Sequence[Row], method: str, other: str) -> dict[tuple[str, ...], float]:
    """Mean differences of two methods, by the settings of the grid."""
    cells: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for row in rows:
        cell = tuple(row[name] for name in _GRID)
        cells[cell].append(float(row[method]) - float(row[other]))
    return {cell: float(np.mean(values)) for cell, values in cells.items()}


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
    told = [one.told(rows) for one in FINDINGS]
    return "\n".join([_grid_told(rows), *told, list_table(head, body), "", drawn])


def _grid_told(rows: Sequence[Row]) -> str:
    def tried(name: str, form: str) -> str:
        values = sorted({float(row[name]) for row in rows})
        return enumerated([format(value, form) for value in values])

    seeds = len({row["seed"] for row in rows})
    return (
        f"Members are planted: {N_CLUSTERS} clusters, {N_OBJECTS} objects, "
        f"{GOOD_NOISE:.0%} of the labels random. A share of the members "
        f"({tried('junk_share', '.0%')}) is junk with more random labels "
        f"({tried('junk_noise', '.0%')}); the largest cluster is "
        f"{tried('imbalance', 'g')} times the smallest; there are "
        f"{tried('n_clusterings', 'g')} members; {seeds} seed{'s' * (seeds > 1)}. "
        "``oracle`` assigns objects by error tables that were counted with the planted "
        "partition.\n"
    )


def _ahead(rows: Sequence[Row], method: str, other: str) -> float:
    return _mean(rows, method) - _mean(rows, other)


def _ahead_of_kcc(rows: Sequence[Row], methods: Sequence[str]) -> str:
    return enumerated([f"{one} {_ahead(rows, one, 'kcc'):+.3f}" for one in methods])


def _part(rows: Sequence[Row], name: str, value: float) -> list[Row]:
    return [row for row in rows if float(row[name]) == value]


def _extremes(rows: Sequence[Row], name: str) -> tuple[float, float]:
    values = {float(row[name]) for row in rows}
    return min(values), max(values)


def _of_trees(rows: Sequence[Row]) -> tuple[str, bool]:
    least, _ = _extremes(rows, "imbalance")
    _, most = _extremes(rows, "junk_share")
    some = _part(_part(rows, "imbalance", least), "junk_share", most)
    if not some:
        return "", True
    trees = ("eac", "weac", "lwea")
    text = (
        f"With {most:.0%} junk and sizes {least:g}:1, ARI above that of kcc: "
        f"{_ahead_of_kcc(some, (*trees, 'lwgp'))}."
    )
    worst = max(_ahead(some, one, "kcc") for one in trees)
    return text, worst < min(_ahead(some, "lwgp", "kcc"), 0.0)


def _of_weights(rows: Sequence[Row]) -> tuple[str, bool]:
    gains = [
        (share, _ahead(_part(rows, "junk_share", share), "weac", "eac"))
        for share in _extremes(rows, "junk_share")
    ]
    told = [f"{gain:+.3f} with {share:.0%} junk" for share, gain in gains]
    text = (
        "Against the same tree without weights (eac), the weights of weac bring "
        f"{enumerated(told)}."
    )
    return text, gains[1][1] >= gains[0][1]


def _of_sizes(rows: Sequence[Row]) -> tuple[str, bool]:
    _, most = _extremes(rows, "imbalance")
    some = _part(rows, "imbalance", most)
    text = (
        f"With sizes {most:g}:1, ARI above that of kcc: "
        f"{_ahead_of_kcc(some, ('eac', 'weac', 'lwea'))}."
    )
    return text, _ahead(some, "eac", "kcc") > 0


def _of_default(rows: Sequence[Row]) -> tuple[str, bool]:
    wins, ties, losses, worst = against(rows, DEFAULT, "kcc")
    short = _ahead(rows, "oracle", DEFAULT)
    by_ratio = [
        f"{_ahead(_part(rows, 'imbalance', ratio), DEFAULT, 'kcc'):+.3f} with sizes "
        f"{ratio:g}:1"
        for ratio in sorted({float(row["imbalance"]) for row in rows})
    ]
    text = (
        f"Of {wins + ties + losses} settings it wins {wins} against kcc, ties {ties} "
        f"(within {TIE}) and loses {losses}, the worst by {-worst:.3f}; on average it "
        f"is ahead by {enumerated(by_ratio)}, and {short:.3f} short of the oracle."
    )
    if losses:
        text += f" Where it loses, {_where_lost(rows)}."
    return text, wins > losses and _ahead(rows, DEFAULT, "kcc") > 0


def _where_lost(rows: Sequence[Row]) -> str:
    """What the settings have in common in which the default loses to kcc."""
    lost = [cell for cell, gap in _gaps(rows, DEFAULT, "kcc").items() if gap < -TIE]
    good = [int(size) - round(float(share) * int(size)) for share, _, _, size in lost]
    ratios = sorted({float(ratio) for _, _, ratio, _ in lost})
    told = enumerated([f"{ratio:g}:1" for ratio in ratios])
    return f"at most {max(good)} good members are left, and sizes are {told}"


FINDINGS = (
    Finding(
        "It is the tree that loses, not the weights",
        "Average linkage joins an object once, by few labels if most members are junk, "
        "and never looks again: every weighting of it, by clusterings (weac) or by "
        "clusters (lwea), loses to plain k-means on the indicator rows (kcc) where "
        "junk prevails and sizes are equal. K-means compares each object with k "
        "centres, and a junk member has the same centre everywhere: it cancels without "
        "being weighed. lwgp, which weighs clusters and then also runs k-means, does "
        "not fall behind like that.",
        _of_trees,
    ),
    Finding("Weights pay once there is junk", "", _of_weights),
    Finding(
        "Where sizes are unequal, trees win",
        "K-means prefers clusters of equal size. So it is on real members, which have "
        "many more clusters than there are classes (the table at the end).",
        _of_sizes,
    ),
    Finding(
        "Both are to be had",
        "The default starts from the trees of LWEA and from the cut of LWGP, and moves "
        "each object to the cluster in which its labels are likeliest "
        "(:func:`comitia.partition.reassign`). Each member is weighed by how far the "
        "consensus explains it better than chance, and the errors of a member are "
        "drawn towards errors that go anywhere, as far as they follow no pattern. This "
        "has no parameter and takes time linear in n. lwea* and lwgp* are the same "
        "from one start.",
        _of_default,
    ),
)


def _on_pools(results: Path) -> str:
    """The same methods on real members; the draws of a pool are one data set."""
    rows = [row for row in read(results / "peers_pools.csv") if row["status"] == "ok"]
    if not rows:
        return ""
    names = sorted({row["pool"] for row in rows})
    means = {
        method: np.array(
            [_mean([r for r in rows if r["pool"] == name], method) for name in names]
        )
        for method in METHODS
    }
    body = []
    for method, ours in means.items():
        gaps = ours - means["kcc"]
        won, lost = int((gaps > TIE).sum()), int((gaps < -TIE).sum())
        count = f"{won} / {len(gaps) - won - lost} / {lost}"
        body.append([method, number(float(ours.mean())), count])
    caption = (
        f"The same methods on real members: ten at a time from the {len(names)} pools "
        f"of Fidelity, {len(rows)} draws; won, tied and lost are pools.\n"
    )
    head = ["method", "ARI", "kcc: won / tied / lost"]
    return "\n".join(
        [about(results, "peers_pools"), caption, list_table(head, body), ""]
    )


_ALT = "Adjusted Rand index above that of kcc against the share of junk"


def _mean(rows: Sequence[Row], method: str) -> float:
    return float(np.mean([float(row[method]) for row in rows]))


def _where(rows: Sequence[Row], method: str, name: str, value: float) -> str:
    return number(_mean([row for row in rows if float(row[name]) == value], method))


def _plot(rows: Sequence[Row]) -> Any:
    """How far methods are above kcc, by the share of junk, for each imbalance."""
    from matplotlib import pyplot as plt

    from comitia.plot.palette import COLORS, GRAY, MARKERS, tidy

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
    shown = ("eac", "weac", "lwea", "lwgp", "sec", DEFAULT)
    for ax, ratio in zip(axes[0], ratios, strict=True):
        ax.axhline(0.0, color=GRAY, linewidth=0.8)
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
            look = {"color": COLORS[at], "marker": MARKERS[at], "markersize": 4}
            ax.plot(shares, gaps, label=method, **look)
        ax.set_xlabel(f"share of junk, sizes {ratio:g}:1")
        tidy(ax, "y")
    axes[0, 0].set_ylabel("ARI above that of kcc")
    axes[0, -1].legend(fontsize="x-small")
    return drawn
