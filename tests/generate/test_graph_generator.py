"""Members over detectors, resolutions and links, of graphs and of data."""

import os
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors

from comitia import sizes
from comitia._kernels.knn import insert, nearest_in_groups, shared_neighbors
from comitia.cluster import Leiden
from comitia.exceptions import ComitiaError
from comitia.generate import GraphGenerator
from comitia.generate._neighbor_links import (
    _pynndescent,
    neighbor_graph,
    neighbors_by_groups,
)
from comitia.generate.graph_generator import _some_links
from tests.cluster.test_communities import planted

GRAPH, TRUTH = planted([30, 40, 30], 0.4, 0.02)
X, BLOBS = make_blobs(150, centers=4, n_features=3, cluster_std=0.7, random_state=0)


def test_members_go_through_detectors_and_resolutions():
    made = GraphGenerator(
        8, detector=["leiden", "louvain"], resolution=[0.5, 6.0], random_state=0
    ).fit(GRAPH)
    assert made.ensemble_.groups.tolist() == ["leiden", "louvain"] * 4
    few, many = made.ensemble_.n_clusters_each.reshape(2, 2, 2).mean(axis=(0, 2))
    assert few < many


@pytest.mark.parametrize(
    "detector", ["leiden", "louvain", "local_moving", "label_propagation", "spectral"]
)
def test_every_detector_finds_clear_communities(detector):
    made = GraphGenerator(3, detector=detector, n_clusters=3, random_state=0)
    for labels in made.generate(GRAPH).labels.T:
        # One level of moving leaves communities in pieces.
        least = 0.3 if detector == "local_moving" else 0.95
        assert adjusted_rand_score(TRUTH, labels) > least


@pytest.mark.parametrize("edge_weights", ["jaccard", "gaussian", "binary"])
def test_data_are_joined_with_their_neighbors(edge_weights):
    made = GraphGenerator(
        3, resolution=0.5, edge_weights=edge_weights, n_neighbors=12, random_state=0
    )
    for labels in made.generate(X).labels.T:
        assert adjusted_rand_score(BLOBS, labels) > 0.9


def test_links_are_weighed_as_is_written():
    k = 5
    near = NearestNeighbors(n_neighbors=k).fit(X).kneighbors()
    sets = [{i, *map(int, row)} for i, row in enumerate(near[1])]
    W = neighbor_graph(X, k).toarray()
    G = neighbor_graph(X, k, edge_weights="gaussian").toarray()
    assert_array_equal(W, W.T)
    for i in range(len(X)):
        for j in range(i):
            linked = i in sets[j] or j in sets[i]
            shared = len(sets[i] & sets[j]) / len(sets[i] | sets[j])
            assert_allclose(W[i, j], shared if linked else 0.0)
            square = ((X[i] - X[j]) ** 2).sum() / (near[0][i, -1] * near[0][j, -1])
            # Distances of scikit-learn are exact to half of the digits.
            assert_allclose(G[i, j], np.exp(-square) if linked else 0.0, atol=1e-6)


def test_lists_are_intersected():
    near = np.array([[1, 2], [0, 2], [3, 1], [2, 1]], dtype=np.int32)
    lists = np.sort(np.hstack([near, np.arange(4, dtype=np.int32)[:, None]]), axis=1)
    shared = np.empty((4, 2), dtype=np.int64)
    shared_neighbors(near, lists, shared, 0, 4)
    assert_array_equal(shared, [[3, 2], [3, 2], [3, 2], [3, 2]])


@pytest.mark.parametrize("k", [1, 2, 3, 8])
def test_the_nearest_are_kept_in_order_and_the_lower_of_equals_first(k):
    for seed in range(20):
        rng = np.random.RandomState(seed)
        # Whole squares, of which many are equal, and all places different.
        pairs = [*zip(rng.randint(5, size=k + 1), rng.permutation(k + 1), strict=True)]
        *kept, new = pairs
        if sorted(pairs)[-1] == new:
            continue
        kept.sort()
        squares = np.array([square for square, _ in kept], dtype=float)
        near = np.array([j for _, j in kept])
        insert(squares, near, k, *new)
        expected = sorted(pairs)[:k]
        assert [*zip(squares, near, strict=True)] == expected


