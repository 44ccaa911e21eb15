"""How good communities are: the modularity and the constant Potts model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from comitia._labels import as_labels
from comitia.cluster.adjacency import check_graph
from comitia.cluster.clusterer import object_weights
from comitia.exceptions import ComitiaError

__all__ = ["modularity", "potts_quality"]


def modularity(graph: Any, labels: ArrayLike, *, resolution: float = 1.0) -> float:
    r"""Links inside communities beyond what degrees alone would bring.

    .. math::
        Q = \sum_c \left[ \frac{A_{cc}}{2m} - \gamma \left( \frac{d_c}{2m} \right)^2
        \right],

    with :math:`A_{cc}` the weight inside community c, each link counted from either
    end, and :math:`d_c` the sum of its degrees.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    labels : array-like of shape (n_objects,)
        The community of each vertex.

    resolution : float, default=1.0
        The factor :math:`\gamma`.

    Returns
    -------
    modularity : float
        At most 1; 0 for a graph without links.

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> modularity(two_pairs, [0, 0, 1, 1])
    0.5
    """
    A = check_graph(graph)
    codes, inside = _inside(A, labels)
    degree = np.asarray(A.sum(axis=1)).ravel()
    total = degree.sum()
    if total == 0:
        return 0.0
    shares = np.bincount(codes, degree) / total
    return float(inside / total - resolution * (shares**2).sum())


def potts_quality(
    graph: Any,
    labels: ArrayLike,
    *,
    resolution: float = 1.0,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Links inside communities beyond a constant density: the constant Potts model.

    .. math::
        H = \sum_{i < j} \left[ A_{ij} - \gamma \, v_i v_j \right]
        [\,i, j \text{ in the same community}\,]

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    labels : array-like of shape (n_objects,)
        The community of each vertex.

    resolution : float, default=1.0
        The factor :math:`\gamma`.

    sample_weight : array-like of shape (n_objects,), default=None
        The weight :math:`v_i` of each vertex; 1 by default.

    Returns
    -------
    quality : float
        0 if every vertex is alone.

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> potts_quality(two_pairs, [0, 0, 1, 1], resolution=0.25)
    1.5
    """
    A = check_graph(graph)
    codes, inside = _inside(A, labels)
    v = object_weights(sample_weight, A.shape[0])
    expected = (np.bincount(codes, v) ** 2).sum() - (v**2).sum()
    return float(inside - resolution * expected) / 2


def _inside(A: csr_array, labels: ArrayLike) -> tuple[NDArray[np.int64], float]:
    """Codes of the communities, and the weight inside of them."""
    codes = np.unique(as_labels(labels), return_inverse=True)[1]
    if len(codes) != A.shape[0]:
        raise ComitiaError(
            f"labels has {len(codes)} entries; graph has {A.shape[0]} vertices."
        )
    row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    return codes, A.data[codes[row] == codes[A.indices]].sum()
