import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble, method
from comitia.agreement import adjusted_rand
from comitia.methods.fixed_objects.wsnng import nearest_neighbors, shared_neighbors
from comitia.represent import coassociation
from tests.fixtures import E6, planted, same_partition

WSnnG = method("wsnng")
ONES = np.ones(6, dtype=np.int64)


def matrix(labels):
    return coassociation(Ensemble(labels), dtype=np.float64)


def by_loops(A, threshold, variant):
    n = len(A)
    N = [{j for j in range(n) if A[i, j] > threshold or i == j} for i in range(n)]

    def p(i, j):
        return sum(A[i, o] * A[j, o] for o in N[i] & N[j])

    edges = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            of_i, of_j = (N[i], N[j]) if variant == "own" else (N[i] & N[j],) * 2
            below = sum(A[i, o] ** 2 for o in of_i) + sum(A[j, o] ** 2 for o in of_j)
            edges[i, j] = p(i, j) / (below - p(i, j)) if p(i, j) else 0.0
    density = p if variant == "printed" else lambda i, j: edges[i, j]
    weights = [1 / sum(density(i, j) for j in N[i]) for i in range(n)]
    return weights, edges


@pytest.mark.parametrize(
    ("variant", "ends", "middle"),
    # Edges of 1, 1, 6/7 and of 6/7, 6/7, 1 add up to 20/7 and 19/7.
    [("printed", 9 / 62, 9 / 53), ("shared", 7 / 20, 7 / 19)],
)
def test_weights_of_e6_are_those_of_the_catalogue(variant, ends, middle):
    fitted = WSnnG(2, threshold=0.5, variant=variant, random_state=0).fit(Ensemble(E6))
    expected = [ends, ends, middle, middle, ends, ends]
    assert_allclose(fitted.object_weights_, expected)
    assert same_partition(fitted.labels_, E6[:, 0])


@pytest.mark.parametrize("variant", ["shared", "own"])
def test_edges_of_e6_are_those_of_the_catalogue(variant):
    _, edges = shared_neighbors(matrix(E6), ONES, 0.5, variant)
    assert_allclose([edges[0, 1], edges[0, 2], edges[2, 3]], [1, 6 / 7, 0])


@pytest.mark.parametrize("variant", ["shared", "own", "printed"])
@pytest.mark.parametrize("threshold", [0.0, 0.4, 0.7])
def test_weights_and_edges_are_their_definitions(variant, threshold):
    labels, _ = planted(25, 3, 5, noise=0.5, seed=0)
    A = matrix(labels)
    weights, edges = shared_neighbors(A, np.ones(25), threshold, variant)
    expected_weights, expected_edges = by_loops(A, threshold, variant)
    assert_allclose(weights, expected_weights)
    assert_allclose(edges, expected_edges, atol=1e-14)


def test_merged_objects_weigh_as_they_would_apart():
    labels, _ = planted(25, 3, 3, noise=0.4, seed=1)
    micro, counts, inverse = Ensemble(labels).distinct()
    assert len(counts) < 25
    A, small = matrix(labels), coassociation(micro, dtype=np.float64)
    weights, edges = shared_neighbors(A, np.ones(25, dtype=int), 0.5)
    of_micro, edges_of_micro = shared_neighbors(small, counts, 0.5)
    both = np.ix_(inverse, inverse)
    assert_allclose(of_micro[inverse], weights)
    assert_allclose(edges_of_micro[both], edges, atol=1e-14)
    for k in (1, 4, 24):
        apart, merged = (
            nearest_neighbors(A, np.ones(25, dtype=int), k),
            nearest_neighbors(small, counts, k),
        )
        off = ~np.eye(25, dtype=bool)
        same = inverse[:, None] == inverse
        assert_array_equal(merged[both][off & ~same], apart[off & ~same])


