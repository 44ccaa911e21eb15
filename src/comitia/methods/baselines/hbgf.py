"""HBGF."""

from numbers import Integral, Real

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import metis_partition
from comitia.represent import bipartite_graph
from comitia.weigh import normalize_weights

__all__ = ["HBGF"]


class HBGF(EnsembleMethod):
    r"""Hybrid bipartite graph formulation.

    Objects and clusters are the vertices of one graph, with an edge from each object
    to the clusters it is in; METIS cuts it into parts of equal size [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; chosen by the eigengap when None.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of the edges of each clustering; equal by default, which is the method
        of the paper.

    variant : {"even", "joint", "objects"}, default="even"
        What METIS balances: objects and clusters together, where either all clusters
        weigh as much as all objects, or each vertex weighs one; or the objects alone.

    imbalance : float, default=0.05
        How much larger than the mean a part may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of METIS.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        The weights used; they sum to 1.

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
        weighs="nothing",
        approach="baseline",
        needs="labels",
        scales="linear",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "clustering_weights": ["array-like", None],
        "variant": [StrOptions({"even", "joint", "objects"})],
        "imbalance": [Interval(Real, 0, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        clustering_weights=None,
        variant="even",
        imbalance=0.05,
        n_init=1,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.variant = variant
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        w = self.clustering_weights
        self.clustering_weights_ = normalize_weights(
            np.ones(ensemble.n_clusterings) if w is None else w
        )
        weights = {"clustering_weights": self.clustering_weights_}
        micro, counts, inverse = ensemble.distinct()
        n_clusters = ensemble.n_clusters
        of_clusters = np.full(n_clusters, int(self.variant != "objects"))
        if self.variant == "even":
            # A cluster of all objects parts nobody, and should not tip the balance.
            parting = ensemble.sizes < ensemble.n_objects
            of_clusters = parting * ensemble.n_objects / max(1, parting.sum())
        labels = metis_partition(
            bipartite_graph(micro, **weights).adjacency(counts),
            self._resolve_n_clusters(ensemble, **weights),
            vertex_weights=np.append(of_clusters, counts),
            imbalance=self.imbalance,
            n_init=self.n_init,
            rng=rng,
        )
        return labels[n_clusters:][inverse]
