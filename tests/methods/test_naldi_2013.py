"""Validity selection: several proposals, and the one that indices like best."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from comitia import ConsensusClustering, Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.methods.selection.naldi_2013 import index_distinctness
from comitia.validity import INDICES
from tests.fixtures import E6, X6, same_partition

Validity = method("naldi_2013")
EAC = method("eac")
INDEX = {"silhouette": 1, "calinski_harabasz": 1, "dunn": 1, "davies_bouldin": -1}


def noisy_blobs(seed=0, n_clusterings=12):
    X, _ = make_blobs(90, centers=5, cluster_std=2.0, random_state=seed)
    made = KMeansGenerator(n_clusterings, n_clusters=(2, 9), random_state=seed)
    return X, made.generate(X)


@pytest.mark.parametrize("index", ["dunn", "silhouette", "calinski_harabasz"])
def test_every_index_ranks_c1_and_c2_above_c3(index):
    judge = Validity(2, indices=[index], variant="single")
    fitted = judge.fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.clustering_weights_, [1, 1, 0])
    assert_array_equal(fitted.selected_, [True, False, False])
    assert same_partition(fitted.labels_, E6[:, 0])


def test_the_diverse_two_of_e6_are_c1_and_c3():
    judge = Validity(2, n_select=2, variant="diverse")
    assert judge.select(Ensemble(E6), X6).tolist() == [0, 2]


def test_two_of_e6_by_the_mean_are_c1_and_c2():
    for variant in ("mean", "weighted_mean", "single"):
        judge = Validity(2, n_select=2, variant=variant)
        assert judge.select(Ensemble(E6), X6).tolist() == [0, 1]


def scores_by_hand(X, columns, names):
    """Values of indices brought to [0, 1] over the clusterings."""
    V = np.array(
        [
            [INDEX[name] * INDICES[name].function(X, c) for name in names]
            for c in columns
        ]
    )
    span = np.ptp(V, axis=0)
    return np.where(span > 0, (V - V.min(axis=0)) / np.where(span > 0, span, 1), 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_proposals_and_winner_are_those_of_the_definition(seed):
    X, ensemble = noisy_blobs(seed)
    names = list(INDEX)
    fitted = Validity(5, indices=names, n_select=3).fit(X, ensemble=ensemble)
    V = scores_by_hand(X, ensemble.labels.T, names)
    chosen = {name: np.argsort(-V[:, j])[:3] for j, name in enumerate(names)}
    chosen["mean"] = np.argsort(-V.mean(axis=1))[:3]
    R = np.abs(np.corrcoef(V.T))
    u = 1 - (R.sum(axis=1) - 1) / 3
    chosen["weighted_mean"] = np.argsort(-V @ u)[:3]
    phi = ensemble.agreement()
    diverse = [int(np.argmax(V.mean(axis=1)))]
    while len(diverse) < 3:
        left = [m for m in range(12) if m not in diverse]
        diverse.append(min(left, key=lambda m: phi[m, diverse].mean()))
    chosen["diverse"] = diverse
    chosen["everything"] = range(12)
    consensus = [
        EAC(5).fit_predict(ensemble.take(clusterings=sorted(which)))
        for which in chosen.values()
    ]
    expected = scores_by_hand(X, consensus, names).mean(axis=1)
    assert list(fitted.proposals_) == list(chosen)
    assert_allclose(list(fitted.proposals_.values()), expected, atol=1e-10)
    assert fitted.strategy_ == list(chosen)[int(np.argmax(expected))]
    kept = np.flatnonzero(fitted.selected_)
    assert kept.tolist() == sorted(chosen[fitted.strategy_])


@pytest.mark.parametrize("variant", ["all", "single", "mean", "diverse"])
@pytest.mark.parametrize("index", [None, "silhouette"])
def test_the_consensus_never_scores_below_that_of_everything(variant, index):
    for seed in range(3):
        X, ensemble = noisy_blobs(seed)
        judge = Validity(5, variant=variant, index=index, n_select=3)
        fitted = judge.fit(X, ensemble=ensemble)
        assert fitted.proposals_["everything"] <= max(fitted.proposals_.values())
        assert fitted.proposals_[fitted.strategy_] == max(fitted.proposals_.values())
        if index is not None:
            silhouette = INDICES["silhouette"].function
            plain = EAC(5).fit_predict(ensemble)
            assert silhouette(X, fitted.labels_) >= silhouette(X, plain) - 1e-12


def test_keeping_all_is_evidence_accumulation():
    X, ensemble = noisy_blobs(1)
    fitted = Validity(5, n_select=12).fit(X, ensemble=ensemble)
    assert fitted.selected_.all()
    assert_array_equal(fitted.linkage_, EAC(5).fit(ensemble).linkage_)


def test_indices_that_say_the_same_share_their_weight():
    V = np.random.RandomState(0).rand(200, 2)
    u = index_distinctness(np.column_stack([V[:, 0], V[:, 0], 1 - V[:, 0], V[:, 1]]))
    assert_allclose(u[:3], u[0])
    assert u[3] > 2 * u[0]
    assert_allclose(index_distinctness(np.column_stack([V[:, 0]] * 3)), 1 / 3)
    assert_allclose(index_distinctness(V[:, :1]), 1.0)


def test_the_weighted_mean_weighs_indices_by_their_correlations():
    X, ensemble = noisy_blobs(0)
    names = list(INDEX)
    # Keeping all ties with everything, which gives way.
    judge = Validity(5, indices=names, n_select=12, variant="weighted_mean")
    fitted = judge.fit(X, ensemble=ensemble)
    assert fitted.strategy_ == "weighted_mean"
    V = scores_by_hand(X, ensemble.labels.T, names)
    u = 1 - (np.abs(np.corrcoef(V.T)).sum(axis=1) - 1) / 3
    assert_allclose(fitted.clustering_weights_, V @ u / u.sum(), atol=1e-12)


def test_poor_clusterings_are_left_out():
    X, truth = make_blobs(90, centers=3, cluster_std=0.5, random_state=1)
    rng = np.random.RandomState(0)
    poor = rng.randint(3, size=(90, 9))
    labels = np.column_stack([poor, truth, truth, truth])
    fitted = Validity(3).fit(X, ensemble=Ensemble(labels))
    assert_array_equal(np.flatnonzero(fitted.selected_), [9, 10, 11])
    assert same_partition(fitted.labels_, truth)


def test_the_selection_stands_in_front_of_another_consensus():
    X, ensemble = noisy_blobs(2)
    judge = Validity(5)
    mix = ConsensusClustering(5, selection=judge, consensus="tcut", random_state=0)
    fitted = mix.fit(X, ensemble=ensemble)
    assert_array_equal(np.flatnonzero(fitted.selected_), judge.select(ensemble, X))


def test_a_selection_without_data_is_refused():
    with pytest.raises(ComitiaError, match="judges clusterings on their data; give X"):
        Validity(2).select(Ensemble(E6))


def test_a_constant_index_is_distinct():
    u = index_distinctness([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.2, 0.2, 1.0]])
    assert_allclose(u, [0.25, 0.25, 0.5])
