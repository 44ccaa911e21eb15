"""Fits at the same time, in threads and processes; copies; caches that have no room."""

import copy
import json
import os
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import comitia
from comitia import Ensemble
from tests.hard.methods import ENSEMBLE, METHODS, given, is_on_tables, make

# Kernels of all sorts.
IDS = ("lwea", "lwgp", "voting", "kcc", "sec", "mcla", "womc", "hbgf")


def votes(n=300):
    rng = np.random.RandomState(0)
    truth = np.arange(n) % 4
    noise = rng.randint(0, 4, size=(n, 8))
    return Ensemble(np.where(rng.rand(n, 8) < 0.3, noise, truth[:, None]))


def fit(id, ensemble=None):
    method = comitia.method(id)(n_clusters=4, random_state=0)
    return method.fit(ensemble or votes()).labels_


@pytest.fixture(scope="module")
def alone():
    return {name: fit(name) for name in IDS}


def test_fits_in_threads_give_what_each_gives_alone(alone):
    ids = [*IDS, *IDS[::-1], *IDS]
    gate = threading.Barrier(4)

    def work(id):
        gate.wait(timeout=60)  # four begin at the same moment
        return fit(id)

    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(work, ids)]
    for name, labels in zip(ids, found, strict=True):
        assert_array_equal(labels, alone[name], err_msg=name)


def test_one_ensemble_can_be_combined_in_several_threads(alone):
    """What an Ensemble computes once and keeps is asked for by all at once."""
    for _ in range(3):
        shared = votes()
        with ThreadPoolExecutor(4) as pool:
            found = [*pool.map(partial(fit, ensemble=shared), IDS)]
        for name, labels in zip(IDS, found, strict=True):
            assert_array_equal(labels, alone[name], err_msg=name)


CODE = """
import sys
from concurrent.futures import ThreadPoolExecutor
import multiprocessing
import numpy as np
from comitia import Ensemble
from comitia.partition.vote_winners import cluster_vote
from comitia.represent import coassociation
from comitia.validity.pairs import dunn, silhouette

rng = np.random.RandomState(0)
large = Ensemble(rng.randint(0, 4, size=(140_000, 5)))
small = Ensemble(rng.randint(0, 4, size=(1000, 5)))
X, labels = rng.rand(2500, 4), rng.randint(0, 3, size=2500)

def work(_):
    winners = cluster_vote(large, np.tile(np.arange(4), 5), 4)
    S = coassociation(small)
    sums = winners @ np.arange(len(winners)), S.sum(dtype=float)
    return *sums, silhouette(X, labels), dunn(X, labels)

first = work(0)
if sys.argv[1] == "threads":
    with ThreadPoolExecutor(4) as pool:
        found = [*pool.map(work, range(12))]
else:
    with multiprocessing.get_context("fork").Pool(2) as pool:
        found = pool.map_async(work, range(4)).get(timeout=120)
print(all(each == first for each in found))
"""


