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
from functools import cache
from pathlib import Path
from statistics import median

from benchmarks import memory as memory_runs
from benchmarks import scale_page
from benchmarks.evaluation import PARTS as EVALUATED
from benchmarks.evaluation import front_page
from benchmarks.evaluation.default import page as default_page
from benchmarks.evaluation.everything.changed import TABLE as CHANGED
from benchmarks.evaluation.everything.leagues import League, Line, leagues
from benchmarks.evaluation.leaderboards import BOARDS
from benchmarks.evaluation.leaderboards.page import board_page
from benchmarks.evaluation.pages import NOT_MEASURED
from benchmarks.evaluation.store import read
from benchmarks.tables import list_table as table
from benchmarks.tables import pivot, rst
from comitia.catalogue import (
    DEFAULT_METHOD,
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
    "networks",
    "bertopic",
    "workers",
    "config",
    "exceptions",
    "testing",
)


def write_all(folder: Path) -> None:
    """Write every generated page."""
    out = folder / "generated"
    evaluation, figures = RESULTS / "evaluation", out / "evaluation"
    for sub in ("methods", "parts", "tables"):
        (out / sub).mkdir(parents=True, exist_ok=True)
    classes = sorted(method_classes(), key=lambda cls: cls.card.id)
    for cls in classes:
        _write(out / "methods" / f"{cls.card.id}.rst", method_page(cls))
    _write(out / "methods.rst", methods_page([cls.card for cls in classes]))
    linear = [cls.card for cls in classes if cls.card.scales == "linear"]
    tables = {
        "taxonomy": taxonomy([cls.card for cls in classes]),
        "linear": short_list(linear),
        "memory": memory(RESULTS / "memory.csv"),
        "selection": selectors(),
        "scale": scale_page.page(RESULTS, figures),
        "trees": scale_page.trees(RESULTS),
        "tcp_cluster": scale_page.cluster_runs(RESULTS),
        "cost_model": scale_page.costs(RESULTS),
        "evaluation_answer": front_page.page(
            RESULTS / "evaluation", out / "evaluation"
        ),
        "default": default_page.summary(evaluation),
    }
    for need in ("constraints", "views", "series"):
        some = [cls.card for cls in classes if need in cls.card.needs]
        tables[f"needs_{need}"] = short_list(some)
    tables |= {topic: measured(RESULTS / f"{topic}.csv") for topic in TOPICS}
    tables |= {name: averaged(*asked) for name, asked in QUALITY.items()}
    for part in EVALUATED:
        tables[f"evaluation_{part}"] = evaluated(part, figures)
    for board in BOARDS:
        tables[f"leaderboard_{board}"] = board_page(board, evaluation, figures)
    for name, text in tables.items():
        _write(out / "tables" / f"{name}.rst", text)
    for part in PARTS:
        _write(out / "parts" / f"{part}.rst", part_page(part))


def method_page(cls: type) -> str:
    """The page of one method: its card, then its docstring."""
    card = cls.card
    title = f"{card.id}: {card.name}"
    rows = [
        ("weighs", f"{card.weighs} {card.weighs_how}".rstrip()),
        ("approach", f"{card.approach}: {IN_WORDS[card.approach]}"),
        ("needs", ", ".join(IN_WORDS[need] for need in card.needs)),
        *([("a missing label", MISSING[card.missing])] if card.missing else []),
        ("grows", f"{card.scales} in the number of objects"),
        ("source", SOURCES[card.source]),
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
            *_measured_lines(card.id),
            *_not_promised(card),
            f".. autoclass:: {cls.__module__}.{cls.__name__}",
            "",
        ]
    )


# The leagues in which methods were compared, and what their data sets are.
LEAGUES = {
    "rivals": "tables of at most 2000 objects, with what one would use instead",
    "tables": "tables of at most 300 objects",
    "constraints": "such tables with pairs known to be together or apart",
    "series": "sets of time series",
    "graph": "graphs",
    "views": "data sets of several views",
    "view_rivals": "data sets of several views kept aside",
    "series_rivals": "sets of time series kept aside",
    "graph_rivals": "graphs, beside methods that do not look at the graph",
    "pools": "pools of given clusterings",
}


@cache
def everything() -> tuple[dict[str, League], set[str]]:
    """The leagues of all methods on all data, and which were changed since."""
    folder = RESULTS / "evaluation"
    found = leagues(read(folder / "everything.csv"))
    found["tables"] = found.pop("single")
    return found, {row["method"] for row in read(folder / CHANGED)}


