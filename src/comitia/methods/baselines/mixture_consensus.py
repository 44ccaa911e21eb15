"""The mixture model of label rows, fitted by EM."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.optimize.ties import lowest_run
from comitia.weigh.clusterings import given_weights

__all__ = ["MixtureConsensus"]

Floats = NDArray[np.float64]

# The logarithm of probabilities that are zero is that of this number.
_LEAST = 1e-300


class MixtureConsensus(EnsembleMethod):
    r"""Mixture model for clustering ensembles.

    Each consensus cluster draws the label of an object in each clustering from a
    distribution of its own; expectation maximisation finds the clusters that explain
    the label rows best [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    smoothing : float, default=0.0
        What is added to the counts of each label. The paper has 0.

    n_init : int, default=20
        Number of starts; the best one is kept.

    max_iter : int, default=150
        Most iterations of each start.

    tol : float, default=1e-6
        Stop when the log-likelihood rises by at most this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Probability of each cluster.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The negative log-likelihood at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether it stopped rising before ``max_iter``.

    Notes
    -----
    With the label :math:`l_{im}` of object i in clustering m,

    .. math::
        p(l_i) = \sum_r \alpha_r \prod_m \theta_{rm}(l_{im})^{w_m M} .

    A missing label drops out of the product and of the counts. Objects with equal label
    rows are one with a count. Starts are random memberships. Read in two
    re-implementations, not in the paper; for equal weights the powers are 1, as there.

    References
    ----------
    .. [1] A. Topchy, A. K. Jain and W. Punch, "A mixture model for clustering
       ensembles", SIAM SDM, 2004. :doi:`10.1137/1.9781611972740.35`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("mixture_consensus")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="mixture_consensus",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "single_clustering": "of one clustering, every way to put its labels into "
            "clusters is equally likely",
        },
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        smoothing: float = 0.0,
        n_init: int = 20,
        max_iter: int = 150,
        tol: float = 1e-6,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.smoothing = smoothing
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        M = ensemble.n_clusterings
        self.clustering_weights_ = given_weights(self.clustering_weights, M)
        n_clusters = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        micro, counts, inverse = ensemble.distinct().in_content_order()
        powers = (M * self.clustering_weights_)[ensemble.clustering_of]
        problem = _LabelRows(micro, counts, powers, self.smoothing)
        starts = [rng.rand(micro.n_objects, n_clusters) for _ in range(self.n_init)]
        runs = [self._fit(problem, z / z.sum(axis=1, keepdims=True)) for z in starts]
        best = lowest_run(runs, lambda run: run.objective[-1])
        keep_run(self, best, "iterations")
        labels, _, self.membership_ = fuzzy_clusters(best.z[inverse])
        return labels

    def _fit(self, problem: _LabelRows, z: Floats) -> _Run:
        objective: list[float] = []
        for _ in range(self.max_iter + 1):
            z, likelihood = problem.expected(*problem.maximized(z))
            objective.append(-likelihood)
            if len(objective) > 1 and (
                objective[-2] - objective[-1] <= self.tol * abs(objective[-2])
            ):
                return _Run(z, objective, True)
        return _Run(z, objective, False)


class _Run(NamedTuple):
    z: Floats
    objective: list[float]
    converged: bool


class _LabelRows:
    """Distinct label rows with their counts, and the two steps of EM."""

    def __init__(
        self,
        micro: Ensemble,
        counts: NDArray[np.int64],
        powers: Floats,
        smoothing: float,
    ) -> None:
        self.B = micro.membership
        self.counts = counts.astype(np.float64)
        self.blocks, self.of = micro.offsets[:-1], micro.clustering_of
        self.powers, self.smoothing = powers[:, None], smoothing

    def maximized(self, z: Floats) -> tuple[Floats, Floats]:
        """Logarithms of the shares of the clusters and of their labels."""
        weighed = z * self.counts[:, None]
        alpha = weighed.sum(axis=0) / self.counts.sum()
        sums = self.B.T @ weighed + self.smoothing
        totals = np.add.reduceat(sums, self.blocks, axis=0)[self.of]
        theta = np.divide(sums, totals, out=np.zeros_like(sums), where=totals > 0)
        return np.log(np.maximum(alpha, _LEAST)), np.log(np.maximum(theta, _LEAST))

    def expected(self, log_alpha: Floats, log_theta: Floats) -> tuple[Floats, float]:
        """Probabilities of the clusters of each row, and the log-likelihood."""
        scores = log_alpha + self.B @ (self.powers * log_theta)
        top = scores.max(axis=1, keepdims=True)
        z = np.exp(scores - top)
        total = z.sum(axis=1, keepdims=True)
        likelihood = float(self.counts @ (top + np.log(total)).ravel())
        return z / total, likelihood
