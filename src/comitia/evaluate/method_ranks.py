"""Mean ranks over repetitions, and which differences between them are noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["MeanRanks", "mean_ranks", "row_ranks"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MeanRanks:
    """Mean ranks of several methods.

    Attributes
    ----------
    means : ndarray of shape (n_methods,)
        Mean rank of each; 1 is the best.

    spreads : ndarray of shape (n_methods,)
        Standard deviation of the ranks of each.

    critical_difference : float
        Mean ranks that differ by less are not told apart.

    p_value : float
        Of the hypothesis that all are equally good.

    groups : list of list of int
        Methods that are not told apart from each other, best group first; a method can
        be in two.
    """

    means: Floats
    spreads: Floats
    critical_difference: float
    p_value: float
    groups: list[list[int]]


def mean_ranks(scores: ArrayLike, *, level: float = 0.05) -> MeanRanks:
    r"""Rank methods in each repetition and say which mean ranks differ.

    Friedman's test asks whether the m methods differ at all, in b repetitions,

    .. math::
        \chi^2 = \frac{12\, b}{m (m + 1)} \sum_j \bigl(\bar{r}_j - \tfrac{m+1}{2}
        \bigr)^2,

    corrected for ties; Nemenyi's test says that two differ if their mean ranks
    :math:`\bar{r}` are further apart than

    .. math::
        \mathrm{CD} = q \sqrt{m (m + 1) / (6 b)}

    with the quantile q of the studentised range, divided by :math:`\sqrt{2}` [1]_. If
    Friedman's test finds no difference, all methods are one group.

    Parameters
    ----------
    scores : array-like of shape (n_repetitions, n_methods)
        Larger is better. NaN is the worst.

    level : float, default=0.05
        Level of both tests.

    Returns
    -------
    ranks : MeanRanks
        Means, spreads and groups.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data sets",
       J. Machine Learning Research 7, 2006.

    Examples
    --------
    >>> scores = [[0.9, 0.8, 0.1]] * 10
    >>> ranks = mean_ranks(scores)
    >>> ranks.means, round(ranks.critical_difference, 3)
    (array([1., 2., 3.]), 1.048)
    >>> ranks.groups
    [[0, 1], [1, 2]]
    """
    from scipy.special import gammaincc
    from scipy.stats import studentized_range

    table = np.asarray(scores, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise ComitiaError(
            "scores must have a row for each repetition and a column for each "
            f"method; got shape {table.shape}."
        )
    ranks = row_ranks(table)
    b, m = ranks.shape
    means = ranks.mean(axis=0)
    spreads = ranks.std(axis=0, ddof=1) if b > 1 else np.zeros(m)
    if m == 1:
        return MeanRanks(means, spreads, 0.0, 1.0, [[0]])
    between = b * ((means - (m + 1) / 2) ** 2).sum()
    # The variance of the ranks in a row; ties make it smaller.
    within = ((ranks - (m + 1) / 2) ** 2).sum() / (b * (m - 1))
    chi2 = between / within if within > 0 else 0.0
    p_value = float(gammaincc((m - 1) / 2, chi2 / 2))
    q = float(studentized_range.ppf(1 - level, m, np.inf)) / np.sqrt(2.0)
    difference = q * np.sqrt(m * (m + 1) / (6.0 * b))
    order = np.argsort(means, kind="stable")
    if p_value > level:
        groups = [order.tolist()]
    else:
        groups = _groups_within(means, order, difference)
    return MeanRanks(means, spreads, float(difference), p_value, groups)


def row_ranks(scores: Floats) -> Floats:
    """Ranks in each row, 1 for the largest; equals share theirs, NaN is the worst.

    Parameters
    ----------
    scores : ndarray of shape (n_repetitions, n_methods)
        Larger is better.

    Returns
    -------
    ranks : ndarray of shape (n_repetitions, n_methods)
        The ranks.
    """
    known = np.nan_to_num(scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf)
    better = (known[:, None, :] > known[:, :, None]).sum(axis=2)
    equal = (known[:, None, :] == known[:, :, None]).sum(axis=2)
    return better + (equal + 1) / 2


def _groups_within(
    means: Floats, order: NDArray[np.int64], difference: float
) -> list[list[int]]:
    """Longest runs of methods whose mean ranks all differ by less than this."""
    groups: list[list[int]] = []
    end = 0
    for start in range(len(order)):
        stop = start + 1
        while (
            stop < len(order) and means[order[stop]] - means[order[start]] < difference
        ):
            stop += 1
        if stop > end:
            groups.append(order[start:stop].tolist())
            end = stop
    return groups
