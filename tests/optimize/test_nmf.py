"""Multiplicative updates."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose
from scipy.sparse.linalg import aslinearoperator

from comitia.exceptions import ComitiaError
from comitia.optimize import (
    Term,
    coupling_term,
    frobenius_loss,
    frobenius_term,
    graph_term,
    kl_loss,
    kl_term,
    l21_norm,
    l21_term,
    l21_weights,
    multiply,
    normalize_columns,
    residual_norms,
    update_frobenius,
    update_kl,
)


@pytest.fixture
def problem():
    rng = np.random.RandomState(0)
    X = rng.uniform(size=(12, 7)) * (rng.uniform(size=(12, 7)) < 0.7)
    S = rng.uniform(size=(12, 12))
    return {
        "X": X,
        "U": rng.uniform(0.1, 1.0, size=(12, 3)),
        "V": rng.uniform(0.1, 1.0, size=(7, 3)),
        "target": rng.uniform(size=(12, 3)),
        "S": S + S.T,
        "rows": rng.uniform(0.2, 2.0, size=12),
        "columns": rng.uniform(0.2, 2.0, size=7),
    }


def numerical_gradient(function, U, h=1e-6):
    gradient = np.empty_like(U)
    for place in np.ndindex(*U.shape):
        step = np.zeros_like(U)
        step[place] = h
        gradient[place] = (function(U + step) - function(U - step)) / (2 * h)
    return gradient


def weighted_square(X, U, V, rows, columns):
    return (rows[:, None] * columns * (X - U @ V.T) ** 2).sum()


def weighted_kl(X, U, V, rows, columns):
    fit = U @ V.T
    log = np.log(np.where(X > 0, X, 1.0) / fit)
    return (rows[:, None] * columns * (X * log - X + fit)).sum()


def smoothness(S, U):
    apart = ((U[:, None] - U[None]) ** 2).sum(axis=2)
    return 0.5 * (S * apart).sum()


def cases(problem):
    """Each term with the function that it is half the gradient of."""
    p, weights = problem, {}
    weights = {"row_weights": p["rows"], "column_weights": p["columns"]}
    w = p["rows"], p["columns"]
    return {
        "frobenius": (
            lambda U: weighted_square(p["X"], U, p["V"], *w),
            lambda U: frobenius_term(p["X"], U, p["V"], **weights),
        ),
        "kl": (
            lambda U: weighted_kl(p["X"], U, p["V"], *w),
            lambda U: kl_term(p["X"], U, p["V"], **weights),
        ),
        "graph": (
            lambda U: 0.7 * smoothness(p["S"], U),
            lambda U: graph_term(p["S"], U, 0.7),
        ),
        "coupling": (
            lambda U: 0.7 * (p["rows"][:, None] * (U - p["target"]) ** 2).sum(),
            lambda U: coupling_term(p["target"], U, 0.7, row_weights=p["rows"]),
        ),
        "l21": (lambda U: 0.7 * l21_norm(U), lambda U: l21_term(U, 0.7)),
    }


@pytest.mark.parametrize("name", ["frobenius", "kl", "graph", "coupling", "l21"])
def test_a_term_is_half_the_gradient_of_its_function(problem, name):
    function, term = cases(problem)[name]
    got = term(problem["U"])
    wanted = numerical_gradient(function, problem["U"]) / 2
    # Central differences of step 1e-6 are good to about 1e-8 of the function.
    assert_allclose(got.push - got.pull, wanted, atol=1e-6)
    assert np.min(got.push) >= 0
    assert np.min(got.pull) >= 0


@pytest.mark.parametrize(
    "names",
    [
        ["frobenius"],
        ["kl"],
        ["frobenius", "graph"],
        ["frobenius", "coupling", "l21"],
        ["frobenius", "graph", "coupling", "l21"],
    ],
)
def test_an_update_does_not_raise_the_sum_of_its_terms(problem, names):
    chosen = [cases(problem)[name] for name in names]
    U = problem["U"]
    values = [sum(function(U) for function, _ in chosen)]
    for _ in range(60):
        U = multiply(U, *(term(U) for _, term in chosen))
        values.append(sum(function(U) for function, _ in chosen))
    assert np.max(np.diff(values)) <= 1e-12 * values[0]
    assert values[-1] < 0.95 * values[0]


@pytest.mark.parametrize(
    ("update", "loss"), [(update_frobenius, frobenius_loss), (update_kl, kl_loss)]
)
def test_both_factors_take_turns_on_the_transpose(problem, update, loss):
    X, U, V, t = (problem[name] for name in ("X", "U", "V", "rows"))
    values = [loss(X, U, V, row_weights=t)]
    for _ in range(200):
        U = update(X, U, V, row_weights=t)
        V = update(X.T, V, U, column_weights=t)
        values.append(loss(X, U, V, row_weights=t))
    assert np.max(np.diff(values)) <= 1e-12 * values[0]
    assert values[-1] < 0.5 * values[0]


def test_an_exact_factorization_is_a_fixed_point(problem):
    U, V = problem["U"], problem["V"]
    X = U @ V.T
    assert_allclose(update_frobenius(X, U, V), U, rtol=1e-14)
    assert_allclose(update_kl(X, U, V), U, rtol=1e-14)
    assert_allclose(update_frobenius(X.T, V, U), V, rtol=1e-14)
    assert frobenius_loss(X, U, V) < 1e-28
    assert abs(kl_loss(X, U, V)) < 1e-13


def test_the_weighted_update_is_that_of_repeated_rows_and_columns(problem):
    X, U, V = (problem[name] for name in "XUV")
    rows, columns = np.arange(12) % 3 + 1, np.arange(7) % 2 + 1
    repeated = np.repeat(np.repeat(X, rows, axis=0), columns, axis=1)
    for update in (update_frobenius, update_kl):
        got = update(X, U, V, row_weights=rows, column_weights=columns)
        wide = np.repeat(V, columns, axis=0)
        wanted = update(repeated, np.repeat(U, rows, axis=0), wide)
        assert_allclose(np.repeat(got, rows, axis=0), wanted, rtol=1e-13)


@pytest.mark.parametrize("make", [scipy.sparse.csr_array, scipy.sparse.coo_matrix])
def test_sparse_matrices_give_what_dense_ones_do(problem, make):
    X, U, V, S, t = (problem[name] for name in ("X", "U", "V", "S", "rows"))
    for update in (update_frobenius, update_kl):
        wanted = update(X, U, V, graph_term(S, U), row_weights=t)
        got = update(make(X), U, V, graph_term(make(S), U), row_weights=t)
        assert_allclose(got, wanted, rtol=1e-13)
    assert_allclose(residual_norms(make(X), U, V), residual_norms(X, U, V), rtol=1e-12)
    assert_allclose(kl_loss(make(X), U, V), kl_loss(X, U, V), rtol=1e-13)
    assert_allclose(kl_loss(X, U, V), weighted_kl(X, U, V, *map(np.ones, X.shape)))


def test_operators_that_only_multiply_do(problem):
    X, U, V, S = (problem[name] for name in ("X", "U", "V", "S"))
    got = update_frobenius(
        aslinearoperator(X), U, V, graph_term(aslinearoperator(S), U)
    )
    assert_allclose(got, update_frobenius(X, U, V, graph_term(S, U)), rtol=1e-13)
    got = update_frobenius(aslinearoperator(X).T, V, U)
    assert_allclose(got, update_frobenius(X.T, V, U), rtol=1e-13)


def test_row_reweighting_lowers_the_l21_loss(problem):
    X, U, V = (problem[name] for name in "XUV")
    values = []
    for _ in range(60):
        weights = l21_weights(residual_norms(X, U, V))
        U = update_frobenius(X, U, V, row_weights=weights)
        weights = l21_weights(residual_norms(X, U, V))
        V = update_frobenius(X.T, V, U, column_weights=weights)
        values.append(l21_norm(X - U @ V.T))
    assert np.max(np.diff(values)) <= 1e-12 * values[0]


def test_zero_rows_have_finite_weight():
    assert_allclose(l21_weights([0.0, 1.0]), [0.5e10, 0.5])
    assert np.isfinite(l21_term(np.zeros((2, 2))).push).all()


@pytest.mark.parametrize("norm", [1, 2])
def test_normalizing_columns_keeps_the_product(problem, norm):
    U, V = normalize_columns(problem["U"], problem["V"], norm=norm)
    assert_allclose(U @ V.T, problem["U"] @ problem["V"].T, rtol=1e-14)
    assert_allclose((V**norm).sum(axis=0), 1.0, rtol=1e-14)
    U, V = normalize_columns([[1.0, 2.0]], [[0.0, 2.0]])
    assert_allclose(V, [[0.0, 1.0]])


def test_multiply_has_a_floor_and_leaves_what_nothing_moves():
    nothing = Term(np.zeros((1, 2)), np.array([[0.0, 1.0]]))
    assert_allclose(multiply([[0.3, 0.3]], nothing), [[0.3, 1e-12]])
    assert_allclose(multiply([[0.3, 0.3]], nothing, floor=0.0), [[0.3, 0.0]])
    quarter = Term(np.ones((1, 2)), 4.0)
    assert_allclose(multiply([[1.0, 2.0]], quarter, power=0.5), [[0.5, 1.0]])
    assert_allclose(multiply([[1.0, 2.0]], quarter, power=1.5), [[0.125, 0.25]])


def test_bad_input_is_refused_in_words(problem):
    X, U, V = (problem[name] for name in "XUV")
    with pytest.raises(ComitiaError, match="terms is empty"):
        multiply(U)
    with pytest.raises(ComitiaError, match="row_weights must have 12 numbers"):
        update_frobenius(X, U, V, row_weights=np.ones(7))
