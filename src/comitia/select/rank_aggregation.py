"""One ranking from several."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.optimize.ties import merged_ties

__all__ = ["borda_points", "mid_ranks", "robust_rank"]


def mid_ranks(scores: ArrayLike) -> NDArray[np.float64]:
    """Rank items by each of several scores, the largest first.

    Parameters
    ----------
    scores : array-like of shape (n_items,) or (n_items, n_rankings)
        One column for each ranking, larger for the better.

    Returns
    -------
    ranks : ndarray of shape (n_items, n_rankings)
        1 for the best to n_items for the poorest; equals, and what differs by rounding
        alone, share the mean of their ranks.

    Examples
    --------
    >>> mid_ranks([0.3, 0.9, 0.3])
    array([[2.5],
           [1. ],
           [2.5]])
    """
    from scipy.stats import rankdata

    table = np.asarray(scores, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or table.size == 0 or np.isnan(table).any():
        raise ComitiaError(
            "scores must have one row per item and one column per ranking, without "
            f"NaN; got shape {np.shape(scores)}."
        )
    table = np.apply_along_axis(merged_ties, 0, table)
    return np.asarray(rankdata(-table, axis=0))


def borda_points(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Borda's points: how many others an item beats, over several rankings.

    .. math::
        b_m = \sum_v (M - r_{mv})

    for M items with ranks :math:`r_{mv}`; to tie is half a win.

    Parameters
    ----------
    scores : array-like of shape (n_items,) or (n_items, n_rankings)
        One column for each ranking, larger for the better.

    Returns
    -------
    points : ndarray of shape (n_items,)
        Large for the better.

    Examples
    --------
    >>> borda_points([[3, 1], [2, 2], [1, 3]])
    array([2., 2., 2.])
    """
    ranks = mid_ranks(scores)
    return np.asarray((len(ranks) - ranks).sum(axis=1))


def robust_rank(scores: ArrayLike) -> NDArray[np.float64]:
    r"""Robust rank aggregation: how likely an item is placed so well by chance.

    The rankings may be noisy, and some may be worthless. With the sorted normalised
    ranks :math:`r_{(1)} \le \dots \le r_{(J)}` of an item, r its rank divided by the
    number of items,

    .. math::
        \rho = \min \Bigl( 1,\; J \min_k \beta_k(r_{(k)}) \Bigr), \qquad
        \beta_k(x) = P(U_{(k)} \le x),

    where :math:`U_{(k)}` is the k-th of J uniform numbers: a small :math:`\rho` says
    that so many good ranks together are no accident [1]_.

    Parameters
    ----------
    scores : array-like of shape (n_items,) or (n_items, n_rankings)
        One column for each ranking, larger for the better.

    Returns
    -------
    rho : ndarray of shape (n_items,)
        In (0, 1], small for the better.

    References
    ----------
    .. [1] R. Kolde, S. Laur, P. Adler and J. Vilo, "Robust rank aggregation for gene
       list integration and meta-analysis", Bioinformatics 28(4), 2012.
       :doi:`10.1093/bioinformatics/btr709`

    Examples
    --------
    >>> robust_rank([[3, 3], [2, 2], [1, 1]]).round(4)
    array([0.2222, 0.8889, 1.    ])
    """
    from scipy.special import betainc

    ranks = mid_ranks(scores)
    n_items, n_rankings = ranks.shape
    r = np.sort(ranks / n_items, axis=1)
    k = np.arange(1, n_rankings + 1)
    # The k-th of J uniform numbers has the distribution Beta(k, J - k + 1).
    beta = betainc(k, n_rankings - k + 1, r)
    return np.minimum(1.0, n_rankings * beta.min(axis=1))
