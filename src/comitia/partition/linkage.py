"""Hierarchical clustering: trees from distances or from an ensemble, and their cuts."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import masked_to_nan
from comitia._steps import check_choice
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.partition.normalized_cut import most_parts
from comitia.represent.coassociation import (
    condensed_coassociation,
    seen_by,
    weight_shares,
)
from comitia.represent.graphs import combined_weights

__all__ = ["Linkage", "cut", "distances_of", "ensemble_linkage", "hac", "lifetime"]

Linkage = Literal["single", "complete", "average", "ward"]

# What a clustering of weight 0 counts for an object that is in no other, as a share of
# the largest weight: nothing beside the others.
_WHISPER = 1e-6

# Rows and columns of a matrix that are compared at a time.
_TILE = 256

_LINEAR = "a method that is linear in n, such as lwgp or sec"
_INSTEAD = f'use linkage="average" or "single" on the ensemble, or {_LINEAR}'


def hac(
    distance: ArrayLike, linkage: Linkage = "average", counts: ArrayLike | None = None
) -> NDArray[np.float64]:
    """Agglomerative clustering of a distance matrix.

    Parameters
    ----------
    distance : array-like of shape (n_objects, n_objects) or condensed
        Distances, symmetric, or the upper triangle row by row.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters. ``"ward"`` takes the entries for Euclidean distances,
        as SciPy does.

    counts : array-like of shape (n_objects,), default=None
        How many equal objects each row stands for. The diagonal of a square distance
        is then the distance between two of them; it is not used otherwise, and zero
        for a condensed one.

    Returns
    -------
    tree : ndarray of shape (n_objects - 1, 4)
        The merges in SciPy form, sorted by height. The last column counts objects,
        each row as often as ``counts`` says.

    See Also
    --------
    ensemble_linkage : The tree of an ensemble, without the matrix.

    Examples
    --------
    >>> hac([[0, 1, 4], [1, 0, 3], [4, 3, 0]])
    array([[0. , 1. , 1. , 2. ],
           [2. , 3. , 3.5, 3. ]])
    >>> hac([[0, 1, 4], [1, 0, 3], [4, 3, 0]], counts=[3, 1, 1])
    array([[0.  , 1.  , 1.  , 4.  ],
           [2.  , 3.  , 3.75, 5.  ]])
    """
    check_choice("linkage", linkage, get_args(Linkage))
    given = np.asarray(masked_to_nan(distance))
    n = _n_objects(given)
    # One copy for us and one inside SciPy; a third where the precision is another.
    n_bytes = 8 * n * (n - 1) + 8 * given.size * (given.dtype != np.float64)
    require_memory(n_bytes, f"linkage of {n} objects", _INSTEAD)
    matrix = given.astype(np.float64, copy=False)
    diagonal = np.diagonal(matrix) if matrix.ndim == 2 else np.zeros(n)
    condensed = _condensed(matrix, n)
    if n == 1:
        return np.empty((0, 4))
    if counts is None:
        from scipy.cluster.hierarchy import linkage as scipy_linkage

        return np.asarray(scipy_linkage(condensed, method=linkage))
    sizes = _check_counts(counts, n)
    pairs, heights = _merges(condensed.copy(), diagonal, sizes, linkage)
    return _tree(pairs, heights, sizes)


def ensemble_linkage(
    ensemble: Ensemble,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    linkage: Linkage = "average",
) -> NDArray[np.float64]:
    r"""Agglomerative clustering of the co-association, where possible without it.

    The distance of two objects is :math:`1 - S_{ij}`, with the weighted co-association
    :math:`S = B W B'` over the clusterings that have both; it is
    :math:`\max S - S_{ij}` where weights make some :math:`S_{ij}` larger than 1.
    Objects with equal labels are one micro-object, whose objects merge at
    :math:`1 - S_{ii}`, and before they merge with others.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters.

    Returns
    -------
    tree : ndarray of shape (n_objects - 1, 4)
        The merges of all objects in SciPy form, sorted by height.

    Notes
    -----
    Average and single linkage of hard and partial ensembles need no matrix of the
    objects. With :math:`a_{xc}` objects of cluster x in base cluster c,

    .. math::
        s(x, y) = \frac{1}{n_x n_y} \sum_c w_c \, a_{xc} \, a_{yc}

    is the mean similarity of x and y. Where labels are missing, pairs of objects
    count as often as clusterings have both: with :math:`p_{xm}` objects of x in
    clustering m, which has the share :math:`u_m` of the weight, :math:`n_x n_y` becomes
    :math:`\sum_m u_m p_{xm} p_{ym}`. Nearest neighbours are merged along chains, over
    lists of the clusters that meet each base cluster, in memory that grows with the
    number of labels. Where no label is missing, bounds on the similarity spare most of
    the lists of average linkage, and most comparisons of single linkage, if the
    clusterings agree; random labels leave nothing to spare. The weights are integers
    inside, so that the sums are exact; weights that are no multiples of each other are
    rounded, to about 9 decimals for 100 000 objects and 7 for a million. Complete and
    Ward linkage, and fuzzy and overlapping ensembles, go through the distances of the
    micro-objects.

    Equal similarities are common, and leave more than one tree. Here a cluster prefers
    the cluster it was reached from, then the one with the lowest object, in an order of
    the objects that their labels alone determine: neither the order in which objects
    and clusterings are given nor the names of labels change the clusters. Objects that
    never meet, in any chain of others either, are joined last, at height 1.

    An object may have no label but in clusterings that weigh nothing. If there is one,
    these count a millionth of the heaviest: little beside others, but all that is known
    of this object.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> ensemble_linkage(Ensemble([[0, 0], [0, 0], [0, 1], [1, 2]]))
    array([[0. , 1. , 0. , 2. ],
           [2. , 4. , 0.5, 3. ],
           [3. , 5. , 1. , 4. ]])
    """
    check_choice("linkage", linkage, get_args(Linkage))
    clustering_weights = _without_orphans(ensemble, clustering_weights)
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    if (weights < 0).any():
        raise ComitiaError(
            "weights of linkage must be 0 or more: clustering_weights times "
            f"cluster_weights is {weights.min():.3g} for a cluster."
        )
    # Equal objects are nearest to each other, unless their memberships are fuzzy.
    if ensemble.kind == "fuzzy":
        n = ensemble.n_objects
        merged, counts, inverse = ensemble, np.ones(n, dtype=np.int64), np.arange(n)
    else:
        merged, counts, inverse = ensemble.distinct().in_content_order()
    seen = shares = None
    if merged.has_missing:
        seen = seen_by(merged)
        shares = weight_shares(ensemble, clustering_weights)
    own = _self_similarity(merged, weights, seen, shares)
    if linkage in ("complete", "ward") or not ensemble.is_hard:
        similar = condensed_coassociation(
            merged,
            clustering_weights=clustering_weights,
            cluster_weights=cluster_weights,
            dtype=np.float64,
        )
        top = _top(own, similar)
        np.subtract(top, similar, out=similar)
        np.maximum(similar, 0.0, out=similar)
        pairs, heights = _merges(similar, top - own, counts, linkage)
    else:
        n_bytes = _matrix_free_bytes(merged, linkage) + 150 * len(inverse)
        what = f"{linkage} linkage of {len(inverse)} objects"
        require_memory(n_bytes, what, f"use {_LINEAR}")
        merges = _average_merges if linkage == "average" else _single_merges
        pairs, similar = merges(merged, weights, counts, seen, shares)
        top = _top(own, similar)
        heights = top - similar
    inner = top - own
    if seen is not None:
        # Two equal objects can be less alike than each is to a third that only the
        # heaviest clusterings have; they still merge before it.
        for side in pairs.T:
            np.minimum.at(inner, side, heights)
    return _expanded_tree(pairs, heights, inverse, inner)


def _without_orphans(
    ensemble: Ensemble, clustering_weights: ArrayLike | None
) -> ArrayLike | None:
    """Weights by which each object is in a clustering that weighs something."""
    if clustering_weights is None or ensemble.kind != "partial":
        return clustering_weights
    shares = weight_shares(ensemble, clustering_weights)
    silent = shares == 0
    if not silent.any() or seen_by(ensemble)[~silent].any(axis=0).all():
        return clustering_weights
    return np.where(silent, _WHISPER * shares.max(), shares)


def distances_of(similarity: NDArray[np.float64]) -> NDArray[np.float64]:
    r"""Distances for a tree, from similarities.

    They are :math:`1 - S_{ij}`. Objects of overlapping clusterings may have more than
    one cluster in common; where a similarity exceeds 1, the largest takes the place
    of 1.

    Parameters
    ----------
    similarity : ndarray of shape (n_objects, n_objects)
        The similarities.

    Returns
    -------
    distances : ndarray of shape (n_objects, n_objects)
        None is negative.

    Examples
    --------
    >>> import numpy as np
    >>> distances_of(np.array([[1.0, 0.25], [0.25, 1.0]]))
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    >>> distances_of(np.array([[2.0, 0.5], [0.5, 1.0]]))
    array([[0. , 1.5],
           [1.5, 1. ]])
    """
    return np.asarray(similarity.max(initial=1.0) - similarity)


def cut(tree: ArrayLike, n_clusters: int | None = None) -> NDArray[np.int64]:
    r"""Cut a tree into clusters.

    Parameters
    ----------
    tree : array-like of shape (n_objects - 1, 4)
        Merges in SciPy form, sorted by height.

    n_clusters : int, default=None
        Number of clusters; this many, also where merges are equally high, since they
        are undone from the last. ``None`` asks :func:`lifetime` for one of at most
        :math:`1 + \sqrt n`.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        Clusters 0, 1, … in the order of their first objects.

    Examples
    --------
    >>> cut([[0, 1, 0.1, 2], [2, 3, 0.9, 3]], n_clusters=2)
    array([0, 0, 1])
    """
    merges = _check_tree(tree)
    n = len(merges) + 1
    k = lifetime(merges, most_parts(n)) if n_clusters is None else n_clusters
    if not 1 <= k <= n:
        raise ComitiaError(
            f"n_clusters={k} does not fit a tree of {n} objects; give 1 to {n}."
        )
    n_merges = n - k
    parent = np.arange(n + n_merges)
    made = n + np.arange(n_merges)
    parent[merges[:n_merges, 0].astype(np.int64)] = made
    parent[merges[:n_merges, 1].astype(np.int64)] = made
    # Each round doubles how far up a node looks.
    while (parent != (up := parent[parent])).any():
        parent = up
    _, first, labels = np.unique(parent[:n], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[labels]


def lifetime(tree: ArrayLike, max_clusters: int | None = None) -> int:
    r"""Number of clusters that lives longest as the tree is cut higher and higher.

    With the merge heights :math:`h_1 \le \dots \le h_{n-1}`, a cut between
    :math:`h_{n-k}` and :math:`h_{n-k+1}` leaves k clusters, so that k lives for
    :math:`h_{n-k+1} - h_{n-k}` [1]_.

    Parameters
    ----------
    tree : array-like of shape (n_objects - 1, 4)
        Merges in SciPy form, sorted by height.

    max_clusters : int, default=None
        Most clusters; n - 1 by default, as published.

    Returns
    -------
    n_clusters : int
        The k from 2 to ``max_clusters`` with the longest lifetime, the smallest of
        equals; 1 when all merges are equally high, so that no number stands out.

    Notes
    -----
    The n single objects are no candidate: their lifetime is the height of the first
    merge, which is the weight that even equal objects lack. Where many objects are
    alone in some clustering, the longest lifetime of all can be near the first merges.

    References
    ----------
    .. [1] A. L. N. Fred and A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005. :doi:`10.1109/TPAMI.2005.113`

    Examples
    --------
    >>> lifetime([[0, 1, 0.1, 2], [2, 3, 0.2, 2], [4, 5, 0.9, 4]])
    2
    """
    heights = _check_tree(tree)[:, 2]
    if len(heights) < 2:
        return 1
    # From the top: the first gap leaves 2 clusters, the next 3, …
    gaps = np.diff(heights)[::-1][: None if max_clusters is None else max_clusters - 1]
    # Gaps that only rounding tells apart are equal.
    tiny = 1e-9 * heights[-1]
    if gaps.max(initial=0.0) <= tiny:
        return 1
    return 2 + int(np.argmax(gaps >= gaps.max() - tiny))


def _top(own: NDArray[np.float64], similar: NDArray[np.float64]) -> float:
    """The similarity at which the distance is 0: 1, unless weights make some larger."""
    top = float(max(own.max(), similar.max(initial=0.0)))
    # Rounding makes 1 + 1e-16 out of weights that sum to 1.
    return top if top > 1.0 + 1e-9 else 1.0


def _matrix_free_bytes(ensemble: Ensemble, linkage: Linkage) -> int:
    """What the merges of different objects take, for each and for each label."""
    if linkage == "average":
        of_object, of_label = 170, 45 if ensemble.kind == "partial" else 27
    else:
        of_object, of_label = 80, 4 + 2 * ensemble.codes.itemsize
    return ensemble.n_objects * (of_object + of_label * ensemble.n_clusterings)


def _average_merges(
    ensemble: Ensemble,
    weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    seen: NDArray[np.bool_] | None,
    shares: NDArray[np.float64] | None,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Merges and similarities; what is similar to nothing merges last, at 0."""
    from comitia._kernels.linkage import average_merges

    # No two clusters have more pairs of objects than halves of all have.
    n_terms = ensemble.n_clusterings * max(int(counts.sum()) ** 2 // 4, 1)
    integers, unit = _integer_weights(weights, n_terms)
    if seen is None or shares is None:
        counted, parts = np.empty((len(counts), 0)), np.empty(0)
    else:
        counted = np.where(seen.T, counts[:, None], 0).astype(np.float64)
        whole, part = _integer_weights(shares, n_terms)
        # What weighs at all has a part of the pairs that are seen.
        parts = np.maximum(whole, shares > 0).astype(np.float64)
        unit /= part
    pairs, similarities = average_merges(
        ensemble.codes, ensemble.offsets, integers, counts, counted, parts
    )
    roots = np.ones(ensemble.n_objects, dtype=bool)
    roots[pairs[:, 1]] = False
    alone = np.flatnonzero(roots)
    last = np.stack([np.full(len(alone) - 1, alone[0]), alone[1:]], axis=1)
    return (
        np.concatenate([pairs, last]),
        np.concatenate([similarities * unit, np.zeros(len(last))]),
    )


def _single_merges(
    ensemble: Ensemble,
    weights: NDArray[np.float64],
    counts: NDArray[np.int64],
    seen: NDArray[np.bool_] | None,
    shares: NDArray[np.float64] | None,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    from comitia._kernels.single_linkage import spanning_tree

    # Sums of int32 run at twice the width; the heights are added up anew below.
    n_terms = ensemble.n_clusterings
    integers, _ = _integer_weights(weights, n_terms, bits=30)
    table = np.zeros((n_terms, ensemble.n_clusters_each.max() + 1), dtype=np.int32)
    for m, k in enumerate(ensemble.n_clusters_each):
        table[m, :k] = integers[ensemble.offsets[m] : ensemble.offsets[m + 1]]
    if seen is None or shares is None:
        edges = spanning_tree(ensemble.codes, table)
        both: NDArray[np.float64] = np.ones(len(edges))
    else:
        parts = np.maximum(_integer_weights(shares, n_terms, bits=30)[0], shares > 0)
        edges = spanning_tree(ensemble.codes, table, seen, parts.astype(np.int32))
        both = shares @ (seen[:, edges[:, 0]] & seen[:, edges[:, 1]])
    similarities = np.zeros(len(edges))
    for m, codes in enumerate(ensemble.codes):
        own = np.append(weights[ensemble.offsets[m] : ensemble.offsets[m + 1]], 0.0)
        one, other = codes[edges[:, 0]], codes[edges[:, 1]]
        similarities += np.where(one == other, own[one], 0.0)
    return edges, similarities / np.where(both > 0, both, 1.0)


def _merges(
    condensed: NDArray[np.float64],
    diagonal: NDArray[np.float64],
    counts: NDArray[np.int64],
    linkage: Linkage,
) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Merges of rows that stand for several objects; the distances are overwritten."""
    from comitia._kernels import linkage as kernels

    n = len(counts)
    sizes = counts.astype(np.float64)
    if linkage == "ward":
        # Equal objects at distance d merge at height d whatever their number, and
        # leave a cluster of within-cluster mean square distance d^2 (a - 1) / a.
        inner = diagonal**2 * (sizes - 1) / sizes
        begin = 0
        for i in range(n - 1):
            row = condensed[begin : begin + n - 1 - i]
            begin += n - 1 - i
            a, b = sizes[i], sizes[i + 1 :]
            row[:] = 2 * a * b / (a + b) * (row**2 - (inner[i] + inner[i + 1 :]) / 2)
    pairs = np.empty((n - 1, 2), dtype=np.int64)
    heights = np.empty(n - 1)
    rule = getattr(kernels, linkage.upper())
    kernels.dense_merges(condensed, sizes, rule, pairs, heights)
    return pairs, np.sqrt(np.maximum(heights, 0.0)) if linkage == "ward" else heights


def _expanded_tree(
    pairs: NDArray[Any],
    heights: NDArray[np.float64],
    inverse: NDArray[np.int64],
    inner: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The tree of all objects from the merges of micro-objects."""
    n = len(inverse)
    _, first = np.unique(inverse, return_index=True)
    repeated = np.ones(n, dtype=bool)
    repeated[first] = False
    again = np.flatnonzero(repeated)
    inside = np.stack([first[inverse[again]], again], axis=1)
    return _tree(
        np.concatenate([inside, first[pairs]]),
        np.concatenate([inner[inverse[again]], heights]),
        np.ones(n, dtype=np.int64),
    )


def _tree(
    pairs: NDArray[Any], heights: NDArray[np.float64], counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """SciPy's form of merges that are named by one object of each side."""
    from comitia._kernels.linkage import label_merges

    order = np.argsort(heights, kind="stable")
    tree = np.empty((len(pairs), 4))
    # Rounding can leave -1e-16 where objects always meet.
    tree[:, 2] = np.maximum(heights[order], 0.0)
    label_merges(pairs[order].astype(np.int64), counts, tree)
    return tree


def _integer_weights(
    weights: NDArray[np.float64], n_terms: int, bits: int = 62
) -> tuple[NDArray[np.int64], float]:
    """Integers and a unit that make the weights, exactly where they have a unit.

    Equal weights, or a clustering that counts twice, then give exactly equal sums.
    """
    from comitia._kernels.sums import fixed_point

    if not (weights > 0).any():
        return np.zeros(len(weights), dtype=np.int64), 1.0
    unit = weights[weights > 0].min()
    multiples = np.rint(weights / unit)
    if (
        np.abs(weights / unit - multiples).max() <= 1e-12 * multiples.max()
        and multiples.max() * n_terms < 2.0**bits
    ):
        return multiples.astype(np.int64), float(unit)
    integers, scale = fixed_point(weights, n_terms << (62 - bits))
    return integers, 1.0 / scale


def _self_similarity(
    ensemble: Ensemble,
    weights: NDArray[np.float64],
    seen: NDArray[np.bool_] | None,
    shares: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """The diagonal of B W B', over the clusterings that have each object."""
    if ensemble.is_hard:
        own = np.zeros(ensemble.n_objects)
        for m, codes in enumerate(ensemble.codes):
            of_clusters = weights[ensemble.offsets[m] : ensemble.offsets[m + 1]]
            own += np.append(of_clusters, 0.0)[codes]
    else:
        B = ensemble.membership
        own = np.asarray(B.multiply(B) @ weights).ravel()
    if seen is None or shares is None:
        return own
    part = shares @ seen
    return own / np.where(part > 0, part, 1.0)


def _check_counts(counts: ArrayLike, n: int) -> NDArray[np.int64]:
    checked = np.asarray(masked_to_nan(counts))
    if checked.shape != (n,) or checked.dtype.kind not in "iu" or (checked < 1).any():
        raise ComitiaError(
            f"counts must be {n} whole numbers of at least 1, one per row of distance; "
            f"got {counts!r}."
        )
    return checked.astype(np.int64)


def _check_tree(tree: ArrayLike) -> NDArray[np.float64]:
    merges = np.asarray(tree, dtype=np.float64)
    if merges.ndim != 2 or merges.shape[1] != 4:
        raise ComitiaError(
            "tree must be merges in SciPy form, of shape (n_objects - 1, 4); got shape "
            f"{merges.shape}."
        )
    if (np.diff(merges[:, 2]) < 0).any():
        raise ComitiaError(
            "tree must be sorted by height; a merge is below an earlier."
        )
    return merges


def _n_objects(matrix: NDArray[np.float64]) -> int:
    if matrix.ndim == 2 and matrix.shape[0] == matrix.shape[1] > 0:
        return len(matrix)
    if matrix.ndim == 1:
        n = (1 + math.isqrt(1 + 8 * len(matrix))) // 2
        if n * (n - 1) // 2 == len(matrix):
            return n
    raise ComitiaError(
        "distance must be square or condensed, n (n - 1) / 2 values; got shape "
        f"{matrix.shape}."
    )


def _condensed(matrix: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    if matrix.ndim == 2:
        _check_symmetry(matrix)
        condensed = np.empty(n * (n - 1) // 2)
        end = 0
        for i in range(n):
            begin, end = end, end + n - 1 - i
            condensed[begin:end] = matrix[i, i + 1 :]
    else:
        condensed = matrix
    if not np.isfinite(condensed).all() or (condensed < -1e-9).any():
        raise ComitiaError("distance must be finite and not negative.")
    # Rounding can leave -1e-16 where two objects always meet; linkage refuses it.
    return np.maximum(condensed, 0.0)


def _check_symmetry(matrix: NDArray[np.float64]) -> None:
    """Refuse a matrix that is not symmetric, but for rounding."""
    # Tile by tile: a column of a large matrix is read from far apart.
    for i in range(0, len(matrix), _TILE):
        for j in range(i, len(matrix), _TILE):
            upper = matrix[i : i + _TILE, j : j + _TILE]
            lower = matrix[j : j + _TILE, i : i + _TILE].T
            # Co-associations are symmetric to the last bit; data may not be.
            if np.array_equal(upper, lower):
                continue
            same = np.isclose(upper, lower, equal_nan=True).all(axis=1)
            if not same.all():
                row = i + int(np.argmin(same))
                raise ComitiaError(
                    f"distance must be symmetric; row {row} and column {row} differ."
                )
