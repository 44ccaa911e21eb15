"""What plots and reports show of a consensus: an order, a map, a profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import refuse_masks_and_dates
from comitia._names import in_order, matching_rows
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.coassociation import combined_weights
from comitia.represent.votes import check_labels, overlaps

__all__ = [
    "Profile",
    "binned_coassociation",
    "cluster_profile",
    "consensus_order",
    "embed_objects",
    "seriated_order",
]

Floats = NDArray[np.float64]

# Beyond this many columns Lanczos iterations beat a dense decomposition.
_DENSE_UP_TO = 512

# A direction that carries less of the variance than this is rounding.
_NOTHING = 1e-12

# A smaller share of the objects, joined to no other, has no say in the axes of the map.
_SMALL_GROUP = 1 / 20


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


def consensus_order(
    labels: ArrayLike, confidence: ArrayLike | None = None
) -> NDArray[np.int64]:
    """Objects cluster by cluster, the surest of each cluster first.

    Parameters
    ----------
    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1; objects without a cluster, -1, come last.

    confidence : array-like of shape (n_objects,), default=None
        How sure each object is; all alike by default. Of equals, the first comes
        first.

    Returns
    -------
    order : ndarray of shape (n_objects,)
        Indices of the objects.

    Examples
    --------
    >>> consensus_order([1, 0, 1, 0], [0.5, 0.6, 0.9, 0.8])
    array([3, 1, 2, 0])
    """
    codes, k = check_labels(labels, "labels")
    sure = np.zeros(len(codes)) if confidence is None else np.asarray(confidence)
    if sure.shape != codes.shape:
        raise ComitiaError(
            f"confidence must have one entry per object, {len(codes)}; got shape "
            f"{sure.shape}."
        )
    return np.lexsort((-sure, np.where(codes < 0, k, codes)))


def seriated_order(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.int64]:
    """Objects cluster by cluster, in each cluster the alike next to each other.

    Within a cluster objects stand in the order of the leading non-trivial vector of the
    graph of its objects and the clusters they are in, the first coordinate of
    :func:`embed_objects`: what the clusterings keep together stays together.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1; objects without a cluster, -1, come last.

    Returns
    -------
    order : ndarray of shape (n_objects,)
        Indices of the objects; of equals, the first comes first.

    See Also
    --------
    consensus_order : The surest of each cluster first.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [0, 0], [1, 2], [0, 1]])
    >>> seriated_order(votes, [0, 0, 0, 1, 0])
    array([1, 4, 0, 2, 3])
    """
    codes, k = check_labels(labels, "labels", ensemble.n_objects)
    micro = ensemble.distinct()
    B = micro.ensemble.membership
    along = np.zeros(len(codes))
    for c in range(k):
        inside = np.flatnonzero(codes == c)
        kinds, place, counts = np.unique(
            micro.inverse[inside], return_inverse=True, return_counts=True
        )
        if len(kinds) > 1:
            part = B[kinds]
            used = np.unique(part.indices)
            coordinates = _principal_coordinates(part[:, used], counts)
            along[inside] = coordinates[place, 0]
    return np.lexsort((along, np.where(codes < 0, k, codes)))


def binned_coassociation(
    ensemble: Ensemble,
    order: ArrayLike,
    n_bins: int,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    co_sampled: bool = False,
) -> Floats:
    r"""Mean co-association of each two bins of objects, without an n × n matrix.

    Objects are put into bins of equal size, or nearly so, in the order given. The mean
    over the pairs of two bins, an object with itself included, is the inner product of
    their mean indicator rows:

    .. math::
        \frac{1}{|p| |q|} \sum_{i \in p} \sum_{j \in q} S_{ij} = \bar b_p' W \bar b_q,
        \qquad \bar b_p = \frac{1}{|p|} \sum_{i \in p} b_i .

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    order : array-like of shape (n_objects,)
        Indices of the objects, such as :func:`consensus_order` gives.

    n_bins : int
        Number of bins, 1 to n_objects. With n_objects bins the result is the
        co-association itself, in the order given.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    co_sampled : bool, default=False
        Divide by the mean share of clusterings that have both objects, for clusterings
        of subsamples. Bins that are never sampled together get 0.

    Returns
    -------
    coassociation : ndarray of shape (n_bins, n_bins)
        The means, symmetric. Bin b holds ``order[edges[b]:edges[b + 1]]`` with
        ``edges = np.arange(n_bins + 1) * n_objects // n_bins``.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]])
    >>> binned_coassociation(votes, [0, 1, 2, 3], 2)
    array([[0.75, 0.25],
           [0.25, 1.  ]])
    """
    n = ensemble.n_objects
    places = np.asarray(order)
    if places.shape != (n,) or not np.array_equal(np.sort(places), np.arange(n)):
        raise ComitiaError(f"order must hold each of 0..{n - 1} once.")
    if not 1 <= n_bins <= n:
        raise ComitiaError(f"n_bins={n_bins} must lie in 1..{n}.")
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    sizes = np.diff(np.arange(n_bins + 1) * n // n_bins)
    bins = np.empty(n, dtype=np.int32)
    bins[places] = np.repeat(np.arange(n_bins, dtype=np.int32), sizes)
    rows = overlaps(ensemble, bins, n_bins).T / sizes[:, None]
    S = _symmetric_product(rows, weights)
    if not co_sampled or ensemble.kind == "hard":
        return S
    present = ensemble.codes != ensemble.n_clusters_each[:, None]
    seen = np.empty((n_bins, ensemble.n_clusterings))
    for m, known in enumerate(present):
        seen[:, m] = np.bincount(bins, known, minlength=n_bins) / sizes
    M = ensemble.n_clusterings
    share = _symmetric_product(seen, np.full(M, 1.0 / M))
    return np.divide(S, share, out=np.zeros_like(S), where=share > 0)


def embed_objects(ensemble: Ensemble, X: ArrayLike | None = None) -> Floats:
    r"""Two-dimensional map of the objects.

    With data, the two leading principal components of the standardised features.
    Without, the two leading non-trivial vectors of the graph of objects and clusters,

    .. math::
        D_x^{-1/2} B \, D_y^{-1/2} = \sum_r \sigma_r u_r e_r', \qquad
        f_r = \sqrt{t} \, D_x^{-1/2} \sigma_r u_r , \quad r = 1, 2,

    with the degrees :math:`D_x, D_y` of objects and clusters, their sum t and the
    trivial :math:`\sigma_0 = 1` left out: the principal coordinates of a multiple
    correspondence analysis of the labels. Objects that the same clusters hold are at
    one place. A few objects that no chain of clusters joins to the others, such as a
    vertex without edges, would take an axis for themselves; where a group has less than
    a twentieth of the objects it is put below the others instead.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    X : array-like of shape (n_objects, n_features), default=None
        The data.

    Returns
    -------
    positions : ndarray of shape (n_objects, 2)
        Centred, but for groups put below the others; the first axis spreads the objects
        most. An axis without spread is zero. Time and memory are linear in the number
        of objects, and the signs are those with which the largest loading is positive.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 0], [1, 0]])
    >>> embed_objects(votes).round(2).tolist()
    [[0.71, 0.0], [0.71, 0.0], [-0.71, 0.0], [-0.71, 0.0]]
    """
    if X is not None:
        data = check_features(X, ensemble.n_objects, ensemble)
        spread = data.std(axis=0)
        Z = (data - data.mean(axis=0)) / np.where(_constant(data), 1.0, spread)
        if Z.shape[0] >= Z.shape[1]:
            return np.asarray(Z @ _leading(Z, None))
        # The smaller side: the loadings follow from the scores.
        loadings = Z.T @ _leading(Z.T, None)
        lengths = np.linalg.norm(loadings, axis=0)
        loadings /= np.where(lengths > 0, lengths, 1.0)
        return np.asarray(Z @ _signed(loadings))
    micro = ensemble.distinct()
    B, counts = micro.ensemble.membership, micro.counts
    group = _joined_groups(B)
    sizes = np.bincount(group, counts)
    small = sizes < _SMALL_GROUP * sizes.sum()
    apart = small[group] if not small.all() else np.zeros(len(group), dtype=bool)
    places = np.empty((len(group), 2))
    places[~apart] = _principal_coordinates(B[~apart], counts[~apart])
    if apart.any():
        low, high = places[~apart].min(axis=0), places[~apart].max(axis=0)
        _, rank = np.unique(group[apart], return_inverse=True)
        step = (rank + 0.5) / (rank.max() + 1)
        places[apart, 0] = low[0] + step * (high[0] - low[0])
        # A fifth of the picture below; of one where all are in a line, of its length.
        places[apart, 1] = low[1] - 0.2 * ((high - low)[1] or (high - low)[0] or 1.0)
    return places[micro.inverse]


def _joined_groups(B: Any) -> NDArray[np.int64]:
    """Which rows of an indicator matrix a chain of columns joins, numbered."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    # A path of objects and clusters; a cluster without objects is a group of its own.
    _, groups = connected_components(block_array([[None, B], [B.T, None]]), False)
    return np.unique(groups[: B.shape[0]], return_inverse=True)[1]


