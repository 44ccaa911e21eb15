"""What the documentation says of the default: how it was chosen, and whether it holds.

Nothing here is decided by what the numbers are: :data:`CHOSEN` is the default as it is,
and the tables say how it did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    figure,
    list_table,
    number,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["CHOSEN", "Scores", "compared", "page", "scores"]

#: The default: generator, size of the ensemble, weighting and consensus.
CHOSEN = ("sqrt", 50, "entropy/reassign")
#: What it was until now, and other mixes that have a name.
BEFORE = "none/average"
NAMED = {
    "entropy/reassign": "the default",
    "none/average": "EAC, the default until now",
    "crowd/average": "WEAC",
    "entropy/average": "LWEA",
    "entropy/tcut": "LWGP",
    "none/kmeans": "KCC",
    "k-means": "k-means alone",
}
HALVES = ("choose", "confirm")

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scores:
    """Adjusted Rand indices, means over the seeds.

    Attributes
    ----------
    sets : list of str
        Data sets.

    names : list of str
        What is compared.

    table : ndarray of shape (n_sets, n_names)
        The indices.
    """

    sets: list[str]
    names: list[str]
    table: Floats

    def column(self, name: str) -> Floats:
        """The indices of one of them."""
        return self.table[:, self.names.index(name)]


def scores(
    rows: Sequence[Row],
    names: Sequence[str],
    *,
    half: str,
    generator: str = CHOSEN[0],
    n_clusterings: int = CHOSEN[1],
) -> Scores:
    """The scores of some mixes on one half of the data sets.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``default.csv``.

    names : sequence of str
        Columns of it.

    half : str
        "choose" or "confirm".

    generator, n_clusterings : str, int
        What made the clusterings.

    Returns
    -------
    scores : Scores
        Of the data sets that have a row that ended well.
    """
    found: dict[str, list[list[float]]] = defaultdict(list)
    wanted = (half, generator, str(n_clusterings), "ok")
    for row in rows:
        is_of = (row["half"], row["generator"], row["n_clusterings"], row["status"])
        if is_of == wanted:
            found[row["data"]].append([float(row[name]) for name in names])
    sets = sorted(found)
    table = np.array([np.mean(found[one], axis=0) for one in sets])
    return Scores(sets, list(names), table.reshape(len(sets), len(names)))


def compared(ours: Floats, theirs: Floats) -> tuple[float, float]:
    """Mean difference over data sets, and whether it could be chance.

    Parameters
    ----------
    ours, theirs : ndarray of shape (n_sets,)
        Scores on the same data sets.

    Returns
    -------
    difference, p_value : float
        The mean of ours less theirs; Wilcoxon's signed rank test, 1 without any
        difference.
    """
    from scipy.stats import wilcoxon

    difference = np.round(ours - theirs, 10)
    if not difference.any():
        return 0.0, 1.0
    return float(difference.mean()), float(wilcoxon(difference).pvalue)


# -- the page --------------------------------------------------------------------------


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the default.

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
    tried = read(results / "default.csv")
    rows = [row for row in tried if row["status"] == "ok"]
    junk = [row for row in read(results / "default_junk.csv") if row["status"] == "ok"]
    if not rows or not junk:
        return NOT_MEASURED
    mixes = [name for name in rows[0] if "/" in name]
    return "\n".join(
        [
            about(results, "default"),
            _sets_told(rows, len(tried) - len(rows)),
            *_titled("Weighting and consensus, on the half to choose by"),
            _mix_table(scores(rows, mixes, half="choose")),
            *_titled("Generators, with the weighting and consensus chosen"),
            _generator_table(rows),
            *_titled("Confirmed on the other half?"),
            _verdict(rows),
            _named_table(rows),
            *_titled("Planted clusterings, some of them junk"),
            about(results, "default_junk"),
            _JUNK_TOLD,
            figure(_junk_plot(junk), figures, "default_junk", _JUNK_ALT),
            _junk_table(junk),
        ]
    )


_JUNK_TOLD = """\
Twenty clusterings of 1000 objects into five clusters of equal sizes, or of sizes
16 : 8 : 4 : 2 : 1. In good clusterings 30 or 50 % of the labels are random, in junk
90 %.
"""
_JUNK_ALT = "Adjusted Rand index against the share of junk clusterings"


def _titled(text: str) -> list[str]:
    return ["", text, "^" * len(text), ""]


def _sets_told(rows: Sequence[Row], n_failed: int) -> str:
    sets = {half: {r["data"] for r in rows if r["half"] == half} for half in HALVES}
    seeds = Counter((row["data"], *_kind(row)) for row in rows)
    least, most = min(seeds.values()), max(seeds.values())
    n_seeds = f"{most}" if least == most else f"{least} to {most}"
    largest = max(int(row["n_objects"]) for row in rows)
    failed = f" {n_failed} of the rows have no result." if n_failed else ""
    return (
        f"{len(sets['choose'])} data sets to choose by and {len(sets['confirm'])} to "
        f"confirm, drawn at random, with at most {largest} objects each; {n_seeds} "
        f"seed{'s' * (most > 1)}. Scores are adjusted Rand indices with as many "
        f"clusters as there are classes.{failed}\n"
    )


def _kind(row: Row) -> tuple[str, str]:
    return row["generator"], row["n_clusterings"]


def _mix_table(found: Scores) -> str:
    from comitia.advise import mean_ranks

    if not found.sets:
        return NOT_MEASURED
    ranks = mean_ranks(found.table)
    best = set(ranks.groups[0])
    order = np.argsort(ranks.means, kind="stable")
    cells = [
        (
            _bold(found.names[at], found.names[at] == CHOSEN[2]),
            number(float(ranks.means[at]), 2),
            number(float(found.table[:, at].mean())),
            "" if at in best else "yes",
        )
        for at in order
    ]
    told = (
        f"Mean ranks that differ by less than {ranks.critical_difference:.1f} are not "
        "told apart (Nemenyi's test at the level 0.05). *Worse* says that a mix is "
        "told apart from the best.\n"
    )
    return told + "\n" + list_table(("mix", "rank", "ARI", "worse"), cells)


def _bold(text: str, yes: bool) -> str:
    return f"**{text}**" if yes else text


def _generator_table(rows: Sequence[Row]) -> str:
    kinds = list(dict.fromkeys(_kind(row) for row in rows))
    # Means are comparable only over the data sets that all generators have.
    having = defaultdict(set)
    for row in rows:
        having[row["data"]].add(_kind(row))
    rows = [row for row in rows if len(having[row["data"]]) == len(kinds)]
    cells = []
    for generator, size in kinds:
        line = [_bold(_GENERATORS[generator], (generator, size) == _OURS), size]
        for half in HALVES:
            found = scores(
                rows,
                [CHOSEN[2], BEFORE],
                half=half,
                generator=generator,
                n_clusterings=int(size),
            )
            line += [
                number(float(one.mean()) if len(one) else float("nan"))
                for one in found.table.T
            ]
        cells.append(line)
    head = ("k-means", "M", *(f"{what}, {half}" for half in HALVES for what in _BOTH))
    return list_table(head, cells)


_OURS = (CHOSEN[0], str(CHOSEN[1]))
_BOTH = (f"ARI of {CHOSEN[2]}", f"of {BEFORE}")
_GENERATORS = {
    "sqrt": "2 to √n clusters",
    "k": "k clusters",
    "2k": "2k clusters",
    "features": "2 to √n clusters, half of the features",
    "objects": "2 to √n clusters, half of the objects",
}


def _verdict(rows: Sequence[Row]) -> str:
    told = []
    for half in HALVES:
        found = scores(rows, [CHOSEN[2], BEFORE], half=half)
        if not found.sets:
            continue
        gain, p = compared(found.column(CHOSEN[2]), found.column(BEFORE))
        said = "which chance explains" if p >= 0.05 else "more than chance"
        told.append(
            f"on the half to {half} the default scores {gain:+.3f} against what it was "
            f"before, {said} (Wilcoxon's signed rank test, p = {p:.2g})"
        )
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}.\n"


def _named_table(rows: Sequence[Row]) -> str:
    from comitia.advise import mean_ranks

    names = list(NAMED)
    by_half = {half: scores(rows, names, half=half) for half in HALVES}
    ranks = {half: mean_ranks(one.table) for half, one in by_half.items() if one.sets}
    if len(ranks) < len(HALVES):
        return NOT_MEASURED
    cells = []
    for at in np.argsort(ranks["confirm"].means, kind="stable"):
        line = [_bold(NAMED[names[at]], names[at] == CHOSEN[2])]
        for half in HALVES:
            line += [
                number(float(ranks[half].means[at]), 2),
                number(float(by_half[half].table[:, at].mean())),
            ]
        cells.append(line)
    critical = ", ".join(
        f"{one.critical_difference:.1f} on the half to {half}"
        for half, one in ranks.items()
    )
    head = ("", *(f"{what}, {half}" for half in HALVES for what in ("rank", "ARI")))
    told = f"Mean ranks are told apart when they differ by more than {critical}.\n"
    return told + "\n" + list_table(head, cells)


# -- junk ------------------------------------------------------------------------------

_PANELS = [(size, noise) for size in ("equal", "unequal") for noise in ("0.3", "0.5")]
_LINES = ("entropy/reassign", "entropy/average", "none/kmeans", "none/average")


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

    from comitia.plot._style import COLOURS, LINES, MARKERS, tidy

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
                color=COLOURS[at],
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
        (_bold(name, name == CHOSEN[2]), *(number(value) for value in means[name]))
        for name in order
    ]
    return list_table(head, cells)
