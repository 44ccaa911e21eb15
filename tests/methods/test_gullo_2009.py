"""Diversity-based weights against the catalogue, and the three kinds of consensus."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.represent import bipartite_graph
from tests.fixtures import E6, planted, same_partition

Diversity = method("gullo_2009")
SCHEMES = ["single", "group", "dendrogram", "branch_length"]
MODES = ["instance", "cluster", "hybrid"]


def weights(labels, **parameters):
    return (
        Diversity(2, random_state=0, **parameters)
        .fit(Ensemble(labels))
        .clustering_weights_
    )


def test_single_weights_of_e6_are_those_of_the_catalogue():
    got = weights(E6, diversity_share=1.0)
    assert_allclose(got, [0.5, 0.5, 0], atol=1e-12)
    other = weights(E6, diversity_share=1.0, variant="individual")
    assert_allclose(other, [0.25, 0.25, 0.5], atol=1e-12)  # e is 1 : 1 : 2


def test_the_density_half_of_e6_is_that_of_a_normal():
    # d = (a, a, 0): standard scores (1, 1, -2) / sqrt(2).
    density = np.exp(-0.5 * np.array([0.5, 0.5, 2.0]))
    expected = 0.5 * np.array([0.5, 0.5, 0]) + 0.5 * density / density.sum()
    assert_allclose(weights(E6), expected, atol=1e-12)


def test_the_dendrogram_of_e6_halves():
    got = weights(E6, weighting="dendrogram")
    assert_allclose(got, [1 / 4, 1 / 4, 1 / 2], atol=1e-12)
    # Both branches below the root reach down to height 0.
    assert_allclose(weights(E6, weighting="branch_length"), got, atol=1e-12)


def test_groups_of_e6_share_their_weight():
    # Two groups differ from each other alike; {C1, C2} shares its half.
    for n_groups in (2, None):
        got = weights(E6, weighting="group", n_groups=n_groups)
        assert_allclose(got, [1 / 4, 1 / 4, 1 / 2], atol=1e-12)
    alone = weights(E6, weighting="group", n_groups=1)
    assert_allclose(alone, 1 / 3)


def test_as_many_groups_as_clusterings_are_single_weights():
    labels, _ = planted(50, 3, 6, noise=0.5, seed=0)
    single = weights(labels)
    assert_allclose(weights(labels, weighting="group", n_groups=6), single)
    assert np.ptp(single) > 1e-3


def test_the_f_measure_can_replace_nmi():
    labels, _ = planted(50, 3, 6, noise=0.5, seed=0)
    got = weights(labels, agreement="f_measure", diversity_share=1.0)
    phi = Ensemble(labels).agreement("f_measure")
    left = [
        (1 - np.delete(np.delete(phi, m, 0), m, 1))[np.triu_indices(5, 1)].sum()
        for m in range(6)
    ]
    assert_allclose(got, left / np.sum(left))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_weights_lie_on_the_simplex_and_follow_the_clusterings(scheme):
    labels, _ = planted(50, 3, 8, noise=0.5, seed=3)
    order = np.random.RandomState(0).permutation(8)
    got = weights(labels, weighting=scheme)
    assert_allclose(got.sum(), 1.0)
    assert (got >= 0).all()
    assert_allclose(weights(labels[:, order], weighting=scheme), got[order])


@pytest.mark.parametrize("scheme", SCHEMES)
def test_equal_clusterings_weigh_the_same(scheme):
    assert_allclose(weights(np.repeat(E6[:, 2:], 5, axis=1), weighting=scheme), 0.2)


@pytest.mark.parametrize("linkage_", ["single", "complete", "average", "ward"])
def test_instance_distances_are_one_minus_the_coassociation_squared(linkage_):
    labels, _ = planted(30, 3, 6, noise=0.4, seed=1)
    fitted = Diversity(3, linkage=linkage_).fit(Ensemble(labels))
    R = np.zeros((30, 30))
    for w, column in zip(fitted.clustering_weights_, labels.T, strict=True):
        R += w * (column[:, None] != column[None, :])
    S = Ensemble(labels).coassociation(fitted.clustering_weights_, dtype=np.float64)
    assert_allclose(R, 1 - S, atol=1e-12)
    tree = linkage(squareform(np.sqrt(np.maximum(R, 0))), linkage_)
    assert_allclose(fitted.linkage_[:, 2], tree[:, 2], atol=1e-7)


def test_a_meta_cluster_wins_by_the_sum_of_weights():
    labels, _ = planted(40, 3, 7, noise=0.35, seed=2)
    ensemble = Ensemble(labels)
    fitted = Diversity(3, consensus="cluster").fit(ensemble)
    B = ensemble.membership.toarray()
    n_both = B.T @ B
    size = B.sum(axis=0)
    jaccard = n_both / (size[:, None] + size[None, :] - n_both)
    tree = linkage(squareform(1 - jaccard, checks=False), "average")
    groups = fcluster(tree, 3, "maxclust") - 1
    w = fitted.clustering_weights_[ensemble.clustering_of]
    votes = np.column_stack([(B * w)[:, groups == g].sum(axis=1) for g in range(3)])
    assert same_partition(fitted.labels_, votes.argmax(axis=1))


def test_hybrid_edges_are_one_plus_the_weight(monkeypatch):
    seen = {}

    def watched(ensemble, **weights):
        seen.update(weights)
        return bipartite_graph(ensemble, **weights)

    monkeypatch.setattr(f"{Diversity.__module__}.bipartite_graph", watched)
    fitted = Diversity(2, consensus="hybrid", random_state=0).fit(Ensemble(E6))
    assert_allclose(seen["clustering_weights"], 1 + fitted.clustering_weights_)


@pytest.mark.parametrize(("scheme", "mode"), [*product(SCHEMES, MODES)])
def test_every_scheme_with_every_consensus_finds_a_planted_partition(scheme, mode):
    labels, truth = planted(150, 3, 15, noise=0.03, seed=0)
    found = Diversity(3, weighting=scheme, consensus=mode, random_state=0).fit_predict(
        Ensemble(labels)
    )
    # Trees and groups can give half of the weight to one clustering, errors and all.
    assert adjusted_rand_score(found, truth) > (1 - 1e-9 if scheme == "single" else 0.9)


def test_a_clustering_counts_once_however_often_it_is_copied():
    labels, _ = planted(60, 3, 4, noise=0.3, seed=0)
    copied = np.column_stack([labels, *[labels[:, 0]] * 5])
    once = weights(labels, weighting="dendrogram")
    often = weights(copied, weighting="dendrogram")
    assert_allclose(often[[0, 4, 5, 6, 7, 8]].sum(), once[0])
    assert_allclose(often[1:4], once[1:])


@pytest.mark.parametrize("mode", MODES)
def test_the_number_of_clusters_can_be_chosen(mode):
    labels, _ = planted(120, 4, 12, noise=0.1, seed=0)
    fitted = Diversity(consensus=mode, random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.filterwarnings("ignore:.* of the pairs of objects are in no clustering")
def test_objects_of_clusterings_without_weight_get_a_label(mode):
    labels = E6.copy()
    labels[0, :2] = -1
    fitted = Diversity(2, consensus=mode, diversity_share=1.0, random_state=0)
    assert (fitted.fit_predict(Ensemble(labels)) >= 0).all()


def test_two_clusterings_weigh_the_same():
    for scheme in SCHEMES:
        assert_allclose(weights(E6[:, 1:], weighting=scheme), 0.5)


def test_a_distance_is_no_agreement():
    with pytest.raises(ComitiaError, match="is a distance"):
        Diversity(2, agreement="variation_of_information").fit(Ensemble(E6))
