"""How many threads libraries may take while few objects are clustered, or many."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, ClusterMixin
from threadpoolctl import threadpool_limits

import comitia
from comitia import Ensemble, sizes
from comitia._steps import _libraries, threads_for
from comitia.generate import EstimatorGenerator, KMeansGenerator

X = np.random.RandomState(0).randn(60, 3) + 4 * np.eye(3)[np.arange(60) % 3]

# The limits, and what they leave of two threads to OpenMP and to BLAS.
SIDES = [
    ({}, {"openmp": 1, "blas": 1}),
    ({"FEW_TO_SHARE_BLAS": 59}, {"openmp": 1, "blas": 2}),
    ({"FEW_TO_SHARE": 59}, {"openmp": 2, "blas": 2}),
]


@pytest.fixture(autouse=True)
def two_threads():
    with threadpool_limits(2):
        yield
        assert threads() == {"openmp": 2, "blas": 2}


def threads():
    """How many there are for the libraries that clusterings need."""
    return {
        kind: max(each["num_threads"] for each in _libraries(kind).info())
        for kind in ("openmp", "blas")
    }


class Halves(ClusterMixin, BaseEstimator):
    """Keeps how many threads it had."""

    seen = []

    def fit(self, X, y=None):
        self.seen.append(threads())
        self.labels_ = (X[:, 0] > np.median(X[:, 0])).astype(int)
        return self


@pytest.mark.parametrize(("limits", "expected"), SIDES)
def test_few_objects_are_clustered_by_one_thread(limits, expected, monkeypatch):
    for name, value in limits.items():
        monkeypatch.setattr(sizes, name, value)
    monkeypatch.setattr(Halves, "seen", [])
    EstimatorGenerator(Halves(), 2, extend=False).generate(X)
    assert Halves.seen == [expected] * 2


@pytest.mark.parametrize(("limits", "expected"), SIDES)
def test_few_objects_are_combined_by_one_thread(limits, expected, monkeypatch):
    for name, value in limits.items():
        monkeypatch.setattr(sizes, name, value)
    cls = comitia.method("lwea")
    combine, seen = cls._combine, []

    def watched(self, *given):
        seen.append(threads())
        return combine(self, *given)

    monkeypatch.setattr(cls, "_combine", watched)
    cls(3).fit(Ensemble(np.arange(120).reshape(60, 2) % 3))
    assert seen == [expected]


@pytest.mark.parametrize("name", ["FEW_TO_SHARE", "FEW_TO_SHARE_BLAS"])
def test_labels_are_the_same_on_both_sides(name, monkeypatch):
    generator = KMeansGenerator(4, random_state=0)
    method = comitia.method("lwea")(3, generator=generator, random_state=0)
    expected = method.fit_predict(X)
    monkeypatch.setattr(sizes, name, 59)
    assert_array_equal(method.fit_predict(X), expected)


def test_an_error_gives_the_threads_back():
    with pytest.raises(ZeroDivisionError), threads_for(60):
        1 / 0  # noqa: B018
