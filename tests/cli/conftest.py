"""Small tables, and a folder to be in."""

import csv

import numpy as np
import pytest

from comitia.cli import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Every test runs in an empty folder of its own."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def blobs(tmp_path):
    """Sixty objects in three clusters: names, three features, the known class."""
    rng = np.random.RandomState(0)
    classes = np.repeat([0, 1, 2], 20)
    X = rng.randn(60, 3) + 8 * np.eye(3)[classes]
    write(
        tmp_path / "blobs.csv",
        ["name", "a", "b", "c", "class"],
        ([f"o{i}", *map(repr, x.tolist()), "uvw"[classes[i]]] for i, x in enumerate(X)),
    )
    return tmp_path / "blobs.csv"


@pytest.fixture
def run(capsys):
    """Run a command in this process: code, what it printed, what it complained of."""

    def run(*arguments):
        code = main([str(each) for each in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def write(path, head, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(head)
        writer.writerows(rows)


def read(path):
    with path.open(newline="", encoding="utf-8") as file:
        return [*csv.DictReader(file)]
