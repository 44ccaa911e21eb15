"""Indices that see the objects through the centres of their clusters: linear in n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.validity.clustered import Clustered, index, ratio

__all__ = [
    "centroid_dunn",
    "centroid_separation_ratio",
    "cluster_size_difference",
    "compactness",
    "davies_bouldin",
    "index_i",
    "inter_cluster_distance",
    "intra_cluster_distance",
    "mean_cluster_size",
    "mean_distance_to_center",
    "simplified_silhouette",
    "widths_of",
    "xie_beni",
]


@index
def centroid_separation_ratio(clustered: Clustered) -> float:
    r"""Distances between centres over distances to centres.

    Larger is better.

    .. math::
        \frac{\sum_{r < v} \|c_r - c_v\|}
             {\frac{k - 1}{2} \sum_r \sum_{i \in r} \|x_i - c_r\|}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    centroid_separation_ratio : float
        At least 0; infinite when the clusters have no scatter. NaN for a single
        cluster.

    Notes
    -----
    The quality by which the catalogue's ``greedy_diversity_2014`` stops. Each pair of
    centres counts once.
    """
    k = clustered.n_clusters
    if k == 1:
        return np.nan
    separation = clustered.center_pairs.sums.sum() / 2.0
    return ratio(separation, (k - 1) / 2.0 * clustered.distances.sum())


@index
def cluster_size_difference(clustered: Clustered) -> float:
    r"""Largest cluster size less the smallest.

    A property of a clustering, neither good nor bad in itself.

    .. math::
        \max_r n_r - \min_r n_r

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    cluster_size_difference : float
        At least 0.

    Notes
    -----
    Named by ``vega_pons_2008``, which does not define it; the range is our reading.
    """
    sizes = clustered.sizes
    return float(sizes.max() - sizes.min())


@index
def compactness(clustered: Clustered) -> float:
    r"""Root mean square distance to the own centre.

    Smaller is better. Also called the overall variance of a clustering.

    .. math::
        \sqrt{\frac{1}{n} \sum_r \sum_{i \in r} \|x_i - c_r\|^2}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    compactness : float
        At least 0.

    References
    ----------
    .. [1] J. Handl, J. Knowles and D. B. Kell, "Computational cluster validation in
       post-genomic data analysis", Bioinformatics 21(15), 2005.
    """
    return float(np.sqrt(clustered.within / clustered.n_objects))


@index
def davies_bouldin(clustered: Clustered) -> float:
    r"""Davies-Bouldin index: how much each cluster resembles its nearest relative.

    Smaller is better. With :math:`s_r` the mean distance of the members of r to their
    centre,

    .. math::
        DB = \frac{1}{k} \sum_r \max_{v \ne r} \frac{s_r + s_v}{\|c_r - c_v\|}.

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    davies_bouldin : float
        At least 0; infinite when two centres coincide. NaN for a single cluster.

    Notes
    -----
    scikit-learn ignores coincident centres; here such clusters are as alike as can be.

    References
    ----------
    .. [1] D. L. Davies and D. W. Bouldin, "A cluster separation measure", IEEE TPAMI
       1(2), 1979.
    """
    if clustered.n_clusters == 1:
        return np.nan
    return float(clustered.center_pairs.similarities.mean())


@index
def index_i(clustered: Clustered, *, power: float = 2.0) -> float:
    r"""Index I: separation of the centres times the compactness gained.

    Larger is better. With :math:`E_k` the sum of the distances to the own centre
    (:math:`E_1`: to the mean of all objects),

    .. math::
        I = \left(\frac{1}{k} \, \frac{E_1}{E_k} \, \max_{r, v} \|c_r - c_v\|\right)^q.

    Parameters
    ----------
    X, labels : shared

    power : float, default=2.0
        The exponent q.

    Returns
    -------
    index_i : float
        At least 0; infinite when the clusters have no scatter. NaN for a single
        cluster.

    References
    ----------
    .. [1] U. Maulik and S. Bandyopadhyay, "Performance evaluation of some clustering
       algorithms and validity indices", IEEE TPAMI 24(12), 2002.
    """
    if clustered.n_clusters == 1:
        return np.nan
    gained = ratio(clustered.total_distance, float(clustered.distances.sum()))
    return float(
        (gained * clustered.center_pairs.largest / clustered.n_clusters) ** power
    )


@index
def inter_cluster_distance(clustered: Clustered) -> float:
    r"""Mean squared distance between two centres.

    Larger is better.

    .. math::
        \frac{2}{k (k - 1)} \sum_{r < v} \|c_r - c_v\|^2

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    inter_cluster_distance : float
        At least 0, and 0 for a single cluster, which has nothing between.

    Notes
    -----
    Each pair counts once, as the catalogue's ``cross_assoc_2011`` corrects it.
    """
    k = clustered.n_clusters
    return clustered.center_pairs.squares / max(k * (k - 1) / 2.0, 1.0)


@index
def intra_cluster_distance(clustered: Clustered) -> float:
    r"""Mean over the clusters of the mean squared distance to the centre.

    Smaller is better.

    .. math::
        \frac{1}{k} \sum_r \frac{1}{n_r} \sum_{i \in r} \|x_i - c_r\|^2

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    intra_cluster_distance : float
        At least 0.
    """
    return float((clustered.squares.sum(axis=1) / clustered.sizes).mean())


@index
def mean_cluster_size(clustered: Clustered) -> float:
    r"""Mean number of objects in a cluster.

    A property of a clustering, neither good nor bad in itself.

    .. math::
        n / k

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    mean_cluster_size : float
        At least 1.
    """
    return float(clustered.sizes.mean())


@index
def mean_distance_to_center(clustered: Clustered) -> float:
    r"""Mean distance of the objects to the nearest centre.

    Smaller is better. The nearest centre need not be that of the own cluster.

    .. math::
        \frac{1}{n} \sum_i \min_r \|x_i - c_r\|

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    mean_distance_to_center : float
        At least 0.

    Notes
    -----
    The quality that the catalogue's ``hcss`` uses.
    """
    own, other = clustered.center_distances
    return float(np.minimum(own, other).mean())


@index
def xie_beni(clustered: Clustered) -> float:
    r"""Xie-Beni index: scatter over the smallest squared distance of two centres.

    Smaller is better.

    .. math::
        XB = \frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}
                  {n \, \min_{r < v} \|c_r - c_v\|^2}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    xie_beni : float
        At least 0; infinite when two centres coincide. NaN for a single cluster.

    References
    ----------
    .. [1] X. L. Xie and G. Beni, "A validity measure for fuzzy clustering", IEEE TPAMI
       13(8), 1991.
    """
    if clustered.n_clusters == 1:
        return np.nan
    gap = clustered.center_pairs.smallest
    return clustered.within / (clustered.n_objects * gap**2) if gap > 0 else np.inf


@index
def simplified_silhouette(clustered: Clustered) -> float:
    r"""Silhouette with distances to centres in the place of mean distances.

    Linear in the number of objects. Larger is better.

    .. math::
        \frac{1}{n} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}, \qquad
        a_i = \|x_i - c_{r(i)}\|, \quad b_i = \min_{v \ne r(i)} \|x_i - c_v\|

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    simplified_silhouette : float
        In [-1, 1]; members of singletons score 0. NaN for a single cluster.

    References
    ----------
    .. [1] E. R. Hruschka, L. N. de Castro and R. J. G. B. Campello, "Evolutionary
       algorithms for clustering gene-expression data", IEEE ICDM 2004.
    """
    if clustered.n_clusters == 1:
        return np.nan
    own, other = clustered.center_distances
    widths = widths_of(own, other)
    widths[clustered.sizes[clustered.codes] == 1] = 0.0
    return float(widths.mean())


@index
def centroid_dunn(clustered: Clustered) -> float:
    r"""Dunn index with centres in the place of pairs of objects.

    Linear in the number of objects. Larger is better.

    .. math::
        \frac{\min_{r < v} \|c_r - c_v\|}{2 \max_r \max_{i \in r} \|x_i - c_r\|}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    centroid_dunn : float
        At least 0; infinite when the clusters have no scatter. NaN for a single
        cluster.
    """
    if clustered.n_clusters == 1:
        return np.nan
    return ratio(clustered.center_pairs.smallest, 2.0 * float(clustered.radii.max()))


def widths_of(
    own: NDArray[np.float64], other: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Silhouette widths (b - a) / max(a, b), and 0 where both are 0.

    Parameters
    ----------
    own, other : ndarray of shape (n_objects,)
        Distance to the own cluster, a, and to the nearest other one, b.

    Returns
    -------
    widths : ndarray of shape (n_objects,)
        In [-1, 1].
    """
    larger = np.maximum(own, other)
    return np.divide(other - own, larger, out=np.zeros(len(own)), where=larger > 0)
