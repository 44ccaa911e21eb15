"""Constrained k-means in the order of certainty, combined by a constrained map."""

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from comitia._sklearn import Interval
from comitia.agreement import agreement_matrix
from comitia.catalogue import MethodCard
from comitia.cluster import constrained_kmeans
from comitia.cluster.cop_kmeans import ConstrainedPlacement
from comitia.config import require_memory
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.member import Made
from comitia.generate.nearest_models import NearestCenter
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings._yang_tan_2012_som import train_map
from comitia.represent import coassociation_blocks
from comitia.weigh import normalize_weights

__all__ = ["ConstrainedSOMEnsemble"]


class ConstrainedSOMEnsemble(BoostedMethod):
    r"""Constrained self-organising map over an improved Cop-Kmeans ensemble.

    Constrained k-means runs twice, the second time placing those objects first that the
    first clusterings were certain about, and a self-organising map that obeys the
    constraints combines the result [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings for
        the first time, and of the first clusterings for the second time and the map.

    n_clusterings : int, default=20
        Number of clusterings, :math:`M`, of each of the two times.

    agreement : shared

    max_displacements : int, default=None
        Most objects that are moved out of a cluster in one pass over the objects; after
        that, violations are accepted. Ten for each object by default.

    n_rounds : int, default=100
        Passes of the map over the objects.

    learning_rate : (float, float), default=(0.5, 0.01)
        How far units move towards an object in the first and in the last pass.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering of ``ensemble_``, the first ones; they sum to one.

    certainty_ : ndarray of shape (n_objects,)
        How sure these clusterings are of each object, from 0 to 1.

    reordered_ : Ensemble
        The second clusterings, which the map combines.

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    An object joins the cluster of a must-link partner, or else the nearest cluster
    without any of its cannot-link partners. If there is none it joins the nearest one,
    and its partners there move elsewhere by the same rule. Must-links are closed
    transitively first, and contradictions refused. Since moving partners out can go on
    forever it is capped, see ``max_displacements``.

    .. math::
        w_m = \frac{\sum_l \phi(C_l, C_m)}{\sum_{l, v} \phi(C_l, C_v)}, \qquad
        \text{certainty}(i) = \frac{1}{n - 1} \sum_{j \ne i}
        \bigl| 1 - 2 [B W B']_{ij} \bigr| ,

    in which :math:`\phi` is the normalised mutual information by default, of a
    clustering with itself too. Weights that sum to one keep :math:`B W B'` in [0, 1],
    so that certainty is 1 where all agree on each partner, and 0 where each is a
    toss-up.

    The map is a line of k units that is trained on the rows of B of the second
    clusterings; the best-matching unit of an object is restricted by the rule above,
    and is its cluster. Neither the size of the map, its schedule nor its input is given
    by the review. A unit that matches no object is possible: there are fewer clusters
    then.

    References
    ----------
    .. [1] Y. Yang, W. Tan, T. Li and D. Ruan, "Consensus clustering based on
       constrained self-organizing map and improved Cop-Kmeans ensemble in intelligent
       decision support systems", Knowledge-Based Systems 32, 2012.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> mapped = method("yang_tan_2012")(n_clusters=2, random_state=0)
    >>> mapped.fit_predict(X, must_link=[(2, 3)], cannot_link=[(3, 4)])
    array([0, 0, 0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="yang_tan_2012",
        weighs="clusterings",
        approach="fixed",
        needs=("data", "constraints"),
        scales="quadratic",
        exempt={
            "weights_differ": "a clustering weighs by its mean agreement with all, "
            "itself too, and those of constrained k-means are alike",
        },
        quick={"n_rounds": 20},
    )

    _per_object = (*BoostedMethod._per_object, "certainty_", "reordered_")

    _parameter_constraints = {
        "max_displacements": [Interval(Integral, 0, None, closed="left"), None],
        "learning_rate": [tuple, list],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 20,
        agreement: Any = "nmi_sqrt",
        max_displacements: int | None = None,
        n_rounds: int = 100,
        learning_rate: tuple[float, float] = (0.5, 0.01),
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.agreement = agreement
        self.max_displacements = max_displacements
        self.n_rounds = n_rounds
        self.learning_rate = learning_rate
        self.random_state = random_state

    def _boosting(
        self, X: Data, n_clusters: int, order: Array | None = None
    ) -> BoostingGenerator:
        return BoostingGenerator(
            self.n_clusterings,
            cluster=partial(
                displacing_round,
                n_clusters=n_clusters,
                constraints=self.constraints_,
                order=order,
                max_displacements=self.max_displacements,
            ),
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        phi = agreement_matrix(ensemble, self.agreement)
        self.clustering_weights_ = normalize_weights(phi.mean(axis=1))
        self.certainty_ = certainty(ensemble, self.clustering_weights_)
        # Certainties that differ by rounding are equal: the first object comes first.
        order = np.argsort(-self.certainty_.round(12), kind="stable")
        n_clusters = self._resolve_n_clusters(ensemble)
        again = self._boosting(X, n_clusters, order)
        seed = rng.randint(np.iinfo(np.int32).max)
        self.reordered_ = again.set_params(random_state=seed).generate(X)
        return self._map(self.reordered_, n_clusters, rng)

    def _map(self, ensemble: Ensemble, n_clusters: int, rng: Rng) -> Array:
        """The unit of each object on a map that obeys the constraints."""
        rule = None
        if len(self.constraints_):
            rule = ConstrainedPlacement(
                self.constraints_, "displace", self.max_displacements
            )
        n, K = ensemble.n_objects, ensemble.n_clusters_total
        require_memory(8 * n * K, f"the rows of {n} objects in {K} clusters")
        labels, _ = train_map(
            ensemble.membership.toarray(),
            n_clusters,
            rng,
            rule=rule,
            n_rounds=self.n_rounds,
            learning_rate=self.learning_rate,
        )
        return labels


def displacing_round(
    X: Data,
    drawn: Any,
    weights: Array,
    rng: Rng,
    *,
    n_clusters: int,
    constraints: Any,
    order: Array | None,
    max_displacements: Any,
) -> Any:
    """Constrained k-means that moves out what is in the way."""
    run = constrained_kmeans(
        X,
        n_clusters,
        rng,
        constraints,
        on_failure="displace",
        order=order,
        max_displacements=max_displacements,
        n_init=1,
    )
    return Made(run.labels, model=NearestCenter(run.centers))


def certainty(ensemble: Ensemble, clustering_weights: Array) -> Array:
    """Mean of |1 - 2 S_ij| over the partners of each object: 0 is a toss-up."""
    micro, counts, inverse = ensemble.distinct()
    sure = np.empty(micro.n_objects)
    for rows, S in coassociation_blocks(
        micro, clustering_weights=clustering_weights, dtype=np.float64
    ):
        sure[rows] = np.abs(1.0 - 2.0 * S) @ counts
    # Each object is certain to belong with itself, and that does not count.
    return (sure[inverse] - 1.0) / max(ensemble.n_objects - 1, 1)
