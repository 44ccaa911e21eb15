"""Balanced graph partitioning by METIS."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import check_sparse
from comitia.config import require_memory
from comitia.engine.content_keys import vertex_keys
from comitia.exceptions import ComitiaError

__all__ = ["metis_partition"]

# Edge weights become integers up to 2**20: a similarity keeps six decimals.
_EDGE_RESOLUTION = 2**20

# Its two ends and its weight, here and as METIS wants them, and on the coarser graphs.
_BYTES_PER_EDGE = 64

# Seeds that are tried before the graph is halved when parts stay empty.
_K_WAY_TRIALS = 3
# With fewer vertices than this for a part, the graph is halved at once.
_FEW = 2

# What METIS adds up, in integers of 62 bits at most.
_LARGEST_SUM = 2**62
_LARGEST_VERTEX = 2**20


def metis_partition(
    graph: Any,
    n_clusters: int,
    *,
    vertex_weights: ArrayLike | None = None,
    imbalance: float = 0.05,
    recursive: bool = False,
    n_init: int = 1,
    by_content: bool = False,
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

    by_content : bool, default=False
        Whether the vertices are sorted by their weights, edges and neighbours before,
        since METIS breaks ties by their order. This takes a copy of the graph.

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
    from scipy.sparse import issparse

    if not n_clusters >= 1:
        raise ComitiaError(f"n_clusters={n_clusters} must be at least 1.")
    if not imbalance >= 0:
        raise ComitiaError(f"imbalance={imbalance} must not be negative.")
    if issparse(graph):
        check_sparse(graph, "graph")
        n_edges = cast(Any, graph).nnz
    else:
        n_edges = np.count_nonzero(graph)
    require_memory(
        _BYTES_PER_EDGE * int(n_edges),
        f"METIS on a graph of {n_edges} edges",
        "use a method that is linear in n, such as lwgp or sec",
    )
    begin, neighbor, edges = _adjacency(graph)
    n = len(begin) - 1
    vertices = integer_vertex_weights(vertex_weights, n)
    from scipy.sparse import csr_array

    if by_content:
        keys = vertex_keys(begin, neighbor, edges, vertices)
        order = np.argsort(keys, kind="stable")
        labels = np.empty(n, dtype=np.int32)
        labels[order] = metis_partition(
            _reordered(csr_array((edges, neighbor, begin), shape=(n, n)), order),
            n_clusters,
            vertex_weights=vertices[order],
            imbalance=imbalance,
            n_init=n_init,
            recursive=recursive,
            rng=rng,
        )
        return labels
    # Drawn in any case, so that what follows does not depend on the shape of the graph.
    seed = 0 if rng is None else int(rng.randint(np.iinfo(np.int32).max))
    if n_clusters >= n:
        return np.arange(n, dtype=np.int32)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int32)
    if len(neighbor) == 0:
        return _balanced(vertices, n_clusters)
    options: dict[str, Any] = {
        "ufactor": max(1, round(1000 * imbalance)),
        "ncuts": n_init,
    }
    # Cutting k ways at once can leave parts of a small graph empty. Another seed mostly
    # helps; halving leaves none.
    if n >= _FEW * n_clusters or n_clusters == 2:
        vertices = _at_most_a_part(vertices, n_clusters)
        for trial in range(1 if recursive else _K_WAY_TRIALS):
            options["seed"] = (seed + trial) % np.iinfo(np.int32).max
            labels = _metis(
                begin,
                neighbor,
                edges,
                vertices,
                n_clusters,
                recursive=recursive,
                **options,
            )
            if np.bincount(labels, minlength=n_clusters).all():
                return labels
    options["seed"] = seed
    W = csr_array((edges, neighbor, begin), shape=(n, n))
    return _halved(W, vertices, n_clusters, **options)


def _reordered(W: Any, order: NDArray[np.int64]) -> Any:
    """Rows and columns of a symmetric matrix in this order, columns ascending.

    To store by columns what is stored by rows sorts it, in linear time.
    """
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    for _ in range(2):
        W = type(W)((W.data, place[W.indices], W.indptr), shape=W.shape).tocsc().T
    return W


# All threads share the random numbers of METIS. It keeps the interpreter's lock while
# it works; a free-threaded Python has none.
_one_at_a_time = threading.Lock()


def _renew_lock() -> None:
    global _one_at_a_time
    _one_at_a_time = threading.Lock()


# A fork may have the lock of a thread that it lacks.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_lock)


def _metis(
    begin: NDArray[Any],
    neighbor: NDArray[Any],
    edges: NDArray[np.int64],
    vertices: NDArray[np.int64],
    n_clusters: int,
    *,
    shares: Sequence[float] | None = None,
    recursive: bool,
    **options: int,
) -> NDArray[np.int32]:
    """Call METIS; ``shares`` are those of the parts in the weight."""
    pymetis = _pymetis()
    exact = pymetis.zero_copy_dtype()
    with _one_at_a_time:
        _, parts = pymetis.part_graph(
            n_clusters,
            pymetis.CSRAdjacency(
                begin.astype(exact, copy=False), neighbor.astype(exact, copy=False)
            ),
            vweights=vertices.astype(exact, copy=False),
            eweights=edges.astype(exact, copy=False),
            tpwgts=shares,
            recursive=recursive,
            options=pymetis.Options(**options),
        )
    return np.asarray(parts, dtype=np.int32)


def _halved(
    W: Any, vertices: NDArray[np.int64], n_clusters: int, **options: int
) -> NDArray[np.int32]:
    """Halve the graph until there are k parts, none of them empty.

    METIS halves too when it is asked to, but may give a half fewer vertices than the
    parts that it is to make of it; then it says so on standard output and goes on.
    """
    n = len(vertices)
    if n_clusters == 1:
        return np.zeros(n, dtype=np.int32)
    if n_clusters == n:
        return np.arange(n, dtype=np.int32)
    if W.nnz == 0:
        return _balanced(vertices, n_clusters)
    each = (n_clusters // 2, n_clusters - n_clusters // 2)
    half = _metis(
        W.indptr,
        W.indices,
        W.data,
        _at_most_a_part(vertices, n_clusters),
        2,
        shares=[k / n_clusters for k in each],
        recursive=True,
        **options,
    )
    for h in (0, 1):
        # Those that come over are those that are tied least to where they are.
        lacking = each[h] - np.count_nonzero(half == h)
        if lacking > 0:
            others = np.flatnonzero(half != h)
            ties = W[others] @ np.where(half == h, -1, 1)
            half[others[np.argsort(ties, kind="stable")[:lacking]]] = h
    labels = np.empty(n, dtype=np.int32)
    for h in (0, 1):
        here = np.flatnonzero(half == h)
        inside = W[here][:, here]
        labels[here] = h * each[0] + _halved(inside, vertices[here], each[h], **options)
    return labels


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
        degree = np.count_nonzero(S, axis=1) - (S.diagonal() != 0)
        begin = np.concatenate([[0], np.cumsum(degree)])
        neighbor = np.empty(begin[-1], dtype=np.int64)
        weights = np.empty(begin[-1], dtype=S.dtype)
        # Row by row, which stay near: faster than to pick from the whole matrix.
        for i, row in enumerate(S):
            others = np.flatnonzero(row)
            others = others[others != i]
            neighbor[begin[i] : begin[i + 1]] = others
            weights[begin[i] : begin[i + 1]] = row[others]
    if len(weights) and not (weights.min() > 0 and np.isfinite(weights.max())):
        raise ComitiaError("graph must have finite edge weights that are not negative.")
    return begin, neighbor, integer_weights(weights, _EDGE_RESOLUTION, least=1)


def integer_vertex_weights(weights: ArrayLike | None, n: int) -> NDArray[np.int64]:
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
    return integer_weights(u, _EDGE_RESOLUTION, least=0)


def integer_weights(
    weights: NDArray[Any], resolution: int, least: int
) -> NDArray[np.int64]:
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
    scaled = weights * scale
    np.rint(scaled, out=scaled)
    return np.maximum(scaled, least, out=scaled).astype(np.int64)


def _at_most_a_part(vertices: NDArray[np.int64], n_clusters: int) -> NDArray[np.int64]:
    """Weights such that the vertices can be halved until each part has some.

    A vertex that outweighs a part has no weight to share with other parts; halving
    gives it several nevertheless, and METIS complains on standard output of those
    that get no vertex. It counts as one part, as heavy as the rest makes the others.
    """
    if np.count_nonzero(vertices) < n_clusters:
        # Vertices without weight have to do for some of the parts.
        vertices = len(vertices) * np.minimum(vertices, _LARGEST_VERTEX) + 1
    rest, n_parts = int(vertices.sum()), n_clusters
    for weight in np.sort(vertices)[::-1][: n_clusters - 1].tolist():
        if weight * n_parts <= rest:
            break
        rest, n_parts = rest - weight, n_parts - 1
    return np.minimum(vertices, -(-rest // n_parts))


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
