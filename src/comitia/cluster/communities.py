"""Communities of a graph: Louvain, label propagation, and an overlapping one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from comitia._inputs import masked_to_nan
from comitia._labels import as_labels
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = [
    "check_graph",
    "label_propagation",
    "louvain",
    "modularity",
    "overlapping_label_propagation",
]

# Sweeps of one level; Louvain's local moving needs a few dozen at most.
_MAX_SWEEPS = 1000


def louvain(
    graph: Any, rng: np.random.RandomState, *, resolution: float = 1.0
) -> NDArray[np.int64]:
    r"""Communities of large modularity by the Louvain method.

    Vertices move to the neighbouring community with the largest gain of modularity
    until none gains; then each community becomes a vertex, and so on [1]_.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    rng : RandomState
        Source of randomness: the order in which vertices move.

    resolution : float, default=1.0
        How much expected links count against found ones; larger for more communities.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The community of each vertex, numbered by first appearance.

    References
    ----------
    .. [1] V. D. Blondel, J.-L. Guillaume, R. Lambiotte and E. Lefebvre, "Fast
       unfolding of communities in large networks", J. Stat. Mech. P10008, 2008.
       :doi:`10.1088/1742-5468/2008/10/P10008`

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> louvain(two_pairs, np.random.RandomState(0))
    array([0, 0, 1, 1])
    """
    from comitia._kernels.communities import move_vertices

    level = check_graph(graph)
    labels = np.arange(level.shape[0])
    while True:
        n = level.shape[0]
        degree = np.asarray(level.sum(axis=1)).ravel()
        here, totals = np.arange(n), degree.copy()
        moved = move_vertices(
            level.indptr,
            level.indices,
            level.data,
            degree,
            rng.permutation(n),
            float(resolution),
            _MAX_SWEEPS,
            here,
            totals,
        )
        if not moved:
            return _by_appearance(labels)
        here = _by_appearance(here)
        labels = here[labels]
        B = csr_array((np.ones(n), here, np.arange(n + 1)))
        level = csr_array(B.T @ level @ B)


def label_propagation(
    graph: Any, rng: np.random.RandomState, *, max_iter: int = 100
) -> NDArray[np.int64]:
    """Communities by label propagation.

    Every vertex starts with a label of its own and takes, in random order, the label
    that most of its neighbours have, until each has one of those [1]_.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    rng : RandomState
        Source of randomness: the order of the vertices, and ties.

    max_iter : int, default=100
        Most sweeps over the vertices.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The community of each vertex, numbered by first appearance.

    References
    ----------
    .. [1] U. N. Raghavan, R. Albert and S. Kumara, "Near linear time algorithm to
       detect community structures in large-scale networks", Phys. Rev. E 76, 2007.
       :doi:`10.1103/PhysRevE.76.036106`

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> label_propagation(two_pairs, np.random.RandomState(0))
    array([0, 0, 1, 1])
    """
    from comitia._kernels.communities import propagate_labels

    A = check_graph(graph)
    n = A.shape[0]
    labels = np.arange(n)
    for _ in range(max_iter):
        order, draws = rng.permutation(n), rng.random_sample(n)
        if not propagate_labels(A.indptr, A.indices, A.data, order, draws, labels):
            break
    return _by_appearance(labels)


def overlapping_label_propagation(
    graph: Any,
    rng: np.random.RandomState,
    *,
    threshold: float = 0.2,
    n_rounds: int = 50,
) -> list[NDArray[np.int64]]:
    r"""Overlapping communities by speaker-listener label propagation.

    Each vertex remembers labels, its own number at first. In every round it hears one
    from each neighbour, drawn from that one's memory, and remembers the most frequent
    of them. At the end it belongs to the communities whose labels make up at least a
    share ``threshold`` of its memory [1]_.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights.

    rng : RandomState
        Source of randomness.

    threshold : float, default=0.2
        Least share :math:`r` of a vertex's memory; from above 0.5 communities do not
        overlap. A vertex without such a label is in the community it remembers best.

    n_rounds : int, default=50
        Number of rounds.

    Returns
    -------
    communities : list of ndarray of int
        The vertices of each community, in order. Every vertex is in at least one, and
        no community is inside another.

    References
    ----------
    .. [1] J. Xie, B. K. Szymanski and X. Liu, "SLPA: uncovering overlapping communities
       in social networks via a speaker-listener interaction dynamic process", IEEE
       ICDM Workshops, 2011. :doi:`10.1109/ICDMW.2011.154`

    Examples
    --------
    >>> import numpy as np
    >>> two_pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> overlapping_label_propagation(two_pairs, np.random.RandomState(0))
    [array([0, 1]), array([2, 3])]
    """
    from comitia._kernels.communities import listen

    if not 0 <= threshold <= 1:
        raise ComitiaError(f"threshold={threshold} must lie between 0 and 1.")
    if n_rounds < 1:
        raise ComitiaError(f"n_rounds={n_rounds} must be at least 1.")
    A = check_graph(graph)
    n = A.shape[0]
    memory = np.full((n, n_rounds + 1), -1)
    memory[:, 0] = np.arange(n)
    lengths = np.ones(n, dtype=np.int64)
    for _ in range(n_rounds):
        order, ties = rng.permutation(n), rng.random_sample(n)
        draws = rng.random_sample(len(A.data))
        listen(A.indptr, A.indices, A.data, order, draws, ties, memory, lengths)
    return _remembered(memory, lengths, threshold)


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
    codes = np.unique(as_labels(labels), return_inverse=True)[1]
    degree = np.asarray(A.sum(axis=1)).ravel()
    total = degree.sum()
    if total == 0:
        return 0.0
    links = A.tocoo()
    inside = links.data[codes[links.row] == codes[links.col]].sum()
    shares = np.bincount(codes, degree) / total
    return float(inside / total - resolution * (shares**2).sum())


def check_graph(graph: Any) -> csr_array:
    """Check an adjacency matrix.

    Parameters
    ----------
    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric, with non-negative weights.

    Returns
    -------
    adjacency : csr_array of shape (n_objects, n_objects)
        The graph, without loops.
    """
    from scipy.sparse import issparse

    try:
        given: Any = graph if issparse(graph) else np.asarray(masked_to_nan(graph))
        if given.dtype.kind not in "biufO":
            raise TypeError(f"it holds {given.dtype}")
        if not issparse(graph):
            given = given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataTypeError(
            f"graph must be an adjacency matrix of numbers: {error}."
        ) from None
    if given.ndim != 2 or given.shape[0] != given.shape[1] or given.shape[0] == 0:
        raise ComitiaError(
            f"graph must be a square adjacency matrix; got shape {given.shape}."
        )
    A = csr_array(given).astype(np.float64)
    if not np.isfinite(A.data).all() or (A.data < 0).any():
        raise ComitiaError("graph must have finite weights, none negative.")
    if abs(A - A.T).sum() > 0:
        raise ComitiaError("graph must be symmetric; give (graph + graph.T) / 2.")
    A.setdiag(0.0)
    A.eliminate_zeros()
    A.sort_indices()
    return A


def _by_appearance(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _remembered(
    memory: NDArray[np.int64], lengths: NDArray[np.int64], threshold: float
) -> list[NDArray[np.int64]]:
    """Communities of the labels that fill a large enough part of each memory."""
    n = len(memory)
    rows = np.repeat(np.arange(n), lengths)
    labels = memory[memory >= 0]
    counts = csr_array((np.ones(len(rows)), (rows, labels)), shape=(n, n))
    counts.sum_duplicates()
    vertex = np.repeat(np.arange(n), np.diff(counts.indptr))
    shares = counts.data / lengths[vertex]
    most = np.maximum.reduceat(shares, counts.indptr[:-1])
    # The best label stays even if it is below the threshold; of equals, the first.
    first_best = np.zeros(len(shares), dtype=bool)
    best = np.flatnonzero(shares == most[vertex])
    _, where = np.unique(vertex[best], return_index=True)
    first_best[best[where]] = True
    kept = (shares >= threshold) | first_best
    table = csr_array(
        (np.ones(int(kept.sum())), (vertex[kept], counts.indices[kept])), shape=(n, n)
    ).tocsc()
    found = [table.indices[lo:hi] for lo, hi in pairwise(table.indptr)]
    return _maximal([np.sort(one).astype(np.int64) for one in found if len(one)], n)


def _maximal(communities: list[NDArray[np.int64]], n: int) -> list[NDArray[np.int64]]:
    """Drop communities inside others; the rest, by their first vertices."""
    sizes = np.array([len(one) for one in communities])
    ends = np.r_[0, np.cumsum(sizes)]
    B = csr_array(
        (np.ones(ends[-1]), np.concatenate(communities), ends),
        shape=(len(communities), n),
    )
    shared = (B @ B.T).tocoo()
    c, d = shared.row, shared.col
    inside = (shared.data == sizes[c]) & (
        (sizes[c] < sizes[d]) | ((sizes[c] == sizes[d]) & (c > d))
    )
    nested = np.zeros(len(communities), dtype=bool)
    nested[c[inside]] = True
    kept = [one for one, drop in zip(communities, nested, strict=True) if not drop]
    return sorted(kept, key=lambda one: one.tolist())
