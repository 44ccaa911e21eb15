"""LWGP."""

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import tcut
from comitia.represent import bipartite_graph
from comitia.weigh import entropy_certainty

__all__ = ["LWGP"]


class LWGP(EnsembleMethod):
    r"""Locally weighted graph partitioning.

    Clusters that the other clusterings tear apart count less. Each object is joined
    with its clusters by edges that weigh :math:`e^{-H_c / (\theta M)}`, where
    :math:`H_c` is the uncertainty of the cluster, and the graph is cut [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph, without
        weights. At most the number of clusters of all clusterings together.

    theta : float, default=0.4
        How slowly, :math:`\theta`, the weight of a cluster falls with its uncertainty.

    normalized : bool, default=False
        Whether the uncertainty of a cluster is divided by :math:`\log_2 k_m`, with the
        number :math:`k_m` of clusters of its clustering (NWCA [2]_, whose authors have
        ``theta=0.09``). Clusters of fine clusterings then count more.

    n_init : int, default=3
        Number of starts of k-means, which cuts the eigenvectors.

    generator, random_state : shared

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    Notes
    -----
    The uncertainty of a cluster is the entropy of the shares in which the clusterings
    tear it apart, in bits,

    .. math::
        H_c = -\sum_{m=1}^{M} \sum_{d \in C_m} p_{cd} \log_2 p_{cd},
        \qquad p_{cd} = \frac{|c \cap d|}{|c|} .

    The edges are :math:`B_{ic} e^{-H_c / (\theta M)}`, not divided by the number of
    clusterings: a common factor cancels in the cut. For :math:`\theta \to \infty` all
    edges weigh 1. The cut is the transfer cut, :func:`comitia.partition.tcut`; its cost
    is linear in the number of objects.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang and J.-H. Lai, "Locally weighted ensemble clustering",
       IEEE Trans. Cybernetics 48(5), 2018. :doi:`10.1109/TCYB.2017.2702343`
    .. [2] X. Zhang, Y. Jia, M. Song and R. Wang, "Similarity and dissimilarity guided
       co-association matrix construction for ensemble clustering", IEEE TKDE, 2025.
       :doi:`10.1109/TKDE.2025.3608721`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("lwgp")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lwgp",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.4,
        normalized: bool = False,
        n_init: int = 3,
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
        self.cluster_weights_ = entropy_certainty(
            ensemble, theta=self.theta, normalized=self.normalized
        )
        graph = bipartite_graph(ensemble, cluster_weights=self.cluster_weights_)
        # The weights favour small clusters, which the eigengap would then count.
        n_clusters = self._resolve_n_clusters(ensemble)
        return tcut(graph, n_clusters, rng, n_init=self.n_init)
