"""Constrained subspaces and evolving weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.cluster import ConstraintSet, random_constraints
from comitia.exceptions import ComitiaError
from comitia.methods import DCECP
from comitia.methods.fixed_clusterings.yu_2018 import (
    consensus_cost,
    informative_constraints,
    weighted_ncut,
)
from comitia.partition import ncut
from tests.fixtures import E6, X6, planted, same_partition


class Blobs:
    """Three clusters in three of nine features, the others being noise."""

    rng = np.random.RandomState(0)
    signal, truth = make_blobs(90, centers=4 * np.eye(3), random_state=0)
    X = np.column_stack([signal, 4 * rng.randn(90, 6)])
    pairs = random_constraints(truth, 300, rng)
    links = {"must_link": pairs.must_link, "cannot_link": pairs.cannot_link}


def fit(**parameters):
    parameters = {"n_clusterings": 8, "random_state": 0} | parameters
    return DCECP(n_clusters=3, **parameters)


def test_the_best_cost_does_not_rise_and_is_that_of_the_labels():
    fitted = fit().fit(Blobs.X, **Blobs.links)
    assert (np.diff(fitted.objective_) <= 0).all()
    cost = consensus_cost(Blobs.X, fitted.labels_, fitted.constraints_)
    assert_allclose(fitted.objective_[-1], cost)
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)
    assert fitted.n_iter_ == len(fitted.objective_) - 1


def test_evolution_improves_on_its_first_generation():
    found = [
        DCECP(n_clusters=3, n_clusterings=8, random_state=seed)
        .fit(Blobs.X, **Blobs.links)
        .objective_
        for seed in range(5)
    ]
    assert any(objective[-1] < objective[0] for objective in found)


def test_a_single_clustering_ends_after_its_patience():
    fitted = DCECP(n_clusters=3, n_clusterings=1, patience=4, random_state=0)
    fitted.fit(Blobs.X, **Blobs.links)
    assert fitted.n_iter_ == 4
    assert fitted.converged_
    assert_allclose(fitted.objective_, fitted.objective_[0])
    assert same_partition(fitted.labels_, fitted.ensemble_.labels[:, 0])


def test_the_cost_is_that_of_the_worked_partitions():
    # Within and total sums of squares of X6: 4 and 154 for C1, 33 for C3.
    pairs = ConstraintSet(6, [(0, 2), (3, 5)], [(2, 3), (0, 5)])
    assert_allclose(consensus_cost(X6, E6[:, 0], pairs), 4 / 154)
    assert_allclose(consensus_cost(X6, E6[:, 2], pairs), 33 / 154 + 3 / 4)
    assert_allclose(consensus_cost(X6, E6[:, 2], ConstraintSet(6)), 33 / 154)
    assert consensus_cost(np.ones((6, 2)), E6[:, 0], pairs) == 0.0


def test_the_weighted_cut_is_ncut():
    labels, truth = planted(80, 4, 6, noise=0.2, seed=1)
    ensemble = Ensemble(labels)
    w = np.linspace(0.5, 1.5, 6)
    got = weighted_ncut(
        ensemble.distinct(), w, sizes=ensemble.sizes, n_clusters=4, seed=0
    )
    S = ensemble.coassociation(clustering_weights=w / w.sum(), dtype=np.float64)
    assert same_partition(got, ncut(S, 4, np.random.RandomState(0)))
    assert adjusted_rand_score(truth, got) > 0.9


def test_long_must_links_and_short_cannot_links_are_kept():
    must, cannot = [(0, 1), (0, 5), (0, 3)], [(2, 3), (0, 4), (1, 2), (4, 5)]
    pairs = ConstraintSet(6, must, cannot)
    kept = informative_constraints(X6, pairs, 0.5)
    # Two of three must-links, of lengths 12 and 10; two of four cannot-links, of 1.
    assert kept.must_link.tolist() == [[0, 5], [0, 3]]
    assert kept.cannot_link.tolist() == [[1, 2], [4, 5]]
    assert len(informative_constraints(X6, pairs, 1.0)) == 7
    assert len(informative_constraints(X6, ConstraintSet(6), 0.5)) == 0


@pytest.mark.parametrize("variant", ["projection", "e2cp"])
def test_a_member_sees_its_share_of_the_features(variant):
    fitted = fit(feature_fraction=0.4, variant=variant).fit(Blobs.X, **Blobs.links)
    drawn = [made.drawn.how for made in fitted.generator_.rounds_]
    assert all(len(features) == 4 for features in drawn)
    assert len({tuple(features) for features in drawn}) > 1
    # What it does not see changes nothing, and old objects are labelled as they were.
    transform = fitted.generator_.transform
    assert_array_equal(transform(Blobs.X), fitted.ensemble_.labels)
    for m, features in enumerate(drawn):
        other = np.random.RandomState(m).rand(*Blobs.X.shape)
        other[:, features] = Blobs.X[:, features]
        assert_array_equal(transform(other)[:, m], fitted.ensemble_.labels[:, m])


@pytest.mark.parametrize("variant", ["projection", "e2cp"])
def test_constraints_help_among_noise(variant):
    plain = fit(variant=variant).fit(Blobs.X)
    bound = fit(variant=variant).fit(Blobs.X, **Blobs.links)
    before, after = (
        adjusted_rand_score(Blobs.truth, fitted.labels_) for fitted in (plain, bound)
    )
    assert before < 0.2
    assert after > 0.8
    violated = [Blobs.pairs.n_violated(fitted.labels_) for fitted in (plain, bound)]
    assert violated[1] < violated[0]


def test_the_constraints_that_say_most_do_better_than_all():
    some, everything = (
        np.mean(
            [
                fit(constraint_fraction=share, random_state=seed)
                .fit(Blobs.X, **Blobs.links)
                .objective_[-1]
                for seed in range(3)
            ]
        )
        for share in (0.5, 1.0)
    )
    assert some < everything


def test_the_number_of_clusters_can_be_chosen():
    X, truth = make_blobs(90, centers=8 * np.eye(3), cluster_std=0.5, random_state=0)
    fitted = DCECP(n_clusterings=6, random_state=0).fit(X)
    assert fitted.n_clusters_ == 3
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0


def test_a_search_that_is_cut_short_warns():
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        fit(max_iter=1).fit(Blobs.X)


def test_contradictory_constraints_are_refused():
    with pytest.raises(ComitiaError, match="by way of 0 - 1 - 2"):
        fit().fit(Blobs.X, must_link=[(0, 1), (1, 2)], cannot_link=[(0, 2)])
