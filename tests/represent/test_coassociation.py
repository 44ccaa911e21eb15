"""Co-association against its definition, in all kinds of ensembles."""

import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csc_array, csr_array
from scipy.spatial.distance import squareform

from comitia import Ensemble, config
from comitia._kernels.coassociation import sums_inside
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.represent.coassociation import (
    coassociation,
    coassociation_blocks,
    combined_weights,
    condensed_coassociation,
)
from tests.fixtures import E6, X6


def by_definition(labels, weights_of, shares=None):
    """Loops over pairs and clusterings; ``weights_of(m, label)`` weighs a cluster.

    With shares of the clusterings, over those that have both objects.
    """
    n, M = labels.shape
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            both = 0.0
            for m in range(M):
                if labels[i, m] == labels[j, m] >= 0:
                    S[i, j] += weights_of(m, labels[i, m])
                if shares is not None and min(labels[i, m], labels[j, m]) >= 0:
                    both += shares[m]
            S[i, j] /= both or 1.0
    return S


def random_labels(seed, n=40, M=9):
    """From two clusters to one for each object, and every fifth label missing."""
    rng = np.random.RandomState(seed)
    labels = np.stack(
        [rng.randint(rng.choice([2, 5, 30]), size=n) for _ in range(M)], 1
    )
    labels[rng.rand(n, M) < 0.2] = -1
    labels[0] = 0
    return labels


