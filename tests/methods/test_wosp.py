import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, config, method
from comitia.exceptions import MemoryBudgetError
from comitia.partition import metis_partition
from comitia.represent import coassociation, profile_similarity, soft_assignment
from comitia.weigh import object_uncertainty
from tests.fixtures import E6, X6, same_partition
from tests.methods._planted import line_of_blobs as blobs

WOSP = method("wosp")


def test_the_weights_and_a_center_of_e6_are_those_of_the_catalogue():
    fitted = WOSP(n_clusters=2, smoothing=0, random_state=0).fit(
        X6, ensemble=Ensemble(E6)
    )
    weights = fitted.object_weights_
    assert_allclose(weights / weights[0], [1, 1, 3, 3, 1, 1])
    # The probabilities are those of a centre at (0 + 1 + 6) / 5 = 1.4, not at 1.
    P = soft_assignment(X6, Ensemble(E6), object_weights=weights, temperature=50.0)
    squared = (X6[0, 0] - np.array([1.4, 10.6])) ** 2
    raw = np.exp(-squared / 50.0)
    assert_allclose(P[0, :2], raw / raw.sum())


@pytest.mark.parametrize("temperature", ["each", "first", 20.0])
def test_the_graph_is_made_of_weighted_centers(temperature, monkeypatch):
    graphs = []

    def cut(graph, n_clusters, **options):
        graphs.append(graph)
        return metis_partition(graph, n_clusters, **options)

    monkeypatch.setattr("comitia.methods.fixed_objects.wosp.metis_partition", cut)
    E = Ensemble(E6)
    fitted = WOSP(2, temperature=temperature, random_state=0).fit(X6, ensemble=E)
    w = fitted.object_weights_
    expected = np.zeros((6, 6))
    alpha = temperature
    for m, labels in enumerate(E6.T):
        own = [labels == r for r in np.unique(labels)]
        centers = np.array([np.average(X6[c, 0], weights=w[c]) for c in own])
        squared = (X6 - centers) ** 2
        if temperature == "each" or (temperature == "first" and m == 0):
            alpha = squared.mean()
        P = np.exp(-squared / alpha)
        P /= np.linalg.norm(P, axis=1, keepdims=True)
        expected += P @ P.T / 3
    assert_allclose(graphs[0], expected, atol=1e-6)  # the graph is float32


def test_two_clusters_of_e6_are_its_first_clustering():
    for temperature in ("each", "first", 5.0):
        fitted = WOSP(2, temperature=temperature, random_state=0)
        found = fitted.fit_predict(X6, ensemble=Ensemble(E6))
        assert same_partition(found, E6[:, 0])


def test_probabilities_sum_to_one_in_each_clustering():
    X, E, _ = blobs()
    P = soft_assignment(X, E, object_weights=object_uncertainty(E, smoothing=0.01))
    sums = np.add.reduceat(P, E.offsets[:-1], axis=1)
    assert_allclose(sums, 1.0)


def test_a_low_temperature_gives_the_coassociation_of_compact_clusters():
    X, E, _ = blobs(noise=0.0)
    P = soft_assignment(X, E, temperature=1e-9)
    got = profile_similarity(P, E, dtype=np.float64)
    assert_allclose(got, coassociation(E, dtype=np.float64), atol=1e-12)


def test_the_order_of_clusterings_matters_only_for_the_authors_temperature():
    X, E, _ = blobs(noise=0.4)
    back = E.take(clusterings=np.arange(6)[::-1])

    def similarity(ensemble, temperature):
        P = soft_assignment(X, ensemble, temperature=temperature)
        return profile_similarity(P, ensemble, dtype=np.float64)

    assert_allclose(similarity(E, "each"), similarity(back, "each"), atol=1e-12)
    assert np.abs(similarity(E, "first") - similarity(back, "first")).max() > 1e-6


def test_unanimous_clusterings_keep_their_clusters_without_smoothing():
    X, _, truth = blobs()
    same = Ensemble(np.repeat(truth[:, None], 4, axis=1))
    fitted = WOSP(3, smoothing=0, random_state=0).fit(X, ensemble=same)
    assert_allclose(fitted.object_weights_, 0.0)
    assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize("k", [2, 4])
def test_planted_clusters_are_found_and_counted(k):
    X, E, truth = blobs(n=120, k=k)
    fitted = WOSP(random_state=0).fit(X, ensemble=E)
    assert same_partition(fitted.labels_, truth)


def test_the_memory_budget_is_asked_first():
    X, E, _ = blobs()
    with config.limit("100 kB"), pytest.raises(MemoryBudgetError, match="wohb"):
        WOSP(3).fit(X, ensemble=E)
