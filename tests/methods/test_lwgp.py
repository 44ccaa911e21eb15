import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaWarning
from comitia.methods.fixed_clusters.lwgp import LWGP
from comitia.partition import tcut
from comitia.partition.transfer_cut import bipartite_spectrum
from comitia.represent import bipartite_graph
from tests.fixtures import E6, planted, same_partition


def test_the_weights_of_e6_are_those_of_the_catalogue():
    fitted = LWGP(n_clusters=2, random_state=0).fit(Ensemble(E6))
    expected = [0.465219, 0.465219, 0.465219, 0.465219, 1.0, 0.188876, 1.0]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six digits printed


def test_two_clusters_of_e6_are_its_first_clustering():
    fitted = LWGP(n_clusters=2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_large_theta_is_the_cut_without_weights(seed):
    labels, _ = planted(200, 3, 6, noise=0.5, seed=seed)
    E = Ensemble(labels)
    fitted = LWGP(n_clusters=3, theta=1e15, random_state=seed).fit(E)
    assert_allclose(fitted.cluster_weights_, 1.0, rtol=1e-12)
    plain = tcut(bipartite_graph(E), 3, np.random.RandomState(seed))
    assert same_partition(fitted.labels_, plain)


def test_eigenvalues_are_squared_singular_values_of_the_weighted_graph():
    fitted = LWGP(n_clusters=2, random_state=0).fit(Ensemble(E6))
    graph = bipartite_graph(fitted.ensemble_, cluster_weights=fitted.cluster_weights_)
    B = fitted.ensemble_.membership.toarray() * fitted.cluster_weights_
    normalized = B / np.sqrt(np.outer(B.sum(axis=1), B.sum(axis=0)))
    expected = np.linalg.svd(normalized, compute_uv=False)[:4] ** 2
    assert_allclose(bipartite_spectrum(graph, 4), expected, atol=1e-12)
    assert_allclose(expected[0], 1.0)


def test_tiny_weights_are_as_good_as_large_ones():
    # The weights lie between 1e-107 and 1e-60; their squares would underflow.
    labels, truth = planted(60, 3, 5, noise=0.2, seed=0)
    fitted = LWGP(n_clusters=3, theta=4e-3, random_state=0).fit(Ensemble(labels))
    assert 0 < fitted.cluster_weights_.max() < 1e-60
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(3))
    assert right > 0.6 * 60


def test_weights_that_vanish_are_told():
    labels, truth = planted(60, 3, 5, noise=0.2, seed=0)
    with pytest.warns(ComitiaWarning, match="weigh nothing"):
        fitted = LWGP(n_clusters=3, theta=1e-4, random_state=0).fit(Ensemble(labels))
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(3))
    assert right > 0.95 * 60


def test_a_doubled_ensemble_has_the_same_cut():
    labels, _ = planted(150, 3, 5, noise=0.3, seed=2)
    once = LWGP(n_clusters=3, random_state=0).fit(Ensemble(labels))
    twice = LWGP(n_clusters=3, random_state=0).fit(Ensemble(np.hstack([labels] * 2)))
    # The summed uncertainty doubles with M, so the weights stay.
    assert_allclose(
        np.tile(once.cluster_weights_, 2), twice.cluster_weights_, rtol=1e-9
    )
    assert same_partition(once.labels_, twice.labels_)


def test_the_seed_decides():
    labels, _ = planted(200, 4, 6, noise=0.7, seed=3)
    one, other = (
        LWGP(n_clusters=4, random_state=7).fit_predict(Ensemble(labels))
        for _ in range(2)
    )
    assert_array_equal(one, other)
