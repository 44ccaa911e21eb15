"""The leaderboards score as their authors do, and say what their rows say."""

import gzip

import numpy as np
import pytest
from numpy.testing import assert_allclose

from benchmarks.evaluation.__main__ import main
from benchmarks.evaluation.leaderboards import BOARDS, gagolewski, survey
from benchmarks.evaluation.leaderboards import run as runs
from benchmarks.evaluation.leaderboards.committed import differences
from benchmarks.evaluation.leaderboards.page import board_page
from benchmarks.evaluation.leaderboards.paired import paired
from benchmarks.evaluation.store import RESULTS, Options, read, write


def labels_of(table):
    """Classes and clusters that have this contingency table."""
    i, j = np.indices(np.shape(table)).reshape(2, -1)
    return np.repeat(i, np.ravel(table)), np.repeat(j, np.ravel(table))


# As genieclust 1.3.0, by the author of the measure, has them.
@pytest.mark.parametrize(
    ("table", "accuracy"),
    [
        ([[50, 0], [10, 40]], 0.8),
        ([[3, 1, 0], [0, 4, 2], [1, 0, 5]], 0.625),
        ([[0, 1, 9], [30, 3, 0], [2, 4, 2]], 0.6545454545454545),
        ([[5, 5], [10, 10]], 0.0),
    ],
)
def test_normalized_accuracy_is_that_of_its_author(table, accuracy):
    got = gagolewski.normalized_clustering_accuracy(*labels_of(table))
    assert_allclose(got, accuracy, atol=1e-12)


def test_a_cluster_of_noise_alone_is_an_empty_column():
    # Two of three classes are whole, the third has no cluster: (2/3 - 1/3) / (2/3).
    classes, clusters = labels_of([[4, 0], [0, 4], [3, 0]])
    got = gagolewski.normalized_clustering_accuracy(classes, clusters)
    assert_allclose(got, 0.5, atol=1e-12)


def battery_folder(folder, rng):
    """One set with two references of 2 and 3 clusters and some noise."""
    centers = np.repeat([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]], [12, 15, 18], axis=0)
    three = np.repeat([0, 1, 2], [12, 15, 18])
    three[[0, 44]] = -1
    (folder / "single").mkdir()
    (folder / "published").mkdir()
    np.savez(
        folder / "single" / "wut_three.npz",
        X=centers + 0.1 * rng.randn(45, 2),
        y=rng.permutation(np.repeat([0, 1], [20, 25])),
        y1=three,
    )
    rows = [
        {"data": "wut_three", "n_objects": 45, "family": "A", "method": m, "ari": ari}
        for m, ari in (("A_1", 0.2), ("A_2", 0.4))
    ]
    write(folder / "published" / "gagolewski_public.csv", tuple(rows[0]), rows)


def test_the_best_reference_counts_and_noise_does_not(tmp_path):
    battery_folder(tmp_path, np.random.RandomState(0))
    found = gagolewski.score(
        "wut_three", "choose", "single Genie", 0, tmp_path, tmp_path / "labels"
    )
    assert (found["ari"], found["nca"]) == (1.0, 1.0)
    assert (found["n_references"], found["n_wrong"]) == (2, 0)
    gagolewski.write_label_files(tmp_path / "labels")
    made = tmp_path / "labels" / "original" / "comitia" / "wut"
    assert {path.name for path in made.glob("*")} == {
        "three.result2.gz",
        "three.result3.gz",
    }
    head, *lines = gzip.decompress((made / "three.result3.gz").read_bytes()).split()
    assert head == b"comitia_single_Genie"
    # In the order of the rows of the set, whatever order they were clustered in.
    names = {tuple(lines[at] for at in some) for some in (range(12), range(12, 27))}
    assert {len(set(one)) for one in names} == {1}
    assert {*lines} == {b"1", b"2", b"3"}


def test_another_number_of_clusters_is_no_result(tmp_path, monkeypatch):
    battery_folder(tmp_path, np.random.RandomState(0))
    monkeypatch.setitem(
        gagolewski.METHODS, "one", lambda X, k, seed: np.zeros(len(X), int)
    )
    found = gagolewski.score("wut_three", "choose", "one", 1, tmp_path, tmp_path)
    assert (found["ari"], found["nca"], found["n_wrong"]) == (0.0, 0.0, 2)


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("wut_x2.result3", ("wut", "x2.result3")),
        ("iris.result3", ("other", "iris.result3")),
        ("wdbc.result2", ("uci", "wdbc.result2")),
        ("chameleon_t7_10k.result9", ("other", "chameleon_t7_10k.result9")),
    ],
)
def test_files_lie_where_the_author_has_them(name, place):
    assert gagolewski.battery_of(name) == place


# -- comparisons -----------------------------------------------------------------------


def test_a_comparison_by_hand():
    # Ranks of the differences 3, -1, 2, 0, 4 without the zero: 3, 1, 2, 4.
    told = paired([0.5, 0.1, 0.4, 0.7, 0.9], [0.2, 0.2, 0.2, 0.7, 0.5])
    assert (told.won, told.tied, told.lost, told.n_sets) == (3, 1, 1, 5)
    assert_allclose([told.gain, told.effect], [0.16, (3 + 2 + 4 - 1) / 10])
    assert_allclose(told.p, 0.25)  # 2 * P(W <= 1) = 2 * 2 / 16
    assert told.low < told.gain < told.high


def test_equal_scores_are_not_told_apart():
    told = paired([0.3, 0.1 + 0.2], [0.3, 0.3])
    assert (told.gain, told.p, told.effect, told.tied) == (0.0, 1.0, 0.0, 2)


