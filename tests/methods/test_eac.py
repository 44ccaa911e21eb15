"""EAC against the worked numbers of the catalogue."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.cluster.hierarchy import is_valid_linkage

from comitia import Ensemble, method
from comitia.partition.linkage import lifetime
from tests.fixtures import E6, planted, same_partition

EAC = method("eac")


def test_e6_falls_into_two_halves():
    assert same_partition(
        EAC(n_clusters=2).fit_predict(Ensemble(E6)), [0, 0, 0, 1, 1, 1]
    )


def test_tree_of_e6_has_the_heights_of_its_coassociation():
    # A_01 = A_45 = 1; A_02 = A_34 = 2/3; the halves have mean similarity (1/3) / 9.
    tree = EAC().fit(Ensemble(E6)).linkage_
    assert_allclose(tree[:, 2], [0, 0, 1 / 3, 1 / 3, 1 - 1 / 27], atol=1e-12)
    assert is_valid_linkage(tree)


def test_one_clustering_is_its_own_consensus():
    labels = np.array([0, 2, 1, 1, 0, 2, 2])
    found = EAC(n_clusters=3).fit_predict(Ensemble(labels[:, None]))
    assert same_partition(found, labels)


def test_the_halves_of_e6_are_counted():
    assert EAC().fit(Ensemble(E6)).n_clusters_ == 2


def test_a_tree_is_not_cut_where_objects_that_stand_alone_begin_to_merge():
    # Most clusterings leave every object alone, but for two that are always together.
    groups, alone = np.repeat([0, 1, 2], 30), np.maximum(np.arange(90), 1)
    fitted = EAC().fit(Ensemble([groups] * 6 + [alone] * 14))
    assert lifetime(fitted.linkage_) == 89
    assert fitted.n_clusters_ == 3


@pytest.mark.parametrize("linkage", ["single", "complete", "average", "ward"])
def test_identical_clusterings_are_given_back(linkage):
    labels = np.repeat([[0], [1], [2]], [4, 3, 5], axis=0).repeat(4, axis=1)
    found = EAC(n_clusters=3, linkage=linkage).fit_predict(Ensemble(labels))
    assert same_partition(found, labels[:, 0])


def test_average_linkage_finds_a_planted_partition():
    labels, truth = planted(150, 3, 15, noise=0.2, seed=0)
    assert same_partition(EAC(n_clusters=3).fit_predict(Ensemble(labels)), truth)


def test_order_and_names_do_not_matter():
    # Another order breaks ties otherwise; a clear partition does not hang on them.
    labels, _ = planted(80, 4, 10, noise=0.2, seed=1)
    rng = np.random.RandomState(0)
    one = EAC(n_clusters=4).fit_predict(Ensemble(labels))
    rows = rng.permutation(80)
    other = EAC(n_clusters=4).fit_predict(
        Ensemble((5 - labels[rows])[:, rng.permutation(10)])
    )
    assert same_partition(one[rows], other)


def test_linkage_is_checked():
    with pytest.raises(ValueError, match="linkage"):
        EAC(linkage="median").fit(Ensemble(E6))
