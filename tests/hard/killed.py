"""Kill ``comitia fit`` at random moments until it is done, again and again.

``OMP_NUM_THREADS=1 python -m tests.hard.killed FOLDER N_KILLS SEED``

Each round begins in an empty folder, or in one with an older result. A process is
started, killed after a moment that is drawn from the time that a whole run takes, and
started again with ``--resume``, until it comes to its end. What lies in the folder is
looked at after every kill. The processes are forks of this one, which has imported
everything, so that kills meet work and not imports. Prints JSON.
"""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import numpy as np

from comitia.cli import main
from comitia.io import Result
from comitia.io.result_files import FILES

OPTIONS = ["-k", "3", "--n-clusterings", "30", "--quiet"]
OLD_SEED, SEED = "7", "0"


def child(arguments):
    """Start ``comitia fit`` in a fork."""
    pid = os.fork()
    if pid == 0:
        os._exit(main(["fit", "data.npy", *OPTIONS, *arguments]))
    return pid


def finish(arguments):
    """Run to the end."""
    return kill_after(100.0, arguments)


def kill_after(seconds, arguments):
    """Run until killed; the exit code, or None if it was killed."""
    pid = child(arguments)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return None if code == -signal.SIGKILL else code


def state_of(folder, old, new):
    """What is to be seen under the name of the result: absent, old, new, or broken."""
    if not folder.exists():
        return "absent"
    names = {path.name for path in folder.iterdir()}
    if not {"labels.csv", "report.html", "result.json"} <= names <= {*FILES}:
        return f"broken: {sorted(names)}"
    try:
        Result.load(folder)
    except ValueError as error:
        return f"broken: {error}"
    labels = (folder / "labels.csv").read_bytes()
    return {old: "old", new: "new"}.get(labels, "broken: other labels")


def run(folder, n_kills, seed):
    """Kill at least so often; what was seen."""
    os.chdir(folder)
    X = np.random.RandomState(0).randn(300, 4) + 1.5 * np.eye(4)[np.arange(300) % 3]
    np.save("data.npy", X)
    # Here, not in a fork: what is imported and compiled now is there in every fork.
    # OpenMP bears that as long as it has one thread.
    assert os.environ["OMP_NUM_THREADS"] == "1"
    assert main(["fit", "data.npy", *OPTIONS, "-o", "warm"]) == 0
    begin = time.monotonic()
    assert finish(["-o", "whole", "--seed", SEED]) == 0
    whole_time = time.monotonic() - begin
    assert finish(["-o", "old", "--seed", OLD_SEED]) == 0
    new, old = (Path(name, "labels.csv").read_bytes() for name in ("whole", "old"))
    draw = random.Random(seed)
    kills, states, codes, ends, left_over = 0, [], [], [], []
    while kills < n_kills:
        number = len(ends)
        place = Path(f"round{number}") / "result"
        place.parent.mkdir()
        replace = number % 2 == 1
        if replace:
            assert finish(["-o", str(place), "--seed", OLD_SEED]) == 0
        options = ["-o", str(place), "--seed", SEED, *["--force"] * replace]
        resume = False
        while True:
            # Some come at once and some very late, where the folder is written.
            code = kill_after(
                whole_time * draw.choice((0.3, 1.0, 1.0)) * draw.random(),
                [*options, *["--resume"] * resume],
            )
            states.append(state_of(place, old, new))
            if code is None:
                kills += 1
            else:
                codes.append(code)
            if states[-1] == "new":
                break
            resume = place.with_name("result.partial").exists()
        ends.append(states[-1])
        # A kill between the result and the tidying up leaves result.partial, and one
        # after that the lock.
        names = {path.name for path in place.parent.iterdir()}
        lock = ".result.comitia-lock"
        left_over += sorted(names - {"result", "result.partial", lock})
    return {
        "kills": kills,
        "states": states,
        "codes": codes,
        "ends": ends,
        "left over": left_over,
    }


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
