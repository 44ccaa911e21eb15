"""--approximate: quadratic methods on a sample."""

from comitia.represent import landmark_labels as landmarks
from tests.cli.conftest import read

QUICK = ["--id", "name", "--drop", "class", "--n-clusterings", "5", "--no-report"]


def test_a_quadratic_method_runs_on_landmarks(run, blobs, tmp_path, monkeypatch):
    monkeypatch.setattr(landmarks.draw_landmarks, "__defaults__", (20,))
    asked = ["fit", blobs, "-k", "3", "-m", "eac", *QUICK]
    assert run(*asked, "-o", "all")[0] == 0
    assert run(*asked, "-o", "some", "--approximate", "landmarks")[0] == 0
    both = [
        [row["cluster"] for row in read(tmp_path / name / "labels.csv")]
        for name in ("all", "some")
    ]
    assert len(both[0]) == len(both[1]) > 20
    # Blobs that are far apart: the same partition, whatever the names.
    assert len(set(zip(*both, strict=True))) == 3


def test_what_is_not_approximated_is_refused_at_once(run, blobs, tmp_path):
    asked = ["fit", blobs, "-k", "3", "-m", "lwgp", "--approximate", "landmarks"]
    code, _, err = run(*asked, "-o", "found")
    assert code != 0
    assert "not approximated by landmarks" in err
    assert not (tmp_path / "found").exists()
