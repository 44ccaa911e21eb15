"""Kills, full disks, signals and dying workers: nothing lost, nothing half-written."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from sklearn.utils.parallel import delayed

from comitia import _sklearn

# Kills in the suite; the nightly run does more.
NIGHTLY = os.environ.get("COMITIA_PROFILE") == "nightly"
N_KILLS = 300 if NIGHTLY else 6
N_WORKERS_KILLED = 30 if NIGHTLY else 2
ROOT = Path(__file__).parents[2]
# One thread for every process: the machine has other things to do.
ENV = os.environ | {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": str(ROOT),
}
# Quiet: no line of progress, however long a run takes.
OPTIONS = ["-k", "3", "--n-clusterings", "20", "--no-report", "--quiet"]


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path)


def write_data(folder):
    rng = np.random.RandomState(0)
    X = rng.randn(300, 4) + 1.5 * np.eye(4)[np.arange(300) % 3]
    np.save(folder / "data.npy", X)
    return folder / "data.npy"


def comitia(*arguments, code=None, prefix=(), **how):
    """Run the command in a process of its own."""
    command = [sys.executable, "-m", "comitia"]
    if code is not None:
        command = [sys.executable, "-c", code]
    done = subprocess.run(
        [*prefix, *command, *map(str, arguments)],
        env=ENV,
        capture_output=True,
        text=True,
        timeout=300,
        **how,
    )
    assert "Traceback" not in done.stderr
    return done


def labels_of(folder):
    return (folder / "labels.csv").read_bytes()


# Clusterings enough that no machine is done when a signal comes, however late it comes.
ENDLESS = ["fit", "data.npy", "-k", "3", "--n-clusterings", "5000", "--no-report"]

# -- kills -------------------------------------------------------------------------


def test_kills_at_any_moment_lose_nothing(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "tests.hard.killed", tmp_path, str(N_KILLS), "0"],
        env=ENV,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 * N_KILLS,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["kills"] >= N_KILLS
    # Every kill left what was there before, nothing, or a whole result; never a part.
    assert {*seen["states"]} <= {"absent", "old", "new"}
    # Every run came to its end, with the labels of a run that nobody killed.
    assert {*seen["ends"]} == {"new"}
    assert {*seen["codes"]} <= {0}
    assert seen["left over"] == []


def test_a_folder_that_was_taken_away_when_the_kill_came_is_brought_back(tmp_path):
    """Between two renames the old folder has no name of its own."""
    from comitia.io.folder_swap import recover_folder
    from comitia.io.result_files import FILES

    room = tmp_path / "result.partial" / ".unfinished-abc"
    for name, files in {
        "old": ["labels.csv"],
        "new": ["labels.csv", "notes.txt"],  # the user's notes had moved already
    }.items():
        (room / name).mkdir(parents=True)
        for file in files:
            (room / name / file).write_text(name)
    recover_folder(tmp_path / "result", FILES, tmp_path / "result.partial")
    assert (tmp_path / "result" / "labels.csv").read_text() == "old"
    assert (tmp_path / "result" / "notes.txt").exists()
    assert not room.exists()


# -- signals -----------------------------------------------------------------------


# What is started in the background of a shell is told to ignore it.
INTERRUPTIBLE = """
import signal, sys
from comitia.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    ("number", "code", "word"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")],
)
def test_a_signal_leaves_what_it_takes_to_go_on_and_no_process(
    number, code, word, tmp_path
):
    X = np.random.RandomState(0).randn(3000, 20)
    np.save(tmp_path / "data.npy", X)
    command = [sys.executable, "-c", INTERRUPTIBLE, *ENDLESS, "--n-jobs", "2"]
    started = subprocess.Popen(
        command, cwd=tmp_path, env=ENV, stderr=subprocess.PIPE, text=True
    )
    workers = _wait_for_members(started, tmp_path / "result.partial" / "clusterings")
    started.send_signal(number)
    _, err = started.communicate(timeout=120)
    assert started.returncode == code
    assert f"comitia fit: {word}; " in err
    assert "are kept in result.partial; go on with --resume." in err
    assert not (tmp_path / "result").exists()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert alive == []


def _wait_for_members(started, folder):
    """Wait until two clusterings are saved; the worker processes."""
    while len([*folder.glob("member-*")]) < 2:
        assert started.poll() is None, started.stderr.read()
        time.sleep(0.01)
    return psutil.Process(started.pid).children(recursive=True)


# -- disks -------------------------------------------------------------------------


FULL = """
import resource, signal, sys
from comitia.cli import main
import comitia._kernels.label_rows
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
sys.exit(main(sys.argv[2:]))
"""


