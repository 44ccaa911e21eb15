import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import norm
from sklearn.datasets import make_blobs

from comitia import Ensemble, method
from comitia.methods.fixed_clusters._mdec_members import scaled_affinity
from comitia.partition.transfer_cut import bipartite_spectrum
from comitia.represent import bipartite_graph
from tests.fixtures import E6, planted, same_partition

MDEC = method("mdec")


def test_weights_of_e6_are_those_of_the_catalogue():
    fitted = MDEC(2).fit(Ensemble(E6))
    printed = [0.736314, 0.736314, 0.736314, 0.736314, 1, 0.513417, 1]
    assert_allclose(fitted.cluster_weights_, printed, atol=5e-7)  # six decimals
    assert_allclose(1 - fitted.linkage_[0, 2], 0.824209, atol=5e-7)
    graph = bipartite_graph(Ensemble(E6), cluster_weights=fitted.cluster_weights_)
    values = bipartite_spectrum(graph, 4)
    assert_allclose(values, [1, 0.942591, 0.307151, 0.106048], atol=5e-7)


@pytest.mark.parametrize(("variant", "same"), [("hc", "lwea"), ("bg", "lwgp")])
def test_on_given_clusterings_it_is_an_older_method(variant, same):
    labels, _ = planted(80, 3, 6, noise=0.4, seed=0)
    E = Ensemble(labels)
    one = MDEC(3, variant=variant, random_state=0).fit(E)
    other = method(same)(3, theta=1.0, random_state=0).fit(E)
    assert same_partition(one.labels_, other.labels_)


@pytest.mark.parametrize("variant", ["hc", "sc", "bg"])
def test_a_planted_partition_is_found(variant):
    labels, truth = planted(120, 4, 12, noise=0.2, seed=0)
    fitted = MDEC(4, variant=variant, random_state=0).fit(Ensemble(labels))
    assert same_partition(fitted.labels_, truth)


def test_the_kernel_is_its_definition():
    X = np.random.RandomState(0).rand(12, 3)
    q, a = 4, 0.5
    D = ((X[:, None] - X) ** 2).sum(axis=2)
    near = np.argsort(D, axis=1)[:, 1 : q + 1]
    s = np.take_along_axis(D, near, axis=1).mean(axis=1)
    values = norm.pdf(D, scale=a * (s[:, None] + s + D) / 3)
    kept = np.zeros_like(D)
    for i, row in enumerate(near):
        kept[i, row] = values[i, row]
    expected = np.maximum(kept, kept.T) / kept.max()
    assert_allclose(scaled_affinity(X, q, a).toarray(), expected, atol=1e-12)


def test_objects_that_coincide_have_an_affinity():
    X = np.repeat([[0.0, 0.0], [3.0, 3.0]], 6, axis=0)
    assert np.isfinite(scaled_affinity(X, 3, 0.5).data).all()


def test_its_own_members_find_blobs_among_noise():
    X, y = make_blobs(90, centers=3, n_features=4, cluster_std=0.6, random_state=1)
    X = np.hstack([X, np.random.RandomState(0).rand(90, 2)])
    fitted = MDEC(3, random_state=0).fit(X)
    assert same_partition(fitted.labels_, y)
    assert fitted.ensemble_.n_clusterings == 30
