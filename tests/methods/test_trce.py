import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import brentq

from comitia import Ensemble, method
from comitia.methods._learnt_graph import (
    PartsOfGraph,
    join_parts,
    weighted_simplex,
)
from comitia.methods.variable_clusterings.trce import (
    ClusterGraphs,
    _easiest,
    _rows_on_simplex,
)
from comitia.optimize import project_simplex
from tests.fixtures import E6, planted, same_partition

TRCE = method("trce")


def graphs_of(labels):
    E = Ensemble(labels)
    ones = np.ones(len(labels), dtype=np.int64)
    return ClusterGraphs(E, E.sizes, ones)


def test_divergences_of_e6_are_those_of_the_catalogue():
    graphs = graphs_of(E6)
    mean = graphs.weighted(np.ones(3)) / 3
    q = graphs.divergences((mean + mean.T) / 2)
    assert_allclose(q[0], [0.032388, 0.032388, 0.251314], atol=5e-7)  # six decimals
    assert_allclose(q[2], [0.218927, 0.218927, 0.674963], atol=5e-7)
    d = q.sum(axis=1) * 3
    assert_allclose(d, [0.948271] * 2 + [3.338449] * 2 + [0.948271] * 2, atol=2e-6)
    assert _easiest(d, np.ones(6, dtype=np.int64)) == pytest.approx(0.948271, abs=2e-6)


def test_the_graph_of_e6_is_that_of_the_catalogue():
    fitted = TRCE(2).fit(Ensemble(E6))
    assert fitted.n_iter_ == 2
    assert fitted.n_components_ == 2
    alpha = 1 / fitted.clustering_weights_
    printed = [0.127219, 0.127219, 0.745563]
    assert_allclose(alpha / alpha.sum(), printed, atol=1e-6)
    assert_allclose(1 - fitted.linkage_[2:4, 2], 0.039072, atol=5e-7)  # S_02
    assert same_partition(fitted.labels_, E6[:, 0])


def test_what_is_missing_changes_no_sum():
    labels, _ = planted(20, 3, 6, noise=0.4, seed=0)
    part = labels.copy()
    part[:, 3:][np.random.RandomState(0).rand(20, 3) < 0.5] = -1
    seen = part >= 0
    alpha = np.linspace(0.1, 0.3, 6)
    expected = np.zeros((20, 20))
    for i in range(20):
        for j in range(20):
            both = seen[i] & seen[j]
            same = both & (part[i] == part[j])
            sizes = (part == part[i]).sum(axis=0)
            mean = (same / sizes / alpha).sum() / (both / alpha).sum()
            expected[i, j] = mean * (1 / alpha).sum()
    E = Ensemble(part)
    ones = np.ones(20, dtype=np.int64)
    graphs = ClusterGraphs(E, E.sizes, ones)
    assert_allclose(graphs.weighted(alpha), expected)


def test_graphs_are_uniform_on_the_clusters():
    labels, _ = planted(20, 3, 3, noise=0.4, seed=0)
    alpha = np.array([0.2, 0.3, 0.5])
    expected = np.zeros((20, 20))
    for column, a in zip(labels.T, alpha, strict=True):
        same = (column[:, None] == column).astype(float)
        expected += same / same.sum(axis=1, keepdims=True) / a
    assert_allclose(graphs_of(labels).weighted(alpha), expected)


@pytest.mark.parametrize("seed", range(3))
def test_rows_are_those_of_a_root_finder(seed):
    rng = np.random.RandomState(seed)
    R, H = rng.rand(4, 6) * (rng.rand(4, 6) > 0.3) + np.eye(4, 6), rng.rand(4, 6)
    counts = rng.randint(1, 4, size=6)
    got = _rows_on_simplex(R, H, counts)
    for row, r, h in zip(got, R, H, strict=True):
        there = r > 0
        r, h, n = r[there], h[there], counts[there]
        low = (r * n - h).max()

        def excess(theta, r=r, h=h, n=n):
            return (n * r / (h + theta)).sum() - 1

        theta = low if len(r) == 1 else brentq(excess, low, low + 100, xtol=1e-14)
        assert_allclose(row[there], r / (h + theta), atol=1e-9)
    assert_allclose(got @ counts, 1.0)


