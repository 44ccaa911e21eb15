"""The pages that are made from the code: methods, parts, and tables as measured.

They go to ``docs/generated``, which is not under version control: a method that is
added in its two files is on its page with the next build.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
from collections.abc import Sequence
from pathlib import Path

from benchmarks import memory as memory_runs
from benchmarks import scale_page
from benchmarks.evaluation import PARTS as EVALUATED
from benchmarks.evaluation.default import page as default_page
from benchmarks.evaluation.pages import NOT_MEASURED, figure
from benchmarks.evaluation.store import read
from benchmarks.tables import list_table as table
from benchmarks.tables import pivot, rst
from comitia.catalogue import (
    MISSING,
    PROMISES,
    SOURCES,
    MethodCard,
    method_classes,
)
from comitia.evaluate.recommendation import measured_leagues

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"

WEIGHS = (
    "clusterings",
    "clusters",
    "objects",
    "pairs",
    "features",
    "views",
    "edges",
    "nothing",
)
APPROACHES = ("fixed", "variable", "selection", "baseline", "composite")

IN_WORDS = {
    "fixed": "weights computed once",
    "variable": "weights and consensus in turns",
    "selection": "keeps some, drops the others",
    "baseline": "what the others are compared with",
    "composite": "parts of your choice",
    "labels": "clusterings",
    "data": "data",
    "constraints": "must-link and cannot-link pairs",
    "views": "several tables of the same objects",
    "series": "time series",
    "graph": "a network",
    "dendrograms": "trees",
}

# Tables that are shown as they were written.
TOPICS = (
    "agreement",
    "coassociation",
    "generate",
    "gpu",
    "graphs",
    "linkage",
    "method_times",
    "methods",
    "nmf",
    "peers",
    "startup",
    "tcut",
    "temporal",
    "validity",
    "variable",
)

# Tables of the quality runs: file, what is averaged, lines, columns, which rows.
QUALITY = {
    "quality_views": ("views", "nmi", "method", "set", {"part": "views"}),
    "quality_missing": ("views", "nmi", "method", "missing", {"part": "missing"}),
    "quality_series": ("views", "nmi", "method", "set", {"part": "series"}),
    "quality_networks": ("networks", "score", "method", "gold", {}),
    "quality_genes": ("genes", "adjusted_rand", "method", "set", {}),
}

# The parts that are public, in the order of the flow.
PARTS = (
    "ensemble",
    "prepare",
    "generate",
    "cluster",
    "agreement",
    "validity",
    "weigh",
    "select",
    "represent",
    "partition",
    "optimize",
    "evaluate",
    "plot",
    "io",
    "report",
    "scanpy.tl",
    "scanpy.pl",
    "workers",
    "config",
    "exceptions",
    "testing",
)


def write_all(folder: Path) -> None:
    """Write every generated page.

    Parameters
    ----------
    folder : path
        The source folder of the documentation.
    """
    out = folder / "generated"
    for sub in ("methods", "parts", "tables"):
        (out / sub).mkdir(parents=True, exist_ok=True)
    classes = sorted(method_classes(), key=lambda cls: cls.card.id)
    for cls in classes:
        _write(out / "methods" / f"{cls.card.id}.rst", method_page(cls))
    _write(out / "methods.rst", methods_page([cls.card for cls in classes]))
    _write(out / "tables" / "taxonomy.rst", taxonomy([cls.card for cls in classes]))
    for need in ("constraints", "views", "series"):
        some = [cls.card for cls in classes if need in cls.card.needs]
        _write(out / "tables" / f"needs_{need}.rst", short_list(some))
    linear = [cls.card for cls in classes if cls.card.scales == "linear"]
    _write(out / "tables" / "linear.rst", short_list(linear))
    for part in PARTS:
        _write(out / "parts" / f"{part}.rst", part_page(part))
    for topic in TOPICS:
        _write(out / "tables" / f"{topic}.rst", measured(RESULTS / f"{topic}.csv"))
    _write(out / "tables" / "memory.rst", memory(RESULTS / "memory.csv"))
    _write(out / "tables" / "selection.rst", selectors())
    for name, asked in QUALITY.items():
        _write(out / "tables" / f"{name}.rst", averaged(*asked))
    scale = scale_page.page(RESULTS, out / "evaluation")
    _write(out / "tables" / "scale.rst", scale)
    for part in EVALUATED:
        text = evaluated(part, out / "evaluation")
        _write(out / "tables" / f"evaluation_{part}.rst", text)
    _write(out / "tables" / "evaluation_answer.rst", answer(out / "evaluation"))
    _write(out / "tables" / "default.rst", default_page.summary(RESULTS / "evaluation"))


def method_page(cls: type) -> str:
    """The page of one method: its card, then its docstring.

    Parameters
    ----------
    cls : type
        The class of the method.

    Returns
    -------
    text : str
        The page, in reStructuredText.
    """
    card = cls.card
    title = f"{card.id}: {card.name}"
    rows = [
        ("weighs", f"{card.weighs} {card.weighs_how}".rstrip()),
        ("approach", f"{card.approach}: {IN_WORDS[card.approach]}"),
        ("needs", ", ".join(IN_WORDS[need] for need in card.needs)),
        *([("a missing label", MISSING[card.missing])] if card.missing else []),
        ("grows", f"{card.scales} in the number of objects"),
        ("source", SOURCES[card.source]),
        ("measured", _measured_ranks(card.id)),
    ]
    if card.on_device:
        rows.append(("runs on", "the CPU, or a GPU through ``fit(..., device=)``"))
    if card.requires:
        rows.append(("extra", f"``pip install 'comitia[{card.requires}]'``"))
    return "\n".join(
        [
            title,
            "=" * len(title),
            "",
            f"``comitia.method({card.id!r})``, the class ``{cls.__name__}``.",
            "",
            table(("", ""), rows, header=False),
            "",
            *_not_promised(card),
            f".. autoclass:: {cls.__module__}.{cls.__name__}",
            "",
        ]
    )


# The leagues in which methods were compared, and what their data sets are.
LEAGUES = {
    "rivals": "tables, beside what one would use instead",
    "tables": "tables",
    "constraints": "tables with pairs known to be together or apart",
    "series": "sets of time series",
    "graph": "graphs",
    "views": "data sets of several views",
    "view_rivals": "data sets of several views kept aside",
    "series_rivals": "sets of time series kept aside",
    "graph_rivals": "graphs, beside methods that do not look at the graph",
    "pools": "pools of given clusterings",
}


def _measured_ranks(id: str) -> str:
    """Where a method stands in each league that it took part in."""
    found = [
        f"mean rank {league['methods'][id][0]:.1f} of {league['n_methods']}, mean ARI "
        f"{league['methods'][id][1]:.2f} on {league['n_sets']} {LEAGUES[name]}"
        for name, league in measured_leagues().items()
        if id in league["methods"]
    ]
    if not found:
        return "not yet"
    return "; ".join(found) + " (:doc:`the evaluation </evaluation/everything>`)"


def answer(figures: Path) -> str:
    """The answer of the evaluation in one screen: a picture and five sentences.

    Parameters
    ----------
    figures : path
        The folder for plots.

    Returns
    -------
    text : str
        The beginning of the page.
    """
    from matplotlib.figure import Figure

    rivals, tables = (measured_leagues()[name] for name in ("rivals", "tables"))
    methods = rivals["methods"]
    names = sorted(methods, key=lambda name: methods[name][1])
    drawn = Figure(figsize=(7, 0.5 * len(names) + 0.8), layout="constrained")
    axes = drawn.subplots()
    colors = ["#0072b2" if name == "consensus" else "#9aa5b1" for name in names]
    bars = axes.barh(names, [methods[name][1] for name in names], color=colors)
    axes.bar_label(bars, fmt="%.2f", padding=3)
    axes.set_xlabel(f"mean adjusted Rand index on {rivals['n_sets']} tables")
    axes.spines[["top", "right"]].set_visible(False)
    says = "Bars: " + ", ".join(f"{name} {methods[name][1]:.2f}" for name in names)
    best, (rank, ari) = next(iter(tables["methods"].items()))
    rank_gap = methods["k-means"][0] - methods["consensus"][0]
    apart = "further" if rank_gap > rivals["critical_difference"] else "no further"
    words = (
        f"On {rivals['n_sets']} public tables, with the number of clusters given, the "
        "default of comitia, ``consensus``, has a mean adjusted Rand index of "
        f"{methods['consensus'][1]:.2f} and k-means {methods['k-means'][1]:.2f} "
        f"({rivals['date']}). Their mean ranks among {rivals['n_methods']} are "
        f"{methods['consensus'][0]:.1f} and {methods['k-means'][0]:.1f}, {apart} apart "
        f"than chance explains ({rivals['critical_difference']:.2f}). Half of these "
        "tables served to choose the default; :ref:`the-default` has the other half by "
        f"itself. Of the {tables['n_methods']} measured on {tables['n_sets']} tables "
        f"in :ref:`all-methods`, ``{best}`` has the best mean rank, {rank:.1f}, with a "
        f"mean index of {ari:.2f}. Ranks that differ by less than "
        f"{tables['critical_difference']:.1f} there are not told apart."
    )
    return "\n".join([words, "", figure(drawn, figures, "answer", says)])


def _not_promised(card: MethodCard) -> list[str]:
    """What other methods promise and this one does not, with the reasons."""
    if not card.exempt:
        return []
    rows = [
        (_escaped(PROMISES.get(name, name)), _escaped(reason))
        for name, reason in card.exempt.items()
    ]
    head = ("not promised: that it ...", "because")
    return [table(head, rows, (35, 65)), ""]


def methods_page(cards: Sequence[MethodCard]) -> str:
    """The list of all methods, by what they weigh.

    Parameters
    ----------
    cards : list of MethodCard
        All of them.

    Returns
    -------
    text : str
        The page.
    """
    lines = [
        "The methods",
        "===========",
        "",
        f"{len(cards)} methods and baselines, each a scikit-learn estimator that",
        "``comitia.method(id)`` returns. :doc:`/framework` explains the columns.",
        "",
    ]
    for weighs in WEIGHS:
        some = [card for card in cards if card.weighs == weighs]
        if not some:
            continue
        title = "What weighs nothing" if weighs == "nothing" else f"Weights on {weighs}"
        rows = [
            (
                f":doc:`{card.id} <methods/{card.id}>`",
                card.name,
                card.approach,
                ", ".join(card.needs),
                card.scales,
            )
            for card in some
        ]
        head = ("id", "method", "approach", "needs", "in n")
        lines += [title, "-" * len(title), "", table(head, rows, (14, 46, 12, 18, 10))]
        lines.append("")
    lines += [
        ".. toctree::",
        "   :hidden:",
        "   :glob:",
        "",
        "   methods/*",
        "",
    ]
    return "\n".join(lines)


def taxonomy(cards: Sequence[MethodCard]) -> str:
    """The table of what is weighed against how.

    Parameters
    ----------
    cards : list of MethodCard
        All of them.

    Returns
    -------
    text : str
        A table, to be included.
    """

    def cell(weighs: str, approach: str) -> str:
        return " ".join(
            f":doc:`{card.id} </generated/methods/{card.id}>`"
            for card in cards
            if (card.weighs, card.approach) == (weighs, approach)
        )

    rows = [
        (f"**{weighs}**", *(cell(weighs, approach) for approach in APPROACHES))
        for weighs in WEIGHS
    ]
    return table(("", *APPROACHES), rows, (10, 28, 20, 18, 14, 10))


def short_list(cards: Sequence[MethodCard]) -> str:
    """Methods with their names.

    Parameters
    ----------
    cards : list of MethodCard
        Some of them.

    Returns
    -------
    text : str
        A table, to be included.
    """
    rows = [
        (f":doc:`{card.id} </generated/methods/{card.id}>`", card.name)
        for card in cards
    ]
    return table(("id", "method"), rows, (25, 75)) + "\n"


def part_page(part: str) -> str:
    """The page of one package of parts: what it says of itself, and its names.

    Parameters
    ----------
    part : str
        The module, without ``comitia.``.

    Returns
    -------
    text : str
        The page.
    """
    module = importlib.import_module(f"comitia.{part}")
    title = f"comitia.{part}"
    lines = [title, "=" * len(title), "", inspect.cleandoc(module.__doc__ or ""), ""]
    named = {name: getattr(module, name) for name in sorted(module.__all__)}
    # The indices of validity are reached by their names.
    registry = named.get("INDICES", {})
    named |= {name: index.function for name, index in sorted(registry.items())}
    for name, item in named.items():
        kind = "autoclass" if inspect.isclass(item) else "autofunction"
        if not (inspect.isclass(item) or inspect.isroutine(item)):
            continue
        home = f"{item.__module__}.{item.__qualname__}"
        lines += [name, "-" * len(name), "", f".. {kind}:: {home}"]
        if inspect.isclass(item) and issubclass(item, BaseException):
            lines.append("   :show-inheritance:")
        elif inspect.isclass(item):
            lines.append("   :members:")
        lines.append("")
    return "\n".join(lines)


def measured(source: Path) -> str:
    """A table of results as it was measured, with when and on what.

    Parameters
    ----------
    source : path
        A .csv file of ``benchmarks/results``; the .json beside it says the rest.

    Returns
    -------
    text : str
        A table, to be included.
    """
    rows = read(source)
    if not rows:
        return NOT_MEASURED
    kept = [name for name in rows[0] if name not in ("topic", "scale")]
    about = source.with_suffix(".json")
    lines = []
    if about.exists():
        lines += [_machine(json.loads(about.read_text())), ""]
    body = [[_escaped(row[name]) for name in kept] for row in rows]
    return "\n".join([*lines, table(kept, body), ""])


def memory(source: Path) -> str:
    """What came of every method in a process that may have little memory.

    Parameters
    ----------
    source : path
        The file of ``python -m benchmarks.memory``.

    Returns
    -------
    text : str
        A table of counts, and one of all methods, to be included.
    """
    rows = read(source)
    if not rows:
        return NOT_MEASURED
    about = json.loads(source.with_suffix(".json").read_text())
    tables = [
        table(head, body)
        for head, *body in (memory_runs.totals(rows), memory_runs.table(rows))
    ]
    return "\n\n".join([_machine(about), *tables, ""])


def averaged(name: str, value: str, by: str, across: str, where: dict[str, str]) -> str:
    """A table of means from a file of a quality run.

    Parameters
    ----------
    name : str
        The file in ``benchmarks/results``, without its ending.

    value, by, across : str
        The column that is averaged, and those that name lines and columns.

    where : dict
        Columns and the values that rows must have there.

    Returns
    -------
    text : str
        A table, to be included.
    """
    source = RESULTS / f"{name}.csv"
    rows = [
        row
        for row in read(source)
        if all(row[column] == wanted for column, wanted in where.items())
    ]
    if not rows:
        return NOT_MEASURED
    said = source.with_suffix(".json")
    about = [_machine(json.loads(said.read_text())), ""] if said.exists() else []
    # The best of a column, which has a star in plain text, is set in bold here.
    text = re.sub(
        r"- \*(\S+)$", r"- **\1**", rst(pivot(rows, by, across, value)), flags=re.M
    )
    return "\n".join([*about, text, ""])


def selectors() -> str:
    """What each selector gains over keeping all, in front of each consensus.

    Returns
    -------
    text : str
        A table, to be included.
    """
    source = RESULTS / "selection_summary.csv"
    rows = [row for row in read(source) if row["measure"] == "nmi_max"]
    if not rows:
        return NOT_MEASURED
    head = ("consensus", "selector", "sets", "kept", "all", "selected - all", "spread")
    body = [
        (
            row["consensus"],
            row["selector"],
            row["n_sets"],
            f"{float(row['kept']):.0%}",
            f"{float(row['all']):.3f}",
            f"{float(row['difference']):+.3f}",
            f"{float(row['spread']):.3f}",
            f"{row['wins']} / {row['ties']} / {row['losses']}",
            f"{float(row['p_holm']):.3f}" if row["p_holm"] else "",
        )
        for row in rows
    ]
    about = _machine(json.loads((RESULTS / "selection.json").read_text()))
    more = ("won / tied / lost", "p, corrected")
    return "\n".join([about, "", table((*head, *more), body), ""])


def evaluated(part: str, figures: Path) -> str:
    """What a part of the evaluation found.

    Parameters
    ----------
    part : str
        Name of the part.

    figures : path
        The folder for its plots.

    Returns
    -------
    text : str
        To be included.
    """
    module = importlib.import_module(f"benchmarks.evaluation.{part}.page")
    return module.page(RESULTS / "evaluation", figures)


def _machine(about: dict) -> str:
    flat = about.get("machine", about)
    told = {
        name: value
        for name, value in {**about, **(flat if isinstance(flat, dict) else {})}.items()
        if isinstance(value, str | int | float)
    }
    return "*" + ", ".join(f"{k}: {v}" for k, v in sorted(told.items())) + "*"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("*", "\\*").replace("|", "\\|")


def _write(path: Path, text: str) -> None:
    # Untouched pages stay as old as they are, so that Sphinx need not read them again.
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
