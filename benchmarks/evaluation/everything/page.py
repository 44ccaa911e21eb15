"""What the documentation says of all methods on all data."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.evaluation.everything.changed import changed
from benchmarks.evaluation.everything.findings import findings
from benchmarks.evaluation.everything.leagues import (
    LEAGUES,
    REFERENCE,
    League,
    failures,
    leagues,
)
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    enumerated,
    figure,
    linked,
    list_table,
    number,
    section,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["page"]


def page(results: Path, figures: Path) -> str:
    """What the documentation says of all methods on all data."""
    rows = read(results / "everything.csv")
    if not rows:
        return NOT_MEASURED
    texts = [about(results, "everything"), _setting(rows, results)]
    texts += section("What the table says of our defaults")
    played = leagues(rows)
    texts += [findings(rows, played, _balance(results)), ""]
    since = changed(results)
    if since:
        texts += [*section("Methods that were changed since"), since]
    for name, found in played.items():
        if found.lines:
            texts += section(LEAGUES[name])
            texts += [_told(found), _table(found), ""]
            texts.append(figure(_plot(found), figures, f"ranks_{name}", _ALT))
    texts += [*section("Without a result"), _failed(rows)]
    return "\n".join(texts)


def _setting(rows: Sequence[Row], results: Path) -> str:
    """What was fitted on what; limits and versions are told by ``about``."""
    sets = {(row["kind"], row["data"]): int(row["n_objects"]) for row in rows}
    of = Counter(kind for kind, _ in sets)
    named = [f"{of[kind]} {word}" for kind, word in _KINDS.items() if of[kind]]
    cut = max((n for (kind, _), n in sets.items() if kind != "graph"), default=0)
    seeds = {row["seed"] for row in rows}
    methods = {row["method"] for row in rows} - {REFERENCE}
    told = (
        f"{len(rows)} fits: {len(methods)} methods on {enumerated(named)}, "
        f"{len(seeds)} seed{'s' * (len(seeds) > 1)}. Tables, views and series have at "
        f"most {cut} objects, what is larger is cut to these; networks are whole. What "
        "is said here of large data sets is said of a part of their objects."
    )
    path = results / "everything.json"
    runs = json.loads(path.read_text())["runs"] if path.exists() else []
    if len({run["processor"] for run in runs}) > 1:
        told += (
            " Rows that were added on another machine have seconds that cannot be "
            "compared with those of the others."
        )
    return f"{told}\n"


_KINDS = {
    "single": "tables",
    "views": "sets of views",
    "series": "sets of series",
    "graph": "networks",
}


def _balance(results: Path) -> dict[str, float]:
    """How even the classes of the tables are."""
    return {
        row["data"]: float(row["balance"])
        for row in read(results / "everything_sets.csv")
        if row["kind"] == "single" and row["status"] == "ok"
    }


_ALT = "Mean rank of each method with its critical difference"
_HEAD = (
    "method",
    "rank",
    "ARI",
    "NMI",
    "> k-means",
    "> mean member",
    "> best member",
    "seconds",
    "no result",
)
#: As many data sets are named; of more, the number is told.
FEW = 6


def _told(found: League) -> str:
    what = f"{len(found.lines)} methods on {len(found.sets)} data sets."
    told = [what, _seeds(found)]
    if found.p_value < 0.05:
        told.append(
            f"Mean ranks that differ by less than {found.critical_difference:.1f} are "
            "not told apart (Nemenyi's test at the level 0.05)."
        )
        told += _against_reference(found)
    else:
        told.append(
            "Friedman's test finds no difference between them at the level 0.05."
        )
    if found.unranked:
        told.append(f"Not tried on all of them: {', '.join(found.unranked)}.")
    return " ".join(told) + "\n"


def _seeds(found: League) -> str:
    count = len(found.seeds)
    which = ", ".join(found.seeds)
    if count == 1:
        text = f"One seed (number {which}) counts: all methods have seen it everywhere."
    else:
        text = f"{count} seeds ({which}) count: all methods have seen them everywhere."
    for again in found.repeats:
        text += (
            f" Seed {again.seed} is not complete: {again.n_methods} methods have seen "
            f"it on {again.n_sets} sets. There an adjusted Rand index moves by "
            f"{again.difference:.3f} on average from one seed to the other, and the "
            f"mean ranks of the two have a correlation of {again.correlation:.2f}."
        )
    return text


def _against_reference(found: League) -> list[str]:
    """Which methods the test tells apart from doing without an ensemble."""
    rank = {line.method: line.rank for line in found.lines}
    if REFERENCE not in rank:
        return []
    limit = found.critical_difference
    better = [m for m in rank if rank[REFERENCE] - rank[m] > limit]
    worse = [m for m in rank if rank[m] - rank[REFERENCE] > limit]
    told = f"Told apart from k-means as better: {', '.join(better) or 'none'}; "
    return [told + f"as worse: {', '.join(worse) or 'none'}."]


def _table(found: League) -> str:
    return list_table(
        _HEAD,
        [
            (
                linked(line.method),
                number(line.rank, 1),
                number(line.ari),
                number(line.nmi),
                _per_cent(line.beats_reference),
                _per_cent(line.beats_mean),
                _per_cent(line.beats_best),
                number(line.seconds, 2),
                line.n_failed or "",
            )
            for line in found.lines
        ],
    )


def _per_cent(share: float) -> str:
    return "–" if share != share else f"{share:.0%}"


def _failed(rows: Sequence[Row]) -> str:
    found = failures(rows)
    if not found:
        return "Every fit has one.\n"
    count = sum(row["status"] != "ok" for row in rows)
    head = ("method", "what happened", "on", "the most frequent message")
    cells = [
        (linked(method), status, _named(on), f"``{message}``" if message else "")
        for method, status, on, message in found
    ]
    told = (
        f"{count} of {len(rows)} fits, seeds that do not count included. What ran out "
        "of time on a data set with one seed was not tried with the next.\n"
    )
    return "\n".join([told, list_table(head, cells, (18, 14, 34, 34)), ""])


def _named(sets: Sequence[str]) -> str:
    return ", ".join(sets) if len(sets) <= FEW else f"{len(sets)} data sets"


def _plot(found: League) -> Any:
    """Mean ranks; two whose bars do not overlap are told apart."""
    from matplotlib import pyplot as plt

    from comitia.plot.palette import COLORS, GRAY, tidy

    ranks = [line.rank for line in found.lines]
    size = (6.4, 1.2 + 0.17 * len(ranks))
    drawn, ax = plt.subplots(figsize=size, layout="constrained")
    half = found.critical_difference / 2
    for at, line in enumerate(found.lines):
        is_reference = line.method == REFERENCE
        level = line.rank - ranks[0] <= found.critical_difference
        color = COLORS[1] if is_reference else COLORS[0] if level else GRAY
        ax.errorbar(
            line.rank,
            at,
            xerr=half,
            fmt="s" if is_reference else "o",
            color=color,
            markerfacecolor=color if level else "white",
            markersize=5 if is_reference else 4,
            elinewidth=1.0,
        )
        if is_reference:
            ax.axvline(line.rank, color=color, linewidth=0.6, linestyle=":", zorder=0)
    names = [line.method for line in found.lines]
    ax.set_yticks(range(len(ranks)), names, fontsize="x-small")
    for label in ax.get_yticklabels():
        if label.get_text() == REFERENCE:
            label.set_color(COLORS[1])
    ax.set_ylim(len(ranks) - 0.4, -0.6)
    ax.set_xlabel(
        "mean rank, 1 is the best; bars that do not overlap are told apart\n"
        "filled: not told apart from the first; square and dotted line: k-means",
        fontsize="small",
    )
    ax.tick_params(axis="x", top=len(ranks) > 30, labeltop=len(ranks) > 30)
    tidy(ax, "x")
    return drawn