def test_projections_count_equal_values():
    rng = np.random.RandomState(0)
    V, counts = rng.randn(5, 4), np.array([1, 3, 2, 1])
    whole = project_simplex(np.repeat(V, counts, axis=1))
    assert_allclose(np.repeat(weighted_simplex(V, counts), counts, axis=1), whole)


def test_parts_of_label_rows_are_those_of_objects():
    counts = np.array([2, 1, 3])
    S = np.array([[0.4, 0.2, 0.0], [0.2, 0.3, 0.1], [0.0, 0.1, 0.5]])
    inverse = np.repeat(np.arange(3), counts)
    full = S[np.ix_(inverse, inverse)]
    _, vectors = np.linalg.eigh(np.diag(full.sum(axis=1)) - full)
    parts = PartsOfGraph.of(S, counts, 2)
    G = ((vectors[:, None, :2] - vectors[None, :, :2]) ** 2).sum(axis=2)
    assert_allclose(parts.distances()[np.ix_(inverse, inverse)], G, atol=1e-12)
    assert parts.too_few
    assert not parts.too_many


@pytest.mark.parametrize("n_parts", [1, 3, 4, 5])
def test_parts_of_large_graphs_are_those_of_small_ones(monkeypatch, n_parts):
    rng = np.random.RandomState(n_parts)
    cluster, counts = np.arange(150) % 6, rng.randint(1, 4, 150)
    part = np.minimum(cluster, n_parts - 1)
    S = rng.rand(150, 150) * np.where(cluster[:, None] == cluster, 1.0, 0.05)
    S = (S + S.T) * (part[:, None] == part)
    expected = PartsOfGraph.of(S, counts, 4)
    monkeypatch.setattr("comitia.sizes.KRYLOV_MATRIX", 10)
    got = PartsOfGraph.of(S, counts, 4)
    assert got[1:] == expected[1:]
    assert_allclose(got.distances(), expected.distances(), atol=1e-11)


@pytest.mark.parametrize("size", [0, 1000])
def test_where_there_are_too_many_parts_the_vectors_before_stay(monkeypatch, size):
    monkeypatch.setattr("comitia.sizes.KRYLOV_MATRIX", size)
    counts = np.ones(30, dtype=np.int64)
    before = PartsOfGraph.of(np.full((30, 30), 0.5), counts, 1)
    S = np.kron(np.eye(3), np.ones((10, 10)))
    parts = PartsOfGraph.of(S, counts, 2, before=before)
    assert parts.too_many
    assert not parts.too_few
    assert parts.vectors is before.vectors


def test_more_parts_than_clusters_come_together_where_the_clusterings_join_them():
    # The object that one clustering misplaces is a part of its own.
    truth = np.repeat([0, 1, 2], 7)
    labels = np.repeat(truth[:, None], 4, axis=1)
    labels[3, 3] = 1
    fitted = TRCE(3).fit(Ensemble(labels))
    assert fitted.n_components_ == 4
    assert same_partition(fitted.labels_, truth)


def test_parts_are_as_far_apart_as_the_start_says():
    S = np.array([[0.5, 0.2, 0.0], [0.2, 0.5, 0.0], [0.0, 0.0, 1.0]])
    start = np.array([[0.0, 0.0, 0.3], [0.0, 0.0, 0.6], [0.3, 0.6, 0.0]])
    joined, n_parts = join_parts(S, start, np.array([2, 1, 1]))
    assert n_parts == 2
    assert_allclose(joined[:2, :2], S[:2, :2])
    assert_allclose(joined[:2, 2], (2 * 0.3 + 0.6) / 3 - 1)
    assert_allclose(joined, joined.T)
