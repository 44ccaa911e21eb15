"""GP-MGLA."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import tcut
from comitia.represent import bipartite_graph, jaccard_clusters
from comitia.weigh import crowd_agreement

__all__ = ["GPMGLA"]


class GPMGLA(EnsembleMethod):
    r"""Graph partitioning with multi-granularity link analysis.

    Clusterings that agree with the others count for more. Objects are joined with their
    clusters, and clusters with clusters that have the same neighbours, so that the cut
    sees both granularities [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph. At most
        the number of clusters of all clusterings together.

    object_edge_weight : float, default=0.5
        Weight :math:`\alpha` of the edges between objects and clusters, against those
        between clusters and clusters.

    weight_power : float, default=2.0
        Exponent :math:`\beta` on the agreement of a clustering with the others.

    agreement : str or callable, default="nmi_max"
        How alike two clusterings are. The authors' code divides the mutual information
        by the larger entropy, the review by the geometric mean (``"nmi_sqrt"``).

    n_init : int, default=3
        Number of starts of k-means, which cuts the eigenvectors.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight :math:`v_m` of each clustering, with 1 for the one that agrees most.

    Notes
    -----
    With :math:`\mathrm{CAI}_m` the mean agreement of clustering m with the others,
    :math:`v_m = (\mathrm{CAI}_m / \max_l \mathrm{CAI}_l)^\beta`. The left side of the
    bipartite graph has the objects and the clusters, the right side the clusters:

    .. math::
        \begin{bmatrix} \alpha \, B \, \mathrm{diag}(v) \\ \mathrm{SACT} \end{bmatrix},
        \qquad
        \mathrm{SACT}_{rs} \propto \sum_t v_{m(t)} \min(J_{tr}, J_{ts}),

    with J the Jaccard similarities of the clusters, divided by the largest value, and
    then with a unit diagonal; see ``source_aware_triples``. The scale between the
    two kinds of edges is that of the authors' code, which the review leaves open. Their
    k-means starts from the first object and takes the farthest ones next; here the best
    of several starts is kept.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Combining multiple clusterings via crowd
       agreement estimation and multi-granularity link analysis", Neurocomputing 170,
       2015. :doi:`10.1016/j.neucom.2014.05.094`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("gp_mgla")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="gp_mgla",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "helps": "clusters are linked by the neighbours that they share, and "
            "where all clusterings are noisy all clusters share some",
        },
        on_device=True,
    )

    _labels_on_device = True

    _parameter_constraints = {
        "object_edge_weight": [Interval(Real, 0, None, closed="neither")],
        "weight_power": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        object_edge_weight: float = 0.5,
        weight_power: float = 2.0,
        agreement: Any = "nmi_max",
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.object_edge_weight = object_edge_weight
        self.weight_power = weight_power
        self.agreement = agreement
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        v = crowd_agreement(
            ensemble, agreement=self.agreement, weight_power=self.weight_power
        )
        self.clustering_weights_ = v
        J = jaccard_clusters(ensemble)
        graph = bipartite_graph(
            ensemble,
            clustering_weights=self.object_edge_weight * v,
            cluster_edges=cluster_links(J, v[ensemble.clustering_of]),
        )
        n_clusters = self._resolve_n_clusters(ensemble, clustering_weights=v)
        return tcut(graph, n_clusters, rng, n_init=self.n_init)


def cluster_links(J: Any, weights: Array) -> Array:
    """Weights of the edges between clusters: SACT over its largest value.

    In [0, 1], with a unit diagonal.
    """
    links = source_aware_triples(J, weights)
    # The largest value is looked for with the diagonal, which is set only then.
    links /= links.max()
    np.fill_diagonal(links, 1.0)
    return links


def source_aware_triples(J: Any, weights: Array) -> Array:
    r"""Similarity of clusters by their common neighbours: SACT, before it is scaled.

    .. math::
        \mathrm{SACT}_{rs} = \sum_t v_t \min(J_{tr}, J_{ts})

    over all clusters t, r and s themselves among them.
    """
    from comitia._kernels.neighbors import common_neighbors

    triples = np.zeros(J.shape)
    v = np.asarray(weights, dtype=np.float64)
    common_neighbors(J.indptr, J.indices, J.data, v, triples)
    return triples
