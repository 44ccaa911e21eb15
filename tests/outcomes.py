"""What the tests of outcomes fit on: ordinary data, planted junk, every need met."""

import functools
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_array
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler

from comitia import Ensemble
from comitia.generate import KMeansGenerator
from comitia.testing import planted, quick_method

# Where a method keeps the weights of what its card says that it weighs.
WEIGHTS = {
    "clusterings": "clustering_weights_",
    "clusters": "cluster_weights_",
    "objects": "object_weights_",
    "features": "feature_weights_",
    "views": "view_weights_",
    "edges": "edge_weights_",
}

_CORNERS = np.array([[0, 0], [0, 9], [9, 0], [9, 9]], dtype=float)


class Problem(NamedTuple):
    """Clusterings of objects whose clusters are known, and data that go with them."""

    labels: Any
    X: Any
    truth: Any

    @property
    def k(self):
        return len(np.unique(self.truth))

    @property
    def quality(self):
        """Adjusted Rand index of each clustering with the truth."""
        return np.array([adjusted_rand_score(self.truth, one) for one in self.labels.T])


def planted_problem(n, n_clusterings, noise, seed):
    """Four clusters in the plane, and clusterings that get a share of them wrong.

    A list of shares has one for each clustering; 1 is junk.
    """
    shares = np.broadcast_to(noise, n_clusterings)
    labels, truth = zip(
        *(planted(n, 4, 1, share, seed + 97 * m) for m, share in enumerate(shares)),
        strict=True,
    )
    rng = np.random.RandomState(seed)
    X = _CORNERS[truth[0]] + 2.0 * rng.randn(n, 2)
    return Problem(np.hstack(labels), X, truth[0])


@functools.cache
def junk_problem(seed=0):
    """Twelve good clusterings of different quality, then six of junk."""
    return planted_problem(150, 18, [*np.linspace(0.05, 0.3, 12), *[1.0] * 6], seed)


IS_JUNK = np.arange(18) >= 12


@functools.cache
def ordinary_data(name):
    """Standardised wine, iris, every ninth of the digits, or blobs, with classes."""
    if name == "blobs":
        return junk_problem().X, junk_problem().truth
    load = {"wine": load_wine, "iris": load_iris, "digits": load_digits}[name]
    X, y = load(return_X_y=True)
    step = 9 if name == "digits" else 1
    return StandardScaler().fit_transform(X[::step]), y[::step]


@functools.cache
def ordinary_problem(name):
    """Fifty k-means clusterings of ordinary data, made as by default."""
    X, y = ordinary_data(name)
    made = KMeansGenerator(n_clusterings=50, random_state=0).generate(X)
    return Problem(made.codes.T.copy(), X, y)


def fit_on(cls, problem, *, seed=0, **parameters):
    """Fit a method that combines given clusterings; data go with them if it asks."""
    data = _graph_of(problem.X) if "graph" in cls.card.needs else problem.X
    known = {"n_clusters": problem.k, "random_state": seed}
    method = quick_method(cls, **{**known, **parameters, **_asked_for(cls)})
    ensemble = Ensemble(problem.labels)
    if {"data", "graph"} & {*cls.card.needs}:
        return method.fit(data, ensemble=ensemble)
    return method.fit(ensemble)


def fit_alone(cls, X, truth, *, seed=0, **parameters):
    """Fit a method on data alone, in the form that it asks for."""
    needs = {*cls.card.needs}
    more = {}
    if "constraints" in needs:
        more = dict(zip(("must_link", "cannot_link"), _pairs_of(truth), strict=True))
    if "views" in needs:
        # Of two views none agrees more with the other, and they weigh the same.
        X = [part for part in np.array_split(X, 3, axis=1) if part.shape[1]]
    elif "series" in needs:
        X = _series_of(truth)
    elif "graph" in needs:
        X = _graph_of(X)
    elif "dendrograms" in needs:
        X = [linkage(X, how) for how in ("average", "complete", "ward", "single")]
    known = {"n_clusters": len(np.unique(truth)), "random_state": seed}
    method = quick_method(cls, **{**known, **parameters, **_asked_for(cls)})
    return method.fit(X, **more)


def _asked_for(cls):
    """The number of clusters, where what the card says is all that can be asked for."""
    return {name: cls.card.quick[name] for name in {"n_clusters"} & {*cls.card.quick}}


def _pairs_of(truth, n_pairs=30):
    """Pairs that are together in the truth, and pairs that are not."""
    pairs = np.random.RandomState(0).randint(len(truth), size=(500, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
    return pairs[same][:n_pairs], pairs[~same][:n_pairs]


def _graph_of(X):
    """Which objects are near each other; it does not hang on their order."""
    near = kneighbors_graph(X, 10)
    return csr_array(near.maximum(near.T))


def _series_of(truth, n_times=24):
    """Waves of one frequency for each cluster, with noise."""
    rng = np.random.RandomState(0)
    t = np.linspace(0, 2 * np.pi, n_times)
    return np.sin(np.outer(truth + 1, t)) + 0.4 * rng.randn(len(truth), n_times)


def weights_of(fitted):
    """The weights, a row for each cluster or whatever else has weights of its own."""
    first = WEIGHTS[fitted.card.weighs]
    names = [first, *(name for name in WEIGHTS.values() if name != first)]
    for name in names:
        if hasattr(fitted, name):
            return np.atleast_2d(np.asarray(getattr(fitted, name), dtype=float))
    raise AssertionError(f"{fitted.card.id} has no weights")


def purity_of_clusters(ensemble, truth):
    """Share of the objects of each cluster that have one class."""
    classes = np.eye(len(np.unique(truth)))[np.unique(truth, return_inverse=True)[1]]
    shared = ensemble.membership.T @ classes
    return shared.max(axis=1) / shared.sum(axis=1)
