"""WLAC."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Seed
from comitia.methods.variable_features._sweep import ClusterWeightedMethod
from comitia.methods.variable_features._weighted_lac import WeightedLAC

__all__ = ["WLAC"]


class WLAC(ClusterWeightedMethod):
    r"""Weighted locally adaptive clustering.

    Each cluster of a clustering weighs the features by how tightly its objects agree in
    them, and tight clusters weigh more than loose ones. Clusterings with several
    strengths of the two penalties are combined [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` draws it for
        each clustering, from 2 to :math:`\sqrt n`, and leaves the choice for the result
        to ``consensus``.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    weight_penalty : float or (float, float), default=(0.02, 2.0)
        Smallest and largest :math:`\lambda_1`, the penalty on weights of features that
        are far from equal; or one for all clusterings.

    cluster_penalty : float or (float, float), default=(0.1, 10.0)
        Smallest and largest :math:`\lambda_2`, the same for the weights of clusters.

    smoothing : float, default=0.1
        The least weight of a cluster, as a share of the equal weight :math:`1/k`. 0 is
        the printed form; 1 gives all clusters of a clustering the same weight.

    variant : {"weighted", "plain"}, default="weighted"
        Whether the weight of a cluster enters the distance of objects to it.

    consensus : str, default="cspa"
        Id of the method that combines the clusterings; one that needs labels only.

    n_init : int, default=3
        Number of starts of each clustering.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters of the ensemble, n_features)
        Weight of each feature in each cluster; rows sum to one.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster; those of one clustering sum to one. They also weigh the
        votes in ``membership_`` and ``predict``.

    objective_ : list of ndarray
        For each clustering its objective after each iteration.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether all clusterings converged.

    Notes
    -----
    The features are standardised. A clustering alternates assignment, centres, weights
    of features and weights of clusters,

    .. math::
        \min \sum_v \omega_v \sum_r w_{vr} X_{vr}
        + \lambda_1 \sum_v \sum_r w_{vr} \ln w_{vr}
        + \lambda_2 \sum_v \omega_v \ln \omega_v, \qquad
        X_{vr} = \frac{1}{|C^v|} \sum_{i \in C^v} (c_{vr} - x_{ir})^2 ,

    .. math::
        w_{vr} \propto e^{-\omega_v X_{vr} / \lambda_1}, \qquad
        \omega_v \propto e^{-E_v / \lambda_2}, \qquad
        E_v = \sum_r w_{vr} X_{vr} .

    As :math:`\lambda_2 \to \infty` all clusters weigh :math:`1/k`, and the clustering
    is locally adaptive clustering with :math:`\lambda = k \lambda_1`.

    Objects go to the cluster of least :math:`\omega_v \sum_r w_{vr} (c_{vr} -
    x_{ir})^2`. A small weight makes a loose cluster near to everything, which makes it
    looser still, until it swallows all objects. Hence the least weight, with which the
    update is still the exact minimiser, and ``variant="plain"``, which assigns without
    :math:`\omega`. Because of the mean over a cluster in :math:`X_{vr}` the assignment
    is not a step of descent: the objective may rise. The iterate, and the start, whose
    objects lie nearest to their centres is kept, by the mean over objects that
    :class:`comitia.cluster.LAC` goes by, with :math:`\lambda = k \lambda_1`: a sum over
    clusters in which loose ones weigh little is lowest where two or three objects make
    a cluster.

    ``objective_`` has :math:`\ln (k \, \omega_v)` for :math:`\ln \omega_v`, an offset
    of :math:`\lambda_2 \ln k`: equal weights of clusters then cost nothing, and a large
    :math:`\lambda_2` leaves the other terms their digits.

    :math:`\lambda_1` and :math:`\lambda_2` are on logarithmic grids, paired so that the
    pairs spread over the square; both grids are ours. The paper also selects elite
    clusters, which the review does not describe and which is left out. Time is linear
    in the number of objects up to the consensus.

    References
    ----------
    .. [1] H. Parvin and B. Minaei-Bidgoli, "A clustering ensemble framework based on
       elite selection of weighted clusters", Advances in Data Analysis and
       Classification 7, 2013. :doi:`10.1007/s11634-013-0130-x`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 4.0], [0.1, 0.0], [0.2, 2.0], [5.0, 4.1], [5.1, 0.1], [5.2, 2.1]]
    >>> method("wlac")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="wlac",
        weighs="features",
        approach="variable",
        needs="data",
        scales="quadratic",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"weighted", "plain"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        weight_penalty: Any = (0.02, 2.0),
        cluster_penalty: Any = (0.1, 10.0),
        smoothing: float = 0.1,
        variant: str = "weighted",
        consensus: str = "cspa",
        n_init: int = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.weight_penalty = weight_penalty
        self.cluster_penalty = cluster_penalty
        self.smoothing = smoothing
        self.variant = variant
        self.consensus = consensus
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _clusterer(self) -> Any:
        return WeightedLAC(
            smoothing=self.smoothing, variant=self.variant, n_init=self.n_init
        )
