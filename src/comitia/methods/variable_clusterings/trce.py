"""TRCE: tri-level robust clustering ensemble."""

from __future__ import annotations

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
    weighted_simplex,
)
from comitia.methods._similarity_tree import distinct_in_pairs, similarity_tree
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import cut
from comitia.represent.coassociation import seen_by

__all__ = ["TRCE"]

Floats = NDArray[np.float64]

# Share of the objects that have full weight in the first round, and the growth of the
# border in the next ones.
_EASY, _GROWTH = 0.1, 1.1
# Weights of clusterings, and what a clustering says of an object, are at least this.
_LEAST = 1e-12


class TRCE(EnsembleMethod):
    r"""Tri-level robust clustering ensemble.

    Each clustering is a graph of the objects. Graphs far from the consensus count less,
    so do objects that the graphs disagree about, and the consensus graph is pressed to
    fall into k parts [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    graph_penalty : float, default=0.01
        How near, :math:`\gamma`, the graph of k parts is held to the mean graph.

    max_iter : int, default=10
        Most rounds.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering, the reciprocal of what divides its graph; they sum to
        1.

    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object, in (0, 1].

    linkage_ : ndarray of shape (n_objects - 1, 4)
        Average linkage of the learnt graph, in SciPy form.

    n_components_ : int
        Number of parts of the learnt graph. Where it is :math:`k`, they are the
        clusters; otherwise ``linkage_`` is cut at k. Merges above a height of 1 join
        parts, those first between which the mean graph is heaviest.

    n_iter_ : int
        Number of rounds.

    converged_ : bool
        Whether the graph fell into k parts before ``max_iter``. It need not, where
        other numbers of clusters are clearer.

    Notes
    -----
    With the graphs :math:`S_m`, whose rows are uniform on the clusters of clustering m,
    the mean graph Q, the learnt graph S and the eigenvectors F of its Laplacian,

    .. math::
        \min \sum_{m} \frac{1}{\alpha_m} \sum_i w_i^2 \,
        \mathrm{KL}(S_{m,i} \Vert Q_i)
        + \rho \sum_{ij} Q_{ij} \lVert F_i - F_j \rVert^2
        + \gamma \lVert S - Q \rVert_F^2

    is treated step by step, with self-paced object weights
    :math:`w_i = \min(t / 2 d_i, 1)` from their divergences :math:`d_i`, and a penalty
    :math:`\rho` that doubles until there are k parts. Objects with equal labels have
    equal rows, and the steps run on distinct label rows. Where labels are missing, a
    pair has the sum over the clusterings that have both, and an object its divergences
    from those that have it, made as large as over all; that is ours.

    The authors' code adds the divergence of the last clustering M times where it should
    sum over all, so that the order of the clusterings matters; the sum is taken here.
    Their code was read, not the paper; :math:`\gamma` is the default of a port, which
    the authors tune with the classes in view.

    References
    ----------
    .. [1] P. Zhou, L. Du, Y.-D. Shen and X. Li, "Tri-level robust clustering ensemble
       with multiple graph learning", AAAI, 2021. :doi:`10.1609/aaai.v35i12.17327`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 2]])
    >>> method("trce")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="trce",
        source="after",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="votes",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "graph_penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        graph_penalty: float = 0.01,
        max_iter: int = 10,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph_penalty = graph_penalty
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        micro, counts, inverse = distinct_in_pairs(ensemble, 13, "graphs of")
        graphs = ClusterGraphs(micro, ensemble.sizes, counts)
        S, w, alpha = self._learn(graphs, counts, n_clusters)
        self.object_weights_ = w[inverse]
        reciprocal = 1.0 / alpha
        self.clustering_weights_ = reciprocal / reciprocal.sum()
        S, self.n_components_ = join_parts(S, graphs.mean(), counts)
        self.linkage_ = similarity_tree(S, counts, inverse, "average")
        return cut(self.linkage_, n_clusters)

    def _learn(
        self, graphs: ClusterGraphs, counts: NDArray[np.int64], k: int
    ) -> tuple[Floats, Floats, Floats]:
        """The learnt graph, the weights of objects, the divisors of clusterings."""
        M = len(graphs.labels)
        alpha = np.full(M, 1.0 / M)
        S = graphs.mean()
        parts = PartsOfGraph.of(S, counts, k)
        divergences = graphs.divergences(S)
        rho, border = 1.0, np.nan
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            self._report("combine", n_iter - 1, self.max_iter)
            self.n_iter_ = n_iter
            d = np.maximum(graphs.seen.summed(divergences, 1.0 / alpha), _LEAST)
            border = 2.0 * _easiest(d, counts) if n_iter == 1 else _GROWTH * border
            w = np.minimum(border / (2.0 * d), 1.0)
            G = parts.distances()
            Q = _rows_on_simplex(
                (w**2)[:, None] * graphs.weighted(alpha), rho * G, counts
            )
            S = weighted_simplex(Q - rho / (2.0 * self.graph_penalty) * G, counts)
            divergences = graphs.divergences(Q)
            S = (S + S.T) / 2
            parts = PartsOfGraph.of(S, counts, k, before=parts)
            alpha = np.sqrt(np.maximum((counts * w**2) @ divergences, _LEAST**2))
            alpha = np.maximum(alpha / alpha.sum(), _LEAST)
            if parts.too_few:
                rho *= 2.0
            elif parts.too_many:
                rho /= 2.0
            elif n_iter > 1:
                self.converged_ = True
                break
        return S, w, alpha


class ClusterGraphs:
    """The graphs of the clusterings: uniform on the clusters of each object.

    Parameters
    ----------
    micro : Ensemble
        Distinct label rows.

    sizes : ndarray of shape (n_clusters_total,)
        How many objects each cluster has.

    counts : ndarray of shape (n_micro,)
        How many objects each label row has.
    """

    def __init__(
        self, micro: Ensemble, sizes: NDArray[np.int64], counts: NDArray[np.int64]
    ) -> None:
        self.labels = [
            np.where(column >= 0, column, -1) for column in np.asarray(micro.labels).T
        ]
        self.shares = [1.0 / each for each in np.split(sizes, micro.offsets[1:-1])]
        self.counts = counts.astype(np.float64)
        self.seen = SeenPairs(seen_by(micro))

    def weighted(self, alpha: Floats) -> Floats:
        """The sum of the graphs, each divided by its number."""
        u = len(self.counts)
        total = np.zeros((u, u))
        for column, shares, a in zip(self.labels, self.shares, alpha, strict=True):
            for c, share in enumerate(shares):
                inside = np.flatnonzero(column == c)
                total[np.ix_(inside, inside)] += share / a
        return self.seen.complete(total, 1.0 / alpha)

    def mean(self) -> Floats:
        """The mean of the graphs, symmetric."""
        M = len(self.labels)
        mean = self.weighted(np.full(M, 1.0 / M)) / M**2
        return (mean + mean.T) / 2

    def divergences(self, Q: Floats) -> Floats:
        """What each graph says of each object beyond Q, by Kullback and Leibler."""
        logs = np.log(Q, out=np.zeros_like(Q), where=Q > 0) * self.counts
        found = np.zeros((len(Q), len(self.labels)))
        for m, (column, shares) in enumerate(
            zip(self.labels, self.shares, strict=True)
        ):
            for c, share in enumerate(shares):
                inside = np.flatnonzero(column == c)
                sums = logs[np.ix_(inside, inside)].sum(axis=1)
                found[inside, m] = np.log(share) - share * sums
        return np.maximum(found, 0.0)


def _easiest(d: Floats, counts: NDArray[np.int64]) -> float:
    """The divergence that a tenth of the objects does not exceed."""
    order = np.argsort(d, kind="stable")
    place = max(int(_EASY * counts.sum()), 1)
    return float(d[order[np.searchsorted(np.cumsum(counts[order]), place)]])


def _rows_on_simplex(R: Floats, H: Floats, counts: NDArray[np.int64]) -> Floats:
    """Rows R / (H + theta) with counted sums 1, theta found by Newton's method.

    From the left, where the sum is above 1, the steps of a convex falling function do
    not pass its root.
    """
    n = counts.astype(np.float64)
    there = R > 0
    # A single value of the row already reaches 1 at its largest R n - H.
    theta = np.where(there, R * n - H, -np.inf).max(axis=1, keepdims=True)
    values = R
    for _ in range(200):
        values = np.divide(R, H + theta, out=np.zeros_like(R), where=there)
        excess = (values * n).sum(axis=1, keepdims=True) - 1.0
        slope = np.divide(values, H + theta, out=np.zeros_like(R), where=there)
        step = excess / (slope * n).sum(axis=1, keepdims=True)
        if (np.abs(step) <= 1e-14 * np.maximum(np.abs(theta), 1.0)).all():
            break
        theta = theta + np.maximum(step, 0.0)
    return values
