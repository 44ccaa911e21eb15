import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

from comitia import Ensemble, method
from comitia.exceptions import ComitiaWarning
from comitia.methods.baselines._trajectories import (
    elite_graph,
    similarity_to_nearest,
    trajectory_similarity,
)
from comitia.partition import micro_linkage
from tests.fixtures import E6, planted, same_partition

PTA = method("pta")


def trajectories_by_loops(labels, K, T):
    """Cosines of stacked walks, one micro-object after the other."""
    rows, counts = np.unique(labels, axis=0, return_counts=True)
    u = len(rows)
    A = (rows[:, None] == rows).mean(axis=2)
    np.fill_diagonal(A, 0.0)
    kept = np.zeros_like(A)
    for a in range(u):
        least = np.sort(A[a])[-K]
        kept[a] = np.where(A[a] >= least, A[a], 0.0)
    P = np.maximum(kept, kept.T) * counts
    P /= P.sum(axis=1, keepdims=True)
    stacked = np.hstack([np.linalg.matrix_power(P, t) for t in range(1, T + 1)])
    stacked /= np.linalg.norm(stacked, axis=1, keepdims=True)
    return rows, stacked @ stacked.T


@pytest.mark.filterwarnings("ignore:walks from objects that")
def test_walks_of_e6_are_those_of_the_catalogue():
    micro, counts, _ = Ensemble(E6).distinct()
    assert_allclose(trajectory_similarity(micro, counts, 1, 1), np.eye(4), atol=1e-15)
    S = trajectory_similarity(micro, counts, 2, 2)
    expected = np.eye(4)
    expected[[0, 1, 2, 3], [2, 3, 0, 1]] = 0.322131
    assert_allclose(S, expected, atol=5e-7)  # printed to six decimals
    # Walks on this path return every second step: neighbours have nothing in common.
    found = PTA(2, n_neighbors=2, n_steps=2).fit_predict(Ensemble(E6))
    assert same_partition(found, [0, 0, 1, 0, 1, 1])


def test_similarities_are_cosines_of_stacked_walks():
    labels, _ = planted(60, 3, 5, noise=0.4, seed=0)
    rows, expected = trajectories_by_loops(labels, 3, 4)
    micro, counts, _ = Ensemble(labels).distinct()
    place = [int(np.flatnonzero((rows == row).all(axis=1))[0]) for row in micro.labels]
    got = trajectory_similarity(micro, counts, 3, 4)
    assert_allclose(got, expected[np.ix_(place, place)], atol=1e-12)


def test_neighbors_that_are_equally_near_are_all_kept():
    S = np.array(
        [[1, 0.5, 0.5, 0.2], [0.5, 1, 0, 0], [0.5, 0, 1, 0.6], [0.2, 0, 0.6, 1]]
    )
    assert_allclose(elite_graph(S, 1)[0], [0, 0.5, 0.5, 0])


def test_a_micro_object_counts_once_in_the_tree():
    distance = np.array([[0.0, 0.2, 0.6], [0.2, 0.0, 1.0], [0.6, 1.0, 0.0]])
    counts, inverse = np.array([3, 1, 1]), np.array([0, 0, 0, 1, 2])
    once = micro_linkage(distance, counts, inverse, counted=False)
    assert_allclose(once[:, 2], [0, 0, 0.2, 0.8])
    counted = micro_linkage(distance, counts, inverse)
    assert_allclose(counted[:, 2], [0, 0, 0.2, 0.7])


def test_a_planted_partition_is_found():
    labels, truth = planted(150, 4, 12, noise=0.3, seed=0)
    assert same_partition(PTA(4).fit_predict(Ensemble(labels)), truth)


def test_the_nearest_are_those_that_most_clusterings_join():
    A = np.array([[1, 0.5, 0.5, 0], [0.5, 1, 0.2, 0], [0.5, 0.2, 1, 0], [0, 0, 0, 1]])
    S = np.array([[1, 0.3, 0.6, 0], [0.3, 1, 0.9, 0], [0.6, 0.9, 1, 0], [0, 0, 0, 1]])
    # The first has two that are equally near; the last has none, and nobody asks it.
    got = similarity_to_nearest(A, S, np.array([3, 2, 1, 9]))
    assert_allclose(got, (3 * 0.6 + 2 * 0.3 + 1 * 0.6) / 6)
    assert similarity_to_nearest(np.eye(2), np.eye(2), np.array([5, 5])) == 1.0


@pytest.mark.parametrize("name", ["pta", "ptgp"])
@pytest.mark.parametrize("seed", range(3))
def test_a_warning_says_that_clear_clusters_may_fall_apart(name, seed):
    labels, _ = planted(60, 3, 8, noise=0.05, seed=seed)
    with pytest.warns(ComitiaWarning, match="Clusters may fall apart; use eac"):
        method(name)(3, random_state=0).fit(Ensemble(labels))


@pytest.mark.parametrize("name", ["pta", "ptgp"])
@pytest.mark.parametrize("load", [load_wine, load_digits])
def test_no_warning_comes_with_ordinary_ensembles(name, load):
    # A warning is an error in our tests.
    X = load().data[:300]
    X = scale(X) if load is load_wine else X
    drawn = np.random.RandomState(0).randint(2, 14, size=50)
    labels = [
        KMeans(k, n_init=1, random_state=i).fit_predict(X) for i, k in enumerate(drawn)
    ]
    method(name)(5, random_state=0).fit(Ensemble(np.transpose(labels)))
