"""CSPA weighted by one internal quality measure."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines.cspa import CSPA
from comitia.validity import INDICES
from comitia.weigh import index_scores, normalize_weights

__all__ = ["QualityWeightedCSPA"]


class QualityWeightedCSPA(EnsembleMethod):
    r"""CSPA weighted by one internal quality measure.

    Clusterings that an internal index finds better on the data count for more in the
    graph of objects, which METIS cuts into parts of equal size [1]_.

    Parameters
    ----------
    n_clusters : shared

    index : str or callable, default="silhouette"
        The quality :math:`q`. The paper has ``"silhouette"``,
        ``"calinski_harabasz"`` and ``"davies_bouldin"``; other indices of
        :mod:`comitia.validity` will do, or a function ``index(X, labels)`` whose values
        are 0 or more and larger for a better clustering.

    imbalance : float, default=0.05
        How much larger than the mean a cluster may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    Notes
    -----
    The graph of the objects is

    .. math::
        S = B W B', \qquad w_m = \frac{q(C_m)}{\sum_l q(C_l)}.

    The silhouette can be negative and the Davies-Bouldin index is better when small;
    the review treats neither case. Here a silhouette s counts as :math:`(s + 1) / 2`, a
    Davies-Bouldin index v as :math:`1 / (1 + v)`, and the Calinski-Harabasz index as it
    is, so that weights are positive and the better clustering weighs more. A
    clustering for which an index is not defined, mostly one with a single cluster,
    weighs nothing. With an index that is the same for all, this is CSPA, which see for
    how METIS balances the sizes.

    References
    ----------
    .. [1] R. Ünlü and P. Xanthopoulos, "A weighted framework for unsupervised ensemble
       learning based on internal quality measures", Annals of Operations Research,
       2017.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> judge = method("unlu_xanthopoulos_2017")(n_clusters=2)
    >>> judge.fit_predict(X, ensemble=votes)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judge.clustering_weights_.round(3)
    array([0.594, 0.406])
    """

    card = MethodCard(
        id="unlu_xanthopoulos_2017",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "the silhouette is much the same for all k-means "
            'clusterings of one table; index="calinski_harabasz" tells them apart',
        },
    )

    _parameter_constraints = {
        "index": [StrOptions(set(INDICES)), callable],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        index: Any = "silhouette",
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.index = index
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        # Asked before the index, which may look at each two objects: what CSPA takes.
        n = len(ensemble.distinct().counts)
        require_memory(4 * n**2, f"the co-association of {n} objects", "use weac")
        self.clustering_weights_ = normalize_weights(
            index_scores(X, ensemble, self.index)
        )
        return CSPA(
            self.n_clusters,
            clustering_weights=self.clustering_weights_,
            imbalance=self.imbalance,
            n_init=self.n_init,
            random_state=rng,
        ).fit_predict(ensemble)
