import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, config, method
from comitia.exceptions import MemoryBudgetError
from comitia.methods.variable_pairs._sccabg_steps import (
    BipartiteParts,
    closest_edges,
    count_parts_of_edges,
    edge_weights,
    spread_of_pairs,
)
from tests.fixtures import E6, planted, same_partition

SCCABG = method("sccabg")


def test_edges_of_e6_are_those_of_the_catalogue():
    fitted = SCCABG(2, graph_penalty=0.01, separation_penalty=0.1).fit(Ensemble(E6))
    assert fitted.n_iter_ == 8
    assert fitted.n_components_ == 2
    close = {"atol": 5e-7}  # six decimals
    first = [0.980437, 0, 0.980437, 0, 0.997383, 0, 0]
    assert_allclose(fitted.edges_[0], first, **close)
    assert_allclose(fitted.edges_[2], [0.882184, 0, 0.882184, 0, 0, 0, 0], **close)
    # Cluster d, of the third clustering, loses all its objects.
    assert not fitted.edges_[:, 5].any()
    assert same_partition(fitted.labels_, E6[:, 0])


def test_eigenvalues_of_e6_are_those_of_the_catalogue():
    B = Ensemble(E6).membership.toarray()
    ones = np.ones(6, dtype=np.int64)
    # 1, 0.919435, 0.333333: one part.
    parts = BipartiteParts.of(B, ones, 2)
    assert parts.too_few
    assert not parts.too_many
    left = B / 3**0.5 / np.sqrt(B.sum(axis=0))
    values = np.linalg.eigvalsh(left.T @ left)[::-1]
    assert_allclose(values[:3], [1, 0.919435, 1 / 3], atol=5e-7)  # six decimals


def random_rows(seed, n=4, K=6):
    rng = np.random.RandomState(seed)
    overlaps = rng.rand(K, K)
    S, S0, W, costs = rng.rand(4, n, K)
    return S, np.rint(S0), W, overlaps + overlaps.T, costs


# Few clusters that overlap are looked up, many are added as whole rows.
@pytest.mark.parametrize("share", [0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_edges_are_those_of_a_general_optimizer(seed, share):
    S, S0, W, A, costs = random_rows(seed, K=12)
    rng = np.random.RandomState(seed)
    kept = rng.rand(12, 12) < share
    A, W = A * (kept | kept.T), W * (rng.rand(4, 12) < 0.8)
    before = S.copy()
    found = closest_edges(S, S0, W, A, costs)
    assert (before == S).all()
    for s0, w, cost, row in zip(S0, W, costs, found, strict=True):
        P = np.outer(w, w) * A
        H = np.diag(w**2) + 2 * (np.diag(P.sum(axis=1)) - P)
        linear = cost - 2 * w**2 * s0
        best = minimize(
            lambda s, H=H, linear=linear: s @ H @ s + linear @ s,
            np.full(12, 0.5),
            bounds=[(0, 1)] * 12,
            options={"ftol": 1e-14, "gtol": 1e-10},
        )
        assert row @ H @ row + linear @ row <= best.fun + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_stationary_and_lower_than_before(seed):
    S, S0, W, A, _ = random_rows(seed)
    found = edge_weights(S, S0, W, 0.1 * A, 0.5)
    for s, s0, w, row in zip(S, S0, W, found, strict=True):
        H = np.diag((s - s0) ** 2) + 0.1 * A * (s[:, None] - s) ** 2
        gradient = 2 * H @ row - 0.5
        assert_allclose(np.clip(row - gradient, 0, 1), row, atol=1e-6)  # its end
        assert row @ H @ row - 0.5 * row.sum() <= w @ H @ w - 0.5 * w.sum()


def test_the_spread_of_pairs_is_its_definition():
    S, _, W, A, _ = random_rows(0)
    S, A = np.where(S < 0.4, 0.0, S), np.where(A < 0.7, 0.0, A)
    counts = np.array([1, 3, 2, 1])
    apart = (S[:, :, None] - S[:, None, :]) ** 2
    expected = np.einsum("i,ir,it,irt->rt", counts, W, W, apart) * (A > 0)
    assert_allclose(spread_of_pairs(S, W, counts, A), expected, atol=1e-12)


def test_equal_objects_run_as_one():
    labels, _ = planted(40, 2, 3, noise=0.3, seed=1)
    rows, inverse, counts = np.unique(
        labels, axis=0, return_inverse=True, return_counts=True
    )
    ones = np.ones(40, dtype=np.int64)
    whole = SCCABG(2, graph_penalty=0.001)._learn(
        Ensemble(labels).membership.toarray(), ones, 2
    )
    merged = SCCABG(2, graph_penalty=0.001)._learn(
        Ensemble(rows).membership.toarray(), counts, 2
    )
    inverse = inverse.ravel()  # a column in NumPy 2.0
    assert_allclose(merged[inverse], whole, atol=1e-6)  # the end of the steps


def test_parts_have_objects():
    edges = np.array([[1.0, 0.5, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    assert count_parts_of_edges(edges) == 2


def test_clear_clusters_are_found_in_any_order_of_rows():
    labels, truth = planted(100, 4, 10, noise=0.35, seed=0)
    order = np.random.RandomState(0).permutation(100)
    fitted = SCCABG(4).fit(Ensemble(labels))
    shuffled = SCCABG(4).fit(Ensemble(labels[order]))
    assert adjusted_rand_score(fitted.labels_, truth) > 0.9
    assert same_partition(fitted.labels_[order], shuffled.labels_)


def test_the_memory_budget_is_asked_first():
    labels, _ = planted(400, 3, 6, noise=0.4, seed=0)
    with config.limit("1 MB"), pytest.raises(MemoryBudgetError, match="lwgp"):
        SCCABG(3).fit(Ensemble(labels))
