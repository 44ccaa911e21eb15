"""Both sides of each size at which generators take another path."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.distance import pdist

from comitia import sizes
from comitia.generate import (
    GenieGenerator,
    KMeansGenerator,
    LandmarkSpectralGenerator,
    NeighborSpectralGenerator,
    generate_blocks,
)
from comitia.generate._kmeans_on_samples import ColumnsCenters
from comitia.generate.estimators import median_distance
from comitia.generate.nearest_models import NearestCenter

N = 600
CENTERS = np.array([[0.0, 0.0, 0.0], [20.0, 0.0, 0.0], [0.0, 20.0, 20.0]])
TRUTH = np.arange(N) % 3
X = CENTERS[TRUTH] + np.random.RandomState(0).randn(N, 3)


def labels_of(generator):
    return generator.generate(X).labels


@pytest.mark.parametrize("size", [N, N + 1])
def test_nearest_centers_are_the_same_by_compiled_kernels(size, monkeypatch):
    model = NearestCenter(X[:20] + 1e6)
    monkeypatch.setattr(sizes, "COMPILED_NEAREST_OBJECTS", 10 * N)
    plain = model.predict(X + 1e6)
    monkeypatch.setattr(sizes, "COMPILED_NEAREST_OBJECTS", size)
    assert_array_equal(model.predict(X + 1e6), plain)


def test_auto_is_lloyd_below_its_size_and_landmark_from_there(monkeypatch):
    # The two solvers promise clusterings of one quality, not the same labels.
    lloyd, landmark, auto = (
        KMeansGenerator(3, n_clusters=5, solver=solver, random_state=0)
        for solver in ("lloyd", "landmark", "auto")
    )
    monkeypatch.setattr(sizes, "SAMPLED_KMEANS_OBJECTS", N + 1)
    assert_array_equal(labels_of(auto), labels_of(lloyd))
    assert auto.needs_memory(N)
    monkeypatch.setattr(sizes, "SAMPLED_KMEANS_OBJECTS", N)
    assert_array_equal(labels_of(auto), labels_of(landmark))
    assert not auto.needs_memory(N)


@pytest.mark.parametrize("each", [1, N])
@pytest.mark.parametrize("size", [N, 10 * N])
def test_a_sample_of_all_objects_is_all_objects(size, each, monkeypatch):
    generators = [
        KMeansGenerator(2, n_clusters=3, solver="landmark", random_state=0),
        KMeansGenerator(2, n_clusters=3, solver="minibatch", random_state=0),
        LandmarkSpectralGenerator(2, n_clusters=3, n_landmarks=30, random_state=0),
    ]
    plain = [labels_of(generator) for generator in generators]
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE", size)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE_EACH", each)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE", size)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE_EACH", each)
    for generator, labels in zip(generators, plain, strict=True):
        assert_array_equal(labels_of(generator), labels)


def test_fewer_objects_than_the_sample_find_the_same_clusters(monkeypatch):
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE", N - 1)
    monkeypatch.setattr(sizes, "KMEANS_SAMPLE_EACH", 1)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE", N - 1)
    monkeypatch.setattr(sizes, "LANDMARK_GRAPH_SAMPLE_EACH", 1)
    for generator in (
        KMeansGenerator(1, n_clusters=3, solver="landmark", random_state=0),
        LandmarkSpectralGenerator(1, n_clusters=3, n_landmarks=30, random_state=0),
    ):
        assert len(generator.sample_rows(N, {"object_seed": 0, "n_clusters": 3})) < N
        found = labels_of(generator)[:, 0]
        assert len(np.unique(found)) == 3
        assert len(np.unique(np.c_[found, TRUTH], axis=0)) == 3


@pytest.mark.parametrize("size", [N - 1, N])
def test_the_median_distance_is_that_of_the_objects_that_are_drawn(size, monkeypatch):
    monkeypatch.setattr(sizes, "MEDIAN_DISTANCE_SAMPLE", size)
    rows = np.arange(N)
    if size < N:
        rows = np.sort(np.random.RandomState(1).choice(N, size=size, replace=False))
    got = median_distance(X, np.random.RandomState(1))
    assert got == np.median(pdist(X[rows]))


@pytest.mark.parametrize("n_bytes", [1, 1 << 28])
@pytest.mark.parametrize("block_rows", [N - 1, N, N + 1])
def test_blocks_and_passes_do_not_change_labels(
    block_rows, n_bytes, tmp_path, monkeypatch
):
    generator = KMeansGenerator(3, n_clusters=4, solver="landmark", random_state=0)
    plain = labels_of(generator)
    monkeypatch.setattr(sizes, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(sizes, "SAMPLE_BYTES", n_bytes)
    found = generate_blocks(generator, X, tmp_path)
    assert len([*tmp_path.glob("block-*.npy")]) == (2 if block_rows < N else 1)
    assert_array_equal(found.labels, plain)
    assert isinstance(generator.members_[0].model, ColumnsCenters)


@pytest.mark.parametrize("size", [N - 1, N, N + 1])
@pytest.mark.parametrize(
    "name", ["SHAPES_SAMPLE", "SINGLE_PRECISION_OBJECTS", "SPANNING_TREE_OBJECTS"]
)
def test_shapes_are_the_same_on_both_sides(name, size, monkeypatch):
    generators = (
        GenieGenerator(2, n_clusters=3, object_fraction=1.0, random_state=0),
        NeighborSpectralGenerator(2, n_clusters=3, random_state=0),
    )
    monkeypatch.setattr(sizes, name, size)
    for generator in generators:
        for found in labels_of(generator).T:
            assert len(np.unique(found)) == 3
            assert len(np.unique(np.c_[found, TRUTH], axis=0)) == 3


def test_a_sample_grows_with_the_clusters(monkeypatch):
    monkeypatch.setattr(sizes, "SHAPES_SAMPLE", 50)
    monkeypatch.setattr(sizes, "SHAPES_SAMPLE_EACH", 3)
    for k, size in ((5, 50), (100, 300), (300, N)):
        generator = GenieGenerator(2, n_clusters=k, object_fraction=1.0, random_state=0)
        plan = generator.plan_members(X)[0]
        rows = generator.sample_rows(N, plan)
        # Some are drawn twice and count once.
        assert 0.7 * size < len(rows) <= size
        assert labels_of(generator).shape == (N, 2)
