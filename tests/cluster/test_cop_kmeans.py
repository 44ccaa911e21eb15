"""Constrained k-means: it obeys, fails in words, and is k-means when nothing binds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import (
    ConstrainedPlacement,
    ConstraintSet,
    COPKMeans,
    constrained_kmeans,
    random_constraints,
)
from comitia.exceptions import ComitiaError
from tests.fixtures import X6

VARIANTS = ["raise", "skip_constraint", "displace"]
each_variant = pytest.mark.parametrize("on_failure", VARIANTS)


@each_variant
def test_a_must_link_across_the_gap_holds(on_failure):
    for seed in range(5):
        clusterer = COPKMeans(2, on_failure=on_failure, random_state=seed)
        labels = clusterer.fit_predict(X6, must_link=[(2, 3)])
        assert labels[2] == labels[3]
        assert clusterer.n_violated_ == 0


@pytest.mark.parametrize("on_failure", ["raise", "displace"])
def test_a_contradiction_is_reported(on_failure):
    clusterer = COPKMeans(2, on_failure=on_failure)
    with pytest.raises(
        ComitiaError, match=r"\(2, 3\) is in cannot_link and in must_lin"
    ):
        clusterer.fit(X6, must_link=[(2, 3)], cannot_link=[(2, 3)])
    assert not hasattr(clusterer, "labels_")


@each_variant
@pytest.mark.parametrize("seed", range(3))
def test_without_constraints_it_is_kmeans_from_the_same_start(on_failure, seed):
    X, _ = make_blobs(150, centers=6, cluster_std=3.0, random_state=seed)
    start = X[:5]
    plain = KMeans(5, init=start, n_init=1, tol=0).fit(X)
    ours = COPKMeans(5, init=start, on_failure=on_failure).fit(X)
    assert_array_equal(ours.labels_, plain.labels_)
    assert_allclose(ours.inertia_, plain.inertia_)
    assert np.diff(ours.objective_).max() <= 1e-9


@each_variant
@pytest.mark.parametrize("seed", range(4))
def test_feasible_constraints_all_hold(on_failure, seed):
    X, truth = make_blobs(120, centers=3, cluster_std=4.0, random_state=seed)
    pairs = random_constraints(truth, 25, np.random.RandomState(seed))
    fitted = COPKMeans(3, on_failure=on_failure, random_state=0).fit(
        X, must_link=pairs.must_link, cannot_link=pairs.cannot_link
    )
    assert fitted.n_violated_ == pairs.n_violated(fitted.labels_) == 0


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_many_constraints_help(seed):
    X, truth = make_blobs(120, centers=3, cluster_std=4.0, random_state=seed)
    pairs = random_constraints(truth, 150, np.random.RandomState(seed))
    fitted = COPKMeans(3, on_failure="displace", random_state=0).fit(
        X, must_link=pairs.must_link, cannot_link=pairs.cannot_link
    )
    plain = KMeans(3, n_init=10, random_state=0).fit(X)
    helped = adjusted_rand_score(truth, fitted.labels_)
    assert helped > adjusted_rand_score(truth, plain.labels_) + 0.2


def test_three_objects_apart_do_not_fit_into_two_clusters():
    apart = [(2, 3), (3, 4), (2, 4)]
    with pytest.raises(ComitiaError, match="object 4 has a cannot-link into each of"):
        COPKMeans(2, random_state=0).fit(X6, cannot_link=apart)
    for on_failure in ("skip_constraint", "displace"):
        fitted = COPKMeans(2, on_failure=on_failure, random_state=0)
        assert fitted.fit(X6, cannot_link=apart).n_violated_ == 1


@pytest.mark.parametrize("loser", range(3))
def test_the_constraint_of_lowest_priority_is_skipped(loser):
    # The three cannot all hold, whatever the number of clusters.
    must, cannot = [(0, 1), (1, 2)], [(0, 2)]
    priorities = np.ones(3)
    priorities[loser] = 0.5
    fitted = COPKMeans(3, on_failure="skip_constraint", random_state=0)
    fitted.fit(X6, must_link=must, cannot_link=cannot, priorities=priorities)
    violated = ConstraintSet(6, must, cannot).violated(fitted.labels_)
    assert_array_equal(np.flatnonzero(violated), [loser])


def test_displacement_moves_whole_must_link_groups():
    # Objects 0 and 1 are tied and sit in the near cluster when object 2 comes; the
    # other cluster is barred to object 2 by object 3.
    pairs = ConstraintSet(4, [(0, 1)], [(0, 2), (2, 3)])
    place = ConstrainedPlacement(pairs, "displace")
    distance = np.array(
        [[0.0, 1.0, 3.0], [0.0, 1.0, 3.0], [0.0, 9.0, 9.0], [9.0, 0, 1]]
    )
    labels = np.full(4, -1)
    for i in (0, 1, 3):
        place(i, distance.__getitem__, labels)
    assert labels.tolist() == [0, 0, -1, 1]
    # With a third cluster nobody has to move; with two, both of the pair do.
    assert place(2, distance.__getitem__, labels) == 2
    place.start()
    two = distance[:, :2]
    labels = np.full(4, -1)
    for i in (0, 1, 3, 2):
        place(i, two.__getitem__, labels)
    assert labels.tolist() == [1, 1, 0, 1]
    assert pairs.n_violated(labels) == 0


def test_displacement_ends_where_it_would_cycle():
    triangle = ConstraintSet(3, cannot_link=[(0, 1), (1, 2), (0, 2)])
    distance = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]])
    for most in (0, 1, 5, None):
        place = ConstrainedPlacement(triangle, "displace", most)
        labels = np.full(3, -1)
        for i in range(3):
            place(i, distance.__getitem__, labels)
        assert triangle.n_violated(labels) == 1


def test_objects_are_placed_in_the_order_asked_for():
    # Whoever comes first gets the near centre.
    X = np.array([[0.0], [0.2], [10.0]])
    for order, near in [([0, 1, 2], 0), ([1, 0, 2], 1)]:
        run = constrained_kmeans(
            X,
            2,
            np.random.RandomState(0),
            ConstraintSet(3, cannot_link=[(0, 1)]),
            order=order,
            init=[[0.1], [10.0]],
            max_iter=1,
        )
        assert run.labels[near] == 0
        assert run.labels[1 - near] == 1
    with pytest.raises(ComitiaError, match="order must name each of the 3 objects"):
        COPKMeans(2).fit(X, order=[0, 0, 1])


def test_an_emptied_cluster_gets_a_free_object():
    fitted = COPKMeans(3, init=[[0.0], [11.0], [500.0]]).fit(X6, must_link=[(0, 5)])
    assert len(set(fitted.labels_)) == 3
    assert fitted.labels_[0] == fitted.labels_[5]


def test_new_objects_join_the_nearest_center():
    fitted = COPKMeans(2, init=[[0.0], [12.0]]).fit(X6)
    assert fitted.predict([[-3.0], [5.9], [6.1]]).tolist() == [0, 0, 1]
