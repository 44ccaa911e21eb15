"""What makes each cluster different, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.display.feature_table import check_features, is_constant
from comitia.exceptions import ComitiaError
from comitia.represent.votes import check_labels

__all__ = ["Profile", "cluster_profile"]

Floats = NDArray[np.float64]

# A spread within clusters that is a smaller share of the total is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Profile:
    """What makes each cluster different, feature by feature.

    Attributes
    ----------
    sizes : ndarray of shape (n_clusters,)
        Number of objects in each cluster.

    means : ndarray of shape (n_clusters, n_features)
        Mean of each feature in each cluster; NaN for a cluster without objects, here
        and below.

    differences : ndarray of shape (n_clusters, n_features)
        How far these means are from those of all objects, in standard deviations of
        all objects; 0 for a constant feature.

    effects : ndarray of shape (n_clusters, n_features)
        Cohen's d: how far the means are from those of all other objects, in pooled
        standard deviations within the two groups. Infinite where there is a difference
        and no spread; 0 for a cluster that holds all objects.

    explained : ndarray of shape (n_features,)
        Share of the variance of each feature that lies between the clusters.
    """

    sizes: NDArray[np.int64]
    means: Floats
    differences: Floats
    effects: Floats
    explained: Floats


def cluster_profile(X: ArrayLike, labels: ArrayLike) -> Profile:
    """What makes each cluster different, feature by feature.

    Objects without a cluster, -1, count among all objects only.

    >>> profile = cluster_profile([[0.0, 5.0], [2.0, 5.0], [8.0, 5.0]], [0, 0, 1])
    >>> profile.means
    array([[1., 5.],
           [8., 5.]])
    >>> profile.differences.round(2)
    array([[-0.69,  0.  ],
           [ 1.37,  0.  ]])
    """
    from scipy.sparse import csr_array

    codes, k = check_labels(labels, "labels")
    data = check_features(X, len(codes), labels)
    known = codes >= 0
    if not known.any():
        raise ComitiaError("labels puts no object into a cluster; give at least one.")
    n, members = len(data), codes[known]
    sizes = np.bincount(members, minlength=k)
    center = data.mean(axis=0)
    # Centred first, so that large values lose no digits.
    Z = data - center
    Z[:, is_constant(data)] = 0.0
    onehot = csr_array(
        (np.ones(len(members)), (members, np.flatnonzero(known))), (k, n)
    )
    sums, squares = onehot @ Z, onehot @ Z**2
    full = np.where(sizes > 0, sizes, np.nan)[:, None]
    shifts = sums / full
    total = (Z**2).sum(axis=0)
    spread = np.sqrt(total / n)
    differences = _ratio(shifts, spread)
    rest = n - sizes[:, None]
    # Centred values sum to zero, so the rest sums to minus these sums.
    apart = shifts + sums / np.where(rest > 0, rest, 1)
    within = squares - sums**2 / full
    within += (total - squares) - sums**2 / np.where(rest > 0, rest, 1)
    within = np.maximum(within, 0.0)
    within[within <= _ROUNDING * total] = 0.0
    pooled = np.sqrt(within / max(n - 2, 1))
    effects = np.where(rest > 0, _ratio(apart, pooled), 0.0)
    effects[sizes == 0] = np.nan
    between = np.nansum(full * shifts**2, axis=0)
    return Profile(
        sizes=sizes,
        means=center + shifts,
        differences=differences,
        effects=effects,
        explained=np.where(total > 0, between / np.where(total > 0, total, 1.0), 0.0),
    )


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient in which 0 / 0 is 0 and x / 0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), 0.0, ratio)
