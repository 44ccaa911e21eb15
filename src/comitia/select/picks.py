"""Which clusterings to keep, from what is known of their quality and likeness."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import check_choice
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["best_of_groups", "cover", "greedy_diverse", "top"]

# Values that differ by less are equal: what is left of rounding.
_TINY = 1e-12


def top(scores: ArrayLike, n_select: int) -> NDArray[np.int64]:
    """Find the clusterings with the largest scores.

    Parameters
    ----------
    scores : array-like of shape (n_clusterings,)
        Larger for the better.

    n_select : int
        How many to keep.

    Returns
    -------
    chosen : ndarray of shape (n_select,)
        Their indices, the best first and the lowest of equals.

    Examples
    --------
    >>> top([0.2, 0.9, 0.9], 2)
    array([1, 2])
    """
    values = np.asarray(scores, dtype=np.float64)
    _check_n_select(n_select, len(values))
    return np.argsort(-merge_near_ties(values), kind="stable")[:n_select]


def best_of_groups(scores: ArrayLike, groups: ArrayLike) -> NDArray[np.int64]:
    """Pick the clustering with the largest score in each group.

    Parameters
    ----------
    scores : array-like of shape (n_clusterings,)
        Larger for the better.

    groups : array-like of shape (n_clusterings,)
        The group of each clustering.

    Returns
    -------
    chosen : ndarray of shape (n_groups,)
        One index for each group, the lowest of equals; ascending.

    Examples
    --------
    >>> best_of_groups([0.2, 0.9, 0.4, 0.4], [0, 0, 1, 1])
    array([1, 2])
    """
    values, of = (
        merge_near_ties(np.asarray(scores, dtype=np.float64)),
        np.asarray(groups),
    )
    # By group, then from the best down, then by index: the first of each group wins.
    order = np.lexsort((-values, of))
    _, first = np.unique(of[order], return_index=True)
    return np.sort(order[first])


def greedy_diverse(
    similarity: ArrayLike,
    n_select: int,
    *,
    quality: ArrayLike | None = None,
    first: int | None = None,
    towards: str = "mean",
) -> NDArray[np.int64]:
    r"""Pick clusterings one by one, each unlike those picked before.

    The next one is

    .. math::
        \arg\max_m \; q_m \, \Bigl( 1 - \frac{1}{|P|} \sum_{l \in P}
        \phi(C_m, C_l) \Bigr)

    for the set P of those picked; or, farthest first, with the largest of the
    :math:`\phi` instead of their mean.

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreement :math:`\phi` of each two clusterings, at most 1.

    n_select : int
        How many to pick.

    quality : array-like of shape (n_clusterings,), default=None
        The quality :math:`q_m`, not negative; 1 by default, so that diversity alone
        counts.

    first : int, default=None
        The one to start with; by default the one of best quality.

    towards : {"mean", "nearest"}, default="mean"
        Diversity towards all that were picked, or towards the most alike of them.

    Returns
    -------
    chosen : ndarray of shape (n_select,)
        Indices in the order of picking; the lowest of equals.

    Examples
    --------
    >>> phi = [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    >>> greedy_diverse(phi, 2, quality=[0.9, 0.8, 0.3])
    array([0, 2])
    """
    phi = np.asarray(similarity, dtype=np.float64)
    M = len(phi)
    _check_n_select(n_select, M)
    q = np.ones(M) if quality is None else np.asarray(quality, dtype=np.float64)
    if q.shape != (M,) or not np.isfinite(q).all() or (q < 0).any():
        raise ComitiaError(
            f"quality must be one number, 0 or more, for each of {M} clusterings."
        )
    check_choice("towards", towards, ("mean", "nearest"))
    chosen = [int(top(q, 1)[0]) if first is None else int(first)]
    free = np.ones(M, dtype=bool)
    free[chosen[0]] = False
    while len(chosen) < n_select:
        picked = phi[:, chosen]
        alike = picked.mean(axis=1) if towards == "mean" else picked.max(axis=1)
        gain = np.where(free, merge_near_ties(q * (1.0 - alike)), -np.inf)
        chosen.append(int(gain.argmax()))
        free[chosen[-1]] = False
    return np.array(chosen, dtype=np.int64)


def cover(ensemble: Ensemble, chosen: ArrayLike) -> NDArray[np.int64]:
    """Add clusterings until each object is in one of them.

    A selection from clusterings with missing labels may leave objects out, for which no
    consensus can be found. The clustering that has most of these is added, again and
    again.

    Parameters
    ----------
    ensemble : Ensemble
        All clusterings; each object is in one of them.

    chosen : array-like of int
        Indices of the clusterings selected.

    Returns
    -------
    chosen : ndarray of int
        Ascending indices, with those added. Without missing labels nothing is added.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, -1], [1, 0, 0], [-1, 1, -1]])
    >>> cover(votes, [0])
    array([0, 1])
    """
    kept = np.unique(np.asarray(chosen, dtype=np.int64))
    if ensemble.kind in ("hard", "fuzzy"):
        return kept
    has = _has(ensemble)
    left = ~has[kept].any(axis=0)
    while left.any():
        gains = has[:, left].sum(axis=1)
        if not gains.any():
            break
        kept = np.append(kept, gains.argmax())
        left &= ~has[kept[-1]]
    return np.sort(kept)


def _has(ensemble: Ensemble) -> NDArray[np.bool_]:
    """Which objects each clustering has, (n_clusterings, n_objects)."""
    if ensemble.is_hard:
        return np.asarray(ensemble.codes != ensemble.n_clusters_each[:, None])
    B = ensemble.membership
    ends = ensemble.offsets
    return np.array(
        [np.diff(B[:, low:high].tocsr().indptr) > 0 for low, high in pairwise(ends)]
    )


def _check_n_select(n_select: int, n: int) -> None:
    if not 1 <= n_select <= n:
        raise ComitiaError(
            f"n_select={n_select} must be between 1 and the number of clusterings, {n}."
        )


def merge_near_ties(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values that are equal on paper made equal, so that the lowest index wins."""
    scale = np.abs(values).max(initial=0.0)
    if not np.isfinite(scale) or scale == 0:
        return values
    return np.asarray(np.rint(values / (scale * _TINY)) * (scale * _TINY))
