"""Memberships of a fuzzy consensus, in the clusters that objects prefer."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["FuzzyClusters", "fuzzy_clusters", "order_of_appearance"]


class FuzzyClusters(NamedTuple):
    """The clusters of a fuzzy consensus."""

    # (n_objects,), the column in which each object has its largest membership
    labels: NDArray[np.intp]
    # (n_clusters,), the columns that are some object's largest, in the order of
    # appearance
    order: NDArray[np.intp]
    # (n_objects, n_clusters), memberships in these; rows sum to one
    membership: NDArray[np.float64]


def fuzzy_clusters(F: NDArray[np.float64]) -> FuzzyClusters:
    """Drop the columns that are no object's largest.

    Parameters
    ----------
    F : ndarray of shape (n_objects, n_columns)
        Memberships, or other non-negative shares.

    Returns
    -------
    clusters : FuzzyClusters
        Labels, columns kept, memberships in them.

    Examples
    --------
    >>> import numpy as np
    >>> fuzzy_clusters(np.array([[0.2, 0.2, 0.6], [0.75, 0.0, 0.25]])).order
    array([2, 0])
    """
    labels = F.argmax(axis=1)
    order = order_of_appearance(labels)
    kept = F[:, order]
    return FuzzyClusters(labels, order, kept / kept.sum(axis=1, keepdims=True))


def order_of_appearance(labels: NDArray[Any]) -> NDArray[np.intp]:
    """The clusters in the order in which the objects meet them, as in ``labels_``.

    Their numbers; by it columns that belong to clusters are put into the order of the
    labels.
    """
    names, first = np.unique(labels, return_index=True)
    return np.asarray(names[np.argsort(first)], dtype=np.intp)
