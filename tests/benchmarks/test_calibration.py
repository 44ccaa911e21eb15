"""The calibration benchmark runs, and its measure is what it says."""

import numpy as np
import pytest

from benchmarks import calibration


def test_the_error_is_zero_where_what_is_said_comes_true():
    values = np.repeat([0.5, 1.0], 50)
    right = np.r_[np.tile([True, False], 25), np.ones(50, dtype=bool)]
    assert calibration.calibration_error(values, right) == pytest.approx(0.0)
    assert calibration.calibration_error(values, ~right) == pytest.approx(0.5)


def test_right_objects_do_not_depend_on_names():
    right = calibration.right_objects(
        np.array([2, 2, 0, 0, 0]), np.array([0, 0, 1, 1, 0])
    )
    assert right.tolist() == [True, True, True, True, False]


def test_it_runs_and_planted_ensembles_are_calibrated(tmp_path, monkeypatch):
    monkeypatch.setattr(calibration, "data_cases", lambda *_: [])
    cases = [case for case in calibration.planted_cases(0, 600) if "M=20" in case.name]
    monkeypatch.setattr(calibration, "planted_cases", lambda *_: cases[::3])
    found = calibration.main(["--seeds", "1", "--out", str(tmp_path)])
    assert found["planted, ari >= 0.4"]["mean_confidence"] < 0.05
    assert found["planted, ari >= 0.4"]["mean_vote_share"] > 0.1
    for name in ("calibration.csv", "calibration.json", "local/calibration.png"):
        assert (tmp_path / name).stat().st_size > 0
