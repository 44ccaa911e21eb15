"""A cluster over TLS, at a tenth of its size, and what an object costs."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import cost_model, tcp_cluster
from benchmarks.scale_page import cluster_runs, costs

ROOT = Path(__file__).parents[2]


# Twenty CPU seconds of starting processes.
@pytest.mark.skipif(
    os.environ.get("COMITIA_PROFILE") != "nightly", reason="a part of the nightly run"
)
@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes the certificate")
def test_a_scheduler_that_is_killed_changes_no_label(tmp_path):
    for package in ("distributed", "pyarrow", "zarr"):
        pytest.importorskip(package)
    module = [sys.executable, "-m", "benchmarks.tcp_cluster", "scheduler", "--smoke"]
    done = subprocess.run(
        [*module, "--runs", "1", "--out", tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    (row,) = tcp_cluster.read(tmp_path)
    assert (row["part"], row["kills"], row["same_labels"]) == ("scheduler", "1", "True")
    assert "was lost." in row["note"]
    assert "go on with --resume." in row["note"]
    assert "Traceback" not in row["note"]
    assert (
        "distributed"
        in json.loads((tmp_path / "tcp_cluster.json").read_text())["versions"]
    )


def test_a_second_call_adds_the_runs_that_are_missing(tmp_path, monkeypatch, capsys):
    class Idle:
        """A cluster that does nothing."""

        def __init__(self, work, memory):
            self.cpu = lambda: 0.0

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    seen = []

    def same(cluster, data, source, draw):
        seen.append((source, draw.random()))
        return {"stages": 1, "kills": 0, "same_labels": len(seen) < 3, "note": ""}

    monkeypatch.setattr(tcp_cluster, "Cluster", Idle)
    monkeypatch.setattr(tcp_cluster, "Data", lambda work, n: None)
    monkeypatch.setitem(tcp_cluster.DO, "slow", same)
    out = ["--out", str(tmp_path)]
    assert tcp_cluster.main(["slow", "--runs", "2", *out]) == 0
    assert tcp_cluster.main(["slow", "--runs", "3", *out]) == 1  # the third differs
    assert [source for source, _ in seen] == ["parquet", "zarr", "parquet"]
    assert len({moment for _, moment in seen}) == 3
    assert [row["run"] for row in tcp_cluster.read(tmp_path)] == ["0", "1", "2"]
    page = cluster_runs(tmp_path)
    assert "a worker stands still" in page
    assert "     - 3\n     - 0\n     - 2\n" in page
    assert cluster_runs(tmp_path / "nothing") == "*Not measured yet.*\n"
    with pytest.raises(SystemExit):
        tcp_cluster.main(["everything", *out])
    assert "no part 'everything'" in capsys.readouterr().err


def test_what_grows_is_told_from_what_does_not(tmp_path):
    seen = [{"labels": [5.0, 1000.0]}, {"labels": [9.0, 3000.0]}]
    (row,) = cost_model.model([100, 300], seen)
    assert row["cpu_us"] == 20_000
    assert row["bytes"] == 10
    assert row["fixed_cpu_s"] == 3
    assert row["cpu_h_1e10"] == pytest.approx(55_555.6)
    assert row["tb_1e10"] == 0.1
    cost_model.write(tmp_path, [row], [100, 300])
    with (tmp_path / "cost_model.csv").open(newline="") as file:
        assert next(csv.DictReader(file))["stage"] == "labels"
    assert "CPU hours at 1e10" in costs(tmp_path)
    assert costs(tmp_path / "nothing") == "*Not measured yet.*\n"
