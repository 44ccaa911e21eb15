import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, config, method
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.variable_pairs import _ceam_multiplex
from comitia.methods.variable_pairs._ceam_multiplex import (
    Layer,
    cosine_graph,
    diffused,
    spectral_rows,
)
from tests.fixtures import E6, planted, same_partition

CEAM = method("ceam")


def memberships(labels):
    columns = [np.unique(column, return_inverse=True)[1] for column in labels.T]
    return [np.eye(column.max() + 1)[column] for column in columns]


def by_matrices(labels, j, n_steps, alpha=0.85):
    """The diffusion as it is written, on n × n layers."""
    B = memberships(labels)
    M = len(B)
    W = [b @ b.T for b in B]
    D = [np.diag((w.sum(axis=1) + M - 1) ** -0.5) for w in W]
    W = [d @ w @ d for d, w in zip(D, W, strict=True)]
    T = [B[j]] * M
    for _ in range(n_steps):
        T = [
            alpha * W[m] @ T[m]
            + (1 - alpha) * B[j]
            + alpha * sum(D[m] @ D[r] @ T[r] for r in range(M) if r != m)
            for m in range(M)
        ]
    return T[j]


def of_objects(labels, j, n_steps):
    B = memberships(labels)
    ones = np.ones(len(labels), dtype=np.int64)
    layers = [Layer.of_clusters(b, ones, len(B)) for b in B]
    return diffused(layers, B[j], j, 0.85, n_steps)


def test_the_diffusion_of_e6_is_that_of_the_catalogue():
    close = {"atol": 5e-7}  # six decimals
    B = memberships(E6)[0]
    assert_allclose(of_objects(E6, 0, 1), 1.020066 * B, **close)
    assert_allclose(of_objects(E6, 0, 2)[2], [0.984794, 0.040389], **close)
    T = of_objects(E6, 0, 20)
    assert_allclose(T[0], [0.987167, 0.039767], **close)
    assert_allclose(T[2], [0.939746, 0.087188], **close)
    printed = [0.767446, 0.163850, 0.008477]
    assert_allclose(of_objects(E6, 2, 20)[0], printed, **close)


@pytest.mark.parametrize("seed", range(3))
def test_the_diffusion_is_its_definition(seed):
    labels, _ = planted(30, 3, 4, noise=0.4, seed=seed)
    assert_allclose(of_objects(labels, 2, 7), by_matrices(labels, 2, 7))


def test_the_diffusion_over_learnt_layers_is_its_definition():
    rng = np.random.RandomState(0)
    B, counts, alpha, n = (
        np.eye(3)[rng.randint(0, 3, 12)],
        rng.randint(1, 4, 12),
        0.85,
        4,
    )
    layers = [Layer.of_neighbors(rng.rand(12, 3), counts, n, 3) for _ in range(2)]
    layers.append(Layer.of_clusters(B, counts, 3))
    walks = [layer.walk.toarray() for layer in layers]
    walks[2] = walks[2] @ layers[2].meet.toarray()
    # Edges are taken by twos; a last one may be left.
    assert set(np.diff(layers[0].walk.indptr) % 2) == {0, 1}
    T = [B] * 3
    for _ in range(6):
        T = [
            alpha * walks[m] @ T[m]
            + (1 - alpha) * B
            + alpha * sum((D.scale * E.scale)[:, None] * T[r] for r, E in others)
            for m, D in enumerate(layers)
            for others in [[(r, E) for r, E in enumerate(layers) if r != m]]
        ]
    for j in range(3):
        assert_allclose(diffused(layers, B, j, alpha, 6), T[j])