@pytest.mark.parametrize("n_looked", [1, 4])
def test_neighbors_in_groups_are_the_nearest_of_the_groups_looked_at(n_looked):
    rng = np.random.RandomState(0)
    points = rng.randn(3, 30)
    starts = np.array([0, 2, 12, 17, 30])
    owner = np.repeat(np.arange(4), np.diff(starts))
    centers = np.stack([points[:, owner == g].mean(axis=1) for g in range(4)], axis=1)
    near, squares = np.full((30, 4), -9), np.full((30, 4), np.nan)
    nearest_in_groups(points, starts, centers, n_looked, near, squares, 0, 30)
    for i in range(30):
        away = ((points - points[:, [i]]) ** 2).sum(axis=0)
        groups = np.argsort(((centers - points[:, [i]]) ** 2).sum(axis=0))
        for n_groups in range(n_looked, 5):
            # Itself and four others; one group has fewer.
            seen = np.isin(owner, groups[:n_groups])
            if seen.sum() > 4:
                break
        seen[i] = False
        expected = np.argsort(np.where(seen, away, np.inf))[:4]
        assert_array_equal(near[i], expected)
        assert_allclose(squares[i], away[expected])


def test_neighbors_in_groups_are_mostly_the_nearest(monkeypatch):
    data = make_blobs(900, centers=6, n_features=5, random_state=1)[0]
    near, squares = neighbors_by_groups(data, 8)
    distances, exact = NearestNeighbors(n_neighbors=8).fit(data).kneighbors()
    found = [len({*a} & {*b}) / 8 for a, b in zip(near, exact, strict=True)]
    assert np.mean(found) > 0.95
    # Single precision.
    assert_allclose(squares[:, 0], distances[:, 0] ** 2, rtol=0.01, atol=1e-4)
    assert (np.diff(squares, axis=1) >= 0).all()
    assert not (near == np.arange(900)[:, None]).any()
    assert neighbors_by_groups(data[:12], 11)[0].min() >= 0


def test_both_ways_to_look_for_neighbors_give_clear_clusters(monkeypatch):
    exact = GraphGenerator(2, resolution=0.5, random_state=0).generate(X)
    monkeypatch.setattr(sizes, "EXACT_NEIGHBORS_OBJECTS", 10)
    groups = GraphGenerator(2, resolution=0.5, random_state=0).generate(X)
    for one, other in zip(exact.labels.T, groups.labels.T, strict=True):
        assert adjusted_rand_score(one, other) > 0.9


class Descent:
    """What is used of pynndescent.NNDescent, which takes 20 s to compile; exact."""

    missed = False

    def __init__(self, data, n_neighbors, random_state):
        near = NearestNeighbors(n_neighbors=n_neighbors).fit(data).kneighbors(data)
        self.neighbor_graph = near[1].astype(np.int32), near[0].astype(np.float32)
        if self.missed:
            self.neighbor_graph[0][0, -1] = -1


@pytest.fixture(params=["stand-in", "pynndescent"])
def descent(request, monkeypatch):
    if request.param == "pynndescent":
        if os.environ.get("COMITIA_PROFILE") != "nightly":
            pytest.skip("the package compiles for 20 s; make test-nightly runs it")
        pytest.importorskip("pynndescent")
    else:
        stand_in = SimpleNamespace(NNDescent=Descent)
        monkeypatch.setitem(sys.modules, "pynndescent", stand_in)


@pytest.mark.filterwarnings("ignore")
def test_pynndescent_finds_the_neighbors_whatever_the_order(descent):
    near, squares = _pynndescent(X, 7)
    distances, exact = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()
    found = [len({*a} & {*b}) / 7 for a, b in zip(near, exact, strict=True)]
    assert np.mean(found) > 0.95
    assert not (near == np.arange(len(X))[:, None]).any()
    # Single precision.
    assert_allclose(squares[:, 0], distances[:, 0] ** 2, rtol=0.01, atol=1e-4)
    turned = neighbor_graph(X[::-1], 7, search="pynndescent")
    links = neighbor_graph(X, 7, search="pynndescent")
    assert_array_equal(turned.toarray()[::-1, ::-1], links.toarray())
    copies = _pynndescent(np.repeat(X[:10], 10, axis=0), 7)[0]
    assert not (copies == np.arange(100)[:, None]).any()
    made = GraphGenerator(2, resolution=0.5, search="pynndescent", random_state=0)
    for labels in made.generate(X).labels.T:
        assert adjusted_rand_score(BLOBS, labels) > 0.9


