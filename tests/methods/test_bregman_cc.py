"""Bregmannian consensus clustering against the catalogue, SciPy and its limits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar

from comitia import Ensemble
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaError
from comitia.methods import EAC, BregmannianConsensus
from comitia.methods._votes import Votes, penalized_weights
from comitia.methods.variable_clusterings.bregman_cc import (
    divergences,
    mean_similarity,
)
from comitia.optimize.bregman import Bregman, get_bregman
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


def pairs_seen(votes):
    """Whether each clustering has both of two objects."""
    seen = votes.seen[:, votes.inverse]
    return seen[:, :, None] & seen[:, None, :]


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
    each, seen = np.array(similarities(votes, metric)), pairs_seen(votes)
    S = mean_similarity(votes, w, metric)[np.ix_(votes.inverse, votes.inverse)]
    n = len(S)
    v = w / seen.mean(axis=(1, 2))
    for i in range(n):
        for j in range(n):
            both = seen[:, i, j]
            wanted = left_mean(each[both, i, j], v[both], metric)
            assert_allclose(S[i, j], wanted, rtol=1e-9, atol=1e-12)
    wanted = [
        n * n * elementwise(S, one, metric)[both].mean()
        for one, both in zip(each, seen, strict=True)
    ]
    assert_allclose(divergences(votes, w, metric), wanted, rtol=1e-8)


@pytest.mark.parametrize("metric", METRICS)
def test_the_similarity_is_that_of_a_numerical_optimizer(metric):
    votes, w = random_votes(1), np.array([0.5, 0.3, 0.2])
    each, seen = np.array(similarities(votes, metric)), pairs_seen(votes)
    v = w / seen.mean(axis=(1, 2))
    S = mean_similarity(votes, w, metric)[np.ix_(votes.inverse, votes.inverse)]
    for i, j in [(0, 2), (0, 5), (3, 9), (4, 4)]:
        found = minimize_scalar(
            lambda s, y=each[:, i, j], v=v * seen[:, i, j]: (
                v @ elementwise(s, y, metric)
            ),
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


def test_below_the_default_penalty_weights_gather_on_any_clustering():
    # Half of the default is where the objective stops being convex.
    labels, truth = planted(200, 4, 10, 0.5, 1)
    votes = Votes(Ensemble(labels), 4)
    G = votes.gram - votes.gram.mean(axis=0)
    G -= G.mean(axis=1, keepdims=True)
    edge = np.linalg.eigvalsh(G)[-1]
    assert_allclose(np.trace(G), divergences(votes, votes.uniform, "squared").sum())
    default = BregmannianConsensus(4).fit(Ensemble(labels))
    given = BregmannianConsensus(4, weight_penalty=2 * edge).fit(Ensemble(labels))
    assert_allclose(default.clustering_weights_, given.clustering_weights_)
    assert (default.clustering_weights_ > 0).all()
    below = BregmannianConsensus(4, weight_penalty=0.5 * edge).fit(Ensemble(labels))
    assert below.clustering_weights_.max() > 0.9
    assert adjusted_rand(truth, default.labels_) > adjusted_rand(truth, below.labels_)


@pytest.mark.parametrize("metric", METRICS)
def test_by_default_the_weights_tell_junk_from_the_rest(metric):
    labels, _ = planted(200, 4, 12, 0.3, 0)
    junk = np.random.RandomState(0).randint(4, size=(200, 6))
    votes = Ensemble(np.column_stack([labels, junk]))
    weights = BregmannianConsensus(4, metric=metric).fit(votes).clustering_weights_
    assert weights.std() > 0.05 * weights.mean()
    assert weights[12:].max() < weights[:12].min()


def test_clusterings_that_are_equally_far_weigh_the_same():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    weights = BregmannianConsensus(2).fit(Ensemble(labels)).clustering_weights_
    assert_allclose(weights, 0.5)


def exponential():
    """The divergence of the sum of exponentials."""
    return Bregman(
        "exponential", np.exp, lambda x: np.exp(x).sum(axis=-1), np.exp, np.log, -np.inf
    )


@pytest.mark.parametrize("kind", ["hard", "fuzzy"])
def test_a_divergence_can_be_ones_own(kind):
    votes = Votes(Ensemble(E6), 2) if kind == "hard" else random_votes(0, kind)
    w, g = np.array([0.5, 0.3, 0.2]), exponential()
    each = similarities(votes, "squared")
    mean = np.log(sum(x * np.exp(one) for x, one in zip(w, each, strict=True)))
    got = mean_similarity(votes, w, g)[np.ix_(votes.inverse, votes.inverse)]
    assert_allclose(got, mean, atol=1e-12)
    d = [(np.exp(mean) - np.exp(y) - np.exp(y) * (mean - y)).sum() for y in each]
    assert_allclose(divergences(votes, w, g), d, rtol=1e-9)


def test_one_that_is_known_by_name_can_be_given_as_ones_own():
    labels, _ = planted(60, 3, 6, 0.3, 0)
    for name in METRICS:
        one, other = (
            BregmannianConsensus(3, metric=metric).fit(Ensemble(labels))
            for metric in (name, get_bregman(name)._replace(name="mine"))
        )
        assert_allclose(one.clustering_weights_, other.clustering_weights_, atol=1e-9)
        assert same_partition(one.labels_, other.labels_)


def test_a_divergence_without_an_inverse_is_refused():
    with pytest.raises(ComitiaError, match="'norm' is no sum over elements"):
        BregmannianConsensus(2, metric=get_bregman("norm")).fit(Ensemble(E6))


@pytest.mark.parametrize("metric", METRICS)
def test_similarities_can_be_given(metric):
    labels, _ = planted(40, 3, 5, 0.3, 0)
    ensemble = Ensemble(labels)
    given = [(x[:, None] == x).astype(float) for x in labels.T]
    given[2] = None  # its co-occurrence
    one, other = (
        BregmannianConsensus(3, metric=metric, similarities=some).fit(ensemble)
        for some in (None, given)
    )
    assert_allclose(one.clustering_weights_, other.clustering_weights_, rtol=1e-7)
    assert_allclose(one.linkage_[:, 2], other.linkage_[:, 2], atol=1e-9)
    assert same_partition(one.labels_, other.labels_)


def test_given_similarities_tell_apart_what_labels_do_not():
    truth = np.repeat([0, 1, 2], 5)
    labels = np.column_stack([truth > 0, truth > 0]).astype(int)
    sharp = 0.8 * (truth[:, None] == truth) + 0.1
    fitted = BregmannianConsensus(3, similarities=[sharp, sharp]).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def test_similarities_that_are_none_are_refused():
    S = np.eye(6)
    with pytest.raises(ComitiaError, match="2 entries for 3 clusterings"):
        BregmannianConsensus(2, similarities=[S, S]).fit(Ensemble(E6))
    with pytest.raises(ComitiaError, match=r"similarities\[1\] must be a symmetric"):
        BregmannianConsensus(2, similarities=[S, 2 * S, S]).fit(Ensemble(E6))


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


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("kind", ["hard", "fuzzy"])
def test_a_missing_label_does_not_set_an_object_apart(kind, metric):
    truth = np.repeat([0, 1, 2], 10)
    labels = np.repeat(truth[:, None], 12, axis=1)
    labels[[0, 11, 22], 2:] = -1
    votes = Ensemble(labels)
    if kind == "fuzzy":
        sharp = [(x[:, None] == np.arange(3)).astype(float) for x in labels.T]
        votes = Ensemble.from_memberships(sharp)
    fitted = BregmannianConsensus(3, metric=metric).fit(votes)
    assert same_partition(fitted.labels_, truth)


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
