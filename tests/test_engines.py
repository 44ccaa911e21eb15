"""Sums by kernels are those by sparse products."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, config
from comitia._kernels import contingency
from comitia._kernels.sums import fixed_scale
from comitia.engine import compiled
from comitia.engine.compiled import CompiledEngine, join_rows
from comitia.engine.protocol import Centers
from comitia.engine.row_blocks import Micro, Units
from comitia.engine.sparse import SparseEngine


def rng(seed=0):
    return np.random.RandomState(seed)


def random_ensemble(kind, n=23, seed=0):
    labels = rng(seed).randint(3, size=(n, 6))
    labels[:, 0] //= 3  # one cluster
    labels[:, 1] *= 7  # labels that no object has in between
    if kind == "partial":
        labels[rng(seed + 1).rand(n, 6) < 0.3] = -1
    return Ensemble.from_codes(np.where(labels < 0, 15, labels).T, [15] * 6)


@pytest.fixture(params=["hard", "partial"])
def engines(request):
    ensemble = random_ensemble(request.param)
    assert ensemble.kind == request.param
    return CompiledEngine(ensemble), SparseEngine(ensemble)


def test_tables_are_sparse_products(engines):
    kernels, products = engines
    assert_array_equal(kernels.sizes(), products.sizes())
    shared = products.contingency().toarray()
    assert_array_equal(kernels.contingency().toarray(), shared)
    assert_array_equal(kernels.dense_contingency(), shared)
    labels = rng().randint(-1, 4, size=23).astype(np.int32)
    assert_array_equal(kernels.overlaps(labels, 4), products.overlaps(labels, 4))
    codes = kernels.block.codes
    for m in range(6):
        own = np.where(codes[m] == 15, -1, codes[m].astype(np.int32)).astype(np.int32)
        assert_array_equal(kernels.overlaps_with(m), products.overlaps(own, 15))


@pytest.mark.parametrize(
    ("missing_bytes", "fits", "is_full"),
    [(0, True, True), (1, True, False), (0, False, False)],
)
def test_a_full_matrix_is_made_only_where_it_fits(
    engines, missing_bytes, fits, is_full, monkeypatch
):
    made = []

    def contingency_csr(*given):
        made.append(given)
        return counted(*given)

    counted = contingency.contingency_csr
    monkeypatch.setattr(contingency, "contingency_csr", contingency_csr)
    monkeypatch.setattr(compiled, "tables_fit", lambda _: fits)
    kernels, products = engines
    expected = products.contingency().toarray()
    with config.limit(4 * expected.size - missing_bytes):  # counts of four bytes
        assert_array_equal(kernels.contingency().toarray(), expected)
    assert len(made) == is_full


@pytest.mark.parametrize("counted", [False, True])
def test_weighted_tables_are_sparse_products(engines, counted):
    kernels, products = engines
    values, scale = rng(1).rand(23), 2.0**30
    counts = rng(2).randint(1, 5, size=23) if counted else None
    got = kernels.weighted_tables(values, counts, scale)
    expected = products.weighted_tables(values, counts, scale).toarray()
    # Each of 23 objects, four times at most, is rounded by a half.
    assert_allclose(got, expected, rtol=0.0, atol=23 * 4 / 2)
    # What was rounded away, on a scale of its own.
    finer = kernels.weighted_tables(values, counts, scale, 2.0**50)
    assert_allclose(got / scale + finer / 2.0**50, expected / scale, atol=1e-12)


def test_sums_over_the_clusters_of_objects_are_sparse_products(engines):
    K = int(engines[0].block.offsets[-1])
    values, table, weights = rng(1).randn(K), rng(2).randn(K, 3), rng(3).rand(K)
    degrees, targets = rng(4).rand(23), rng(5).randint(-1, 3, size=K)
    offset = rng(6).randn(3)
    for call, *given in (
        ("row_sums", values),
        ("unit_scales", table, degrees, 2.0),
        ("best_column", table, offset),
        ("mean_rows", table, weights),
        ("vote_table", targets, 3, weights),
        ("winners", targets, 3, weights),
    ):
        got, expected = (getattr(one, call)(*given) for one in engines)
        for one, other in zip(
            got if isinstance(got, tuple) else [got],
            expected if isinstance(expected, tuple) else [expected],
            strict=True,
        ):
            assert_allclose(one, other, atol=1e-12, err_msg=call)


# -- rows of k-means -----------------------------------------------------------------


def both_rows(ensemble, merged, weighted, by_clustering):
    """The same rows as labels, equal ones merged or not, and as a sparse matrix."""
    n = ensemble.n_objects
    each = rng(1).randint(1, 9, size=n) / 4 if weighted else None
    scale, squares = rng(2).rand(n) + 0.5, rng(3).rand(n)
    micro = Micro(ensemble, each=each)
    given = {"by_clustering": by_clustering}
    sparse = SparseEngine(ensemble).lloyd_rows(micro, squares, scale, **given)
    if merged:
        # Every object twice, the second half in another order.
        inverse = np.r_[np.arange(n), rng(4).permutation(n)]
        micro = Micro(ensemble, np.full(n, 2), inverse, each)
    rows = CompiledEngine(ensemble).lloyd_rows(micro, squares, scale, **given)
    units = Units(*(fixed_scale(float(top), 2 * n) for top in rows.largest()))
    return rows.with_units(units), sparse


@pytest.mark.parametrize("by_clustering", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("merged", [False, True])
@pytest.mark.parametrize("kind", ["hard", "partial"])
def test_a_pass_over_labels_is_one_over_a_matrix(kind, merged, weighted, by_clustering):
    ensemble = random_ensemble(kind)
    rows, sparse = both_rows(ensemble, merged, weighted, by_clustering)
    K, times = ensemble.n_clusters_total, 2 if merged else 1
    centers = Centers(rng(5).randn(K, 4), rng(6).rand(4), rng(7).rand(6, 4), 0.0)
    labels, best = rows.nearest(centers)
    expected = sparse.nearest(centers)
    assert_array_equal(labels, expected[0])
    assert_allclose(best, expected[1], atol=1e-12)
    assert_allclose(rows.scores(centers.table), sparse.scores(centers.table))
    assert_allclose(rows.weights, times * sparse.weights)
    assert rows.n_objects == times * sparse.n_objects
    first = rows.assign(None, centers=centers)
    given = rng(8).randint(4, size=23).astype(np.int32)
    for got, want in (
        (first, sparse.assign(None, centers=centers)),
        (
            rows.assign(first, centers=centers, labels=given),
            sparse.assign(first, centers=centers, labels=given),
        ),
    ):
        assert_array_equal(got.labels, want.labels)
        sums, mass, sizes, n_changed = vars(got.counted).values()
        assert_allclose(sums / rows.units.row, times * want.counted.sums, atol=1e-9)
        assert_allclose(mass / rows.units.weight, times * want.counted.mass, atol=1e-9)
        assert_array_equal(sizes, want.counted.sizes)
        assert n_changed == want.counted.n_changed
    assert_allclose(rows.total() / rows.units.square, times * sparse.total())
    which = np.array([3, 0, 22, 3])
    for part, other in ((rows, sparse), (rows.take(which), sparse.take(which))):
        at = np.arange(4)
        assert_array_equal(part.dense(at), other.dense(at))
        assert_array_equal(part.present(at), other.present(at))
        assert_allclose(part.squares, other.squares)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("merged", [False, True])
def test_rows_are_drawn_in_proportion_to_their_weights(merged, weighted):
    ensemble = random_ensemble("hard")
    rows, sparse = both_rows(ensemble, merged, weighted, by_clustering=False)
    total = rows.weigh_objects()
    assert 23 <= total < 2.0**52
    # The middle of 4000 equal parts of the weight.
    at = ((np.arange(4000) + 0.5) / 4000 * total).astype(np.int64)
    shares = np.bincount(rows.draw(at), minlength=23) / 4000
    # Each object is cut off at two ends.
    expected = sparse.weights / sparse.weights.sum()
    assert_allclose(shares, expected, atol=4 / 4000)


def test_rows_that_are_taken_can_be_counted_and_joined():
    ensemble = random_ensemble("partial")
    rows, _ = both_rows(ensemble, True, False, by_clustering=True)
    some = rows.take(np.array([4, 2, 4, 4]), counted=True)
    assert_array_equal(some.weights, [1, 3])
    assert_array_equal(some.dense(np.arange(2)), rows.dense(np.array([2, 4])))
    joined = join_rows([rows.take(np.array([1, 0])), rows.take(np.array([7]))])
    three = np.array([1, 0, 7])
    assert_array_equal(joined.dense(np.arange(3)), rows.dense(three))
    assert_array_equal(joined.squares, rows.squares[three])
    assert_array_equal(joined.present(np.arange(3)), rows.present(three))
    one = rows.take(three)
    assert join_rows([one]) is one
