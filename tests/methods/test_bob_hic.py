"""Bob-Hic: trees on samples, of objects whose distances are distorted most."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs

from comitia.exceptions import ComitiaError
from comitia.generate.boosting import Round
from comitia.methods.fixed_objects.bob_hic import (
    BobHic,
    by_faithfulness,
    extended_cophenetic,
    row_correlations,
)
from comitia.partition import cophenetic, hac
from tests.fixtures import heights_by_loops, is_ultrametric

BLOBS, TRUTH = make_blobs(80, centers=4, random_state=3)

# The corners of a regular simplex, and an object far above its centre.
ULTRA = np.vstack([np.eye(6)[:5], [0.2, 0.2, 0.2, 0.2, 0.2, 9.0]])


def test_the_example_is_an_ultrametric():
    assert is_ultrametric(pdist(ULTRA))


@pytest.mark.parametrize("linkage", ["single", "average"])
@pytest.mark.parametrize("variant", ["mean", "max", "closure"])
def test_an_ultrametric_is_reproduced_and_all_objects_count_alike(linkage, variant):
    fitted = BobHic(
        2, object_fraction=1.0, linkage=linkage, variant=variant, random_state=0
    ).fit(ULTRA)
    assert_allclose(cophenetic(fitted.linkage_), pdist(ULTRA))
    assert_allclose(fitted.object_weights_.sum(), 1.0)
    for made in fitted.generator_.rounds_:
        # Five rows vary, and are matched perfectly; that of the last is constant.
        assert_allclose(made.measures["rho"], [1, 1, 1, 1, 1, 0], atol=1e-9)


def test_perfect_correlations_fall_back_to_uniform_weights():
    rho = np.array([1.0, -1.0, 1.0 - 1e-16])
    made = Round(np.zeros(3, dtype=int), measures={"rho": rho})
    assert_allclose(by_faithfulness(None, [made]), 1 / 3)


def test_weights_are_their_definition():
    rho = np.array([0.5, -0.75, 0.0, 1.0])
    made = Round(np.zeros(4, dtype=int), measures={"rho": rho})
    expected = np.array([0.5, 0.25, 1.0, 0.0]) / 1.75
    assert_allclose(by_faithfulness(None, [made]), expected, atol=1e-8)  # the floor


@pytest.mark.parametrize("variant", ["mean", "max", "closure"])
def test_every_round_obeys_its_formulas(variant):
    fitted = BobHic(4, n_rounds=5, variant=variant, random_state=0).fit(BLOBS)
    trees, w = [], np.full(80, 1 / 80)
    D = squareform(pdist(BLOBS))
    for made in fitted.generator_.rounds_:
        assert_allclose(made.weights, w)
        rows = made.drawn.rows
        assert len(rows) == 56
        tree = hac(D[np.ix_(rows, rows)], "average")
        near, gap = D[:, rows].argmin(axis=1), D[:, rows].min(axis=1)
        trees.append(extended_cophenetic(tree, near, gap))
        total = np.max(trees, axis=0) if variant == "max" else np.mean(trees, axis=0)
        rho = row_correlations(squareform(D), total)
        assert_allclose(made.measures["rho"], rho)
        w = (1 - abs(rho)) / (1 - abs(rho)).sum()
    assert_allclose(fitted.object_weights_, w)
    rule = "single" if variant == "closure" else "average"
    assert_allclose(fitted.linkage_[:, 2], hac(total, rule)[:, 2])


@pytest.mark.parametrize("variant", ["mean", "max", "closure"])
@pytest.mark.parametrize("linkage", ["average", "single", "complete", "ward"])
def test_the_result_is_an_ultrametric(variant, linkage):
    fitted = BobHic(4, n_rounds=4, linkage=linkage, variant=variant, random_state=0)
    D = squareform(cophenetic(fitted.fit(BLOBS).linkage_))
    assert is_ultrametric(D)
    for i, j, k in np.random.RandomState(0).randint(80, size=(200, 3)):
        assert D[i, j] <= max(D[i, k], D[j, k]) + 1e-9


def test_all_objects_in_one_round_are_plain_linkage():
    fitted = BobHic(4, n_rounds=1, object_fraction=1.0, random_state=0).fit(BLOBS)
    assert_allclose(fitted.linkage_[:, 2], hac(pdist(BLOBS))[:, 2])


def test_no_matrix_is_kept():
    fitted = BobHic(4, n_rounds=3, random_state=0).fit(BLOBS)
    kept = [set(made.measures) for made in fitted.generator_.rounds_]
    assert kept == [{"rho"}, {"rho"}, {"rho", "linkage"}]


def test_two_objects_make_a_tree():
    fitted = BobHic(2, random_state=0).fit([[0.0], [1.0]])
    assert fitted.linkage_.shape == (1, 4)
    assert sorted(fitted.labels_) == [0, 1]


X = np.random.RandomState(0).randn(15, 3)


def ultrametric_by_loops(D, tol=1e-12):
    n = len(D)
    return all(
        D[i, j] <= max(D[i, k], D[j, k]) + tol
        for i, j, k in itertools.product(range(n), repeat=3)
    )


def test_objects_outside_are_next_to_their_leaf():
    tree = hac(pdist(X[:8]), "average")
    D = squareform(pdist(X))
    nearest, gap = D[:, :8].argmin(axis=1), D[:, :8].min(axis=1)
    got = squareform(extended_cophenetic(tree, nearest, gap))
    inside = heights_by_loops(tree)
    assert_allclose(got[:8, :8], inside)
    for i, j in itertools.combinations(range(15), 2):
        expected = max(inside[nearest[i], nearest[j]], gap[i], gap[j])
        assert_allclose(got[i, j], expected)
    for i in range(8, 15):
        assert_allclose(got[i, nearest[i]], gap[i])
    assert ultrametric_by_loops(got)


def test_everybody_can_be_next_to_one_leaf():
    got = extended_cophenetic(np.empty((0, 4)), [0, 0, 0], [0.0, 1.0, 3.0])
    assert_allclose(got, [1.0, 3.0, 3.0])


def test_correlations_are_those_of_the_rows_without_the_diagonal():
    one, other = pdist(X), cophenetic(hac(pdist(X)))
    got = row_correlations(one, other)
    A, B = squareform(one), squareform(other)
    for i in range(15):
        rest = np.arange(15) != i
        assert_allclose(got[i], np.corrcoef(A[i, rest], B[i, rest])[0, 1])


@pytest.mark.parametrize("level", [1.0, 1e-9, 1e9])
def test_a_constant_row_has_no_correlation(level):
    equal = np.full(10, level)
    assert_allclose(row_correlations(equal, np.arange(10.0)), 0.0)
    assert_allclose(row_correlations(np.arange(10.0), equal), 0.0)


def test_distances_of_other_objects_are_refused():
    with pytest.raises(ComitiaError, match="same objects"):
        row_correlations(np.ones(3), np.ones(6))
