"""Generators of clusterings of time series."""

import pickle

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.generate.series_generators import HMMGenerator, RepresentationGenerator

TRUTH = np.repeat([0, 1, 2], 8)


def levels(seed=0):
    """Series of unequal lengths around three levels."""
    rng = np.random.RandomState(seed)
    return [rng.randn(1, rng.randint(8, 15)) + 7.0 * c for c in TRUTH]


HIDDEN = HMMGenerator(4, n_clusters=(2, 4), n_states=1, random_state=0)


def test_members_cluster_the_series_with_numbers_in_the_range():
    ensemble = clone(HIDDEN).set_params(n_clusterings=12).generate(levels())
    assert set(ensemble.n_clusters_each) <= {2, 3, 4}
    assert len(set(ensemble.n_clusters_each)) > 1
    best = max(adjusted_rand_score(TRUTH, labels) for labels in ensemble.labels.T)
    assert best == 1.0


def test_members_label_new_series():
    generator = clone(HIDDEN)
    ensemble = generator.generate(levels())
    assert_array_equal(generator.transform(levels()), ensemble.labels)
    again = pickle.loads(pickle.dumps(generator))
    assert_array_equal(again.transform(levels(1)), generator.transform(levels(1)))


def test_jobs_and_earlier_members_do_not_matter(tmp_path):
    expected = clone(HIDDEN).generate(levels()).labels
    with parallel_config("threading"):
        both = clone(HIDDEN).set_params(n_jobs=2).generate(levels())
    assert_array_equal(both.labels, expected)
    kept = HMMGenerator(**{**HIDDEN.get_params(), "checkpoint": tmp_path / "kept"})
    assert_array_equal(kept.generate(levels()).labels, expected)
    resumed = clone(kept)
    assert_array_equal(resumed.generate(levels()).labels, expected)
    assert_array_equal(resumed.transform(levels()), expected)
    # Other series are another run.
    with pytest.raises(ComitiaError, match="checkpoint"):
        clone(kept).generate(levels(1))


def test_representations_label_new_series():
    def level(series):
        return [[one.mean()] for one in series]

    generator = RepresentationGenerator(
        [level], KMeansGenerator(3, n_clusters=3), random_state=0
    )
    ensemble = generator.generate(levels())
    assert_array_equal(generator.transform(levels()), ensemble.labels)
    for column in generator.transform(levels(5)).T:
        assert adjusted_rand_score(TRUTH, column) == 1.0


def test_values_of_a_channel_share_their_scale_and_no_channel_leads():
    rng = np.random.RandomState(0)
    spread = np.r_[np.full(50, 0.01), np.full(50, 1.0)]
    series = 10.0 + rng.randn(30, 3, 100) * spread * [[1.0], [1e-3], [0.0]]
    generator = RepresentationGenerator(["values"], KMeansGenerator(1, n_clusters=2))
    generator.generate(series)
    first, small, constant = generator.features_[0].reshape(30, 3, 100).swapaxes(0, 1)
    assert_allclose(first.mean(axis=0), 0.0, atol=1e-9)
    assert_allclose(first.var(axis=0).sum(), 100.0)
    assert first[:, :50].std() < 0.05 * first[:, 50:].std()
    assert_allclose(small.var(axis=0).sum(), 100.0)
    assert_array_equal(constant, 0.0)


def test_members_that_cannot_label_say_so():
    from comitia.generate import HierarchicalGenerator

    assert hasattr(RepresentationGenerator(["fourier"]), "transform")
    trees = HierarchicalGenerator(2, n_clusters=2)
    assert hasattr(RepresentationGenerator(["fourier"], trees), "transform") == (
        hasattr(trees, "transform")
    )
