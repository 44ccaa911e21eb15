"""What the table of all methods says of our defaults, and how far it bears it out.

The sentences are judgements; each comes with its figures, which are counted from the
rows whenever the page is made, and with a condition under which it may be said. Where
the rows no longer meet the condition, the page says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from benchmarks.evaluation.everything.leagues import REFERENCE, League
from benchmarks.evaluation.pages import Finding, enumerated, linked
from benchmarks.evaluation.store import Row

__all__ = ["Results", "findings"]

#: Classes whose entropy is so much of the highest that it could be are nearly even.
EVEN = 0.95
#: A method that had no time on so many of its data sets is told by name.
OFTEN = 0.1

MEAN_MEMBER = "mean_member_ari"
BALANCED = ("cspa", "hgpa", "cas", "unlu_xanthopoulos_2017")
SOFT = ("wosp", "wohb", "wspa", "zhai_2007")
DIVERSE = ("greedy_diversity_2014", "blbc")
CHAINING = ("woce", "berikov_2014", "wea")

Floats = NDArray[np.float64]


class Results:
    """Means over the seeds that count, by method and data set.

    Parameters
    ----------
    rows : sequence of dict
        The rows of ``everything.csv``.

    played : dict of str to League
        The leagues of these rows: only seeds that count there count here.

    balance : dict of str to float
        Evenness of the classes of the tables, from 0 to 1.
    """

    def __init__(
        self,
        rows: Sequence[Row],
        played: Mapping[str, League],
        balance: Mapping[str, float],
    ) -> None:
        self.balance = balance
        counts = {
            ("single" if name == "constraints" else name, line.method, seed)
            for name, league in played.items()
            for line in league.lines
            for seed in league.seeds
        }
        self._rows: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in rows:
            if (row["kind"], row["method"], row["seed"]) in counts:
                self._rows[row["method"], row["data"]].append(row)

    @property
    def methods(self) -> set[str]:
        """The methods that have rows that count."""
        return {method for method, _ in self._rows}

    def sets(self, method: str) -> list[str]:
        """The data sets that a method was tried on.

        Parameters
        ----------
        method : str
            Its id.

        Returns
        -------
        sets : list of str
            Their names.
        """
        return [data for one, data in self._rows if one == method]

    def column(self, method: str, name: str, sets: Sequence[str]) -> Floats:
        """Means of a column over the seeds; NaN where there is no result.

        Parameters
        ----------
        method, name : str
            Whose, and which column.

        sets : sequence of str
            On which data sets.

        Returns
        -------
        means : ndarray of shape (n_sets,)
            One for each.
        """
        found = []
        for data in sets:
            cells = [row[name] for row in self._rows[method, data] if row[name] != ""]
            found.append(np.mean([float(cell) for cell in cells]) if cells else np.nan)
        return np.array(found, dtype=np.float64)

    def gaps(
        self, method: str, rival: str, sets: Sequence[str] | None = None
    ) -> Floats:
        """How far a method is above a rival, where both have a result.

        Parameters
        ----------
        method : str
            Its id.

        rival : str
            Another id, or a column of the method's own rows.

        sets : sequence of str, default=None
            On which data sets; by default, on all of the method.

        Returns
        -------
        gaps : ndarray
            Differences of the adjusted Rand index.
        """
        sets = self.sets(method) if sets is None else sets
        theirs = (
            self.column(method, rival, sets)
            if rival == MEAN_MEMBER
            else self.column(rival, "ari", sets)
        )
        gaps = self.column(method, "ari", sets) - theirs
        return gaps[np.isfinite(gaps)]

    def late(self) -> dict[str, float]:
        """The share of its data sets on which a method ran out of time.

        Returns
        -------
        shares : dict of str to float
            Of the methods to which it happened, the largest first.
        """
        late: dict[str, list[bool]] = defaultdict(list)
        for (method, _), rows in self._rows.items():
            late[method].append(any(row["status"] == "timed out" for row in rows))
        shares = {method: float(np.mean(some)) for method, some in late.items()}
        order = sorted(shares, key=lambda method: -shares[method])
        return {method: shares[method] for method in order if shares[method] > 0}


def findings(
    rows: Sequence[Row], played: Mapping[str, League], balance: Mapping[str, float]
) -> str:
    """What the table says of our defaults.

    Parameters
    ----------
    rows : sequence of dict
        The rows of ``everything.csv``.

    played : dict of str to League
        The leagues of these rows.

    balance : dict of str to float
        Evenness of the classes of the tables.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    results = Results(rows, played, balance)
    told = [
        one.told(results) for one in FINDINGS if results.methods.issuperset(one.methods)
    ]
    return "\n".join([_PRINCIPLE, *told, _MENDED])


# -- figures in words ------------------------------------------------------------------


def _range(values: Sequence[float], form: str) -> str:
    low, high = (format(one, form) for one in (min(values), max(values)))
    return low if low == high else f"{low} to {high}"


def _below(results: Results, method: str, rival: str) -> tuple[int, int]:
    """On how many data sets a method is below a rival, and of how many."""
    gaps = results.gaps(method, rival)
    return int((gaps < 0).sum()), len(gaps)


def _shares_below(
    results: Results, methods: Sequence[str], rival: str
) -> dict[str, float]:
    counts = {method: _below(results, method, rival) for method in methods}
    return {method: n / of for method, (n, of) in counts.items() if of}


def _listed(shares: Mapping[str, float]) -> str:
    return enumerated([f"{linked(one)} ({share:.0%})" for one, share in shares.items()])


# -- the findings ----------------------------------------------------------------------


