"""The boosting loop: each step gets what the last ones left, and is kept."""

import pickle
from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.generate import BoostingGenerator, WeightedSample
from comitia.generate.base import Made, NearestCenter
from comitia.generate.boosting import Round
from comitia.generate.boosting_rounds import (
    draw_features,
    draw_hybrid,
    draw_objects,
    kmeans_round,
)
from comitia.generate.boosting_votes import (
    align_to_first,
    align_to_vote,
    indecision,
    vote_so_far,
)
from comitia.generate.checkpoint import fingerprint
from tests.fixtures import X6

X, TRUTH = make_blobs(90, centers=3, n_features=4, random_state=0)


# -- two published rules, as their methods will write them ----------------------------


def by_inconsistency(weights, rounds, alpha=0.3):
    """Topchy et al. 2004: objects whose label changes from round to round."""
    labels = np.column_stack([made.labels for made in rounds])
    counts = (labels[:, :, None] == np.arange(labels.max() + 1)).sum(axis=1)
    times = counts.sum(axis=1)
    consistency = np.divide(
        counts.max(axis=1), times, out=np.zeros(len(times)), where=times > 0
    )
    new = alpha * weights + 1 - consistency
    return new / new.sum()


def pseudoloss(X, made, rounds):
    """Frossyniotis et al. 2004: the error of a round, and its vote."""
    Q = indecision(made.membership)
    error = max(0.5 * made.weights @ Q, 1e-6)
    return {"Q": Q, "error": error, "vote": np.log((1 - error) / error)}


def no_better_than_chance(made, rounds):
    return made.measures["error"] >= 0.5


def by_indecision(weights, rounds):
    error, Q = (rounds[-1].measures[name] for name in ("error", "Q"))
    new = weights * ((1 - error) / error) ** Q
    return new / new.sum()


def consistent(n_rounds=8, **changes):
    steps = {
        "draw": partial(draw_objects, object_fraction=0.5),
        "cluster": partial(kmeans_round, n_clusters=3, repeats=False),
        "align": align_to_first,
        "reweight": by_inconsistency,
        "random_state": 0,
    }
    return BoostingGenerator(n_rounds, **(steps | changes))


def decided(n_rounds=6, **changes):
    steps = {
        "draw": draw_objects,
        "cluster": partial(kmeans_round, n_clusters=3, soft=True),
        "align": align_to_vote,
        "measure": pseudoloss,
        "stop": no_better_than_chance,
        "reweight": by_indecision,
        "random_state": 0,
    }
    return BoostingGenerator(n_rounds, **(steps | changes))


def centers_1_and_11(X, drawn, weights, rng):
    model = NearestCenter(np.array([[1.0], [11.0]]))
    return Made(membership=model.predict_membership(X), model=model)


def test_weights_of_topchy_are_those_of_the_catalogue():
    labels = np.array([[0, 0], [1, 1], [0, 1]])
    rounds = [Round(column) for column in labels.T]
    # Consistencies 1, 1 and 1/2.
    assert_allclose(by_inconsistency(np.full(3, 1 / 3), rounds), [0.125, 0.125, 0.75])


def test_weights_of_boost_clustering_are_those_of_the_catalogue():
    generator = decided(1, cluster=centers_1_and_11, draw=None).fit(X6)
    measures = generator.rounds_[0].measures
    assert_allclose(measures["Q"], [1 / 6, 0, 1 / 5, 1 / 5, 0, 1 / 6], atol=1e-12)
    assert_allclose(measures["error"], 11 / 180)
    assert_allclose(
        generator.weights_,
        [0.183178, 0.116178, 0.200643, 0.200643, 0.116178, 0.183178],
        atol=5e-7,  # printed to six decimals
    )


# -- the loop -------------------------------------------------------------------------


