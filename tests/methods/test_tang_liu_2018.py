"""Clusters are kept or split along their spanning trees."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.distance import cdist

from comitia import Ensemble, method
from comitia.partition import ncut
from tests.fixtures import E6, X6, same_partition
from tests.methods._planted import corners

blobs = partial(corners, n_clusterings=6, noise=0.3, side=12, spread=1.0)

ClusterSplitting = method("tang_liu_2018")


def as_sets(kept):
    return [set(objects.tolist()) for objects in kept]


def test_x6_as_one_cluster_is_cut_in_two():
    one = Ensemble(np.zeros((6, 1), dtype=int))
    fitted = ClusterSplitting(2, random_state=0).fit(X6, ensemble=one)
    assert_allclose(fitted.cluster_weights_, [0.75])
    assert as_sets(fitted.kept_) == [{0, 1, 2}, {3, 4, 5}]
    assert_allclose(fitted.kept_weights_, [3, 3])
    assert_array_equal(fitted.selected_, [True])
    assert same_partition(fitted.labels_, E6[:, 0])


def test_a_high_threshold_or_no_depth_splits_nothing():
    one = Ensemble(np.zeros((6, 1), dtype=int))
    for parameters in ({"threshold": 16.34}, {"max_depth": 0}):
        fitted = ClusterSplitting(2, random_state=0, **parameters)
        fitted.fit(X6, ensemble=one)
        assert as_sets(fitted.kept_) == [set(range(6))]
    assert len(ClusterSplitting(2, threshold=16.33).fit(X6, ensemble=one).kept_) == 2


def test_depth_limits_how_often_parts_are_split():
    # Pairs, pairs of pairs, and two of those: three levels.
    X = np.array([[0.0], [1], [10], [11], [100], [101], [110], [111]])
    one = Ensemble(np.zeros((8, 1), dtype=int))
    sizes = [
        [len(objects) for objects in fitted.kept_]
        for fitted in (
            ClusterSplitting(2, threshold=0.1, max_depth=d, random_state=0).fit(
                X, ensemble=one
            )
            for d in (1, 2, 3)
        )
    ]
    # The edges 1 1 1 1 9 9 89 jump most, by 8.9 times, where they reach 89.
    assert sizes[0] == [4, 4]
    assert sizes[1] == sizes[2] == [2, 2, 2, 2]


def test_e6_keeps_the_dense_clusters_until_all_are_covered():
    # Quantities: 3 / 1 for the halves; 2 / 1, 2 / 8 and 2 / 1 for the thirds.
    fitted = ClusterSplitting(2, random_state=0).fit(X6, ensemble=Ensemble(E6))
    assert_allclose(fitted.cluster_weights_, [3, 3, 3, 3, 2, 0.25, 2])
    assert as_sets(fitted.kept_) == [{0, 1, 2}, {3, 4, 5}]
    assert_array_equal(fitted.selected_, [1, 1, 0, 0, 0, 0, 0])


def prim(X):
    """Lengths of the edges of the minimum spanning tree."""
    D, inside, lengths = cdist(X, X), [0], []
    while len(inside) < len(X):
        outside = [i for i in range(len(X)) if i not in inside]
        block = D[np.ix_(inside, outside)]
        lengths.append(block.min())
        inside.append(outside[block.min(axis=0).argmin()])
    return np.sort(lengths)


@pytest.mark.parametrize("seed", range(3))
def test_quantities_are_their_definition(seed):
    X, ensemble, _ = blobs(seed)
    fitted = ClusterSplitting(3, random_state=0).fit(X, ensemble=ensemble)
    B = ensemble.membership.toarray().astype(bool)
    expected = [b.sum() / prim(X[b])[-1] for b in B.T]
    assert_allclose(fitted.cluster_weights_, expected)
    for objects, weight in zip(fitted.kept_, fitted.kept_weights_, strict=True):
        if len(objects) > 1:
            assert_allclose(weight, len(objects) / prim(X[objects])[-1])
    assert set().union(*as_sets(fitted.kept_)) == set(range(48))


@pytest.mark.parametrize("seed", range(3))
def test_the_consensus_cuts_the_largest_quantities(seed):
    X, ensemble, _ = blobs(seed)
    fitted = ClusterSplitting(3, random_state=0).fit(X, ensemble=ensemble)
    kept = [*zip(as_sets(fitted.kept_), fitted.kept_weights_, strict=True)]
    S = [
        [max([q for c, q in kept if i in c and j in c], default=0.0) for j in range(48)]
        for i in range(48)
    ]
    expected = ncut(np.array(S), 3, np.random.RandomState(0))
    assert same_partition(fitted.labels_, expected)


@pytest.mark.parametrize("seed", range(3))
def test_mixed_clusters_are_split_into_pure_ones(seed):
    X, ensemble, truth = blobs(seed)
    fitted = ClusterSplitting(3, random_state=0).fit(X, ensemble=ensemble)
    assert all(len(set(truth[objects])) == 1 for objects in fitted.kept_)
    assert same_partition(fitted.labels_, truth)


def test_singletons_have_the_quantity_of_the_longest_edge():
    labels = np.array([0, 0, 0, 1, 1, 2])[:, None]
    fitted = ClusterSplitting(2, random_state=0).fit(X6, ensemble=Ensemble(labels))
    assert_allclose(fitted.cluster_weights_, [3, 2, 1])
    far = np.array([0, 0, 1, 1, 1, 2])[:, None]
    fitted = ClusterSplitting(2, random_state=0).fit(X6, ensemble=Ensemble(far))
    assert_allclose(fitted.cluster_weights_, [2, 3 / 8, 1 / 8])


def test_copies_of_objects_do_not_hide_a_gap():
    X = np.vstack([X6, X6[:1]])
    one = Ensemble(np.zeros((7, 1), dtype=int))
    fitted = ClusterSplitting(2, random_state=0).fit(X, ensemble=one)
    assert as_sets(fitted.kept_) == [{0, 1, 2, 6}, {3, 4, 5}]
    assert_allclose(fitted.kept_weights_, [4, 3])
    # And where all are copies, nothing is infinite.
    same = ClusterSplitting(1).fit(np.zeros((7, 1)), ensemble=one)
    assert np.isfinite(same.cluster_weights_).all()


def test_pieces_in_excess_stay_with_their_cluster():
    X = np.array(
        [[0.0], [1], [2], [40], [41], [100], [101], [102], [103], [150], [151]]
    )
    labels = np.repeat([0, 1], [5, 6])
    given = Ensemble(labels[:, None])
    fitted = ClusterSplitting(2, random_state=0).fit(X, ensemble=given)
    assert sorted(map(len, fitted.kept_)) == [2, 2, 3, 4]
    assert same_partition(fitted.labels_, labels)


def test_clusters_are_selected_without_being_combined():
    X, ensemble, _ = blobs(0)
    method = ClusterSplitting(3, random_state=0)
    chosen = method.select_clusters(ensemble, X)
    assert not hasattr(method, "cluster_weights_")
    fitted = method.fit(X, ensemble=ensemble)
    assert_array_equal(chosen, np.flatnonzero(fitted.selected_))
    with pytest.raises(ValueError, match="give X"):
        method.select_clusters(ensemble, None)
