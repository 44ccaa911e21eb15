"""What the factorisations of views along neighbour graphs share."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import floats_on, to_numpy
from comitia._inputs import Views
from comitia._sklearn import Interval, StrOptions
from comitia.methods._loops import VariableWeightMethod
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._coupled_factors import roughness
from comitia.methods.multiview._prepared_views import (
    balance_view,
    graph_on,
    row_scale,
    scale_view,
)
from comitia.methods.multiview._shared import choose_from_views
from comitia.optimize import indicator_start
from comitia.partition import kmeans
from comitia.represent import knn_graph

__all__ = ["ViewFactorMethod", "ViewFactors"]


class ViewFactorMethod(MultiViewMethod, VariableWeightMethod):
    """Base class: factors of views and weights of views improve each other in turn.

    The problem of the loop is :class:`ViewFactors`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "scale": [StrOptions({"minmax", "shift"}), None],
        "weight_power": [Interval(Real, 1, None, closed="neither")],
        "graph_penalty": [Interval(Real, 0, None, closed="left"), None],
        "kernel": [StrOptions({"exponential", "heat"})],
    }

    scale: str | None
    kernel: str
    n_neighbors: int
    n_init: int

    def _problem(self, ensemble: Any, X: Views, rng: np.random.RandomState) -> Any:
        return ViewFactors(self, X, rng)


class ViewFactors:
    """Views that are factorised along their neighbour graphs, where their device is.

    Attributes
    ----------
    X : list of array of shape (n_objects, n_features of the view)
        The views, non-negative, with rows of mean square one unless ``scale`` is None.

    graphs : list of (matrix, array)
        The neighbour graph of each view, and its row sums.

    shares : array of shape (n_objects, n_clusters)
        The start: nearly orthonormal columns that tell the clusters of k-means on all
        views side by side.

    unit : float
        Objects per cluster. Columns of length one have entries that shrink with their
        number; what is multiplied by this counts per object.

    roughest : ndarray of shape (n_views,)
        How much a factor would vary along each view's graph that knows nothing of it.
    """

    def __init__(self, method: Any, views: Views, rng: np.random.RandomState) -> None:
        scaled = [scale_view(X, method.scale) for X in views.arrays]
        if method.scale is not None:
            scaled = [X / row_scale(X) for X in scaled]
        n, device = views.n_objects, method._device
        self.n_views = views.n_views
        self.tables = scaled
        self.n_clusters = int(method.n_clusters or choose_from_views(scaled))
        wide = np.concatenate([balance_view(X) for X in scaled], axis=1)
        self.start = kmeans(wide, self.n_clusters, rng, n_init=method.n_init).labels
        near = min(method.n_neighbors, n - 1)
        self.graphs = [
            graph_on(_neighbors(X, near, method.kernel), device) for X in scaled
        ]
        self.X = [floats_on(X, device) for X in scaled]
        self.shares = floats_on(indicator_start(self.start, self.n_clusters), device)
        self.unit = n / self.n_clusters
        # Of columns of length one that are spread at random, each of the k has 1/n of
        # its square at either end of an edge.
        edges = [float(to_numpy(degrees).sum()) for _, degrees in self.graphs]
        self.roughest = 2.0 * self.n_clusters / n * np.array(edges)

    def features(self, U: Any) -> list[Any]:
        """Factors of the features for a start: means of the clusters."""
        return [X.T @ U + 1e-12 for X in self.X]

    def roughness(self, U: list[Any]) -> NDArray[np.float64]:
        """How much each view's factor varies along its graph, (n_views,)."""
        return np.array(
            [roughness(*graph, u) for graph, u in zip(self.graphs, U, strict=True)]
        )


def _neighbors(X: NDArray[np.float64], n_neighbors: int, kernel: str) -> Any:
    if n_neighbors > 0:
        return knn_graph(X, n_neighbors, weights=kernel)
    from scipy.sparse import csr_array

    return csr_array((len(X), len(X)))  # a single object has no neighbours
