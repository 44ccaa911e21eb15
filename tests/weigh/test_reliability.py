import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent import coassociation
from comitia.weigh import cluster_cohesion, cluster_containment
from tests.fixtures import E6, planted


def some(missing, seed=0):
    labels, _ = planted(30, 4, 5, noise=0.5, seed=seed)
    labels[np.random.RandomState(seed).rand(30, 5) < missing] = -1
    labels[0] = [9, -1, 9, 9, 0]  # clusters of one object
    return Ensemble(labels)


def test_cohesions_of_e6_are_those_of_the_catalogue():
    expected = [7 / 9] * 4 + [1, 1 / 3, 1]
    assert_allclose(cluster_cohesion(Ensemble(E6)), expected)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_cohesion_is_the_mean_over_the_pairs(missing):
    E = some(missing)
    A = coassociation(E, dtype=np.float64)
    expected = []
    for member in E.membership.toarray().T > 0:
        block = A[np.ix_(member, member)]
        k = len(block)
        pairs = block[~np.eye(k, dtype=bool)]
        expected.append(pairs.mean() if k > 1 else 0.0)
    assert 0.0 in expected
    assert_allclose(cluster_cohesion(E), expected, atol=1e-14)


def test_cohesion_of_fuzzy_clusters_is_refused():
    fuzzy = Ensemble.from_memberships([[[0.5, 0.5], [1.0, 0.0]]])
    with pytest.raises(ComitiaError, match="ensemble is fuzzy"):
        cluster_cohesion(fuzzy)


def containment_by_loops(E, printed, floor):
    B, n, M = E.membership.toarray(), E.n_objects, E.n_clusterings
    weights = []
    for c in range(E.n_clusters_total):
        exponent = 0.0
        for d in range(E.n_clusters_total):
            if E.clustering_of[c] == E.clustering_of[d]:
                continue
            size = B[:, d].sum()
            p = (B[:, c] * B[:, d]).sum() / size
            if printed:
                exponent += size / n * np.log(max(p, floor)) / M
            elif p > 0:
                exponent += size / n * p * np.log(p) / M
        weights.append(np.exp(exponent))
    return weights


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_containment_is_its_definition(printed, missing):
    E = some(missing)
    got = cluster_containment(E, printed=printed, floor=0.01)
    assert_allclose(got, containment_by_loops(E, printed, 0.01), rtol=1e-12)


def test_containments_of_e6_are_those_of_the_catalogue():
    got = cluster_containment(Ensemble(E6))
    expected = [0.962224] * 4 + [0.913837, 0.783381, 0.913837]
    assert_allclose(got, expected, atol=5e-7)  # printed to six decimals
    printed = cluster_containment(Ensemble(E6), printed=True, floor=0)
    assert_allclose(printed, [0, 0, 0, 0, 0, 0.480750, 0], atol=5e-7)


def test_containment_is_one_where_others_lie_inside_or_outside():
    nested = Ensemble([[0, 0], [0, 0], [0, 1], [1, 2], [1, 2]])
    assert_array_equal(cluster_containment(nested)[:2], 1.0)
    assert (cluster_containment(nested)[2:4] < 1).all()


def test_a_floor_that_is_no_share_is_refused():
    with pytest.raises(ComitiaError, match="floor=2 must lie between 0 and 1"):
        cluster_containment(Ensemble(E6), floor=2)
