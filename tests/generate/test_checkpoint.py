"""Finished members on disk."""

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from comitia._lock import LOCK
from comitia.exceptions import FolderInUseError
from comitia.generate import KMeansGenerator, generate_blocks
from comitia.generate.checkpoint import Checkpoint
from tests.test_lock import Child


def test_workers_that_were_elsewhere_before_find_the_folder(tmp_path, monkeypatch):
    X = np.random.RandomState(0).randn(30, 2)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        # joblib keeps its workers, with the folder they were started in.
        made = KMeansGenerator(4, n_jobs=2, checkpoint="kept", random_state=0)
        made.generate(X)
        assert len([*(tmp_path / name / "kept").glob("member-*.npz")]) == 4


def test_two_that_write_to_one_folder_do_not_meet(tmp_path):
    """A thread waits in the middle of its work; this one comes, and is refused."""
    X = np.random.RandomState(0).randn(30, 2)
    alone = KMeansGenerator(4, random_state=0).generate(X)
    begun, go_on = threading.Event(), threading.Event()
    make = KMeansGenerator._make

    def wait(generator, X, plan):
        begun.set()
        assert go_on.wait(60)
        return make(generator, X, plan)

    def generator(seed):
        return KMeansGenerator(4, checkpoint=tmp_path / "kept", random_state=seed)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(KMeansGenerator, "_make", wait)
        first = pool.submit(generator(0).generate, X)
        assert begun.wait(60)
        for seed in (0, 1):
            with pytest.raises(FolderInUseError, match="kept is being written by"):
                generator(seed).generate(X)
        go_on.set()
        assert first.result() == alone
    assert generator(0).generate(X) == alone
    assert not [*(tmp_path / "kept").glob(".*")]


def test_blocks_of_a_folder_that_another_process_writes_to_are_not_made(tmp_path):
    X = np.random.RandomState(0).randn(100, 2)
    few = KMeansGenerator(2, n_clusters=3, solver="landmark", random_state=0)
    with Child(tmp_path / "blocks") as other:
        with pytest.raises(FolderInUseError, match=f"by process {other.pid} on"):
            generate_blocks(few, X, tmp_path / "blocks", block_rows=50)
        assert [path.name for path in (tmp_path / "blocks").iterdir()] == [LOCK]
        other.communicate("go on\n")
    made = generate_blocks(few, X, tmp_path / "blocks", block_rows=50)
    assert made == few.generate(X)
    assert not [*(tmp_path / "blocks").glob(".*")]


def test_a_member_that_a_worker_of_an_earlier_run_leaves_behind_is_not_read(tmp_path):
    """Its main process was killed, and the folder cleared for another run."""
    folder = tmp_path / "kept"
    earlier = Checkpoint(folder, "run 1", [{}])
    shutil.rmtree(folder)
    now = Checkpoint(folder, "run 2", [{}])
    earlier.write(0, {"labels": np.zeros(3)})
    assert now.read(0) is None
    now.write(0, {"labels": np.ones(3)})
    assert list(now.read(0)) == ["labels"]
