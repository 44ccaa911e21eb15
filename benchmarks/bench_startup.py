"""How long a newcomer waits: imports, the command line, the first consensus, compilers.

Every figure is the CPU time of a process of its own, interpreter included unless
the row says otherwise, best of several. The kernel caches are warm where the row says
so and empty for the compilers.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

from benchmarks.harness import ONE_THREAD, ROOT, Row

FIRST_LWGP = """
import numpy as np
import comitia
labels = np.random.RandomState(0).randint(0, 20, size=({n}, 20))
comitia.method("lwgp")(n_clusters=5, random_state=0).fit(comitia.Ensemble(labels))
"""

# scikit-learn imports pandas where it finds it; what comitia depends on has no pandas.
WITHOUT_PANDAS = "import sys; sys.modules['pandas'] = None\n"


def run(scale: str) -> list[Row]:
    """Rows for the imports, the help, the first LWGP and the slowest compilations."""
    smoke = scale == "smoke"
    repeats = 1 if smoke else 10
    nothing = _process_cpu("-c", "pass", repeats=repeats)
    numpy = _process_cpu("-c", "import numpy", repeats=repeats)
    ours = _process_cpu("-c", "import comitia", repeats=repeats)
    ensemble = _process_cpu("-c", "from comitia import Ensemble", repeats=repeats)
    help_s = _process_cpu("-m", "comitia", "--help", repeats=repeats)
    allowed = 3 * nothing + (numpy - nothing)
    few = 1 if smoke else 5
    n = 100 if smoke else 1000
    first = FIRST_LWGP.format(n=n)
    lwgp, lwgp_pandas = (
        _process_cpu("-c", before + first, repeats=few, warm_up=not smoke)
        for before in (WITHOUT_PANDAS, "")
    )
    sklearn, sklearn_pandas = (
        _process_cpu("-c", before + "import sklearn.base", repeats=few)
        for before in (WITHOUT_PANDAS, "")
    )
    return [
        Row(
            "import comitia",
            "",
            ours,
            "import numpy",
            numpy,
            "<= 1.5 x the peer's time",
            passed=ours <= 1.5 * numpy,
        ),
        Row("from comitia import Ensemble", "", ensemble, "import numpy", numpy),
        Row(
            "comitia --help",
            "",
            help_s,
            "3 (python -c pass) + numpy",
            allowed,
            "<= the peer's time",
            passed=help_s <= allowed,
            note=f"python -c pass takes {nothing:.3f} s",
        ),
        Row(
            "first warm LWGP",
            f"n={n} M=20",
            lwgp,
            target="<= 1.5 s",
            note="whole process, with what comitia depends on; import sklearn.base "
            f"alone takes {sklearn:.2f} s",
        ),
        Row(
            "first warm LWGP, pandas installed",
            f"n={n} M=20",
            lwgp_pandas,
            note=f"import sklearn.base alone takes {sklearn_pandas:.2f} s",
        ),
        *_compilers(most=3 if smoke else 5, smoke=smoke),
    ]


def _process_cpu(*arguments: str, repeats: int, warm_up: bool = False) -> float:
    """Least CPU seconds of a Python process, user and system."""
    best = float("inf")
    for i in range(repeats + warm_up):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        if i >= warm_up:
            best = min(best, spent)
    return best


def _compilers(most: int, smoke: bool) -> list[Row]:
    """The kernels that take longest to compile, callees included, from nothing."""
    command = [sys.executable, "-m", "benchmarks.compile_kernels"]
    if smoke:
        command.append("--smoke")
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env={**os.environ, **ONE_THREAD, "NUMBA_CACHE_DIR": cache},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    idle = answer["not compiled"]
    note = f"of {len(answer['seconds'])} kernels"
    if idle and not smoke:
        note += f"; not called: {', '.join(idle)}"
    slowest = sorted(answer["seconds"].items(), key=lambda item: -item[1])[:most]
    return [
        Row(f"compile {name}", "", seconds, target="<= 4 s", note=note if not i else "")
        for i, (name, seconds) in enumerate(slowest)
    ]
