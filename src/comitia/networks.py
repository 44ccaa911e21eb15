"""Communities as networkx and cdlib have them, in and out.

Graphs of networkx go into everything that takes a graph as they are. Here are the
communities: sets of vertices by their names. Neither package is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from comitia._labels import as_labels
from comitia._names import is_network, names_of, proper_names
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = ["from_communities", "to_communities"]


def from_communities(runs: Iterable[Any], graph: Any) -> Ensemble:
    """Make an ensemble of communities that others found.

    Parameters
    ----------
    runs : iterable of NodeClustering, or of iterables of sets of vertices
        Each is one clustering: what an algorithm of cdlib returns, or the communities
        of networkx. They may overlap; a vertex of none is missing there.

    graph : networkx.Graph
        The graph. Its vertices are the objects, in its order.

    Returns
    -------
    ensemble : Ensemble
        The clusterings, with the names of the vertices.

    Examples
    --------
    >>> from comitia.networks import from_communities
    >>> class Path:  # as networkx.path_graph("abcd")
    ...     nodes, edges = "abcd", [("a", "b"), ("b", "c"), ("c", "d")]
    ...     is_directed = lambda self: False
    >>> from_communities([[{"a", "b"}, {"c", "d"}], [{"a"}, {"b", "c", "d"}]], Path())
    Ensemble(kind='hard', n_objects=4, n_clusterings=2, n_clusters_total=4)
    """
    place = {vertex: i for i, vertex in enumerate(_vertices(graph))}
    clusterings = [
        [_places(group, place, m) for group in _groups(run, m)]
        for m, run in enumerate(runs)
    ]
    if not clusterings:
        raise ComitiaError("runs is empty; give the communities of one run at least.")
    given = proper_names(names_of(graph))
    names = None if given is None else given.tolist()
    hard = [_as_labels(groups, len(place)) for groups in clusterings]
    if all(labels is not None for labels in hard):
        return Ensemble(hard, object_names=names)
    return Ensemble.from_clusters(clusterings, len(place), object_names=names)


def to_communities(graph: Any, labels: ArrayLike) -> list[list[Any]]:
    """Name the vertices of each community.

    What comes out is what the functions of ``networkx.community`` take, and
    ``cdlib.NodeClustering(communities, graph, "consensus")``.

    Parameters
    ----------
    graph : networkx.Graph
        The graph.

    labels : array-like of shape (n_vertices,)
        The community of each vertex, in the order of ``graph.nodes``; a vertex of -1
        is in none.

    Returns
    -------
    communities : list of list
        The vertices of each community, the largest first.

    Examples
    --------
    >>> from comitia.networks import to_communities
    >>> class Path:  # as networkx.path_graph("abcd")
    ...     nodes, edges = "abcd", [("a", "b"), ("b", "c"), ("c", "d")]
    ...     is_directed = lambda self: False
    >>> to_communities(Path(), [1, 0, 0, 0])
    [['b', 'c', 'd'], ['a']]
    """
    vertices, codes = _vertices(graph), as_labels(labels)
    if len(codes) != len(vertices):
        raise ComitiaError(
            f"labels has {len(codes)} entries; graph has {len(vertices)} vertices."
        )
    found: dict[int, list[Any]] = {}
    for vertex, code in zip(vertices, codes.tolist(), strict=True):
        if code >= 0:
            found.setdefault(code, []).append(vertex)
    return sorted(found.values(), key=len, reverse=True)


def _vertices(graph: Any) -> list[Any]:
    if not is_network(graph):
        raise DataTypeError(
            f"graph must be a graph of networkx; got {type(graph).__name__}."
        )
    return list(graph.nodes)


def _groups(run: Any, m: int) -> list[Any]:
    # cdlib keeps communities in an attribute.
    given = getattr(run, "communities", run)
    try:
        groups = [list(group) for group in given if not isinstance(group, str)]
    except TypeError:
        groups = []
    if not groups:
        raise DataTypeError(
            f"runs[{m}] must be communities: a NodeClustering of cdlib, or sets of "
            f"vertices; got {type(run).__name__}."
        )
    return [group for group in groups if group]


def _places(group: Sequence[Any], place: dict[Any, int], m: int) -> list[int]:
    unknown = [vertex for vertex in group if vertex not in place]
    if unknown:
        raise ComitiaError(
            f"runs[{m}] has the vertex {unknown[0]!r}, which graph has not; give the "
            "graph that the communities were found in."
        )
    return [place[vertex] for vertex in group]


def _as_labels(groups: list[list[int]], n: int) -> Any:
    """One label for each vertex, -1 for none; None if communities overlap."""
    labels = np.full(n, -1)
    for c, group in enumerate(groups):
        if (labels[group] >= 0).any():
            return None
        labels[group] = c
    return labels
