"""The co-association as a product, never as a matrix."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.represent.graphs import combined_weights

__all__ = ["ImplicitCoassociation"]

# Rows whose sum one thread makes. It is the same for every number of threads, and so
# are the sums of the blocks.
_BLOCK = 1 << 16


class ImplicitCoassociation:
    r"""The weighted co-association :math:`S = B W B'`, known by its products.

    ``S @ Q`` costs :math:`O(nMk)` and no n × n memory:

    .. math::
        S Q = B \, (W \, (B' Q)).

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    counts : array-like of shape (n_objects,), default=None
        How many objects each one stands for, for the micro-objects of
        :meth:`Ensemble.distinct`. The product then runs over all copies,
        :math:`S \, \mathrm{diag}(\text{counts}) \, Q`.

    Attributes
    ----------
    shape : tuple of int
        (n_objects, n_objects).

    dtype : dtype
        float64.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> S = ImplicitCoassociation(Ensemble([[0, 0], [0, 1], [1, 1]]))
    >>> S @ np.eye(3)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]])
    >>> S.squared_norm()
    4.0
    """

    def __init__(
        self,
        ensemble: Ensemble,
        *,
        clustering_weights: ArrayLike | None = None,
        cluster_weights: ArrayLike | None = None,
        counts: ArrayLike | None = None,
    ) -> None:
        self.ensemble = ensemble
        self.weights = combined_weights(ensemble, clustering_weights, cluster_weights)
        # Products with ones take time and change nothing.
        is_counted = counts is not None and bool((np.asarray(counts) != 1).any())
        self.counts = np.asarray(counts, dtype=np.float64) if is_counted else None
        self.shape = (ensemble.n_objects, ensemble.n_objects)
        self.dtype = np.dtype(np.float64)

    def diagonal(self) -> NDArray[np.float64]:
        """Similarity of each object to itself.

        Returns
        -------
        diagonal : ndarray of shape (n_objects,)
            The diagonal of B W B'.
        """
        B = self.ensemble.membership
        return np.asarray((B * B) @ self.weights)

    def __matmul__(self, Q: ArrayLike) -> NDArray[np.float64]:
        """Multiply a matrix of shape (n_objects, k), or a vector.

        Parameters
        ----------
        Q : array-like of shape (n_objects, k) or (n_objects,)
            The matrix.

        Returns
        -------
        product : ndarray, same shape as Q
            S Q.
        """
        Q = np.asarray(Q, dtype=np.float64)
        if Q.shape[0] != self.shape[0]:
            raise ValueError(
                f"matmul: S has {self.shape[0]} columns and Q has {Q.shape[0]} rows."
            )
        columns = Q.reshape(len(Q), -1)
        if self.counts is not None:
            columns = columns * self.counts[:, None]
        table = self.weights[:, None] * self.to_clusters(columns)
        return self.to_objects(table).reshape(Q.shape)

    def to_clusters(self, Q: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of a matrix over the objects of each cluster, B'Q.

        Parameters
        ----------
        Q : ndarray of shape (n_objects, k)
            One row for each object.

        Returns
        -------
        table : ndarray of shape (n_clusters, k)
            One row for each cluster. It does not depend on the number of threads.
        """
        if not self.ensemble.is_hard:
            return np.asarray(self.ensemble.membership.T @ Q)
        from comitia._kernels.label_rows import add_to_table
        from comitia._kernels.sums import thread_count

        Q = np.ascontiguousarray(Q)
        codes = self.ensemble.row_codes
        size = (
            self.ensemble.n_clusters_total + self.ensemble.n_clusterings,
            Q.shape[1],
        )

        def add(lo: int) -> NDArray[np.float64]:
            part = np.zeros(size)
            rows = slice(lo, lo + _BLOCK)
            add_to_table(codes[rows], self._starts, Q[rows], part)
            return part

        blocks = range(0, len(Q), _BLOCK)
        if len(blocks) > 1 and thread_count() > 1:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(min(thread_count(), len(blocks))) as pool:
                padded = sum(pool.map(add, blocks), np.zeros(size))
        else:
            padded = sum(map(add, blocks), np.zeros(size))
        return np.asarray(padded[self._places])

    def to_objects(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the rows of a table over the clusters of each object, B times it.

        Parameters
        ----------
        table : ndarray of shape (n_clusters, k)
            One row for each cluster.

        Returns
        -------
        Q : ndarray of shape (n_objects, k)
            One row for each object.
        """
        if not self.ensemble.is_hard:
            return np.asarray(self.ensemble.membership @ table)
        from comitia._kernels.label_rows import sum_of_table
        from comitia._kernels.sums import over_ranges

        codes = self.ensemble.row_codes
        padded = np.zeros((len(table) + self.ensemble.n_clusterings, table.shape[1]))
        padded[self._places] = table
        out = np.empty((len(codes), table.shape[1]))

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            sum_of_table(codes[rows], self._starts, padded, out[rows])

        over_ranges(work, len(codes))
        return out

    def squared_norm(self) -> float:
        r"""Sum of the squared entries, from the contingency tables alone.

        .. math::
            \|S\|_F^2 = \sum_{c, d} w_c w_d |c \cap d|^2.

        Returns
        -------
        squared_norm : float
            Over all copies where there are counts.
        """
        if self.counts is None:
            shared: Any = self.ensemble.contingency()
        else:
            B = self.ensemble.membership
            shared = B.T @ B.multiply(self.counts[:, None]).tocsr()
        squares = shared.multiply(shared)
        return float(self.weights @ (squares @ self.weights))

    @cached_property
    def _starts(self) -> NDArray[np.int64]:
        """Where the padded table of each clustering begins."""
        return self.ensemble.offsets[:-1] + np.arange(self.ensemble.n_clusterings)

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Where each cluster stands in the padded table."""
        return np.arange(self.ensemble.n_clusters_total) + self.ensemble.clustering_of
