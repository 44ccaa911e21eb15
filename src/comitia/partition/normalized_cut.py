"""Spectral partitions of a similarity matrix, and how many parts it has."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia import config
from comitia._inputs import check_sparse
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.optimize.eigenpairs import largest_eigenpairs

__all__ = ["choose_n_clusters", "eigengap", "most_parts", "ncut", "rotated_labels"]

Floats = NDArray[np.float64]

# Yu and Shi's rotation converges in a few steps or not at all.
_MAX_ROTATIONS = 100
# Rows of a matrix that are compared with its columns at a time.
_ROWS = 1000


def ncut(
    S: Any,
    n_clusters: int | None,
    rng: np.random.RandomState,
    *,
    discretize: Literal["kmeans", "rotation"] = "kmeans",
    n_init: int = 10,
    offset: float = 0.0,
) -> NDArray[np.int32]:
    r"""Normalised cut of a similarity graph.

    The relaxed cut is spanned by the leading eigenvectors of the normalised
    similarity [1]_,

    .. math::
        D^{-1/2} S D^{-1/2} \, e = \mu \, e, \qquad D_{ii} = \sum_j S_{ij};

    their rows, scaled to unit length, are cut by k-means [2]_ or by the rotation that
    brings them closest to an indicator matrix [3]_.

    Parameters
    ----------
    S : array-like or sparse array of shape (n, n)
        Symmetric similarities, not negative.

    n_clusters : int or None
        Number of parts. ``None`` takes the largest gap between the eigenvalues.

    rng : RandomState
        Draws the starts of k-means, or the first rows of the rotation.

    discretize : {"kmeans", "rotation"}, default="kmeans"
        How the eigenvectors become labels.

    n_init : int, default=10
        Number of starts of k-means, or of the rotation.

    offset : float, default=0.0
        Regularisation: this is added to the diagonal of S, and twice this to the
        degrees, so that vertices with little similarity to any other make no parts of
        their own. The public code of [1]_ and [3]_ has 0.5.

    Returns
    -------
    labels : ndarray of shape (n,)
        The part of each vertex. Vertices without any edge join the largest part; when
        there are fewer other vertices than parts, they are parts of their own.

    References
    ----------
    .. [1] J. Shi and J. Malik, "Normalized cuts and image segmentation", IEEE TPAMI
       22(8), 2000. :doi:`10.1109/34.868688`
    .. [2] A. Y. Ng, M. I. Jordan and Y. Weiss, "On spectral clustering: analysis and an
       algorithm", NIPS, 2001.
    .. [3] S. X. Yu and J. Shi, "Multiclass spectral clustering", IEEE ICCV, 2003.
       :doi:`10.1109/ICCV.2003.1238361`

    Examples
    --------
    >>> import numpy as np
    >>> S = np.kron(np.eye(2), np.ones((2, 2))) + 0.1
    >>> labels = ncut(S, 2, np.random.RandomState(0))
    >>> (labels == labels[0]).tolist()
    [True, True, False, False]
    """
    S = _check_similarity(S)
    n = S.shape[0]
    if n_clusters is not None and not 1 <= n_clusters <= n:
        raise ComitiaError(
            f"n_clusters={n_clusters} must be between 1 and the number of rows of S, "
            f"{n}."
        )
    degrees = _degrees(S)
    joined = np.flatnonzero(degrees > 0)
    if len(joined) < (n_clusters or 1):
        return _with_parts_of_their_own(n, joined, int(n_clusters or 1))
    if len(joined) < n:
        if isinstance(S, np.ndarray):
            config.require_memory(
                S.itemsize * len(joined) ** 2,
                f"the similarities of {len(joined)} objects that have any",
                "use lwgp or sec, which are linear in n",
            )
        inner = ncut(
            S[np.ix_(joined, joined)]
            if isinstance(S, np.ndarray)
            else S[joined][:, joined],
            n_clusters,
            rng,
            discretize=discretize,
            n_init=n_init,
            offset=offset,
        )
        labels = np.full(n, np.bincount(inner).argmax(), dtype=np.int32)
        labels[joined] = inner
        return labels
    root = 1.0 / np.sqrt(degrees + 2.0 * offset)
    if isinstance(S, np.ndarray):
        # The scaled matrix, and what the eigenvectors are sought with.
        config.require_memory(
            2 * 8 * n * n,
            f"the eigenvectors of the similarities of {n} objects",
            "use lwgp or sec, which are linear in n",
        )
        N = S * root[:, None]
        N *= root
        N.flat[:: n + 1] += offset * root * root
    else:
        from scipy.sparse import diags_array

        N = diags_array(root) @ S @ diags_array(root)
        N = (N + diags_array(offset * root * root)).tocsr()
    n_pairs = n_clusters if n_clusters is not None else min(n, most_parts(n) + 1)
    # The rotation needs as many vectors as parts.
    ties = n_clusters is not None and discretize != "rotation"
    values, vectors = largest_eigenpairs(N, int(n_pairs), ties=ties)
    if n_clusters is None:
        n_clusters = eigengap(values, most_parts(n))
        vectors = vectors[:, :n_clusters]
    lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
    points = vectors / np.maximum(lengths, np.finfo(np.float64).tiny)
    if discretize == "rotation":
        return rotated_labels(points, rng, n_init)
    from comitia.partition.k_means import kmeans

    return kmeans(points, n_clusters, rng, n_init=n_init).labels


def eigengap(
    values: ArrayLike, max_clusters: int | None = None, *, n_steps: int = 2
) -> int:
    r"""Number of clusters at the largest gap between eigenvalues.

    .. math::
        k = \arg\max_{2 \le k \le k_{\max}} \; (\mu_k^t - \mu_{k+1}^t)

    Parameters
    ----------
    values : array-like of shape (n_values,)
        Eigenvalues of a normalised similarity, :math:`\mu_1 \ge \mu_2 \ge \dots`;
        negative ones count as zero.

    max_clusters : int, default=None
        Most clusters, :math:`k_{\max}`; one less than the number of values by default.
        When it is all of them, zero is taken to follow the last one.

    n_steps : int, default=2
        Steps :math:`t` of the random walk whose eigenvalues are compared. More steps
        see coarser clusters [1]_; one step often finds the parts of clusters instead.

    Returns
    -------
    n_clusters : int
        At least 2 unless there is only one value or ``max_clusters`` is 1; the
        smallest of equals.

    References
    ----------
    .. [1] A. Azran and Z. Ghahramani, "Spectral methods for automatic multiscale data
       clustering", IEEE CVPR, 2006. :doi:`10.1109/CVPR.2006.289`

    Examples
    --------
    >>> eigengap([1.0, 0.9, 0.8, 0.2, 0.1])
    3
    """
    mu = np.asarray(values, dtype=np.float64)
    if mu.ndim != 1 or len(mu) == 0 or not np.isfinite(mu).all():
        raise ComitiaError("values must be a list of finite eigenvalues.")
    if max_clusters is None:
        max_clusters = max(len(mu) - 1, 1)
    walk = np.maximum(mu, 0.0) ** n_steps
    gaps = walk - np.r_[walk[1:], 0.0]
    last = min(int(max_clusters), len(mu))
    if last <= 1:
        return 1
    # Rounding must not decide between gaps that are equal.
    return 2 + int((gaps[1:last] >= gaps[1:last].max() - 1e-12).argmax())


def choose_n_clusters(
    ensemble: Ensemble,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    max_clusters: int | None = None,
) -> int:
    r"""Number of clusters at the eigengap of the graph of objects and clusters.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster.

    max_clusters : int, default=None
        Most clusters; by default as many as the finest clustering has, and no more
        than :math:`1 + \sqrt n`.

    Returns
    -------
    n_clusters : int
        At least 2, unless no clustering has more than one cluster.

    Notes
    -----
    Weights that fall with the uncertainty of a cluster favour small clusters that are
    never split, and the gap then counts those. Methods with such weights leave
    ``cluster_weights`` out here.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> choose_n_clusters(Ensemble([[0, 2], [0, 2], [1, 0], [1, 0], [2, 1], [2, 1]]))
    3
    """
    from comitia.partition.transfer_cut import bipartite_spectrum
    from comitia.represent.graphs import bipartite_graph

    finest = int(ensemble.n_clusters_each.max())
    most = most_parts(ensemble.n_objects) if max_clusters is None else max_clusters
    most = min(finest, int(most), ensemble.n_objects)
    if finest == 1 or most <= 1:
        return 1
    graph = bipartite_graph(
        ensemble, clustering_weights=clustering_weights, cluster_weights=cluster_weights
    )
    return eigengap(bipartite_spectrum(graph, most + 1), most)


def most_parts(n: int) -> int:
    """Most clusters of n objects that are looked for when nobody says how many.

    Parameters
    ----------
    n : int
        Number of objects.

    Returns
    -------
    most : int
        The root of n, and one more; less than n.

    Examples
    --------
    >>> most_parts(770)
    28
    """
    return max(1, min(n - 1, int(np.sqrt(n)) + 1))


def _check_similarity(S: Any) -> Any:
    from scipy.sparse import issparse

    if issparse(S):
        check_sparse(S, "S")
        sparse: Any = S
        S = sparse.tocsr().astype(np.float64)
        entries = S.data
    else:
        S = np.asarray(S)
        if S.dtype != np.float32:  # which ncut scales without a copy in between
            S = S.astype(np.float64, copy=False)
        entries = S
    if S.ndim != 2 or S.shape[0] != S.shape[1] or S.shape[0] == 0:
        raise ComitiaError(f"S must be a square matrix; got shape {S.shape}.")
    if not np.isfinite(entries).all():
        raise ComitiaError("S must be finite; it contains NaN or infinity.")
    if (entries < 0).any():
        raise ComitiaError("S must not be negative: it holds similarities.")
    # By rows, where there could be no room for another matrix.
    difference = max(
        abs(S[i : i + _ROWS] - S[:, i : i + _ROWS].T).max()
        for i in range(0, S.shape[0], _ROWS)
    )
    if difference > 1e-8 * max(1.0, float(entries.max(initial=0.0))):
        raise ComitiaError("S must be symmetric; give (S + S.T) / 2.")
    return S


def _degrees(S: Any) -> Floats:
    """Sums of the rows, in double precision."""
    if not isinstance(S, np.ndarray):
        return np.asarray(S.sum(axis=1)).ravel()
    blocks = (S[i : i + _ROWS] for i in range(0, len(S), _ROWS))
    return np.concatenate(
        [block.astype(np.float64, copy=False).sum(axis=1) for block in blocks]
    )


def _with_parts_of_their_own(
    n: int, joined: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int32]:
    """Too few vertices have edges: each of the first ones is a part."""
    order = np.r_[joined, np.setdiff1d(np.arange(n), joined)]
    labels = np.empty(n, dtype=np.int32)
    labels[order] = np.minimum(np.arange(n), n_clusters - 1)
    return labels


def rotated_labels(
    points: Floats, rng: np.random.RandomState, n_init: int
) -> NDArray[np.int32]:
    """Labels by the rotation that brings the rows closest to the unit vectors.

    Parameters
    ----------
    points : ndarray of shape (n, n_clusters)
        Rows of unit length.

    rng : RandomState
        Draws the first rows.

    n_init : int
        Number of starts.

    Returns
    -------
    labels : ndarray of shape (n,)
        The part of each row.
    """
    found = [_rotated_from(points, rng.randint(len(points))) for _ in range(n_init)]
    # Rounding must not decide between starts that end equally well.
    best = max(fit for fit, _ in found)
    return next(labels for fit, labels in found if fit >= best * (1 - 1e-10))


def _rotated_from(points: Floats, start: int) -> tuple[float, NDArray[np.int32]]:
    """How well a rotation fits, and its labels, from one row on."""
    n, k = points.shape
    R = np.zeros((k, k))
    R[:, 0] = points[start]
    likeness = np.zeros(n)
    for r in range(1, k):  # rows that are as orthogonal as can be
        likeness += np.abs(points @ R[:, r - 1])
        R[:, r] = points[likeness.argmin()]
    before = -np.inf
    labels = np.zeros(n, dtype=np.int32)
    for _ in range(_MAX_ROTATIONS):
        labels = (points @ R).argmax(axis=1).astype(np.int32)
        sums = np.zeros((k, k))
        np.add.at(sums, labels, points)
        U, singular, Vt = np.linalg.svd(sums)
        if singular.sum() <= before * (1 + 1e-12):
            break
        before = float(singular.sum())
        R = (U @ Vt).T
    return before, labels
