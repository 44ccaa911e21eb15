"""Plain voting."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._loops import warn_stopped_early
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import kmeans_rows, median_selection
from comitia.partition.vote_winners import cluster_vote
from comitia.represent import overlaps
from comitia.represent.alignment import match_clusters
from comitia.represent.graphs import combined_weights
from comitia.weigh.clusterings import given_weights

__all__ = ["Voting"]


class Voting(EnsembleMethod):
    r"""Plurality voting after alignment.

    The clusters of every clustering get the names of a reference, and each object goes
    to the cluster that most clusterings name [1]_. The result is the next reference,
    until nothing changes.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes that of the reference.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; equal by default.

    agreement : str or None, default="adjusted_rand"
        The first reference is the clustering that agrees most with the others by this
        measure, among those with ``n_clusters`` clusters; None takes the first of them.

    max_iter : int, default=100
        Most times that the clusterings are aligned and counted.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    n_iter_ : int
        How often the votes were counted.

    converged_ : bool
        Whether the last count changed nothing.

    Notes
    -----
    With :math:`\pi_m` the alignment of clustering m that maximises its overlap with the
    reference (the Hungarian method),

    .. math::
        y_i = \arg\max_r \sum_m w_m \, [\pi_m(\text{label of } i \text{ in } m) = r],

    of equals the one that shared most objects with its clusters in the first round.
    Alignment and vote both raise the weight of the votes that go to winners, so the
    rounds come to an end. An object that a clustering leaves out gets no vote from it.
    When a clustering has more clusters than the reference, several of them vote for one
    label, so that the overlap is largest and every label keeps a cluster; when it has
    fewer, some labels do without its vote. Where no clustering has ``n_clusters``
    clusters, k-means on the label rows makes the first reference.

    One round with the first clustering as the reference, ``agreement=None`` and
    ``max_iter=1``, is the bagged clustering of [1]_; [2]_ compares voting schemes.

    References
    ----------
    .. [1] S. Dudoit and J. Fridlyand, "Bagging to improve the accuracy of a clustering
       procedure", Bioinformatics 19(9), 2003. :doi:`10.1093/bioinformatics/btg038`
    .. [2] H. G. Ayad and M. S. Kamel, "Cumulative voting consensus method for
       partitions with variable number of clusters", IEEE TPAMI 30(1), 2008.
       :doi:`10.1109/TPAMI.2007.1138`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]])
    >>> method("voting")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="voting",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        on_device=True,
    )

    _labels_on_device = True

    _parameter_constraints = {
        "agreement": [str, None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        agreement: str | None = "adjusted_rand",
        max_iter: int = 100,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.agreement = agreement
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = combined_weights(ensemble, self.clustering_weights_)
        labels: Any = None
        m = self._reference(ensemble)
        if m is None:
            assert self.n_clusters is not None  # otherwise every clustering fits
            w = self.clustering_weights_
            labels = kmeans_rows(
                ensemble, self.n_clusters, rng, clustering_weights=w
            ).labels
            k = int(labels.max()) + 1
        else:
            k = int(ensemble.n_clusters_each[m])
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            self.n_iter_ = n_iter
            before = labels
            # The labels of a clustering are read where they are, and not copied.
            if before is None:
                shared = overlaps_with(ensemble, m)
                targets = by_support(match_clusters(ensemble, shared), shared)
            else:
                shared = overlaps(ensemble, before, k)
                targets = match_clusters(ensemble, shared)
            labels = cluster_vote(ensemble, targets, k, cluster_weights=weights)
            self.converged_ = before is not None and bool((labels == before).all())
            if self.converged_:
                break
        # A single count is a method of its own, not a loop cut short.
        if not self.converged_ and self.max_iter > 1:
            warn_stopped_early(self, "counts", "max_iter")
        if labels.min() < 0:
            raise ComitiaError(
                "clustering_weights leave objects without a vote, the first is "
                f"object {int(labels.argmin())}; give more clusterings some weight."
            )
        return labels

    def _reference(self, ensemble: Ensemble) -> Any:
        """The clustering that the others are aligned to at first; None if none fits."""
        fit = np.arange(ensemble.n_clusterings)
        if self.n_clusters is not None:
            fit = np.flatnonzero(ensemble.n_clusters_each == self.n_clusters)
        if len(fit) == 0:
            return None
        if self.agreement is None or len(fit) == 1:
            return int(fit[0])
        return median_selection(
            ensemble.agreement(self.agreement),
            weights=self.clustering_weights_,
            candidates=fit,
        )


def overlaps_with(ensemble: Ensemble, m: int) -> NDArray[np.float64]:
    """Count the objects that each cluster shares with those of one clustering."""
    shared = ensemble.row_blocks.map("engine.overlaps_with", m=int(m)).total()
    return np.asarray(shared, dtype=np.float64)


def by_support(
    targets: NDArray[np.int64], shared: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Number the labels by what they share with the clusters that stand for them.

    Ties go to the lowest label, which then does not hang on names.
    """
    support = np.zeros(shared.shape[1])
    np.add.at(support, targets, shared[np.arange(len(targets)), targets])
    rank = np.empty(len(support), dtype=np.int64)
    rank[np.argsort(-support, kind="stable")] = np.arange(len(support))
    return rank[targets]
