"""Indices made of sums of squares, within clusters and between them: linear in n."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError
from comitia.validity.clustered import Clustered, index, ratio

__all__ = [
    "calinski_harabasz",
    "hartigan",
    "krzanowski_lai",
    "lack_of_separation",
    "r_squared",
    "rmsstd",
    "s_dbw",
    "sd",
    "sse",
]


@index
def calinski_harabasz(clustered: Clustered) -> float:
    r"""Calinski-Harabasz index: variance between over variance within clusters.

    Larger is better.

    .. math::
        CH = \frac{\sum_r n_r \|c_r - \bar x\|^2 / (k - 1)}
                  {\sum_r \sum_{i \in r} \|x_i - c_r\|^2 / (n - k)}

    Parameters
    ----------
    X, labels : shared

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
    >>> from comitia.validity.scatter import calinski_harabasz
    >>> X = [[0], [1], [2], [10], [11], [12]]
    >>> calinski_harabasz(X, [0, 0, 0, 1, 1, 1])
    150.0
    """
    n, k = clustered.n_objects, clustered.n_clusters
    if k == 1 or k == n:
        return np.nan
    return ratio(clustered.between / (k - 1), clustered.within / (n - k))


@index
def hartigan(clustered: Clustered, *, sse_next: float) -> float:
    r"""Hartigan's statistic: what one more cluster gains.

    Large values say that a clustering with k + 1 clusters is worth having. Not a
    function of one clustering: the scatter of one with k + 1 clusters has to be given.

    .. math::
        H = \left(\frac{W_k}{W_{k+1}} - 1\right) (n - k - 1)

    Parameters
    ----------
    X, labels : shared

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
    n, k = clustered.n_objects, clustered.n_clusters
    gain = ratio(clustered.within, _scatter_of(sse_next, "sse_next")) - 1.0
    return gain * (n - k - 1)


@index
def krzanowski_lai(
    clustered: Clustered, *, sse_previous: float, sse_next: float
) -> float:
    r"""Krzanowski-Lai index: whether k is where the scatter stops falling fast.

    Larger is better. Not a function of one clustering: the scatter of clusterings with
    k - 1 and k + 1 clusters has to be given. With p features,

    .. math::
        KL = \left|\frac{D_k}{D_{k+1}}\right|, \qquad
        D_k = (k - 1)^{2/p} W_{k-1} - k^{2/p} W_k.

    Parameters
    ----------
    X, labels : shared

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
    k, power = clustered.n_clusters, 2.0 / clustered.n_features
    if k == 1:
        return np.nan
    previous = (k - 1) ** power * _scatter_of(sse_previous, "sse_previous")
    here = k**power * clustered.within
    after = (k + 1) ** power * _scatter_of(sse_next, "sse_next")
    return ratio(abs(previous - here), abs(here - after))


@index
def r_squared(clustered: Clustered) -> float:
    r"""R-squared: the share of the variance that the clusters explain.

    Larger is better.

    .. math::
        1 - \frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}{\sum_i \|x_i - \bar x\|^2}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    r_squared : float
        In [0, 1]. NaN when all objects are equal.

    References
    ----------
    .. [1] S. C. Sharma, "Applied Multivariate Techniques", Wiley, 1996.
    """
    total = float(clustered.total_squares.sum())
    return max(1.0 - clustered.within / total, 0.0) if total > 0 else np.nan


@index
def rmsstd(clustered: Clustered) -> float:
    r"""Root-mean-square standard deviation within the clusters.

    Smaller is better. With p features,

    .. math::
        \sqrt{\frac{\sum_r \sum_{i \in r} \|x_i - c_r\|^2}{p \, (n - k)}}

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    rmsstd : float
        At least 0. NaN for singletons only.

    References
    ----------
    .. [1] S. C. Sharma, "Applied Multivariate Techniques", Wiley, 1996.
    """
    freedom = clustered.n_features * (clustered.n_objects - clustered.n_clusters)
    return float(np.sqrt(clustered.within / freedom)) if freedom else np.nan


@index
def s_dbw(clustered: Clustered) -> float:
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
    X, labels : shared

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

    k = clustered.n_clusters
    if k == 1:
        return np.nan
    radius = np.sqrt(_variance_norms(clustered).sum()) / k
    density = density_between(
        clustered.X[clustered.order], clustered.starts, clustered.centers, radius
    )
    return _mean_scatter(clustered) + density / (k * (k - 1) / 2.0)


@index
def sd(clustered: Clustered, *, scatter_weight: float | None = None) -> float:
    r"""SD index: scatter inside the clusters plus lack of separation between them.

    Smaller is better. With :math:`\sigma` the vector of variances, of a cluster or of
    all objects,

    .. math::
        SD = \frac{a}{k} \sum_r \frac{\|\sigma_r\|}{\|\sigma\|} + D, \qquad
            D = \frac{\max \|c_r - c_v\|}{\min \|c_r - c_v\|}
            \sum_r \Big(\sum_{v \ne r} \|c_r - c_v\|\Big)^{-1}.

    Parameters
    ----------
    X, labels : shared

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
    if clustered.n_clusters == 1:
        return np.nan
    separation = lack_of_separation(clustered)
    weight = separation if scatter_weight is None else scatter_weight
    return weight * _mean_scatter(clustered) + separation


@index
def sse(clustered: Clustered) -> float:
    r"""Sum of squared distances to the own centre.

    Smaller is better.

    .. math::
        W_k = \sum_r \sum_{i \in r} \|x_i - c_r\|^2

    Parameters
    ----------
    X, labels : shared

    Returns
    -------
    sse : float
        At least 0.
    """
    return clustered.within


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
    pairs = clustered.center_pairs
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


def _scatter_of(value: float, argument: str) -> float:
    if not 0 <= value < np.inf:
        raise ComitiaError(f"{argument}={value} must be a sum of squares, 0 or more.")
    return float(value)
