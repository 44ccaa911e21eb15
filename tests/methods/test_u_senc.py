import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_moons

from comitia import Ensemble, method
from comitia.partition.transfer_cut import bipartite_spectrum
from comitia.represent import bipartite_graph
from tests.fixtures import E6, same_partition

USENC = method("u_senc")


def test_eigenvalues_of_e6_are_those_of_the_catalogue():
    values = bipartite_spectrum(bipartite_graph(Ensemble(E6)), 7)
    printed = [1, 0.919435, 0.333333, 0.080565, 0, 0, 0]
    assert_allclose(values, printed, atol=5e-7)  # printed to six decimals
    assert same_partition(USENC(2, random_state=0).fit_predict(Ensemble(E6)), E6[:, 0])


def test_it_is_lwgp_without_weights():
    labels = np.random.RandomState(0).randint(0, 4, size=(60, 6))
    plain = USENC(3, random_state=0).fit(Ensemble(labels))
    even = method("lwgp")(3, theta=1e12, random_state=0).fit(Ensemble(labels))
    assert same_partition(plain.labels_, even.labels_)


@pytest.mark.parametrize("seed", range(3))
def test_its_own_members_find_clusters_that_are_not_round(seed):
    X, y = make_moons(400, noise=0.04, random_state=seed)
    fitted = USENC(2, random_state=0).fit(X)
    assert same_partition(fitted.labels_, y)
    assert fitted.ensemble_.n_clusterings == 20
