"""Fuzzy c-means with Markov-field fusion, on images and on plain data."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import method
from comitia.agreement import entropy, nmi
from comitia.exceptions import ComitiaError
from comitia.partition import grid_graph, potts_energy, weighted_vote
from comitia.represent import aligned_votes, knn_graph
from tests.fixtures import same_partition

Fusion = method("alhichri_2014")


def image(noise, seed=0):
    """Four fields of 10 x 12 pixels in six bands, with noise in each band."""
    truth = np.kron([[0, 1], [2, 3]], np.ones((10, 12), dtype=int)).ravel()
    spectra = np.random.RandomState(5).rand(4, 6)
    rng = np.random.RandomState(seed)
    return spectra[truth] + noise * rng.standard_normal((truth.size, 6)), truth


def fitted_on(X, **parameters):
    parameters = {"n_clusterings": 6, "random_state": 0} | parameters
    return Fusion(**parameters).fit(X)


def vote_of(fitted):
    ensemble = fitted.ensemble_
    return aligned_votes(
        ensemble,
        ensemble.labels[:, fitted.reference_],
        clustering_weights=fitted.clustering_weights_,
    )


def test_weights_are_normalized_mean_agreements():
    X, _ = image(0.3)
    fitted = fitted_on(X, n_clusters=4, feature_fraction=0.5)
    labels = fitted.ensemble_.labels
    mean = np.array(
        [
            np.mean([nmi(labels[:, m], labels[:, j]) for j in range(6) if j != m])
            for m in range(6)
        ]
    )
    assert np.ptp(mean) > 0.01
    assert_allclose(fitted.clustering_weights_, mean / mean.sum(), atol=1e-12)


def test_the_reference_has_the_largest_entropy():
    X, _ = image(0.3)
    fitted = fitted_on(X, n_clusters=4, feature_fraction=0.5)
    H = [entropy(np.bincount(column)) for column in fitted.ensemble_.labels.T]
    assert fitted.reference_ == np.argmax(H)


def test_without_penalty_it_is_the_weighted_vote():
    X, _ = image(0.3)
    fitted = fitted_on(X, n_clusters=4, feature_fraction=0.5, graph_penalty=0.0)
    assert same_partition(fitted.labels_, weighted_vote(vote_of(fitted)))
    assert fitted.n_iter_ == 0


@pytest.mark.parametrize("connectivity", [None, (20, 24), "matrix"])
def test_the_energy_falls_and_is_that_of_the_labels(connectivity):
    X, _ = image(0.3)
    graph = knn_graph(X, 8) if connectivity is None else grid_graph((20, 24))
    if connectivity == "matrix":
        connectivity = graph
    fitted = fitted_on(X, n_clusters=4, graph_penalty=0.2, connectivity=connectivity)
    assert fitted.converged_
    assert fitted.n_iter_ == len(fitted.objective_) - 1 > 0
    assert (np.diff(fitted.objective_) < 0).all()
    votes = vote_of(fitted)
    start = potts_energy(weighted_vote(votes), 1 - votes, graph, 0.2)
    assert_allclose(fitted.objective_[0], start)


def test_pixels_are_clustered_better_with_their_neighbors():
    X, truth = image(0.2)
    scores = [
        adjusted_rand_score(truth, fitted_on(X, n_clusters=4, **parameters).labels_)
        for parameters in (
            {"graph_penalty": 0.0},
            {"graph_penalty": 0.3, "connectivity": (20, 24)},
        )
    ]
    assert scores[0] < 0.8
    assert scores[1] > 0.95


def test_plain_data_have_their_nearest_objects_for_neighbors():
    X, truth = make_blobs(120, centers=3, center_box=(-20, 20), random_state=1)
    for n_neighbors in (3, 500):
        fitted = fitted_on(X, n_clusters=3, n_neighbors=n_neighbors, graph_penalty=0.01)
        assert same_partition(fitted.labels_, truth)


def test_the_number_of_clusters_can_be_chosen():
    X, truth = make_blobs(120, centers=3, center_box=(-20, 20), random_state=1)
    fitted = fitted_on(X, n_clusterings=20)
    assert (fitted.ensemble_.n_clusters_each == 3).all()
    assert same_partition(fitted.labels_, truth)


def test_runs_see_some_of_the_bands_and_are_hardened():
    X, _ = image(0.3)
    fitted = fitted_on(X, n_clusters=4, feature_fraction=0.5)
    assert fitted.ensemble_.kind == "hard"
    seen = [one.model.features.how for one in fitted.generator_.members_]
    assert {len(bands) for bands in seen} == {3}
    assert len({tuple(bands) for bands in seen}) > 1
    memberships = fitted.generator_.ensemble_.membership.toarray()[:, :4]
    assert_array_equal(fitted.ensemble_.labels[:, 0], memberships.argmax(axis=1))


def test_too_few_sweeps_are_reported():
    X, _ = image(0.3)
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        fitted = fitted_on(
            X, n_clusters=4, connectivity=(20, 24), max_iter=1, graph_penalty=0.3
        )
    assert not fitted.converged_


def test_neighbors_that_do_not_fit_are_refused():
    X, _ = image(0.3)
    with pytest.raises(ComitiaError, match="100 pixels for 480 objects"):
        fitted_on(X, n_clusters=4, connectivity=(10, 10))
    with pytest.raises(ComitiaError, match="9 rows for 480 objects"):
        fitted_on(X, n_clusters=4, connectivity=grid_graph((3, 3)))
    with pytest.raises(ComitiaError, match="must be symmetric"):
        fitted_on(X, n_clusters=4, connectivity=np.triu(np.ones((480, 480))))
