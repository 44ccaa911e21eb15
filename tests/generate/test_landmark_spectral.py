"""Landmark spectral clusterings: each part against brute force, the whole on rings."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from comitia import Ensemble, config, method, sizes
from comitia._kernels.landmarks import sum_links
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.generate import LandmarkSpectralGenerator
from comitia.generate._landmark_graph import (
    LandmarkClusters,
    LandmarkIndex,
    _choose_landmarks,
    _landmark_points,
    _nearest_each,
    cut_landmark_graph,
)
from comitia.generate.columns import Columns

RINGS, RING_OF = make_circles(2000, factor=0.4, noise=0.04, random_state=0)
BLOBS, BLOB_OF = make_blobs(3000, centers=8, n_features=5, random_state=0)


def index_of(points, n_around, seed=0):
    columns = np.ascontiguousarray(points.T.astype(np.float32))
    return LandmarkIndex.of(columns, n_around, np.random.RandomState(seed))


def brute_links(X, landmarks, n_links):
    squares = ((X[:, None] - landmarks[None]) ** 2).sum(axis=2)
    links = np.argsort(squares, axis=1, kind="stable")[:, :n_links]
    return links, np.take_along_axis(squares, links, axis=1)


# -- the search -----------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 2, 5, 17])
def test_links_are_the_nearest_landmarks_where_all_are_looked_at(p):
    rng = np.random.RandomState(p)
    index = index_of(rng.randn(40, p), 40)
    X = rng.randn(300, p).astype(np.float32)
    links, squares = index.link(np.ascontiguousarray(X.T), 5)
    expected, distances = brute_links(X, index.landmarks.T, 5)
    assert_array_equal(links, expected)
    assert_allclose(squares, distances, rtol=1e-5)  # single precision


def test_the_coarse_search_finds_nearly_all_of_them():
    rng = np.random.RandomState(0)
    index = index_of(rng.randn(400, 3), 50)
    X = rng.randn(2000, 3).astype(np.float32)
    links, squares = index.link(np.ascontiguousarray(X.T), 5)
    expected, distances = brute_links(X, index.landmarks.T, 5)
    found = [len({*a} & {*b}) for a, b in zip(links, expected, strict=True)]
    assert np.mean(found) / 5 > 0.97
    assert (squares >= distances - 1e-5).all()
    assert (np.diff(squares, axis=1) >= 0).all()


def test_groups_hold_the_landmarks_that_are_nearest_to_their_center():
    points = np.random.RandomState(0).randn(90, 2).astype(np.float32)
    index = index_of(points, 10)
    assert sorted(map(tuple, index.landmarks.T)) == sorted(map(tuple, points))
    owner = np.repeat(np.arange(len(index.centers)), np.diff(index.starts))
    squares = ((index.landmarks.T[:, None] - index.centers) ** 2).sum(axis=2)
    assert_array_equal(owner, squares.argmin(axis=1))


def test_neighbors_begin_with_the_point_itself():
    points = np.random.RandomState(0).randint(3, size=(50, 2)).astype(np.float32)
    around = _nearest_each(points, 7)
    assert_array_equal(around[:, 0], np.arange(50))
    assert all(len({*row}) == 7 for row in around)
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    found = np.take_along_axis(squares, around, axis=1)
    assert_array_equal(found[:, 1:], np.sort(found[:, 1:], axis=1))
    np.fill_diagonal(squares, -1)
    assert_array_equal(found[:, 1:], np.sort(squares, axis=1)[:, 1:7])


def test_landmarks_are_centers_of_candidates():
    columns = np.ascontiguousarray(BLOBS.T.astype(np.float32))
    chosen = _choose_landmarks(columns, 60, np.random.RandomState(0))
    assert chosen.shape == (5, 60)
    # Every object has a landmark nearer than most objects are to each other.
    _, squares = brute_links(BLOBS, chosen.T, 1)
    assert squares.max() < np.median(((BLOBS[:50, None] - BLOBS) ** 2).sum(axis=2))


def test_landmarks_are_at_most_half_of_the_objects_unless_these_are_few():
    columns = np.ascontiguousarray(BLOBS.T.astype(np.float32))
    rng = np.random.RandomState(0)
    assert _choose_landmarks(columns, 5000, rng).shape[1] == len(BLOBS) // 2
    few = columns[:, :20]
    assert _choose_landmarks(few, 5000, rng) is few


# -- the cut --------------------------------------------------------------------------


def graph(seed, n=60, p=12, K=3):
    rng = np.random.RandomState(seed)
    links = np.array([rng.permutation(p)[:K] for _ in range(n)], dtype=np.int32)
    return links, rng.uniform(0.1, 1.0, size=(n, K))


def dense(links, affinities, p):
    B = np.zeros((len(links), p))
    np.put_along_axis(B, links.astype(np.int64), affinities, axis=1)
    return B


@pytest.mark.parametrize("seed", range(3))
def test_sums_over_the_links_are_those_of_the_matrices(seed):
    links, affinities = graph(seed)
    B = dense(links, affinities, 12)
    d = B.sum(axis=1)
    shared, mass = np.zeros((12, 12)), np.zeros(12)
    sum_links(links, affinities, d, shared, mass)
    assert_allclose(shared, B.T @ (B / d[:, None]), atol=1e-12)
    assert_allclose(mass, B.sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_landmarks_have_the_eigenvectors_of_the_normalized_cut(seed):
    links, affinities = graph(seed)
    B = dense(links, affinities, 12)
    table = _landmark_points(links, affinities, 12, 4)
    # Of the whole graph: L v = lambda D v, objects and landmarks together.
    zero = np.zeros
    W = np.block([[zero((60, 60)), B], [B.T, zero((12, 12))]])
    D = np.diag(W.sum(axis=1))
    _, vectors = eigh(D - W, D)
    for r in range(4):
        whole = vectors[60:, r] / np.linalg.norm(vectors[60:, r])
        mine = table[:, r] / np.linalg.norm(table[:, r])
        assert_allclose(np.abs(whole @ mine), 1.0, atol=1e-9)


def test_landmarks_that_nobody_is_near_stay_at_the_origin():
    links, affinities = graph(0, p=12)
    table = _landmark_points(links, affinities, 15, 20)
    assert table.shape == (15, 12)
    assert_array_equal(table[12:], 0.0)
    assert np.isfinite(table).all()


def brute_labels(model, X):
    """Labels by whole matrices: all affinities, all points, all distances."""
    columns = model.frame.columns(X)
    links, squares = model.index.link(columns, model.n_links)
    B = dense(links, np.exp(-model.gamma * squares.astype(float)), len(model.table))
    points = B / B.sum(axis=1, keepdims=True) @ model.table
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    squares = ((points[:, None] - model.centers) ** 2).sum(axis=2)
    return squares.argmin(axis=1)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_points_of_few_objects_go_to_the_nearest_center(k):
    rng = np.random.RandomState(k)
    index = index_of(rng.randn(12, 2), 12)
    X, table = rng.randn(40, 2).astype(np.float32), rng.randn(12, 3)
    table[:6] = 0.0  # landmarks that nobody was near
    centers, gamma = rng.randn(k, 3), 0.7
    links, squares = brute_links(X, index.landmarks.T, 3)
    B = dense(links, np.exp(-gamma * squares.astype(float)), 12)
    points = B @ table
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    assert 0 < (lengths == 0).sum() < 40
    points = np.divide(points, lengths, out=points, where=lengths > 0)
    away = ((points[:, None] - centers) ** 2).sum(axis=2)
    model = LandmarkClusters(index, Columns.of(X).frame, gamma, 3, table, centers)
    labels = model.label_columns(np.ascontiguousarray(X.T))
    assert_array_equal(labels, away.argmin(axis=1))


def test_objects_go_to_the_nearest_center_of_their_points():
    # One cloud without gaps, so that many objects lie between centres.
    cloud = np.random.RandomState(0).randn(3000, 3)
    model = cut_landmark_graph(Columns.of(cloud), 12, 100, 4, np.random.RandomState(0))
    labels = model.predict(cloud)
    assert_array_equal(labels, brute_labels(model, cloud))
    assert_array_equal(np.unique(labels), np.arange(model.n_clusters))


def test_objects_far_from_all_landmarks_are_labeled_like_their_neighbors():
    model = cut_landmark_graph(Columns.of(BLOBS), 8, 100, 4, np.random.RandomState(0))
    farthest = np.argmax(np.linalg.norm(BLOBS - BLOBS.mean(axis=0), axis=1))
    away = BLOBS[farthest] + 50 * (BLOBS[farthest] - BLOBS.mean(axis=0))
    # Its affinities are all zero in double precision; their ratios are not.
    assert model.predict(away[None])[0] == model.predict(BLOBS)[farthest]


def test_an_object_does_not_depend_on_its_block_or_thread():
    model = cut_landmark_graph(Columns.of(RINGS), 6, 80, 5, np.random.RandomState(0))
    X = np.tile(RINGS, (8, 1))
    whole = model.predict(X)
    parts = [model.predict(X[lo : lo + 777]) for lo in range(0, len(X), 777)]
    assert_array_equal(np.concatenate(parts), whole)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert_array_equal(model.predict(X), whole)
    finally:
        numba.set_num_threads(before)


def test_a_model_can_be_made_again_of_its_arrays():
    model = cut_landmark_graph(Columns.of(RINGS), 6, 80, 5, np.random.RandomState(0))
    again = LandmarkClusters.restored(model.state(), RINGS.shape[1])
    assert_array_equal(again.predict(RINGS), model.predict(RINGS))


# -- the generator --------------------------------------------------------------------


def test_rings_are_told_apart():
    generator = LandmarkSpectralGenerator(
        5, n_clusters=2, n_landmarks=150, random_state=0
    ).fit(RINGS)
    scores = [adjusted_rand_score(RING_OF, c) for c in generator.ensemble_.labels.T]
    assert np.median(scores) > 0.99
    new, new_of = make_circles(300, factor=0.4, noise=0.04, random_state=1)
    new_scores = [adjusted_rand_score(new_of, c) for c in generator.transform(new).T]
    assert np.median(new_scores) > 0.97


def test_the_consensus_of_many_small_clusters_finds_the_rings():
    ensemble = LandmarkSpectralGenerator(10, random_state=0).generate(RINGS)
    found = method("lwgp")(n_clusters=2, random_state=0).fit_predict(ensemble)
    assert adjusted_rand_score(RING_OF, found) > 0.99


def test_members_differ_in_their_number_of_clusters():
    X = np.random.RandomState(0).randn(4000, 2)
    ensemble = LandmarkSpectralGenerator(8, n_landmarks=300, random_state=0).generate(X)
    assert len(set(ensemble.n_clusters_each)) > 3
    assert ensemble.n_clusters_each.min() >= 15  # 20 drawn; a few may stay empty
    assert ensemble.n_clusters_each.max() <= 60


@pytest.mark.parametrize(("n", "few", "most"), [(1, 1, 1), (5, 2, 2), (120, 3, 10)])
def test_few_objects_have_few_clusters(n, few, most):
    assert LandmarkSpectralGenerator()._range(n) == (few, most)
    X = np.random.RandomState(0).randn(n, 2)
    ensemble = LandmarkSpectralGenerator(6, random_state=0).generate(X)
    assert ensemble.n_clusters_each.max() <= most


def test_large_data_are_cut_by_a_sample(monkeypatch):
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE", 1000)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE_EACH", 5)
    generator = LandmarkSpectralGenerator(
        4, n_clusters=2, n_landmarks=150, random_state=0
    ).fit(RINGS)
    assert len(generator.sample_rows(2000, {"object_seed": 0})) < 1000
    assert_array_equal(generator.transform(RINGS), generator.ensemble_.labels)
    scores = [adjusted_rand_score(RING_OF, c) for c in generator.ensemble_.labels.T]
    assert np.median(scores) > 0.98


def test_threads_of_blas_do_not_matter():
    results = []
    for n_threads in (1, 2):
        with threadpool_limits(limits=n_threads, user_api="blas"):
            results.append(LandmarkSpectralGenerator(3, random_state=0).generate(RINGS))
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((30, 2)),
        np.repeat([[0.0, 1.0], [2.0, 3.0]], 20, axis=0),
        np.r_[np.zeros((40, 1)), [[1e30]]],
        1e-74 * np.arange(50.0)[:, None],
        1e12 + np.arange(50.0)[:, None],
    ],
    ids=["equal", "two", "outlier", "tiny", "far"],
)
def test_degenerate_data_are_clustered_all_the_same(X):
    generator = LandmarkSpectralGenerator(3, n_clusters=2, random_state=0).fit(X)
    assert isinstance(generator.ensemble_, Ensemble)
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


def test_landmarks_with_very_many_features_ask_for_memory():
    wide = np.random.RandomState(0).randn(60, 3000)
    with (
        config.limit("1 MB"),
        pytest.raises(MemoryBudgetError, match="take fewer n_landmarks"),
    ):
        LandmarkSpectralGenerator(n_landmarks=30).fit(wide)


def test_what_cannot_be_is_refused():
    with pytest.raises(ComitiaError, match="give at most 4"):
        LandmarkSpectralGenerator(n_clusters=5).fit(np.zeros((4, 2)))
    with pytest.raises(ValueError, match="n_landmarks"):
        LandmarkSpectralGenerator(n_landmarks=0).fit(RINGS)
    with pytest.raises(ValueError, match="NaN"):
        LandmarkSpectralGenerator().fit([[np.nan], [1.0]])
