"""Genie against its definition, and what must not matter to it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

from comitia import config, sizes
from comitia._kernels.nearest import (
    nearest_of_wide,
    nearest_points,
    squares_between,
)
from comitia.cluster import Genie
from comitia.cluster.genie import SpanningTree
from comitia.exceptions import ComitiaError
from tests.fixtures import same_partition


def reachability(X, n_neighbors):
    """Distances, no less than those to the so-many-th nearest other object."""
    D = cdist(X, X)
    if n_neighbors is None:
        return D
    cores = np.sort(D, axis=1)[:, n_neighbors]
    return np.maximum(D, np.maximum.outer(cores, cores))


def genie_by_loops(X, n_clusters, threshold, n_neighbors=None):
    """The definition: all pairs of clusters are compared before each merge."""
    D = reachability(X, n_neighbors)
    clusters = [[i] for i in range(len(X))]
    while len(clusters) > n_clusters:
        counts = [len(cluster) for cluster in clusters]
        unequal = gini_by_loops(counts) > threshold
        least, pair = np.inf, None
        for u in range(len(clusters)):
            for v in range(u):
                if unequal and min(counts) not in (counts[u], counts[v]):
                    continue
                distance = D[np.ix_(clusters[u], clusters[v])].min()
                if distance < least:
                    least, pair = distance, (u, v)
        u, v = pair
        clusters[v] += clusters.pop(u)
    labels = np.empty(len(X), dtype=int)
    for c, cluster in enumerate(clusters):
        labels[cluster] = c
    return labels


def gini_by_loops(counts):
    k = len(counts)
    if k == 1:
        return 0.0
    pairs = sum(abs(a - b) for i, a in enumerate(counts) for b in counts[:i])
    return pairs / ((k - 1) * sum(counts))


# -- the tree -------------------------------------------------------------------------


@pytest.mark.parametrize("n_neighbors", [None, 1, 4])
@pytest.mark.parametrize("p", [1, 2, 7])
def test_the_tree_is_minimal(p, n_neighbors):
    X = np.random.RandomState(p).randn(80, p)
    tree = SpanningTree.of(X, n_neighbors)
    D = reachability(X, n_neighbors)
    # Values are moved by up to 1e-9 of their range.
    assert_allclose(tree.lengths, D[tuple(tree.ends.T)], atol=1e-7)
    assert_allclose(tree.lengths.sum(), minimum_spanning_tree(D).sum(), rtol=1e-6)
    assert (np.diff(tree.lengths) >= 0).all()
    assert len(set(SpanningTree.of(X).labels(1))) == 1


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e150])
def test_lengths_have_the_scale_of_the_data(scale):
    X = scale * np.array([[0.0, 0.0], [3.0, 4.0], [3.0, 16.0]])
    assert_allclose(SpanningTree.of(X).lengths, [5 * scale, 12 * scale], rtol=1e-7)


def test_the_tree_of_many_objects_is_nearly_minimal(monkeypatch):
    X, _ = make_blobs(1500, centers=6, cluster_std=0.3, random_state=0)
    exact = SpanningTree.of(X)
    monkeypatch.setattr(sizes, "SPANNING_TREE_OBJECTS", 300)
    near = SpanningTree.of(X)
    assert len(set(near.cut(np.arange(1499), 1))) == 1
    assert exact.lengths.sum() <= near.lengths.sum() < 1.05 * exact.lengths.sum()
    assert adjusted_rand_score(near.labels(6), exact.labels(6)) > 0.99


# -- the clusters ---------------------------------------------------------------------


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_clusters_are_those_of_the_definition(seed, threshold):
    rng = np.random.RandomState(seed)
    X = rng.standard_t(2, size=(34, 2))
    for n_clusters in (1, 2, 3, 5, 9, 20, 34):
        expected = genie_by_loops(X, n_clusters, threshold)
        found = Genie(n_clusters, gini_threshold=threshold).fit(X)
        assert same_partition(found.labels_, expected)
        labels = found.tree_.labels(n_clusters, threshold)
        assert_array_equal(labels, found.labels_)


def test_sparse_objects_move_away_from_all_others():
    for seed in range(4):
        X = np.random.RandomState(seed).standard_t(2, size=(30, 2))
        # Cores make many distances equal; among those the definition takes any.
        tree = SpanningTree.of(X, 3)
        expected = genie_by_loops(X, 30 - 5, 1.0, 3)
        found = tree.labels(30 - 5, 1.0)
        D = reachability(X, 3)
        assert_allclose(within(D, found), within(D, expected), rtol=1e-6)


def within(D, labels):
    """The longest edge that merged a cluster, of each cluster, in order."""
    longest = [
        minimum_spanning_tree(D[np.ix_(labels == c, labels == c)]).max()
        for c in np.unique(labels)
    ]
    return np.max(longest)


def test_threshold_one_is_single_linkage():
    X = np.random.RandomState(0).randn(60, 3)
    Z = linkage(X, "single")
    fitted = Genie(5, gini_threshold=1.0).fit(X)
    assert same_partition(fitted.labels_, fcluster(Z, 5, "maxclust"))
    assert_allclose(fitted.distances_, Z[:, 2], rtol=1e-6)
    assert_array_equal(fitted.children_, np.sort(Z[:, :2], axis=1))


def test_children_are_the_clusters_that_merge():
    X = np.random.RandomState(0).randn(40, 2)
    fitted = Genie(4).fit(X)
    clusters = {i: {i} for i in range(40)}
    for m, (a, b) in enumerate(fitted.children_):
        if len(clusters) == 4:
            parts = sorted(clusters.values(), key=min)
            labels = [next(c for c in range(4) if i in parts[c]) for i in range(40)]
            assert_array_equal(fitted.labels_, labels)
        clusters[40 + m] = clusters.pop(a) | clusters.pop(b)
    assert clusters == {78: set(range(40))}


@pytest.mark.parametrize("whole", [False, True])
def test_the_order_of_objects_does_not_matter(whole):
    rng = np.random.RandomState(0)
    X = rng.randint(7, size=(120, 2)).astype(float) if whole else rng.randn(120, 2)
    shuffled = rng.permutation(120)
    for n_clusters in (2, 5, 11):
        one = Genie(n_clusters).fit(X).labels_
        other = Genie(n_clusters).fit(X[shuffled]).labels_
        assert same_partition(one[shuffled], other)


def test_shapes_are_found_and_new_objects_go_with_their_neighbors():
    X, truth = make_moons(400, noise=0.05, random_state=0)
    fitted = Genie(2).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) == 1.0
    new, new_truth = make_moons(100, noise=0.05, random_state=1)
    assert adjusted_rand_score(new_truth, fitted.predict(new)) == 1.0


def test_more_neighbors_than_objects_are_refused():
    with pytest.raises(ComitiaError, match=r"n_neighbors=9 .* at most 4"):
        Genie(2, n_neighbors=9).fit(np.random.RandomState(0).randn(5, 2))


# -- many features --------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 61, 300])
@pytest.mark.parametrize("tied", [False, True])
def test_the_tree_of_many_features_is_the_same(n, tied, monkeypatch):
    X = np.random.RandomState(n).randn(n, 300)
    if tied:
        X = np.rint(X[:, :1] * np.ones((1, 300)))
    # Nothing is rounded in another order: not nearly the same.
    monkeypatch.setattr(sizes, "MANY_FEATURES", 301)
    expected = SpanningTree.of(X, min(2, n - 1))
    monkeypatch.setattr(sizes, "MANY_FEATURES", 300)
    found = SpanningTree.of(X, min(2, n - 1))
    assert_array_equal(found.ends, expected.ends)
    assert_array_equal(found.lengths, expected.lengths)


def test_without_memory_for_all_distances_the_tree_is_the_same(monkeypatch):
    X = np.random.RandomState(0).randn(200, 300)
    expected = SpanningTree.of(X)
    monkeypatch.setattr(config, "memory_budget", lambda: 1000)
    assert_array_equal(SpanningTree.of(X).ends, expected.ends)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "m", "p"), [(1, 1, 1), (3, 300, 257), (131, 70, 600)])
def test_the_nearest_of_many_features_is_the_same(n, m, p, dtype):
    rng = np.random.RandomState(0)
    points = rng.randint(2, size=(p, m)).astype(dtype)
    columns = np.ascontiguousarray(points[:, rng.randint(m, size=n)]) + dtype(0.25)
    expected, found = np.empty(n, np.int64), np.empty(n, np.int64)
    nearest_points(columns, points, 0, n, expected)
    for start in range(0, n, 50):
        nearest_of_wide(columns, points, start, min(start + 50, n), found)
    assert_array_equal(found, expected)
    out = np.empty((n, m), dtype)
    squares_between(columns, 0, n, points, False, out)
    assert_array_equal(out.argmin(axis=1), expected)
    exact = ((columns[:, :, None] - points[:, None]) ** 2).sum(axis=0)
    assert_allclose(out, exact, rtol=1e-6)