def test_gaps_are_not_compared():
    with pytest.raises(ValueError, match="worst"):
        paired([0.3, np.nan], [0.3, 0.3])


def test_differences_are_told_beyond_rounding(tmp_path):
    columns = ("data", "seed", "ari", "cpu", "status")
    for folder, rows in {
        "new": [
            ("a", 0, 0.5004, 1, "ok"),
            ("b", 0, 0.7, 1, "ok"),
            ("c", 0, 1, 1, "ok"),
        ],
        "old": [("a", 0, 0.5, 9, "ok"), ("b", 0, 0.9, 9, "ok"), ("d", 0, 1, 1, "ok")],
    }.items():
        (tmp_path / folder).mkdir()
        write(
            tmp_path / folder / "t.csv",
            columns,
            [dict(zip(columns, row, strict=True)) for row in rows],
        )
    said = differences("t", ("data", "seed"), tmp_path / "new", tmp_path / "old")
    assert said == [
        "t: 2 rows in both, 1 differ; 1 only here, 1 only in the repository",
        "  b 0: ari 0.7 here, 0.9 there",
    ]


def test_a_run_goes_on_and_ends_with_what_differs(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("COMITIA_DATA", raising=False)
    monkeypatch.setattr(runs, "BOARDS", ("gagolewski",))
    asked = ["--sets", "iris", "--methods", "single Genie", "--out", str(tmp_path)]
    assert main(["leaderboards", "--seeds", "1", *asked]) == 0
    assert main(["leaderboards", "--seeds", "2", *asked]) == 0
    said = capsys.readouterr()
    assert "2 of 2 jobs done, 1 in" in said.err
    assert said.out.count("leaderboard_gagolewski:") == 2
    rows = read(tmp_path / "leaderboard_gagolewski.csv")
    assert [(row["seed"], row["status"]) for row in rows] == [("0", "ok"), ("1", "ok")]


# -- pages -----------------------------------------------------------------------------


def test_a_missing_figure_of_the_survey_is_the_worst(tmp_path):
    columns = ("variant", "pool", "nmi", "ari")
    rows = [("(3) GTLEC_MM23_1", "MF", 0.99, 0.99), ("(1) Plain_1", "MF", 0.6, 0.5)]
    rows += [("(3) GTLEC_MM23_1", "VS", 0.0, 0.0), ("(1) Plain_1", "VS", 0.2, 0.1)]
    table = [dict(zip(columns, row, strict=True)) for row in rows]
    write(tmp_path / "leaderboard_survey_published.csv", columns, table)
    columns = ("pool", "draw", "method", "nmi_sqrt", "ari", "status")
    rows = [("MF", 1, "default", 0.7, 0.6, "ok"), ("MF", 2, "default", 0.5, 0.4, "ok")]
    rows += [("VS", 1, "default", 0.3, 0.2, "ok")]
    table = [dict(zip(columns, row, strict=True)) for row in rows]
    write(tmp_path / "leaderboard_survey.csv", columns, table)
    pools, found = survey.entries(tmp_path)
    assert pools == ["MF", "VS"]
    means = {one.name: one.mean("nmi", pools) for one in found}
    assert_allclose([means["GTLEC_MM23_1"], means["default"]], [0.495, 0.45])
    told = survey.answer(tmp_path)
    # The one that reads the order of the rows does not count.
    assert "place 1 beside the 1 of its 2 variants" in told
    assert "Plain_1 with 0.400, it is +0.050" in told


def test_sets_of_the_survey_get_clusterings_and_stand_apart(tmp_path):
    X, y = three_groups(90)
    for name in ("single", "pools", "published"):
        (tmp_path / name).mkdir()
    np.savez(tmp_path / "single" / "yeast.npz", X=X, y=y)
    np.savez(tmp_path / "pools" / "VS.npz", members=np.stack([y + 1] * 100, 1), gt=y)
    for measure, value in (("nmi", 0.4), ("ari", 0.3)):
        row = {"data": "yeast", "(3) LWEA_LWGP_TCYB18_2": value}
        write(tmp_path / "published" / f"survey_2026_{measure}.csv", [*row], [row])
    results, asked = tmp_path / "results", ("yeast", "VS")
    survey.run(Options(data=tmp_path, seeds=(0,), sets=asked, results=results))
    pool, *rows = read(results / "leaderboard_survey.csv")
    assert (pool["pool"], pool["method"]) == ("VS", "default")
    assert [row["method"] for row in rows] == [
        *("default", "default, on the table", "eac", "lwea", "lwgp")
    ]
    # Their rows are shuffled together with the classes.
    assert [float(row["ari"]) for row in rows] == [1.0] * 5
    assert survey.entries(results)[0] == ["VS"]
    names, found = survey.entries(results, sets=True)
    assert names == ["yeast"]
    theirs = [one for one in found if not one.is_ours]
    assert [one.mean("nmi", names) for one in theirs] == [0.4]
    told = survey.page(results, tmp_path)
    assert "``default, on the table`` would have place 1" in told
    assert "lwgp, ours" in told


def three_groups(n):
    """Rows of three clear groups, and the groups."""
    y = np.arange(n) % 3
    return np.random.RandomState(0).randn(n, 3) + 20.0 * np.eye(3)[y], y


@pytest.mark.parametrize("board", BOARDS)
def test_pages_of_the_committed_rows_name_file_and_command(board, tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    assert read(RESULTS / f"leaderboard_{board}.csv")
    text = board_page(board, RESULTS, tmp_path)
    assert f"``benchmarks/results/evaluation/leaderboard_{board}.csv``" in text
    assert "``make leaderboards``" in text.replace("\n", " ")