def _principal_coordinates(B: Any, counts: NDArray[np.int64]) -> Floats:
    """Two coordinates of the rows of an indicator matrix, each there several times."""
    d_x = np.asarray(B.sum(axis=1)).ravel() * counts
    d_y = np.asarray(B.T @ counts)
    # Empty clusters, and objects that no clustering has, stay at the origin.
    root_x = np.sqrt(np.where(d_x > 0, d_x, 1.0))
    root_y = np.sqrt(np.where(d_y > 0, d_y, 1.0))
    A = B.multiply((counts / root_x)[:, None]).multiply(1.0 / root_y).tocsr()
    trivial = np.sqrt(d_y / d_y.sum())
    return np.asarray((A @ _leading(A, trivial)) * (d_y.sum() ** 0.5 / root_x)[:, None])


def cluster_profile(X: ArrayLike, labels: ArrayLike) -> Profile:
    r"""What makes each cluster different, feature by feature.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data, in the units in which the means shall be read.

    labels : array-like of shape (n_objects,)
        The consensus, 0..n_clusters - 1; objects without a cluster, -1, count among
        all objects only.

    Returns
    -------
    profile : Profile
        Means, standardised differences and effects of each cluster and feature.

    Examples
    --------
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
    # About the mean of all objects, so that large values cancel no digits.
    Z = data - center
    Z[:, _constant(data)] = 0.0
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
    # The sums over all objects are zero about their mean.
    apart = shifts + sums / np.where(rest > 0, rest, 1)
    within = squares - sums**2 / full
    within += (total - squares) - sums**2 / np.where(rest > 0, rest, 1)
    within = np.maximum(within, 0.0)
    within[within <= _NOTHING * total] = 0.0
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


def check_features(X: Any, n: int, objects: Any = None) -> Floats:
    """Check a table of numbers with one row for each object.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
        The data.

    n : int
        Number of objects.

    objects : Ensemble or Series, default=None
        What has the names of the objects in their order, where they have names.

    Returns
    -------
    X : ndarray of shape (n, n_features)
        As float64, in the order of the objects.
    """
    rows = matching_rows(objects, X, ("the result", "X"))
    refuse_masks_and_dates(X, "X")
    try:
        data = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ComitiaError(
            "X must be a table of numbers, one row per object and one column per "
            f"feature; got a {type(X).__name__} that is none."
        ) from None
    if data.ndim != 2 or len(data) != n or data.shape[1] == 0:
        raise ComitiaError(
            f"X must have one row per object, {n}, and at least one column; got shape "
            f"{data.shape}."
        )
    if not np.isfinite(data).all():
        raise ComitiaError("X must be finite; got NaN or infinity.")
    return in_order(data, rows)


def _leading(A: Any, without: Floats | None) -> Floats:
    """The two leading right singular vectors of A, orthogonal to a known one."""
    q = A.shape[1]
    known = np.zeros(q) if without is None else without
    if q <= _DENSE_UP_TO:
        gram = A.T @ A
        gram = gram if isinstance(gram, np.ndarray) else gram.toarray()
        values, vectors = np.linalg.eigh(gram - np.outer(known, known))
    else:
        from scipy.sparse.linalg import LinearOperator, eigsh

        def product(v: Floats) -> Floats:
            v = np.ravel(v)
            return np.asarray(A.T @ (A @ v)) - known * (known @ v)

        gram = LinearOperator((q, q), matvec=product, dtype=np.float64)
        # ARPACK would draw its own start, another one in each run.
        start = np.random.RandomState(0).uniform(0.5, 1.5, size=q)
        values, vectors = eigsh(gram, 2, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")[:2]
    vectors = vectors[:, order]
    total = (A.multiply(A) if hasattr(A, "multiply") else A * A).sum()
    vectors[:, values[order] <= _NOTHING * total] = 0.0
    if q == 1:
        vectors = np.hstack([vectors, np.zeros((1, 1))])
    return _signed(vectors)


def _signed(vectors: Floats) -> Floats:
    """Vectors whose largest entries are positive."""
    sizes = np.abs(vectors)
    # Of entries that only rounding tells apart, the first.
    largest = (sizes >= (1 - 1e-9) * sizes.max(axis=0)).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return vectors * np.where(signs == 0, 1.0, signs)


def _symmetric_product(rows: Floats, weights: Floats) -> Floats:
    S = (rows * weights) @ rows.T
    # BLAS does not promise a symmetric product.
    return (S + S.T) / 2


def _constant(data: Floats) -> NDArray[np.bool_]:
    """Features whose standard deviation would be nothing but rounding."""
    return np.asarray(np.ptp(data, axis=0) == 0)


def _ratio(numerator: Floats, denominator: Floats) -> Floats:
    """A quotient in which 0 / 0 is 0 and x / 0 is infinite."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = numerator / denominator
    return np.where((numerator == 0) & (denominator == 0), 0.0, ratio)
