"""Crossover keeps what there is, and the best is never lost."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.optimize import evolve, uniform_crossover


@pytest.mark.parametrize("n", [1, 2, 7, 12])
def test_swapping_keeps_the_values_of_each_gene(n):
    rng = np.random.RandomState(n)
    population = rng.rand(n, 5)
    children = uniform_crossover(population, rng)
    assert_array_equal(np.sort(children, axis=0), np.sort(population, axis=0))


def test_about_half_of_the_genes_are_swapped():
    parents = np.repeat([[0.0], [1.0]], 10_000, axis=1)
    share = uniform_crossover(parents, np.random.RandomState(0))[0].mean()
    assert 0.47 < share < 0.53  # six standard deviations around one half


def test_individuals_are_paired_with_one_other():
    population = np.repeat(np.arange(8.0)[:, None], 50, axis=1)
    children = uniform_crossover(population, np.random.RandomState(0))
    parents = [set(child) for child in children]
    assert all(len(pair) == 2 for pair in parents)
    assert len({frozenset(pair) for pair in parents}) == 4


def test_the_best_ever_seen_is_returned_and_its_cost_does_not_rise():
    rng = np.random.RandomState(3)
    seen = []

    def cost(individual):
        seen.append((((individual - 0.5) ** 2).sum(), individual.copy()))
        return seen[-1][0]

    found = evolve(rng.rand(10, 6), cost, rng, patience=4)
    least, best = min(seen, key=lambda pair: pair[0])
    assert_allclose(found.cost[-1], least)
    assert_array_equal(found.best, best)
    assert (np.diff(found.cost) <= 0).all()
    assert found.cost[-1] < found.cost[0]
    assert len(seen) == 10 * (found.n_iter + 1)


def test_a_search_without_progress_ends_after_its_patience():
    rng = np.random.RandomState(0)
    found = evolve(rng.rand(6, 3), lambda individual: 1.0, rng, patience=4)
    assert found.n_iter == 4
    assert found.converged
    short = evolve(rng.rand(6, 3), lambda x: 1.0, rng, patience=4, max_iter=3)
    assert short.n_iter == 3
    assert not short.converged


def test_a_generation_of_nobody_is_refused():
    with pytest.raises(ComitiaError, match=r"shape \(0, 3\)"):
        evolve(np.empty((0, 3)), np.sum, np.random.RandomState(0))
