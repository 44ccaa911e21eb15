"""HGPA."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines._hgpa_hypergraph import hypergraph_partition
from comitia.weigh.clusterings import given_weights

__all__ = ["HGPA"]


class HGPA(EnsembleMethod):
    r"""Hypergraph partitioning algorithm.

    Every cluster is a hyperedge that ties its objects together, and the objects are
    divided into parts of equal size so that few hyperedges are cut [1]_.

    Parameters
    ----------
    n_clusters : shared

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default, as in the paper.

    variant : {"cut", "connectivity"}, default="cut"
        A cluster whose objects are in :math:`\lambda` parts costs
        :math:`[\lambda > 1]`, as in the paper, or :math:`\lambda - 1`.

    imbalance : float, default=0.05
        How much larger than the mean a cluster may be.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    Notes
    -----
    Minimises :math:`\sum_c w_c [\lambda_c > 1]` over partitions whose parts have at
    most :math:`(1 + \text{imbalance}) \, n / k` objects. A cluster that a single noisy
    object ties to another part is cut already and says nothing more; so the method
    needs clean clusterings, and it is the weakest of its family on noisy ones.

    The partitioner balances the sizes of the parts by design, so clusters of very
    unequal size are split; raise ``imbalance`` when you expect them. The paper used
    hMETIS, which is not free software; here Mt-KaHyPar does it, in its deterministic
    mode. It comes with the extra ``comitia[hypergraph]``.

    Objects with equal labels everywhere enter as one vertex with a weight and stay
    together.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles - a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002. :doi:`10.1162/153244303321897735`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("hgpa")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="hgpa",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        requires="hypergraph",
        exempt={
            "recovery": "a cluster that one noisy object ties to another part is cut "
            "already; the labels of these clusterings are noisy.",
            "missing_labels": "as for recovery, with fewer objects in each cluster.",
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"cut", "connectivity"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        variant: str = "cut",
        imbalance: float = 0.05,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.variant = variant
        self.imbalance = imbalance
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = {"clustering_weights": self.clustering_weights_}
        micro, counts, inverse = ensemble.distinct().in_content_order()
        labels = hypergraph_partition(
            micro,
            self._resolve_n_clusters(ensemble, **weights),
            **weights,
            vertex_weights=counts,
            imbalance=self.imbalance,
            objective=self.variant,
            rng=rng,
        )
        return labels[inverse]
