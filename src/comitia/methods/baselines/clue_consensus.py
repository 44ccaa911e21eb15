"""The consensus partitions of R's clue."""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines._clue_steps import (
    Classes,
    comembership_step,
    descend,
    first_memberships,
    in_one_pass,
    match_and_average,
    matched_only,
)
from comitia.optimize.ties import lowest_run
from comitia.weigh.clusterings import given_weights

__all__ = ["ClueConsensus"]

Floats = NDArray[np.float64]


class ClueConsensus(EnsembleMethod):
    r"""Optimisation-based consensus partitions of the R package clue.

    The soft or hard partition with the smallest weighted mean distance to all
    clusterings, after their classes are matched with its own [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"SE", "HE", "SM", "HM", "GV1", "GV3", "DWH"}, default="SE"
        ``"SE"`` and ``"SM"`` minimise squared (Euclidean) and absolute (Manhattan)
        differences of memberships, ``"HE"`` and ``"HM"`` the same among hard
        partitions. In ``"GV1"`` classes without a counterpart cost nothing, ``"GV3"``
        compares co-memberships, and ``"DWH"`` goes once through the clusterings.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, :math:`w_m`; equal by default.

    n_init : int, default=10
        Number of starts; the best one is kept. Clusterings are starts before random
        memberships are.

    max_iter : int, default=100
        Most iterations of each start.

    tol : float, default=1e-8
        Stop when the objective falls by at most this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Memberships, 0 or 1 where the partition is hard.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the objective stopped falling before ``max_iter``.

    Notes
    -----
    With membership matrices :math:`B_m`, padded with empty classes to the same number,
    and permutations :math:`\Pi_m` of their classes,

    .. math::
        \min_{Q, \Pi} \sum_m w_m \lVert Q - B_m \Pi_m \rVert_F^2 \quad (SE), \qquad
        \min_Q \Bigl\lVert \sum_m w_m B_m B_m' - Q Q' \Bigr\rVert_F^2 \quad (GV3),

    where the rows of Q are on the simplex. Matching by the Hungarian method and
    averaging take turns. Objects with equal labels are one with a count, and GV3 needs
    no n × n matrix: its objective and gradient are products with B. The weights are
    those of the sum; clue divides the value by nothing else.

    For hard clusterings the best rows of SM are hard, so that SM and HM agree, and the
    soft symmetric difference is the hard one, which
    ``median_partition(agreement="rand")`` minimises. DWH depends on the order of the
    clusterings by design: they come by falling weight, then by content.

    The code of clue was read, and its formulas written anew.

    References
    ----------
    .. [1] K. Hornik, "A CLUE for CLUster Ensembles", J. Stat. Software 14(12), 2005.
       :doi:`10.18637/jss.v014.i12`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> fitted = method("clue_consensus")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.membership_.round(2).tolist()
    [[1.0, 0.0], [1.0, 0.0], [0.33, 0.67], [0.0, 1.0]]
    """

    card = MethodCard(
        id="clue_consensus",
        source="after",
        weighs="clusterings",
        weighs_how="by clustering_weights; all the same by default",
        approach="baseline",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "data_alone": "of clusterings of 2 to 8 clusters, classes beyond those "
            "asked for have no counterpart and are spread evenly: the partition with "
            "the lowest objective is not that of the clear clusters",
        },
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variant": [StrOptions({"SE", "HE", "SM", "HM", "GV1", "GV3", "DWH"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "SE",
        clustering_weights: Any = None,
        n_init: int = 10,
        max_iter: int = 100,
        tol: float = 1e-8,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.clustering_weights = clustering_weights
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = given_weights(
            self.clustering_weights, ensemble.n_clusterings
        )
        k = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        micro, counts, inverse = ensemble.distinct().in_content_order()
        self._ask_memory(micro, k)
        classes = Classes.of(micro, counts, self.clustering_weights_)
        order = clusterings_by_content(ensemble)
        order = order[np.argsort(-self.clustering_weights_[order], kind="stable")]
        if self.variant == "DWH":
            best = in_one_pass(classes, order, k)
        else:
            steps = {"GV1": matched_only, "GV3": comembership_step}
            step = steps.get(self.variant, partial(match_and_average, self.variant))
            runs = [
                descend(classes, step, Q, k, self.max_iter, self.tol)
                for Q in first_memberships(classes, order, k, self.n_init, rng)
            ]
            best = lowest_run(runs, lambda run: run.objective[-1])
        self.objective_, self.converged_ = np.asarray(best.objective), best.converged
        self.n_iter_ = len(best.objective) - 1
        labels, _, self.membership_ = fuzzy_clusters(best.Q[inverse])
        return labels

    def _ask_memory(self, micro: Ensemble, k: int) -> None:
        """Starts and what is averaged; all memberships for GV1 and, sorted, for SM."""
        u, M = micro.n_objects, micro.n_clusterings
        width = max(k, int(np.diff(micro.offsets).max()))
        values = M + (self.n_init + 4) * width
        values += {"SM": 10 * k * (M + 1), "GV1": micro.n_clusters_total}.get(
            self.variant, 0
        )
        require_memory(
            8 * u * values,
            f"the memberships of {u} objects",
            'use variant="SE" or a smaller n_init',
        )
