"""Series in time on the command line."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from comitia import TimeSeriesEnsemble
from comitia.agreement import adjusted_rand
from comitia.catalogue import DEFAULT_FOR
from comitia.io import Result
from tests.cli.conftest import read, write

TRUTH = np.repeat([0, 1], 8)


def waves(n_channels=1):
    """Slow and fast waves, each with noise of its own."""
    rng = np.random.RandomState(0)
    t = np.linspace(0, 6, 40)
    clean = np.sin(np.where(TRUTH, 4, 1)[:, None, None] * t)
    return clean + 0.1 * rng.randn(len(TRUTH), n_channels, len(t))


@pytest.fixture
def array(tmp_path):
    np.savez(tmp_path / "waves.npz", X=waves(2), y=TRUTH)
    return "waves.npz"


@pytest.fixture
def table(tmp_path):
    rows = ([f"w{i}", *map(repr, x[0].tolist())] for i, x in enumerate(waves()))
    write(tmp_path / "waves.csv", ["name", *map(str, range(40))], rows)
    return "waves.csv"


def test_an_array_gets_the_default_for_series_and_a_report(run, array):
    code, out, err = run("fit", array, "-k", "2", "--truth", "y")
    assert (code, err) == (0, "")
    assert "16 series of 40 times, 2 channels" in out
    result = Result.load("result")
    assert result.method == DEFAULT_FOR["series"]
    assert adjusted_rand(result.labels, TRUTH) == 1.0
    with open("result/report.html", encoding="utf-8") as file:
        page = file.read()
    for shown in ("Series of the clusters", "Cluster 1, channel 2"):
        assert shown in page
    quartiles = result.details["series"]
    assert quartiles.shape == (2, 3, 2, 40)
    slow = result.labels[0]
    median = np.median(waves(2)[:8], axis=0)
    assert np.allclose(quartiles[slow, 1], median, atol=1e-6)  # kept in float32


def test_rows_are_series_where_that_is_said(run, table):
    code, out, _ = run("fit", table, "--series", "-k", "2", "--json", "--no-report")
    assert code == 0
    assert json.loads(out)["method"] == DEFAULT_FOR["series"]
    assert [row["object"] for row in read_labels()] == [f"w{i}" for i in range(16)]
    code, out, _ = run("fit", table, "-k", "2", "--json", "-o", "plain")
    assert json.loads(out)["method"] != DEFAULT_FOR["series"]
    assert "Series of the clusters" not in Path("plain/report.html").read_text("utf-8")


def read_labels(folder="result"):
    return read(Path(folder) / "labels.csv")


def test_new_series_are_labelled_as_in_python(run):
    known, new = waves() + 100, waves()[::-1, :, ::2] + 100
    np.save("known.npy", known)
    np.save("new.npy", new)
    run("fit", "known.npy", "-k", "2", "--no-report")
    code, out, _ = run("predict", "result", "new.npy", "-o", "new.csv")
    assert code == 0
    assert "16 objects" in out
    expected = TimeSeriesEnsemble(2, random_state=0).fit(known).predict(new)
    found = [int(row["cluster"]) for row in read(Path("new.csv"))]
    assert_array_equal(found, expected)
    assert adjusted_rand(found, TRUTH) == 1.0
    np.save("two.npy", waves(2))
    code, _, err = run("predict", "result", "two.npy", "-o", "two.csv")
    assert code == 1
    assert "2 channels" in err


def test_the_number_of_clusters_is_chosen_in_the_same_way(run, table):
    code, out, _ = run("choose-k", table, "--series", "-k", "2-4", "--json")
    assert code == 0
    chosen = json.loads(out)
    assert chosen["n_clusters"] == 2
    assert "side by side" in chosen["scaling"]
    code, out, _ = run("fit", table, "--series", "-k", "2-4", "--json", "--no-report")
    assert json.loads(out)["n_clusters"] == 2
    fitted = TimeSeriesEnsemble(random_state=0).fit(waves())
    assert fitted.n_clusters_ == 2
    assert len(fitted.n_clusters_probabilities_) > 1


def test_methods_are_compared_on_the_same_clusterings(run, array):
    options = ("-k", "2", "--n-resamples", "0", "--no-report", "--truth", "y")
    code, out, _ = run("compare", array, "-m", "lwea,voting", *options)
    assert code == 0
    assert "50 clusterings of time_series" in out
    labels = read_labels("comparison")
    assert adjusted_rand([row["lwea"] for row in labels], TRUTH) == 1.0
    code, _, err = run("compare", array, "-m", "yang_chen_2011", "-o", "other")
    assert code == 2
    assert "needs series in time" in err
    code, _, err = run("compare", array, "--n-clusterings", "5", "-o", "other")
    assert code == 2
    assert "leave out --generator and --n-clusterings" in err


def test_methods_for_series_are_recommended(run, array):
    code, out, _ = run("recommend", array)
    assert code == 0
    assert out.lstrip().startswith(DEFAULT_FOR["series"])
    assert "comitia fit -m runs them" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "lwea"], "--param method=lwea"),
        (["--scale", "robust"], "--scale is for tables"),
        (["--keep-ids"], "--keep-ids is for tables"),
    ],
)
def test_what_has_no_place_with_series_is_refused(run, array, options, words):
    code, _, err = run("fit", array, "-k", "2", *options)
    assert code == 2
    assert words in err


def test_a_method_for_series_says_how_to_give_them(run, table):
    code, _, err = run("fit", table, "-k", "2", "-m", "yang_chen_2011")
    assert code == 2
    assert "--series" in err
