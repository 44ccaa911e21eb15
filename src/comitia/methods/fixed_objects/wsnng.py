"""WSnnG."""

from numbers import Integral, Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.optimize.ties import is_lower
from comitia.partition import metis_partition
from comitia.represent import coassociation

__all__ = ["WSnnG"]


class WSnnG(EnsembleMethod):
    r"""Weighted shared-nearest-neighbours graph.

    Objects are joined when they are near neighbours in the votes, by edges as heavy as
    their neighbourhoods are alike. Objects in dense regions weigh less, and the graph
    is cut into parts of equal weight [1]_.

    Parameters
    ----------
    n_clusters : shared

    threshold : float, default=0.3
        Share :math:`\tau` of the clusterings that neighbours are together in, at least;
        from 0 to below 1.

    n_neighbors : int, default=None
        An object is joined with this many nearest others, and with those as near as the
        last of them; the root of the number of objects by default.

    variant : {"shared", "own", "printed"}, default="shared"
        The objects that the squares in the weight of an edge are summed over: the
        neighbours that both ends share, or the neighbours of each end. ``"printed"`` is
        ``"shared"`` with the weights of objects as the review prints them.

    imbalance : float, default=0.05
        How much heavier than the mean a cluster may be.

    n_init : int, default=1
        Number of partitions METIS makes; the one that cuts least is kept.

    generator, random_state : shared

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object; small for those with many near neighbours.

    Notes
    -----
    With the co-association A and the neighbours :math:`N_i = \{j : A_{ij} > \tau\}`, of
    which i is one, and :math:`N_{ij} = N_i \cap N_j`, the edge of i and j, where one is
    among the nearest neighbours of the other, weighs

    .. math::
        e_{ij} = \frac{p_{ij}}{\sum_{l \in N_{ij}} A_{il}^2 +
        \sum_{l \in N_{ij}} A_{jl}^2 - p_{ij}}, \qquad
        p_{ij} = \sum_{l \in N_{ij}} A_{il} A_{jl},

    and an object

    .. math::
        w_i = \Bigl( \sum_{j \in N_i} e_{ij} \Bigr)^{-1} .

    The review prints :math:`p_{ij}` in the place of :math:`e_{ij}` there
    (``variant="printed"``). In an ideal cluster of s objects all :math:`A_{ij}` are 1
    and all :math:`p_{ij}` are s, so that an object weighs :math:`1 / s^2` and the
    cluster :math:`1 / s`: parts of equal weight cannot be clusters of different sizes,
    which the weights are there for. With the normalised edges each ideal cluster weighs
    1. On planted clusters of 20, 80 and 100 objects with 20 % of the labels random
    (12 clusterings) the adjusted Rand index is 0.26 to 0.90 as printed and 0.92 to 1.00
    so.
    With 30 % random the clusters are far from ideal, and it is 0.9 as printed and 0.8
    so.

    METIS minimises the weight of the edges that are cut, with parts of equal weight.
    Neither threshold nor number of neighbours are given; a common factor of the weights
    changes nothing. With a high threshold an object without neighbours weighs as much
    as a whole cluster of others (more, as printed), and nothing can be balanced: on
    planted clusters with 30 % of the labels random (200 objects, 4 clusters, 12
    clusterings), the adjusted Rand index is 0.97 for thresholds up to 0.4 and 0.89 for
    0.5 (0.3 as printed). Hence the default. The squares are summed over the shared
    neighbours, as printed; with ``variant="own"`` the edge is the extended Jaccard
    similarity of the rows of A.

    Where labels are missing, A is the share of the clusterings that have both objects.
    Objects with equal labels everywhere enter as one vertex that weighs as much as all
    of them; they stay together.

    References
    ----------
    .. [1] H. Ayad and M. Kamel, "Finding natural clusters using multi-clusterer
       combiner based on shared nearest neighbors", MCS 2003, LNCS 2709.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("wsnng")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="wsnng",
        weighs="objects",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "variant": [StrOptions({"shared", "own", "printed"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float = 0.3,
        n_neighbors: int | None = None,
        variant: str = "shared",
        imbalance: float = 0.05,
        n_init: int = 1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.n_neighbors = n_neighbors
        self.variant = variant
        self.imbalance = imbalance
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        micro, counts, inverse = ensemble.distinct().in_content_order()
        require_memory(
            8 * 8 * len(counts) ** 2,
            f"the neighbours that each two of {len(counts)} objects share",
            "use a method that is linear in n, such as womc or lwgp",
        )
        A = coassociation(micro, dtype=np.float64)
        n_neighbors = self.n_neighbors or max(1, round(np.sqrt(ensemble.n_objects)))
        weights, edges = shared_neighbors(A, counts, self.threshold, self.variant)
        self.object_weights_ = weights[inverse]
        edges[~nearest_neighbors(A, counts, n_neighbors)] = 0.0
        # The edge of two merged vertices stands for all the pairs of their objects.
        edges *= counts[:, None] * counts
        labels = metis_partition(
            edges,
            self._resolve_n_clusters(ensemble),
            vertex_weights=weights * counts,
            imbalance=self.imbalance,
            n_init=self.n_init,
            rng=rng,
        )
        return labels[inverse]


def shared_neighbors(
    A: Array, counts: Array, threshold: float, variant: str = "shared"
) -> tuple[Any, ...]:
    """Weights of objects and of edges, by the neighbours that objects share.

    ``weights``: weight of one object of each row. ``edges``: weight of the edge between
    one object and another, whether they are near or not.
    """
    # Rounding must not decide whether three of ten votes are more than 0.3.
    neighbors = is_lower(threshold, A)
    np.fill_diagonal(neighbors, True)
    T = A * neighbors
    products = (T * counts) @ T.T
    if variant == "own":
        squares = products.diagonal()
        squares = squares[:, None] + squares
    else:
        squares = (T * T * counts) @ neighbors.T
        squares = squares + squares.T
    # Objects that share no neighbour have no edge.
    edges = np.divide(
        products, squares - products, out=np.zeros_like(A), where=products > 0
    )
    edges = (edges + edges.T) / 2  # BLAS does not promise a symmetric product
    density = products if variant == "printed" else edges
    return 1.0 / ((neighbors * density) @ counts), edges


def nearest_neighbors(A: Array, counts: Array, n_neighbors: int) -> Array:
    """Whether one of two objects is among the nearest neighbours of the other.

    Symmetric. Those as near as the last neighbour are neighbours too, so that the order
    of the objects does not matter.
    """
    n_neighbors = min(n_neighbors, counts.sum() - 1)
    order = np.argsort(-A, axis=1, kind="stable")
    others = counts - np.eye(len(A), dtype=counts.dtype)
    reached = np.cumsum(np.take_along_axis(others, order, axis=1), axis=1)
    last = np.argmax(reached >= n_neighbors, axis=1)
    rows = np.arange(len(A))
    # Rounding must not tell apart what is equally near.
    least = A[rows, order[rows, last]] - 1e-12
    nearest = np.greater_equal(A, least[:, None])
    return nearest | nearest.T
