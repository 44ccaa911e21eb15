from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, config, method
from comitia.engine.content_keys import clusters_by_content
from comitia.exceptions import MemoryBudgetError
from comitia.partition import metis_partition, tcut
from comitia.represent import bipartite_graph, soft_assignment
from comitia.weigh import object_uncertainty
from tests.fixtures import E6, X6, same_partition
from tests.methods._planted import line_of_blobs

blobs = partial(line_of_blobs, n=120)

WOHB = method("wohb")
VARIANTS = ("even", "joint", "objects", "tcut")


def test_every_object_has_edges_of_total_weight_m():
    X, E, _ = blobs()
    w = object_uncertainty(E, smoothing=0.01)
    P = soft_assignment(X, E, object_weights=w)
    assert_allclose(P.sum(axis=1), E.n_clusterings)


@pytest.mark.parametrize(
    ("variant", "of_cluster"), [("even", 6 / 7), ("joint", 1), ("objects", 0)]
)
def test_the_graph_joins_objects_with_clusters(variant, of_cluster, monkeypatch):
    seen = []

    def cut(graph, n_clusters, **options):
        seen.append((graph.toarray(), options["vertex_weights"]))
        return metis_partition(graph, n_clusters, **options)

    monkeypatch.setattr("comitia.methods.fixed_objects.wohb.metis_partition", cut)
    E = Ensemble(E6)
    WOHB(2, variant=variant, random_state=0).fit(X6, ensemble=E)
    w = object_uncertainty(E, smoothing=0.01)
    P = soft_assignment(X6, E, object_weights=w)
    graph, weights = seen[0]
    # Objects stand in the order of the data, clusters in that of what is in them.
    P = P[np.lexsort(X6.T)][:, clusters_by_content(E)]
    assert_allclose(graph[:6, 6:], P, atol=1e-12)
    assert_allclose(graph[6:, :6], P.T, atol=1e-12)
    assert not graph[:6, :6].any()
    assert not graph[6:, 6:].any()
    assert_allclose(weights, [1] * 6 + [of_cluster] * 7)


def test_a_low_temperature_makes_the_edges_the_memberships():
    X, E, _ = blobs(noise=0.0)
    P = soft_assignment(X, E, temperature=1e-9)
    assert_allclose(P, E.membership.toarray(), atol=1e-12)


def test_a_low_temperature_becomes_the_transfer_cut_of_the_plain_graph():
    X, E, truth = blobs(noise=0.0)
    fitted = WOHB(3, temperature=1e-9, variant="tcut", random_state=0)
    plain = tcut(bipartite_graph(E), 3, np.random.RandomState(0))
    found = fitted.fit_predict(X, ensemble=E)
    assert same_partition(found, plain)
    assert same_partition(found, truth)


# With each vertex weighing one, the seven clusters fall on either side as they please.
@pytest.mark.parametrize("variant", ["even", "objects", "tcut"])
def test_two_clusters_of_e6_are_its_first_clustering(variant):
    fitted = WOHB(2, variant=variant, random_state=0).fit(X6, ensemble=Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    expected = np.array([4 / 27, 4 / 27, 4 / 9, 4 / 9, 4 / 27, 4 / 27])
    assert_allclose(fitted.object_weights_, (expected + 0.01) / 1.01)


@pytest.mark.parametrize("variant", VARIANTS)
def test_planted_clusters_are_found_and_counted(variant):
    X, E, truth = blobs(k=4)
    fitted = WOHB(variant=variant, random_state=0).fit(X, ensemble=E)
    assert same_partition(fitted.labels_, truth)


def test_the_transfer_cut_keeps_clusters_of_unequal_size():
    X, E, truth = blobs(n=210, k=3, sizes=[16, 4, 1], noise=0.1)
    found = WOHB(3, variant="tcut", random_state=0).fit_predict(X, ensemble=E)
    assert same_partition(found, truth)
    balanced = WOHB(3, random_state=0).fit_predict(X, ensemble=E)
    assert np.bincount(balanced).max() < np.bincount(truth).max()


def test_an_empty_cluster_has_no_vertex():
    codes = np.array([[0, 0, 0, 2, 2, 2], [0, 0, 1, 1, 1, 1]])
    E = Ensemble.from_codes(codes, [3, 2])
    found = WOHB(2, random_state=0).fit_predict(X6, ensemble=E)
    assert same_partition(found, E6[:, 0])


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_memory_budget_is_asked_first(variant):
    X, E, _ = blobs()
    with config.limit("10 kB"), pytest.raises(MemoryBudgetError, match="lwgp"):
        WOHB(3, variant=variant).fit(X, ensemble=E)
