"""Run the tests as other processors would, and once on a machine that is kept busy.

    python tools/test_portable.py [--foreign] [-n JOBS] [what pytest is to run]

Libraries choose their code by the processor, and with it the order of their sums: the
last bits differ. OPENBLAS_CORETYPE, NPY_DISABLE_CPU_FEATURES and NUMBA_CPU_NAME make
them choose what another processor would have. Each setting prints the closing line of
pytest, and the whole of its output goes to build/portable.
"""

import argparse
import contextlib
import os
import platform
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

LOGS = Path("build") / "portable"

# OpenBLAS takes a core type at its word: code that the processor cannot run kills the
# process. From the newest to the oldest.
NEEDS = {
    "SkylakeX": {"AVX512_SKX"},
    "Haswell": {"AVX2", "FMA3"},
    "Sandybridge": {"AVX"},
    "Nehalem": {"SSE42"},
}
ASKED_FOR = ("Haswell", "Sandybridge", "SkylakeX")

# Ends with the process that started it, also where that one was killed.
BURN = "import os; p = os.getppid()\nwhile os.getppid() == p: sum(range(10**5))"


class Setting(NamedTuple):
    """One way to run the tests."""

    name: str
    variables: dict[str, str]
    skipped: str = ""
    busy: bool = False


def features() -> set[str]:
    """What the processor can do, by the names that NumPy has for it."""
    from numpy._core._multiarray_umath import __cpu_features__

    return {name for name, has in __cpu_features__.items() if has}


def own_cores() -> set[str]:
    """The core types that OpenBLAS chooses here."""
    import scipy.linalg  # noqa: F401  has an OpenBLAS of its own
    from threadpoolctl import threadpool_info

    return {library.get("architecture", "") for library in threadpool_info()}


def foreign_core(own: set[str], can: set[str]) -> str | None:
    """A core type that the processor can run and is not its own.

    Sandybridge first: it rounds between a product and a sum, as Haswell and all that
    came after it do not.
    """
    for core in ("Sandybridge", "Haswell", "Nehalem"):
        if core not in own and can >= NEEDS[core]:
            return core
    return None


def of_core(core: str, can: set[str]) -> Setting:
    """Tests with the routines that OpenBLAS has for a core type."""
    lacking = ", ".join(sorted(NEEDS[core] - can))
    return Setting(
        f"OPENBLAS_CORETYPE={core}",
        {"OPENBLAS_CORETYPE": core},
        f"the processor lacks {lacking}" if lacking else "",
    )


def without_features() -> Setting:
    """Tests with nothing but what NumPy was built to run everywhere.

    What may be disabled differs between versions: AVX2 and FMA3 by name, or X86_V3.
    """
    from numpy._core._multiarray_umath import __cpu_dispatch__

    names = " ".join(__cpu_dispatch__)
    return Setting(
        f"NPY_DISABLE_CPU_FEATURES={names}", {"NPY_DISABLE_CPU_FEATURES": names}
    )


def all_settings() -> list[Setting]:
    """Every way to run the tests."""
    can = features()
    return [
        *(of_core(core, can) for core in ASKED_FOR),
        without_features(),
        Setting("NUMBA_CPU_NAME=generic", {"NUMBA_CPU_NAME": "generic"}),
        Setting("busy", {}, busy=True),
    ]


def foreign_setting() -> Setting:
    """Tests with the routines of one other core type."""
    can = features()
    core = foreign_core(own_cores(), can)
    if core is None:
        return Setting(
            "OPENBLAS_CORETYPE", {}, f"no other core type for {platform.machine()}"
        )
    return of_core(core, can)


@contextlib.contextmanager
def all_cores_busy() -> Iterator[None]:
    """Keep every core busy with one process more."""
    burning = [
        subprocess.Popen([sys.executable, "-c", BURN])
        for _ in range(os.cpu_count() or 1)
    ]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
        for process in burning:
            process.wait()


def closing_line(output: str) -> str:
    """What pytest says last: how many passed, failed and were skipped."""
    told = re.findall(
        r"^(?:=+ )?(\d+ \w+.* in [\d.]+s.*?)(?: =+)?$", output, re.MULTILINE
    )
    return told[-1] if told else "pytest did not finish"


def passes(setting: Setting, arguments: list[str]) -> bool:
    """Run the tests; print the name of the setting and the closing line of pytest."""
    if setting.skipped:
        print(f"{setting.name}: skipped, {setting.skipped}", flush=True)
        return True
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / (re.sub(r"\W+", "-", setting.name)[:60] + ".log")
    command = [sys.executable, "-m", "pytest", "-q", *arguments]
    load = all_cores_busy() if setting.busy else contextlib.nullcontext()
    with load, log.open("w", encoding="utf-8") as file:
        code = subprocess.run(
            command,
            env=os.environ | setting.variables,
            stdout=file,
            stderr=subprocess.STDOUT,
        ).returncode
    output = log.read_text(encoding="utf-8")
    print(f"{setting.name}: {closing_line(output)}", flush=True)
    if code:
        print(*re.findall(r"^(?:FAILED|ERROR) .*", output, re.MULTILINE), sep="\n")
        print(f"  exit code {code}; see {log}", flush=True)
    return code == 0


def main(arguments: list[str] | None = None) -> int:
    """Run what the arguments ask for; 0 when everything passed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--foreign", action="store_true", help="one core type only")
    parser.add_argument("-n", dest="jobs", default="2", help="number of workers")
    parser.add_argument("tests", nargs="*", help="what pytest runs; all by default")
    options = parser.parse_args(arguments)
    settings = [foreign_setting()] if options.foreign else all_settings()
    passed = [passes(each, ["-n", options.jobs, *options.tests]) for each in settings]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    # Terminated, it ends what it has started, as it does when interrupted.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.exit(main())
