"""Communities are connected, locally best, and the same wherever vertices stand."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from comitia._kernels import leiden as kernels
from comitia.cluster import Leiden, leiden, louvain
from comitia.cluster.adjacency import check_graph
from comitia.cluster.community_quality import modularity, potts_quality
from comitia.cluster.leiden_louvain import _first_level, _visits, by_appearance
from comitia.exceptions import ComitiaError
from comitia.testing import same_partition
from tests.cluster.test_communities import karate, planted

# The best modularity of all partitions of the karate club, which is known.
BEST = 0.41978961


def rng(seed=0):
    return np.random.RandomState(seed)


def random_graph(seed, n=60, p=0.08, weighted=True):
    draw = rng(seed)
    upper = np.triu(draw.rand(n, n) < p, 1) * (draw.rand(n, n) if weighted else 1.0)
    return upper + upper.T


def brute_potts(A, labels, resolution, v):
    H = 0.0
    for i in range(len(A)):
        for j in range(i):
            if labels[i] == labels[j]:
                H += A[i, j] - resolution * v[i] * v[j]
    return H


def n_parts(A, members):
    return connected_components(A[np.ix_(members, members)], directed=False)[0]


# -- the parts ---------------------------------------------------------------------


def test_exponentials_and_logarithms_are_those_of_the_library():
    for x in [0.0, 1e-9, 0.3, 1.0, 5.5, 39.9]:
        assert_allclose(kernels.exp_of_minus(x), math.exp(-x), rtol=1e-12)
    assert kernels.exp_of_minus(41.0) == 0.0
    for u in [1e-12, 0.1, 0.5, 0.75, 0.999999]:
        assert_allclose(kernels.minus_log(u), -math.log(u), rtol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_an_aggregated_graph_is_the_sum_over_its_parts(seed):
    A = check_graph(random_graph(seed, 20, 0.4))
    parts = rng(seed).randint(6, size=20)
    parts = np.unique(parts, return_inverse=True)[1].astype(np.int32)
    level = _first_level(A, "modularity", 1.0, None)
    found = level.merged(parts, parts.max() + 1)
    whole = csr_array((level.data, level.indices, level.indptr)).toarray()
    B = np.eye(parts.max() + 1, dtype=np.int64)[parts]
    expected = B.T @ whole @ B
    np.fill_diagonal(expected, 0)
    given = csr_array((found.data, found.indices, found.indptr), shape=expected.shape)
    assert_array_equal(given.toarray(), expected)
    assert_array_equal(found.weights, B.T @ level.weights)


@pytest.mark.parametrize("seed", range(3))
def test_connected_parts_are_those_of_the_graph_within_each_community(seed):
    A = check_graph(random_graph(seed, 40, 0.06))
    labels = rng(seed).randint(3, size=40).astype(np.int32)
    found = kernels.connected_parts(A.indptr, A.indices, labels)
    within = A.toarray() * (labels[:, None] == labels)
    assert_array_equal(found, connected_components(within, directed=False)[1])


def moves_of(A, resolution, seed):
    """Sweeps in plain Python: the twin of the kernel."""
    level = _first_level(check_graph(A), "modularity", resolution, None)
    W = csr_array((level.data, level.indices, level.indptr), shape=A.shape).toarray()
    order = _visits(np.arange(level.n), seed)
    labels = np.argsort(order)
    waits = set(range(level.n))
    while waits:
        for i in order:
            if i not in waits:
                continue
            waits.discard(i)

            def gain(c, i=i):
                others = (labels == c) & (np.arange(level.n) != i)
                pull = level.pull * level.weights[i] * level.weights[others].sum()
                return W[i, others].sum() - pull

            near = {labels[j] for j in np.flatnonzero(W[i])} - {labels[i]}
            free = min({*range(level.n)} - {*labels}, default=None)
            best = max((gain(c) for c in near), default=-np.inf)
            target = min((c for c in near if gain(c) >= best - level.least), default=0)
            if (labels == labels[i]).sum() > 1 and best < -level.least:
                best, target = 0.0, free
            if best > gain(labels[i]) + level.least:
                labels[i] = target
                waits |= {j for j in np.flatnonzero(W[i]) if labels[j] != target}
    return labels


@pytest.mark.parametrize("resolution", [0.5, 1.0, 3.0])
def test_vertices_move_as_in_plain_python(resolution):
    for seed in range(4):
        A = random_graph(seed, 25, 0.25)
        level = _first_level(check_graph(A), "modularity", resolution, None)
        order = _visits(np.arange(25), seed)
        labels = np.argsort(order).astype(np.int32)
        totals, counts = level.weights[order].copy(), np.ones(25, dtype=np.int64)
        kernels.move_until_stable(
            *(level.indptr, level.indices, level.data, level.weights),
            *(order, level.pull, level.least, labels, totals, counts),
        )
        assert same_partition(labels, moves_of(A, resolution, seed))
        assert_array_equal(counts, np.bincount(labels, minlength=25))
        for c in range(25):
            assert totals[c] == level.weights[labels == c].sum()


def parts_of(A, labels, theta, seed):
    level = _first_level(A, "modularity", 1.0, None)
    totals = np.bincount(labels, level.weights).astype(np.int64)
    order = _visits(np.arange(level.n), seed)
    return kernels.refine(
        *(level.indptr, level.indices, level.data, level.weights),
        *(order, np.argsort(order).astype(np.int32), level.pull, level.least),
        *(theta * level.data.mean(), np.uint64(seed), labels, totals),
    )


@pytest.mark.parametrize("theta", [1e-6, 0.1, 10.0])
def test_parts_are_connected_and_stay_inside_of_their_community(theta):
    joined = 0
    for seed in range(5):
        A = check_graph(random_graph(seed))
        labels = louvain(A, rng(seed)).astype(np.int32)
        parts = parts_of(A, labels, theta, seed)
        dense = A.toarray()
        for part in np.unique(parts):
            members = np.flatnonzero(parts == part)
            joined += len(members) > 1
            assert len(set(labels[members])) == 1
            assert n_parts(dense, members) == 1
    assert joined > 20


def hashed(x):
    return int(kernels.scrambled(np.uint64(x % 2**64)))


def parts_by_loops(A, labels, theta, seed):
    """Refinement with all sums taken anew: the twin of the kernel."""
    level = _first_level(A, "modularity", 1.0, None)
    W = csr_array((level.data, level.indices, level.indptr), shape=A.shape).toarray()
    order, theta = _visits(np.arange(level.n), seed), theta * level.data.mean()
    parts = rank = np.argsort(order)
    for i in order:
        inside = labels == labels[i]
        total, mine = level.weights[inside].sum(), level.pull * level.weights[i]
        needed = mine * (total - level.weights[i]) - level.least
        if (parts == parts[i]).sum() != 1 or W[i, inside].sum() < needed:
            continue
        gains = {parts[i]: 0.0}
        for c in {parts[j] for j in np.flatnonzero(W[i] * inside)}:
            part = parts == c
            heavy = level.weights[part].sum()
            gain = W[i, part].sum() - mine * heavy
            outward = W[np.ix_(part, inside & ~part)].sum()
            needed = level.pull * heavy * (total - heavy) - level.least
            if gain >= -level.least and outward >= needed:
                gains[c] = gain
        top, race = max(gains.values()), []
        for c, gain in gains.items():
            likely = kernels.exp_of_minus((top - max(gain, 0.0)) / theta)
            draw = hashed(hashed(int(rank[i]) + seed) + int(c)) >> 12
            if likely > 0.0:
                race.append((kernels.minus_log((draw + 0.5) / 2.0**52) / likely, c))
        parts = np.where(np.arange(level.n) == i, min(race)[1], parts)
    return parts


@pytest.mark.parametrize("theta", [1e-6, 0.1, 10.0])
def test_vertices_are_merged_as_in_plain_python(theta):
    for seed in range(6):
        A = check_graph(random_graph(seed, 24, 0.3, weighted=seed % 2 == 0))
        labels = rng(seed).randint(seed % 3 + 1, size=24).astype(np.int32)
        expected = parts_by_loops(A, labels, theta, seed)
        assert_array_equal(parts_of(A, labels, theta, seed), expected)


def test_more_randomness_leaves_more_vertices_alone():
    A = check_graph(random_graph(0, 200, 0.05))
    labels = louvain(A, rng()).astype(np.int32)
    found = [
        np.mean([len(np.unique(parts_of(A, labels, t, s))) for s in range(5)])
        for t in (1e-6, 1.0, 100.0)
    ]
    assert found[0] < found[1] < found[2]


# -- what comes out ----------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_leiden_finds_the_best_of_the_karate_club(seed):
    fitted = Leiden(random_state=seed).fit(karate())
    assert_allclose(fitted.quality_, BEST, atol=1e-8)
    assert_array_equal(fitted.labels_, leiden(karate(), rng(seed)))
    assert fitted.n_clusters_ == 4


@pytest.mark.parametrize("quality", ["modularity", "cpm"])
@pytest.mark.parametrize("weighted", [True, False])
def test_communities_are_connected(quality, weighted):
    for seed in range(10):
        A = random_graph(seed, weighted=weighted)
        for resolution in (0.05, 1.0):
            labels = leiden(A, rng(seed), quality=quality, resolution=resolution)
            for c in range(labels.max() + 1):
                assert n_parts(A, np.flatnonzero(labels == c)) == 1


def test_a_community_in_two_parts_is_split():
    A = np.zeros((6, 6))
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = 1.0
    given = np.array([0, 0, 0, 0, 1, 1], dtype=np.int32)
    checked = check_graph(A)
    parts = kernels.connected_parts(checked.indptr, checked.indices, given)
    assert_array_equal(parts, [0, 0, 1, 1, 2, 3])


@pytest.mark.parametrize("quality", ["modularity", "cpm"])
@pytest.mark.parametrize("seed", range(3))
def test_no_vertex_gains_by_moving_alone(quality, seed):
    A = random_graph(seed, 30, 0.2)
    fitted = Leiden(
        quality=quality, resolution=0.4, max_iter=50, random_state=seed
    ).fit(A)
    assert fitted.converged_

    def value(labels):
        if quality == "modularity":
            return modularity(A, labels, resolution=0.4)
        return potts_quality(A, labels, resolution=0.4)

    best = value(fitted.labels_)
    assert_allclose(best, fitted.quality_)
    for i in range(30):
        for c in range(fitted.n_clusters_ + 1):
            moved = fitted.labels_.copy()
            moved[i] = c
            # Weights are rounded to 2**-30 of the largest.
            assert value(moved) <= best + 1e-7


@pytest.mark.parametrize("resolution", [0.1, 1.0])
def test_the_constant_potts_model_is_its_definition(resolution):
    A, labels = random_graph(0, 15, 0.4), rng().randint(3, size=15)
    v = rng(1).rand(15)
    got = potts_quality(A, labels, resolution=resolution, sample_weight=v)
    assert_allclose(got, brute_potts(A, labels, resolution, v))


def test_heavy_vertices_keep_apart():
    ring = np.roll(np.eye(6), 1, axis=1)
    ring = ring + ring.T
    light = Leiden(quality="cpm", resolution=0.1, random_state=0)
    assert light.fit(ring).n_clusters_ < 6
    assert light.fit(ring, sample_weight=np.full(6, 4.0)).n_clusters_ == 6


def test_a_larger_resolution_gives_more_communities():
    A, _ = planted([30, 30, 30], 0.3, 0.03)
    for quality, few, many in (("modularity", 0.2, 3.0), ("cpm", 0.01, 0.5)):
        fewer = leiden(A, rng(), quality=quality, resolution=few).max()
        more = leiden(A, rng(), quality=quality, resolution=many).max()
        assert fewer < more


@pytest.mark.parametrize("detect", [leiden, louvain])
@pytest.mark.parametrize("seed", range(4))
def test_renumbering_the_vertices_renumbers_the_result(detect, seed):
    A = random_graph(seed, 80, 0.08)
    order = rng(seed + 1).permutation(80)
    moved = A[np.ix_(order, order)]
    assert same_partition(detect(A, rng(3))[order], detect(moved, rng(3)))


def test_weights_that_differ_by_rounding_give_the_same_result():
    A = random_graph(0, 80, 0.1)
    noise = np.triu(rng(1).choice([-1, 0, 1], size=A.shape), 1)
    off = A * (1.0 + 1e-16 * (noise + noise.T))
    assert_array_equal(leiden(A, rng(5)), leiden(off, rng(5)))


@pytest.mark.parametrize("seed", range(3))
def test_planted_communities_are_found(seed):
    A, truth = planted([40, 60, 50], 0.4, 0.01, seed)
    assert adjusted_rand_score(truth, leiden(A, rng(seed))) == 1.0


def test_one_level_of_louvain_is_finer_than_all():
    A, _ = planted([40] * 6, 0.15, 0.01)
    first = louvain(A, rng(), max_levels=1)
    last = louvain(A, rng())
    assert first.max() > last.max()
    # What was put together stays together.
    for c in range(first.max() + 1):
        assert len(set(last[first == c])) == 1


def test_graphs_without_links_and_with_loops():
    assert_array_equal(leiden(np.zeros((3, 3)), rng()), [0, 1, 2])
    assert_array_equal(leiden(np.zeros((1, 1)), rng(), quality="cpm"), [0])
    pair = np.zeros((4, 4))
    pair[0, 1] = pair[1, 0] = 1.0
    assert_array_equal(leiden(pair + 7 * np.eye(4), rng()), [0, 0, 1, 2])
    assert Leiden(random_state=0).fit(np.zeros((3, 3))).quality_ == 0.0


def test_another_iteration_is_no_worse():
    A = random_graph(3, 200, 0.03)
    values = [
        Leiden(max_iter=most, random_state=0).fit(A).quality_ for most in (1, 2, 20)
    ]
    assert (np.diff(values) > -1e-7).all()


def test_parameters_that_do_not_work_are_refused():
    A = karate()
    with pytest.raises(ComitiaError, match="sample_weight is for"):
        Leiden().fit(A, sample_weight=np.ones(34))
    with pytest.raises(ComitiaError, match="sample_weight"):
        Leiden(quality="cpm").fit(A, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match="quality"):
        Leiden(quality="surprise").fit(A)
    with pytest.raises(ValueError, match="theta"):
        Leiden(theta=0.0).fit(A)
    with pytest.raises(ComitiaError, match="labels has 3 entries"):
        modularity(A, [0, 1, 2])
    assert clone(Leiden(resolution=2.0)).resolution == 2.0


def test_labels_are_numbered_by_their_first_appearance():
    assert_array_equal(by_appearance(np.array([3, 3, 0, 2, 0])), [0, 0, 1, 2, 1])
