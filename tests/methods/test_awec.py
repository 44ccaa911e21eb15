from threading import Thread

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.methods._learnt_graph import weighted_simplex
from comitia.methods._twins import TwinMatrix
from comitia.methods.variable_pairs._awec_steps import (
    _largest_eigenvalue,
    smooth_rows,
    topologies,
)
from comitia.methods.variable_pairs.awec import leading_parts
from comitia.optimize import qp_simplex
from comitia.represent import coassociation
from tests.fixtures import E6, planted, same_partition
from tests.methods.test_ec_cms import random_twins, whole

AWEC = method("awec")


def topologies_of(labels, n_near, order=2):
    """The topologies of all objects, by their distinct rows."""
    micro, counts, inverse = Ensemble(labels).distinct().in_content_order()
    A = TwinMatrix(coassociation(micro, dtype=np.float64), np.ones(len(counts)))
    found = topologies(A, counts, n_near, order)
    full = [one.pairs[np.ix_(inverse, inverse)] for one in found]
    for one in full:
        np.fill_diagonal(one, 0.0)
    return full


def topologies_by_objects(labels, n_near):
    """As they are written, on the n x n matrices of the paper."""
    A = coassociation(Ensemble(labels), dtype=np.float64)
    n = len(A)
    np.fill_diagonal(A, 1.0)
    K = np.clip(A, A.mean() - 4 * A.std(), A.mean() + 4 * A.std())
    K /= np.sqrt(np.outer(np.diag(K), np.diag(K)))
    center = np.eye(n) - 1 / n
    K = center @ K @ center
    np.fill_diagonal(K, -np.inf)
    border = np.sort(K, axis=1)[:, [-n_near]]
    links = (border - 1e-9 <= K).astype(float)
    X = A * (links + links.T)
    X = np.clip(X, max(0, X.mean() - 3 * X.std()), X.mean() + 3 * X.std())
    np.fill_diagonal(X, 0.0)
    first = X / np.sqrt(np.outer(X.sum(axis=1), X.sum(axis=1)))
    P = first @ first
    P[P[P > 0].mean() - P[P > 0].std() / 2 > P] = 0.0
    np.fill_diagonal(P, 0.0)
    degrees = np.maximum(P.sum(axis=1), 1e-12)
    return first, P / np.sqrt(np.outer(degrees, degrees))


