"""HGPA."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble
from comitia.methods import HGPA
from tests.fixtures import E6, same_partition

pytest.importorskip("mtkahypar")


def torn(n, k, n_clusterings, seed):
    """Clusterings of n objects in k clusters that each cut one cluster in two."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(k), n // k)
    columns = []
    for _ in range(n_clusterings):
        halves = (truth == rng.randint(k)) & (rng.rand(n) < 0.5)
        columns.append(np.where(halves, k, truth))
    return np.stack(columns, axis=1), truth


def test_e6_is_halved_at_the_cost_of_one_cluster():
    labels = HGPA(n_clusters=2).fit_predict(Ensemble(E6))
    assert same_partition(labels, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("variant", ["cut", "connectivity"])
def test_clusters_that_are_only_torn_are_put_together_again(variant):
    labels, truth = torn(200, 4, 9, 0)
    fitted = HGPA(n_clusters=4, variant=variant, random_state=0).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


def test_merged_objects_weigh_as_many():
    labels = HGPA(n_clusters=2).fit_predict(Ensemble(np.repeat(E6, 5, axis=0)))
    assert same_partition(labels, np.repeat([0, 1], 15))


def test_parts_are_balanced_unless_imbalance_allows_more():
    # Rows that all differ: a hundred objects, ten in a cluster of their own.
    truth = np.repeat([0, 1], [90, 10])
    rng = np.random.RandomState(0)
    fine = np.where(
        truth == 0, rng.randint(30, size=(40, 100)), 30 + rng.randint(3, size=(40, 100))
    )
    votes = Ensemble(np.column_stack([truth, fine.T]))
    tight = HGPA(n_clusters=2, random_state=0).fit(votes)
    assert np.bincount(tight.labels_).max() <= 53
    loose = HGPA(n_clusters=2, imbalance=0.8, random_state=0).fit(votes)
    assert np.bincount(loose.labels_).max() > 53
