"""comitia choose-k and comitia compare."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from comitia import Ensemble, evaluate
from comitia.catalogue import DEFAULT_FOR_K, DEFAULT_METHOD
from comitia.cli._comparison import write_page
from comitia.cli._input_files import read_data_or_ensemble
from comitia.cli._options import DataOptions
from comitia.evaluate import Comparison, MethodRow
from comitia.io import Result
from tests.cli.conftest import read, write

QUICK = ["--id", "name", "--drop", "class", "--n-clusterings", "5"]
FEW = ["--n-resamples", "2", "--n-references", "3"]


def test_choose_k_shows_the_criteria_and_the_answer(run, blobs, tmp_path):
    code, out, err = run("choose-k", blobs, "-k", "2-4", *QUICK, *FEW)
    assert (code, err) == (0, "")
    head, *rows = out.splitlines()
    assert head.split()[:4] == ["k", "prob.", "stability", "inconsistency"]
    assert [row.split()[0] for row in rows[:3]] == ["2", "3", "4"]
    # Numbers stand under the names of their criteria; a mark stands behind them.
    ends = {re.match(r" *\S+ +[\w.]+", row).end() for row in (head, *rows[:3], rows[3])}
    assert len(ends) == 1
    assert "\n  k = 3\n" in out
    assert [*tmp_path.iterdir()] == [blobs]


def test_choose_k_for_machines(run, blobs):
    code, out, _ = run("choose-k", blobs, "-k", "2-4", *QUICK, *FEW, "--json")
    assert code == 0
    found = json.loads(out)
    assert found["ks"] == [2, 3, 4]
    assert found["n_clusters"] == 3


def test_choose_k_takes_clusterings(run, blobs, tmp_path):
    run("fit", blobs, "-k", "3", *QUICK, "--n-clusterings", "5", "--no-report")
    fitted = ["fit", blobs, "-k", "3", *QUICK[:-2], "--n-clusterings", "12"]
    run(*fitted, "--no-report", "-o", "made")
    code, out, _ = run("choose-k", "made", "-k", "2-4", *FEW)
    assert code == 0
    assert "k = " in out


def test_fit_looks_through_a_range_of_k(run, blobs, tmp_path, monkeypatch):
    def quickly(X, ks, **settings):
        return choose(X, ks, **settings, n_resamples=2, n_references=3)

    choose = evaluate.choose_k
    monkeypatch.setattr(evaluate, "choose_k", quickly)
    code, out, _ = run("fit", blobs, "-k", "2-4", *QUICK, "--no-report")
    assert code == 0
    assert "\n  k         3, of 1 to 4; probability " in out
    assert "3 clusters" in out
    result = Result.load(tmp_path / "result")
    assert result.choice["ks"] == [2, 3, 4]
    # As choose-k does when no method is named.
    assert (result.method, result.choice["method"]) == (DEFAULT_METHOD, DEFAULT_FOR_K)
    named = ["-m", "lwgp", "-o", "named"]
    run("fit", blobs, "-k", "2-4", *QUICK, "--no-report", *named)
    assert Result.load(tmp_path / "named").choice["method"] == "lwgp"


def test_choose_k_says_that_the_scaling_matters(run, blobs):
    code, out, _ = run("choose-k", blobs, "-k", "2-3", *QUICK, *FEW)
    assert code == 0
    said = " ".join(out.split())
    assert "depends on the scaling; this one is for 3 columns, standardised" in said
    _, out, _ = run("choose-k", blobs, "-k", "2-3", *QUICK, *FEW, "--json")
    assert "depends on the scaling" in json.loads(out)["scaling"]


@pytest.fixture
def label_file(tmp_path):
    """Five noisy copies of three clusters, and the clusters."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    noisy = [
        np.where(rng.rand(60) < 0.2, rng.randint(3, size=60), truth) for _ in "abcde"
    ]
    path = tmp_path / "labels.csv"
    rows = [[*row, "uvw"[c]] for *row, c in zip(*noisy, truth, strict=True)]
    write(path, [*"abcde", "class"], rows)
    return path


