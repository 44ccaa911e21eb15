"""Weights of algorithms, each of which made several of the clusterings."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.agreement import agreement_matrix
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning

__all__ = ["Groups", "decision_variance", "floored_variance"]


class Groups(NamedTuple):
    """Which algorithm made which clustering.

    Attributes
    ----------
    names : list
        The names of the algorithms, in the order of their first clusterings.

    codes : ndarray of shape (n_clusterings,)
        The algorithm of each clustering, as its place in ``names``.

    n_runs : ndarray of shape (n_groups,)
        How many clusterings each algorithm made.
    """

    names: list[Any]
    codes: NDArray[np.int64]
    n_runs: NDArray[np.int64]

    @classmethod
    def of(cls, ensemble: Ensemble, *, warn: bool = False) -> Groups:
        """Read the groups of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble
            The clusterings; without ``groups`` one algorithm made them all.

        warn : bool, default=False
            Whether to warn that there are no ``groups``.

        Returns
        -------
        groups : Groups
            The algorithms.
        """
        groups = ensemble.groups
        if groups is None:
            if warn and ensemble.n_clusterings > 1:
                warnings.warn(
                    "the ensemble has no groups, so that all its clusterings count as "
                    "runs of one algorithm, and no algorithm outweighs another; give "
                    "Ensemble(..., groups=) the name of the algorithm of each.",
                    ComitiaWarning,
                    stacklevel=3,
                )
            groups = np.zeros(ensemble.n_clusterings, dtype=np.int64)
        place = {name: g for g, name in enumerate(dict.fromkeys(groups.tolist()))}
        codes = np.array([place[name] for name in groups.tolist()], dtype=np.int64)
        return cls(list(place), codes, np.bincount(codes))


def decision_variance(
    ensemble: Ensemble, pair_accuracy: ArrayLike | Mapping[Any, float] | None = None
) -> NDArray[np.float64]:
    r"""How uncertain each algorithm is about two objects: :math:`q_m (1 - q_m)`.

    An algorithm treats a random pair of objects rightly with probability
    :math:`q_m` [1]_. Without the truth, the spread of its :math:`a_m` runs tells
    :math:`q_m (1 - q_m)`. With the share :math:`h_{ij}` of runs that put i and j
    together,

    .. math::
        \widehat{q_m (1 - q_m)} = \frac{a_m}{a_m - 1} \,
        \overline{h_{ij} (1 - h_{ij})}
        = \tfrac12 \bigl( 1 - \overline{\mathrm{Rand}} \bigr):

    two runs differ on a pair with probability :math:`2 q_m (1 - q_m)`, and the Rand
    index counts the pairs on which they do not. The mean goes over all pairs of runs.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings; ``groups`` says which algorithm made each.

    pair_accuracy : array-like of shape (n_groups,), dict or float, default=None
        The probabilities :math:`q_m`, if they are known, in the order in which the
        algorithms appear or by their names.

    Returns
    -------
    variance : ndarray of shape (n_groups,)
        Positive; :func:`floored_variance` says how.

    References
    ----------
    .. [1] V. Berikov, "Weighted ensemble of algorithms for complex data clustering",
       Pattern Recognition Letters 38, 2014. :doi:`10.1016/j.patrec.2013.11.012`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> runs = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1]]
    >>> votes = Ensemble(runs, groups=["a", "a", "b", "b"])
    >>> decision_variance(votes, pair_accuracy={"a": 0.9, "b": 0.6})
    array([0.09, 0.24])
    """
    groups = Groups.of(ensemble)
    if pair_accuracy is not None:
        q = _accuracies(pair_accuracy, groups.names)
        return floored_variance(q * (1.0 - q), groups.n_runs, given=True)
    variance = np.zeros(len(groups.names))
    for g in np.flatnonzero(groups.n_runs > 1):
        runs = ensemble.take(clusterings=np.flatnonzero(groups.codes == g))
        alike = agreement_matrix(runs, "rand")[np.triu_indices(groups.n_runs[g], 1)]
        variance[g] = (1.0 - alike.mean()) / 2
    return floored_variance(variance, groups.n_runs)


def floored_variance(
    variance: ArrayLike, n_runs: ArrayLike, *, given: bool = False
) -> NDArray[np.float64]:
    r"""Variances that are no smaller than the runs can tell.

    An algorithm that answers the same in all its :math:`a_m` runs would have the
    variance 0 and an infinite weight; at least :math:`1 / (4 a_m^2)` is assumed. For a
    single run, which shows no spread, that is the largest :math:`q (1 - q)` there is.

    Parameters
    ----------
    variance : array-like of shape (n_groups,)
        Variance of each algorithm.

    n_runs : array-like of shape (n_groups,)
        Number of runs :math:`a_m` of each.

    given : bool, default=False
        Whether the variances are known: only those that are 0 are raised then.

    Returns
    -------
    variance : ndarray of shape (n_groups,)
        Positive. A warning is given where an algorithm with several runs got the
        floor, unless it is the only one.

    Examples
    --------
    >>> floored_variance([0.2, 0.0], [10, 1])
    array([0.2 , 0.25])
    """
    v = np.asarray(variance, dtype=np.float64)
    a = np.asarray(n_runs, dtype=np.float64)
    floor = 1.0 / (4.0 * a**2)
    low = v <= 0 if given else v < floor
    several = low & (a > 1)
    if len(v) > 1 and several.any():
        warnings.warn(
            f"{int(several.sum())} algorithm(s) hardly vary over their runs; their "
            "variance is taken as 1 / (4 a^2) for a runs, so that they do not outweigh "
            "all others.",
            ComitiaWarning,
            stacklevel=3,
        )
    return np.where(low, floor, v)


def _accuracies(
    pair_accuracy: ArrayLike | Mapping[Any, float], names: list[Any]
) -> NDArray[np.float64]:
    if isinstance(pair_accuracy, Mapping):
        missing = [name for name in names if name not in pair_accuracy]
        if missing:
            raise ComitiaError(
                f"pair_accuracy has no entry for the algorithm {missing[0]!r}; give "
                "one for each name in ensemble.groups."
            )
        pair_accuracy = [pair_accuracy[name] for name in names]
    q = np.asarray(pair_accuracy, dtype=np.float64)
    if q.ndim == 0:
        q = np.full(len(names), q)
    if q.shape != (len(names),) or not ((q >= 0) & (q <= 1)).all():
        raise ComitiaError(
            "pair_accuracy must be probabilities, one for each of the "
            f"{len(names)} algorithm(s) in ensemble.groups; got {pair_accuracy!r}."
        )
    return q
