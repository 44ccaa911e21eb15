"""Populations that recombine, and which of several objectives' trade-offs are best."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["Evolution", "evolve", "uniform_crossover"]

Array = NDArray[np.float64]


class Evolution(NamedTuple):
    """The best individual, and how the search went."""

    best: Array  # (n_genes,), the best individual ever seen
    # (n_iter + 1,), the cost of the best individual so far, at the start and after each
    # generation; it does not rise
    cost: Array
    population: Array  # (n_individuals, n_genes), the last generation
    n_iter: int  # number of generations
    converged: bool  # whether the best individual had stopped changing


def uniform_crossover(population: ArrayLike, rng: np.random.RandomState) -> Array:
    """Pair the individuals at random and swap about half of the genes of each pair."""
    children = np.array(population, dtype=np.float64)
    pairs = rng.permutation(len(children))[: len(children) // 2 * 2].reshape(-1, 2)
    one, other = children[pairs[:, 0]], children[pairs[:, 1]]
    swapped = rng.uniform(size=one.shape) > 0.5
    children[pairs[:, 0]] = np.where(swapped, other, one)
    children[pairs[:, 1]] = np.where(swapped, one, other)
    return children


def evolve(
    population: ArrayLike,
    cost: Callable[[Array], float],
    rng: np.random.RandomState,
    *,
    patience: int = 5,
    max_iter: int = 50,
) -> Evolution:
    """Recombine a population until its best individual stays the best."""
    generation = np.array(population, dtype=np.float64)
    if generation.ndim != 2 or not len(generation):
        raise ComitiaError(
            "population must have one row per individual, and at least one; got shape "
            f"{generation.shape}."
        )
    best, least = _fittest(generation, cost)
    trace = [least]
    waited, converged = 0, False
    for _ in range(max_iter):
        generation = uniform_crossover(generation, rng)
        candidate, found = _fittest(generation, cost)
        waited = 0 if found < least else waited + 1
        if found < least:
            best, least = candidate, found
        trace.append(least)
        if waited >= patience:
            converged = True
            break
    return Evolution(best, np.array(trace), generation, len(trace) - 1, converged)


def _fittest(generation: Array, cost: Callable[[Array], float]) -> tuple[Array, float]:
    costs = [float(cost(individual)) for individual in generation]
    first = int(np.argmin(costs))
    return generation[first].copy(), costs[first]
