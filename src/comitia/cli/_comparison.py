"""A comparison of methods: the leaderboard, its files and its page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from comitia._files import atomic_write
from comitia.cli._folder import ResultFolder, can_report
from comitia.cli._summary import print_table, print_wrapped

__all__ = ["leaderboard", "print_leaderboard", "write_comparison", "write_page"]

# What the folder of a comparison holds; other files in it are the user's.
FILES = (
    "leaderboard.csv",
    "labels.csv",
    "agreement.csv",
    "comparison.json",
    "report.html",
)

# What a column of scores is called where there is little room.
_SHORT = {
    "anmi": "ANMI",
    "silhouette": "silh.",
    "calinski_harabasz": "CH",
    "davies_bouldin": "DB",
    "adjusted_rand": "ARI",
    "nmi_sqrt": "NMI",
}


def leaderboard(found: Any) -> tuple[list[str], list[list[str]]]:
    """The leaderboard in words: names of the columns, and cells.

    Parameters
    ----------
    found : Comparison
        The comparison.

    Returns
    -------
    head : list of str
        Names of the columns.

    rows : list of list of str
        One for each method.
    """
    scores = list(
        dict.fromkeys(
            name for row in found.rows for name in (*row.external, *row.internal)
        )
    )
    ranked = found.n_resamples > 0
    head = ["method"]
    head += ["rank", "group", "stability"] if ranked else []
    head += [_SHORT.get(name, name) for name in scores] + ["k", "seconds", "MB"]
    rows = []
    for row in found.rows:
        values = {**row.external, **row.internal}
        cells = [row.id]
        if ranked:
            cells += [
                f"{_number(row.rank, 1)} ± {_number(row.rank_sd, 1)}",
                row.group,
                f"{_number(row.stability, 2)} ± {_number(row.stability_sd, 2)}",
            ]
        cells += [_number(values.get(name), 3) for name in scores]
        cells += [
            "–" if row.n_clusters is None else str(row.n_clusters),
            _number(row.seconds, 2),
            _number(row.peak_mb, 0),
        ]
        rows.append([cell if "– ± –" not in cell else "–" for cell in cells])
    return head, rows


def _number(value: float | None, decimals: int) -> str:
    if value is None or np.isnan(value):
        return "–"
    return f"{value:.{decimals}f}" if abs(value) < 1e4 else f"{value:.3g}"


def print_leaderboard(found: Any) -> None:
    """Print the leaderboard, what went wrong, and what it says.

    Parameters
    ----------
    found : Comparison
        The comparison.
    """
    head, rows = leaderboard(found)
    print()
    print_table(
        head, rows, right=[j for j in range(1, len(head)) if head[j] != "group"]
    )
    print()
    for row in found.rows:
        if row.status != "ok":
            print_wrapped(f"{row.id} {row.status}: {row.message}")
    print_wrapped(found.reason)
    print()


def write_comparison(
    folder: ResultFolder,
    found: Any,
    object_names: Sequence[str] | None,
    about: Mapping[str, Any],
    report: bool,
) -> Path | None:
    """Write the folder of a comparison, all of it or nothing.

    Parameters
    ----------
    folder : ResultFolder
        Where it goes.

    found : Comparison
        The comparison.

    object_names : sequence of str or None
        Names of the objects.

    about : dict
        What was compared, and with which command.

    report : bool
        Whether to write ``report.html`` too.

    Returns
    -------
    report : Path or None
        Where the report is.
    """
    from comitia.io.csv_cells import escape_cell, write_csv

    ids = [row.id for row in found.rows]
    n = max((len(labels) for labels in found.labels.values()), default=0)
    names = [str(i) for i in range(n)] if object_names is None else object_names
    plain = found.to_dict()
    with folder.replaced(FILES) as place:
        write_csv(place / "leaderboard.csv", *_flat(plain["rows"]))
        done = [each for each in ids if each in found.labels]
        write_csv(
            place / "labels.csv",
            ["object", *done],
            zip(
                map(escape_cell, names),
                *(found.labels[each].tolist() for each in done),
                strict=True,
            ),
        )
        write_csv(
            place / "agreement.csv",
            ["method", *ids],
            (
                [each, *("" if np.isnan(v) else repr(v) for v in row.tolist())]
                for each, row in zip(ids, found.agreement, strict=True)
            ),
        )
        with atomic_write(place / "comparison.json") as file:
            file.write(json.dumps({**about, **plain}, indent=1).encode())
        written = report and write_page(place / "report.html", found, about)
    return folder.path / "report.html" if written else None


def write_page(path: Path, found: Any, about: Mapping[str, Any]) -> bool:
    """Write the report if the extra for it is installed.

    Parameters
    ----------
    path : path
        The file.

    found : Comparison
        The comparison.

    about : dict
        What was compared, and with which command.

    Returns
    -------
    written : bool
        Whether it is there.
    """
    if not can_report():
        return False
    from comitia import report

    title = f"Comparison of methods: {about['data']}"
    report.write_comparison(found, path, title=title, command=about["command"])
    return True


def _flat(rows: list[dict[str, Any]]) -> tuple[list[str], list[list[Any]]]:
    """Rows of a table, with the scores in columns of their own."""
    flat = [
        {**{n: v for n, v in row.items() if not isinstance(v, dict)}}
        | row["internal"]
        | row["external"]
        for row in rows
    ]
    head = list(dict.fromkeys(name for row in flat for name in row))
    return head, [[row.get(name, "") for name in head] for row in flat]
