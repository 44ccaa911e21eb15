"""Small ensembles of each kind, and correspondence analysis from the textbook."""

import numpy as np

from comitia import Ensemble


def random_labels(seed, n=53, M=6, k=4, missing=False):
    rng = np.random.RandomState(seed)
    labels = rng.randint(-1 if missing else 0, k, size=(n, M))
    labels[:k] = np.arange(k)[:, None]
    return labels


def soft(seed, n=41):
    rng = np.random.RandomState(seed)
    memberships = [rng.dirichlet(np.ones(k), size=n) for k in (2, 3, 4)]
    return Ensemble.from_memberships(memberships)


def overlapping():
    return Ensemble.from_clusters([[[0, 1, 2], [2, 3]], [[0, 1], [2, 3, 4]]], 5)


def correspondence_by_svd(B):
    """Textbook correspondence analysis of a table, row principal coordinates."""
    P = B / B.sum()
    r, c = P.sum(axis=1), P.sum(axis=0)
    residuals = (P - np.outer(r, c)) / np.sqrt(np.outer(r, c))
    U, s, _ = np.linalg.svd(residuals, full_matrices=False)
    return (U * s / np.sqrt(r)[:, None])[:, :2]
