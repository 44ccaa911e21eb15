"""Stability of clusters, and similarity by those kept."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.selection._cluster_stability import (
    cluster_stability,
    edited_stability,
    kept_coassociation,
)
from tests.fixtures import E6, planted

STABILITIES = [cluster_stability, edited_stability]


@pytest.mark.parametrize("stability", STABILITIES)
def test_order_and_names_do_not_matter(stability):
    labels, _ = planted(50, 3, 6, noise=0.3, seed=0)
    expected = stability(Ensemble(labels))
    order = np.random.RandomState(0).permutation(50)
    # Clusters are numbered by their labels, which a shuffle of objects keeps.
    assert_allclose(stability(Ensemble(labels[order])), expected, atol=1e-12)
    renamed = stability(Ensemble(2 - labels))
    assert_allclose(np.sort(renamed), np.sort(expected), atol=1e-12)


@pytest.mark.parametrize("stability", STABILITIES)
def test_stability_lies_between_zero_and_one(stability):
    for seed in range(5):
        labels = np.random.RandomState(seed).randint(-1, 5, size=(40, 6))
        values = stability(Ensemble(labels))
        assert (values >= 0).all()
        assert (values <= 1 + 1e-12).all()


@pytest.mark.parametrize("stability", STABILITIES)
def test_missing_labels_leave_the_objects_of_both_clusterings(stability):
    labels, _ = planted(60, 3, 2, noise=0.3, seed=1)
    partial = labels.copy()
    partial[:10, 0] = partial[50:, 1] = -1
    both = Ensemble(labels[10:50])
    got = stability(Ensemble(partial))
    # Each clustering still agrees with itself on all its objects, as here.
    assert_allclose(got, stability(both), atol=1e-12)


@pytest.mark.parametrize("stability", STABILITIES)
def test_clusterings_that_share_no_object_say_nothing_of_each_other(stability):
    labels = np.full((8, 2), -1)
    labels[:4, 0] = labels[4:, 1] = [0, 0, 1, 1]
    assert_allclose(stability(Ensemble(labels)), 1.0)


@pytest.mark.parametrize("stability", STABILITIES)
def test_overlapping_clusterings_are_refused(stability):
    with pytest.raises(ComitiaError, match="overlapping"):
        stability(Ensemble.from_clusters([[[0, 1], [1, 2]]], 3))


def test_all_clusters_give_the_plain_coassociation():
    ensemble = Ensemble(planted(40, 3, 5, noise=0.3, seed=0)[0])
    S = kept_coassociation(ensemble, np.ones(ensemble.n_clusters_total, dtype=bool))
    assert_allclose(S, ensemble.coassociation(dtype=np.float64), atol=1e-12)


def test_similarity_is_symmetric_and_one_for_an_object_itself():
    ensemble = Ensemble(planted(40, 3, 5, noise=0.3, seed=0)[0])
    kept = np.random.RandomState(0).rand(ensemble.n_clusters_total) < 0.3
    assert not (ensemble.membership @ kept.astype(float) > 0).all()
    S = kept_coassociation(ensemble, kept)
    assert_allclose(S, S.T)
    assert_allclose(np.diag(S), 1.0)


def test_overlapping_clusters_count_each():
    # Objects 0 and 1 share one of the two clusters that hold 1.
    ensemble = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)
    S = kept_coassociation(ensemble, [True, True])
    assert_allclose(S, [[1, 0.5, 0], [0.5, 1, 0.5], [0, 0.5, 1]])


@pytest.mark.parametrize("kept", [[True] * 6, np.arange(7), np.ones(7)])
def test_a_mask_of_another_kind_is_refused(kept):
    with pytest.raises(ComitiaError, match="True or False for each of 7 clusters"):
        kept_coassociation(Ensemble(E6), kept)
