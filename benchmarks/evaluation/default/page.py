"""What the documentation says of the default: how it was chosen, and whether it holds.

Nothing here is decided by what the numbers are: :data:`CHOSEN` is the default as it is,
and the tables say how it did.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.default.junk_page import (
    CHOSEN_MIX,
    KCC,
    NAMED,
    junk_told,
    mean_with_most_junk,
)
from benchmarks.evaluation.default.rivals_page import battery_told, rivals_told
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    enumerated,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["CHOSEN", "Scores", "compared", "page", "scores", "summary"]

#: Weighting and consensus of the default, and the generator they were chosen with.
CHOSEN = ("sqrt", 50, CHOSEN_MIX)
#: What it was at first.
BEFORE = "none/average"
HALVES = ("choose", "confirm")
#: Differences below this are ties, and probabilities below this are more than chance.
TIE, LEVEL = 0.001, 0.05
#: Mean scores of generators that differ by less are level: so much changes with a seed.
SMALL = 0.005

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
    """What the documentation says of the default."""
    tried = read(results / "default.csv")
    rows = [row for row in tried if row["status"] == "ok"]
    junk = [row for row in read(results / "default_junk.csv") if row["status"] == "ok"]
    if not rows or not junk:
        return NOT_MEASURED
    mixes = [name for name in rows[0] if "/" in name]
    return "\n".join(
        [
            *section("The default beside single algorithms and published methods"),
            rivals_told(results),
            *section("Gagolewski's battery"),
            battery_told(results),
            *section("How weighting and consensus were chosen, with k-means members"),
            about(results, "default"),
            _sets_told(rows, len(tried) - len(rows)),
            *section("Weighting and consensus, on the half to choose by"),
            _mix_table(scores(rows, mixes, half="choose")),
            *section("Generators, with the weighting and consensus chosen"),
            _generator_table(rows),
            *section("Confirmed on the other half?"),
            _verdict(rows),
            _named_table(rows),
            *section("Planted clusterings, some of them junk"),
            about(results, "default_junk"),
            junk_told(junk, figures),
        ]
    )


def summary(results: Path) -> str:
    """The default in a few lines, for those who choose their own mix.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    rows, junk = (
        [row for row in read(results / name) if row["status"] == "ok"]
        for name in ("default.csv", "default_junk.csv")
    )
    found = {half: scores(rows, list(NAMED), half=half) for half in HALVES}
    if not junk or not all(one.sets for one in found.values()):
        return NOT_MEASURED
    cells = [
        (title, *(number(float(one.column(name).mean())) for one in found.values()))
        for name, title in NAMED.items()
    ]
    sizes = [len(one.sets) for one in found.values()]
    told = (
        "Weighting and consensus were chosen with k-means members, before the default "
        f"had others, on {sizes[0]} of {sum(sizes)} public data sets and looked at "
        f"again on the other {sizes[1]} (adjusted Rand index with as many clusters as "
        "there are classes):\n"
    )
    head = ("", *(f"half to {half}" for half in HALVES))
    return "\n".join(
        [
            rivals_told(results),
            told,
            list_table(head, cells),
            "",
            f"{_held(found)} {_under_junk(junk)}\n",
        ]
    )


def _held(found: dict[str, Scores]) -> str:
    one = found[HALVES[1]]
    told = [
        (NAMED[name], *compared(one.column(CHOSEN[2]), one.column(name)))
        for name in NAMED
        if name != CHOSEN[2]
    ]
    return (
        f"On the half to {HALVES[1]} what was chosen is {_verdict_in_words(told)} "
        "(Wilcoxon's signed rank test)."
    )


def _under_junk(junk: Sequence[Row]) -> str:
    most = max(float(row["junk"]) for row in junk)
    said = []
    for name in (CHOSEN[2], "entropy/average", "entropy/tcut", KCC):
        means = [
            number(mean_with_most_junk(junk, name, sizes, "0.3"), 2)
            for sizes in ("equal", "unequal")
        ]
        said.append(f"{NAMED[name]} {' and '.join(means)}")
    return (
        "What it has before these is what happens when clusterings are junk: with "
        f"{most:.0%} of them nine tenths noise, clusters of equal and of unequal sizes "
        f"are found with the scores {enumerated(said)}."
    )


