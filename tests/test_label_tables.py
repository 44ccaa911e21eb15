"""Clusterings are told from features of whole numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from comitia._label_tables import (
    _adjusted_rand,
    _squared_correlation,
    looks_like_labels,
    warn_of_labels,
)
from comitia.exceptions import ComitiaWarning
from comitia.generate import KMeansGenerator


def rng(seed=0):
    return np.random.RandomState(seed)


def members(n_clusters, seed=0):
    X, _ = make_blobs(300, centers=5, n_features=4, random_state=seed)
    made = KMeansGenerator(8, n_clusters=n_clusters, random_state=seed).generate(X)
    return made.labels


def noisy(k, share, seed=0, n=400, m=6, renamed=True):
    """Copies of a partition of which a share of the labels is drawn anew."""
    draw = rng(seed)
    truth = draw.randint(k, size=n)
    columns = []
    for _ in range(m):
        codes = np.where(draw.rand(n) < share, draw.randint(k, size=n), truth)
        columns.append(draw.permutation(k)[codes] if renamed else codes)
    return np.array(columns).T


LABELS = {
    "k-means, equal k": members(5),
    "k-means, 2 to 17 clusters": members((2, 17)),
    "of the iris data": KMeansGenerator(9, n_clusters=(2, 12), random_state=0)
    .generate(load_iris().data)
    .labels,
    "from 1 on": members(3) + 1,
    "with missing labels": np.where(rng(1).rand(300, 8) < 0.3, -1, members(4)),
    "noisy": noisy(5, 0.3),
    "noisy, the same codes": noisy(4, 0.2, renamed=False),
}


def ordinal(rho, k, seed=0, n=400, p=8):
    """Items of a questionnaire: one trait, answers from 1 to k, cut at equal shares."""
    draw = rng(seed)
    items = np.sqrt(rho) * draw.randn(n, 1) + np.sqrt(1 - rho) * draw.randn(n, p)
    edges = np.quantile(items, np.linspace(0, 1, k + 1)[1:-1])
    return np.digitize(items, edges) + 1


def skewed(rho, k, seed=0, n=400, p=8):
    draw = rng(seed)
    items = np.sqrt(rho) * draw.randn(n, 1) + np.sqrt(1 - rho) * draw.randn(n, p)
    return np.digitize(items, np.quantile(items, 1 - 0.5 ** np.arange(1, k)))


FEATURES = {
    "pixels": load_digits().data.astype(np.int64),
    "pixels that vary": load_digits().data.astype(np.int64)[
        :, [18, 19, 20, 27, 28, 36]
    ],
    "one hot": np.eye(4, dtype=int)[rng().randint(4, size=200)],
    "booleans": rng().randint(2, size=(200, 6)),
    "counts": rng().poisson(2.0, size=(300, 5)),
    "counts of one rate": rng().poisson(rng().gamma(1.0, 2.0, (300, 1)), (300, 5)),
    "rare counts": rng().poisson(rng().gamma(0.3, 1.0, (300, 1)), (300, 5)),
    "unrelated categories": rng().randint(5, size=(200, 6)),
    "one column": rng().randint(3, size=(50, 1)),
    "ages and incomes": np.c_[rng().randint(18, 80, 99), rng().randint(9, 99, 99)],
    "numbers": rng().randn(40, 3),
    "no rows": np.zeros((0, 2), int),
    **{
        f"ratings, {rho}, {k}": ordinal(rho, k)
        for rho in (0.2, 0.6, 0.9)
        for k in (3, 5, 7)
    },
    **{
        f"skewed, {rho}, {k}": skewed(rho, k)
        for rho in (0.2, 0.6, 0.9)
        for k in (3, 5, 7)
    },
}


@pytest.mark.parametrize("name", LABELS)
def test_clusterings_look_like_labels(name):
    assert looks_like_labels(LABELS[name])
    assert looks_like_labels(LABELS[name].astype(float))


@pytest.mark.parametrize("name", FEATURES)
def test_features_do_not(name):
    assert not looks_like_labels(FEATURES[name])


def test_the_two_measures_are_those_of_others():
    a, b = LABELS["noisy"][:, 0], LABELS["noisy"][:, 1]
    assert _adjusted_rand(a, b) == pytest.approx(adjusted_rand_score(a, b), abs=1e-12)
    expected = np.corrcoef(a, b)[0, 1] ** 2
    assert _squared_correlation(a, b) == pytest.approx(expected, abs=1e-12)


def test_only_integers_are_warned_of():
    labels = LABELS["noisy"]
    for given in (labels, pd.DataFrame(labels)):
        with pytest.warns(ComitiaWarning, match="look like clusterings"):
            warn_of_labels(given, "fit(Ensemble(X))")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_labels(labels.astype(float), "fit(Ensemble(X))")
        warn_of_labels(FEATURES["counts"], "fit(Ensemble(X))")
        warn_of_labels([[0, 1]], "fit(Ensemble(X))")
