"""HBGF."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import metis_partition
from comitia.represent import bipartite_graph
from comitia.weigh.clusterings import given_weights

__all__ = ["HBGF"]


class HBGF(EnsembleMethod):
    r"""Hybrid bipartite graph formulation.

    Objects and clusters are the vertices of one graph, with an edge from each object
    to the clusters it is in; METIS cuts it into parts of equal size [1]_.

    Parameters
    ----------
    n_clusters : shared

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default, as in the paper.

    variant : {"even", "joint", "objects"}, default="even"
        What METIS balances: objects and clusters together, where either all clusters
        weigh as much as all objects, or each vertex weighs one; or the objects alone.

    imbalance : float, default=0.05
        How much larger than the mean a part may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    Notes
    -----
    The graph has the edge weights

    .. math::
        \begin{pmatrix} 0 & B W \\ W B' & 0 \end{pmatrix},

    and an object's label is the part it is in; the parts of the clusters are left out.

    METIS balances the sizes of the parts by design, so clusters of very unequal size
    are split: on planted ensembles (``benchmarks/bench_graphs.py``) the adjusted Rand
    index falls from 1.00 to 0.17 as the sizes of four clusters go from 1:1:1:1 to
    16:4:2:1. Raise ``imbalance`` when you expect them, or use a method that cuts the
    same graph without balancing, such as LWGP.

    With a vertex weight of one a few hundred clusters are lost among thousands of
    objects, and nothing keeps METIS from putting two groups of clusters into one part;
    hence the default variant. In it a cluster of all objects weighs nothing.

    Objects with equal labels everywhere enter as one vertex with a weight and stay
    together.

    References
    ----------
    .. [1] X. Z. Fern and C. E. Brodley, "Solving cluster ensemble problems by bipartite
       graph partitioning", ICML 2004. :doi:`10.1145/1015330.1015414`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("hbgf")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="hbgf",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"even", "joint", "objects"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        variant: str = "even",
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.variant = variant
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = {"clustering_weights": self.clustering_weights_}
        micro, counts, inverse = ensemble.distinct()
        n_clusters = ensemble.n_clusters_total
        of_clusters = np.full(n_clusters, int(self.variant != "objects"))
        if self.variant == "even":
            # A cluster of all objects separates none of them: it has no weight.
            separates = ensemble.sizes < ensemble.n_objects
            of_clusters = separates * ensemble.n_objects / max(1, separates.sum())
        labels = metis_partition(
            bipartite_graph(micro, **weights).adjacency(counts),
            self._resolve_n_clusters(ensemble, **weights),
            vertex_weights=np.append(of_clusters, counts),
            imbalance=self.imbalance,
            n_init=self.n_init,
            by_content=True,
            rng=rng,
        )
        return labels[n_clusters:][inverse]
