"""TeX to MathML: every formula of every method, and the constructs one by one."""

import inspect
import re
import xml.etree.ElementTree as ET

import pytest

from comitia.catalogue import method_classes
from comitia.report._page_markup import rst
from comitia.report.mathml import UnknownTeX, mathml


def formulae(cls):
    text = inspect.cleandoc(cls.__doc__)
    inline = re.findall(r":math:`([^`]*)`", text)
    blocks = re.findall(r"\.\. math::\n+((?:    .*\n|\n)+)", f"{text}\n")
    return inline + blocks


def test_every_formula_of_every_method_is_understood():
    found = [tex for cls in method_classes() for tex in formulae(cls)]
    assert len(found) > 600
    for tex in found:
        for display in (False, True):
            tree = ET.fromstring(mathml(tex, display=display))
            # Scripts and fractions have the number of children that MathML asks for.
            for element in tree.iter():
                wanted = {"msub": 2, "msup": 2, "mfrac": 2, "munder": 2, "mover": 2}
                wanted |= {"msubsup": 3, "munderover": 3}
                assert len(element) == wanted.get(element.tag, len(element)), tex


def words(tex, **options):
    """The formula without its markup, from left to right."""
    return "".join(ET.fromstring(mathml(tex, **options)).itertext())


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        (r"a \le b", "a≤b"),
        (r"\frac{1}{M} \sum_m w_m", "1M∑mwm"),
        (r"x'_i", "xi′"),
        (r"-\theta", "−θ"),
        (r"\text{if } a < b", "if\u00a0a<b"),
        (r"\mathrm{NMI}(C)", "NMI(C)"),
        (r"\mathbf 1", "1"),
        (r"\left\{ a \right.", "{a"),
        (r"\lVert x \rVert", "‖x‖"),
        (r"\arg\max_r v_r", "arg maxrvr"),
        (r"1.5e^{-2}", "1.5e−2"),
        (r"\begin{pmatrix} a & b \\ c & d \end{pmatrix}", "(abcd)"),
        (r"\sum_{\substack{i < j \\ k}}", "∑i<jk"),
    ],
)
def test_symbols_stand_in_their_order(tex, shown):
    assert words(tex) == shown


def test_limits_stand_below_on_a_line_of_their_own():
    assert "<munder>" in mathml(r"\sum_i x", display=True)
    assert "<msub>" in mathml(r"\sum_i x")
    assert "<msub>" in mathml(r"\textstyle\sum_i x", display=True)


def test_lines_become_rows():
    tree = ET.fromstring(mathml(r"a &= b \\ c &= d", display=True))
    assert [len(row) for row in tree.iter("mtr")] == [2, 2]


@pytest.mark.parametrize(
    "tex",
    [r"\unknown", "{a", "a}", "a_", r"\frac{1}", r"\begin{odd}x\end{odd}", "a^b^c"],
)
def test_what_is_not_understood_is_shown_as_it_is(tex):
    with pytest.raises(UnknownTeX):
        mathml(tex)
    assert "<code>" in rst(f":math:`{tex}`")


def test_texts_are_escaped():
    assert words(r"\text{<script>}") == "<script>"
    assert "<script>" not in mathml(r"\mathrm{<script>} < \text{&}")


def test_docstrings_become_paragraphs_and_formulae():
    page = rst(
        "First [1]_ *word* of ``code`` and :func:`~comitia.agreement.nmi`.\n\n"
        ".. math::\n    a = b,\n\n    c = d.\n\nLast <b>, "
        "see :doi:`10.1/a<b`."
    )
    assert page.count("<p>") == 2
    assert page.count('<div class="formula">') == 2
    assert "[1] <em>word</em> of <code>code</code> and <code>nmi</code>" in page
    assert "&lt;b&gt;" in page
    assert 'href="https://doi.org/10.1/a&lt;b"' in page


def test_text_behind_a_formula_is_a_paragraph():
    assert rst(".. math::\n    a\nThen more.").endswith("<p>Then more.</p>")
