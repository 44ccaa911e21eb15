"""Bagged selection: close to what random halves agree on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import ConsensusClustering, Ensemble, method
from comitia.agreement import adjusted_rand, nmi
from comitia.engine.content_keys import clusterings_by_content
from comitia.exceptions import ComitiaError
from comitia.generate import SpectralGenerator
from tests.fixtures import planted, same_partition

Bagged = method("jia_2011")
CSPA = method("cspa")


def copies_and_noise(seed, n_copies=7, place=3):
    """Copies of one balanced partition and, in one place, a random one."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(3), 10)
    labels = np.repeat(truth[:, None], n_copies + 1, axis=1)
    labels[:, place] = rng.permutation(truth)
    return labels, truth


@pytest.mark.parametrize("seed", range(4))
def test_noise_among_copies_ranks_last_in_every_bag(seed):
    labels, truth = copies_and_noise(seed)
    fitted = Bagged(3, n_select=7, random_state=seed).fit(Ensemble(labels))
    # The copies tie for ranks 1 to 7, mean 4, and each beats four on average.
    expected = np.full(8, 8 - 4.0)
    expected[3] = 0.0
    assert_allclose(fitted.clustering_weights_, expected)
    assert_array_equal(np.flatnonzero(~fitted.selected_), [3])
    assert same_partition(fitted.labels_, truth)


def test_the_score_is_the_mean_rank_over_bags_and_measures():
    labels, _ = planted(40, 3, 7, noise=0.5, seed=0)
    ensemble = Ensemble(labels)
    fitted = Bagged(3, n_rounds=4, random_state=5).fit(ensemble)
    rng = np.random.RandomState(5)
    ranks = []
    order = clusterings_by_content(ensemble)
    for b in range(8):
        bag = order[rng.permutation(7)[:4]]
        small = ensemble.take(clusterings=bag)
        benchmark = CSPA(3, random_state=rng).fit_predict(small)
        like = nmi if b % 2 == 0 else adjusted_rand
        s = np.array([like(column, benchmark) for column in labels.T])
        above = (s[:, None] < s - 1e-12).sum(axis=1)
        equal = (np.abs(s[:, None] - s) <= 1e-12).sum(axis=1)
        ranks.append(above + (equal + 1) / 2)
    mean = np.mean(ranks, axis=0)
    assert_allclose(fitted.clustering_weights_, 7 - mean, atol=1e-12)
    best = np.argsort(mean, kind="stable")[:4]
    assert_array_equal(np.flatnonzero(fitted.selected_), np.sort(best))


def test_good_clusterings_are_preferred():
    good, truth = planted(80, 4, 6, noise=0.1, seed=1)
    poor, _ = planted(80, 4, 6, noise=0.8, seed=2)
    fitted = Bagged(4, random_state=0).fit(Ensemble(np.hstack([poor, good])))
    assert_array_equal(np.flatnonzero(fitted.selected_), np.arange(6, 12))
    assert same_partition(fitted.labels_, truth)


def test_all_clusterings_kept_are_cspa():
    ensemble = Ensemble(planted(60, 3, 6, noise=0.2, seed=3)[0])
    fitted = Bagged(3, n_select=6, random_state=0).fit(ensemble)
    assert fitted.selected_.all()
    assert same_partition(fitted.labels_, CSPA(3, random_state=0).fit_predict(ensemble))


@pytest.mark.parametrize("agreement", ["rand", ["rand"], lambda a, b: nmi(a, b)])
def test_one_measure_is_enough(agreement):
    labels, _ = copies_and_noise(0)
    fitted = Bagged(3, agreement=agreement, random_state=0).fit(Ensemble(labels))
    assert not fitted.selected_[3]


def test_an_unknown_measure_is_refused():
    with pytest.raises(ComitiaError, match="'niceness' is none of"):
        Bagged(3, agreement=["niceness"]).fit(Ensemble(copies_and_noise(0)[0]))


def test_data_alone_are_clustered_spectrally():
    rng = np.random.RandomState(0)
    X = np.vstack([rng.randn(15, 2), rng.randn(15, 2) + 12])
    fitted = Bagged(2, n_rounds=2, random_state=0)
    assert isinstance(fitted._default_generator(), SpectralGenerator)
    fitted.fit(X)
    assert isinstance(fitted.generator_, SpectralGenerator)
    assert same_partition(fitted.labels_, np.repeat([0, 1], 15))
    assert_array_equal(fitted.predict(X), fitted.labels_)


def test_the_selection_stands_in_front_of_another_consensus():
    labels, truth = copies_and_noise(1)
    selection = Bagged(3, n_select=4, random_state=0)
    fitted = ConsensusClustering(3, selection=selection).fit(Ensemble(labels))
    assert_array_equal(fitted.selected_, [1, 1, 1, 0, 1, 0, 0, 0])
    assert same_partition(fitted.labels_, truth)
