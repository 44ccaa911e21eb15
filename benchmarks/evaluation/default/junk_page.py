"""What the documentation says of the default where most clusterings are junk."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.pages import enumerated, figure, list_table, number
from benchmarks.evaluation.store import Row

__all__ = ["CHOSEN_MIX", "KCC", "NAMED", "junk_told", "mean_with_most_junk"]

#: Weighting and consensus of the default, and mixes that have a name.
CHOSEN_MIX, KCC = "entropy/reassign", "none/kmeans"
NAMED = {
    CHOSEN_MIX: "the default",
    "none/average": "EAC",
    "crowd/average": "WEAC",
    "entropy/average": "LWEA",
    "entropy/tcut": "LWGP",
    KCC: "KCC",
    "k-means": "k-means alone",
}
_PANELS = [(size, noise) for size in ("equal", "unequal") for noise in ("0.3", "0.5")]
_LINES = (CHOSEN_MIX, "entropy/average", KCC, "none/average")

_JUNK_TOLD = """\
Twenty clusterings of 1000 objects into five clusters of equal sizes, or of sizes
16 : 8 : 4 : 2 : 1. In good clusterings 30 or 50 % of the labels are random, in junk
90 %.
"""
_JUNK_ALT = "Adjusted Rand index against the share of junk clusterings"


def junk_told(rows: Sequence[Row], figures: Path) -> str:
    """How the mixes do on planted clusterings, some of them junk.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``default_junk.csv`` that ended well.

    figures : path
        Folder for the plot.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    drawn = figure(_junk_plot(rows), figures, "default_junk", _JUNK_ALT)
    return "\n".join([_JUNK_TOLD, _junk_verdict(rows), drawn, _junk_table(rows)])


def mean_with_most_junk(
    rows: Sequence[Row], name: str, sizes: str, noise: str
) -> float:
    """Mean score of a mix where most clusterings are junk.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``default_junk.csv`` that ended well.

    name : str
        The mix.

    sizes, noise : str
        Which clusters, and how good the clusterings that are no junk.

    Returns
    -------
    mean : float
        Over the seeds.
    """
    return _curve(rows, name, sizes, noise)[1][-1]


def _curve(
    rows: Sequence[Row], name: str, sizes: str, noise: str
) -> tuple[list[float], list[float]]:
    """Shares of junk, and the mean score at each."""
    found: dict[float, list[float]] = defaultdict(list)
    for row in rows:
        if (row["sizes"], row["noise"]) == (sizes, noise):
            found[float(row["junk"])].append(float(row[name]))
    shares = sorted(found)
    return shares, [float(np.mean(found[share])) for share in shares]


def _junk_plot(rows: Sequence[Row]) -> Any:
    from matplotlib import pyplot as plt

    from comitia.plot._style import COLORS, LINES, MARKERS, tidy

    drawn, axes = plt.subplots(
        2, 2, figsize=(7.0, 5.2), sharex=True, sharey=True, layout="constrained"
    )
    for ax, (sizes, noise) in zip(axes.flat, _PANELS, strict=True):
        for at, name in enumerate(_LINES):
            shares, means = _curve(rows, name, sizes, noise)
            ax.plot(
                shares,
                means,
                LINES[at],
                color=COLORS[at],
                marker=MARKERS[at],
                markersize=4,
                label=NAMED[name],
            )
        ax.set_title(f"{sizes} sizes, noise {float(noise):.0%}", fontsize="small")
        tidy(ax, "y")
    for ax in axes[1]:
        ax.set_xlabel("share of junk clusterings")
    for ax in axes[:, 0]:
        ax.set_ylabel("adjusted Rand index")
    axes[1, 0].legend(fontsize="x-small")
    return drawn


def _junk_verdict(rows: Sequence[Row]) -> str:
    """The default against KCC, on the same ensembles."""
    cells: dict[tuple[str, str, float], list[float]] = defaultdict(list)
    for row in rows:
        cell = row["sizes"], row["noise"], float(row["junk"])
        cells[cell].append(float(row[CHOSEN_MIX]) - float(row[KCC]))
    gains = {cell: _mean_and_error(gaps) for cell, gaps in cells.items()}
    better = sum(mean > 2 * error for mean, error in gains.values())
    worse = sum(mean < -2 * error for mean, error in gains.values())
    most = max(share for _, _, share in cells)
    ends = [
        f"{mean:+.3f} ± {error:.3f} ({sizes} sizes, noise {float(noise):.0%})"
        for (sizes, noise, share), (mean, error) in gains.items()
        if share == most
    ]
    return (
        f"Against k-means on indicator rows (KCC), on the same ensembles with "
        f"{len({row['seed'] for row in rows})} seeds: of {len(gains)} settings the "
        f"default is better in {better} and worse in {worse} by more than two standard "
        f"errors. With {most:.0%} junk the difference is {enumerated(ends)}.\n"
    )


def _mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    if len(values) < 2:
        return float(np.mean(values)), float("nan")
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def _junk_table(rows: Sequence[Row]) -> str:
    mixes = [name for name in rows[0] if "/" in name]
    means = {}
    for name in mixes:
        curves = [_curve(rows, name, *panel) for panel in _PANELS]
        worst = [values[-1] for _, values in curves if values]
        means[name] = [float(np.mean([v for _, c in curves for v in c])), *worst]
    order = sorted(mixes, key=lambda name: -means[name][0])
    head = (
        "mix",
        "mean of all",
        *(f"{size}, {float(noise):.0%}, most junk" for size, noise in _PANELS),
    )
    cells = [
        (
            f"**{name}**" if name == CHOSEN_MIX else name,
            *(number(value) for value in means[name]),
        )
        for name in order
    ]
    return list_table(head, cells)
