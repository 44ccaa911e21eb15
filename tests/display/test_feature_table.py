"""Tables that are no tables are refused, and features have names."""

import numpy as np
import pandas as pd
import pytest

from comitia import Ensemble
from comitia.display.cluster_profiles import cluster_profile
from comitia.display.feature_table import name_features
from comitia.display.object_map import embed_objects
from comitia.exceptions import ComitiaError


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.zeros((3, 2)), "one row per object, 2"),
        ([["a"], ["b"]], "must be a table of numbers"),
        ([[np.nan], [0.0]], "must be finite"),
        (np.zeros((2, 0)), "at least one column"),
        (np.zeros((2, 3, 4)), r"got shape \(2, 3, 4\)"),
    ],
)
def test_data_that_are_no_table_are_refused(X, said):
    with pytest.raises(ComitiaError, match=said):
        embed_objects(Ensemble([[0], [1]]), X)
    with pytest.raises(ComitiaError, match=said):
        cluster_profile(X, [0, 1])


def test_names_of_features_are_those_given_those_of_the_columns_or_numbers():
    X = pd.DataFrame(np.zeros((2, 2)), columns=["a", 7])
    assert name_features(["x", "y"], X, 2).tolist() == ["x", "y"]
    assert name_features(None, X, 2).tolist() == ["a", "7"]
    assert name_features(None, X.to_numpy(), 2).tolist() == ["feature 0", "feature 1"]
    with pytest.raises(ComitiaError, match="got 1 for 2"):
        name_features(["x"], X, 2)