@pytest.mark.parametrize("layer", ["workqueue", "omp"])
@pytest.mark.parametrize("kind", ["threads", "forks"])
def test_kernels_on_several_threads_bear_company(kind, layer):
    """Numba's own parallel loops do not.

    Two threads that run them at once end the process where the threading layer is
    workqueue, and a fork of a process that has run one never answers where it is
    OpenMP.
    """
    env = os.environ | {"NUMBA_NUM_THREADS": "2", "NUMBA_THREADING_LAYER": layer}
    done = subprocess.run(
        [sys.executable, "-c", CODE, kind],
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (done.returncode, done.stdout) == (0, "True\n"), done.stderr


def test_no_kernel_is_parallel_by_numba():
    folder = Path(comitia.__file__).parent / "_kernels"
    for path in folder.glob("*.py"):
        assert "parallel=True" not in path.read_text(), path


def test_fits_in_processes_give_what_each_gives_alone(alone):
    """Two processes begin at once, as two users of one machine do."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from tests.hard.test_concurrency import IDS, fit\n"
        "import json; print(json.dumps({id: fit(id).tolist() for id in IDS}))\n"
    )
    root = Path(__file__).parents[2]
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    for process in running:
        out, _ = process.communicate(timeout=300)
        assert process.returncode == 0
        for name, labels in json.loads(out).items():
            assert_array_equal(labels, alone[name], err_msg=name)


def test_the_memory_budget_of_one_thread_is_not_that_of_another():
    seen = {}

    def work(budget):
        with comitia.config.limit(budget):
            gate.wait(timeout=30)
            seen[budget] = comitia.config.memory_budget()
            gate.wait(timeout=30)

    gate = threading.Barrier(2)
    with ThreadPoolExecutor(2) as pool:
        [*pool.map(work, [10**6, 10**7])]
    assert seen == {10**6: 10**6, 10**7: 10**7}


# -- copies ------------------------------------------------------------------------


@pytest.mark.parametrize("cls", METHODS, ids=[cls.card.id for cls in METHODS])
@pytest.mark.filterwarnings("ignore:the ensemble has no groups")
@pytest.mark.filterwarnings("ignore:walks from objects that")
def test_a_fitted_method_can_be_copied_and_fitted_again(cls):
    """tests/test_common.py pickles the methods on tables; graphs and trees are here."""
    arguments, keywords = given(cls)
    if {"labels", "graph"} <= {*cls.card.needs}:
        keywords = {"ensemble": ENSEMBLE}
    fitted = make(cls).fit(*arguments, **keywords)
    before = fitted.labels_.copy()
    twin = copy.deepcopy(fitted)
    if not is_on_tables(cls) or "views" in cls.card.needs:
        twin = pickle.loads(pickle.dumps(twin))
    assert_array_equal(twin.labels_, before)
    assert twin.ensemble_ == fitted.ensemble_
    # A copy that is fitted again leaves the first alone.
    assert_array_equal(twin.fit(*arguments, **keywords).labels_, before)
    twin.labels_[:] = -7
    assert_array_equal(fitted.labels_, before)


# -- the cache of the kernels --------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package in a folder that cannot be written to, without cached kernels."""
    folder = tmp_path_factory.mktemp("installed")
    source = Path(comitia.__file__).parent
    shutil.copytree(
        source, folder / "comitia", ignore=shutil.ignore_patterns("__pycache__")
    )
    _protect(folder, 0o555)
    yield folder
    _protect(folder, 0o755)


def _protect(folder, mode):
    for path in (folder, *folder.rglob("*")):
        if path.is_dir():
            path.chmod(mode)


FIT = """
import warnings
warnings.simplefilter("always")
import comitia
import comitia.sizes
comitia.sizes.FEW_LABELS = 0  # small ensembles do without kernels
fitted = comitia.method("voting")(2, random_state=0).fit(
    comitia.Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
)
print(comitia.__file__, *fitted.labels_)
"""


@pytest.mark.parametrize("home", ["writable", "read-only"])
def test_kernels_are_found_or_compiled_wherever_the_package_is(
    home, installed, tmp_path
):
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("NUMBA_CACHE", "XDG_", "COMITIA"))
    }
    env |= {"PYTHONPATH": str(installed), "HOME": str(tmp_path / "home")}
    env |= {"PYTHONDONTWRITEBYTECODE": "1"}
    (tmp_path / "home").mkdir(mode=0o755 if home == "writable" else 0o555)
    done = subprocess.run(
        _without_root([sys.executable, "-c", FIT]),
        env=env,
        cwd="/",
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f"{installed}/comitia/__init__.py", *"0011"]
    # One warning, not one for each kernel; and none where there is a place.
    assert done.stderr.count("Warning") == (home == "read-only")
    assert ("set NUMBA_CACHE_DIR" in done.stderr) == (home == "read-only")
    # What is read-only was left alone; what is not keeps the kernels.
    assert not [*installed.rglob("*.nbi")]
    kept = [*(tmp_path / "home").rglob("*.nbi")]
    assert bool(kept) == (home == "writable")


def _without_root(command):
    """Root may write anywhere; where the tests run as root, the child does not."""
    if os.geteuid() != 0:
        return command
    setpriv = shutil.which("setpriv")
    if setpriv is None:
        pytest.skip("as root, nothing is read-only, and setpriv is not here")
    caps = "-dac_override,-dac_read_search,-fowner"
    return [setpriv, f"--bounding-set={caps}", f"--inh-caps={caps}", *command]