def test_the_topologies_of_e6_are_those_of_the_catalogue():
    first, second = topologies_of(E6, 2)
    close = {"atol": 5e-7}  # six decimals
    assert_allclose([first[0, 1], first[0, 2]], [0.6, 0.447214], **close)
    assert_allclose([second[0, 2], second[0, 1]], [0.707107, 0.0], **close)
    assert not first[:3, 3:].any()
    assert same_partition(AWEC(2).fit_predict(Ensemble(E6)), E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_topologies_of_label_rows_are_those_of_objects(seed):
    labels, _ = planted(40, 3, 4, noise=0.3, seed=seed)
    for got, expected in zip(
        topologies_of(labels, 7), topologies_by_objects(labels, 7), strict=True
    ):
        assert_allclose(got, expected, atol=1e-12)


def test_an_object_that_meets_nobody_is_linked_to_its_two_nearest():
    labels, _ = planted(12, 2, 3, noise=0.0, seed=0)
    labels[0] = 9
    first, _ = topologies_of(labels, 3)
    assert first[0].any()
    assert np.isfinite(AWEC(2).fit(Ensemble(labels)).topology_weights_).all()


# A heavy ball for the larger penalty, Nesterov's momentum for the other.
@pytest.mark.parametrize("penalty", [0.3, 30.0])
def test_rows_of_the_graph_solve_their_programmes(penalty):
    rng = np.random.RandomState(0)
    C, counts = random_twins(rng, 4)
    points = rng.rand(4, 2)
    distances = ((points[:, None] - points) ** 2).sum(axis=2)
    start = TwinMatrix(np.zeros((4, 4)), np.ones(4))
    got = whole(smooth_rows(C, distances, penalty, counts, start), counts)
    full = whole(C, counts)
    np.fill_diagonal(full, 0.0)
    inverse = np.repeat(np.arange(4), counts)
    Q = 2 * (np.diag(full.sum(axis=1)) - full + penalty * np.eye(len(full)))
    b = 2 * penalty * np.eye(len(full)) - 1.1 * distances[np.ix_(inverse, inverse)]
    rows = np.array([qp_simplex(Q, -one) for one in b])
    # Both stop when nothing moves by more than 1e-7.
    assert_allclose(got, (rows + rows.T) / 2, atol=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_a_step_of_all_rows_is_its_formula(seed):
    from comitia._kernels.smooth_rows import step_rows

    rng = np.random.RandomState(seed)
    u = 7
    (Q, counts), now, before = (
        random_twins(rng, u),
        *(
            TwinMatrix(rng.rand(u, u) * (rng.rand(u, u) < 0.6), rng.rand(u))
            for _ in range(2)
        ),
    )
    distances, pull, (a, c, s) = rng.rand(u, u), 3.0, (0.3, seed / 5, 0.2)
    there = TwinMatrix.sum((1 + c, now), (-c, before)).product(Q, counts)
    point = TwinMatrix.sum((1 + a, now), (-a, before), (-s, there))
    point = TwinMatrix(point.pairs - s * distances, point.own + s * pull)
    weights = np.column_stack([counts - np.eye(u), np.ones(u)])
    expected = weighted_simplex(np.column_stack(point), weights)
    matrix = Q.pairs * counts[:, None]
    slopes = now.pairs @ matrix, before.pairs @ matrix
    change = step_rows(
        tuple(now),
        tuple(before),
        slopes,
        matrix,
        (distances, Q.shift(), pull),
        counts.astype(float),
        (a, c, s),
    )
    assert_allclose(np.column_stack(before), expected, atol=1e-14)
    assert_allclose(change, np.abs(expected - np.column_stack(now)).max())


@pytest.mark.parametrize(
    ("values", "weights"),
    [
        ([-4 * (1 / 3), -5 * (1 / 3)], [3, 1]),
        ([-6 * (1 / 7), 2 * (1 / 7), 9 * (1 / 7)], [3, 3, 1]),
        ([-9 * 0.05, 9 * 0.05, -7 * 0.05], [2, 1, 1]),
    ],
)
def test_a_value_at_the_shift_does_not_hold_a_step_up(values, weights):
    """Rounding put it above and below by turns; the kernel did not come back."""
    from comitia._kernels.smooth_rows import step_rows

    *costs, pull = values
    u = len(costs)
    nothing = np.zeros((u, u))
    now, before = ((nothing, np.zeros(u)), (nothing.copy(), np.zeros(u)))
    linear = -np.tile(costs, (u, 1)), np.zeros(u), pull
    counts = np.array(weights[:-1]) + np.eye(u)[0]
    arguments = (
        now,
        before,
        (nothing, nothing),
        nothing,
        linear,
        counts,
        (0.0, 0.0, 1.0),
    )
    step = Thread(target=step_rows, args=arguments, daemon=True)
    step.start()
    step.join(60)
    assert not step.is_alive()
    found = [*before[0][0], before[1][0]]
    expected = weighted_simplex(np.array([values]), np.array([weights]))
    assert_allclose(found, expected[0], atol=1e-14)


@pytest.mark.parametrize("u", [1, 5, 40])
def test_the_largest_eigenvalue_is_nearly_that_of_all_objects(u):
    C, counts = random_twins(np.random.RandomState(u), u)
    L = C.laplacian(counts)
    largest = np.linalg.eigvalsh(whole(L, counts))[-1]
    got = _largest_eigenvalue(L, counts)
    assert 0.99 * largest <= got <= max(1.1 * largest, 1e-12)


def test_products_of_twin_matrices_are_those_of_all_objects():
    rng = np.random.RandomState(1)
    (left, counts), right = random_twins(rng), TwinMatrix(rng.rand(5, 5), rng.rand(5))
    expected = whole(left, counts) @ whole(right, counts)
    assert_allclose(whole(left.product(right, counts), counts), expected)
    total = (whole(left, counts) * whole(right, counts)).sum()
    assert_allclose(left.inner(right, counts), total)
    both = whole(TwinMatrix.sum((2.0, left), (-1.0, right)), counts)
    assert_allclose(both, 2 * whole(left, counts) - whole(right, counts))


def test_the_spectral_cut_finds_the_parts_of_a_graph():
    pairs = np.kron(np.eye(2), np.ones((3, 3))) + 0.01
    Z, counts = TwinMatrix(pairs, np.full(6, 2.0)), np.array([1, 2, 1, 3, 1, 1])
    labels = leading_parts(Z, counts, 2, np.random.RandomState(0))
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("variant", ["h", "s"])
def test_the_order_of_objects_does_not_matter_where_many_are_tied(variant):
    labels, truth = planted(80, 4, 8, noise=0.35, seed=2)
    order = np.random.RandomState(0).permutation(80)
    one, other = (
        AWEC(4, variant=variant, random_state=0).fit(Ensemble(rows))
        for rows in (labels, labels[order])
    )
    assert same_partition(one.labels_[order], other.labels_)
    assert_allclose(one.topology_weights_, other.topology_weights_, atol=1e-8)
    assert_allclose(one.topology_weights_.sum(), 1.0)
    assert adjusted_rand_score(one.labels_, truth) > 0.7
