from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia._kernels.label_rows import (
    nearest_points,
    nearest_rows,
    score_rows,
    sum_points,
    sum_rows,
)
from comitia.exceptions import ComitiaError
from comitia.partition import _lloyd as lloyd_module
from comitia.partition import kmeans, kmeans_rows
from comitia.partition.k_means import kmodes
from tests.fixtures import E6, planted, same_partition


def rng(seed=0):
    return np.random.RandomState(seed)


def k_means_cost(X, labels, weights):
    return sum(
        (
            weights[part, None]
            * (X[part] - np.average(X[part], axis=0, weights=weights[part])) ** 2
        ).sum()
        for part in (labels == r for r in np.unique(labels))
    )


def blocks_of(labels):
    """One-hot blocks with rows of zeros for missing labels, and who is present."""
    return [
        ((column[:, None] == np.arange(column.max() + 1)) * 1.0, column >= 0)
        for column in labels.T
    ]


def rows_cost(labels, partition, w, a, s, utility="squared"):
    """The objective of kmeans_rows, by loops over clusters and clusterings."""
    cost = 0.0
    for r in np.unique(partition):
        for m, (block, present) in enumerate(blocks_of(labels)):
            part = np.flatnonzero((partition == r) & present)
            if len(part) == 0:
                continue
            points = s[part, None] * block[part]
            center = (a[part, None] * points).sum(axis=0) / a[part].sum()
            for i, point in zip(part, points, strict=True):
                if utility == "squared":
                    cost += w[m] * a[i] * ((point - center) ** 2).sum()
                else:
                    cost -= w[m] * a[i] * np.log2(center[point > 0]).sum()
    return cost


def all_partitions(n, k):
    for rest in product(range(k), repeat=n - 1):
        yield np.array((0, *rest))


# -- kernels -----------------------------------------------------------------------


def padded_rows(seed, missing):
    random = rng(seed)
    labels = random.randint(0, 4, size=(50, 6))  # 4 + 2: the unrolled loop and its rest
    labels[random.rand(*labels.shape) < missing] = -1
    labels[:4, :] = np.arange(4)[:, None]
    E = Ensemble(labels)
    starts = E.offsets[:-1] + np.arange(E.n_clusterings)
    return E, starts


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_row_kernels_score_and_sum_like_the_indicator_matrix(missing):
    E, starts = padded_rows(0, missing)
    random = rng(1)
    table = random.randn(E.n_clusters_total, 3)
    scale, penalty = random.rand(E.n_objects) + 0.5, random.rand(3)
    absent = random.rand(E.n_clusterings, 3)
    padded = np.insert(table, E.offsets[1:], 0.0, axis=0)
    B = E.membership.toarray()
    expected = scale[:, None] * (B @ table)

    scores = np.empty((E.n_objects, 3))
    score_rows(E.row_codes, starts, padded, scale, scores)
    assert_allclose(scores, expected, atol=1e-12)

    labels, best = np.empty(E.n_objects, np.int32), np.empty(E.n_objects)
    for given in (np.empty((0, 3)), absent):
        nearest_rows(
            E.row_codes,
            starts,
            E.n_clusters_each,
            padded,
            scale,
            penalty,
            given,
            labels,
            best,
        )
        total = expected - penalty
        if len(given):
            total = total + (E.labels == -1) @ given
        assert_array_equal(labels, total.argmax(axis=1))
        assert_allclose(best, total.max(axis=1), atol=1e-12)

    weights = random.randint(1, 9, size=E.n_objects)
    sums = np.zeros((3, len(padded)), dtype=np.int64)
    sum_rows(E.row_codes, starts, labels, weights, sums)
    real = np.delete(np.arange(len(padded)), starts + E.n_clusters_each)
    by_cluster = (labels == np.arange(3)[:, None]) * weights
    assert_array_equal(sums[:, real], by_cluster @ B)


