import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.methods.fixed_clusters.banerjee_2021 import cluster_containment
from comitia.partition import hac
from tests.fixtures import E6, planted, same_partition

Banerjee = method("banerjee_2021")


def test_weights_of_e6_are_those_of_the_catalogue():
    fitted = Banerjee(2).fit(Ensemble(E6))
    expected = [0.962224] * 4 + [0.913837, 0.783381, 0.913837]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six decimals
    assert same_partition(fitted.labels_, E6[:, 0])


def test_the_printed_form_keeps_the_worst_cluster_alone():
    fitted = Banerjee(2, variant="printed", threshold=0.0).fit(Ensemble(E6))
    expected = [0, 0, 0, 0, 0, 0.480750, 0]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six decimals
    floored = Banerjee(2, variant="printed").fit(Ensemble(E6))
    # b' is disjoint from a: half of the objects at the floor, and so on.
    exponent = (3 * np.log(1e-3) + 2 * np.log(0.5) + 2 * np.log(1e-3)) / 6 / 3
    assert_allclose(floored.cluster_weights_[0], np.exp(exponent))
    assert floored.cluster_weights_.argmax() == 5


def test_the_tree_is_that_of_the_weighted_coassociation():
    labels, _ = planted(30, 3, 5, noise=0.4, seed=0)
    E = Ensemble(labels)
    fitted = Banerjee(3).fit(E)
    B, w = E.membership.toarray(), fitted.cluster_weights_
    S = (B * w) @ B.T / 5
    expected = hac(squareform(1.0 - S, checks=False), "average")
    # Weights are rounded to integers inside, to nine decimals.
    assert_allclose(cophenet(fitted.linkage_), cophenet(expected), atol=1e-8)


@pytest.mark.parametrize("variant", ["entropy", "printed", "meeting"])
def test_identical_clusterings_give_weights_of_one_and_become_eac(variant):
    truth = np.repeat([0, 1, 2], [4, 6, 8])
    same = Ensemble(np.repeat(truth[:, None], 3, axis=1))
    fitted = Banerjee(3, variant=variant, threshold=1.0).fit(same)
    assert_array_equal(fitted.cluster_weights_, 1.0)
    plain = method("eac")(3).fit(same)
    assert_allclose(fitted.linkage_, plain.linkage_)
    assert same_partition(fitted.labels_, truth)


def test_weights_that_all_vanish_become_equal_with_a_warning():
    truth = np.repeat([0, 1, 2], [4, 6, 8])
    same = Ensemble(np.repeat(truth[:, None], 3, axis=1))
    with pytest.warns(ComitiaWarning):
        fitted = Banerjee(3, variant="printed", threshold=0.0).fit(same)
    assert_allclose(fitted.cluster_weights_, 1.0)
    assert same_partition(fitted.labels_, truth)


def test_fuzzy_clusterings_are_taken():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1], 10)
    share = np.where(truth == 0, 0.85, 0.15) + 0.1 * rng.rand(3, 20) - 0.05
    soft = Ensemble.from_memberships([np.stack([s, 1 - s], axis=1) for s in share])
    assert same_partition(Banerjee(2).fit_predict(soft), truth)


def test_a_planted_partition_is_found_and_counted():
    labels, truth = planted(150, 3, 15, noise=0.2, seed=0)
    fitted = Banerjee().fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def some(missing, seed=0):
    labels, _ = planted(30, 4, 5, noise=0.5, seed=seed)
    labels[np.random.RandomState(seed).rand(30, 5) < missing] = -1
    labels[0] = [9, -1, 9, 9, 0]  # clusters of one object
    return Ensemble(labels)


def containment_by_loops(E, variant, floor):
    B, M, seen = E.membership.toarray(), E.n_clusterings, E.labels >= 0
    weights = []
    for c in range(E.n_clusters_total):
        exponent = 0.0
        for d in range(E.n_clusters_total):
            if E.clustering_of[c] == E.clustering_of[d]:
                continue
            both = seen[:, E.clustering_of[c]] & seen[:, E.clustering_of[d]]
            n, size = both.sum(), B[both, d].sum()
            if size == 0:
                continue
            p = (B[:, c] * B[:, d]).sum() / size
            if variant == "printed":
                exponent += size / n * np.log(max(p, floor)) / M
            elif variant == "meeting" and p > 0:
                exponent += size / n * np.log(p) / M
            elif p > 0:
                exponent += size / n * p * np.log(p) / M
        weights.append(np.exp(exponent))
    return weights


@pytest.mark.parametrize("variant", ["entropy", "printed", "meeting"])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_containment_is_its_definition(variant, missing):
    E = some(missing)
    got = cluster_containment(E, variant, floor=0.01)
    assert_allclose(got, containment_by_loops(E, variant, 0.01), rtol=1e-12)


def test_containments_of_e6_are_those_of_the_catalogue():
    got = cluster_containment(Ensemble(E6))
    expected = [0.962224] * 4 + [0.913837, 0.783381, 0.913837]
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals
    printed = cluster_containment(Ensemble(E6), "printed", floor=0)
    assert_allclose(printed, [0, 0, 0, 0, 0, 0.480750, 0], atol=5e-7)


def test_containment_is_one_where_others_lie_inside_or_outside():
    nested = Ensemble([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]])
    assert_array_equal(cluster_containment(nested)[:2], 1.0)
    assert (cluster_containment(nested)[2:4] < 1).all()


def test_a_floor_that_is_no_share_is_refused():
    with pytest.raises(ComitiaError, match="floor=2 must lie between 0 and 1"):
        cluster_containment(Ensemble(E6), floor=2)


def test_disjoint_clusters_do_not_count_when_those_that_meet_are_summed():
    fitted = Banerjee(2, variant="meeting").fit(Ensemble(E6))
    # Cluster 000 meets its copy, half of the second cluster of 001122 and the first.
    half = np.exp(2 / 6 * np.log(1 / 2) / 3)
    # That cluster in turn meets a third of both halves, in two clusterings.
    third = np.exp(4 * 3 / 6 * np.log(1 / 3) / 3)
    assert_allclose(fitted.cluster_weights_[[0, 5]], [half, third])
    assert same_partition(fitted.labels_, E6[:, 0])
