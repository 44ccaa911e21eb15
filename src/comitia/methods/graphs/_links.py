"""What methods on the links of a network share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia.cluster import leiden, louvain
from comitia.exceptions import ComitiaError
from comitia.methods._types import Rng

__all__ = ["EXEMPT", "communities", "kept_links", "require_graph"]

# What cards of methods say that find communities of their own number.
EXEMPT = {"asked_k": "n_clusters is None: there are as many clusters as it finds"}


def require_graph(method: Any, graph: Any) -> csr_array:
    """The graph; a sentence if clusterings were given without one."""
    if graph is None:
        raise ComitiaError(
            f"{type(method).__name__} needs the graph too; call fit(graph, ensemble=E)."
        )
    return graph


def communities(
    graph: csr_array, rng: Rng, detector: str, resolution: float
) -> NDArray[np.int64]:
    """Communities of a graph that is checked."""
    detect = leiden if detector == "leiden" else louvain
    return detect(graph, rng, resolution=resolution, check_input=False)


def kept_links(graph: csr_array, threshold: float) -> csr_array:
    """The links that weigh a threshold, or nearly: shares are sums of fractions."""
    kept = graph.data >= threshold - 1e-9
    kept &= graph.data > 0
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    return csr_array(
        (graph.data[kept], (row[kept], graph.indices[kept])), shape=graph.shape
    )
