"""What is read from an AnnData, and what is written into it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia.cluster.adjacency import check_graph, in_memory
from comitia.exceptions import ComitiaError, DataTypeError

__all__ = ["cell_graph", "check_cells", "own_copy", "write_clusters"]

# Neighbours of a cell where the graph is made here; as many as scanpy takes.
_N_NEIGHBORS = 15


def check_cells(adata: Any) -> Any:
    """Check that something is an AnnData.

    Parameters
    ----------
    adata : AnnData
        The cells.

    Returns
    -------
    adata : AnnData
        The same.
    """
    if not all(hasattr(adata, name) for name in ("obs", "obsm", "obsp", "uns")):
        raise DataTypeError(
            f"adata must be an AnnData; got {type(adata).__name__}. Other graphs and "
            "tables go into the methods themselves: comitia.method('ecg')().fit(graph)."
        )
    n = adata.obs.shape[0]
    if n < 2:
        raise ComitiaError(f"adata has {n} cells; give two at least.")
    return adata


def own_copy(adata: Any, copy: bool) -> Any:
    """Copy the cells if that is asked for.

    Parameters
    ----------
    adata : AnnData
        The cells.

    copy : bool
        Whether to copy.

    Returns
    -------
    adata : AnnData
        The copy, or the same.
    """
    if not copy:
        return adata
    if getattr(adata, "isbacked", False):
        raise ComitiaError(
            "copy=True would read all of an AnnData that is backed by a file; say "
            "copy=False, or give adata.to_memory()."
        )
    return adata.copy()


def cell_graph(
    adata: Any,
    neighbors_key: str | None = None,
    obsp: str | None = None,
    use_rep: str | None = None,
) -> tuple[csr_array, str]:
    """The graph of neighbours that is meant.

    Parameters
    ----------
    adata : AnnData
        The cells.

    neighbors_key : str, default=None
        Entry of ``uns`` that ``scanpy.pp.neighbors`` wrote.

    obsp : str, default=None
        Entry of ``obsp``.

    use_rep : str, default=None
        Entry of ``obsm`` of which a graph is made.

    Returns
    -------
    graph : csr_array of shape (n_cells, n_cells)
        The graph.

    where : str
        Where it is from, in words.
    """
    given = {"neighbors_key": neighbors_key, "obsp": obsp, "use_rep": use_rep}
    asked = [name for name, value in given.items() if value is not None]
    if len(asked) > 1:
        raise ComitiaError(
            f"{' and '.join(asked)} say both where the graph is from; give one of them."
        )
    if obsp is None and use_rep is None:
        obsp = _connectivities_key(adata, neighbors_key)
    if obsp is not None:
        if obsp not in adata.obsp:
            raise ComitiaError(
                f"adata has no obsp[{obsp!r}]{_instead(adata.obsp)}; run "
                "scanpy.pp.neighbors first."
            )
        graph, n = check_graph(adata.obsp[obsp]), adata.obs.shape[0]
        if graph.shape[0] != n:
            raise ComitiaError(
                f"obsp[{obsp!r}] has {graph.shape[0]} cells and obs has {n}; they must "
                "be the same cells."
            )
        return graph, f'obsp["{obsp}"]'
    use_rep = use_rep or "X_pca"
    if use_rep not in adata.obsm:
        if "use_rep" in asked:
            raise ComitiaError(f"adata has no obsm[{use_rep!r}]{_instead(adata.obsm)}.")
        raise ComitiaError(
            'adata has neither obsp["connectivities"] nor obsm["X_pca"]; run '
            "scanpy.pp.pca and scanpy.pp.neighbors first, or name another entry with "
            "use_rep."
        )
    from comitia.generate import GraphGenerator

    joined = GraphGenerator(affinity="nearest_neighbors", n_neighbors=_N_NEIGHBORS)
    table = joined.check_data(np.asarray(in_memory(adata.obsm[use_rep])))
    where = f'{_N_NEIGHBORS} nearest neighbours in obsm["{use_rep}"]'
    return joined.prepare(table), where


def write_clusters(
    adata: Any, key_added: str, labels: NDArray[Any], confidence: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Write clusters into ``obs``, named "0", "1", … from the largest on.

    Parameters
    ----------
    adata : AnnData
        The cells.

    key_added : str
        Name of the column; that of the confidence ends in ``_confidence``.

    labels : ndarray of shape (n_cells,)
        Clusters 0..k - 1.

    confidence : ndarray of shape (n_cells,)
        One number for each cell.

    Returns
    -------
    order : ndarray of shape (n_clusters,)
        The cluster that each name stands for.
    """
    import pandas as pd

    sizes = np.bincount(labels)
    first = np.unique(labels, return_index=True)[1]
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    names = [str(c) for c in range(len(order))]
    adata.obs[key_added] = pd.Categorical.from_codes(rank[labels], names)
    adata.obs[f"{key_added}_confidence"] = np.asarray(confidence, dtype=np.float64)
    return order


def _connectivities_key(adata: Any, neighbors_key: str | None) -> str | None:
    """The entry of ``obsp`` that ``uns`` names; None if there is no graph."""
    if neighbors_key is not None and neighbors_key not in adata.uns:
        raise ComitiaError(
            f"adata has no uns[{neighbors_key!r}]{_instead(adata.uns)}; run "
            f"scanpy.pp.neighbors(adata, key_added={neighbors_key!r}) first."
        )
    said = adata.uns.get(neighbors_key or "neighbors", {})
    key = said.get("connectivities_key") if hasattr(said, "get") else None
    if key is not None:
        return str(key)
    if neighbors_key is not None:
        raise ComitiaError(
            f"uns[{neighbors_key!r}] does not say where its graph is: it has no "
            '"connectivities_key". Name the entry of obsp with obsp.'
        )
    return "connectivities" if "connectivities" in adata.obsp else None


def _instead(there: Any) -> str:
    names = ", ".join(map(repr, sorted(map(str, there))))
    return f", but {names}" if names else ""
