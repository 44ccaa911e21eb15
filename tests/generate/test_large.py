"""K-means for many objects: as good as the slow way, the same on any thread."""

import numba
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia._kernels.assign import nearest_centers, spread_centers, sum_columns
from comitia.exceptions import ComitiaError
from comitia.generate import (
    Bootstrap,
    FeatureSubset,
    KMeansGenerator,
    RandomProjection,
    Subsample,
)
from comitia.generate import base as generate_base
from comitia.generate.base import NearestCenter
from comitia.generate.columns import Columns, Frame
from comitia.generate.large import (
    ColumnsCenters,
    _means,
    landmark_centers,
    minibatch_centers,
    nearest_of_columns,
)

X, TRUTH = make_blobs(3000, centers=6, n_features=5, random_state=0)
LARGE = ["landmark", "minibatch"]


def brute_nearest(X, centers):
    distance = ((X[:, None, :] - centers[None]) ** 2).sum(axis=2)
    return distance.argmin(axis=1), distance.min(axis=1)


# -- the kernels ----------------------------------------------------------------------


@pytest.mark.parametrize("p", [1, 3, 4, 10])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_nearest_center_is_the_nearest(p, dtype):
    rng = np.random.RandomState(p)
    # Whole numbers: single precision has them exactly, ties included.
    points = rng.randint(-9, 10, size=(1300, p)).astype(dtype)
    centers = rng.randint(-9, 10, size=(17, p)).astype(dtype)
    labels, scores = nearest_of_columns(np.ascontiguousarray(points.T), centers)
    nearest, distance = brute_nearest(points, centers)
    assert_array_equal(labels, nearest)
    assert_allclose((points**2).sum(axis=1) - 2 * scores, distance)


def test_an_object_does_not_depend_on_those_beside_it():
    rng = np.random.RandomState(0)
    columns = rng.randn(7, 2000).astype(np.float32)
    centers = rng.randn(9, 7).astype(np.float32)
    penalty = (centers**2).sum(axis=1) / 2
    whole = [np.empty(2000, np.int32), np.empty(2000, np.float32)]
    nearest_centers(columns, centers, penalty, 0, 2000, *whole)
    parts = [np.empty(2000, np.int32), np.empty(2000, np.float32)]
    for start, stop in [(0, 1), (1, 700), (700, 1999), (1999, 2000)]:
        nearest_centers(columns, centers, penalty, start, stop, *parts)
    assert_array_equal(parts[0], whole[0])
    assert_array_equal(parts[1], whole[1])


def test_the_number_of_threads_does_not_matter():
    rng = np.random.RandomState(0)
    columns = rng.randn(2, 140_000).astype(np.float32)
    centers = rng.randn(5, 2).astype(np.float32)
    before = numba.get_num_threads()
    results = []
    try:
        for n_threads in {1, before}:
            numba.set_num_threads(n_threads)
            results.append(nearest_of_columns(columns, centers))
    finally:
        numba.set_num_threads(before)
    for labels, scores in results:
        assert_array_equal(labels, results[0][0])
        assert_array_equal(scores, results[0][1])


def test_sums_are_those_of_the_clusters():
    rng = np.random.RandomState(0)
    points, labels = rng.randn(50, 3), rng.randint(4, size=50).astype(np.int32)
    weights, sums, mass = rng.rand(50), np.zeros((4, 3)), np.zeros(4)
    sum_columns(np.ascontiguousarray(points.T), labels, weights, sums, mass)
    for c in range(4):
        mine = labels == c
        assert_allclose(sums[c], weights[mine] @ points[mine])
        assert_allclose(mass[c], weights[mine].sum())


def brute_spread(points, weights, draws):
    """k-means++ with candidates, as it is written in books."""
    chosen, nearest = [], None
    for c, uniform in enumerate(draws):
        chances = weights if c == 0 else weights * nearest
        cumulated = np.cumsum(chances)
        best = None
        for u in uniform[: 1 if c == 0 else None]:
            i = np.searchsorted(cumulated, u * cumulated[-1], side="right")
            here = ((points - points[i]) ** 2).sum(axis=1)
            here = here if nearest is None else np.minimum(here, nearest)
            if best is None or weights @ here < best[0]:
                best = (weights @ here, i, here)
        chosen.append(best[1])
        nearest = best[2]
    return chosen


