"""Ensembles from any clusterer; killed runs go on as if nothing had happened."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

from comitia import Ensemble
from comitia.exceptions import ComitiaError, EnsembleFileError
from comitia.generate import (
    EstimatorGenerator,
    FeatureSubset,
    KMeansGenerator,
    LittleBootstraps,
    RandomProjection,
    Subsample,
)
from comitia.generate.member import Member
from tests.fixtures import same_partition

X, TRUTH = make_blobs(150, centers=3, n_features=4, random_state=0)
MIXED = [AgglomerativeClustering(), GaussianMixture(reg_covar=1e-3)]


def test_clusterers_take_turns_and_are_recorded():
    generator = EstimatorGenerator(MIXED, 5, n_clusters=3, random_state=0).fit(X)
    assert generator.ensemble_.groups.tolist() == [
        "AgglomerativeClustering",
        "GaussianMixture",
        "AgglomerativeClustering",
        "GaussianMixture",
        "AgglomerativeClustering",
    ]
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(TRUTH, labels) > 0.9


def test_parameters_are_drawn_from_their_lists():
    generator = EstimatorGenerator(
        AgglomerativeClustering(),
        30,
        n_clusters=4,
        parameters={"linkage": ["single", "ward"]},
        random_state=0,
    )
    columns = {tuple(labels) for labels in generator.generate(X).labels.T}
    assert len(columns) == 2  # one for each linkage


def test_a_member_is_the_clusterer_on_its_sample():
    generator = EstimatorGenerator(
        KMeans(n_init=2), 3, n_clusters=3, objects=Subsample(0.5), random_state=0
    ).fit(X)
    ensemble = generator.ensemble_
    assert ensemble.kind == "partial"
    assert_array_equal((ensemble.labels >= 0).sum(axis=0), 75)
    rows = ensemble.labels[:, 0] >= 0
    again = KMeans(3, n_init=2, random_state=generator.plan(X, rng())[0]["seed"])
    assert same_partition(again.fit_predict(X[rows]), ensemble.labels[rows, 0])


def rng():
    return np.random.RandomState(0)


@pytest.mark.parametrize("model", [KMeans(n_init=1), AgglomerativeClustering()])
def test_objects_outside_the_sample_can_be_extended(model):
    generator = EstimatorGenerator(
        model, 4, n_clusters=3, objects=Subsample(0.4), extend=True, random_state=0
    ).fit(X)
    assert generator.ensemble_.kind == "hard"
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(TRUTH, labels) > 0.9
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


def test_little_bootstraps_share_their_subset():
    bag = LittleBootstraps(subset_power=0.7, n_resamples=2)
    ensemble = KMeansGenerator(4, n_clusters=3, objects=bag, random_state=0).generate(X)
    drawn = [set(np.flatnonzero(labels >= 0)) for labels in ensemble.labels.T]
    # 33 objects in a subset; 150 draws miss any one of them with probability 1 %.
    assert len(drawn[0] | drawn[1]) <= 34
    assert len(drawn[0] | drawn[2]) > 45


@pytest.mark.parametrize("features", [FeatureSubset(0.5), RandomProjection(3)])
def test_members_on_features_label_new_objects_by_those(features):
    generator = KMeansGenerator(6, n_clusters=3, features=features, random_state=0)
    assert_array_equal(generator.fit(X).transform(X), generator.ensemble_.labels)
    mixed = EstimatorGenerator(
        GaussianMixture(), 3, n_clusters=3, features=features, random_state=0
    ).fit(X)
    assert_array_equal(mixed.transform(X), mixed.ensemble_.labels)


def test_a_clusterer_with_its_own_predict_keeps_it():
    generator = EstimatorGenerator(
        BisectingKMeans(), 3, n_clusters=5, random_state=0
    ).fit(X)
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


def test_a_clusterer_without_predict_has_no_transform():
    assert not hasattr(EstimatorGenerator(AgglomerativeClustering()), "transform")
    extending = EstimatorGenerator(AgglomerativeClustering(), extend=True)
    assert hasattr(extending, "transform")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"estimator": []}, "empty list"),
        ({"parameters": [{}, {}]}, "2 dict"),
        ({"parameters": {"max_iter": 5}}, "list of values"),
        ({"parameters": {"max_iter": []}}, "is empty"),
        ({"n_clusters": (5, 2)}, "n_clusters="),
        ({"objects": 0.5}, "objects"),
    ],
)
def test_parts_that_do_not_fit_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        EstimatorGenerator(**parameters).fit(X)


# -- checkpoints --------------------------------------------------------------------


def generator(folder, **parameters):
    parameters = {"n_clusters": (2, 6), "random_state": 0} | parameters
    return KMeansGenerator(8, checkpoint=folder, **parameters)


def test_a_finished_run_is_not_made_again(tmp_path, monkeypatch):
    first = generator(tmp_path / "run").fit(X)
    monkeypatch.setattr(KMeansGenerator, "draw", None)  # nothing is left to make
    again = generator(tmp_path / "run").fit(X)
    assert again.ensemble_ == first.ensemble_
    assert_array_equal(again.transform(X), first.transform(X))


def test_a_checkpoint_does_not_change_the_result(tmp_path):
    plain = KMeansGenerator(8, n_clusters=(2, 6), random_state=0).generate(X)
    assert generator(tmp_path).generate(X) == plain


def test_only_the_unfinished_members_are_made(tmp_path, monkeypatch):
    whole = generator(tmp_path / "run").generate(X)
    for m in (1, 4):
        (tmp_path / "run" / f"member-{m:05d}.npz").unlink()
    (tmp_path / "run" / ".unfinished-xyz").write_bytes(b"half a file")
    made = []
    make = KMeansGenerator.fit_member
    monkeypatch.setattr(
        KMeansGenerator,
        "fit_member",
        lambda self, X, plan: made.append(plan["seed"]) or make(self, X, plan),
    )
    assert generator(tmp_path / "run").generate(X) == whole
    assert len(made) == 2


def test_a_run_without_a_seed_goes_on_with_its_first_seeds(tmp_path):
    first = generator(tmp_path, random_state=None).generate(X)
    (tmp_path / "member-00003.npz").unlink()
    assert generator(tmp_path, random_state=None).generate(X) == first


def test_members_whose_model_is_not_kept_label_new_objects_all_the_same(tmp_path):
    def fit():
        return EstimatorGenerator(
            GaussianMixture(), 3, n_clusters=3, checkpoint=tmp_path, random_state=0
        ).fit(X)

    first, again = fit(), fit()
    assert again.ensemble_ == first.ensemble_
    assert_array_equal(again.transform(X), first.transform(X))


@pytest.mark.parametrize(
    "other", [{"random_state": 1}, {"n_clusters": 3}, {"init": "random"}]
)
def test_the_checkpoint_of_another_run_is_refused(tmp_path, other):
    generator(tmp_path).fit(X)
    with pytest.raises(EnsembleFileError, match="belongs to another run"):
        generator(tmp_path, **other).fit(X)
    with pytest.raises(EnsembleFileError, match="belongs to another run"):
        generator(tmp_path).fit(X + 1)


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path):
    (tmp_path / "thesis.txt").write_text("precious")
    with pytest.raises(EnsembleFileError, match="no checkpoint"):
        generator(tmp_path).fit(X)
    assert (tmp_path / "thesis.txt").read_text() == "precious"


@pytest.mark.parametrize("name", ["run.json", "member-00002.npz"])
@pytest.mark.parametrize("damage", [b"", b"{", b"PK\x03\x04 no zip"])
def test_a_damaged_checkpoint_is_refused(tmp_path, name, damage):
    generator(tmp_path).fit(X)
    (tmp_path / name).write_bytes(damage)
    with pytest.raises(EnsembleFileError, match="damaged"):
        generator(tmp_path).fit(X)


def test_a_pickle_in_a_checkpoint_is_not_opened(tmp_path):
    generator(tmp_path).fit(X)
    np.savez(tmp_path / "member-00000.npz", labels=np.array([{"a": 1}], dtype=object))
    with pytest.raises(EnsembleFileError, match="damaged"):
        generator(tmp_path).fit(X)


SLOW_RUN = """
import sys, time
import numpy as np
from comitia.generate import KMeansGenerator

