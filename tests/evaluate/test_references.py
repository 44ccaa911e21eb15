"""References: as many objects, the same box, no clusters."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.evaluate import shuffled_ensemble, uniform_reference


def test_the_box_lies_along_the_main_axes():
    rng = np.random.RandomState(0)
    turn = np.array([[0.8, 0.6], [-0.6, 0.8]])
    X = (rng.rand(500, 2) * [10.0, 1.0]) @ turn + 3.0
    drawn = uniform_reference(X, np.random.RandomState(1))
    back = (drawn - X.mean(axis=0)) @ turn.T
    # The axes of the data are estimated from 500 objects.
    assert np.ptp(back[:, 0]) == pytest.approx(10, abs=0.5)
    assert np.ptp(back[:, 1]) == pytest.approx(1, abs=0.3)


def test_the_reference_moves_with_the_data():
    X = np.random.RandomState(0).randn(40, 3)
    one = uniform_reference(X, np.random.RandomState(2))
    moved = uniform_reference(5 * X + 7, np.random.RandomState(2))
    assert_allclose(moved, 5 * one + 7, atol=1e-9)


def test_more_features_than_objects_stay_in_the_span_of_the_data():
    X = np.random.RandomState(0).randn(6, 20)
    drawn = uniform_reference(X, np.random.RandomState(0))
    rank = np.linalg.matrix_rank(np.vstack([X - X.mean(0), drawn - X.mean(0)]))
    assert drawn.shape == X.shape
    assert rank == 5


def test_shuffling_keeps_sizes_and_who_is_missing():
    labels = np.random.RandomState(0).randint(-1, 4, size=(60, 5))
    ensemble = Ensemble(labels)
    shuffled = shuffled_ensemble(ensemble, np.random.RandomState(0))
    assert_array_equal(shuffled.sizes, ensemble.sizes)
    assert_array_equal(shuffled.labels < 0, ensemble.labels < 0)
    assert not np.array_equal(shuffled.labels, ensemble.labels)


def test_shuffling_keeps_fuzzy_rows_and_overlaps():
    rng = np.random.RandomState(0)
    F = rng.dirichlet([1, 1, 1], size=20)
    fuzzy = shuffled_ensemble(Ensemble.from_memberships([F]), rng)
    got = np.sort(fuzzy.membership.toarray(), axis=0)
    assert_allclose(got, np.sort(F, axis=0))
    overlapping = Ensemble.from_clusters([[[0, 1, 2], [2, 3]], [[0, 1], [2, 3]]], 4)
    mixed = shuffled_ensemble(overlapping, rng)
    assert mixed.kind == "overlapping"
    assert_array_equal(mixed.sizes, overlapping.sizes)
