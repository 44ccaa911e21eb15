"""Cumulative voting with an information bottleneck."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from comitia._sklearn import StrOptions
from comitia.agreement import agreement_matrix, entropy
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content, clusters_by_content
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.optimize.ties import SAME, without_last_bits
from comitia.weigh.clusterings import given_weights

__all__ = ["CumulativeVoting"]

Floats = NDArray[np.float64]


class CumulativeVoting(EnsembleMethod):
    r"""Cumulative voting consensus.

    Each cluster votes for the clusters of a reference, in the shares in which its
    objects are there; an object collects the votes of its clusters. Clusters of the
    reference that tell the same story are merged until k are left [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"fixed", "adaptive", "matched"}, default="fixed"
        ``"fixed"`` compares all clusterings with the reference, ``"adaptive"`` with the
        mean of all votes so far, one after the other by falling entropy; ``"matched"``
        does that too, and lets each cluster vote for its one counterpart.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Votes of each object, as shares.

    reference_ : int
        The clustering that is the reference: of those with at least k clusters the one
        of largest entropy, then the one most like the others.

    Notes
    -----
    With the votes R so far, a clustering adds

    .. math::
        V_m = B_m (B_m' B_m)^{-1} B_m' R,

    its best guess of R in the sense of least squares. The mean Q of all votes has a
    column for each cluster of the reference. With the mass :math:`p_r` of a column and
    its distribution :math:`q_r` over the objects, the pair that loses least information
    is merged,

    .. math::
        (p_r + p_s) \, \mathrm{JS}_{p}(q_r, q_s),

    where JS is the Jensen-Shannon divergence with the masses as priors. Votes are
    added when columns merge, before an object is labelled by its largest. Where no
    clustering has k clusters, the result has fewer. A missing label is no vote.

    Read in two re-implementations; which of the normalised and the un-normalised forms
    of [1]_ the shares are could not be checked.

    References
    ----------
    .. [1] H. G. Ayad and M. S. Kamel, "Cumulative voting consensus method for
       partitions with variable number of clusters", IEEE TPAMI 30(1), 2008.
       :doi:`10.1109/TPAMI.2007.1138`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 1, 2]])
    >>> method("cumulative_voting")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="cumulative_voting",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variant": [StrOptions({"adaptive", "fixed", "matched"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "fixed",
        clustering_weights: Any = None,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.clustering_weights = clustering_weights
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        M = ensemble.n_clusterings
        self.clustering_weights_ = given_weights(self.clustering_weights, M)
        n_clusters = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        order = _by_entropy(ensemble)
        fine = [m for m in order if ensemble.n_clusters_each[m] >= n_clusters]
        self.reference_ = int(fine[0] if fine else order[0])
        micro, counts, inverse = ensemble.distinct().in_content_order()
        B = micro.membership.tocsc()
        blocks = [
            B[:, lo:hi].tocsr()
            for lo, hi in zip(ensemble.offsets[:-1], ensemble.offsets[1:], strict=True)
        ]
        by_content = clusters_by_content(ensemble)
        own = by_content[ensemble.clustering_of[by_content] == self.reference_]
        start = B[:, own].toarray()
        rest = [m for m in order if m != self.reference_]
        Q = self._votes(start, blocks, rest, counts)
        merged = merge_columns(Q, counts, n_clusters)
        labels, _, self.membership_ = fuzzy_clusters(merged[inverse])
        return labels

    def _votes(
        self,
        start: Floats,
        blocks: list[Any],
        rest: list[int],
        counts: NDArray[np.int64],
    ) -> Floats:
        """The mean of all votes, of the objects that have any."""
        w = self.clustering_weights_
        # A reference without weight is still what the others are compared with.
        first = max(float(w[self.reference_]), SAME)
        sums = first * start
        totals = first * start.sum(axis=1)
        R = start
        for m in rest:
            shared = blocks[m].T @ (counts[:, None] * R)
            if self.variant == "matched":
                rows, columns = linear_sum_assignment(-shared)
                shared = np.zeros_like(shared)
                shared[rows, columns] = 1.0
            mass = shared.sum(axis=1, keepdims=True)
            table = np.divide(shared, mass, out=np.zeros_like(shared), where=mass > 0)
            votes = blocks[m] @ table
            sums += w[m] * votes
            totals += w[m] * votes.sum(axis=1)
            if self.variant != "fixed":
                R = _shares(sums, totals)
        return _shares(sums, totals)


def _by_entropy(ensemble: Ensemble) -> list[int]:
    """The clusterings by falling entropy, then by how like the others they are."""
    sizes = np.split(ensemble.sizes, ensemble.offsets[1:-1])
    entropies = without_last_bits(np.array([entropy(each) for each in sizes]))
    alike = without_last_bits(agreement_matrix(ensemble, "nmi_sqrt").mean(axis=1))
    place = np.argsort(clusterings_by_content(ensemble))
    return np.lexsort((place, -alike, -entropies)).tolist()


def _shares(sums: Floats, totals: Floats) -> Floats:
    whole = totals[:, None]
    # Objects that nobody has voted for stand between all clusters.
    return np.divide(
        sums, whole, out=np.full_like(sums, 1.0 / sums.shape[1]), where=whole > 0
    )


def merge_columns(Q: Floats, counts: NDArray[np.int64], n_columns: int) -> Floats:
    """Merge columns by the agglomerative information bottleneck.

    Of pairs that lose equally little, the first is merged.
    """
    mass = Q * (counts / counts.sum())[:, None]
    columns = [mass[:, r] for r in range(mass.shape[1])]
    votes = [Q[:, r] for r in range(Q.shape[1])]
    scores = [_information(column) for column in columns]
    k = len(columns)
    costs = np.full((k, k), np.inf)
    for r in range(k):
        for s in range(r + 1, k):
            joint = _information(columns[r] + columns[s])
            costs[r, s] = scores[r] + scores[s] - joint
    while len(columns) > n_columns:
        lowest = costs.min()
        within = costs <= lowest + SAME * max(abs(lowest), 1.0)
        r, s = divmod(int(within.argmax()), len(costs))
        columns[r], votes[r] = columns[r] + columns[s], votes[r] + votes[s]
        scores[r] = _information(columns[r])
        for each in (columns, votes, scores):
            del each[s]
        costs = np.delete(np.delete(costs, s, axis=0), s, axis=1)
        for other in range(len(columns)):
            if other != r:
                lo, hi = sorted((r, other))
                joint = _information(columns[lo] + columns[hi])
                costs[lo, hi] = scores[lo] + scores[hi] - joint
    return np.stack(votes, axis=1)


def _information(column: Floats) -> float:
    """The sum of q log2(q / p) over the entries q of a column with the mass p."""
    p = column.sum()
    inside = column[column > 0]
    return float(inside @ np.log2(inside / p)) if p > 0 else 0.0
