"""Trees without a matrix against plain twins that compare all pairs, ties included."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from benchmarks.ensembles import uniform_ensemble, voronoi_ensemble
from comitia import Ensemble, config
from comitia._kernels import linkage as kernels
from comitia._kernels import single_linkage
from comitia.exceptions import MemoryBudgetError
from comitia.partition import ensemble_linkage
from tests.fixtures import planted

ENSEMBLES = {
    "voronoi": lambda: voronoi_ensemble(1500, 20, (10, 60), n_features=5, n_blobs=9),
    "coarse": lambda: voronoi_ensemble(700, 12, (2, 6), n_features=2, n_blobs=3),
    "fine": lambda: voronoi_ensemble(350, 8, (40, 300), n_features=2),
    "random": lambda: uniform_ensemble(250, 9, (3, 20)),
    "noisy": lambda: Ensemble(planted(300, 5, 15, noise=0.3, seed=0)[0]),
    "many labels": lambda: uniform_ensemble(900, 6, (280, 600)),
    # So small that they are quick without compilation.
    "small": lambda: voronoi_ensemble(150, 10, (8, 30), n_features=2),
    "small and fine": lambda: uniform_ensemble(40, 6, (20, 35)),
    "small with ties": lambda: uniform_ensemble(40, 4, (2, 3)),
    "one clustering": lambda: uniform_ensemble(20, 1, 5),
}
SMALL = [*ENSEMBLES][-4:]


def micro(name):
    """Different objects, their counts, and whole weights."""
    ensemble, counts, _ = ENSEMBLES[name]().distinct().in_content_order()
    return ensemble, counts


def whole_weights(ensemble, kind):
    if kind == "equal":
        return np.ones(ensemble.n_clusters_total, dtype=np.int64)
    drawn = np.random.RandomState(0).randint(0, 50, ensemble.n_clusters_total)
    return drawn.astype(np.int64)


def sums_of(ensemble, counts):
    """B of objects that count several times; a label beyond the last is missing."""
    B = np.zeros((ensemble.n_objects, ensemble.n_clusters_total), dtype=np.int64)
    for m, codes in enumerate(ensemble.codes):
        there = codes < ensemble.n_clusters_each[m]
        B[np.flatnonzero(there), ensemble.offsets[m] + codes[there]] = counts[there]
    return B


def weighted_counts(ensemble, weights, counts):
    """B W B' of objects that count several times; whole numbers, hence exact."""
    B = sums_of(ensemble, counts)
    return (B * weights) @ B.T


def chain_twin(ensemble, weights, counts, shares=()):
    """Average linkage along chains over the table of all pairs of clusters.

    A cluster goes to the nearest one, the lowest of equals, unless the one that it was
    reached from is as near. Given shares, a pair counts as far as clusterings have it.
    """
    n = len(counts)
    table = weighted_counts(ensemble, weights, counts)
    pairs_seen = np.outer(counts, counts).astype(float)
    if len(shares):
        seen = (ensemble.n_clusters_each > ensemble.codes.T) * counts[:, None]
        pairs_seen = (seen * shares) @ seen.T
    alive = np.ones(n, dtype=bool)
    pairs, similarities = [], []
    chain, links, start = [], [], 0
    while start < n:
        if not chain:
            if not alive[start]:
                start += 1
                continue
            chain, links = [start], [0.0]
        x = chain[-1]
        similar = table[x] / np.maximum(pairs_seen[x], 1.0)
        similar[~alive] = -1.0
        similar[x] = -1.0
        y = int(np.argmax(similar))
        if similar[y] > links[-1]:
            chain.append(y)
            links.append(similar[y])
            continue
        if len(chain) == 1:  # similar to nothing
            chain, start = [], start + 1
            continue
        chain.pop()
        y, s = chain.pop(), links.pop()
        links.pop()
        x, y = min(x, y), max(x, y)
        for sums in (table, pairs_seen):
            sums[x] += sums[y]
            sums[:, x] += sums[:, y]
        alive[y] = False
        pairs.append((x, y))
        similarities.append(s)
    return np.array(pairs).reshape(-1, 2), np.array(similarities)


