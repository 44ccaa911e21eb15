"""Whatever happens to a file, reading it ends in words or in what was written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

NIGHTLY = os.environ.get("COMITIA_PROFILE") == "nightly"
N_CASES = 2000 if NIGHTLY else 60
ROOT = Path(__file__).parents[2]
ENV = os.environ | {
    "NUMBA_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONPATH": os.pathsep.join(
        [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    ),
}


@pytest.mark.skipif(
    not (hasattr(os, "fork") and Path("/proc/self/statm").exists()),
    reason="every case is a fork with a limit of memory, which Linux has",
)
def test_damaged_and_forged_files_end_in_words_or_in_what_was_written(tmp_path):
    # The suite tries the same cases in every run; the night looks for new ones.
    seed = int.from_bytes(os.urandom(3), "big") if NIGHTLY else 0
    command = ["-m", "tests.hard.damaged", tmp_path, str(N_CASES), str(seed)]
    done = subprocess.run(
        [sys.executable, *command],
        env=ENV,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60 + 10 * N_CASES,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["n_cases"] == N_CASES
    # Number, what it was, what was done to it, how it ended (a negative number is a
    # signal) and the traceback; python -m tests.hard.damaged FOLDER 1 SEED NUMBER
    # makes it once more.
    assert seen["wrong"] == [], f"seed {seed}"
    # Something is refused and something is let through, or nothing was tried.
    assert {"flip_bits: 10", "forge: 10", "forge: 11"} <= seen["seen"].keys()
