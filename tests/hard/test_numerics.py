"""Numbers at the ends of their range, and ensembles of odd shapes.

Whatever the scale of the data or the shape of the ensemble: results are finite, and a
warning is one that was meant for the user.
"""

import warnings
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from comitia import Ensemble, config, method
from comitia.exceptions import ComitiaWarning, MemoryBudgetError
from comitia.fitted_result import FittedResult
from tests.cases import check_each
from tests.fixtures import planted
from tests.hard.methods import (
    LABELS,
    METHODS,
    TRUTH,
    X,
    given,
    make,
    methods_that,
)

COMBINERS = methods_that("labels", but=("graph",))
# One method that makes clusterings of data by k-means stands for all that do.
ON_DATA = [
    cls
    for cls in METHODS
    if {"data", "views", "series"} & {*cls.card.needs} or cls.card.id == "lwea"
]


def called(cls):
    return cls.card.id


def fit(cls, *arguments, **parameters):
    """Fit; other warnings than those meant for users are errors."""
    args, kwargs = arguments
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ComitiaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make(cls, **parameters).fit(*args, **kwargs)


def assert_finite(fitted, names=None):
    """Everything that the fit left behind is a finite number, or what has these names.

    By default also what is computed when it is asked for, such as confidences.
    """
    n = len(fitted.labels_)
    assert fitted.labels_.shape == (n,)
    assert {*fitted.labels_.tolist()} == {*range(fitted.n_clusters_)}
    for name in dir(fitted) if names is None else names:
        if name.endswith("_") and not name.startswith("_"):
            value = getattr(fitted, name)
            if isinstance(value, np.ndarray) and value.dtype.kind == "f":
                # An index judges neither one cluster nor one for each object.
                undefined = name == "quality_" and fitted.n_clusters_ in (1, n)
                assert undefined or np.isfinite(value).all(), name


# -- data ----------------------------------------------------------------------------

SCALES = {
    "1e-8": X * 1e-8,
    "1e8": X * 1e8,
    "shifted by 1e6": X + 1e6,
    # Of float64 a hundred steps are left in a cluster.
    "1e-8, shifted by 1e6": X * 1e-8 + 1e6,
    "1e8, shifted by 1e6": X * 1e8 + 1e6,
    "float32, 1e-8": (X * 1e-8).astype(np.float32),
    "float32, 1e8": (X * 1e8).astype(np.float32),
    # Of float32 no more than a sixteenth is left at 1e6.
    "float32, shifted by 1e6": (X + 1e6).astype(np.float32),
    "a constant column": np.column_stack([X, np.ones(len(X))]),
    "columns in another order": X[:, ::-1],
}


@pytest.mark.parametrize("cls", ON_DATA, ids=called)
def test_results_are_finite_at_every_scale(cls):
    as_they_are = fit(cls, *given(cls)).labels_
    finds_the_truth = adjusted_rand_score(TRUTH, as_they_are) == 1.0

    def check(data):
        fitted = fit(cls, *given(cls, data=data))
        assert_finite(fitted)
        if finds_the_truth:
            assert adjusted_rand_score(TRUTH, fitted.labels_) > 0.8

    check_each(check, SCALES)


# -- data without clusters, and more or fewer clusters than there are ----------------

EXTREMES = {
    "objects that are all alike": (np.ones_like(X), 3),
    "zeros": (np.zeros_like(X), None),
    "negative data": (X - 10.0, 3),
    "six objects": (X[::4], 3),
    "as many clusters as objects": (X, len(X)),
}


@pytest.mark.parametrize("cls", ON_DATA, ids=called)
def test_results_are_finite_for_extreme_data(cls):
    def check(extreme):
        data, n_clusters = extreme
        labels = Ensemble(LABELS[:: len(LABELS) // len(data)])
        arguments = given(cls, data=data, labels=labels)
        fitted = fit(cls, *arguments, n_clusters=n_clusters)
        assert_finite(fitted)
        assert n_clusters is None or fitted.n_clusters_ <= n_clusters

    check_each(check, EXTREMES)


# -- ensembles -----------------------------------------------------------------------

SHAPES = {
    "50 clusterings of 2 objects": np.random.RandomState(0).randint(2, size=(2, 50)),
    "50 equal clusterings of 2 objects": np.repeat([[0], [1]], 50, axis=1),
    "1 clustering of 1 object": np.zeros((1, 1), int),
    "50 clusterings of 1 object": np.zeros((1, 50), int),
    "singletons": np.repeat(np.arange(12)[:, None], 5, axis=1),
    "singletons beside one cluster": np.column_stack([np.arange(12), np.zeros(12)]),
    "one cluster": np.zeros((12, 5), int),
    "one object apart": np.repeat(np.arange(12) == 7, 5).reshape(12, 5).astype(int),
    "300 clusters": np.column_stack([np.arange(300), np.arange(300) // 2]),
}


@pytest.mark.parametrize("cls", COMBINERS, ids=called)
def test_results_are_finite_for_odd_ensembles(cls):
    def check(shape):
        labels = shape.astype(int)
        n = len(labels)
        data = np.random.RandomState(0).rand(n, 3)
        arguments = given(cls, data=data, labels=Ensemble(labels))
        fitted = fit(cls, *arguments, n_clusters=min(2, n))
        assert_finite(fitted)
        assert fitted.n_clusters_ <= 2

    check_each(check, SHAPES)


# They take some seconds for ten thousand; they get 300.
_SLOW = (
    "berikov_2018",
    "berikov_pestunov_2017",
    "gkwea",
    "hgpa",
    "jia_2011",
    "kmodes_consensus",
    "median_partition",
    "naldi_2013",
    "prar",
    "sivid",
    "son_2016",
    "tang_liu_2018",
    "trce",
    "unlu_xanthopoulos_2017",
    "vega_pons_2008",
    "weacs",
    "wecr",
    "wpck",
)


@cache
def many_clusterings(M):
    labels, truth = planted(50, 5, M, noise=0.2, seed=0)
    return Ensemble(labels), truth


@pytest.mark.parametrize("cls", COMBINERS, ids=called)
def test_ten_thousand_clusterings_are_combined_or_refused_for_memory(cls):
    ensemble, truth = many_clusterings(300 if cls.card.id in _SLOW else 10_000)
    data = np.random.RandomState(1).rand(50, 3) + 4.0 * truth[:, None]
    arguments = given(cls, data=data, labels=ensemble)
    with config.limit("400 MB"), suppress(MemoryBudgetError):
        fitted = fit(cls, *arguments, n_clusters=5)
        # Without votes and confidences, which the next test asks for.
        assert_finite(fitted, {*object.__dir__(fitted)} - {*dir(FittedResult)})


# The same code computes them for all methods, of labels and weights: here there are
# none, those of objects and those of clusterings.
@pytest.mark.parametrize("id", ["eac", "sec", "dias"])
def test_confidences_are_finite_for_ten_thousand_clusterings(id):
    ensemble, _ = many_clusterings(10_000)
    with config.limit("400 MB"):
        fitted = fit(method(id), (ensemble,), {}, n_clusters=5)
        assert_finite(fitted)
    assert fitted.confidence_.min() > 0.9
