"""Input that is more than one table."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy.sparse import csr_array

from comitia._inputs import check_series, check_views
from comitia.exceptions import ComitiaError

TWO = [np.arange(6.0).reshape(3, 2), np.arange(9.0).reshape(3, 3)]


def holes(X, *rows):
    X = np.array(X, dtype=float)
    X[list(rows)] = np.nan
    return X


class TestViews:
    def test_a_list_and_a_dict_and_frames_hold_the_same_views(self):
        named = check_views({"a": TWO[0], "b": TWO[1].tolist()}, None, missing=False)
        frames = [pd.DataFrame(X) for X in TWO]
        for views in (
            named,
            check_views(TWO, None, missing=False),
            check_views(tuple(frames), None, missing=False),
        ):
            assert (views.n_objects, views.n_views) == (3, 2)
            for found, given in zip(views.arrays, TWO, strict=True):
                assert_array_equal(found, given)
                assert found.dtype == np.float64
        assert named.names == ("a", "b")
        assert check_views(TWO, None, missing=False).names == ("view 0", "view 1")

    def test_one_table_is_one_view_or_is_cut(self):
        wide = np.hstack(TWO)
        assert check_views(wide, None, missing=False).n_views == 1
        assert check_views(wide.tolist(), None, missing=False).n_views == 1
        for parts in ([slice(0, 2), slice(2, None)], [[0, 1], [2, 3, 4]]):
            views = check_views(wide, parts, missing=False)
            for found, given in zip(views.arrays, TWO, strict=True):
                assert_array_equal(found, given)

    def test_present_objects_are_those_without_nan(self):
        views = check_views([holes(TWO[0], 1), TWO[1]], None, missing=True)
        assert views.present.tolist() == [[True, True], [False, True], [True, True]]

    @pytest.mark.parametrize(
        ("X", "parts", "message"),
        [
            ([TWO[0], TWO[1][:2]], None, "views have 3, 2 rows"),
            ([], None, "1 dimension"),
            ({}, None, "empty list"),
            (TWO, [[0]], "list of views already"),
            (np.hstack(TWO), [[0], [7]], r"views\[1\]=\[7\] takes no columns out of 5"),
            (np.hstack(TWO), [slice(9, 10)], r"views\[0\]=slice.* takes no columns"),
            (np.hstack(TWO), ["name"], r"views\[0\]='name' takes no columns"),
            ([TWO[0], np.zeros(3)], None, r"X\[1\] has 1 dimension"),
            ([TWO[0], np.zeros((3, 0))], None, r"0 feature.*X\[1\]"),
            ([np.full((3, 2), np.inf), TWO[1]], None, "infinity"),
            ([TWO[0], csr_array(TWO[1])], None, r"X\[1\] is sparse"),
            ([TWO[0], TWO[1] * 1j], None, "complex"),
            ([TWO[0], np.array([["a", "b"]] * 3)], None, "not an array of numbers"),
        ],
    )
    def test_what_is_no_set_of_views_is_refused_in_words(self, X, parts, message):
        with pytest.raises(ComitiaError, match=message):
            check_views(X, parts, missing=True)

    def test_missing_objects_are_refused_where_they_are_not_handled(self):
        with pytest.raises(ComitiaError, match="mic, omvc and MultiViewEnsemble take"):
            check_views([holes(TWO[0], 1), TWO[1]], None, missing=False)

    def test_single_missing_values_and_objects_without_a_view_are_refused(self):
        partly = TWO[0].copy()
        partly[1, 0] = np.nan
        with pytest.raises(ComitiaError, match="a part of row 1"):
            check_views([partly, TWO[1]], None, missing=True)
        with pytest.raises(ComitiaError, match=r"1 object.* in no view.* row 2"):
            check_views([holes(TWO[0], 2), holes(TWO[1], 1, 2)], None, missing=True)

    def test_a_view_without_objects_is_for_streams_only(self):
        nothing = [TWO[0], holes(TWO[1], 0, 1, 2)]
        with pytest.raises(ComitiaError, match=r"X\[1\] has no object at all"):
            check_views(nothing, None, missing=True)
        assert check_views(nothing, None, missing=True, empty=True).n_views == 2


class TestSeries:
    def test_tables_cubes_and_lists_are_series(self):
        cube = np.arange(12.0).reshape(2, 2, 3)
        assert [s.shape for s in check_series(cube)] == [(2, 3), (2, 3)]
        assert [s.shape for s in check_series(cube[0])] == [(1, 3), (1, 3)]
        ragged = check_series([cube[0], cube[1][:, :2]])
        assert [s.shape for s in ragged] == [(2, 3), (2, 2)]
        assert check_series([[1.0, 2.0], [3.0]])[1].shape == (1, 1)

    @pytest.mark.parametrize(
        ("X", "message"),
        [
            (np.zeros(3), "1 dimension"),
            ([], "no series"),
            (
                [np.zeros((2, 3)), np.zeros((1, 3))],
                r"X\[1\] has 1 channel.* X\[0\] has 2",
            ),
            ([np.zeros((2, 0))], r"shape \(2, 0\)"),
            ([np.array([[1.0, np.nan]])], r"X\[0\] contains NaN"),
        ],
    )
    def test_what_is_no_series_is_refused_in_words(self, X, message):
        with pytest.raises(ComitiaError, match=message):
            check_series(X)
