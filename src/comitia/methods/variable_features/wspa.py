"""WSPA and WBPA."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.methods._types import Array, Data, Rng, Seed
from comitia.methods.variable_features._sweep import LACEnsembleMethod
from comitia.partition import metis_partition
from comitia.represent import bipartite_graph, profile_similarity

__all__ = ["WSPA"]

# METIS keeps the two ends and the weight of each edge, and copies them.
_BYTES_PER_EDGE = 40


class WSPA(LACEnsembleMethod):
    r"""Weighted similarity partitioning algorithm.

    Locally adaptive clustering gives each cluster its own weights of the features. It
    runs with several strengths of its penalty; how near an object is to the clusters of
    a run says how probable each is for it, and METIS cuts the graph of objects with
    similar probabilities into parts of equal size [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` draws it for
        each clustering, from 2 to :math:`\sqrt n`, and takes the eigengap of the
        ensemble's graph for the result.

    n_clusterings : int, default=10
        Number of clusterings, :math:`M`.

    weight_penalty : float or (float, float), default=(0.1, 10.0)
        Smallest and largest :math:`\lambda` of the clusterings, which are on a
        logarithmic grid; or one for all. Large values make the weights alike.

    variant : {"similarity", "bipartite"}, default="similarity"
        "similarity" is WSPA; "bipartite" is the companion WBPA, which cuts the graph of
        objects and clusters and is linear in the number of objects.

    imbalance : float, default=0.05
        How much heavier than the mean a part may be.

    n_init : int, default=3
        Number of starts of each clustering.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    feature_weights_ : ndarray of shape (n_clusters of the ensemble, n_features)
        Weight of each feature in each cluster; rows sum to one.

    objective_ : list of ndarray
        For each clustering its objective after each iteration.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether the labels of all clusterings stopped changing.

    Notes
    -----
    The features are standardised. With the centres :math:`c_v` and feature weights
    :math:`w_v` of :class:`comitia.cluster.LAC`,

    .. math::
        d_{iv} = \sqrt{\sum_r w_{vr} (c_{vr} - x_{ir})^2}, \qquad
        P_{iv} = \frac{D_i - d_{iv} + 1}{k D_i + k - \sum_s d_{is}}, \qquad
        D_i = \max_v d_{iv} .

    An edge of WSPA weighs the mean over the clusterings of the cosine of the
    probabilities of two objects. These are never zero, so that all edges are there, and
    memory grows with the square of the number of objects. WBPA joins object i with each
    cluster by an edge of weight :math:`P_{iv}`. There, all clusters weigh as much as
    all objects; with a weight of one for each, as printed, the few clusters are lost
    among the objects (see WOHB).

    The objective of a clustering may rise now and then, because the mean over a cluster
    in its dispersions means that the assignment of objects is not a step of descent;
    each clustering keeps the best iterate. The probabilities are not in the review and
    are those of [1]_ from memory, the grid of :math:`\lambda` is ours. METIS balances
    the sizes of the parts by design, so clusters of very unequal size are split; on a
    complete graph the smallest part makes the smallest cut, so that a large
    ``imbalance`` yields parts as unequal as it allows.

    References
    ----------
    .. [1] C. Domeniconi and M. Al-Razgan, "Weighted cluster ensembles: methods and
       analysis", ACM TKDD 2(4), 2009. :doi:`10.1145/1460797.1460800`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 4.0], [0.1, 0.0], [0.2, 2.0], [5.0, 4.1], [5.1, 0.1], [5.2, 2.1]]
    >>> method("wspa")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="wspa",
        weighs="features",
        approach="variable",
        needs="data",
        scales="quadratic",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"similarity", "bipartite"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 10,
        weight_penalty: Any = (0.1, 10.0),
        variant: str = "similarity",
        imbalance: float = 0.05,
        n_init: int = 3,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.weight_penalty = weight_penalty
        self.variant = variant
        self.imbalance = imbalance
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n, P = ensemble.n_objects, self._probabilities(X)
        if self.variant == "similarity":
            require_memory(
                _BYTES_PER_EDGE * n * n,
                f"a graph with an edge between each two of {n} objects",
                'use variant="bipartite", which is linear in n',
            )
            graph: Any = profile_similarity(P, ensemble)
            weights = np.ones(n)
        else:
            k = ensemble.n_clusters_total
            soft = np.split(P, ensemble.offsets[1:-1], axis=1)
            graph = bipartite_graph(Ensemble.from_memberships(soft)).adjacency()
            weights = np.repeat([n / k, 1.0], [k, n])
        labels = metis_partition(
            graph,
            self._resolve_n_clusters(ensemble),
            vertex_weights=weights,
            imbalance=self.imbalance,
            rng=rng,
        )
        return labels[-n:]
