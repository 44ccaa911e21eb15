"""Views: non-negative, in common units, without holes."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from comitia.exceptions import ComitiaError
from comitia.methods.multiview._prepared_views import (
    balance_view,
    graph_on,
    impute_views,
    presence_weights,
    row_scale,
    scale_view,
    view_limits,
)

NAN = np.nan


def test_minmax_brings_features_to_the_unit_interval():
    X = np.random.RandomState(0).normal(size=(20, 3))
    X[:, 1] = 5.0  # does not vary
    scaled = scale_view(X, "minmax")
    assert_allclose(scaled.min(axis=0), 0.0)
    assert_allclose(scaled.max(axis=0), [1.0, 0.0, 1.0])


def test_shift_keeps_differences():
    X = np.random.RandomState(0).normal(size=(20, 3))
    scaled = scale_view(X, "shift")
    assert_allclose(np.diff(scaled, axis=0), np.diff(X, axis=0))
    assert_allclose(scaled.min(axis=0), 0.0)


def test_without_scale_negative_numbers_are_refused():
    assert_array_equal(scale_view([[0.0, 3.0]], None), [[0.0, 3.0]])
    with pytest.raises(ComitiaError, match=r"smallest is -3.*scale=\"minmax\""):
        scale_view([[0.0, -3.0]], None)
    with pytest.raises(ComitiaError, match="scale='max' is none of"):
        scale_view([[0.0]], "max")


def test_missing_rows_neither_count_nor_vanish():
    X = np.array([[1.0, 2.0], [NAN, NAN], [3.0, 2.0]])
    assert_array_equal(scale_view(X), [[0.0, 0.0], [NAN, NAN], [1.0, 0.0]])
    with pytest.raises(ComitiaError, match="no object at all"):
        view_limits(np.full((2, 2), NAN), "shift")


def test_limits_of_other_objects_cut_what_is_below():
    limits = view_limits([[0.0], [2.0]], "minmax")
    assert_allclose(
        scale_view([[-1.0], [1.0], [4.0]], limits=limits), [[0], [0.5], [2]]
    )


def test_lengths_and_variances_are_one_afterwards():
    X = np.random.RandomState(0).normal(3.0, size=(50, 4))
    assert_allclose(row_scale(X / row_scale(X)), 1.0)
    balanced = balance_view(X)
    assert_allclose(balanced.var(axis=0).sum(), 1.0)
    assert_allclose(balanced.mean(axis=0), 0.0, atol=1e-12)
    assert row_scale(np.zeros((3, 2))) == 1.0


def test_missing_rows_get_the_means_of_the_others():
    X = np.array([[1.0, 4.0], [NAN, NAN], [3.0, 0.0]])
    whole = np.ones((3, 1))
    filled = impute_views([X, whole])
    assert_array_equal(filled[0], [[1, 4], [2, 2], [3, 0]])
    assert_array_equal(filled[1], whole)
    told = impute_views([X], [np.array([7.0, 8.0])])
    assert_array_equal(told[0][1], [7, 8])
    assert np.isnan(X[1]).all()  # the view itself is left alone


def test_presence_weights_are_those_worked_out():
    # Three of four objects are there, the missing one is last.
    present = np.array([[True], [True], [True], [False]])
    assert_array_equal(presence_weights(present).ravel(), [1, 1, 1, 0.75])
    assert_array_equal(presence_weights(present, [0.5]).ravel(), [1, 1, 1, 0.5])


@pytest.mark.parametrize("device", [None, "torch", "array_api_strict"])
def test_a_graph_multiplies_alike_everywhere(device):
    if device is not None:
        pytest.importorskip(device)
    from comitia._arrays import floats_on, to_numpy

    rng = np.random.RandomState(0)
    half = csr_array(rng.rand(30, 30) * (rng.rand(30, 30) < 0.1))
    S = (half + half.T).tocsr()
    U = rng.uniform(size=(30, 3))
    placed, degrees = graph_on(S, device)
    assert_allclose(to_numpy(placed @ floats_on(U, device)), S @ U, atol=1e-12)
    assert_allclose(to_numpy(degrees), S.toarray().sum(axis=1), atol=1e-12)
