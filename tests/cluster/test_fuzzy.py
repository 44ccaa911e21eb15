"""Fuzzy c-means and c-medoids: their fixed points, their limits, their weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from comitia.cluster import (
    FuzzyCMeans,
    FuzzyCMedoids,
    fuzzy_cmeans,
    fuzzy_cmedoids,
    fuzzy_memberships,
)
from comitia.exceptions import ComitiaError
from tests.fixtures import X6

BLOBS, _ = make_blobs(80, centers=3, cluster_std=1.5, random_state=2)


def memberships_by_loops(distance, fuzziness):
    F = np.zeros_like(distance)
    for i, d in enumerate(distance):
        zeros = [r for r in range(len(d)) if d[r] == 0]
        for r in range(len(d)):
            if zeros:
                F[i, r] = (r in zeros) / len(zeros)
            else:
                F[i, r] = 1 / sum((d[r] / x) ** (1 / (fuzziness - 1)) for x in d)
    return F


@pytest.mark.parametrize("fuzziness", [1.3, 2.0, 3.5])
def test_memberships_are_their_definition(fuzziness):
    distance = np.random.RandomState(0).rand(30, 4)
    distance[3, 1] = distance[5, 0] = distance[5, 3] = 0.0
    F = fuzzy_memberships(distance, fuzziness)
    assert_allclose(F, memberships_by_loops(distance, fuzziness), atol=1e-12)
    assert_allclose(F.sum(axis=1), 1.0)


def test_memberships_minimize_the_objective():
    d = np.array([1.0, 2.0, 5.0])

    def cost(v):
        F = np.exp(v) / np.exp(v).sum()
        return (F**1.7 * d).sum()

    found = minimize(cost, np.zeros(3), method="Nelder-Mead", tol=1e-13).x
    best = np.exp(found) / np.exp(found).sum()
    # Nelder-Mead knows the place of a minimum to about the root of its tolerance.
    assert_allclose(fuzzy_memberships(d[None], 1.7)[0], best, atol=1e-5)


def test_memberships_do_not_overflow():
    F = fuzzy_memberships([[1e-300, 1.0], [1e300, 1e-300], [0.0, 1e300]], 1.01)
    assert_allclose(F, [[1, 0], [0, 1], [1, 0]])


def test_inverse_distances_are_those_of_boost_clustering():
    # X6 with centroids 1 and 11; quality 1 - max + min, catalogue: boost_clustering.
    F = fuzzy_memberships(np.abs(X6 - [[1.0, 11.0]]))
    quality = 1 - F.max(axis=1) + F.min(axis=1)
    assert_allclose(quality, [1 / 6, 0, 1 / 5, 1 / 5, 0, 1 / 6], atol=1e-12)


@pytest.mark.parametrize("metric", ["sqeuclidean", "manhattan", "cosine", "kl"])
@pytest.mark.parametrize("fuzziness", [1.5, 2.0])
def test_the_objective_never_rises(metric, fuzziness):
    X = np.abs(BLOBS) + 0.1
    weights = np.random.RandomState(1).rand(len(X))
    run = fuzzy_cmeans(
        X,
        3,
        np.random.RandomState(0),
        metric=metric,
        fuzziness=fuzziness,
        sample_weight=weights,
        n_init=2,
    )
    assert np.diff(run.objective).max() <= 1e-9 * run.objective[0]


@pytest.mark.parametrize("metric", ["sqeuclidean", "manhattan", "cosine", "kl"])
def test_centers_cannot_be_improved(metric):
    from comitia.cluster._fuzzy_geometry import geometry_of

    rng = np.random.RandomState(3)
    X, weights = rng.rand(25, 3) + 0.05, rng.rand(25, 2)
    distance, centers_of = geometry_of(metric, None, X)
    centers = centers_of(X, weights)
    least = (weights * distance(X, centers)).sum()
    for _ in range(200):
        moved = centers + 0.02 * rng.randn(*centers.shape)
        assert (weights * distance(X, moved)).sum() >= least - 1e-12


def test_the_result_is_a_stationary_point():
    fitted = FuzzyCMeans(3, tol=1e-12, max_iter=2000, random_state=0).fit(BLOBS)
    d = ((BLOBS[:, None] - fitted.cluster_centers_) ** 2).sum(axis=2)
    assert_allclose(fitted.membership_, memberships_by_loops(d, 2.0), atol=1e-9)
    powered = fitted.membership_**2
    means = powered.T @ BLOBS / powered.sum(axis=0)[:, None]
    assert_allclose(fitted.cluster_centers_, means, atol=1e-9)


def test_little_fuzziness_is_kmeans():
    start = BLOBS[:3]
    crisp = KMeans(3, init=start, n_init=1, tol=0).fit(BLOBS)
    fuzzy = FuzzyCMeans(3, fuzziness=1.001, init=start).fit(BLOBS)
    assert_array_equal(fuzzy.labels_, crisp.labels_)
    # A membership in between is left where two centres are almost equally far.
    assert_allclose(fuzzy.cluster_centers_, crisp.cluster_centers_, atol=1e-3)


def test_more_fuzziness_blurs_the_memberships():
    sharpness = [
        FuzzyCMeans(3, fuzziness=m, random_state=0).fit(BLOBS).membership_.max(1).mean()
        for m in (1.1, 1.5, 2.0, 3.0)
    ]
    assert (np.diff(sharpness) < 0).all()


def test_an_object_of_weight_two_counts_like_two():
    rng = np.random.RandomState(0)
    weights = rng.randint(0, 4, size=len(BLOBS))
    start = BLOBS[:3]
    weighted = FuzzyCMeans(3, init=start).fit(BLOBS, sample_weight=weights)
    repeated = FuzzyCMeans(3, init=start).fit(np.repeat(BLOBS, weights, axis=0))
    assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-9)
    assert_allclose(weighted.objective_, repeated.objective_)


def test_a_callable_metric_takes_the_place_of_a_named_one():
    def squared(X, centers):
        return ((X[:, None] - centers) ** 2).sum(axis=2)

    named = FuzzyCMeans(3, random_state=0).fit(BLOBS)
    own = FuzzyCMeans(3, metric=squared, random_state=0).fit(BLOBS)
    assert_allclose(own.membership_, named.membership_, atol=1e-9)
    with pytest.raises(
        ComitiaError, match=r"shape \(n_objects, n_clusters\), \(80, 3\)"
    ):
        FuzzyCMeans(3, metric=lambda X, C: X).fit(BLOBS)
    with pytest.raises(ComitiaError, match="negative or NaN"):
        FuzzyCMeans(3, metric=lambda X, C: -squared(X, C)).fit(BLOBS)


def test_unsuitable_data_are_refused_in_words():
    with pytest.raises(ComitiaError, match='metric="kl" needs X >= 0'):
        FuzzyCMeans(2, metric="kl").fit(BLOBS)
    with pytest.raises(ComitiaError, match="a row of zeros, which has no direction"):
        FuzzyCMeans(2, metric="cosine").fit([[0.0, 0.0], [1.0, 1.0]])
    with pytest.raises(ComitiaError, match=r"fuzziness=1.0 must be larger than 1"):
        fuzzy_memberships([[1.0, 2.0]], 1.0)
    with pytest.raises(ComitiaError, match="zero for all but 1 object"):
        FuzzyCMeans(2).fit(X6, sample_weight=[1, 0, 0, 0, 0, 0])


def test_order_of_objects_does_not_matter():
    order = np.random.RandomState(0).permutation(len(BLOBS))
    one = FuzzyCMeans(3, init=BLOBS[:3]).fit(BLOBS)
    other = FuzzyCMeans(3, init=BLOBS[:3]).fit(BLOBS[order])
    assert_allclose(one.membership_[order], other.membership_, atol=1e-9)


# -- fuzzy c-medoids -----------------------------------------------------------


def test_medoids_are_the_best_ones():
    from itertools import permutations

    D = np.abs(X6 - X6.T)

    def cost(medoids):
        d = D[:, list(medoids)]
        return (memberships_by_loops(d, 2.0) ** 2 * d).sum()

    least = min(cost(pair) for pair in permutations(range(6), 2))
    run = fuzzy_cmedoids(D, 2, np.random.RandomState(0), n_init=20)
    assert_allclose(run.objective[-1], least)
    assert_allclose(cost(run.medoids), run.objective[-1])


def test_the_objective_of_medoids_never_rises_and_none_is_shared():
    rng = np.random.RandomState(0)
    X = np.repeat(rng.rand(6, 2), 4, axis=0)  # copies tempt clusters to share
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    for seed in range(10):
        run = fuzzy_cmedoids(D, 5, np.random.RandomState(seed), n_init=1)
        assert np.diff(run.objective).max() <= 1e-12
        assert len(set(run.medoids.tolist())) == 5
        assert run.converged


def test_precomputed_dissimilarities_are_those_of_the_metric():
    D = np.sqrt(((BLOBS[:, None] - BLOBS) ** 2).sum(axis=2))
    one = FuzzyCMedoids(3, random_state=0).fit(BLOBS)
    other = FuzzyCMedoids(3, metric="precomputed", random_state=0).fit(D)
    assert_array_equal(one.medoid_indices_, other.medoid_indices_)
    assert_allclose(one.membership_, other.membership_, atol=1e-9)
    assert_array_equal(one.predict(BLOBS[:7]), other.predict(D[:7]))
    assert not hasattr(other, "cluster_centers_")


def test_scaled_dissimilarities_give_the_same_memberships():
    D = np.abs(X6 - X6.T)
    one = fuzzy_cmedoids(D, 2, None, init=[0, 3])
    other = fuzzy_cmedoids(7.5 * D, 2, None, init=[0, 3])
    assert_allclose(one.membership, other.membership)


def test_weights_of_medoids_act_like_copies():
    weights = np.array([1, 3, 1, 2, 1, 1])
    copies = np.repeat(np.arange(6), weights)
    D = np.abs(X6 - X6.T)
    one = fuzzy_cmedoids(D, 2, None, sample_weight=weights, init=[0, 5])
    first = np.searchsorted(copies, [0, 5])
    other = fuzzy_cmedoids(D[np.ix_(copies, copies)], 2, None, init=first)
    assert_array_equal(one.medoids, copies[other.medoids])
    assert_allclose(one.objective[-1], other.objective[-1])


def test_bad_dissimilarities_are_refused_in_words():
    with pytest.raises(ComitiaError, match=r"square matrix of dissim.* \(6, 1\)"):
        FuzzyCMedoids(1, metric="precomputed").fit(X6)
    with pytest.raises(ComitiaError, match="negative entries; dissimilarities are not"):
        FuzzyCMedoids(2, metric="precomputed").fit(-np.ones((3, 3)))
    with pytest.raises(ComitiaError, match=r"2 different objects of 0..5"):
        fuzzy_cmedoids(np.zeros((6, 6)), 2, None, init=[1, 1])
