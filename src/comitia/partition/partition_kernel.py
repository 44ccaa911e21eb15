r"""Kernels between partitions: how much structure two of them have in common.

A kernel is a sum over the contingency table, with cells :math:`t_{vr} = |C^v \cap D^r|`
and cluster sizes :math:`s`, of terms that are products,

.. math::
    K(C, D) = \sum_{v,r} \sum_l a_l(s_v) \, F_l(t_{vr}) \, a_l(s_r),

so that one object that changes its cluster changes it in constant time for each
clustering (:mod:`comitia.partition.median_search`). :class:`PartitionKernel` holds the
functions as tables over 0..n, with binary exponents where they leave the float64s.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["PartitionKernel"]

Floats = NDArray[np.float64]


class PartitionKernel(NamedTuple):
    """A kernel between partitions of n objects, as tables over counts 0..n.

    Attributes
    ----------
    inner : ndarray of shape (n_terms, n + 1)
        :math:`F_l(t)` divided by two to ``exponents``.

    exponents : ndarray of shape (n + 1,)
        Binary exponents of ``inner``.

    factor : ndarray of shape (n_terms, n + 1)
        :math:`a_l(s)`.

    own : ndarray of shape (n + 1,)
        What a cluster of size s contributes to :math:`K(C, C)`, divided by two to
        ``own_exponents``.

    own_exponents : ndarray of shape (n + 1,)
        Binary exponents of ``own``.
    """

    inner: Floats
    exponents: NDArray[np.int64]
    factor: Floats
    own: Floats
    own_exponents: NDArray[np.int64]

    def log2_self(self, sizes: ArrayLike) -> float:
        """Binary logarithm of the kernel of a partition with itself.

        Parameters
        ----------
        sizes : array-like of shape (n_clusters,)
            Sizes of its clusters.

        Returns
        -------
        log2 : float
            Minus infinity for no objects.
        """
        s = np.asarray(sizes, dtype=np.int64)
        return _log2_sum(self.own[s], self.own_exponents[s])

    def log2(self, table: ArrayLike) -> float:
        """Binary logarithm of the kernel of two partitions.

        Parameters
        ----------
        table : array-like of shape (n_clusters of one, n_clusters of other)
            Their contingency table.

        Returns
        -------
        log2 : float
            Minus infinity when they have nothing in common.
        """
        cells = np.asarray(table, dtype=np.int64)
        v, r = np.nonzero(cells)
        t, a, b = cells[v, r], cells.sum(axis=1)[v], cells.sum(axis=0)[r]
        terms = self.factor[:, a] * self.inner[:, t] * self.factor[:, b]
        return _log2_sum(terms.sum(axis=0), self.exponents[t])

    def normalized(self, table: ArrayLike) -> float:
        r"""The cosine :math:`K(C, D) / \sqrt{K(C, C) \, K(D, D)}`.

        Parameters
        ----------
        table : array-like of shape (n_clusters of one, n_clusters of other)
            Contingency table of the two partitions.

        Returns
        -------
        cosine : float
            In [0, 1]; 0 when there are no objects.
        """
        cells = np.asarray(table, dtype=np.int64)
        if not cells.any():
            return 0.0
        own = self.log2_self(cells.sum(axis=1)) + self.log2_self(cells.sum(axis=0))
        return float(min(2.0 ** (self.log2(cells) - own / 2.0), 1.0))


def _log2_sum(mantissas: Floats, exponents: NDArray[np.int64]) -> float:
    """Binary logarithm of a sum of scaled values."""
    if not len(mantissas):
        return -np.inf
    top = int(exponents.max())
    with np.errstate(divide="ignore"):
        return float(np.log2(np.ldexp(mantissas, exponents - top).sum()) + top)
