"""The consensus of trees: nearest by two losses, or what most of them have."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform

from comitia import config, method
from comitia.exceptions import ComitiaError, MemoryBudgetError
from comitia.methods.baselines._ultrametric_fit import (
    AbsoluteLoss,
    SquaredLoss,
    _Tree,
    fit_ultrametric,
)
from tests.fixtures import is_ultrametric, same_partition

Hierarchies = method("clue_hierarchies")

# Three trees of four objects: {0, 1} in all, {2, 3} in two, {0, 1, 2} in one.
THREE = [
    np.array([[0, 1, 1, 2], [2, 3, 2, 2], [4, 5, 4, 4]], dtype=float),
    np.array([[0, 1, 1, 2], [2, 3, 3, 2], [4, 5, 6, 4]], dtype=float),
    np.array([[0, 1, 1, 2], [2, 4, 2, 3], [3, 5, 5, 4]], dtype=float),
]


def forest(seed, n=12, n_trees=5, noise=1.5):
    rng = np.random.RandomState(seed)
    X = rng.randn(n, 3) + 3.0 * rng.randint(3, size=(n, 1))
    return [linkage(X + noise * rng.randn(n, 3), "average") for _ in range(n_trees)]


def loss(fitted, trees, weights, power):
    """The objective by its definition."""
    u = cophenet(fitted.linkage_)
    apart = [(np.abs(cophenet(tree) - u) ** power).sum() for tree in trees]
    return np.dot(weights, apart) / np.sum(weights)


def test_the_worked_mean_of_three_trees():
    # Means: d01 = 1; d23 = 10/3; d02 = d12 = 4; d03 = d13 = 5. Then {2, 3} at 10/3 and
    # all at 9/2.
    fitted = Hierarchies(2).fit(THREE)
    assert_allclose(fitted.linkage_[:, 2], [1, 10 / 3, 9 / 2])
    assert_array_equal(fitted.labels_, [0, 0, 1, 1])
    assert_allclose(fitted.supports_, [1, 2 / 3, 1])


def test_the_worked_medians_of_three_trees():
    # 2, 3 and 5 at {2, 3}: 3. 4, 6, 2 twice and 4, 6, 5 twice above it: 4, the lower
    # of two medians, 4 and 5.
    fitted = Hierarchies(2, variant="manhattan").fit(THREE)
    assert_allclose(fitted.linkage_[:, 2], [1, 3, 4])
    assert_allclose(fitted.objective_[-1], (0 + 3 + 2 * 4 + 2 * 3) / 3)


def test_the_majority_has_the_classes_of_most_trees():
    fitted = Hierarchies(2, variant="majority").fit(THREE)
    assert_allclose(fitted.supports_, [1, 2 / 3, 1])
    # In all trees are {0, 1} and all objects: above the first, all meet at one height,
    # the mean of d02, d12, d03, d13 and d23.
    strict = Hierarchies(3, variant="majority", threshold=1.0).fit(THREE)
    assert_allclose(strict.linkage_[:, 2], [1, 64 / 15, 64 / 15])
    assert_allclose(np.sort(strict.supports_), [2 / 3, 1, 1])
    assert_array_equal(strict.labels_, [0, 0, 1, 2])


@pytest.mark.parametrize("seed", range(3))
def test_the_majority_is_its_definition(seed):
    trees = forest(seed, noise=0.5)

    def classes(tree):
        own = [frozenset([i]) for i in range(len(tree) + 1)]
        for a, b in tree[:, :2].astype(int):
            own.append(own[a] | own[b])
        return set(own[len(tree) + 1 :])

    fitted = Hierarchies(2, variant="majority").fit(trees)
    each = [classes(tree) for tree in trees]
    most = {one for one in set.union(*each) if sum(one in own for own in each) >= 3}
    assert most <= classes(fitted.linkage_)
    assert np.count_nonzero(fitted.supports_ > 0.5) == len(most)


def all_trees(n):
    """The merges of every binary tree of n objects, as sets of objects."""

    def split(objects):
        if len(objects) == 1:
            yield []
            return
        first, *rest = objects
        for size in range(len(rest)):
            for some in combinations(rest, size):
                left = [first, *some]
                right = [i for i in rest if i not in some]
                for one in split(left):
                    for other in split(right):
                        yield [*one, *other, (left, right)]

    return split(list(range(n)))


@pytest.mark.parametrize(("variant", "power"), [("euclidean", 2), ("manhattan", 1)])
@pytest.mark.parametrize("seed", range(3))
def test_no_tree_of_six_objects_is_nearer(variant, power, seed):
    trees = forest(seed, n=6, n_trees=3)
    D = np.array([squareform(cophenet(tree)) for tree in trees])
    weights = np.array([1.0, 2.0, 3.0]) / 6
    fitted = Hierarchies(2, variant=variant, clustering_weights=[1, 2, 3]).fit(trees)
    middle = np.mean if power == 2 else np.median
    best = np.inf
    # Weights 1, 2 and 3 are copies. A tree whose heights, each the best for its own
    # pairs, do not rise towards the root is no worse in another order.
    copies = D[[0, 1, 1, 2, 2, 2]]
    for merges in all_trees(6):
        cost, heights = 0.0, {}
        for left, right in merges:
            values = copies[:, left][:, :, right]
            own = middle(values)
            below = [heights.get(tuple(side), 0.0) for side in (left, right)]
            if max(below) > own + 1e-12:
                break
            heights[tuple(sorted(left + right))] = own
            cost += (np.abs(values - own) ** power).sum() / 6
        else:
            best = min(best, cost)
    found = loss(fitted, trees, weights, power)
    assert_allclose(fitted.objective_[-1], found)
    assert found <= best + 1e-9


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("squared", [True, False])
def test_from_any_tree_the_moves_lead_to_an_ultrametric_that_is_given(squared, seed):
    D = squareform(cophenet(forest(seed, n=25)[0]))
    rng = np.random.RandomState(seed)
    wrong = linkage(rng.rand(25, 2), "single")
    loss = SquaredLoss(D, D**2) if squared else AbsoluteLoss(D[None], np.ones(1))
    fitted = fit_ultrametric(loss, wrong, max_iter=50)
    assert fitted.objective[0] > 1.0
    assert_allclose(squareform(cophenet(fitted.linkage)), D, atol=1e-6)


@pytest.mark.parametrize("squared", [True, False])
def test_each_move_lowers_the_loss(squared):
    D = np.array([squareform(cophenet(tree)) for tree in forest(3, n=15)])
    squares = SquaredLoss(D.mean(axis=0), (D**2).mean(axis=0))
    loss = squares if squared else AbsoluteLoss(D, np.full(5, 0.2))
    tree = _Tree(loss, linkage(np.random.RandomState(0).rand(15, 2), "average"))

    def value():
        apart = np.abs(D - squareform(cophenet(tree.linkage())))
        return (apart ** (2 if squared else 1)).sum() / 10

    before, n_moved = tree.settle(), 0
    assert_allclose(before, value())
    for a in range(29):
        moved = tree.improve(a)
        now = value()
        assert now < before - 1e-9 if moved else now == pytest.approx(before)
        before, n_moved = now, n_moved + moved
    assert n_moved > 5


@pytest.mark.parametrize("variant", ["euclidean", "manhattan"])
def test_the_objective_falls_and_belongs_to_the_tree(variant):
    trees = forest(0, n=20)
    fitted = Hierarchies(2, variant=variant, random_state=0).fit(trees)
    power = 2 if variant == "euclidean" else 1
    assert_allclose(fitted.objective_[-1], loss(fitted, trees, np.ones(5), power))
    assert (np.diff(fitted.objective_) <= 1e-9).all()
    assert fitted.converged_
    assert is_ultrametric(squareform(cophenet(fitted.linkage_)))


@pytest.mark.parametrize("variant", ["euclidean", "manhattan", "majority"])
def test_a_tree_with_all_the_weight_is_the_consensus(variant):
    trees = forest(1)
    made = Hierarchies(3, variant=variant, clustering_weights=[0, 0, 1, 0, 0])
    fitted = made.fit(trees)
    assert_allclose(cophenet(fitted.linkage_), cophenet(trees[2]))
    assert_allclose(fitted.objective_[-1], 0.0, atol=1e-9)


def test_what_meets_at_one_height_has_no_classes_of_its_own():
    flat = np.array([[0, 1, 1, 2], [2, 3, 1, 3]], dtype=float)
    assert_allclose(Hierarchies(2).fit([flat]).supports_, [0, 1])


@pytest.mark.parametrize("variant", ["euclidean", "manhattan", "majority"])
@pytest.mark.parametrize("seed", [0, 1, 3])
def test_ties_are_not_broken_by_the_order_of_objects(variant, seed):
    # Steps of heights, the same for many objects.
    rng = np.random.RandomState(seed)
    D = [np.ceil(squareform(cophenet(tree)) / 2) for tree in forest(seed, n=14)]
    order = rng.permutation(14)
    made = Hierarchies(4, variant=variant, n_init=2, random_state=0)

    def fit(which):
        own = [squareform(one[np.ix_(which, which)], checks=False) for one in D]
        return made.fit([linkage(one, "single") for one in own])

    one = fit(np.arange(14)).labels_
    assert same_partition(one[order], fit(order).labels_)


@pytest.mark.parametrize("variant", ["euclidean", "manhattan", "majority"])
def test_the_order_of_objects_and_trees_does_not_matter(variant):
    rng = np.random.RandomState(0)
    X = rng.randn(15, 3)
    seen = [X + rng.randn(15, 3) for _ in range(5)]
    order, turn = rng.permutation(15), rng.permutation(5)
    made = Hierarchies(3, variant=variant, random_state=0)
    one = made.fit_predict([linkage(x, "average") for x in seen])
    other = made.fit_predict([linkage(seen[m][order], "average") for m in turn])
    assert same_partition(one[order], other)


def test_a_budget_is_asked_before_the_heights_are_computed():
    trees = forest(0, n=60)
    with config.limit("100 kB"), pytest.raises(MemoryBudgetError, match="5 trees"):
        Hierarchies(2).fit(trees)


def test_weights_have_to_be_as_many_as_trees():
    with pytest.raises(ComitiaError, match="clustering_weights"):
        Hierarchies(2, clustering_weights=[1, 2]).fit(THREE)
