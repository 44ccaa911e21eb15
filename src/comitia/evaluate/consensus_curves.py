"""The consensus matrix of resampled clusterings, read as a distribution of pairs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = [
    "PairShares",
    "area_changes",
    "cdf_area",
    "consensus_cdf",
    "cophenetic_correlation",
    "pac",
    "pair_shares",
]

Floats = NDArray[np.float64]

# Beyond this many pairs of distinct objects a sample of as many pairs is drawn.
MAX_PAIRS = 2_000_000

# Shares are quotients of small integers; differences below this are rounding.
_TINY = 1e-9


class PairShares(NamedTuple):
    """In which share of the clusterings pairs of objects are together.

    Attributes
    ----------
    values : ndarray of shape (n_pairs,)
        The share of each pair.

    counts : ndarray of shape (n_pairs,)
        How many pairs of objects each stands for.

    exact : bool
        Whether these are all pairs; a sample of them otherwise.
    """

    values: Floats
    counts: Floats
    exact: bool


def pair_shares(
    ensemble: Ensemble,
    *,
    max_pairs: int = MAX_PAIRS,
    rng: np.random.RandomState | None = None,
) -> PairShares:
    r"""In which share of the clusterings that have both each two objects are together.

    .. math::
        C_{ij} = \frac{\#\{m : i, j \text{ in one cluster of } C_m\}}
                      {\#\{m : i, j \text{ both in } C_m\}}

    for :math:`i < j`: the consensus matrix of Monti et al. [1]_. Pairs that no
    clustering has both of are left out.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, hard or partial.

    max_pairs : int, default=2_000_000
        Objects with equal labels are merged first. When their pairs are more than
        this, a sample of as many pairs of objects is drawn, with replacement, and no
        matrix is made.

    rng : RandomState, default=None
        Draws the sample; needed only there.

    Returns
    -------
    shares : PairShares
        Values, counts, and whether they are exact.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering: a
       resampling-based method for class discovery and visualization of gene expression
       microarray data", Machine Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> shares = pair_shares(Ensemble([[0, 0], [0, 1], [1, 1]]))
    >>> shares.values, shares.counts
    (array([0.5, 0. , 0.5]), array([1., 1., 1.]))
    """
    _refuse_soft(ensemble)
    micro, counts, _ = ensemble.distinct()
    n = micro.n_objects
    if n * (n - 1) // 2 > max_pairs:
        return _sampled_shares(ensemble, max_pairs, rng)
    require_memory(16 * n * n, f"the consensus matrix of {n} distinct objects")
    together, seen = _counts_of_pairs(micro)
    upper = np.triu(seen > 0, 1)
    values = together[upper].astype(np.float64) / seen[upper]
    a = counts.astype(np.float64)
    pairs = np.multiply.outer(a, a)[upper]
    # Objects with equal labels are always together, where they are clustered at all.
    inner = np.where(micro.n_votes > 0, a * (a - 1) / 2, 0.0)
    inner = inner[inner > 0]
    return PairShares(
        np.concatenate([values, np.ones(len(inner))]),
        np.concatenate([pairs, inner]),
        True,
    )


def _counts_of_pairs(ensemble: Ensemble) -> tuple[NDArray[Any], NDArray[Any]]:
    """How many clusterings have each two objects in one cluster, and have both."""
    # Single precision counts exactly to 2**24.
    B = ensemble.membership.toarray().astype(np.float32)
    present = (ensemble.labels >= 0).astype(np.float32)
    return B @ B.T, present @ present.T


def _sampled_shares(
    ensemble: Ensemble, n_pairs: int, rng: np.random.RandomState | None
) -> PairShares:
    if rng is None:
        raise ComitiaError(
            f"{ensemble.n_objects} objects have more than max_pairs={n_pairs} pairs, "
            "of which a sample is drawn; give rng=np.random.RandomState(seed)."
        )
    n = ensemble.n_objects
    one = rng.randint(n, size=n_pairs)
    # One of the n - 1 others, so that no object is paired with itself.
    other = (one + 1 + rng.randint(n - 1, size=n_pairs)) % n
    together, seen = np.zeros((2, n_pairs))
    for codes, k in zip(ensemble.codes, ensemble.n_clusters_each, strict=True):
        a, b = codes[one], codes[other]
        both = (a != k) & (b != k)
        seen += both
        together += both & (a == b)
    known = seen > 0
    values = together[known] / seen[known]
    return PairShares(values, np.ones(len(values)), False)


def consensus_cdf(shares: PairShares, at: ArrayLike) -> Floats:
    r"""Distribution function of the entries of the consensus matrix.

    .. math::
        F(c) = \frac{\#\{i < j : C_{ij} \le c\}}{n (n - 1) / 2}

    Parameters
    ----------
    shares : PairShares
        The entries.

    at : array-like of shape (n_bins,)
        The points :math:`c`, in [0, 1].

    Returns
    -------
    cdf : ndarray of shape (n_bins,)
        The values of F; it is flat between its ends when every pair is always or
        never together.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> shares = pair_shares(Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]]))
    >>> consensus_cdf(shares, [0.0, 0.4, 0.5, 1.0])
    array([0.33333333, 0.33333333, 0.83333333, 1.        ])
    """
    points = np.asarray(at, dtype=np.float64)
    total = shares.counts.sum()
    if total == 0:
        raise ComitiaError(
            "no two objects are in one clustering together, so that there is no "
            "consensus matrix; use more clusterings or larger samples."
        )
    order = np.argsort(points, kind="stable")
    # Each entry counts from the first point that is not below it.
    first = np.searchsorted(points[order] + _TINY, shares.values)
    counts = np.bincount(first, shares.counts, minlength=len(points) + 1)
    cdf = np.empty(len(points))
    cdf[order] = np.cumsum(counts[:-1]) / total
    return cdf


def cdf_area(shares: PairShares) -> float:
    r"""Area under the distribution function of the consensus matrix.

    .. math::
        A = \int_0^1 F(c) \, dc = 1 - \bar{C}

    Parameters
    ----------
    shares : PairShares
        The entries of the consensus matrix.

    Returns
    -------
    area : float
        In [0, 1]. As for any variable in [0, 1], it is one minus the mean, here the
        share of pairs that are apart; it grows with the number of clusters.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cdf_area(pair_shares(Ensemble([[0, 0], [0, 1], [1, 1]])))
    0.6666666666666667
    """
    return float(1.0 - np.average(shares.values, weights=shares.counts))


def area_changes(areas: ArrayLike) -> Floats:
    r"""Relative growth of the area under the consensus CDF, :math:`\Delta(k)`.

    .. math::
        \Delta(k) = \frac{A(k) - \max_{j < k} A(j)}{\max_{j < k} A(j)},
        \qquad \Delta(k_1) = A(k_1).

    Parameters
    ----------
    areas : array-like of shape (n_ks,)
        The areas for rising numbers of clusters.

    Returns
    -------
    changes : ndarray of shape (n_ks,)
        The first is the first area itself, as in Monti et al.; falls below zero where
        an area is smaller than an earlier one.

    Notes
    -----
    Monti et al. read it by eye: the largest k at which it is still appreciable.

    Examples
    --------
    >>> area_changes([0.5, 0.6, 0.6])
    array([0.5, 0.2, 0. ])
    """
    A = np.asarray(areas, dtype=np.float64)
    before = np.maximum.accumulate(A)[:-1]
    growth = np.divide(
        A[1:] - before, before, out=np.zeros(len(before)), where=before > 0
    )
    return np.concatenate([A[:1], growth])


def pac(shares: PairShares, lower: float = 0.1, upper: float = 0.9) -> float:
    r"""Proportion of ambiguous clustering.

    .. math::
        \mathrm{PAC} = F(u_2) - F(u_1)

    is the share of pairs that are neither mostly apart nor mostly together [1]_.

    Parameters
    ----------
    shares : PairShares
        The entries of the consensus matrix.

    lower, upper : float, default=0.1, 0.9
        The bounds :math:`u_1 < u_2`.

    Returns
    -------
    pac : float
        In [0, 1]; 0 when every pair is clear.

    References
    ----------
    .. [1] Y. Șenbabaoğlu, G. Michailidis and J. Z. Li, "Critical limitations of
       consensus clustering in class discovery", Scientific Reports 4, 2014.
       :doi:`10.1038/srep06207`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> pac(pair_shares(Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]])))
    0.5
    """
    if not 0 <= lower < upper <= 1:
        raise ComitiaError(
            f"lower={lower} and upper={upper} must be bounds in [0, 1], in order."
        )
    below, above = consensus_cdf(shares, [lower, upper])
    return float(above - below)


def cophenetic_correlation(ensemble: Ensemble) -> float:
    r"""How well a tree describes the consensus matrix.

    The correlation of the distances :math:`1 - C_{ij}` with the heights at which the
    average-linkage tree of these distances joins i and j [1]_.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, hard or partial.

    Returns
    -------
    correlation : float
        At most 1, which is reached when all clusterings are equal; NaN when all
        distances are.

    Notes
    -----
    Objects with equal labels are one leaf with a count, so that the matrix has the
    size of the distinct objects; pairs that no clustering has both of are as far
    apart as can be.

    References
    ----------
    .. [1] J.-P. Brunet, P. Tamayo, T. R. Golub and J. P. Mesirov, "Metagenes and
       molecular pattern discovery using matrix factorization", PNAS 101(12), 2004.
       :doi:`10.1073/pnas.0308531101`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 1]])
    >>> round(cophenetic_correlation(votes), 4)
    0.9535
    """
    from scipy.spatial.distance import squareform

    from comitia.partition import cophenetic, hac

    _refuse_soft(ensemble)
    micro, counts, _ = ensemble.distinct()
    n = micro.n_objects
    if n == 1:
        return float("nan")
    require_memory(28 * n * n, f"the consensus matrix of {n} distinct objects")
    together, seen = _counts_of_pairs(micro)
    C = np.divide(together, seen, out=np.zeros_like(seen), where=seen > 0)
    distances = squareform(1.0 - C.astype(np.float64), checks=False)
    heights = cophenetic(_leaves_counted(hac(distances, counts=counts)))
    a = counts.astype(np.float64)
    pairs = squareform(np.multiply.outer(a, a), checks=False)
    # Equal objects are at distance 0 and meet at height 0.
    inner = float((a * (a - 1) / 2).sum())
    return _weighted_correlation(
        np.append(distances, 0.0), np.append(heights, 0.0), np.append(pairs, inner)
    )


def _leaves_counted(tree: Floats) -> Floats:
    """The tree with leaves counted once each, as SciPy wants it."""
    n = len(tree) + 1
    leaves = np.ones(2 * n - 1)
    for i, (one, other) in enumerate(tree[:, :2].astype(np.int64).tolist()):
        leaves[n + i] = leaves[one] + leaves[other]
    return np.column_stack([tree[:, :3], leaves[n:]])


def _weighted_correlation(x: Floats, y: Floats, weights: Floats) -> float:
    w = weights / weights.sum()
    x, y = x - w @ x, y - w @ y
    variances = (w @ (x * x)) * (w @ (y * y))
    if variances <= 1e-24:
        return float("nan")
    return float(min((w @ (x * y)) / np.sqrt(variances), 1.0))


def _refuse_soft(ensemble: Ensemble) -> None:
    if not ensemble.is_hard:
        raise ComitiaError(
            f"the consensus matrix is one of hard clusterings; this ensemble is "
            f"{ensemble.kind}. Take Ensemble(ensemble.labels)."
        )
