"""By how much weights help, and what that says."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from benchmarks.evaluation.pages import Finding, enumerated, linked
from benchmarks.evaluation.recipients.twins import TWINS
from benchmarks.evaluation.store import Row

__all__ = ["PLANTED", "Gain", "findings", "gain", "methods_of", "shares_of"]

PLANTED = "planted"
#: Differences of less than so many standard errors may be chance.
STANDARD_ERRORS = 2.0
#: Methods whose consensus is a tree, and those that compare objects with k centres.
TREES = ("weac", "lwea")
CENTERS = ("gp_mgla", "lwgp", "bregman_cc", "wcc")
ENTROPY = ("lwgp", "lwmc", "ecpcs_mc")


class Gain(NamedTuple):
    """By how much a method is better with its weights than with equal ones.

    Attributes
    ----------
    mean, error : float
        Mean difference of the adjusted Rand index, and its standard error: over the
        seeds of planted ensembles, over the pools (each the mean of its draws).

    n : int
        Number of seeds, or pools.
    """

    mean: float
    error: float
    n: int

    def __str__(self) -> str:
        if self.n < 2:
            return f"{self.mean:+.3f}" if self.n else "–"
        text = f"{self.mean:+.3f} ± {self.error:.3f}"
        return f"**{text}**" if self.is_clear else text

    @property
    def is_clear(self) -> bool:
        """Whether it is more than chance."""
        return self.n > 1 and abs(self.mean) > STANDARD_ERRORS * self.error


def gain(rows: Sequence[Row], method: str, junk: float, *, planted: bool) -> Gain:
    """By how much weights help a method.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``recipients.csv`` that ended well.

    method : str
        Catalogue id.

    junk : float
        The share of junk.

    planted : bool
        On planted ensembles and data, or on the pools.

    Returns
    -------
    gain : Gain
        The difference.
    """
    found: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["method"] != method or float(row["junk"]) != junk:
            continue
        if (row["source"] == PLANTED) == planted:
            unit = row["seed"] if planted else row["source"]
            found[unit].append(float(row["weighted"]) - float(row["uniform"]))
    means = [float(np.mean(values)) for values in found.values()]
    n = len(means)
    if n == 0:
        return Gain(float("nan"), float("nan"), 0)
    error = float(np.std(means, ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Gain(float(np.mean(means)), error, n)


def methods_of(rows: Sequence[Row]) -> list[str]:
    """The methods that have rows.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``recipients.csv``.

    Returns
    -------
    methods : list of str
        Catalogue ids, in the order of the twins.
    """
    measured = {row["method"] for row in rows}
    return [twin.method for twin in TWINS if twin.method in measured]


def shares_of(rows: Sequence[Row], planted: bool) -> list[float]:
    """The shares of junk that were tried.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``recipients.csv``.

    planted : bool
        On planted ensembles and data, or on the pools.

    Returns
    -------
    shares : list of float
        From the lowest.
    """
    return sorted(
        {float(row["junk"]) for row in rows if (row["source"] == PLANTED) == planted}
    )


def findings(rows: Sequence[Row]) -> str:
    """When weights help, with the figures that say so.

    Parameters
    ----------
    rows : sequence of dict
        Rows of ``recipients.csv`` that ended well.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    measured = set(methods_of(rows))
    told = [one.told(rows) for one in FINDINGS if measured.issuperset(one.methods)]
    return "\n".join([*told, ""])


def _most(rows: Sequence[Row], planted: bool = True) -> float:
    return max(shares_of(rows, planted), default=float("nan"))


def _gains(
    rows: Sequence[Row], methods: Sequence[str], planted: bool = True
) -> dict[str, Gain]:
    """Gains where there is most junk."""
    most = _most(rows, planted)
    found = {one: gain(rows, one, most, planted=planted) for one in methods}
    return {one: it for one, it in found.items() if it.n}


def _of(recipient: str) -> tuple[str, ...]:
    return tuple(twin.method for twin in TWINS if twin.recipient == recipient)


def _listed(gains: dict[str, Gain]) -> str:
    texts = [
        f"{linked(one)} {it.mean:+.3f} ± {it.error:.3f}" for one, it in gains.items()
    ]
    return enumerated(texts)