def test_neighbors_that_pynndescent_misses_are_no_links(monkeypatch):
    stand_in = SimpleNamespace(NNDescent=type("Misses", (Descent,), {"missed": True}))
    monkeypatch.setitem(sys.modules, "pynndescent", stand_in)
    with pytest.raises(ComitiaError, match=r'n_neighbors=7 neigh.*"groups"'):
        neighbor_graph(X, 7, search="pynndescent")
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"comitia\[neighbors\]"):
        neighbor_graph(X, 7, search="pynndescent")


def test_a_member_sees_some_of_the_links():
    some = _some_links(GRAPH, 0.5, np.random.RandomState(0))
    assert 0.4 < some.nnz / GRAPH.nnz < 0.6
    assert_array_equal(some.toarray(), some.T.toarray())
    assert ((some.toarray() > 0) <= (GRAPH.toarray() > 0)).all()
    made = GraphGenerator(4, edge_fraction=0.6, random_state=0).generate(GRAPH)
    for labels in made.labels.T:
        assert adjusted_rand_score(TRUTH, labels) > 0.9


def test_cells_bring_their_graph_and_their_names():
    names = pd.Index([f"cell{i}" for i in range(100)])
    cells = SimpleNamespace(
        obsp={"connectivities": csr_array(GRAPH)}, obs_names=names, shape=(100, 5)
    )
    made = GraphGenerator(2, random_state=0).generate(cells)
    assert made.object_names.tolist() == names.tolist()
    plain = GraphGenerator(2, random_state=0).generate(GRAPH)
    assert_array_equal(made.labels, plain.labels)
    assert Leiden(random_state=0).fit(cells).n_clusters_ == 3
    with pytest.raises(ComitiaError, match=r"scanpy\.pp\.neighbors"):
        GraphGenerator().fit(SimpleNamespace(obsp={}, obs_names=names, shape=(100, 5)))


def test_a_frame_names_the_vertices():
    names = [f"v{i}" for i in range(100)]
    frame = pd.DataFrame(GRAPH.toarray(), index=names, columns=names)
    made = GraphGenerator(1, random_state=0).generate(frame)
    assert made.object_names.tolist() == names
    with pytest.raises(ComitiaError, match="names its rows and its columns"):
        GraphGenerator().fit(frame.iloc[:, ::-1])


def test_jobs_and_checkpoints_change_nothing(tmp_path):
    maker = GraphGenerator(
        4, detector=["leiden", "spectral"], edge_fraction=0.8, random_state=3
    )
    first = clone(maker).generate(GRAPH)
    others = [
        clone(maker).set_params(n_jobs=2).generate(GRAPH),
        clone(maker).set_params(checkpoint=tmp_path).generate(GRAPH),
        clone(maker).set_params(checkpoint=tmp_path).generate(GRAPH),
    ]
    for other in others:
        assert_array_equal(first.labels, other.labels)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"resolution": [1.0, -2.0]}, "resolution="),
        ({"resolution": []}, "resolution="),
        ({"detector": "infomap"}, "detector="),
        ({"edge_fraction": 0.0}, "edge_fraction"),
        ({"search": "guess"}, "search"),
    ],
)
def test_parameters_that_do_not_work_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        GraphGenerator(2, **given).fit(GRAPH)


def test_a_square_table_can_be_said_to_be_data():
    table = X[:3]
    with pytest.raises(ComitiaError, match="affinity="):
        GraphGenerator(1).fit(table)
    told = GraphGenerator(1, affinity="nearest_neighbors", random_state=0)
    assert told.generate(table).n_objects == 3
    with pytest.raises(ComitiaError, match="square"):
        GraphGenerator(1, affinity="precomputed").fit(X)
    with pytest.raises(ComitiaError, match="one object"):
        GraphGenerator(1, affinity="nearest_neighbors").fit(X[:1])
