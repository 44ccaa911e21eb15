"""Weighted information-theoretic k-means on clusterings of feature subsets."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods._votes import ObjectVotes, VotesMethod, penalized_weights
from comitia.represent.cluster_sums import best_column
from comitia.represent.votes import overlaps

__all__ = ["DIAS"]

# Keeps the distance to a cluster that lacks a label finite.
_SMOOTHING = 1e-6

# The most passes of k-means between two updates of the weights.
_PASSES = 100


class DIAS(VotesMethod):
    r"""Disassemble-assemble framework for sparse text clustering (DIAS).

    The features are taken apart, each part is clustered by itself, and the clusterings
    are put together by a k-means that listens more to those that tell most about the
    consensus [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"mutual_information", "normalized"}, default="mutual_information"
        How much a clustering tells: the mutual information, which favours clusterings
        with many clusters, or its share of the logarithm of their number.

    weight_penalty : float, default=None
        Strength of the penalty on the squares of the weights, :math:`\lambda`. By
        default half the sum of the utilities at the start, with which the first
        weights are proportional to the utilities.

    n_init : int, default=10
        Number of starts of k-means with equal weights; the best one goes on.

    max_iter : int, default=100
        Most updates of the weights.

    tol : float, default=1e-9
        Stop when the objective changes by less than this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default a hundred
        times k-means on a fifth of the features.

    random_state : shared

    Attributes
    ----------
    clustering_weights_, objective_, n_iter_, converged_ : shared

    Notes
    -----
    The utility of a clustering is its mutual information with the consensus C,

    .. math::
        \min_{C, \, w \in \Delta} \; -\sum_m w_m U_m + \lambda \|w\|^2, \qquad
        U_m = I(C, C_m) .

    For a fixed consensus, :math:`w = P_\Delta(U / 2\lambda)`; the coordinate descent of
    the paper has the same optimum, because the problem is strictly convex. For fixed
    weights, k-means lowers the objective: an object goes to the cluster r with the
    least :math:`-\sum_m w_m \ln p^m_{r \ell_{im}}`, where :math:`p^m_r` is the
    distribution of the labels of clustering m within r. A millionth is added inside the
    logarithm; a pass that this would make worse is not taken. A cluster of the
    consensus can lose all its objects.

    Where labels are missing, :math:`U_m` is over the objects that have one, times
    their share of all objects.

    Mutual information is at most :math:`\ln k`, whatever M is, while equal weights have
    :math:`\|w\|^2 = 1/M`. A fixed penalty would leave weight on a few clusterings of a
    large ensemble; hence its default. For text, give rows of unit length, on which
    k-means ranks distances as the cosine does.

    Time is :math:`O(nMk)` for a pass, memory :math:`O(nM + nk)`.

    References
    ----------
    .. [1] H. Liu, J. Wu, D. Tao, Y. Zhang and Y. Fu, "DIAS: a disassemble-assemble
       framework for highly sparse text clustering", SIAM International Conference on
       Data Mining, 2015.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("dias")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_
    array([0.5, 0.5, 0. ])
    """

    card = MethodCard(
        id="dias",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"mutual_information", "normalized"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "mutual_information",
        weight_penalty: float | None = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-9,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.weight_penalty = weight_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import FeatureSubset, KMeansGenerator

        return KMeansGenerator(n_clusterings=100, features=FeatureSubset(0.2))

    def _problem(self, ensemble: Ensemble, X: Data, rng: Rng) -> Any:
        return ObjectVotes(ensemble, self._resolve_n_clusters(ensemble))

    def _start(self, votes: ObjectVotes, rng: Rng) -> tuple[Any, Any]:
        labels = votes.start(rng, self.n_init, utility="entropy")
        consensus = self._counted(votes, labels)
        votes.penalty = self._penalty(lambda: consensus.utilities.sum() / 2)
        return votes.uniform, consensus

    def _update_weights(self, votes: ObjectVotes, consensus: CountedLabels) -> Any:
        return penalized_weights(-consensus.utilities, votes.penalty)

    def _update_consensus(
        self, votes: ObjectVotes, weights: Array, consensus: CountedLabels
    ) -> Any:
        for _ in range(_PASSES):
            scaled = weights / self._scale(votes)
            moved = likeliest_clusters(votes, scaled, consensus.counts)
            other = self._counted(votes, moved)
            if weights @ other.utilities <= weights @ consensus.utilities:
                break
            consensus = other
        return consensus

    def _objective(
        self, votes: ObjectVotes, weights: Array, consensus: CountedLabels
    ) -> float:
        return votes.penalty * weights @ weights - weights @ consensus.utilities

    def _result(
        self, votes: ObjectVotes, weights: Array, consensus: CountedLabels, rng: Rng
    ) -> Array:
        self.clustering_weights_ = weights
        return consensus.labels

    def _counted(self, votes: ObjectVotes, labels: Array) -> CountedLabels:
        counts = joint_counts(votes, labels)
        return CountedLabels(
            labels, counts, utilities(votes, counts) / self._scale(votes)
        )

    def _scale(self, votes: ObjectVotes) -> Any:
        if self.variant == "mutual_information":
            return 1.0
        # A clustering of one cluster has no information; 0 is divided by ln 2.
        return np.log(np.maximum(votes.ensemble.n_clusters_each, 2))


class JointCounts(NamedTuple):
    """Objects that clusters share with consensus clusters.

    ``sums`` has in each row the sums over the clustering of that row.
    """

    shared: Array
    sums: Array


class CountedLabels(NamedTuple):
    """A label for each object, and what all objects were counted for."""

    labels: Array
    counts: JointCounts
    utilities: Array


def joint_counts(votes: ObjectVotes, labels: Array) -> JointCounts:
    """Count the objects once, for utilities and for the next labels."""
    shared = overlaps(votes.ensemble, labels, votes.n_clusters)
    sums = np.add.reduceat(shared, votes.ensemble.offsets[:-1], axis=0)
    return JointCounts(shared, sums[votes.ensemble.clustering_of])


def utilities(votes: ObjectVotes, counts: JointCounts) -> Array:
    """Mutual information of each clustering with the consensus, in nats, (M,)."""
    shared, sums = counts
    own, total = shared.sum(axis=1, keepdims=True), sums.sum(axis=1, keepdims=True)
    # A count of 0 contributes 0; a ratio of 1 has the logarithm 0.
    ratio = np.divide(
        shared * total, own * sums, out=np.ones_like(shared), where=shared > 0
    )
    information = (shared * np.log(ratio)).sum(axis=1) / votes.ensemble.n_objects
    return np.maximum(votes.by_clustering(information), 0.0)


def likeliest_clusters(
    votes: ObjectVotes, weights: Array, counts: JointCounts
) -> Array:
    """The consensus cluster whose labels each object has most often."""
    shared, sums = counts
    shares = np.divide(shared, sums, out=np.zeros_like(shared), where=sums > 0)
    logs = np.log(shares + _SMOOTHING)
    weights = np.broadcast_to(weights, votes.n_clusterings)
    return best_column(
        votes.ensemble, logs * weights[votes.ensemble.clustering_of][:, None]
    )
