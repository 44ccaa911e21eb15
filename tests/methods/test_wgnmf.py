"""Weighted graph-regularised NMF against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.methods import WGNMF
from comitia.methods._votes import Votes, penalized_weights
from comitia.methods.variable_clusterings.wgnmf import (
    _FORMS,
    similarity_row_sums,
)
from comitia.optimize.nmf import kl_loss
from tests.fixtures import E6, planted, same_partition

LOSSES = ["frobenius", "kl"]


def random_problem(seed, n=20):
    rng = np.random.RandomState(seed)
    labels = np.repeat(rng.randint(-1, 3, size=(n, 4)), 2, axis=0)
    labels[:, 0] = np.repeat(rng.randint(3, size=n), 2)  # everyone has a label
    votes = Votes(Ensemble(labels), 3)
    U = rng.rand(len(votes.counts), 3) + 0.1
    V = rng.rand(votes.ensemble.n_clusters_total, 3) + 0.1
    return labels, votes, U, V


def together(column):
    return ((column[:, None] == column) & (column >= 0)).astype(float)


def brute(loss, labels, U, V, w, strength):
    """The objective with V of any scale, from matrices."""
    B = Ensemble(labels).membership.toarray()
    sizes = np.linalg.norm(V, ord=2 if loss == "frobenius" else 1, axis=0)
    scaled = U * sizes
    total = np.square(B - U @ V.T).sum() if loss == "frobenius" else kl_loss(B, U, V)
    return total + strength * w @ roughness(loss, labels, scaled)


def roughness(loss, labels, U):
    W = U if loss == "frobenius" else np.log(U)
    pairs = ((U[:, None] - U) * (W[:, None] - W)).sum(axis=2)
    return np.array([0.5 * (together(c) * pairs).sum() for c in labels.T])


def test_roughness_and_weights_of_e6_are_those_of_the_catalogue():
    votes = Votes(Ensemble(E6), 2)
    U = np.eye(2)[votes.micro.labels[:, 0]]
    t = _FORMS["frobenius"].roughness(votes, U)
    assert_allclose(t, [0, 0, 2], atol=1e-12)
    assert_allclose(penalized_weights(1.0 * t, 1.0), [0.5, 0.5, 0.0])


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_roughness_and_loss_are_their_definitions(seed, loss):
    labels, votes, U, V = random_problem(seed)
    form, full = _FORMS[loss], U[votes.inverse]
    assert_allclose(form.roughness(votes, U), roughness(loss, labels, full), rtol=1e-9)
    B = votes.ensemble.membership.toarray()
    wanted = np.square(B - full @ V.T).sum()
    if loss == "kl":
        fit = full @ V.T
        wanted = (np.where(B > 0, B * np.log(1 / fit), 0) - B + fit).sum()
    assert_allclose(form.loss(votes, U, V), wanted, rtol=1e-10)


def test_the_squared_roughness_is_the_trace_with_the_laplacian():
    labels, votes, U, _ = random_problem(3)
    full = U[votes.inverse]
    S = [together(column) for column in labels.T]
    wanted = [np.trace(full.T @ (np.diag(s.sum(axis=1)) - s) @ full) for s in S]
    assert_allclose(_FORMS["frobenius"].roughness(votes, U), wanted, rtol=1e-10)
    w = np.array([0.1, 0.2, 0.3, 0.4])
    wanted = sum(x * s.sum(axis=1) for x, s in zip(w, S, strict=True))
    assert_allclose(similarity_row_sums(votes, w)[votes.inverse], wanted, rtol=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(3))
def test_updates_never_raise_the_objective_for_fixed_weights(seed, loss):
    labels, votes, U, V = random_problem(seed)
    form, w, strength = _FORMS[loss], np.array([0.4, 0.3, 0.2, 0.1]), 0.7
    V = V / np.linalg.norm(V, ord=form.norm, axis=0)
    costs = [brute(loss, labels, U[votes.inverse], V, w, strength)]
    method = WGNMF(3, variant=loss, graph_penalty=strength)
    for _ in range(15):
        moved = form.update_objects(votes, w, U, V, strength)
        costs.append(brute(loss, labels, moved[votes.inverse], V, w, strength))
        turned = form.update_clusters(votes, w, moved, V, strength)
        costs.append(brute(loss, labels, moved[votes.inverse], turned, w, strength))
        U, V = method._update_consensus(votes, w, (U, V))
        # Normalising changes nothing: the objective counts V at its length.
        assert_allclose(
            brute(loss, labels, U[votes.inverse], V, w, strength), costs[-1], rtol=1e-9
        )
        assert_allclose(np.linalg.norm(V, ord=form.norm, axis=0), 1.0)
    assert (np.diff(costs) <= 1e-9 * costs[0]).all()
    assert costs[-1] < 0.9 * costs[0]


def test_the_update_of_u_is_the_printed_one():
    labels, votes, U, V = random_problem(4)
    full, w = U[votes.inverse], np.array([0.4, 0.3, 0.2, 0.1])
    B = votes.ensemble.membership.toarray()
    S = sum(x * together(column) for x, column in zip(w, labels.T, strict=True))
    pull = B @ V + 0.5 * S @ full
    push = full @ V.T @ V + 0.5 * S.sum(axis=1)[:, None] * full
    got = _FORMS["frobenius"].update_objects(votes, w, U, V, 0.5)
    assert_allclose(got[votes.inverse], full * pull / push, rtol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_updates_of_u_end_where_a_numerical_optimizer_does(loss):
    # For fixed V and w both forms are convex in U.
    labels, votes, U, V = random_problem(7, n=6)
    form, w = _FORMS[loss], np.array([0.4, 0.3, 0.2, 0.1])
    V = V / np.linalg.norm(V, ord=form.norm, axis=0)

    def cost(u):
        full = np.exp(u).reshape(U.shape)[votes.inverse]
        return brute(loss, labels, full, V, w, 0.5)

    found = minimize(
        cost, np.log(U).ravel(), method="L-BFGS-B", bounds=[(-12, 3)] * U.size
    )
    for _ in range(500):
        U = form.update_objects(votes, w, U, V, 0.5)
    # Both come near their common minimum slowly where U is near zero.
    assert_allclose(cost(np.log(U).ravel()), found.fun, rtol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_update_of_v_is_the_one_of_the_notes(loss):
    labels, votes, U, V = random_problem(6)
    full, w = U[votes.inverse], np.array([0.4, 0.3, 0.2, 0.1])
    B = votes.ensemble.membership.toarray()
    columns = [roughness(loss, labels, full[:, [r]]) @ w for r in range(3)]
    if loss == "frobenius":
        pull, push = B.T @ full, V @ (full.T @ full + 0.5 * np.diag(columns))
    else:
        pull = (B / (full @ V.T)).T @ full
        push = full.sum(axis=0) + 0.5 * np.array(columns)
    got = _FORMS[loss].update_clusters(votes, w, U, V, 0.5)
    assert_allclose(got, V * pull / push, rtol=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
def test_weights_are_those_of_a_numerical_optimizer(loss):
    labels, votes, U, V = random_problem(5)
    t = roughness(loss, labels, U[votes.inverse])
    votes.penalty = 0.4 * t.max()
    got = WGNMF(3, variant=loss, graph_penalty=0.7)._update_weights(votes, (U, V))
    found = minimize(
        lambda w: (0.7 * w @ t + votes.penalty * w @ w) / t.max(),
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert_allclose(got, found.x, atol=1e-5)  # SLSQP stops there


@pytest.mark.parametrize("loss", LOSSES)
def test_the_objective_does_not_rise(loss):
    labels, _ = planted(120, 3, 8, 0.3, 0)
    fitted = WGNMF(3, variant=loss, random_state=0).fit(Ensemble(labels))
    assert fitted.n_iter_ >= 2
    assert (np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0]).all()
    assert_allclose(fitted.clustering_weights_.sum(), 1.0)
    assert (fitted.clustering_weights_ >= 0).all()


def test_without_a_graph_it_is_plain_nmf():
    labels, _ = planted(90, 3, 8, 0.2, 1)
    fitted = WGNMF(3, graph_penalty=0.0, random_state=0, tol=1e-9, max_iter=5000)
    fitted.fit(Ensemble(labels))
    from sklearn.decomposition import NMF

    B = Ensemble(labels).membership.toarray()
    plain = NMF(3, init="nndsvda", max_iter=2000, tol=1e-8).fit(B)
    wanted = plain.reconstruction_err_**2
    # Two local searches of one problem: they meet to a thousandth.
    assert_allclose(fitted.objective_[-1], wanted, rtol=1e-3)
    assert_allclose(fitted.clustering_weights_, 1 / 8)


def test_a_large_penalty_keeps_the_weights_equal_and_none_picks_one():
    labels, _ = planted(90, 3, 5, 0.3, 2)
    votes = Ensemble(labels)
    equal = WGNMF(3, weight_penalty=1e12, random_state=0).fit(votes)
    assert_allclose(equal.clustering_weights_, 0.2, atol=1e-7)
    printed = WGNMF(3, weight_penalty=0.0, random_state=0, max_iter=500).fit(votes)
    assert sorted(printed.clustering_weights_) == [0, 0, 0, 0, 1]


@pytest.mark.parametrize("loss", LOSSES)
def test_a_clustering_of_noise_gets_little_weight(loss):
    labels, truth = planted(200, 3, 8, 0.1, 2)
    labels[:, 0] = np.random.RandomState(0).randint(3, size=200)
    fitted = WGNMF(3, variant=loss, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_[0] < 0.2 * fitted.clustering_weights_[1:].min()


@pytest.mark.parametrize("loss", LOSSES)
def test_small_clusters_are_not_lost_to_the_longest_column(loss):
    labels, truth = planted(500, 5, 20, 0.3, 1, sizes=[1, 1, 2, 5, 10])
    fitted = WGNMF(5, variant=loss, random_state=0).fit(Ensemble(labels))
    assert len(set(fitted.labels_)) == 5
    assert adjusted_rand_score(truth, fitted.labels_) > 0.85
    read = WGNMF(5, variant=loss, consensus="argmax", random_state=0)
    with pytest.warns(ComitiaWarning):
        assert len(set(read.fit_predict(Ensemble(labels)))) < 5
