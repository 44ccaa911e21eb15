"""Edited stability of clusters against the numbers of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import nmi
from comitia.methods.selection._cluster_stability import (
    edited_stability,
    kept_coassociation,
)
from tests.fixtures import E6, planted, same_partition

Edited = method("abbasi_2019")
EAC = method("eac")


def stability_by_loops(labels):
    n, M = labels.shape
    found = []
    for m in range(M):
        for r in np.unique(labels[:, m]):
            C = labels[:, m] == r
            terms = []
            for j in range(M):
                P = np.zeros(n, dtype=bool)
                for s in np.unique(labels[:, j]):
                    other = labels[:, j] == s
                    if (C & other).sum() > other.sum() / 2:
                        P |= other
                terms.append(nmi(C.astype(int), P.astype(int)))
            found.append(np.mean(terms))
    return found


def test_stability_of_e6_is_that_of_the_catalogue():
    fitted = Edited(2, threshold=0.7).fit(Ensemble(E6))
    a, c, d = 0.826380, 0.652759, 1 / 3
    expected = [a, a, a, a, c, d, c]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six decimals
    assert_array_equal(fitted.selected_, [1, 1, 1, 1, 0, 0, 0])
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [2, 5])
def test_stability_is_its_definition(seed, k):
    labels, _ = planted(40, k, 6, noise=0.4, seed=seed)
    got = edited_stability(Ensemble(labels))
    names = Ensemble(labels).labels
    assert_allclose(got, stability_by_loops(names), atol=1e-12)


def test_half_of_a_cluster_is_not_more_than_half():
    # {0, 1, 2} has one of two objects of {2, 3}: its union is {0, 1}.
    got = edited_stability(Ensemble(E6[:, [0, 2]]))
    assert_allclose(got[0], (1 + nmi([1, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])) / 2)


def test_the_cluster_of_all_objects_is_stable():
    one = np.zeros((6, 1), dtype=int)
    got = edited_stability(Ensemble(np.hstack([one, E6])))
    assert_allclose(got[0], 1.0)
    # A clustering of one cluster supports no other cluster: its union is empty.
    assert_allclose(got[1], 0.826380 * 3 / 4, atol=5e-7)  # printed to six decimals


def test_the_tree_is_that_of_the_clusters_kept():
    ensemble = Ensemble(planted(30, 3, 7, noise=0.3, seed=1)[0])
    fitted = Edited(3, linkage="single").fit(ensemble)
    S = kept_coassociation(ensemble, fitted.selected_)
    np.fill_diagonal(S, 0.0)
    assert_allclose(fitted.linkage_[0, 2], 1 - S.max(), atol=1e-12)
    of_objects = fitted.cluster_weights_[ensemble.labels + ensemble.offsets[:-1]]
    threshold = np.median(of_objects, axis=1).min()
    assert_array_equal(fitted.selected_, fitted.cluster_weights_ >= threshold)


def test_missing_labels_are_not_held_against_a_cluster():
    labels = np.repeat(E6[:, :1], 3, axis=1)
    labels[0, 1] = labels[5, 2] = -1
    assert_allclose(edited_stability(Ensemble(labels)), 1.0)


def test_sharp_fuzzy_clusterings_count_as_hard_ones():
    ensemble = Ensemble(planted(40, 3, 5, noise=0.3, seed=2)[0])
    fuzzy = Ensemble.from_memberships([np.eye(3)[c] for c in ensemble.labels.T])
    assert_allclose(edited_stability(fuzzy), edited_stability(ensemble), atol=1e-12)


def test_torn_clusters_are_left_out():
    good, truth = planted(80, 4, 8, noise=0.02, seed=3)
    poor, _ = planted(80, 4, 4, noise=1.0, seed=4)
    fitted = Edited(4).fit(Ensemble(np.hstack([good, poor])))
    assert not fitted.selected_[32:].any()
    assert same_partition(fitted.labels_, truth)