# Small integers have ties and rows of zeros; few cosines at a time make several blocks.
@pytest.mark.parametrize("at_a_time", [30, 10**6])
@pytest.mark.parametrize("seed", range(5))
def test_neighbors_are_the_objects_with_the_highest_cosines(
    seed, at_a_time, monkeypatch
):
    monkeypatch.setattr(_ceam_multiplex, "_AT_A_TIME", at_a_time)
    rng = np.random.RandomState(seed)
    T, counts = rng.randint(0, 4, (14, 2)) * 1.0, rng.randint(1, 3, 14)
    of = np.repeat(np.arange(14), counts)
    rows = T / np.maximum(np.linalg.norm(T, axis=1, keepdims=True), 1e-300)
    cosines = np.where(np.equal.outer(of, of), 1.0, rows[of] @ rows[of].T)
    others = cosines[~np.eye(len(of), dtype=bool)].reshape(len(of), -1)
    border = np.sort(others, axis=1)[:, [-5]]
    kept = cosines >= border - 1e-9
    expected = np.where(kept | kept.T, cosines, 0.0)
    graph = cosine_graph(T, counts, 5).toarray()
    assert_allclose(graph[np.ix_(of, of)], expected, atol=1e-12)


def test_equal_objects_run_as_one():
    labels, _ = planted(40, 2, 3, noise=0.3, seed=1)
    rows, inverse, counts = np.unique(
        labels, axis=0, return_inverse=True, return_counts=True
    )
    B = memberships(rows)
    layers = [Layer.of_clusters(b, counts, 3) for b in B]
    T = diffused(layers, B[0], 0, 0.85, 5)
    graph = Layer.of_neighbors(T, counts, 6, 3)
    ones = np.ones(40, dtype=np.int64)
    whole = Layer.of_neighbors(of_objects(labels, 0, 5), ones, 6, 3)
    inverse = inverse.ravel()  # a column in NumPy 2.0
    spread = graph.normalized.toarray()[np.ix_(inverse, inverse)]
    assert_allclose(spread, whole.normalized.toarray(), atol=1e-12)


def test_ties_of_the_last_neighbor_are_all_kept():
    T = np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 1.0]])
    graph = cosine_graph(T, np.ones(4, dtype=np.int64), 1).toarray()
    half = 0.5**0.5
    assert_allclose(graph[0], [1.0, half, half, 0.0])
    assert_allclose(graph[1], [half, 1.0, 1.0, half])
    # Two objects of the first row are neighbours of each other, and need no more.
    graph = cosine_graph(T, np.array([2, 1, 1, 1]), 1).toarray()
    assert_allclose(graph[0], [1.0, 0.0, 0.0, 0.0])


def test_more_parts_than_clusters_are_a_tie():
    W = csr_array(np.kron(np.eye(4), np.ones((2, 2))))
    points, clear = spectral_rows(W, np.ones(8, dtype=np.int64), 2)
    assert not clear
    products = points @ points.T
    assert_allclose(products[::2, ::2], (4 * np.eye(4) - 1) / 3, atol=1e-9)


def test_clear_clusters_are_found_in_any_order_of_rows():
    labels, truth = planted(60, 3, 6, noise=0.2, seed=0)
    order = np.random.RandomState(0).permutation(60)
    fitted = CEAM(3, n_rounds=2, random_state=0).fit(Ensemble(labels))
    shuffled = CEAM(3, n_rounds=2, random_state=0).fit(Ensemble(labels[order]))
    assert adjusted_rand_score(fitted.labels_, truth) > 0.9
    assert same_partition(fitted.labels_[order], shuffled.labels_)


def test_the_memory_budget_is_asked_first():
    labels, _ = planted(300, 3, 6, noise=0.6, seed=0)
    with config.limit("1 MB"), pytest.raises(MemoryBudgetError, match="6 layers of"):
        CEAM(3).fit(Ensemble(labels))


def test_what_would_take_long_is_refused_before_it_begins():
    labels, _ = planted(400, 3, 6, noise=0.6, seed=0)
    with pytest.raises(ComitiaError, match=r'6 layers of .* approximate="landmarks"'):
        CEAM(3, n_rounds=10**6).fit(Ensemble(labels))
