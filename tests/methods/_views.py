"""Views with a known answer."""

import numpy as np


def confused_pair(n_each=30, seed=0, junk=False):
    """Three clusters of which each of two views confuses two, and a view of noise."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(3), n_each)
    first = np.array([[0, 4, 4, 0], [4, 0, 0, 4], [4, 0, 0, 4]])[truth]
    second = np.array([[4, 0, 4], [4, 0, 4], [0, 4, 0]])[truth]
    views = [X + rng.normal(0, 0.5, size=X.shape) for X in (first, second)]
    if junk:
        views.append(rng.uniform(0, 4, size=(len(truth), 5)))
    return views, truth


def without(views, share, seed=0):
    """The views, each less a share of its objects; no object is in no view."""
    rng = np.random.RandomState(seed)
    n = len(views[0])
    gone = rng.uniform(size=(n, len(views))) < share
    gone[gone.all(axis=1), 0] = False
    return [np.where(gone[:, [m]], np.nan, X) for m, X in enumerate(views)]
