"""The answer of the evaluation in one screen: a picture and five sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.default.rivals import RIVALS
from benchmarks.evaluation.default.rivals_page import BAD, SINGLE, mean_scores
from benchmarks.evaluation.leaderboards import survey
from benchmarks.evaluation.leaderboards._gagolewski_page import battery
from benchmarks.evaluation.leaderboards.paired import paired
from benchmarks.evaluation.pages import NOT_MEASURED, enumerated, figure, number
from benchmarks.evaluation.store import read

__all__ = ["page"]

OURS, PLAIN = "default", "k-means"
#: Of the tables, these are drawn beside the default.
DRAWN = (
    *("Genie", "spectral, neighbors", "lwgp", "lwea", "Gaussian mixture", "Ward"),
    *("k-means", "HDBSCAN"),
)

Floats = NDArray[np.float64]


def page(results: Path, figures: Path) -> str:
    """What to use, by how much it is better, where it is not, and how we know."""
    rows, names = read(results / "default_rivals.csv"), list(RIVALS)
    sets, table = mean_scores(rows, names, "confirm")
    if len(sets) < 2:
        return NOT_MEASURED
    scores = dict(zip(names, table.T, strict=True))
    seconds = mean_scores(rows, [f"{OURS} s", "Genie s"], "confirm")[1]
    what = (
        "Use ``ConsensusClustering(n_clusters=k)``, which is ``consensus`` in "
        ":doc:`the list of methods </generated/methods>` and the ``default`` here."
    )
    sentences = [
        what,
        _how_much(sets, scores),
        _elsewhere(results),
        _where_not(sets, scores, seconds, results),
        _how_we_know(),
    ]
    listed = "\n".join(f"{n}. {text}" for n, text in enumerate(sentences, 1) if text)
    return "\n".join([_drawn(sets, scores, results, figures), listed, ""])


def _how_much(sets: Sequence[str], scores: Mapping[str, Floats]) -> str:
    best = max(SINGLE, key=lambda name: scores[name].mean())
    plain, single = (paired(scores[OURS], scores[name]) for name in (PLAIN, best))
    return (
        f"On the {len(sets)} public tables that it was not chosen on, with the number "
        "of clusters given, its mean adjusted Rand index is "
        f"{number(float(scores[OURS].mean()))}; k-means has "
        f"{number(float(scores[PLAIN].mean()))}, a difference of {plain.in_short()}, "
        f"and ``{best}``, the best single algorithm of scikit-learn there, "
        f"{number(float(scores[best].mean()))}, one of {single.in_short()} "
        "(:ref:`the-default`; in brackets the 95 % bootstrap interval over the tables, "
        "Wilcoxon's signed rank test and the rank-biserial effect)."
    )


def _elsewhere(results: Path) -> str:
    half, board = battery(results)
    theirs = [name for name, one in board.items() if not one.is_ours]
    if OURS not in board or not theirs:
        return ""
    ours, best = board[OURS].ari, board[theirs[0]].ari
    all_sets, kept = (
        paired(*([one[name] for name in names] for one in (ours, best)))
        for names in (list(half), [name for name in half if half[name] == "confirm"])
    )
    return (
        f"By Gagolewski's protocol, on {len(ours)} sets of his battery, it has "
        f"{number(_mean(ours))} and the best of the labels that he publishes, "
        f"{theirs[0]}, {number(_mean(best))}: {all_sets.in_short()}, and "
        f"{kept.in_short()} on the {kept.n_sets} that it was not chosen on "
        "(:doc:`evaluation/leaderboards/gagolewski`)."
    )


def _where_not(
    sets: Sequence[str], scores: Mapping[str, Floats], seconds: Floats, results: Path
) -> str:
    slow, fast = np.median(seconds, axis=0)
    gain = scores[OURS] - scores[PLAIN]
    bad = [at for at in np.argsort(gain) if gain[at] < -BAD]
    named = enumerated([f"{sets[at]} ({gain[at]:+.2f})" for at in bad] or ["none"])
    alone = paired(scores[OURS], scores["Genie"])
    return (
        f"It is more than {BAD} below k-means on {len(bad)} of the tables ({named}), "
        f"and against Genie alone, which takes {fast:.2g} s of CPU in the median where "
        f"it takes {slow:.2g} s, the difference is {alone.in_short()}; "
        f"{_of_clusterings(results)}networks, views and series have defaults of their "
        "own (:doc:`networks <evaluation/networks>`, :doc:`views </views>`, "
        ":doc:`series </time_series>`)."
    )


def _of_clusterings(results: Path) -> str:
    """The default beside the best other method where clusterings are given."""
    pools, found = survey.entries(results)
    ours = [one for one in found if one.is_ours]
    mine = [one for one in ours if one.name == OURS]
    others = [one for one in ours if one.name != OURS]
    if not mine or not others:
        return ""
    told = paired(*([one.nmi[pool] for pool in pools] for one in (mine[0], others[0])))
    return (
        f"where clusterings are given and no data, the difference to ``{others[0].name}"
        f"`` in NMI is {told.in_short()} (:doc:`evaluation/leaderboards/survey`); "
    )


def _how_we_know() -> str:
    return (
        "Half of the tables served to choose, and the other half, on the left, to "
        "confirm; rows are shuffled, parameters are the same for all tables, what "
        "fails has the worst score, and :doc:`evaluation/leaderboards` runs protocols "
        "that others wrote beside figures that others published (left: "
        "``benchmarks/results/evaluation/default_rivals.csv``, by ``python -m "
        "benchmarks.evaluation default``; right: ``leaderboard_gagolewski.csv`` there, "
        "by ``make leaderboards``)."
    )


def _mean(scores: Mapping[str, float]) -> float:
    return float(np.mean(list(scores.values())))


def _drawn(
    sets: Sequence[str], scores: Mapping[str, Floats], results: Path, figures: Path
) -> str:
    from matplotlib.figure import Figure

    tables = {name: float(scores[name].mean()) for name in (OURS, *DRAWN)}
    panels = {f"{len(sets)} tables kept aside": tables}
    half, board = battery(results)
    if OURS in board:
        shown = {n: _mean(one.ari) for n, one in board.items() if not one.is_ours}
        best = dict(list(shown.items())[: len(DRAWN)])
        panels[f"{len(half)} sets of Gagolewski's battery"] = {
            OURS: _mean(board[OURS].ari),
            **best,
        }
    drawn = Figure(figsize=(9, 3.2), layout="constrained")
    for axes, (title, means) in zip(
        drawn.subplots(1, len(panels), squeeze=False)[0], panels.items(), strict=True
    ):
        _bars(axes, means)
        axes.set_title(title)
    told = [
        f"{title}: {', '.join(f'{name} {mean:.2f}' for name, mean in means.items())}"
        for title, means in panels.items()
    ]
    return figure(drawn, figures, "answer", f"Bars. {'. '.join(told)}")


def _bars(axes: Any, means: Mapping[str, float]) -> None:
    names = sorted(means, key=lambda name: means[name])
    colors = ["#0072b2" if name == OURS else "#9aa5b1" for name in names]
    bars = axes.barh(names, [means[name] for name in names], color=colors)
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("mean adjusted Rand index")
    axes.set_xlim(0, 1.15 * max(means.values()))
