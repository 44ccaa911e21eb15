import subprocess
import sys
from itertools import pairwise, product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, sizes
from comitia._kernels.contingency import weighted_contingency
from comitia._kernels.label_rows import row_totals, unit_scales
from comitia.engine.sparse import SparseEngine
from comitia.exceptions import ComitiaError
from comitia.partition import tcut
from comitia.partition.transfer_cut import bipartite_embedding, bipartite_spectrum
from comitia.represent import bipartite_graph
from tests.fixtures import E6, planted, same_partition


def random_ensemble(seed, n=60, n_clusterings=5, missing=0.0):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, size=(n, n_clusterings))
    labels[rng.rand(*labels.shape) < missing] = -1
    labels[:, 0] = np.arange(n) % 4  # every object is in one clustering at least
    return Ensemble(labels)


def fuzzy_ensemble(seed, n=60):
    rng = np.random.RandomState(seed)
    return Ensemble.from_memberships([rng.dirichlet(np.ones(k), n) for k in (3, 4)])


def graph_of(ensemble, seed=0, cluster_edges=None):
    weights = np.random.RandomState(seed).uniform(0.2, 1.0, ensemble.n_clusters_total)
    return bipartite_graph(
        ensemble, cluster_weights=weights, cluster_edges=cluster_edges
    )


def points_by_definition(graph, k):
    """The rows of the authors' steps, with dense matrices and full decompositions."""
    B = graph.matrix().toarray()
    Dx = B.sum(axis=1)
    Wy = B.T @ (B / Dx[:, None])
    Dy = Wy.sum(axis=1)
    N = Wy / np.sqrt(np.outer(Dy, Dy))
    values, E = np.linalg.eigh((N + N.T) / 2)
    V = E[:, ::-1][:, :k] / np.sqrt(Dy)[:, None]
    U = (B / Dx[:, None]) @ V
    U = U / (np.linalg.norm(U, axis=1, keepdims=True) + 1e-10)
    return values[::-1][:k], U[: graph.ensemble.n_objects]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("edges", [False, True])
def test_the_implicit_points_are_those_of_the_definition(missing, edges):
    E = random_ensemble(1, missing=missing)
    S = None
    if edges:
        S = np.random.RandomState(2).rand(E.n_clusters_total, E.n_clusters_total)
        S = S + S.T
    graph = graph_of(E, cluster_edges=S)
    embedding = bipartite_embedding(graph, 4)
    points = embedding.scale[:, None] * (E.membership @ embedding.table)
    values, U = points_by_definition(graph, 4)
    assert_allclose(embedding.values, values, atol=1e-12)
    assert_allclose(embedding.squares, 1.0, atol=1e-8)  # length + 1e-10, as authors do
    # Eigenvectors have arbitrary signs; inner products do not.
    assert_allclose(points @ points.T, U @ U.T, atol=1e-8)


def test_the_implicit_points_of_fuzzy_clusters_are_those_of_the_definition():
    E = fuzzy_ensemble(3)
    graph = graph_of(E)
    embedding = bipartite_embedding(graph, 3)
    points = embedding.scale[:, None] * (E.membership @ embedding.table)
    _, U = points_by_definition(graph, 3)
    assert_allclose(points @ points.T, U @ U.T, atol=1e-8)