def test_compare_reads_a_label_matrix_as_clusterings(run, label_file, tmp_path):
    one = ["-m", "eac", "-k", "3", "--n-resamples", "0", "--no-report"]
    code, out, err = run("compare", label_file, "--truth", "class", *one)
    assert (code, err) == (0, "")
    assert "labels.csv, 5 clusterings of 60 objects" in out
    assert "look like clusterings" in out
    (row,) = read(tmp_path / "comparison" / "leaderboard.csv")
    assert float(row["adjusted_rand"]) > 0.9


def test_what_the_columns_are_can_be_said(label_file):
    how = DataOptions(truth="class")
    given, words = read_data_or_ensemble(str(label_file), how, "features")
    assert given.ensemble is None
    assert words.endswith("60 objects, 5 columns, standardised")
    given, words = read_data_or_ensemble(str(label_file), how, "labels")
    assert given.X is None
    assert given.ensemble.n_clusterings == 5
    assert [*given.about["truth"][:2]] == ["u", "u"]


def test_fit_says_that_columns_look_like_labels(run, label_file, blobs):
    quick = ["-k", "3", "-m", "eac", "--n-clusterings", "4", "--no-report"]
    _, out, _ = run("fit", label_file, "--truth", "class", *quick)
    assert "comitia combine reads them as clusterings" in out
    _, out, _ = run("fit", blobs, "--id", "name", "--drop", "class", *quick, "-o", "b")
    assert "comitia combine" not in out


def test_labels_in_text_are_read_if_asked_for(run, blobs):
    code, out, _ = run("recommend", blobs, "--columns", "class", "--as", "labels")
    assert code == 0
    assert "published pools" in " ".join(out.split())


def test_a_result_folder_has_its_truth(run, blobs):
    fitted = ["fit", blobs, "--id", "name", "-k", "3", "-m", "eac"]
    fitted += ["--n-clusterings", "4", "--no-report"]
    run(*fitted, "--truth", "class", "-o", "known")
    run(*fitted, "--drop", "class", "-o", "unknown")
    for name in ("class", "truth"):
        given, _ = read_data_or_ensemble("known", DataOptions(truth=name))
        assert [*given.about["truth"][::20]] == ["u", "v", "w"]
    _, _, err = run("recommend", "known", "--truth", "klass")
    assert "its known labels are called 'class'" in err
    _, _, err = run("recommend", "unknown", "--truth", "class")
    assert "holds no known labels" in err
    code, out, _ = run("combine", "known", "--truth", "class", "-k", "3", "--no-report")
    assert code == 0
    assert "ARI 1.000" in out


def test_recommend_names_methods_with_reasons(run, blobs, label_file):
    code, out, err = run("recommend", blobs, "--id", "name", "--drop", "class")
    assert (code, err) == (0, "")
    assert out.startswith(f"  {DEFAULT_METHOD}: ")
    assert "where k-means has" in " ".join(out.split())
    for given in ([label_file], ["--labels", label_file]):
        _, out, _ = run("recommend", *given, "--truth", "class", "--json")
        found = json.loads(out)
        assert [each["id"] for each in found["recommended"][:2]] == [
            DEFAULT_METHOD,
            "lwea",
        ]
    code, _, err = run("recommend")
    assert code == 2
    assert "give a table, or label files" in err
    code, _, err = run("recommend", label_file, "--drop", "class", "--weighs", "luck")
    assert code == 2
    assert "weighs='luck'" in err


@pytest.fixture
def compared(run, blobs):
    options = ["-m", "eac,voting", "-k", "3", "--n-resamples", "0"]
    return run("compare", blobs, "--id", "name", "--truth", "class", *options)


