"""Probabilities that objects belong to clusters, from their distances to them."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["profile_similarity", "soft_assignment", "weighted_centers"]

Floats = NDArray[np.float64]


def weighted_centers(
    X: ArrayLike, ensemble: Ensemble, object_weights: ArrayLike | None = None
) -> Floats:
    r"""Weighted mean of the objects of each cluster.

    .. math::
        \mu_c = \frac{\sum_i w_i B_{ic} x_i}{\sum_i w_i B_{ic}}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ensemble : Ensemble
        The clusterings.

    object_weights : array-like of shape (n_objects,), default=None
        Weight :math:`w_i` of each object; 1 by default.

    Returns
    -------
    centers : ndarray of shape (n_clusters, n_features)
        The plain mean where all objects of a cluster weigh nothing; NaN for a cluster
        without objects.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> weighted_centers([[0.0], [1.0], [2.0]], Ensemble([[0], [0], [0]]), [1, 1, 3])
    array([[1.4]])
    """
    data = np.asarray(X, dtype=np.float64)
    n = ensemble.n_objects
    if data.ndim != 2 or len(data) != n:
        raise ComitiaError(
            f"X must have one row per object, {n}; got shape {data.shape}."
        )
    w = np.ones(n) if object_weights is None else np.asarray(object_weights, float)
    if w.shape != (n,) or not np.isfinite(w).all() or (w < 0).any():
        raise ComitiaError(f"object_weights must be {n} finite numbers, none negative.")
    B: Any = ensemble.membership
    totals = B.T @ w
    centers = B.T @ (w[:, None] * data)
    weightless = totals == 0
    if weightless.any():
        rest = B.T.tocsr()[weightless]
        totals[weightless] = np.asarray(rest.sum(axis=1)).ravel()
        centers[weightless] = rest @ data
    totals[totals == 0] = np.nan
    return np.asarray(centers / totals[:, None])


def soft_assignment(
    X: ArrayLike,
    ensemble: Ensemble,
    *,
    object_weights: ArrayLike | None = None,
    temperature: float | Literal["each", "first"] = "each",
) -> Floats:
    r"""Probability of each cluster for each object, by its distance to the centre.

    .. math::
        P_{ic} = \frac{e^{-\lVert x_i - \mu_c \rVert^2 / \alpha}}
        {\sum_{d \in C_m} e^{-\lVert x_i - \mu_d \rVert^2 / \alpha}},
        \qquad c \in C_m,

    with the weighted means :math:`\mu_c` of the clusters [1]_.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    ensemble : Ensemble
        The clusterings. Objects that one leaves out have probabilities there too.

    object_weights : array-like of shape (n_objects,), default=None
        Weight of each object in the means; 1 by default.

    temperature : float, "each" or "first", default="each"
        The :math:`\alpha`. "each" is the mean squared distance of the objects to the
        centres of each clustering; "first" is that of the first clustering for all.
        Close to 0 an object belongs to the nearest centre alone.

    Returns
    -------
    probabilities : ndarray of shape (n_objects, n_clusters)
        The probabilities of the clusters of one clustering sum to 1.

    References
    ----------
    .. [1] Y. Ren, C. Domeniconi, G. Zhang and G. Yu, "Weighted-object ensemble
       clustering: methods and analysis", Knowledge and Information Systems 51(2), 2017.
       :doi:`10.1007/s10115-016-0988-y`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0], [0], [1], [1]])
    >>> soft_assignment([[0], [2], [4], [6]], votes, temperature=8).round(3)
    array([[0.953, 0.047],
           [0.731, 0.269],
           [0.269, 0.731],
           [0.047, 0.953]])
    """
    if isinstance(temperature, str):
        if temperature not in ("each", "first"):
            raise ComitiaError(
                f'temperature={temperature!r} is neither a number, "each" nor "first".'
            )
    elif not temperature > 0:
        raise ComitiaError(f"temperature={temperature} must be positive.")
    n, K = ensemble.n_objects, ensemble.n_clusters_total
    require_memory(2 * 8 * n * K, f"the probabilities of {K} clusters, {n} objects")
    centers = weighted_centers(X, ensemble, object_weights)
    # Squares of small distances between large numbers would lose their digits.
    data = np.asarray(X, dtype=np.float64)
    center = data.mean(axis=0)
    data, centers = data - center, centers - center
    P = np.empty((n, K))
    alpha = temperature
    for m in range(ensemble.n_clusterings):
        own = slice(ensemble.offsets[m], ensemble.offsets[m + 1])
        squared = _squared_distances(data, centers[own])
        if temperature == "each" or (temperature == "first" and m == 0):
            # Nothing tells objects apart where all distances are zero.
            alpha = float(squared[np.isfinite(squared)].mean()) or 1.0
        squared -= squared.min(axis=1, keepdims=True)
        with np.errstate(over="ignore"):  # infinitely far is what is meant
            np.exp(-squared / float(alpha), out=P[:, own])
        P[:, own] /= P[:, own].sum(axis=1, keepdims=True)
    return P


def profile_similarity(
    probabilities: ArrayLike, ensemble: Ensemble, *, dtype: DTypeLike = np.float32
) -> NDArray[Any]:
    r"""Mean cosine of the probabilities that two objects have in each clustering.

    .. math::
        S_{ij} = \frac{1}{M} \sum_{m=1}^{M}
        \frac{\langle P^m_i, P^m_j \rangle}{\lVert P^m_i \rVert \lVert P^m_j \rVert},

    the co-association where probabilities are 0 and 1.

    Parameters
    ----------
    probabilities : array-like of shape (n_objects, n_clusters)
        Probability of each cluster of each clustering.

    ensemble : Ensemble
        The clusterings; they say which clusters belong together.

    dtype : dtype, default=float32
        Type of the result.

    Returns
    -------
    similarity : ndarray of shape (n_objects, n_objects)
        Symmetric.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1]])
    >>> profile_similarity(votes.membership.toarray(), votes)
    array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5],
           [0. , 0.5, 1. ]], dtype=float32)
    """
    P = np.asarray(probabilities, dtype=np.float64)
    n = ensemble.n_objects
    if P.shape != (n, ensemble.n_clusters_total):
        raise ComitiaError(
            f"probabilities must have shape {(n, ensemble.n_clusters_total)}; got "
            f"{P.shape}."
        )
    require_memory(
        n * n * np.dtype(dtype).itemsize,
        f"the similarity of each two of {n} objects",
        "use a method that is linear in n, such as wohb or lwgp",
    )
    lengths = np.sqrt(np.add.reduceat(P * P, ensemble.offsets[:-1], axis=1))
    seen = lengths > 0
    lengths[~seen] = 1.0  # an object that is in no cluster of a clustering
    Q = (P / lengths[:, ensemble.clustering_of]).astype(dtype)
    S = np.asarray(Q @ Q.T)
    if seen.all():
        S /= ensemble.n_clusterings
        return S
    present = seen.astype(dtype)
    for i, row in enumerate(S):
        row /= np.maximum(present @ present[i], 1.0)
    return S


def _squared_distances(data: Floats, centers: Floats) -> Floats:
    squared: Floats = (data**2).sum(axis=1)[:, None] + (centers**2).sum(axis=1)
    squared -= 2.0 * (data @ centers.T)
    np.maximum(squared, 0.0, out=squared)
    squared[:, np.isnan(centers).any(axis=1)] = np.inf  # clusters without objects
    return squared
