"""Search over partitions: the sums it updates, and what it finds."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, config
from comitia._kernels import moves
from comitia.agreement import agreement_with
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.fixed_clusterings.vega_pons_2008 import path_kernel_table
from comitia.methods.fixed_clusterings.wpck import subset_kernel_table
from comitia.partition import MedianSearch
from comitia.partition.median_search import AGREEMENTS, set_partitions
from tests.fixtures import planted
from tests.methods._partition_kernels import path_kernel, subset_kernel


def kernels(n):
    return {
        "subsets": (subset_kernel_table(n), subset_kernel),
        "pairs": (
            subset_kernel_table(n, 2),
            lambda a, b: subset_kernel(a, b, max_subset_size=2),
        ),
        "paths": (path_kernel_table(n), path_kernel),
    }


def random_ensemble(n, M, k, seed, missing=0.0):
    rng = np.random.RandomState(seed)
    labels = rng.randint(0, k, size=(n, M))
    labels[rng.rand(n, M) < missing] = -1
    return Ensemble(labels)


def rng(seed=0):
    return np.random.RandomState(seed)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("agreement", AGREEMENTS)
def test_likenesses_are_the_measures_of_agreement(agreement, missing):
    ensemble = random_ensemble(40, 6, 4, seed=1, missing=missing)
    sign = -1.0 if agreement == "variation_of_information" else 1.0
    search = MedianSearch(ensemble, agreement, rng())
    for seed in range(3):
        labels = rng(seed).randint(0, 5, size=40)
        expected = sign * agreement_with(labels, ensemble, agreement)
        assert_allclose(search.likenesses(labels), expected, atol=1e-13)
        assert_allclose(search.score(labels), expected.mean(), atol=1e-13)


@pytest.mark.parametrize("agreement", AGREEMENTS)
@pytest.mark.parametrize("labels", [np.zeros(6, int), np.arange(6)])
def test_degenerate_partitions_are_measured_alike(agreement, labels):
    one, alone = np.zeros(6, int), np.arange(6)
    ensemble = Ensemble(np.column_stack([one, alone, [0, 0, 0, 1, 1, 1]]))
    sign = -1.0 if agreement == "variation_of_information" else 1.0
    got = MedianSearch(ensemble, agreement, rng()).likenesses(labels)
    expected = sign * agreement_with(labels, ensemble, agreement)
    assert_allclose(got, expected, atol=1e-13)


@pytest.mark.parametrize("agreement", AGREEMENTS)
def test_clusterings_with_one_object_or_two_are_measured_alike(agreement):
    lonely, pair = np.full((2, 6), -1)
    lonely[2], pair[:2] = 0, (0, 1)
    ensemble = Ensemble(np.column_stack([lonely, pair, np.zeros(6, int)]))
    sign = -1.0 if agreement == "variation_of_information" else 1.0
    search = MedianSearch(ensemble, agreement, rng())
    for labels in (np.zeros(6, int), np.arange(6), [0, 0, 1, 1, 1, 2]):
        expected = sign * agreement_with(labels, ensemble, agreement)
        assert_allclose(search.likenesses(labels), expected, atol=1e-13)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("name", ["subsets", "pairs", "paths"])
def test_likenesses_are_the_kernels(name, missing):
    ensemble = random_ensemble(40, 5, 4, seed=2, missing=missing)
    table, kernel = kernels(40)[name]
    labels = rng(3).randint(0, 5, size=40)
    expected = [kernel(labels, column) for column in ensemble.labels.T]
    got = MedianSearch(ensemble, table, rng()).likenesses(labels)
    assert_allclose(got, expected, rtol=1e-11)


@pytest.mark.parametrize("likeness", ["adjusted_rand", "nmi_sqrt", "pairs", "paths"])
def test_moves_leave_the_sums_as_if_counted_anew(likeness):
    ensemble = random_ensemble(60, 4, 5, seed=4, missing=0.1)
    likeness = kernels(60)[likeness][0] if likeness in kernels(1) else likeness
    check_walk(ensemble, likeness, n_moves=500, every=25, rtol=1e-10)


def test_sums_follow_over_hundreds_of_orders_of_magnitude():
    # Two thirds of 1200 objects in one cluster, of which a walk leaves little: the sums
    # fall by a factor of 2 ** 500 and more.
    labels, _ = planted(1200, 3, 3, noise=0.02, seed=0, sizes=[4, 1, 1])
    table = subset_kernel_table(1200)
    # After 2 ** 10 of change a sum is added up anew; ten digits are left of sixteen.
    check_walk(Ensemble(labels), table, n_moves=1200, every=100, rtol=1e-9)


def check_walk(ensemble, likeness, n_moves, every, rtol):
    search = MedianSearch(ensemble, likeness, rng())
    fresh = MedianSearch(ensemble, likeness, rng())
    form, state, columns, offsets = search._parts()
    search.score(np.maximum(ensemble.labels[:, 0], 0))
    walk = rng(1)
    for step in range(n_moves):
        i, target = walk.randint(ensemble.n_objects), walk.randint(6)
        moves.shift(form, state, columns, offsets, i, state.labels[i], -1)
        promised = moves.score_in(form, state, columns, i, target)
        moves.shift(form, state, columns, offsets, i, target, 1)
        assert_allclose(promised, moves.total(form, state), rtol=rtol)
        if step % every == 0:
            assert_array_equal(state.sizes[:6], np.bincount(state.labels, minlength=6))
            expected = fresh.likenesses(state.labels)
            assert_allclose(moves.likenesses(form, state), expected, rtol=rtol)


@pytest.mark.parametrize("likeness", ["rand", "pairs", "subsets"])
def test_sums_follow_from_no_object_to_all(likeness):
    ensemble = random_ensemble(12, 3, 3, seed=5, missing=0.2)
    likeness = kernels(12)[likeness][0] if likeness in kernels(1) else likeness
    search, fresh = (MedianSearch(ensemble, likeness, rng()) for _ in range(2))
    form, state, columns, offsets = search._parts()
    put(search, np.full(12, -1))
    for i in rng(1).permutation(12):
        moves.shift(form, state, columns, offsets, i, i % 3, 1)
        promised = put(fresh, state.labels)
        assert_allclose(moves.total(form, state), promised, rtol=1e-11)


def put(search, labels):
    """Count a partition in which objects may be in no cluster; its objective."""
    form, state, columns, offsets = search._parts()
    state.labels[:] = labels
    moves.fill(form, state, columns, offsets)
    return moves.total(form, state)


def sweep_by_trying(search, labels, order, free):
    """Every object goes where the objective of the whole partition is largest."""
    labels, n_slots, n_moved = labels.copy(), len(search._state.sizes), 0
    for i in order:
        own = labels[i]
        rest = np.delete(labels, i)
        sizes = np.bincount(rest[rest >= 0], minlength=n_slots)
        options = [r for r in range(n_slots) if sizes[r] and r != own]
        if own >= 0 and sizes[own] == 0 and not free:
            continue
        if free and (own < 0 or sizes[own]):
            options += [r for r in range(n_slots) if not sizes[r] and r != own][:1]
        best, highest = own, -np.inf
        for r in ([own] if own >= 0 else []) + sorted(options):
            labels[i] = r
            score = put(search, labels)
            if score > highest:
                best, highest = r, score + (1e-12 if r == own else 0.0)
        labels[i] = best
        n_moved += best != own
    return labels, n_moved


@pytest.mark.parametrize("free", [False, True])
@pytest.mark.parametrize("agreement", ["rand", "adjusted_rand", "jaccard"])
def test_a_sweep_puts_each_object_where_the_objective_is_largest(agreement, free):
    # Sums of squared counts are exact, so that equal objectives are.
    for seed in range(6):
        ensemble = random_ensemble(9, 3, 3, seed, missing=0.1)
        search, other = (MedianSearch(ensemble, agreement, rng()) for _ in range(2))
        labels = rng(seed).randint(3, size=9)
        labels[:4] = 0, 1, 2, 2
        labels[4:] = np.where(rng(seed + 1).rand(5) < 0.3 * (seed % 2), -1, labels[4:])
        order = rng(seed + 2).permutation(9)
        expected, n_moved = sweep_by_trying(other, labels, order, free)
        put(search, labels)
        assert moves.sweep(*search._parts(order, free)) == n_moved
        assert_array_equal(search._state.labels, expected)


@pytest.mark.parametrize("free", [False, True])
def test_annealing_takes_what_is_better_and_at_times_what_is_worse(free):
    for seed in range(6):
        ensemble = random_ensemble(9, 3, 3, seed)
        search, other = (MedianSearch(ensemble, "rand", rng()) for _ in range(2))
        labels = np.r_[0, 1, 2, 2, rng(seed).randint(3, size=5)]
        draws = rng(seed).random_sample((60, 3))
        temperature, now, highest = 0.03, labels.copy(), -np.inf
        for u_object, u_target, u_accept in draws:
            i, here = int(9 * u_object), put(other, now)
            highest = max(highest, here)
            if (now == now[i]).sum() == 1 and not free:
                continue
            target = moves.pick(other._state, now[i], u_target, free)
            if target < 0:
                continue
            moved = now.copy()
            moved[i] = target
            if u_accept < np.exp(min(put(other, moved) - here, 0.0) / temperature):
                now = moved
        highest = max(highest, put(other, now))
        put(search, labels)
        best = np.full(9, -1)
        given = search._parts(temperature, draws, free, best, -np.inf)
        assert_allclose(moves.anneal(*given), highest, rtol=1e-12)
        assert_array_equal(search._state.labels, now)
        assert_allclose(put(search, best), highest, rtol=1e-12)


def test_the_best_of_several_partitions_is_the_first_with_the_highest_objective():
    ensemble, partitions = random_ensemble(5, 3, 3, seed=1), set_partitions(5)
    search = MedianSearch(ensemble, "rand", rng())
    scores = [search.score(labels) for labels in partitions]
    best, highest = moves.best_labels_of(*search._parts(partitions))
    assert (best, highest) == (np.argmax(scores), max(scores))


@pytest.mark.parametrize("likeness", ["adjusted_rand", "nmi_max", "subsets", "paths"])
def test_eight_objects_are_mostly_solved_by_moves_alone(likeness):
    # More than seven objects are searched and not enumerated.
    n, partitions = 8, set_partitions(8)
    likeness = kernels(n)[likeness][0] if likeness in kernels(1) else likeness
    solved = []
    for seed in range(12):
        ensemble = random_ensemble(n, 3, 3, seed)
        search = MedianSearch(ensemble, likeness, rng(seed))
        _, best = moves.best_labels_of(*search._parts(), partitions)
        for run in (search.greedy(), search.annealing()):
            assert run.objective[-1] <= best + 1e-9
            assert_allclose(search.score(run.labels), run.objective[-1], rtol=1e-9)
            solved.append(run.objective[-1] > best - 1e-9)
    assert np.mean(solved) >= 0.9


@pytest.mark.parametrize("n_clusters", [None, 3])
def test_searches_find_planted_clusters(n_clusters):
    labels, truth = planted(200, 3, 12, noise=0.3, seed=6)
    for likeness in ("adjusted_rand", subset_kernel_table(200, 2)):
        search = MedianSearch(Ensemble(labels), likeness, rng(), n_clusters=n_clusters)
        for run in (search.greedy(), search.annealing()):
            assert agreement_with(truth, Ensemble(run.labels[:, None]))[0] > 0.97
            assert run.converged
            assert (np.diff(run.objective) >= 0).all()


def test_annealing_climbs_out_of_where_greedy_moves_stop():
    # On labels that are nearly noise single moves get stuck; the best of some seeds of
    # the annealing has to beat the first local optimum.
    labels, _ = planted(60, 4, 8, noise=0.9, seed=1)
    gains = []
    for seed in range(4):
        search = MedianSearch(Ensemble(labels), "adjusted_rand", rng(seed))
        run = search.annealing()
        gains.append(run.objective[-1] - run.objective[0])
    assert max(gains) > 1e-3
    assert min(gains) >= 0


def test_annealing_hands_back_the_labels_of_its_highest_objective():
    labels, _ = planted(40, 3, 5, noise=0.3, seed=2)
    for seed in range(5):
        search = MedianSearch(Ensemble(labels), "rand", rng())
        search.score(rng(seed).randint(0, 3, size=40))
        best = np.full(40, -1)
        draws = rng(seed).random_sample((400, 3))
        # Warm enough to leave the best partition again before the round is over.
        highest = moves.anneal(*search._parts(0.01, draws, True, best, -np.inf))
        assert highest > search.score(search._state.labels)
        assert_allclose(search.score(best), highest, rtol=1e-12)


def test_a_fixed_number_of_clusters_is_neither_emptied_nor_exceeded():
    ensemble = random_ensemble(30, 4, 3, seed=5)
    for k in (1, 2, 8, 30):
        search = MedianSearch(ensemble, "rand", rng(), n_clusters=k)
        for run in (search.greedy(n_init=4), search.annealing(max_iter=20)):
            assert len(np.unique(run.labels)) == k


def test_the_same_seed_gives_the_same_search():
    ensemble = random_ensemble(50, 4, 4, seed=9)
    for name in ("greedy", "annealing"):
        one, other = (
            getattr(MedianSearch(ensemble, "jaccard", rng(3)), name)() for _ in range(2)
        )
        assert_array_equal(one.labels, other.labels)
        assert_array_equal(one.objective, other.objective)


def test_pick_offers_every_other_cluster_and_a_new_one_alike():
    ensemble = random_ensemble(8, 2, 2, seed=0)
    search = MedianSearch(ensemble, "rand", rng())
    search.score([0, 0, 0, 2, 2, 2, 2, 3])
    state = search._state
    u = (np.arange(600) + 0.5) / 600
    offered = [moves.pick(state, 0, x, True) for x in u]
    assert np.unique(offered, return_counts=True)[0].tolist() == [1, 2, 3]
    assert set(np.unique(offered, return_counts=True)[1]) == {200}
    assert {moves.pick(state, 0, x, False) for x in u} == {2, 3}
    # One that is alone cannot open a cluster that it would be alone in.
    assert {moves.pick(state, 3, x, True) for x in u} == {0, 2}


def test_what_cannot_be_searched_is_refused_in_words():
    ensemble = random_ensemble(20, 3, 3, seed=0)
    with pytest.raises(ComitiaError, match="agreement='nmi_logk' cannot be searched"):
        MedianSearch(ensemble, "nmi_logk", rng())
    with pytest.raises(ComitiaError, match="clustering_weights must be 3 finite"):
        MedianSearch(ensemble, "rand", rng(), clustering_weights=[1, -1, 0])
    with config.limit(1000), pytest.raises(MemoryBudgetError, match="fewer clusters"):
        MedianSearch(ensemble, "rand", rng())