def test_e6_is_the_matrix_of_the_catalogue():
    third = 1 / 3
    A = [
        [1, 1, 2 * third, 0, 0, 0],
        [1, 1, 2 * third, 0, 0, 0],
        [2 * third, 2 * third, 1, third, 0, 0],
        [0, 0, third, 1, 2 * third, 2 * third],
        [0, 0, 0, 2 * third, 1, 1],
        [0, 0, 0, 2 * third, 1, 1],
    ]
    assert_allclose(coassociation(Ensemble(E6), dtype=np.float64), A, atol=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_weights_multiply_as_in_the_definition(seed):
    labels = random_labels(seed)
    ensemble = Ensemble(labels)
    rng = np.random.RandomState(seed)
    w, v = rng.rand(ensemble.n_clusterings), rng.rand(ensemble.n_clusters_total)

    def weights_of(m, label):
        code = ensemble.labels[labels[:, m] == label, m][0]
        return w[m] * v[ensemble.offsets[m] + code]

    how = {"clustering_weights": w, "cluster_weights": v, "dtype": np.float64}
    for co_sampled, shares in [
        (True, w / w.sum()),
        ("count", np.full(len(w), 1 / len(w))),
        (False, None),
    ]:
        S = coassociation(ensemble, co_sampled=co_sampled, **how)
        expected = by_definition(labels, weights_of, shares)
        assert_allclose(S, expected, atol=1e-13)
        condensed = condensed_coassociation(ensemble, co_sampled=co_sampled, **how)
        assert_array_equal(condensed, S[np.triu_indices(len(S), 1)])


@given(
    arrays(
        np.int8,
        st.tuples(st.integers(1, 8), st.integers(1, 6)),
        elements=st.integers(0, 4),
    )
)
def test_full_condensed_and_blocks_are_one_matrix(labels):
    ensemble = Ensemble(labels)
    S = coassociation(ensemble)
    assert_array_equal(S, S.T)
    assert_allclose(np.diag(S), 1.0, atol=1e-6)  # float32
    assert_array_equal(condensed_coassociation(ensemble), squareform(S, checks=False))
    blocks = [block for _, block in coassociation_blocks(ensemble, n_rows=3)]
    assert_array_equal(np.concatenate(blocks), S)
    assert_allclose(
        S, by_definition(labels, lambda m, c: 1 / labels.shape[1]), atol=1e-6
    )


@pytest.mark.parametrize("n_clusters", [2, 60])
def test_large_and_small_clusters_give_sparse_products(n_clusters):
    # Two clusters are compared label by label, sixty are walked through by lists.
    rng = np.random.RandomState(0)
    ensemble = Ensemble(rng.randint(n_clusters, size=(300, 7)))
    w = rng.rand(ensemble.n_clusters_total)
    B = ensemble.membership.toarray()
    expected = (B * w / 7) @ B.T
    got = coassociation(ensemble, cluster_weights=w)
    assert got.dtype == np.float32
    assert_allclose(got, expected, atol=1e-6)  # float32


def test_labels_beyond_a_byte_are_compared():
    labels = np.stack([np.arange(700) // 2, np.zeros(700, int)], axis=1)
    S = coassociation(Ensemble(labels))
    assert S[0, 1] == 1.0
    assert S[0, 512] == 0.5


def test_fuzzy_coassociation_is_the_product():
    rng = np.random.RandomState(0)
    F = [rng.dirichlet(np.ones(k), size=30) for k in (2, 4)]
    ensemble = Ensemble.from_memberships(F)
    w = rng.rand(6)
    B = np.hstack(F)
    expected = (B * w / 2) @ B.T
    kwargs = {"cluster_weights": w, "dtype": np.float64}
    assert_allclose(coassociation(ensemble, **kwargs), expected, atol=1e-14)
    assert_allclose(
        condensed_coassociation(ensemble, **kwargs),
        expected[np.triu_indices(30, 1)],
        atol=1e-14,
    )


def test_overlapping_clusters_count_each_time():
    ensemble = Ensemble.from_clusters([[[0, 1, 2], [1, 2]], [[0], [1, 2]]], 3)
    S = coassociation(ensemble, dtype=np.float64)
    assert_allclose(S, [[1, 0.5, 0.5], [0.5, 1.5, 1.5], [0.5, 1.5, 1.5]])


def test_pair_weights_multiply_element_by_element():
    labels = random_labels(1)
    n = len(labels)
    factors = np.random.RandomState(0).rand(n, n)
    factors = (factors + factors.T) / 2
    ensemble = Ensemble(labels)
    plain = coassociation(ensemble, dtype=np.float64)
    kwargs = {"pair_weights": factors, "dtype": np.float64}
    assert_allclose(coassociation(ensemble, **kwargs), plain * factors)
    assert_allclose(
        condensed_coassociation(ensemble, **kwargs),
        (plain * factors)[np.triu_indices(n, 1)],
    )
    asked = []

    def rows(start, stop):
        asked.append((start, stop))
        return factors[start:stop]

    blocks = coassociation_blocks(
        ensemble, n_rows=16, pair_weights=rows, dtype=np.float64
    )
    assert_allclose(np.concatenate([block for _, block in blocks]), plain * factors)
    assert asked == [(0, 16), (16, 32), (32, 40)]


def test_co_sampling_divides_by_the_clusterings_that_have_both():
    # The catalogue's example of weacs: Dunn weights of E6 on X6, object 5 left out of
    # the third subset.
    labels = E6.copy()
    labels[5, 2] = -1
    w = np.array([1, 1, 0.03125])
    assert len(X6) == len(labels)
    S = coassociation(
        Ensemble(labels), clustering_weights=w / 3, co_sampled="count", dtype=np.float64
    )
    assert_allclose(S[0, 1], (1 + 1 + 0.03125) / 3)
    assert_allclose(S[2, 3], 0.03125 / 3)
    assert_allclose(S[5, 3:], [2 / 2, 2 / 2, 2 / 2])


def test_co_sampling_does_nothing_to_complete_clusterings():
    ensemble = Ensemble(E6)
    assert_array_equal(
        coassociation(ensemble, co_sampled=True), coassociation(ensemble)
    )


def test_pairs_never_sampled_together_are_zero_and_told():
    labels = np.array([[0, -1], [0, -1], [-1, 0], [-1, 0]])
    with pytest.warns(ComitiaWarning, match="66.7%"):
        S = coassociation(Ensemble(labels), co_sampled=True)
    assert_array_equal(S, np.kron(np.eye(2), np.ones((2, 2))))


def test_few_pairs_never_sampled_together_are_not_told():
    labels = np.zeros((40, 2), dtype=int)
    labels[0, 0] = labels[1, 1] = -1  # one pair of 780
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        S = coassociation(Ensemble(labels), co_sampled=True)
    assert S[0, 1] == 0
    assert S[0, 2] == 1


def test_default_weights_average_over_the_clusterings():
    assert_allclose(combined_weights(Ensemble(E6)), np.full(7, 1 / 3))


def test_what_does_not_fit_is_refused_in_words():
    ensemble = Ensemble(E6)
    with pytest.raises(
        ComitiaError, match=r"clustering_weights .* 3; got shape \(2,\)"
    ):
        coassociation(ensemble, clustering_weights=[1, 2])
    with pytest.raises(ComitiaError, match="cluster_weights must be finite"):
        coassociation(ensemble, cluster_weights=[1, 1, 1, 1, 1, 1, np.nan])
    with pytest.raises(ComitiaError, match=r"pair_weights .* \(6, 6\)"):
        coassociation(ensemble, pair_weights=np.ones((5, 6)))
    with pytest.raises(ComitiaError, match="float32 or float64"):
        coassociation(ensemble, dtype=np.int64)
    with pytest.raises(ComitiaError, match="n_rows=0"):
        next(coassociation_blocks(ensemble, n_rows=0))


@pytest.mark.parametrize("function", [coassociation, condensed_coassociation])
def test_matrix_beyond_the_budget_is_refused_before_it_is_made(function):
    ensemble = Ensemble(np.zeros((2000, 2), dtype=int))
    with config.limit("1 MB"), pytest.raises(ComitiaError, match="lwgp"):
        function(ensemble)


def test_condensed_matrix_needs_little_more_than_itself():
    ensemble = Ensemble(np.random.RandomState(0).randint(50, size=(3000, 4)))
    condensed_coassociation(ensemble)  # compiled, and membership tables cached
    tracemalloc.start()
    condensed_coassociation(ensemble)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak <= 1.1 * 2 * 3000**2


def test_threads_do_not_change_a_bit():
    script = (
        "import numpy as np, hashlib; from comitia import Ensemble; "
        "from comitia.represent.coassociation import condensed_coassociation as f; "
        "r = np.random.RandomState(0); e = Ensemble(r.randint(9, size=(500, 11))); "
        "s = f(e, clustering_weights=r.rand(11)); "
        "print(hashlib.sha256(s.tobytes()).hexdigest())"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"NUMBA_NUM_THREADS": threads, "PATH": ""},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in ("1", "2")
    }
    assert len(digests) == 1


def test_sums_inside_clusters_are_their_definition():
    rng = np.random.RandomState(0)
    A, B = rng.rand(7, 7), rng.rand(7, 3) * (rng.rand(7, 3) < 0.6)
    rows, columns = csr_array(B), csc_array(B)
    got = sums_inside(
        A,
        (rows.indptr, rows.indices, rows.data),
        (columns.indptr, columns.indices, columns.data),
    )
    assert_allclose(got, np.diag(B.T @ A @ B))
