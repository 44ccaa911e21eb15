"""Communities of a graph by label propagation, and overlapping ones."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia.cluster.adjacency import check_graph
from comitia.cluster.leiden_louvain import by_appearance
from comitia.exceptions import ComitiaError

__all__ = [
    "label_propagation",
    "overlapping_label_propagation",
]


def label_propagation(
    graph: Any,
    rng: np.random.RandomState,
    *,
    max_iter: int = 100,
    check_input: bool = True,
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

    check_input : bool, default=True
        False if the graph is what :func:`~comitia.cluster.adjacency.check_graph`
        returned.

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

    A = check_graph(graph) if check_input else graph
    n = A.shape[0]
    labels = np.arange(n)
    for _ in range(max_iter):
        order, draws = rng.permutation(n), rng.random_sample(n)
        if not propagate_labels(A.indptr, A.indices, A.data, order, draws, labels):
            break
    return by_appearance(labels)


def overlapping_label_propagation(
    graph: Any,
    rng: np.random.RandomState,
    *,
    threshold: float = 0.2,
    n_rounds: int = 50,
    check_input: bool = True,
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

    check_input : bool, default=True
        As for :func:`label_propagation`.

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
    A = check_graph(graph) if check_input else graph
    n = A.shape[0]
    memory = np.full((n, n_rounds + 1), -1)
    memory[:, 0] = np.arange(n)
    lengths = np.ones(n, dtype=np.int64)
    for _ in range(n_rounds):
        order, ties = rng.permutation(n), rng.random_sample(n)
        draws = rng.random_sample(len(A.data))
        listen(A.indptr, A.indices, A.data, order, draws, ties, memory, lengths)
    return _remembered(memory, lengths, threshold)


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