def test_point_kernels_score_and_sum_like_matrix_products():
    random = rng(2)
    X, table = random.randn(40, 5), random.randn(5, 3)
    penalty, weights = random.rand(3), random.rand(40)
    labels, best = np.empty(40, np.int32), np.empty(40)
    nearest_points(X, table, penalty, labels, best)
    scores = X @ table - penalty
    assert_array_equal(labels, scores.argmax(axis=1))
    assert_allclose(best, scores.max(axis=1), atol=1e-12)
    sums = np.zeros((3, 5))
    sum_points(X, labels, weights, sums)
    expected = ((labels == np.arange(3)[:, None]) * weights) @ X
    assert_allclose(sums, expected, atol=1e-12)


# -- points ------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_k_means_finds_the_least_cost_of_all_partitions(seed):
    random = rng(seed)
    X, weights = random.randn(8, 2), random.uniform(0.5, 2.0, 8)
    least = min(k_means_cost(X, p, weights) for p in all_partitions(8, 3))
    labels, centers, objective = kmeans(X, 3, rng(), sample_weight=weights, n_init=30)
    assert_allclose(objective[-1], least, rtol=1e-9)
    assert_allclose(k_means_cost(X, labels, weights), least, rtol=1e-9)
    means = [
        np.average(X[labels == r], axis=0, weights=weights[labels == r])
        for r in range(3)
    ]
    assert_allclose(centers, means, atol=1e-12)


def test_whole_weights_are_repeated_points():
    random = rng(3)
    X, weights = random.randn(30, 2), random.randint(1, 4, size=30)
    weighted = kmeans(X, 4, rng(), sample_weight=weights, n_init=20)
    repeated = kmeans(np.repeat(X, weights, axis=0), 4, rng(), n_init=20)
    assert_allclose(weighted.objective[-1], repeated.objective[-1])
    assert same_partition(np.repeat(weighted.labels, weights), repeated.labels)


def test_scikit_learn_does_not_find_a_better_partition():
    from sklearn.cluster import KMeans

    X = rng(4).randn(400, 3)
    ours = kmeans(X, 6, rng(), n_init=10).objective[-1]
    theirs = KMeans(6, n_init=10, random_state=0).fit(X).inertia_
    assert ours <= theirs * 1.01  # both stop in local optima


def test_the_objective_never_rises():
    found = kmeans(rng(5).randn(300, 2), 12, rng(), n_init=1, tol=0.0)
    assert len(found.objective) > 3
    assert (np.diff(found.objective) <= 1e-9).all()


@pytest.mark.parametrize("unit", [1.0, 1e-20])
def test_an_empty_cluster_gets_the_farthest_point(unit):
    labels = np.array([0, 0, 0, 1], dtype=np.int32)
    costs = unit * np.array([0.1, 3.0, 0.2, 9.0])
    lloyd_module._fill_empty(labels, costs, np.ones(4), np.full(4, unit), 3)
    # Point 3 costs most, but it is all that cluster 1 has.
    assert labels.tolist() == [0, 2, 0, 1]


def test_fewer_different_points_than_clusters_give_fewer_clusters():
    found = kmeans([[0.0], [0.0], [1.0], [1.0]], 3, rng())
    assert same_partition(found.labels, [0, 0, 1, 1])
    assert found.objective[-1] == 0.0


def test_many_points_start_from_a_sample():
    X = rng(6).randn(50_000, 2) + 8 * (np.arange(50_000) % 4)[:, None]
    found = kmeans(X, 4, rng(), n_init=2)
    assert same_partition(found.labels, np.arange(50_000) % 4)


@pytest.mark.parametrize(
    ("X", "k", "weights", "message"),
    [
        ([[np.nan]], 1, None, "X must be finite"),
        ([1.0, 2.0], 1, None, "X must be a table"),
        ([[1.0], [2.0]], 3, None, "n_clusters=3 must be between 1 and .* 2"),
        ([[1.0], [2.0]], 1, [1.0], "one value per point, 2"),
        ([[1.0], [2.0]], 1, [1.0, -1.0], "not negative"),
        ([[1.0], [2.0]], 1, [0.0, 0.0], "all zero"),
    ],
)
def test_bad_points_are_refused_in_words(X, k, weights, message):
    with pytest.raises(ComitiaError, match=message):
        kmeans(X, k, rng(), sample_weight=weights)


