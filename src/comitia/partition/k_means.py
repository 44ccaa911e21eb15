"""K-means on points, on the rows of the indicator matrix, and on label rows."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._arrays import device_of
from comitia._inputs import masked_to_nan
from comitia._kernels.sums import over_ranges
from comitia._steps import check_choice
from comitia.engine.protocol import Centers
from comitia.engine.row_blocks import LocalBlocks, Micro, MicroRows, join, micro_rows
from comitia.engine.sparse import FloatRows
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.partition._lloyd import (
    Entropy,
    Matches,
    Partition,
    PowerNorm,
    Rule,
    Shares,
    Squared,
    lloyd,
)

__all__ = [
    "KMeansResult",
    "RowsResult",
    "kmeans",
    "kmeans_rows",
    "kmodes",
]

Floats = NDArray[np.float64]
Utility: TypeAlias = Literal["squared", "entropy", "cosine", "lp", "shares"]


class KMeansResult(NamedTuple):
    """What k-means found.

    Attributes
    ----------
    labels : ndarray of shape (n_points,)
        The cluster of each point.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    objective : ndarray
        The objective after each iteration.
    """

    labels: NDArray[np.int32]
    centers: Floats
    objective: Floats


class RowsResult(NamedTuple):
    """What k-means or k-modes found on the rows of an ensemble.

    Attributes
    ----------
    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    objective : ndarray
        The objective after each iteration.
    """

    labels: NDArray[np.int32]
    objective: Floats


class PointRows(FloatRows):
    """Points of a data matrix, with their weights and squared lengths."""

    def __init__(self, X: Floats, weights: Floats, squares: Floats) -> None:
        self.X = X
        self.weights = weights
        self.squares = squares

    def nearest(self, centers: Centers) -> tuple[NDArray[np.int32], Floats]:
        from comitia._kernels.label_rows import nearest_points

        table, penalty = np.ascontiguousarray(centers.table), centers.penalty
        labels = np.empty(len(self.X), dtype=np.int32)
        best = np.empty(len(self.X))

        def work(start: int, stop: int) -> None:
            rows = slice(start, stop)
            nearest_points(self.X[rows], table, penalty, labels[rows], best[rows])

        over_ranges(work, len(labels))
        return labels, best

    def scores(self, table: Floats) -> Floats:
        return self.X @ table

    def sums(self, labels: NDArray[np.int32], n_clusters: int) -> Floats:
        from comitia._kernels.label_rows import sum_points

        sums = np.zeros((n_clusters, self.X.shape[1]))
        # One range: sums of floats would depend on how many there are.
        sum_points(self.X, labels, self.weights, sums)
        return sums

    def dense(self, which: NDArray[np.int64]) -> Floats:
        return self.X[which]

    def present(self, which: NDArray[np.int64]) -> Floats:
        return np.ones(len(which))

    def take(self, which: NDArray[np.int64], *, counted: bool = False) -> PointRows:
        return PointRows(self.X[which], np.ones(len(which)), self.squares[which])


def kmeans(
    X: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    sample_weight: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 300,
    tol: float = 1e-7,
) -> KMeansResult:
    r"""Weighted k-means.

    .. math::
        \min \sum_{r} \sum_{i \in r} a_i \, \lVert x_i - c_r \rVert^2, \qquad
        c_r = \sum_{i \in r} a_i x_i \Big/ \sum_{i \in r} a_i .

    Parameters
    ----------
    X : array-like of shape (n_points, n_features)
        The points :math:`x_i`.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Draws the starts, by greedy k-means++.

    sample_weight : array-like of shape (n_points,), default=None
        Weight :math:`a_i` of each point; 1 by default.

    n_init : int, default=10
        Number of starts; the best one is returned.

    max_iter : int, default=300
        Most iterations of each start.

    tol : float, default=1e-7
        Stop when the objective falls by less than this share of itself.

    Returns
    -------
    labels : ndarray of shape (n_points,)
        The cluster of each point. A cluster that loses all its points gets the one
        that is farthest from its centre.

    centers : ndarray of shape (n_clusters, n_features)
        The centres.

    objective : ndarray of shape (n_iter,)
        The objective after each iteration.

    Examples
    --------
    >>> import numpy as np
    >>> points = [[0.0], [1.0], [10.0], [11.0]]
    >>> labels, centers, objective = kmeans(points, 2, np.random.RandomState(0))
    >>> sorted(centers.ravel().tolist()), objective[-1].item()
    ([0.5, 10.5], 1.0)
    """
    points = np.ascontiguousarray(X, dtype=np.float64)
    if points.ndim != 2 or len(points) == 0:
        raise ComitiaError(
            "X must be a table with one row per point; got an array of shape "
            f"{points.shape}."
        )
    if not np.isfinite(points).all():
        raise ComitiaError("X must be finite; it contains NaN or infinity.")
    weights = _check_weights(sample_weight, len(points), "sample_weight", "point")
    _check_n_clusters(n_clusters, len(points), "points")
    # About the mean squared lengths are smallest, and with them the rounding errors.
    middle = np.average(points, axis=0, weights=weights)
    shifted = points - middle
    squares = np.einsum("ij,ij->i", shifted, shifted)
    found = lloyd(
        LocalBlocks([PointRows(shifted, weights, squares)]),
        Squared(np.transpose),
        n_clusters,
        rng,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )
    labels = join(found.labels, len(points))
    _warn_unconverged(found)
    return KMeansResult(labels, found.centers.table.T + middle, found.objective)


def kmeans_rows(
    ensemble: Ensemble,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    clustering_weights: ArrayLike | None = None,
    object_weights: ArrayLike | None = None,
    row_scale: ArrayLike | None = None,
    utility: Utility = "squared",
    norm_power: float = 5.0,
    normalized: bool = False,
    n_init: int = 10,
    max_iter: int = 100,
    tol: float = 1e-5,
) -> RowsResult:
    r"""Weighted k-means on the rows of the indicator matrix, which is never formed.

    With :math:`b_{im}` the one-hot block of clustering m in row i of B, and
    :math:`c_{rm}` the weighted mean of the blocks of cluster r,

    .. math::
        \min \sum_r \sum_{i \in r} a_i \sum_{m=1}^{M} w_m \,
        f(s_i b_{im}, c_{rm}), \qquad
        f(x, y) = \lVert x - y \rVert^2 \;\text{or}\;
        -\textstyle\sum_c x_c \log_2 y_c .

    The squared distance maximises the utility :math:`U_c` of the category utility
    function, the logarithm the utility :math:`U_H`, the mutual information [1]_. Where
    an object has no label, it enters neither the mean nor the distance.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Draws the starts, by greedy k-means++; on a sample of the objects when there
        are more than forty thousand different ones.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight :math:`w_m` of each clustering; 1 by default.

    object_weights : array-like of shape (n_objects,), default=None
        Weight :math:`a_i` of each object; 1 by default.

    row_scale : array-like of shape (n_objects,), default=None
        Factor :math:`s_i` of each row; 1 by default. Only with ``utility="squared"``.

    utility : {"squared", "entropy", "cosine", "lp", "shares"}, default="squared"
        The distance :math:`f`. ``"cosine"`` and ``"lp"`` compare directions: with the
        share :math:`y_c` of the label of the object they are
        :math:`1 - (y_c / \lVert y \rVert_p)^{p-1}`, with p = 2 for the cosine.
        ``"shares"`` is :math:`1 - y_c`, which stops where it would rise.

    norm_power : float, default=5.0
        The power p of ``"lp"``.

    normalized : bool, default=False
        Divide :math:`w_m` by the sum of the squared cluster shares of clustering m
        (squared, shares), by its entropy in bits (entropy) or by the norm of its
        cluster shares (cosine, lp).

    n_init : int, default=10
        Number of starts; the best one is returned.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    objective : ndarray of shape (n_iter,)
        The objective after each iteration.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao and J. Chen, "K-means-based consensus
       clustering: a unified view", IEEE TKDE 27(1), 2015.
       :doi:`10.1109/TKDE.2014.2316512`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> labels, objective = kmeans_rows(votes, 2, np.random.RandomState(0))
    >>> objective[-1].item()
    2.0
    """
    check_choice("utility", utility, get_args(Utility))
    if utility != "squared" and row_scale is not None:
        raise ComitiaError(
            f'row_scale has no meaning with utility="{utility}"; leave it out or use '
            'utility="squared".'
        )
    _check_n_clusters(n_clusters, ensemble.n_objects, "objects")
    w = _cluster_weights(ensemble, clustering_weights)
    if normalized:
        itself = _utility_of_itself(ensemble, utility, norm_power)
        w = w / itself[ensemble.clustering_of]
    micro = _merged_rows(ensemble, object_weights, row_scale)
    blocks = ensemble.offsets[:-1]
    found = lloyd(
        micro.lloyd_rows(micro.rows.map(_row_squares, w=w), by_clustering=True),
        _rule(utility, w, blocks, norm_power),
        n_clusters,
        rng,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
    )
    labels = micro.spread(found.labels)
    _warn_unconverged(found)
    return RowsResult(labels, found.objective)


def _rule(
    utility: Utility, w: Floats, blocks: NDArray[np.int64], norm_power: float
) -> Rule:
    if utility == "squared":
        return Squared(Weighted(w), blocks)
    if utility == "entropy":
        return Entropy(w, blocks)
    if utility == "shares":
        return Shares(w, blocks)
    return PowerNorm(w, blocks, 2.0 if utility == "cosine" else norm_power)


def kmodes(
    ensemble: Ensemble,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    clustering_weights: ArrayLike | None = None,
    object_weights: ArrayLike | None = None,
    n_init: int = 10,
    max_iter: int = 100,
) -> RowsResult:
    r"""K-modes on label rows: k-means for categories.

    A cluster is described by its most frequent label in each clustering, its mode
    :math:`q_{rm}`, and an object costs the labels in which it differs [1]_:

    .. math::
        \min \sum_r \sum_{i \in r} a_i \sum_{m=1}^{M} w_m \,
        [\, l_{im} \ne q_{rm} \,].

    Missing labels are ignored, and ties go to the lowest label.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings; fuzzy and overlapping ones are refused.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Draws the starts, by greedy k-means++ on the number of differing labels.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight :math:`w_m` of each clustering; 1 by default.

    object_weights : array-like of shape (n_objects,), default=None
        Weight :math:`a_i` of each object; 1 by default.

    n_init : int, default=10
        Number of starts; the best one is returned.

    max_iter : int, default=100
        Most iterations of each start.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        The cluster of each object.

    objective : ndarray of shape (n_iter,)
        The objective after each iteration.

    References
    ----------
    .. [1] Z. Huang, "Extensions to the k-means algorithm for clustering large data
       sets with categorical values", Data Mining and Knowledge Discovery 2(3), 1998.
       :doi:`10.1023/A:1009769707641`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> labels, objective = kmodes(votes, 2, np.random.RandomState(0))
    >>> objective[-1].item()
    2.0
    """
    if not ensemble.is_hard:
        raise ComitiaError(
            f"kmodes needs one label per object and clustering; the ensemble is "
            f"{ensemble.kind}. Use kmeans_rows, which takes memberships."
        )
    _check_n_clusters(n_clusters, ensemble.n_objects, "objects")
    w = _cluster_weights(ensemble, clustering_weights)
    micro = _merged_rows(ensemble, object_weights, None)
    found = lloyd(
        micro.lloyd_rows(micro.rows.map(_row_squares, w=w)),
        Matches(w, ensemble.offsets[:-1]),
        n_clusters,
        rng,
        n_init=n_init,
        max_iter=max_iter,
        tol=0.0,
    )
    labels = micro.spread(found.labels)
    _warn_unconverged(found)
    return RowsResult(labels, found.objective)


class Weighted:
    """The metric of weighted columns: centres to their scores.

    Parameters
    ----------
    weights : ndarray of shape (n_clusters of the ensemble,)
        Weight of each column.
    """

    def __init__(self, weights: Floats) -> None:
        self.weights = weights

    def __call__(self, centers: Floats) -> Floats:
        return (centers * self.weights).T


def _row_squares(micro: Micro, *, w: Floats) -> Floats:
    """Weighted squared length of each row of B, times its scale."""
    if micro.ensemble.is_hard:  # zeros and ones are their own squares
        squares = micro.ensemble.engine.row_sums(w)
    else:
        B = micro.ensemble.membership
        squares = np.asarray((B * B) @ w)
    return squares if micro.scale is None else squares * micro.scale**2


def _merged_rows(
    ensemble: Ensemble, object_weights: ArrayLike | None, row_scale: ArrayLike | None
) -> MicroRows:
    """Objects with equal rows as one."""
    n = ensemble.n_objects
    each = scale = None
    if object_weights is not None:
        each = _check_weights(object_weights, n, "object_weights", "object")
    if row_scale is not None:
        scale = _check_weights(row_scale, n, "row_scale", "object")
        if not scale.all():
            raise ComitiaError("row_scale must be positive; it contains zero.")
    return micro_rows(ensemble, each, scale)


def _cluster_weights(
    ensemble: Ensemble, clustering_weights: ArrayLike | None
) -> Floats:
    weights = _check_weights(
        clustering_weights, ensemble.n_clusterings, "clustering_weights", "clustering"
    )
    return weights[ensemble.clustering_of]


def _utility_of_itself(
    ensemble: Ensemble, utility: Utility, norm_power: float
) -> Floats:
    """What each clustering would reach as its own consensus, (M,)."""
    blocks = ensemble.offsets[:-1]
    sizes = ensemble.sizes.astype(np.float64)
    shares = sizes / np.add.reduceat(sizes, blocks)[ensemble.clustering_of]
    if utility in ("squared", "shares"):
        return np.add.reduceat(shares**2, blocks)
    if utility != "entropy":
        p = 2.0 if utility == "cosine" else norm_power
        return np.asarray(np.add.reduceat(shares**p, blocks) ** (1.0 / p))
    bits = -shares * np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    entropies = np.add.reduceat(bits, blocks)
    # A clustering with one cluster costs nothing, whatever its weight.
    return np.where(entropies > 0, entropies, 1.0)


def _check_weights(weights: ArrayLike | None, n: int, name: str, noun: str) -> Floats:
    if weights is None:
        return np.ones(n)
    on_device = device_of(weights) is not None
    checked: Any = masked_to_nan(weights)
    if not on_device:
        checked = np.asarray(checked, dtype=np.float64)
    if checked.shape != (n,):
        raise ComitiaError(
            f"{name} must have one value per {noun}, {n}; got shape {checked.shape}."
        )
    finite = checked.isfinite() if on_device else np.isfinite(checked)
    if not finite.all() or (checked < 0).any():
        raise ComitiaError(f"{name} must be finite and not negative.")
    if not checked.any():
        raise ComitiaError(f"{name} are all zero; give at least one positive value.")
    return checked


def _check_n_clusters(n_clusters: int, n: int, noun: str) -> None:
    if not 1 <= n_clusters <= n:
        raise ComitiaError(
            f"n_clusters={n_clusters} must be between 1 and the number of {noun}, {n}."
        )


def _warn_unconverged(found: Partition) -> None:
    if not found.converged:
        from sklearn.exceptions import ConvergenceWarning

        warnings.warn(
            f"k-means did not converge in max_iter={len(found.objective)} iterations; "
            "raise max_iter or tol.",
            ConvergenceWarning,
            stacklevel=3,
        )
