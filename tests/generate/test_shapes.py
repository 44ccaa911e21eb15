"""Genie and nearest-neighbour spectral members: clusters of any shape, from samples."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from comitia import sizes
from comitia.cluster import Genie
from comitia.cluster.dissimilarity import closest_rows
from comitia.exceptions import ComitiaError
from comitia.generate import GenieGenerator, NeighborSpectralGenerator
from comitia.generate import neighbor_spectral as spectral
from comitia.generate._nearest_in_sample import NearestInSample
from comitia.generate.columns import Columns
from comitia.generate.neighbor_spectral import spectral_points
from tests.fixtures import same_partition

RINGS, RING_OF = make_circles(500, factor=0.3, noise=0.04, random_state=0)
CLOUD = np.random.RandomState(0).randn(300, 3)
BOTH = [
    GenieGenerator(4, n_clusters=2, random_state=0),
    NeighborSpectralGenerator(4, n_clusters=2, random_state=0),
]


def name_of(value):
    return type(value).__name__


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(sizes, "SHAPES_SAMPLE", 250)


@pytest.mark.parametrize("generator", BOTH, ids=name_of)
def test_shapes_are_found(generator):
    generator = clone(generator).fit(RINGS)
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(RING_OF, labels) > 0.99
    new, new_of = make_circles(200, factor=0.3, noise=0.04, random_state=1)
    for labels in generator.transform(new).T:
        assert adjusted_rand_score(new_of, labels) > 0.98


@pytest.mark.parametrize("generator", BOTH, ids=name_of)
def test_many_objects_are_labeled_like_the_nearest_of_a_sample(generator, small):
    generator = clone(generator).fit(RINGS)
    assert len(generator.sample_rows(500, generator.plan_members(RINGS)[0])) <= 250
    assert_array_equal(generator.transform(RINGS), generator.ensemble_.labels)
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(RING_OF, labels) > 0.98


@pytest.mark.parametrize("generator", BOTH, ids=name_of)
def test_single_precision_finds_the_same_clusters(generator, monkeypatch):
    double = clone(generator).generate(RINGS)
    monkeypatch.setattr(sizes, "SINGLE_PRECISION_OBJECTS", 1)
    assert clone(generator).generate(RINGS) == double


@pytest.mark.parametrize("generator", BOTH, ids=name_of)
@pytest.mark.parametrize(
    "X",
    [
        np.zeros((30, 2)),
        np.repeat([[0.0, 1.0], [2.0, 3.0]], 20, axis=0),
        np.r_[np.zeros((40, 1)), [[1e30]]],
        1e-74 * np.arange(50.0)[:, None],
        1e12 + np.arange(50.0)[:, None],
        np.arange(3.0)[:, None],
    ],
    ids=["equal", "two", "outlier", "tiny", "far", "three"],
)
def test_degenerate_data_are_clustered_all_the_same(generator, X):
    generator = clone(generator).fit(X)
    assert (generator.ensemble_.labels >= 0).all()
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)


@pytest.mark.parametrize("generator", BOTH, ids=name_of)
def test_every_cluster_asked_for_is_there(generator):
    ensemble = clone(generator).set_params(n_clusters=(3, 40)).generate(CLOUD)
    assert len({*ensemble.n_clusters_each}) > 2
    full = clone(generator).set_params(n_clusters=299).generate(CLOUD)
    assert full.n_clusters_each.min() > 290  # k-means may leave a few empty


# -- the nearest of a sample ----------------------------------------------------------


def model_of(X, dtype, m=400):
    columns = Columns.of(X, dtype)
    return NearestInSample(columns.take(np.arange(m)), np.arange(m)), columns


@pytest.mark.parametrize("p", [1, 2, 6])
def test_objects_are_labeled_like_the_nearest(p):
    X = np.random.RandomState(p).randn(900, p)
    model, columns = model_of(X, np.float64)
    expected = closest_rows(X, X[:400])
    assert_array_equal(model.label_columns(columns.values), expected)
    assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_members_share_their_objects(n_jobs):
    X = np.random.RandomState(0).randn(400, 30)
    generator = GenieGenerator(12, n_clusters=3, random_state=0, n_jobs=n_jobs).fit(X)
    again = pickle.loads(pickle.dumps(generator))
    for one in (generator, again):
        kept = {id(member.model._objects) for member in one.members_}
        assert len(kept) == 1
        assert_array_equal(one.transform(X), one.ensemble_.labels)
    # Each sample by itself would be four fifths of the data.
    assert len(pickle.dumps(generator)) < 2 * X.nbytes


def test_a_small_part_of_the_objects_is_kept_without_the_others(monkeypatch):
    monkeypatch.setattr(sizes, "SHAPES_SAMPLE", 40)
    X = np.random.RandomState(0).randn(900, 4)
    for member in GenieGenerator(3, n_clusters=3, random_state=0).fit(X).members_:
        assert len(member.model._objects) < 90


def test_the_first_of_equals_is_taken():
    X = np.random.RandomState(0).randint(4, size=(900, 2)).astype(float)
    expected = [np.flatnonzero((X[:400] == x).all(axis=1))[0] for x in X]
    for dtype in (np.float32, np.float64):
        model, columns = model_of(X, dtype)
        assert_array_equal(model.label_columns(columns.values), expected)


def test_single_precision_finds_nearly_all_of_the_nearest(monkeypatch):
    X = np.random.RandomState(0).randn(3000, 4)
    model, columns = model_of(X, np.float32)
    found = model.label_columns(columns.values)
    assert_array_equal(found[:400], np.arange(400))
    expected = closest_rows(X, X[:400])
    assert np.mean(found == expected) > 0.97
    distance = np.linalg.norm(X - X[found], axis=1)
    assert (distance >= np.linalg.norm(X - X[expected], axis=1) - 1e-6).all()
    monkeypatch.setattr("comitia.generate._nearest_in_sample._LOOKED", 20)
    model, _ = model_of(X, np.float32)
    assert np.mean(model.label_columns(columns.values) == expected) > 0.999


def test_an_object_does_not_depend_on_its_block():
    X = np.random.RandomState(0).randn(3000, 4)
    for dtype in (np.float32, np.float64):
        model, _ = model_of(X, dtype)
        whole = model.predict(X)
        parts = [model.predict(X[lo : lo + 77]) for lo in range(0, 3000, 77)]
        assert_array_equal(np.concatenate(parts), whole)
        again = NearestInSample.restored(model.state(), 4)
        assert_array_equal(again.predict(X), whole)
    assert model.predict(X[:0]).shape == (0,)


def test_copies_are_labeled_alike():
    X = np.random.RandomState(0).randint(3, size=(60, 2)).astype(float)
    X[::7, 0] *= -1.0  # some zeros have a sign
    for generator in BOTH:
        made = clone(generator).set_params(n_clusters=(7, 30)).fit(X)
        assert_array_equal(made.transform(X), made.ensemble_.labels)
        together = np.c_[made.ensemble_.labels, X]
        assert len(np.unique(together, axis=0)) == len(np.unique(X, axis=0))


# -- Genie ----------------------------------------------------------------------------


def test_members_of_all_objects_are_genie():
    generator = GenieGenerator(
        3, n_clusters=6, gini_thresholds=0.25, object_fraction=1.0, random_state=0
    )
    expected = Genie(6, gini_threshold=0.25).fit(CLOUD).labels_
    for labels in generator.generate(CLOUD).labels.T:
        assert same_partition(labels, expected)


def test_members_draw_their_objects_and_thresholds():
    generator = GenieGenerator(20, gini_thresholds=(0.1, 0.7), random_state=0)
    plans = generator.plan_members(CLOUD)
    thresholds = [plan["gini_threshold"] for plan in plans]
    assert 0.1 <= min(thresholds) < 0.2 < 0.6 < max(thresholds) <= 0.7
    drawn = [generator.sample_rows(300, plan) for plan in plans]
    assert {len({*rows}) for rows in drawn} == {240}
    assert len({tuple(rows) for rows in drawn}) == 20


def test_mutual_reachability_bears_few_objects():
    generator = GenieGenerator(2, n_clusters=2, n_neighbors=8, random_state=0)
    assert_array_equal(generator.generate(CLOUD[:5]).n_clusters_each, 2)


@pytest.mark.parametrize("given", [(0.5, 0.2), (0.1, 2.0), (0.1,), ("a", "b")])
def test_thresholds_that_are_none_are_refused(given):
    with pytest.raises(ComitiaError, match="gini_thresholds="):
        GenieGenerator(gini_thresholds=given).fit(CLOUD)


# -- spectral -------------------------------------------------------------------------


@pytest.mark.parametrize("n", [200, 300])  # either side of sizes.SMALL_MATRIX
def test_points_are_generalized_eigenvectors(n):
    X = CLOUD[:n]
    points = spectral_points(X, 8, 5)
    A = kneighbors_graph(X, 8).toarray()
    W = (A + A.T) / 2
    values, vectors = eigh(W, np.diag(W.sum(axis=1)))
    assert_allclose(
        W @ points, W.sum(axis=1)[:, None] * points * values[::-1][:5], atol=1e-9
    )
    for ours, theirs in zip(points.T, vectors.T[::-1], strict=False):
        assert_allclose(np.abs(ours @ theirs), np.sqrt(ours @ ours * (theirs @ theirs)))


def test_more_nearly_equal_eigenvalues_than_lanczos_bears_are_no_trouble(monkeypatch):
    expected = spectral_points(CLOUD, 8, 4)

    def give_up(*args, **options):
        from scipy.sparse.linalg import ArpackError

        raise ArpackError(-1)

    monkeypatch.setattr("scipy.sparse.linalg.eigsh", give_up)
    found = spectral_points(CLOUD, 8, 4)
    assert_allclose(np.abs(found), np.abs(expected), atol=1e-9)


def test_of_equal_eigenvalues_the_table_chooses_the_vectors():
    rng = np.random.RandomState(0)
    X = rng.rand(8, 2)
    values = np.array([1.0, 0.5, 0.5, 0.5, 0.5, 0.2, 0.1, 0.1])
    vectors = np.linalg.qr(rng.randn(8, 8))[0]
    turned = vectors.copy()
    turned[:, 1:5] @= np.linalg.qr(rng.randn(4, 4))[0]
    turned[:, 6:] @= np.linalg.qr(rng.randn(2, 2))[0]
    for n_vectors in (1, 3, 5, 8):
        one = spectral._settled(values, vectors, n_vectors, X)
        other = spectral._settled(values, turned, n_vectors, X)
        assert_allclose(np.abs(one.T @ other), np.eye(n_vectors), atol=1e-9)


def test_a_graph_that_links_all_follows_the_data():
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    second = spectral_points(X, 20, 2)[:, 1]
    assert abs(np.corrcoef(second, X[:, 0])[0, 1]) > 1 - 1e-6  # distances are untied


def test_near_parts_of_a_graph_stay_together():
    """Four groups, of which no graph links any two, and two of which are near."""
    centers = [[0, 0], [8, 0], [0, 60], [60, 0]]
    X, truth = make_blobs(200, centers=centers, random_state=0)
    for k, merged in ((4, truth), (3, np.array([0, 0, 1, 2])[truth])):
        generator = NeighborSpectralGenerator(5, n_clusters=k, random_state=0)
        found = [adjusted_rand_score(merged, c) for c in generator.generate(X).labels.T]
        assert np.median(found) == 1.0


def test_a_graph_is_solved_once(monkeypatch):
    spectral._KEPT.clear()
    solved = []
    solve = spectral.spectral_points

    def count(X, n_neighbors, n_vectors):
        solved.append((n_neighbors, n_vectors))
        return solve(X, n_neighbors, n_vectors)

    monkeypatch.setattr(spectral, "spectral_points", count)
    generator = NeighborSpectralGenerator(
        10, n_clusters=(2, 9), n_neighbors=(5, 9), random_state=0
    )
    k = generator.generate(CLOUD).n_clusters_each
    assert solved == [(5, k[:5].max()), (9, k[5:].max())]


@pytest.mark.parametrize("given", [(), (0, 5), 2.5, ("a",)])
def test_neighbors_that_are_none_are_refused(given):
    with pytest.raises(ValueError, match="n_neighbors"):
        NeighborSpectralGenerator(n_neighbors=given).fit(CLOUD)