def test_compare_writes_what_it_prints(compared, tmp_path, run, blobs):
    code, out, err = compared
    assert (code, err) == (0, "")
    folder = tmp_path / "comparison"
    assert sorted(p.name for p in folder.iterdir()) == [
        "agreement.csv",
        "comparison.json",
        "labels.csv",
        "leaderboard.csv",
        "report.html",
    ]
    board = read(folder / "leaderboard.csv")
    assert {row["id"] for row in board} == {"eac", "voting"}
    assert all(row["status"] == "ok" for row in board)
    assert all(float(row["adjusted_rand"]) == 1.0 for row in board)
    assert "comparison/report.html" in out
    rows = [line.split() for line in out.splitlines() if line.startswith("  eac")]
    assert rows[0][1] == "1.000"
    about = json.loads((folder / "comparison.json").read_text())
    assert about["command"].startswith("comitia compare ")
    page = (folder / "report.html").read_text()
    assert "<code>eac</code>" in page
    assert not re.search("https?://", page)
    # A folder that is there is refused, and replaced with --force.
    again = ["compare", blobs, "--id", "name", "--drop", "class", "-m", "eac"]
    again += ["-k", "2", "--n-resamples", "0"]
    assert run(*again)[0] == 1
    assert run(*again, "--force", "--no-report")[0] == 0
    assert [row["id"] for row in read(folder / "leaderboard.csv")] == ["eac"]
    assert not (folder / "report.html").exists()


def test_the_labels_of_a_comparison_can_be_combined(compared, run, tmp_path):
    labels = tmp_path / "comparison" / "labels.csv"
    with labels.open(newline="") as file:
        head = next(csv.reader(file))
    assert head[0] == "object"
    code, out, _ = run("combine", labels, "--id", "object", "-k", "3", "--no-report")
    assert code == 0
    assert "2 clusterings of 60 objects" in out


FAILED = Comparison(
    rows=[
        MethodRow("eac", "EAC", "ok", seconds=0.5, peak_mb=3.0, n_clusters=3),
        MethodRow("<b>", "B", "timed out", "<script>alert(1)</script>"),
    ],
    agreement=np.array([[1.0, np.nan], [np.nan, np.nan]]),
    labels={"eac": np.zeros(60, dtype=int)},
    ranks={},
    groups=[],
    judged_by=[],
    critical_difference=0.0,
    p_value=1.0,
    n_clusters=3,
    n_resamples=0,
    reason="Only <one> ended.",
)


def test_a_method_that_fails_is_a_row_and_a_sentence(run, blobs, monkeypatch):
    monkeypatch.setattr(evaluate, "compare", lambda *_, **__: FAILED)
    code, out, _ = run("compare", blobs, "-k", "3", *QUICK)
    assert code == 0
    assert "\n  eac     3     0.50   3\n" in out
    assert "\n  <b>     –        –   –\n" in out
    assert "<b> timed out: <script>alert(1)</script>" in out
    assert [row["status"] for row in read(Path("comparison/leaderboard.csv"))] == [
        "ok",
        "timed out",
    ]


def test_text_stays_text_on_the_page(tmp_path):
    path = tmp_path / "report.html"
    write_page(path, FAILED, {"data": "<script>x", "command": "comitia <x>"})
    text = path.read_text()
    assert "<script>x" not in text
    assert "<script>alert" not in text
    assert "&lt;script&gt;x" in text
    assert "comitia &lt;x&gt;" in text


def test_what_is_asked_for_reaches_the_comparison(run, blobs, monkeypatch):
    asked = {}

    def note(X, methods, **settings):
        asked.update(settings, X=X, methods=methods)
        return FAILED

    monkeypatch.setattr(evaluate, "compare", note)
    options = ["--panel", "classic", "--time-limit", "7", "--n-resamples", "4"]
    more = ["--seed", "5", "--memory", "1 GB", "--n-jobs", "2", "--truth", "class"]
    run("compare", blobs, *options, *more, *QUICK)
    assert asked["X"].shape == (60, 3)
    assert asked["methods"] is None
    assert (asked["panel"], asked["time_limit"]) == ("classic", 7.0)
    assert (asked["n_resamples"], asked["random_state"]) == (4, 5)
    assert (asked["memory_limit"], asked["n_jobs"]) == ("1 GB", 2)
    assert asked["generator"].n_clusterings == 5
    assert asked["truth"].tolist() == [*("u" * 20 + "v" * 20 + "w" * 20)]
    # Clusterings in the place of data.
    run("fit", blobs, "-k", "3", *QUICK, "--no-report", "-o", "made")
    run("compare", "made", "-m", "eac, voting", "--force")
    assert isinstance(asked["X"], Ensemble)
    assert asked["methods"] == ["eac", "voting"]
    assert asked["generator"] is None
