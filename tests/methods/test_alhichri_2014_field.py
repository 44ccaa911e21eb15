"""Potts energies and iterated conditional modes, against loops and enumeration."""

from itertools import product

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from comitia.exceptions import ComitiaError
from comitia.methods.fixed_clusterings._alhichri_2014_field import (
    grid_graph,
    iterated_modes,
    potts_energy,
)

PATH = grid_graph((1, 3))
# One clustering of weight 1 with the labels 0, 1, 0.
COSTS = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])


def energy_by_loops(y, costs, graph, beta):
    W, n = graph.toarray(), len(y)
    energy = sum(costs[i, y[i]] for i in range(n))
    for i in range(n):
        for j in range(i):
            energy += beta * W[i, j] * (y[i] != y[j])
    return energy


def random_field(seed, n=7, k=3):
    rng = np.random.RandomState(seed)
    W = np.triu(rng.rand(n, n) * (rng.rand(n, n) < 0.5), 1)
    return rng.randint(k, size=n), rng.rand(n, k), csr_array(W + W.T)


@pytest.mark.parametrize("seed", range(5))
def test_energy_is_its_definition(seed):
    y, costs, graph = random_field(seed)
    got = potts_energy(y, costs, graph, 0.7)
    assert_allclose(got, energy_by_loops(y, costs, graph, 0.7))


def test_energies_of_the_path_are_those_of_the_catalogue():
    for beta in (0.0, 0.3, 2.0):
        assert_allclose(potts_energy([0, 1, 0], COSTS, PATH, beta), 2 * beta)
        assert_allclose(potts_energy([0, 0, 0], COSTS, PATH, beta), 1.0)


@pytest.mark.parametrize("beta", [0.0, 0.4, 0.5, 0.501, 1.0, 3.0])
def test_the_middle_of_the_path_flips_above_one_half(beta):
    found = iterated_modes([0, 1, 0], COSTS, PATH, beta)
    assert_array_equal(found.labels, [0, 0, 0] if beta > 0.5 else [0, 1, 0])
    assert found.converged
    assert_allclose(found.objective[-1], min(2 * beta, 1.0))


@pytest.mark.parametrize("seed", range(10))
def test_energy_falls_until_no_single_change_lowers_it(seed):
    y, costs, graph = random_field(seed)
    found = iterated_modes(y, costs, graph, 0.8)
    assert found.converged
    assert (np.diff(found.objective) < 0).all()
    final = potts_energy(found.labels, costs, graph, 0.8)
    assert_allclose(found.objective[-1], final)
    for i, r in product(range(7), range(3)):
        other = found.labels.copy()
        other[i] = r
        assert potts_energy(other, costs, graph, 0.8) >= final - 1e-12


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_objects_does_not_matter_without_ties(seed):
    y, costs, graph = random_field(seed)
    order = np.random.RandomState(0).permutation(7)
    one = iterated_modes(y, costs, graph, 0.8).labels
    shuffled = graph[order][:, order]
    other = iterated_modes(y[order], costs[order], shuffled, 0.8).labels
    assert_array_equal(one[order], other)


def test_an_object_keeps_its_label_unless_another_is_better():
    # The second flips first and leaves the first with two labels of equal energy.
    costs = np.array([[0.0, 1.0], [5.0, 0.0]])
    found = iterated_modes([1, 0], costs, grid_graph((1, 2)), 1.0)
    assert_array_equal(found.labels, [1, 1])


def test_without_penalty_every_object_has_its_cheapest_label():
    y, costs, graph = random_field(0)
    found = iterated_modes(y, costs, graph, 0.0)
    assert_array_equal(found.labels, costs.argmin(axis=1))


def test_the_start_is_left_as_it_was_and_sweeps_can_be_limited():
    start = np.array([0, 1, 0])
    iterated_modes(start, COSTS, PATH, 1.0)
    assert_array_equal(start, [0, 1, 0])
    assert not iterated_modes(start, COSTS, PATH, 1.0, max_iter=1).converged


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (3, 2), (4, 5)])
def test_pixels_are_joined_with_those_around_them(shape):
    pixels = list(product(range(shape[0]), range(shape[1])))
    expected = [
        [max(abs(a - c), abs(b - d)) == 1 for c, d in pixels] for a, b in pixels
    ]
    assert_array_equal(grid_graph(shape).toarray(), expected)


def test_noise_in_an_image_is_smoothed_away():
    truth = np.kron([[0, 1], [2, 0]], np.ones((12, 12), dtype=int)).ravel()
    rng = np.random.RandomState(0)
    noisy = np.where(
        rng.rand(truth.size) < 0.15, rng.randint(3, size=truth.size), truth
    )
    found = iterated_modes(noisy, 1 - np.eye(3)[noisy], grid_graph((24, 24)), 0.5)
    assert (noisy != truth).mean() > 0.08
    assert (found.labels != truth).mean() < 0.01


def test_what_does_not_fit_is_refused():
    with pytest.raises(ComitiaError, match="one row per object"):
        potts_energy([0, 1], COSTS, PATH)
    with pytest.raises(ComitiaError, match=r"must lie in 0..1"):
        potts_energy([0, 2, 0], COSTS, PATH)
    with pytest.raises(ComitiaError, match="graph must have"):
        potts_energy([0, 1, 0], COSTS, grid_graph((2, 2)))
    with pytest.raises(ComitiaError, match="graph_penalty=-1"):
        iterated_modes([0, 1, 0], COSTS, PATH, -1)
    with pytest.raises(ComitiaError, match="rows, columns"):
        grid_graph(5)
    with pytest.raises(ComitiaError, match="at least one row"):
        grid_graph((0, 5))
