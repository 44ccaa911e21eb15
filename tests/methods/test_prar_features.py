"""Selection and extraction of columns, against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA

from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._prar_features import (
    laplacian_scores,
    n_components,
    reduce_features,
    spectral_scores,
)

METHODS = ["none", "laplacian", "spectral", "kmedoids", "kmeans", "pca"]


def table(seed, rows=12, columns=6):
    return np.random.RandomState(seed).rand(rows, columns)


@pytest.mark.parametrize("seed", range(3))
def test_laplacian_scores_are_their_definition(seed):
    V = table(seed)
    unit = V / np.linalg.norm(V, axis=1)[:, None]
    S = np.zeros((12, 12))
    for i in range(12):
        others = sorted(
            (j for j in range(12) if j != i), key=lambda j: -unit[i] @ unit[j]
        )
        for j in others[:5]:
            S[i, j] = S[j, i] = unit[i] @ unit[j]
    D = np.diag(S.sum(axis=1))
    expected = []
    for f in V.T:
        centered = f - (f @ D @ np.ones(12)) / D.sum()
        expected.append((centered @ (D - S) @ centered) / (centered @ D @ centered))
    assert_allclose(laplacian_scores(V), expected)


@pytest.mark.parametrize("seed", range(3))
def test_spectral_scores_are_sums_over_the_spectrum(seed):
    V = table(seed)
    unit = V / np.linalg.norm(V, axis=1)[:, None]
    d = np.linalg.norm(unit[:, None] - unit[None], axis=2)
    W = np.exp(-(d**2) / (2 * np.median(d[np.triu_indices(12, 1)]) ** 2))
    degree = W.sum(axis=1)
    values, vectors = np.linalg.eigh(np.eye(12) - W / np.sqrt(np.outer(degree, degree)))
    expected = []
    for f in V.T:
        f_hat = np.sqrt(degree) * f
        share = (vectors.T @ (f_hat / np.linalg.norm(f_hat))) ** 2
        expected.append((share * values)[1:].sum() / share[1:].sum())
    assert_allclose(spectral_scores(V), expected)


def test_smooth_columns_score_better_than_noise():
    x = np.linspace(0, 1, 30)
    noise = np.random.RandomState(0).rand(30)
    V = np.column_stack([x, 1 - x, np.full(30, 0.5), noise, 0.3 + x])
    for scores in (laplacian_scores(V), spectral_scores(V)):
        assert np.isinf(scores[2])
        assert scores[3] > scores[[0, 1, 4]].max()


def test_components_explain_most_of_the_variance():
    V = table(0, 40, 7) * np.array([9, 5, 3, 1, 0.5, 0.1, 0.01])
    ratio = np.cumsum(PCA().fit(V).explained_variance_ratio_)
    for share in (0.5, 0.9, 0.95, 0.999):
        assert n_components(V, share) == np.argmax(ratio >= share) + 1
    assert n_components(np.ones((5, 3))) == 1


def test_principal_components_are_those_of_scikit_learn_up_to_their_scale():
    V = table(1)
    got = reduce_features(V, "pca", 3).values
    Z = PCA(3).fit_transform(V)
    turned = Z * np.sign(Z.T @ (V.mean(axis=1) - V.mean()))
    expected = (turned - turned.min(axis=0)) / np.ptp(turned, axis=0)
    assert_allclose(got, expected, atol=1e-9)
    # Probabilistic PCA shrinks each component; in [0, 1] that is not seen.
    shrunk = turned * np.array([0.9, 0.5, 0.2])
    again = (shrunk - shrunk.min(axis=0)) / np.ptp(shrunk, axis=0)
    assert_allclose(got, again, atol=1e-9)
    for column in got.T:
        assert np.corrcoef(column, V.mean(axis=1))[0, 1] > 0


def test_medoids_stand_for_groups_of_columns():
    rng = np.random.RandomState(0)
    bases = rng.rand(20, 3)
    V = np.repeat(bases, 4, axis=1) + 0.01 * rng.randn(20, 12)
    kept = reduce_features(V, "kmedoids", 3).columns
    assert sorted(kept // 4) == [0, 1, 2]
    means = reduce_features(V, "kmeans", 3, rng).values
    expected = V.reshape(20, 3, 4).mean(axis=2)
    order = [int(np.abs(means - e[:, None]).sum(axis=0).argmin()) for e in expected.T]
    assert_allclose(means[:, order], expected)


@pytest.mark.parametrize("method", ["kmedoids", "kmeans", "pca"])
@pytest.mark.parametrize("n_select", [None, 3])
def test_copies_of_a_column_change_nothing(method, n_select):
    V = table(2)
    copied = np.column_stack([V, V[:, 1], V[:, 1], V[:, 4]])
    one = reduce_features(V, method, n_select, np.random.RandomState(0))
    other = reduce_features(copied, method, n_select, np.random.RandomState(0))
    assert_allclose(one.values, other.values, atol=1e-12)
    if method == "kmedoids":
        assert_array_equal(one.columns, other.columns)


@pytest.mark.parametrize("method", METHODS)
def test_no_more_columns_than_there_are(method):
    V = table(3, 5, 2)
    assert reduce_features(V, method, 9, np.random.RandomState(0)).values.shape == (
        5,
        2,
    )


def test_selected_columns_are_the_best_in_their_order():
    V = table(4)
    for method, scores in [
        ("laplacian", laplacian_scores),
        ("spectral", spectral_scores),
    ]:
        kept = reduce_features(V, method, 3).columns
        assert_array_equal(kept, np.sort(np.argsort(scores(V))[:3]))
        assert_array_equal(reduce_features(V, method, 3).values, V[:, kept])


def test_what_is_not_known_is_refused():
    with pytest.raises(ComitiaError, match="method='ica' is none of"):
        reduce_features(table(0), "ica")
    with pytest.raises(ComitiaError, match="table of finite numbers"):
        reduce_features([[np.nan, 1.0]])
