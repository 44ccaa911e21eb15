"""Words of the page as HTML: everything that comes from a user's file is text."""

from __future__ import annotations

import json
import re
from typing import Any

from markupsafe import Markup, escape

from comitia.report.mathml import UnknownTeX, mathml

__all__ = ["as_json", "inline", "rst"]


def as_json(value: Any) -> Markup:
    r"""JSON that can stand inside a ``script`` element: no ``<`` ends it.

    >>> as_json("</script>")
    Markup('"\\u003c/script\\u003e"')
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704  nothing in it ends a script


# -- docstrings -------------------------------------------------------------------

_INLINE = re.compile(
    r"``(?P<code>.+?)``"
    r"|:(?P<role>\w+):`(?P<target>[^`]*)`"
    r"|\[(?P<cited>\w+)\]_"
    r"|\*\*(?P<strong>[^*]+)\*\*"
    r"|(?<![\w*])\*(?P<em>[^*\s][^*]*)\*(?![\w*])",
    re.S,
)


def rst(text: str) -> Markup:
    """The little of reStructuredText that docstrings of methods use, as HTML.

    >>> rst("The weight :math:`w`, ``theta``.")
    Markup('<p>The weight <math><mi>w</mi></math>, <code>theta</code>.</p>')
    """
    blocks = re.split(r"\n\s*\n", text.strip("\n"))
    out, in_math = [], False
    for block in blocks:
        lines = block.split("\n")
        if in_math and lines[0].startswith(" "):
            out.append(_formula(block))
            continue
        in_math = False
        before, found, after = block.partition(".. math::")
        if before.strip():
            out.append(_paragraph(before))
        if found:
            in_math = True
            inside, rest = _indented(after)
            if inside.strip():
                out.append(_formula(inside))
            if rest.strip():
                in_math = False
                out.append(_paragraph(rest))
    return Markup("").join(out)


def _indented(text: str) -> tuple[str, str]:
    """Lines that belong to a directive, and those after them."""
    first, *lines = text.split("\n")
    inside = [first]
    while lines and (lines[0].startswith(" ") or not lines[0].strip()):
        inside.append(lines.pop(0))
    return "\n".join(inside), "\n".join(lines)


def _paragraph(text: str) -> Markup:
    return Markup("<p>{}</p>").format(inline(" ".join(text.split())))


def _formula(tex: str) -> Markup:
    return Markup('<div class="formula">{}</div>').format(_math(tex, display=True))


def _math(tex: str, display: bool) -> Markup:
    try:
        formula = mathml(tex.strip(), display=display)
        return Markup(formula)  # noqa: S704  every symbol of it is escaped
    except UnknownTeX:
        return Markup("<code>{}</code>").format(" ".join(tex.split()))


def inline(text: str) -> Markup:
    """One paragraph: formulae, code, links to papers; the rest is text.

    >>> inline("a < b, see [1]_ or :func:`~comitia.agreement.nmi`")
    Markup('a &lt; b, see [1] or <code>nmi</code>')
    """
    out, end = Markup(""), 0
    for found in _INLINE.finditer(text):
        out += escape(text[end : found.start()]) + _piece(found)
        end = found.end()
    return out + escape(text[end:])


def _piece(found: re.Match[str]) -> Markup:
    if found["role"] == "math":
        return _math(found["target"], display=False)
    if found["role"] == "doi":
        return Markup(
            '<a href="https://doi.org/{0}" rel="noreferrer">doi:{0}</a>'
        ).format(found["target"])
    if found["role"] is not None:
        target = found["target"]
        name = target.rpartition(".")[2] if target.startswith("~") else target
        return Markup("<code>{}</code>").format(name)
    for tag in ("code", "strong", "em"):
        if found[tag] is not None:
            # The tag is one of three words.
            name = Markup(tag)  # noqa: S704
            return Markup("<{0}>{1}</{0}>").format(name, found[tag])
    return Markup("[{}]").format(found["cited"])