@pytest.mark.parametrize("weights", ["equal", "drawn"])
@pytest.mark.parametrize("name", ENSEMBLES)
def test_average_merges_are_those_of_the_table_of_all_pairs(name, weights):
    ensemble, counts = micro(name)
    weights = whole_weights(ensemble, weights)
    nothing_missing = np.empty((len(counts), 0)), np.empty(0)
    pairs, similarities = kernels.average_merges(
        ensemble.codes, ensemble.offsets, weights, counts, *nothing_missing
    )
    expected = chain_twin(ensemble, weights, counts)
    assert_array_equal(pairs, expected[0])
    assert_array_equal(similarities, expected[1])  # quotients of the same whole numbers


@pytest.mark.parametrize("weights", ["equal", "drawn"])
@pytest.mark.parametrize("name", SMALL)
def test_average_merges_with_missing_labels_are_those_of_all_pairs(name, weights):
    given, _ = micro(name)
    is_missing = np.random.RandomState(1).rand(*given.codes.shape) < 0.3
    labels = np.where(is_missing, -1, given.codes)
    ensemble, counts, _ = Ensemble(labels.T).distinct().in_content_order()
    weights = whole_weights(ensemble, weights)
    shares = np.arange(1.0, ensemble.n_clusterings + 1)
    seen = (ensemble.n_clusters_each > ensemble.codes.T) * counts[:, None]
    expected = chain_twin(ensemble, weights, counts, shares)
    pairs, similarities = kernels.average_merges(
        ensemble.codes, ensemble.offsets, weights, counts, seen.astype(float), shares
    )
    assert_array_equal(pairs, expected[0])
    assert_array_equal(similarities, expected[1])


@pytest.mark.parametrize("name", SMALL[1:])
def test_sums_of_merged_clusters_are_added_up(name):
    ensemble, counts = micro(name)
    weights = whole_weights(ensemble, "drawn")
    expected = sums_of(ensemble, counts) * (weights > 0)
    sums = kernels.make_sums(ensemble.codes, ensemble.offsets, weights, counts)
    where = np.zeros(len(weights), dtype=np.int64)
    rng, alive = np.random.RandomState(0), [*range(len(counts))]
    while True:
        by_cluster, by_list = np.zeros_like(expected), np.zeros_like(expected)
        for x in alive:
            entries = slice(sums.begin[x], sums.begin[x] + sums.number[x])
            by_cluster[x, sums.column[entries]] = sums.amount[entries]
        for c, (first, n_places) in enumerate(
            zip(sums.list_begin, sums.length, strict=True)
        ):
            places = slice(first, first + n_places)
            by_list[sums.owner[places], c] = sums.list_amount[places]
            assert_array_equal(
                sums.place[sums.entry[places]], np.arange(first, first + n_places)
            )
        assert_array_equal(by_cluster, expected)
        assert_array_equal(by_list, expected)
        assert not where.any()
        if len(alive) == 1:
            break
        x, y = np.sort(rng.choice(alive, 2, replace=False))
        kernels.merge(sums, x, y, where)
        expected[x] += expected[y]
        expected[y] = 0
        alive.remove(y)


def test_rows_are_chosen_that_lower_the_bound_most_for_their_length():
    rng = np.random.RandomState(0)
    for n_rows in [1, 2, 3, 5, 8, 13] * 4:
        clustering = np.sort(rng.randint(4, size=n_rows))
        values = rng.permutation(n_rows) + 1.0
        order = np.lexsort([-values, clustering])  # the heaviest of a clustering first
        values, length = values[order], rng.randint(1, 30, size=n_rows)
        is_walked = clustering == rng.randint(4)
        if is_walked.all():
            continue
        rows = kernels.Rows(order, clustering, values, is_walked, length)
        options = []
        for m in np.unique(clustering[~is_walked]):
            begin, last = np.flatnonzero(clustering == m)[[0, -1]]
            for end in range(begin + 1, last + 2):
                drop = values[begin] - (values[end] if end <= last else 0.0)
                options.append((begin, end, length[begin:end].sum(), drop))
        found = kernels.cheapest_rows(rows, n_rows)
        assert found in options
        assert found[3] / found[2] == max(drop / n for *_, n, drop in options)


