"""Voting weighted by NMI to a random reference."""

from numbers import Integral
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.agreement import agreement_with
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings._same_number import SameNumberOfClusters
from comitia.partition import complete_vote
from comitia.represent import align
from comitia.weigh.mean_agreement import check_agreement

__all__ = ["CentroidVoting"]


class CentroidVoting(SameNumberOfClusters):
    r"""Voting weighted by NMI to a random reference, with centroid-based alignment.

    K-means runs on random subsets of the objects vote on each object; a run counts by
    how much it agrees with one of them, after whose centroids all clusters are
    named [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of a first ensemble with random numbers of clusters.

    n_clusterings : int, default=20
        Number of clusterings, :math:`M`, each of a subset.

    object_fraction : float, default=0.8
        Share of the objects in a subset.

    variant : {"extend", "abstain"}, default="extend"
        Whether objects outside the subset of a clustering go to its nearest centroid,
        or get no vote from it.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`; on the objects that both have.

    reference : int, default=None
        Index of the reference; a random one by default.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Agreement of each clustering with the reference, whose own weight is 1.

    reference_ : int
        The clustering that was the reference.

    Notes
    -----
    With the reference :math:`C_0`, and the matching :math:`\pi_m` of the centroids of
    clustering m with those of the reference that makes the summed Euclidean distance
    smallest (the Hungarian method),

    .. math::
        w_m = \phi(C_m, C_0), \qquad
        y_i = \arg\max_r \sum_m w_m \, [\pi_m(\text{label of } i \text{ in } m) = r].

    The review does not say how clusterings of different subsets are compared; both
    readings are offered. A cluster that lost its match, because a run came out with
    fewer clusters, votes for the label with the nearest centroid. An object that only
    clusterings of weight 0 have gets the label that most of these name.

    The paper could not be identified from the review's citation key; this follows the
    review.

    References
    ----------
    .. [1] Zhang et al., 2009, as described in M. Zhang, "Weighted clustering ensemble:
       A review", arXiv 1910.02433.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> method("zhang_2009")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="zhang_2009",
        weighs="clusterings",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"extend", "abstain"})],
        "reference": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 20,
        object_fraction: float = 0.8,
        variant: str = "extend",
        agreement: Any = "nmi_sqrt",
        reference: int | None = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.object_fraction = object_fraction
        self.variant = variant
        self.agreement = agreement
        self.reference = reference
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import KMeansGenerator, Subsample

        return KMeansGenerator(
            self.n_clusterings,
            n_clusters=self.n_clusters,
            objects=Subsample(self.object_fraction),
            extend=self.variant == "extend",
            n_jobs=self.n_jobs,
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        check_agreement(self.agreement)
        self.reference_ = m = self._reference(ensemble, rng)
        labels = ensemble.labels
        # Less agreement than by chance is none.
        self.clustering_weights_ = np.maximum(
            agreement_with(labels[:, m], ensemble, self.agreement), 0.0
        )
        centers = [
            member.model.centers[member.names] for member in self.generator_.members_
        ]
        targets = np.concatenate(
            [
                align(
                    labels[:, j],
                    labels[:, m],
                    method="centroids",
                    surplus="merge",
                    centers=centers[j],
                    reference_centers=centers[m],
                ).mapping
                for j in range(ensemble.n_clusterings)
            ]
        )
        return complete_vote(
            ensemble, targets, len(centers[m]), self.clustering_weights_
        )

    def _reference(self, ensemble: Ensemble, rng: Rng) -> int:
        M = ensemble.n_clusterings
        if self.reference is None:
            # A reference with fewer clusters would leave the others without a label.
            each = ensemble.n_clusters_each
            most = np.flatnonzero(each == each.max())
            return int(most[rng.randint(len(most))])
        if self.reference >= M:
            raise ComitiaError(
                f"reference={self.reference} is no clustering; give 0 to {M - 1}, or "
                "None for a random one."
            )
        return int(self.reference)
