import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from comitia.partition import cut, hac, micro_linkage
from tests.fixtures import same_partition


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_the_tree_is_that_of_the_distances_of_all_objects(linkage):
    rng = np.random.RandomState(0)
    distance = rng.uniform(0.5, 1.0, size=(12, 12))
    distance = np.maximum(distance, distance.T)
    np.fill_diagonal(distance, rng.uniform(0.0, 0.3, size=12))
    inverse = rng.permutation(np.repeat(np.arange(12), rng.randint(1, 5, size=12)))
    tree = micro_linkage(distance, np.bincount(inverse), inverse, linkage=linkage)
    full = distance[np.ix_(inverse, inverse)]
    np.fill_diagonal(full, 0.0)
    every = hac(squareform(full), linkage)
    assert_allclose(cophenet(tree), cophenet(every), atol=1e-12)
    assert tree[-1, 3] == len(inverse)


def test_equal_objects_merge_at_their_own_distance():
    distance = np.array([[0.2, 1.0, 0.5], [1.0, 0.0, 0.8], [0.5, 0.8, 0.1]])
    tree = micro_linkage(
        distance, np.array([3, 1, 2]), np.array([0, 1, 0, 2, 0, 2]), linkage="average"
    )
    # The pair at 0.1, the triple at 0.2, both at 0.5, then (3 * 1.0 + 2 * 0.8) / 5.
    assert_allclose(tree[:, 2], [0.1, 0.2, 0.2, 0.5, 0.92])
    assert same_partition(cut(tree, 2), [0, 1, 0, 0, 0, 0])


def test_one_micro_object_makes_a_tree():
    tree = micro_linkage(np.array([[0.3]]), np.array([3]), np.zeros(3, dtype=int))
    assert_allclose(tree[:, 2], [0.3, 0.3])
