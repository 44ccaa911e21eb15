"""What a command says of a result that should not be believed."""

import json

import numpy as np
import pytest

from tests.cli.conftest import write

QUICK = ["-m", "lwgp", "--n-clusterings", "5", "--no-report"]


@pytest.fixture
def cloud(tmp_path):
    """A cloud without clusters."""
    path = tmp_path / "cloud.csv"
    write(path, "ab", np.random.RandomState(0).randn(80, 2).tolist())
    return path


def test_the_headline_is_no_confidence_where_one_cluster_would_do(run, cloud):
    code, out, _ = run("fit", cloud, "-k", "2", *QUICK)
    assert code == 0
    assert "confidence" not in out
    said = next(line for line in out.splitlines() if line.startswith("  result"))
    assert ", but one cluster would do" in said
    assert "\n  warning   One cluster would do. There is no gap in the data" in out
    assert max(map(len, out.partition("  warning")[2].splitlines())) <= 80


def test_warnings_are_printed_for_machines_too(run, cloud, blobs):
    found = json.loads(run("fit", cloud, "-k", "2", *QUICK, "--json")[1])
    assert found["warnings"][0]["id"] == "one"
    assert found["warnings"][0]["serious"] is True
    sound = ["--id", "name", "--drop", "class", "-o", "sound"]
    found = json.loads(run("fit", blobs, "-k", "3", *QUICK, *sound, "--json")[1])
    assert "one" not in [each["id"] for each in found["warnings"]]


def test_combine_warns_of_clusterings_that_are_one(run, tmp_path):
    labels = np.repeat([[0], [1], [0], [1]], 3, axis=1).tolist()
    write(tmp_path / "labels.csv", "abc", labels)
    code, out, _ = run("combine", "labels.csv", "-k", "2", "--no-report")
    assert code == 0
    assert "\n  warning   All clusterings are the same. The 3 clusterings are" in out