# -- rows of B ---------------------------------------------------------------------


def weights_for(seed, n, M):
    random = rng(seed)
    return (
        random.uniform(0.5, 2.0, M),
        random.uniform(0.5, 2.0, n),
        random.uniform(0.5, 2.0, n),
    )


@pytest.mark.parametrize("utility", ["squared", "entropy"])
@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(3))
def test_rows_find_the_least_cost_of_all_partitions(utility, missing, seed):
    random = rng(seed)
    labels = random.randint(0, 3, size=(8, 4))
    labels[random.rand(8, 4) < missing] = -1
    labels[:3, :] = np.arange(3)[:, None]
    w, a, s = weights_for(seed, 8, 4)
    options = {"clustering_weights": w, "object_weights": a, "utility": utility}
    if utility == "squared":
        options["row_scale"] = s
    else:
        s = np.ones(8)
    # Of the entropy's starts on the third labels one in fifty ends in the optimum.
    got = kmeans_rows(Ensemble(labels), 2, rng(), n_init=400, **options)
    cost = rows_cost(labels, got.labels, w, a, s, utility)
    assert_allclose(got.objective[-1], cost, rtol=1e-9)
    least = min(
        rows_cost(labels, p, w, a, s, utility)
        for p in all_partitions(8, 2)
        if len(np.unique(p)) == 2
    )
    assert_allclose(cost, least, rtol=1e-9)


def test_rows_are_points_of_the_indicator_matrix():
    labels, _ = planted(200, 3, 6, noise=0.4, seed=0)
    E = Ensemble(labels)
    w, a, s = weights_for(1, 200, 6)
    got = kmeans_rows(
        E, 3, rng(), clustering_weights=w, object_weights=a, row_scale=s, n_init=20
    )
    points = s[:, None] * E.membership.toarray() * np.sqrt(w[E.clustering_of])
    dense = kmeans(points, 3, rng(), sample_weight=a, n_init=20)
    assert same_partition(got.labels, dense.labels)
    assert_allclose(got.objective[-1], dense.objective[-1], rtol=1e-6)  # tol of both


def test_fuzzy_rows_are_points_of_the_membership_matrix():
    random = rng(2)
    center = np.repeat(np.eye(3) * 8 + 0.5, 30, axis=0)
    E = Ensemble.from_memberships(
        [np.array([random.dirichlet(c) for c in center]) for _ in range(4)]
    )
    got = kmeans_rows(E, 3, rng())
    dense = kmeans(E.membership.toarray(), 3, rng())
    assert same_partition(got.labels, dense.labels)
    assert_allclose(got.objective[-1], dense.objective[-1], rtol=1e-6)  # tol of both


@pytest.mark.parametrize("unit", [1e-9, 1e9])
def test_the_unit_of_the_rows_does_not_matter(unit):
    # SEC divides a million rows by their degrees: lengths of 1e-5 are not nothing.
    labels, _ = planted(200, 3, 6, noise=0.3, seed=0)
    got = kmeans_rows(Ensemble(labels), 3, rng(), row_scale=np.full(200, unit))
    plain = kmeans_rows(Ensemble(labels), 3, rng())
    assert_array_equal(got.labels, plain.labels)
    assert_allclose(got.objective, plain.objective * unit**2)


def test_merged_rows_cost_what_all_rows_cost():
    labels, _ = planted(400, 2, 3, noise=0.3, seed=1)  # at most 8 different rows
    ones = np.ones(400)
    got = kmeans_rows(Ensemble(labels), 2, rng())
    assert_allclose(
        got.objective[-1], rows_cost(labels, got.labels, np.ones(3), ones, ones)
    )


