"""ACES: what differs from the consensus is kept when much does."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.represent import coassociation
from tests.fixtures import E6, planted, same_partition

ACES = method("aces")
EAC = method("eac")


def noisy(seed, noise=0.7, n_clusterings=9):
    return planted(60, 4, n_clusterings, noise=noise, seed=seed)


def test_e6_is_stable():
    fitted = ACES(n_clusters=2).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_allclose(fitted.clustering_weights_, [0, 0, 0.470459], atol=5e-7)  # printed
    assert_allclose(fitted.clustering_weights_.mean(), 0.156820, atol=5e-7)  # printed
    assert fitted.stable_
    assert fitted.selected_.all()


def test_a_stable_ensemble_is_combined_by_evidence_accumulation():
    ensemble = Ensemble(noisy(0)[0])
    fitted = ACES(n_clusters=4, threshold=1.0).fit(ensemble)
    assert_array_equal(fitted.labels_, EAC(n_clusters=4).fit_predict(ensemble))


@pytest.mark.parametrize("seed", range(4))
def test_of_an_unstable_ensemble_the_diverse_half_is_kept(seed):
    labels, _ = noisy(seed)
    fitted = ACES(n_clusters=4).fit(Ensemble(labels))
    consensus = EAC(n_clusters=4).fit_predict(Ensemble(labels))
    diversity = np.array([1 - nmi(column, consensus) for column in labels.T])
    assert_allclose(fitted.clustering_weights_, diversity, atol=1e-12)
    assert diversity.mean() > 0.5
    assert not fitted.stable_
    farthest = np.argsort(diversity)[5:]
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(farthest))


def test_the_kept_clusterings_are_linked():
    ensemble = Ensemble(noisy(1)[0])
    fitted = ACES(n_clusters=4).fit(ensemble)
    kept = ensemble.take(clusterings=fitted.selected_)
    assert_array_equal(fitted.linkage_, EAC(n_clusters=4).fit(kept).linkage_)
    # The first merges are those of the largest co-association.
    S = coassociation(kept, dtype=np.float64)
    np.fill_diagonal(S, 0.0)
    assert_allclose(fitted.linkage_[0, 2], 1 - S.max(), atol=1e-12)


def test_when_no_clustering_is_above_the_median_equals_are_kept():
    # Of one cluster all differ alike, but for the clustering that has one cluster.
    labels = np.column_stack([E6, np.zeros(6, dtype=int)])
    fitted = ACES(n_clusters=1).fit(Ensemble(labels))
    assert_allclose(fitted.clustering_weights_, [1, 1, 1, 0])
    assert_array_equal(fitted.selected_, [True, True, True, False])


def test_the_threshold_decides_what_is_stable():
    ensemble = Ensemble(noisy(2)[0])
    mean = ACES(n_clusters=4).fit(ensemble).clustering_weights_.mean()
    assert ACES(4, threshold=mean + 1e-6).fit(ensemble).stable_
    assert not ACES(4, threshold=mean - 1e-6).fit(ensemble).stable_


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(noisy(3)[0])
    mix = ConsensusClustering(4, selection=ACES(4), consensus="tcut", random_state=0)
    fitted = mix.fit(ensemble)
    assert_array_equal(fitted.selected_, ACES(4).fit(ensemble).selected_)


def test_either_half_of_a_stable_ensemble_can_be_kept():
    labels = np.column_stack([noisy(0, 0.1, 12)[0], noisy(1, 1.0, 6)[0]])
    is_junk = np.arange(18) >= 12
    ensemble = Ensemble(labels)
    assert ACES(n_clusters=4).fit(ensemble).stable_
    assert ACES(n_clusters=4).fit(ensemble).selected_.all()
    near = ACES(n_clusters=4, variant="near").fit(ensemble).selected_
    diverse = ACES(n_clusters=4, variant="diverse").fit(ensemble).selected_
    assert_array_equal(near, ~diverse)
    assert 9 <= near.sum() <= 12  # what equals the median is near
    assert not near[is_junk].any()
