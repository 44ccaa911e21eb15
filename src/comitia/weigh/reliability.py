"""Weights of clusters by how the other clusterings treat their objects."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["cluster_cohesion", "cluster_containment", "community_certainty"]


def cluster_cohesion(ensemble: Ensemble) -> NDArray[np.float64]:
    r"""How often two objects of a cluster are together, on average over its pairs.

    .. math::
        R_c = \frac{1}{|c| (|c| - 1)} \sum_{i \ne j \in c} A_{ij}
            = \frac{1}{M |c| (|c| - 1)} \sum_d |c \cap d| \, (|c \cap d| - 1),

    with the co-association A, which is not formed.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, hard or with missing labels.

    Returns
    -------
    cohesion : ndarray of shape (n_clusters,)
        In [0, 1]; 0 for a cluster of one object, which has no pairs.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cluster_cohesion(Ensemble([[0, 0], [0, 0], [0, 1], [1, 1]]))
    array([0.66666667, 0.        , 1.        , 0.5       ])
    """
    if not ensemble.is_hard:
        raise ComitiaError(
            f"ensemble is {ensemble.kind}; the pairs of objects in a cluster are "
            "counted for hard clusterings. Give Ensemble(ensemble.labels)."
        )
    shared = ensemble.contingency().tocoo()
    count = shared.data.astype(np.float64)
    together = np.bincount(
        shared.row, count * (count - 1.0), minlength=ensemble.n_clusters_total
    )
    size = ensemble.sizes.astype(np.float64)
    pairs = ensemble.n_clusterings * size * (size - 1.0)
    return np.divide(together, pairs, out=np.zeros_like(size), where=pairs > 0)


def cluster_containment(
    ensemble: Ensemble, *, printed: bool = False, floor: float = 1e-3
) -> NDArray[np.float64]:
    r"""How well the clusters of the other clusterings lie inside or outside a cluster.

    .. math::
        w_c = \exp \Bigl( \frac{1}{M} \sum_{m \ne m(c)} \sum_{d \in C_m}
        \frac{|d|}{n} \, p_d \ln p_d \Bigr),
        \qquad p_d = \frac{|c \cap d|}{|d|} .

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    printed : bool, default=False
        Leave out the factor :math:`p_d`, as the review prints it. One cluster that
        shares nothing with c then makes the weight vanish.

    floor : float, default=1e-3
        Smallest :math:`p_d` under the logarithm of the printed form.

    Returns
    -------
    containment : ndarray of shape (n_clusters,)
        In [0, 1]; 1 when each other cluster lies inside the cluster or outside it (in
        the printed form: when each lies inside).

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cluster_containment(Ensemble([[0, 0], [0, 0], [0, 1], [1, 1]])).round(4)
    array([0.917 , 0.917 , 0.9036, 0.8717])
    """
    if not 0 <= floor <= 1:
        raise ComitiaError(f"floor={floor} must lie between 0 and 1.")
    n, M = ensemble.n_objects, ensemble.n_clusterings
    sizes = np.asarray(ensemble.sizes, dtype=np.float64)
    if printed:
        shared = ensemble.contingency().toarray()
        other = ensemble.clustering_of[:, None] != ensemble.clustering_of
        p = np.divide(shared, sizes, out=np.ones(shared.shape), where=sizes > 0)
        with np.errstate(divide="ignore"):  # no weight is left, if nothing is shared
            logarithm = np.log(np.where(other, np.maximum(p, floor), 1.0))
        terms = np.where(sizes > 0, sizes / n * logarithm, 0.0)
        return np.exp(terms.sum(axis=1) / M)
    table = ensemble.contingency().tocoo()
    c, d = table.row, table.col
    other = ensemble.clustering_of[c] != ensemble.clustering_of[d]
    c, d, count = c[other], d[other], table.data[other]
    terms = count / n * np.log(count / sizes[d])
    return np.exp(np.bincount(c, terms, minlength=len(sizes)) / M)


def community_certainty(ensemble: Ensemble, graph: Any) -> NDArray[np.float64]:
    r"""How sure the clusterings are of the links that touch a community.

    .. math::
        w_c = 1 + \frac{1}{|E_c|} \sum_{(i, j) \in E_c}
        \bigl[ A_{ij} \log_2 A_{ij} + (1 - A_{ij}) \log_2 (1 - A_{ij}) \bigr],

    over the links :math:`E_c` of the graph with at least one end in community c, where
    :math:`A_{ij}` is the share of the clusterings in which i and j have a community in
    common.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings, which may overlap.

    graph : csr_array of shape (n_objects, n_objects)
        Symmetric adjacency matrix; the weights of links do not count.

    Returns
    -------
    certainty : ndarray of shape (n_clusters,)
        In [0, 1]; 1 when the clusterings agree on all links, and for a community that
        no link touches.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from comitia import Ensemble
    >>> path = csr_array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> community_certainty(Ensemble([[0, 0], [0, 0], [0, 1]]), path)
    array([0.5, 0.5, 0. ])
    """
    from scipy.sparse import triu

    links = triu(graph, k=1).tocoo()
    B = ensemble.membership
    one, other = B[links.row], B[links.col]
    A = np.zeros(len(links.row))
    for first, last in zip(ensemble.offsets, ensemble.offsets[1:], strict=False):
        both = one[:, first:last].multiply(other[:, first:last])
        A += np.asarray(both.sum(axis=1)).ravel() > 0
    A /= ensemble.n_clusterings
    inner = (A > 0) & (A < 1)
    bits = np.zeros_like(A)
    p = A[inner]
    bits[inner] = p * np.log2(p) + (1 - p) * np.log2(1 - p)
    touched = (one + other) > 0
    n_links = np.asarray(touched.sum(axis=0)).ravel()
    sums = np.asarray(touched.T.astype(np.float64) @ bits).ravel()
    return 1.0 + sums / np.maximum(n_links, 1)
