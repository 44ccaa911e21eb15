"""FWLAC."""

from typing import Any, Literal

from comitia._parameter_rules import SHARED
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Seed
from comitia.methods.variable_features._fwlac_clustering import FuzzyWeightedLAC
from comitia.methods.variable_features._sweep import ClusterWeightedMethod

__all__ = ["FWLAC"]


class FWLAC(ClusterWeightedMethod):
    r"""Fuzzy weighted locally adaptive clustering.

    WLAC with shares: objects belong to every cluster of a clustering to some degree;
    each cluster weighs the features by how tightly its objects agree in them, and tight
    clusters weigh more than loose ones. The clusterings are made hard and combined
    [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` draws it for
        each clustering, from 2 to :math:`\sqrt n`, and leaves the choice for the result
        to ``consensus``.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    weight_penalty : float or (float, float), default=(0.02, 2.0)
        Smallest and largest :math:`\lambda_1`, for each object, the penalty on weights
        of features that are far from equal; or one for all clusterings.

    cluster_penalty : float or (float, float), default=(0.1, 10.0)
        Smallest and largest :math:`\lambda_2`, for each object, the same for the
        weights of clusters.

    fuzziness : float or "auto", default="auto"
        The exponent :math:`\alpha > 1` of the memberships; near 1 they are crisp.
        "auto" takes 2 in few dimensions and less in many, as
        :class:`~comitia.cluster.FuzzyCMeans` does: with 2 clusters of many dimensions
        fall together.

    smoothing : float, default=0.1
        The least weight of a cluster, as a share of the equal weight :math:`1/k`. 0 is
        the printed form; 1 gives all clusters of a clustering the same weight.

    consensus : str, default="cspa"
        Id of the method that combines the clusterings; one that needs labels only. CSPA
        makes clusters of much the same size; "eac" does not.

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
        For each clustering its objective at the start and after each iteration; it does
        not rise.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether all clusterings converged.

    Notes
    -----
    The features are standardised. A clustering alternates four exact steps on

    .. math::
        \min \sum_v \omega_v \left( \sum_r w_{vr} X_{vr}
        + \lambda_1 \sum_r w_{vr} \ln w_{vr} \right)
        + \lambda_2 \sum_v \omega_v \ln \omega_v, \qquad
        X_{vr} = \sum_i F_{iv}^\alpha (c_{vr} - x_{ir})^2 ,

    .. math::
        c_v = \frac{\sum_i F_{iv}^\alpha x_i}{\sum_i F_{iv}^\alpha}, \qquad
        w_{vr} \propto e^{-X_{vr} / \lambda_1}, \qquad
        \omega_v \propto e^{-(\sum_r w_{vr} X_{vr} - \lambda_1 H(w_v)) / \lambda_2},
        \qquad F_{iv} \propto (\omega_v d_{iv})^{-1 / (\alpha - 1)} ,

    with :math:`d_{iv} = \sum_r w_{vr} (c_{vr} - x_{ir})^2` and H the entropy. So the
    objective never rises. An object at distance 0 from a cluster belongs to it
    altogether. With equal weights this is fuzzy c-means.

    :math:`X_{vr}` is a sum over objects, so that :math:`\lambda_1` must grow with their
    number n; the same holds for :math:`\lambda_2`, against which the same sums are
    weighed. Both are multiplied by n inside. ``objective_`` is divided by n and has
    :math:`\ln (p w)` and :math:`\ln (k \omega)` for the logarithms, which changes it by
    a constant.

    As in WLAC, a loose cluster with a small weight draws objects to it; with the least
    weight that ``smoothing`` sets, the update is still the exact minimiser.

    Grids are ours, as is :math:`\alpha`. The selection of clusters that the title of
    the paper mentions is not described in the review and is left out. The consensus is
    the one that the review names. Time is linear in the number of objects up to the
    consensus.

    References
    ----------
    .. [1] H. Parvin and B. Minaei-Bidgoli, "A clustering ensemble framework based on
       selection of fuzzy weighted clusters in a locally adaptive clustering algorithm",
       Pattern Analysis and Applications 18, 2015. :doi:`10.1007/s10044-013-0364-4`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 4.0], [0.1, 0.0], [0.2, 2.0], [5.0, 4.1], [5.1, 0.1], [5.2, 2.1]]
    >>> method("fwlac")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="fwlac",
        weighs="features",
        approach="variable",
        needs="data",
        scales="quadratic",
    )

    _parameter_constraints = {
        "fuzziness": [*SHARED["fuzziness"], StrOptions({"auto"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        weight_penalty: Any = (0.02, 2.0),
        cluster_penalty: Any = (0.1, 10.0),
        fuzziness: float | Literal["auto"] = "auto",
        smoothing: float = 0.1,
        consensus: str = "cspa",
        n_init: int = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.weight_penalty = weight_penalty
        self.cluster_penalty = cluster_penalty
        self.fuzziness = fuzziness
        self.smoothing = smoothing
        self.consensus = consensus
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _clusterer(self) -> Any:
        return FuzzyWeightedLAC(
            fuzziness=self.fuzziness, smoothing=self.smoothing, n_init=self.n_init
        )
