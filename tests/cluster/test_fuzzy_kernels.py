"""The compiled rounds of fuzzy c-means, against those in NumPy."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia._kernels.fuzzy import fuzzy_pass, squared_distances
from comitia.cluster import fuzzy_cmeans, fuzzy_memberships


def means(X, weights):
    return (weights.T @ X) / weights.sum(axis=0)[:, None]


@pytest.mark.parametrize("p", [1, 3, 67])
def test_distances_are_those_of_scipy_and_zero_at_a_center(p):
    rng = np.random.RandomState(p)
    X = 1e3 + rng.randn(20, p)
    centers = np.vstack([X[:3], rng.randn(2, p)])
    got = squared_distances(X, centers)
    assert_allclose(got, cdist(X, centers, "sqeuclidean"), rtol=1e-12)
    assert_array_equal(np.diag(got)[:3], 0.0)


@pytest.mark.parametrize("fuzziness", [1.3, 2.0, 3.5])
def test_a_pass_is_what_numpy_makes_of_it(fuzziness):
    rng = np.random.RandomState(0)
    X, weights = rng.randn(30, 4), rng.rand(30)
    # Two centres at one object, which belongs to both in equal parts.
    centers = np.vstack([X[5], X[5], rng.randn(2, 4)])
    before = rng.dirichlet(np.ones(4), 30)
    F, sums, mass = before.copy(), np.empty((4, 4)), np.empty(4)
    objective, change = fuzzy_pass(X, centers, weights, fuzziness, F, sums, mass)
    d = cdist(X, centers, "sqeuclidean")
    wanted = fuzzy_memberships(d, fuzziness)
    powered = weights[:, None] * wanted**fuzziness
    assert_allclose(F, wanted, atol=1e-14)
    assert_array_equal(F[5], [0.5, 0.5, 0.0, 0.0])
    assert_allclose(sums, powered.T @ X, atol=1e-13)
    assert_allclose(mass, powered.sum(axis=0))
    assert_allclose(objective, (powered * d).sum())
    assert_allclose(change, np.abs(wanted - before).max())


@pytest.mark.parametrize("fuzziness", [1.5, 2.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_compiled_rounds_end_where_those_in_numpy_do(fuzziness, weighted):
    rng = np.random.RandomState(1)
    X = rng.randn(60, 3) + 4 * rng.randint(0, 3, 60)[:, None]
    options = {"fuzziness": fuzziness, "n_init": 1, "max_iter": 25}
    if weighted:
        options["sample_weight"] = rng.rand(60)
    # Centres of one's own are not compiled; these are those that it has anyway.
    slow = fuzzy_cmeans(X, 3, np.random.RandomState(0), update_centers=means, **options)
    fast = fuzzy_cmeans(X, 3, np.random.RandomState(0), **options)
    assert len(fast.objective) == len(slow.objective)
    assert fast.converged == slow.converged
    assert_allclose(fast.objective, slow.objective)
    assert_allclose(fast.membership, slow.membership, atol=1e-10)
    assert_allclose(fast.centers, slow.centers, atol=1e-10)


def test_a_deserted_cluster_stays_where_it_was():
    # At a fuzziness near one, what is far away has no membership at all.
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    run = fuzzy_cmeans(
        X,
        3,
        np.random.RandomState(0),
        fuzziness=1.0001,
        init=[[0.5], [9.5], [1e3]],
        max_iter=5,
    )
    assert_allclose(run.centers, [[0.5], [9.5], [1e3]])
    assert_array_equal(run.membership[:, 2], 0.0)
