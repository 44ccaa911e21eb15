"""Clusterings of random subspaces, added while the consensus gets better."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.agreement import adjusted_rand, nmi
from comitia.cluster import ConstraintSet, random_constraints
from comitia.methods.selection.issce import unweighted_ncut
from comitia.partition import ncut
from comitia.represent import coassociation
from tests.fixtures import E6, X6, planted, same_partition, settled

ISSCE = method("issce")

# To the best clustering others are added with the last of these, and seldom else.
SEEDS = (0, 1, 2, 15)


def noisy_features(seed, n_noise=6):
    X, truth = make_blobs(
        60, centers=[[0, 0], [0, 6], [6, 0]], cluster_std=1.5, random_state=seed
    )
    noise = np.random.RandomState(seed).randn(60, n_noise)
    return settled(np.hstack([X, noise]), truth)


def constrained(seed, truth, n=20):
    given = random_constraints(truth, n, np.random.RandomState(seed))
    return {"must_link": given.must_link, "cannot_link": given.cannot_link}


def fitted(seed, **parameters):
    X, truth = noisy_features(seed)
    parameters = {"n_clusterings": 8, "random_state": seed} | parameters
    pairs = constrained(seed, truth)
    return ISSCE(3, **parameters).fit(X, **pairs), X, truth, pairs


def index(X, labels, pairs):
    """Share of the variance inside clusters, and of constraints violated."""
    within = sum(
        ((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels)
    )
    broken = sum(labels[i] != labels[j] for i, j in pairs["must_link"])
    broken += sum(labels[i] == labels[j] for i, j in pairs["cannot_link"])
    n_pairs = len(pairs["must_link"]) + len(pairs["cannot_link"])
    return within / ((X - X.mean(axis=0)) ** 2).sum() + broken / n_pairs


@pytest.mark.parametrize("seed", SEEDS)
def test_the_index_of_the_consensus_falls_strictly(seed):
    got, X, _, pairs = fitted(seed)
    assert (np.diff(got.objective_) < 0).all()
    assert_allclose(got.objective_[-1], index(X, got.labels_, pairs))
    assert_array_equal(np.flatnonzero(got.selected_), np.sort(got.order_))


def test_something_is_added():
    sizes = [len(fitted(seed)[0].order_) for seed in SEEDS]
    assert max(sizes) > 1


@pytest.mark.parametrize("seed", SEEDS)
def test_additions_are_their_definition(seed):
    got, X, _, pairs = fitted(seed)
    labels = got.ensemble_.labels
    single = np.array([index(X, c, pairs) for c in labels.T])
    assert_allclose(got.clustering_weights_, single)
    assert got.order_[0] == single.argmin()
    # The cut of a set does not depend on when it is made: the seed is drawn once.
    rng = np.random.RandomState(seed)
    rng.randint(2**31 - 1)  # was that of the generator
    cut_seed = rng.randint(np.iinfo(np.int32).max)
    kept = [int(single.argmin())]
    value = single.min()
    while True:
        rest = [m for m in range(8) if m not in kept]
        alike = [np.mean([nmi(labels[:, m], labels[:, o]) for o in kept]) for m in rest]
        for m in np.array(rest)[np.argsort(np.round(alike, 9), kind="stable")]:
            found = unweighted_ncut(
                got.ensemble_, [*kept, m], n_clusters=3, seed=cut_seed
            )
            if index(X, found, pairs) < value - 1e-12:
                kept, value = [*kept, int(m)], index(X, found, pairs)
                break
        else:
            break
    assert_array_equal(got.order_, kept)
    assert_allclose(got.objective_[-1], value)


def test_the_least_alike_that_helps_is_added():
    phi = np.array([[1, 0.8, 0.2, 0.5], [0.8, 1, 0, 0], [0.2, 0, 1, 0], [0.5, 0, 0, 1]])
    costs = {1: 0.1, 2: 0.9, 3: 0.8}

    def better(index):
        return ISSCE()._next_clustering(
            [0], phi, lambda kept: kept, lambda k: costs[k[-1]], index
        )

    # In the order 2, 3, 1: the first that lowers the index, not the one that does most.
    assert better(1.0)[0] == 2
    assert better(0.9)[0] == 3
    assert better(0.8)[0] == 1
    assert better(0.1) is None


def test_one_clustering_without_constraints_is_the_result():
    X, _ = noisy_features(0)
    got = ISSCE(3, n_clusterings=1, random_state=0).fit(X)
    assert same_partition(got.labels_, got.ensemble_.labels[:, 0])
    assert_array_equal(got.selected_, [True])


def test_the_consensus_is_the_normalized_cut_of_the_coassociation():
    labels, _ = planted(50, 3, 6, noise=0.2, seed=0)
    ensemble = Ensemble(labels)
    found = unweighted_ncut(ensemble, [0, 2, 5], n_clusters=3, seed=0)
    S = coassociation(ensemble.take(clusterings=[0, 2, 5]), dtype=np.float64)
    assert same_partition(found, ncut(S, 3, np.random.RandomState(0)))


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_many_features_are_found(seed):
    X, truth = make_blobs(60, 8, centers=3, cluster_std=2.0, random_state=seed)
    pairs = constrained(seed, truth)
    got = ISSCE(3, n_clusterings=8, random_state=0).fit(X, **pairs)
    assert adjusted_rand(got.labels_, truth) > 0.94
    assert ConstraintSet(60, **pairs).n_violated(got.labels_) == 0


def test_given_clusterings_are_judged_by_variance():
    labels = np.column_stack([E6[:, 2], E6[:, 0], [0, 1, 0, 1, 0, 1]])
    chosen = ISSCE(2, random_state=0).select(Ensemble(labels), X6)
    assert_array_equal(chosen, [1])
