import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, config
from comitia.exceptions import ComitiaError, ComitiaWarning, MemoryBudgetError
from comitia.represent import coassociation, profile_similarity, soft_assignment
from comitia.represent.soft_assignment import weighted_centers
from comitia.weigh import object_uncertainty
from tests.fixtures import E6, X6


def some(kind="hard", n=30, seed=0):
    rng = np.random.RandomState(seed)
    X = 1000 + rng.randn(n, 3) * [1, 2, 3]
    labels = rng.randint(4, size=(n, 3))
    if kind == "partial":
        labels[rng.rand(n, 3) < 0.3] = -1
    if kind == "fuzzy":
        F = [rng.dirichlet(np.ones(k), size=n) for k in (2, 3)]
        return X, Ensemble.from_memberships(F), rng.rand(n)
    return X, Ensemble(labels), rng.rand(n)


def test_the_weighted_center_of_cluster_a_is_that_of_the_catalogue():
    weights = object_uncertainty(Ensemble(E6))
    centers = weighted_centers(X6, Ensemble(E6), weights)
    assert_allclose(centers[0], 1.4)
    assert_allclose(weighted_centers(X6, Ensemble(E6))[0], 1.0)


@pytest.mark.parametrize("kind", ["hard", "partial", "fuzzy"])
def test_centers_and_probabilities_are_their_definitions(kind):
    X, E, w = some(kind)
    B = E.membership.toarray()
    centers = np.array([np.average(X, axis=0, weights=w * b) for b in B.T])
    assert_allclose(weighted_centers(X, E, w), centers)
    P = soft_assignment(X, E, object_weights=w)
    for m in range(E.n_clusterings):
        own = slice(E.offsets[m], E.offsets[m + 1])
        squared = ((X[:, None] - centers[None, own]) ** 2).sum(axis=2)
        raw = np.exp(-squared / squared.mean())
        expected = raw / raw.sum(axis=1, keepdims=True)
        assert_allclose(P[:, own], expected, atol=1e-9)  # squares of 1e3 lose digits


def test_the_temperature_of_the_first_clustering_can_serve_for_all():
    X, E, _ = some()
    squared = ((X[:, None] - weighted_centers(X, E)[None, :4]) ** 2).sum(axis=2)
    one = soft_assignment(X, E, temperature="first")
    assert_allclose(one, soft_assignment(X, E, temperature=squared.mean()), atol=1e-9)
    each = soft_assignment(X, E)
    assert_allclose(one[:, :4], each[:, :4])
    assert np.abs(one - each).max() > 1e-4


def test_a_low_temperature_gives_the_nearest_center():
    P = soft_assignment(X6, Ensemble(E6), temperature=1e-300)
    expected = Ensemble(E6).membership.toarray()
    # Objects 2 and 3 are in d = {2, 10}, but nearer to the centres of c and of e.
    expected[2, 4:] = [1, 0, 0]
    expected[3, 4:] = [0, 0, 1]
    assert_allclose(P, expected, atol=1e-12)


def test_a_high_temperature_gives_all_clusters_the_same():
    P = soft_assignment(X6, Ensemble(E6), temperature=1e12)
    assert_allclose(P, [[1 / 2] * 4 + [1 / 3] * 3] * 6, atol=1e-9)


def test_a_cluster_whose_objects_weigh_nothing_has_its_plain_center():
    got = weighted_centers(X6, Ensemble(E6), [0, 0, 0, 1, 1, 1])
    assert_allclose(got[:2].ravel(), [1.0, 11.0])


def test_an_empty_cluster_has_no_probability():
    E = Ensemble.from_codes(np.array([[0, 0, 2, 2, 2, 2]]), [3])
    P = soft_assignment(X6, E)
    assert_array_equal(P[:, 1], 0.0)
    assert_allclose(P.sum(axis=1), 1.0)


def test_equal_objects_belong_everywhere_alike():
    P = soft_assignment(np.ones((6, 2)), Ensemble(E6))
    assert_allclose(P[:, :2], 0.5)


@pytest.mark.parametrize("kind", ["hard", "partial"])
def test_crisp_profiles_give_the_coassociation(kind):
    _, E, _ = some(kind)
    got = profile_similarity(E.membership.toarray(), E, dtype=np.float64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)  # pairs that are never seen
        expected = coassociation(E, dtype=np.float64)
    assert_allclose(got, expected, atol=1e-15)


def test_similarity_is_the_mean_of_cosines():
    X, E, _ = some()
    P = soft_assignment(X, E)
    expected = np.zeros((30, 30))
    for m in range(3):
        own = P[:, E.offsets[m] : E.offsets[m + 1]]
        norms = np.linalg.norm(own, axis=1)
        expected += own @ own.T / np.outer(norms, norms) / 3
    assert_allclose(profile_similarity(P, E, dtype=np.float64), expected, atol=1e-12)


def test_bad_input_is_refused_in_words():
    E = Ensemble(E6)
    with pytest.raises(ComitiaError, match="one row per object, 6"):
        soft_assignment(X6[:5], E)
    with pytest.raises(ComitiaError, match="temperature=0 must be positive"):
        soft_assignment(X6, E, temperature=0)
    with pytest.raises(ComitiaError, match="temperature='last'"):
        soft_assignment(X6, E, temperature="last")
    with pytest.raises(ComitiaError, match="object_weights must be 6"):
        soft_assignment(X6, E, object_weights=[1, 2])
    with pytest.raises(ComitiaError, match=r"shape \(6, 7\)"):
        profile_similarity(np.ones((6, 3)), E)
    with config.limit("100"), pytest.raises(MemoryBudgetError, match="wohb"):
        profile_similarity(np.ones((6, 7)), E)
