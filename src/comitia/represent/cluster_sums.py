"""Sums over the clusters of each object."""

from __future__ import annotations

from operator import itemgetter

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.engine.row_blocks import join
from comitia.ensemble import Ensemble

__all__ = ["best_column", "labels_of", "row_sums"]

Floats = NDArray[np.float64]


def row_sums(ensemble: Ensemble, cluster_values: ArrayLike) -> Floats:
    """Sum of the values of the clusters that each object is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    cluster_values : array-like of shape (n_clusters,)
        A value for each cluster; memberships multiply it.

    Returns
    -------
    sums : ndarray of shape (n_objects,)
        The product of B and the values. With the sizes of the clusters it is the
        degree of each object in the graph B B'. Of labels on a device, a tensor there.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> row_sums(votes, votes.sizes)
    array([3., 4., 3.])
    """
    values = np.asarray(cluster_values, dtype=np.float64)
    return join(
        ensemble.row_blocks.map("engine.row_sums", values=values), ensemble.n_objects
    )


def best_column(ensemble: Ensemble, table: ArrayLike) -> NDArray[np.int32]:
    """The column with the largest sum over the clusters that each object is in.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    table : array-like of shape (n_clusters, n_columns)
        A row for each cluster; memberships multiply it.

    Returns
    -------
    columns : ndarray of shape (n_objects,)
        The first of equals. Of labels on a device, a tensor there.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> best_column(votes, [[3.0, 0.0], [0.0, 1.0], [0.0, 1.0], [0.0, 4.0]])
    array([0, 1, 1], dtype=int32)
    """
    values = np.ascontiguousarray(table, dtype=np.float64)
    nothing = np.zeros(values.shape[1])
    best = ensemble.row_blocks.map("engine.best_column", table=values, offset=nothing)
    return join(best.map(itemgetter(0)), ensemble.n_objects)


def labels_of(ensemble: Ensemble, m: int) -> NDArray[np.int32]:
    """The labels of one clustering.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    m : int
        Which of them.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        Labels 0..k_m - 1, and -1 where there is none. Of labels on a device, a tensor.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> labels_of(Ensemble([[0, 0], [0, -1], [1, 1]]), 1)
    array([ 0, -1,  1], dtype=int32)
    """
    return join(ensemble.row_blocks.map("engine.labels", m=int(m)), ensemble.n_objects)
