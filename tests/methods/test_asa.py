"""ASA: what says nearly the same as one kept is dropped."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import adjusted_rand_score

from comitia import ConsensusClustering, Ensemble, method
from comitia.methods.selection.asa import leaders
from tests.fixtures import E6, planted

ASA = method("asa")
EAC = method("eac")


def test_means_of_e6_are_those_of_the_catalogue():
    fitted = ASA(n_clusters=2).fit(Ensemble(E6))
    expected = [0.747475, 0.747475, 0.494949]
    assert_allclose(fitted.clustering_weights_, expected, atol=5e-7)  # six decimals


@pytest.mark.parametrize(
    ("threshold", "kept"), [(0.8, [0, 2]), (0.2, [2]), (0.25, [0, 2]), (1.0, [0, 1, 2])]
)
def test_the_threshold_decides_what_is_kept_of_e6(threshold, kept):
    assert_array_equal(ASA(threshold=threshold).select(Ensemble(E6)), kept)


def kept_by_loops(labels, threshold):
    M = labels.shape[1]
    R = [
        [adjusted_rand_score(labels[:, m], labels[:, j]) for j in range(M)]
        for m in range(M)
    ]
    left = sorted(range(M), key=lambda m: (round(np.mean(R[m]), 10), m))
    kept = []
    for m in left:
        if all(R[m][j] <= threshold for j in kept):
            kept.append(m)
    return sorted(kept)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("threshold", [0.3, 0.45, 0.6])
def test_no_two_that_are_kept_are_alike(seed, threshold):
    labels, _ = planted(60, 3, 12, noise=0.25, seed=seed)
    got = ASA(threshold=threshold).select(Ensemble(labels))
    assert got.tolist() == kept_by_loops(labels, threshold)


def test_a_threshold_of_one_keeps_all_and_is_evidence_accumulation():
    ensemble = Ensemble(planted(60, 3, 8, noise=0.4, seed=0)[0])
    fitted = ASA(n_clusters=3, threshold=1.0).fit(ensemble)
    assert fitted.selected_.all()
    assert_array_equal(fitted.linkage_, EAC(n_clusters=3).fit(ensemble).linkage_)


def test_repeating_a_clustering_changes_nothing():
    labels, _ = planted(60, 3, 8, noise=0.4, seed=2)
    # Copies of everything leave all means as they were.
    doubled = Ensemble(np.repeat(labels, 2, axis=1))
    one = ASA(n_clusters=3).fit(Ensemble(labels))
    two = ASA(n_clusters=3).fit(doubled)
    assert one.selected_.sum() == two.selected_.sum()
    assert_array_equal(one.labels_, two.labels_)


def test_the_selection_stands_in_front_of_another_consensus():
    ensemble = Ensemble(planted(60, 3, 12, noise=0.25, seed=1)[0])
    asa = ASA(threshold=0.45)
    mix = ConsensusClustering(3, selection=asa, consensus="kmeans", random_state=0)
    fitted = mix.fit(ensemble)
    assert 1 < fitted.selected_.sum() < 12
    assert_array_equal(np.flatnonzero(fitted.selected_), asa.select(ensemble))


def test_leaders_keep_what_equals_the_threshold():
    alike = np.array([[1.0, 0.5, 0.9], [0.5, 1.0, 0.9], [0.9, 0.9, 1.0]])
    assert leaders(alike, [0, 1, 2], 0.5).tolist() == [0, 1]
    assert leaders(alike, [2, 0, 1], 0.5).tolist() == [2]
    assert leaders(alike, [0, 1, 2], 0.4).tolist() == [0]
