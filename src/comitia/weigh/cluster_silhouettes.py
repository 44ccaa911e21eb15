"""Weights of clusters from their silhouettes, and from pairs that are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.cluster.constraints import ConstraintSet
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.validity.pairs import silhouette_samples

__all__ = ["silhouette_weights"]

Floats = NDArray[np.float64]


def silhouette_weights(
    ensemble: Ensemble,
    X: ArrayLike,
    constraints: ConstraintSet | None = None,
    *,
    local_share: float = 0.5,
) -> Floats:
    r"""Weights of clusters by their silhouette and the pairs that they get right.

    The weights of WECR [1]_: with the mean :math:`s_c` of
    :math:`(\text{silhouette} + 1) / 2` over a cluster, the share :math:`\mu_m` of the
    constraints that its clustering meets, and the share :math:`\nu_c` of those that
    touch the cluster,

    .. math::
        w_c = s_c \bigl( (1 - g_c)\, \mu_m + g_c \,\nu_c \bigr).

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    X : array-like of shape (n_objects, n_features)
        The data.

    constraints : ConstraintSet, default=None
        Pairs that belong together, and pairs that do not; without any, the weights are
        the silhouettes.

    local_share : float, default=0.5
        How much, :math:`g_c`, the pairs that touch a cluster count against all pairs,
        where as many touch it as its size lets expect.

    Returns
    -------
    weights : ndarray of shape (n_clusters of the ensemble,)
        In [0, 1]; a half for a cluster that is alone in its clustering.

    References
    ----------
    .. [1] Y. Lai, S. He, Z. Lin, F. Yang, Q. Zhou and X. Zhou, "An adaptive robust
       semi-supervised clustering framework using weighted consensus of random k-means
       ensemble", IEEE TKDE 33(5), 2021. :doi:`10.1109/TKDE.2019.2952596`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]])
    >>> silhouette_weights(votes, X).round(2)
    array([0.93, 0.93, 0.94, 0.63])
    """
    if X is None:
        raise ComitiaError(
            "silhouettes need the data; call fit(X, ensemble=E) with the data in X."
        )
    weights = cluster_silhouettes(ensemble, X)
    if constraints is not None:
        weights *= constraint_shares(ensemble, constraints, local_share)
    return weights


def cluster_silhouettes(ensemble: Ensemble, X: ArrayLike) -> Floats:
    """Mean of (silhouette + 1) / 2 over each cluster; 1/2 where there is no other."""
    labels = np.asarray(ensemble.labels)
    found = []
    for m, k in enumerate(ensemble.n_clusters_each):
        column = labels[:, m]
        seen = column[column >= 0]
        widths = np.zeros(len(seen))
        if len(np.unique(seen)) > 1:
            widths = silhouette_samples(X, column)
        sums = np.bincount(seen, widths, minlength=k)
        found.append(sums / np.maximum(np.bincount(seen, minlength=k), 1))
    return (np.concatenate(found) + 1.0) / 2.0


def constraint_shares(
    ensemble: Ensemble, constraints: ConstraintSet, local_share: float
) -> Floats:
    """How many constraints are met, by clusterings and by their clusters."""
    n_pairs = len(constraints)
    shares = np.ones(ensemble.n_clusters_total)
    if not n_pairs:
        return shares
    labels = np.asarray(ensemble.labels)
    pairs = constraints.pairs
    for m, (lo, hi) in enumerate(
        zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True)
    ):
        met = ~constraints.violated(labels[:, m])
        ends = labels[pairs, m]
        for c in range(hi - lo):
            touches = (ends == c).any(axis=1)
            p = int(touches.sum())
            expected = ensemble.sizes[lo + c] / ensemble.n_objects * n_pairs
            g = _local_weight(p, expected, n_pairs, local_share)
            own = met[touches].mean() if p else 1.0
            shares[lo + c] = (1.0 - g) * met.mean() + g * own
    return shares


def _local_weight(p: int, expected: float, n_pairs: int, local_share: float) -> float:
    """How much the constraints that touch a cluster count; 0 if there are none."""
    if p < expected:
        return local_share * p / expected
    if n_pairs <= expected:
        return 1.0
    return local_share + (1.0 - local_share) * (p - expected) / (n_pairs - expected)
