"""The co-association as a product."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.represent import ImplicitCoassociation
from comitia.represent import implicit as module
from tests.fixtures import E6, planted


def by_loops(labels, weights):
    """Weighted co-association, pair by pair; -1 meets nobody."""
    n, M = labels.shape
    S = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for m in range(M):
                if labels[i, m] == labels[j, m] >= 0:
                    S[i, j] += weights[m, labels[i, m]]
    return S


@pytest.fixture(params=["hard", "partial"])
def labels(request):
    labels = np.random.RandomState(0).randint(0, 4, size=(30, 7))
    if request.param == "partial":
        labels[np.random.RandomState(1).uniform(size=labels.shape) < 0.3] = -1
    return labels


def test_the_product_is_that_of_the_matrix(labels):
    rng = np.random.RandomState(2)
    w, v = rng.uniform(size=7), rng.uniform(size=28)
    S = ImplicitCoassociation(Ensemble(labels), clustering_weights=w, cluster_weights=v)
    wanted = by_loops(labels, w[:, None] * v.reshape(7, 4))
    Q = rng.normal(size=(30, 3))
    assert_allclose(S @ Q, wanted @ Q, atol=1e-13)
    assert_allclose(S @ Q[:, 0], wanted @ Q[:, 0], atol=1e-13)
    assert_allclose(S.squared_norm(), (wanted**2).sum(), rtol=1e-13)


def test_the_tables_are_products_with_the_indicator_matrix(labels):
    ensemble = Ensemble(labels)
    B, rng = ensemble.membership.toarray(), np.random.RandomState(3)
    S = ImplicitCoassociation(ensemble)
    for k in (1, 2, 5):
        Q, table = rng.normal(size=(30, k)), rng.normal(size=(28, k))
        assert_allclose(S.to_clusters(Q), B.T @ Q, atol=1e-13)
        assert_allclose(S.to_objects(table), B @ table, atol=1e-13)


def test_columns_of_other_memory_orders_are_read_alike(labels):
    S = ImplicitCoassociation(Ensemble(labels))
    Q = np.random.RandomState(4).normal(size=(30, 6))
    assert_allclose(S @ np.asfortranarray(Q), S @ Q, atol=1e-14)
    assert_allclose(S @ Q[:, ::2], (S @ Q)[:, ::2], atol=1e-14)
    assert_allclose(S @ np.eye(30, dtype=int), S @ np.eye(30), atol=0)


def test_counts_stand_for_copies():
    labels = np.repeat(E6, [1, 4, 2, 3, 1, 5], axis=0)
    ensemble = Ensemble(labels)
    micro, counts, inverse = ensemble.distinct()
    full, small = (
        ImplicitCoassociation(ensemble),
        ImplicitCoassociation(micro, counts=counts),
    )
    Q = np.random.RandomState(0).normal(size=(micro.n_objects, 3))
    assert_allclose((small @ Q)[inverse], full @ Q[inverse], atol=1e-13)
    assert_allclose(small.squared_norm(), full.squared_norm(), rtol=1e-14)


def test_fuzzy_and_overlapping_clusterings_have_products_too():
    rng = np.random.RandomState(0)
    fuzzy = Ensemble.from_memberships([rng.dirichlet(np.ones(3), 10) for _ in range(4)])
    overlapping = Ensemble.from_clusters([[[0, 1, 2], [2, 3]], [[0, 3], [1, 2, 3]]], 4)
    for ensemble in (fuzzy, overlapping):
        B = ensemble.membership.toarray()
        S = ImplicitCoassociation(ensemble)
        matrix = B @ B.T / ensemble.n_clusterings
        assert_allclose(S @ np.eye(len(B)), matrix, atol=1e-14)
        assert_allclose(S.squared_norm(), (matrix**2).sum(), rtol=1e-13)


def test_blocks_add_up(monkeypatch):
    labels, _ = planted(500, 4, 6, 0.3, 0)
    S = ImplicitCoassociation(Ensemble(labels))
    Q = np.random.RandomState(0).normal(size=(500, 3))
    wanted = S @ Q
    monkeypatch.setattr(module, "_BLOCK", 64)
    assert_allclose(S @ Q, wanted, atol=1e-11)


def test_a_matrix_of_another_length_is_refused():
    with pytest.raises(ValueError, match="6 columns and Q has 5 rows"):
        ImplicitCoassociation(Ensemble(E6)) @ np.ones((5, 2))


THREADS = """
import hashlib
import numpy as np
from comitia import Ensemble
from comitia.represent import ImplicitCoassociation

rng = np.random.RandomState(0)
ensemble = Ensemble(rng.randint(0, 5, size=(200_000, 3)))
product = ImplicitCoassociation(ensemble) @ rng.uniform(size=(200_000, 2))
print(hashlib.sha256(product.tobytes()).hexdigest())
"""


def test_the_number_of_threads_does_not_matter():
    printed = [
        subprocess.run(
            [sys.executable, "-c", THREADS],
            env={**os.environ, "NUMBA_NUM_THREADS": str(n)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for n in (1, 2)
    ]
    assert len(printed[0].strip()) == 64
    assert printed[0] == printed[1]
