import numpy as np
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.methods.fixed_clusters.lwmc import LWMC
from comitia.partition import meta_vote
from tests.fixtures import E6, same_partition

# The clusters a, b, a', b', c, d, e of E6 in two groups: {a, a', c}, {b, b', d, e}.
GROUPS = np.array([0, 1, 0, 1, 0, 1, 1])


def test_the_weights_of_e6_are_those_of_the_catalogue():
    fitted = LWMC(n_clusters=2, random_state=0).fit(Ensemble(E6))
    expected = [0.465219, 0.465219, 0.465219, 0.465219, 1.0, 0.188876, 1.0]
    assert_allclose(fitted.cluster_weights_, expected, atol=5e-7)  # six digits printed


def test_object_2_scores_what_the_catalogue_says():
    fitted = LWMC(n_clusters=2, random_state=0).fit(Ensemble(E6))
    _, association = meta_vote(
        Ensemble(E6), GROUPS, 2, cluster_weights=fitted.cluster_weights_
    )
    assert_allclose(association[2], [0.310146, 0.047219], atol=5e-7)  # as printed


def test_two_clusters_of_e6_are_its_first_clustering():
    fitted = LWMC(n_clusters=2, random_state=0).fit(Ensemble(E6))
    assert same_partition(fitted.labels_, E6[:, 0])


def test_large_theta_forgets_the_weights():
    fitted = LWMC(n_clusters=2, theta=1e15, random_state=0).fit(Ensemble(E6))
    assert_allclose(fitted.cluster_weights_, 1.0, rtol=1e-12)
