"""Trees against SciPy and against their definition, and their cuts."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from comitia import Ensemble, config
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.partition.linkage import (
    _integer_weights,
    cut,
    ensemble_linkage,
    hac,
    lifetime,
)
from comitia.represent.coassociation import coassociation
from tests.fixtures import E6, planted, same_partition

LINKAGES = ["single", "complete", "average", "ward"]


def assert_is_greedy(tree, distance, linkage, seen=None):
    """Replay the merges: each must be at the least distance there is at its time.

    This holds however ties are broken, where SciPy's tree is only one of several.
    The pairs of an average count as often as ``seen`` says.
    """
    n = len(distance)
    D = np.array(distance, dtype=float)
    np.fill_diagonal(D, np.inf)
    P = np.ones((n, n)) if seen is None else seen.copy()
    size = np.ones(n)
    row = list(range(n))
    for x, y, height, count in tree:
        i, j = row[int(x)], row[int(y)]
        assert_allclose([height, D.min()], D[i, j], atol=1e-9)
        if linkage == "average":
            both = P[i] + P[j]
            there = np.isfinite(D[i]) & np.isfinite(D[j]) & (both > 0)
            merged = D[i].copy()
            sums = P[i, there] * D[i, there] + P[j, there] * D[j, there]
            merged[there] = sums / both[there]
            P[i] = P[:, i] = both
        elif linkage == "ward":
            squares = (size[i] + size) * D[i] ** 2 + (size[j] + size) * D[j] ** 2
            squares -= size * D[i, j] ** 2
            merged = np.sqrt(squares / (size[i] + size[j] + size))
        else:
            merged = (np.minimum if linkage == "single" else np.maximum)(D[i], D[j])
        D[i] = D[:, i] = merged
        D[j] = D[:, j] = D[i, i] = np.inf
        size[i] += size[j]
        row.append(i)
        assert count == size[i]


def random_ensemble(seed, n=70):
    """With ties and duplicates; or, for some seeds, with missing labels."""
    rng = np.random.RandomState(seed)
    M = rng.randint(1, 9)
    labels = rng.randint(rng.randint(2, 7), size=(n, M))
    if seed % 2:
        labels[rng.rand(n, M) < 0.2] = -1
        labels[0] = 0
        # Equal objects merge first, also where a third is more alike.
        labels = np.unique(labels, axis=0)
        labels = labels[(labels >= 0).any(axis=1)]
    return Ensemble(labels)


def distances(ensemble, **weights):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)  # pairs that are never seen
        S = coassociation(ensemble, dtype=np.float64, **weights)
    return S.max(initial=1.0) - S


def pairs_seen(ensemble, clustering_weights=None, **_):
    """The weight of the clusterings that have both of two objects."""
    present = (ensemble.labels >= 0).astype(float)
    if clustering_weights is None:
        return present @ present.T
    return (present * clustering_weights) @ present.T


# -- trees of ensembles ---------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_each_merge_is_of_the_nearest_two(seed, weighted, linkage):
    ensemble = random_ensemble(seed)
    weights = {}
    if weighted:
        rng = np.random.RandomState(seed)
        weights["cluster_weights"] = rng.rand(ensemble.n_clusters_total)
        weights["clustering_weights"] = rng.dirichlet(np.ones(ensemble.n_clusterings))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)  # pairs that are never seen
        tree = ensemble_linkage(ensemble, linkage=linkage, **weights)
    assert hierarchy.is_valid_linkage(tree)
    assert hierarchy.is_monotonic(tree)
    seen = pairs_seen(ensemble, **weights)
    assert_is_greedy(tree, distances(ensemble, **weights), linkage, seen)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_an_object_that_only_silent_clusterings_have_is_not_alone(linkage):
    truth = np.repeat([0, 1], 6)
    labels = np.column_stack([truth] * 4)
    labels[0, :3] = -1  # only the last clustering has it, and that weighs nothing
    tree = ensemble_linkage(
        Ensemble(labels), clustering_weights=[1, 1, 1, 0], linkage=linkage
    )
    assert_array_equal(cut(tree, 2), truth)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_a_missing_label_is_not_apart(linkage):
    truth = np.repeat([0, 1], 20)
    labels = np.tile(truth[:, None], 20)
    for i, n_labels in [(0, 1), (21, 2), (33, 3)]:
        labels[i, n_labels:] = -1
    tree = ensemble_linkage(Ensemble(labels), linkage=linkage)
    assert same_partition(cut(tree, 2), truth)
    assert_allclose(tree[:-1, 2], 0.0, atol=1e-12)


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_equal_objects_are_not_torn_by_one_that_only_heavy_clusters_have(linkage):
    # Two equal objects agree in a cluster of weight 1 and one of weight 0.2, with a
    # third in the heavy one alone.
    labels = np.array([[0, 0], [0, 0], [0, -1], [1, 1]])
    tree = ensemble_linkage(
        Ensemble(labels), cluster_weights=[1.0, 1.0, 0.2, 1.0], linkage=linkage
    )
    assert_array_equal(tree[0, :2], [0, 1])
    assert hierarchy.is_monotonic(tree)


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("seed", range(4))
def test_tree_without_ties_is_that_of_scipy(seed, linkage):
    # Sixteen clusterings of thirty objects: no two pairs meet in the same clusters.
    rng = np.random.RandomState(seed)
    ensemble = Ensemble(rng.randint(2, size=(30, 16)))
    weights = rng.rand(ensemble.n_clusters_total)
    D = squareform(distances(ensemble, cluster_weights=weights), checks=False)
    assert len(np.unique(D.round(9))) == len(D)
    expected = hierarchy.linkage(D, linkage)
    tree = ensemble_linkage(ensemble, cluster_weights=weights, linkage=linkage)
    assert_array_equal(tree[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    assert_allclose(tree[:, 2], expected[:, 2], atol=1e-9)  # weights are fixed-point
    for k in (2, 3, 7):
        assert same_partition(
            cut(tree, k), hierarchy.fcluster(expected, k, criterion="maxclust")
        )


def test_realistic_ensemble_has_the_tree_of_scipy_but_for_ties():
    rng = np.random.RandomState(0)
    X = rng.randn(600, 3) + 4 * rng.randint(3, size=(600, 1))
    centers = [X[rng.choice(600, k)] for k in rng.randint(5, 25, size=20)]
    labels = [((X[:, None] - c) ** 2).sum(axis=2).argmin(axis=1) for c in centers]
    ensemble = Ensemble(labels)
    weights = rng.dirichlet(np.ones(20))
    D = distances(ensemble, clustering_weights=weights)
    tree = ensemble_linkage(ensemble, clustering_weights=weights)
    assert ensemble.distinct().ensemble.n_objects < 600
    assert_is_greedy(tree, D, "average")


def test_equal_objects_merge_at_what_their_clusters_lack():
    labels = np.array([[0, 0], [0, 0], [0, 0], [1, 1], [1, 1]])
    tree = ensemble_linkage(Ensemble(labels), cluster_weights=[0.5, 1.0, 0.7, 0.9])
    assert_allclose(tree[:, 2], [0.05, 0.4, 0.4, 1.0], atol=1e-9)
    assert_array_equal(tree[:, 3], [2, 2, 3, 5])


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_clusters_that_never_meet_are_joined_last_at_height_one(linkage):
    labels = np.array([[0, 0], [0, 1], [1, 2], [1, 3], [2, 4], [3, 5]])
    tree = ensemble_linkage(Ensemble(labels), linkage=linkage)
    assert_allclose(tree[:, 2], [0.5, 0.5, 1, 1, 1])
    assert same_partition(cut(tree, 4), [0, 0, 1, 1, 2, 3])


def test_weights_above_one_measure_from_the_largest_similarity():
    labels = np.array([[0, 0], [0, 1], [1, 1]])
    tree = ensemble_linkage(Ensemble(labels), clustering_weights=[3.0, 1.0])
    assert_allclose(tree[:, 2], [4 - 3, 4 - 0.5])


def test_all_weights_zero_joins_everything_at_one():
    tree = ensemble_linkage(Ensemble(E6), clustering_weights=[0, 0, 0])
    assert_allclose(tree[:, 2], 1.0)
    assert hierarchy.is_valid_linkage(tree)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_clustering_given_twice_is_one_of_double_weight(linkage):
    labels, _ = planted(60, 3, 4, noise=0.4, seed=0)
    twice = ensemble_linkage(Ensemble(np.c_[labels, labels[:, :1]]), linkage=linkage)
    heavy = ensemble_linkage(
        Ensemble(labels), clustering_weights=np.array([2, 1, 1, 1]) / 5, linkage=linkage
    )
    assert_allclose(twice, heavy, atol=1e-12)


def test_order_of_clusterings_and_names_of_labels_do_not_matter():
    labels, _ = planted(100, 4, 9, noise=0.4, seed=2)
    w = np.random.RandomState(0).dirichlet(np.ones(9))
    order = np.random.RandomState(1).permutation(9)
    tree = ensemble_linkage(Ensemble(labels), clustering_weights=w)
    other = ensemble_linkage(
        Ensemble(9 - labels[:, order]), clustering_weights=w[order]
    )
    assert_allclose(tree, other, atol=1e-12)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_fuzzy_ensembles_go_through_their_distances(linkage):
    rng = np.random.RandomState(0)
    ensemble = Ensemble.from_memberships([rng.dirichlet(np.ones(3), 25) for _ in "abc"])
    D = distances(ensemble)
    assert_is_greedy(ensemble_linkage(ensemble, linkage=linkage), D, linkage)


def test_hard_memberships_have_a_tree_of_hard_labels():
    labels, _ = planted(40, 3, 5, noise=0.3, seed=0)
    hard = Ensemble(labels)
    soft = Ensemble.from_memberships([np.eye(3)[column] for column in labels.T])
    for linkage in LINKAGES:
        assert_is_greedy(
            ensemble_linkage(soft, linkage=linkage), distances(hard), linkage
        )


def test_equal_fuzzy_objects_may_be_nearer_to_others():
    # Two objects in doubt are less similar to each other than to one that is sure.
    F = [[0.6, 0.4], [0.6, 0.4], [1.0, 0.0]]
    tree = ensemble_linkage(Ensemble.from_memberships([F]))
    assert_array_equal(tree[0, :2], [0, 2])
    assert_allclose(tree[:, 2], [1 - 0.6, 1 - (0.52 + 0.6) / 2])


def test_overlapping_clusters_have_the_tree_of_their_distances():
    rng = np.random.RandomState(0)
    lists = [[np.flatnonzero(rng.rand(20) < 0.5) for _ in "abc"] for _ in range(4)]
    ensemble = Ensemble.from_clusters(lists, 20)
    S = coassociation(ensemble, dtype=np.float64)
    tree = ensemble_linkage(ensemble)
    assert S.max() > 1
    assert_is_greedy(tree, S.max() - S, "average")


def test_negative_weights_are_refused():
    with pytest.raises(ComitiaError, match="0 or more"):
        ensemble_linkage(Ensemble(E6), clustering_weights=[1, 1, -0.1])


def test_one_object_has_an_empty_tree():
    tree = ensemble_linkage(Ensemble([[0, 0]]))
    assert tree.shape == (0, 4)
    assert_array_equal(cut(tree), [0])


def test_many_equal_similarities_make_no_circle():
    # Everything ties with everything; a chain that preferred the new would not end.
    labels = np.array(np.unravel_index(np.arange(243), (3,) * 5)).T
    tree = ensemble_linkage(Ensemble(labels))
    assert hierarchy.is_valid_linkage(tree)
    assert_is_greedy(tree, distances(Ensemble(labels)), "average")


@pytest.mark.parametrize("linkage", ["single", "average"])
def test_matrix_free_linkage_fits_where_a_matrix_does_not(linkage):
    labels, _ = planted(1500, 30, 6, noise=0.5, seed=0)
    with config.limit("1 MB"):
        tree = ensemble_linkage(Ensemble(labels), linkage=linkage)
        with pytest.raises(ComitiaError, match="co-association of"):
            ensemble_linkage(Ensemble(labels), linkage="complete")
    assert len(tree) == 1499


def test_multiples_of_a_unit_are_exact_integers():
    integers, unit = _integer_weights(np.array([0.2, 0.4, 0.0, 0.2]), 10)
    assert_array_equal(integers, [1, 2, 0, 1])
    assert unit == 0.2
    weights = np.array([0.2, 0.311, 0.489])
    integers, unit = _integer_weights(weights, 10**10)
    # 62 bits, less 34 for the terms.
    assert_allclose(integers * unit, weights, atol=1e-8)
    assert integers.max() * 10**10 < 2**62


# -- trees of distances ---------------------------------------------------------


@pytest.mark.parametrize("linkage", LINKAGES)
def test_square_and_condensed_distances_give_the_tree_of_scipy(linkage):
    condensed = pdist(np.random.RandomState(0).randn(40, 3))
    expected = hierarchy.linkage(condensed, linkage)
    assert_allclose(hac(condensed, linkage), expected)
    assert_allclose(hac(squareform(condensed), linkage), expected)


@pytest.mark.parametrize("linkage", LINKAGES)
def test_counts_of_one_change_nothing(linkage):
    condensed = pdist(np.random.RandomState(1).randn(40, 3))
    got = hac(condensed, linkage, counts=np.ones(40, dtype=int))
    assert_allclose(got, hierarchy.linkage(condensed, linkage))


@pytest.mark.parametrize("linkage", LINKAGES)
@pytest.mark.parametrize("inner", [0.0, 0.3])
def test_a_row_that_counts_thrice_is_three_equal_objects(linkage, inner):
    rng = np.random.RandomState(0)
    counts = rng.randint(1, 5, size=20)
    D = 1.0 + squareform(pdist(rng.randn(20, 3)))
    np.fill_diagonal(D, inner)
    which = np.repeat(np.arange(20), counts)
    expanded = D[np.ix_(which, which)]
    full = hierarchy.linkage(squareform(expanded, checks=False), linkage)
    tree = hac(D, linkage, counts=counts)
    assert_allclose(tree[:, 2], full[-19:, 2])
    assert_array_equal(tree[:, 3], full[-19:, 3])
    assert_allclose(full[:-19, 2], inner, atol=1e-12)
    assert same_partition(cut(tree, 4)[which], cut(full, 4))


def test_distances_that_make_no_sense_are_refused():
    with pytest.raises(ComitiaError, match="symmetric"):
        hac([[0, 1], [2, 0]])
    with pytest.raises(ComitiaError, match="square or condensed"):
        hac(np.ones(4))
    with pytest.raises(ComitiaError, match="finite and not negative"):
        hac([[0, -1], [-1, 0]])
    with pytest.raises(ComitiaError, match="finite and not negative"):
        hac([[0, np.nan], [np.nan, 0]])
    with pytest.raises(ComitiaError, match="counts must be 2 whole numbers"):
        hac([[0, 1], [1, 0]], counts=[1, 0])
    with pytest.raises(ComitiaError, match="linkage='median'"):
        hac([[0, 1], [1, 0]], linkage="median")
    with config.limit(1000), pytest.raises(ComitiaError, match="linkage of 20 objects"):
        hac(np.zeros((20, 20)))


def test_rounding_below_zero_is_no_distance():
    assert hac([[0, -1e-16], [-1e-16, 0]])[0, 2] == 0


# -- cuts -----------------------------------------------------------------------


def test_cut_gives_exactly_as_many_clusters_also_in_ties():
    tree = hac(np.ones((9, 9)) - np.eye(9))
    for k in range(1, 10):
        assert len(np.unique(cut(tree, k))) == k


@pytest.mark.parametrize("seed", range(3))
def test_cut_is_that_of_scipy_where_heights_differ(seed):
    tree = hierarchy.linkage(np.random.RandomState(seed).randn(50, 2), "average")
    # For nearly as many clusters as objects SciPy 1.13 gives fewer than it could.
    for k in (1, 2, 5, 17, 30):
        expected = hierarchy.fcluster(tree, k, criterion="maxclust")
        assert same_partition(cut(tree, k), expected)


def test_labels_are_numbered_by_first_appearance():
    tree = hac(squareform([9, 1, 9, 9, 1, 9]), "single")  # {0, 2} and {1, 3}
    assert_array_equal(cut(tree, 2), [0, 1, 0, 1])


def test_cut_into_more_clusters_than_objects_is_refused():
    tree = hac([[0, 1], [1, 0]])
    with pytest.raises(ComitiaError, match="n_clusters=3 does not fit a tree of 2"):
        cut(tree, 3)
    with pytest.raises(ComitiaError, match="n_clusters=0"):
        cut(tree, 0)


@pytest.mark.parametrize(
    ("heights", "n_clusters"),
    [
        ([0.1, 0.2, 0.9], 2),  # 0.7 from 0.2 to 0.9
        ([0.1, 0.7, 0.9], 3),  # 0.6 from 0.1 to 0.7
        ([0.1, 0.4, 0.7, 1.0], 2),  # equal lifetimes: the fewest clusters
        ([0.8, 0.9, 0.95], 3),  # the single objects, from 0 to 0.8, are no candidate
        ([0.5, 0.5, 0.5], 1),  # nothing stands out
        ([0.0, 0.0, 0.0], 1),
        ([0.5], 1),
        ([], 1),
    ],
)
def test_lifetime_is_the_longest_gap_between_merges(heights, n_clusters):
    n = len(heights) + 1
    tree = np.array(
        [[t + 1, 0 if t == 0 else n + t - 1, h, t + 2] for t, h in enumerate(heights)]
    ).reshape(-1, 4)
    assert lifetime(tree) == n_clusters
    assert len(np.unique(cut(tree))) == n_clusters


def test_no_number_of_clusters_near_the_number_of_objects_is_chosen():
    # The first merges are the highest steps: 3 clusters live 0.1, and 98 live 0.6.
    heights = np.r_[0.0, 0.0, np.full(95, 0.6), 0.7, 0.75]
    tree = [
        [t + 1, 0 if t == 0 else 100 + t - 1, h, t + 2] for t, h in enumerate(heights)
    ]
    assert lifetime(tree) == 98
    assert lifetime(tree, 11) == 3
    assert len(np.unique(cut(tree))) == 3


def test_tree_must_be_sorted_and_of_four_columns():
    with pytest.raises(ComitiaError, match="sorted by height"):
        cut([[0, 1, 0.9, 2], [2, 3, 0.1, 3]], 2)
    with pytest.raises(ComitiaError, match=r"\(n_objects - 1, 4\)"):
        lifetime(np.zeros((3, 3)))


@pytest.mark.parametrize("linkage", ["average", "single"])
@pytest.mark.parametrize("seed", range(3))
def test_ties_between_many_are_not_broken_by_the_order_of_clusterings(seed, linkage):
    # Of four clusterings, so many objects are equally near that not all are candidates.
    labels, _ = planted(400, 4, 4, noise=0.5, seed=seed)
    tree = ensemble_linkage(Ensemble(labels), linkage=linkage)
    order = np.random.RandomState(seed).permutation(4)
    other = ensemble_linkage(Ensemble(labels[:, order]), linkage=linkage)
    assert_array_equal(tree, other)
