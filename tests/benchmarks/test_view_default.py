"""What is clustered where nobody says, on series: the run, and a rival of ours."""

import csv

import numpy as np

from benchmarks import view_default
from benchmarks.series_forms import at_most_long, k_shape
from comitia.agreement import adjusted_rand


def bumps(n_each=6, length=40):
    """Two shapes, a bump and a step, at random places."""
    rng = np.random.RandomState(0)
    series, truth = [], np.repeat([0, 1], n_each)
    for kind in truth:
        at = np.arange(length) - rng.randint(12, 28)
        shape = np.exp(-(at**2) / 8.0) if kind == 0 else np.tanh(at / 3.0)
        series.append(shape + 0.05 * rng.randn(length))
    return np.array(series)[:, None, :], truth


def test_k_shape_finds_shapes_wherever_they_are():
    X, truth = bumps()
    assert adjusted_rand(k_shape(X, 2, seed=0), truth) == 1.0


def test_long_series_are_read_at_fewer_times():
    one = np.arange(2000.0).reshape(2, 1000)
    assert at_most_long(one).shape == (2, 300)
    assert np.array_equal(at_most_long(one[:, :9]), one[:, :9])


def test_a_half_is_scored_and_rows_of_other_fits_are_kept(tmp_path, capsys):
    X, y = bumps()
    (tmp_path / "temporal").mkdir()
    for name in ("one", "two"):
        np.savez(tmp_path / "temporal" / f"{name}.npz", X=X, y=y)
    out = tmp_path / "rows.csv"
    given = ["series", "--data", str(tmp_path), "--out", str(out), "--candidates"]
    view_default.main([*given, "KMeans on values", "--half", "choose"])
    view_default.main([*given, "k-shape;the default", "--half", "confirm"])
    with out.open(newline="") as file:
        rows = [*csv.DictReader(file)]
    assert len({row["set"] for row in rows}) == 2
    assert [row["half"] for row in rows].count("confirm") == 2
    assert "1 sets  k-shape" in capsys.readouterr().out
