"""--device: the same result, worked out elsewhere."""

import pytest

from tests.cli.conftest import read, write

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

QUICK = ["--id", "name", "--drop", "class", "--n-clusterings", "5", "--no-report"]


def clusters(folder):
    return [row["cluster"] for row in read(folder / "labels.csv")]


@pytest.mark.parametrize("method", ["lwgp", "sec", "voting", "kcc", "gp_mgla"])
def test_fit_gives_the_same_labels_on_a_device(run, blobs, tmp_path, method):
    asked = ["fit", blobs, "-k", "3", "-m", method, *QUICK]
    assert run(*asked, "-o", "here")[0] == 0
    assert run(*asked, "-o", "there", "--device", "torch")[0] == 0
    assert clusters(tmp_path / "there") == clusters(tmp_path / "here")


def test_combine_gives_the_same_labels_on_a_device(run, tmp_path):
    votes = tmp_path / "votes.csv"
    write(votes, "abc", [(0, 0, 1), (0, 0, 1), (1, 1, 0), (1, 1, 0), (1, 0, 0)])
    assert run("combine", votes, "-k", "2", "-o", "here", "--no-report")[0] == 0
    there = ["combine", votes, "-k", "2", "-o", "there", "--no-report"]
    assert run(*there, "--device", "torch")[0] == 0
    assert clusters(tmp_path / "there") == clusters(tmp_path / "here")


@pytest.mark.parametrize(
    ("method", "device", "message"),
    [
        ("lwgp", "abacus", "no device that is known"),
        ("eac", "torch", "runs on the CPU"),
    ],
)
def test_a_device_that_is_of_no_use_is_refused_at_once(
    run, blobs, tmp_path, method, device, message
):
    code, _, err = run("fit", blobs, "-m", method, "--device", device, "-o", "found")
    assert code != 0
    assert message in err
    assert not (tmp_path / "found").exists()
