"""A clusterer over a grid of parameters: one dict for each clustering."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator

from comitia.cluster import LAC
from comitia.exceptions import ComitiaError
from comitia.generate import Subsample
from comitia.generate.sweep import ParameterSweep, log_grid
from tests.fixtures import settled

X = settled(np.random.RandomState(0).randn(30, 3) * [1, 10, 100] + [0, 5, 0])
GRID = [{"concentration_penalty": penalty} for penalty in (0.1, 1.0, 10.0)]


def sweep(**parameters):
    return ParameterSweep(LAC(n_init=1), GRID, random_state=0, **parameters)


def test_each_clustering_has_its_own_parameters_on_standardized_data():
    generator = sweep(n_clusters=4).fit(X)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    for m, member in enumerate(generator.members_):
        assert member.model.concentration_penalty == (0.1, 1.0, 10.0)[m]
        again = LAC(4, n_init=1, random_state=member.model.random_state, **GRID[m]).fit(
            Z
        )
        assert_array_equal(generator.ensemble_.labels[:, m], again.labels_)


def test_new_objects_are_standardized_like_the_old_ones():
    generator = sweep(n_clusters=4).fit(X)
    Z = (X[:5] - generator.mean_) / generator.scale_
    expected = np.column_stack([m.model.predict(Z) for m in generator.members_])
    assert_array_equal(generator.transform(X[:5]), expected)


def test_a_feature_that_does_not_vary_is_left_as_it_is():
    flat = np.c_[X, np.full(30, 0.1)]
    generator = sweep(n_clusters=2).fit(flat)
    assert generator.scale_[3] == 1.0
    assert_array_equal(
        generator.ensemble_.labels.shape,
        sweep(n_clusters=2).fit(X).ensemble_.labels.shape,
    )


def test_jobs_and_checkpoints_do_not_change_the_result(tmp_path):
    alone = sweep().generate(X)
    assert sweep(n_jobs=2).generate(X) == alone
    assert sweep(checkpoint=tmp_path).generate(X) == alone
    resumed = sweep(checkpoint=tmp_path).fit(X)
    assert resumed.ensemble_ == alone
    assert_array_equal(resumed.transform(X), sweep().fit(X).transform(X))


def test_a_log_grid_has_its_ends_and_even_ratios():
    values = log_grid((0.1, 10), 5)
    assert_allclose(values[[0, -1]], [0.1, 10])
    assert_allclose(values[1:] / values[:-1], values[1] / values[0])
    assert_allclose(log_grid((0.1, 10), 1), [1.0])
    assert_allclose(log_grid(3, 2), [3.0, 3.0])


@pytest.mark.parametrize("ends", [0.0, (1.0,), (1.0, -1.0), "ab", (1, np.inf)])
def test_what_is_no_range_is_refused(ends):
    with pytest.raises(ComitiaError, match="is no range"):
        log_grid(ends, 3)


def test_a_clustering_of_a_sample_labels_all_objects():
    generator = sweep(n_clusters=3, objects=Subsample(0.5)).fit(X)
    assert generator.ensemble_.kind == "hard"
    assert_array_equal(generator.transform(X), generator.ensemble_.labels)
    assert all(len(member.model.labels_) == 15 for member in generator.members_)
    assert generator.ensemble_ != sweep(n_clusters=3).generate(X)


class Forgetful(BaseEstimator):
    """A clusterer that labels objects otherwise when it sees them again."""

    def __init__(self, n_clusters=2, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X):
        self.labels_ = np.arange(len(X)) % 2
        return self

    def predict(self, X):
        return (np.arange(len(X)) < 3).astype(int)


def test_labels_are_those_of_the_fit_unless_objects_are_sampled():
    all_seen = ParameterSweep(Forgetful(), [{}], n_clusters=2).generate(X)
    assert_array_equal(all_seen.labels[:, 0], np.arange(30) % 2)
    some = ParameterSweep(Forgetful(), [{}], n_clusters=2, objects=Subsample(0.5))
    assert_array_equal(some.generate(X).labels[:, 0], np.arange(30) < 3)


def test_an_empty_grid_is_refused():
    with pytest.raises(ComitiaError, match="parameters is empty"):
        ParameterSweep(LAC(), []).generate(X)
