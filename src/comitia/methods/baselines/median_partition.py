"""The partition that agrees most with an ensemble."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import keep_run
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import MedianSearch
from comitia.partition.median_search import AGREEMENTS
from comitia.weigh import crowd_agreement, normalize_weights

__all__ = ["MedianPartition"]


class MedianPartition(EnsembleMethod):
    r"""Median partition.

    The consensus is the partition that agrees most with the clusterings, sought by
    moving one object at a time: equation (1) of the review [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the search.

    agreement : str, default="adjusted_rand"
        How alike two clusterings are, :math:`\phi`: ``"rand"``, ``"adjusted_rand"``,
        ``"f_measure"``, ``"jaccard"``, ``"fowlkes_mallows"``, ``"nmi_sqrt"``,
        ``"nmi_max"``, ``"nmi_min"``, ``"nmi_arithmetic"``, ``"nmi_joint"``,
        ``"mutual_information"``, or ``"variation_of_information"``, a distance, of
        which the negative is taken.

    clustering_weights : {"uniform", "crowd"} or array-like of shape (n_clusterings,), \
            default="uniform"
        Weight of each clustering, :math:`w_m`; ``"crowd"`` weighs a clustering by its
        mean agreement with the others (:func:`comitia.weigh.crowd_agreement`).

    search : {"greedy", "annealing"}, default="greedy"
        Moves that help, from several starts; or simulated annealing.

    n_init : int, default=10
        Number of starts of the greedy search. The first is the best base clustering,
        half are further base clusterings, and the others the best partition so far with
        a tenth of its objects moved to other clusters.

    max_iter : int, default=200
        Most sweeps over the objects in each start, and most temperatures.

    temperature : float, default=1.0
        First temperature of the annealing, as a multiple of the mean change that a move
        from the start makes.

    cooling : float, default=0.95
        What a temperature is multiplied by to get the next.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_ + 1,)
        The best objective so far: of the first start, and after each start or
        temperature.

    n_iter_ : int
        Number of starts or temperatures.

    converged_ : bool
        Whether no single move improves the result.

    Notes
    -----
    Maximised over partitions C is

    .. math::
        \sum_{m=1}^{M} w_m \, \phi(C, C_m).

    A move of one object changes one cell and two margins of each contingency table, so
    that trying it costs O(M). The result is never worse than the best base clustering
    that has ``n_clusters`` clusters. Up to seven objects all partitions are tried, and
    it is the optimum. Beyond that the problem is NP-hard for most :math:`\phi`.

    A clustering with missing labels is compared on the objects that it covers; as a
    start, what it leaves out is put where it fits best. Fuzzy clusterings are hardened.

    Measures that are not corrected for chance can gain from clusters of one object:
    ``"nmi_min"`` and ``"mutual_information"`` always do, the other NMI on noisy
    ensembles. Hence ``"adjusted_rand"`` by default; give ``n_clusters`` with the NMI.

    References
    ----------
    .. [1] M. Zhang, "Weighted clustering ensemble: a review", Pattern Recognition 124,
       2022. :doi:`10.1016/j.patcog.2021.108428`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("median_partition")(agreement="rand").fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.objective_[-1].round(3)
    np.float64(0.778)
    """

    card = MethodCard(
        id="median_partition",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="objects",
        scales="linear",
    )

    _parameter_constraints = {
        "agreement": [StrOptions(set(AGREEMENTS))],
        "clustering_weights": [StrOptions({"uniform", "crowd"}), "array-like"],
        "search": [StrOptions({"greedy", "annealing"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        agreement: str = "adjusted_rand",
        clustering_weights: Any = "uniform",
        search: str = "greedy",
        n_init: int = 10,
        max_iter: int = 200,
        temperature: float = 1.0,
        cooling: float = 0.95,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.agreement = agreement
        self.clustering_weights = clustering_weights
        self.search = search
        self.n_init = n_init
        self.max_iter = max_iter
        self.temperature = temperature
        self.cooling = cooling
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(self._weigh(ensemble))
        search = MedianSearch(
            ensemble,
            self.agreement,
            rng,
            clustering_weights=self.clustering_weights_,
            n_clusters=self.n_clusters,
        )
        if self.search == "greedy":
            run = search.greedy(n_init=self.n_init, max_iter=self.max_iter)
        else:
            run = search.annealing(
                temperature=self.temperature,
                cooling=self.cooling,
                max_iter=self.max_iter,
            )
        unit = "sweeps" if self.search == "greedy" else "temperatures"
        keep_run(self, run, unit, "max_iter")
        return run.labels

    def _weigh(self, ensemble: Ensemble) -> Array:
        if not isinstance(self.clustering_weights, str):
            return self.clustering_weights
        if self.clustering_weights == "uniform":
            return np.ones(ensemble.n_clusterings)
        # Agreement of the clusterings with each other needs a similarity.
        distance = self.agreement == "variation_of_information"
        measure = "nmi_joint" if distance else self.agreement
        return crowd_agreement(ensemble, measure, weight_power=1.0)
