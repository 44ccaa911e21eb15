"""Dendrograms are kept, and their mean becomes one."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform
from sklearn.cluster import AgglomerativeClustering

from comitia import method
from comitia.exceptions import ComitiaError
from comitia.methods.selection import zheng_2014
from comitia.methods.selection.zheng_2014 import read_dendrograms, tree_distances
from tests.fixtures import E6, X6, is_ultrametric, same_partition

Selection = method("zheng_2014")


def forest(seed, n=20, n_trees=7):
    rng = np.random.RandomState(seed)
    X = np.r_[rng.randn(n // 2, 4), rng.randn(n - n // 2, 4) + 4.0]
    how = ["single", "average", "complete"]
    return [
        linkage(X[:, rng.choice(4, 2, replace=False)], how[m % 3])
        for m in range(n_trees)
    ]


def scaled(tree):
    D = squareform(cophenet(tree))
    return D / D.max()


def test_equal_trees_alone_have_no_distance():
    trees = [
        linkage(X6, "single"),
        linkage(3 * X6 + 1, "single"),
        linkage(X6, "average"),
    ]
    d = Selection(2).fit(trees).tree_distances_
    assert_allclose(d[0, 1], 0, atol=1e-12)  # the same tree on another scale
    assert d[0, 2] > 0.01


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_tree_distances_are_those_of_cophenetic_matrices(metric):
    trees = forest(0)
    fitted = Selection(2, metric=metric).fit(trees)
    norm = np.linalg.norm if metric == "euclidean" else lambda D: np.abs(D).sum()
    expected = [[norm(scaled(a) - scaled(b)) for b in trees] for a in trees]
    assert_allclose(fitted.tree_distances_, expected, atol=1e-12)
    assert_allclose(fitted.clustering_weights_, np.sum(expected, axis=1) / 6)


def test_worked_distances(monkeypatch):
    # d12 = 1, d13 = d23 = 4: the medoid is tree 1, of equals the first; then tree 3.
    d = np.array([[0, 1, 4], [1, 0, 4], [4, 4, 0]], dtype=float)
    monkeypatch.setattr(zheng_2014, "tree_distances", lambda *_: d)
    trees = forest(1, n_trees=3)
    kept = {
        n: Selection(2, n_select=n, variant="farthest").fit(trees).selected_
        for n in (1, 2, 3)
    }
    assert_array_equal(kept[1], [True, False, False])
    assert_array_equal(kept[2], [True, False, True])
    assert_array_equal(kept[3], [True, True, True])
    medoids = Selection(2, n_select=2).fit(trees).selected_
    assert_array_equal(medoids, [True, False, True])


@pytest.mark.parametrize("seed", range(4))
def test_farthest_first_is_its_definition(seed):
    fitted = Selection(2, n_select=4, variant="farthest").fit(forest(seed))
    d = fitted.tree_distances_
    kept = [int(d.sum(axis=1).argmin())]
    while len(kept) < 4:
        nearest = d[:, kept].min(axis=1)
        nearest[kept] = -1
        kept.append(int(nearest.argmax()))
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(kept))


@pytest.mark.parametrize("seed", range(4))
def test_medoids_are_closest_to_all(seed):
    from itertools import combinations

    fitted = Selection(2, n_select=2).fit(forest(seed))
    d = fitted.tree_distances_
    costs = {p: d[:, p].min(axis=1).sum() for p in combinations(range(7), 2)}
    kept = tuple(np.flatnonzero(fitted.selected_).tolist())
    # No swap of one medoid is better, and with two of seven none of both either.
    assert costs[kept] <= min(costs.values()) * 1.1


@pytest.mark.parametrize("how", ["average", "single", "complete"])
def test_the_result_is_the_tree_of_the_mean(how):
    trees = forest(2)
    fitted = Selection(2, n_select=3, linkage=how).fit(trees)
    kept = [trees[m] for m in np.flatnonzero(fitted.selected_)]
    mean = np.mean([scaled(tree) for tree in kept], axis=0)
    expected = linkage(squareform(mean, checks=False), how)
    assert_allclose(cophenet(fitted.linkage_), cophenet(expected), atol=1e-12)
    assert is_ultrametric(cophenet(fitted.linkage_))
    if how == "single":
        # The largest ultrametric below the mean is below the mean.
        assert (squareform(cophenet(fitted.linkage_)) <= mean + 1e-12).all()


def test_one_tree_is_its_own_consensus():
    tree = linkage(X6, "average")
    fitted = Selection(2).fit([tree])
    assert_allclose(fitted.linkage_[:, 2] * tree[-1, 2], tree[:, 2])
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_array_equal(fitted.clustering_weights_, [0])


def test_the_lifetime_cuts_when_no_number_is_given():
    assert same_partition(Selection().fit([linkage(X6)] * 3).labels_, E6[:, 0])


def test_clear_clusters_are_found_and_the_order_of_objects_does_not_matter():
    trees = forest(3)
    fitted = Selection(2, n_select=5).fit(trees)
    assert same_partition(fitted.labels_, np.repeat([0, 1], 10))
    assert fitted.membership_.shape == (20, 2)
    assert_allclose(fitted.membership_.sum(axis=1), 1)


def test_scikit_learns_trees_are_read():
    models = [
        AgglomerativeClustering(2, linkage=how, compute_distances=True).fit(X6)
        for how in ("average", "complete")
    ]
    for model, how in zip(
        read_dendrograms(models), ("average", "complete"), strict=True
    ):
        expected = linkage(X6, how)
        assert_allclose(cophenet(model), cophenet(expected))
        assert_allclose(np.sort(model[:, 3]), np.sort(expected[:, 3]))
    assert same_partition(Selection(2).fit(models).labels_, E6[:, 0])


def test_trees_of_equal_height_have_no_distance():
    flat = tree_distances(np.ones((3, 10)))
    assert_array_equal(flat, 0)
    same = [linkage(X6)] * 4
    kept = Selection(2, n_select=2, variant="farthest").fit(same).selected_
    assert kept.sum() == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "no dendrograms"),
        (5, "is a int"),
        ([linkage(X6), linkage(X6[:5])], "dendrogram 1 has 5 objects"),
        ([np.ones((5, 4))], "dendrogram 0 is not in SciPy form"),
        (np.ones((5, 2)), "dendrogram 0 is not in SciPy form"),
        ([[1.0, 2.0]], "dendrogram 0 is not in SciPy form"),
        ([np.empty((0, 4))], "dendrogram 0 is not in SciPy form"),
        (["tree"], "is a list"),
        ([AgglomerativeClustering(2).fit(X6)], "compute_distances=True"),
    ],
)
def test_what_is_no_dendrogram_is_refused(given, message):
    with pytest.raises(ComitiaError, match=message):
        Selection(2).fit(given)


def test_more_than_there_are_is_refused():
    with pytest.raises(ComitiaError, match="n_select=4"):
        Selection(2, n_select=4).fit(forest(0, n_trees=3))
    with pytest.raises(ComitiaError, match="n_clusters=7 is larger"):
        Selection(7).fit([linkage(X6)])
