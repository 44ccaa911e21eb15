"""Files and folders that appear whole, as open as any that a program makes."""

import os
import stat
import sys
import threading

import numpy as np
import pytest

from comitia import Ensemble, Result, method
from comitia._files import atomic_write
from comitia.generate import KMeansGenerator
from tests.fixtures import E6

posix = pytest.mark.skipif(os.name != "posix", reason="modes are for POSIX")


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture(params=[0o022, 0o027, 0o077], ids=oct)
def plain(request, tmp_path):
    """The modes of a plain new file and folder under some umask."""
    before = os.umask(request.param)
    try:
        (tmp_path / "plain").mkdir()
        (tmp_path / "plain" / "file").touch()
        yield mode_of(tmp_path / "plain" / "file"), mode_of(tmp_path / "plain")
    finally:
        os.umask(before)


@posix
def test_results_are_as_open_as_plain_files_and_folders(plain, tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    votes = Ensemble(E6)
    Result.from_estimator(method("weac")(n_clusters=2).fit(votes)).save(made / "result")
    votes.save(made / "votes.npz")
    votes.save(made / "blocks", block_rows=2)
    Ensemble(E6, object_names=list("abcdef")).save(made / "named", block_rows=2)
    X = np.arange(12.0)[:, None]
    KMeansGenerator(2, n_clusters=2, checkpoint=made / "kept").generate(X)
    found = {path: mode_of(path) for path in made.rglob("*")}
    assert len(found) > 15
    assert found == {path: plain[path.is_dir()] for path in found}


@posix
def test_what_is_replaced_keeps_its_mode(tmp_path):
    for mode in (0o600, 0o640, 0o666):
        with atomic_write(tmp_path / "file") as file:
            file.write(b"new")
        (tmp_path / "file").chmod(mode)
        with atomic_write(tmp_path / "file") as file:
            file.write(b"newer")
        assert mode_of(tmp_path / "file") == mode
        assert (tmp_path / "file").read_bytes() == b"newer"
    result = Result.from_estimator(method("weac")(n_clusters=2).fit(Ensemble(E6)))
    folder = result.save(tmp_path / "result")
    for mode in (0o700, 0o775):
        folder.chmod(mode)
        result.save(folder, force=True)
        assert mode_of(folder) == mode


def test_nobody_sets_the_umask(tmp_path, monkeypatch):
    """It belongs to all threads; whoever creates a file meanwhile gets another mode."""

    def refuse(mask):
        raise AssertionError("the umask was set")

    monkeypatch.setattr(os, "umask", refuse)
    for name, how in (("votes.npz", {}), ("blocks", {"block_rows": 2})):
        Ensemble(E6).save(tmp_path / name, **how)
        assert Ensemble.load(tmp_path / name) == Ensemble(E6)


@posix
def test_files_that_other_threads_make_keep_their_mode(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # more writes in less time
    (tmp_path / "mine").touch()
    expected = mode_of(tmp_path / "mine")
    stop = threading.Event()

    def write():
        while not stop.is_set():
            with atomic_write(tmp_path / "result"):
                pass

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads take turns after almost every step
    writers = [threading.Thread(target=write) for _ in range(2)]
    try:
        for writer in writers:
            writer.start()
        modes = set()
        for _ in range(2000):
            (tmp_path / "mine").unlink()
            (tmp_path / "mine").touch()
            modes.add(mode_of(tmp_path / "mine"))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
        sys.setswitchinterval(before)
    assert modes == {expected}
    (tmp_path / "last").touch()
    assert mode_of(tmp_path / "last") == expected