def _counted(gains: dict[str, Gain]) -> tuple[int, int]:
    """How many are helped, and how many harmed, beyond chance."""
    clear = [it.mean for it in gains.values() if it.is_clear]
    return sum(mean > 0 for mean in clear), sum(mean < 0 for mean in clear)


def _of_trees(rows: Sequence[Row]) -> tuple[str, bool]:
    trees, centers = (_gains(rows, some) for some in (TREES, CENTERS))
    text = (
        f"Gains with {_most(rows):.0%} junk, planted: {_listed(trees)}; "
        f"{_listed(centers)}."
    )
    low, high = (
        float(np.mean([it.mean for it in some.values()])) for some in (centers, trees)
    )
    return text, high > max(low, 0.0)


def _of_features(rows: Sequence[Row]) -> tuple[str, bool]:
    told, methods = [], _of("features")
    for share in shares_of(rows, True):
        gains = {one: gain(rows, one, share, planted=True) for one in methods}
        told.append((share, *_counted(gains)))
    least, most = told[0], told[-1]
    text = (
        f"They help {most[1]} of {len(methods)} methods clearly where {most[0]:.0%} of "
        f"the features are junk, and {least[1]} where {least[0]:.0%} are."
    )
    return text, most[1] > max(len(methods) / 2, least[1])


def _of_objects(rows: Sequence[Row]) -> tuple[str, bool]:
    gains = _gains(rows, _of("objects"))
    helped, harmed = _counted(gains)
    text = (
        f"With {_most(rows):.0%} junk they help {helped} of {len(gains)} methods and "
        f"harm {harmed}."
    )
    return text, helped < len(gains) / 2


def _of_views(rows: Sequence[Row]) -> tuple[str, bool]:
    gains = _gains(rows, _of("views"))
    helped, harmed = _counted(gains)
    still = [one for one, it in gains.items() if it.mean == it.error == 0.0]
    text = (
        f"With {_most(rows):.0%} junk they help {helped} of {len(gains)} methods and "
        f"harm {harmed}: {_listed(gains)}."
    )
    if still:
        names = enumerated([linked(one) for one in still])
        text += f" With their weights {names} score what they score without."
    return text, helped < len(gains) / 2


def _of_diversity(rows: Sequence[Row]) -> tuple[str, bool]:
    gains = _gains(rows, ["zhou_tang_2006"])
    text = f"With {_most(rows):.0%} junk: {_listed(gains)}."
    return text, all(it.is_clear and it.mean < 0 for it in gains.values())


def _of_entropy(rows: Sequence[Row]) -> tuple[str, bool]:
    gains = _gains(rows, ENTROPY, planted=False)
    if not gains:
        return "", True
    text = f"With {_most(rows, False):.0%} of a pool shuffled: {_listed(gains)}."
    return text, _counted(gains)[1] > len(gains) / 2


FINDINGS = (
    Finding(
        "Trees",
        "Weights of clusterings and of clusters help a tree, which has no other "
        "defence. K-means on indicator rows and the transfer cut need them less, "
        "because a clustering that says nothing has the same centre in every cluster.",
        _of_trees,
        TREES + CENTERS,
    ),
    Finding(
        "Features",
        "Weights of features help once about half of the features say nothing.",
        _of_features,
        _of("features"),
    ),
    Finding(
        "Objects",
        "Weights of objects do not help against junk, and are not meant to: they "
        "single out objects that are hard.",
        _of_objects,
        _of("objects"),
    ),
    Finding("Views", "Weights of views do not help here.", _of_views, _of("views")),
    Finding(
        "Weights for disagreement",
        f"{linked('zhou_tang_2006')} weighs a clustering by how little it agrees with "
        "the others, and nothing agrees less than junk.",
        _of_diversity,
        ("zhou_tang_2006",),
    ),
    Finding(
        "Small clusters look certain",
        "The entropy of lwgp, lwmc and their kin is bounded by the logarithm of the "
        "size of a cluster: small clusters cannot be torn into many pieces, and those "
        "of a shuffled clustering look certain.",
        _of_entropy,
        ENTROPY,
    ),
)