@pytest.mark.parametrize("utility", ["squared", "entropy"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_objective_of_rows_never_rises(utility, missing):
    labels, _ = planted(500, 6, 8, noise=0.75, seed=2)
    labels[rng(0).rand(*labels.shape) < missing] = -1
    found = kmeans_rows(Ensemble(labels), 6, rng(), utility=utility, n_init=1, tol=0.0)
    assert len(found.objective) > 3
    assert (np.diff(found.objective) <= 1e-9).all()


def test_normalized_utilities_divide_the_weights():
    E = Ensemble(E6)
    shares = [[1 / 2, 1 / 2], [1 / 2, 1 / 2], [1 / 3, 1 / 3, 1 / 3]]
    squared = [1 / sum(p * p for p in block) for block in shares]
    bits = [-1 / sum(p * np.log2(p) for p in block) for block in shares]
    for utility, weights in (("squared", squared), ("entropy", bits)):
        normal = kmeans_rows(E, 2, rng(), utility=utility, normalized=True)
        given = kmeans_rows(E, 2, rng(), utility=utility, clustering_weights=weights)
        assert_allclose(normal.objective[-1], given.objective[-1])


def test_a_clustering_with_one_cluster_changes_nothing():
    E = Ensemble(np.column_stack([E6, np.zeros(6, dtype=int)]))
    for utility in ("squared", "entropy"):
        got = kmeans_rows(E, 2, rng(), utility=utility, normalized=True)
        assert np.isfinite(got.objective).all()
        assert same_partition(got.labels, E6[:, 0])


def test_e6_costs_of_both_utilities():
    # {0,1,2},{3,4,5}: C1 and C2 cost nothing; C3 has shares 2/3 and 1/3 in both parts.
    squared = kmeans_rows(Ensemble(E6), 2, rng())
    assert_allclose(squared.objective[-1], 2 * 3 * (1 - 5 / 9))
    entropy = kmeans_rows(Ensemble(E6), 2, rng(), utility="entropy")
    bits = -(2 / 3) * np.log2(2 / 3) - (1 / 3) * np.log2(1 / 3)
    assert_allclose(entropy.objective[-1], 2 * 3 * bits)


def test_a_scale_has_no_meaning_with_entropies():
    with pytest.raises(ComitiaError, match="row_scale has no meaning"):
        kmeans_rows(Ensemble(E6), 2, rng(), row_scale=np.ones(6), utility="entropy")


# -- label rows --------------------------------------------------------------------


def modes_cost(labels, partition, w):
    cost = 0.0
    for r in np.unique(partition):
        for m in range(labels.shape[1]):
            column = labels[partition == r, m]
            column = column[column >= 0]
            if len(column):
                cost += w[m] * (len(column) - np.bincount(column).max())
    return cost


@pytest.mark.parametrize("missing", [0.0, 0.25])
@pytest.mark.parametrize("seed", range(3))
def test_k_modes_finds_the_least_cost_of_all_partitions(missing, seed):
    random = rng(seed)
    labels = random.randint(0, 3, size=(8, 4))
    labels[random.rand(8, 4) < missing] = -1
    labels[:3, :] = np.arange(3)[:, None]
    w = random.uniform(0.5, 2.0, 4)
    got = kmodes(Ensemble(labels), 2, rng(), clustering_weights=w, n_init=60)
    cost = modes_cost(labels, got.labels, w)
    assert_allclose(got.objective[-1], cost, atol=1e-9)
    least = min(modes_cost(labels, p, w) for p in all_partitions(8, 2))
    assert_allclose(cost, least, atol=1e-9)


def test_ties_of_modes_go_to_the_lowest_label():
    rule = lloyd_module.Matches(np.ones(4), np.array([0, 2]))
    centers = rule.centers(np.array([[1.0, 1.0, 0.0, 2.0]]), np.array([2.0]), 4.0)
    assert centers.table[:, 0].tolist() == [1.0, 0.0, 0.0, 1.0]


def test_k_modes_needs_one_label_each():
    fuzzy = Ensemble.from_memberships([np.full((4, 2), 0.5)])
    with pytest.raises(ComitiaError, match="the ensemble is fuzzy"):
        kmodes(fuzzy, 2, rng())
