"""The command line: what is printed, what is written, and what is refused."""

import csv
import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_wine

import comitia
from comitia import Ensemble
from comitia.agreement import adjusted_rand
from comitia.cli import main
from comitia.cli.demo import _write_csv, clustering_weights


@pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"], ["demo", "--help"]])
def test_help_names_the_command(arguments, capsys):
    assert main(arguments) == 0
    assert "demo" in capsys.readouterr().out


def test_version_is_printed(capsys):
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"comitia {comitia.__version__}\n"


def test_help_imports_no_numpy():
    code = (
        "import sys; from comitia.cli import main; main(['--help']); "
        "sys.exit('numpy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["demmo"], "'demmo' is not a command"),
        (["demo", "--fast"], "does not know '--fast'"),
        (["demo", "-o"], "-o needs a folder"),
        (["demo", "--out="], "--out needs a folder"),
    ],
)
def test_what_is_not_understood_is_refused_in_words(arguments, words, capsys):
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert not printed.out


def test_a_file_in_the_place_of_the_folder_is_an_error_in_words(tmp_path, capsys):
    (tmp_path / "taken").write_text("")
    assert main(["demo", "--out", str(tmp_path / "taken")]) == 1
    assert "taken" in capsys.readouterr().err


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Run the demo once: what it printed and where its files are."""
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [sys.executable, "-m", "comitia", "demo", "--out", str(folder / "new")],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    return done.stdout, folder / "new"


def read(path):
    with path.open(newline="") as file:
        return [*csv.DictReader(file)]


def test_demo_prints_the_agreement_of_the_labels_it_wrote(demo):
    printed, folder = demo
    rows = read(folder / "labels.csv")
    labels = [int(row["cluster"]) for row in rows]
    wine = load_wine()
    assert [row["cultivar"] for row in rows] == [*wine.target_names[wine.target]]
    (line,) = (line for line in printed.splitlines() if "known cultivars" in line)
    score = adjusted_rand(np.array(labels), wine.target)
    assert float(line.split()[1]) == pytest.approx(score, abs=5e-4)  # three decimals
    # Worse than this would be worse than a single k-means with three clusters (0.897).
    assert score > 0.8


def test_demo_shows_the_heaviest_and_the_lightest_clusterings(demo):
    printed, folder = demo
    weights = {
        int(row["clustering"]): float(row["clustering_weight"])
        for row in read(folder / "weights.csv")
    }
    assert len(weights) == 50
    head = printed.splitlines().index("  clustering  clusters  weight    ARI")
    shown = [line.split() for line in printed.splitlines()[head + 1 : head + 7]]
    assert [row[4] for row in shown if len(row) > 4] == ["heaviest", "lightest"]
    in_order = sorted(weights.values(), reverse=True)
    got = [weights[int(row[0])] for row in shown]
    assert got == [*in_order[:3], *in_order[-3:]]
    assert [float(row[2]) for row in shown] == [round(weight, 3) for weight in got]


def test_demo_says_where_its_files_are_and_leaves_nothing_else(demo):
    printed, folder = demo
    assert sorted(path.name for path in folder.iterdir()) == [
        "labels.csv",
        "weights.csv",
    ]
    for path in folder.iterdir():
        assert str(path) in printed


def test_weight_of_a_clustering_is_the_mean_over_its_objects():
    rng = np.random.RandomState(0)
    labels = rng.randint(-1, 4, size=(30, 5))
    ensemble = Ensemble(labels)
    weights = rng.rand(ensemble.n_clusters)
    got = clustering_weights(ensemble, weights)
    for m in range(5):
        column = ensemble.labels[:, m]
        own = weights[ensemble.offsets[m] + column[column >= 0]]
        assert_allclose(got[m], own.mean())


def test_a_table_that_fails_leaves_the_old_one_alone(tmp_path):
    path = tmp_path / "table.csv"
    _write_csv(path, ["a"], [[1]])

    def rows():
        yield [2]
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        _write_csv(path, ["a"], rows())
    assert path.read_text() == "a\n1\n"
    assert [*tmp_path.iterdir()] == [path]
