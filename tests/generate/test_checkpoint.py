"""Finished members on disk."""

import json
import re

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import AgglomerativeClustering

from comitia._files import read_arrays, signed, write_arrays
from comitia.exceptions import EnsembleFileError
from comitia.generate import (
    EstimatorGenerator,
    FuzzyGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
)


def test_workers_that_were_elsewhere_before_find_the_folder(tmp_path, monkeypatch):
    X = np.random.RandomState(0).randn(30, 2)
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        # joblib keeps its workers, with the folder they were started in.
        made = KMeansGenerator(4, n_jobs=2, checkpoint="kept", random_state=0)
        made.generate(X)
        assert len([*(tmp_path / name / "kept").glob("member-*.npz")]) == 4


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
def test_centres_of_other_features_are_refused(shape, generator, tmp_path):
    with pytest.raises(EnsembleFileError, match="its centres do not fit"):
        make_again(
            tmp_path,
            "member-00001.npz",
            lambda arrays: {**arrays, "centres": np.zeros(shape)},
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
        {"centres": lambda centres: centres[:, 1:]},
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
