"""Selection of clusters by their edited NMI stability."""

from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Ensemble
from comitia.methods.selection._cluster_stability import edited_stability
from comitia.methods.selection._clusters import ClusterSelectionMethod

__all__ = ["EditedStableClusters"]


class EditedStableClusters(ClusterSelectionMethod):
    r"""Cluster selection by edited NMI stability.

    Clusters that the clusterings can build from whole clusters of their own are kept,
    and two objects are as similar as the share of kept clusters that they have in
    common [1]_.

    Parameters
    ----------
    n_clusters : shared

    threshold : float, default=None
        Clusters with a stability above this are kept. By default the largest threshold
        that leaves every object half of its clusters.

    linkage, generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusters of the ensemble,)
        Which clusters were kept.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        The stability of each cluster, in [0, 1].

    linkage_ : shared

    Notes
    -----
    The stability of a cluster C is

    .. math::
        \mathrm{stab}(C) = \frac{1}{M} \sum_{m=1}^{M}
        \phi \bigl( \{C, \bar C\}, \{P_m(C), \overline{P_m(C)}\} \bigr),

    where :math:`P_m(C)` is the union of the clusters of :math:`C_m` that have more than
    half of their objects in C, and :math:`\phi` is the NMI. The sum is printed up to m
    in the review and runs to M. Where :math:`P_m(C)` is empty or everything,
    :math:`\phi` is 0; the cluster of all objects has stability 1.

    The review "extracts a co-association matrix" from the clusters kept without saying
    how: as for ``alizadeh_2014``, :math:`S_{ij} = n_{ij} / \max(n_i, n_j)` with the
    number :math:`n_i` of kept clusters that hold object i, and :math:`n_{ij}` of those
    that hold i and j. The threshold is not given either; ours is the largest at which
    every object keeps half of its clusters, as in ``alizadeh_2014``.

    An object in no kept cluster would be similar to nothing, 0/0, and would be a
    cluster of its own in every cut. It is compared with the others by all clusters
    instead. Where labels are missing, a cluster and a clustering are compared on the
    objects that both clusterings have.

    The clusters kept can be combined in another way:
    ``ConsensusClustering(selection=EditedStableClusters())``.

    References
    ----------
    .. [1] S. Abbasi, S. Nejatian, H. Parvin, V. Rezaie and K. Bagherifard, "Clustering
       ensemble selection considering quality and diversity", Artificial Intelligence
       Review 52, 2019.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> votes = Ensemble(list(zip(C, C, D)))
    >>> fitted = method("abbasi_2019")(n_clusters=2, threshold=0.7).fit(votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.selected_
    array([ True,  True,  True,  True, False, False, False])
    """

    card = MethodCard(
        id="abbasi_2019",
        weighs="clusters",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    def _score(self, ensemble: Ensemble) -> Array:
        return edited_stability(ensemble)
