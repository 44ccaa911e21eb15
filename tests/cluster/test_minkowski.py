"""Minkowski weighted k-means: centres, weights, monotone descent, planted noise."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize, minimize_scalar
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia.cluster import MinkowskiKMeans
from comitia.cluster.minkowski import (
    _centers,
    _Descents,
    _members,
    minkowski_distances,
    minkowski_kmeans,
    minkowski_runs,
    minkowski_weights,
)
from comitia.exceptions import ComitiaError


def minkowski_centers(X, labels, n_clusters, p):
    columns = np.ascontiguousarray(np.transpose(X), dtype=float)
    members = _members(np.asarray(labels, dtype=np.intp), n_clusters)
    return _centers(columns, *members, float(p))


BLOBS, TRUTH = make_blobs(90, centers=3, cluster_std=1.0, random_state=4)


@pytest.mark.parametrize("p", [1.05, 1.3, 1.9, 2.1, 3.0, 5.0, 12.0])
@pytest.mark.parametrize("seed", range(4))
def test_centers_minimize_the_dispersion(p, seed):
    rng = np.random.RandomState(seed)
    values = np.r_[rng.randn(rng.randint(1, 30)), 10 ** rng.randn(3), [0.5, 0.5]]
    found = minkowski_centers(values[:, None], np.zeros(len(values)), 1, p)[0, 0]

    def dispersion(c):
        return (np.abs(values - c) ** p).sum()

    best = minimize_scalar(
        dispersion,
        bounds=(values.min(), values.max()),
        method="bounded",
        options={"xatol": 1e-12},
    )
    assert dispersion(found) <= best.fun * (1 + 1e-12)
    # At the minimum the slope changes its sign.
    step = 1e-7 * np.ptp(values)
    assert dispersion(found - step) >= dispersion(found) * (1 - 1e-14)
    assert dispersion(found + step) >= dispersion(found) * (1 - 1e-14)


def test_centers_are_medians_means_and_single_objects():
    X = np.random.RandomState(0).rand(21, 2)
    labels = np.repeat([0, 1, 2], [10, 10, 1])
    for p, statistic in [(1, np.median), (2, np.mean)]:
        expected = [statistic(X[labels == v], axis=0) for v in range(3)]
        assert_allclose(minkowski_centers(X, labels, 3, p), expected)
    assert_array_equal(minkowski_centers(X, labels, 3, 3.3)[2], X[20])


@pytest.mark.parametrize("p", [1.001, 1.999, 2.001])
def test_centers_depend_smoothly_on_the_exponent(p):
    X = np.random.RandomState(1).rand(31, 3)
    labels = np.zeros(31, dtype=int)
    near = minkowski_centers(X, labels, 1, round(p))
    # Within a thousandth of the exponent the centre moves by about as much.
    assert_allclose(minkowski_centers(X, labels, 1, p), near, atol=0.01)


def test_weights_are_those_of_the_catalogue():
    assert_allclose(minkowski_weights([[1.0, 4.0]], 2.0), [[0.8, 0.2]])
    assert_array_equal(minkowski_weights([[3.0, 1.0, 2.0]], 1.0), [[0.0, 1.0, 0.0]])


@pytest.mark.parametrize("beta", [1.4, 2.0, 4.0])
def test_weights_minimize_the_objective(beta):
    D = np.array([0.5, 2.0, 1.0])

    def cost(v):
        w = np.exp(v) / np.exp(v).sum()
        return (w**beta * D).sum()

    found = minimize(cost, np.zeros(3), tol=1e-12)
    w = minkowski_weights(D[None], beta)[0]
    assert (w**beta * D).sum() <= found.fun + 1e-12


def test_a_feature_without_dispersion_does_not_take_everything():
    D = np.array([[0.0, 2.0], [1.0, 1.0]])
    assert_allclose(minkowski_weights(D, 2.0), minkowski_weights(D + 1.0, 2.0))
    assert minkowski_weights(D, 2.0)[0, 0] < 1
    always = minkowski_weights([[1.0, 4.0]], 2.0, "offset")
    assert_allclose(always, minkowski_weights([[3.5, 6.5]], 2.0))
    with pytest.raises(ComitiaError, match='none of "guarded", "offset"'):
        minkowski_weights(D, 2.0, "none")


def test_distances_are_their_definition():
    rng = np.random.RandomState(0)
    X, centers = rng.rand(7, 3), rng.rand(2, 3)
    weights = rng.dirichlet(np.ones(3), 2)
    expected = [[sum(weights[v, r] ** 1.7 * abs(X[i, r] - centers[v, r]) ** 2.6
                  for r in range(3)) for v in range(2)] for i in range(7)]  # fmt: skip
    got = minkowski_distances(X, centers, weights, 2.6, 1.7)
    assert_allclose(got, expected)


@pytest.mark.parametrize("p", [1.0, 1.4, 2.0, 3.0])
def test_the_objective_never_rises(p):
    X = np.random.RandomState(0).rand(80, 4)
    for seed in range(4):
        run = minkowski_kmeans(X, 4, np.random.RandomState(seed), p=p, n_init=1)
        assert np.diff(run.objective).max(initial=0.0) <= 1e-9
        assert_allclose(run.weights.sum(axis=1), 1.0)


def test_features_of_equal_weight_are_kmeans():
    # One feature has the weight one, whatever its dispersion.
    X = BLOBS[:, :1]
    plain = KMeans(3, init=X[:3], n_init=1, tol=0).fit(X)
    ours = MinkowskiKMeans(3, init=X[:3]).fit(X)
    assert_array_equal(ours.labels_, plain.labels_)
    assert_allclose(ours.inertia_, plain.inertia_)


def test_noise_features_lose_their_weight():
    rng = np.random.RandomState(0)
    X = np.column_stack([BLOBS, rng.uniform(-12, 12, size=(90, 4))])
    X = (X - X.mean(axis=0)) / np.ptp(X, axis=0)
    fitted = MinkowskiKMeans(3, p=1.5, n_init=30, random_state=0).fit(X)
    plain = KMeans(3, n_init=30, random_state=0).fit(X)
    assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.95
    assert adjusted_rand_score(TRUTH, plain.labels_) < 0.9
    assert fitted.feature_weights_[:, :2].sum(axis=1).min() > 0.7


def test_the_scale_of_the_data_does_not_matter():
    one = MinkowskiKMeans(3, p=3.0, init=BLOBS[:3]).fit(BLOBS)
    other = MinkowskiKMeans(3, p=3.0, init=100 * BLOBS[:3]).fit(100 * BLOBS)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(one.feature_weights_, other.feature_weights_)


@pytest.mark.parametrize("p", [1.0, 1.2, 1.7, 2.0, 3.0, 4.6])
@pytest.mark.parametrize("variant", ["guarded", "offset"])
def test_what_is_kept_of_clusters_that_rest_is_what_it_would_be(p, variant):
    rng = np.random.RandomState(0)
    X = rng.rand(80, 3)
    X[:12] += 20.0  # a cluster of its own, at rest while the others move
    X[12:15] = X[12]
    starts = X[[[70, 71, 72, 73, 74], [0, 12, 20, 30, 40]]]
    descents = _Descents(np.ascontiguousarray(X.T), starts, p, p, variant)
    n_at_rest = 0
    going = np.arange(2)
    for _ in range(6):
        new = descents.nearest(going)
        labels, before = new[1], descents.labels[1]
        if (labels == before).all():
            break
        n_at_rest += 5 - len(np.unique(labels[labels != before]))
        centers, weights = descents.centers[1], descents.weights[1]
        distances = minkowski_distances(X, centers, weights, p, p)
        assert_allclose(descents.distances[1].T, distances, rtol=1e-12)
        objective = descents.update(going, new)[1]
        centers, weights = descents.centers[1], descents.weights[1]
        assert_allclose(centers, minkowski_centers(X, labels, 5, p))
        D = np.stack([
            (np.abs(X[labels == v] - centers[v]) ** p).sum(axis=0) for v in range(5)
        ])  # fmt: skip
        assert_allclose(weights, minkowski_weights(D, p, variant))
        assert_allclose(objective, (weights**p * D).sum())
    assert n_at_rest > 0


@pytest.mark.parametrize("p", [1.0, 1.4, 2.0, 3.0])
def test_starts_side_by_side_end_as_each_alone(p, monkeypatch):
    rng = np.random.RandomState(1)
    X = rng.rand(60, 3).round(1)  # some objects are equal, some dispersions zero
    starts = [X[rng.choice(60, k, replace=False)] for k in (4, 7, 4, 2, 7, 4)]
    together = list(minkowski_runs(X, starts, p=p))
    monkeypatch.setattr("comitia.cluster.minkowski._TOGETHER", 1)
    monkeypatch.setattr("comitia.cluster.minkowski._KEPT", 1)
    for run, alone in zip(together, minkowski_runs(X, starts, p=p), strict=True):
        assert_array_equal(run.labels, alone.labels)
        assert_allclose(run.centers, alone.centers, rtol=1e-12)
        assert_allclose(run.weights, alone.weights, rtol=1e-12)
        assert_allclose(run.objective, alone.objective, rtol=1e-12)
        assert run.converged == alone.converged


@pytest.mark.parametrize("variant", ["guarded", "offset"])
def test_starts_that_meet_end_as_each_alone_and_are_computed_once(variant, monkeypatch):
    X = np.random.RandomState(0).rand(90, 2)
    # The second half are the first with other names; with two clusters many meet.
    starts = [X[[i, 89 - i]] for i in range(20)]
    starts += [centers[::-1] for centers in starts]
    updated = []
    update = _Descents.update
    monkeypatch.setattr(
        _Descents,
        "update",
        lambda self, going, new: updated.extend(going) or update(self, going, new),
    )
    together = list(minkowski_runs(X, starts, p=3.0, variant=variant))
    n_together = len(updated)
    for run, start in zip(together, starts, strict=True):
        (alone,) = minkowski_runs(X, [start], p=3.0, variant=variant)
        assert adjusted_rand_score(run.labels, alone.labels) == 1.0
        assert_allclose(run.objective, alone.objective, rtol=1e-12)
        assert run.converged == alone.converged
    n_alone = len(updated) - n_together
    assert 2 * n_together < n_alone


@pytest.mark.parametrize("p", [1.05, 1.1, 1.2, 1.5])
def test_a_center_is_not_taken_for_found_beside_an_object(p):
    # The mean is an object but for rounding: there the curvature is infinite.
    values = np.array([-3.0, 1e-15, 1.0, 1.0, 1.0, 0.0])
    center = minkowski_centers(values[:, None], np.zeros(6), 1, p)[0, 0]

    def slope(c):
        return (np.sign(c - values) * np.abs(c - values) ** (p - 1)).sum()

    assert slope(center - 1e-9) < 0 < slope(center + 1e-9)


@pytest.mark.parametrize("exponent", [-0.9, -0.1, 0.1, 0.5, 1.0, 1.1, 2.0, 3.0, 12.5])
def test_powers_of_many_numbers_are_those_of_numpy(exponent):
    from comitia._kernels.powers import raise_all

    rng = np.random.RandomState(0)
    values = np.r_[10 ** rng.uniform(-20, 20, 300), 1.0, 2.0, 0.5, 0.75, np.sqrt(0.5)]
    powers = values.copy()
    raise_all(powers, exponent, np.empty(len(values) + 3))
    # The logarithm, at most 830, is known to 1e-16 of itself.
    assert_allclose(powers, values**exponent, rtol=1e-12)
    assert powers[300] == 1.0


def test_powers_have_their_limits():
    from comitia._kernels.powers import raise_all

    def power(x, exponent):
        value = np.array([x])
        raise_all(value, exponent, np.empty(1))
        return value[0]

    assert [power(0.0, q) for q in (0.1, 1.0, 2.0, 3.3)] == [0.0] * 4
    assert power(0.0, -0.1) == np.inf
    assert power(1e200, 3.0) == np.inf
    assert power(1e-200, 3.0) == 0.0
    assert power(7.0, 0.0) == 1.0
