"""CSPA."""

from typing import Any

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import metis_partition
from comitia.represent.coassociation import coassociation
from comitia.weigh.clusterings import given_weights

__all__ = ["CSPA"]


class CSPA(EnsembleMethod):
    r"""Cluster-based similarity partitioning algorithm.

    Objects that many clusterings put together are joined by heavy edges, and METIS
    cuts the graph into parts of equal size so that little weight is cut [1]_.

    Parameters
    ----------
    n_clusters : shared

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default, as in the paper.

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
    The edge between objects i and j weighs :math:`[B W B']_{ij}`, the weight of the
    clusterings that put them together; there is no edge where it is zero.

    METIS balances the sizes of the parts by design: every cluster has at most
    :math:`(1 + \text{imbalance}) \, n / k` objects, so clusters of very unequal size
    are split: on planted ensembles (``benchmarks/bench_graphs.py``) the adjusted Rand
    index falls from 0.97 to 0.29 as the sizes of four clusters go from 1:1:1:1 to
    16:4:2:1. Raise ``imbalance`` when you expect them, or use a method that does not
    balance.

    Objects with equal labels everywhere enter as one vertex with a weight. They cannot
    be told apart and stay together, even where balance would split them; when there
    are fewer distinct rows of labels than clusters asked for, there are fewer clusters.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles - a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002. :doi:`10.1162/153244303321897735`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("cspa")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="cspa",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights: dict[str, Any] = {"clustering_weights": self.clustering_weights_}
        micro, counts, inverse = ensemble.distinct().in_content_order()
        S = coassociation(micro, **weights)
        # The edge of two merged vertices stands for all the pairs of their objects.
        # Row by row: all the products at once are another matrix.
        for row, count in zip(S, counts, strict=True):
            row *= count * counts.astype(S.dtype)
        labels = metis_partition(
            S,
            self._resolve_n_clusters(ensemble, **weights),
            vertex_weights=counts,
            imbalance=self.imbalance,
            n_init=self.n_init,
            rng=rng,
        )
        return labels[inverse]
