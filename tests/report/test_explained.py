"""What carries the result, on the page and on the terminal."""

from dataclasses import replace

import numpy as np
import pytest

from comitia import ConsensusClustering, Ensemble
from comitia.cli._summary import explanation_lines, result_as_json
from comitia.explanation import Explanation, FamilyShare, RivalScores
from comitia.io import Result
from comitia.report import write_report

SAID = Explanation(
    (FamilyShare("<a>", 5, 0.6, 0.9, 0.5), FamilyShare("b", 5, 0.4, None, None)),
    (RivalScores("consensus", -1.0, 0.1, 0.9, 1.0),),
    "K-means looks better than the consensus.",
)


@pytest.fixture(scope="module")
def result():
    labels = np.repeat([[0, 0, 1], [1, 1, 0]], 5, axis=0)
    labels[0, 1] = 1
    return Result.from_estimator(ConsensusClustering(2).fit(Ensemble(labels)))


def test_the_page_has_families_rivals_and_the_doubt(result, tmp_path):
    pytest.importorskip("jinja2")
    path = write_report(replace(result, explanation=SAID), tmp_path / "page.html")
    page = path.read_text(encoding="utf-8")
    for part in ('id="table-families"', 'id="table-rivals"', 'data-alert="doubt"'):
        assert page.count(part) == 1
    assert '<a href="#families">' in page
    assert "&lt;a&gt; has 60 %" in page


@pytest.mark.parametrize("said", [None, Explanation()])
def test_without_an_explanation_the_section_is_left_out(said, result, tmp_path):
    pytest.importorskip("jinja2")
    path = write_report(replace(result, explanation=said), tmp_path / "page.html")
    assert 'id="families"' not in path.read_text(encoding="utf-8")


def test_the_terminal_has_a_line_for_families_and_one_for_the_doubt():
    assert explanation_lines(SAID) == [
        ("families", "<a> 60 % (without it ARI 0.50), b 40 %", ""),
        ("doubt", "K-means looks better than the consensus.", ""),
    ]
    assert explanation_lines(None) == explanation_lines(Explanation()) == []


def test_machines_get_the_same(result, tmp_path):
    about = result_as_json(replace(result, explanation=SAID), tmp_path, None)
    assert Explanation.from_dict(about["explanation"]) == SAID