@pytest.mark.parametrize("name", SMALL)
def test_rows_of_a_cluster_stand_by_clustering_the_heaviest_first(name):
    ensemble, counts = micro(name)
    weights = whole_weights(ensemble, "drawn")
    sums = kernels.make_sums(ensemble.codes, ensemble.offsets, weights, counts)
    _, scratch = kernels.make_scratch(len(counts), len(weights))
    for y in range(1, min(len(counts), 12)):  # a cluster that grows
        kernels.merge(sums, 0, y, scratch.where)
        size = counts[: y + 1].sum()
        values = weights * sums_of(ensemble, counts)[: y + 1].sum(axis=0) / size
        n_rows, n_left, most = kernels.list_rows(
            sums, 0, float(size), weights, scratch.rows
        )
        rows = [each[:n_rows] for each in scratch.rows]
        assert_array_equal(np.sort(rows[0]), np.flatnonzero(values))
        assert_array_equal(rows[1], sums.clustering[rows[0]])
        assert_array_equal(rows[2], values[rows[0]])
        assert_array_equal(np.lexsort([-rows[2], rows[1]]), np.arange(n_rows))
        assert n_left == rows[4].sum() == sums.length[rows[0]].sum()
        assert not rows[3].any()
        heaviest = np.maximum.reduceat(values, ensemble.offsets[:-1])
        assert_allclose(most, heaviest.sum())


def test_clusters_that_merge_pool_their_candidates_and_forget_too_many():
    known, _ = kernels.make_scratch(2, 1)
    room = known.candidates.shape[1]
    for n_x, n_y in [(3, 2), (0, 2), (3, 0), (10, room - 10), (10, room - 9)]:
        known.candidates[0, :n_x] = np.arange(n_x)
        known.candidates[1, :n_y] = 100 + np.arange(n_y)
        for bounds in ([0.25, 0.5], [0.5, 0.25]):
            known.n_candidates[:], known.bound[:] = (n_x, n_y), bounds
            kernels.pool_candidates(known, 0, 1)
            if n_x + n_y > room:
                assert known.n_candidates[0] == -1
                continue
            assert known.n_candidates[0] == n_x + n_y
            pooled = [*range(n_x), *range(100, 100 + n_y)]
            assert_array_equal(known.candidates[0, : n_x + n_y], pooled)
            assert known.bound[0] == 0.5
    for unknown in ((-1, 2), (2, -1)):
        known.n_candidates[:] = unknown
        kernels.pool_candidates(known, 0, 1)
        assert known.n_candidates[0] == -1


def prim_twin(codes, weights, seen=None, shares=None):
    """The spanning tree by comparing the newest object with all that are outside."""
    M, n = codes.shape
    best, near = np.full(n, -1.0), np.zeros(n, dtype=int)
    outside = np.ones(n, dtype=bool)
    v, edges = 0, []
    for _ in range(n - 1):
        outside[v] = False
        similar = np.zeros(n)
        both = np.ones(n)
        for m in range(M):
            similar += np.where(codes[m] == codes[m, v], weights[m, codes[m, v]], 0)
        if seen is not None:
            both = np.maximum(shares @ (seen & seen[:, v : v + 1]), 1.0)
        closer = similar / both > best
        best[closer] = (similar / both)[closer]
        near[closer] = v
        v = int(np.argmax(np.where(outside, best, -2.0)))  # the lowest of equals
        edges.append((near[v], v))
    return np.array(edges)


