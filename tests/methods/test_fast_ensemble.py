import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods import FastEnsemble
from comitia.testing import same_partition
from tests.cluster.test_communities import planted
from tests.fixtures import E6

PATH = np.eye(6, k=1) + np.eye(6, k=-1)


def links(fitted):
    found = fitted.graph_.tocoo()
    return {
        (int(i), int(j)) for i, j in zip(found.row, found.col, strict=True) if i < j
    }


def test_links_that_most_clusterings_keep_are_kept():
    strict = FastEnsemble(random_state=0).fit(PATH, ensemble=Ensemble(E6))
    assert links(strict) == {(0, 1), (4, 5)}
    assert same_partition(strict.labels_, [0, 0, 1, 2, 3, 3])
    loose = FastEnsemble(threshold=0.6, random_state=0).fit(PATH, ensemble=Ensemble(E6))
    assert links(loose) == {(0, 1), (1, 2), (3, 4), (4, 5)}
    assert same_partition(loose.labels_, E6[:, 0])


def test_weights_are_normalized():
    fitted = FastEnsemble(clustering_weights=[2, 2, 0], random_state=0)
    fitted.fit(PATH, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [0.5, 0.5, 0])
    assert links(fitted) == {(0, 1), (1, 2), (3, 4), (4, 5)}


@pytest.mark.parametrize(("n_together", "n"), [(7, 9), (9, 11), (8, 10), (2, 3)])
def test_a_share_that_reaches_the_threshold_is_enough(n_together, n):
    labels = np.zeros((2, n), dtype=int)
    labels[1, n_together:] = 1
    pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    fitted = FastEnsemble(threshold=n_together / n, random_state=0)
    assert links(fitted.fit(pair, ensemble=Ensemble(labels))) == {(0, 1)}
    above = FastEnsemble(threshold=n_together / n + 1e-6, random_state=0)
    assert not links(above.fit(pair, ensemble=Ensemble(labels)))


def test_a_missing_label_is_no_vote_against_a_link():
    labels = np.array([[0, 0, -1], [0, 0, 1], [1, 1, 0]])
    path = np.eye(3, k=1) + np.eye(3, k=-1)
    fitted = FastEnsemble(threshold=1.0, random_state=0)
    assert links(fitted.fit(path, ensemble=Ensemble(labels))) == {(0, 1)}


def test_planted_communities_are_found():
    graph, truth = planted([40, 40, 40], 0.3, 0.02)
    assert (
        adjusted_rand_score(truth, FastEnsemble(random_state=0).fit_predict(graph))
        > 0.9
    )


def test_bad_weights_are_refused():
    for weights in ([1, -1, 1], [0, 0, 0]):
        with pytest.raises(ComitiaError, match="clustering_weights"):
            FastEnsemble(clustering_weights=weights).fit(PATH, ensemble=Ensemble(E6))
    with pytest.raises(ComitiaError, match="needs the graph too"):
        FastEnsemble().fit(Ensemble(E6))