def test_eigenvalues_are_squared_singular_values_and_the_largest_is_one():
    graph = graph_of(random_ensemble(4))
    B = graph.matrix().toarray()
    N = B / np.sqrt(np.outer(B.sum(axis=1), B.sum(axis=0)))
    expected = np.linalg.svd(N, compute_uv=False) ** 2
    got = bipartite_spectrum(graph, 6)
    assert_allclose(got, expected[:6], atol=1e-12)
    assert_allclose(got[0], 1.0, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_ranges", [1, 2, 3])
def test_weighted_contingency_is_the_sparse_product(missing, n_ranges):
    E = random_ensemble(5, missing=missing)
    weights = np.random.RandomState(0).randint(1, 1000, size=E.n_objects)
    got = np.zeros((E.n_clusters_total, E.n_clusters_total))
    ends = np.linspace(0, E.n_clusterings, n_ranges + 1).astype(int)
    for first, last in pairwise(ends):
        weighted_contingency(
            E.codes, E.n_clusters_each, E.offsets, weights, got, first, last
        )
    B = E.membership.toarray()
    assert_array_equal(got, B.T @ (weights[:, None] * B))


def test_blocks_of_objects_do_not_change_the_contingency():
    # More objects than one block of the kernel holds.
    rng = np.random.RandomState(0)
    codes = rng.randint(0, 3, size=(3, 40_000)).astype(np.uint8)
    E = Ensemble.from_codes(codes, [3, 3, 3])
    weights = rng.randint(1, 1000, size=40_000)
    got = np.zeros((9, 9))
    weighted_contingency(E.codes, E.n_clusters_each, E.offsets, weights, got, 0, 3)
    B = E.membership
    expected = (B.T @ csr_array(weights[:, None] * B.toarray())).toarray()
    assert_array_equal(got, expected)


def test_row_kernels_are_sums_of_table_rows():
    E = random_ensemble(6, missing=0.3)
    starts = E.offsets[:-1] + np.arange(E.n_clusterings)
    table = np.random.RandomState(0).randn(E.n_clusters_total, 3)
    padded = np.insert(table, E.offsets[1:], 0.0, axis=0)
    scale, squares, totals = np.empty((3, E.n_objects))
    degrees = np.random.RandomState(1).rand(E.n_objects)
    unit_scales(E.row_codes, starts, padded, degrees, 1.0, scale, squares)
    row_totals(E.codes, starts, padded[:, 0].copy(), totals)
    rows = E.membership.toarray() @ table
    norms = np.linalg.norm(rows, axis=1)
    reached = norms > degrees
    assert 0 < reached.sum() < len(reached)
    assert_allclose(scale, np.where(reached, 1 / (norms + degrees), 0.0), atol=1e-12)
    assert_allclose(squares, (scale * norms) ** 2, atol=1e-12)
    assert_allclose(totals, rows[:, 0], atol=1e-12)


def test_two_parts_of_e6_are_its_first_clustering():
    labels = tcut(bipartite_graph(Ensemble(E6)), 2, np.random.RandomState(0))
    assert same_partition(labels, E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("sizes", "noise"), [(None, 0.2), ([20, 5, 2, 1], 0.1)])
def test_planted_clusters_are_found_whatever_their_sizes(seed, sizes, noise):
    labels, truth = planted(600, 4, 12, noise=noise, seed=seed, sizes=sizes)
    graph = bipartite_graph(Ensemble(labels))
    got = tcut(graph, 4, np.random.RandomState(seed), n_init=20)
    right = sum(np.bincount(truth[got == r]).max() for r in range(4))
    assert right >= 597


@pytest.mark.parametrize("seed", range(3))
def test_the_parts_have_the_least_k_means_cost(seed):
    # Seven different rows: every partition into three parts can be tried.
    E = Ensemble(np.random.RandomState(seed).randint(0, 3, size=(7, 4)))
    graph = graph_of(E, seed)
    _, U = points_by_definition(graph, 3)

    def cost(labels):
        parts = [U[labels == r] for r in range(3)]
        return sum(((p - p.mean(axis=0)) ** 2).sum() for p in parts if len(p))

    least = min(cost(np.array(labels)) for labels in product(range(3), repeat=7))
    got = tcut(graph, 3, np.random.RandomState(0), n_init=20)
    assert_allclose(cost(got), least, atol=1e-9)


def test_merged_objects_give_the_labels_of_all_objects():
    labels, _ = planted(300, 3, 3, noise=0.3, seed=0)  # at most 27 different rows
    graph = graph_of(Ensemble(labels))
    got = tcut(graph, 3, np.random.RandomState(0))
    _, U = points_by_definition(graph, 3)
    centers = np.array([U[got == r].mean(axis=0) for r in range(3)])
    nearest = ((U[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    assert_array_equal(got, nearest)


def test_starts_on_a_sample_find_the_parts_of_many_objects():
    labels, truth = planted(60_000, 5, 10, noise=0.3, seed=0)
    got = tcut(bipartite_graph(Ensemble(labels)), 5, np.random.RandomState(0))
    right = sum(np.bincount(truth[got == r]).max() for r in range(5))
    assert right > 0.99 * len(truth)


def test_a_scale_of_all_weights_does_not_matter():
    E = random_ensemble(7)
    weights = np.random.RandomState(0).uniform(0.2, 1.0, E.n_clusters_total)
    one, other = (
        tcut(
            bipartite_graph(E, cluster_weights=factor * weights),
            4,
            np.random.RandomState(0),
        )
        for factor in (1.0, 0.125)
    )
    assert_array_equal(one, other)


def test_clusters_without_weight_have_no_part_in_the_cut():
    noise = np.random.RandomState(0).randint(0, 3, size=(6, 1))
    E = Ensemble(np.hstack([E6, noise]))
    graph = bipartite_graph(E, clustering_weights=[1, 1, 1, 0])
    plain = bipartite_graph(Ensemble(E6))
    assert_allclose(bipartite_spectrum(graph, 7), bipartite_spectrum(plain, 7))
    assert same_partition(tcut(graph, 2, np.random.RandomState(0)), E6[:, 0])


def test_the_eigengap_chooses_when_no_number_is_given():
    labels, _ = planted(500, 4, 10, noise=0.15, seed=1)
    labels[:, 0] += 4 * np.random.RandomState(0).randint(2, size=500)  # a finer one
    got = tcut(bipartite_graph(Ensemble(labels)), None, np.random.RandomState(0))
    assert len(np.unique(got)) == 4


def test_more_parts_than_clusters_are_refused():
    with pytest.raises(ComitiaError, match=r"n_clusters=8 .* at most 7"):
        tcut(bipartite_graph(Ensemble(E6)), 8, np.random.RandomState(0))


def test_overlapping_clusters_can_be_cut():
    clusters = [[[0, 1, 2], [2, 3, 4, 5]], [[0, 1, 2], [3, 4, 5]], [[0, 1], [3, 4, 5]]]
    E = Ensemble.from_clusters(clusters, 6)
    assert E.kind == "overlapping"
    labels = tcut(bipartite_graph(E), 2, np.random.RandomState(0))
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])


SCRIPT = """
import sys
import numpy as np
from comitia import Ensemble
from comitia.partition import kmeans_rows, tcut
from comitia.represent import bipartite_graph

rng = np.random.RandomState(0)
truth = rng.randint(6, size=150_000)
codes = np.where(rng.rand(8, 150_000) < 0.6, rng.randint(6, size=(8, 150_000)), truth)
E = Ensemble(list(codes))
weights = rng.rand(E.n_clusters_total)
graph = bipartite_graph(E, cluster_weights=weights)
cut = tcut(graph, 6, np.random.RandomState(0))
rows = kmeans_rows(E, 6, np.random.RandomState(0), object_weights=rng.rand(150_000))
np.save(sys.argv[1], np.stack([cut, rows.labels]))
"""


def test_the_number_of_threads_does_not_matter(tmp_path):
    import os

    results = []
    for n_threads in ("1", "2"):
        path = tmp_path / f"{n_threads}.npy"
        environment = {**os.environ, "NUMBA_NUM_THREADS": n_threads}
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(path)], env=environment, check=True
        )
        results.append(np.load(path))
    assert_array_equal(*results)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_few_labels_are_cut_as_many_are(missing, monkeypatch):
    labels, _ = planted(80, 4, 9, noise=0.4, seed=5)
    labels[np.random.RandomState(0).rand(*labels.shape) < missing] = -1
    weights = np.random.RandomState(1).uniform(
        0.2, 1.0, size=Ensemble(labels).n_clusters_total
    )

    def cut():
        graph = bipartite_graph(Ensemble(labels), cluster_weights=weights)
        return tcut(graph, 4, np.random.RandomState(0))

    compiled = cut()
    monkeypatch.setattr("comitia.sizes.FEW_LABELS", 10**6)
    assert isinstance(Ensemble(labels).engine, SparseEngine)
    assert_array_equal(cut(), compiled)


