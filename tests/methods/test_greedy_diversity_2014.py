"""Diversity first, until the consensus would get worse."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import adjusted_rand
from comitia.exceptions import ComitiaWarning
from comitia.methods.selection.greedy_diversity_2014 import distance_profiles
from comitia.validity.centers import centroid_separation_ratio
from tests.fixtures import E6, X6, same_partition
from tests.methods._planted import corners

blobs = partial(corners, n=45, n_clusterings=8)

Greedy = method("greedy_diversity_2014")


def profiles_by_loops(X, labels, reference, k):
    """Shares of the mean distances for every alignment; the best overlap counts."""
    from itertools import permutations

    G = []
    for column in labels.T:
        names = max(
            permutations(range(k)), key=lambda p: sum(np.array(p)[column] == reference)
        )
        d = np.array(
            [
                [
                    np.mean(
                        [np.linalg.norm(x - y) for y in X[np.array(names)[column] == r]]
                    )
                    for r in range(k)
                ]
                for x in X
            ]
        )
        G.append(d / d.sum(axis=1, keepdims=True))
    return np.array(G)


def test_the_shares_of_x6_are_those_of_the_catalogue():
    G = distance_profiles(X6, Ensemble(E6[:, :1]), E6[:, 0])
    assert_allclose(G[0, 0], [1 / 12, 11 / 12])
    assert_array_equal(G[:, 0].argmin(axis=1), E6[:, 0])
    # The erratum: the largest share is that of the farthest cluster.
    assert_array_equal(G[:, 0].argmax(axis=1), 1 - E6[:, 0])


def test_diversity_of_e6():
    fitted = Greedy().fit(X6, ensemble=Ensemble(E6))
    expected = 1 - np.array([1 + 8 / 33, 1 + 8 / 33, 16 / 33]) / 2
    assert_allclose(fitted.clustering_weights_, expected)


@pytest.mark.parametrize("seed", range(4))
def test_the_selection_is_its_definition(seed):
    X, ensemble, _ = blobs(seed, spread=5.0, noise=0.4)
    labels = ensemble.labels
    fitted = Greedy(3).fit(X, ensemble=ensemble)
    others = [[c for c in range(8) if c != m] for m in range(8)]
    diversity = np.array(
        [
            1 - np.mean([adjusted_rand(labels[:, m], labels[:, c]) for c in rest])
            for m, rest in enumerate(others)
        ]
    )
    assert_allclose(fitted.clustering_weights_, diversity)
    order = np.argsort(-diversity)
    G = profiles_by_loops(X, labels, labels[:, order[0]], 3)
    last, kept, found = -np.inf, [], None
    for n_kept in range(1, 9):
        consensus = G[order[:n_kept]].sum(axis=0).argmin(axis=1)
        quality = centroid_separation_ratio(X, consensus)
        if quality < last:
            break
        last, kept, found = quality, order[:n_kept], consensus
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(kept))
    assert same_partition(fitted.labels_, found)
    assert_allclose(fitted.quality_[-1], last)
    assert (np.diff(fitted.quality_) >= 0).all()


def test_some_selection_stops_early_and_some_does_not():
    kept = {
        int(Greedy(3).fit(X, ensemble=E).selected_.sum())
        for X, E, _ in (blobs(seed, spread=5.0, noise=0.4) for seed in range(6))
    }
    assert len(kept) > 1


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    X, ensemble, truth = blobs(seed, spread=1.0)
    assert same_partition(Greedy(3).fit_predict(X, ensemble=ensemble), truth)


def test_other_numbers_of_clusters_are_aligned():
    X, ensemble, truth = blobs(0, spread=1.0)
    mixed = np.column_stack([ensemble.labels, truth > 0, np.arange(45) % 5])
    fitted = Greedy(3).fit(X, ensemble=Ensemble(mixed))
    assert fitted.n_clusters_ == 3
    # Two labels have no cluster of the last but one, which has none of the third.
    G = distance_profiles(X, Ensemble(mixed), truth)
    assert (G[:, 8] == 1.0).any(axis=1).all()
    assert_allclose(G[:, 8].min(axis=1) + np.sort(G[:, 8])[:, 1], 1.0)
    # Nobody has four clusters: the label rows have.
    with pytest.warns(ComitiaWarning, match="only 3 of n_clusters=4"):
        Greedy(4, random_state=0).fit(X, ensemble=ensemble)


def test_objects_that_a_clustering_leaves_out_are_placed_by_distance():
    labels = np.array([0, 0, -1, 1, 1, 1])[:, None]
    found = Greedy(2).fit_predict(X6, ensemble=Ensemble(np.hstack([labels, E6[:, :1]])))
    assert same_partition(found, E6[:, 0])


def test_objects_in_one_place_are_one_cluster_of_equal_shares():
    G = distance_profiles(np.zeros((6, 1)), Ensemble(E6[:, :1]), E6[:, 0])
    assert_array_equal(G, 0.5)


def test_one_cluster_keeps_all():
    fitted = Greedy(1, random_state=0).fit(X6, ensemble=Ensemble(E6))
    assert fitted.n_clusters_ == 1
    assert fitted.selected_.all()


def test_the_selection_stands_in_front_of_another_consensus():
    X, ensemble, _ = blobs(1, spread=5.0, noise=0.4)
    mix = ConsensusClustering(3, selection=Greedy(3)).fit(X, ensemble=ensemble)
    kept = Greedy(3).fit(X, ensemble=ensemble).selected_
    assert_array_equal(mix.selected_, kept)
