"""Selection by diversity, as long as the consensus does not get worse."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.methods.selection._base import GrownSelectionMethod
from comitia.partition import kmeans_rows
from comitia.represent import align_clusters
from comitia.select import top
from comitia.validity.centers import centroid_separation_ratio
from comitia.weigh import mean_agreement

__all__ = ["GreedyDiversity"]

# Distances held at a time: 32 MB of them.
_BLOCK = 2**22


class GreedyDiversity(SameNumberOfClusters, GrownSelectionMethod):
    r"""Diversity-ordered selection with a quality stop.

    Clusterings join in the order of their diversity, the most diverse first, until one
    would make the clusters of the consensus less well separated [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. The others are aligned to the most diverse clustering that
        has as many. ``None`` takes the most diverse of all.

    agreement : str or callable, default="adjusted_rand"
        How alike two clusterings are.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default runs of
        k-means, all with as many clusters.

    random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The diversity of each clustering, 1 less its mean adjusted Rand index with the
        others.

    quality_ : ndarray of shape (n_kept,)
        Quality of the consensus after each clustering that was kept; it does not fall.
        Minus infinity where the index is not defined, as for a single cluster.

    Notes
    -----
    After alignment to the first clustering (Hungarian), a clustering gives object i the
    shares

    .. math::
        G^m_{ir} = \frac{\bar d^m_{ir}}{\sum_v \bar d^m_{iv}},

    where :math:`\bar d^m_{ir}` is the mean distance of :math:`x_i` to the members of
    the cluster with label r. The consensus of the set P of those kept is
    :math:`\arg\min_r \sum_{m \in P} G^m_{ir}`, with the quality

    .. math::
        \frac{\sum_{r < v} \lVert c_r - c_v \rVert}
        {\frac{k - 1}{2} \sum_r \sum_{i \in r} \lVert x_i - c_r \rVert},

    and the first clustering that would lower it ends the selection; the consensus
    before it is the result.

    The review calls G a membership and takes the largest. But it grows with the
    distance, so that objects would go to the farthest cluster: the smallest is taken
    here. Whether the quality counts a pair of centres once or twice changes a constant
    alone. It is not defined for a consensus of one cluster, which counts as the poorest
    of all; if one cluster is asked for, all clusterings are kept.

    All clusterings should have as many clusters as the consensus. Clusters in excess
    are merged with those whose label they get, and a label that a clustering does not
    use has the share 1 there, the largest there is. Objects that a clustering leaves
    out have distances to its clusters too. Where no clustering has ``n_clusters``
    clusters, the others are aligned to a k-means clustering of the label rows.

    The paper is not identified: the review cites it by the number of an IEEE document,
    6897160, alone.

    References
    ----------
    .. [1] IEEE document 6897160, 2014, as described in M. Zhang, "Weighted clustering
       ensemble: a review", Pattern Recognition 124, 2022.
       :doi:`10.1016/j.patcog.2021.108428`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble(
    ...     [[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1], [1, 1, 1]]
    ... )
    >>> fitted = method("greedy_diversity_2014")(n_clusters=2).fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.selected_
    array([ True,  True,  True])
    """

    card = MethodCard(
        id="greedy_diversity_2014",
        weighs="clusterings",
        approach="selection",
        needs=("labels", "data"),
        missing="votes",
        scales="quadratic",
        exempt={
            "drops_junk": "the most diverse clusterings join first, and junk is the "
            "most diverse of all",
            "helps": "begins with the most diverse clusterings, which are the worst "
            "where the others agree",
        },
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        agreement: Any = "adjusted_rand",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import KMeansGenerator

        return KMeansGenerator(n_clusters=self.n_clusters)

    def _grow(self, ensemble: Ensemble, X: Data, rng: Rng) -> tuple[Any, ...]:
        """The clusterings kept, and their consensus."""
        M = ensemble.n_clusterings
        diversity = 1.0 - mean_agreement(ensemble, self.agreement)
        self.clustering_weights_ = np.maximum(diversity, 0.0)
        order = top(self.clustering_weights_, M)
        G = distance_profiles(X, ensemble, self._reference(ensemble, order, rng))
        total: Any = 0.0
        best, quality = np.zeros(0, dtype=int), list[float]()
        for m in order:
            total = total + G[:, m]
            labels = total.argmin(axis=1)
            value = centroid_separation_ratio(X, labels)
            value = -np.inf if np.isnan(value) else value
            # Rounding is no decrease.
            if quality and value < quality[-1] - 1e-12 * abs(quality[-1]):
                break
            best = labels
            quality.append(value)
        self.quality_ = np.array(quality)
        return order[: len(quality)], best

    def _reference(self, ensemble: Ensemble, order: Array, rng: Rng) -> Array:
        """The labels that the clusterings are aligned to."""
        k = self.n_clusters
        fit = [m for m in order if k in (None, ensemble.n_clusters_each[m])]
        if not fit:
            assert k is not None  # otherwise every clustering fits
            return kmeans_rows(ensemble, k, rng).labels
        return ensemble.labels[:, fit[0]]


def distance_profiles(X: Data, ensemble: Ensemble, reference: Array) -> Array:
    """Shares of the labels in the mean distances, (n_objects, n_clusterings, k)."""
    k = int(reference.max()) + 1
    targets = align_clusters(ensemble, reference, k)
    # Index -1, a missing label, finds the k that is appended: no cluster.
    codes = np.append(targets, k)[
        np.where(
            ensemble.labels.T < 0, -1, ensemble.labels.T + ensemble.offsets[:-1, None]
        )
    ]
    M = ensemble.n_clusterings
    aligned = Ensemble.from_codes(codes, np.full(M, k))
    d = mean_distances(X, aligned).reshape(-1, M, k)
    total = np.nansum(d, axis=2, keepdims=True)
    # Where all distances are 0, the clusters have equal shares.
    G = np.where(total > 0, d, 1.0) / np.where(total > 0, total, k)
    return np.where(np.isnan(d), 1.0, G)


def mean_distances(X: ArrayLike, ensemble: Ensemble) -> NDArray[np.float64]:
    r"""Mean distance of each object to the members of each cluster.

    .. math::
        \bar d_{ic} = \frac{\sum_j B_{jc} \lVert x_i - x_j \rVert}{\sum_j B_{jc}};

    an object that is a member itself counts with the distance 0.
    """
    from scipy.spatial.distance import cdist

    data = np.asarray(X, dtype=np.float64)
    n, K = ensemble.n_objects, ensemble.n_clusters_total
    if data.ndim != 2 or len(data) != n:
        raise ComitiaError(
            f"X must have one row per object, {n}; got shape {data.shape}."
        )
    require_memory(8 * n * K, f"the mean distances of {n} objects to {K} clusters")
    B: Any = ensemble.membership
    sizes = np.asarray(B.sum(axis=0), dtype=np.float64).ravel()
    sizes[sizes == 0] = np.nan
    means = np.empty((n, K))
    step = max(1, _BLOCK // n)
    for start in range(0, n, step):
        rows = slice(start, start + step)
        means[rows] = cdist(data[rows], data) @ B / sizes
    return means
