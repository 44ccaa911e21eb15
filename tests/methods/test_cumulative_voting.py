import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.baselines.cumulative_voting import merge_columns
from tests.fixtures import E6, planted, same_partition

CumulativeVoting = method("cumulative_voting")
VARIANTS = ["fixed", "adaptive", "matched"]


def divergence(p, q, one, other):
    """Jensen-Shannon divergence of two columns with the priors p and q, in bits."""
    middle = (p * one + q * other) / (p + q)

    def relative(x):
        inside = x > 0
        return float((x[inside] * np.log2(x[inside] / middle[inside])).sum())

    return (p * relative(one) + q * relative(other)) / (p + q)


@pytest.mark.parametrize("variant", ["fixed", "adaptive"])
def test_votes_of_e6_are_those_of_the_catalogue(variant):
    fitted = CumulativeVoting(3, variant=variant).fit(Ensemble(E6))
    expected = np.array(
        [[7, 2, 0], [7, 2, 0], [4, 5, 0], [0, 5, 4], [0, 2, 7], [0, 2, 7]]
    )
    assert_allclose(fitted.membership_, expected / 9)
    assert fitted.reference_ == 2


def test_merge_costs_of_e6_are_those_of_the_catalogue():
    Q = CumulativeVoting(3).fit(Ensemble(E6)).membership_
    p = Q.sum(axis=0) / 6
    q = Q / Q.sum(axis=0)
    cost = {
        (r, s): (p[r] + p[s]) * divergence(p[r], p[s], q[:, r], q[:, s])
        for r, s in [(0, 1), (1, 2), (0, 2)]
    }
    printed = [0.246752, 0.246752, 0.666667]
    assert_allclose([*cost.values()], printed, atol=5e-7)  # six decimals
    merged = merge_columns(Q, np.ones(6, dtype=np.int64), 2)
    assert_allclose(merged, np.stack([Q[:, 0] + Q[:, 1], Q[:, 2]], axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_the_pair_that_loses_least_is_merged(seed):
    rng = np.random.RandomState(seed)
    Q, counts = rng.dirichlet(np.ones(5), size=12), rng.randint(1, 4, size=12)
    mass = Q * counts[:, None] / counts.sum()
    p = mass.sum(axis=0)
    costs = {
        (r, s): (p[r] + p[s])
        * divergence(p[r], p[s], mass[:, r] / p[r], mass[:, s] / p[s])
        for r in range(5)
        for s in range(r + 1, 5)
    }
    r, s = min(costs, key=costs.get)
    expected = np.delete(Q, s, axis=1)
    expected[:, r] = Q[:, r] + Q[:, s]
    assert_allclose(merge_columns(Q, counts, 4), expected)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_planted_partition_is_found(variant):
    labels, truth = planted(150, 4, 15, noise=0.2, seed=1)
    fitted = CumulativeVoting(4, variant=variant).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def test_a_missing_label_is_no_vote():
    labels, truth = planted(150, 4, 15, noise=0.15, seed=1)
    labels[np.random.RandomState(0).rand(*labels.shape) < 0.2] = -1
    fitted = CumulativeVoting(4).fit(Ensemble(labels))
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    assert same_partition(fitted.labels_, truth)


def test_the_finest_even_clustering_is_the_reference_and_columns_are_merged():
    truth = np.repeat([0, 1], 40)
    fine = np.arange(80) // 10
    labels = np.stack([truth, truth, truth, fine], axis=1)
    fitted = CumulativeVoting(2).fit(Ensemble(labels))
    assert fitted.reference_ == 3
    assert same_partition(fitted.labels_, truth)
