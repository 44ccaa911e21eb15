"""Our means beside the published ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluation.store import Row, read, write

__all__ = [
    "COLUMNS",
    "departures",
    "is_compared",
    "leaves",
    "published",
    "summarize",
    "write_summary",
]

COLUMNS = (
    "pool",
    "method",
    "criterion",
    "measure",
    "n_draws",
    "mean",
    "sd",
    "published_mean",
    "published_sd",
    "published_in",
)
#: Files of the data folder, what the page calls their paper, and how many members its
#: ensembles have.
PAPERS = {
    "published_lwea_lwgp_tables_5_7.csv": "LWEA",
    "published_ecpcs_tables_2_3.csv": "ECPCS",
}
#: In ECPCS's own paper ensembles have 20 members, and other numbers of clusters: only
#: what the other paper does not have is taken from it, and not compared.
COMPARED = "LWEA"
MEASURES = ("nmi_max", "nmi_sqrt", "ari")

Key = tuple[str, str, str, str]


def write_summary(results: Path, data: Path | None) -> None:
    """Write ``fidelity_summary.csv`` from the rows of ``fidelity.csv``.

    Parameters
    ----------
    results : path
        Folder of the tables.

    data : path or None
        The data folder, with ``published/*.csv``.
    """
    known = {} if data is None else published(data / "published")
    rows = summarize(read(results / "fidelity.csv"), known)
    write(results / "fidelity_summary.csv", COLUMNS, rows)


def published(folder: Path) -> dict[Key, tuple[float, float, str]]:
    """What the papers say: mean, spread and paper.

    Parameters
    ----------
    folder : path
        Where the tables are.

    Returns
    -------
    published : dict
        By pool, method, criterion and measure. The authors' NMI is divided by the
        larger entropy, whatever their formula says: ``nmi_max``.
    """
    found: dict[Key, tuple[float, float, str]] = {}
    for name, paper in PAPERS.items():
        for row in read(folder / name):
            unit = 100.0 if row["measure"].endswith("%") else 1.0
            measure = {"NMI": "nmi_max", "ARI": "ari"}[row["measure"].rstrip("%")]
            method = row["method"].lower().replace("-", "_")
            key = (row["dataset"], method, row["criterion"], measure)
            numbers = (float(row["mean"]) / unit, float(row["sd"] or "nan") / unit)
            found.setdefault(key, (*numbers, paper))
    return found


def summarize(
    rows: Iterable[Row], known: dict[Key, tuple[float, float, str]]
) -> list[dict[str, Any]]:
    """Means and spreads over the draws, with the published ones beside them.

    Parameters
    ----------
    rows : iterable of dict
        The rows of ``fidelity.csv``.

    known : dict
        What :func:`published` gives.

    Returns
    -------
    summary : list of dict
        One for each pool, method, criterion and measure, in the order of the rows.
    """
    scores: dict[Key, list[float]] = defaultdict(list)
    for row in rows:
        if row["status"] == "ok":
            for measure in MEASURES:
                key = (row["pool"], row["method"], row["criterion"], measure)
                scores[key].append(float(row[measure]))
    summary = []
    for key, values in scores.items():
        mean, sd, paper = known.get(key, (float("nan"), float("nan"), ""))
        numbers = (np.mean(values), np.std(values), mean, sd)
        cells = ["" if np.isnan(one) else f"{one:.4f}" for one in numbers]
        line = (*key, len(values), *cells, paper)
        summary.append(dict(zip(COLUMNS, line, strict=True)))
    return summary


def departures(summary: Sequence[Row], criterion: str) -> list[Row]:
    """Where our mean leaves the published one by more than the published spread.

    Parameters
    ----------
    summary : sequence of dict
        The rows of ``fidelity_summary.csv``.

    criterion : {"true-k", "best-k"}
        By which the number of clusters is found.

    Returns
    -------
    departures : list of dict
        The rows; those without a published figure are none of them.
    """
    return [
        row
        for row in summary
        if row["criterion"] == criterion and is_compared(row) and leaves(row)
    ]


def is_compared(row: Row) -> bool:
    """Whether there is a published figure of the same ensembles.

    Parameters
    ----------
    row : dict
        Of the summary.

    Returns
    -------
    compared : bool
        True if there is.
    """
    return row["published_in"] == COMPARED and row["published_sd"] != ""


def leaves(row: Row) -> bool:
    """Whether our mean leaves the published one by more than the published spread.

    Parameters
    ----------
    row : dict
        Of the summary, with a published figure.

    Returns
    -------
    leaves : bool
        True if it does.
    """
    gap = float(row["mean"]) - float(row["published_mean"])
    return abs(gap) > float(row["published_sd"])
