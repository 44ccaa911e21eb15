"""Ensembles made block by block: the labels of memory, from any source."""

import errno
import os
import pickle
import signal
import threading

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_circles

from comitia import Ensemble, sizes
from comitia._store import BlockWriter
from comitia.distributed import client_for
from comitia.exceptions import ComitiaError, EnsembleFileError
from comitia.generate import (
    FeatureSubset,
    GenieGenerator,
    HierarchicalGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    MixedGenerator,
    NeighborSpectralGenerator,
    Subsample,
    columns,
    executor_row_blocks,
    generate_blocks,
)
from comitia.generate.parquet import ParquetRows
from comitia.generate.sources import (
    ArrayRows,
    MappedRows,
    open_rows,
)

RINGS, _ = make_circles(2500, factor=0.4, noise=0.05, random_state=0)
X = np.c_[RINGS, np.random.RandomState(1).randn(2500) + 40.0]

SPECTRAL = LandmarkSpectralGenerator(
    3, n_clusters=(4, 8), n_landmarks=60, random_state=0
)
KMEANS = KMeansGenerator(4, n_clusters=(3, 9), solver="landmark", random_state=0)
MINIBATCH = KMeansGenerator(
    3, n_clusters=5, solver="minibatch", features=FeatureSubset(0.7), random_state=0
)
GENIE = GenieGenerator(3, n_clusters=(3, 6), random_state=0)
NEIGHBORS = NeighborSpectralGenerator(3, n_clusters=(3, 6), random_state=0)
MIXED = MixedGenerator([GENIE, KMEANS, NEIGHBORS])
ALL = [SPECTRAL, KMEANS, MINIBATCH, GENIE, NEIGHBORS, MIXED]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Samples, pieces and batches so small that there are several of each."""
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE", 900)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE_EACH", 1)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE", 500)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE_EACH", 1)
    monkeypatch.setattr(sizes, "SHAPES_SAMPLE", 600)
    # In blocks they always are.
    monkeypatch.setattr(sizes, "SINGLE_PRECISION_OBJECTS", 1)
    monkeypatch.setattr(sizes, "SAMPLE_BYTES", 20_000)
    monkeypatch.setattr(columns, "PIECE", 700)
    monkeypatch.setattr(
        "comitia.generate.sources.pieces_of.__defaults__", (0, None, 700)
    )
    monkeypatch.setattr(executor_row_blocks, "_SPAN", 1400)


# Dask and its event loop warn of things that are not ours.
DASK = pytest.mark.filterwarnings("ignore::Warning")


def name_of(value):
    if not hasattr(value, "fit"):
        return ""
    return getattr(value, "solver", type(value).__name__)


@pytest.mark.parametrize("block_rows", [1, 333, 2500, 10_000])
@pytest.mark.parametrize("generator", ALL, ids=name_of)
def test_labels_are_those_of_memory(generator, block_rows, tmp_path):
    if block_rows == 1:  # as many files as objects
        data = X[:40]
        generator = clone(generator).set_params(n_clusters=3)
    else:
        data = X
    memory = clone(generator).generate(data)
    found = generate_blocks(clone(generator), data, tmp_path, block_rows=block_rows)
    assert_array_equal(found.codes, memory.codes)
    assert_array_equal(found.n_clusters_each, memory.n_clusters_each)
    assert Ensemble.open(tmp_path).n_objects == len(data)


def write_parquet(folder, data, n_files=3, rows=170):
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder.mkdir(parents=True, exist_ok=True)
    for number, part in enumerate(np.array_split(data, n_files)):
        table = pa.table({f"x{j}": column for j, column in enumerate(part.T)})
        pq.write_table(
            table, folder / f"part-{number:03d}.parquet", row_group_size=rows
        )
    return folder


def sources(tmp_path, data):
    import dask.array as da

    np.save(tmp_path / "rows.npy", data)
    np.save(tmp_path / "fortran.npy", np.asfortranarray(data))
    yield tmp_path / "rows.npy"
    yield str(tmp_path / "fortran.npy")
    yield np.load(tmp_path / "rows.npy", mmap_mode="r")
    yield write_parquet(tmp_path / "parts", data)
    yield write_parquet(tmp_path / "one", data, 1) / "part-000.parquet"
    yield da.from_array(data, chunks=(610, 2))


def test_every_source_gives_the_same_labels(tmp_path):
    memory = clone(SPECTRAL).generate(X)
    for number, source in enumerate(sources(tmp_path, X)):
        folder = tmp_path / f"blocks-{number}"
        found = generate_blocks(clone(SPECTRAL), source, folder, block_rows=500)
        assert_array_equal(found.codes, memory.codes)


@DASK
@pytest.mark.parametrize("generator", [KMEANS, MIXED], ids=name_of)
def test_workers_give_the_same_labels(generator, tmp_path):
    distributed = pytest.importorskip("distributed")
    memory = clone(generator).generate(X)
    with distributed.Client(
        processes=False, n_workers=2, threads_per_worker=1, dashboard_address=":0"
    ) as client:
        for number, source in enumerate(sources(tmp_path, X)):
            found = generate_blocks(
                clone(generator),
                source,
                tmp_path / f"blocks-{number}",
                block_rows=700,
                client=client,
            )
            assert_array_equal(found.codes, memory.codes)
            assert_array_equal(found.groups, memory.groups)


@DASK
def test_workers_read_all_rows_and_this_process_none(tmp_path, monkeypatch):
    distributed = pytest.importorskip("distributed")
    np.save(tmp_path / "rows.npy", X)
    seen, read = set(), MappedRows.read

    def watched(self, start, stop):
        seen.add(threading.current_thread() is threading.main_thread())
        return read(self, start, stop)

    monkeypatch.setattr(MappedRows, "read", watched)
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address=":0"
    ) as client:
        path, folder = tmp_path / "rows.npy", tmp_path / "blocks"
        generate_blocks(clone(KMEANS), path, folder, client=client)
    assert seen == {False}


@DASK
def test_a_worker_that_is_killed_does_not_change_the_labels(tmp_path, monkeypatch):
    monkeypatch.undo()  # other processes have the sizes of the module
    memory = clone(KMEANS).generate(X)
    np.save(tmp_path / "rows.npy", X)
    killed = []
    with client_for(n_workers=2) as client:
        pids = [*client.run(os.getpid).values()]

        def kill(stage, done, total):
            if done == 1:
                os.kill(pids[0], signal.SIGKILL)
                killed.append(pids[0])

        found = generate_blocks(
            clone(KMEANS),
            tmp_path / "rows.npy",
            tmp_path / "blocks",
            block_rows=25,
            client=client,
            on_progress=kill,
        )
        assert_array_equal(found.codes, memory.codes)
    assert killed


def test_members_that_are_fitted_side_by_side_are_the_same(tmp_path, monkeypatch):
    monkeypatch.undo()  # other processes have the sizes of the module
    memory = clone(SPECTRAL).generate(X)
    two = clone(SPECTRAL).set_params(n_jobs=2)
    assert_array_equal(generate_blocks(two, X, tmp_path).codes, memory.codes)


def test_the_generator_labels_new_objects_afterwards(tmp_path):
    generator = clone(SPECTRAL)
    ensemble = generate_blocks(generator, X, tmp_path, block_rows=1000)
    assert_array_equal(generator.transform(X[:50]).T, ensemble.codes[:, :50])


# -- interrupted, damaged, mixed up ---------------------------------------------------


def test_a_call_that_was_stopped_goes_on(tmp_path, monkeypatch):
    seen = []

    def stop(stage, done, total):
        seen.append((stage, done, total))
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate_blocks(clone(KMEANS), X, tmp_path, block_rows=500, on_progress=stop)
    assert seen == [("generate", done, 5) for done in range(3)]
    assert len([*tmp_path.glob("block-*.npy")]) == 2
    with pytest.raises(EnsembleFileError):
        Ensemble.open(tmp_path)
    written = []
    write = BlockWriter.write

    def watched(self, number, codes):
        written.append(number)
        write(self, number, codes)

    monkeypatch.setattr(BlockWriter, "write", watched)
    found = generate_blocks(clone(KMEANS), X, tmp_path, block_rows=500)
    assert written == [2, 3, 4]
    assert_array_equal(found.codes, clone(KMEANS).generate(X).codes)
    # Once more, when all is done: nothing is written.
    generate_blocks(clone(KMEANS), X, tmp_path, block_rows=500)
    assert written == [2, 3, 4]


@pytest.mark.parametrize(
    ("generator", "data", "block_rows"),
    [
        (clone(KMEANS).set_params(random_state=1), X, 500),
        (KMEANS, X + np.eye(1, 3), 500),
        (KMEANS, X[:-1], 500),
        (KMEANS, X, 400),
        (clone(KMEANS).set_params(random_state=None), X, 500),
    ],
    ids=["seed", "data", "rows", "blocks", "no seed"],
)
def test_blocks_of_another_run_are_not_mixed_in(generator, data, block_rows, tmp_path):
    generate_blocks(clone(KMEANS), X, tmp_path, block_rows=500)
    with pytest.raises(EnsembleFileError, match="another run"):
        generate_blocks(clone(generator), data, tmp_path, block_rows=block_rows)


def test_a_full_disk_names_the_block_and_leaves_the_others(tmp_path, monkeypatch):
    save = np.save
    full = OSError(errno.ENOSPC, "No space left on device")

    def saves_two(file, array):
        if len([*tmp_path.glob("block-*.npy")]) == 2:
            raise full
        save(file, array)

    monkeypatch.setattr("comitia._store.np.save", saves_two)
    with pytest.raises(EnsembleFileError, match=r"block-00002\.npy .*No space left"):
        generate_blocks(clone(KMEANS), X, tmp_path, block_rows=500)
    monkeypatch.undo()
    assert [*tmp_path.glob(".unfinished*")] == []
    assert len([*tmp_path.glob("block-*.npy")]) == 2


def test_a_part_that_cannot_be_read_is_named(tmp_path):
    folder = write_parquet(tmp_path / "parts", X)
    rows = open_rows(folder)
    damaged = folder / "part-001.parquet"
    content = bytearray(damaged.read_bytes())
    content[4:2000] = bytes(1996)  # the data, not the list of groups at the end
    damaged.write_bytes(content)
    with pytest.raises(ComitiaError, match=r"rows 835 to \d+ of .*part-001.parquet"):
        generate_blocks(clone(KMEANS), rows, tmp_path / "blocks")
    damaged.write_bytes(b"not parquet")
    with pytest.raises(ComitiaError, match=r"part-001\.parquet cannot be read"):
        open_rows(folder)
    np.save(tmp_path / "cut.npy", X)
    whole = (tmp_path / "cut.npy").read_bytes()
    (tmp_path / "cut.npy").write_bytes(whole[:-100])
    with pytest.raises(ComitiaError, match=r"cut\.npy cannot be read"):
        open_rows(tmp_path / "cut.npy")


def test_a_mapped_file_that_is_gone_for_a_worker_is_named(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    rows = pickle.loads(pickle.dumps(open_rows(tmp_path / "rows.npy")))
    assert isinstance(rows, MappedRows)
    assert_array_equal(rows.read(7, 19), X[7:19])
    there = pickle.dumps(rows)
    (tmp_path / "rows.npy").unlink()
    with pytest.raises(ComitiaError, match=r"rows 1 to 10 of .*rows\.npy"):
        pickle.loads(there).read(0, 10)


# -- what is read ---------------------------------------------------------------------


@pytest.mark.parametrize("start", [0, 1, 169, 170, 833, 834, 2499])
def test_rows_of_parquet_are_those_that_were_written(start, tmp_path):
    rows = open_rows(write_parquet(tmp_path / "parts", X))
    assert len(rows) == 2500
    assert rows.feature_names == ["x0", "x1", "x2"]
    for stop in (start + 1, start + 400, 2500):
        assert_array_equal(rows.read(start, min(stop, 2500)), X[start:stop])


def test_columns_of_parquet_can_be_chosen(tmp_path):
    rows = ParquetRows(write_parquet(tmp_path / "parts", X), ["x2", "x0"])
    assert_array_equal(rows.read(3, 9), X[3:9][:, [2, 0]])
    with pytest.raises(ComitiaError, match="no column 'age'"):
        open_rows(tmp_path / "parts", ["age"])


def test_a_part_of_a_mapped_array_is_read_from_memory(tmp_path):
    np.save(tmp_path / "rows.npy", X)
    part = np.load(tmp_path / "rows.npy", mmap_mode="r")[100:]
    rows = open_rows(part)
    assert isinstance(rows, ArrayRows)
    assert_array_equal(rows.read(0, 5), X[100:105])


def test_what_is_no_table_of_numbers_is_refused(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tmp_path / "text").mkdir()
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "text" / "a.parquet")
    (tmp_path / "empty").mkdir()
    (tmp_path / "table.csv").write_text("1,2\n")
    np.save(tmp_path / "flat.npy", np.arange(5.0))
    np.save(tmp_path / "words.npy", np.array([["a"]]))
    holes = X.copy()
    holes[1234, 1] = np.nan
    for source, words in [
        (tmp_path / "text", "column 'a' of .* holds string"),
        (tmp_path / "empty", "no .parquet file"),
        (tmp_path / "table.csv", "cannot be read in blocks"),
        (tmp_path / "none", "there is no file"),
        (tmp_path / "flat.npy", r"must have shape \(n_objects, n_features\)"),
        (tmp_path / "words.npy", "not a table of numbers"),
        (holes, "X has NaN or infinity in row 1235"),
        (X * 1e300, "powers overflow"),
    ]:
        with pytest.raises(ComitiaError, match=words):
            generate_blocks(clone(KMEANS), source, tmp_path / "blocks")
    assert not (tmp_path / "blocks").exists()


def test_files_that_do_not_fit_together_are_refused(tmp_path):
    folder = write_parquet(tmp_path / "parts", X)
    write_parquet(tmp_path / "other", X[:, :2], 1)
    (tmp_path / "other" / "part-000.parquet").rename(folder / "part-9.parquet")
    with pytest.raises(ComitiaError, match=r"part-9\.parquet has other columns"):
        open_rows(folder)


@pytest.mark.parametrize(
    ("generator", "words"),
    [
        (HierarchicalGenerator(), "HierarchicalGenerator needs all objects"),
        (KMeansGenerator(objects=Subsample()), "objects=Subsample"),
        (KMeansGenerator(solver="lloyd"), "lloyd"),
        (KMeansGenerator(n_clusters=3000), "give at most 2500"),
    ],
)
def test_generators_that_need_all_objects_are_refused(generator, words, tmp_path):
    with pytest.raises(ComitiaError, match=words):
        generate_blocks(generator, X, tmp_path)
    with pytest.raises(ComitiaError, match="block_rows=0"):
        generate_blocks(clone(KMEANS), X, tmp_path, block_rows=0)
