"""The page of a result, and that of a comparison."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from comitia._files import atomic_write
from comitia._optional import import_optional
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from jinja2 import Environment

    from comitia.evaluate import Comparison
    from comitia.io.results import Result

__all__ = ["write_comparison", "write_report"]

_COMPARISON = (
    ("summary", "In short"),
    ("leaderboard", "Leaderboard"),
    ("ranks", "What is noise"),
    ("agreement", "Agreement"),
    ("failures", "No result"),
    ("warnings", "Warnings"),
    ("made", "How it was made"),
)

_SECTIONS = (
    ("summary", "In short"),
    ("map", "Map of the objects"),
    ("series", "Series of the clusters"),
    ("together", "Who is put together"),
    ("weights", "What counts how much"),
    ("agreement", "Agreement"),
    ("families", "What carries the result"),
    ("confidence", "Confidence"),
    ("profile", "Profiles"),
    ("classes", "Known classes"),
    ("choice", "Number of clusters"),
    ("made", "How it was made"),
)


# The files of the script, which share the names of their functions.
_SCRIPTS = ("page.js", "map.js", "save.js", "start.js")


def write_report(
    result: Result, path: str | os.PathLike[str], *, title: str | None = None
) -> Path:
    """Write a result as a page for people, all of it or nothing.

    The page is one file that works offline and fetches nothing: figures, tables that
    sort, and how the result was made. It says the three things worth knowing at the
    top, and warns of what puts the result into question.

    Parameters
    ----------
    result : Result
        The result.

    path : path-like
        The file, mostly ``report.html``. An older one is replaced.

    title : str, default=None
        The title; by default the source of the data, or the name of the method.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from comitia import Ensemble, Result, method
    >>> from comitia.report import write_report
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> result = Result.from_estimator(method("lwea")(n_clusters=2).fit(votes))
    >>> with TemporaryDirectory() as folder:
    ...     write_report(result, Path(folder, "report.html")).name
    'report.html'
    """
    environment = _environment()
    from comitia.display.result_numbers import SUPPORT
    from comitia.io.results import Result
    from comitia.report._figures import COLORS, MARKS, PALETTE
    from comitia.report._page_markup import as_json
    from comitia.report._page_text import printable
    from comitia.report._sections import TABLE_ENDS, Sections

    if not isinstance(result, Result):
        raise ComitiaError(
            f"result is a {type(result).__name__}; make one with "
            "comitia.Result.from_estimator(fitted, X)."
        )
    facts = Sections(result)
    left_out = {
        "map": facts.map is None,
        "families": not facts.explained,
        "series": facts.series is None,
        "profile": facts.profile is None,
        "classes": facts.classes is None,
    }
    data = {
        "map": facts.map_data(),
        "heat": facts.heat_data(),
        "agreement": facts.agreement_data(),
        "palette": _as_integers(PALETTE),
        "cuts": facts.cuts_data(),
        "columns": facts.columns_data(),
        "marks": MARKS,
        "colors": COLORS,
    }
    if title is None:
        title = Path(result.source).name if result.source else facts.method_name
    return _write_page(
        environment,
        "report.html.j2",
        path,
        facts=facts,
        title=printable(title),
        data=as_json(data),
        contents=[(key, name) for key, name in _SECTIONS if not left_out.get(key)],
        table_ends=TABLE_ENDS,
        support=SUPPORT,
    )


def write_comparison(
    comparison: Comparison,
    path: str | os.PathLike[str],
    *,
    title: str | None = None,
    command: str | None = None,
) -> Path:
    """Write a comparison of methods as a page for people, all of it or nothing.

    Parameters
    ----------
    comparison : Comparison
        What :func:`comitia.compare` found.

    path : path-like
        The file. An older one is replaced.

    title : str, default=None
        The title; "Comparison of methods" by default.

    command : str, default=None
        The command that makes the comparison again.

    Returns
    -------
    path : Path
        The file.

    Examples
    --------
    >>> import comitia
    >>> from comitia.report import write_comparison
    >>> found = comitia.compare(X, ["lwgp", "lwea"], n_clusters=3)  # doctest: +SKIP
    >>> write_comparison(found, "comparison.html")  # doctest: +SKIP
    """
    environment = _environment()
    from comitia.report._comparison_facts import ComparisonFacts
    from comitia.report._figures import PALETTE
    from comitia.report._page_markup import as_json
    from comitia.report._page_text import printable

    if not hasattr(comparison, "to_dict"):
        raise ComitiaError(
            f"comparison is a {type(comparison).__name__}; make one with "
            "comitia.compare(X, methods)."
        )
    facts = ComparisonFacts(comparison.to_dict())
    left_out = {
        "ranks": facts.chart is None,
        "agreement": facts.agreement is None,
        "failures": not facts.bad,
        "warnings": not any(row["message"] for row in facts.good),
        "made": command is None,
    }
    return _write_page(
        environment,
        "comparison.html.j2",
        path,
        facts=facts,
        title=printable(title or "Comparison of methods"),
        command=command,
        data=as_json(
            {"agreement": facts.agreement_data(), "palette": _as_integers(PALETTE)}
        ),
        contents=[(key, name) for key, name in _COMPARISON if not left_out.get(key)],
    )


def _as_integers(palette: Any) -> list[int]:
    """Colours as 24-bit numbers, as the script compares them."""
    return [int(r) << 16 | int(g) << 8 | int(b) for r, g, b in palette]


def _write_page(
    environment: Environment,
    template: str,
    path: str | os.PathLike[str],
    **context: Any,
) -> Path:
    page = environment.get_template(template).render(**context)
    target = Path(path)
    with atomic_write(target) as file:
        # Half a surrogate pair, which a name may hold, is no UTF-8.
        file.write(page.encode("utf-8", "backslashreplace"))
    return target


def _environment() -> Environment:
    jinja2 = import_optional("jinja2", "a report", "report")
    from markupsafe import Markup

    from comitia import __version__
    from comitia.report import _figures, _page_text

    environment: Environment = jinja2.Environment(
        loader=jinja2.PackageLoader("comitia.report"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    static = files("comitia.report") / "static"
    script = "\n".join((static / file).read_text("utf-8") for file in _SCRIPTS)
    for name, text in (
        ("style", (static / "report.css").read_text("utf-8")),
        ("script", f'(function () {{\n"use strict";\n{script}}})();\n'),
    ):
        environment.globals[name] = Markup(text)  # noqa: S704  our own files
        environment.globals[f"{name}_digest"] = _digest(text)
    ramp = np.linspace(0, 1, 256)[None, :]
    helpers: Mapping[str, Any] = {
        "version": __version__,
        "ramp": _figures.image(ramp),
        "mark": _figures.mark_path,
        "color": lambda c: _figures.COLORS[c % len(_figures.COLORS)],
        "number": _page_text.number,
        "percent": _page_text.percent,
        "count": _page_text.count,
        "printable": _page_text.printable,
        "printable_line": _page_text.printable_line,
        "signed": _page_text.with_sign,
    }
    environment.globals.update(helpers)
    return environment


def _digest(text: str) -> str:
    """The digest by which a content security policy allows a script."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