def _measured_lines(id: str) -> list[str]:
    """Where a method stands in each league that it took part in."""
    played, changed = everything()
    rows = []
    for name, league in measured_leagues().items():
        if id not in league["methods"]:
            continue
        rank, ari = league["methods"][id]
        # The measured league of views is another one than that of everything.
        lines = [] if name == "views" else getattr(played.get(name), "lines", [])
        more = _beside_rivals(id) if name == "rivals" else _wins_and_seconds(lines, id)
        of = f"{rank:.1f} of {league['n_methods']}"
        on = f"{league['n_sets']} {LEAGUES[name]}"
        rows.append((on, of, f"{ari:.2f}", *(more or ("", ""))))
    views = played["views"]
    for line in views.lines:
        if line.method == id:
            of = f"{line.rank:.1f} of {len(views.lines)}"
            on = f"{len(views.sets)} such sets of at most 300 objects"
            rows.append((on, of, f"{line.ari:.2f}", *_wins_and_seconds([line], id)))
    if not rows:
        return ["It has not been measured beside the others yet.", ""]
    head = ("measured on", "mean rank", "mean ARI", "better than k-means", "seconds")
    where = ":doc:`The evaluation </evaluation/everything>` says how."
    if id in changed:
        where += " The method was changed after that; the same page has what it did."
    return [table(head, rows, (40, 16, 12, 18, 14)), "", where, ""]


def _wins_and_seconds(lines: Sequence[Line], id: str) -> tuple[str, str] | None:
    """On which share of the sets a method is better than k-means, and its seconds."""
    for line in lines:
        if line.method == id:
            return f"{line.beats_reference:.0%}", f"{line.seconds:.2g}"
    return None


def _beside_rivals(id: str) -> tuple[str, str]:
    """The same for a method beside its rivals."""
    called = "default" if id == DEFAULT_METHOD else id
    rows = read(RESULTS / "evaluation" / "default_rivals.csv")
    both = [(row[called], row["k-means"]) for row in rows if row[called]]
    better = sum(float(ours) > float(theirs) for ours, theirs in both)
    seconds = median(float(row[f"{called} s"]) for row in rows if row[f"{called} s"])
    return f"{better / len(both):.0%}", f"{seconds:.2g}"


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
    """The list of all methods, by what they weigh."""
    lines = [
        # The table is wide.
        ":html_theme.sidebar_secondary.remove:",
        "",
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
    """The table of what is weighed against how."""

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
    """Methods with their names."""
    rows = [
        (f":doc:`{card.id} </generated/methods/{card.id}>`", card.name)
        for card in cards
    ]
    return table(("id", "method"), rows, (25, 75)) + "\n"


def part_page(part: str) -> str:
    """The page of one package of parts: what it says of itself, and its names."""
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
            if item.__bases__[0].__name__ == "EnsembleSources":
                lines.append("   :inherited-members:")
        lines.append("")
    return "\n".join(lines)


def measured(source: Path) -> str:
    """A table of results as it was measured, with when and on what."""
    rows = read(source)
    if not rows:
        return NOT_MEASURED
    kept = [name for name in rows[0] if name not in ("topic", "scale")]
    about = source.with_suffix(".json")
    lines = []
    if about.exists():
        lines += [_machine(json.loads(about.read_text(encoding="utf-8"))), ""]
    body = [[_escaped(row[name]) for name in kept] for row in rows]
    return "\n".join([*lines, table(kept, body), ""])


def memory(source: Path) -> str:
    """What came of every method in a process that may have little memory."""
    rows = read(source)
    if not rows:
        return NOT_MEASURED
    about = json.loads(source.with_suffix(".json").read_text(encoding="utf-8"))
    tables = [
        table(head, body)
        for head, *body in (memory_runs.totals(rows), memory_runs.table(rows))
    ]
    return "\n\n".join([_machine(about), *tables, ""])


def averaged(name: str, value: str, by: str, across: str, where: dict[str, str]) -> str:
    """A table of means from a file of a quality run."""
    source = RESULTS / f"{name}.csv"
    rows = [
        row
        for row in read(source)
        if all(row[column] == wanted for column, wanted in where.items())
    ]
    if not rows:
        return NOT_MEASURED
    said = source.with_suffix(".json")
    about = (
        [_machine(json.loads(said.read_text(encoding="utf-8"))), ""]
        if said.exists()
        else []
    )
    # The best of a column, which has a star in plain text, is set in bold here.
    text = re.sub(
        r"- \*(\S+)$", r"- **\1**", rst(pivot(rows, by, across, value)), flags=re.M
    )
    return "\n".join([*about, text, ""])


def selectors() -> str:
    """What each selector gains over keeping all, in front of each consensus."""
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
    about = _machine(
        json.loads((RESULTS / "selection.json").read_text(encoding="utf-8"))
    )
    more = ("won / tied / lost", "p, corrected")
    return "\n".join([about, "", table((*head, *more), body), ""])


def evaluated(part: str, figures: Path) -> str:
    """What a part of the evaluation found."""
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
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
