"""Fuzzy c-means on label rows, against the same thing in loops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.cluster import fuzzy_memberships
from comitia.cluster.fuzzy import fuzzy_cmeans
from comitia.methods.fixed_clusterings._fcc_fuzzy_rows import _Rows, fuzzy_rows
from tests import divergences
from tests.fixtures import planted


def partial_ensemble(n=30, M=4, seed=0):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, 3, size=(n, M))
    labels[rng.rand(n, M) < 0.3] = -1
    labels[:, 0] = rng.randint(0, 3, size=n)
    return Ensemble(labels)


def blocks(ensemble, table):
    return np.split(np.asarray(table), ensemble.offsets[1:-1], axis=1)


def rows_of(ensemble, divergence, weights):
    counts = np.random.RandomState(1).randint(1, 4, size=ensemble.n_objects)
    return _Rows(ensemble, counts, weights, divergence), counts


@pytest.mark.parametrize("divergence", ["squared", "kl", "norm"])
def test_distances_leave_out_the_clusterings_that_an_object_is_missing_from(divergence):
    ensemble, weights = partial_ensemble(), np.array([0.4, 0.3, 0.2, 0.1])
    rows, _ = rows_of(ensemble, divergence, weights)
    P = np.hstack([np.random.RandomState(2).dirichlet(np.ones(3), 2) for _ in range(4)])
    B = ensemble.membership.toarray()
    expected = np.zeros((30, 2))
    for w, F, p in zip(weights, blocks(ensemble, B), blocks(ensemble, P), strict=True):
        for i in np.flatnonzero(F.sum(axis=1)):
            expected[i] += w * divergences.divergence(F[i], p, divergence)
    assert_allclose(rows.distances(P), expected, atol=1e-13)


def test_prototypes_are_means_over_the_objects_that_have_labels():
    ensemble = partial_ensemble()
    rows, counts = rows_of(ensemble, "squared", None)
    powered = np.random.RandomState(3).rand(30, 2) * counts[:, None]
    got = rows.prototypes(powered, np.zeros((2, ensemble.n_clusters_total)))
    for F, p in zip(
        blocks(ensemble, ensemble.membership.toarray()),
        blocks(ensemble, got),
        strict=True,
    ):
        here = F.sum(axis=1) > 0
        for r in range(2):
            assert_allclose(p[r], np.average(F[here], axis=0, weights=powered[here, r]))


def test_a_prototype_that_nobody_belongs_to_stays_where_it_was():
    rows, _ = rows_of(partial_ensemble(), "squared", None)
    before = np.random.RandomState(0).rand(2, 12)
    powered = np.column_stack([np.ones(30), np.zeros(30)])
    got = rows.prototypes(powered, before)
    assert_array_equal(got[1], before[1])
    assert np.abs(got[0] - before[0]).max() > 0.1


def test_hard_complete_rows_are_fuzzy_c_means_on_the_indicator_matrix():
    labels, _ = planted(60, 3, 5, noise=0.2, seed=0)
    ensemble = Ensemble(labels)
    B = ensemble.membership.toarray() / np.sqrt(5)  # weights 1/5 on squares
    run = fuzzy_rows(ensemble, 3, np.random.RandomState(0), tol=1e-10)
    # From the same prototypes the dense algorithm has nothing left to do.
    dense = fuzzy_cmeans(
        B,
        3,
        np.random.RandomState(0),
        fuzziness=2.0,
        init=run.prototypes / np.sqrt(5),
        max_iter=1,
    )
    assert_allclose(dense.membership, run.membership, atol=1e-7)
    assert_allclose(dense.objective[-1], run.objective[-1], rtol=1e-9)


def test_objects_with_equal_rows_count_as_often_as_they_are_there():
    labels = np.repeat([[0, 0], [0, 1], [1, 1], [2, 0]], [7, 1, 4, 2], axis=0)
    once = Ensemble(labels[[0, 7, 8, 12]])
    rows = _Rows(once, np.array([7, 1, 4, 2]), None, "squared")
    run = rows.run(2, np.random.RandomState(0), 2.0, 500, 1e-12)
    whole = fuzzy_rows(
        Ensemble(labels), 2, np.random.RandomState(0), n_init=1, max_iter=500, tol=1e-12
    )
    assert_allclose(whole.objective[-1], run.objective[-1])  # from another start
    assert_allclose(whole.membership, np.repeat(run.membership, [7, 1, 4, 2], axis=0))
    # The fixed point of the whole table, object by object.
    w = whole.membership**2
    B = Ensemble(labels).membership.toarray()
    P = (w.T @ B) / w.sum(axis=0)[:, None]
    d = np.square(B[:, None] - P).sum(axis=2) / 2
    assert_allclose(fuzzy_memberships(d), whole.membership, atol=1e-6)


def test_more_clusters_than_different_rows_share_them():
    same = Ensemble(np.repeat([[0, 0], [1, 1]], 5, axis=0))
    run = fuzzy_rows(same, 4, np.random.RandomState(0))
    assert_allclose(run.membership.sum(axis=1), 1.0)
    assert_allclose(run.objective[-1], 0.0, atol=1e-9)


def test_a_clustering_without_weight_has_no_say():
    labels, _ = planted(40, 3, 3, noise=0.3, seed=1)
    for divergence in ("squared", "kl", "norm"):
        one, other = (
            fuzzy_rows(
                Ensemble(labels[:, chosen]),
                3,
                np.random.RandomState(0),
                clustering_weights=weights,
                divergence=divergence,
                tol=1e-10,
                max_iter=3000,
            )
            for chosen, weights in (([0, 1, 2], [0.5, 0.5, 0.0]), ([0, 1], [0.5, 0.5]))
        )
        # The starts are drawn from other rows; the best of ten ends alike.
        assert_allclose(one.objective[-1], other.objective[-1], rtol=1e-5)