@pytest.mark.parametrize("seed", range(5))
def test_centers_spread_as_k_means_plus_plus_says(seed):
    rng = np.random.RandomState(seed)
    points, weights, draws = rng.randn(60, 3), rng.rand(60), rng.rand(7, 4)
    chosen = np.empty(7, np.int64)
    spread_centers(np.ascontiguousarray(points.T), weights, draws, chosen)
    assert_array_equal(chosen, brute_spread(points, weights, draws))


def test_objects_without_weight_are_no_start():
    weights = np.r_[np.zeros(30), np.ones(30)]
    chosen = np.empty(5, np.int64)
    points = np.random.RandomState(0).randn(2, 60)
    spread_centers(points, weights, np.random.RandomState(1).rand(5, 3), chosen)
    assert chosen.min() >= 30


# -- the solvers ----------------------------------------------------------------------


def inertia(X, centers):
    return brute_nearest(X, centers)[1].sum()


@pytest.mark.parametrize("centers_of", [landmark_centers, minibatch_centers])
def test_the_inertia_is_that_of_scikit_learn(centers_of):
    data = np.random.RandomState(0).randn(4000, 3)
    columns = np.ascontiguousarray(data.T.astype(np.float32))
    slow = [KMeans(10, n_init=1, random_state=s).fit(data).inertia_ for s in range(4)]
    fast = [
        inertia(data, centers_of(columns, 10, np.random.RandomState(s)))
        for s in range(4)
    ]
    # All objects are landmarks here; local optima of no structure differ by a per cent.
    assert np.mean(fast) < 1.02 * np.mean(slow)


@pytest.mark.parametrize("centers_of", [landmark_centers, minibatch_centers])
def test_a_weight_counts_like_repeats(centers_of):
    data = np.array([[0.0], [1.0], [100.0], [101.0]])
    columns = np.ascontiguousarray(data.T.astype(np.float32))
    weights = np.array([1.0, 3.0, 1.0, 1.0])
    centers = centers_of(columns, 2, np.random.RandomState(0), weights=weights)
    assert_allclose(np.sort(centers.ravel()), [0.75, 100.5], rtol=1e-6)  # float32


@pytest.mark.parametrize("centers_of", [landmark_centers, minibatch_centers])
@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_few_distinct_objects_are_no_trouble(centers_of, init):
    columns = np.repeat(np.float32([[0.0, 5.0]]), 10, axis=1)
    centers = centers_of(columns, 4, np.random.RandomState(0), init=init)
    assert np.isfinite(centers).all()
    assert set(centers.ravel()) <= {0.0, 5.0}


def test_the_center_of_nobody_moves_to_the_farthest_object():
    points = np.float32([[0.0, 1.0, 2.0, 9.0]])
    labels = np.int32([0, 0, 0, 0])
    centers = np.float32([[1.0], [50.0], [60.0]])
    distances = np.array([1.0, 0.0, 2.0, 64.0])
    moved = _means(points, labels, np.ones(4), centers, distances)
    assert_array_equal(moved.ravel(), [3.0, 9.0, 2.0])


# -- the frame ------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "scale"), [(1e6, 1.0), (0.0, 1e30), (0.0, 1e-30)])
def test_data_far_away_or_in_odd_units_keep_their_digits(shift, scale):
    data = X * scale + shift
    generator = KMeansGenerator(3, n_clusters=6, solver="landmark", random_state=0).fit(
        data
    )
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(TRUTH, labels) > 0.7
    centers = generator.members_[0].model.centers
    means = NearestCenter.of_labels(data, generator.ensemble_.labels[:, 0]).centers
    # Centres are means of the last labels but one, in single precision.
    assert_allclose(centers, means, rtol=1e-2, atol=0.05 * scale)


def test_data_beyond_all_measure_are_refused():
    with pytest.raises(ComitiaError, match="too large"), np.errstate(over="ignore"):
        Frame.of(np.array([[1.7e308], [1.7e308]]))


