"""Bregmannian consensus clustering against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar

from comitia import Ensemble
from comitia.methods import EAC, BregmannianConsensus
from comitia.methods._votes import Votes, penalized_weights
from comitia.methods.variable_clusterings.bregman_cc import (
    divergences,
    mean_similarity,
)
from tests.divergences import elementwise, left_mean
from tests.fixtures import E6, planted, same_partition

METRICS = ["squared", "kl", "itakura_saito"]


def random_votes(seed, kind="partial"):
    rng = np.random.RandomState(seed)
    if kind == "fuzzy":
        tables = [rng.dirichlet([1] * k, 12) for k in (2, 3, 4)]
        return Votes(Ensemble.from_memberships(tables), 3)
    labels = np.repeat(rng.randint(-1, 3, size=(12, 3)), 2, axis=0)
    labels[:, 0] = np.repeat(rng.randint(3, size=12), 2)
    return Votes(Ensemble(labels), 3)


def similarities(votes, metric):
    """Each clustering's matrix over all objects, from its definition."""
    E, epsilon = votes.ensemble, 0.0 if metric == "squared" else 1e-3
    B = E.membership.toarray()
    blocks = np.split(B, E.offsets[1:-1], axis=1)
    return [(1 - 2 * epsilon) * b @ b.T + epsilon for b in blocks]


def test_weights_of_e6_are_those_of_the_catalogue():
    votes = Votes(Ensemble(E6), 2)
    equal = np.full(3, 1 / 3)
    d = divergences(votes, equal, "squared")
    assert_allclose(d, [10 / 9, 10 / 9, 40 / 9])
    assert_allclose(penalized_weights(d, 10.0), [7 / 18, 7 / 18, 2 / 9])
    A = Ensemble(E6).coassociation(dtype=np.float64)
    S = mean_similarity(votes, equal, "squared")
    assert_allclose(S[np.ix_(votes.inverse, votes.inverse)], A, atol=1e-12)


def test_the_mean_of_two_constant_matrices_is_that_of_the_catalogue():
    S = left_mean([np.full((3, 3), 0.25), np.ones((3, 3))], [1, 1], "kl")
    assert_allclose(S, 0.5)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["partial", "fuzzy"])
def test_similarity_and_divergences_are_their_definitions(kind, metric):
    votes = random_votes(0, kind)
    w = np.array([0.5, 0.3, 0.2])
    each = similarities(votes, metric)
    wanted = left_mean(each, w, metric)
    got = mean_similarity(votes, w, metric)[np.ix_(votes.inverse, votes.inverse)]
    assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)
    wanted = [elementwise(wanted, one, metric).sum() for one in each]
    assert_allclose(divergences(votes, w, metric), wanted, rtol=1e-8)


@pytest.mark.parametrize("metric", METRICS)
def test_the_similarity_is_that_of_a_numerical_optimizer(metric):
    votes, w = random_votes(1), np.array([0.5, 0.3, 0.2])
    each = np.array(similarities(votes, metric))
    S = mean_similarity(votes, w, metric)[np.ix_(votes.inverse, votes.inverse)]
    for i, j in [(0, 2), (0, 5), (3, 9), (4, 4)]:
        found = minimize_scalar(
            lambda s, y=each[:, i, j]: w @ elementwise(s, y, metric),
            bounds=(1e-6, 1.0),
            method="bounded",
            options={"xatol": 1e-10},
        )
        assert_allclose(S[i, j], found.x, atol=1e-6)  # a flat minimum


@pytest.mark.parametrize("metric", METRICS)
def test_weights_are_those_of_a_numerical_optimizer(metric):
    votes = random_votes(2)
    d = divergences(votes, np.array([0.5, 0.3, 0.2]), metric)
    votes.penalty = 0.6 * d.mean()
    got = BregmannianConsensus(metric=metric)._update_weights(votes, (None, d))
    found = minimize(
        lambda w: (w @ d + votes.penalty * w @ w) / d.mean(),
        np.full(3, 1 / 3),
        bounds=[(0, 1)] * 3,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-15},
    )
    assert_allclose(got, found.x, atol=1e-5)  # SLSQP stops there


@pytest.mark.parametrize("metric", METRICS)
def test_the_objective_is_its_definition_and_does_not_rise(metric):
    labels, _ = planted(60, 3, 6, 0.3, 0)
    fitted = BregmannianConsensus(3, metric=metric, weight_penalty=50.0)
    fitted.fit(Ensemble(labels))
    assert fitted.n_iter_ >= 2
    assert (np.diff(fitted.objective_) <= 1e-9 * fitted.objective_[0]).all()
    w = fitted.clustering_weights_
    assert_allclose(w.sum(), 1.0)
    each = similarities(Votes(Ensemble(labels), 3), metric)
    S = left_mean(each, w, metric)
    cost = sum(
        x * elementwise(S, one, metric).sum() for x, one in zip(w, each, strict=True)
    )
    assert_allclose(fitted.objective_[-1], cost + 50.0 * w @ w, rtol=1e-8)


def test_a_penalty_of_the_mean_divergence_favors_a_single_clustering():
    # Why the default is M times that.
    labels, _ = planted(80, 3, 6, 0.4, 1)
    votes = Votes(Ensemble(labels), 3)
    d = divergences(votes, np.full(6, 1 / 6), "squared")
    single = divergences(votes, np.eye(6)[0], "squared")[0] + d.mean()
    assert single < d.mean() + d.mean() / 6


@pytest.mark.parametrize("linkage", ["average", "single", "complete"])
def test_with_equal_weights_it_is_evidence_accumulation(linkage):
    # Clear clusters, so that ties are resolved below the cut.
    labels, _ = planted(80, 3, 8, 0.1, 2)
    fitted = BregmannianConsensus(3, weight_penalty=1e30, linkage=linkage)
    fitted.fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, 1 / 8, rtol=1e-12)
    plain = EAC(3, linkage=linkage).fit(Ensemble(labels))
    assert_allclose(
        fitted.linkage_[-2:, 2], plain.linkage_[-2:, 2], rtol=1e-6
    )  # EAC counts in float32
    assert same_partition(fitted.labels_, plain.labels_)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("consensus", ["linkage", "ncut"])
def test_a_planted_partition_is_found(consensus, metric):
    labels, truth = planted(120, 3, 9, 0.1, 3)
    labels[:, 0] = np.random.RandomState(0).randint(3, size=120)
    fitted = BregmannianConsensus(
        3, metric=metric, consensus=consensus, random_state=0
    ).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_.argmin() == 0


def test_the_cut_chooses_a_number_of_clusters():
    labels, truth = planted(120, 4, 9, 0.1, 4)
    for consensus in ("linkage", "ncut"):
        fitted = BregmannianConsensus(consensus=consensus, random_state=0)
        assert same_partition(fitted.fit(Ensemble(labels)).labels_, truth)


@pytest.mark.parametrize("metric", METRICS)
def test_objects_may_have_several_clusters_in_common(metric):
    # The first three share two clusters of the first clustering: a similarity of 2.
    clusters = [[[0, 1, 2], [0, 1, 2, 3], [3, 4, 5]], [[0, 1, 2], [3, 4, 5]]]
    votes = Ensemble.from_clusters(clusters, 6)
    fitted = BregmannianConsensus(2, metric=metric).fit(votes)
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])
    assert (fitted.linkage_[:, 2] >= 0).all()
    assert_allclose(fitted.linkage_[0, 2], 0.0, atol=1e-12)  # the most alike of all
