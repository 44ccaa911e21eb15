"""What a command says: short lines, with what is compared under each other."""

from __future__ import annotations

import inspect
import json
import re
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from comitia.cli._meter import clock
from comitia.partition.k_probabilities import either

__all__ = [
    "card_as_json",
    "explanation_lines",
    "print_card",
    "print_json",
    "print_lines",
    "print_table",
    "print_wrapped",
    "result_as_json",
    "result_lines",
    "spaced",
    "weight_lines",
]

_WIDTH = 80

# Longer lists of sizes say less.
_LONGEST_LIST = 30


def spaced(n: int) -> str:
    """A number with its thousands apart.

    Parameters
    ----------
    n : int
        The number.

    Returns
    -------
    text : str
        Such as ``"4 310"``.
    """
    return f"{n:,}".replace(",", " ")


def print_json(what: Any) -> None:
    """Print JSON.

    Parameters
    ----------
    what : dict or list
        What to print.
    """
    # JSON is UTF-8; where the stream is not, escapes are read by whoever reads JSON.
    is_utf8 = (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"
    text = json.dumps(
        what, indent=1, ensure_ascii=not is_utf8, allow_nan=False, default=repr
    )
    print(text)


def print_lines(lines: Iterable[tuple[str, str, str]]) -> None:
    """Print lines of a word, a text and something in the right margin.

    Parameters
    ----------
    lines : iterable of (str, str, str)
        The lines; a second line of the same kind has no word.
    """
    lines = [*lines]
    width = max((len(text) for _, text, right in lines if right), default=0)
    for word, text, right in lines:
        print(f"  {word:<9} {text:<{width if right else 0}}  {right}".rstrip())


def print_table(
    head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Iterable[int] = ()
) -> None:
    """Print a table with its columns under each other.

    Parameters
    ----------
    head : sequence of str
        Names of the columns.

    rows : iterable of sequence of str
        The cells.

    right : iterable of int, default=()
        The columns of numbers, which stand flush right.
    """
    rows, numbers = [[*row] for row in rows], {*right}
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in [[*head], *rows]:
        cells = [
            f"{cell:>{width}}" if j in numbers else f"{cell:<{width}}"
            for j, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print(("  " + "  ".join(cells)).rstrip())


def weight_lines(result: Any) -> list[tuple[str, str, str]]:
    """Say what was weighed and in which range the weights lie.

    Parameters
    ----------
    result : Result
        The result.

    Returns
    -------
    lines : list of (str, str, str)
        One for each kind of weight.
    """
    lines: list[tuple[str, str, str]] = []
    for name, values in result.weights.items():
        what = name.removesuffix("_weights").replace("_", " ") + "s"
        if name == "selected":
            text = f"{spaced(int(values.sum()))} of {spaced(values.size)} kept"
        else:
            low, high = _digits(float(values.min())), _digits(float(values.max()))
            text = f"{what}, {low} to {high}" if low != high else f"{what}, all {low}"
        lines.append(("weights" if not lines else "", text, ""))
    return lines or [("weights", "none: all count alike", "")]


def _digits(value: float) -> str:
    """Two decimals, none of what is large, two digits of what is small."""
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.2f}" if abs(value) >= 0.1 or value == 0 else f"{value:.2g}"


def result_lines(
    result: Any,
    folder: Path,
    report: Path | None,
    *,
    data: str = "",
    truth: str = "the known labels",
    notes: Sequence[str] = (),
    sizes: Sequence[int] | None = None,
    alerts: Sequence[Any] = (),
) -> list[tuple[str, str, str]]:
    """Say in a few lines what was found.

    Parameters
    ----------
    result : Result
        The result.

    folder : Path
        Its folder.

    report : Path or None
        Its report.

    data : str, default=""
        What was read, in words.

    truth : str, default="the known labels"
        What the result is compared with.

    notes : sequence of str, default=()
        Sentences to be said.

    sizes : sequence of int, default=None
        Size of each cluster, where the result is that of a sample.

    alerts : sequence of Alert, default=()
        What puts the result into question.

    Returns
    -------
    lines : list of (str, str, str)
        For :func:`print_lines`.
    """
    sizes = result.sizes.tolist() if sizes is None else sizes
    ensemble, scores = result.ensemble, result.scores
    seconds = result.timings.get("ensemble", 0.0)
    lines = [("data", data, "")] if data else []
    if result.choice is not None:
        lines.append(("k", _chosen(result.choice), ""))
    M, n = ensemble.n_clusterings, sum(sizes)
    made = f"{spaced(M)} clustering{'' if M == 1 else 's'} of {spaced(n)} objects"
    lines.append(("ensemble", made, clock(seconds) if seconds else ""))
    lines += weight_lines(result)
    sure = f"mean confidence {scores['mean_confidence']:.2f}"
    if "mean_vote_share" in scores:  # not in results of older versions
        sure += f", vote share {scores['mean_vote_share']:.2f}"
    if any(alert.id == "one" for alert in alerts):
        # That clusterings cut one cloud alike is no confidence in the cut.
        sure = "but one cluster would do"
    lines.append(("result", f"{_clusters(sizes)}, {sure}", str(report or folder)))
    lines += explanation_lines(result.explanation)
    if "truth_adjusted_rand" in scores:
        ari, nmi = scores["truth_adjusted_rand"], scores["truth_nmi_sqrt"]
        lines.append(("truth", f"ARI {ari:.3f}, NMI {nmi:.3f} to {truth}", ""))
    lines += [("note", note, "") for note in notes]
    for alert in alerts:
        lines += _warning_lines(f"{alert.title}. {alert.text}")
    return lines


def _warning_lines(text: str) -> list[tuple[str, str, str]]:
    """A warning of the report, wrapped, in signs that every terminal has."""
    plain = text.replace("\u202f", " ").replace("−", "-")
    first, *rest = textwrap.wrap(plain, _WIDTH - 12, break_on_hyphens=False)
    return [("warning", first, ""), *(("", line, "") for line in rest)]


def explanation_lines(said: Any) -> list[tuple[str, str, str]]:
    """Say which families carry a result, and what is to be doubted.

    Parameters
    ----------
    said : Explanation or None
        What the method says of its result.

    Returns
    -------
    lines : list of (str, str, str)
        One for the families, if there are several, and one for a doubt.
    """
    if said is None:
        return []
    told = [
        f"{one.name} {100 * one.evidence:.0f} %"
        + ("" if one.without is None else f" (without it ARI {one.without:.2f})")
        for one in said.families
    ]
    has_evidence = any(one.evidence > 0 for one in said.families)
    lines = (
        [("families", ", ".join(told), "")] if len(told) > 1 and has_evidence else []
    )
    return lines + ([] if said.doubt is None else [("doubt", said.doubt, "")])


def _chosen(choice: Mapping[str, Any]) -> str:
    """The number that was chosen, with others that are likely."""
    k, ks = int(choice["n_clusters"]), [1, *choice["ks"]]
    told = f"{k}, of 1 to {max(ks)}"
    odds = choice.get("probabilities") or []
    if len(odds) == len(ks) and k in ks:
        told += f"; probability {odds[ks.index(k)]:.2f}"
        others = sorted({int(one) for one in choice.get("likely") or []} | {k})
        if len(others) > 1:
            told += f", {either(others)} 0.90"
    return told


def _clusters(sizes: Sequence[int]) -> str:
    texts = [spaced(size) for size in sizes]
    if len(texts) == 1:
        return "1 cluster"
    listed = f"{', '.join(texts[:-1])} and {texts[-1]}"
    if len(listed) > _LONGEST_LIST:
        listed = f"{spaced(min(sizes))} to {spaced(max(sizes))}"
    return f"{len(texts)} clusters of {listed}"


def result_as_json(
    result: Any,
    folder: Path,
    report: Path | None,
    sizes: Sequence[int] | None = None,
    alerts: Sequence[Any] = (),
) -> dict[str, Any]:
    """The same for machines.

    Parameters
    ----------
    result : Result
        The result.

    folder : Path
        Its folder.

    report : Path or None
        Its report.

    sizes : sequence of int, default=None
        Size of each cluster, where the result is that of a sample.

    alerts : sequence of Alert, default=()
        What puts the result into question.

    Returns
    -------
    about : dict
        Numbers and texts.
    """
    sizes = result.sizes.tolist() if sizes is None else sizes
    return {
        "method": result.method,
        "source": result.source,
        "n_objects": sum(sizes),
        "n_clusterings": result.ensemble.n_clusterings,
        "n_clusters": result.n_clusters,
        "sizes": [*sizes],
        "weights": {
            name: {"smallest": float(values.min()), "largest": float(values.max())}
            for name, values in result.weights.items()
        },
        "scores": dict(result.scores),
        "seed": result.seed,
        "timings": dict(result.timings),
        "explanation": None
        if result.explanation is None
        else result.explanation.to_dict(),
        "notes": list(result.notes),
        "warnings": [vars(alert) for alert in alerts],
        "folder": str(folder),
        "report": None if report is None else str(report),
    }


def card_as_json(card: Any, cls: Any = None) -> dict[str, Any]:
    """A card of the catalogue for machines.

    Parameters
    ----------
    card : MethodCard
        The card.

    cls : type, default=None
        The method, to have its parameters too.

    Returns
    -------
    about : dict
        Texts and lists.
    """
    about = {
        name: getattr(card, name)
        for name in (
            "id",
            "name",
            "weighs",
            "approach",
            "needs",
            "scales",
            "source",
            "requires",
            "summary",
            "reference",
        )
    }
    about["exempt"] = dict(card.exempt)
    if cls is not None:
        about["class"] = cls.__name__
        about["parameters"] = cls().get_params(deep=False)
    return about


def print_card(cls: Any) -> None:
    """Print what the catalogue knows of a method.

    Parameters
    ----------
    cls : type
        The method.
    """
    from comitia.catalogue import MISSING, SOURCES

    card = cls.card
    print(f"{card.id}: {card.name}\n")
    print_wrapped(_plain(card.summary))
    print()
    facts = {
        "weighs": f"{card.weighs} {card.weighs_how}".rstrip(),
        "approach": card.approach,
        "needs": ", ".join(card.needs),
        "scales": card.scales,
        "source": SOURCES[card.source],
        "class": f"comitia.methods.{cls.__name__}",
    }
    if card.missing:
        facts["missing"] = f"A missing label {MISSING[card.missing]}."
    if card.requires:
        facts["requires"] = f"pip install 'comitia[{card.requires}]'"
    for name, value in facts.items():
        print(f"  {name:<10}{value}")
    if card.exempt:
        from comitia.catalogue import PROMISES

        print("\nNot promised: that it ...\n")
        for name, reason in card.exempt.items():
            print_wrapped(f"{PROMISES.get(name, name)}:")
            print_wrapped(_plain(reason), indent="      ")
    print("\nParameters\n")
    for name, kind, text in _parameters(cls):
        print(f"  {name} : {kind}")
        print_wrapped(_plain(text), indent="      ")
    if card.reference:
        print("\nReference\n")
        print_wrapped(_plain(card.reference))


def print_wrapped(text: str, indent: str = "  ") -> None:
    """Print a paragraph.

    Parameters
    ----------
    text : str
        The paragraph.

    indent : str, default="  "
        What each line begins with.
    """
    print(
        textwrap.fill(
            text,
            width=_WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    )


def _parameters(cls: Any) -> list[tuple[str, str, str]]:
    """Name, type and meaning of each parameter, from the docstring."""
    text = inspect.cleandoc(cls.__doc__ or "")
    found = re.search(
        r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-{3,}|\Z)", text, re.S | re.M
    )
    entries = re.split(r"^(?=\w)", found[1] if found else "", flags=re.M)
    parameters = []
    for entry in entries:
        if not entry.strip():
            continue
        head, _, body = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        parameters.append((name, kind, " ".join(body.split())))
    return parameters


def _plain(text: str) -> str:
    """reStructuredText as people read it."""
    text = re.sub(r":(?:doi|math|class|func|meth|mod):`~?([^`]*)`", r"\1", text)
    text = re.sub(r"\s?\[\d+\]_", "", text)
    return text.replace("``", "")
