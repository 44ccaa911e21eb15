"""Clusters that show in some of the features only."""

import numpy as np

__all__ = ["noisy", "standardized", "subspaces"]


def noisy(n=30, seed=0, apart=8):
    """Three clusters in two features, and two features of noise."""
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1, 2], n)
    centers = np.array([[0, 0], [apart, 0], [apart / 2, apart]])
    return np.c_[centers[truth] + rng.randn(3 * n, 2), 3 * rng.rand(3 * n, 2)], truth


def subspaces(n=40, seed=0):
    """Three clusters, each tight in two features of its own and noise in the rest."""
    rng = np.random.RandomState(seed)
    truth = np.repeat([0, 1, 2], n)
    X = 2.0 * rng.randn(3 * n, 6)
    for v in range(3):
        X[np.ix_(truth == v, [2 * v, 2 * v + 1])] = 4 + 0.1 * rng.randn(n, 2)
    return X, truth


def standardized(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)
