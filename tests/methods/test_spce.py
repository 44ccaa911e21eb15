import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.variable_clusterings.spce import JoinedPairs
from tests.fixtures import E6, planted, same_partition

SPCE = method("spce")


def joined(column):
    return (column[:, None] == column) & (column >= 0)


def divisors(fitted):
    p = 1 / fitted.clustering_weights_
    return p / p.sum()


def test_without_a_penalty_the_parts_of_e6_are_those_of_the_catalogue():
    fitted = SPCE(2, sparsity_penalty=0.0).fit(Ensemble(E6))
    assert fitted.n_components_ == 2
    assert_allclose(divisors(fitted), [0.000317, 0.000317, 0.999366], atol=5e-7)
    assert_allclose(1 - fitted.linkage_[2:4, 2], 0.999645, atol=1e-6)  # S_02
    assert same_partition(fitted.labels_, E6[:, 0])


def test_with_a_large_penalty_e6_falls_into_four():
    fitted = SPCE(4, sparsity_penalty=0.3).fit(Ensemble(E6))
    assert fitted.n_components_ == 4
    assert_allclose(divisors(fitted), [0.4, 0.4, 0.2], atol=1e-9)
    assert same_partition(fitted.labels_, [0, 0, 1, 2, 3, 3])


def test_missing_labels_join_nothing_and_say_what_the_others_say():
    labels, _ = planted(30, 3, 5, noise=0.3, seed=0)
    labels[np.random.RandomState(0).rand(30, 5) < 0.3] = -1
    labels[:, 0] = np.arange(30) % 4
    weights = np.arange(1.0, 6.0)
    joined = ((labels[:, None] == labels) & (labels >= 0)) @ weights
    seen = ((labels[:, None] >= 0) & (labels >= 0)) @ weights
    pairs = JoinedPairs(labels)
    assert_allclose(pairs.joined(weights), joined)
    assert_allclose(pairs.weighted(weights), joined * weights.sum() / seen)


@pytest.mark.parametrize("share_missing", [0.0, 0.3])
def test_distances_count_all_objects(share_missing):
    labels, _ = planted(30, 3, 4, noise=0.3, seed=0)
    labels[np.random.RandomState(1).rand(30, 4) < share_missing] = -1
    labels[:, 0] = np.arange(30) % 4
    micro, counts, inverse = Ensemble(labels).distinct()
    rng = np.random.RandomState(0)
    u = len(counts)
    S, W = rng.rand(u, u), rng.rand(u, u)
    S, W = (S + S.T) / 2, (W + W.T) / 2
    full = np.ix_(inverse, inverse)
    far = []
    for column in labels.T:
        seen = np.ix_(column >= 0, column >= 0)
        apart = (S[full] - joined(column)) * W[full]
        far.append(np.linalg.norm(apart[seen]) / np.mean(column >= 0))
    got = JoinedPairs(np.asarray(micro.labels)).distances_to(S, W, counts)
    assert_allclose(got, np.array(far) / np.sum(far))


@pytest.mark.parametrize("noise", [0.1, 0.2])
def test_a_planted_partition_is_found_in_as_many_parts(noise):
    labels, truth = planted(150, 4, 15, noise=noise, seed=1)
    fitted = SPCE(4).fit(Ensemble(labels))
    assert fitted.n_components_ == 4
    assert same_partition(fitted.labels_, truth)
