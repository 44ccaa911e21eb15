"""The look-alikes have the shapes they are named for, and the benchmark writes."""

import csv
import json

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from benchmarks import scale_features, shapes

# What k-means reaches on the sets of the paper (its table 4), as far as look-alikes do.
KMEANS = {"TB": 0.257, "SF": 0.473, "CC": 0.000, "CG": 0.632, "FL": 0.642}


@pytest.mark.parametrize("name", shapes.SHAPES)
def test_k_means_is_as_lost_as_on_the_original(name):
    X, truth = shapes.draw(name, 10_000, np.random.RandomState(0))
    k = len(shapes.SHAPES[name])
    found = KMeans(k, n_init=3, random_state=0).fit_predict(X)
    # The shapes are drawn after a figure.
    assert normalized_mutual_info_score(truth, found) == pytest.approx(
        KMEANS[name], abs=0.05
    )


def test_circles_have_their_radius_and_share():
    X, truth = shapes.draw("CC", 50_000, np.random.RandomState(0))
    radius = np.hypot(*X.T)
    for c, (share, mean) in enumerate([(0.53, 6.5), (0.33, 4.0), (0.14, 1.6)]):
        assert_allclose((truth == c).mean(), share, atol=0.01)  # of 50 000 draws
        assert_allclose(np.median(radius[truth == c]), mean, atol=0.03)


def test_files_hold_what_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(shapes, "_STEP", 300)
    data, truth = shapes.write(tmp_path, "TB", 1000, seed=3)
    X, y = np.load(data), np.load(truth)
    assert X.shape == (1000, 2)
    assert X.dtype == np.float32
    first, labels = shapes.draw("TB", 300, np.random.RandomState(3))
    assert_array_equal(X[:300], first)
    assert_array_equal(y[:300], labels)


def test_the_benchmark_runs_and_replaces_its_own_lines(tmp_path):
    kept = dict.fromkeys(scale_features.COLUMNS, "") | {"data": "CC"}
    scale_features.write(tmp_path, "CC", [kept], "")
    options = ["TB", "--smoke", "--no-kmeans", "--work", str(tmp_path)]
    assert scale_features.main([*options, "--out", str(tmp_path)]) == 0
    with (tmp_path / "scale_features.csv").open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert [row["data"] for row in rows] == ["CC", "TB"]
    assert float(rows[1]["nmi"]) > 0.9
    about = json.loads((tmp_path / "scale_features.json").read_text())
    assert about["TB"]["versions"]["comitia"]
    assert about["TB"]["command"].endswith("TB --smoke --no-kmeans")
    with pytest.raises(SystemExit):
        scale_features.main(["XX"])
