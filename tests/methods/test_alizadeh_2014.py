"""Stable clusters against the numbers of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from comitia import ConsensusClustering, Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.methods.selection._cluster_stability import (
    cluster_stability,
    kept_coassociation,
)
from tests.fixtures import E6, planted, same_partition

Stable = method("alizadeh_2014")
EAC = method("eac")


def stability_by_loops(labels):
    n, M = labels.shape
    found = []
    for m in range(M):
        for r in np.unique(labels[:, m]):
            C = labels[:, m] == r
            own = C.sum() * np.log(C.mean())
            terms = []
            for j in range(M):
                joint = 0.0
                for s in np.unique(labels[:, j]):
                    both = (C & (labels[:, j] == s)).sum()
                    joint += both * np.log(both / n) if both else 0.0
                terms.append(2 * own / (own + joint) if own + joint else 1.0)
            found.append(np.mean(terms))
    return found


def similarity_by_loops(labels, kept):
    """Shares of kept clusters, from the sets of clusters that each object is in."""
    n, M = labels.shape
    names = [(m, r) for m in range(M) for r in np.unique(labels[:, m])]
    inside = [
        {c for c, (m, r) in enumerate(names) if kept[c] and labels[i, m] == r}
        for i in range(n)
    ]
    return [
        [len(a & b) / max(len(a), len(b)) if a or b else 0.0 for b in inside]
        for a in inside
    ]


def test_stability_of_e6_is_that_of_the_catalogue():
    fitted = Stable(2, threshold=0.85).fit(Ensemble(E6))
    a, c, d = 0.895110, 1.0, 0.840125
    expected = [a, a, a, a, c, d, c]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six decimals
    assert_array_equal(fitted.selected_, [1, 1, 1, 1, 1, 0, 1])


def test_similarities_of_e6_without_its_least_stable_cluster():
    S = kept_coassociation(Ensemble(E6), np.arange(7) != 5)
    assert_allclose([S[0, 2], S[2, 3], S[0, 1]], [2 / 3, 0, 1])


@pytest.mark.parametrize("seed", range(4))
def test_stability_is_its_definition(seed):
    labels = np.random.RandomState(seed).randint(0, 4, size=(30, 5))
    labels[:, 4] = 0  # one clustering has one cluster
    got = cluster_stability(Ensemble(labels))
    assert_allclose(got, stability_by_loops(labels), atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_similarity_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 4, size=(20, 4))
    ensemble = Ensemble(labels)
    kept = rng.rand(ensemble.n_clusters_total) < 0.4
    S = kept_coassociation(ensemble, kept)
    wanted = np.array(similarity_by_loops(ensemble.labels, kept))
    by_all = np.array(similarity_by_loops(ensemble.labels, np.ones_like(kept)))
    alone = np.diag(wanted) == 0  # in no cluster that was kept
    wanted = np.where(alone | alone[:, None], by_all, wanted)
    assert_allclose(S, wanted, atol=1e-12)


def test_the_cluster_of_all_objects_is_stable_towards_its_like_alone():
    one = np.zeros((6, 1), dtype=int)
    assert_allclose(cluster_stability(Ensemble(np.hstack([one, one]))), 1.0)
    got = cluster_stability(Ensemble(np.hstack([one, E6[:, :1]])))
    assert_allclose(got[0], 0.5)


def test_objects_in_no_kept_cluster_are_compared_by_all_clusters():
    # Only {0, 1} and {4, 5} are kept; 2 and 3 must not stand alone.
    fitted = Stable(2, threshold=0.9).fit(Ensemble(E6))
    assert_array_equal(np.flatnonzero(fitted.selected_), [4, 6])
    assert same_partition(fitted.labels_, E6[:, 0])
    S = kept_coassociation(Ensemble(E6), fitted.selected_)
    assert_allclose(S[2], [2 / 3, 2 / 3, 1, 1 / 3, 0, 0])
    assert_allclose(S[:, 2], S[2])
    assert_allclose(S[0], [1, 1, 2 / 3, 0, 0, 0])
    assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    assert (fitted.confidence_ > 0.5).all()


def test_a_threshold_that_keeps_nothing_is_refused():
    labels = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    with pytest.raises(ComitiaError, match=r"threshold=0.9 keeps no cluster; .* 0.83"):
        Stable(2, threshold=0.9).fit(labels)


def test_missing_labels_are_not_held_against_a_cluster():
    labels = np.repeat(E6[:, :1], 3, axis=1)
    labels[0, 1] = labels[5, 2] = -1
    assert_allclose(cluster_stability(Ensemble(labels)), 1.0)


def test_sharp_fuzzy_clusterings_count_as_hard_ones():
    labels = planted(40, 3, 5, noise=0.3, seed=2)[0]
    ensemble = Ensemble(labels)
    sharp = [np.eye(3)[column] for column in ensemble.labels.T]
    fuzzy = Ensemble.from_memberships(sharp)
    assert_allclose(cluster_stability(fuzzy), cluster_stability(ensemble), atol=1e-12)
    # The heights of single linkage do not depend on how ties are broken.
    stable = Stable(3, linkage="single")
    one, other = clone(stable).fit(ensemble), clone(stable).fit(fuzzy)
    assert_array_equal(one.selected_, other.selected_)
    assert_allclose(one.linkage_[:, 2], other.linkage_[:, 2], atol=1e-12)


def test_overlapping_clusterings_are_refused():
    overlapping = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)
    with pytest.raises(ComitiaError, match="overlapping"):
        Stable(2).fit(overlapping)


def test_another_consensus_combines_the_clusters_kept():
    ensemble = Ensemble(planted(60, 3, 8, noise=0.2, seed=1)[0])
    stable = Stable()
    fitted = ConsensusClustering(3, selection=stable).fit(ensemble)
    kept = stable.select_clusters(ensemble)
    assert 0 < len(kept) < ensemble.n_clusters_total
    assert fitted.selected_[kept].all()


@pytest.mark.parametrize("id", ["alizadeh_2014", "abbasi_2019"])
@pytest.mark.parametrize("sizes", [None, [1, 1, 2, 5, 10]])
def test_large_clusters_are_not_lost_to_small_ones(id, sizes):
    labels, truth = planted(400, 5, 30, noise=0.3, seed=0, sizes=sizes)
    fitted = method(id)(5).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


@pytest.mark.parametrize("id", ["alizadeh_2014", "abbasi_2019"])
def test_every_object_keeps_half_of_its_clusters_and_junk_goes_first(id):
    labels, _ = planted(120, 3, 20, noise=0.2, seed=0)
    junk = np.random.RandomState(0).randint(3, size=(120, 8))
    ensemble = Ensemble(np.hstack([labels, junk]))
    fitted = method(id)(3).fit(ensemble)
    kept = fitted.selected_
    assert (ensemble.membership @ kept.astype(float)).min() >= 14
    is_junk = ensemble.clustering_of >= 20
    assert not kept.all()
    assert kept[~is_junk].mean() > kept[is_junk].mean()
    assert fitted.cluster_weights_[kept].min() > fitted.cluster_weights_[~kept].max()
