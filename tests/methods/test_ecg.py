import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia._kernels.communities import core
from comitia.cluster.adjacency import check_graph
from comitia.exceptions import ComitiaError
from comitia.methods import ECG
from comitia.testing import same_partition
from tests.cluster.test_communities import planted
from tests.fixtures import E6

PATH = np.eye(6, k=1) + np.eye(6, k=-1)
CYCLE = PATH.copy()
CYCLE[0, 5] = CYCLE[5, 0] = 1.0


def test_a_path_has_no_core():
    fitted = ECG(random_state=0).fit(PATH, ensemble=Ensemble(E6))
    assert_allclose(fitted.edge_weights_, 0.05)


def test_weights_and_strength_on_a_cycle():
    fitted = ECG(random_state=0).fit(CYCLE, ensemble=Ensemble(E6))
    # Row by row: 0-1, 0-5, 1-2, 2-3, 3-4, 4-5.
    expected = [1, 0.05, 0.683333, 0.366667, 0.683333, 1]
    assert_allclose(fitted.edge_weights_, expected, atol=5e-7)  # six decimals
    assert_allclose(fitted.community_strength_, 0.65)
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])


def core_by_loops(A, k):
    inside = np.ones(len(A), dtype=bool)
    while True:
        few = inside & ((A[:, inside] > 0).sum(axis=1) < k)
        if not few.any():
            return inside
        inside &= ~few


@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_core_is_what_is_left(k):
    for seed in range(4):
        upper = np.triu(np.random.RandomState(seed).rand(40, 40) < 0.05, 1)
        A = (upper + upper.T).astype(float)
        checked = check_graph(A)
        found = core(checked.indptr, checked.indices, k)
        assert_array_equal(found, core_by_loops(A, k))


def test_it_is_surer_of_clear_communities_than_of_chance():
    clear, truth = planted([40, 40, 40], 0.3, 0.02)
    chance, _ = planted([120], 0.11, 0.0)
    fitted = ECG(random_state=0).fit(clear)
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95
    other = ECG(random_state=0).fit(chance)
    assert fitted.community_strength_ > other.community_strength_


def test_links_between_communities_weigh_less():
    graph, truth = planted([40, 40, 40], 0.3, 0.05)
    fitted = ECG(detector="leiden", random_state=0).fit(graph)
    links = fitted.graph_.tocoo()
    inside = truth[links.row] == truth[links.col]
    assert links.data[inside].mean() > 2 * links.data[~inside].mean()


def test_clusterings_without_their_graph_are_refused():
    with pytest.raises(ComitiaError, match=r"call fit\(graph, ensemble=E\)"):
        ECG().fit(Ensemble(E6))
    with pytest.raises(ComitiaError, match="6 objects"):
        ECG().fit(np.ones((4, 4)), ensemble=Ensemble(E6))


def test_links_that_weigh_nothing_are_none():
    fitted = ECG(min_weight=0.0, random_state=0).fit(CYCLE, ensemble=Ensemble(E6))
    assert_allclose(fitted.edge_weights_, [1, 0, 2 / 3, 1 / 3, 2 / 3, 1])
    assert same_partition(fitted.labels_, [0, 0, 0, 1, 1, 1])
