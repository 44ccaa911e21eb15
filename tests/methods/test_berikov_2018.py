"""Hellinger distances of fuzzy clusterings, weighted by the stability of algorithms."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage as scipy_linkage
from scipy.spatial.distance import squareform
from sklearn.datasets import load_iris, make_blobs

from comitia import Ensemble, method
from comitia.config import limit
from comitia.exceptions import ComitiaWarning
from comitia.generate import FuzzyGenerator
from tests.fixtures import planted, same_partition

Method = method("berikov_2018")


def hellinger(F):
    n = len(F)
    D = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            D[i, j] = np.sqrt(np.sum((np.sqrt(F[i]) - np.sqrt(F[j])) ** 2) / 2)
    return D


def random_memberships(n, sizes, seed):
    rng = np.random.RandomState(seed)
    return [rng.dirichlet(np.ones(k) / 2, size=n) for k in sizes]


def test_distances_of_the_catalogue():
    F = [[1, 0], [0, 1], [0.5, 0.5]]
    tree = Method(2, linkage="single").fit(Ensemble.from_memberships([F])).linkage_
    # Both of the crisp objects are 0.541196 from the one between them.
    assert_allclose(tree[:, 2], 0.541196, atol=5e-7)  # printed to six decimals
    apart = Method(2).fit(Ensemble.from_memberships([F[:2]]))
    assert_allclose(apart.linkage_[:, 2], 1.0)
    same = Method(1).fit(Ensemble.from_memberships([[F[2], F[2]]]))
    assert_array_equal(same.linkage_[:, 2], 0.0)


@pytest.mark.parametrize("linkage", ["average", "single", "complete", "ward"])
def test_the_tree_stands_on_the_weighted_mean_distance(linkage):
    F = random_memberships(14, [2, 3, 4, 3, 2, 3, 3, 3, 3, 4, 3], 0)
    groups = list("aabbababbaa")
    fitted = Method(3, linkage=linkage)
    fitted.fit(Ensemble.from_memberships(F, groups=groups))
    D = [hellinger(one) for one in F]
    v, runs = [], [[0, 1, 4, 6, 9, 10], [2, 3, 5, 7, 8]]
    for own in runs:
        pairs = combinations(range(14), 2)
        v.append(np.mean([np.var([D[m][p] for m in own], ddof=1) for p in pairs]))
    w = np.array([6 / v[0], 5 / v[1]])
    w /= w.sum()
    assert_allclose(fitted.group_weights_, w)
    mean = sum(w[0] / 6 * D[m] for m in runs[0]) + sum(w[1] / 5 * D[m] for m in runs[1])
    expected = scipy_linkage(squareform(mean, checks=False), linkage)
    assert_allclose(fitted.linkage_, expected, atol=1e-9)


def test_crisp_memberships_give_berikov_2014():
    labels, _ = planted(40, 3, 9, noise=0.3, seed=0)
    groups = list("ababababb")
    crisp = [np.eye(3)[column] for column in labels.T]
    fitted = Method(3).fit(Ensemble.from_memberships(crisp, groups=groups))
    older = method("berikov_2014")(3).fit(Ensemble(labels, groups=groups))
    assert_allclose(fitted.group_weights_, older.group_weights_)
    S = Ensemble(labels).coassociation(older.clustering_weights_, dtype=np.float64)
    expected = scipy_linkage(squareform(1 - S, checks=False), "average")
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)
    hard = Method(3).fit(Ensemble(labels, groups=groups))
    assert_allclose(hard.group_weights_, fitted.group_weights_)
    assert_allclose(hard.linkage_, older.linkage_)
    assert_array_equal(hard.labels_, fitted.labels_)


def test_crisp_clusterings_need_no_matrix_and_no_order():
    labels, _ = planted(300, 3, 6, noise=0.35, seed=0)
    order = np.random.RandomState(0).permutation(300)
    with limit(10**5), pytest.warns(ComitiaWarning, match="no groups"):
        one, other = (Method(3).fit(Ensemble(rows)) for rows in (labels, labels[order]))
    assert same_partition(one.labels_[order], other.labels_)


def test_blocks_do_not_matter(monkeypatch):
    import comitia.methods.fixed_clusterings.berikov_2018 as module

    F = random_memberships(23, [2, 3, 4, 3, 2, 3, 2, 2, 3, 2], 1)
    E = Ensemble.from_memberships(F, groups=list("ababababab"))
    one = Method(3).fit(E)
    monkeypatch.setattr(module, "_BLOCK_VALUES", 50)
    other = Method(3).fit(E)
    assert_allclose(one.group_weights_, other.group_weights_)
    assert_allclose(one.linkage_, other.linkage_, atol=1e-12)


def test_missing_objects_are_compared_where_both_are():
    F = random_memberships(10, [3, 3, 2, 2], 2)
    F[0][4] = 0.0
    F[1][4] = 0.0
    E = Ensemble.from_memberships(F, groups=["one"] * 4)
    fitted = Method(2, linkage="single").fit(E)
    D = np.array([hellinger(one) for one in F])
    mean = D.mean(axis=0)
    mean[4] = mean[:, 4] = D[2:, 4].mean(axis=0)
    mean[4, 4] = 0
    expected = scipy_linkage(squareform(mean, checks=False), "single")
    assert_allclose(fitted.linkage_[:, 2], expected[:, 2], atol=1e-9)


def test_objects_that_never_meet_are_as_far_apart_as_can_be():
    labels = [[0, -1], [0, -1], [-1, 0], [-1, 0]]
    votes = Ensemble(labels, groups=["one", "one"])
    tree = Method(2).fit(votes).linkage_
    assert_allclose(tree[:, 2], [0, 0, 1])


def test_overlapping_clusters_share_their_objects():
    E = Ensemble.from_clusters([[[0, 1], [1, 2]]], 3)
    fuzzy = Ensemble.from_memberships([[[1, 0], [0.5, 0.5], [0, 1]]])
    assert_allclose(Method(2).fit(E).linkage_, Method(2).fit(fuzzy).linkage_)


def test_a_deterministic_algorithm_gets_the_floor_with_a_warning():
    same = random_memberships(12, [3], 0) * 4
    F = [*random_memberships(12, [2, 3, 3, 2], 1), *same]
    with pytest.warns(ComitiaWarning, match="hardly vary"):
        fitted = Method(3).fit(Ensemble.from_memberships(F, groups=list("aaaabbbb")))
    D = np.array([hellinger(one) for one in F[:4]])
    v = D.var(axis=0, ddof=1)[np.triu_indices(12, 1)].mean()
    ratio = fitted.group_weights_[1] / fitted.group_weights_[0]
    assert_allclose(ratio, v * 4 * 4**2)


def test_the_algorithms_of_the_default_generator_weigh_differently():
    X = load_iris().data
    generator = Method()._default_generator().set_params(n_clusterings=15)
    fitted = Method(3, generator=generator, random_state=0).fit(X)
    assert len(set(fitted.ensemble_.groups)) >= 2
    assert np.ptp(fitted.group_weights_) > 0.05


def test_real_fuzzy_clusterings_find_clear_clusters():
    X, truth = make_blobs(90, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    generator = FuzzyGenerator(8, n_clusters=(2, 6), random_state=0)
    fuzzy = Method(3, generator=generator, random_state=0)
    with pytest.warns(ComitiaWarning, match="has no groups"):
        fitted = fuzzy.fit(X)
    assert fitted.ensemble_.kind == "fuzzy"
    assert same_partition(fitted.labels_, truth)
    assert_allclose(fitted.clustering_weights_, 1 / 8)


def test_a_steady_fuzzy_algorithm_outweighs_an_erratic_one():
    X, truth = make_blobs(60, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)
    runs = [
        FuzzyGenerator(6, n_clusters=k, fuzziness=1.5, random_state=0).generate(X)
        for k in [(3, 4), (2, 9)]
    ]
    F = [
        E.membership[:, E.offsets[m] : E.offsets[m + 1]].toarray()
        for E in runs
        for m in range(6)
    ]
    E = Ensemble.from_memberships(F, groups=["steady"] * 6 + ["erratic"] * 6)
    fitted = Method(3).fit(E)
    assert fitted.group_weights_[0] > 0.6
    assert same_partition(fitted.labels_, truth)
