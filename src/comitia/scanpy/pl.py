"""Pictures of what :mod:`comitia.scanpy.tl` wrote."""

from __future__ import annotations

from typing import Any

import numpy as np

from comitia.exceptions import ComitiaError
from comitia.plot import MapDisplay, StabilityDisplay
from comitia.scanpy._cells import check_cells

__all__ = ["choose_resolution", "consensus"]

# Looked for in this order.
_BASES = ("X_umap", "X_tsne", "X_pca")


def consensus(
    adata: Any, key: str = "consensus", *, basis: str | None = None, ax: Any = None
) -> Any:
    """Draw the cells in the colours of their clusters, doubtful ones small and pale.

    Parameters
    ----------
    adata : AnnData
        The cells, after :func:`comitia.scanpy.tl.consensus`.

    key : str, default="consensus"
        The ``key_added`` of that call.

    basis : str, default=None
        Entry of ``obsm`` with the places, such as "X_umap" or "umap"; by default the
        first that is there of ``X_umap``, ``X_tsne`` and ``X_pca``.

    ax : Axes, default=None
        Where to draw; a new figure by default.

    Returns
    -------
    ax : Axes
        What was drawn on.
    """
    check_cells(adata)
    _refuse_missing(adata.obs, key, "consensus")
    basis = _basis(adata, basis)
    places = np.asarray(adata.obsm[basis])[:, :2].astype(np.float64)
    if places.shape[1] < 2:
        raise ComitiaError(f"obsm[{basis!r}] has one column; a map takes two.")
    column = adata.obs[key]
    # A lazy AnnData has columns of xarray.
    column = column if hasattr(column, "cat") else column.to_pandas()
    clusters = column.astype("category").cat
    confidence = f"{key}_confidence"
    sure = adata.obs[confidence] if confidence in adata.obs else np.ones(len(places))
    name = basis.removeprefix("X_")
    display = MapDisplay(
        positions=places,
        labels=clusters.codes.to_numpy().astype(np.int32),
        confidence=np.nan_to_num(np.asarray(sure, dtype=np.float64)),
        axes=(f"{name} 1", f"{name} 2"),
        n_clusters=len(clusters.categories),
    )
    return display.plot(ax).ax_


def choose_resolution(adata: Any, key: str = "stable", *, ax: Any = None) -> Any:
    """Draw how far runs at each resolution differ.

    Parameters
    ----------
    adata : AnnData
        The cells, after :func:`comitia.scanpy.tl.choose_resolution`, or
        :func:`comitia.scanpy.tl.consensus` with several runs of each resolution.

    key : str, default="stable"
        The ``key_added`` of that call.

    ax : Axes, default=None
        Where to draw; a new figure by default.

    Returns
    -------
    ax : Axes
        What was drawn on.
    """
    check_cells(adata)
    _refuse_missing(adata.uns, key, "choose_resolution")
    found = adata.uns[key].get("stability")
    if found is None:
        raise ComitiaError(
            f"uns[{key!r}] has no stability: each resolution needs two runs at least."
        )
    settings = np.asarray(found["resolution"]).tolist()
    consistent = np.asarray(found["consistent"])
    n_clusters = np.asarray(found["n_clusters"])
    best = None
    if consistent.any():
        best = settings[int(np.argmax(np.where(consistent, n_clusters, -1)))]
    display = StabilityDisplay(
        settings=settings,
        inconsistency=np.asarray(found["inconsistency"]),
        n_clusters=n_clusters,
        threshold=float(found["threshold"]),
        best=adata.uns[key].get("resolution", best) if best is not None else None,
    )
    axes = display.plot(ax).ax_
    axes.set_xlabel("resolution")
    return axes


def _refuse_missing(there: Any, key: str, tool: str) -> None:
    if key not in there:
        raise ComitiaError(
            f"adata has nothing called {key!r}; run comitia.scanpy.tl.{tool}(adata, "
            f"key_added={key!r}) first."
        )


def _basis(adata: Any, basis: str | None) -> str:
    wanted = _BASES if basis is None else (basis, f"X_{basis}")
    for name in wanted:
        if name in adata.obsm:
            return name
    there = ", ".join(map(repr, sorted(adata.obsm))) or "nothing"
    raise ComitiaError(
        f"obsm has none of {', '.join(map(repr, wanted))}, but {there}; run "
        "scanpy.tl.umap first, or name an entry with basis."
    )
