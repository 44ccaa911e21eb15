"""WEAC."""

from numbers import Real
from typing import Any

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import crowd_agreement, normalize_weights

__all__ = ["WEAC"]


class WEAC(EnsembleMethod):
    r"""Weighted evidence accumulation clustering.

    Clusterings that agree with the crowd of the others count for more in the
    co-association, and a tree is grown on it [1]_.

    Parameters
    ----------
    n_clusters : shared

    agreement : str or callable, default="nmi_max"
        How alike two clusterings are. The authors' code divides the mutual information
        by the larger entropy, the review by the geometric mean (``"nmi_sqrt"``).

    weight_power : float, default=2.0
        Exponent :math:`\beta` on the agreement of a clustering with the others.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has all but ``"ward"``.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_, linkage_ : shared

    Notes
    -----
    With the crowd agreement index :math:`\mathrm{CAI}_m`, the mean agreement
    :math:`\phi` of clustering m with the others,

    .. math::
        w_m = \frac{\mathrm{NCAI}_m^\beta}{\sum_l \mathrm{NCAI}_l^\beta}, \qquad
        \mathrm{NCAI}_m = \frac{\mathrm{CAI}_m}{\max_l \mathrm{CAI}_l}, \qquad
        S = \sum_m w_m B_m B_m'.

    The review calls the exponent :math:`\alpha`. When no two clusterings agree at all,
    they weigh the same and a warning is given. With ``weight_power=0`` this is EAC.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd
       agreement estimation and multi-granularity link analysis", Neurocomputing 170,
       2015. :doi:`10.1016/j.neucom.2014.05.094`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("weac")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="weac",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "weight_power": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        agreement: Any = "nmi_max",
        weight_power: float = 2.0,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.weight_power = weight_power
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(
            crowd_agreement(ensemble, self.agreement, self.weight_power)
        )
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
