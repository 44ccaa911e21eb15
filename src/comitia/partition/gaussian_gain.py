"""Whether several Gaussians describe data better than one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["gaussian_gain"]

Floats = NDArray[np.float64]

# Principal components that Gaussians are fitted in.
_N_COMPONENTS = 6


def gaussian_gain(X: ArrayLike, clusterings: Sequence[ArrayLike]) -> float:
    r"""How much better several Gaussians fit than one, for each object.

    .. math::
        \max_C \frac{\mathrm{ICL}(C) - \mathrm{ICL}(1)}{n}, \qquad
        \mathrm{ICL}(C) = \sum_{r=1}^{k} n_r \Bigl( \log \frac{n_r}{n}
        - \tfrac12 \log \det \hat\Sigma_r \Bigr) - \tfrac12 \nu_k \log n

    with the clusters of a clustering, of sizes :math:`n_r`, and :math:`\nu_k`
    parameters: the completed likelihood of Gaussians with their own covariances, with
    the penalty of BIC [1]_. It is negative where one Gaussian says it best.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, of which the first six principal components are taken.

    clusterings : sequence of array-like of shape (n_objects,)
        The labels of each.

    Returns
    -------
    gain : float
        The largest difference; -1 if all objects are equal.

    Notes
    -----
    A covariance is shrunk towards a twentieth of the mean variance of all objects, as
    if there were one more object than components like that.

    References
    ----------
    .. [1] C. Biernacki, G. Celeux and G. Govaert, "Assessing a mixture model for
       clustering with the integrated completed likelihood", IEEE TPAMI 22(7), 2000.
       :doi:`10.1109/34.865189`

    Examples
    --------
    >>> import numpy as np
    >>> X, halves = np.random.RandomState(0).randn(90, 2), np.repeat([0, 1], 45)
    >>> gaussian_gain(X, [halves]) < 0 < gaussian_gain(
    ...     X + 8 * halves[:, None], [halves]
    ... )
    True
    """
    data = np.asarray(X, dtype=np.float64)
    U, singular, _ = np.linalg.svd(data - data.mean(axis=0), full_matrices=False)
    wide = singular[:_N_COMPONENTS] > 1e-9 * singular[0]
    if singular[0] == 0 or not wide.any():
        return -1.0
    Y = (U * (singular / singular[0]))[:, :_N_COMPONENTS][:, wide]
    one = _completed_likelihood(Y, np.zeros(len(Y), dtype=np.int64))
    found = (_completed_likelihood(Y, np.asarray(labels)) for labels in clusterings)
    return float(max(found) - one) / len(Y)


def _completed_likelihood(Y: Floats, labels: NDArray[Any]) -> float:
    n, d = Y.shape
    sizes = np.bincount(labels)
    sizes = sizes[sizes > 0]
    small = 0.05 * Y.var(axis=0).mean() * (d + 1)
    total = 0.0
    for r in np.unique(labels):
        Z = Y[labels == r]
        Z = Z - Z.mean(axis=0)
        C = (Z.T @ Z + small * np.eye(d)) / (len(Z) + d + 1)
        total += len(Z) * (np.log(len(Z) / n) - 0.5 * np.linalg.slogdet(C)[1])
    n_parameters = len(sizes) * (1 + d + d * (d + 1) / 2) - 1
    return float(total - 0.5 * n_parameters * np.log(n))
