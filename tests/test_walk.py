"""The way from ``fit`` to the arithmetic is short, for few objects and for many."""

import importlib.util
from pathlib import Path

import pytest

import comitia
from benchmarks.ensembles import planted_labels

FILE = Path(__file__).parents[1] / "tools" / "house.py"


@pytest.fixture(scope="module")
def house():
    spec = importlib.util.spec_from_file_location("house", FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n", [178, 60_000])
@pytest.mark.parametrize(
    ("name", "n_files", "depth"), [("lwea", 15, 10), ("lwgp", 16, 11)]
)
def test_fit_goes_through_few_files(name, n_files, depth, n, house):
    # A tree of 60 000 different rows takes seconds; with less noise they are fewer.
    noise = 0.6 if name == "lwgp" else 0.1
    ensemble = comitia.Ensemble(planted_labels(n, 8, 10, noise)[0])
    estimator = comitia.method(name)(4, random_state=0)
    calls, deepest = house.profiled(lambda: estimator.fit(ensemble))
    files = {Path(file).name for file, _ in calls}
    assert {"base.py", f"{name}.py", "ensemble.py"} < files
    assert len({file for file, _ in calls}) <= n_files, sorted(files)
    assert 3 < deepest <= depth
