"""What several methods on labels keep to, each in the same test."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, config, method
from comitia.exceptions import ComitiaError, MemoryBudgetError
from tests.fixtures import E6, planted, same_partition

# Cuts of graphs whose vertices are clusters.
CUTS = ["ecpcs_mc", "gp_mgla", "lwgp", "lwmc"]

each_cut = pytest.mark.parametrize("id", CUTS)
each_stability = pytest.mark.parametrize("id", ["abbasi_2019", "alizadeh_2014"])
each_joint_learner = pytest.mark.parametrize("id", ["spce", "trce"])


@each_cut
@pytest.mark.parametrize("k", [3, 6])
def test_planted_clusters_are_found_and_counted(id, k):
    labels, truth = planted(600, k, 15, noise=0.3, seed=k)
    fitted = method(id)(random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == k
    assert adjusted_rand_score(truth, fitted.labels_) > 0.95


@each_cut
def test_more_clusters_than_the_ensemble_has_are_refused(id):
    votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 0]])
    with pytest.raises(ComitiaError, match=r"n_clusters=5 .* at most 4"):
        method(id)(n_clusters=5).fit(votes)


@pytest.mark.parametrize("id", ["awec", "drec", "ec_cms", "trce", "wsnng"])
def test_the_memory_budget_is_asked_first(id):
    labels, _ = planted(400, 3, 6, noise=0.5, seed=0)
    with config.limit("1 MB"), pytest.raises(MemoryBudgetError, match="lwgp"):
        method(id)(3).fit(Ensemble(labels))


@pytest.mark.parametrize("id", ["cspa", "hbgf", "hgpa"])
def test_the_weights_decide_between_clusterings(id):
    if id == "hgpa":
        pytest.importorskip("mtkahypar")
    votes = Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]])
    for m, weights in enumerate([[0.9, 0.1], [0.1, 0.9]]):
        fitted = method(id)(n_clusters=2, clustering_weights=weights).fit(votes)
        assert same_partition(fitted.labels_, votes.labels[:, m])
        assert_allclose(fitted.clustering_weights_, weights)


@each_joint_learner
@pytest.mark.parametrize("seed", range(3))
def test_objects_with_few_labels_are_found(id, seed):
    labels, truth = planted(90, 3, 20, noise=0.05, seed=11 + seed)
    rng = np.random.RandomState(seed)
    for n_labels, i in enumerate(rng.choice(90, 6, replace=False)):
        labels[i, rng.permutation(20)[1 + n_labels // 2 :]] = -1
    fitted = method(id)(3).fit(Ensemble(labels))
    assert adjusted_rand_score(truth, fitted.labels_) > 0.9


@each_joint_learner
def test_clusterings_far_from_the_rest_count_less(id):
    labels, truth = planted(120, 3, 6, noise=0.15, seed=0)
    junk = np.random.RandomState(0).randint(0, 3, size=(120, 3))
    fitted = method(id)(3).fit(Ensemble(np.hstack([labels, junk])))
    w = fitted.clustering_weights_
    assert w[6:].max() < w[:6].min()
    assert same_partition(fitted.labels_, truth)


@each_stability
def test_all_clusters_kept_are_evidence_accumulation(id):
    ensemble = Ensemble(planted(50, 3, 8, noise=0.3, seed=0)[0])
    fitted = method(id)(3, threshold=0.0).fit(ensemble)
    assert fitted.selected_.all()
    plain = method("eac")(3).fit(ensemble)
    assert_allclose(fitted.linkage_[:, 2], plain.linkage_[:, 2], atol=1e-12)
    assert same_partition(fitted.labels_, plain.labels_)


@each_stability
def test_equally_stable_clusters_are_all_kept(id):
    same = Ensemble(np.repeat(E6[:, :1], 4, axis=1))
    fitted = method(id)(2).fit(same)
    assert_allclose(fitted.cluster_weights_, 1.0)
    assert fitted.selected_.all()


@pytest.mark.parametrize("id", ["nmf_consensus", "wcc", "wgnmf"])
def test_fuzzy_clusterings_can_be_combined(id):
    labels, truth = planted(120, 3, 8, 0.1, 3)
    fuzzy = [0.8 * np.eye(3)[column] + 0.2 / 3 for column in labels.T]
    fitted = method(id)(3, random_state=0).fit(Ensemble.from_memberships(fuzzy))
    assert same_partition(fitted.labels_, truth)


@pytest.mark.parametrize(("id", "share"), [("dias", 0.05), ("wcc", 0.5)])
def test_a_clustering_of_noise_gets_little_weight(id, share):
    labels, truth = planted(200, 3, 8, 0.1, 2)
    labels[:, 0] = np.random.RandomState(0).randint(3, size=200)
    fitted = method(id)(3, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)
    assert fitted.clustering_weights_[0] < share * fitted.clustering_weights_[1:].min()
