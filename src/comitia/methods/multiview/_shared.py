"""What several methods for views need that are not factorisations alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._scales import column_scales
from comitia.optimize.eigenpairs import largest_eigenpairs
from comitia.partition.normalized_cut import eigengap, most_parts
from comitia.represent import knn_graph, laplacian

__all__ = ["choose_from_views", "standardized"]

# Neighbours of each object in the graphs by which a number of clusters is chosen, and
# steps of the random walk along them: in fewer a cluster is not crossed.
_N_NEIGHBORS = 10
_N_STEPS = 4


def choose_from_views(
    views: Sequence[NDArray[np.float64]], *, metric: str = "euclidean"
) -> int:
    r"""Number of clusters at the eigengap of the views' neighbour graphs.

    Each view joins its nearest neighbours; the normalised adjacencies
    :math:`D_m^{-1/2} W_m D_m^{-1/2}` are averaged, and the largest gap between the
    eigenvalues of a random walk of four steps tells the number.

    At least 2 if there are three objects or more; at most about the square root of
    their number.
    """
    n = len(views[0])
    n_neighbors = min(_N_NEIGHBORS, n - 1)
    most = most_parts(n)
    if most < 2:
        return 1
    apart = sum(
        laplacian(knn_graph(X, n_neighbors, metric=metric), "symmetric") for X in views
    )
    similar: Any = _identity(n) - apart / len(views)
    values, _ = largest_eigenpairs(similar, most + 1)
    return eigengap(values, most, n_steps=_N_STEPS)


def standardized(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features of mean zero and variance one, in views of one size.

    The view, divided by the square root of the number of features that vary, so that
    the mean square length of its rows is one. A feature that does not vary is zero.
    """
    mean, scale, varies = column_scales(X)
    scaled = np.where(varies, (X - mean) / scale, 0.0)
    return scaled / np.sqrt(max(int(varies.sum()), 1))


def _identity(n: int) -> Any:
    from scipy.sparse import eye_array

    return eye_array(n, format="csr")
