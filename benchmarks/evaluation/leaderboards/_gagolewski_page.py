"""What the documentation says of Gagolewski's battery."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.evaluation.leaderboards.paired import Paired, paired, source
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    enumerated,
    figure,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["OURS", "PUBLISHED", "TABLE", "Scores", "answer", "battery", "page"]

TABLE, PUBLISHED = "leaderboard_gagolewski", "leaderboard_gagolewski_published"
OURS = "default"


class Scores(NamedTuple):
    """What a method has on the battery.

    Attributes
    ----------
    ari, nca : dict of str to float
        By set, means over the seeds; published labels have no ``nca``.

    seconds : float
        Of CPU for all sets and one seed.

    n_seeds : tuple of int
        The least and the most seeds that a set has.

    n_missed : int
        Results that are missing or have another number of clusters.

    is_ours : bool
        Whether it was run here.
    """

    ari: dict[str, float]
    nca: dict[str, float]
    seconds: float
    n_seeds: tuple[int, int]
    n_missed: int
    is_ours: bool


def battery(results: Path) -> tuple[dict[str, str], dict[str, Scores]]:
    """What was measured and what is published, on the sets of the table.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    half : dict of str to str
        Whether a set served to choose the default, or confirms it.

    board : dict of str to Scores
        The methods that have all sets, the best mean first.
    """
    half, board = _everyone(results)
    return half, _on_all_sets(half, board)


def _everyone(results: Path) -> tuple[dict[str, str], dict[str, Scores]]:
    """The same with methods that were not run on all sets yet."""
    rows = read(results / f"{TABLE}.csv")
    half = {row["data"]: row["half"] for row in rows}
    by_method: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_method[row["method"]].append(row)
    board = {name: _ours(some) for name, some in by_method.items()}
    for row in read(results / f"{PUBLISHED}.csv"):
        data = row.pop("data")
        if data in half:
            for name, ari in row.items():
                empty = Scores({}, {}, np.nan, (0, 0), 0, False)
                board.setdefault(name, empty).ari[data] = float(ari)
    return half, dict(sorted(board.items(), key=lambda one: -_mean(one[1].ari)))


def _on_all_sets(
    half: Mapping[str, str], board: Mapping[str, Scores]
) -> dict[str, Scores]:
    return {name: one for name, one in board.items() if len(one.ari) == len(half)}


def _ours(rows: Sequence[Row]) -> Scores:
    values: dict[str, dict[str, list[float]]] = {
        name: defaultdict(list) for name in ("ari", "nca", "cpu")
    }
    missed = 0
    for row in rows:
        failed = row["status"] != "ok"
        missed += 1 if failed else int(row["n_wrong"])
        for name, own in values.items():
            own[row["data"]].append(0.0 if failed else float(row[name]))
    ari, nca, cpu = (
        {data: float(np.mean(some)) for data, some in own.items()}
        for own in values.values()
    )
    counts = [len(some) for some in values["ari"].values()]
    n_seeds = (min(counts), max(counts))
    return Scores(ari, nca, sum(cpu.values()), n_seeds, missed, True)


def _mean(scores: Mapping[str, float]) -> float:
    return float(np.mean(list(scores.values()))) if scores else float("nan")


def _against(ours: Scores, theirs: Scores, sets: Sequence[str]) -> Paired:
    return paired(*([one.ari[name] for name in sets] for one in (ours, theirs)))


def answer(results: Path) -> str:
    """What came out."""
    half, board = battery(results)
    theirs = [name for name, one in board.items() if not one.is_ours]
    if OURS not in board or not theirs:
        return NOT_MEASURED
    ours, best = board[OURS], board[theirs[0]]
    confirm = [name for name in half if half[name] == "confirm"]
    return (
        f"On the {len(half)} sets of Gagolewski's battery that we have, the default "
        f"has a mean adjusted Rand index of {number(_mean(ours.ari))}, and the best of "
        f"the labels that he publishes, {theirs[0]}, {number(_mean(best.ari))}. The "
        f"difference is {_against(ours, best, list(half)).told()}. On the "
        f"{len(confirm)} sets that the default was not chosen on it is "
        f"{_against(ours, best, confirm).told()}.\n"
    )


def page(results: Path, figures: Path) -> str:
    """What the documentation says of the battery."""
    half, everyone = _everyone(results)
    if not everyone:
        return NOT_MEASURED
    board = _on_all_sets(half, everyone)
    parts = [
        answer(results),
        _drawn(board, figures),
        _PROTOCOL,
        list_table(_HEAD, _lines(half, board)),
        "",
    ]
    if OURS in board:
        parts += [*section("The default against each"), _tests(everyone)]
        parts += _where_not(board)
    parts += [*section("Label files"), _FILES, source(results, "gagolewski")]
    return "\n".join(parts)


def _drawn(board: Mapping[str, Scores], figures: Path) -> str:
    from matplotlib.figure import Figure

    names = list(board)[::-1]
    means = [_mean(board[name].ari) for name in names]
    drawn = Figure(figsize=(7, 0.3 * len(names) + 0.8), layout="constrained")
    axes = drawn.subplots()
    colors = ["#0072b2" if board[name].is_ours else "#9aa5b1" for name in names]
    bars = axes.barh(names, means, color=colors)
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.set_xlabel("mean adjusted Rand index; published labels in grey")
    axes.spines[["top", "right"]].set_visible(False)
    says = "Bars: " + ", ".join(
        f"{n} {m:.2f}" for n, m in zip(names, means, strict=True)
    )
    return figure(drawn, figures, TABLE, says)


_HEAD = (
    *("", "ARI", "ARI, choose", "ARI, confirm", "NCA", "seeds"),
    *("without a result", "CPU s"),
)


def _lines(
    half: Mapping[str, str], board: Mapping[str, Scores]
) -> list[tuple[str, ...]]:
    return [
        (
            f"**{name}**" if one.is_ours else name,
            number(_mean(one.ari)),
            *(
                number(
                    _mean({d: ari for d, ari in one.ari.items() if half[d] == which})
                )
                for which in ("choose", "confirm")
            ),
            number(_mean(one.nca)),
            _range(*one.n_seeds) if one.is_ours else "",
            f"{one.n_missed}" if one.is_ours else "",
            number(one.seconds, 1),
        )
        for name, one in board.items()
    ]


def _range(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"


def _tests(board: Mapping[str, Scores]) -> str:
    ours, body = board[OURS], []
    for name, one in board.items():
        if name != OURS:
            told = _against(ours, one, list(one.ari))
            body.append(
                (
                    f"**{name}**" if one.is_ours else name,
                    f"{told.n_sets}",
                    f"{told.gain:+.3f} ({told.low:+.3f} to {told.high:+.3f})",
                    f"{told.p:.2g}",
                    f"{told.effect:+.2f}",
                    f"{told.won} / {told.tied} / {told.lost}",
                )
            )
    head = ("", "sets", "ARI of the default less its", "p", "effect")
    return f"{_TESTS}\n{list_table((*head, 'won / tied / lost'), body)}\n"


def _where_not(board: Mapping[str, Scores]) -> list[str]:
    """The sets on which the best published labels are far better than the default."""
    theirs = [name for name, one in board.items() if not one.is_ours]
    if not theirs:
        return []
    best, ours = board[theirs[0]].ari, board[OURS].ari
    bad = sorted((ours[name] - best[name], name) for name in ours)
    told = [f"{name} ({gap:+.2f})" for gap, name in bad if gap < -FAR]
    if not told:
        return []
    return [f"The default is far below {theirs[0]} on {enumerated(told)}.", ""]


#: What is more below is far below.
FAR = 0.1
_PROTOCOL = """\
The number of clusters is given, columns are as they are, noise points are clustered and
left out of the scores. Where a set has several reference labels, each method clusters
it for the number of clusters of each of them, and the best score counts. Rows are
shuffled with the seed; figures are means over the seeds. A result with another number
of clusters than was asked for, or none, scores 0. ARI is the adjusted Rand index, NCA
the normalised clustering accuracy, of which the published table here has none. *Choose*
and *confirm* are the halves by which the default was chosen. In grey and not bold is
the best variant of each family of labels that the author publishes; which one that is
was decided on these sets. ``default`` is ``ConsensusClustering(k)``, ``... members`` is
its consensus over members of one family, with k to max(2k, root of n) clusters each,
``mixed members`` over k-means, spectral and Genie's members in equal parts (the
default's own are spectral and Genie's), and ``single Genie`` is our Genie by itself.
Trees and mixtures are 20, each of half of the objects. CPU s is the time of all sets,
one seed.
"""
_TESTS = """\
Mean difference over the sets with its bootstrap interval, Wilcoxon's signed rank test,
the rank-biserial effect, and on how many sets the default is above, within 0.01 and
below. p is not corrected for the number of lines. A method that was not run on all sets
yet is compared on those that it has, small ones first, and is in this table only.
"""
_FILES = """\
``make leaderboards`` writes our labels as the author's repository has them, one gzipped
text file for each set and number of clusters with one column for each method, to
``build/leaderboards/labels/original/comitia/<battery>/<set>.result<k>.gz``. They are of
the first seed, in the order of the rows of the set.
"""
