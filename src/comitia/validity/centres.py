"""Indices that see the objects through the centres of their clusters: linear in n."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.exceptions import ComitiaError
from comitia.validity.clustered import Clustered, as_clustered

__all__ = [
    "calinski_harabasz",
    "centroid_dunn",
    "centroid_separation_ratio",
    "cluster_size_difference",
    "compactness",
    "davies_bouldin",
    "hartigan",
    "index_i",
    "inter_cluster_distance",
    "intra_cluster_distance",
    "krzanowski_lai",
    "lack_of_separation",
    "mean_cluster_size",
    "mean_distance_to_centre",
    "r_squared",
    "rmsstd",
    "s_dbw",
    "sd",
    "simplified_silhouette",
    "sse",
    "widths_of",
    "xie_beni",
]


def calinski_harabasz(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Calinski-Harabasz index: variance between over variance within clusters.

    Larger is better.

    .. math::
        CH = \frac{\sum_r n_r \|c_r - \bar x\|^2 / (k - 1)}
                  {\sum_r \sum_{i \in r} \|x_i - c_r\|^2 / (n - k)}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    calinski_harabasz : float
        At least 0; infinite when the clusters have no scatter. NaN for a single cluster
        and for singletons only.

    References
    ----------
    .. [1] T. Calinski and J. Harabasz, "A dendrite method for cluster analysis",
       Communications in Statistics 3(1), 1974.

    Examples
    --------
    >>> from comitia.validity import calinski_harabasz
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> calinski_harabasz(X, [0, 0, 0, 1, 1, 1])
    150.0
    """
    clustered = as_clustered(X, labels)
    n, k = clustered.n_objects, clustered.n_clusters
    if k == 1 or k == n:
        return np.nan
    return _ratio(clustered.between / (k - 1), clustered.within / (n - k))


