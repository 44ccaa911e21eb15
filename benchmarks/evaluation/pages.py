"""What the pages of the parts have in common: tables, plots, and who measured."""

from __future__ import annotations

import json
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.tables import list_table

__all__ = ["NOT_MEASURED", "about", "figure", "list_table", "number"]

NOT_MEASURED = "*Not measured yet.*\n"
#: Where the documentation keeps the plots, seen from its source folder.
FOLDER = "/generated/evaluation"


def about(results: Path, part: str) -> str:
    """When, on what and with which versions the rows of a part were made.

    Parameters
    ----------
    results : path
        Folder of the tables.

    part : str
        Name of the part.

    Returns
    -------
    text : str
        One paragraph; empty where nothing is known.
    """
    path = results / f"{part}.json"
    if not path.exists():
        return ""
    runs = json.loads(path.read_text())["runs"]
    told = []
    for versions, some in groupby(runs, key=_versions):
        told.append(f"{'; '.join(dict.fromkeys(map(_rows, some)))} ({versions})")
    return f"*{'; '.join(dict.fromkeys(told))}.*\n"


def _versions(run: dict[str, Any]) -> str:
    return ", ".join(f"{name} {it}" for name, it in run["versions"].items())


def _rows(run: dict[str, Any]) -> str:
    what = f" [{run['what']}]" if "what" in run else ""
    cut = run.get("max_objects")
    return (
        f"{run['rows']} rows{what} on {run['date'][:10]}, {run['cores']} cores"
        + _limits(run)
        + (f", at most {cut} objects" if cut else "")
    )


def _limits(run: dict[str, Any]) -> str:
    # Rows of an earlier script had none.
    if run["time_limit"] is None:
        return ""
    return f", {run['time_limit']:g} s and {run['memory_limit']:g} MB for a job"


def number(value: float, digits: int = 3) -> str:
    """A number as it stands in a table.

    Parameters
    ----------
    value : float
        The number.

    digits : int, default=3
        Digits behind the point.

    Returns
    -------
    text : str
        A dash for what is not known.
    """
    return "–" if value != value else f"{value:.{digits}f}"


def figure(drawn: Any, figures: Path, name: str, says: str) -> str:
    """Write a plot and show it.

    Parameters
    ----------
    drawn : Figure
        Of matplotlib; it is closed.

    figures : path
        The folder for plots.

    name : str
        Name of the file, without its ending.

    says : str
        What it shows, for those who cannot see it.

    Returns
    -------
    text : str
        An ``image`` directive.
    """
    from matplotlib import pyplot as plt

    figures.mkdir(parents=True, exist_ok=True)
    # No date in the file: the same numbers give the same plot.
    drawn.savefig(figures / f"{name}.svg", metadata={"Date": None})
    plt.close(drawn)
    lines = [f".. image:: {FOLDER}/{name}.svg", f"   :alt: {says}", ""]
    return "\n".join(lines)
