"""Clusterings with a known answer, and data that go with them."""

import numpy as np
from sklearn.datasets import make_blobs

from comitia import Ensemble
from tests.fixtures import planted

__all__ = ["corners", "families", "line_of_blobs"]


def corners(seed, n=48, n_clusterings=12, noise=0.2, side=9, spread=2.0):
    """Three clusters in the corners of a triangle, and noisy clusterings of them."""
    labels, truth = planted(n, 3, n_clusterings, noise=noise, seed=seed)
    centers = np.array([[0, 0], [0, side], [side, 0]])
    X = centers[truth] + spread * np.random.RandomState(seed).randn(n, 2)
    return X, Ensemble(labels), truth


def line_of_blobs(n=90, k=3, noise=0.3, seed=0, sizes=None):
    """Blobs far from each other on a line, and noisy clusterings of them."""
    labels, truth = planted(n, k, 6, noise=noise, seed=seed, sizes=sizes)
    centers = 10 * np.arange(k)[:, None] * [1, 1]
    X, _ = make_blobs(
        np.bincount(truth), centers=centers, shuffle=False, random_state=seed
    )
    return X, Ensemble(labels), truth


def families(seed=0, sizes=(5, 4, 3), noise=0.1):
    """Noisy copies of partitions that have nothing to do with each other."""
    rng = np.random.RandomState(seed)
    columns = []
    for f, size in enumerate(sizes):
        labels, _ = planted(90, 3, size, noise=noise, seed=seed + 10 * f)
        columns.append(labels[rng.permutation(90)])
    return np.hstack(columns)