def test_all_neighbors_that_are_equally_near_are_kept():
    A = np.array(
        [
            [1.0, 0.9, 0.5, 0.5, 0.1],
            [0.9, 1.0, 0.2, 0.2, 0.3],
            [0.5, 0.2, 1.0, 0.6, 0.0],
            [0.5, 0.2, 0.6, 1.0, 0.0],
            [0.1, 0.3, 0.0, 0.0, 1.0],
        ]
    )
    counts = np.ones(5, dtype=int)
    one = nearest_neighbors(A, counts, 1)
    pairs = {(i, j) for i, j in np.argwhere(one).tolist() if i < j}
    assert pairs == {(0, 1), (2, 3), (1, 4)}
    two = nearest_neighbors(A, counts, 2)
    assert two[0, 2]
    assert two[0, 3]  # as near as the second neighbour of object 0


@pytest.mark.parametrize("order", [[0, 1], [1, 0]])
def test_rounding_makes_no_neighbors(order):
    # The last two objects are together by 0.3 in both clusterings: not above 0.3,
    # though one order of the sums says so.
    one = np.array([[1.0, 0, 0, 0], [3 / 8, 3 / 16, 5 / 16, 1 / 8], [0.4, 0, 0.4, 0.2]])
    two = np.array([[1.0, 0, 0, 0], [0, 0.36, 0.36, 0.28], [1 / 6, 5 / 18, 5 / 9, 0]])
    tables = [(one, two)[m] for m in order]
    A = coassociation(Ensemble.from_memberships(tables), dtype=np.float64)
    assert_allclose(A[1, 2], 0.3, rtol=1e-14)
    counts = np.ones(3, dtype=np.int64)
    for last in (A[1, 2], np.nextafter(0.3, 0), 0.3, np.nextafter(0.3, 1)):
        A[1, 2] = A[2, 1] = last
        weights, _ = shared_neighbors(A, counts, 0.3)
        assert_allclose(weights[1:], 1)  # of objects that have no neighbour


def test_objects_in_dense_regions_weigh_less():
    labels, truth = planted(100, 2, 8, noise=0.1, seed=0, sizes=[4, 1])
    fitted = WSnnG(n_clusters=2, random_state=0).fit(Ensemble(labels))
    of_large, of_small = (fitted.object_weights_[truth == r].mean() for r in (0, 1))
    assert of_large < of_small / 3  # 1/4, were the labels not noisy


@pytest.mark.parametrize("variant", ["shared", "own"])
def test_ideal_clusters_of_any_size_weigh_the_same(variant):
    truth = np.repeat([0, 1, 2], [20, 80, 100])
    votes = Ensemble(np.repeat(truth[:, None], 5, axis=1))
    weights = WSnnG(3, variant=variant).fit(votes).object_weights_
    assert_allclose(np.bincount(truth, weights), 1)
    printed = WSnnG(3, variant="printed").fit(votes).object_weights_
    assert_allclose(np.bincount(truth, printed), [1 / 20, 1 / 80, 1 / 100])


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_different_sizes_are_found(seed):
    labels, truth = planted(200, 3, 12, noise=0.2, seed=seed, sizes=[1, 4, 5])
    found = WSnnG(3, random_state=0).fit_predict(Ensemble(labels))
    assert adjusted_rand(found, truth) > 0.9


@pytest.mark.parametrize("variant", ["shared", "own"])
def test_planted_clusters_are_found_and_counted(variant):
    labels, truth = planted(200, 4, 12, noise=0.2, seed=0)
    fitted = WSnnG(variant=variant, random_state=0).fit(Ensemble(labels))
    assert fitted.n_clusters_ == 4
    right = sum(np.bincount(truth[fitted.labels_ == r]).max() for r in range(4))
    assert right >= 0.98 * 200


def test_an_object_without_neighbors_can_outweigh_a_cluster():
    labels, _ = planted(200, 4, 12, noise=0.3, seed=0)
    E = Ensemble(labels)
    printed = WSnnG(4, threshold=0.5, variant="printed", random_state=0).fit(E)
    weights = printed.object_weights_
    assert weights.max() > np.sort(weights)[:50].sum()
    weights = WSnnG(4, random_state=0).fit(E).object_weights_
    assert weights.max() < np.sort(weights)[:50].sum()
