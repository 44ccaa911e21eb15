"""Validity of clusterings of categories, against their definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from comitia import Ensemble, method
from comitia.methods.selection._sivid_categorical import categorical_scores


def mode(rows):
    values = []
    for column in rows.T:
        seen, counts = np.unique(column, return_counts=True)
        values.append(seen[counts.argmax()])
    return np.array(values)


def scores_by_loops(X, labels):
    X, labels = X[labels >= 0], labels[labels >= 0]
    n, p = X.shape
    clusters = [X[labels == r] for r in np.unique(labels)]
    k = len(clusters)

    def squares(rows):
        counts = [np.unique(column, return_counts=True)[1] for column in rows.T]
        return sum(np.sum((c / len(rows)) ** 2) for c in counts)

    def entropy(rows):
        counts = [np.unique(column, return_counts=True)[1] for column in rows.T]
        return -sum(np.sum(c / len(rows) * np.log(c / len(rows))) for c in counts)

    utility = sum(len(c) / n * (squares(c) - squares(X)) for c in clusters) / k
    condorcet = 0
    for i in range(n):
        for j in range(n):
            d = (X[i] != X[j]).sum()
            condorcet += p - 2 * d if labels[i] == labels[j] else d
    modes = [mode(c) for c in clusters]
    away = [(c != z).sum() for c, z in zip(clusters, modes, strict=True)]
    spread = [a / len(c) for a, c in zip(away, clusters, strict=True)]
    worst = []
    for a in range(k):
        ratios = [np.inf] if k == 1 else []
        for b in set(range(k)) - {a}:
            d = (modes[a] != modes[b]).sum()
            ratios.append((spread[a] + spread[b]) / d if d else np.inf)
        worst.append(max(ratios))
    expected = sum(len(c) / n * entropy(c) for c in clusters)
    return [utility, condorcet, expected, sum(away), np.mean(worst)]


@pytest.mark.parametrize("seed", range(4))
def test_indices_are_their_definitions(seed):
    rng = np.random.RandomState(seed)
    X = rng.randint(4, size=(25, 6)).astype(float) * 10
    labels = rng.randint(-1, 3, size=(25, 4))
    labels[:, 0] = rng.randint(2, size=25)
    labels[:, 3] = 0  # a single cluster
    got = categorical_scores(X, Ensemble(labels))
    wanted = [scores_by_loops(X, column) for column in labels.T]
    assert_allclose(got, wanted, rtol=1e-9, atol=1e-12)


def test_categories_have_names_and_no_distances():
    rng = np.random.RandomState(0)
    X = rng.randint(3, size=(40, 5)).astype(float)
    ensemble = Ensemble(rng.randint(3, size=(40, 6)))
    renamed = np.array([1.0, 20.0, 300.0])[X.astype(int)]  # in the same order
    assert_allclose(
        categorical_scores(X, ensemble), categorical_scores(renamed, ensemble)
    )


def test_good_clusterings_of_categories_are_kept_and_junk_is_not():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    # Three kinds of objects; the codes of their categories have no order.
    X = np.array([[0, 2, 1, 5, 3], [4, 0, 5, 1, 2], [2, 4, 0, 3, 5]])[truth]
    X = np.where(rng.rand(*X.shape) < 0.2, rng.randint(6, size=X.shape), X)
    good = [
        np.where(rng.rand(90) < 0.2, rng.randint(3, size=90), truth) for _ in range(8)
    ]
    junk = [rng.randint(3, size=90) for _ in range(8)]
    ensemble = Ensemble(np.column_stack(good + junk))
    sivid = method("sivid")(3, n_select=8, indices="categorical")
    quality = sivid.fit(X.astype(float), ensemble=ensemble).clustering_weights_
    assert quality[:8].min() > quality[8:].max()
