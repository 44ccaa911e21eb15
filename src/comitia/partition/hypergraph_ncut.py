"""Normalised cut of a hypergraph."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.partition.spectral import ncut

__all__ = ["hypergraph_ncut"]


def hypergraph_ncut(
    H: Any,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    weights: ArrayLike | None = None,
    n_init: int = 10,
) -> NDArray[np.int32]:
    r"""Normalised cut of a hypergraph.

    The vertices are placed by the leading eigenvectors of

    .. math::
        D_v^{-1/2} H W D_e^{-1} H' D_v^{-1/2},

    where :math:`D_e` has the sizes of the hyperedges and :math:`D_v` the weight of the
    hyperedges at each vertex, and k-means cuts them [1]_.

    Parameters
    ----------
    H : array-like or sparse array of shape (n_vertices, n_hyperedges)
        1 where a hyperedge has a vertex, 0 elsewhere.

    n_clusters : int
        Number of parts.

    rng : RandomState
        Draws the starts of k-means.

    weights : array-like of shape (n_hyperedges,), default=None
        Weights W of the hyperedges, not negative; 1 by default.

    n_init : int, default=10
        Number of starts of k-means.

    Returns
    -------
    labels : ndarray of shape (n_vertices,)
        The part of each vertex.

    Notes
    -----
    The rows of :math:`H W D_e^{-1} H'` sum to :math:`D_v`: the cut is the normalised
    cut of the graph in which each hyperedge shares out its weight among all pairs of
    its vertices.

    References
    ----------
    .. [1] D. Zhou, J. Huang and B. Schölkopf, "Learning with hypergraphs: clustering,
       classification, and embedding", NIPS 19, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> H = [[1, 0, 0], [1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0], [0, 1, 0]]
    >>> labels = hypergraph_ncut(H, 2, np.random.RandomState(0))
    >>> (labels == labels[0]).tolist()
    [True, True, True, False, False, False]
    """
    from scipy.sparse import csr_array, diags_array

    H = csr_array(H).astype(np.float64)
    n_edges = H.shape[1]
    w = np.ones(n_edges) if weights is None else np.asarray(weights, dtype=np.float64)
    if w.shape != (n_edges,) or not np.isfinite(w).all() or (w < 0).any():
        raise ComitiaError(
            f"weights must be {n_edges} finite numbers, one for each hyperedge, none "
            "negative."
        )
    sizes = np.asarray(H.sum(axis=0)).ravel()
    S = H @ diags_array(w / np.maximum(sizes, 1.0)) @ H.T
    return ncut(csr_array(S).toarray(), n_clusters, rng, n_init=n_init)
