"""Mean distances to clusters, against loops."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods.selection.greedy_diversity_2014 import mean_distances
from tests.fixtures import E6, X6


def test_the_object_itself_counts():
    assert_allclose(mean_distances(X6, Ensemble(E6[:, :1]))[0], [1, 11])


@pytest.mark.parametrize("block", [2**22, 40])
def test_mean_distances_are_their_definition(block, monkeypatch):
    module = import_module("comitia.methods.selection.greedy_diversity_2014")
    monkeypatch.setattr(module, "_BLOCK", block)
    rng = np.random.RandomState(0)
    X, labels = rng.randn(30, 3), rng.randint(-1, 3, size=(30, 4))
    expected = [
        [
            np.mean([np.linalg.norm(x - y) for y in X[column == c]])
            for column in labels.T
            for c in range(3)
        ]
        for x in X
    ]
    assert_allclose(mean_distances(X, Ensemble(labels)), expected)


def test_a_cluster_without_objects_is_nowhere():
    empty = Ensemble.from_codes(np.zeros((1, 6), dtype=int), [2])
    found = mean_distances(X6, empty)
    assert np.isfinite(found[:, 0]).all()
    assert np.isnan(found[:, 1]).all()


def test_data_of_other_objects_are_refused():
    with pytest.raises(ComitiaError, match="one row per object, 6"):
        mean_distances(X6[:5], Ensemble(E6))
