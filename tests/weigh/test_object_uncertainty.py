"""Weights of objects."""

from importlib import import_module

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from comitia import Ensemble
from comitia.exceptions import ComitiaError
from comitia.weigh import object_uncertainty
from tests.fixtures import E6, planted


def test_uncertainties_of_e6_are_those_of_the_catalogue():
    expected = np.array([4 / 27, 4 / 27, 4 / 9, 4 / 9, 4 / 27, 4 / 27])
    assert_allclose(object_uncertainty(Ensemble(E6)), expected, rtol=1e-14)
    smoothed = object_uncertainty(Ensemble(E6), smoothing=0.01)
    assert_allclose(smoothed, (expected + 0.01) / 1.01, rtol=1e-14)


def uncertainty_by_loops(B, n_clusterings):
    A = np.minimum(B @ B.T / n_clusterings, 1.0)
    return np.array([4 * sum(a * (1 - a) for a in row) / len(A) for row in A])


def some_ensemble(kind, seed=0):
    rng = np.random.RandomState(seed)
    if kind == "fuzzy":
        return Ensemble.from_memberships(
            [rng.dirichlet(np.ones(k), size=30) for k in (2, 3, 4)]
        )
    if kind == "overlapping":
        cover = [[np.flatnonzero(rng.rand(30) < 0.6) for _ in range(3)] for _ in "ab"]
        return Ensemble.from_clusters(cover, 30)
    labels = rng.randint(4, size=(30, 5))
    if kind == "partial":
        labels[rng.rand(30, 5) < 0.3] = -1
    return Ensemble(np.repeat(labels, 2, axis=0))


@pytest.mark.parametrize("kind", ["hard", "partial", "fuzzy", "overlapping"])
def test_uncertainties_are_their_definition(kind, monkeypatch):
    module = import_module("comitia.weigh.object_uncertainty")
    monkeypatch.setattr(module, "_BLOCK_VALUES", 100)
    E = some_ensemble(kind)
    assert E.kind == kind
    expected = uncertainty_by_loops(E.membership.toarray(), E.n_clusterings)
    assert_allclose(object_uncertainty(E), expected, atol=1e-13)


def test_objects_of_a_unanimous_ensemble_are_certain():
    _, truth = planted(30, 3, 1, noise=0.0, seed=0)
    same = Ensemble(np.repeat(truth[:, None], 7, axis=1))
    assert_array_equal(object_uncertainty(same), 0.0)
    assert_allclose(object_uncertainty(same, smoothing=0.01), 0.01 / 1.01)


def test_a_negative_smoothing_is_refused():
    with pytest.raises(ComitiaError, match="smoothing=-1 must not be negative"):
        object_uncertainty(Ensemble(E6), smoothing=-1)
