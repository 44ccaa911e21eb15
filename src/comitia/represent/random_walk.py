"""Clusters that are alike because random walks from them take the same ways."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import check_sparse
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = ["random_walk_similarity"]


def random_walk_similarity(graph: Any, n_steps: int = 20) -> NDArray[np.float64]:
    r"""How alike the random walks are that start from each two vertices.

    A walk goes from vertex r to s with probability :math:`P_{rs}`, the share of their
    edge in the edges of r. The trajectory of r stacks where it is after one step, after
    two, and so on, and two vertices are as similar as their trajectories [1]_:

    .. math::
        Z_{rs} = \frac{G_{rs}}{\sqrt{G_{rr} G_{ss}}}, \qquad
        G = \sum_{u=1}^{t} P^u (P^u)' .

    Parameters
    ----------
    graph : array-like or sparse of shape (n, n)
        Edge weights, not negative. The diagonal does not count: nobody stays.

    n_steps : int, default=20
        Length :math:`t` of the walks.

    Returns
    -------
    similarity : ndarray of shape (n, n)
        Symmetric, in [0, 1], with a unit diagonal. A vertex without edges is similar to
        no other.

    Notes
    -----
    The trajectories are not stored. From
    :math:`G_{a + b} = G_a + P^a G_b (P^a)'`, twenty steps take fifteen products of
    matrices instead of thirty-nine.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble
       clustering via fast propagation of cluster-wise similarities", IEEE Trans. SMC:
       Systems 51(1), 2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> random_walk_similarity(path, n_steps=1)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    from scipy.sparse import issparse

    if n_steps < 1:
        raise ComitiaError(f"n_steps={n_steps} must be at least 1.")
    shape = np.shape(graph)
    if len(shape) != 2 or shape[0] != shape[1]:
        raise ComitiaError(f"graph must be square; got shape {shape}.")
    if issparse(graph):
        check_sparse(graph, "graph")
    n = shape[0]
    require_memory(5 * 8 * n * n, f"the similarity of each two of {n} vertices")
    dense: Any = cast(Any, graph).toarray() if issparse(graph) else graph
    P = np.array(dense, dtype=np.float64)
    if not np.isfinite(P).all() or (P < 0).any():
        raise ComitiaError("graph must have finite weights, none negative.")
    np.fill_diagonal(P, 0.0)
    degrees = P.sum(axis=1, keepdims=True)
    P /= np.where(degrees > 0, degrees, 1.0)
    G = _walked(P, n_steps)
    lengths = np.sqrt(np.diagonal(G))
    lengths[lengths == 0] = 1.0
    G /= lengths[:, None]
    G /= lengths
    # Rounding can leave 1 + 1e-16 where two walks are the same.
    Z = np.minimum((G + G.T) / 2, 1.0)
    np.fill_diagonal(Z, 1.0)
    return Z


def _walked(P: NDArray[np.float64], n_steps: int) -> NDArray[np.float64]:
    """Sum over the steps of the products of the positions, P^u (P^u)'."""
    first = P @ P.T
    total, power, steps = first, P, 1
    for digit in f"{n_steps:b}"[1:]:
        total = total + power @ total @ power.T
        steps *= 2
        if digit == "1":
            total = first + P @ total @ P.T
            steps += 1
        if steps < n_steps:
            power = power @ power if digit == "0" else P @ power @ power
    return total
