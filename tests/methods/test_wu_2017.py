"""Protein-complex ensemble against the catalogue's numbers and loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import linkage
from scipy.sparse import coo_array, csr_array
from scipy.spatial.distance import squareform
from sklearn.exceptions import ConvergenceWarning

from comitia import Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings.wu_2017 import _purity
from tests.fixtures import E6, planted, same_partition

CoComplex = method("wu_2017")
EAC = method("eac")


def affinities(n, seed, density=0.3):
    rng = np.random.RandomState(seed)
    tau = np.triu(rng.rand(n, n) * (rng.rand(n, n) < density), 1)
    return tau + tau.T


def similarity_by_loops(clusterings, weights, tau, n):
    """S of the catalogue; clusterings are lists of clusters, which may overlap."""
    S = np.zeros((n, n))
    for w, clusters in zip(weights / np.sum(weights), clusterings, strict=True):
        for i in range(n):
            for j in range(n):
                if any(i in c and j in c for c in clusters):
                    S[i, j] += w * (1 + tau[i, j]) / 2
    return S


def as_clusters(column):
    return [np.flatnonzero(column == r).tolist() for r in np.unique(column)]


def test_weights_of_e6_are_those_of_the_catalogue():
    E = Ensemble(E6)
    assert_allclose(_purity(E, E6[:, 0]), [1, 1, 5 / 6])
    assert_allclose(_purity(E, E6[:, 2]), [2 / 3, 2 / 3, 1])
    fitted = CoComplex(2).fit(E)
    assert same_partition(fitted.labels_, E6[:, 0])
    assert_allclose(fitted.clustering_weights_, [1, 1, 5 / 6])
    assert fitted.converged_


@pytest.mark.parametrize("seed", range(3))
def test_purity_is_its_definition(seed):
    rng = np.random.RandomState(seed)
    clusterings = [
        [np.flatnonzero(rng.rand(20) < 0.4) for _ in range(4)] for _ in range(3)
    ]
    E = Ensemble.from_clusters(clusterings, 20)
    assert E.kind == "overlapping"
    reference = rng.randint(3, size=20)
    expected = []
    for clusters in clusterings:
        parts = [
            [set(c) & set(np.flatnonzero(reference == r)) for r in range(3)]
            for c in clusters
        ]
        kept = sum(max(len(part) for part in row) for row in parts)
        expected.append(kept / sum(len(set.union(*row)) for row in parts))
    assert_allclose(_purity(E, reference), expected)


@pytest.mark.parametrize("linkage_", ["single", "complete", "average", "ward"])
def test_the_tree_is_that_of_the_weighted_similarity(linkage_):
    labels, _ = planted(20, 3, 5, noise=0.4, seed=0)
    tau = affinities(20, 1)
    fitted = CoComplex(3, linkage=linkage_, max_iter=1)
    fitted.fit(csr_array(tau), ensemble=Ensemble(labels))
    clusterings = [as_clusters(column) for column in labels.T]
    S = similarity_by_loops(clusterings, np.ones(5), tau, 20)
    tree = linkage(squareform(1 - S, checks=False), linkage_)
    assert_allclose(fitted.linkage_[:, 2], tree[:, 2], atol=1e-12)


def test_affinities_of_one_are_plain_cooccurrence():
    labels, _ = planted(40, 3, 6, noise=0.3, seed=1)
    plain = CoComplex(3).fit(Ensemble(labels))
    ones = np.ones((40, 40)) - np.eye(40)
    full = CoComplex(3).fit(ones, ensemble=Ensemble(labels))
    assert_allclose(full.linkage_[:, 2], plain.linkage_[:, 2], atol=1e-12)
    assert_array_equal(full.labels_, plain.labels_)


def test_affinities_of_zero_halve_similarities_and_keep_the_order():
    labels, _ = planted(40, 3, 12, noise=0.2, seed=0)
    E, nothing = Ensemble(labels), csr_array((40, 40))
    # Heights of single linkage do not hang on ties.
    single = CoComplex(3, max_iter=1, linkage="single")
    heights = single.fit(E).linkage_[:, 2].copy()
    halved = single.fit(nothing, ensemble=E).linkage_[:, 2]
    assert_allclose(1 - halved, (1 - heights) / 2)
    for k in range(1, 5):
        one, other = CoComplex(k).fit(E), CoComplex(k).fit(nothing, ensemble=E)
        assert same_partition(one.labels_, other.labels_)


def test_affinity_decides_where_the_clusterings_do_not():
    # Object 2 is with 0, 1 in one clustering and with 3, 4 in the other.
    E = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]])
    for partner, expected in [(0, [0, 0, 0, 1, 1]), (4, [0, 0, 1, 1, 1])]:
        known = {(0, 1), (3, 4), (2, partner)}
        i, j = np.array(sorted(known | {(b, a) for a, b in known})).T
        affinity = coo_array((np.ones(len(i)), (i, j)), shape=(5, 5))
        labels = CoComplex(2).fit_predict(affinity, ensemble=E)
        assert same_partition(labels, expected)


def test_one_round_without_affinities_is_eac():
    labels, _ = planted(60, 3, 8, noise=0.3, seed=0)
    fitted = CoComplex(3, max_iter=1).fit(Ensemble(labels))
    plain = EAC(3).fit(Ensemble(labels))
    assert_allclose(fitted.linkage_, plain.linkage_, atol=1e-12)


def test_the_loop_goes_on_until_the_weights_correlate():
    labels, _ = planted(60, 3, 8, noise=0.4, seed=2)
    E = Ensemble(labels)
    fitted = CoComplex(3).fit(E)
    weights, n_iter = np.ones(8), 0
    while True:
        tree = linkage(
            squareform(
                1 - E.coassociation(weights / weights.sum(), dtype=float), checks=False
            ),
            "average",
        )
        assert tree.shape == (59, 4)
        before = weights
        weights = _purity(E, CoComplex(3)._cut(tree, E))
        n_iter += 1
        # The uniform start has no correlation with anything.
        if n_iter > 1 and np.corrcoef(before, weights)[0, 1] > 0.9:
            break
    assert fitted.n_iter_ == n_iter > 1
    assert_allclose(fitted.clustering_weights_, weights)


def test_equal_clusterings_settle_at_once():
    same = Ensemble(np.repeat(E6[:, 2:], 4, axis=1))
    fitted = CoComplex(3).fit(same)
    assert fitted.n_iter_ == 1
    assert_array_equal(fitted.clustering_weights_, 1.0)


def test_weights_that_do_not_settle_are_reported():
    labels, _ = planted(60, 3, 8, noise=0.4, seed=2)
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        fitted = CoComplex(3, max_iter=2, tol=0.0).fit(Ensemble(labels))
    assert not fitted.converged_


def test_pairs_in_several_clusters_of_one_clustering_are_together_once():
    clusterings = [
        [[0, 1, 2], [0, 1, 3], [4, 5]],
        [[0, 1], [2, 3], [3, 4, 5]],
    ]
    E = Ensemble.from_clusters(clusterings, 6)
    for tau in (np.ones((6, 6)), affinities(6, 0)):
        S = similarity_by_loops(clusterings, np.ones(2), tau, 6)
        fitted = CoComplex(2, max_iter=1)
        if (tau == 1).all():
            fitted.fit(E)
        else:
            fitted.fit(csr_array(tau), ensemble=E)
        tree = linkage(squareform(1 - S, checks=False), "average")
        assert_allclose(fitted.linkage_[:, 2], tree[:, 2], atol=1e-12)
        assert fitted.clustering_weights_.max() <= 1


def test_a_threshold_cuts_at_a_similarity():
    E = Ensemble(E6)
    # Similarities of A: {0,1,2} meets at 2/3, {3,4,5} at 2/3, the halves at 1/27.
    for threshold, k in [(0.9, 4), (0.6, 2), (0.0, 1), (1.0, 4)]:
        fitted = CoComplex(threshold=threshold, max_iter=1).fit(E)
        assert fitted.n_clusters_ == k
        inside = fitted.linkage_[: 6 - k, 2]
        assert (1 - inside >= threshold - 1e-12).all()


def test_partial_clusterings_count_the_objects_they_have():
    labels = np.array([[0, -1], [0, 0], [0, 0], [1, 0], [1, 1], [1, -1]])
    # Two of {1, 2, 3} stay together, and 4 does; 0 and 5 do not count.
    assert_allclose(_purity(Ensemble(labels), labels[:, 0]), [1, 3 / 4])


def test_a_planted_partition_is_found_and_its_number_chosen():
    labels, truth = planted(120, 4, 12, noise=0.2, seed=0)
    labels[np.random.RandomState(0).rand(*labels.shape) < 0.1] = -1
    within = (truth[:, None] == truth[None, :]) * 0.5
    for X in (None, within - np.diag(np.diag(within))):
        for k in (4, None):
            E = Ensemble(labels)
            chosen = CoComplex(k)
            fitted = chosen.fit(E) if X is None else chosen.fit(X, ensemble=E)
            assert same_partition(fitted.labels_, truth)


def test_names_and_orders_do_not_matter():
    labels, _ = planted(60, 3, 10, noise=0.2, seed=1)
    tau = affinities(60, 0)
    rng = np.random.RandomState(0)
    rows, columns = rng.permutation(60), rng.permutation(10)
    one = CoComplex(3).fit_predict(tau, ensemble=Ensemble(labels))
    other = CoComplex(3).fit_predict(
        tau[np.ix_(rows, rows)], ensemble=Ensemble((7 - labels[rows])[:, columns])
    )
    assert same_partition(one[rows], other)


def test_what_cannot_be_is_refused():
    E = Ensemble(E6)
    with pytest.raises(ComitiaError, match="leave one of them out"):
        CoComplex(2, threshold=0.5).fit(E)
    with pytest.raises(ComitiaError, match="affinities up to 3"):
        CoComplex(2).fit(3 * (np.ones((6, 6)) - np.eye(6)), ensemble=E)
    with pytest.raises(ComitiaError, match="no clusterings of a graph"):
        CoComplex(2).fit(np.ones((6, 6)))
    with pytest.raises(ComitiaError, match="7 rows and ensemble has 6"):
        CoComplex(2).fit(np.ones((7, 7)), ensemble=E)
    with pytest.raises(ComitiaError, match="symmetric"):
        CoComplex(2).fit(np.triu(np.ones((6, 6))), ensemble=E)