def test_constant_data_are_one_cluster():
    generator = KMeansGenerator(2, n_clusters=3, solver="landmark", random_state=0)
    assert generator.generate(np.ones((50, 2))).n_clusters_each.tolist() == [1, 1]


# -- the generator --------------------------------------------------------------------


@pytest.mark.parametrize("solver", LARGE)
def test_members_find_the_blobs(solver):
    generator = KMeansGenerator(4, n_clusters=6, solver=solver, random_state=0).fit(X)
    for labels in generator.ensemble_.labels.T:
        assert adjusted_rand_score(TRUTH, labels) > 0.7
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)
    one_by_one = np.vstack([generator.transform(X[i : i + 1]) for i in range(50)])
    assert_array_equal(one_by_one, generator.ensemble_.labels[:50])


@pytest.mark.parametrize("solver", LARGE)
@pytest.mark.parametrize("features", [FeatureSubset(0.6), RandomProjection(3)])
def test_members_on_features_label_by_those(solver, features):
    generator = KMeansGenerator(
        3, n_clusters=6, solver=solver, features=features, random_state=0
    ).fit(X)
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)
    for member in generator.members_:
        seen = member.model.features(X)
        nearest, _ = brute_nearest(seen, member.model.centers)
        # A handful of 3000 objects may lie on a border to single precision.
        assert np.mean(nearest == member.model.predict(X)) > 0.995


@pytest.mark.parametrize("solver", LARGE)
@pytest.mark.parametrize("objects", [Subsample(0.5), Bootstrap()])
def test_members_leave_out_what_they_did_not_draw(solver, objects):
    parameters = {
        "n_clusters": 6,
        "solver": solver,
        "objects": objects,
        "random_state": 0,
    }
    partial = KMeansGenerator(2, **parameters).fit(X)
    assert partial.ensemble_.kind == "partial"
    whole = KMeansGenerator(2, extend=True, **parameters).fit(X)
    assert whole.ensemble_.kind == "hard"
    drawn = partial.ensemble_.labels >= 0
    assert_array_equal(partial.ensemble_.labels[drawn], whole.ensemble_.labels[drawn])
    assert_array_equal(whole.transform(X), whole.ensemble_.labels)


def test_the_solver_is_chosen_by_the_number_of_objects(monkeypatch):
    few = KMeansGenerator(1, n_clusters=3, random_state=0).fit(X)
    assert isinstance(few.members_[0].model, NearestCenter)
    monkeypatch.setattr("comitia.generate.kmeans.MANY_OBJECTS", 1000)
    many = KMeansGenerator(1, n_clusters=3, random_state=0).fit(X)
    assert isinstance(many.members_[0].model, ColumnsCenters)
    slow = KMeansGenerator(1, n_clusters=3, solver="lloyd", random_state=0).fit(X)
    assert slow.ensemble_ == few.ensemble_


def test_jobs_and_checkpoints_do_not_change_the_result(tmp_path, monkeypatch):
    parameters = {"n_clusters": (2, 9), "solver": "landmark", "random_state": 0}
    plain = KMeansGenerator(5, **parameters).fit(X)
    jobs = KMeansGenerator(5, n_jobs=2, checkpoint=tmp_path, **parameters).fit(X)
    assert jobs.ensemble_ == plain.ensemble_
    monkeypatch.setattr(KMeansGenerator, "_make", None)  # nothing is left to make
    again = KMeansGenerator(5, checkpoint=tmp_path, **parameters).fit(X)
    assert again.ensemble_ == plain.ensemble_
    assert_array_equal(again.transform(X), plain.transform(X))


def test_many_objects_go_to_the_nearest_center_by_the_same_rule(monkeypatch):
    model = NearestCenter(X[:20] + 1e6)
    few = model.predict(X + 1e6)
    monkeypatch.setattr(generate_base, "MANY_OBJECTS", 100)
    assert_array_equal(model.predict(X + 1e6), few)


def test_columns_are_the_transposed_data():
    columns = Columns.of(X)
    assert len(columns) == len(X)
    back = columns.values.T / columns.frame.scale + columns.frame.shift
    assert_allclose(back, X, atol=2e-6)  # single precision of values around ten
