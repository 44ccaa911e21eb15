"""Indices that look at pairs of objects: quadratic in n, without an n x n array.

Distances that are added up are computed in single precision with one of the two
clusters at the origin, and added in double. A mean distance to a cluster then has a
relative error below 1e-6 on any data (seen: 1e-7), a silhouette width an absolute one,
and means over the objects are closer by orders of magnitude. Smallest and largest
distances are computed in double precision.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.validity.centers import widths_of
from comitia.validity.clustered import Clustered, index

__all__ = [
    "connectedness",
    "dunn",
    "hubert_normalized",
    "hubert_raw",
    "modified_hubert",
    "point_symmetry",
    "silhouette",
    "silhouette_samples",
]


@index
def silhouette_samples(clustered: Clustered) -> NDArray[np.float64]:
    r"""Silhouette width of each object.

    With :math:`a_i` the mean distance to the other members of the own cluster and
    :math:`b_i` the smallest mean distance to the members of another,

    .. math::
        s_i = \frac{b_i - a_i}{\max(a_i, b_i)}.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    widths : ndarray of shape (n_clustered,)
        One value for each object that has a label; 0 for singletons, and NaN when
        there is a single cluster.

    References
    ----------
    .. [1] P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and
       validation of cluster analysis", J. Computational and Applied Mathematics 20,
       1987.
    """
    if clustered.n_clusters == 1:
        return np.full(clustered.n_objects, np.nan)
    sums = clustered.pair_sums
    sizes = clustered.sizes[clustered.codes][clustered.order]
    widths = widths_of(sums.own / np.maximum(sizes - 1, 1), sums.other)
    widths[sizes == 1] = 0.0
    unsorted = np.empty_like(widths)
    unsorted[clustered.order] = widths
    return unsorted


@index
def silhouette(
    clustered: Clustered, *, sample_size: int | None = None, random_state: Any = None
) -> float:
    r"""Mean silhouette width: how much nearer the own cluster is than the others.

    Larger is better. It is the mean of :func:`silhouette_samples`,

    .. math::
        \frac{1}{n} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}.

    Parameters
    ----------
    X, labels : shared

    sample_size : int, default=None
        Use a random sample of this many objects, as scikit-learn does. All objects by
        default; :func:`simplified_silhouette` is linear without sampling.

    random_state : int, RandomState instance or None, default=None
        Seed of the sample.

    Returns
    -------
    silhouette : float
        In [-1, 1]; members of singletons score 0. NaN for a single cluster.

    References
    ----------
    .. [1] P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and
       validation of cluster analysis", J. Computational and Applied Mathematics 20,
       1987.

    Examples
    --------
    >>> from comitia.validity.pairs import silhouette
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> round(silhouette(X, [0, 0, 0, 1, 1, 1]), 6)
    0.865657
    """
    if sample_size is not None:
        clustered = _sample(clustered, sample_size, random_state)
    return float(silhouette_samples(clustered).mean())


@index
def dunn(clustered: Clustered) -> float:
    r"""Dunn index: smallest distance between clusters over largest diameter.

    Larger is better.

    .. math::
        \frac{\min \{\|x_i - x_j\| : r(i) \ne r(j)\}}
             {\max \{\|x_i - x_j\| : r(i) = r(j)\}}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    dunn : float
        At least 0; infinite when all diameters are 0. NaN for a single cluster.

    See Also
    --------
    centroid_dunn : Linear in the number of objects.

    References
    ----------
    .. [1] J. C. Dunn, "Well-separated clusters and optimal fuzzy partitions", J.
       Cybernetics 4(1), 1974.

    Examples
    --------
    >>> from comitia.validity.pairs import dunn
    >>> dunn([[0], [1], [2], [10], [11], [12]], [0, 0, 0, 1, 1, 1])
    4.0
    """
    if clustered.n_clusters == 1:
        return np.nan
    separation, diameter = clustered.pair_extremes
    return separation / diameter if diameter > 0 else np.inf


@index
def hubert_raw(clustered: Clustered) -> float:
    r"""Hubert's raw statistic: distance of objects that are kept apart.

    Larger is better. With :math:`N = n (n - 1) / 2` pairs and :math:`q_{ij} = 1` for
    objects in different clusters, 0 otherwise,

    .. math::
        \Gamma = \frac{1}{N} \sum_{i < j} \|x_i - x_j\| \, q_{ij}.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    hubert_raw : float
        At least 0, and 0 for a single cluster.

    References
    ----------
    .. [1] L. Hubert and P. Arabie, "Comparing partitions", J. Classification 2, 1985.
    """
    return clustered.pair_sums.between / _n_pairs(clustered)


@index
def hubert_normalized(clustered: Clustered) -> float:
    r"""Hubert's normalised statistic: correlation of distance and separation.

    Larger is better. The correlation over all pairs of objects of their distance
    :math:`d_{ij}` and of :math:`q_{ij} = 1` for objects in different clusters, 0
    otherwise:

    .. math::
        \hat\Gamma = \frac{\frac{1}{N} \sum_{i < j} d_{ij} q_{ij} - \bar d \, \bar q}
                          {\sigma_d \, \sigma_q}.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    hubert_normalized : float
        In [-1, 1]. NaN for a single cluster, for singletons only, and when all
        distances are equal.

    References
    ----------
    .. [1] L. Hubert and P. Arabie, "Comparing partitions", J. Classification 2, 1985.
    """
    sums, n_pairs = clustered.pair_sums, _n_pairs(clustered)
    n, sizes = clustered.n_objects, clustered.sizes
    apart = (n_pairs - float((sizes * (sizes - 1) // 2).sum())) / n_pairs
    mean = (sums.between + sums.own.sum() / 2.0) / n_pairs
    # The squared distances of all pairs add up to n times the sum of squares.
    variance = n * float(clustered.total_squares.sum()) / n_pairs - mean**2
    # Where all distances are equal, the rounding of their sum (6e-8) is left over.
    if not 0 < apart < 1 or variance <= 2e-7 * mean**2:
        return np.nan
    covariance = sums.between / n_pairs - mean * apart
    return float(covariance / np.sqrt(variance * apart * (1.0 - apart)))


@index
def modified_hubert(clustered: Clustered) -> float:
    r"""Modified Hubert statistic: how distances of objects and of centres go together.

    Larger is better. With :math:`N = n (n - 1) / 2` pairs,

    .. math::
        \frac{1}{N} \sum_{i < j} \|x_i - x_j\| \, \|c_{r(i)} - c_{r(j)}\|.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    modified_hubert : float
        At least 0, and 0 for a single cluster.

    References
    ----------
    .. [1] S. Theodoridis and K. Koutroumbas, "Pattern Recognition", Academic Press,
       chapter on cluster validity.
    """
    return clustered.pair_sums.between_centers / _n_pairs(clustered)


@index
def connectedness(clustered: Clustered, *, n_neighbors: int = 10) -> float:
    r"""Connectedness: how many near neighbours are in another cluster.

    Smaller is better. The l-th nearest neighbour counts 1 / l:

    .. math::
        \sum_i \sum_{l=1}^{L} \frac{1}{l} \, [r(i) \ne r(\mathrm{nn}_l(i))].

    Parameters
    ----------
    X, labels : shared

    n_neighbors : int, default=10
        Number of neighbours L; all other objects when there are fewer.

    Returns
    -------
    connectedness : float
        At least 0, and 0 for a single cluster.

    References
    ----------
    .. [1] J. Handl, J. Knowles and D. B. Kell, "Computational cluster validation in
       post-genomic data analysis", Bioinformatics 21(15), 2005.
    """
    if n_neighbors < 1:
        raise ComitiaError(f"n_neighbors={n_neighbors} must be at least 1.")
    n_neighbors = min(int(n_neighbors), clustered.n_objects - 1)
    if n_neighbors == 0:
        return 0.0
    neighbors = clustered.neighbors(n_neighbors)
    elsewhere = clustered.codes[neighbors] != clustered.codes[:, None]
    return float(elsewhere.sum(axis=0) @ (1.0 / np.arange(1, n_neighbors + 1)))


@index
def point_symmetry(clustered: Clustered) -> float:
    r"""Point symmetry index: how symmetric the clusters are about their centres.

    Smaller is better. The mirror image of an object about the centre of its cluster
    should lie near another member:

    .. math::
        \frac{1}{k} \sum_r \frac{1}{n_r} \sum_{i \in r}
            \frac{d_s(x_i, c_r) \, \|x_i - c_r\|}{\min_{u < v} \|c_u - c_v\|},
        \qquad
        d_s(x_i, c) = \min_{j \in r, j \ne i}
            \frac{\|(x_i - c) + (x_j - c)\|}{\|x_i - c\| + \|x_j - c\|}.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    point_symmetry : float
        At least 0; infinite when two centres coincide. NaN for a single cluster. An
        object at its centre, such as a singleton, counts 0.

    References
    ----------
    .. [1] C.-H. Chou, M.-C. Su and E. Lai, "Symmetry as a new measure for cluster
       validity", 2nd WSEAS Int. Conf. on Scientific Computation and Soft Computing,
       2002.
    """
    from comitia._kernels.pairwise import point_symmetry_parts
    from comitia._kernels.sums import over_ranges

    if clustered.n_clusters == 1:
        return np.nan
    gap = clustered.center_pairs.smallest
    if gap == 0:
        return np.inf
    cluster_of = clustered.codes[clustered.order].astype(np.int64)
    Z = clustered.X[clustered.order] - clustered.centers[cluster_of]
    norms = np.sqrt((Z**2).sum(axis=1))
    parts = np.empty(len(Z))
    given = np.ascontiguousarray(Z.T), norms, clustered.starts, cluster_of, parts
    over_ranges(partial(point_symmetry_parts, *given), len(Z), clustered.sizes.mean())
    sums = np.bincount(cluster_of, weights=parts, minlength=clustered.n_clusters)
    return float((sums / clustered.sizes).mean() / gap)


def _n_pairs(clustered: Clustered) -> float:
    n = clustered.n_objects
    return max(n * (n - 1) / 2.0, 1.0)


def _sample(clustered: Clustered, sample_size: int, random_state: Any) -> Clustered:
    from comitia._steps import check_random_state

    if not 1 <= sample_size <= clustered.n_objects:
        raise ComitiaError(
            f"sample_size={sample_size} must lie between 1 and the number of objects, "
            f"{clustered.n_objects}."
        )
    rng = check_random_state(random_state)
    kept = rng.permutation(clustered.n_objects)[:sample_size]
    return Clustered.from_codes(
        clustered.X[kept], clustered.codes[kept], clustered.n_clusters
    )