def _sets_told(rows: Sequence[Row], n_failed: int) -> str:
    sets = {half: {r["data"] for r in rows if r["half"] == half} for half in HALVES}
    seeds = Counter((row["data"], *_kind(row)) for row in rows)
    least, most = min(seeds.values()), max(seeds.values())
    n_seeds = f"{most}" if least == most else f"{least} to {most}"
    largest = max(int(row["n_objects"]) for row in rows)
    failed = f" Rows without a result: {n_failed}." if n_failed else ""
    return (
        f"{len(sets['choose'])} data sets to choose by and {len(sets['confirm'])} to "
        f"confirm, drawn at random, with at most {largest} objects each; {n_seeds} "
        f"seed{'s' * (most > 1)}. Scores are adjusted Rand indices with as many "
        f"clusters as there are classes.{failed}\n"
    )


def _kind(row: Row) -> tuple[str, str]:
    return row["generator"], row["n_clusterings"]


def _mix_table(found: Scores) -> str:
    from comitia.evaluate import mean_ranks

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
    cells, on_half = [], {}
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
            if half == HALVES[0] and found.sets:
                on_half[generator, size] = float(found.column(CHOSEN[2]).mean())
        cells.append(line)
    head = ("k-means", "M", *(f"{what}, {half}" for half in HALVES for what in _BOTH))
    return f"{_generator_told(on_half)}\n{list_table(head, cells)}"


def _generator_told(on_half: dict[tuple[str, str], float]) -> str:
    if _OURS not in on_half:
        return ""
    best = max(on_half, key=lambda kind: on_half[kind])
    told = f"Best on the half to {HALVES[0]} by: {_GENERATORS[best[0]]}, M = {best[1]}"
    if best != _OURS:
        lead = on_half[best] - on_half[_OURS]
        told += (
            f", by {lead:.3f}, which is less than a seed changes; the default needs no "
            "k"
            if lead < SMALL
            else f", by {lead:.3f}"
        )
    return f"{told}.\n"


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
    """What the default has gained, and against whom it holds on the other half."""
    found = {half: scores(rows, list(NAMED), half=half) for half in HALVES}
    if not all(one.sets for one in found.values()):
        return NOT_MEASURED
    told, cells = [], []
    for name, title in NAMED.items():
        if name == CHOSEN[2]:
            continue
        line = [title]
        for half, one in found.items():
            ours, theirs = one.column(CHOSEN[2]), one.column(name)
            gain, p = compared(ours, theirs)
            better, worse = (ours > theirs + TIE).sum(), (ours < theirs - TIE).sum()
            line += [f"{gain:+.3f}", f"{better} / {worse}", f"{p:.2g}"]
            if half == HALVES[1]:
                told.append((title, gain, p))
        cells.append(line)
    head = [
        f"{what}, {half}" for half in HALVES for what in ("ARI", "better / worse", "p")
    ]
    text = (
        "The default less another mix, mean over the data sets; on how many of them it "
        f"is better and worse by more than {TIE}; Wilcoxon's signed rank test. On the "
        f"half to confirm what was chosen is {_verdict_in_words(told)}.\n"
    )
    table = list_table(["the default against", *head], cells)
    return f"{text}\n{table}\n"


def _verdict_in_words(told: Sequence[tuple[str, float, float]]) -> str:
    kinds = {
        "better than": [title for title, gain, p in told if p < LEVEL and gain > 0],
        "worse than": [title for title, gain, p in told if p < LEVEL and gain < 0],
        "not told apart from": [title for title, _, p in told if p >= LEVEL],
    }
    said = [f"{how} {enumerated(titles)}" for how, titles in kinds.items() if titles]
    return ", and ".join([", ".join(said[:-1]), said[-1]] if said[1:] else said)


def _named_table(rows: Sequence[Row]) -> str:
    from comitia.evaluate import mean_ranks

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
