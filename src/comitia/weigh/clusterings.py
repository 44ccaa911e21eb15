"""Weights of clusterings."""

import warnings
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import masked_to_nan
from comitia._steps import check_weights
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.weigh.mean_agreement import mean_agreement

__all__ = ["crowd_agreement", "normalize_weights"]


def normalize_weights(raw: ArrayLike) -> NDArray[np.float64]:
    r"""Turn raw scores into weights on the simplex.

    .. math::
        w_m = \max(q_m, 0) \, / \, \textstyle\sum_l \max(q_l, 0)

    Parameters
    ----------
    raw : array-like of shape (n_clusterings,)
        Scores :math:`q`, larger for what shall count more. Negative ones weigh
        nothing, and so do those that are not finite, with a warning.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        Not negative, with sum 1. Uniform, with a warning, when no score is positive.

    Examples
    --------
    >>> normalize_weights([3, 1, -2])
    array([0.75, 0.25, 0.  ])
    """
    raw = np.asarray(masked_to_nan(raw), dtype=np.float64)
    if raw.ndim != 1 or len(raw) == 0:
        raise ComitiaError(
            f"raw must have one score per clustering; got shape {raw.shape}."
        )
    usable = np.isfinite(raw)
    scores = np.where(usable, np.maximum(raw, 0.0), 0.0)
    largest = scores.max()
    if largest == 0.0:
        warnings.warn(
            "no raw weight is positive and finite; uniform weights are used.",
            ComitiaWarning,
            stacklevel=2,
        )
        return np.full(len(raw), 1.0 / len(raw))
    if not usable.all():
        warnings.warn(
            f"{int((~usable).sum())} raw weight(s) are not finite and count as 0.",
            ComitiaWarning,
            stacklevel=2,
        )
    # Scores near the ends of float64 have sums outside it; their ratios are fine.
    scores = scores / largest
    return scores / scores.sum()


def given_weights(weights: ArrayLike | None, n_clusterings: int) -> NDArray[np.float64]:
    """Weights that somebody gave, scaled to sum 1; equal ones where nobody did.

    Parameters
    ----------
    weights : array-like of shape (n_clusterings,) or None
        What was given; one finite number for each.

    n_clusterings : int
        How many there should be.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        Not negative, with sum 1.

    Examples
    --------
    >>> given_weights(None, 4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    given = np.ones(n_clusterings) if weights is None else weights
    return normalize_weights(
        check_weights(given, n_clusterings, "clustering_weights", "clustering")
    )


def crowd_agreement(
    ensemble: Ensemble,
    agreement: str | Callable[..., float] = "nmi_max",
    weight_power: float = 2.0,
) -> NDArray[np.float64]:
    r"""Normalised crowd agreement index of each clustering, to a power.

    A clustering that the others resemble counts more:

    .. math::
        \mathrm{CAI}_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l), \qquad
        w_m = \Bigl( \frac{\mathrm{CAI}_m}{\max_l \mathrm{CAI}_l} \Bigr)^{\beta}.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    agreement : str or callable, default="nmi_max"
        How alike two clusterings are, :math:`\phi`: a measure of
        :mod:`comitia.agreement` that is larger for clusterings more alike.

    weight_power : float, default=2.0
        The exponent :math:`\beta`, 0 or more.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        In [0, 1], the largest 1. All 1, with a warning, when no two clusterings agree
        at all; a single clustering weighs 1.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> crowd_agreement(votes, agreement="rand", weight_power=1.0)
    array([1.        , 1.        , 0.66666667])
    """
    if not (np.isfinite(weight_power) and weight_power >= 0):
        raise ComitiaError(f"weight_power={weight_power} must be finite and 0 or more.")
    # Measures corrected for chance can be negative: less than no agreement is none.
    cai = np.maximum(mean_agreement(ensemble, agreement), 0.0)
    if cai.max() == 0.0:
        warnings.warn(
            "no two clusterings agree; all of them weigh the same.",
            ComitiaWarning,
            stacklevel=2,
        )
        return np.ones_like(cai)
    return (cai / cai.max()) ** weight_power
