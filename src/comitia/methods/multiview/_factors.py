"""What the factorisations of views along neighbour graphs share."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import floats_on
from comitia._inputs import Views
from comitia._sklearn import Interval, StrOptions
from comitia.base import VariableWeightMethod
from comitia.methods._alternating import AlternatingMethod
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._shared import choose_n_clusters
from comitia.optimize import indicator_start
from comitia.optimize.multiview import roughness
from comitia.partition import kmeans
from comitia.represent import balance_view, graph_on, knn_graph, row_scale, scale_view

__all__ = ["AlternatingViewMethod", "ViewFactors"]


class AlternatingViewMethod(MultiViewMethod, AlternatingMethod):
    """Base class: factors of views and weights of views improve each other in turn.

    A method writes ``_problem(views, rng)``, which prepares the views, and the parts of
    :class:`~comitia.methods._alternating.AlternatingMethod`, which are handed the
    problem where those of other methods are handed votes.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultiViewMethod._parameter_constraints,
        "max_iter": VariableWeightMethod._parameter_constraints["max_iter"],
        "tol": VariableWeightMethod._parameter_constraints["tol"],
        "scale": [StrOptions({"minmax", "shift"}), None],
        "weight_power": [Interval(Real, 1, None, closed="neither")],
        "graph_penalty": [Interval(Real, 0, None, closed="left"), None],
        "kernel": [StrOptions({"exponential", "heat"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    scale: str | None
    kernel: str
    n_neighbors: int
    n_init: int

    def _problem(self, views: Views, rng: np.random.RandomState) -> Any:
        """What the parts of the loop work on."""
        raise TypeError(f"{type(self).__name__} does not say what it works on.")

    def _first_weights(self, votes: Any) -> Any:
        return np.full(votes.n_views, 1.0 / votes.n_views)

    def _combine(
        self, ensemble: Any, X: Views, rng: np.random.RandomState
    ) -> NDArray[Any]:
        return VariableWeightMethod._combine(self, self._problem(X, rng), X, rng)


class ViewFactors:
    """Views that are factorised along their neighbour graphs, where their device is.

    Parameters
    ----------
    method : AlternatingViewMethod
        Says how views are scaled and joined, and how many clusters there are.

    views : Views
        The views.

    rng : RandomState
        Draws the start.

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
    """

    def __init__(self, method: Any, views: Views, rng: np.random.RandomState) -> None:
        scaled = [scale_view(X, method.scale) for X in views.arrays]
        if method.scale is not None:
            scaled = [X / row_scale(X) for X in scaled]
        n, device = views.n_objects, method._device
        self.n_views = views.n_views
        self.tables = scaled
        self.n_clusters = int(method.n_clusters or choose_n_clusters(scaled))
        wide = np.concatenate([balance_view(X) for X in scaled], axis=1)
        self.start = kmeans(wide, self.n_clusters, rng, n_init=method.n_init).labels
        near = min(method.n_neighbors, n - 1)
        self.graphs = [
            graph_on(_neighbors(X, near, method.kernel), device) for X in scaled
        ]
        self.X = [floats_on(X, device) for X in scaled]
        self.shares = floats_on(indicator_start(self.start, self.n_clusters), device)
        self.unit = n / self.n_clusters

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
