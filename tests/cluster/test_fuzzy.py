"""Fuzzy c-means: its fixed points, its limits, its weights."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs

from comitia.cluster import FuzzyCMeans, fuzzy_memberships
from comitia.cluster.fuzzy import fuzziness_for, fuzzy_cmeans
from comitia.exceptions import ComitiaError, ComitiaWarning
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
    from comitia.cluster.fuzzy_geometry import geometry_of

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


@pytest.mark.parametrize(
    ("n", "p", "wanted"),
    [
        # 1 + 22.52267 / 289 + 0.24711 * 17**-0.43845; the R package Mfuzz prints 1.15
        # for yeast genes of this shape.
        (3000, 17, 1.14928),
        (1000, 10, 1.33778),  # 1 + 0.23468 + 0.25533 * 10**-0.39386
        (150, 4, 2.0),  # 3.18 before it is held at 2
    ],
)
def test_fuzziness_follows_the_dimension(n, p, wanted):
    X = np.random.RandomState(0).rand(n, p)
    assert_allclose(fuzziness_for(X), wanted, atol=1e-5)  # printed digits
    # Features that do not vary are no dimensions.
    still = np.column_stack([X, np.ones((n, 40))])
    assert fuzziness_for(still) == fuzziness_for(X)


def test_clusters_of_many_dimensions_do_not_fall_together():
    X = load_digits().data[:300]
    fitted = FuzzyCMeans(10, n_init=1, random_state=0).fit(X)
    assert len(set(fitted.labels_)) == 10
    assert fitted.membership_.max(axis=1).mean() > 0.5
    assert_allclose(fitted.predict_membership(X), fitted.membership_, atol=1e-4)
    given = FuzzyCMeans(10, fuzziness=fitted.fuzziness_, n_init=1, random_state=0)
    assert_array_equal(given.fit(X).membership_, fitted.membership_)


def test_fuzziness_falls_until_clusters_are_distinct():
    # In noise without clusters the first fuzziness finds none, by its definition.
    X = np.random.RandomState(0).rand(60, 30)
    fitted = FuzzyCMeans(3, random_state=0).fit(X)
    assert 1.0 < fitted.fuzziness_ < fuzziness_for(X)
    assert len(set(fitted.labels_)) == 3
    with pytest.warns(ComitiaWarning, match="coincide"):
        FuzzyCMeans(3, fuzziness=fuzziness_for(X), random_state=0).fit(X)


def test_centers_that_coincide_warn():
    X = load_digits().data[:300]
    with pytest.warns(ComitiaWarning, match="coincide.*fuzziness=2 is much"):
        fitted = FuzzyCMeans(10, fuzziness=2.0, n_init=1, random_state=0).fit(X)
    assert_allclose(fitted.membership_, 0.1, atol=0.01)
    # Two clusters that are near each other and far from a third are two.
    three = [[0.0], [0.1], [1.0], [1.1], [1000.0], [1000.1]]
    FuzzyCMeans(3, random_state=0).fit(three)


# -- fuzzy c-medoids -----------------------------------------------------------
