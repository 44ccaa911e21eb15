"""K-modes on label rows."""

from typing import Any

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition.k_means import kmodes
from comitia.weigh.clusterings import given_weights

__all__ = ["KModesConsensus"]


class KModesConsensus(EnsembleMethod):
    r"""Consensus by k-modes on label rows.

    The labels of an object are treated as categories: a consensus cluster is described
    by its most frequent label in each clustering, and an object goes where most of its
    labels match [1]_, [2]_.

    Parameters
    ----------
    n_clusters : shared

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept.

    max_iter : int, default=100
        Most iterations of each start.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_,)
        The objective after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether k-modes stopped before ``max_iter``.

    Notes
    -----
    With the modes :math:`q_{rm}`, the objective is

    .. math::
        \sum_r \sum_{i \in r} \sum_m w_m \, [\, l_{im} \ne q_{rm} \,] .

    Missing labels are ignored and ties go to the lowest label. Starts are drawn by
    k-means++ on the number of differing labels, where [1]_ takes the first objects or
    frequent categories. The iterative voting of [2]_ is this loop.

    References
    ----------
    .. [1] Z. Huang, "Extensions to the k-means algorithm for clustering large data sets
       with categorical values", Data Mining and Knowledge Discovery 2(3), 1998.
       :doi:`10.1023/A:1009769707641`
    .. [2] N. Nguyen and R. Caruana, "Consensus clusterings", IEEE ICDM, 2007.
       :doi:`10.1109/ICDM.2007.73`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> method("kmodes_consensus")(n_clusters=2, random_state=0).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="kmodes_consensus",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        clustering_weights: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.clustering_weights = clustering_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        weights = {"clustering_weights": self.clustering_weights_}
        n_clusters = self._resolve_n_clusters(ensemble, **weights)
        settings = {**weights, "n_init": self.n_init, "max_iter": self.max_iter}
        labels, self.objective_ = self._partition(ensemble, n_clusters, rng, settings)
        self.n_iter_ = len(self.objective_)
        self.converged_ = self.n_iter_ < self.max_iter
        return labels

    def _partition(
        self, ensemble: Ensemble, n_clusters: int, rng: Rng, settings: dict[str, Any]
    ) -> tuple[Array, Array]:
        """The labels, and the objective after each iteration."""
        return kmodes(ensemble, n_clusters, rng, **settings)