def centroid_separation_ratio(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Distances between centres over distances to centres.

    Larger is better.

    .. math::
        \frac{\sum_{r < v} \|c_r - c_v\|}
             {\frac{k - 1}{2} \sum_r \sum_{i \in r} \|x_i - c_r\|}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

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
    clustered = as_clustered(X, labels)
    k = clustered.n_clusters
    if k == 1:
        return np.nan
    separation = clustered.centre_pairs.sums.sum() / 2.0
    return _ratio(separation, (k - 1) / 2.0 * clustered.distances.sum())


def cluster_size_difference(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Largest cluster size less the smallest.

    A property of a clustering, neither good nor bad in itself.

    .. math::
        \max_r n_r - \min_r n_r

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    cluster_size_difference : float
        At least 0.

    Notes
    -----
    Named by ``vega_pons_2008``, which does not define it; the range is our reading.
    """
    sizes = as_clustered(X, labels).sizes
    return float(sizes.max() - sizes.min())


def compactness(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Root mean square distance to the own centre.

    Smaller is better. Also called the overall variance of a clustering.

    .. math::
        \sqrt{\frac{1}{n} \sum_r \sum_{i \in r} \|x_i - c_r\|^2}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    compactness : float
        At least 0.

    References
    ----------
    .. [1] J. Handl, J. Knowles and D. B. Kell, "Computational cluster validation in
       post-genomic data analysis", Bioinformatics 21(15), 2005.
    """
    clustered = as_clustered(X, labels)
    return float(np.sqrt(clustered.within / clustered.n_objects))


def davies_bouldin(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Davies-Bouldin index: how much each cluster resembles its nearest relative.

    Smaller is better. With :math:`s_r` the mean distance of the members of r to their
    centre,

    .. math::
        DB = \frac{1}{k} \sum_r \max_{v \ne r} \frac{s_r + s_v}{\|c_r - c_v\|}.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

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
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    return float(clustered.centre_pairs.similarities.mean())


def hartigan(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
    *,
    sse_next: float,
) -> float:
    r"""Hartigan's statistic: what one more cluster gains.

    Large values say that a clustering with k + 1 clusters is worth having. Not a
    function of one clustering: the scatter of one with k + 1 clusters has to be given.

    .. math::
        H = \left(\frac{W_k}{W_{k+1}} - 1\right) (n - k - 1)

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    sse_next : float
        :func:`sse` of a clustering of the same objects, by the same algorithm, with one
        cluster more.

    Returns
    -------
    hartigan : float
        Infinite when the next clustering has no scatter; NaN when neither has.

    References
    ----------
    .. [1] J. A. Hartigan, "Clustering Algorithms", Wiley, 1975.
    """
    clustered = as_clustered(X, labels)
    n, k = clustered.n_objects, clustered.n_clusters
    gain = _ratio(clustered.within, _scatter_of(sse_next, "sse_next")) - 1.0
    return gain * (n - k - 1)


def index_i(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
    *,
    power: float = 2.0,
) -> float:
    r"""Index I: separation of the centres times the compactness gained.

    Larger is better. With :math:`E_k` the sum of the distances to the own centre
    (:math:`E_1`: to the mean of all objects),

    .. math::
        I = \left(\frac{1}{k} \, \frac{E_1}{E_k} \, \max_{r, v} \|c_r - c_v\|\right)^q.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

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
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    gained = _ratio(clustered.total_distance, float(clustered.distances.sum()))
    return float(
        (gained * clustered.centre_pairs.largest / clustered.n_clusters) ** power
    )


def inter_cluster_distance(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Mean squared distance between two centres.

    Larger is better.

    .. math::
        \frac{2}{k (k - 1)} \sum_{r < v} \|c_r - c_v\|^2

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    inter_cluster_distance : float
        At least 0, and 0 for a single cluster, which has nothing between.

    Notes
    -----
    Each pair counts once, as the catalogue's ``cross_assoc_2011`` corrects it.
    """
    clustered = as_clustered(X, labels)
    k = clustered.n_clusters
    return clustered.centre_pairs.squares / max(k * (k - 1) / 2.0, 1.0)


def intra_cluster_distance(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Mean over the clusters of the mean squared distance to the centre.

    Smaller is better.

    .. math::
        \frac{1}{k} \sum_r \frac{1}{n_r} \sum_{i \in r} \|x_i - c_r\|^2

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    intra_cluster_distance : float
        At least 0.
    """
    clustered = as_clustered(X, labels)
    return float((clustered.squares.sum(axis=1) / clustered.sizes).mean())


def krzanowski_lai(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
    *,
    sse_previous: float,
    sse_next: float,
) -> float:
    r"""Krzanowski-Lai index: whether k is where the scatter stops falling fast.

    Larger is better. Not a function of one clustering: the scatter of clusterings with
    k - 1 and k + 1 clusters has to be given. With p features,

    .. math::
        KL = \left|\frac{D_k}{D_{k+1}}\right|, \qquad
        D_k = (k - 1)^{2/p} W_{k-1} - k^{2/p} W_k.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    sse_previous, sse_next : float
        :func:`sse` of clusterings of the same objects, by the same algorithm, with one
        cluster less and one more.

    Returns
    -------
    krzanowski_lai : float
        At least 0; infinite when nothing is gained beyond k. NaN for a single cluster.

    References
    ----------
    .. [1] W. J. Krzanowski and Y. T. Lai, "A criterion for determining the number of
       groups in a data set using sum-of-squares clustering", Biometrics 44(1), 1988.
    """
    clustered = as_clustered(X, labels)
    k, power = clustered.n_clusters, 2.0 / clustered.n_features
    if k == 1:
        return np.nan
    previous = (k - 1) ** power * _scatter_of(sse_previous, "sse_previous")
    here = k**power * clustered.within
    after = (k + 1) ** power * _scatter_of(sse_next, "sse_next")
    return _ratio(abs(previous - here), abs(here - after))


def mean_cluster_size(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Mean number of objects in a cluster.

    A property of a clustering, neither good nor bad in itself.

    .. math::
        n / k

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    mean_cluster_size : float
        At least 1.
    """
    return float(as_clustered(X, labels).sizes.mean())


def mean_distance_to_centre(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Mean distance of the objects to the nearest centre.

    Smaller is better. The nearest centre need not be that of the own cluster.

    .. math::
        \frac{1}{n} \sum_i \min_r \|x_i - c_r\|

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    mean_distance_to_centre : float
        At least 0.

    Notes
    -----
    The quality that the catalogue's ``hcss`` uses.
    """
    own, other = as_clustered(X, labels).centre_distances
    return float(np.minimum(own, other).mean())


def r_squared(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""R-squared: the share of the variance that the clusters explain.

    Larger is better.

    .. math::
        1 - \frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}{\sum_i \|x_i - \bar x\|^2}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    r_squared : float
        In [0, 1]. NaN when all objects are equal.

    References
    ----------
    .. [1] S. C. Sharma, "Applied Multivariate Techniques", Wiley, 1996.
    """
    clustered = as_clustered(X, labels)
    total = float(clustered.total_squares.sum())
    return max(1.0 - clustered.within / total, 0.0) if total > 0 else np.nan


def rmsstd(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Root-mean-square standard deviation within the clusters.

    Smaller is better. With p features,

    .. math::
        \sqrt{\frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}{p \, (n - k)}}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    rmsstd : float
        At least 0. NaN for singletons only.

    References
    ----------
    .. [1] S. C. Sharma, "Applied Multivariate Techniques", Wiley, 1996.
    """
    clustered = as_clustered(X, labels)
    freedom = clustered.n_features * (clustered.n_objects - clustered.n_clusters)
    return float(np.sqrt(clustered.within / freedom)) if freedom else np.nan


def s_dbw(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""S_Dbw index: scatter inside the clusters plus density between them.

    Smaller is better. With :math:`\sigma` the vector of variances, of a cluster or of
    all objects, and density(u) the number of objects of the two clusters within
    :math:`\frac{1}{k} \sqrt{\sum_r \|\sigma_r\|}` of u,

    .. math::
        S\_Dbw = \frac{1}{k} \sum_r \frac{\|\sigma_r\|}{\|\sigma\|}
            + \frac{2}{k (k - 1)} \sum_{r < v}
              \frac{\mathrm{density}(\tfrac{1}{2}(c_r + c_v))}
                   {\max(\mathrm{density}(c_r), \mathrm{density}(c_v))}.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    s_dbw : float
        At least 0. NaN for a single cluster and when all objects are equal.

    Notes
    -----
    Where no object lies near either centre, the ratio of densities has 1 in its
    denominator.

    References
    ----------
    .. [1] M. Halkidi and M. Vazirgiannis, "Clustering validity assessment: finding the
       optimal partitioning of a data set", IEEE ICDM 2001.
    """
    from comitia._kernels.validity import density_between

    clustered = as_clustered(X, labels)
    k = clustered.n_clusters
    if k == 1:
        return np.nan
    radius = np.sqrt(_variance_norms(clustered).sum()) / k
    density = density_between(
        clustered.X[clustered.order], clustered.starts, clustered.centres, radius
    )
    return _mean_scatter(clustered) + density / (k * (k - 1) / 2.0)


def sd(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
    *,
    scatter_weight: float | None = None,
) -> float:
    r"""SD index: scatter inside the clusters plus lack of separation between them.

    Smaller is better. With :math:`\sigma` the vector of variances, of a cluster or of
    all objects,

    .. math::
        SD = \frac{a}{k} \sum_r \frac{\|\sigma_r\|}{\|\sigma\|} + D, \qquad
            D = \frac{\max \|c_r - c_v\|}{\min \|c_r - c_v\|}
            \sum_r \Big(\sum_{v \ne r} \|c_r - c_v\|\Big)^{-1}.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    scatter_weight : float, default=None
        The weight a of the scatter; by default D of this clustering. When clusterings
        are compared it is D of the one with the most clusters, and :func:`score_table`
        sees to that.

    Returns
    -------
    sd : float
        At least 0; infinite when two centres coincide. NaN for a single cluster and
        when all objects are equal.

    References
    ----------
    .. [1] M. Halkidi, M. Vazirgiannis and Y. Batistakis, "Quality scheme assessment in
       the clustering process", PKDD 2000.
    """
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    separation = lack_of_separation(clustered)
    weight = separation if scatter_weight is None else scatter_weight
    return weight * _mean_scatter(clustered) + separation


def sse(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Sum of squared distances to the own centre.

    Smaller is better.

    .. math::
        W_k = \sum_r \sum_{i \in r} \|x_i - c_r\|^2

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    sse : float
        At least 0.
    """
    return as_clustered(X, labels).within


def xie_beni(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Xie-Beni index: scatter over the smallest squared distance of two centres.

    Smaller is better.

    .. math::
        XB = \frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}
                  {n \, \min_{r < v} \|c_r - c_v\|^2}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    xie_beni : float
        At least 0; infinite when two centres coincide. NaN for a single cluster.

    References
    ----------
    .. [1] X. L. Xie and G. Beni, "A validity measure for fuzzy clustering", IEEE TPAMI
       13(8), 1991.
    """
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    gap = clustered.centre_pairs.smallest
    return clustered.within / (clustered.n_objects * gap**2) if gap > 0 else np.inf


def simplified_silhouette(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Silhouette with distances to centres in the place of mean distances.

    Linear in the number of objects. Larger is better.

    .. math::
        \frac{1}{n} \sum_i \frac{b_i - a_i}{\max(a_i, b_i)}, \qquad
        a_i = \|x_i - c_{r(i)}\|, \quad b_i = \min_{v \ne r(i)} \|x_i - c_v\|

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    simplified_silhouette : float
        In [-1, 1]; members of singletons score 0. NaN for a single cluster.

    References
    ----------
    .. [1] E. R. Hruschka, L. N. de Castro and R. J. G. B. Campello, "Evolutionary
       algorithms for clustering gene-expression data", IEEE ICDM 2004.
    """
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    own, other = clustered.centre_distances
    widths = widths_of(own, other)
    widths[clustered.sizes[clustered.codes] == 1] = 0.0
    return float(widths.mean())


def centroid_dunn(
    X: ArrayLike | Clustered,
    labels: ArrayLike | None = None,
) -> float:
    r"""Dunn index with centres in the place of pairs of objects.

    Linear in the number of objects. Larger is better.

    .. math::
        \frac{\min_{r < v} \|c_r - c_v\|}{2 \max_r \max_{i \in r} \|x_i - c_r\|}

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features) or Clustered
        The data, or data and labels together.

    labels : array-like of shape (n_objects,), default=None
        The cluster of each object; -1, NaN or None leave it out.

    Returns
    -------
    centroid_dunn : float
        At least 0; infinite when the clusters have no scatter. NaN for a single
        cluster.
    """
    clustered = as_clustered(X, labels)
    if clustered.n_clusters == 1:
        return np.nan
    return _ratio(clustered.centre_pairs.smallest, 2.0 * float(clustered.radii.max()))


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


def lack_of_separation(clustered: Clustered) -> float:
    """The term D of the SD index.

    Parameters
    ----------
    clustered : Clustered
        Data and labels.

    Returns
    -------
    lack : float
        At least 0; NaN for a single cluster.
    """
    if clustered.n_clusters == 1:
        return np.nan
    pairs = clustered.centre_pairs
    if pairs.smallest == 0:
        return np.inf
    return float(pairs.largest / pairs.smallest * (1.0 / pairs.sums).sum())


def _variance_norms(clustered: Clustered) -> NDArray[np.float64]:
    variances = clustered.squares / clustered.sizes[:, None]
    return np.sqrt((variances**2).sum(axis=1))


def _mean_scatter(clustered: Clustered) -> float:
    variances = clustered.total_squares / clustered.n_objects
    whole = float(np.sqrt((variances**2).sum()))
    return float(_variance_norms(clustered).mean()) / whole if whole > 0 else np.nan


def _ratio(numerator: float, denominator: float) -> float:
    """Quotient of two values that are 0 or more; x / 0 is infinite, 0 / 0 is NaN."""
    if denominator > 0:
        return float(numerator / denominator)
    return np.inf if numerator > 0 else np.nan


def _scatter_of(value: float, argument: str) -> float:
    if not 0 <= value < np.inf:
        raise ComitiaError(f"{argument}={value} must be a sum of squares, 0 or more.")
    return float(value)
