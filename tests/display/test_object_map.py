"""The map of the objects, of their data or of the clusterings."""

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.display.object_map import embed_objects, map_objects, umap_places
from tests.display.ensembles import correspondence_by_svd, random_labels, soft
from tests.fixtures import planted


def assert_same_up_to_sign(got, expected, atol=1e-9):
    signs = np.sign((got * expected).sum(axis=0))
    assert signs.all()  # a map of zeros is the same as nothing
    assert_allclose(got, expected * signs, atol=atol)


def scores_by_svd(X):
    spread = X.std(axis=0)
    Z = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    U, s, _ = np.linalg.svd(Z, full_matrices=False)
    return (U * s)[:, :2]


@pytest.mark.parametrize("shape", [(40, 5), (12, 30), (9, 9)])
def test_map_of_data_is_their_principal_components(shape):
    X = np.random.RandomState(0).randn(*shape) @ np.diag(np.arange(1, shape[1] + 1))
    X[:, 2] = 7.0  # a constant feature says nothing
    ensemble = Ensemble(np.zeros((shape[0], 1), dtype=int))
    assert_same_up_to_sign(embed_objects(ensemble, X), scores_by_svd(X))


@pytest.mark.parametrize("missing", [False, True])
def test_map_without_data_is_a_correspondence_analysis(missing):
    ensemble = Ensemble(random_labels(5, missing=missing))
    expected = correspondence_by_svd(ensemble.membership.toarray())
    assert_same_up_to_sign(embed_objects(ensemble), expected)


def test_map_of_fuzzy_clusterings_is_a_correspondence_analysis():
    ensemble = soft(6)
    expected = correspondence_by_svd(ensemble.membership.toarray())
    assert_same_up_to_sign(embed_objects(ensemble), expected)


def test_map_of_many_clusters_or_features_is_the_same_by_iterations(monkeypatch):
    ensemble = Ensemble(random_labels(7))
    X = np.random.RandomState(0).randn(ensemble.n_objects, 6)
    dense = embed_objects(ensemble), embed_objects(ensemble, X)
    monkeypatch.setattr("comitia.sizes.DENSE_COLUMNS", 3)
    iterated = embed_objects(ensemble), embed_objects(ensemble, X)
    assert_allclose(iterated[0], dense[0], atol=1e-8)
    assert_allclose(iterated[1], dense[1], atol=1e-8)


def test_map_of_two_groups_that_no_clustering_joins_tells_them_apart():
    # The graph has two components: its second vector is as trivial as its first.
    labels = np.repeat([[0, 0], [1, 1]], 5, axis=0)
    x, y = embed_objects(Ensemble(labels)).T
    assert_allclose(np.abs(x), 1.0)
    assert np.sign(x[0]) != np.sign(x[-1])
    assert_array_equal(y, 0.0)


def test_map_is_not_given_away_to_a_vertex_without_edges():
    labels, _ = planted(60, 3, 12, 0.15, seed=0)
    alone = np.full((2, 12), [[7], [8]])  # each in a cluster of its own, every time
    everyone = np.concatenate([labels, alone])
    places = embed_objects(Ensemble(everyone))
    assert_same_up_to_sign(places[:60], embed_objects(Ensemble(labels)))
    low, high = places[:60].min(axis=0), places[:60].max(axis=0)
    assert_allclose(places[60:, 1], low[1] - 0.2 * (high - low)[1])
    assert_allclose(places[60:, 0], low[0] + np.array([0.25, 0.75]) * (high - low)[0])


def test_map_of_small_groups_only_tells_them_apart():
    # Thirty groups of two: none is the picture to which the others could be put.
    labels = np.repeat(np.arange(30), 2)[:, None]
    places = embed_objects(Ensemble(np.repeat(labels, 3, axis=1)))
    assert np.ptp(places[:, 0]) > 0


def test_map_places_equal_objects_together_and_repeats_itself():
    labels, truth = planted(90, 3, 12, 0.15, seed=0)
    labels[4] = labels[3]
    first, second = (embed_objects(Ensemble(labels)) for _ in range(2))
    assert_array_equal(first, second)
    assert_array_equal(first[3], first[4])
    # Objects are nearer to the centre of their own group than to the others'.
    centers = np.array([first[truth == c].mean(axis=0) for c in range(3)])
    nearest = ((first[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == truth) > 0.9


def test_map_has_two_columns_whatever_there_is_to_spread():
    one = Ensemble([[0], [0]])
    assert_array_equal(embed_objects(one), np.zeros((2, 2)))
    assert_array_equal(embed_objects(one, [[3.0], [3.0]]), np.zeros((2, 2)))
    assert_allclose(embed_objects(one, [[0.0], [4.0]]), [[-1, 0], [1, 0]])


def test_map_leaves_an_object_that_no_clustering_has_at_the_origin():
    ensemble = Ensemble([[0], [0], [1], [-1]])
    assert_array_equal(embed_objects(ensemble)[3], 0.0)


def test_axes_of_data_say_how_much_of_the_variance_they_show():
    X = np.random.RandomState(0).randn(40, 3)
    X = np.c_[X, np.zeros(40)]  # a constant feature has no variance
    ensemble = Ensemble(np.zeros((40, 1), dtype=int))
    positions, axes = map_objects(ensemble, X)
    assert_array_equal(positions, embed_objects(ensemble, X))
    Z = (X[:, :3] - X[:, :3].mean(axis=0)) / X[:, :3].std(axis=0)
    shares = np.linalg.svd(Z)[1] ** 2 / (3 * 40)
    assert axes[0] == f"first principal component, {shares[0]:.0%} of the variance"
    assert axes[1] == f"second principal component, {shares[1]:.0%} of the variance"


def test_axes_of_one_feature_bear_its_name_and_without_data_the_clusterings_do():
    ensemble = Ensemble([[0], [1]])
    assert map_objects(ensemble, [[1.0], [2.0]], ["age"])[1] == (
        "age, standardised",
        "",
    )
    assert map_objects(ensemble)[1][0] == "first coordinate of the clusterings"


class FirstColumns:
    """Stands in for umap.UMAP: its map are the first two columns."""

    def __init__(self, **given):
        assert given == {"random_state": 0, "n_jobs": 1}

    def fit_transform(self, X):
        warnings.warn("n_jobs value 1 overridden to 1", UserWarning, stacklevel=2)
        return X[:, :2].astype(np.float32)


def test_umap_has_a_seed_and_sees_what_the_other_map_shows(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace(UMAP=FirstColumns))
    X = np.random.RandomState(0).randn(30, 3) * [1, 5, 2] + 4
    centered = X - X.mean(axis=0)
    places = umap_places(X)
    # Places are kept in single precision.
    assert_allclose(places, (centered / X.std(axis=0))[:, :2], rtol=1e-5, atol=1e-6)
    as_it_is = umap_places(X, standardize=False)
    assert_allclose(as_it_is, centered[:, :2], rtol=1e-5, atol=1e-6)


def test_without_umap_learn_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", None)
    with pytest.raises(ImportError, match=r"comitia\[umap\]"):
        umap_places(np.zeros((30, 2)))
