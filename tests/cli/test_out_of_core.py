"""Tables in blocks: the same labels as in memory, folders that hold all of them."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import Ensemble
from comitia.generate import executor_row_blocks
from comitia.io import Result, block_results
from tests.cli.conftest import read

X, TRUTH = make_blobs(
    1500, centers=[[0, 0, 0], [9, 0, 0], [0, 9, 9]], n_features=3, random_state=0
)
QUICK = ["--n-clusterings", "4", "--no-report"]
SPECTRAL = ["--generator", "landmark-spectral", "--param", "generator__n_landmarks=60"]


@pytest.fixture
def table(tmp_path):
    np.save(tmp_path / "table.npy", X)
    return tmp_path / "table.npy"


@pytest.fixture
def folder(tmp_path):
    """A folder of Parquet files with a column too many."""
    (tmp_path / "parts").mkdir()
    for number, rows in enumerate(np.array_split(np.arange(len(X)), 3)):
        columns = {f"x{j}": X[rows, j] for j in range(3)}
        columns["note"] = [f"row {i}" for i in rows]
        path = tmp_path / "parts" / f"part-{number}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=190)
    return tmp_path / "parts"


def all_labels(folder):
    return pq.read_table(folder / "labels")


def clusters(folder):
    return all_labels(folder)["cluster"].to_numpy()


def test_labels_are_those_of_memory_for_any_blocks(run, table, folder, tmp_path):
    options = ["-k", "3", *QUICK, *SPECTRAL]
    assert run("fit", table, *options, "-o", "memory")[0] == 0
    expected = [int(row["cluster"]) for row in read(tmp_path / "memory/labels.csv")]
    for number, given in enumerate(
        [
            [table, "--block-rows", "400"],
            [table, "--block-rows", "5000"],
            [folder, "--drop", "note"],
            [folder, "--columns", "x0:x2", "--block-rows", "77"],
        ]
    ):
        code, out, err = run("fit", *given, *options, "-o", f"blocks-{number}")
        assert code == 0, err
        assert "1 500 objects, 3 columns, standardised, in blocks" in out
        assert_array_equal(clusters(tmp_path / f"blocks-{number}"), expected)
    sizes = sorted(map(str, np.bincount(expected)))
    assert all(size in out for size in sizes)


def test_seeds_are_those_of_memory(run, tmp_path, monkeypatch):
    # Without clusters to be found, the starts of the last k-means decide.
    np.save(tmp_path / "noise.npy", np.random.RandomState(0).rand(800, 5))
    options = ["noise.npy", "-k", "7", *QUICK, "--seed", "5", "-m", "sec"]
    options += ["--param", "generator__solver=landmark"]
    assert run("fit", *options, "-o", "memory")[0] == 0
    assert run("fit", *options, "-o", "blocks", "--block-rows", "300")[0] == 0
    expected = [int(row["cluster"]) for row in read(tmp_path / "memory/labels.csv")]
    assert_array_equal(clusters(tmp_path / "blocks"), expected)
    memory, blocks = (Result.load(tmp_path / name) for name in ("memory", "blocks"))
    assert blocks.parameters == memory.parameters
    assert blocks.seed == 5


def test_a_folder_holds_all_labels_and_a_sample(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr(block_results, "_SAMPLE", 200)
    # As many labels as it takes for them to stay in their blocks.
    monkeypatch.setattr("comitia.sizes.FEW_LABELS", 0)
    monkeypatch.setattr("comitia.sizes.FEW_OBJECTS", 0)
    code, out, _ = run(
        "fit", table, "-k", "3", "--n-clusterings", "4", "--block-rows", "600"
    )
    assert code == 0
    assert "result/report.html" in out
    result = tmp_path / "result"
    votes = all_labels(result).to_pandas()
    assert [*votes.columns] == [
        "cluster",
        "confidence",
        "votes_0",
        "votes_1",
        "votes_2",
    ]
    assert len(votes) == len(X)
    assert len([*(result / "labels").iterdir()]) == 3
    shares = votes[["votes_0", "votes_1", "votes_2"]].to_numpy()
    assert_allclose(shares.sum(axis=1), 1.0)
    own = shares[np.arange(len(X)), votes["cluster"]]
    assert votes["confidence"].between(0, 1).all()
    # The sample says which rows it is made of, and agrees with all labels.
    some = Result.load(result)
    rows = some.object_names.astype(int)
    assert 150 < some.n_objects <= 350
    assert_array_equal(some.labels, votes["cluster"].to_numpy()[rows])
    assert_array_equal(some.confidence, votes["confidence"].to_numpy()[rows])
    assert some.scores["mean_confidence"] == pytest.approx(votes["confidence"].mean())
    assert some.scores["mean_vote_share"] == pytest.approx(own.mean())
    assert f"sample of {some.n_objects} of the 1500 objects" in some.notes[-2]
    counts = np.bincount(votes["cluster"])
    assert some.all_sizes == tuple(counts)
    page = (result / "report.html").read_text()
    assert "A sample is shown" in page
    assert f"0 ({counts[0]})" in page
    whole = Ensemble.open(result / "ensemble")
    assert_array_equal(whole.codes[:, rows], some.ensemble.codes)
    assert not (tmp_path / "result.partial").exists()
    assert run("report", result)[0] == 0


def test_every_cluster_is_in_the_sample():
    labels = np.zeros(5000, dtype=np.int32)
    labels[[7, 4321]] = 1
    labels[4000:4300] = 2
    sizes = np.bincount(labels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_results, "_SAMPLE", 100)
        chosen = block_results._sample(labels, sizes)
    assert (np.diff(chosen) > 0).all()
    got = np.bincount(labels[chosen])
    assert got[1] == 2
    assert 50 <= got[2] < 70


def test_json_counts_all_objects(run, table, monkeypatch):
    monkeypatch.setattr(block_results, "_SAMPLE", 100)
    _, out, _ = run("fit", table, "-k", "3", *QUICK, "--block-rows", "600", "--json")
    about = json.loads(out)
    assert about["n_objects"] == 1500
    assert sum(about["sizes"]) == 1500


def test_very_many_rows_are_worked_on_in_blocks(run, table, tmp_path, monkeypatch):
    monkeypatch.setattr("comitia.sizes.MANY_FILE_ROWS", 1000)
    assert "in blocks" in run("fit", table, "-k", "3", *QUICK)[1]
    assert (tmp_path / "result" / "labels").is_dir()
    # What needs the whole table has it.
    code, out, _ = run("fit", table, "-k", "3", *QUICK, "--impute", "knn", "--force")
    assert code == 0
    assert "in blocks" not in out
    # Nothing of the result before is left.
    assert not (tmp_path / "result" / "labels").exists()
    assert len(read(tmp_path / "result" / "labels.csv")) == 1500


@pytest.mark.filterwarnings("ignore::Warning")  # Dask's own
def test_workers_give_the_same_labels(run, table, tmp_path):
    import distributed

    options = [table, "-k", "3", *QUICK, "--block-rows", "500"]
    run("fit", *options, "-o", "alone")
    with distributed.LocalCluster(
        processes=False,
        protocol="tcp://",
        n_workers=2,
        threads_per_worker=1,
        dashboard_address=":0",
    ) as cluster:
        code, _, err = run(
            "fit", *options, "-o", "shared", "--scheduler", cluster.scheduler_address
        )
    assert code == 0, err
    assert all_labels(tmp_path / "shared").equals(all_labels(tmp_path / "alone"))


def test_names_and_known_labels_stand_beside_the_labels(run, tmp_path, monkeypatch):
    monkeypatch.setattr(block_results, "_SAMPLE", 200)
    ids = np.array([f"o{i}" for i in range(len(X))])
    classes = np.array([*"uvw"])[TRUTH].astype(object)
    classes[::7] = None
    columns = {"who": ids, "x": X[:, 0], "kind": classes, "y": X[:, 1], "z": X[:, 2]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=190)
    options = ["t.parquet", "--id", "who", "--truth", "kind", "-k", "3", *QUICK]
    code, out, err = run("fit", *options, "--block-rows", "400", "-o", "blocks")
    assert code == 0, err
    assert "3 columns" in out
    found = all_labels(tmp_path / "blocks")
    assert found.column_names[:2] == ["object", "cluster"]
    assert found.column_names[-1] == "truth"
    assert_array_equal(found["object"].to_numpy(), ids)
    assert found["truth"].to_pylist() == classes.tolist()
    some = Result.load(tmp_path / "blocks")
    rows = [int(name[1:]) for name in some.object_names]
    assert_array_equal(some.labels, found["cluster"].to_numpy()[rows])
    known = ["" if each is None else each for each in classes[rows]]
    assert some.truth.tolist() == known
    assert "ARI 1.000, NMI 1.000 to kind" in out
    # Without being asked, from so many rows on; the agreement is that of memory.
    assert run("fit", *options, "-o", "memory")[1].count("to kind") == 1
    monkeypatch.setattr("comitia.sizes.MANY_FILE_ROWS", 1000)
    assert "in blocks" in run("fit", *options, "-o", "asked")[1]
    scores = [Result.load(tmp_path / each).scores for each in ("memory", "asked")]
    for name in ("truth_adjusted_rand", "truth_nmi_sqrt"):
        assert scores[0][name] == pytest.approx(scores[1][name])
    code, _, err = run(
        "fit", *options[:2], "whom", *QUICK, "--block-rows", "9", "-o", "none"
    )
    assert code == 1
    assert "id='whom' is no column; did you mean who?" in err


def test_a_column_of_an_array_names_the_objects(run, tmp_path):
    np.save(tmp_path / "t.npy", np.column_stack([7 * np.arange(len(X)), X]))
    options = ["t.npy", "--id", "1", "-k", "3", *QUICK, "--block-rows", "400"]
    code, _, err = run("fit", *options)
    assert code == 0, err
    names = all_labels(tmp_path / "result")["object"].to_pylist()
    assert names == [str(7 * i) for i in range(len(X))]
    assert Result.load(tmp_path / "result").feature_names == (
        "column 2",
        "column 3",
        "column 4",
    )


def mixed(n):
    """Columns of every kind: a name, numbers with gaps, yes/no, text, dates, 7s."""
    rng = np.random.RandomState(1)
    kind = rng.randint(3, size=n)
    income = 9.0 * kind + rng.randn(n)
    return {
        "who": [f"K{i}" for i in range(n)],
        "row": np.arange(n),
        "age": pa.array(20 - 9.0 * kind + rng.randn(n), mask=rng.rand(n) < 0.1),
        "income": income,
        "member": np.where(rng.rand(n) < 0.5, "yes", "no"),
        "region": pa.array(rng.choice([*"nsw"], n), mask=rng.rand(n) < 0.05),
        "since": [f"{1 + i % 9}/{1 + i % 28}/2026" for i in range(n)],
        "seven": np.full(n, 7),
        "paid": rng.rand(n) < 0.3,
    }


def test_columns_of_all_kinds_are_prepared_as_in_memory(run, tmp_path):
    columns = mixed(900)
    pq.write_table(pa.table(columns), tmp_path / "t.parquet", row_group_size=200)
    method = ["-k", "3", *QUICK, "-m", "lwgp", "--param", "generator__solver=landmark"]
    options = ["t.parquet", *method, "--dates", "number"]
    code, out, err = run("fit", *options, "-o", "blocks", "--block-rows", "170")
    assert code == 0, err
    assert "'who' (id, names the rows), 'row' (id), 'seven' (constant)" in out
    # Blocks do not look for the nearest rows.
    options += ["--impute", "median"]
    assert run("fit", *options, "-o", "memory")[0] == 0
    blocks, memory = (Result.load(tmp_path / name) for name in ("blocks", "memory"))
    assert_array_equal(blocks.labels, memory.labels)
    assert blocks.object_names.tolist() == columns["who"]
    assert blocks.feature_names == memory.feature_names
    for name in ("columns", "form", "form_reason", "scale"):
        assert blocks.preparation[name] == memory.preparation[name]
    # In memory a better way to fill values in is named, which blocks do not have.
    assert blocks.notes[1] == re.sub(r" with medians \(.*?\)", "", memory.notes[1])
    table = pa.table(columns).to_pandas()
    assert_allclose(blocks.prepare(table), memory.prepare(table), rtol=1e-9, atol=1e-12)
    # New rows are labelled by both alike, and as the rows of the blocks are.
    assert_array_equal(blocks.label_new(table).labels, memory.label_new(table).labels)
    assert run("predict", "blocks", "t.parquet", "-o", "new.csv", "--quiet")[0] == 0
    assert read(tmp_path / "new.csv")[5]["object"] == "K5"


@pytest.mark.parametrize("how", ["--scale robust", "--categorical gower"])
def test_other_codings_are_those_of_memory_too(how, run, tmp_path):
    columns = mixed(300)
    (tmp_path / "parts").mkdir()
    pq.write_table(pa.table(columns), tmp_path / "parts" / "t.parquet")
    options = ["-k", "3", *QUICK, "-m", "lwgp", *how.split()]
    assert run("fit", "parts", *options, "-o", "blocks")[0] == 0
    options += ["--impute", "median"]
    assert run("fit", "parts/t.parquet", *options, "-o", "memory")[0] == 0
    table = pa.table(columns).to_pandas()
    X, Y = (
        Result.load(tmp_path / name).prepare(table) for name in ("blocks", "memory")
    )
    assert_allclose(X, Y, rtol=1e-9, atol=1e-12)


def test_holes_in_an_array_are_filled_block_by_block(run, tmp_path, monkeypatch):
    monkeypatch.setattr("comitia.sizes.MANY_FILE_ROWS", 1000)
    holes = X.copy()
    holes[3, 1] = np.nan
    np.save(tmp_path / "holes.npy", holes)
    _, out, _ = run("fit", "holes.npy", "-k", "3", *QUICK)
    assert "in blocks" in out
    assert "1 missing value filled in" in out
    holes[4, 0] = np.inf
    np.save(tmp_path / "holes.npy", holes)
    code, _, err = run("fit", "holes.npy", "-k", "3", *QUICK, "--force")
    assert code == 1
    assert "'column 1' has 1 infinite value, the first in row 5" in err


# -- interrupted ----------------------------------------------------------------------


def test_an_interrupted_run_goes_on_with_the_same_result(
    run, table, tmp_path, monkeypatch
):
    options = [table, "-k", "3", *QUICK, "--block-rows", "300"]
    run("fit", *options, "-o", "whole")
    codes = executor_row_blocks._Labeler.codes
    left = [3]

    def stop(self, rows):
        if left[0] == 0:
            raise KeyboardInterrupt
        left[0] -= 1
        return codes(self, rows)

    monkeypatch.setattr(executor_row_blocks._Labeler, "codes", stop)
    code, _, err = run("fit", *options)
    assert code == 130
    assert "3 blocks are kept in result.partial; go on with --resume" in err
    assert not (tmp_path / "result").exists()
    code, _, err = run("fit", *options[:-1], "299", "--resume")
    assert code == 1
    assert "belongs to a run with other data or options" in err
    left[0] = 2  # of five
    code, _, err = run("fit", *options, "--resume")
    assert code == 0, err
    assert all_labels(tmp_path / "result").equals(all_labels(tmp_path / "whole"))
    assert not (tmp_path / "result.partial").exists()


def test_a_client_that_is_killed_resumes(run, table, tmp_path):
    options = ["fit", "table.npy", "-k", "3", *QUICK, "--block-rows", "2"]
    started = subprocess.Popen(
        [sys.executable, "-m", "comitia", *options],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "NUMBA_NUM_THREADS": "1"},
    )
    blocks = tmp_path / "result.partial" / "ensemble"
    while len([*blocks.glob("block-*")]) < 3 and started.poll() is None:
        time.sleep(0.01)
    started.send_signal(signal.SIGKILL)
    assert started.wait() == -signal.SIGKILL
    n_kept = len([*blocks.glob("block-*")])
    assert 3 <= n_kept < 750
    before = (blocks / "block-00001.npy").stat().st_mtime_ns
    assert run(*options, "--resume")[0] == 0
    kept = tmp_path / "result" / "ensemble" / "block-00001.npy"
    assert kept.stat().st_mtime_ns == before
    run(*options[:-1], "5000", "-o", "whole")
    assert_array_equal(clusters(tmp_path / "result"), clusters(tmp_path / "whole"))


def test_a_full_disk_leaves_the_blocks(run, table, tmp_path):
    def full(*arguments):
        raise OSError(28, "No space left on device")

    options = [table, "-k", "3", *QUICK, "--block-rows", "500"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyarrow.parquet.write_table", full)
        code, _, err = run("fit", *options)
    assert code == 1
    assert "part-00000.parquet could not be written" in err
    assert "3 blocks are kept" in err
    assert not (tmp_path / "result").exists()
    code, _, err = run("fit", *options, "--resume")
    assert code == 0, err


# -- refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-m", "lwea"], "lwea does not work on row blocks"),
        (
            ["--generator", "mixture"],
            "--generator mixture needs .*; use kmeans or landmark-spectral",
        ),
        (["-k", "2-5"], "-k must be one number"),
        (
            ["-m", "consensus", "--approximate", "landmarks"],
            "--approximate needs the whole table",
        ),
        (["--form", "alike"], "--form alike needs the whole table"),
        (["--impute", "knn"], "--impute knn needs the whole table"),
        (["--categorical", "famd"], "--categorical famd needs the whole table"),
        (["--must-link", "pairs.csv"], "takes no constraints|constraints are not"),
        (["--workers", "2", "--scheduler", "tcp://x:1"], "leave out --workers"),
        (["--workers", "0"], "--workers 0 must be at least 1"),
    ],
)
def test_what_needs_the_whole_table_is_refused(options, words, run, table, tmp_path):
    code, _, err = run("fit", table, "--block-rows", "300", *QUICK, *options)
    assert code in (1, 2)
    assert re.search(words, err)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["table.npy"]


def test_blocks_without_rows_are_refused(run, table, tmp_path):
    code, _, err = run("fit", table, "-k", "3", "--block-rows", "0")
    assert code == 2
    assert "--block-rows 0 must be at least 1" in err
    assert not (tmp_path / "result.partial").exists()


def test_a_result_is_no_data(run, table, tmp_path):
    assert run("fit", table, "-k", "3", *QUICK, "--block-rows", "900")[0] == 0
    code, _, err = run("fit", "result", "-k", "3", "-o", "second")
    assert code == 1
    assert "result is the folder of a result; give that of the data" in err


def test_what_is_no_table_in_blocks_is_refused(run, folder, blobs, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "_old.parquet").write_bytes(b"")
    for given, words in [
        ([folder, "--drop", "nothing"], "nothing"),
        (["empty"], "holds no .parquet file"),
        ([blobs, "--block-rows", "5"], "is not read in blocks"),
    ]:
        code, _, err = run("fit", *given, "-k", "2")
        assert code in (1, 2)
        assert re.search(words, err)
        assert not (tmp_path / "result").exists()
        assert not (tmp_path / "result.partial").exists()
