"""Weights of clusterings by how much they agree with, or differ from, the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.agreement import MEASURES, agreement_matrix
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["check_agreement", "group_support", "mean_agreement"]


def check_agreement(agreement: str | Callable[..., float]) -> None:
    """Refuse a measure that is smaller for clusterings more alike.

    Parameters
    ----------
    agreement : str or callable
        A measure of :mod:`comitia.agreement`, or a function of two label vectors, which
        is taken to be larger for clusterings more alike.
    """
    if agreement in MEASURES and not MEASURES[str(agreement)].larger_is_alike:
        raise ComitiaError(
            f"agreement={agreement!r} is a distance; give a measure that is larger for "
            "clusterings more alike, such as nmi_sqrt."
        )


def mean_agreement(
    ensemble: Ensemble, agreement: str | Callable[..., float] = "nmi_sqrt"
) -> NDArray[np.float64]:
    r"""Mean agreement of each clustering with the others.

    .. math::
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l)

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`: a measure of
        :mod:`comitia.agreement` that is larger for clusterings more alike.

    Returns
    -------
    mean : ndarray of shape (n_clusterings,)
        The means :math:`\beta_m`; 1 for a single clustering.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> mean_agreement(votes, "rand")
    array([0.75, 0.75, 0.5 ])
    """
    check_agreement(agreement)
    M = ensemble.n_clusterings
    if M == 1:
        return np.ones(1)
    phi = agreement_matrix(ensemble, agreement)
    np.fill_diagonal(phi, 0.0)
    return phi.sum(axis=1) / (M - 1)


def group_support(similarity: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    r"""How much the group of each clustering agrees with it.

    .. math::
        w_m = \frac{1}{|g(m)|} \sum_{t \in g(m),\, t \ne m} s(C_m, C_t)

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreements :math:`s`, symmetric.

    groups : array-like of shape (n_clusterings,)
        The group :math:`g(m)` of each clustering.

    Returns
    -------
    support : ndarray of shape (n_clusterings,)
        The sums, divided by the size of the group, the clustering included: 0 for one
        that is alone in its group.

    Examples
    --------
    >>> group_support([[1.0, 0.8, 0.5], [0.8, 1.0, 0.3], [0.5, 0.3, 1.0]], [0, 0, 1])
    array([0.4, 0.4, 0. ])
    """
    s = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(s, 0.0)
    g = np.asarray(groups)
    together = g[:, None] == g[None, :]
    return (s * together).sum(axis=1) / together.sum(axis=1)
