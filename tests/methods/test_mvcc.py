"""Multi-view concept factorisation against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from comitia._arrays import fewest_features, to_numpy
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.methods import MVCC
from comitia.methods.multiview import _mvcc_concepts
from comitia.methods.multiview._mvcc_concepts import (
    ConceptView,
    agreement_weights,
    concept_consensus,
    concept_objective,
    concept_sweep,
    convex_penalty,
    factorize_concepts,
    update_concepts,
    update_objects,
)
from comitia.methods.multiview.mvcc import normalized_graph, printed_graph
from tests.multiview import (
    clear_views,
    complementary_views,
    each_library,
    each_precision,
    in_library,
)


def concept_view(seed, n=12, p=5, k=3):
    rng = np.random.RandomState(seed)
    S = rng.rand(n, n)
    S = (S + S.T) * (1 - np.eye(n))
    U = rng.rand(n, k) + 0.1
    return ConceptView(
        rng.rand(n, p), S, S.sum(axis=1), U / np.linalg.norm(U, axis=0), rng.rand(n, k)
    )


def objective(views, consensus, w, l1, l2, gamma):
    """What is minimised, from matrices."""
    total = l1 * gamma / 2 * w @ w
    for x, (X, S, degrees, U, V) in zip(w, views, strict=True):
        total += np.square(X - U @ V.T @ X).sum()
        total += l1 * x * np.square(U - consensus).sum()
        total += l2 * np.trace(U.T @ (np.diag(degrees) - S) @ U)
    return total


def test_weights_are_those_of_the_catalogue():
    got = agreement_weights([0.0, 2.0, 4.0], 8.0)
    assert_allclose(got, [7 / 12, 1 / 3, 1 / 12], atol=1e-12)
    for gamma in (0.0, 1e-9):
        assert_array_equal(agreement_weights([0.0, 2.0, 4.0], gamma), [1, 0, 0])
    assert_array_equal(agreement_weights([3.0, 3.0], 0.0), [0.5, 0.5])


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_where_an_optimizer_finds_the_minimum(seed):
    D = np.random.RandomState(seed).uniform(0, 4, size=4)
    found = minimize(
        lambda w: w @ D + 2.5 * w @ w,
        np.full(4, 0.25),
        bounds=[(0, 1)] * 4,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        tol=1e-12,
    )
    assert_allclose(agreement_weights(D, 5.0), found.x, atol=1e-6)  # its precision


def test_updates_are_the_printed_ones():
    view = concept_view(0)
    X, S, degrees, U, V = view
    K, consensus = X @ X.T, concept_view(1).U
    wanted = V * (K @ U) / (K @ V @ U.T @ U)
    assert_allclose(update_concepts(X, U, V), wanted, rtol=1e-10)
    pull = K @ V + 0.7 * consensus + 0.3 * S @ U
    push = U @ V.T @ K @ V + 0.7 * U + 0.3 * degrees[:, None] * U
    assert_allclose(
        update_objects(view, consensus, 0.7, 0.3), U * pull / push, rtol=1e-10
    )


def test_a_sweep_normalizes_and_keeps_the_product():
    views, consensus = [concept_view(0), concept_view(1)], concept_view(2).U
    moved = concept_sweep(views, consensus, np.array([0.2, 0.8]), 2.0, 0.5)
    for old, new, w in zip(views, moved, (0.2, 0.8), strict=True):
        V = update_concepts(old.X, old.U, old.V)
        U = update_objects(old._replace(V=V), consensus, 2.0 * w, 0.5)
        assert_allclose(np.linalg.norm(new.U, axis=0), 1.0)
        assert_allclose(new.U @ new.V.T, U @ V.T, rtol=1e-10)


def test_the_objective_is_its_definition():
    views, consensus = [concept_view(0), concept_view(1)], concept_view(2).U
    w = np.array([0.3, 0.7])
    got = concept_objective(views, consensus, w, 2.0, 0.5, 3.0)
    assert_allclose(got, objective(views, consensus, w, 2.0, 0.5, 3.0))


@pytest.mark.parametrize("seed", range(3))
def test_updates_do_not_raise_the_objective(seed):
    view, consensus = concept_view(seed), concept_view(seed + 9).U

    def cost(view):
        return objective([view], consensus, np.ones(1), 2.0, 0.5, 3.0)

    costs = [cost(view)]
    for _ in range(20):
        view = view._replace(V=update_concepts(view.X, view.U, view.V))
        costs.append(cost(view))
        view = view._replace(U=update_objects(view, consensus, 2.0, 0.5))
        costs.append(cost(view))
    assert (np.diff(costs) <= 1e-9 * costs[0]).all()
    assert costs[-1] < 0.9 * costs[0]


@pytest.mark.parametrize("factor", ["U", "V"])
def test_updates_end_where_a_numerical_optimizer_does(factor):
    # The objective is convex in each factor.
    view, consensus = concept_view(3, n=6, p=3, k=2), concept_view(5, n=6, k=2).U

    def cost(z):
        moved = view._replace(**{factor: z.reshape(6, 2)})
        return objective([moved], consensus, np.ones(1), 2.0, 0.5, 3.0)

    found = minimize(
        cost, getattr(view, factor).ravel(), bounds=[(0, None)] * 12, tol=1e-14
    )
    for _ in range(4000):
        if factor == "U":
            view = view._replace(U=update_objects(view, consensus, 2.0, 0.5))
        else:
            view = view._replace(V=update_concepts(view.X, view.U, view.V))
    # Multiplicative steps crawl towards zeros.
    assert_allclose(cost(getattr(view, factor)), found.fun, rtol=1e-4)


def test_the_consensus_is_where_the_gradient_vanishes():
    views, w = [concept_view(s) for s in range(3)], np.array([0.5, 0.3, 0.2])
    at = concept_consensus(views, w)
    best = objective(views, at, w, 2.0, 0.5, 3.0)
    rng = np.random.RandomState(0)
    for _ in range(20):
        moved = at + 1e-3 * rng.randn(*at.shape)
        assert objective(views, moved, w, 2.0, 0.5, 3.0) > best


def test_equal_views_with_equal_starts_stay_equal():
    run = factorize_concepts([concept_view(0), concept_view(0)], max_iter=30)
    assert_array_equal(run.factors[0], run.factors[1])
    assert_array_equal(run.weights, [0.5, 0.5])
    alone = factorize_concepts([concept_view(0)], max_iter=30)
    # Each of the two meets its own consensus alone, as one view does.
    assert_allclose(run.consensus, run.factors[0])
    assert_array_equal(alone.weights, [1.0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weight_penalty", [None, 1.0])
def test_the_objective_falls_in_practice_and_the_lowest_is_kept(seed, weight_penalty):
    views, _ = complementary_views(seed=seed, junk=True)
    fitted = MVCC(4, weight_penalty=weight_penalty, n_init=2, random_state=seed)
    fitted.fit(views)
    assert (np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0]).all()
    assert len(fitted.objective_) == fitted.n_iter_ + 1


@pytest.mark.parametrize(("rise", "best"), [(1e-9, 12), (0.1, 1)])
def test_the_last_sweep_counts_unless_another_is_clearly_lower(monkeypatch, rise, best):
    # Objectives that fall once and are higher, or equal but for rounding, from then on.
    met = iter([2.0, 1.0, *[1.0 + rise] * 11])
    monkeypatch.setattr(_mvcc_concepts, "concept_objective", lambda *_: next(met))
    run = factorize_concepts([concept_view(0), concept_view(1)], max_iter=12, tol=-1.0)
    assert run.best == best


def test_fewer_features_give_the_same_inner_products():
    X = np.random.RandomState(0).rand(5, 20)
    small = fewest_features(X)
    assert small.shape == (5, 5)
    assert_allclose(small @ small.T, X @ X.T)
    assert_array_equal(fewest_features(X.T), X.T)
    view = concept_view(0, n=5, p=20)
    less = view._replace(X=fewest_features(view.X))
    assert_allclose(
        factorize_concepts([less], max_iter=5).consensus,
        factorize_concepts([view], max_iter=5).consensus,
        atol=1e-10,
    )


def test_the_graph_is_that_of_the_code():
    X = np.random.RandomState(0).rand(15, 3)
    S = normalized_graph(X, 4).toarray()
    d = np.sqrt(np.square(X[:, None] - X).sum(axis=2))
    near = np.argsort(d, axis=1)[:, 1:5]
    W = np.zeros((15, 15))
    width = np.take_along_axis(d, near, axis=1).mean()
    for i, neighbors in enumerate(near):
        for j in neighbors:
            W[i, j] = W[j, i] = np.exp(-(d[i, j] ** 2) / (2 * width**2))
    degrees = W.sum(axis=1)
    assert_allclose(S, W / np.sqrt(np.outer(degrees, degrees)), atol=1e-12)


def test_the_printed_graph_is_the_printed_formula():
    X = np.random.RandomState(0).rand(15, 3)
    X[4] = 0.5  # all features equal: no variance
    S = printed_graph(X, 4).toarray()
    assert (S == S.T).all()
    i, j = np.argwhere(normalized_graph(X, 4).toarray() > 0)[5]
    largest = max(X[i].var(), X[j].var())
    assert_allclose(S[i, j], np.exp(-np.square(X[i] - X[j]).sum() / largest))
    assert np.isfinite(S).all()
    one, other = (
        MVCC(2, variant=variant, random_state=0).fit(X)
        for variant in ("heat", "printed")
    )
    assert one.objective_[-1] != pytest.approx(other.objective_[-1])


def test_views_that_need_each_other_find_what_none_of_them_can():
    views, truth = complementary_views()
    fitted = MVCC(4, random_state=0).fit(views)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    for X in views:
        alone = MVCC(4, random_state=0).fit(X).labels_
        assert adjusted_rand_score(truth, alone) < 0.85


@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
def test_by_default_weights_differ():
    views, _ = complementary_views(junk=True)
    inert = MVCC(4, weight_penalty=10.0, random_state=0).fit(views).view_weights_
    assert inert.std() < 0.05 * inert.mean()  # the strength of the authors' code
    found = [MVCC(4, random_state=seed).fit(views).view_weights_ for seed in range(5)]
    assert np.median([w.std() / w.mean() for w in found]) > 0.1


def test_a_view_of_noise_weighs_least():
    views, _ = complementary_views(junk=True)
    fitted = MVCC(4, weight_penalty=1.0, random_state=0).fit(views)
    assert fitted.view_weights_.argmin() == 2
    assert_allclose(fitted.view_weights_.sum(), 1.0)
    alone = MVCC(4, weight_penalty=0.0, tol=0.1, random_state=0).fit(views)
    assert sorted(alone.view_weights_)[:2] == [0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_by_default_a_view_of_noise_weighs_a_fifth_of_three(seed):
    views, truth = clear_views(seed)
    fitted = MVCC(3, random_state=0).fit(views)
    # 1 / (3M - 4) if the others agreed entirely.
    assert_allclose(fitted.view_weights_[2], 0.2, atol=0.03)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


@pytest.mark.parametrize("n_views", [2, 3, 5])
def test_the_default_penalty_gives_a_view_apart_its_worked_share(n_views):
    near, far = concept_view(0), concept_view(1)
    views = [near] * (n_views - 1) + [far]
    penalty = convex_penalty([view.U for view in views])
    weights = np.full(n_views, 1 / n_views)
    for _ in range(500):
        middle = concept_consensus(views, weights)
        apart = [np.square(view.U - middle).sum() for view in views]
        weights = agreement_weights(apart, penalty)
    assert_allclose(weights[-1], 1 / (3 * n_views - 4), rtol=1e-6)


def test_the_default_penalty_makes_one_optimum_of_weights_and_consensus():
    U = [concept_view(seed).U for seed in range(4)]
    gram = np.array([[(A * B).sum() for B in U] for A in U])
    center = np.eye(4) - 1 / 4
    curvature = center @ (convex_penalty(U) * np.eye(4) - 2 * gram) @ center
    assert np.linalg.eigvalsh(curvature)[0] > -1e-12
    assert convex_penalty([U[0], U[0] + 1e-12]) < 4e-9  # rounding is no distance


def test_a_constant_does_not_stop_the_sweeps():
    views = [concept_view(0), concept_view(1)]
    known = {"max_iter": 200, "tol": 1e-3}
    free = factorize_concepts(views, weight_penalty=1e3, **known)
    # Weights are equal with so much of a penalty, and more of it changes nothing else.
    more = factorize_concepts(views, weight_penalty=1e6, **known)
    assert len(free.objective) == len(more.objective)
    assert_allclose(free.consensus, more.consensus, atol=1e-4)  # weights differ by 1e-5


def test_a_large_penalty_makes_all_views_alike():
    views, _ = complementary_views(junk=True)
    fitted = MVCC(4, weight_penalty=1e9, random_state=0).fit(views)
    assert_allclose(fitted.view_weights_, 1 / 3, atol=1e-6)


def test_memberships_go_with_the_labels():
    views, _ = complementary_views(seed=2)
    fitted = MVCC(4, random_state=0).fit(views)
    assert_array_equal(fitted.membership_.argmax(axis=1), fitted.labels_)
    assert fitted.view_labels_.shape == (100, 2)


@pytest.mark.filterwarnings("ignore:only .* of n_clusters")
def test_units_do_not_matter_where_views_are_scaled():
    views, _ = complementary_views()
    one = MVCC(4, random_state=0).fit(views)
    other = MVCC(4, random_state=0).fit([views[0], 100 * views[1] - 7])
    assert_array_equal(one.labels_, other.labels_)
    counts = [np.abs(X) for X in views]
    one = MVCC(4, scale="unit", random_state=0).fit(counts)
    other = MVCC(4, scale="unit", random_state=0).fit([counts[0], 3 * counts[1]])
    assert_array_equal(one.labels_, other.labels_)


@pytest.mark.parametrize("scale", ["unit", None])
def test_negative_numbers_are_refused_in_words(scale):
    views, _ = complementary_views()
    with pytest.raises(ComitiaError, match=r'negative numbers.*scale="minmax"'):
        MVCC(4, scale=scale).fit(views)


@each_precision
@each_library
def test_every_library_computes_the_same(library, precision, atol):
    views = [concept_view(0), concept_view(1, p=4)]
    wanted = factorize_concepts(views, max_iter=20)
    moved = [ConceptView(*in_library(view, library, precision)) for view in views]
    got = factorize_concepts(moved, max_iter=20)
    assert str(got.consensus.dtype).endswith(precision)
    assert_allclose(to_numpy(got.consensus), wanted.consensus, atol=atol)
    assert_allclose(got.weights, wanted.weights, atol=atol)
    assert_allclose(got.objective, wanted.objective, rtol=10 * atol)


def test_objects_that_do_not_differ_are_one_cluster():
    with pytest.warns(ComitiaWarning, match="only 1 of n_clusters=2"):
        fitted = MVCC(n_clusters=2, random_state=0).fit(
            [np.ones((6, 2)), np.ones((6, 3))]
        )
    assert np.isfinite(fitted.objective_).all()
    assert fitted.n_clusters_ == 1
