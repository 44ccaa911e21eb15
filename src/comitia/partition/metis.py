"""Balanced graph partitioning by METIS."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["metis_partition"]

# Edge weights become integers up to 2**20: a similarity keeps six decimals.
_EDGE_RESOLUTION = 2**20

# Seeds that are tried before bisection when parts stay empty.
_K_WAY_TRIALS = 3

# What METIS adds up, in integers of 62 bits at most.
_LARGEST_SUM = 2**62


def metis_partition(
    graph: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    recursive: bool = False,
    n_init: int = 1,
    rng: np.random.RandomState | None = None,
) -> NDArray[np.int32]:
    r"""Cut a graph into parts of equal weight so that few edges are cut.

    METIS [1]_ looks for the parts that minimise the weight of the edges between them,
    subject to

    .. math::
        \sum_{v \in \text{part}} u_v \le
        (1 + \text{imbalance}) \, \frac{1}{k} \sum_v u_v.

    Parts are balanced by design: clusters of very unequal size are split or joined to
    meet the bound, unless ``imbalance`` is raised.

    Parameters
    ----------
    graph : array-like or sparse of shape (n, n)
        Symmetric edge weights, not negative; zero is no edge, and the diagonal does not
        count.

    n_clusters : int
        Number of parts, :math:`k`.

    vertex_weights : array-like of shape (n,), default=None
        Weight :math:`u_v` of each vertex, such as the number of objects it stands for;
        1 by default, and 0 is allowed.

    imbalance : float, default=0.05
        How much heavier than the mean a part may be.

    recursive : bool, default=False
        Bisect recursively instead of cutting k ways at once. The METIS manual advises
        it for few parts; on the noisy graphs of ensembles it cut more clusters in two,
        also for few.

    n_init : int, default=1
        Number of partitions METIS makes; it returns the one that cuts least.

    rng : RandomState, default=None
        Draws the seed of METIS; seed 0 by default.

    Returns
    -------
    labels : ndarray of shape (n,)
        The part of each vertex. With k of n or more, each vertex is a part of its own.

    References
    ----------
    .. [1] G. Karypis and V. Kumar, "A fast and high quality multilevel scheme for
       partitioning irregular graphs", SIAM J. Scientific Computing 20(1), 1998.

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), np.ones((2, 2))) + 0.01
    >>> labels = metis_partition(two_pairs, 2)
    >>> bool(labels[0] == labels[1] != labels[2] == labels[3])
    True
    """
    if not n_clusters >= 1:
        raise ComitiaError(f"n_clusters={n_clusters} must be at least 1.")
    if not imbalance >= 0:
        raise ComitiaError(f"imbalance={imbalance} must not be negative.")
    begin, neighbor, edges = _adjacency(graph)
    n = len(begin) - 1
    vertices = _vertex_weights(vertex_weights, n)
    # Drawn in any case, so that what follows does not depend on the shape of the graph.
    seed = 0 if rng is None else int(rng.randint(np.iinfo(np.int32).max))
    if n_clusters >= n:
        return np.arange(n, dtype=np.int32)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int32)
    if len(neighbor) == 0:
        return _balanced(vertices, n_clusters)
    pymetis = _pymetis()
    exact = pymetis.zero_copy_dtype()
    adjacency = pymetis.CSRAdjacency(begin.astype(exact), neighbor.astype(exact))
    best, most = np.zeros(n, dtype=np.int32), 0
    # Cutting k ways at once can leave parts of a small graph empty. Another seed mostly
    # helps; bisection leaves none as long as there are vertices enough.
    for trial in range(1 if recursive else _K_WAY_TRIALS + 1):
        _, parts = pymetis.part_graph(
            n_clusters,
            adjacency,
            vweights=vertices.astype(exact),
            eweights=edges.astype(exact),
            recursive=recursive or trial == _K_WAY_TRIALS,
            options=pymetis.Options(
                seed=(seed + trial) % np.iinfo(np.int32).max,
                ufactor=max(1, round(1000 * imbalance)),
                ncuts=n_init,
            ),
        )
        labels = np.asarray(parts, dtype=np.int32)
        n_parts = len(np.unique(labels))
        if n_parts > most:
            best, most = labels, n_parts
        if n_parts == n_clusters:
            break
    return best


def _adjacency(
    graph: Any,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Row starts, neighbours and integer weights of the edges off the diagonal."""
    from scipy.sparse import csr_array, issparse

    if issparse(graph):
        W = csr_array(cast(Any, graph))
        if W.shape[0] != W.shape[1]:
            raise ComitiaError(f"graph must be square; got shape {W.shape}.")
        begin: Any = W.indptr
        neighbor: Any = W.indices
        weights = W.data
        if W.diagonal().any() or not weights.all():
            row = np.repeat(np.arange(W.shape[0]), np.diff(begin))
            edge = (row != neighbor) & (weights != 0)
            degree = np.bincount(row[edge], minlength=W.shape[0])
            begin = np.concatenate([[0], np.cumsum(degree)])
            neighbor, weights = neighbor[edge], weights[edge]
    else:
        S = np.asarray(graph)
        if S.ndim != 2 or S.shape[0] != S.shape[1]:
            raise ComitiaError(f"graph must be square; got shape {S.shape}.")
        edge = S != 0
        np.fill_diagonal(edge, False)
        degree = edge.sum(axis=1)
        neighbor = np.flatnonzero(edge) % max(len(S), 1)
        weights = S[edge]
        begin = np.concatenate([[0], np.cumsum(degree)])
    if len(weights) and not (weights.min() > 0 and np.isfinite(weights.max())):
        raise ComitiaError("graph must have finite edge weights that are not negative.")
    return begin, neighbor, _whole(weights, _EDGE_RESOLUTION, least=1)