# Members by k-means are small; others keep what they have seen.
SMALL = [*OPTIONS, "-m", "lwgp", "-o", "result"]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The labels of a run that may write what it likes, kernels too."""
    folder = tmp_path_factory.mktemp("undisturbed")
    done = comitia("fit", write_data(folder), *SMALL, cwd=folder)
    assert done.returncode == 0, done.stderr
    return labels_of(folder / "result")


@pytest.mark.parametrize("most", [50, 5000])
def test_files_that_cannot_be_written_leave_no_half_result(
    most, data, undisturbed, tmp_path
):
    """The first limit stops the very first file; the other one the result."""
    options = ["fit", data, *SMALL]
    # numba keeps no kernels under the limit: they were compiled by the other run.
    done = comitia(most, *options, code=FULL, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert os.strerror(errno.EFBIG) in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "result").exists()
    kept = [*(tmp_path / "result.partial" / "clusterings").glob("member-*")]
    assert ("go on with --resume" in done.stderr) == bool(kept) == (most == 5000)
    if kept:
        done = comitia(*options, "--resume", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert labels_of(tmp_path / "result") == undisturbed
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"data.npy", *["result"] * bool(kept)}


@pytest.mark.parametrize("size", ["32k", "104k"])
def test_a_full_disk_is_said_and_leaves_no_half_result(size, data, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", disk]
    if (
        shutil.which("mount") is None
        or subprocess.run(mount, capture_output=True).returncode
    ):
        pytest.skip("a small disk cannot be mounted here")
    try:
        done = comitia("fit", data, *OPTIONS, "-o", disk / "result")
        assert done.returncode == 1, done.stdout
        assert os.strerror(errno.ENOSPC) in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (disk / "result").exists()
        assert {path.name for path in disk.iterdir()} <= {"result.partial"}
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_folder_that_cannot_be_written_to_is_said(data, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    prefix = ()
    if os.geteuid() == 0:  # root may write anywhere
        if shutil.which("setpriv") is None:
            pytest.skip("as root, nothing is read-only, and setpriv is not here")
        prefix = ("setpriv", "--bounding-set=-dac_override", "--inh-caps=-dac_override")
    done = comitia("fit", data, *OPTIONS, "-o", closed / "result", prefix=prefix)
    assert done.returncode == 1
    assert os.strerror(errno.EACCES) in done.stderr
    assert done.stderr.count("\n") == 1
    assert [*closed.iterdir()] == []


# -- workers -----------------------------------------------------------------------


def test_a_worker_that_dies_is_said_and_its_work_is_done_again(tmp_path):
    X = np.random.RandomState(0).randn(3000, 20)
    np.save(tmp_path / "data.npy", X)
    command = [sys.executable, "-m", "comitia", *ENDLESS, "--n-jobs", "2"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=ENV, stderr=subprocess.PIPE, text=True
    ) as started:
        workers = _wait_for_members(started, tmp_path / "result.partial/clusterings")
        # joblib's helper that watches over shared memory is a child too.
        for worker in workers:
            if "resource_tracker" not in " ".join(worker.cmdline()):
                worker.kill()
                break
        _, err = started.communicate(timeout=120)
    assert started.returncode == 1
    assert "comitia fit: a worker process ended before its work was done" in err
    assert "are kept in result.partial; go on with --resume." in err
    assert not (tmp_path / "result").exists()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert alive == []
    done = comitia(*ENDLESS, "--resume", "--time-limit", "0.5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def _dies_while_it_sends():
    from multiprocessing import connection

    def send_half(self, message):
        os.write(self._handle, bytes(message[: len(message) // 2]))
        os.kill(os.getpid(), signal.SIGKILL)

    connection.Connection._send = send_half
    return b"of this, the first half arrives" * 10


def test_a_worker_that_dies_while_it_hands_over_a_result_is_noticed(monkeypatch):
    """joblib waits for the other half; nobody would end that but the user."""
    monkeypatch.setattr(_sklearn, "_SECONDS_BETWEEN_LOOKS", 0.2)
    with pytest.raises(ChildProcessError, match="a worker process ended before"):
        [*_sklearn.in_workers([delayed(_dies_while_it_sends)(), delayed(abs)(1)], 2)]
    # Those that come after it have workers of their own.
    assert [*_sklearn.in_workers([delayed(abs)(-1), delayed(abs)(2)], 2)] == [1, 2]


def test_workers_of_dask_that_are_killed_at_any_moment_change_no_label(tmp_path):
    pytest.importorskip("distributed")
    module = [sys.executable, "-m", "tests.hard.killed_workers"]
    done = subprocess.run(
        [*module, tmp_path, str(N_WORKERS_KILLED), "0"],
        env=ENV,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120 * (5 + N_WORKERS_KILLED),
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert sum(seen["kills"].values()) == N_WORKERS_KILLED
    assert seen["wrong"] == []
    # Every stage was met as often as any other.
    assert max(seen["kills"].values()) - min(seen["kills"].values()) <= 1
