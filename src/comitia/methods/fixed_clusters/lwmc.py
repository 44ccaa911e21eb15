"""LWMC."""

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import meta_vote, ncut
from comitia.partition.vote_winners import refuse_excess_groups
from comitia.represent import jaccard_clusters
from comitia.weigh import entropy_certainty

__all__ = ["LWMC"]


class LWMC(EnsembleMethod):
    r"""Locally weighted meta-clustering.

    The clusters themselves are clustered, by how many objects they share. Each object
    then goes to the group of clusters that it belongs to most, where clusters that the
    other clusterings tear apart count less [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph, without
        weights. At most the number of clusters of all clusterings together; groups that
        win no object leave fewer.

    theta : float, default=0.4
        How slowly, :math:`\theta`, the weight of a cluster falls with its uncertainty.

    normalized : bool, default=False
        Whether the uncertainty of a cluster is divided by :math:`\log_2 k_m`, with the
        number :math:`k_m` of clusters of its clustering (NWCA [2]_, whose authors have
        ``theta=0.09``). Clusters of fine clusterings then count more.

    n_init : int, default=10
        Number of starts of k-means inside the normalised cut.

    generator, random_state : shared

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    Notes
    -----
    A cluster of uncertainty :math:`H_c` (in bits) weighs
    :math:`w_c = e^{-H_c / (\theta M)}`. The graph of all clusters has the Jaccard
    similarities as edges; its normalised cut gives the groups :math:`g`, and object i
    goes to the largest

    .. math::
        A_{ig} = \frac{1}{|g|} \sum_{c \in g} w_c B_{ic} .

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "LWMC: a locally weighted meta-clustering
       algorithm for ensemble clustering", ICONIP, LNCS 10638, 2017.
    .. [2] X. Zhang, Y. Jia, M. Song and R. Wang, "Similarity and dissimilarity guided
       co-association matrix construction for ensemble clustering", IEEE TKDE, 2025.
       :doi:`10.1109/TKDE.2025.3608721`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("lwmc")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lwmc",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.4,
        normalized: bool = False,
        n_init: int = 10,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.normalized = normalized
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        weights = entropy_certainty(
            ensemble, theta=self.theta, normalized=self.normalized
        )
        self.cluster_weights_ = weights
        # The weights favour small clusters, which the eigengap would then count.
        n_groups = self._resolve_n_clusters(ensemble)
        refuse_excess_groups(n_groups, ensemble)
        groups = ncut(jaccard_clusters(ensemble), n_groups, rng, n_init=self.n_init)
        labels, _ = meta_vote(
            ensemble, groups, n_groups, cluster_weights=weights, association=False
        )
        return labels
