from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.methods.baselines.kmodes_consensus import KModesConsensus
from tests.fixtures import E6, planted, same_partition


def mismatches(labels, partition, w):
    return sum(
        w[m] * ((partition == r).sum() - np.bincount(labels[partition == r, m]).max())
        for r in np.unique(partition)
        for m in range(labels.shape[1])
    )


def test_two_clusters_of_e6_differ_in_two_labels():
    fitted = KModesConsensus(2, random_state=0).fit(Ensemble(E6))
    # Objects 2 and 3 differ from the modes in C3; each clustering weighs a third.
    assert_allclose(fitted.objective_[-1], 2 / 3)
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("seed", range(3))
def test_the_fewest_mismatches_of_all_two_partitions_are_found(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, size=(8, 4))
    w = rng.dirichlet(np.ones(4))
    fitted = KModesConsensus(2, clustering_weights=w, n_init=60, random_state=0).fit(
        Ensemble(labels)
    )
    assert_allclose(fitted.clustering_weights_, w)
    least = min(
        mismatches(labels, np.array((0, *rest)), w)
        for rest in product((0, 1), repeat=7)
    )
    assert_allclose(fitted.objective_[-1], least)
    assert_allclose(mismatches(labels, fitted.labels_, w), least)


def test_the_objective_never_rises():
    labels, _ = planted(800, 8, 12, noise=0.75, seed=0)
    fitted = KModesConsensus(8, n_init=1, random_state=0).fit(Ensemble(labels))
    assert fitted.n_iter_ == len(fitted.objective_) > 1
    assert (np.diff(fitted.objective_) <= 1e-9).all()


def test_planted_clusters_are_found_and_counted():
    labels, truth = planted(600, 4, 15, noise=0.3, seed=1)
    fitted = KModesConsensus(random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(4))
    assert right > 0.98 * 600
