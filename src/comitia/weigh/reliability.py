"""Weights of clusters by how the other clusterings treat their objects."""

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["cluster_cohesion", "cluster_containment"]


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
        shared.row, count * (count - 1.0), minlength=ensemble.n_clusters
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
