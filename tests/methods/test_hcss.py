"""HCSS: four selectors propose, quality disposes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.exceptions import ComitiaError
from comitia.partition import ncut
from comitia.represent import coassociation
from comitia.select import subset_weights
from comitia.validity import mean_distance_to_center
from tests.fixtures import E6, X6, planted, same_partition

HCSS = method("hcss")


def noisy(seed, good=5, bad=5):
    """Good clusterings of blobs on a line, and bad ones."""
    labels, truth = planted(60, 3, good, noise=0.05, seed=seed)
    rng = np.random.RandomState(seed)
    labels = np.column_stack([labels, rng.randint(3, size=(60, bad))])
    return 10.0 * truth[:, None] + rng.randn(60, 2), Ensemble(labels), truth


def test_two_subsets_weigh_as_in_the_catalogue():
    # Qualities (1, 2) and (1, 3) in two subsets; the first clustering is in both.
    weights, of_subsets = subset_weights([1, 2, 3], [[0, 1], [0, 2]])
    inside = np.array([weights[1], weights[2] / of_subsets[1]])
    assert_allclose(inside, [0.513417, 0.367879], atol=5e-7)  # printed
    means = (1 + inside) / 2
    assert_allclose(means, [0.756709, 0.683940], atol=5e-7)  # printed
    printed = (means - means.max()) / means.mean()
    assert_allclose(printed, [0, -0.101022], atol=5e-7)  # the erratum
    assert_allclose(of_subsets, np.exp(printed))


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_their_definition(seed):
    X, ensemble, _ = noisy(seed)
    fitted = HCSS(3, random_state=0).fit(X, ensemble=ensemble)
    q = np.array([mean_distance_to_center(X, c) for c in ensemble.labels.T])
    inside, means = [], []
    for subset in fitted.subsets_:
        assert subset.sum() == 5
        own = q[subset]
        inside.append(np.exp(-(q - own.min()) / own.mean()) * subset)
        means.append(inside[-1].sum() / 5)
    of_subsets = np.exp((np.array(means) - max(means)) / np.mean(means))
    assert_allclose(fitted.subset_weights_, of_subsets)
    assert_allclose(fitted.clustering_weights_, of_subsets @ np.array(inside))
    kept = np.argsort(-fitted.clustering_weights_, kind="stable")[:5]
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(kept))


@pytest.mark.parametrize("seed", range(3))
def test_good_clusterings_are_kept_and_the_clusters_found(seed):
    X, ensemble, truth = noisy(seed, good=8, bad=6)
    fitted = HCSS(3, n_select=7, random_state=0).fit(X, ensemble=ensemble)
    assert not fitted.selected_[8:].any()
    assert same_partition(fitted.labels_, truth)


def test_all_kept_is_the_normalized_cut_of_the_coassociation():
    X, ensemble, _ = noisy(0)
    fitted = HCSS(3, n_select=10, random_state=0).fit(X, ensemble=ensemble)
    assert fitted.selected_.all()
    assert_array_equal(fitted.subset_weights_, 1)
    S = coassociation(ensemble, dtype=np.float64)
    assert same_partition(fitted.labels_, ncut(S, 3, np.random.RandomState(0)))


def test_the_laplacian_score_sees_the_data():
    # Both clusterings agree alike with the third; only one follows the data.
    labels = [[0, 0, 0], [0, 1, 0], [0, 0, 0], [1, 1, 1], [1, 0, 1], [1, 1, 1]]
    fitted = HCSS(2, n_select=1, random_state=0).fit(X6, ensemble=Ensemble(labels))
    assert_array_equal(fitted.subsets_[0], [True, False, False])
    assert_array_equal(fitted.selected_, [True, False, False])


def test_a_clustering_of_one_cluster_is_proposed_last():
    labels = np.column_stack([np.zeros(6, dtype=int), E6])
    fitted = HCSS(2, n_select=2, random_state=0).fit(X6, ensemble=Ensemble(labels))
    assert not fitted.subsets_[:2, 0].any()


def test_more_than_there_are_cannot_be_kept():
    with pytest.raises(ComitiaError, match="n_select=4"):
        HCSS(2, n_select=4).fit(X6, ensemble=Ensemble(E6))


def test_the_selection_stands_in_front_of_another_consensus():
    X, ensemble, _ = noisy(1)
    mix = ConsensusClustering(3, selection=HCSS(3), consensus="average")
    kept = HCSS(3, random_state=0).fit(X, ensemble=ensemble).selected_
    assert_array_equal(mix.fit(X, ensemble=ensemble).selected_, kept)
    with pytest.raises(ComitiaError, match="give X"):
        HCSS(3).select(ensemble)
