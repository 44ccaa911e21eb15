"""Tables that are counted, fused and folded, against products of indicator matrices."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia._kernels import contingency as kernels
from comitia._kernels.sums import xlogx_scale

# Objects, and clusters of each clustering; with 30 objects or more some are fused.
SHAPES = [
    (1, [1]),
    (3, [2, 1]),
    (4, [3, 3, 1]),
    (9, [2, 5, 2]),
    (30, [2, 2, 7, 1, 2]),
    (203, [2, 3, 2, 40, 6, 1]),
    (4099, [3, 2, 2, 9]),  # more rows than are counted in one step
]


@pytest.fixture(params=SHAPES, ids=lambda shape: f"{shape[0]} objects")
def case(request):
    return random_case(*request.param)


def random_case(n, each, missing=0.1):
    """Codes with some missing and some clusters empty, and where clusters begin."""
    rng, n_clusters = np.random.RandomState(n), np.array(each)
    codes = np.stack([rng.randint(k, size=n) for k in each]).astype(np.uint16)
    codes[0] = np.where(rng.rand(n) < missing, n_clusters[0], codes[0])
    codes[-1] = np.where(rng.rand(n) < missing, n_clusters[-1], codes[-1])
    codes[codes == 5] = 0  # cluster 5 is empty
    return codes, n_clusters, np.r_[0, np.cumsum(n_clusters)]


def indicators(codes, n_clusters):
    """One column for each cluster; those who miss a label have none of its columns."""
    return np.concatenate(
        [
            row[:, None] == np.arange(k)
            for row, k in zip(codes, n_clusters, strict=True)
        ],
        axis=1,
    ).astype(np.int64)


def collected(batches, n_clusters, offsets):
    """The tables of all batches in one matrix, each of which came once."""
    K, seen = offsets[-1], set()
    whole = np.zeros((K, K), dtype=np.int64)
    for tables in batches:
        assert tables.begin[-1] == len(tables.counts)
        for t, (a, b) in enumerate(zip(tables.first, tables.second, strict=True)):
            assert frozenset((a, b)) not in seen
            seen.add(frozenset((a, b)))
            part = tables.counts[tables.begin[t] : tables.begin[t + 1]]
            part = part.reshape(n_clusters[a], n_clusters[b])
            whole[offsets[a] : offsets[a + 1], offsets[b] : offsets[b + 1]] = part
            whole[offsets[b] : offsets[b + 1], offsets[a] : offsets[a + 1]] = part.T
    return whole, len(seen)


@pytest.mark.parametrize("batch_cells", [1, 30, 1 << 22])
def test_tables_of_all_pairs_are_counted_once(case, batch_cells):
    codes, n_clusters, offsets = case
    B, M = indicators(codes, n_clusters), len(codes)
    shared = B.T @ B
    own = np.repeat(np.arange(M), n_clusters)
    apart = np.where(own[:, None] == own, 0, shared)
    batches = kernels.all_tables(codes, n_clusters, batch_cells)
    got, n_pairs = collected(batches, n_clusters, offsets)
    assert_array_equal(got, apart)
    assert n_pairs == M * (M - 1) // 2
    batches = kernels.tables_of(shared, n_clusters, offsets)
    got, n_pairs = collected(batches, n_clusters, offsets)
    assert_array_equal(got, apart)
    assert n_pairs == M * (M - 1) // 2


def test_matrices_of_all_tables_are_products_of_indicators(case):
    codes, n_clusters, offsets = case
    B = indicators(codes, n_clusters)
    sizes = kernels.cluster_sizes(codes, n_clusters)
    assert_array_equal(sizes, B.sum(axis=0))
    shared = B.T @ B
    dense = kernels.contingency_dense(codes, n_clusters, offsets, sizes)
    assert_array_equal(dense, shared)
    data, indices, indptr = kernels.contingency_csr(codes, n_clusters, offsets, sizes)
    rows = np.repeat(np.arange(len(shared)), np.diff(indptr))
    assert_array_equal(np.stack([rows, indices]), np.nonzero(shared))
    assert_array_equal(data, shared[rows, indices])


@pytest.mark.parametrize("batch_cells", [1, 30, 1 << 22])
def test_tables_against_labels_are_products_of_indicators(case, batch_cells):
    codes, n_clusters, offsets = case
    labels = np.random.RandomState(0).randint(4, size=codes.shape[1]).astype(np.uint16)
    rows = (labels[:, None] == np.arange(3)).astype(np.int64)  # 3 is no label
    expected = rows.T @ indicators(codes, n_clusters)
    found = []
    for tables in kernels.tables_against(labels, 3, codes, n_clusters, batch_cells):
        assert not tables.first.any()
        found += tables.second.tolist()
        for t, b in enumerate(tables.second):
            part = tables.counts[tables.begin[t] : tables.begin[t + 1]].reshape(3, -1)
            assert_array_equal(part, expected[:, offsets[b] : offsets[b + 1]])
    assert found == [*range(len(codes))]


@pytest.mark.parametrize("n_codes", [0, 6, 20, 256])
def test_a_fused_column_names_a_cluster_of_each_member(case, n_codes):
    codes, n_clusters, _ = case
    columns = kernels.fuse(codes, n_clusters, n_codes)
    assert_array_equal(np.sort(columns.member), np.arange(len(codes)))
    n_members = np.diff(columns.begin)
    assert ((n_members == 1) | (columns.n_codes <= n_codes)).all()
    assert (columns.codes.max(axis=1) < columns.n_codes).all()
    for c, code in enumerate(columns.codes):
        for t in range(columns.begin[c], columns.begin[c + 1]):
            got = code // columns.stride[t] % columns.base[t]
            assert_array_equal(got, codes[columns.member[t]])
    assert_array_equal(columns.n_clusters, n_clusters[columns.member])
    # Two columns of two clusters each would fit one of four codes.
    alone = np.sort(columns.base[columns.begin[:-1][n_members == 1]])
    assert len(alone) < 2 or alone[0] * alone[1] > n_codes


@pytest.mark.parametrize("cut", [0, 1, 2])
def test_weights_of_shared_objects_are_summed(case, cut):
    codes, n_clusters, offsets = case
    weights = np.random.RandomState(1).randint(-9, 1 << 40, size=codes.shape[1])
    B, M = indicators(codes, n_clusters), len(codes)
    out = np.zeros((offsets[-1], offsets[-1]), dtype=np.int64)
    for first, last in ((0, min(cut, M)), (min(cut, M), M)):
        kernels.weighted_contingency(
            codes, n_clusters, offsets, weights, out, first, last
        )
    assert_array_equal(out, (B * weights[:, None]).T @ B)


def xlogx_of(counts):
    counts = np.asarray(counts, dtype=float)
    return counts * np.log(np.maximum(counts, 1.0))


@pytest.mark.parametrize("n_tabulated", [1, 3, 1 << 16])
def test_sums_and_entropies_of_tables_are_their_definitions(
    case, n_tabulated, monkeypatch
):
    monkeypatch.setattr(kernels, "_TABULATED", n_tabulated)
    codes, n_clusters, offsets = case
    n, M = codes.shape[1], len(codes)
    B, scale = indicators(codes, n_clusters), xlogx_scale(n)
    logs_of = kernels.xlogx_table(n, scale)
    assert len(logs_of) == min(n + 1, n_tabulated)
    entropies = np.zeros((offsets[-1], M))
    for tables in kernels.all_tables(codes, n_clusters):
        sums = kernels.pair_sums(tables, n_clusters, n_clusters, logs_of, scale)
        kernels.add_entropies(
            *tables, n_clusters, offsets, logs_of, scale, entropies, 0, len(sums)
        )
        for (a, b), got in zip(
            zip(tables.first, tables.second, strict=True), sums, strict=True
        ):
            table = (
                B[:, offsets[a] : offsets[a + 1]].T @ B[:, offsets[b] : offsets[b + 1]]
            )
            parts = table, table.sum(axis=1), table.sum(axis=0)
            assert_array_equal(
                got[:4], [table.sum(), *((part**2).sum() for part in parts)]
            )
            logs = [xlogx_of(part).sum() for part in parts]
            assert_allclose(got[4:] / scale, logs, rtol=1e-12, atol=1e-12)
    for m in range(M):
        for c in range(offsets[-1]):
            if offsets[m] <= c < offsets[m + 1]:
                continue
            cells = B[B[:, c] == 1][:, offsets[m] : offsets[m + 1]].sum(axis=0)
            share = cells[cells > 0] / max(cells.sum(), 1)
            expected = -(share * np.log(share)).sum()
            assert_allclose(entropies[c, m], expected, rtol=1e-11, atol=1e-11)


def test_the_smaller_memberships_are_summed():
    rng = np.random.RandomState(0)
    B = rng.rand(7, 5) * (rng.rand(7, 5) < 0.6)
    rows = [np.flatnonzero(row) for row in B]
    indptr = np.r_[0, np.cumsum([len(row) for row in rows])]
    got = kernels.minimum_table(B[B > 0], np.concatenate(rows), indptr, 5)
    expected = np.minimum(B[:, :, None], B[:, None, :]).sum(axis=0)
    assert_allclose(got, expected, atol=1e-14)
