"""Each index against its formula in loops, and the worked numbers of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.exceptions import ComitiaError
from comitia.validity import INDICES, Clustered, centers, get_index, pairs, scatter
from tests.fixtures import E6, X6
from tests.validity import brute

NEEDS_NEIGHBORS = {"hartigan", "krzanowski_lai"}
OF_ONE_CLUSTERING = sorted(set(INDICES) - NEEDS_NEIGHBORS)
C1, C3 = E6[:, 0], E6[:, 2]

# Distances that are added up have single precision (pairs.py says how good that is).
SINGLE = {"silhouette", "hubert_raw", "hubert_normalized", "modified_hubert"}


def tolerance(name):
    return 5e-7 if name in SINGLE else 1e-10


def blobs(n, p, k, seed, spread=2.0):
    rng = np.random.RandomState(seed)
    labels = rng.randint(k, size=n)
    labels[:k] = np.arange(k)
    return spread * rng.randn(k, p)[labels] + rng.randn(n, p), labels


def call(name, X, labels):
    return get_index(name).function(X, labels)


def test_the_registry_has_the_indices_of_the_catalogue():
    exact = {name for name, index in INDICES.items() if index.stands_for is None}
    assert len(exact) == 25
    assert {"small", "large", "property"} == {i.direction for i in INDICES.values()}
    assert all(index.summary for index in INDICES.values())
    for name, index in INDICES.items():
        assert index.function.__name__ == name


@pytest.mark.parametrize("name", OF_ONE_CLUSTERING)
@pytest.mark.parametrize(
    ("n", "p", "k"), [(40, 3, 4), (30, 1, 3), (25, 6, 7), (90, 4, 2)]
)
def test_index_is_its_formula(name, n, p, k):
    X, labels = blobs(n, p, k, seed=n + p)
    expected = getattr(brute, name)(X, labels)
    assert_allclose(call(name, X, labels), expected, rtol=tolerance(name))


@pytest.mark.parametrize("name", OF_ONE_CLUSTERING)
def test_singletons_among_clusters_are_handled_as_the_formula_says(name):
    X, labels = blobs(30, 2, 3, seed=5)
    labels[[4, 11]] = [7, 8]
    expected = getattr(brute, name)(X, labels)
    assert_allclose(call(name, X, labels), expected, rtol=tolerance(name))


@pytest.mark.parametrize("name", OF_ONE_CLUSTERING)
def test_names_of_labels_and_order_of_objects_do_not_matter(name):
    X, labels = blobs(60, 3, 4, seed=2)
    order = np.random.RandomState(0).permutation(len(X))
    renamed = np.array(["d", "a", "c", "b"])[labels]
    got = call(name, X[order], renamed[order])
    assert_allclose(got, call(name, X, labels), rtol=tolerance(name))


@pytest.mark.parametrize("name", OF_ONE_CLUSTERING)
def test_objects_without_a_label_are_left_out(name):
    X, labels = blobs(50, 3, 3, seed=3)
    missing = np.r_[labels, -1, -1]
    far = np.vstack([X, [[1e3, 0, 0]], [[0, -1e3, 0]]])
    assert call(name, far, missing) == call(name, X, labels)


def test_numbers_of_the_catalogue_on_x6():
    assert pairs.dunn(X6, C1) == 4.0
    assert pairs.dunn(X6, C3) == 0.125
    # The catalogue gives six decimals.
    assert_allclose(pairs.silhouette(X6, C1), 0.865657, atol=5e-7)
    assert_allclose(pairs.silhouette(X6, C3), 0.273611, atol=5e-7)
    assert_allclose(scatter.calinski_harabasz(X6, C1), 150.0)
    assert_allclose(scatter.calinski_harabasz(X6, C3), 5.5)
    assert_allclose(scatter.sse(X6, C1), 4.0)
    assert_allclose(scatter.sse(X6, C3), 33.0)


def test_numbers_of_cross_assoc_2011_on_x6():
    intra = [centers.intra_cluster_distance(X6, C) for C in (C1, C3)]
    inter = [centers.inter_cluster_distance(X6, C) for C in (C1, C3)]
    assert_allclose(intra, [2 / 3, 5.5])
    assert_allclose(inter, [100.0, 60.5])


def test_indices_are_those_of_scikit_learn():
    from sklearn import metrics

    X, labels = blobs(700, 5, 6, seed=1)
    assert_allclose(
        scatter.calinski_harabasz(X, labels),
        metrics.calinski_harabasz_score(X, labels),
        rtol=1e-10,
    )
    assert_allclose(
        centers.davies_bouldin(X, labels),
        metrics.davies_bouldin_score(X, labels),
        rtol=1e-10,
    )
    # Single-precision distances: about 1e-7 for each width; see pairs.py.
    assert_allclose(
        pairs.silhouette_samples(X, labels),
        metrics.silhouette_samples(X, labels),
        atol=2e-7,
    )
    assert_allclose(
        pairs.silhouette(X, labels, sample_size=200, random_state=4),
        metrics.silhouette_score(X, labels, sample_size=200, random_state=4),
        atol=2e-7,
    )


@pytest.mark.parametrize("sizes", [[1, 600, 2], [64, 65, 512, 1], [1030, 20]])
def test_tiles_and_blocks_of_the_kernels_meet_without_gaps(sizes):
    """Cluster sizes around the tile (64), block (512) and group (16 tiles) sizes."""
    from scipy.spatial.distance import cdist

    rng = np.random.RandomState(0)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.randn(len(labels), 5)
    clustered = Clustered(X, labels)
    D = cdist(X, X)
    sums = np.stack([D[:, labels == c].sum(axis=1) for c in range(len(sizes))], axis=1)
    own = sums[np.arange(len(X)), labels]
    means = sums / np.asarray(sizes)
    means[np.arange(len(X)), labels] = np.inf
    order = clustered.order
    # Single-precision distances, added in double.
    assert_allclose(clustered.pair_sums.own, own[order], rtol=2e-7)
    assert_allclose(clustered.pair_sums.other, means.min(axis=1)[order], rtol=2e-7)
    apart = labels[:, None] != labels
    assert_allclose(clustered.pair_sums.between, D[apart].sum() / 2, rtol=2e-7)
    assert_allclose(pairs.dunn(clustered), D[apart].min() / D[~apart].max())


@pytest.mark.parametrize("late", [3, 1024, 1025, 20_000])
def test_clusters_are_numbered_by_their_first_objects(late):
    labels = np.random.RandomState(0).choice([7, 2, 5], size=late + 10)
    labels[late:] = 1
    seen = {}
    expected = [seen.setdefault(label, len(seen)) for label in labels.tolist()]
    codes = Clustered(np.zeros((len(labels), 1)), labels).codes
    assert codes.tolist() == expected


@pytest.mark.parametrize("scale", [1e-150, 1e-12, 1.0, 1e25, 1e120])
def test_silhouette_and_dunn_have_no_unit(scale):
    X, labels = blobs(80, 3, 3, seed=8)
    # Single-precision distances, of values that differ in the last bit.
    assert_allclose(
        pairs.silhouette(scale * X, labels),
        pairs.silhouette(X, labels),
        atol=2e-7,
    )
    assert_allclose(pairs.dunn(scale * X, labels), pairs.dunn(X, labels))


def test_two_tight_clusters_far_from_a_wide_one_are_told_apart():
    """Their distances are far below the rounding of the coordinates as they stand."""
    rng = np.random.RandomState(0)
    tight = 1e-7 * rng.randn(40, 3)
    tight[20:] += 1e-6
    X = np.vstack([5.0 + tight, 3.0 * rng.randn(30, 3)])
    labels = np.repeat([0, 1, 2], [20, 20, 30])
    # Single-precision distances, which the centring must keep good.
    assert_allclose(pairs.silhouette(X, labels), brute.silhouette(X, labels), atol=5e-7)


def test_a_far_outlier_does_not_blur_the_other_distances():
    X, labels = blobs(60, 2, 3, seed=6)
    X, labels = np.vstack([X, [[1e7, 1e7]]]), np.r_[labels, 3]
    # Single-precision distances, which the centring must keep good.
    assert_allclose(pairs.silhouette(X, labels), brute.silhouette(X, labels), atol=2e-7)


def test_neighbor_indices_are_their_formula():
    X, labels = blobs(50, 3, 3, seed=4)
    previous, following = 400.0, 90.0
    W, n, k, p = brute.sse(X, labels), 50, 3, 3
    assert_allclose(
        scatter.hartigan(X, labels, sse_next=following),
        (W / following - 1) * (n - k - 1),
    )
    here = (k - 1) ** (2 / p) * previous - k ** (2 / p) * W
    after = k ** (2 / p) * W - (k + 1) ** (2 / p) * following
    assert_allclose(
        scatter.krzanowski_lai(X, labels, sse_previous=previous, sse_next=following),
        abs(here / after),
    )
    with pytest.raises(ComitiaError, match="sse_next=-1"):
        scatter.hartigan(X, labels, sse_next=-1)


def test_single_cluster_has_the_documented_values():
    X, _ = blobs(20, 3, 2, seed=0)
    values = {name: call(name, X, np.zeros(20)) for name in OF_ONE_CLUSTERING}
    undefined = {name for name, value in values.items() if np.isnan(value)}
    assert undefined == {
        "calinski_harabasz",
        "centroid_dunn",
        "centroid_separation_ratio",
        "davies_bouldin",
        "dunn",
        "hubert_normalized",
        "index_i",
        "point_symmetry",
        "s_dbw",
        "sd",
        "silhouette",
        "simplified_silhouette",
        "xie_beni",
    }
    for name in ("r_squared", "hubert_raw", "inter_cluster_distance", "connectedness"):
        assert values[name] == pytest.approx(0.0, abs=1e-12)


def test_singletons_only_have_the_documented_values():
    X, _ = blobs(8, 2, 2, seed=0)
    values = {name: call(name, X, np.arange(8)) for name in OF_ONE_CLUSTERING}
    for name in ("calinski_harabasz", "hubert_normalized", "rmsstd"):
        assert np.isnan(values[name])
    for name in ("dunn", "index_i", "centroid_separation_ratio", "centroid_dunn"):
        assert values[name] == np.inf
    for name in ("silhouette", "sse", "davies_bouldin", "xie_beni", "point_symmetry"):
        assert values[name] == 0.0
    assert values["r_squared"] == 1.0


@pytest.mark.parametrize("name", ["davies_bouldin", "xie_beni", "sd", "point_symmetry"])
def test_coincident_centers_are_infinitely_bad(name):
    X = np.array([[-1.0], [1.0], [-2.0], [2.0]])
    assert call(name, X, [0, 0, 1, 1]) == np.inf


def test_equal_distances_have_no_correlation():
    simplex = np.eye(5)
    assert np.isnan(pairs.hubert_normalized(simplex, [0, 0, 1, 1, 1]))


def test_equal_objects_give_no_nonsense():
    X = np.ones((6, 2))
    assert pairs.silhouette(X, [0, 0, 0, 1, 1, 1]) == 0.0
    assert pairs.dunn(X, [0, 0, 0, 1, 1, 1]) == np.inf
    assert np.isnan(scatter.r_squared(X, [0, 0, 0, 1, 1, 1]))


@pytest.mark.parametrize(
    ("X", "labels", "message"),
    [
        ([[0.0], [np.nan]], [0, 1], "row 1"),
        ([[0.0], [np.inf]], [0, 1], "NaN or infinity"),
        ([0.0, 1.0], [0, 1], "reshape"),
        ([[0.0], [1.0]], [0, 1, 1], "3 entries and X has 2"),
        ([["a"], ["b"]], [0, 1], "must be numbers"),
        ([[0.0], [1.0]], None, "labels is missing"),
        ([[0.0], [1.0]], [-1, -1], "all missing"),
    ],
)
def test_bad_input_is_refused_in_words(X, labels, message):
    with pytest.raises(ComitiaError, match=message):
        scatter.sse(X, labels)


def test_bad_options_are_refused_in_words():
    with pytest.raises(ComitiaError, match="davies_bouldin"):
        get_index("davis_bouldin")
    with pytest.raises(ComitiaError, match="sample_size=9"):
        pairs.silhouette(X6, C1, sample_size=9)
    with pytest.raises(ComitiaError, match="n_neighbors=0"):
        pairs.connectedness(X6, C1, n_neighbors=0)
    with pytest.raises(ComitiaError, match="twice"):
        scatter.sse(Clustered(X6, C1), C1)


def test_results_do_not_depend_on_the_number_of_threads():
    import numba

    X, labels = blobs(3000, 3, 2, seed=7)
    names = ["silhouette", "hubert_raw", "modified_hubert", "dunn", "point_symmetry"]
    before = numba.get_num_threads()
    try:
        results = []
        for n_threads in sorted({1, min(2, numba.config.NUMBA_NUM_THREADS)}):
            numba.set_num_threads(n_threads)
            results.append([call(name, X, labels) for name in names])
    finally:
        numba.set_num_threads(before)
    assert all(result == results[0] for result in results)
