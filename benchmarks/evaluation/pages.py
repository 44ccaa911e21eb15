"""What the pages of the parts have in common: tables, plots, and who measured."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.tables import list_table

__all__ = [
    "NOT_MEASURED",
    "Finding",
    "about",
    "enumerated",
    "figure",
    "linked",
    "list_table",
    "number",
    "section",
]

NOT_MEASURED = "*Not measured yet.*\n"
#: Where the documentation keeps the plots, seen from its source folder.
FOLDER = "/generated/evaluation"


@dataclass(frozen=True)
class Finding:
    """A judgement and what the rows say of it.

    Attributes
    ----------
    title, judgement : str
        What is said, in reStructuredText.

    support : callable
        ``support(results)`` returns the figures, as sentences, and whether they bear
        the judgement out.

    methods : tuple of str, default=()
        Of whom it speaks: without rows of them nothing is said.
    """

    title: str
    judgement: str
    support: Callable[[Any], tuple[str, bool]]
    methods: tuple[str, ...] = ()

    def told(self, results: Any) -> str:
        """The finding as an entry of a list.

        Parameters
        ----------
        results : object
            What the figures are counted from.

        Returns
        -------
        text : str
            In reStructuredText.
        """
        figures, holds = self.support(results)
        texts = [self.judgement, figures]
        if not holds:
            texts.append("**These rows no longer bear it out.**")
        return f"{self.title}\n    {' '.join(text for text in texts if text)}\n"


def section(title: str) -> list[str]:
    """The lines of a heading below that of the part.

    Parameters
    ----------
    title : str
        What it says.

    Returns
    -------
    lines : list of str
        In reStructuredText.
    """
    return ["", title, "^" * len(title), ""]


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
        rows: dict[tuple[str, str], int] = defaultdict(int)
        for run in some:  # one that was stopped went on in the same way
            rows[_made(run)] += run["rows"]
        counts = [f"{n} rows{what} on {where}" for (what, where), n in rows.items()]
        told.append(f"{'; '.join(counts)} ({versions})")
    return f"*{'; '.join(dict.fromkeys(told))}.*\n"


def _versions(run: dict[str, Any]) -> str:
    return ", ".join(f"{name} {it}" for name, it in run["versions"].items())


def _made(run: dict[str, Any]) -> tuple[str, str]:
    what = f" [{run['what']}]" if "what" in run else ""
    cut = run.get("max_objects")
    where = (
        f"{run['date'][:10]}, {run['cores']} cores"
        + _limits(run)
        + (f", at most {cut} objects" if cut else "")
    )
    return what, where


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


def enumerated(texts: Sequence[str]) -> str:
    """Several texts as part of a sentence: a, b and c.

    Parameters
    ----------
    texts : sequence of str
        One or more.

    Returns
    -------
    text : str
        All of them.
    """
    *first, last = texts
    return f"{', '.join(first)} and {last}" if first else last


def linked(method: str) -> str:
    """A link to the page of a method; the reference has none.

    Parameters
    ----------
    method : str
        Its id.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    if method == "k-means":
        return f"**{method}**"
    return f":doc:`{method} </generated/methods/{method}>`"


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
