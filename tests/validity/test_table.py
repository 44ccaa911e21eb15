"""Every index of every clustering at once is each index of each clustering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.validity import INDICES, scatter, score_table
from tests.fixtures import E6, X6
from tests.validity import brute
from tests.validity.test_indices import OF_ONE_CLUSTERING, blobs


def noisy(n=60, seed=0):
    X, labels = blobs(n, 3, 4, seed)
    rng = np.random.RandomState(seed)
    return X, np.stack([labels, rng.randint(3, size=n), rng.randint(6, size=n)], axis=1)


def test_table_holds_each_index_of_each_clustering():
    X, labels = noisy()
    table = score_table(X, Ensemble(labels))
    assert len(table.indices) == 23
    for column, name in enumerate(table.indices):
        options = {"scatter_weight": brute.dis(X, labels[:, 2])} if name == "sd" else {}
        expected = [
            INDICES[name].function(X, labels[:, m], **options) for m in range(3)
        ]
        assert_allclose(table.values[:, column], expected, rtol=1e-12, err_msg=name)


def test_scatter_in_sd_is_weighted_by_the_clustering_with_most_clusters():
    X, labels = noisy()
    weight = brute.dis(X, labels[:, 2])
    expected = [brute.dis(X, C) + weight * brute.scat(X, C) for C in labels.T]
    assert_allclose(score_table(X, Ensemble(labels), ["sd"]).values[:, 0], expected)


def test_missing_labels_are_left_out_of_their_clustering_only():
    X, labels = noisy()
    labels[5:20, 1] = -1
    kept = labels[:, 1] >= 0
    table = score_table(X, Ensemble(labels))
    for column, name in enumerate(table.indices):
        if name != "sd":  # its weight comes from the whole ensemble
            function = INDICES[name].function
            expected = [
                function(X, labels[:, 0]),
                function(X[kept], labels[kept, 1]),
                function(X, labels[:, 2]),
            ]
            assert_allclose(table.values[:, column], expected, rtol=1e-12, err_msg=name)


def test_table_of_many_features_holds_each_index_of_each_clustering():
    """The distances of objects with more features than that are computed once."""
    rng = np.random.RandomState(0)
    _, labels = noisy(30)
    X = rng.randn(30, 75) + 3 * labels[:, :1] * (np.arange(75) < 20) + 100.0
    X[[3, 8]] = X[[4, 9]]  # objects that are equal
    labels[5:10, 1] = -1
    table = score_table(X, Ensemble(labels))
    for column, name in enumerate(table.indices):
        if name != "sd":  # its weight comes from the whole ensemble
            expected = [INDICES[name].function(X, labels[:, m]) for m in range(3)]
            # Sums of distances are in single precision.
            assert_allclose(table.values[:, column], expected, rtol=1e-6, err_msg=name)


def test_clusters_of_equal_objects_have_no_diameter_whatever_the_number_of_features():
    X = np.random.RandomState(0).randn(3, 40)[[0, 0, 1, 1, 1, 2]]
    X[0, 0] = X[1, 0] = -0.0
    X[1, 0] = 0.0
    table = score_table(X, Ensemble([[0], [0], [1], [1], [1], [2]]), finite=False)
    assert table.values[0, table.indices.index("dunn")] == np.inf
    assert table.values[0, table.indices.index("silhouette")] == pytest.approx(5 / 6)


def test_order_of_clusterings_does_not_matter():
    X, labels = noisy()
    table = score_table(X, Ensemble(labels))
    turned = score_table(X, Ensemble(labels[:, ::-1]))
    assert_allclose(turned.values, table.values[::-1], rtol=1e-12)


def test_infinite_dunn_becomes_the_largest_finite_one():
    labels = np.column_stack([E6, np.arange(6)])
    assert_array_equal(
        score_table(X6, Ensemble(labels), ["dunn"]).values[:, 0], [4, 4, 0.125, 4]
    )
    raw = score_table(X6, Ensemble(labels), ["dunn"], finite=False)
    assert raw.values[3, 0] == np.inf


def test_single_cluster_is_undefined_and_unifies_to_zero():
    labels = np.column_stack([E6, np.zeros(6, int)])
    table = score_table(X6, Ensemble(labels), ["silhouette", "sse"])
    assert np.isnan(table.values[3, 0])
    assert table.unified("minmax")[3, 0] == 0
    assert not np.isnan(table.values[:, 1]).any()


def test_fuzzy_clusterings_are_hardened_and_empty_clusters_dropped():
    F = np.array([[0.9, 0.0, 0.1]] * 3 + [[0.1, 0.3, 0.6]] * 3)
    fuzzy = Ensemble.from_memberships([F])
    got = score_table(X6, fuzzy, ["dunn", "mean_cluster_size"]).values
    assert_array_equal(got, [[4, 3]])


def test_blocks_with_empty_clusters_are_scored_on_what_they_have():
    _, block = next(iter(Ensemble(E6).blocks(4)))
    got = score_table(X6[:4], block, ["mean_cluster_size"]).column("mean_cluster_size")
    assert_array_equal(got, [2, 2, 2])


def test_neighbor_scatter_comes_through_options():
    following = np.array([2.0, 3.0, 10.0])
    E = Ensemble(E6)
    table = score_table(X6, E, options={"hartigan": {"sse_next": following}})
    assert "hartigan" in table.indices
    expected = [scatter.hartigan(X6, E6[:, m], sse_next=following[m]) for m in range(3)]
    assert_allclose(table.column("hartigan"), expected)
    with pytest.raises(ComitiaError, match="sse_next"):
        score_table(X6, E, ["hartigan"])
    with pytest.raises(ComitiaError, match="sse_previous"):
        score_table(
            X6,
            E,
            ["krzanowski_lai"],
            options={"krzanowski_lai": {"sse_next": following}},
        )


def test_cheaper_forms_are_given_by_name_only():
    names = score_table(X6, Ensemble(E6)).indices
    assert not {"simplified_silhouette", "centroid_dunn"} & set(names)
    table = score_table(X6, Ensemble(E6), ["centroid_dunn"])
    assert_allclose(table.values[:, 0], [5, 5, 5.5 / 8])


def test_frame_carries_the_names():
    E = Ensemble(E6, clustering_names=["a", "b", "c"])
    frame = score_table(X6, E, ["dunn", "sse"]).frame()
    assert list(frame.columns) == ["dunn", "sse"]
    assert frame.loc["c", "sse"] == pytest.approx(33.0)


def test_every_default_index_is_finite_or_documented_on_e6():
    table = score_table(X6, Ensemble(E6))
    assert set(table.indices) < set(OF_ONE_CLUSTERING)
    assert np.isfinite(table.values).all()
    assert_array_equal(table.values[0], table.values[1])


def test_bad_input_is_refused_in_words():
    E = Ensemble(E6)
    with pytest.raises(ComitiaError, match="5 rows and ensemble has 6"):
        score_table(X6[:5], E)
    with pytest.raises(ComitiaError, match="no validity index 'sil'"):
        score_table(X6, E, ["sil"])
    with pytest.raises(ComitiaError, match="indices is empty"):
        score_table(X6, E, [])
    with pytest.raises(ComitiaError, match="options names 'dunn'"):
        score_table(X6, E, ["sse"], options={"dunn": {}})
    with pytest.raises(ComitiaError, match="is not in this table"):
        score_table(X6, E, ["sse"]).column("dunn")


def test_names_of_clusters_change_no_bit():
    rng = np.random.RandomState(1)
    truth = np.repeat([0, 1, 2], [10, 20, 30])
    names = [rng.permutation(7)[:3] for _ in range(6)]
    renamed = Ensemble(np.column_stack([some[truth] for some in names]))
    values = score_table(rng.randn(60, 3) + 2 * truth[:, None], renamed).values
    assert_array_equal(values, np.repeat(values[:1], 6, axis=0))
