"""What a graph may be, and how it is read."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from comitia._inputs import check_sparse, masked_to_nan
from comitia._names import is_network
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = ["check_graph", "in_memory"]

# Two directions of a link that differ by less than this share of the largest weight
# differ by rounding.
_ROUNDING = 1e-6


def check_graph(graph: Any) -> csr_array:
    """Check an adjacency matrix.

    Links have no direction: a matrix that is not symmetric is refused, up to rounding.
    Weights are finite and not negative. Loops are dropped, and so are links of weight
    zero. A graph may be in several parts, and vertices may have no links.

    Parameters
    ----------
    graph : sparse matrix, array-like of shape (n_objects, n_objects), or AnnData
        Symmetric, with non-negative weights. The rows of a DataFrame must have the
        names of its columns, in the same order. Of an object with ``obsp``, such as
        AnnData, it is ``obsp["connectivities"]``. A graph of networkx, without
        directions, has the weights that its edges call ``weight``, and 1 without; its
        vertices stand in the order of ``graph.nodes``.

    Returns
    -------
    adjacency : csr_array of shape (n_objects, n_objects)
        The graph, without loops.

    Examples
    --------
    >>> check_graph([[5, 1], [1, 0]]).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    given = _matrix(in_memory(_connectivities(graph)))
    if given.ndim != 2 or given.shape[0] != given.shape[1]:
        raise ComitiaError(
            f"graph must be a square adjacency matrix; got shape {given.shape}."
        )
    if given.shape[0] == 0:
        raise ComitiaError("graph has no vertices; there is nothing to cluster.")
    if issparse(given):
        check_sparse(given, "graph")
    A = csr_array(given).astype(np.float64)
    bad = A.data[~(np.isfinite(A.data) & (A.data >= 0))]
    if len(bad):
        raise ComitiaError(
            f"graph must have finite weights, none negative; got {bad[0]:g}."
        )
    if not A.has_canonical_format:
        A.sum_duplicates()
    other = csr_array(A.T)
    apart = abs(A - other)
    if apart.nnz and apart.data.max() > 0:
        if apart.data.max() > _ROUNDING * A.data.max():
            raise ComitiaError("graph must be symmetric; give (graph + graph.T) / 2.")
        A = csr_array((A + other) / 2)
    if A.diagonal().any():
        A.setdiag(0.0)
    if not A.data.all():
        A.eliminate_zeros()
    A.sort_indices()
    return A


def in_memory(array: Any) -> Any:
    """Read an array that a file or Dask still has.

    Parameters
    ----------
    array : object
        Anything; entries of a lazy or backed AnnData among it.

    Returns
    -------
    array : object
        What it reads as, sparse if it was; all else as it is.
    """
    for name in ("to_memory", "compute"):
        if hasattr(array, name):
            return getattr(array, name)()
    return array


def _connectivities(graph: Any) -> Any:
    """The graph of an AnnData; anything else as it is, if its names agree."""
    if hasattr(graph, "obsp"):
        if "connectivities" not in graph.obsp:
            raise ComitiaError(
                'graph has no obsp["connectivities"]; run scanpy.pp.neighbors first, '
                "or give the data, such as .X or an entry of .obsm."
            )
        return graph.obsp["connectivities"]
    if is_network(graph):
        return _of_network(graph)
    if hasattr(graph, "index") and hasattr(graph, "columns"):
        rows, columns = np.asarray(graph.index), np.asarray(graph.columns)
        numbered = np.array_equal(columns, np.arange(len(columns)))
        square = len(rows) == len(columns)
        if square and not numbered and not np.array_equal(rows, columns):
            raise ComitiaError(
                "graph names its rows and its columns differently; give them the same "
                "names in the same order, such as graph.loc[names, names]."
            )
    return graph


def _of_network(graph: Any) -> csr_array:
    """The adjacency matrix of a graph of networkx; parallel edges add up."""
    if graph.is_directed():
        raise ComitiaError(
            "graph has directions, which communities here do not; give "
            "graph.to_undirected()."
        )
    place = {vertex: i for i, vertex in enumerate(graph.nodes)}
    if not place:
        raise ComitiaError("graph has no vertices; there is nothing to cluster.")
    links = list(graph.edges(data="weight", default=1.0))
    ends = np.array([(place[u], place[v]) for u, v, _ in links], dtype=np.int64)
    try:
        weights = np.array([float(w) for *_, w in links])
    except (TypeError, ValueError) as error:
        raise DataTypeError(
            f"graph must have numbers for the weights of its edges: {error}."
        ) from None
    i, j = ends.reshape(-1, 2).T
    half = csr_array((weights, (i, j)), shape=(len(place), len(place)))
    return csr_array(half + half.T)


def _matrix(graph: Any) -> Any:
    try:
        given: Any = graph if issparse(graph) else np.asarray(masked_to_nan(graph))
        if given.dtype.kind not in "biufO":
            raise TypeError(f"it holds {given.dtype}")
        return given if issparse(graph) else given.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataTypeError(
            f"graph must be an adjacency matrix of numbers: {error}."
        ) from None
