"""What the pages say in words is counted from the rows, and unsaid when it ends."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks.evaluation import pages
from benchmarks.evaluation.default import junk_page
from benchmarks.evaluation.default import page as default_page
from benchmarks.evaluation.everything import findings as everything_findings
from benchmarks.evaluation.everything import leagues
from benchmarks.evaluation.everything import page as everything_page
from benchmarks.evaluation.everything import run as everything
from benchmarks.evaluation.peers import page as peers_page
from benchmarks.evaluation.peers.junk import COLUMNS, DEFAULT
from benchmarks.evaluation.recipients import findings as recipients_findings
from benchmarks.evaluation.recipients.twins import TWINS
from tests.benchmarks.test_evaluation import row_of

NO_LONGER = "no longer bear it out"


def test_several_are_a_list_with_an_and():
    assert pages.enumerated(["a"]) == "a"
    assert pages.enumerated(["a", "b", "c"]) == "a, b and c"


def test_a_judgement_that_the_rows_contradict_is_told_to_be_one():
    finding = pages.Finding("Big", "More is more.", lambda n: (f"Of {n}.", n > 3))
    assert finding.told(4) == "Big\n    More is more. Of 4.\n"
    assert NO_LONGER in finding.told(2)


# -- everything ------------------------------------------------------------------------


def everything_rows(balanced, n_sets=10):
    """Tables with even and uneven classes; the methods of METIS as told by set."""
    rows = []
    for at in range(n_sets):
        for seed in (0, 1):
            name = f"set{at}"
            one = {"seed": seed, "kind": "single"}
            rows.append(row_of("k-means", name, 0.5, **one))
            rows += [
                row_of(method, name, balanced(at), **one)
                for method in everything_findings.BALANCED
            ]
            rows.append(row_of("wosp", name, 0.1 + 0.01 * seed, mean=0.105, **one))
    return rows


def results_of(rows):
    balance = {f"set{at}": 1.0 if at < 6 else 0.7 for at in range(10)}
    return everything_findings.Results(rows, leagues.leagues(rows), balance)


def test_balance_is_judged_by_even_and_other_tables():
    results = results_of(everything_rows(lambda at: 0.6 if at < 6 else 0.25))
    text, holds = everything_findings._of_balance(results)
    assert holds
    assert "On the 6 tables" in text
    assert "is +0.10; on the other 4 it is -0.25" in text
    turned = results_of(everything_rows(lambda at: 0.4 if at < 6 else 0.6))
    assert not everything_findings._of_balance(turned)[1]


def test_a_data_set_has_one_say_however_many_seeds_there_are():
    results = results_of(everything_rows(lambda at: 0.6))
    # Below the mean member by one seed and above by the other, and level on average.
    gaps = results.gaps("wosp", everything_findings.MEAN_MEMBER)
    assert_allclose(gaps, np.zeros(10), atol=1e-12)


def test_seeds_that_not_all_have_seen_do_not_count():
    rows = everything_rows(lambda at: 0.6)
    rows.append(row_of("k-means", "set0", 0.9, seed=2, kind="single"))
    column = results_of(rows).column("k-means", "ari", ["set0", "set1"])
    assert_allclose(column, 0.5)


def test_what_runs_out_of_time_is_named_if_often():
    rows = everything_rows(lambda at: 0.6)
    late = {("cas", "set0"), ("cas", "set1"), ("hgpa", "set3")}
    for row in rows:
        if (row["method"], row["data"]) in late:
            row.update(status="timed out", ari="")
    results = results_of(rows)
    assert results.late() == {"cas": 0.2, "hgpa": 0.1}
    text, _ = everything_findings._of_time(results)
    assert "cas </generated/methods/cas>` (20%)" in text
    quick, _ = everything_findings._of_time(results_of(everything_rows(lambda at: 0.6)))
    assert quick == "Every method ended in time on every data set."


def test_the_page_says_how_much_was_fitted(tmp_path):
    rows = everything_rows(lambda at: 0.6)
    told = everything_page._setting(rows, tmp_path)
    assert "120 fits: 5 methods on 10 tables, 2 seeds" in told
    assert "at most 9 objects" in told


def test_balance_is_the_entropy_of_the_classes():
    assert everything.describe("single", "iris", 150, None) == {
        "n_classes": 3,
        "balance": pytest.approx(1.0),
    }
    p = np.array([212, 357]) / 569  # malignant and benign
    found = everything.describe("single", "breast_cancer", 569, None)
    assert_allclose(found["balance"], -(p * np.log2(p)).sum(), rtol=1e-9)


# -- the default -----------------------------------------------------------------------


def test_the_verdict_names_who_is_beaten():
    told = [("A", 0.1, 0.01), ("B", 0.1, 0.2), ("C", -0.1, 0.01), ("D", 0.2, 0.04)]
    assert default_page._verdict_in_words(told) == (
        "better than A and D, worse than C, and not told apart from B"
    )
    assert default_page._verdict_in_words(told[:1]) == "better than A"


def test_the_default_is_paired_with_kcc_on_the_same_ensembles():
    rows = [
        {"sizes": "equal", "noise": "0.3", "junk": junk, "seed": str(seed)}
        | {junk_page.CHOSEN_MIX: str(ours + base), junk_page.KCC: base}
        for junk, ours in (("0", 0.0), ("0.7", 0.1))
        for seed, base in enumerate((0.2, 0.5, 0.8))
    ]
    told = junk_page._junk_verdict(rows)
    assert (
        "with 3 seeds: of 2 settings the default is better in 1 and worse in 0" in told
    )
    assert "With 70% junk the difference is +0.100 ± 0.000 (equal sizes" in told


# -- peers -----------------------------------------------------------------------------


def junk_rows(default):
    """Six settings; the default as told, everything else alike."""
    rows = []
    for share, imbalance in ((0.0, 1), (0.8, 1), (0.8, 16)):
        for size in (10, 20):
            scores = dict.fromkeys(COLUMNS, "0.5")
            scores[DEFAULT] = str(default(share, imbalance, size))
            grid = {"junk_noise": "0.9", "imbalance": str(imbalance)}
            size_and_seed = {"n_clusterings": str(size), "seed": "0"}
            rows.append({"junk_share": str(share), **grid, **size_and_seed, **scores})
    return rows


def test_where_the_default_loses_is_told():
    def score(share, imbalance, size):
        if share and imbalance == 16:
            return 0.8
        return 0.4 if share and size == 10 else 0.5

    text, holds = peers_page._of_default(junk_rows(score))
    assert holds
    assert (
        "Of 6 settings it wins 2 against kcc, ties 3 (within 0.005) and loses 1" in text
    )
    assert "the worst by 0.100" in text
    assert "at most 2 good members are left, and sizes are 1:1" in text
    assert not peers_page._of_default(junk_rows(lambda *_: 0.4))[1]


def test_the_grid_is_told_from_the_rows():
    text = peers_page._grid_told(junk_rows(lambda *_: 0.5))
    assert "(0% and 80%) is junk" in text
    assert "1 and 16 times the smallest; there are 10 and 20 members; 1 seed." in text


# -- recipients ------------------------------------------------------------------------


def recipient_rows(gain_of):
    return [
        {
            "method": twin.method,
            "recipient": twin.recipient,
            "source": "planted",
            "junk": junk,
            "seed": str(seed),
            "weighted": str(0.5 + gain_of(twin, float(junk)) + 0.001 * seed),
            "uniform": "0.5",
        }
        for twin in TWINS
        for junk in ("0", "0.6")
        for seed in range(3)
    ]


def test_weights_that_help_features_under_junk_are_counted():
    rows = recipient_rows(
        lambda twin, junk: 0.1 * (junk > 0) * (twin.recipient == "features") - 0.001
    )
    text, holds = recipients_findings._of_features(rows)
    assert holds
    assert text.startswith("They help 5 of 5 methods clearly where 60%")
    assert text.endswith("and 0 where 0% are.")
    harmful = recipient_rows(lambda twin, junk: -0.1)
    assert not recipients_findings._of_features(harmful)[1]


def test_every_judgement_on_weights_can_be_taken_back():
    helpful = recipient_rows(
        lambda twin, junk: 0.1 * (twin.method not in {"weac", "lwea"})
    )
    told = recipients_findings.findings(helpful)
    # All but that on the entropy, which is judged on the pools.
    assert told.count(NO_LONGER) == 5
    assert recipients_findings.findings(helpful[:6]).strip() == ""
