"""What the documentation says of the default beside its rivals."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.default.rivals import ON_BATTERY, ONCE_SECONDS, RIVALS
from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    enumerated,
    list_table,
    number,
)
from benchmarks.evaluation.store import Row, read

__all__ = ["battery_told", "mean_scores", "rivals_told", "seed_spread"]

OURS, PLAIN = "default", "k-means"
#: Single algorithms of scikit-learn, the best of which the default is compared with.
SINGLE = (
    *("k-means", "bisecting k-means", "Ward", "average linkage", "Gaussian mixture"),
    *("spectral, neighbors", "spectral, rbf", "HDBSCAN"),
)
#: Differences up to the first are ties; below k-means by more than the second is bad.
TIE, BAD = 0.01, 0.05

Floats = NDArray[np.float64]


def mean_scores(
    rows: Sequence[Row], names: Sequence[str], half: str
) -> tuple[list[str], Floats]:
    """Scores of the data sets of one half, means over the seeds.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``default_rivals.csv``.

    names : sequence of str
        Columns of it.

    half : str
        "choose" or "confirm".

    Returns
    -------
    sets : list of str
        The data sets that have a row that ended well.

    table : ndarray of shape (n_sets, n_names)
        The scores. A cell that is empty for some seeds is the mean over the others.
    """
    found: dict[str, list[list[float]]] = defaultdict(list)
    for row in rows:
        if (row["half"], row["status"]) == (half, "ok"):
            found[row["data"]].append([float(row[name] or "nan") for name in names])
    sets = sorted(found)
    table = np.array([np.nanmean(found[one], axis=0) for one in sets])
    return sets, table.reshape(len(sets), len(names))


def rivals_told(results: Path) -> str:
    """The default beside single algorithms and published methods, on both halves.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    from comitia.evaluate import mean_ranks

    rows, names = read(results / "default_rivals.csv"), list(RIVALS)
    (_, chosen), (sets, table) = (
        mean_scores(rows, names, half) for half in ("choose", "confirm")
    )
    if not len(chosen) or len(sets) < 2:
        return NOT_MEASURED
    plain, ranks = table[:, names.index(PLAIN)], mean_ranks(table)
    seconds = np.median(mean_scores(rows, _seconds(names), "confirm")[1], axis=0)
    cells = []
    for at in np.argsort(-table.mean(axis=0), kind="stable"):
        gain = table[:, at] - plain
        wins, losses = (gain > TIE).sum(), (gain < -TIE).sum()
        cells.append(
            (
                f"**{names[at]}**" if names[at] == OURS else names[at],
                number(float(chosen[:, at].mean())),
                number(float(table[:, at].mean())),
                number(float(ranks.means[at]), 2),
                f"{wins} / {len(sets) - wins - losses} / {losses}",
                f"{(gain < -BAD).mean():.0%}",
                number(float(seconds[at]), 2),
            )
        )
    head = (
        *("", "ARI, choose", "ARI, confirm", "rank, confirm", "won / tied / lost"),
        *("far below", "seconds"),
    )
    told = (
        f"The last five columns are of the {len(sets)} data sets to confirm: mean rank "
        f"of {len(names)}; tables on which the score is above, within {TIE} of and "
        "below that of k-means with ten starts; how many are more than "
        f"{BAD} below it; and the median of the seconds of CPU, one thread.\n"
    )
    return "\n".join(
        [
            about(results, "default_rivals"),
            told,
            list_table(head, cells),
            "",
            _verdict(names, sets, table),
            _seeds_told(rows),
        ]
    )


def seed_spread(rows: Sequence[Row], name: str) -> tuple[int, int, float]:
    """How much a score changes with the seed, and with the order of the rows.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``default_rivals.csv``.

    name : str
        Column of it.

    Returns
    -------
    n_sets, n_seeds : int
        Data sets that have several seeds, and the most that one has.

    spread : float
        Mean of their standard deviations.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok" and row[name]:
            found[row["data"]].append(float(row[name]))
    several = [values for values in found.values() if len(values) > 1]
    spread = np.mean([np.std(one, ddof=1) for one in several]) if several else np.nan
    return len(several), max(map(len, found.values())), float(spread)


def _seeds_told(rows: Sequence[Row]) -> str:
    n_sets, n_seeds, _ = seed_spread(rows, OURS)
    if n_seeds < 2:
        return ""
    counts = Counter(Counter(r["data"] for r in rows if r["status"] == "ok").values())
    told = enumerated(
        [f"{n} have {seeds}" for seeds, n in sorted(counts.items(), reverse=True)]
    )
    once = sorted({r["data"] for r in rows if r["status"] == "ok" and "" in _cells(r)})
    few = (
        f" What took more than {ONCE_SECONDS:.0f} seconds with the first seed lacks "
        f"later ones, on {enumerated(once)}."
        if once
        else ""
    )
    each = [
        f"{number(seed_spread(rows, name)[2])} for {name}"
        for name in (OURS, PLAIN, "lwgp", "spectral, neighbors", "Genie")
    ]
    return (
        "Scores are means over the seeds, each with its own order of the rows: of the "
        f"data sets, {told}.{few} Their standard deviation, a mean over the {n_sets} "
        f"sets with several, is {enumerated(each)}.\n"
    )


def _cells(row: Row) -> list[str]:
    return [row[name] for name in RIVALS]


def _seconds(names: Sequence[str]) -> list[str]:
    return [f"{name} s" for name in names]


def _verdict(names: list[str], sets: list[str], table: Floats) -> str:
    from scipy.stats import wilcoxon

    ours = table[:, names.index(OURS)]
    best = max(SINGLE, key=lambda name: table[:, names.index(name)].mean())
    gain = np.round(ours - table[:, names.index(best)], 10)
    p = wilcoxon(gain).pvalue if gain.any() else 1.0
    draws = np.random.RandomState(0).randint(len(gain), size=(10_000, len(gain)))
    low, high = np.quantile(gain[draws].mean(axis=1), [0.025, 0.975])
    below = ours - table[:, names.index(PLAIN)]
    bad = [
        f"{sets[at]} ({below[at]:+.2f})" for at in np.argsort(below) if below[at] < -BAD
    ]
    far = f" It is far below k-means on {enumerated(bad)}." if bad else ""
    return (
        f"The best single algorithm of scikit-learn on these is {best}; the default is "
        f"{gain.mean():+.3f} against it ({low:+.3f} to {high:+.3f}, bootstrap over the "
        f"data sets; Wilcoxon's signed rank test: p = {p:.2g}).{far}\n"
    )


def battery_told(results: Path) -> str:
    """The default on the sets of Gagolewski's battery.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    rows = [r for r in read(results / "default_battery.csv") if r["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    means = {name: np.mean([float(r[name]) for r in rows]) for name in ON_BATTERY}
    cells = [
        (f"**{name}**" if name == OURS else name, number(float(means[name])))
        for name in sorted(ON_BATTERY, key=lambda name: -means[name])
    ]
    told = (
        f"{len(rows)} sets of Gagolewski's clustering benchmarks with at most 10 000 "
        "objects, columns as they are, the best adjusted Rand index over the reference "
        "labels. The label files that he publishes have 0.778 for Genie on 42 of them "
        "(0.550 for k-means).\n"
    )
    return "\n".join(
        [about(results, "default_battery"), told, list_table(("", "ARI"), cells), ""]
    )
