"""Points of the normalised cut, from whichever side of the graph is the smaller."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.partition import ncut_points
from tests.fixtures import planted


def eigen_rows(S, k):
    """Unit rows of the leading eigenvectors of the normalised similarity."""
    root = 1 / np.sqrt(S.sum(axis=1))
    vectors = np.linalg.eigh(S * root * root[:, None])[1][:, -k:]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


# Fifteen clusters of up to forty objects that differ, or sixty-odd of fewer.
@pytest.mark.parametrize(("k", "noise", "fewer"), [(3, 0.3, False), (12, 0.1, True)])
@pytest.mark.parametrize("seed", range(5))
def test_points_are_those_of_the_normalized_cut_of_the_coassociation(
    seed, k, noise, fewer
):
    labels, _ = planted(40, k, 5, noise=noise, seed=seed)
    ensemble = Ensemble(labels)
    w = np.random.RandomState(seed).dirichlet(np.ones(5))
    S = ensemble.coassociation(clustering_weights=w, dtype=np.float64)
    wanted = eigen_rows(S, 3)
    micro, counts, inverse = ensemble.distinct()
    assert (micro.n_objects < micro.n_clusters) == fewer
    assert counts.max() > 1
    points = ncut_points(micro, counts, w, ensemble.sizes, 3)[inverse]
    # Eigenvectors are known up to a rotation, which leaves inner products.
    assert_allclose(points @ points.T, wanted @ wanted.T, atol=1e-8)


def test_more_vectors_than_objects_are_as_many_as_there_are_eigenvalues():
    votes = Ensemble([[0, 0, 0, 0], [0, 1, 1, 1], [1, 2, 2, 2]])
    points = ncut_points(votes, np.ones(3, int), np.ones(4), votes.sizes, 9)
    assert points.shape == (3, 3)
    # All eigenvectors: an orthogonal matrix.
    assert_allclose(points @ points.T, np.eye(3), atol=1e-12)


def test_what_has_no_weight_stays_at_the_origin():
    labels = [[0, 0, 0], [0, 1, 1], [-1, 2, 2], [-1, 3, 3]]
    votes = Ensemble(labels)
    weights = [1.0, 0.0, 0.0]
    points = ncut_points(votes, np.ones(4, int), weights, votes.sizes, 2)
    assert_allclose(np.abs(points), [[1.0], [1.0], [0.0], [0.0]], atol=1e-12)
