"""SPCE: self-paced clustering ensemble."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._learnt_graph import (
    PartsOfGraph,
    SeenPairs,
    join_parts,
)
from comitia.methods._similarity_tree import distinct_in_pairs, similarity_tree
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import cut

__all__ = ["SPCE"]

Floats = NDArray[np.float64]

# Shares of agreement at which pairs enter, and the rounds that each is given.
_PACES = {0.9: 5, 0.8: 5, 0.7: 5, 0.6: 5, 0.5: 20}
# Divisors of the clusterings are at least this.
_LEAST = 1e-12
# Values of the rows that are worked on at a time.
_BLOCK_VALUES = 1 << 15


class SPCE(EnsembleMethod):
    r"""Self-paced clustering ensemble.

    A graph of the objects is learnt from the pairs that the clusterings agree about
    first, then from harder ones, while clusterings near the graph count more and the
    graph is pressed to fall into k parts [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    sparsity_penalty : float, default=0.1
        How strongly, :math:`\gamma`, weak edges are dropped, from 0 to 1.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering, the reciprocal of what divides it; they sum to 1.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        Average linkage of the learnt graph, in SciPy form.

    n_components_ : int
        Number of parts of the learnt graph. Where it is :math:`k`, they are the
        clusters; otherwise ``linkage_`` is cut at k. Merges above a height of 1 join
        parts, those first between which the mean graph is heaviest.

    Notes
    -----
    With the indicator :math:`A_m` of pairs that clustering m joins, divisors
    :math:`p_m` and the eigenvectors F of the graph's Laplacian, the graph S minimises

    .. math::
        \sum_m \frac{1}{p_m} \lVert W \circ (S - A_m) \rVert_F^2
        + \lambda \sum_{ij} S_{ij} \lVert F_i - F_j \rVert^2

    and drops edges below :math:`\gamma M / (W \sqrt{\sum_m 1 / p_m})`. The weight
    :math:`W_{ij}` of a pair is 1 where enough clusterings agree about it, and falls
    with their disagreement; the pace goes from nine tenths to one half. Pairs that all
    clusterings join, or none, are fixed. :math:`\lambda` doubles until there are k
    parts. Objects with equal labels are joined by all, and the rounds run on distinct
    label rows. Where labels are missing, a pair has the sum over the clusterings that
    have both, made as large as over all, which is ours.

    With a large :math:`\gamma` the graph has many more parts than k, which the tree
    joins as well as it can. The authors scan it from 0 to 0.9 with the classes in view;
    0.1 is ours: from 0.3 on nothing was found in planted ensembles. Their code was
    read, not the paper.

    References
    ----------
    .. [1] P. Zhou, L. Du, X. Liu, Y.-D. Shen, M. Fan and X. Li, "Self-paced clustering
       ensemble", IEEE TNNLS 32(4), 2021. :doi:`10.1109/TNNLS.2020.2984814`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 2]])
    >>> method("spce")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="spce",
        source="after",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "helps": "weights and pace follow the first graph; on planted ensembles "
            "with a third junk, equal weights are better by 0.1",
        },
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "sparsity_penalty": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        sparsity_penalty: float = 0.1,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.sparsity_penalty = sparsity_penalty
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        micro, counts, inverse = distinct_in_pairs(ensemble, 15, "graphs of")
        pairs = JoinedPairs(np.asarray(micro.labels))
        S, p = self._learn(pairs, counts, n_clusters)
        self.clustering_weights_ = (1.0 / p) / (1.0 / p).sum()
        start = pairs.weighted(np.ones(pairs.n_clusterings)) / pairs.n_clusterings
        S, self.n_components_ = join_parts(S, start, counts)
        self.linkage_ = similarity_tree(S, counts, inverse, "average")
        return cut(self.linkage_, n_clusters)

    def _learn(
        self, pairs: JoinedPairs, counts: NDArray[np.int64], k: int
    ) -> tuple[Floats, Floats]:
        """The learnt graph and the divisors of the clusterings."""
        M = pairs.n_clusterings
        joined = pairs.joined(np.ones(M))
        p = np.full(M, 1.0 / M)
        S, penalty = pairs.weighted(np.ones(M)) / M, 1.0
        parts = PartsOfGraph.of(S, counts, k)
        for stage, (q, rounds) in enumerate(_PACES.items()):
            self._report("combine", stage, len(_PACES))
            border = 2.0 * ((q - 1.0) ** 2 * q + q**2 * (1.0 - q)) * M**2
            W = _pair_weights(S, pairs.weighted(1.0 / p), (1.0 / p).sum(), border)
            for inner in range(rounds):
                total = (1.0 / p).sum()
                S, G = pairs.weighted(1.0 / p), parts.distances()
                for rows in _row_blocks(len(S)):
                    edges, w = S[rows], W[rows]
                    edges -= penalty * G[rows] / (2.0 * w**2)
                    edges /= total
                    weak = self.sparsity_penalty * M / (w * np.sqrt(total)) > edges
                    np.clip(edges, 0.0, 1.0, out=edges)
                    edges[weak | (joined[rows] == 0)] = 0.0
                    edges[joined[rows] == M] = 1.0
                parts = PartsOfGraph.of(S, counts, k, before=parts)
                p = pairs.distances_to(S, W, counts)
                if parts.too_few:
                    penalty *= 2.0
                elif parts.too_many:
                    penalty /= 2.0
                elif inner > 0:
                    break
        return S, p


def _pair_weights(S: Floats, weighted: Floats, total: float, border: float) -> Floats:
    """Weights by the disagreement about each pair, in place of what joins it."""
    for rows in _row_blocks(len(S)):
        edges, pairs = S[rows], weighted[rows]
        apart = edges**2 * total - 2.0 * edges * pairs + pairs
        pairs[:] = np.minimum(border / (2.0 * np.maximum(apart, _LEAST)), 1.0)
    return weighted


def _row_blocks(n: int) -> Iterator[slice]:
    """Rows so few that what is computed of them stays in the cache."""
    size = max(1, _BLOCK_VALUES // n)
    return (slice(start, start + size) for start in range(0, n, size))


class JoinedPairs:
    """Which pairs of distinct label rows each clustering joins."""

    def __init__(self, labels: NDArray[Any]) -> None:
        codes = np.ascontiguousarray(labels.T, dtype=np.int32)
        alone = -1 - np.arange(codes.shape[1], dtype=np.int32)
        self.codes = np.where(codes >= 0, codes, alone)
        self.n_clusterings = len(codes)
        self.seen = SeenPairs(codes >= 0)

    def weighted(self, weights: Floats) -> Floats:
        """The sum of the weights of the clusterings that join each pair.

        A clustering that lacks one of two objects says of them what the others say.
        """
        return self.seen.complete(self.joined(weights), weights)

    def joined(self, weights: Floats) -> Floats:
        """The same, where a clustering that lacks one does not join them."""
        from comitia._kernels.joined_pairs import weights_joined

        u = self.codes.shape[1]
        total = np.empty((u, u))
        weights_joined(self.codes, weights, total)
        return total

    def distances_to(self, S: Floats, W: Floats, counts: NDArray[np.int64]) -> Floats:
        """How far each clustering is from a graph, over all objects; sum 1."""
        from comitia._kernels.joined_pairs import squared_distances

        found = squared_distances(self.codes, S, W, counts.astype(np.float64))
        found /= self.seen.pairs_each(counts)
        far = np.maximum(np.sqrt(found), _LEAST)
        return np.maximum(far / far.sum(), _LEAST)