def _of_balance(results: Results) -> tuple[str, bool]:
    known = [name for name in results.sets(REFERENCE) if name in results.balance]
    even = [name for name in known if results.balance[name] >= EVEN]
    other = [name for name in known if results.balance[name] < EVEN]
    means = [
        [
            float(gaps.mean())
            for method in BALANCED
            if len(gaps := results.gaps(method, REFERENCE, some))
        ]
        for some in (even, other)
    ]
    if not all(means):  # nobody knows how even the classes are
        return "", True
    kept, lost = means
    text = (
        f"On the {len(even)} tables whose classes are nearly even (their entropy is "
        f"{EVEN:.0%} of what it could be, or more) the adjusted Rand index of "
        f"{enumerated([linked(one) for one in BALANCED])} less that of k-means is "
        f"{_range(kept, '+.2f')}; on the other {len(other)} it is "
        f"{_range(lost, '+.2f')}. So a consensus that *we* choose should not balance: "
        f"{linked('fwlac')}, whose paper names none, had CSPA as its default and has "
        "average linkage now."
    )
    return text, min(kept) > max(lost)


def _of_soft(results: Results) -> tuple[str, bool]:
    shares = _shares_below(results, SOFT, MEAN_MEMBER)
    text = f"Tables on which they stay below the mean member: {_listed(shares)}."
    return text, min(shares.values(), default=1.0) > 0.5


def _of_fuzzy(results: Results) -> tuple[str, bool]:
    sets = results.sets("son_2016")
    found, asked = (
        results.column("son_2016", name, sets) for name in ("n_found", "n_clusters")
    )
    has_result = np.isfinite(found)
    fewer = int((found < asked)[has_result].sum())
    text = (
        f"It ends with fewer clusters than were asked for on {fewer} of "
        f"{has_result.sum()} tables."
    )
    return text, fewer > has_result.sum() / 2


def _of_disagreement(results: Results) -> tuple[str, bool]:
    shares = _shares_below(results, DIVERSE, MEAN_MEMBER)
    text = f"Tables on which they are below the mean member: {_listed(shares)}."
    return text, min(shares.values(), default=1.0) > 0.5


def _of_chains(results: Results) -> tuple[str, bool]:
    shares = _shares_below(results, CHAINING, REFERENCE)
    text = (
        f"Tables on which they lose to k-means: {_listed(shares)}, woce in spite of "
        "its constraints."
    )
    return text, min(shares.values(), default=1.0) > 0.5


def _of_time(results: Results) -> tuple[str, bool]:
    late = results.late()
    often = {method: share for method, share in late.items() if share >= OFTEN}
    if not late:
        return "Every method ended in time on every data set.", True
    if not often:
        text = f"This happened to {_listed(late)}, on few of their data sets."
        return text, True
    text = f"On {OFTEN:.0%} of its data sets or more this happened to {_listed(often)}"
    rest = len(late) - len(often)
    return text + (f"; more rarely, to {rest} others." if rest else "."), True


def _of_networks(results: Results) -> tuple[str, bool]:
    fewer, of = _below(results, "wu_2017", MEAN_MEMBER)
    sizes = results.column("yang_2016", "n_found", results.sets("yang_2016"))
    sizes = sizes[np.isfinite(sizes)]
    text = f"Their mean is better on {fewer} of {of} networks."
    if len(sizes):
        text += (
            f" {linked('yang_2016')} chooses the number itself: from "
            f"{sizes.min():.0f} to {sizes.max():.0f}, on average over the seeds."
        )
    return text, fewer > of / 2 or not of


FINDINGS = (
    Finding(
        "Parts of equal size",
        "METIS cuts a graph into parts of equal size, and methods that are published "
        "with it inherit this.",
        _of_balance,
        BALANCED,
    ),
    Finding(
        "Edges between all objects",
        "Some methods have soft memberships, by formulas that are their authors', "
        "which differ little between clusters; METIS then cuts a graph whose edges are "
        'nearly equal. For wohb, ``variant="tcut"`` does not balance.',
        _of_soft,
        SOFT,
    ),
    Finding(
        "Fuzzy c-means in many dimensions",
        f"In many dimensions the memberships of fuzzy c-means with the usual exponent "
        f"2 are nearly equal, and the similarities that {linked('son_2016')} makes of "
        "them are never near zero; the factorisation that fits them best puts most "
        "objects together.",
        _of_fuzzy,
        ("son_2016",),
    ),
    Finding(
        "Weights for disagreement",
        "Some methods prefer clusterings that disagree with the others. blbc is also "
        "made for large data: of a few hundred objects its samples have a tenth.",
        _of_disagreement,
        DIVERSE,
    ),
    Finding(
        "Members that chain",
        f"{linked('woce')} (single linkage among others), {linked('berikov_2014')} "
        "(average linkage, which hardly varies and so counts as sure) and "
        f"{linked('wea')} (single linkage for the consensus) follow their papers.",
        _of_chains,
        CHAINING,
    ),
    Finding(
        "Time",
        "Ranks of methods that run out of time tell of the limit more than of the "
        "result.",
        _of_time,
    ),
    Finding(
        "Networks",
        f"{linked('wu_2017')} cuts a tree at the number of classes, where networks "
        "with many parts that hang together by nothing (cora, citeseer) are cut into "
        "one large cluster and crumbs; its members choose their number of communities.",
        _of_networks,
        ("wu_2017", "yang_2016"),
    ),
)

_PRINCIPLE = """\
A default is changed only where the paper leaves the choice to us and a reason speaks
for another one that has nothing to do with these data sets; never for the sake of a
score. What is published stays as it is published, good or bad.
"""
_MENDED = """\
Two faults came to light and are mended: :doc:`dcss </generated/methods/dcss>` asked for
too much memory where its mixtures had many components, and members with fuzzy clusters
were compared with the classes by their memberships, so that nearly every consensus
seemed better than the best of them.
"""
