"""What the documentation says of weights: do they help, and where?"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.pages import (
    NOT_MEASURED,
    about,
    figure,
    linked,
    list_table,
    section,
)
from benchmarks.evaluation.recipients.findings import (
    PLANTED,
    findings,
    gain,
    methods_of,
    shares_of,
)
from benchmarks.evaluation.recipients.twins import RECIPIENTS, TWINS
from benchmarks.evaluation.store import Row, read

__all__ = ["page"]

#: Panels in a row of a plot.
N_COLUMNS = 4


def page(results: Path, figures: Path) -> str:
    """What the documentation says of weights."""
    rows = [row for row in read(results / "recipients.csv") if row["status"] == "ok"]
    if not rows:
        return NOT_MEASURED
    texts = [about(results, "recipients"), findings(rows), _table(rows)]
    for recipient, junk in RECIPIENTS.items():
        found = [row for row in rows if row["recipient"] == recipient]
        if found:
            texts += [*section(f"Weights of {recipient}"), f"Junk: {junk}.\n"]
            texts.append(_told(found))
            alt = f"What weights of {recipient} gain, against the share of junk"
            name = f"recipients_{recipient}"
            texts.append(figure(_plot(found), figures, name, alt))
    return "\n".join(texts)


def _table(rows: Sequence[Row]) -> str:
    shares = shares_of(rows, planted=True)
    shown = sorted({shares[0], shares[len(shares) // 2], shares[-1]})
    on_pools = shares_of(rows, planted=False)
    ends = sorted({on_pools[0], on_pools[-1]}) if on_pools else []
    twins = {twin.method: twin for twin in TWINS}
    cells = []
    for method in methods_of(rows):
        line: list[Any] = [
            twins[method].recipient,
            linked(method),
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
        shares = shares_of(rows, planted)
        if not shares:
            continue
        gains = [
            gain(rows, method, shares[-1], planted=planted)
            for method in methods_of(rows)
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
    """A panel for each method: with its weights, and with equal ones."""
    from matplotlib import pyplot as plt

    panels = [
        (method, planted)
        for planted in (True, False)
        for method in methods_of(rows)
        if _scores(rows, method, planted)
    ]
    n_columns = min(len(panels), N_COLUMNS)
    n_rows = -(-len(panels) // n_columns)
    drawn, axes = plt.subplots(
        n_rows,
        n_columns,
        figsize=(1.75 * n_columns + 0.4, 1.55 * n_rows + 0.7),
        sharex=True,
        sharey=True,
        squeeze=False,
        layout="constrained",
    )
    for ax, panel in zip(axes.flat, panels, strict=False):
        _draw(ax, rows, *panel)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    for at, ax in enumerate(axes.flat[: len(panels)]):
        # The last of its column, though maybe not in the last row.
        ax.tick_params(labelbottom=at + n_columns >= len(panels))
    drawn.supxlabel("share of junk", fontsize="small")
    drawn.supylabel("adjusted Rand index", fontsize="small")
    drawn.legend(
        *axes[0, 0].get_legend_handles_labels(),
        loc="outside upper center",
        ncols=2,
        fontsize="x-small",
    )
    return drawn


def _draw(ax: Any, rows: Sequence[Row], method: str, planted: bool) -> None:
    from comitia.plot.palette import COLORS, tidy

    scores = _scores(rows, method, planted)
    shares = sorted(scores)
    weighted, uniform = np.array([scores[share] for share in shares]).T
    clear = [gain(rows, method, share, planted=planted).is_clear for share in shares]
    ax.fill_between(shares, uniform, weighted, color=COLORS[5], alpha=0.25, lw=0)
    ax.plot(shares, uniform, "--", color=COLORS[1], label="equal weights")
    ax.plot(
        shares,
        weighted,
        "-o",
        color=COLORS[0],
        markersize=4,
        markerfacecolor="white",
        label="its weights (filled where the difference is clear)",
    )
    told = np.flatnonzero(clear)
    ax.plot(np.array(shares)[told], weighted[told], "o", color=COLORS[0], markersize=4)
    where = "" if planted else ", pools"
    ax.set_title(f"{method}{where}", fontsize="x-small")
    ax.tick_params(labelsize="x-small")
    ax.set_ylim(-0.05, 1.05)
    tidy(ax, "y")


def _scores(
    rows: Sequence[Row], method: str, planted: bool
) -> dict[float, tuple[float, float]]:
    """For each share of junk, the mean with weights and with equal ones."""
    found: dict[float, list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["method"] == method and (row["source"] == PLANTED) == planted:
            pair = float(row["weighted"]), float(row["uniform"])
            found[float(row["junk"])].append(pair)
    return {
        share: (
            float(np.mean([a for a, _ in some])),
            float(np.mean([b for _, b in some])),
        )
        for share, some in found.items()
    }
