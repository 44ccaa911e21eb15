"""The benchmarks run, and judge as they say. Nothing here measures speed."""

import csv
import importlib
import json
import os

import numpy as np
import pytest

from benchmarks import harness
from benchmarks.__main__ import as_table, main, write
from benchmarks.ensembles import planted_labels, uniform_ensemble, voronoi_ensemble
from benchmarks.harness import Row, cpu, peak_mb, run_topic, topics, two_thread_wall


@pytest.mark.filterwarnings("ignore")  # a benchmark may warn; it is no test
@pytest.mark.parametrize("topic", topics())
def test_smoke_scale_of_each_topic_runs(topic, monkeypatch):
    if topic == "linkage":
        pytest.importorskip("fastcluster")
    # Here, where everything is imported; a process of their own is tested below.
    monkeypatch.setenv(harness.SMOKE, "1")
    rows = importlib.import_module(f"benchmarks.bench_{topic}").run("smoke")
    assert rows
    for row in rows:
        assert row.kernel
        assert row.ours_s is None or row.ours_s > 0
        assert row.verdict in (True, False, None)


def test_a_topic_has_a_process_and_rows_of_its_own(monkeypatch):
    monkeypatch.delenv(harness.SMOKE, raising=False)
    rows = run_topic("coassociation", "smoke")
    assert rows
    assert all(isinstance(row, Row) for row in rows)
    assert harness.SMOKE not in os.environ


@pytest.mark.parametrize(
    ("target", "verdict"),
    [
        (None, None),
        (10, True),
        (10.5, False),
        (">= 10 x", True),
        ("≥ 11 ×", False),
        ("<= 0.1 s", True),
        ("<= 99 ms", False),
        ("<= 0.5 GB", True),
        ("<= 399 MB", False),
        ("<= 0.5 GB, >= 10 x", True),
        ("<= 0.5 GB, >= 11 x", False),
    ],
)
def test_a_target_is_met_when_all_its_bounds_are(target, verdict):
    row = Row("kernel", "n=5", 0.1, "peer", 1.0, target, peak_mb=400.0)
    assert row.verdict is verdict


def test_a_bound_on_something_that_was_not_measured_is_missed():
    assert Row("kernel", "n=5", 0.1, target="<= 0.5 GB").verdict is False


def test_a_target_without_a_bound_is_refused():
    with pytest.raises(ValueError, match="has no bound"):
        _ = Row("kernel", "n=5", 0.1, target="fast").verdict


def test_the_ratio_is_that_of_the_times():
    assert Row("kernel", "n=5", 0.5, "peer", 2.0).ratio == 4.0
    assert Row("kernel", "n=5", 0.5).ratio is None


def test_cpu_warms_up_and_then_repeats():
    calls = []
    assert cpu(lambda: calls.append(0), repeats=3) > 0
    assert len(calls) == 4


def array_case(n):
    return lambda: np.ones(n).sum()


def test_peak_memory_is_that_of_the_array_it_makes():
    peak = peak_mb(array_case, 5_000_000, warm_up=(10,))
    assert peak == pytest.approx(40, abs=4)  # pages, and what else the process does


def test_wall_time_is_measured_elsewhere():
    assert 0 < two_thread_wall(array_case, 1000, repeats=2) < 1


def test_a_case_that_fails_is_an_error():
    with pytest.raises(RuntimeError, match="code 1"):
        peak_mb("benchmarks.harness:no_such_case")


def test_thread_pools_are_pinned():
    assert harness.ONE_THREAD["NUMBA_NUM_THREADS"] == "1"
    assert harness.ONE_THREAD["OMP_NUM_THREADS"] == "1"
    assert harness.TWO_THREADS["NUMBA_NUM_THREADS"] == "2"


def test_the_table_says_pass_and_miss_only_when_it_judges():
    rows = [
        ("a", Row("x", "n", 1.0, "p", 2.0, 2)),
        ("b", Row("y", "n", 1.0, "p", 2.0, 3)),
    ]
    judged = as_table(rows).splitlines()
    assert "pass" in judged[1]
    assert "MISS" in judged[2]
    assert "MISS" not in as_table(rows, judged=False)


def test_results_are_kept_as_a_table_with_the_machine_beside_it(tmp_path):
    rows = [Row("x", "n=1", 1.0, "p", 2.0, 3), Row("y", "n=2", 1.0)]
    write(tmp_path, "topic", "full", rows)
    with (tmp_path / "topic.csv").open(newline="") as file:
        first, second = csv.DictReader(file)
    assert (first["kernel"], first["ratio"], first["passed"]) == ("x", "2.0", "False")
    assert second["passed"] == ""
    machine = json.loads((tmp_path / "topic.json").read_text())
    assert machine["cores"] >= 1
    assert "numpy" in machine["versions"]
    assert len([*tmp_path.iterdir()]) == 2


def test_an_unknown_topic_is_refused(capsys):
    with pytest.raises(SystemExit):
        main(["no_such_topic"])
    assert "no topic no_such_topic" in capsys.readouterr().err


@pytest.mark.parametrize("make", [voronoi_ensemble, uniform_ensemble])
def test_ensembles_have_the_size_asked_for_and_come_from_the_seed(make):
    made = make(300, 7, (3, 9), seed=1)
    assert (made.n_objects, made.n_clusterings) == (300, 7)
    assert made.n_clusters_each.min() >= 3
    assert made.n_clusters_each.max() <= 9
    assert made == make(300, 7, (3, 9), seed=1)
    assert made != make(300, 7, (3, 9), seed=2)


def test_planted_labels_without_noise_are_the_partition():
    labels, truth = planted_labels(200, 4, 3, 0.0, sizes=np.array([4.0, 3, 2, 1]))
    for column in labels.T:
        assert len({*zip(column, truth, strict=True)}) == 4
