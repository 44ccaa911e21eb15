"""SIVID: good clusterings that differ from each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import nmi
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.select import greedy_diverse
from comitia.validity import score_table
from tests.fixtures import E6, X6, same_partition

SIVID = method("sivid")
EAC = method("eac")


def noisy_blobs(seed, n_clusterings=10):
    X, _ = make_blobs(80, centers=4, cluster_std=2.0, random_state=seed)
    made = KMeansGenerator(n_clusterings, n_clusters=(2, 8), random_state=seed)
    return X, made.generate(X)


def test_the_equal_of_the_best_is_passed_over():
    fitted = SIVID(2, n_select=2).fit(X6, ensemble=Ensemble(E6))
    assert_array_equal(fitted.selected_, [True, False, True])
    quality = fitted.clustering_weights_
    assert quality[0] == quality[1] > quality[2] > 0


def test_quality_of_e6_is_worked_out_by_hand():
    # X6 has Dunn 4 and 1/8, Calinski-Harabasz 150 and 5.5; both grow with quality.
    sivid = SIVID(2, n_select=1, indices=["dunn", "calinski_harabasz"])
    fitted = sivid.fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [2, 2, 0.125 / 4 + 5.5 / 150])


def test_a_clustering_of_no_quality_is_not_kept_for_its_difference():
    # Over its range C3 is the poorest by every index: 0, as is C2's difference.
    fitted = SIVID(2, n_select=2, unification="range").fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [5, 5, 0])
    assert_array_equal(fitted.selected_, [True, True, False])


@pytest.mark.parametrize("seed", range(4))
def test_picks_are_those_of_the_definition(seed):
    X, ensemble = noisy_blobs(seed)
    fitted = SIVID(4, n_select=5).fit(X, ensemble=ensemble)
    q = score_table(X, ensemble, fitted.indices).unified("minmax").sum(axis=1)
    assert_allclose(fitted.clustering_weights_, q)
    labels = ensemble.labels.T
    kept = [int(np.argmax(q))]
    while len(kept) < 5:
        gains = {
            m: q[m] * (1 - np.mean([nmi(labels[m], labels[j]) for j in kept]))
            for m in range(10)
            if m not in kept
        }
        kept.append(max(gains, key=gains.get))
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(kept))


def test_farthest_first_looks_at_the_nearest_of_those_kept():
    phi = np.array(
        [
            [1.0, 0.0, 0.9, 0.5],
            [0.0, 1.0, 0.0, 0.5],
            [0.9, 0.0, 1.0, 0.6],
            [0.5, 0.5, 0.6, 1.0],
        ]
    )
    assert greedy_diverse(phi, 3, first=0).tolist() == [0, 1, 2]
    assert greedy_diverse(phi, 3, first=0, towards="nearest").tolist() == [0, 1, 3]


def test_all_clusterings_kept_are_evidence_accumulation():
    X, ensemble = noisy_blobs(0)
    fitted = SIVID(4, n_select=10).fit(X, ensemble=ensemble)
    assert fitted.selected_.all()
    assert_array_equal(fitted.linkage_, EAC(4).fit(ensemble).linkage_)


def test_poor_clusterings_are_left_out():
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    rng = np.random.RandomState(0)
    made = KMeansGenerator(6, n_clusters=(3, 5), random_state=0).generate(X).labels
    labels = np.column_stack([rng.randint(3, size=(90, 6)), made])
    fitted = SIVID(3, n_select=4).fit(X, ensemble=Ensemble(labels))
    assert fitted.selected_[:6].sum() <= 1
    assert same_partition(fitted.labels_, truth)


def test_the_selection_stands_in_front_of_another_consensus():
    X, ensemble = noisy_blobs(2)
    sivid = SIVID(n_select=4)
    mix = ConsensusClustering(4, selection=sivid, consensus="kmeans", random_state=0)
    fitted = mix.fit(X, ensemble=ensemble)
    assert_array_equal(np.flatnonzero(fitted.selected_), sivid.select(ensemble, X))


def test_a_selection_without_data_is_refused():
    with pytest.raises(ComitiaError, match="judges clusterings on their data; give X"):
        SIVID().select(Ensemble(E6))
