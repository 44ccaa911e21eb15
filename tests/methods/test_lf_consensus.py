import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, sizes
from comitia.generate import GraphGenerator
from comitia.methods import IteratedCommunityConsensus
from comitia.methods.graphs.lf_consensus import _with_strongest, _with_triads
from comitia.testing import same_partition
from tests.cluster.test_communities import planted
from tests.fixtures import E6


def test_the_components_that_the_threshold_leaves_are_the_result():
    fitted = IteratedCommunityConsensus(threshold=0.5, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    assert fitted.converged_
    assert fitted.n_iter_ == 1
    B = np.eye(2)[E6[:, 0]]
    assert_allclose(fitted.graph_.toarray(), B @ B.T - np.eye(6))


def test_clusterings_that_agree_need_no_round():
    same = Ensemble(np.repeat([[0], [0], [1], [1]], 4, axis=1))
    fitted = IteratedCommunityConsensus(threshold=0.0, random_state=0).fit(same)
    assert fitted.n_iter_ == 0
    assert same_partition(fitted.labels_, [0, 0, 1, 1])


@pytest.mark.parametrize("variant", ["all_pairs", "links"])
def test_planted_communities_are_found(variant):
    graph, truth = planted([40, 40, 40], 0.25, 0.02)
    fitted = IteratedCommunityConsensus(variant=variant, random_state=0).fit(graph)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    assert fitted.converged_


def test_many_vertices_are_looked_at_near_their_links(monkeypatch):
    graph, _ = planted([40, 40, 40], 0.25, 0.02)
    few = IteratedCommunityConsensus(random_state=0).fit(graph)
    monkeypatch.setattr(sizes, "ALL_PAIRS_VERTICES", 50)
    many = IteratedCommunityConsensus(random_state=0).fit(graph)
    assert many.graph_.nnz < few.graph_.nnz
    assert adjusted_rand_score(many.labels_, few.labels_) > 0.95


def test_rounds_make_the_runs_agree():
    graph, _ = planted([25] * 6, 0.25, 0.06)
    first = GraphGenerator(20, detector="louvain", random_state=0).generate(graph)
    fitted = IteratedCommunityConsensus(tol=0.0, random_state=0)
    fitted.fit(graph, ensemble=first)
    assert first.agreement().mean() < 0.95
    assert fitted.n_iter_ >= 1
    assert fitted.converged_
    assert_allclose(fitted.graph_.data, 1.0)


def test_vertices_without_links_get_their_strongest_back():
    D = np.array([[0, 0.9, 0.1], [0.9, 0, 0.15], [0.1, 0.15, 0]])
    kept = csr_array(np.where(D > 0.5, D, 0.0))
    found = _with_strongest(csr_array(D), kept).toarray()
    assert_allclose(found, [[0, 0.9, 0], [0.9, 0, 0.15], [0, 0.15, 0]])


def test_triads_close_over_a_common_neighbor():
    path = csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    more = _with_triads(path, np.random.RandomState(0)).toarray() > 0
    assert (more >= (path.toarray() > 0)).all()
    assert not more[0, 3]
    assert_array_equal(more, more.T)
    pair = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert _with_triads(pair, np.random.RandomState(0)).nnz == 2


def test_a_loop_that_does_not_end_says_so():
    graph, _ = planted([25] * 6, 0.25, 0.12)
    hasty = IteratedCommunityConsensus(max_iter=1, tol=0.0, random_state=0)
    with pytest.warns(ConvergenceWarning, match="raise max_iter or tol"):
        hasty.fit(graph)
    assert not hasty.converged_
