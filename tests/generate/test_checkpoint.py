"""Finished members on disk."""

import json
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering

from comitia._files import read_arrays, signed, write_arrays
from comitia._lock import LOCK
from comitia.exceptions import EnsembleFileError, FolderInUseError
from comitia.generate import (
    EstimatorGenerator,
    FuzzyGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    generate_blocks,
)
from comitia.generate._checkpoint import Checkpoint
from tests.test_lock import Child


def test_workers_that_were_elsewhere_before_find_the_folder(tmp_path, monkeypatch):
    X = np.random.RandomState(0).randn(30, 2)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        # joblib keeps its workers, with the folder they were started in.
        made = KMeansGenerator(4, n_jobs=2, checkpoint="kept", random_state=0)
        made.generate(X)
        assert len([*(tmp_path / name / "kept").glob("member-*.npz")]) == 4


def test_two_that_write_to_one_folder_do_not_meet(tmp_path):
    """A thread waits in the middle of its work; this one comes, and is refused."""
    X = np.random.RandomState(0).randn(30, 2)
    alone = KMeansGenerator(4, random_state=0).generate(X)
    begun, go_on = threading.Event(), threading.Event()
    make = KMeansGenerator.fit_member

    def wait(generator, X, plan):
        begun.set()
        assert go_on.wait(60)
        return make(generator, X, plan)

    def generator(seed):
        return KMeansGenerator(4, checkpoint=tmp_path / "kept", random_state=seed)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(1) as pool:
        patch.setattr(KMeansGenerator, "fit_member", wait)
        first = pool.submit(generator(0).generate, X)
        assert begun.wait(60)
        for seed in (0, 1):
            with pytest.raises(FolderInUseError, match="kept is being written by"):
                generator(seed).generate(X)
        go_on.set()
        assert first.result() == alone
    assert generator(0).generate(X) == alone
    assert not [*(tmp_path / "kept").glob(".*")]


def test_blocks_of_a_folder_that_another_process_writes_to_are_not_made(tmp_path):
    X = np.random.RandomState(0).randn(100, 2)
    few = KMeansGenerator(2, n_clusters=3, solver="landmark", random_state=0)
    with Child(tmp_path / "blocks") as other:
        with pytest.raises(FolderInUseError, match=f"by process {other.pid} on"):
            generate_blocks(few, X, tmp_path / "blocks", block_rows=50)
        assert [path.name for path in (tmp_path / "blocks").iterdir()] == [LOCK]
        other.communicate("go on\n")
    made = generate_blocks(few, X, tmp_path / "blocks", block_rows=50)
    assert made == few.generate(X)
    assert not [*(tmp_path / "blocks").glob(".*")]


def test_a_member_that_a_worker_of_an_earlier_run_leaves_behind_is_not_read(tmp_path):
    """Its main process was killed, and the folder cleared for another run."""
    folder = tmp_path / "kept"
    earlier = Checkpoint(folder, "run 1", [{}], 3)
    shutil.rmtree(folder)
    now = Checkpoint(folder, "run 2", [{}], 3)
    earlier.write(0, {"labels": np.zeros(3, int)})
    assert now.read(0) is None
    now.write(0, {"labels": np.ones(3, int)})
    assert list(now.read(0)) == ["labels"]


# -- what was damaged or made up ------------------------------------------------------

X = np.random.RandomState(0).randn(200, 3)
SEEDED = {"n_clusters": 3, "random_state": 0}


def make_again(kept, name, change, generator):
    """Go on with a checkpoint, one file of which has other content."""
    clone(generator).set_params(checkpoint=kept).fit(X)
    path = kept / name
    if name == "run.json":
        path.write_text(change(path.read_text()))
    else:
        write_arrays(path, change(read_arrays(path)))
    return clone(generator).set_params(checkpoint=kept).fit(X)


def other_seed(text):
    return re.sub(r'("seed": )\d+', r"\g<1>7", text, count=1)


def other_seed_signed(text):
    return json.dumps(signed(json.loads(other_seed(text))))


@pytest.mark.parametrize("change", [other_seed, other_seed_signed])
def test_a_seed_that_was_changed_is_noticed(change, tmp_path):
    with pytest.raises(EnsembleFileError, match=r"run\.json"):
        make_again(tmp_path, "run.json", change, KMeansGenerator(4, **SEEDED))


def test_plans_that_lack_something_are_refused(tmp_path):
    def without_seeds(text):
        about = json.loads(text)
        del about["plans"][1]["seed"]
        return json.dumps(signed(about))

    with pytest.raises(EnsembleFileError, match=r"run\.json"):
        make_again(tmp_path, "run.json", without_seeds, KMeansGenerator(4))


@pytest.mark.parametrize(
    "labels",
    [X[:, 0], np.zeros(199, int), np.zeros((200, 1), int), np.full(200, -2), None],
    ids=["floats", "one less", "a column", "below -1", "none"],
)
def test_labels_of_other_objects_are_refused(labels, tmp_path):
    def changed(arrays):
        arrays["labels"] = labels
        return {name: array for name, array in arrays.items() if array is not None}

    with pytest.raises(EnsembleFileError, match=r"member-00001\.npz is damaged"):
        make_again(tmp_path, "member-00001.npz", changed, KMeansGenerator(4, **SEEDED))


@pytest.mark.parametrize(
    "generator",
    [
        KMeansGenerator(4, solver="minibatch", **SEEDED),
        EstimatorGenerator(AgglomerativeClustering(), 4, extend=True, **SEEDED),
        FuzzyGenerator(4, **SEEDED),
    ],
    ids=["columns", "rows", "fuzzy"],
)
@pytest.mark.parametrize("shape", [(3, 2), (3,), (0, 3)])
def test_centers_of_other_features_are_refused(shape, generator, tmp_path):
    with pytest.raises(EnsembleFileError, match="its centers do not fit"):
        make_again(
            tmp_path,
            "member-00001.npz",
            lambda arrays: {**arrays, "centers": np.zeros(shape)},
            generator,
        )


@pytest.mark.parametrize(
    "change",
    [
        {"group_starts": lambda starts: starts + 1},
        {"group_starts": lambda starts: starts[::-1]},
        {"group_starts": lambda starts: starts.astype(float)},
        {"around": lambda around: around + 1},
        {"around": lambda around: around - 1},
        {"around": lambda around: around[1:]},
        {"n_links": lambda n: n + 1000},
        {"n_links": lambda n: n * 0},
        {"landmarks": lambda landmarks: landmarks[1:]},
        {"table": lambda table: table[1:]},
        {"centers": lambda centers: centers[:, 1:]},
        {"gamma": lambda gamma: gamma * np.nan},
    ],
)
def test_landmarks_that_do_not_fit_are_refused(change, tmp_path):
    ((name, edit),) = change.items()
    generator = LandmarkSpectralGenerator(3, n_landmarks=30, **SEEDED)
    with pytest.raises(EnsembleFileError, match="a member in the checkpoint"):
        make_again(
            tmp_path,
            "member-00001.npz",
            lambda arrays: {**arrays, name: np.asarray(edit(arrays[name]))},
            generator,
        )
