"""One writer for each folder: refused in words, and never locked by the dead."""

import json
import os
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

import pytest

from comitia import _lock
from comitia._lock import LOCK, locked
from comitia.exceptions import ComitiaError, ComitiaWarning, FolderInUseError

posix = pytest.mark.skipif(os.name != "posix", reason="files that are open can go")


class Child:
    """A process that holds a lock until it is told to go on, or killed."""

    def __init__(self, folder, before="True"):
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder), before],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout.readline() == "held\n"

    def __enter__(self):
        return self.process

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


HOLD = """
import os, sys
from comitia._lock import locked
with locked(sys.argv[1]):
    if eval(sys.argv[2]):
        print("held", flush=True)
    input()
"""


@pytest.fixture
def no_os_locks(monkeypatch):
    """A file system that knows no locks."""
    monkeypatch.setattr(_lock, "_lock", lambda handle: None)


def left_by(folder, **changes):
    """The lock of another holder."""
    (folder / LOCK).unlink(missing_ok=True)
    with locked(folder):
        about = json.loads((folder / LOCK).read_text()) | changes
    folder.mkdir(exist_ok=True)
    (folder / LOCK).write_text(json.dumps(about))
    return about


def gone():
    """The number of a process that is no more."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_folder_that_another_process_writes_to_is_refused_in_words(tmp_path):
    with Child(tmp_path) as other:
        with pytest.raises(FolderInUseError) as caught, locked(tmp_path):
            pass
        text = str(caught.value)
        assert f"{tmp_path} is being written by process {other.pid} on " in text
        assert f" on {socket.gethostname()} since 20" in text
        assert text.endswith("; wait for it, or give another folder.")
        other.communicate("go on\n")
    with locked(tmp_path):
        assert os.listdir(tmp_path) == [LOCK]
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("beside", [False, True])
def test_a_folder_that_another_thread_writes_to_is_refused(beside, tmp_path):
    refused = []

    def write():
        try:
            with locked(tmp_path / "out", beside=beside):
                pass
        except FolderInUseError as error:
            refused.append(str(error))

    for holds in (True, False):
        with ExitStack() as stack:
            if holds:
                stack.enter_context(locked(tmp_path / "out", beside=beside))
            thread = threading.Thread(target=write)
            thread.start()
            thread.join()
    assert len(refused) == 1
    assert f"process {os.getpid()} on " in refused[0]
    assert os.listdir(tmp_path) == []


@posix
def test_the_lock_of_a_killed_process_is_taken_over_with_a_word(tmp_path):
    with Child(tmp_path) as other:
        other.kill()
        other.wait()
        with (
            pytest.warns(ComitiaWarning, match=f"process {other.pid} on .* ended befo"),
            locked(tmp_path),
        ):
            about = json.loads((tmp_path / LOCK).read_text())
    assert about["pid"] == os.getpid()
    said = []
    with locked(tmp_path, say=said.append):
        pass
    assert said == []


@posix
def test_a_fork_does_not_keep_the_lock_of_a_process_that_was_killed(tmp_path):
    with Child(tmp_path, "os.fork() == 0") as other:
        other.kill()
        other.wait()
        # The fork waits for its input as before.
        said = []
        with locked(tmp_path, say=said.append):
            other.stdin.close()
            assert other.stdout.read() == ""  # it has come to its end
            assert json.loads((tmp_path / LOCK).read_text())["pid"] == os.getpid()
        assert len(said) == 1


def test_one_at_a_time_whoever_comes_and_goes(tmp_path):
    """Locks are made and taken away many times; an update that is lost would show."""
    (tmp_path / "n").write_text("0")
    code = (
        "from pathlib import Path\n"
        "from comitia._lock import locked\n"
        f"n = Path({str(tmp_path / 'n')!r})\n"
        "for _ in range(60):\n"
        "    with locked(n.parent / 'out', beside=True, wait=True, say=print):\n"
        "        n.write_text(str(int(n.read_text()) + 1))\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in running] == [b""] * 3
    assert (tmp_path / "n").read_text() == "180"
    assert os.listdir(tmp_path) == ["n"]


@posix
def test_a_lock_that_was_taken_away_while_it_was_opened_is_none(tmp_path, monkeypatch):
    """One has opened the file, its holder takes it away, and a third one makes it."""
    first, third = ExitStack(), ExitStack()
    first.enter_context(locked(tmp_path))
    lock = _lock._lock

    def late(handle):
        monkeypatch.setattr(_lock, "_lock", lock)
        first.close()
        third.enter_context(locked(tmp_path))
        return lock(handle)

    monkeypatch.setattr(_lock, "_lock", late)
    with third, pytest.raises(FolderInUseError), locked(tmp_path):
        pass


# -- where the file system knows no locks -------------------------------------------


@pytest.mark.usefixtures("no_os_locks")
def test_without_locks_of_the_system_the_file_is_the_lock(tmp_path):
    with locked(tmp_path):
        with pytest.raises(FolderInUseError) as caught, locked(tmp_path):
            pass
        assert f"If that process is gone, delete {tmp_path / LOCK}." in str(
            caught.value
        )
    assert os.listdir(tmp_path) == []


@posix
@pytest.mark.usefixtures("no_os_locks")
def test_without_locks_of_the_system_the_dead_are_recognized(tmp_path):
    pid = gone()
    left_by(tmp_path, pid=pid)
    with pytest.warns(ComitiaWarning, match=f"process {pid} on "), locked(tmp_path):
        assert json.loads((tmp_path / LOCK).read_text())["pid"] == os.getpid()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.usefixtures("no_os_locks")
def test_without_locks_of_the_system_a_number_that_was_given_again_is_seen(tmp_path):
    about = left_by(tmp_path)
    with pytest.raises(FolderInUseError), locked(tmp_path):
        pass
    left_by(tmp_path, started=about["started"] - 1)
    with pytest.warns(ComitiaWarning), locked(tmp_path):
        pass


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "no json", '{"pid": -1, "host": "a", "since": 1e999}']
)
@pytest.mark.usefixtures("no_os_locks")
def test_without_locks_of_the_system_whoever_cannot_be_asked_may_live(text, tmp_path):
    left_by(tmp_path, pid=gone(), host="elsewhere")
    with pytest.raises(FolderInUseError, match="on elsewhere"), locked(tmp_path):
        pass
    (tmp_path / LOCK).write_text(text)
    with pytest.raises(FolderInUseError, match="another process"), locked(tmp_path):
        pass


# -- where the lock is --------------------------------------------------------------


def test_all_names_of_a_folder_have_one_lock(tmp_path, monkeypatch):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder")
    monkeypatch.chdir(tmp_path)
    for beside in (False, True):
        with locked("folder", beside=beside):
            for name in ("link", "./link/../folder", tmp_path / "folder"):
                with pytest.raises(ComitiaError), locked(name, beside=beside):
                    pass


def test_folders_that_were_made_for_the_lock_alone_go_with_it(tmp_path):
    with locked(tmp_path / "a" / "b"):
        pass
    assert os.listdir(tmp_path) == []
    with locked(tmp_path / "a" / "b", beside=True):
        (tmp_path / "a" / "mine").touch()
    assert os.listdir(tmp_path / "a") == ["mine"]


def test_a_link_in_the_place_of_the_lock_is_not_followed(tmp_path):
    (tmp_path / "mine").write_text("mine")
    (tmp_path / LOCK).symlink_to("mine")
    with pytest.raises(ComitiaError, match="must be no link"), locked(tmp_path):
        pass
    assert (tmp_path / "mine").read_text() == "mine"


def test_where_nothing_can_be_written_there_is_no_lock(tmp_path, monkeypatch):
    def closed(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(_lock, "_opened", closed)
    with locked(tmp_path):
        assert os.listdir(tmp_path) == []
    # The lock of another user, who lets nobody look.
    (tmp_path / LOCK).touch()
    with pytest.raises(FolderInUseError, match="another user; wait"), locked(tmp_path):
        pass
