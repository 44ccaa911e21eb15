"""Micro-objects sorted by what their labels say."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from comitia import Ensemble
from comitia.engine.content_keys import (
    clusterings_by_content,
    clusters_by_content,
    vertex_keys,
)
from comitia.engine.row_blocks import micro_rows
from comitia.methods._votes import Votes
from comitia.partition import kmeans_rows, tcut
from comitia.partition.k_means import kmodes
from comitia.represent import bipartite_graph
from comitia.testing import planted
from tests.fixtures import same_partition


def told_otherwise(labels, rng):
    """Objects and clusterings in another order, and labels with other names."""
    objects = rng.permutation(len(labels))
    order = rng.permutation(labels.shape[1])
    names = rng.permutation(labels.max() + 1)
    renamed = np.where(labels < 0, -1, names[labels])
    return renamed[objects][:, order], objects


@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("seed", range(5))
def test_the_order_hangs_on_the_content_alone(seed, missing):
    rng = np.random.RandomState(seed)
    labels, _ = planted(60, 3, 5, noise=0.4, seed=seed)
    labels[rng.rand(*labels.shape) < missing] = -1
    labels[:, 0] = np.abs(labels[:, 0])
    other, objects = told_otherwise(labels, rng)
    one = Ensemble(labels).distinct().in_content_order()
    two = Ensemble(other).distinct().in_content_order()
    assert_array_equal(one.counts, two.counts)
    assert_array_equal(one.inverse[objects], two.inverse)


@pytest.mark.parametrize("seed", range(5))
def test_sorted_micro_objects_are_the_same_objects(seed):
    labels, _ = planted(60, 3, 4, noise=0.4, seed=seed)
    ensemble = Ensemble(labels)
    micro = ensemble.distinct().in_content_order()
    assert_array_equal(micro.ensemble.codes[:, micro.inverse], ensemble.codes)
    assert_array_equal(micro.counts, np.bincount(micro.inverse))


@pytest.mark.parametrize("seed", range(5))
def test_factors_start_from_the_same_partition_in_any_order_of_the_objects(seed):
    labels, _ = planted(200, 4, 8, noise=0.5, seed=seed)
    objects = np.random.RandomState(seed).permutation(200)
    # One start, so that other draws would be another partition.
    one, other = (
        votes.start(np.random.RandomState(0), n_init=1)[votes.inverse]
        for votes in (Votes(Ensemble(part), 4) for part in (labels, labels[objects]))
    )
    assert same_partition(one[objects], other)


def with_kmeans(ensemble):
    return kmeans_rows(ensemble, 4, np.random.RandomState(0), n_init=1).labels


def with_kmodes(ensemble):
    return kmodes(ensemble, 4, np.random.RandomState(0), n_init=1).labels


def with_tcut(ensemble):
    return tcut(bipartite_graph(ensemble), 4, np.random.RandomState(0), n_init=1)


@pytest.mark.parametrize("part", [with_kmeans, with_kmodes, with_tcut])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_label_rows_start_from_the_same_place_in_any_order_of_the_objects(
    part, missing
):
    for seed in range(5):
        rng = np.random.RandomState(seed)
        labels, _ = planted(200, 4, 8, noise=0.5, seed=seed)
        labels[rng.rand(*labels.shape) < missing] = -1
        objects = rng.permutation(len(labels))
        # One start, so that other draws would be another partition.
        one, other = (part(Ensemble(rows)) for rows in (labels, labels[objects]))
        assert same_partition(one[objects], other)


@pytest.mark.parametrize("noise", [0.05, 0.5])
def test_rows_of_blocks_stand_in_the_same_order(noise, tmp_path):
    votes = Ensemble(planted(300, 3, 5, noise=noise, seed=0)[0])
    votes.save(tmp_path / "votes", block_rows=100)
    whole, parts = (
        micro_rows(ensemble).only
        for ensemble in (votes, Ensemble.open(tmp_path / "votes"))
    )
    expected = votes.distinct().in_content_order().ensemble.codes
    for rows in (whole, parts):
        found = rows.ensemble.codes
        first = np.r_[True, (found[:, 1:] != found[:, :-1]).any(axis=0)]
        assert_array_equal(found[:, first], expected)


def test_vertices_that_three_sweeps_do_not_tell_apart_are_told_apart_by_more():
    # A path whose one end is heavier: the other end is told by what is far away.
    n = 12
    path = csr_array(np.eye(n, k=1) + np.eye(n, k=-1))
    edges = np.ones(path.nnz, dtype=np.int64)
    vertices = np.r_[2, np.ones(n - 1, dtype=np.int64)]
    keys = vertex_keys(path.indptr, path.indices, edges, vertices)
    assert len(np.unique(keys)) == n


def test_a_clustering_given_twice_changes_no_order():
    labels, _ = planted(60, 3, 5, noise=0.4, seed=0)
    renamed = np.array([2, 0, 1])[labels[:, :1]]
    once = Ensemble(labels).distinct().in_content_order()
    twice = Ensemble(np.hstack([labels, renamed])).distinct().in_content_order()
    assert_array_equal(once.inverse, twice.inverse)


def test_fuzzy_objects_stay_where_they_are():
    fuzzy = Ensemble.from_memberships([np.array([[0.2, 0.8], [0.9, 0.1]])])
    micro = fuzzy.distinct()
    assert micro.in_content_order() is micro


@pytest.mark.parametrize("seed", range(5))
def test_clusters_and_clusterings_are_sorted_by_their_objects(seed):
    rng = np.random.RandomState(seed)
    labels, _ = planted(60, 3, 5, noise=0.4, seed=seed)
    objects, order = rng.permutation(60), rng.permutation(5)
    names = np.stack([rng.permutation(3) for _ in range(5)])
    other = np.column_stack([names[m][labels[objects, m]] for m in order])
    one, two = Ensemble(labels), Ensemble(other)
    assert_array_equal(clusterings_by_content(one), order[clusterings_by_content(two)])
    B = one.membership.toarray()[objects][:, clusters_by_content(one)]
    assert_array_equal(B, two.membership.toarray()[:, clusters_by_content(two)])