def test_rounds_remember_what_they_were_made_with():
    generator = consistent().fit(X)
    rounds = generator.rounds_
    assert len(rounds) == generator.ensemble_.n_clusterings == 8
    assert generator.ensemble_.kind == "partial"
    assert_allclose(rounds[0].weights, 1 / 90)
    for t, made in enumerate(rounds):
        assert_array_equal(np.flatnonzero(made.labels >= 0), made.drawn.rows)
        after = by_inconsistency(made.weights, rounds[: t + 1])
        next_weights = rounds[t + 1].weights if t < 7 else generator.weights_
        assert_array_equal(next_weights, after)


@pytest.mark.parametrize("make", [consistent, decided])
def test_aligned_rounds_use_the_same_names(make):
    rounds = make().fit(X).rounds_
    for made in rounds[1:]:
        # The draws of two rounds may have no object in common.
        assert np.mean(made.everyone == rounds[0].everyone) > 0.9
        drawn = made.labels >= 0
        assert_array_equal(made.everyone[drawn], made.labels[drawn])


@pytest.mark.parametrize("make", [consistent, decided])
def test_models_answer_in_the_names_of_their_round(make):
    generator = make().fit(X)
    codes = generator.transform(X)
    for made, column in zip(generator.rounds_, codes.T, strict=True):
        covered = made.labels >= 0
        assert_array_equal(made.model.predict(X)[covered], made.labels[covered])
        assert_array_equal(column[covered], made.labels[covered])
        assert adjusted_rand_score(TRUTH, made.model.predict(X)) > 0.9


def test_memberships_are_kept():
    generator = decided().fit(X)
    assert generator.ensemble_.kind == "fuzzy"
    for made in generator.rounds_:
        assert_allclose(made.membership.sum(axis=1), 1.0)
        assert_allclose(made.model.predict_membership(X), made.membership)
        assert_array_equal(made.labels, made.membership.argmax(axis=1))
    vote = vote_so_far(generator.rounds_)
    assert_allclose(vote.sum(axis=1), 1.0)
    assert adjusted_rand_score(TRUTH, vote.argmax(axis=1)) > 0.9


def test_a_vote_counts_as_much_as_its_round():
    one = Round(np.array([0, 1]), measures={"vote": 3.0})
    other = Round(membership=np.array([[0.0, 1.0, 0.0], [0.0, 0.5, 0.5]]))
    assert_allclose(vote_so_far([one, other]), [[0.75, 0.25, 0.0], [0.0, 0.875, 0.125]])
    silent = Round(np.array([-1, 0]), measures={"vote": 0.0})
    assert_allclose(vote_so_far([silent]), [[0.0], [1.0]])


def test_a_bad_round_is_dropped_and_ends_the_loop():
    generator = decided(6, stop=lambda made, rounds: len(rounds) == 2).fit(X)
    assert len(generator.rounds_) == generator.ensemble_.n_clusterings == 2
    # The first round stays, however bad.
    alone = decided(6, stop=lambda made, rounds: True).fit(X)
    assert alone.ensemble_.n_clusterings == 1


def test_features_can_be_what_is_weighted():
    generator = BoostingGenerator(
        5,
        draw=draw_features,
        cluster=partial(kmeans_round, n_clusters=3),
        reweight=lambda weights, rounds: weights * [0.0, 0.0, 1.0, 1.0],
        weights="features",
        random_state=0,
    ).fit(X)
    assert_allclose(generator.rounds_[0].weights, 0.25)
    for made in generator.rounds_[1:]:
        assert set(made.drawn.how) == {2, 3}
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


def test_weights_act_inside_the_clusterer_when_nothing_is_drawn():
    weights = np.where(TRUTH == 0, 1.0, 0.0)
    generator = BoostingGenerator(
        1, cluster=partial(kmeans_round, n_clusters=1), weights=weights, random_state=0
    ).fit(X)
    center = generator.members_[0].model.centers
    assert_allclose(center[0], X[TRUTH == 0].mean(axis=0))


def test_given_weights_are_those_of_the_first_round():
    priorities = np.array([0.2, 0.8])
    generator = consistent(2, draw=None, weights=priorities, reweight=None).fit(X)
    assert_array_equal(generator.rounds_[1].weights, priorities)


