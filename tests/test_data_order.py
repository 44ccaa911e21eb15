"""Rows of data in another order: the same clusters, each thing beside its object."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_iris, load_wine, make_blobs

import comitia
from comitia import ConsensusClustering, Ensemble, generate, sizes
from comitia._content_order import content_order, holds_places
from comitia._inputs import Views
from comitia.cluster.constraints import ConstraintSet
from comitia.generate import KMeansGenerator, generate_blocks
from tests.fixtures import planted, same_partition


def shuffled(n, seed=0):
    return np.random.RandomState(seed).permutation(n)


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


IRIS = standardized(load_iris().data)
WINE = standardized(load_wine().data)
MOVED = shuffled(len(WINE))


# -- the order itself ------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("values", [2, 5, 1000])
def test_sorted_objects_are_the_same_in_whatever_order_they_came(seed, values):
    rng = np.random.RandomState(seed)
    X = rng.randint(values, size=(40, 9)) / 7.0  # more columns than are read at once
    X[rng.rand(40, 9) < 0.1] = np.nan
    other = X[rng.permutation(40)]
    one, two = content_order(X), content_order(other)
    assert_array_equal(one.sort(X), two.sort(other))
    assert_array_equal(one.objects[one.places], np.arange(40))


@pytest.mark.parametrize("seed", range(5))
def test_objects_are_sorted_before_they_are_mixed(seed):
    rng = np.random.RandomState(seed)
    X = rng.randint(3, size=(30, 12)).astype(float)
    order = content_order(X)
    mixed = np.random.RandomState(30).permutation(30)
    by_rows = np.array(sorted(X.tolist()))  # the obvious way
    assert_array_equal(order.sort(X), by_rows[mixed])


def test_shifts_and_scales_and_their_rounding_change_no_order():
    X = np.random.RandomState(0).rand(60, 3)
    for shift, scale in ((0.1, 1.0), (1e3, 1e-3), (-7.0, 1e5)):
        assert_array_equal(
            content_order(X * scale + shift).objects, content_order(X).objects
        )


def test_a_column_of_rounding_tells_no_objects_apart():
    X = np.random.RandomState(0).rand(20, 1)
    noise = 1e-15 * np.random.RandomState(1).rand(20, 1)
    order = content_order(np.hstack([noise, X]))
    assert_array_equal(order.objects, content_order(X).objects)


def test_minus_zero_is_zero():
    # Equal in so many columns that the rows are looked at whole.
    X = np.zeros((4, 12))
    X[1, 3] = -0.0
    X[[2, 3], 11] = 1.0, -1.0
    assert_array_equal(content_order(X).objects, content_order(X + 0.0).objects)
    assert _looks_equal(X[:2])


def _looks_equal(X):
    """Whether rows keep the order in which they were given, as equal ones do."""
    places = [content_order(X[order]).places for order in ([0, 1], [1, 0])]
    return np.array_equal(*places)


def test_views_and_series_have_an_order_too():
    rng = np.random.RandomState(0)
    first, second = rng.randint(2, size=(2, 20, 2)).astype(float)
    order = content_order(Views((first, second), ("a", "b")))
    assert_array_equal(order.objects, content_order(np.hstack([first, second])).objects)
    series = [rng.randn(1, 5 + i % 3) for i in range(12)]
    moved = shuffled(12)
    there = [series[i] for i in moved]
    for one, other in zip(
        content_order(series).sort(series),
        content_order(there).sort(there),
        strict=True,
    ):
        assert_array_equal(one, other)


def test_values_that_differ_by_rounding_have_the_same_place():
    rng = np.random.RandomState(0)
    X = rng.randint(0, 5, size=(120, 5)).astype(float)
    noisy = X * (1 + 1e-15 * rng.randn(*X.shape))
    orders = content_order(X), content_order(noisy)
    assert_allclose(orders[0].sort(X), orders[1].sort(noisy), rtol=1e-12)


def test_objects_keep_their_places_where_parameters_may_know_them():
    assert not holds_places(KMeansGenerator(5, n_clusters=(2, 4), random_state=0))
    assert not holds_places(comitia.method("dcss")(3))
    assert not holds_places(comitia.method("mic")(3, view_penalty=[0.1, 0.2]))
    assert not holds_places(comitia.method("mic")(3, view_penalty=np.ones(2)))
    assert holds_places({"weights": np.ones(3)})
    assert holds_places({"pairs": [[0, 1], [2, 3]]})
    assert holds_places(comitia.method("alhichri_2014")(2, connectivity=(3, 4)))
    assert holds_places(comitia.method("mvfcmddv")(2, metric="precomputed"))
    assert holds_places(KMeansGenerator(5, features=None).set_params(n_clusters=len))


# -- generators ------------------------------------------------------------------------

GENERATORS = [
    "FuzzyGenerator",
    "GenieGenerator",
    "HierarchicalGenerator",
    "KMeansGenerator",
    "KernelGenerator",
    "LandmarkSpectralGenerator",
    "MixedGenerator",
    "MixtureGenerator",
    "NeighborSpectralGenerator",
    "SpectralGenerator",
    "TreeGenerator",
]


@pytest.mark.parametrize("name", GENERATORS)
def test_members_are_the_same_for_rows_in_another_order(name):
    make = getattr(generate, name)
    one = make(n_clusterings=8, random_state=0).fit(WINE)
    other = make(n_clusterings=8, random_state=0).fit(WINE[MOVED])
    assert_array_equal(one.ensemble_.labels[MOVED], other.ensemble_.labels)
    if name == "TreeGenerator":
        assert_array_equal(one.responses_[MOVED], other.responses_)


def test_samples_in_row_blocks_are_those_of_memory(tmp_path, monkeypatch):
    X, _ = make_blobs(3000, n_features=3, centers=6, cluster_std=3.0, random_state=0)
    moved = shuffled(3000)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE", 300)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE_EACH", 5)

    def made():
        return KMeansGenerator(6, n_clusters=8, solver="landmark", random_state=0)

    plain = made().generate(X).labels
    for order in (np.arange(3000), moved):
        in_blocks = generate_blocks(
            made(), X[order], tmp_path / str(order[0]), block_rows=700
        )
        assert_array_equal(in_blocks.labels, plain[order])


@pytest.mark.parametrize("name", ["CONTENT_ORDER_OBJECTS", "CONTENT_ORDER_BYTES"])
def test_very_many_objects_keep_their_places(name, monkeypatch):
    assert content_order(WINE) is not None
    monkeypatch.setattr(sizes, name, 100)
    assert content_order(WINE) is None
    kept = KMeansGenerator(5, n_clusters=3, random_state=0).generate(WINE).labels
    by_place = KMeansGenerator(5, n_clusters=3, random_state=0).generate(WINE).labels
    assert_array_equal(kept, by_place)


# -- methods ---------------------------------------------------------------------------


@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
def test_the_default_finds_the_same_in_another_order(data):
    moved = shuffled(len(data), seed=1)
    one = ConsensusClustering(3, random_state=0).fit(data)
    other = ConsensusClustering(3, random_state=0).fit(data[moved])
    assert same_partition(one.labels_[moved], other.labels_)
    assert_array_equal(one.ensemble_.labels[moved], other.ensemble_.labels)
    assert_allclose(one.confidence_[moved], other.confidence_, rtol=1e-9)
    assert [rival.name for rival in one.rivals_] == [r.name for r in other.rivals_]
    assert one.doubt_ == other.doubt_


@pytest.mark.parametrize(
    "id", ["bob_hic", "dcss", "wohb", "zhao_2020", "feature_boost_2009"]
)
def test_wine_in_another_order_has_the_same_clusters(id):
    one = comitia.method(id)(3, random_state=0).fit(WINE)
    other = comitia.method(id)(3, random_state=0).fit(WINE[MOVED])
    assert same_partition(one.labels_[MOVED], other.labels_)


def test_what_each_cluster_has_stands_under_its_number():
    one = comitia.method("dcss")(3, random_state=0).fit(WINE)
    other = comitia.method("dcss")(3, random_state=0).fit(WINE[MOVED])
    for fitted, X in ((one, WINE), (other, WINE[MOVED])):
        sizes_ = np.bincount(fitted.labels_) / len(X)
        assert_allclose(fitted.proportions_, sizes_, atol=0.1)
        means = np.array([X[fitted.labels_ == c].mean(axis=0) for c in range(3)])
        nearest = np.linalg.norm(means[:, None] - fitted.cluster_centers_, axis=2)
        assert_array_equal(nearest.argmin(axis=1), np.arange(3))


def test_medoids_are_objects_of_the_data_as_given():
    views = [WINE[:, :6], WINE[:, 6:]]
    one = comitia.method("mvfcmddv")(3, random_state=0).fit(views)
    other = comitia.method("mvfcmddv")(3, random_state=0).fit(
        [view[MOVED] for view in views]
    )
    assert same_partition(one.labels_[MOVED], other.labels_)
    chosen = [
        {*medoids.ravel().tolist()}
        for medoids in (one.medoid_indices_, MOVED[other.medoid_indices_])
    ]
    assert chosen[0] == chosen[1]


def test_a_tree_has_the_objects_as_given_for_leaves():
    from scipy.cluster.hierarchy import fcluster

    for order in (np.arange(len(WINE)), MOVED):
        fitted = comitia.method("berikov_2017")(3, random_state=0).fit(WINE[order])
        cut = fcluster(fitted.linkage_, fitted.n_clusters_, "maxclust")
        assert same_partition(cut, fitted.labels_)


def test_constraints_follow_their_objects():
    pairs = np.array([[0, 70], [1, 140]])
    places = np.argsort(MOVED)
    one = comitia.method("okabe_yamada_2013")(3, random_state=0)
    other = comitia.method("okabe_yamada_2013")(3, random_state=0)
    one.fit(WINE, cannot_link=pairs, must_link=[(2, 3)])
    other.fit(WINE[MOVED], cannot_link=places[pairs], must_link=[places[[2, 3]]])
    assert same_partition(one.labels_[MOVED], other.labels_)
    assert_array_equal(one.constraints_.cannot_link, pairs)
    assert_array_equal(other.constraints_.cannot_link, places[pairs])


def test_constraints_are_renamed_in_their_order():
    numbers = np.array([2, 0, 1])
    pairs = ConstraintSet(
        3, must_link=[(0, 1)], cannot_link=[(1, 2)], weights=[1.0, 3.0]
    )
    renamed = pairs.renamed(numbers)
    assert renamed.must_link.tolist() == [[2, 0]]
    assert renamed.cannot_link.tolist() == [[0, 1]]
    assert_array_equal(renamed.weights, [1.0, 3.0])


def test_clusterings_that_are_given_stay_beside_their_data():
    labels, truth = planted(90, 3, 8, noise=0.3, seed=0)
    X = np.eye(3)[truth] + 0.3 * np.random.RandomState(0).randn(90, 3)
    moved = shuffled(90)
    for name in ("sivid", "consensus", "weacs"):
        one = comitia.method(name)(3, random_state=0)
        one.fit(X, ensemble=Ensemble(labels))
        other = comitia.method(name)(3, random_state=0)
        other.fit(X[moved], ensemble=Ensemble(labels[moved]))
        assert same_partition(one.labels_[moved], other.labels_)
        assert_array_equal(one.ensemble_.labels, labels)


def test_combining_again_is_combining_once():
    made = comitia.method("yang_chen_2011")(3, random_state=0)
    series = np.random.RandomState(0).randn(24, 1, 16).cumsum(axis=2)
    ensemble = made.generate(series)
    first = made.combine(ensemble, series).labels_
    again = made.combine(ensemble, series).labels_
    assert_array_equal(first, again)
    assert_array_equal(made.generator_.ensemble_.labels, ensemble.labels)
    whole = comitia.method("yang_chen_2011")(3, random_state=0).fit(series)
    assert_array_equal(whole.labels_, first)
    kept = [*whole.generator_.features_]
    for X, expected in zip(kept, whole.generator_.represent(series), strict=True):
        assert_allclose(X, expected, atol=1e-12)


def test_a_failed_combination_leaves_the_constraints_as_they_were():
    fitted = comitia.method("okabe_yamada_2013")(3, random_state=0)
    fitted.fit(WINE, must_link=[(2, 3)])
    before = fitted.constraints_.must_link.copy()
    with pytest.raises(ValueError, match="n_clusters"):
        fitted.set_params(n_clusters=500).fit(WINE, must_link=[(4, 5)])
    assert_array_equal(fitted.constraints_.must_link, before)


def test_shares_of_the_frame_do_not_hang_on_the_order_of_a_sum():
    from comitia.generate.columns import Frame

    X = np.random.RandomState(0).rand(1000, 2) * 1e6
    low, high = X.min(axis=0), X.max(axis=0)
    exact = np.array([float(sum(map(Fraction, column)) / 1000) for column in X.T])
    frames = [
        Frame.between(shift, low, high).shift
        for shift in (exact, X.mean(axis=0), X[::-1].mean(axis=0))
    ]
    assert_array_equal(frames[0], frames[1])
    assert_array_equal(frames[1], frames[2])
    assert (np.abs(frames[0] - exact) <= (high - low) / 1000).all()