class Slow(KMeansGenerator):
    def fit_member(self, X, plan):
        time.sleep(0.3)
        return super().fit_member(X, plan)

Slow.__name__ = "KMeansGenerator"
X = np.load(sys.argv[1])
Slow(
    8,
    n_clusters=(2, 6),
    n_jobs=int(sys.argv[3]),
    checkpoint=sys.argv[2],
    random_state=0,
).fit(X)
"""


@pytest.mark.parametrize(("members", "n_jobs"), [(0, 1), (1, 1), (4, 1), (2, 2)])
@pytest.mark.filterwarnings("ignore:.* its lock is taken over:UserWarning")
def test_a_killed_run_goes_on_with_the_same_result(tmp_path, members, n_jobs):
    np.save(tmp_path / "X.npy", X)
    folder = tmp_path / "run"
    run = subprocess.Popen(
        [sys.executable, "-c", SLOW_RUN, tmp_path / "X.npy", folder, str(n_jobs)],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        # A group of its own, so that its workers are killed with it.
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while len(list(folder.glob("member-*"))) < members or not folder.exists():
        assert time.monotonic() < deadline
        assert run.poll() is None
        time.sleep(0.002)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    assert len(list(folder.glob("member-*"))) < 8
    whole = KMeansGenerator(8, n_clusters=(2, 6), random_state=0).generate(X)
    assert generator(folder).generate(X) == whole


def test_plans_hold_nothing_but_numbers_and_names(tmp_path):
    generator(tmp_path).fit(X)
    plans = json.loads((tmp_path / "run.json").read_text())["plans"]
    assert len(plans) == 8


def test_any_number_of_jobs_gives_the_same_ensemble(tmp_path):
    alone = EstimatorGenerator(MIXED, 4, n_clusters=3, random_state=0).generate(X)
    jobs = EstimatorGenerator(
        MIXED, 4, n_clusters=3, n_jobs=2, checkpoint=tmp_path, random_state=0
    ).generate(X)
    assert alone == jobs
    assert isinstance(alone, Ensemble)


def test_an_unknown_label_is_no_cluster():
    class Answers:
        def predict(self, X):
            return np.array([5, 2, 9, 0])

    member = Member(Answers(), np.array([2, 5]))
    assert_array_equal(member.predict(None), [1, 0, -1, -1])


def test_a_member_without_a_model_says_so():
    with pytest.raises(ComitiaError, match="cannot label new objects"):
        Member(None, np.array([0])).predict(X)
