"""What the documentation says of consensus on networks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.networks.cells import STEPS
from benchmarks.evaluation.networks.run import MIXINGS, N_MEMBERS, RIVALS
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    enumerated,
    figure,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["page"]

HALVES = ("choose", "confirm")
#: What is drawn against the mixing.
_LINES = ("leiden", "ecg", "fast_ensemble", "lf_consensus", "lwgp")
_ALT = "Adjusted Rand index against the share of links between communities"
_TOLD = """\
``leiden`` and ``louvain`` are one run; ``ecg`` makes members of its own, as its authors
do; ``leidenalg`` and ``partition_igraph``, the authors' ECG, are packages of others;
the rest combines the same {n} runs of Leiden. Methods that do not look at the
network get the median of the members' numbers of clusters. Figures are means over the
networks and over seeds; stability is the mean adjusted Rand index of two seeds.
"""


def page(results: Path, figures: Path) -> str:
    """What the documentation says of networks."""
    tried = read(results / "networks.csv")
    rows = [row for row in tried if row["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    failed = len(tried) - len(rows)
    parts = [about(results, "networks"), _TOLD.format(n=N_MEMBERS)]
    if failed:
        parts.append(f"Rows without a result: {failed}.\n")
    for title, score, kind in (
        ("Public networks with classes", "ari", _has_classes),
        ("Public networks with overlapping groups", "f1", _has_groups),
        ("Artificial networks", "ari", _is_artificial),
    ):
        some = [row for row in rows if kind(row)]
        if some:
            parts += [*section(title), _table(some, score)]
    artificial = [row for row in rows if _is_artificial(row)]
    if artificial:
        drawn = figure(_plot(artificial), figures, "networks_lfr", _ALT)
        parts += [_ARTIFICIAL, drawn]
    parts += [*section("A network of cells, from end to end"), _cells(results)]
    return "\n".join(parts)


_ARTIFICIAL = """\
After Lancichinetti, Fortunato and Radicchi: degrees from 10 to 50 and communities of 20
to 100 vertices, both by power laws; the mixing is the share of its links that lead a
vertex out of its community.
"""


def _is_artificial(row: Row) -> bool:
    return bool(row["data"].startswith("lfr_"))


def _has_classes(row: Row) -> bool:
    return bool(row["ari"]) and not _is_artificial(row)


def _has_groups(row: Row) -> bool:
    return bool(row["f1"])


def _mean(rows: Sequence[Row], column: str) -> float:
    values = [float(row[column]) for row in rows if row[column]]
    return float(np.mean(values)) if values else float("nan")


def _median(rows: Sequence[Row], column: str) -> float:
    values = [float(row[column]) for row in rows if row[column]]
    return float(np.median(values)) if values else float("nan")


def _rivals(rows: Sequence[Row]) -> dict[str, list[Row]]:
    return {
        name: [row for row in rows if row["rival"] == name]
        for name in RIVALS
        if any(row["rival"] == name for row in rows)
    }


def _table(rows: Sequence[Row], score: str) -> str:
    """Scores of the two halves, and the rest of both, where all rivals ended."""
    ended = [{row["data"] for row in some} for some in _rivals(rows).values()]
    common = set.intersection(*ended)
    left_out = sorted(set.union(*ended) - common)
    rows = [row for row in rows if row["data"] in common]
    counts = [len({r["data"] for r in rows if r["half"] == half}) for half in HALVES]
    cells = []
    for name, some in _rivals(rows).items():
        halves = [_mean([r for r in some if r["half"] == h], score) for h in HALVES]
        cells.append(
            (
                name,
                *map(number, halves),
                number(_mean(some, "nmi")),
                number(_mean(some, "modularity")),
                number(_mean(some, "stability")),
                number(_mean(some, "n_clusters"), 0),
                number(_median(some, "cpu_s"), 2),
            )
        )
    cells.sort(key=lambda row: row[2], reverse=True)
    known = {"ari": "ARI", "f1": "F1 of best matches"}[score]
    head = (
        "",
        *(f"{known}, {half} ({n})" for half, n in zip(HALVES, counts, strict=True)),
        *("NMI", "modularity", "stability", "communities", "seconds, median"),
    )
    classes = _mean([r for r in rows if r["rival"] == rows[0]["rival"]], "n_classes")
    told = f"\n\n{classes:.0f} known groups on average."
    if left_out:
        told += f" Not all rivals ended on {enumerated(left_out)}, left out here."
    told += "\n"
    return list_table(head, cells) + told


def _plot(rows: Sequence[Row]) -> Any:
    from matplotlib import pyplot as plt

    from comitia.plot.palette import COLORS, LINES, MARKERS, tidy

    sizes = sorted({int(row["n_objects"]) for row in rows})
    drawn, axes = plt.subplots(
        1, len(sizes), figsize=(7, 3), sharey=True, squeeze=False, layout="constrained"
    )
    for ax, n in zip(axes.flat, sizes, strict=True):
        for at, name in enumerate(_LINES):
            means = [
                _mean(
                    [
                        row
                        for row in rows
                        if (row["rival"], int(row["n_objects"])) == (name, n)
                        and row["data"].split("_")[2] == str(mixing)
                    ],
                    "ari",
                )
                for mixing in MIXINGS
            ]
            style = {"color": COLORS[at], "marker": MARKERS[at], "markersize": 4}
            ax.plot(MIXINGS, means, LINES[at % len(LINES)], label=name, **style)
        ax.set_title(f"{n} vertices", fontsize="small")
        ax.set_xlabel("mixing")
        tidy(ax, "y")
    axes[0, 0].set_ylabel("adjusted Rand index")
    axes[0, -1].legend(fontsize="x-small")
    return drawn


def _cells(results: Path) -> str:
    rows = [r for r in read(results / "networks_cells.csv") if r["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    head = (
        *("cells", "links", "members", "communities", "ARI"),
        *(f"{step}, s" for step in STEPS),
        "peak, MB",
    )
    cells = [
        (
            *(row["n_objects"], row["n_links"], row["n_members"], row["n_clusters"]),
            number(float(row["ari"])),
            *(number(float(row[f"{step}_s"]), 1) for step in STEPS),
            number(float(row["peak_mb"]), 0),
        )
        for row in rows
    ]
    told = (
        "Fifteen links for each cell, to cells around it, to its type and to anyone; "
        "fifty types of unequal size. Runs of Leiden, ``fast_ensemble`` on them, "
        "``comitia.stability``, and the report: seconds of CPU, and the memory beyond "
        "what the process had before.\n"
    )
    return "\n".join([about(results, "networks_cells"), told, list_table(head, cells)])
