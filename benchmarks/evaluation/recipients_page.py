"""What the documentation says of weights: do they help, and where?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.evaluation.pages import NOT_MEASURED, about, figure, list_table
from benchmarks.evaluation.store import Row, read
from benchmarks.evaluation.twins import RECIPIENTS, TWINS

__all__ = ["Gain", "gain", "page"]

PLANTED = "planted"
#: Differences of less than so many standard errors may be chance.
STANDARD_ERRORS = 2.0


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


def page(results: Path, figures: Path) -> str:
    """What the documentation says of weights.

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
    rows = [row for row in read(results / "recipients.csv") if row["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    texts = [about(results, "recipients"), _table(rows)]
    for recipient, junk in RECIPIENTS.items():
        found = [row for row in rows if row["recipient"] == recipient]
        if found:
            title = f"Weights of {recipient}"
            texts += ["", title, "^" * len(title), "", f"Junk: {junk}.\n"]
            texts.append(_told(found))
            alt = f"What weights of {recipient} gain, against the share of junk"
            name = f"recipients_{recipient}"
            texts.append(figure(_plot(found), figures, name, alt))
    return "\n".join(texts)


def _methods(rows: Sequence[Row]) -> list[str]:
    there = {row["method"] for row in rows}
    return [twin.method for twin in TWINS if twin.method in there]


def _shares(rows: Sequence[Row], planted: bool) -> list[float]:
    return sorted(
        {float(row["junk"]) for row in rows if (row["source"] == PLANTED) == planted}
    )


def _table(rows: Sequence[Row]) -> str:
    shares = _shares(rows, planted=True)
    shown = sorted({shares[0], shares[len(shares) // 2], shares[-1]})
    on_pools = _shares(rows, planted=False)
    ends = sorted({on_pools[0], on_pools[-1]}) if on_pools else []
    twins = {twin.method: twin for twin in TWINS}
    cells = []
    for method in _methods(rows):
        line: list[Any] = [
            twins[method].recipient,
            f":doc:`{method} </generated/methods/{method}>`",
            twins[method].says,
        ]
        line += [gain(rows, method, share, planted=True) for share in shown]
        line += [gain(rows, method, share, planted=False) for share in ends]
        cells.append(line)
    head = ["weights of", "method", "equal weights by"]
    head += [f"{share:.0%} junk" for share in shown]
    head += [f"pools, {share:.0%}" for share in ends]
    told = (
        "Adjusted Rand index of the method less that of itself with equal weights, and "
        "the standard error; bold where it is more than two of them.\n"
    )
    return told + "\n" + list_table(head, cells)


def _told(rows: Sequence[Row]) -> str:
    """How many methods gain and lose where there is most junk."""
    told = []
    for planted, where in ((True, "planted"), (False, "pools")):
        shares = _shares(rows, planted)
        if not shares:
            continue
        gains = [
            gain(rows, method, shares[-1], planted=planted) for method in _methods(rows)
        ]
        gains = [one for one in gains if one.n]
        helped = sum(one.is_clear and one.mean > 0 for one in gains)
        harmed = sum(one.is_clear and one.mean < 0 for one in gains)
        told.append(
            f"with {shares[-1]:.0%} junk ({where}) weights help {helped} of "
            f"{len(gains)} methods and harm {harmed}"
        )
    text = "; ".join(told)
    return f"{text[:1].upper()}{text[1:]}.\n"


def _plot(rows: Sequence[Row]) -> Any:
    from matplotlib import pyplot as plt

    from comitia.plot._style import COLOURS, GREY, LINES, MARKERS, tidy

    kinds = [planted for planted in (True, False) if _shares(rows, planted)]
    size = (3.6 * len(kinds) + 1.4, 3.4)
    drawn, axes = plt.subplots(
        1, len(kinds), figsize=size, sharey=True, squeeze=False, layout="constrained"
    )
    for ax, planted in zip(axes[0], kinds, strict=True):
        shares = _shares(rows, planted)
        for at, method in enumerate(_methods(rows)):
            gains = [gain(rows, method, share, planted=planted) for share in shares]
            if not any(one.n for one in gains):
                continue
            ax.errorbar(
                shares,
                [one.mean for one in gains],
                yerr=np.nan_to_num([one.error for one in gains]),
                linestyle=LINES[at % len(LINES)],
                color=COLOURS[at % len(COLOURS)],
                marker=MARKERS[at % len(MARKERS)],
                markersize=4,
                elinewidth=0.8,
                label=method,
            )
        ax.axhline(0.0, color=GREY, linewidth=0.8)
        ax.set_xlabel("share of junk")
        ax.set_title("planted" if planted else "pools", fontsize="small")
        tidy(ax, "y")
    axes[0, 0].set_ylabel("gain of ARI by weights")
    drawn.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside right upper",
        fontsize="x-small",
    )
    return drawn
