"""Finished members on disk."""

import numpy as np

from comitia.generate import KMeansGenerator


def test_workers_that_were_elsewhere_before_find_the_folder(tmp_path, monkeypatch):
    X = np.random.RandomState(0).randn(30, 2)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        # joblib keeps its workers, with the folder they were started in.
        made = KMeansGenerator(4, n_jobs=2, checkpoint="kept", random_state=0)
        made.generate(X)
        assert len([*(tmp_path / name / "kept").glob("member-*.npz")]) == 4
