"""One clustering of each community of neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import adjusted_rand, nmi
from comitia.select import relative_neighborhood
from tests.fixtures import E6, planted, same_partition
from tests.outcomes import planted_problem

Selection = method("kanawati_2015")
CSPA = method("cspa")


def two_opinions(seed, n=60):
    """Five noisy copies of one partition, and four of another."""
    first, truth = planted(n, 3, 5, noise=0.1, seed=seed)
    rng = np.random.RandomState(seed)
    other = np.arange(n) % 3
    second = np.array(
        [np.where(rng.rand(n) < 0.1, rng.randint(3, size=n), other) for _ in range(4)]
    )
    return np.column_stack([first, second.T]), truth


def test_in_e6_all_are_neighbors():
    # 0.470 < 0.470 is false: no copy stands between the other one and C3.
    fitted = Selection(2, random_state=0).fit(Ensemble(E6))
    assert_array_equal(fitted.graph_, ~np.eye(3, dtype=bool))
    assert_allclose(1 - Ensemble(E6).agreement()[0, 2], 0.470459, atol=5e-7)


@pytest.mark.parametrize("variant", ["ensemble", "community"])
@pytest.mark.parametrize("seed", range(3))
def test_the_best_of_each_community_is_kept(seed, variant):
    labels, _ = two_opinions(seed)
    fitted = Selection(3, variant=variant, random_state=0).fit(Ensemble(labels))
    phi = np.array([[nmi(a, b) for b in labels.T] for a in labels.T])
    assert_array_equal(fitted.graph_, relative_neighborhood(1 - phi))
    groups = fitted.groups_
    np.fill_diagonal(phi, 0)
    for g in set(groups):
        inside = np.flatnonzero(groups == g)
        scope = inside if variant == "community" else np.arange(9)
        q = phi[np.ix_(inside, scope)].sum(axis=1)
        # Of two that are a community by themselves either is the best.
        assert fitted.selected_[inside].sum() == 1
        assert_allclose(q[fitted.selected_[inside]], q.max())
    if variant == "ensemble":
        assert_allclose(fitted.clustering_weights_, phi.sum(axis=1) / 8)


def test_copies_of_two_clusterings_are_one_community():
    copies = np.repeat(E6[:, 1:], 3, axis=1)
    fitted = Selection(2, random_state=0).fit(Ensemble(copies))
    assert_array_equal(fitted.graph_, ~np.eye(6, dtype=bool))
    assert_array_equal(np.flatnonzero(fitted.selected_), [0])


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    labels, truth = planted(120, 4, 20, noise=0.04, seed=seed)
    fitted = Selection(4, random_state=0).fit(Ensemble(labels))
    assert fitted.selected_.sum() < 8
    assert (fitted.groups_ >= 0).all()
    assert adjusted_rand(fitted.labels_, truth) >= 0.95


def test_cspa_combines_those_kept():
    ensemble = Ensemble(two_opinions(1)[0])
    fitted = Selection(3, random_state=0).fit(ensemble)
    kept = ensemble.take(clusterings=fitted.selected_)
    assert same_partition(fitted.labels_, CSPA(3, random_state=0).fit_predict(kept))


def test_of_equal_clusterings_one_is_kept():
    same = Ensemble(np.repeat(E6[:, :1], 4, axis=1))
    fitted = Selection(2, random_state=0).fit(same)
    assert_array_equal(fitted.selected_, [True, False, False, False])


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(two_opinions(2)[0])
    judge = Selection(3, random_state=0)
    mix = ConsensusClustering(3, selection=judge, consensus="tcut", random_state=0)
    assert_array_equal(mix.fit(ensemble).selected_, judge.fit(ensemble).selected_)


@pytest.mark.parametrize("seed", [58, 59, 60, 61])
def test_the_order_of_the_clusterings_makes_no_community(seed):
    labels = planted_problem(200, 8, 0.35, seed).labels
    order = np.random.RandomState(seed).permutation(8)
    one, other = (
        Selection(4, random_state=0).fit(Ensemble(columns))
        for columns in (labels, labels[:, order])
    )
    assert_array_equal(one.selected_[order], other.selected_)
