"""Weights of features."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError

__all__ = ["variance_rank_weights", "variance_shares"]


def variance_rank_weights(
    X: ArrayLike, top_fraction: float = 0.01, top_probability: float = 0.2
) -> NDArray[np.float64]:
    r"""Weights that fall with the rank of a feature's variance.

    .. math::
        w_r \propto \frac{1}{\mathrm{rank}_r + \alpha},

    where rank 1 is the largest variance and :math:`\alpha > -1` is chosen so that the
    top features hold a given share of the weight [1]_.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    top_fraction : float, default=0.01
        Share of the features that are on top, at least one of them.

    top_probability : float, default=0.2
        The weight they hold together.

    Returns
    -------
    weights : ndarray of shape (n_features,)
        They sum to one. Equal if the top features, with equal weights, would hold
        ``top_probability`` already, as one of five features does. Of equal variances
        the lower index has the higher rank.

    References
    ----------
    .. [1] D. Amaratunga, J. Cabrera and V. Kovtun, "Microarray learning with ABC",
       Biostatistics 9(1), 2008. :doi:`10.1093/biostatistics/kxm017`

    Examples
    --------
    >>> X = [[0, 0, 0, 0, 0, 0, 0, 0], [1, 2, 3, 4, 5, 6, 7, 8]]
    >>> variance_rank_weights(X).round(3)
    array([0.08 , 0.088, 0.097, 0.108, 0.122, 0.14 , 0.165, 0.2  ])
    """
    from scipy.optimize import brentq

    for name, share in (
        ("top_fraction", top_fraction),
        ("top_probability", top_probability),
    ):
        if not 0 < share < 1:
            raise ComitiaError(f"{name}={share} must be between 0 and 1.")
    variances = np.var(np.asarray(X, dtype=np.float64), axis=0)
    p = len(variances)
    n_top = max(1, round(top_fraction * p))
    if n_top / p >= top_probability:
        return np.full(p, 1.0 / p)
    ranks = np.arange(1.0, p + 1.0)

    def excess(log_shift: float) -> float:
        w = 1.0 / (ranks - 1.0 + np.exp(log_shift))
        return float(w[:n_top].sum() / w.sum() - top_probability)

    # With alpha = exp(s) - 1 the share falls from 1 to n_top / p as s goes to infinity.
    s = brentq(excess, -700.0, 700.0, xtol=1e-12, rtol=1e-14)
    by_rank = 1.0 / (ranks - 1.0 + np.exp(s))
    weights = np.empty(p)
    weights[np.argsort(-variances, kind="stable")] = by_rank / by_rank.sum()
    return weights


def variance_shares(X: ArrayLike) -> NDArray[np.float64]:
    r"""Share of each feature in the total variance.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    Returns
    -------
    shares : ndarray of shape (n_features,)
        They sum to one; equal if nothing varies.

    Examples
    --------
    >>> variance_shares([[0.0, 0.0], [1.0, 3.0]])
    array([0.1, 0.9])
    """
    variances = np.var(np.asarray(X, dtype=np.float64), axis=0)
    if not variances.any():
        return np.full(len(variances), 1.0 / len(variances))
    return variances / variances.sum()
