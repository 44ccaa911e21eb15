"""What the documentation says of fidelity."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.fidelity.reasons import (
    CRITERIA,
    HEADS,
    LEAST_DRAWS,
    reasons,
    variants_table,
)
from benchmarks.evaluation.fidelity.summary import is_compared, leaves
from benchmarks.evaluation.fidelity.survey import survey_page
from benchmarks.evaluation.pages import NOT_MEASURED, about, list_table, number
from benchmarks.evaluation.store import Row, read

__all__ = ["page"]


def _enough(row: Row) -> bool:
    # The best of 29 on a few draws says little of a mean over a hundred.
    return row["criterion"] == "true-k" or int(row["n_draws"]) >= LEAST_DRAWS


# -- the page --------------------------------------------------------------------------


def page(results: Path, figures: Path) -> str:
    """What the documentation says of fidelity."""
    summary = [row for row in read(results / "fidelity_summary.csv") if _enough(row)]
    if not summary:
        return NOT_MEASURED
    texts = [_INTRODUCTION, about(results, "fidelity")]
    texts += _section("The trees of LWEA and WEAC", _trees(results))
    for criterion, says in CRITERIA.items():
        for measure, head in HEADS.items():
            table = _beside(summary, criterion, measure)
            if table:
                texts += _section(f"{head}, {says}", table)
    if any(is_compared(row) for row in summary):
        texts += _section(
            "What leaves the published figures", reasons(results, summary)
        )
        texts += _section("The variants", variants_table(results, summary))
        texts += _section("ECPCS", _ecpcs(summary))
    beside = survey_page(results)
    if beside:
        texts += _section("The methods after the review", beside)
    texts += _section("All methods that need labels alone", _league(results))
    return "\n".join(texts)


_INTRODUCTION = """\
The authors of LWEA have published pools of 100 base clusterings for fifteen data sets,
k-means with 2 to :math:`\\sqrt n` clusters. Draw 1 takes the first ten, draw 2 the next
ten, and so on; the papers draw ten at random, a hundred times. Their formula of the NMI
divides by the root of both entropies, their code by the larger one, and so do their
tables; the tables here do the same, and the files have both.
"""


def _section(title: str, text: str) -> list[str]:
    return [title, "^" * len(title), "", text, ""]


def _trees(results: Path) -> str:
    rows = [r for r in read(results / "fidelity_linkage.csv") if r["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    equal = sum(row["equal"] == "True" for row in rows)
    pools = len({row["pool"] for row in rows})
    told = [_TREES.format(equal=equal, n=len(rows), pools=pools)]
    apart = [row for row in rows if row["k_apart"]]
    told += [_tie(results, row) for row in apart]
    if not apart:
        told.append("So they are with every other number of clusters from 2 to 30.")
    tied = [
        f"{row['pool']} {row['draw']} ({row['method']})"
        for row in rows
        if row["k_tied"]
    ]
    if tied:
        told.append(f"{_UNCUT} {', '.join(tied)}.")
    return "\n\n".join(told) + "\n"


def _tie(results: Path, row: Row) -> str:
    key = ("pool", "draw", "method")
    told = f"*{row['pool']} {row['draw']}, {row['method']}*: " + _APART.format(
        at=spans(row["k_apart"])
    )
    for other in read(results / "fidelity_ties.csv"):
        if other["status"] == "ok" and all(other[name] == row[name] for name in key):
            at, ours = spans(other["k_apart"]), spans(other["k_ours"]) or "no"
            return told + (_TIED.format(at=at, ours=ours) if at else _NO_TIE)
    return f"{told} Not explained."


def spans(numbers: str) -> str:
    """Numbers with spaces between them, as words: ``"2 3 4 7"`` is "2 to 4, 7".

    Parameters
    ----------
    numbers : str
        The numbers, in ascending order.

    Returns
    -------
    text : str
        Runs of numbers by their ends.
    """
    runs: list[list[int]] = []
    for one in map(int, numbers.split()):
        if runs and one == runs[-1][-1] + 1:
            runs[-1].append(one)
        else:
            runs.append([one])
    return ", ".join(
        f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs
    )


_APART = "the labels differ for {at} clusters."
_TIED = """\
 So do SciPy's own, for {at} clusters, when the distances are changed by a part in a
million million: pairs of clusters are equally far apart, and average linkage has more
than one answer. Ours is among those that SciPy then gives for: {ours} clusters."""
_NO_TIE = """\
 SciPy's own do not depend on rounding. Not explained."""
_UNCUT = """\
Some of SciPy's trees cannot be cut into two, because objects that never meet are joined
at the same height:"""
_TREES = """\
Both are deterministic, so that their labels must be those of any correct average
linkage. SciPy's, on the dense matrix of distances that ours does without, gives the
same labels on {equal} of {n} trees ({pools} pools) with as many clusters as there are
classes."""


