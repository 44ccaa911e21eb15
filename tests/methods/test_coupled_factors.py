"""Factorisations of several views."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

from comitia.methods.multiview._cgmv_ufs_guided import update_on_spheres
from comitia.methods.multiview._coupled_factors import (
    CoupledView,
    consensus_factor,
    coupled_objective,
    coupled_sweep,
    distance_to,
    roughness,
    statistics,
    unit_columns,
    update_features,
)
from comitia.methods.multiview._mv_l21_nmf_step import shared_factor_step
from comitia.optimize import Term, l21_norm

ALPHA, BETA = 0.3, 0.2


def random_views(seed, n=30, k=3, widths=(6, 4)):
    """Coupled views with random data, weights and factors, V with its sums."""
    rng = np.random.RandomState(seed)
    views = []
    for p in widths:
        V = rng.uniform(0.1, 1.0, size=(p, k))
        views.append(
            CoupledView(
                rng.uniform(size=(n, p)),
                np.where(rng.uniform(size=n) < 0.8, 1.0, 0.64),
                rng.uniform(0.1, 1.0, size=(n, k)),
                2.0 * V / V.sum(axis=0),
                2.0,
            )
        )
    return views, rng.uniform(0.1, 1.0, size=(n, k))


def objective_by_loops(views, consensus, alphas, betas):
    total = 0.0
    for view, alpha, beta in zip(views, alphas, betas, strict=True):
        for i, t in enumerate(view.weights):
            total += t * ((view.X[i] - view.V @ view.U[i]) ** 2).sum()
            total += alpha * t * ((view.U[i] - consensus[i]) ** 2).sum()
            total += beta * np.sqrt((view.U[i] ** 2).sum())
    return total


@pytest.mark.parametrize("seed", range(3))
def test_the_coupled_objective_is_its_definition(seed):
    views, consensus = random_views(seed)
    found = coupled_objective(views, consensus, ALPHA, BETA)
    expected = objective_by_loops(views, consensus, [ALPHA] * 2, [BETA] * 2)
    assert_allclose(found, expected)


@pytest.mark.parametrize("seed", range(3))
def test_penalties_of_each_view_act_in_that_view(seed):
    views, consensus = random_views(seed)
    penalties = [0.3, 2.0], [0.2, 0.05]
    found = coupled_objective(views, consensus, *penalties)
    assert_allclose(found, objective_by_loops(views, consensus, *penalties))
    for _ in range(20):
        before = found
        views, consensus = coupled_sweep(views, consensus, *penalties)
        found = coupled_objective(views, consensus, *penalties)
        assert found <= before * (1 + 1e-12)
    t = [a * view.weights[:, None] for a, view in zip([0.3, 2.0], views, strict=True)]
    pulled = sum(w * view.U for w, view in zip(t, views, strict=True))
    assert_allclose(consensus, pulled / sum(t))


@pytest.mark.parametrize("seed", range(5))
def test_no_part_of_a_sweep_raises_the_objective(seed):
    views, consensus = random_views(seed)
    before = coupled_objective(views, consensus, ALPHA, BETA)
    for _ in range(60):
        features = []
        for view in views:
            V, sizes = update_features(
                view.V, statistics(view, consensus), view.total, ALPHA, BETA
            )
            assert_allclose(V.sum(axis=0), view.total)
            features.append(view._replace(U=view.U * sizes, V=V))
        after = coupled_objective(features, consensus, ALPHA, BETA)
        assert after <= before * (1 + 1e-12)
        views, consensus = coupled_sweep(features, consensus, ALPHA, BETA, learn=False)
        before, after = after, coupled_objective(views, consensus, ALPHA, BETA)
        assert after <= before * (1 + 1e-12)
        before = after


def test_the_plain_update_and_scaling_can_raise_the_objective():
    # Why the update of V knows the other terms: without them this is what happens.
    (view, *_), consensus = random_views(0)
    objective = []
    for _ in range(100):
        V, sizes = update_features(
            view.V, statistics(view, consensus), view.total, 0.0, 0.0
        )
        view = view._replace(U=view.U * sizes, V=V)
        (view,), _ = coupled_sweep([view], consensus, 5.0, BETA, learn=False)
        objective.append(coupled_objective([view], consensus, 5.0, BETA))
    assert np.diff(objective).max() > 1e-6


def test_without_penalties_it_is_plain_nmf():
    (view, *_), consensus = random_views(0)
    view = view._replace(weights=np.ones(len(view.X)))
    U, V = view.U, view.V
    views = [view]
    for _ in range(20):
        views, consensus = coupled_sweep(views, consensus, 0.0, 0.0)
        V = V * (view.X.T @ U) / (V @ U.T @ U)
        U = U * (view.X @ V) / (U @ V.T @ V)
    assert_allclose(views[0].U @ views[0].V.T, U @ V.T, rtol=1e-9)


def test_the_consensus_is_the_best_one():
    views, _ = random_views(1)
    best = consensus_factor(views)

    def cost(flat):
        target = flat.reshape(best.shape)
        return sum(distance_to(target, view.U, view.weights) for view in views)

    found = minimize(cost, np.zeros(best.size), method="BFGS").x
    # As near as the optimiser comes.
    assert_allclose(found.reshape(best.shape), best, atol=1e-4)


def test_statistics_of_parts_add_up_to_those_of_all():
    (view, *_), consensus = random_views(2)
    halves = [slice(0, 12), slice(12, None)]
    parts = [
        statistics(
            view._replace(X=view.X[h], weights=view.weights[h], U=view.U[h]),
            consensus[h],
        )
        for h in halves
    ]
    whole = statistics(view, consensus)
    for found, expected in zip(parts[0].plus(parts[1]), whole, strict=True):
        assert_allclose(found, expected)
    sizes = np.array([0.5, 2.0, 3.0])
    scaled = statistics(view._replace(U=view.U * sizes), consensus)
    for found, expected in zip(whole.scaled(sizes)[:3], scaled[:3], strict=True):
        assert_allclose(found, expected)


def test_objects_seen_before_count_and_keep_their_fit_when_columns_are_scaled():
    (view, *_), consensus = random_views(3)
    (other, *_), _ = random_views(4)
    before = statistics(other, consensus)
    known = statistics(view, consensus).plus(before)
    (moved,), _ = coupled_sweep([view._replace(past=before)], consensus, 0.0, 0.0)
    unscaled = view.V * known.cross / (view.V @ known.gram)
    sizes = unscaled.sum(axis=0) / view.total
    assert np.ptp(sizes) > 0.01
    assert_allclose(moved.V * sizes, unscaled)
    # U V' of the objects seen before is what it was.
    assert_allclose(moved.past.cross, before.cross * sizes)
    assert_allclose(moved.past.gram, before.gram * np.outer(sizes, sizes))


def test_roughness_is_its_definition():
    rng = np.random.RandomState(0)
    S, U = rng.uniform(size=(8, 8)), rng.uniform(size=(8, 3))
    S = S + S.T
    by_pairs = sum(
        S[i, j] * ((U[i] - U[j]) ** 2).sum() for i in range(8) for j in range(8)
    )
    assert_allclose(roughness(S, S.sum(axis=1), U), by_pairs)
    # Rounding does not make it negative.
    assert roughness(S, S.sum(axis=1), np.full((8, 2), 1 / 3)) >= 0


def test_a_shared_factor_comes_to_fit_and_to_be_orthonormal():
    rng = np.random.RandomState(0)
    truth = np.repeat(np.eye(3), 10, axis=0)
    X = [
        truth @ rng.uniform(size=(3, p)) + 0.05 * rng.uniform(size=(30, p))
        for p in (5, 7)
    ]
    S = truth @ truth.T
    graphs = [(S, S.sum(axis=1))] * 2
    U, _ = unit_columns(truth + rng.uniform(0.1, 0.6, size=truth.shape))
    V = [x.T @ U for x in X]

    def cost(U, V):
        fit = sum(l21_norm(x - U @ F.T) for x, F in zip(X, V, strict=True))
        return fit + 0.4 * 2 * roughness(S, S.sum(axis=1), U)

    before = cost(U, V)
    for _ in range(300):
        U, V = shared_factor_step(X, graphs, [0.4, 0.4], U, V)
    assert cost(U, V) < 0.5 * before
    # Held by a penalty, not exactly.
    assert_allclose(U.T @ U, np.eye(3), atol=0.1)
    assert (U.argmax(axis=1) == truth.argmax(axis=1)).all()


def test_updates_on_spheres_find_the_best_point_of_the_sphere():
    # min |x - a|^2 over x >= 0, |x| = 1 is the direction of a.
    a = np.array([[3.0], [1.0], [2.0]])
    U, _ = unit_columns(np.ones((3, 1)))
    for _ in range(300):
        U = update_on_spheres(U, Term(a, U))
        assert_allclose(np.linalg.norm(U), 1.0)
    assert_allclose(U, a / np.linalg.norm(a), atol=1e-6)


@pytest.mark.parametrize("library", ["torch", "array_api_strict"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-8), ("float32", 1e-4)])
def test_other_libraries_compute_the_same(library, dtype, tolerance):
    xp = pytest.importorskip(library)
    from comitia._arrays import to_numpy

    def put(A):
        return xp.asarray(np.asarray(A, dtype=dtype))

    views, consensus = random_views(0)
    placed = [
        view._replace(**{name: put(getattr(view, name)) for name in "XUV"})._replace(
            weights=put(view.weights)
        )
        for view in views
    ]
    there = put(consensus)
    for _ in range(10):
        views, consensus = coupled_sweep(views, consensus, ALPHA, BETA)
        placed, there = coupled_sweep(placed, there, ALPHA, BETA)
    assert str(there.dtype).endswith(dtype)
    assert_allclose(to_numpy(there), consensus, rtol=tolerance)
    assert_allclose(
        coupled_objective(placed, there, ALPHA, BETA),
        coupled_objective(views, consensus, ALPHA, BETA),
        rtol=tolerance,
    )
    S = np.ones((30, 30))
    graph, graph_there = (S, S.sum(axis=1)), (put(S), put(S.sum(axis=1)))
    U, V = views[0].U, views[0].V
    here = shared_factor_step([views[0].X], [graph], [0.1], U, [V])
    away = shared_factor_step([placed[0].X], [graph_there], [0.1], put(U), [put(V)])
    assert_allclose(to_numpy(away[0]), here[0], rtol=tolerance, atol=tolerance)
    assert_allclose(
        roughness(*graph_there, put(U)), roughness(*graph, U), rtol=tolerance
    )
    moved = update_on_spheres(put(U), Term(put(U + 1), put(U)))
    assert_allclose(
        to_numpy(moved), update_on_spheres(U, Term(U + 1, U)), rtol=tolerance
    )
