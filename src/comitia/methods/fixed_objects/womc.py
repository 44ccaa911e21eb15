"""WOMC."""

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import meta_vote, metis_partition
from comitia.represent import jaccard_clusters
from comitia.weigh import normalize_weights, object_uncertainty

__all__ = ["WOMC"]


class WOMC(EnsembleMethod):
    r"""Weighted-object meta-clustering.

    Clusters of different clusterings are grouped by the objects they share, where
    objects that are hard to cluster count for more; each object then goes to the group
    that most of its clusters are in [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph. A group
        of clusters can win no object, so that fewer clusters come out.

    smoothing : float, default=0.01
        The :math:`e` that keeps the weights of objects above zero.

    imbalance : float, default=0.05
        How much larger than the mean a group of clusters may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator, random_state : shared

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object, in [0, 1]; large for those that are hard to cluster.

    Notes
    -----
    With the co-association A, object i weighs

    .. math::
        w_i = \frac{u_i + e}{1 + e}, \qquad
        u_i = \frac{4}{n} \sum_j A_{ij} (1 - A_{ij}),

    and clusters c and d are joined by an edge of weight
    :math:`\sum_{i \in c \cap d} w_i \,/ \sum_{i \in c \cup d} w_i`. METIS cuts this
    graph into groups g of clusters, and object i goes to the largest
    :math:`A_{ig} = |g|^{-1} \sum_{c \in g} B_{ic}`, the lowest of equals. This vote is
    not weighted.

    The smoothing is that of the authors' code; the review does not have it. Without
    it (``smoothing=0``) objects on which all clusterings agree weigh nothing, and
    clusters made of such objects alone have no edges. When that holds for all objects,
    they are weighed equally, with a warning.

    References
    ----------
    .. [1] Y. Ren, C. Domeniconi, G. Zhang and G. Yu, "Weighted-object ensemble
       clustering: methods and analysis", Knowledge and Information Systems 51(2), 2017.
       :doi:`10.1007/s10115-016-0988-y`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("womc")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="womc",
        weighs="objects",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        smoothing: float = 0.01,
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.smoothing = smoothing
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.object_weights_ = object_uncertainty(ensemble, smoothing=self.smoothing)
        if not self.object_weights_.any():
            uniform = normalize_weights(self.object_weights_)
            self.object_weights_ = uniform * ensemble.n_objects
        n_clusters = self._resolve_n_clusters(ensemble)
        groups = metis_partition(
            jaccard_clusters(ensemble, self.object_weights_),
            n_clusters,
            imbalance=self.imbalance,
            n_init=self.n_init,
            by_content=True,
            rng=rng,
        )
        # METIS makes each cluster a part of its own when there are not enough.
        labels, _ = meta_vote(
            ensemble, groups, max(n_clusters, groups.max() + 1), association=False
        )
        return labels
