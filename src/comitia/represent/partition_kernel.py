r"""Kernels between partitions: how much structure two of them have in common.

Both kernels here are sums over the contingency table, with cells :math:`t_{vr} = |C^v
\cap D^r|` and cluster sizes :math:`s`, of terms that are products,

.. math::
    K(C, D) = \sum_{v,r} \sum_l a_l(s_v) \, F_l(t_{vr}) \, a_l(s_r),

so that one object that changes its cluster changes them in constant time for each
clustering (:mod:`comitia.partition.moves`). :class:`PartitionKernel` holds the
functions as tables over 0..n, with binary exponents where they leave the float64s.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.agreement import contingency
from comitia.exceptions import ComitiaError

__all__ = [
    "PartitionKernel",
    "path_kernel",
    "path_kernel_table",
    "subset_kernel",
    "subset_kernel_table",
]

Floats = NDArray[np.float64]

# Paths of more vertices than this add less than 1e-16 of the sum, whatever the sizes:
# a path of l vertices counts at most (l - 1)! / (l - 1) ** (2 l - 2).
_LONGEST_PATH = 13


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


def subset_kernel_table(
    n_objects: int, max_subset_size: int | None = None
) -> PartitionKernel:
    r"""The subset-significance kernel, as tables.

    See :func:`subset_kernel`.

    Parameters
    ----------
    n_objects : int
        Largest count.

    max_subset_size : int, default=None
        Subsets with more objects than this do not count; all count by default.

    Returns
    -------
    kernel : PartitionKernel
        With one term.
    """
    from scipy.special import gammaln, logsumexp

    if max_subset_size is not None and max_subset_size < 1:
        raise ComitiaError(f"max_subset_size={max_subset_size} must be at least 1.")
    t = np.arange(1, n_objects + 1, dtype=np.float64)
    if max_subset_size is None:
        logs = np.log(t) + np.log(t + 1.0) + (t - 2.0) * np.log(2.0)
    else:
        logs = np.full(n_objects, -np.inf)
        for q in range(1, min(max_subset_size, n_objects) + 1):
            some = t[q - 1 :]
            ways = gammaln(some + 1.0) - gammaln(q + 1.0) - gammaln(some - q + 1.0)
            logs[q - 1 :] = logsumexp([logs[q - 1 :], 2.0 * np.log(q) + ways], axis=0)
    inner, exponents = _split(logs)
    own, own_exponents = _split(logs - 2.0 * np.log(t))
    factor = np.r_[0.0, 1.0 / t]
    return PartitionKernel(inner[None], exponents, factor[None], own, own_exponents)


def path_kernel_table(n_objects: int, continuation: float = 0.5) -> PartitionKernel:
    r"""The path kernel, as tables.

    See :func:`path_kernel`. The factor :math:`1 / n^2`, which cancels in the normalised
    kernel, is left out.

    Parameters
    ----------
    n_objects : int
        Largest count.

    continuation : float, default=0.5
        Probability :math:`g` that a walk goes on, in [0, 1].

    Returns
    -------
    kernel : PartitionKernel
        With one term for each length of a path that can be told from zero.
    """
    if not 0.0 <= continuation <= 1.0:
        raise ComitiaError(f"continuation={continuation} must lie in [0, 1].")
    n_terms = min(_LONGEST_PATH, n_objects)
    t = np.arange(n_objects + 1, dtype=np.float64)
    inner = np.empty((n_terms, n_objects + 1))
    factor = np.ones((n_terms, n_objects + 1))
    inner[0] = t
    # An object that is alone has nowhere to go: only the path of one vertex is left.
    step = np.where(t > 1, continuation / np.maximum(t - 1.0, 1.0), 0.0)
    for term in range(1, n_terms):
        inner[term] = inner[term - 1] * np.maximum(t - term, 0.0)
        factor[term] = factor[term - 1] * step
    zeros = np.zeros(n_objects + 1, dtype=np.int64)
    own = (factor * inner * factor).sum(axis=0)
    return PartitionKernel(inner, zeros, factor, own, zeros)


def subset_kernel(
    a: Any, b: Any, *, max_subset_size: int | None = None, normalize: bool = True
) -> float:
    r"""Subset-significance kernel of two partitions.

    Every set of objects that lies inside one cluster of both counts, by its share of
    these clusters:

    .. math::
        K(C, D) = \sum_{S} \mu(S | C) \, \mu(S | D)
        = \sum_{v,r} \frac{f(t_{vr})}{s_v \, s_r},
        \qquad \mu(S | C) = \frac{|S|}{s_v}, \quad S \subseteq C^v,

    where :math:`f(t) = \sum_{q=1}^{t} q^2 \binom{t}{q} = t (t + 1) 2^{t - 2}`. Sums are
    taken in logarithms.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; objects that one of the two leaves out do not count.

    max_subset_size : int, default=None
        Subsets with more objects than this do not count; 2 leaves objects and pairs.

    normalize : bool, default=True
        Whether to divide by :math:`\sqrt{K(C, C) \, K(D, D)}`.

    Returns
    -------
    kernel : float
        In [0, 1] if normalised.

    Examples
    --------
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(subset_kernel(C, D), 6)
    0.47629
    >>> round(subset_kernel(C, D, normalize=False), 6)
    2.333333
    """
    table = contingency(a, b)
    kernel = subset_kernel_table(int(table.sum()), max_subset_size)
    return kernel.normalized(table) if normalize else float(2.0 ** kernel.log2(table))


def path_kernel(
    a: Any, b: Any, *, continuation: float = 0.5, normalize: bool = True
) -> float:
    r"""Path kernel of two partitions.

    A partition is a graph whose clusters are cliques. A walk starts at any object,
    goes on with probability :math:`g` to one of the other members of the cluster, and
    a path h that visits no object twice has probability :math:`P(h | C)`. Then

    .. math::
        K(C, D) = \sum_h P(h | C) \, P(h | D)
        = \frac{1}{n^2} \sum_{v,r} \sum_{l=1}^{t_{vr}} \frac{t_{vr}!}{(t_{vr} - l)!}
        \Bigl( \frac{g}{s_v - 1} \, \frac{g}{s_r - 1} \Bigr)^{l - 1}.

    Parameters
    ----------
    a, b : array-like of shape (n_objects,)
        Labels of any kind; objects that one of the two leaves out do not count.

    continuation : float, default=0.5
        Probability :math:`g` that a walk goes on, in [0, 1].

    normalize : bool, default=True
        Whether to divide by :math:`\sqrt{K(C, C) \, K(D, D)}`.

    Returns
    -------
    kernel : float
        In [0, 1] if normalised.

    Examples
    --------
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> round(path_kernel(C, D), 6)
    0.910391
    >>> round(path_kernel(C, D, normalize=False) * 72, 6)
    13.0
    """
    table = contingency(a, b)
    n = int(table.sum())
    kernel = path_kernel_table(n, continuation)
    if normalize:
        return kernel.normalized(table)
    return float(2.0 ** kernel.log2(table)) / max(n, 1) ** 2


def _split(logs: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Mantissas and binary exponents of exp(logs), with a zero put first."""
    bits = np.r_[-np.inf, logs / np.log(2.0)]
    exponents = np.where(np.isfinite(bits), np.floor(bits), 0.0)
    return np.exp2(bits - exponents), exponents.astype(np.int64)


def _log2_sum(mantissas: Floats, exponents: NDArray[np.int64]) -> float:
    """Binary logarithm of a sum of scaled values."""
    if not len(mantissas):
        return -np.inf
    top = int(exponents.max())
    with np.errstate(divide="ignore"):
        return float(np.log2(np.ldexp(mantissas, exponents - top).sum()) + top)
