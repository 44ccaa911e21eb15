"""Selection of clusters by their stability."""

from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Ensemble
from comitia.methods.selection._cluster_stability import cluster_stability
from comitia.methods.selection._clusters import ClusterSelectionMethod

__all__ = ["StableClusters"]


class StableClusters(ClusterSelectionMethod):
    r"""Cluster selection by stability.

    Clusters that the clusterings keep together are kept, and two objects are as similar
    as the share of kept clusters that they have in common [1]_.

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
    The stability of a cluster C is the mean over the clusterings of

    .. math::
        \mathrm{stab}(C, C_m) = \frac{2 |C| \ln \frac{|C|}{n}}
        {|C| \ln \frac{|C|}{n} + \sum_r |C \cap C_m^r| \ln \frac{|C \cap C_m^r|}{n}}

    and with the number :math:`n_i` of kept clusters that hold object i, and
    :math:`n_{ij}` of those that hold i and j,

    .. math::
        S_{ij} = n_{ij} \, / \max(n_i, n_j)

    is cut by average linkage. The threshold is not given in the review; ours is

    .. math::
        \min_i \; \mathrm{median}_m \; \mathrm{stab}(C_m(i)),
        \qquad i \in C_m(i) \in C_m,

    the largest at which every object keeps half of its clusters. Small clusters are
    seldom split and therefore stable, so that the median of all stabilities, which was
    the default once, kept the small clusters and dropped most that was said of the
    objects in large ones. The rule was found among a dozen with classes of data in
    view.

    The cluster of all objects has :math:`\ln(|C| / n) = 0` and stability 0 towards
    every clustering that has more than one cluster; only towards a clustering of one
    cluster it is 0/0, which is taken as 1.

    An object in no kept cluster would be similar to nothing, 0/0, and would be a
    cluster of its own in every cut. It is compared with the others by all clusters
    instead. Where labels are missing, a cluster and a clustering are compared on the
    objects that both clusterings have.

    The clusters kept can be combined in another way:
    ``ConsensusClustering(selection=StableClusters())``.

    References
    ----------
    .. [1] H. Alizadeh, B. Minaei-Bidgoli and H. Parvin, "Cluster ensemble selection
       based on a new cluster stability measure", Intelligent Data Analysis 18(3), 2014.
       :doi:`10.3233/IDA-140647`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> votes = Ensemble(list(zip(C, C, D)))
    >>> fitted = method("alizadeh_2014")(n_clusters=2, threshold=0.85).fit(votes)
    >>> fitted.cluster_weights_.round(3)
    array([0.895, 0.895, 0.895, 0.895, 1.   , 0.84 , 1.   ])
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="alizadeh_2014",
        weighs="clusters",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "helps": "drops up to half of the clusters of an object; where all are "
            "noisy, fewer outvote less noise",
        },
    )

    def _score(self, ensemble: Ensemble) -> Array:
        return cluster_stability(ensemble)
