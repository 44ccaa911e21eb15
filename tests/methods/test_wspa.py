"""WSPA and WBPA: probabilities of locally adaptive clusterings, cut by METIS."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score

from comitia import config, method
from comitia.cluster import LAC
from comitia.cluster.lac import lac_objective, lac_weights, locally_adaptive
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.variable_features._sweep import distance_shares
from comitia.partition import metis_partition
from comitia.represent import profile_similarity
from tests.fixtures import same_partition, settled
from tests.methods._subspaces import subspaces

WSPA = method("wspa")


def test_probabilities_are_those_of_the_catalogue():
    assert_allclose(distance_shares([[1.0, 2.0, 5.0]]), [[0.5, 0.4, 0.1]])


def probabilities_by_loops(fitted, X):
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    P = []
    for x in Z:
        row = []
        for member in fitted.generator_.members_:
            centers, w = member.model.cluster_centers_, member.model.feature_weights_
            d = [
                sum(w[v, r] * (centers[v, r] - x[r]) ** 2 for r in range(len(x))) ** 0.5
                for v in range(len(w))
            ]
            k, D = len(d), max(d)
            row += [(D - d_v + 1) / (k * D + k - sum(d)) for d_v in d]
        P.append(row)
    return np.array(P)


def test_probabilities_are_their_definition_and_never_zero():
    X, _ = subspaces(n=8)
    fitted = WSPA(3, n_clusterings=4, random_state=0).fit(X)
    P = fitted._probabilities(X)
    assert_allclose(P, probabilities_by_loops(fitted, X), atol=1e-12)
    assert_allclose(np.add.reduceat(P, fitted.ensemble_.offsets[:-1], axis=1), 1.0)
    assert P.min() > 0


def test_objects_with_equal_distances_have_similarity_one():
    X, _ = subspaces(n=8)
    X[3] = X[1]
    fitted = WSPA(3, n_clusterings=4, random_state=0).fit(X)
    P = fitted._probabilities(X)
    S = profile_similarity(P, fitted.ensemble_, dtype=np.float64)
    assert_allclose(S[1, 3], 1.0)
    assert S.min() > 0  # the graph is complete


@pytest.mark.parametrize("variant", ["similarity", "bipartite"])
def test_the_result_is_the_metis_cut_of_the_graph_of_probabilities(variant):
    X = settled(np.random.RandomState(0).randn(60, 3))  # no clusters: all edges matter
    fitted = WSPA(3, n_clusterings=4, variant=variant, random_state=0).fit(X)
    P, E = fitted._probabilities(X), fitted.ensemble_
    if variant == "similarity":
        graph, weights = profile_similarity(P, E), np.ones(60)
    else:
        graph = np.block([[np.zeros((12, 12)), P.T], [P, np.zeros((60, 60))]])
        weights = np.repeat([5.0, 1.0], [12, 60])
    rng = np.random.RandomState(0)
    rng.randint(np.iinfo(np.int32).max)  # the seed of the clusterings
    again = metis_partition(graph, 3, vertex_weights=weights, rng=rng)
    assert same_partition(fitted.labels_, again[-60:])


def test_clusterings_are_lac_on_standardized_data_over_a_log_grid():
    X = settled(subspaces(n=10)[0])
    fitted = WSPA(3, n_clusterings=3, weight_penalty=(0.1, 10), random_state=0).fit(X)
    members = [member.model for member in fitted.generator_.members_]
    penalties = [model.concentration_penalty for model in members]
    assert_allclose(penalties, [0.1, 1.0, 10.0])
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for m, model in enumerate(members):
        again = LAC(
            3, concentration_penalty=penalties[m], n_init=3,
            random_state=model.random_state,
        ).fit(Z)  # fmt: skip
        assert_array_equal(fitted.ensemble_.labels[:, m], again.labels_)
        own = fitted.ensemble_.clustering_of == m
        assert_allclose(fitted.feature_weights_[own], again.feature_weights_)
        assert_allclose(fitted.objective_[m], again.objective_)


def test_weights_lie_on_the_simplex_after_every_iteration():
    X, _ = subspaces(n=10)
    for max_iter in range(1, 6):
        run = locally_adaptive(
            X,
            3,
            np.random.RandomState(0),
            concentration_penalty=0.3,
            n_init=1,
            max_iter=max_iter,
        )
        assert_allclose(run.weights.sum(axis=1), 1.0)
        assert run.weights.min() >= 0


@pytest.mark.parametrize("seed", range(3))
def test_the_closed_form_of_the_weights_is_what_an_optimizer_finds(seed):
    rng = np.random.RandomState(seed)
    D, penalty = rng.rand(1, 5), rng.uniform(0.1, 1)
    found = minimize(
        lambda w: lac_objective(D, w[None], penalty),
        np.full(5, 0.2),
        bounds=[(1e-12, 1)] * 5,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14},
    )
    # SLSQP differentiates numerically.
    assert_allclose(lac_weights(D, penalty)[0], found.x, atol=1e-5)


@pytest.mark.parametrize("variant", ["similarity", "bipartite"])
def test_clusters_in_subspaces_are_found(variant):
    X, truth = settled(*subspaces())
    fitted = WSPA(3, variant=variant, weight_penalty=(0.1, 1), random_state=0).fit(X)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9
    assert fitted.converged_
    assert fitted.n_iter_ == max(len(history) for history in fitted.objective_)
    # Features in which a cluster is tight weigh most there.
    model = fitted.generator_.members_[0].model
    for v in range(3):
        own = model.labels_ == v
        tight = 2 * np.bincount(truth[own]).argmax() + np.arange(2)
        assert model.feature_weights_[v, tight].sum() > 0.9


def test_a_large_penalty_makes_all_features_alike():
    X, _ = subspaces(n=10)
    fitted = WSPA(3, n_clusterings=2, weight_penalty=1e9, random_state=0).fit(X)
    assert_allclose(fitted.feature_weights_, 1 / 6, rtol=1e-6)  # of order X / 1e9


def test_the_number_of_clusters_can_be_chosen():
    rng = np.random.RandomState(0)
    centers = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
    X = np.repeat(centers, 30, axis=0) + 0.5 * rng.randn(120, 2)
    fitted = WSPA(random_state=0).fit(X)
    assert len(set(fitted.ensemble_.n_clusters_each.tolist())) > 1
    assert fitted.n_clusters_ == 4


def test_scale_and_shift_of_features_do_not_matter():
    X, _ = subspaces(n=10)
    one = WSPA(3, n_clusterings=3, random_state=0).fit(X)
    other = WSPA(3, n_clusterings=3, random_state=0).fit(
        X * [1, 2, 4, 8, 16, 32] + [0, 1, 2, 3, 4, 5]
    )
    assert_array_equal(one.labels_, other.labels_)


def test_parts_are_balanced_even_where_clusters_are_not():
    rng = np.random.RandomState(0)
    X = np.r_[rng.randn(70, 2), 20 + rng.randn(20, 2)]
    for imbalance in (0.05, 0.2):
        sizes = np.bincount(WSPA(2, imbalance=imbalance, random_state=0).fit(X).labels_)
        assert 45 <= sizes.max() <= (1 + imbalance) * 45 + 1


def test_a_bad_range_is_refused_and_the_memory_budget_asked():
    X, _ = subspaces(n=10)
    with pytest.raises(ComitiaError, match="is no range"):
        WSPA(2, weight_penalty=(0.0, 1.0)).fit(X)
    with config.limit("10 kB"), pytest.raises(MemoryBudgetError, match="bipartite"):
        WSPA(3, n_clusterings=2).fit(X)


def test_distance_shares_are_those_of_the_catalogue():
    assert_allclose(distance_shares([[1, 2, 5]]), [[0.5, 0.4, 0.1]])
    rng = np.random.RandomState(0)
    P = distance_shares(rng.rand(20, 4))
    assert_allclose(P.sum(axis=1), 1.0)
    assert P.min() > 0
    with pytest.raises(ComitiaError, match="not negative"):
        distance_shares([[-1.0, 2.0]])
