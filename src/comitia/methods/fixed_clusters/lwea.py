"""LWEA."""

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import entropy_certainty

__all__ = ["LWEA"]


class LWEA(EnsembleMethod):
    r"""Locally weighted evidence accumulation.

    Clusters that the other clusterings tear apart count less. A cluster of
    uncertainty :math:`H_c` weighs :math:`e^{-H_c / (\theta M)}`, and average linkage
    cuts the weighted co-association [1]_.

    Parameters
    ----------
    n_clusters : shared

    theta : float, default=0.4
        How slowly, :math:`\theta`, the weight of a cluster falls with its uncertainty.

    normalized : bool, default=False
        Whether the uncertainty of a cluster is divided by :math:`\log_2 k_m`, with the
        number :math:`k_m` of clusters of its clustering (NWCA [2]_, whose authors have
        ``theta=0.09``). Clusters of fine clusterings then count more.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    linkage_ : shared

    Notes
    -----
    The uncertainty of a cluster is the entropy of the shares in which the clusterings
    tear it apart, in bits,

    .. math::
        H_c = -\sum_{m=1}^{M} \sum_{d \in C_m} p_{cd} \log_2 p_{cd},
        \qquad p_{cd} = \frac{|c \cap d|}{|c|},

    and the locally weighted co-association is

    .. math::
        S_{ij} = \frac{1}{M} \sum_{m=1}^{M} e^{-H_c / (\theta M)}
        \, [\,i, j \in c,\ c \in C_m\,].

    It is divided by M and not by the sum of the weights, so that objects that always
    meet have a distance :math:`1 - S_{ij}` above 0. The authors set the diagonal to 1,
    which the tree does not see.

    The weights printed in Table I of [1]_ belong to :math:`\theta M = 5`, not to the
    stated :math:`\theta = 0.5` and :math:`M = 3`. Equation (10) is followed here. For
    :math:`\theta \to \infty` all clusters weigh 1, and the method is EAC.

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
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("lwea")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lwea",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.4,
        normalized: bool = False,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.normalized = normalized
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.cluster_weights_ = entropy_certainty(
            ensemble, theta=self.theta, normalized=self.normalized
        )
        self.linkage_ = ensemble_linkage(
            ensemble, cluster_weights=self.cluster_weights_, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
