"""The fidelity part compares as it says. Its data stay outside; pools are made here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import squareform

import comitia
from benchmarks.evaluation import pools
from benchmarks.evaluation.fidelity import run as fidelity
from benchmarks.evaluation.fidelity import survey, trees
from benchmarks.evaluation.fidelity.page import page, spans
from benchmarks.evaluation.fidelity.scores import BEST_OF
from benchmarks.evaluation.fidelity.summary import (
    departures,
    published,
    summarize,
    write_summary,
)
from benchmarks.evaluation.store import Options, read
from comitia.agreement import agreement
from tests.fixtures import planted


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pools").mkdir()
    for name, n in (("large", 60), ("small", 40)):
        labels, truth = planted(n, 3, 100, noise=0.3, seed=n)
        np.savez(tmp_path / "pools" / f"{name}.npz", members=labels + 1, gt=truth)
    pools.load_pool.cache_clear()
    return tmp_path


def test_small_pools_come_first_and_draws_are_columns(folder):
    assert pools.pools(Options(data=folder)) == ["small", "large"]
    assert pools.pools(Options(data=folder, sets=("large",))) == ["large"]
    members, _ = pools.load_pool("small", folder)
    assert_array_equal(pools.draw_of(members, 3), members[:, 20:30])


@pytest.mark.filterwarnings("ignore:only .* of n_clusters:UserWarning")
def test_the_best_k_is_the_best_of_the_scores_at_each_k(folder):
    members, truth = pools.load_pool("small", folder)
    ensemble = comitia.Ensemble(members[:, :10])
    # A tree that is cut, one that is fitted anew, and one that walks only once.
    for method in ("lwea", "lwgp", "ecpcs_mc"):
        scores = np.array(
            [
                [
                    agreement(labels, truth, measure)
                    for measure in ("nmi_max", "adjusted_rand")
                ]
                for labels in (
                    comitia.method(method)(k, random_state=1).fit_predict(ensemble)
                    for k in BEST_OF
                )
            ]
        )
        best = fidelity.score("small", 1, method, "best-k", folder)
        assert_allclose([best["nmi_max"], best["ari"]], scores.max(axis=0))
        assert best["k"] == BEST_OF[scores[:, 0].argmax()]
        true = fidelity.score("small", 1, method, "true-k", folder)
        assert true["k"] == 3
        assert_allclose(true["ari"], scores[BEST_OF.index(3), 1])


@pytest.mark.parametrize("method", trees.WITHOUT_TIES)
def test_dense_distances_are_those_of_the_method(folder, method):
    members, _ = pools.load_pool("small", folder)
    fitted = comitia.method(method)(3).fit(comitia.Ensemble(members[:, :10]))
    S = fitted.ensemble_.coassociation(
        clustering_weights=getattr(fitted, "clustering_weights_", None),
        cluster_weights=getattr(fitted, "cluster_weights_", None),
    )
    got = trees.dense_distances(fitted.ensemble_, *trees._weights(fitted))
    expected = 1.0 - S[np.triu_indices(40, 1)]
    assert_allclose(got, expected, atol=1e-6)  # our matrix is float32
    assert_allclose(squareform(got)[3, 5], 1.0 - S[3, 5], atol=1e-6)


@pytest.mark.parametrize("method", trees.WITHOUT_TIES)
def test_trees_are_equal_and_a_wrong_one_is_seen(folder, method, monkeypatch):
    found = trees.compare_trees("small", 2, method, folder)
    assert found["equal"]
    # Of 40 objects some are equally far from others, near the leaves of the tree.
    assert all(int(k) > 20 for k in found["k_apart"].split())
    right = trees.dense_distances

    def wrong(*given):
        return right(*given)[::-1].copy()

    monkeypatch.setattr(trees, "dense_distances", wrong)
    found = trees.compare_trees("small", 2, method, folder)
    assert not found["equal"]
    assert found["height_gap"] > 1e-3


def test_partitions_are_the_same_up_to_names():
    assert trees.same_partition(np.array([0, 0, 1]), np.array([7, 7, 3]))
    assert not trees.same_partition(np.array([0, 0, 1]), np.array([7, 3, 3]))
    assert not trees.same_partition(np.array([0, 1, 2]), np.array([7, 3, 3]))


def test_rounding_matters_only_where_something_is_tied(folder):
    found = trees.compare_shaken("small", 2, "weac", folder)
    # Of 40 objects some are equally far from others, near the leaves of the tree.
    assert all(int(k) > 20 for k in found["k_apart"].split())


def test_a_tie_shows_when_the_distances_are_shaken(tmp_path):
    # The middle object is as far from the left pair as from the right one.
    member = np.array([[1, 1, 1, 2, 2], [1, 1, 2, 2, 2]]).T
    (tmp_path / "pools").mkdir()
    np.savez(
        tmp_path / "pools" / "tied.npz",
        members=np.tile(member, 50),
        gt=[0, 0, 0, 1, 1],
    )
    pools.load_pool.cache_clear()
    found = trees.compare_shaken("tied", 1, "weac", tmp_path)
    assert "2" in found["k_apart"].split()


def test_spans_are_read_off_numbers():
    assert spans("2 3 4 7 9 10") == "2 to 4, 7, 9 to 10"
    assert spans("") == ""


PUBLISHED = """dataset,method,measure,criterion,mean,sd
one,GP-MGLA,NMI,true-k,0.5,0.01
one,LWEA,ARI,true-k,0.4,0.05
"""


def score_row(draw, method, nmi, ari, status="ok"):
    cells = ("one", str(draw), method, "true-k", "3", nmi, nmi, ari, "1", "1", status)
    names = "pool draw method criterion k nmi_sqrt nmi_max ari seconds peak_mb status"
    return dict(zip(names.split(), cells, strict=True))


def test_published_figures_stand_beside_ours(tmp_path):
    (tmp_path / "published_lwea_lwgp_tables_5_7.csv").write_text(PUBLISHED)
    (tmp_path / "published_ecpcs_tables_2_3.csv").write_text(
        "dataset,method,measure,criterion,mean,sd\n"
        "one,ECPCS-MC,NMI%,true-k,60.5,1.5\none,LWEA,ARI%,true-k,99,1\n"
    )
    known = published(tmp_path)
    assert known["one", "ecpcs_mc", "true-k", "nmi_max"] == (0.605, 0.015, "ECPCS")
    # What the first paper has is not taken from the second.
    assert known["one", "lwea", "true-k", "ari"] == (0.4, 0.05, "LWEA")
    rows = [
        score_row(1, "lwea", "0.7", "0.5"),
        score_row(2, "lwea", "0.5", "0.38"),
        score_row(3, "lwea", "", "", "failed"),
        score_row(1, "gp_mgla", "0.52", "0.1"),
    ]
    summary = summarize(rows, known)
    by_key = {(row["method"], row["measure"]): row for row in summary}
    ours = by_key["lwea", "ari"]
    assert (ours["n_draws"], ours["mean"], ours["sd"]) == (2, "0.4400", "0.0600")
    assert by_key["lwea", "nmi_max"]["published_mean"] == ""
    # 0.44 is within 0.05 of 0.4; 0.52 is not within 0.01 of 0.5.
    apart = departures(summary, "true-k")
    assert [(row["method"], row["measure"]) for row in apart] == [
        ("gp_mgla", "nmi_max")
    ]
    assert departures(summary, "best-k") == []


def test_the_page_tells_what_leaves_the_papers_and_why(folder):
    (folder / "published").mkdir()
    (folder / "published" / "published_lwea_lwgp_tables_5_7.csv").write_text(
        "dataset,method,measure,criterion,mean,sd\n"
        "small,LWEA,NMI,true-k,0.9,0.5\nsmall,KCC,NMI,true-k,0.1,0.01\n"
    )
    out = folder / "out"
    options = Options(data=folder, results=out, methods=("lwea", "kcc"), smoke=True)
    fidelity.run(options)
    text = page(out, out / "figures")
    assert "same labels on 4 of 4 trees (2 pools)" in " ".join(text.split())
    assert "what leaves it nowhere: lwea." in text
    assert "**kcc**" in text
    assert "k-means++" in text
    assert "kcc, one random start" in text
    summary = read(out / "fidelity_summary.csv")
    assert {row["published_in"] for row in summary} == {"", "LWEA"}
    write_summary(out, None)
    assert "What leaves" not in page(out, out / "figures")


def test_methods_after_the_review_are_fitted_on_shuffled_rows_of_random_members(folder):
    members, truth = pools.load_pool("small", folder)
    rng = np.random.RandomState(3)
    columns, rows = rng.permutation(100)[:20], rng.permutation(40)
    shuffled = comitia.Ensemble(members[np.ix_(rows, columns)])
    labels = comitia.method("lwea")(3).fit_predict(shuffled)
    got = survey.score_beside("small", 3, "lwea", "survey", folder)
    assert_allclose(got["ari"], agreement(labels, truth[rows], "adjusted_rand"))


def test_every_method_that_the_survey_has_is_beside_its_column(folder, tmp_path):
    published = folder / "published"
    published.mkdir()
    lwea, pta = survey.ENTRIES["lwea"].survey, survey.ENTRIES["pta"].survey
    for measure in ("nmi", "ari"):
        (published / f"survey_2026_{measure}.csv").write_text(
            f"data,{lwea},{pta}\nsmall,0.5,\nlarge,0.25,0.75\n"
        )
    (published / "published_pta_ptgp_table_9.csv").write_text(
        "dataset,method,measure,criterion,mean\n"
        "small,PTA-AL,NMI,true-k,0.4\nsmall,SRS-AL,NMI,true-k,N/A\n"
    )
    lines = ["pool,draw,method,criterion,k,nmi_sqrt,nmi_max,ari,status"]
    for draw, score in enumerate((0.6, 0.62, 0.64)):
        lines += [f"small,{draw},lwea,survey,3,{score},0,{score},ok"]
        lines += [f"small,{draw},pta,pta,3,0,{score},0,ok"]
    (tmp_path / "fidelity_survey.csv").write_text("\n".join(lines) + "\n")
    survey.write_beside(tmp_path, folder)
    found = {
        (row["method"], row["measure"]): row["published_mean"]
        for row in read(tmp_path / "fidelity_survey_summary.csv")
    }
    assert found == {
        ("lwea", "nmi_sqrt"): "0.5000",
        ("lwea", "ari"): "0.5000",
        ("pta", "nmi_max"): "0.4000",
    }
    text = survey.survey_page(tmp_path)
    assert "**0.62** (0.50) [3]" in text
    assert "+0.120" in text
    assert "+0.220" in text
    assert survey.survey_page(tmp_path / "nothing") == ""