@pytest.mark.parametrize("block", [8, 60, 512])
@pytest.mark.parametrize("weights", ["equal", "drawn"])
@pytest.mark.parametrize("name", ENSEMBLES)
def test_spanning_tree_is_that_of_all_pairs(name, weights, block, monkeypatch):
    monkeypatch.setattr(single_linkage, "_BLOCK", block)
    ensemble, _ = micro(name)
    whole = whole_weights(ensemble, weights)
    table = np.zeros((ensemble.n_clusterings, ensemble.codes.max() + 2), dtype=np.int32)
    for m, k in enumerate(ensemble.n_clusters_each):
        table[m, :k] = whole[ensemble.offsets[m] : ensemble.offsets[m + 1]]
    got = single_linkage.spanning_tree(ensemble.codes, table)
    assert_array_equal(got, prim_twin(ensemble.codes, table))
    seen = np.random.RandomState(0).rand(*ensemble.codes.shape) < 0.8
    missing = np.where(seen, ensemble.codes, table.shape[1] - 1)
    table[:, -1] = 0
    shares = np.arange(1, len(table) + 1, dtype=np.int32)
    got = single_linkage.spanning_tree(missing.astype(np.uint16), table, seen, shares)
    assert_array_equal(got, prim_twin(missing, table, seen, shares))


def test_labels_that_all_blocks_have_make_large_blocks():
    random = uniform_ensemble(9000, 8, 4)
    blocks = single_linkage.make_blocks(random.codes, np.int32)
    assert blocks.n_left.tolist() == [4096, 4096, 808]
    alike = np.sort(voronoi_ensemble(9000, 8, 40).codes, axis=1)
    assert len(single_linkage.make_blocks(alike, np.int32).n_left) == 18


@pytest.mark.parametrize(
    ("name", "n_early"), [("voronoi", 1000), ("random", 0), ("small", 10)]
)
def test_what_a_search_leaves_out_is_within_its_bound(name, n_early):
    ensemble, counts = micro(name)
    weights = whole_weights(ensemble, "drawn")
    similar = weighted_counts(ensemble, weights, counts) / np.outer(counts, counts)
    np.fill_diagonal(similar, -1.0)
    sums = kernels.make_sums(ensemble.codes, ensemble.offsets, weights, counts)
    known, scratch = kernels.make_scratch(ensemble.n_objects, len(weights))
    seen, shares = np.empty((len(counts), 0)), np.empty(0)
    n_stopped = 0
    for x in range(ensemble.n_objects):
        for at_least in (0.0, 0.7 * similar[x].max(), similar[x].max()):
            y, s = kernels.search(
                sums, known, x, counts, seen, shares, weights, scratch, at_least
            )
            assert (y, s) == (similar[x].argmax(), similar[x].max())
            kept = known.candidates[x, : known.n_candidates[x]]
            others = np.delete(similar[x], kept)
            assert others.max() <= known.bound[x]
        n_stopped += not scratch.rows.is_walked[: sums.number[x]].all()
        assert not scratch.sums_with.any()
        assert not scratch.where.any()
    assert n_stopped >= n_early


def test_a_cluster_that_meets_no_other_finds_none():
    ensemble, counts = Ensemble([[0, 0], [1, 1], [1, 2]]), np.ones(3, dtype=np.int64)
    weights = whole_weights(ensemble, "equal")
    sums = kernels.make_sums(ensemble.codes, ensemble.offsets, weights, counts)
    known, scratch = kernels.make_scratch(3, len(weights))
    given = counts, np.empty((3, 0)), np.empty(0), weights
    for x, found in ((0, (-1, 0.0)), (1, (2, 1.0)), (2, (1, 1.0))):
        assert kernels.search(sums, known, x, *given, scratch, 0.0) == found
        assert known.n_candidates[x] == (x > 0)
        got = kernels.nearest_candidate(sums, known, x, *given, scratch.where)
        assert got == found


@pytest.mark.parametrize("linkage", ["average", "single"])
def test_a_tree_that_does_not_fit_is_refused_before_it_is_made(linkage):
    ensemble = uniform_ensemble(3000, 10, 50)
    with config.limit("100 kB"), pytest.raises(MemoryBudgetError, match=linkage):
        ensemble_linkage(ensemble, linkage=linkage)
