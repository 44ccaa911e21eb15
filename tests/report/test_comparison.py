"""The page of a comparison of methods."""

from dataclasses import replace

import numpy as np
import pytest

from comitia.evaluate import Comparison
from comitia.evaluate.comparison import MethodRow
from comitia.exceptions import ComitiaError
from comitia.report import write_comparison
from comitia.report._comparison_facts import ComparisonFacts
from tests.report.conftest import SCRIPT
from tests.report.test_write import Page


@pytest.fixture
def comparison():
    def row(id, rank, group, **more):
        return MethodRow(
            id=id,
            name=f"Method {id}",
            status="ok",
            seconds=0.5,
            peak_mb=12.0,
            n_clusters=3,
            internal={"anmi": 0.7, "silhouette": 0.3},
            external={"adjusted_rand": 0.9},
            stability=0.95,
            stability_sd=0.02,
            rank=rank,
            rank_sd=0.4,
            group=group,
            **more,
        )

    failed = MethodRow(
        id="slow", name="Slow", status="timed out", message=f"{SCRIPT} took 60 s."
    )
    return Comparison(
        rows=[
            row("first", 1.2, "a"),
            row("second", 1.8, "a", message="Did not converge."),
            row("third", 3.0, "b"),
            failed,
        ],
        agreement=np.array(
            [
                [1.0, 0.8, -0.1, np.nan],
                [0.8, 1.0, 0.2, np.nan],
                [-0.1, 0.2, 1.0, np.nan],
                [np.nan] * 4,
            ]
        ),
        labels={},
        ranks={
            "first": np.array([1.0, 1.0, 2.0]),
            "second": np.array([2.0, 2.0, 1.0]),
            "third": np.array([3.0, 3.0, 3.0]),
        },
        groups=[["first", "second"], ["third"]],
        judged_by=["adjusted_rand"],
        critical_difference=1.1,
        p_value=0.04,
        n_clusters=3,
        n_resamples=3,
        reason="First and second lead.",
    )


def test_the_page_says_who_leads_what_is_noise_and_what_failed(comparison, tmp_path):
    path = write_comparison(comparison, tmp_path / "c.html", title="wine & co")
    page = Page(path)
    assert "Method first has the best mean rank, 1.20 ± 0.40 of 3" in page.text
    assert "second is not told apart from the best" in page.text
    assert "third stands most apart" in page.text
    assert "1 method gave no result" in page.text
    assert f"{SCRIPT} took 60 s." in page.text
    assert "timed out" in page.text
    assert "Did not converge." in page.text
    assert page.tags.count("script") == 2
    assert "<title>wine &amp; co</title>" in path.read_text(encoding="utf-8")


def test_ranks_are_drawn_in_order_with_the_critical_difference(comparison):
    chart = ComparisonFacts(comparison.to_dict()).chart
    assert [line["id"] for line in chart["lines"]] == ["first", "second", "third"]
    places = [float(line["at"]) for line in chart["lines"]]
    assert places == sorted(places)
    # The best is at 1.2; 1.1 behind it is 2.3, on an axis from 1 to 3.
    assert float(chart["limit"]) == pytest.approx(chart["width"] * 1.3 / 2, abs=0.06)


def test_no_winner_is_named_where_the_test_says_noise(comparison):
    best = ComparisonFacts(comparison.to_dict()).headlines[0]
    assert best["value"] == "2 lead"
    assert "1.20 ± 0.40 of 3" in best["text"]
    rows = [replace(row, group="a" if row.group else "") for row in comparison.rows]
    best = ComparisonFacts(replace(comparison, rows=rows).to_dict()).headlines[0]
    assert best["value"] == "no winner"
    assert "tells no method apart" in best["text"]
    rows = [replace(row, group=row.id[0]) for row in comparison.rows]
    clear = ComparisonFacts(replace(comparison, rows=rows).to_dict())
    assert clear.headlines[0]["value"] == "first"


def test_the_agreement_of_a_few_methods_has_names_and_values(comparison, tmp_path):
    facts = ComparisonFacts(comparison.to_dict())
    assert facts.matrix[0] == ("first", [("1.00", 10), ("0.80", 8), ("−0.10", 0)])
    page = write_comparison(comparison, tmp_path / "c.html").read_text("utf-8")
    assert '<th scope="col"><code>third</code></th>' in page
    assert '<td class="v8">0.80</td>' in page
    many = replace(
        comparison, rows=comparison.rows[:1] * 21, agreement=np.ones((21, 21))
    )
    assert ComparisonFacts(many.to_dict()).matrix is None


def test_without_ranks_there_is_still_a_page(comparison, tmp_path):
    rows = [replace(row, rank=np.nan, group="") for row in comparison.rows]
    bare = replace(comparison, rows=rows, ranks={}, n_resamples=0, judged_by=[])
    page = Page(write_comparison(bare, tmp_path / "c.html"))
    assert "not ranked" in page.text
    assert "First and second lead." in page.text


def test_when_all_failed_there_is_still_a_page(comparison, tmp_path):
    failed = replace(
        comparison, rows=comparison.rows[3:], agreement=np.full((1, 1), np.nan)
    )
    page = Page(write_comparison(failed, tmp_path / "c.html"))
    assert "No method gave a result." in page.text


def test_something_else_is_refused(tmp_path):
    with pytest.raises(ComitiaError, match=r"comitia\.compare"):
        write_comparison([1, 2], tmp_path / "c.html")


def test_the_leaderboard_sorts_in_a_browser(visit, comparison, tmp_path):
    page = visit(write_comparison(comparison, tmp_path / "c.html"))
    page.locator("#table-leaderboard").get_by_role("button", name="Mean rank").click()
    first = page.locator("#table-leaderboard tbody th").first.inner_text()
    assert "third" in first
    assert page.locator("#table-methods tbody td").nth(1).inner_text() == "0.80"
    assert page.evaluate("window.hacked") is None
