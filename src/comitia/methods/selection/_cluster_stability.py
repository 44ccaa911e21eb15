"""Which clusters to keep, and how alike objects are by those kept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.represent.coassociation import coassociation, seen_by

__all__ = ["cluster_stability", "edited_stability", "kept_coassociation"]

Floats = NDArray[np.float64]


def cluster_stability(ensemble: Ensemble) -> Floats:
    r"""How well each cluster is kept together by the clusterings.

    .. math::
        \mathrm{stab}(C) = \frac{1}{M} \sum_{m=1}^{M}
        \frac{2 |C| \ln \frac{|C|}{n}}
        {|C| \ln \frac{|C|}{n} + \sum_r |C \cap C_m^r| \ln \frac{|C \cap C_m^r|}{n}}

    A cluster that all clusterings keep whole has stability 1.

    0/0, the cluster of all objects compared with a clustering of one cluster, is 1.
    Objects that a clustering leaves out are not compared with it: :math:`|C|` and n
    count those that both clusterings have, and the mean goes over the clusterings that
    have any object of C.
    """
    shared = _Shared.of(ensemble)
    own = _x_log_x(shared.size, shared.n)
    n = shared.n[shared.row, shared.clustering]
    joint = shared.sums(_x_log_x(shared.common, n))
    whole = own + joint
    terms = np.divide(2.0 * own, whole, out=np.ones_like(own), where=whole < 0)
    return shared.mean(terms)


def edited_stability(ensemble: Ensemble) -> Floats:
    r"""How well each clustering can build a cluster from its own clusters.

    .. math::
        \mathrm{stab}(C) = \frac{1}{M} \sum_{m=1}^{M}
        \phi \bigl( \{C, \bar C\}, \{P_m(C), \overline{P_m(C)}\} \bigr)

    where :math:`P_m(C)` is the union of the clusters of :math:`C_m` that have more than
    half of their objects in C, and :math:`\phi` the NMI of two divisions into two.

    Where :math:`P_m(C)` is empty or everything, :math:`\phi` is 0; the cluster of all
    objects has stability 1. The sum is printed up to m in the review and runs to M.
    Objects that a clustering leaves out are not compared with it, as in
    :func:`cluster_stability`.
    """
    shared = _Shared.of(ensemble)
    # Objects of the other cluster that the clustering of this one has.
    of = ensemble.clustering_of
    other = shared.size[shared.column, of[shared.row]]
    chosen = 2.0 * shared.common > other
    inside = shared.sums(np.where(chosen, shared.common, 0.0))
    union = shared.sums(np.where(chosen, other, 0.0))
    n, size = shared.n, shared.size
    cells = [inside, size - inside, union - inside, n - size - union + inside]
    H_joint = -sum(_p_log_p(cell, n) for cell in cells)
    H_cluster = -(_p_log_p(size, n) + _p_log_p(n - size, n))
    H_union = -(_p_log_p(union, n) + _p_log_p(n - union, n))
    information = np.maximum(H_cluster + H_union - H_joint, 0.0)
    # Rounding can leave -1e-16 where a fuzzy cluster has everybody.
    scale = np.sqrt(np.maximum(H_cluster * H_union, 0.0))
    phi = np.divide(information, scale, out=np.zeros_like(scale), where=scale > 0)
    everything = (size == n) & (union == n)
    return shared.mean(np.where(everything, 1.0, np.minimum(phi, 1.0)))


def kept_coassociation(ensemble: Ensemble, kept: ArrayLike) -> Floats:
    r"""How alike objects are by the clusters kept.

    .. math::
        S_{ij} = \frac{n_{ij}}{\max(n_i, n_j)}

    with the number :math:`n_i` of kept clusters that hold i, and :math:`n_{ij}` of
    those that hold i and j, over the clusterings that have both. Objects that no kept
    cluster holds are compared by all clusters.
    """
    mask = np.asarray(kept)
    if mask.shape != (ensemble.n_clusters_total,) or mask.dtype != bool:
        raise ComitiaError(
            "kept must say True or False for each of "
            f"{ensemble.n_clusters_total} clusters; got {mask.dtype} of shape "
            f"{mask.shape}."
        )
    S = _by_clusters(ensemble, mask)
    left = np.asarray(ensemble.membership @ mask.astype(np.float64)) == 0
    if left.any():
        by_all = _by_clusters(ensemble, np.ones_like(mask))
        S[left] = by_all[left]
        S[:, left] = by_all[:, left]
    return S


def _by_clusters(ensemble: Ensemble, mask: NDArray[np.bool_]) -> Floats:
    weights = mask.astype(np.float64)
    S = coassociation(
        ensemble,
        clustering_weights=np.ones(ensemble.n_clusterings),
        cluster_weights=weights,
        co_sampled=False,
        dtype=np.float64,
    )
    own = np.asarray(ensemble.membership @ weights)
    tiny = np.finfo(np.float64).tiny
    if not ensemble.has_missing:
        for i, row in enumerate(S):
            row /= np.maximum(np.maximum(own[i], own), tiny)
        return S
    # Of the clusters of each object, those in clusterings that have the other one too.
    B = ensemble.membership
    of_clusterings = csr_array(
        (weights, ensemble.clustering_of, np.arange(len(weights) + 1)),
        shape=(len(weights), ensemble.n_clusterings),
    )
    mine, seen = (B @ of_clusterings).toarray(), seen_by(ensemble).astype(np.float64)
    for i, row in enumerate(S):
        row /= np.maximum(np.maximum(mine[i] @ seen, mine @ seen[:, i]), tiny)
    return S


class _Shared(NamedTuple):
    """What each cluster shares with each cluster, and with each clustering."""

    # row, column, common: the pairs of clusters with common objects, and how many these
    # are
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    common: Floats
    clustering: NDArray[np.int64]  # the clustering of each column
    # (n_clusters, n_clusterings), objects of a cluster that a clustering has
    size: Floats
    # (n_clusters, n_clusterings), objects that the clustering of a cluster and another
    # clustering both have
    n: Floats

    @classmethod
    def of(cls, ensemble: Ensemble) -> _Shared:
        if ensemble.kind == "overlapping":
            raise ComitiaError(
                "stability is not defined for overlapping clusterings, in which an "
                "object counts more than once; give hard, partial or fuzzy ones."
            )
        table = ensemble.contingency().tocoo()
        row, column = table.row.astype(np.int64), table.col.astype(np.int64)
        common = table.data.astype(np.float64)
        of, K, M = (
            ensemble.clustering_of,
            ensemble.n_clusters_total,
            ensemble.n_clusterings,
        )
        clustering = of[column]
        size = _table(row * M + clustering, common, (K, M))
        both = np.add.reduceat(size, ensemble.offsets[:-1], axis=0)
        return cls(row, column, common, clustering, size, both[of])

    def sums(self, values: Floats) -> Floats:
        """Values of pairs of clusters, summed over the clusters of a clustering."""
        K, M = self.size.shape
        return _table(self.row * M + self.clustering, values, (K, M))

    def mean(self, terms: Floats) -> Floats:
        """Mean over the clusterings that have an object of the cluster."""
        seen = self.size > 0
        return np.where(seen, terms, 0.0).sum(axis=1) / np.maximum(seen.sum(axis=1), 1)


def _table(cells: NDArray[np.int64], values: Floats, shape: tuple[int, int]) -> Floats:
    sums = np.bincount(cells, values, minlength=shape[0] * shape[1])
    return np.asarray(sums, dtype=np.float64).reshape(shape)


def _x_log_x(x: Floats, n: Floats) -> Floats:
    """x ln(x / n), and 0 where x is 0."""
    some = x > 0
    ratio = np.divide(x, n, out=np.ones_like(x), where=some)
    return np.where(some, x * np.log(ratio), 0.0)


def _p_log_p(x: Floats, n: Floats) -> Floats:
    """p ln p of the shares x / n, and 0 where x is 0."""
    # Differences of sums can leave -1e-16 of a fuzzy count.
    positive = np.maximum(x, 0.0)
    return np.divide(_x_log_x(positive, n), n, out=np.zeros_like(x), where=n > 0)