def _beside(summary: Sequence[Row], criterion: str, measure: str) -> str:
    rows = [
        row
        for row in summary
        if row["criterion"] == criterion and row["measure"] == measure
    ]
    by_method: dict[str, dict[str, Row]] = defaultdict(dict)
    for row in rows:
        by_method[row["method"]][row["pool"]] = row
    if not rows:
        return ""
    shown = [one for one in by_method if any(map(is_compared, by_method[one].values()))]
    shown = shown or list(by_method)
    pools = sorted({row["pool"] for one in shown for row in by_method[one].values()})
    body = [
        [pool, *(_cell(by_method[one].get(pool)) for one in shown)] for pool in pools
    ]
    means = [_mean([*by_method[one].values()]) for one in shown]
    caption = (
        "Ours, and in brackets what is published; bold where they differ by more than "
        "the published spread. "
        f"{_draws({one: by_method[one] for one in shown})}\n"
    )
    table = list_table(["pool", *shown], [*body, ["*mean*", *means]])
    return f"{caption}\n{table}"


def _draws(by_method: dict[str, dict[str, Row]]) -> str:
    """How many draws the means are of, method by method where they differ."""
    by_count: dict[str, list[str]] = defaultdict(list)
    for method, rows in by_method.items():
        draws = {int(row["n_draws"]) for row in rows.values()}
        least, most = min(draws), max(draws)
        by_count[str(least) if least == most else f"{least} to {most}"].append(method)
    if len(by_count) == 1:
        return f"Draws: {next(iter(by_count))}."
    most_used = max(by_count, key=lambda count: len(by_count[count]))
    rest = [
        f"{count} of {', '.join(some)}"
        for count, some in by_count.items()
        if count != most_used
    ]
    return f"Draws: {most_used}; {'; '.join(rest)}."


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    ours = number(float(row["mean"]))
    if not is_compared(row):
        return ours
    ours = f"**{ours}**" if leaves(row) else ours
    return f"{ours} ({number(float(row['published_mean']))})"


def _mean(rows: Sequence[Row]) -> str:
    ours = number(float(np.mean([float(row["mean"]) for row in rows])))
    if not all(map(is_compared, rows)):
        return ours
    theirs = np.mean([float(row["published_mean"]) for row in rows])
    return f"{ours} ({number(float(theirs))})"


def _ecpcs(summary: Sequence[Row]) -> str:
    rows = [row for row in summary if row["published_in"] == "ECPCS"]
    rows = [row for row in rows if row["method"].startswith("ecpcs")]
    body = [
        (
            row["method"],
            row["pool"],
            HEADS[row["measure"]],
            CRITERIA[row["criterion"]],
            number(float(row["mean"])),
            number(float(row["published_mean"])),
            number(float(row["published_sd"])),
        )
        for row in rows
    ]
    head = ("method", "pool", "measure", "clusters", "ours", "published", "spread")
    return f"{_ECPCS}\n{list_table(head, body)}"


_ECPCS = """\
The paper of ECPCS has four of these data sets, but other ensembles: 20 members in place
of 10, and no fewer clusters in a member than there are classes. Better members are
there to be combined, and most of its figures are higher.
"""


def _league(results: Path) -> str:
    """Mean ranks on the draws that every method has."""
    from scipy.stats import rankdata

    scores: dict[str, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in read(results / "fidelity.csv"):
        if row["criterion"] == "true-k" and row["status"] == "ok":
            scores[row["method"]][row["pool"], row["draw"]] = row
    common = set.intersection(*(set(found) for found in scores.values()))
    by_pool: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for draw in sorted(common):
        by_pool[draw[0]].append(draw)
    if not common:
        return NOT_MEASURED

    def means(column: str) -> NDArray[np.float64]:
        return np.array(
            [
                [
                    np.mean([float(found[draw][column]) for draw in draws])
                    for draws in by_pool.values()
                ]
                for found in scores.values()
            ]
        )

    nmi, nmi_max, ari = means("nmi_sqrt"), means("nmi_max"), means("ari")
    ranks = rankdata(-nmi, axis=0).mean(axis=1)
    body = [
        (
            f":doc:`{method} </generated/methods/{method}>`",
            number(float(ranks[at]), 1),
            number(float(nmi[at].mean())),
            number(float(nmi_max[at].mean())),
            number(float(ari[at].mean())),
        )
        for at, method in sorted(enumerate(scores), key=lambda pair: ranks[pair[0]])
    ]
    caption = (
        f"With as many clusters as classes, on the {len(common)} draws from "
        f"{len(by_pool)} pools that all of them were run on, by their mean rank in NMI "
        "(root). :func:`comitia.recommend` goes by this order.\n"
    )
    head = ("method", "rank", "NMI (root)", "NMI (max)", "ARI")
    return f"{caption}\n{list_table(head, body)}"
