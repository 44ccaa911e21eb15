"""Weights of clusters."""

import numpy as np
from numpy.typing import NDArray

from comitia.agreement import entropy
from comitia.engine.tables import cluster_entropies
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["cluster_uncertainty", "entropy_certainty"]


def cluster_uncertainty(ensemble: Ensemble) -> NDArray[np.float64]:
    r"""Entropy of each cluster, in bits, summed over the clusterings.

    A cluster that every clustering keeps whole has no uncertainty; one that many
    tear apart has much:

    .. math::
        H_c = -\sum_{m=1}^{M} \sum_{d \in C_m} p_{cd} \log_2 p_{cd},
        \qquad p_{cd} \propto |c \cap d|, \quad \sum_{d \in C_m} p_{cd} = 1.

    Of fuzzy clusters the intersection is :math:`\sum_i \min(F_{ic}, F_{id})`, which is
    the number of shared objects when memberships are 0 or 1.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    Returns
    -------
    uncertainty : ndarray of shape (n_clusters,)
        The uncertainty :math:`H_c` of each cluster of the ensemble.

    Notes
    -----
    Objects that clustering m leaves out do not count in its term, so the shares
    :math:`p_{cd}` always sum to one; a clustering that leaves out all of c adds
    nothing. Fuzzy and overlapping clusters are torn by their own clustering too, as
    far as its clusters share objects.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> cluster_uncertainty(Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]]))
    array([1.        , 0.        , 0.        , 0.91829583])
    """
    if ensemble.is_hard:
        return cluster_entropies(ensemble).sum(axis=1) / np.log(2.0)
    from comitia._kernels.contingency import minimum_table

    B = ensemble.membership
    shared = minimum_table(B.data, B.indices, B.indptr, ensemble.n_clusters_total)
    blocks = np.split(shared, ensemble.offsets[1:-1], axis=1)
    return np.sum([entropy(block, base=2) for block in blocks], axis=0)


def entropy_certainty(
    ensemble: Ensemble, theta: float = 0.4, *, normalized: bool = False
) -> NDArray[np.float64]:
    r"""Ensemble-driven cluster index: the certainty of each cluster.

    .. math::
        \mathrm{ECI}_c = e^{-H_c / (\theta M)}, \qquad
        \mathrm{NECI}_c = e^{-H_c / (\theta M \log_2 k_m)},\ c \in C_m

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    theta : float, default=0.4
        How slowly, :math:`\theta`, certainty falls with uncertainty.

    normalized : bool, default=False
        Whether the uncertainty is divided by the entropy of a clustering into
        :math:`k_m` equal clusters, of which c is one (NECI). Clusters of fine
        clusterings then count more. The authors of NECI have ``theta=0.09``.

    Returns
    -------
    certainty : ndarray of shape (n_clusters,)
        In (0, 1]; 1 for clusters that every clustering keeps whole.

    See Also
    --------
    cluster_uncertainty : The uncertainty :math:`H_c`.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> entropy_certainty(Ensemble([[0, 0], [0, 1], [1, 1], [1, 1]]))
    array([0.2865048 , 1.        , 1.        , 0.31731199])
    """
    if not theta > 0:
        raise ComitiaError(f"theta={theta} must be positive.")
    uncertainty = cluster_uncertainty(ensemble)
    if normalized:
        # A clustering into one cluster has no entropy to divide by.
        k = np.maximum(ensemble.n_clusters_each, 2)
        uncertainty /= np.log2(k)[ensemble.clustering_of]
    return np.exp(-uncertainty / (theta * ensemble.n_clusterings))