def test_a_hybrid_draw_has_its_share_of_the_objects():
    sample = draw_hybrid(np.ones(100), np.random.RandomState(0), object_fraction=0.5)
    assert sample.counts.sum() == 50


def test_clusters_that_nobody_is_in_keep_a_name_of_their_own():
    model = NearestCenter(np.array([[0.0], [50.0], [9.0]]))
    made = Round(np.array([2, 0]), model=model).renamed(np.array([1, 2, 0]))
    assert_array_equal(made.labels, [0, 1])
    assert_array_equal(made.model.predict(np.array([[50.0]])), [2])
    short = Round(np.array([0, 0]), model=model).renamed(np.array([1]))
    assert_array_equal(short.model.predict(np.array([[0], [50], [9]])), [1, 0, 2])


@pytest.mark.parametrize("variant", ["minmax", "entropy"])
def test_indecision_goes_from_zero_to_one(variant):
    F = np.array([[1.0, 0, 0, 0], [0.25, 0.25, 0.25, 0.25]])
    assert_allclose(indecision(F, variant), [0.0, 1.0], atol=1e-12)
    assert_array_equal(indecision(np.ones((2, 1)), variant), 0.0)


def test_unknown_indecision_is_refused():
    with pytest.raises(ComitiaError, match="variant="):
        indecision([[0.5, 0.5]], "range")


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1.0], "90 entries"), (np.full(90, np.nan), "finite"), (-np.ones(90), "finite")],
)
def test_weights_that_are_none_are_refused(weights, message):
    with pytest.raises(ComitiaError, match=message):
        consistent(reweight=lambda old, rounds: weights).fit(X)


def test_weights_that_vanish_become_uniform():
    generator = consistent(2, reweight=lambda old, rounds: np.zeros(90))
    with pytest.warns(ComitiaWarning, match="uniform"):
        generator.fit(X)
    assert_allclose(generator.weights_, 1 / 90)


# -- what it shares with the other generators -----------------------------------------


@pytest.mark.parametrize("make", [consistent, decided])
def test_the_same_seed_gives_the_same_rounds(make):
    one, two = make().fit(X), clone(make()).fit(X)
    assert one.ensemble_ == two.ensemble_
    assert_array_equal(one.weights_, two.weights_)
    assert make(random_state=1).generate(X) != one.ensemble_


@pytest.mark.parametrize("make", [consistent, decided])
def test_rounds_can_be_pickled(make):
    generator = make().fit(X)
    again = pickle.loads(pickle.dumps(generator))
    assert_array_equal(again.transform(X), generator.transform(X))


@pytest.mark.parametrize("make", [consistent, decided])
def test_a_killed_loop_goes_on_with_the_same_rounds(tmp_path, make):
    whole = make().fit(X)
    make(checkpoint=tmp_path).fit(X)
    for t in (3, 4, 5):
        (tmp_path / f"member-{t:05d}.npz").unlink()
    again = make(checkpoint=tmp_path).fit(X)
    assert again.ensemble_ == whole.ensemble_
    assert_array_equal(again.weights_, whole.weights_)
    assert_array_equal(again.transform(X), whole.transform(X))


def test_the_checkpoint_of_other_steps_is_refused(tmp_path):
    consistent(checkpoint=tmp_path).fit(X)
    with pytest.raises(ComitiaError, match="another run"):
        consistent(
            checkpoint=tmp_path, reweight=partial(by_inconsistency, alpha=0.5)
        ).fit(X)


def test_long_weights_tell_one_run_from_another():
    weights = np.ones(5000)
    weights[2500] = 2.0
    # Their repr is the same: it leaves out the numbers in the middle.
    one, other = WeightedSample(np.ones(5000)), WeightedSample(weights)
    assert fingerprint({"objects": one}, X) != fingerprint({"objects": other}, X)
    assert fingerprint({"objects": one}, X) == fingerprint({"objects": one}, X.copy())
