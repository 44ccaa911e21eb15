"""Trees without a matrix against plain twins that compare all pairs, ties included."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from benchmarks.ensembles import uniform_ensemble, voronoi_ensemble
from comitia import Ensemble, config
from comitia._kernels import linkage as kernels
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
}


def micro(name):
    """Different objects, their counts, and whole weights."""
    ensemble, counts, _ = ENSEMBLES[name]().distinct().in_content_order()
    return ensemble, counts


def whole_weights(ensemble, kind):
    if kind == "equal":
        return np.ones(ensemble.n_clusters_total, dtype=np.int64)
    drawn = np.random.RandomState(0).randint(0, 50, ensemble.n_clusters_total)
    return drawn.astype(np.int64)


def weighted_counts(ensemble, weights, counts):
    """B W B' of objects that count several times; whole numbers, hence exact."""
    B = np.zeros((ensemble.n_objects, ensemble.n_clusters_total))
    for m, codes in enumerate(ensemble.codes):
        B[np.arange(len(codes)), ensemble.offsets[m] + codes] = counts
    return ((B * weights) @ B.T).astype(np.int64)


def chain_twin(ensemble, weights, counts):
    """Average linkage along chains over the table of all pairs of clusters.

    A cluster goes to the nearest one, the lowest of equals, unless the one that it was
    reached from is as near.
    """
    n = len(counts)
    table = weighted_counts(ensemble, weights, counts)
    sizes, alive = counts.copy(), np.ones(n, dtype=bool)
    pairs, similarities = [], []
    chain, links, start = [], [], 0
    while start < n:
        if not chain:
            if not alive[start]:
                start += 1
                continue
            chain, links = [start], [0.0]
        x = chain[-1]
        similar = table[x] / (float(sizes[x]) * sizes)
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
        table[x] += table[y]
        table[:, x] += table[:, y]
        sizes[x] += sizes[y]
        alive[y] = False
        pairs.append((x, y))
        similarities.append(s)
    return np.array(pairs), np.array(similarities)


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
    monkeypatch.setattr(kernels, "_BLOCK", block)
    ensemble, _ = micro(name)
    whole = whole_weights(ensemble, weights)
    table = np.zeros((ensemble.n_clusterings, ensemble.codes.max() + 2), dtype=np.int32)
    for m, k in enumerate(ensemble.n_clusters_each):
        table[m, :k] = whole[ensemble.offsets[m] : ensemble.offsets[m + 1]]
    got = kernels.spanning_tree(ensemble.codes, table)
    assert_array_equal(got, prim_twin(ensemble.codes, table))
    seen = np.random.RandomState(0).rand(*ensemble.codes.shape) < 0.8
    missing = np.where(seen, ensemble.codes, table.shape[1] - 1)
    table[:, -1] = 0
    shares = np.arange(1, len(table) + 1, dtype=np.int32)
    got = kernels.spanning_tree(missing.astype(np.uint16), table, seen, shares)
    assert_array_equal(got, prim_twin(missing, table, seen, shares))


def test_labels_that_all_blocks_have_make_large_blocks():
    random = uniform_ensemble(9000, 8, 4)
    blocks = kernels.make_blocks(random.codes, np.int32)
    assert blocks.n_left.tolist() == [4096, 4096, 808]
    alike = np.sort(voronoi_ensemble(9000, 8, 40).codes, axis=1)
    assert len(kernels.make_blocks(alike, np.int32).n_left) == 18


@pytest.mark.parametrize(("name", "n_early"), [("voronoi", 1000), ("random", 0)])
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


@pytest.mark.parametrize("linkage", ["average", "single"])
def test_a_tree_that_does_not_fit_is_refused_before_it_is_made(linkage):
    ensemble = uniform_ensemble(3000, 10, 50)
    with config.limit("100 kB"), pytest.raises(MemoryBudgetError, match=linkage):
        ensemble_linkage(ensemble, linkage=linkage)
