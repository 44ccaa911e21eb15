"""Selection by diversity, as long as the consensus does not get worse."""

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.methods.selection._base import SelectionMethod
from comitia.partition import kmeans_rows
from comitia.represent import align_clusters, mean_distances
from comitia.select import top
from comitia.validity.centres import centroid_separation_ratio
from comitia.weigh import mean_agreement

__all__ = ["GreedyDiversity"]


class GreedyDiversity(SameNumberOfClusters, SelectionMethod):
    r"""Diversity-ordered selection with a quality stop.

    Clusterings join in the order of their diversity, the most diverse first, until one
    would make the clusters of the consensus less well separated [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters: the others are aligned to the most diverse clustering that
        has so many. ``None`` takes the most diverse of all.

    agreement : str or callable, default="adjusted_rand"
        How alike two clusterings are.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone: by default runs of
        k-means, all with as many clusters.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator, and of the reference where it has to be made.

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which clusterings were kept.

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
        scales="quadratic",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "agreement": [str, callable],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        agreement="adjusted_rand",
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self):
        from comitia.generate import KMeansGenerator

        return KMeansGenerator(n_clusters=self.n_clusters)

    def _select(self, ensemble, X, rng):
        return self._grow(ensemble, X, rng)[0]

    def _combine(self, ensemble, X, rng):
        chosen, labels = self._grow(ensemble, X, rng)
        self.selected_ = np.zeros(ensemble.n_clusterings, dtype=bool)
        self.selected_[chosen] = True
        return labels

    def _grow(self, ensemble, X, rng):
        """The clusterings kept, and their consensus."""
        M = ensemble.n_clusterings
        diversity = 1.0 - mean_agreement(ensemble, self.agreement)
        self.clustering_weights_ = np.maximum(diversity, 0.0)
        order = top(self.clustering_weights_, M)
        G = distance_profiles(X, ensemble, self._reference(ensemble, order, rng))
        total, best, quality = 0.0, None, []
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

    def _reference(self, ensemble, order, rng):
        """The labels that the clusterings are aligned to."""
        k = self.n_clusters
        fit = [m for m in order if k in (None, ensemble.n_clusters_each[m])]
        if not fit:
            return kmeans_rows(ensemble, k, rng).labels
        return ensemble.labels[:, fit[0]]


def distance_profiles(X, ensemble, reference):
    """Shares of the labels in the mean distances, (n_objects, n_clusterings, k)."""
    k = int(reference.max()) + 1
    targets = align_clusters(ensemble, reference, k)
    # An object without a label finds the k behind the last entry.
    codes = np.append(targets, k)[
        np.where(
            ensemble.labels.T < 0, -1, ensemble.labels.T + ensemble.offsets[:-1, None]
        )
    ]
    M = ensemble.n_clusterings
    aligned = Ensemble.from_codes(codes, np.full(M, k))
    d = mean_distances(X, aligned).reshape(-1, M, k)
    total = np.nansum(d, axis=2, keepdims=True)
    # Nothing tells clusters apart whose objects are all in one place.
    G = np.where(total > 0, d, 1.0) / np.where(total > 0, total, k)
    return np.where(np.isnan(d), 1.0, G)
