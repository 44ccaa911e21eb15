"""Overlaps with a consensus, and the shares of votes that follow."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import overlaps
from comitia.represent.votes import cluster_shares, spread_shares, vote_shares
from tests.fixtures import E6


def random_case(seed, n=50, M=5, k=4, n_labels=3):
    rng = np.random.RandomState(seed)
    labels = rng.randint(-1, k, size=(n, M))
    labels[:k] = np.arange(k)[:, None]
    return Ensemble(labels), rng.randint(-1, n_labels, size=n)


def shares_by_loops(B, labels, k, w):
    """The formula, cluster by cluster and object by object."""
    P = np.zeros((B.shape[1], k))
    for c in range(B.shape[1]):
        for r in range(k):
            known = B[labels >= 0, c].sum()
            P[c, r] = B[labels == r, c].sum() / known if known else 0
    U = np.zeros((len(B), k))
    for i, row in enumerate(B):
        U[i] = (row * w) @ P / (row * w).sum()
    return U


@pytest.mark.parametrize("seed", range(4))
def test_overlaps_are_a_product_of_indicators(seed):
    ensemble, labels = random_case(seed)
    onehot = labels[:, None] == np.arange(3)
    expected = ensemble.membership.toarray().T @ onehot
    assert_array_equal(overlaps(ensemble, labels, 3), expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int32, np.int64])
def test_labels_of_any_integer_type_are_counted(dtype):
    labels = np.array([0, 0, 1, 1, 2, 2], dtype=dtype)
    expected = overlaps(Ensemble(E6), [0, 0, 1, 1, 2, 2])
    assert_array_equal(overlaps(Ensemble(E6), labels), expected)


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_overlaps_of_few_objects_count_each_once(n):
    assert overlaps(Ensemble(np.zeros((n, 2), int)), np.zeros(n, int)).tolist() == [
        [n],
        [n],
    ]


def test_overlaps_of_fuzzy_clusters_are_summed_memberships():
    F = np.array([[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    got = overlaps(Ensemble.from_memberships([F, F]), [0, -1, 1])
    assert_allclose(got, [[0.5, 1.0], [0.5, 0.0]] * 2)


@pytest.mark.parametrize("seed", range(4))
def test_vote_shares_are_their_definition(seed):
    ensemble, labels = random_case(seed)
    rng = np.random.RandomState(seed)
    w, v = rng.rand(5) + 0.1, rng.rand(ensemble.n_clusters_total) + 0.1
    got = vote_shares(ensemble, labels, 3, clustering_weights=w, cluster_weights=v)
    covered = ensemble.n_votes > 0
    both = w[ensemble.clustering_of] * v
    B = ensemble.membership.toarray()[covered]
    everyone = ensemble.membership.toarray()
    P = shares_by_loops(everyone[covered], labels[covered], 3, both)
    assert_allclose(got[covered], P, atol=1e-12)
    assert_allclose(got.sum(axis=1), 1)
    assert len(B) > 40


def test_vote_shares_of_crisp_memberships_are_those_of_labels():
    fuzzy = Ensemble.from_memberships([np.eye(3)[E6[:, m]] for m in range(3)])
    labels = [0, 0, 0, 1, 1, 1]
    assert_allclose(vote_shares(fuzzy, labels), vote_shares(Ensemble(E6), labels))


def test_a_consensus_that_all_agree_on_is_certain():
    same = Ensemble(np.repeat(E6[:, :1], 4, axis=1))
    assert_array_equal(vote_shares(same, E6[:, 0]), np.eye(2)[E6[:, 0]])


def test_clusters_that_know_no_label_do_not_speak():
    shares = cluster_shares(Ensemble(E6), [0, 0, -1, -1, 1, 1])
    assert_array_equal(shares[5], 0)  # d = {2, 3}
    assert_array_equal(spread_shares(Ensemble(E6), shares)[2], [1, 0])


def test_an_object_that_nobody_speaks_for_is_shared_out_equally():
    ensemble = Ensemble([[0, 0], [0, 1], [-1, 1], [1, 0]])
    got = vote_shares(ensemble, [0, 0, 1, 1], clustering_weights=[1, 0])
    assert_array_equal(got[2], [0.5, 0.5])


@pytest.mark.parametrize("labels", [[0, 1], [0, 0, 0, 1, 1, 2], np.zeros(6)])
def test_labels_that_do_not_fit_are_refused(labels):
    with pytest.raises(ComitiaError, match="labels must be"):
        overlaps(Ensemble(E6), labels, 2)


def test_the_number_of_threads_does_not_matter():
    code = (
        "import numpy as np; from comitia import Ensemble;"
        "from comitia.represent.alignment import group_votes;"
        "from comitia.represent.votes import vote_shares;"
        "from comitia.partition.vote_winners import cluster_vote;"
        "r = np.random.RandomState(0); E = Ensemble(r.randint(-1, 7, (20001, 9)));"
        "w = r.rand(9); y = r.randint(5, size=20001);"
        "t = r.randint(5, size=E.n_clusters_total); U = vote_shares(E, y, 5, w);"
        "V = group_votes(E, t, 5, w[E.clustering_of]); L = cluster_vote(E, t, 5,"
        " cluster_weights=w[E.clustering_of]);"
        "import hashlib; print(hashlib.sha256(U.tobytes() + V.tobytes()"
        " + L.tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "NUMBA_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(digests) == 1