def test_fifty_clusters_of_many_objects_are_found_from_every_seed(monkeypatch):
    monkeypatch.setattr(sizes, "MANY_ROWS", 1000)
    monkeypatch.setattr(sizes, "SAMPLE_ROWS", 4000)
    labels, truth = planted(6000, 50, 10, noise=0.4, seed=0)
    graph = bipartite_graph(Ensemble(labels))
    found = [
        adjusted_rand_score(truth, tcut(graph, 50, np.random.RandomState(seed)))
        for seed in range(3)
    ]
    assert min(found) > max(found) - 0.002, found


@pytest.mark.parametrize("seed", range(3))
def test_any_basis_of_equal_eigenvalues_gives_the_same_parts(seed, monkeypatch):
    # No clustering joins two of the five parts, and each cuts them in its own way:
    # eigenvectors of the eigenvalue 1 are any five that span the same space.
    rng = np.random.RandomState(seed)
    part = np.repeat(np.arange(5), [40, 30, 20, 5, 4])
    pieces = rng.randint(0, 2, size=(len(part), 6))
    pieces[:, 0] = 0
    graph = bipartite_graph(Ensemble(2 * part[:, None] + pieces))
    expected = tcut(graph, 3, np.random.RandomState(seed))
    assert len({*zip(part.tolist(), expected.tolist(), strict=True)}) == 5

    def rotated(S, n_pairs):
        values, vectors = np.linalg.eigh(S)
        values, vectors = values[::-1], vectors[:, ::-1]
        vectors[:, :5] = vectors[:, :5] @ np.linalg.qr(rng.randn(5, 5))[0]
        return values[:n_pairs], vectors[:, :n_pairs]

    monkeypatch.setattr("comitia.optimize.eigenpairs._signed", rotated)
    for _ in range(3):
        found = tcut(graph, 3, np.random.RandomState(seed))
        assert_array_equal(found, expected)
