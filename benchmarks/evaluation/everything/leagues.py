"""What came of fitting everything, in numbers: ranks, shares, failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.store import Row

__all__ = [
    "LEAGUES",
    "REFERENCE",
    "League",
    "Line",
    "Repeat",
    "failures",
    "league",
    "leagues",
]

#: The leagues: methods that had the same to work with.
LEAGUES = {
    "single": "One table",
    "constraints": "One table and constraints",
    "views": "Several views",
    "series": "Time series",
    "graph": "Networks",
}
REFERENCE = "k-means"
#: The share of the methods that must have been tried on a data set.
MOST = 0.9

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """One method in a league.

    Attributes
    ----------
    method : str
        Its id.

    rank : float
        Mean rank over the data sets, by the mean adjusted Rand index of the seeds; a
        set on which it has no result counts as its last.

    ari, nmi : float
        Means over the data sets on which it has a result.

    beats_reference, beats_best, beats_mean : float
        Share of these data sets on which it is better than k-means, than the best of
        the clusterings that it combines, and than their mean. NaN where there is
        nothing to compare with.

    seconds : float
        Their median.

    n_failed : int
        How many fits have no result.
    """

    method: str
    rank: float
    ari: float
    nmi: float
    beats_reference: float
    beats_best: float
    beats_mean: float
    seconds: float
    n_failed: int


@dataclass(frozen=True)
class Repeat:
    """How much changes with another seed, where both have been seen.

    Attributes
    ----------
    seed : str
        The other seed.

    n_methods, n_sets : int
        How many methods have seen it, on how many sets.

    correlation : float
        Spearman's, of the mean ranks by either seed.

    difference : float
        Mean absolute difference of the adjusted Rand index.
    """

    seed: str
    n_methods: int
    n_sets: int
    correlation: float
    difference: float


@dataclass(frozen=True)
class League:
    """Methods that ran on the same data sets, the best first.

    Attributes
    ----------
    lines : list of Line
        The methods that were tried on all these sets.

    sets : list of str
        The data sets on which nearly all methods were tried.

    unranked : list of str
        The methods that were not tried on some of the sets.

    seeds : list of str
        The seeds that all these methods have seen on all these sets; no other counts.

    repeats : list of Repeat
        What the other seeds say.

    critical_difference : float
        Mean ranks that differ by less are not told apart.

    p_value : float
        Of the hypothesis that all are equally good.
    """

    lines: list[Line]
    sets: list[str]
    unranked: list[str]
    seeds: list[str]
    repeats: list[Repeat]
    critical_difference: float
    p_value: float


def leagues(rows: Iterable[Row]) -> dict[str, League]:
    """The leagues of a table.

    Parameters
    ----------
    rows : iterable of dict
        The rows of ``everything.csv``.

    Returns
    -------
    leagues : dict of str to League
        By the names of :data:`LEAGUES`.
    """
    by_league: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        if row["method"] == REFERENCE and row["kind"] == "single":
            by_league["constraints"].append(row)
        by_league[_league_of(row)].append(row)
    return {name: league(by_league[name]) for name in LEAGUES if by_league[name]}


def league(rows: Sequence[Row]) -> League:
    """Rank methods over the data sets on which they were tried.

    A run that was stopped has tried some methods on some sets only. The sets are those
    on which nine of ten methods were tried, and methods that lack one of these have no
    rank. Only seeds that are complete count: no method is judged by other draws than
    its rivals.

    Parameters
    ----------
    rows : sequence of dict
        Rows of methods that can be compared.

    Returns
    -------
    league : League
        The best method first.
    """
    from comitia.evaluate import mean_ranks

    cells = {(row["method"], _set_of(row), row["seed"]): row for row in rows}
    seeds = sorted({seed for _, _, seed in cells}, key=int)
    methods, sets = _tried(cells)
    complete = [
        seed
        for seed in seeds
        if all((m, d, seed) in cells for m in methods for d in sets)
    ]
    unranked = sorted({method for method, _, _ in cells} - set(methods))
    if not sets or not methods or not complete:
        nan = float("nan")
        return League([], [], sorted({*methods, *unranked}), [], [], nan, nan)
    tables = {
        value: _table_of(cells, methods, sets, complete, value)
        for value in (*_SCORES, *_MEMBERS)
    }
    known = tables["ari"]
    at_reference = methods.index(REFERENCE) if REFERENCE in methods else None
    tables["reference_ari"] = (
        np.full_like(known, np.nan)
        if at_reference is None
        else np.repeat(known[:, [at_reference]], len(methods), axis=1)
    )
    ranks = mean_ranks(known)
    lines = [
        _line(
            method,
            ranks.means[at],
            {name: table[:, at] for name, table in tables.items()},
            [cells[method, data, seed] for data in sets for seed in complete],
        )
        for at, method in enumerate(methods)
    ]
    return League(
        sorted(lines, key=lambda line: line.rank),
        sets,
        unranked,
        complete,
        [
            again
            for seed in seeds
            if seed not in complete
            and (again := _repeat(cells, complete[0], seed)) is not None
        ],
        ranks.critical_difference,
        ranks.p_value,
    )


Cells = Mapping[tuple[str, str, str], Row]


def _tried(cells: Iterable[tuple[str, str, str]]) -> tuple[list[str], list[str]]:
    """The sets on which nearly all methods were tried, and the methods that were."""
    pairs = dict.fromkeys((method, data) for method, data, _ in cells)
    found = sorted({method for method, _ in pairs})
    tried = Counter(data for _, data in pairs)
    sets = [data for data in tried if tried[data] >= MOST * len(found)]
    return [m for m in found if all((m, data) in pairs for data in sets)], sets


def _table_of(
    cells: Cells,
    methods: Sequence[str],
    sets: Sequence[str],
    seeds: Sequence[str],
    value: str,
) -> Floats:
    """Means over seeds, a line for each set; NaN where no seed has a result."""

    def mean(method: str, data: str) -> float:
        rows = [cells[method, data, seed] for seed in seeds]
        return _of(np.mean, _numbers(rows, value))

    return np.array([[mean(method, data) for method in methods] for data in sets])


def _repeat(cells: Cells, seed: str, other: str) -> Repeat | None:
    """Compare two seeds, over what both have seen; None if that is nothing."""
    from scipy.stats import spearmanr

    from comitia.evaluate import mean_ranks

    both = [(m, d, s) for m, d, s in cells if s == other and (m, d, seed) in cells]
    methods, sets = _tried(both)
    if len(methods) < 3 or not sets:
        return None
    first, again = (_table_of(cells, methods, sets, [s], "ari") for s in (seed, other))
    correlation = spearmanr(mean_ranks(first).means, mean_ranks(again).means)
    return Repeat(
        other,
        len(methods),
        len(sets),
        float(correlation.statistic),
        float(np.mean(_known(np.abs(first - again)))),
    )


def _set_of(row: Row) -> str:
    return f"{row['data']} ({row['n_objects']})"


_SCORES = ("ari", "nmi")
_MEMBERS = ("best_member_ari", "mean_member_ari")
_RIVALS = ("reference_ari", *_MEMBERS)


def _line(
    method: str, rank: float, scores: Mapping[str, Floats], rows: Sequence[Row]
) -> Line:
    reference, best, mean = (
        _share_above(scores["ari"], scores[name]) for name in _RIVALS
    )
    return Line(
        method=method,
        rank=float(rank),
        **{name: _of(np.mean, _known(scores[name])) for name in _SCORES},
        beats_reference=float("nan") if method == REFERENCE else reference,
        beats_best=best,
        beats_mean=mean,
        seconds=_of(np.median, _numbers(rows, "seconds")),
        n_failed=sum(row["status"] != "ok" for row in rows),
    )


def _share_above(ours: Floats, theirs: Floats) -> float:
    both = np.isfinite(ours) & np.isfinite(theirs)
    return _of(np.mean, ours[both] > theirs[both])


def _of(function: Any, values: Any) -> float:
    return float(function(values)) if len(values) else float("nan")


def _numbers(rows: Sequence[Row], value: str) -> list[float]:
    return [float(row[value]) for row in rows if row[value] != ""]


def _known(values: Floats) -> Floats:
    return values[np.isfinite(values)]


def _league_of(row: Row) -> str:
    if row["kind"] != "single" or row["method"] == REFERENCE:
        return row["kind"]
    return "constraints" if _takes_constraints(row["method"]) else "single"


@cache
def _takes_constraints(method: str) -> bool:
    """Asked for every row, and the catalogue looks through its folders each time."""
    import comitia

    return "constraints" in comitia.method(method).card.needs


def failures(rows: Iterable[Row]) -> list[tuple[str, str, list[str], str]]:
    """What has no result, and why.

    Parameters
    ----------
    rows : iterable of dict
        The rows of the table.

    Returns
    -------
    failures : list of tuple
        Method, what happened, on which data sets, and the most frequent message.
    """
    sets: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    messages: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["status"] != "ok":
            key = row["method"], row["status"]
            sets[key][row["data"]] = None
            if not row["message"].startswith("not tried"):
                messages[key][row["message"]] += 1
    return [
        (*key, list(sets[key]), (messages[key].most_common(1) or [("", 0)])[0][0])
        for key in sorted(sets)
    ]