def _vertex_weights(weights: ArrayLike | None, n: int) -> NDArray[np.int64]:
    if weights is None:
        return np.ones(n, dtype=np.int64)
    u = np.asarray(weights)
    if u.shape != (n,):
        raise ComitiaError(
            f"vertex_weights must have one entry per vertex, {n}; got shape {u.shape}."
        )
    if not np.isfinite(u).all() or (u < 0).any() or not u.any():
        raise ComitiaError(
            "vertex_weights must be finite, not negative and not all zero."
        )
    return _whole(u, _EDGE_RESOLUTION, least=0)


def _whole(weights: NDArray[Any], resolution: int, least: int) -> NDArray[np.int64]:
    """Weights as integers; as they are when they are whole numbers already."""
    if len(weights) == 0 or weights.dtype.kind in "iu":
        return weights.astype(np.int64)
    largest = float(weights.max())
    if largest == weights.min() > 0:
        # Small numbers are quicker: METIS sorts gains.
        return np.ones(len(weights), dtype=np.int64)
    if largest < resolution and np.array_equal(weights, np.rint(weights)):
        return weights.astype(np.int64)
    scale = min(resolution, _LARGEST_SUM / len(weights)) / largest
    return np.maximum(np.rint(weights * scale), least).astype(np.int64)


def _balanced(vertices: NDArray[np.int64], n_clusters: int) -> NDArray[np.int32]:
    """Without edges only the balance counts: heaviest vertex to the lightest part."""
    labels = np.empty(len(vertices), dtype=np.int32)
    part = np.zeros(n_clusters, dtype=np.int64)
    filled = np.zeros(n_clusters, dtype=np.int64)
    for v in np.argsort(-vertices, kind="stable"):
        r = np.lexsort((filled, part))[0]
        labels[v] = r
        part[r] += vertices[v]
        filled[r] += 1
    return labels


def _pymetis() -> Any:
    try:
        import pymetis
    except ImportError:
        raise ImportError(
            "graph partitioning needs pymetis, which is not installed; "
            "pip install pymetis."
        ) from None
    return pymetis
