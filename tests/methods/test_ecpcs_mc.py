import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.partition import meta_vote
from comitia.represent import jaccard_clusters, random_walk_similarity
from tests.fixtures import E6, planted, same_partition

ECPCSMC = method("ecpcs_mc")


def least_cut(Z, n_groups=2):
    """The grouping into two of least regularised normalised cut, by trying all."""
    n = len(Z)
    W = Z + 0.5 * np.eye(n)
    degrees = Z.sum(axis=1) + 1.0
    best, groups = -np.inf, None
    for code in range(1, 2 ** (n - 1)):
        labels = np.array([(code >> r) & 1 for r in range(n)])
        inside = sum(
            W[np.ix_(labels == g, labels == g)].sum() / degrees[labels == g].sum()
            for g in (0, 1)
        )
        if inside > best + 1e-12:
            best, groups = inside, labels
    return groups


def test_similarities_of_e6_are_those_of_the_catalogue():
    Z = random_walk_similarity(jaccard_clusters(Ensemble(E6)), n_steps=1)
    got = [Z[0, 2], Z[0, 4], Z[4, 5], Z[4, 6]]
    # The first two are printed to six decimals.
    assert_allclose(got, [0.336406, 0.576018, 1 / np.sqrt(2), 0.0], atol=5e-7)


@pytest.mark.parametrize("seed", range(3))
def test_labels_are_the_vote_of_the_best_groups(seed):
    labels, _ = planted(40, 2, 5, noise=0.3, seed=seed)
    E = Ensemble(labels)
    groups = least_cut(random_walk_similarity(jaccard_clusters(E), 20))
    expected, _ = meta_vote(E, groups, 2)
    fitted = ECPCSMC(n_clusters=2, random_state=0).fit(E)
    assert same_partition(fitted.labels_, expected)
    assert not hasattr(fitted, "cluster_weights_")


def test_two_clusters_of_e6_are_its_first_clustering():
    for variant in ("uniform", "certainty"):
        fitted = ECPCSMC(n_clusters=2, variant=variant, random_state=0)
        assert same_partition(fitted.fit_predict(Ensemble(E6)), E6[:, 0])


def test_certainties_are_those_of_lwmc_and_large_theta_forgets_them():
    labels, _ = planted(90, 3, 6, noise=0.4, seed=2)
    E = Ensemble(labels)
    weighted = ECPCSMC(3, variant="certainty", random_state=0).fit(E)
    lwmc = method("lwmc")(3, random_state=0).fit(E)
    assert_allclose(weighted.cluster_weights_, lwmc.cluster_weights_)
    flat = ECPCSMC(3, variant="certainty", theta=1e15, random_state=0).fit(E)
    plain = ECPCSMC(3, random_state=0).fit(E)
    assert same_partition(flat.labels_, plain.labels_)


def test_clusters_are_grouped_though_they_share_no_object():
    # Three clusterings that split the same two clusters differently.
    E = Ensemble(
        [
            np.array([0, 1, 0, 1, 2, 3, 2, 3]),
            np.array([0, 0, 1, 1, 2, 2, 3, 3]),
            np.array([0, 1, 1, 0, 2, 3, 3, 2]),
        ]
    )
    Z = random_walk_similarity(jaccard_clusters(E), 20)
    assert Z[0, 1] > 0.5  # {0, 2} and {1, 3} are disjoint
    assert Z[0, 2] == 0  # nothing leads from the first four to the last four
    fitted = ECPCSMC(n_clusters=2, random_state=0).fit(E)
    assert same_partition(fitted.labels_, [0] * 4 + [1] * 4)
