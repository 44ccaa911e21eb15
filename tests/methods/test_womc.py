import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from comitia.partition import metis_partition
from tests.fixtures import E6, planted, same_partition

WOMC = method("womc")
MCLA = method("mcla")


def test_weights_of_e6_are_those_of_the_catalogue():
    expected = np.array([4 / 27, 4 / 27, 4 / 9, 4 / 9, 4 / 27, 4 / 27])
    raw = WOMC(n_clusters=2, smoothing=0, random_state=0).fit(Ensemble(E6))
    assert_allclose(raw.object_weights_, expected)
    smoothed = WOMC(n_clusters=2, random_state=0).fit(Ensemble(E6))
    assert_allclose(smoothed.object_weights_, (expected + 0.01) / 1.01)


def test_edges_of_e6_are_those_of_the_catalogue(monkeypatch):
    graphs = []

    def cut(graph, n_clusters, **options):
        graphs.append(graph.toarray())
        return metis_partition(graph, n_clusters, **options)

    monkeypatch.setattr("comitia.methods.fixed_objects.womc.metis_partition", cut)
    WOMC(n_clusters=2, smoothing=0, random_state=0).fit(Ensemble(E6))
    a, c, d = 0, 4, 5
    assert_allclose(graphs[0][a, [c, d]], [0.4, 0.375])
    # Without weights the first would be 2/3.
    WOMC(n_clusters=2, smoothing=1e12, random_state=0).fit(Ensemble(E6))
    assert_allclose(graphs[1][a, c], 2 / 3)


@pytest.mark.parametrize("seed", range(3))
def test_large_smoothing_forgets_the_weights_and_becomes_mcla(seed):
    labels, _ = planted(90, 3, 7, noise=0.4, seed=seed)
    E = Ensemble(labels)
    fitted = WOMC(3, smoothing=1e12, random_state=0).fit(E)
    assert_allclose(fitted.object_weights_, 1.0)
    assert_array_equal(fitted.labels_, MCLA(3, random_state=0).fit_predict(E))


def test_the_vote_is_not_weighted():
    labels, _ = planted(90, 3, 7, noise=0.4, seed=2)
    fitted = WOMC(3, random_state=0).fit(Ensemble(labels))
    plain = MCLA(3, random_state=0).fit(Ensemble(labels))
    # Where both group the clusters alike, the votes are the same.
    assert same_partition(fitted.labels_, plain.labels_)
    assert fitted.object_weights_.std() > 0


def unanimous():
    truth = np.repeat([0, 1, 2], [5, 7, 9])
    return Ensemble(np.repeat(truth[:, None], 4, axis=1)), truth


def test_unanimous_clusterings_keep_their_clusters():
    same, truth = unanimous()
    fitted = WOMC(3, random_state=0).fit(same)
    assert_allclose(fitted.object_weights_, 0.01 / 1.01)
    assert same_partition(fitted.labels_, truth)


def test_without_smoothing_unanimous_clusterings_weigh_objects_equally():
    same, truth = unanimous()
    with pytest.warns(ComitiaWarning, match="equal|uniform"):
        fitted = WOMC(3, smoothing=0, random_state=0).fit(same)
    assert_allclose(fitted.object_weights_, 1.0)
    assert same_partition(fitted.labels_, truth)


def test_a_planted_partition_is_found_and_counted():
    labels, truth = planted(300, 5, 12, noise=0.3, seed=0)
    fitted = WOMC(random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 5
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(5))
    assert right > 0.98 * 300
