"""Which clusterings to keep, from what is known of their quality and likeness."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = [
    "best_of_groups",
    "cover",
    "cover_clusters",
    "diversity_shares",
    "greedy_diverse",
    "index_distinctness",
    "leaders",
    "share_out",
    "top",
]

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
    return np.argsort(-_rounded(values), kind="stable")[:n_select]


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
    values, of = _rounded(np.asarray(scores, dtype=np.float64)), np.asarray(groups)
    # By group, then from the best down, then by index: the first of each group wins.
    order = np.lexsort((-values, of))
    _, first = np.unique(of[order], return_index=True)
    return np.sort(order[first])


def diversity_shares(
    similarity: ArrayLike, sizes: ArrayLike, diversity_bias: float
) -> NDArray[np.float64]:
    r"""Share of each group in a sample that is to be more, or less, diverse.

    .. math::
        w_g \propto \frac{|G_g|}{1 + \exp \bigl( \alpha (\bar s_g - \bar s) \bigr)}

    with the mean similarity :math:`\bar s_g` of a group to the others and the mean
    :math:`\bar s` of all pairs [1]_.

    Parameters
    ----------
    similarity : array-like of shape (n_groups, n_groups)
        How alike each two groups are; the diagonal does not count.

    sizes : array-like of shape (n_groups,)
        Number of members of each group, :math:`|G_g|`.

    diversity_bias : float
        The bias :math:`\alpha`: above 0 groups unlike the others get more than their
        size, below 0 less.

    Returns
    -------
    shares : ndarray of shape (n_groups,)
        With sum 1.

    References
    ----------
    .. [1] M. Pividori, G. Stegmayer and D. H. Milone, "Diversity control for improving
       the analysis of consensus clustering", Information Sciences 361-362, 2016.
       :doi:`10.1016/j.ins.2016.04.027`

    Examples
    --------
    >>> S = [[1.0, 0.5, 0.2], [0.5, 1.0, 0.3], [0.2, 0.3, 1.0]]
    >>> diversity_shares(S, [4, 2, 2], 10.0).round(6)
    array([0.469423, 0.173689, 0.356888])
    """
    from scipy.special import expit

    S = np.array(similarity, dtype=np.float64)
    size = np.asarray(sizes, dtype=np.float64)
    t = len(S)
    if t == 1:
        return np.ones(1)
    np.fill_diagonal(S, 0.0)
    mean = S.sum(axis=1) / (t - 1)
    w = size * expit(-diversity_bias * (mean - mean.mean()))
    return w / w.sum()


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
    if towards not in ("mean", "nearest"):
        raise ComitiaError(f'towards={towards!r} is neither "mean" nor "nearest".')
    chosen = [int(top(q, 1)[0]) if first is None else int(first)]
    free = np.ones(M, dtype=bool)
    free[chosen[0]] = False
    while len(chosen) < n_select:
        picked = phi[:, chosen]
        alike = picked.mean(axis=1) if towards == "mean" else picked.max(axis=1)
        gain = np.where(free, _rounded(q * (1.0 - alike)), -np.inf)
        chosen.append(int(gain.argmax()))
        free[chosen[-1]] = False
    return np.array(chosen, dtype=np.int64)


def index_distinctness(values: ArrayLike) -> NDArray[np.float64]:
    r"""How little each index repeats what the others say.

    .. math::
        u_j \propto 1 - \frac{1}{J - 1} \sum_{l \ne j} | \rho_{jl} |

    with the correlations :math:`\rho` of the indices over the clusterings.

    Parameters
    ----------
    values : array-like of shape (n_clusterings, n_indices)
        One column for each index.

    Returns
    -------
    weights : ndarray of shape (n_indices,)
        Not negative, with sum 1. An index that is constant correlates with none; equal
        weights when all say the same.

    Examples
    --------
    >>> index_distinctness([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [0.5, 0.5, 0.0]])
    array([0.25, 0.25, 0.5 ])
    """
    V = np.asarray(values, dtype=np.float64)
    J = V.shape[1]
    centered = V - V.mean(axis=0)
    length = np.sqrt((centered**2).sum(axis=0))
    unit = np.divide(centered, length, out=np.zeros_like(V), where=length > _TINY)
    correlation = np.abs(unit.T @ unit)
    np.fill_diagonal(correlation, 0.0)
    u = np.maximum(1.0 - correlation.sum(axis=1) / max(J - 1, 1), 0.0)
    # What rounding leaves of zero is no difference between indices.
    return u / u.sum() if u.max() > 1e-9 else np.full(J, 1.0 / J)


def leaders(
    similarity: ArrayLike, order: ArrayLike, threshold: float
) -> NDArray[np.int64]:
    """Keep clusterings in a given order, and drop what is too much like one kept.

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        How alike each two clusterings are.

    order : array-like of shape (n_clusterings,)
        Indices, in the order in which clusterings are looked at.

    threshold : float
        A clustering that is more alike than this to one kept is dropped.

    Returns
    -------
    chosen : ndarray of shape (n_kept,)
        Indices of those kept, in the order given.

    Examples
    --------
    >>> leaders([[1.0, 0.9, 0.2], [0.9, 1.0, 0.3], [0.2, 0.3, 1.0]], [2, 0, 1], 0.8)
    array([2, 0])
    """
    alike = np.asarray(similarity, dtype=np.float64)
    remaining = [int(m) for m in np.asarray(order)]
    kept = []
    while remaining:
        reference = remaining.pop(0)
        kept.append(reference)
        remaining = [m for m in remaining if alike[reference, m] <= threshold]
    return np.array(kept, dtype=np.int64)


def share_out(shares: ArrayLike, total: int, capacity: ArrayLike) -> NDArray[np.int64]:
    """Share out seats in proportion, by the largest remainder.

    Parameters
    ----------
    shares : array-like of shape (n_groups,)
        What each group is due, not negative; need not sum to one.

    total : int
        Number of seats.

    capacity : array-like of shape (n_groups,)
        The most seats each group can take. What is left over goes to the others, in
        proportion.

    Returns
    -------
    seats : ndarray of shape (n_groups,)
        Whole numbers that sum to ``total``.

    Examples
    --------
    >>> share_out([0.5, 0.3, 0.2], 5, [9, 9, 9])
    array([3, 1, 1])
    >>> share_out([0.9, 0.05, 0.05], 5, [3, 2, 2])
    array([3, 1, 1])
    """
    due = np.asarray(shares, dtype=np.float64)
    most = np.asarray(capacity, dtype=np.int64)
    if not 0 <= total <= most.sum():
        raise ComitiaError(
            f"total={total} seats cannot be shared out; there is room for {most.sum()}."
        )
    seats = np.zeros(len(due), dtype=np.int64)
    while left := total - int(seats.sum()):
        room = most - seats
        part = np.where(room > 0, due, 0.0)
        if part.sum() <= 0:
            # Who is due nothing gets what nobody else can take.
            part = (room > 0).astype(np.float64)
        quota = left * part / part.sum()
        # Rounding must not turn 2 into 1.9999999999999998.
        whole = np.floor(quota + 1e-9).astype(np.int64)
        if (whole > room).any():
            # A group that is full frees seats; the others are asked again.
            full = whole > room
            seats[full] = most[full]
            continue
        rest = _rounded(np.where(room > whole, quota - whole, -1.0))
        extra = np.argsort(-rest, kind="stable")[: left - int(whole.sum())]
        whole[extra[rest[extra] >= 0]] += 1
        seats += whole
    return seats


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


def cover_clusters(ensemble: Ensemble, chosen: ArrayLike) -> NDArray[np.int64]:
    """Add clusters until each object is in one of them.

    What :func:`cover` does for a selection of clusterings: the cluster that has most of
    the objects left out is added, again and again; of equals the first.

    Parameters
    ----------
    ensemble : Ensemble
        All clusterings; each object is in one of them.

    chosen : array-like of int
        Indices of the clusters selected, as the columns of ``ensemble.membership``.

    Returns
    -------
    chosen : ndarray of int
        Ascending indices, with those added.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 2]])
    >>> cover_clusters(votes, [0])
    array([0, 1])
    >>> cover_clusters(votes, [1, 2])
    array([0, 1, 2])
    """
    kept = np.unique(np.asarray(chosen, dtype=np.int64))
    B = ensemble.membership
    mask = np.zeros(ensemble.n_clusters)
    mask[kept] = 1.0
    left = np.asarray(B @ mask) == 0
    while left.any():
        gains = np.asarray(B.T @ left.astype(np.float64))
        if not gains.any():
            break
        kept = np.append(kept, gains.argmax())
        left &= np.asarray(B[:, [kept[-1]]].sum(axis=1)).ravel() == 0
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


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values that are equal on paper made equal, so that the lowest index wins."""
    scale = np.abs(values).max(initial=0.0)
    if not np.isfinite(scale) or scale == 0:
        return values
    return np.asarray(np.rint(values / (scale * _TINY)) * (scale * _TINY))
