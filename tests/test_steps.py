"""Fit in two steps: generate, combine, and what is told meanwhile."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError

from comitia import Ensemble, method
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator, KMeansGenerator

X, _ = make_blobs(60, centers=3, cluster_std=3.0, random_state=4)
FEW = KMeansGenerator(6)
THIRDS = Ensemble(np.arange(60)[:, None] % 3)


def make(id="lwgp", **parameters):
    known = method(id)().get_params(deep=False)
    quick = {"generator": FEW, "n_clusterings": 20 if id == "abc" else 6, "n_rounds": 4}
    parameters = {**{k: v for k, v in quick.items() if k in known}, **parameters}
    return method(id)(**{"n_clusters": 3, "random_state": 0, **parameters})


class Told(list):
    """What on_progress is told."""

    def __call__(self, stage, done, total):
        self.append((stage, done, total))

    def stages(self):
        return [*dict.fromkeys(stage for stage, _, _ in self)]


class Draws(EnsembleMethod):
    """Keeps the first random number that it combines with."""

    card = MethodCard(
        id="draws", weighs="nothing", approach="baseline", scales="linear"
    )

    def __init__(self, n_clusters=None, *, generator=None, random_state=0):
        self.n_clusters = n_clusters
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        self.draw_ = rng.rand()
        return ensemble.labels[:, 0]


def test_random_numbers_go_on_where_generate_left_them():
    at_once, steps = Draws(generator=FEW).fit(X), Draws(generator=FEW)
    ensemble = steps.generate(X)
    for _ in range(2):  # the same ensemble gives the same result again
        assert steps.combine(ensemble).draw_ == at_once.draw_
    afresh = Draws().fit(ensemble).draw_
    assert steps.combine(Ensemble(ensemble.labels)).draw_ == afresh != at_once.draw_
    # A generator of the caller's goes on by itself.
    own = Draws(generator=FEW, random_state=np.random.RandomState(0))
    ensemble = own.generate(X)
    assert own.combine(ensemble).draw_ == at_once.draw_ != own.combine(ensemble).draw_


# Methods whose consensus draws from the same random numbers as their clusterings.
@pytest.mark.parametrize("id", ["kcc", "bregman_cc", "sec", "cmkc_lfa_mr", "liu_2010"])
def test_two_steps_give_the_labels_of_fit(id):
    steps = make(id)
    steps.combine(steps.generate(X), X)
    assert_array_equal(steps.labels_, make(id).fit(X).labels_)


def test_an_ensemble_of_somebody_else_is_combined_as_fit_does():
    steps = make("kcc")
    steps.generate(X)
    given = make("kcc", generator=KMeansGenerator(6, random_state=5)).generate(X)
    assert_array_equal(steps.combine(given).labels_, make("kcc").fit(given).labels_)
    with pytest.raises(ComitiaError, match="fitted on given clusterings"):
        steps.predict(X)


def test_another_seed_between_the_steps_starts_afresh():
    steps = Draws(generator=FEW)
    ensemble = steps.generate(X)
    steps.set_params(random_state=7).combine(ensemble)
    assert steps.draw_ == Draws(random_state=7).fit(ensemble).draw_


def test_graphs_and_trees_go_in_two_steps():
    rng = np.random.RandomState(0)
    A = np.kron(np.eye(3), np.ones((10, 10))) * (rng.rand(30, 30) < 0.8)
    graph = csr_array(np.triu(A, 1) + np.triu(A, 1).T)
    trees = [linkage(rng.rand(12, 2)) for _ in range(6)]
    for name, data, parameters in (
        ("yang_2016", graph, {"n_clusters": None}),
        ("wu_2017", graph, {"generator": GraphGenerator(6)}),
        ("zheng_2014", trees, {}),
    ):
        steps = make(name, **parameters)
        steps.combine(steps.generate(data), data)
        at_once = make(name, **parameters).fit(data)
        assert_array_equal(steps.labels_, at_once.labels_)


def test_constraints_are_kept_from_the_first_step_to_the_second():
    pairs = {"must_link": [(0, 1), (2, 3)], "cannot_link": [(0, 2)]}
    at_once, steps = make("woce").fit(X, **pairs), make("woce")
    ensemble = steps.generate(X, **pairs)
    steps.combine(ensemble, X)
    assert_array_equal(steps.labels_, at_once.labels_)
    assert len(steps.constraints_) == len(at_once.constraints_) == 3


def test_views_that_are_clustered_while_combined_have_no_ensemble_before():
    steps = make("mic", views=[[0], [1]])
    assert steps.generate(np.abs(X)) is None
    steps.combine(None, np.abs(X))
    at_once = make("mic", views=[[0], [1]]).fit(np.abs(X))
    assert_array_equal(steps.labels_, at_once.labels_)


def test_a_method_that_makes_its_own_clusterings_combines_no_others():
    with pytest.raises(ComitiaError, match="makes its own clusterings"):
        make("abc").combine(THIRDS, X)
    steps = make("abc")
    ensemble = steps.generate(X)
    with pytest.raises(ComitiaError, match=r"needs the data too; call combine\(E, X\)"):
        steps.combine(ensemble)
    assert_array_equal(steps.combine(ensemble, X).labels_, make("abc").fit(X).labels_)


def test_what_is_no_ensemble_and_no_data_is_refused():
    with pytest.raises(ComitiaError, match="ensemble is a NoneType"):
        make().combine(None)
    with pytest.raises(ComitiaError, match="call combine"):
        make().generate(THIRDS)
    for step in (make().fit, make().generate):
        with pytest.raises(ComitiaError, match="X is None"):
            step(None)


def test_generate_alone_is_not_a_fit():
    steps = make()
    steps.generate(X)
    with pytest.raises(NotFittedError):
        steps.predict(X)


def test_a_step_that_fails_leaves_the_method_as_it_was():
    steps = make()
    ensemble = steps.generate(X)
    steps.combine(ensemble)
    before = dict(vars(steps))

    def stop(stage, done, total):
        raise KeyboardInterrupt

    for fail in (
        lambda: steps.fit(X, on_progress=stop),
        lambda: steps.generate(X, on_progress=stop),
        lambda: steps.combine(ensemble, on_progress=stop),
    ):
        with pytest.raises(KeyboardInterrupt):
            fail()
        assert vars(steps) == before
    assert_array_equal(steps.predict(X), make().fit(X).predict(X))


def test_progress_tells_clusterings_and_then_the_consensus():
    told = Told()
    make("consensus").fit(X, on_progress=told)
    assert told.stages() == ["generate", "combine", "weigh"]
    for stage in told.stages():
        each = [(done, total) for name, done, total in told if name == stage]
        assert each[0][0] == 0
        assert each[-1][0] == each[-1][1]
    assert [t for t in told if t[0] == "generate"][-1] == ("generate", 6, 6)


def test_loops_tell_their_iterations():
    told = Told()
    fitted = make("wcc", max_iter=30).fit(X, on_progress=told)
    done = [done for stage, done, total in told if (stage, total) == ("combine", 30)]
    assert done[: fitted.n_iter_ + 1] == [*range(fitted.n_iter_ + 1)]
    assert told[-1] == ("combine", 30, 30)


def test_a_generator_that_tells_nothing_can_be_used():
    class Plain:
        def generate(self, X):
            return THIRDS

    fitted = make(generator=Plain()).fit(X)
    assert set(fitted.timings_) == {"generate", "combine"}


def test_timings_are_those_of_the_last_steps():
    steps = make("consensus")
    ensemble = steps.generate(X)
    made = steps.timings_["generate"]
    assert set(steps.timings_) == {"generate"}
    for _ in range(2):
        steps.combine(ensemble)
        assert set(steps.timings_) == {"generate", "weigh", "combine"}
        assert steps.timings_["generate"] == made
    assert set(steps.combine(Ensemble(ensemble.labels)).timings_) == {
        "weigh",
        "combine",
    }
    assert all(seconds >= 0 for seconds in steps.timings_.values())


def test_copies_know_what_their_original_has_made():
    steps = Draws(generator=FEW)
    ensemble = steps.generate(X)
    copy, same = pickle.loads(pickle.dumps((steps, ensemble)))
    assert copy.combine(same).draw_ == steps.fit(X).draw_
    assert not hasattr(clone(steps), "timings_")


# Generators of several kinds: sweeps, boosting, mixtures, crowds, a number found first.
@pytest.mark.parametrize(
    ("id", "k"),
    [
        ("lwgp", 3),
        ("wlac", 3),
        ("boost_clustering", 3),
        ("dcss", 3),
        ("woce", 3),
        ("abc", 3),
        ("zhang_2009", 3),
        ("zhang_2009", None),
        ("boost_clustering", None),
    ],
)
def test_a_repeated_call_goes_on_from_its_checkpoint(id, k, tmp_path):
    def stop(stage, done, total):
        if (stage, done) == ("generate", 2):
            raise KeyboardInterrupt

    steps = make(id, n_clusters=k)
    with pytest.raises(KeyboardInterrupt):
        steps.fit(X, checkpoint=tmp_path / "c", on_progress=stop)
    assert len([*(tmp_path / "c").glob("member-*")]) >= 1
    steps.fit(X, checkpoint=tmp_path / "c")
    assert steps.generator_.checkpoint is None
    assert_array_equal(steps.labels_, make(id, n_clusters=k).fit(X).labels_)


def test_blocks_on_disk_are_combined_as_data_in_memory(tmp_path):
    landmark = KMeansGenerator(6, n_clusters=4, solver="landmark")
    at_once, steps = make("kcc", generator=landmark).fit(X), make("kcc")
    told = Told()
    steps.set_params(generator=landmark)
    ensemble = steps.generate_blocks(X, tmp_path, block_rows=25, on_progress=told)
    assert told[-1] == ("generate", 3, 3)
    assert_array_equal(steps.combine(ensemble).labels_, at_once.labels_)
    assert_array_equal(steps.predict(X), at_once.predict(X))
    with pytest.raises(ComitiaError, match="needs the data in memory"):
        make("abc").generate_blocks(X, tmp_path)
    with pytest.raises(ComitiaError, match="n_clusters=61 is larger"):
        method("kcc")(61).generate_blocks(X, tmp_path)


def test_parameters_are_checked_without_data():
    with pytest.raises(ValueError, match="theta"):
        method("lwgp")(3, theta=-1.0).check_parameters()
    with pytest.raises(ComitiaError, match="not known"):
        make().check_parameters(approximate="guess")
    with pytest.raises(ComitiaError, match="is not for"):
        make("wlac").check_parameters(device="array_api_strict")


def test_the_device_is_kept_from_the_first_step_to_the_second():
    pytest.importorskip("array_api_strict")
    steps = make("cmkc_lfa_mr")
    ensemble = steps.generate(X, device="array_api_strict")
    steps.combine(ensemble, X)
    at_once = make("cmkc_lfa_mr").fit(X, device="array_api_strict")
    assert steps._device == at_once._device == "array_api_strict"
    assert_array_equal(steps.labels_, at_once.labels_)
