"""Samples of objects and features are drawn as they say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia.exceptions import ComitiaError
from comitia.generate import (
    Bootstrap,
    FeatureSubset,
    HybridSample,
    LittleBootstraps,
    RandomProjection,
    Subsample,
    WeightedSample,
)
from comitia.generate.sampling import _weighted_choice


def rng():
    return np.random.RandomState(0)


def test_a_subsample_has_no_repeats():
    sample = Subsample(0.8).draw(50, rng())
    assert len(sample.rows) == len(set(sample.rows)) == 40
    assert_array_equal(sample.counts, 1)


def test_a_bootstrap_counts_its_repeats():
    sample = Bootstrap().draw(1000, rng())
    assert sample.counts.sum() == 1000
    # The share of objects that a bootstrap leaves out is 1/e, give or take 3 sd.
    assert abs(len(sample.rows) / 1000 - (1 - np.exp(-1))) < 0.03


def test_heavy_objects_are_drawn_in_proportion():
    weights = np.r_[np.ones(50), np.zeros(50)]
    weights[0] = 50.0
    sample = WeightedSample(weights).draw(100, rng())
    assert sample.rows.max() < 50
    counts = np.zeros(100)
    for seed in range(200):
        drawn = WeightedSample(weights).draw(100, np.random.RandomState(seed))
        counts[drawn.rows] += drawn.counts
    # 20 000 draws, of which the heavy object has a share of 50/99: sd 71.
    assert abs(counts[0] - 20_000 * 50 / 99) < 250


def test_without_replacement_nobody_comes_twice():
    weights = np.r_[np.ones(5), np.zeros(5)]
    sample = WeightedSample(weights, replace=False).draw(10, rng())
    assert_array_equal(sample.rows, np.arange(5))
    assert_array_equal(sample.counts, 1)


def test_a_hybrid_sample_draws_among_its_bootstrap():
    # A bootstrap leaves an object out with probability 1/e, however much it weighs.
    weights = np.r_[1e9, np.ones(99)]
    present = [
        0 in HybridSample(weights).draw(100, np.random.RandomState(seed)).rows
        for seed in range(400)
    ]
    assert abs(np.mean(present) - (1 - np.exp(-1))) < 0.08


def test_little_bootstraps_have_the_nominal_size():
    bag = LittleBootstraps(subset_power=0.5, n_resamples=3)
    samples = [
        bag.draw(400, np.random.RandomState(seed), rng()) for seed in range(1, 30)
    ]
    assert len(set(np.concatenate([sample.rows for sample in samples]))) == 20
    assert {sample.counts.sum() for sample in samples} == {400}
    assert bag.draw(400, rng()).counts.sum() == 400


def test_zero_weights_mean_uniform():
    assert len(set(_weighted_choice(np.zeros(5), 5, rng(), replace=False))) == 5


def test_features_are_kept_or_projected():
    X = rng().rand(7, 9)
    kept = FeatureSubset(0.33).draw(9, rng())
    assert_array_equal(kept(X), X[:, kept.how])
    assert kept(X).shape == (7, 3)
    assert FeatureSubset("sqrt").draw(9, rng())(X).shape == (7, 3)
    only = FeatureSubset(1 / 9, weights=np.eye(9)[4]).draw(9, rng())
    assert_array_equal(only.how, [4])
    assert RandomProjection().draw(9, rng())(X).shape == (7, 3)


def test_projections_keep_lengths_on_average():
    x = np.ones((1, 16))
    lengths = [
        (RandomProjection(8).draw(16, np.random.RandomState(seed))(x) ** 2).sum()
        for seed in range(500)
    ]
    # Each is 16 chi-squared(8)/8: the mean of 500 has a standard error of 0.36.
    assert_allclose(np.mean(lengths), 16.0, atol=1.2)


@pytest.mark.parametrize(
    "draw",
    [
        lambda: Subsample(0.0).draw(5, rng()),
        lambda: Bootstrap(1.5).draw(5, rng()),
        lambda: WeightedSample([1.0, 2.0]).draw(5, rng()),
        lambda: WeightedSample([-1.0, 2.0]).draw(2, rng()),
        lambda: LittleBootstraps(0.0).draw(5, rng()),
        lambda: FeatureSubset(2).draw(5, rng()),
        lambda: RandomProjection(0).draw(5, rng()),
    ],
)
def test_shares_and_weights_out_of_range_are_refused(draw):
    with pytest.raises(ComitiaError, match="must"):
        draw()


def test_whole_variables_are_drawn():
    groups = np.array([0, 1, 1, 1, 2, 3, 3])
    for seed in range(20):
        rng = np.random.RandomState(seed)
        drawn = FeatureSubset(0.5, groups=groups).draw(7, rng).how
        assert len(np.unique(groups[drawn])) == 2
        assert np.isin(groups, groups[drawn]).sum() == len(drawn)
    only = FeatureSubset(0.5, weights=[0, 1, 0, 0, 0, 1, 1], groups=groups)
    drawn = only.draw(7, np.random.RandomState(0)).how
    assert drawn.tolist() == [1, 2, 3, 5, 6]
    with pytest.raises(ComitiaError, match="one entry per feature"):
        FeatureSubset(groups=[0, 1]).draw(7, np.random.RandomState(0))
