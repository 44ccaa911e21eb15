"""Dask arrays in, Dask arrays out."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import _labels
from comitia.distributed.blocks import DaskBlocks, current_client
from comitia.engine.row_blocks import Blocks, LocalBlocks
from comitia.engine.storage import InBlocks, InMemory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["ResultArrays", "ensemble_of_array", "result_arrays"]


class ResultArrays(NamedTuple):
    """A result as Dask arrays, in the blocks of the ensemble.

    Attributes
    ----------
    labels : dask.array.Array of shape (n_objects,)
        The clusters.

    confidence : dask.array.Array of shape (n_objects,)
        Probability that each object is in the right cluster.

    membership : dask.array.Array of shape (n_objects, n_clusters)
        Share of the votes that each object gives to each cluster.
    """

    labels: Any
    confidence: Any
    membership: Any


def ensemble_of_array(labels: Any, client: Any = None, **names: Any) -> Ensemble:
    """Make an ensemble of a Dask array of labels.

    Parameters
    ----------
    labels : dask.array.Array of int of shape (n_objects, n_clusterings)
        Any integers; -1 means "not clustered here".

    client : dask.distributed.Client, default=None
        Whose workers keep the labels; the current client if there is one.

    **names : sequences
        ``groups`` and ``clustering_names``.

    Returns
    -------
    ensemble : Ensemble
        With the labels of each chunk of rows as one block.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from comitia.distributed import ensemble_of_array
    >>> labels = np.array([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> ensemble_of_array(da.from_array(labels, chunks=(2, 2))).n_objects
    4
    """
    parts = _delayed_blocks(labels)
    client = client or current_client()
    blocks: Blocks
    if client is None:
        import dask

        blocks = LocalBlocks(dask.compute(*parts))
    else:
        blocks = DaskBlocks(client, client.compute(parts))
    seen = list(blocks.map(_seen, n_clusterings=labels.shape[1]).gather())
    each = [
        _named([part.values[m] for part in seen], m) for m in range(labels.shape[1])
    ]
    missing = any(part.missing for part in seen)
    k = np.array([len(values) for values in each])
    kind = "partial" if missing else "hard"
    n_rows = [part.n_rows for part in seen]
    encoded = blocks.map(
        _encoded, blocks.put(n_rows), each=each, n_clusters_each=k, kind=kind
    )
    storage = InBlocks(encoded, n_rows, "a Dask array")
    if any(len(values) <= values[-1] for values in each):
        names["cluster_names"] = np.concatenate([v.astype(str) for v in each])
    return Ensemble.assemble(storage, k, None, kind, **names)


def result_arrays(estimator: Any) -> ResultArrays:
    """The result of a fit on a Dask array, as Dask arrays.

    Parameters
    ----------
    estimator : EnsembleMethod
        A fitted method.

    Returns
    -------
    arrays : ResultArrays
        Lazy: vote shares are computed where and when they are asked for.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from comitia import method
    >>> from comitia.distributed import ensemble_of_array, result_arrays
    >>> labels = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> votes = ensemble_of_array(da.from_array(labels, chunks=(2, 2)))
    >>> result_arrays(method("voting")(2).fit(votes)).labels.compute()
    array([0, 0, 1, 1], dtype=int32)
    """
    import dask.array as da
    from dask import delayed

    from comitia.partition.confidence import (
        block_likelihood,
        own_confidence,
        vote_model,
    )
    from comitia.represent.votes import block_shares, cluster_shares, share_weights

    ensemble, k = estimator.ensemble_, estimator.n_clusters_
    n_rows = ensemble.rows_each
    labels = da.from_array(estimator.labels_, chunks=(tuple(n_rows),))
    shares = cluster_shares(ensemble, estimator.labels_, k)
    weights = share_weights(ensemble, shares, **estimator.vote_weights())
    blocks = ensemble.row_blocks
    values = getattr(blocks, "futures", None) or blocks.values
    model = vote_model(ensemble, estimator.labels_, k, **estimator.vote_weights())

    def of_blocks(function: Any, **shared: Any) -> Any:
        lazy = delayed(partial(function, **shared), pure=True)
        return da.concatenate(
            [
                da.from_delayed(lazy(value), (n, k), np.float64)
                for value, n in zip(values, n_rows, strict=True)
            ]
        )

    membership = of_blocks(block_shares, shares=shares, weights=weights)
    confidence = da.map_blocks(
        partial(own_confidence, model=model),
        of_blocks(block_likelihood, model=model),
        membership,
        labels[:, None],
        dtype=np.float64,
        drop_axis=1,
    )
    return ResultArrays(labels, confidence, membership)


class _Seen(NamedTuple):
    """Which labels occur in a block."""

    values: list[NDArray[np.int64]]
    missing: bool
    n_rows: int


def _delayed_blocks(labels: Any) -> list[Any]:
    if hasattr(labels, "to_dask_array"):
        raise ComitiaError(
            "labels is a Dask DataFrame; give labels.to_dask_array(lengths=True), in "
            "which rows have no names."
        )
    if not hasattr(labels, "to_delayed") or getattr(labels, "ndim", 0) != 2:
        raise ComitiaError(
            "labels must be a two-dimensional Dask array, one row per object and one "
            f"column per clustering; got {type(labels).__name__}."
        )
    if labels.dtype.kind not in "iu":
        raise ComitiaError(
            f"labels have type {labels.dtype}; give a Dask array of integers, -1 where "
            "an object is not clustered."
        )
    if np.isnan(labels.shape[0]):
        labels = labels.compute_chunk_sizes()
    if 0 in labels.shape:
        raise ComitiaError(f"labels is empty; got shape {labels.shape}.")
    # All clusterings of an object in one block, and no empty blocks.
    labels = labels.rechunk({1: -1})
    rows = [n for n in labels.chunks[0] if n > 0]
    labels = labels.rechunk({0: tuple(rows)})
    return labels.to_delayed().ravel().tolist()


def _seen(table: Any, *, n_clusterings: int) -> _Seen:
    table = _labels.as_labels(table)
    # What a Dask array says of itself need not be what its tasks return.
    if table.dtype.kind not in "iu" or table.shape[1:] != (n_clusterings,):
        raise ComitiaError(
            f"labels has a block of {table.dtype} of shape {table.shape}; give blocks "
            f"of integers with {n_clusterings} columns."
        )
    values = [np.unique(column) for column in table.T]
    missing = any(column[0] == -1 for column in values)
    return _Seen([v[v != -1] for v in values], missing, len(table))


def _named(values: list[NDArray[Any]], m: int) -> NDArray[Any]:
    """The labels of one clustering, in rising order as in memory."""
    named = np.unique(np.concatenate(values))
    if len(named) == 0:
        raise ComitiaError(f"labels of clustering {m} are all missing; leave it out.")
    if named[0] < -1:
        raise ComitiaError(
            f"labels of clustering {m} must be 0 or more, or -1 where an object is not "
            f"clustered; got {named[0]}."
        )
    return named


def _encoded(
    table: Any,
    n_rows: int,
    *,
    each: list[NDArray[Any]],
    n_clusters_each: NDArray[np.int64],
    kind: str,
) -> Ensemble:
    table = _labels.as_labels(table)
    dtype = _labels.narrowest(int(n_clusters_each.max()))
    codes = np.empty((len(each), n_rows), dtype=dtype)
    same = table.shape == (n_rows, len(each))
    for m, names in enumerate(each if same else ()):
        column = table[:, m]
        missing = column == -1
        codes[m] = np.where(missing, len(names), np.searchsorted(names, column))
        same = same and bool(
            ((names.take(codes[m], mode="clip") == column) | missing).all()
        )
    if not same:
        # A block that was lost is computed again.
        raise ComitiaError(
            "labels changes from one computation to the next; give a Dask array whose "
            "blocks are the same every time."
        )
    # Whether sums are compiled must not depend on the size of blocks.
    storage = InMemory(codes, compiled=True)
    return Ensemble.assemble(storage, n_clusters_each, None, kind)
