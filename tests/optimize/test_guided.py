"""Factors that a consensus guides: no step raises the objective, and the limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia.optimize import guided_consensus, guided_step


def problem(seed, n=15, p=8, k=3):
    rng = np.random.RandomState(seed)
    S = rng.rand(n, n)
    S = (S + S.T) / 2
    unit = [u / np.linalg.norm(u, axis=0) for u in rng.rand(2, n, k)]
    return rng.rand(n, p), *unit, rng.rand(p, k), (S, S.sum(axis=1))


def objective(X, U, V, middle, graph, sparsity, coupling, smooth):
    """As the head of the module writes it, by loops over the graph."""
    S, _ = graph
    rough = sum(
        S[i, j] * ((U[i] - U[j]) ** 2).sum()
        for i in range(len(S))
        for j in range(len(S))
    )
    return (
        ((X - U @ V.T) ** 2).sum()
        + sparsity * np.linalg.norm(V, axis=1).sum()
        + coupling * ((U - middle) ** 2).sum()
        + smooth * rough / 2
    )


@pytest.mark.parametrize("seed", range(4))
def test_steps_lower_the_objective(seed):
    X, U, middle, V, graph = problem(seed)
    strengths = (0.3, 0.7, 0.05)
    values = [objective(X, U, V, middle, graph, *strengths)]
    for _ in range(30):
        U, V = guided_step(
            X,
            U,
            V,
            middle,
            graph,
            sparsity_penalty=strengths[0],
            view_penalty=strengths[1],
            graph_penalty=strengths[2],
        )
        values.append(objective(X, U, V, middle, graph, *strengths))
        assert_allclose(np.linalg.norm(U, axis=0), 1.0)
    assert values[-1] < values[0]
    assert np.diff(values).max() < 1e-3 * values[0]  # the sphere is met by rescaling


def test_a_strong_penalty_leaves_no_feature():
    X, U, middle, V, graph = problem(0)
    for _ in range(200):
        U, V = guided_step(
            X,
            U,
            V,
            middle,
            graph,
            sparsity_penalty=1e3,
            view_penalty=0.0,
            graph_penalty=0.0,
        )
    assert np.abs(V).max() < 1e-3


def test_the_consensus_of_one_view_becomes_its_factor():
    # Orthogonal columns: each object in one of three clusters.
    U = np.eye(3)[np.repeat([0, 1, 2], 4)] / 2.0
    middle = np.random.RandomState(0).rand(12, 3) + U
    for _ in range(500):
        middle = guided_consensus(middle, [U], [1.0])
    assert_allclose(np.linalg.norm(middle, axis=0), 1.0)
    assert (middle.argmax(axis=1) == U.argmax(axis=1)).all()
