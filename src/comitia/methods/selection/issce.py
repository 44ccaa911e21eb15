"""ISSCE."""

from functools import partial
from typing import Any

import numpy as np

from comitia.agreement import agreement_matrix
from comitia.catalogue import MethodCard
from comitia.cluster import ConstraintSet
from comitia.generate.boosting import BoostingGenerator
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings.yu_2018 import (
    consensus_cost,
    subspace_rounds,
    weighted_ncut,
)
from comitia.methods.selection._base import GrownSelectionMethod
from comitia.select import top

__all__ = ["ISSCE"]

# A smaller improvement of the index is rounding.
_TINY = 1e-12


class ISSCE(GrownSelectionMethod, BoostedMethod):
    r"""Incremental semi-supervised clustering ensemble.

    Random subspaces are clustered under constraints; from the best clustering on, one
    that differs from those kept is added whenever it makes the consensus more compact
    and more obedient to the constraints [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of plain k-means clusterings, and that of the ensemble's graph for the
        result.

    n_clusterings : int, default=30
        Number of clusterings, :math:`M`.

    feature_fraction : float, default=0.5
        The share of the features that a clustering sees.

    agreement : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings and of the consensus.

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The global index of each clustering by itself; small for the better.

    order_ : ndarray of int of shape (n_kept,)
        The clusterings kept, in the order in which they were added.

    objective_ : ndarray of shape (n_kept,)
        The global index of the consensus after each addition; it falls.

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    The members come from exhaustive and efficient constraint propagation,
    :class:`comitia.cluster.E2CP`, on random halves of the features. A clustering has
    the global index

    .. math::
        g(C) = \frac{\sum_r \sum_{i \in r} \lVert x_i - c_r \rVert^2}
             {\sum_i \lVert x_i - \bar x \rVert^2}
        + \frac{\text{number of violated constraints}}{\text{number of constraints}} .

    The clustering of least index is the first. The others are sorted by their mean
    agreement :math:`\phi` with those kept, the least alike first, and the first one
    whose addition lowers the index of the consensus is added; when there is none, it
    ends. The consensus is the normalised cut of the co-association of those kept,
    which for one clustering is that clustering.

    The review adds variance and violations without dividing, though they have different
    units, and only calls the local index a similarity. Dividing by the total variance
    and the number of constraints, as
    :class:`~comitia.methods.fixed_clusterings.yu_2018.DCECP` does, and the mean of
    :math:`\phi` are ours, as are M and the share of the features. Without constraints
    the variance alone counts.

    :meth:`select` judges given clusterings by the variance alone.

    References
    ----------
    .. [1] Z. Yu, P. Luo, J. You, H.-S. Wong, H. Leung, S. Wu, J. Zhang and G. Han,
       "Incremental semi-supervised clustering ensemble for high dimensional data
       clustering", IEEE Trans. Knowledge and Data Engineering 28(3), 2016.
       :doi:`10.1109/TKDE.2015.2499200`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 5.0], [1.0, 3.0], [2.0, 4.0], [10.0, 5.0], [11.0, 3.0], [12.0, 4.0]]
    >>> grown = method("issce")(n_clusters=2, n_clusterings=5, random_state=0)
    >>> grown.fit_predict(X, must_link=[(0, 2), (3, 4)], cannot_link=[(2, 5)])
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="issce",
        weighs="clusterings",
        approach="selection",
        needs=("data", "constraints"),
        scales="quadratic",
        # Of two features, none can be left out.
        quick={"feature_fraction": 1.0},
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 30,
        feature_fraction: float = 0.5,
        agreement: Any = "nmi_sqrt",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.feature_fraction = feature_fraction
        self.agreement = agreement
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        return subspace_rounds(self, n_clusters, 1.0, "e2cp")

    def _grow(self, ensemble: Ensemble, X: Data, rng: Rng) -> tuple[Any, ...]:
        """The clusterings kept, and their consensus."""
        # Given clusterings, as those of ConsensusClustering, come without constraints.
        constraints = getattr(self, "constraints_", ConstraintSet(len(X)))
        cost = partial(consensus_cost, X, constraints=constraints)
        consensus = partial(
            unweighted_ncut,
            ensemble,
            n_clusters=self._resolve_n_clusters(ensemble),
            seed=rng.randint(np.iinfo(np.int32).max),
        )
        phi = agreement_matrix(ensemble, self.agreement)
        self.clustering_weights_ = np.array([cost(c) for c in ensemble.labels.T])
        kept = [int(top(-self.clustering_weights_, 1)[0])]
        labels = consensus(kept)
        objective = [cost(labels)]
        while (
            better := self._next_clustering(kept, phi, consensus, cost, objective[-1])
        ) is not None:
            m, labels, value = better
            kept.append(m)
            objective.append(value)
        self.order_, self.objective_ = np.array(kept), np.array(objective)
        return self.order_, labels

    def _next_clustering(
        self, kept: list[int], phi: Array, consensus: Any, cost: Any, index: float
    ) -> Any:
        """The clustering least like those kept that lowers the index, if there is."""
        rest = np.setdiff1d(np.arange(len(phi)), kept)
        if len(rest) == 0:
            return None
        alike = phi[np.ix_(rest, np.array(kept))].mean(axis=1)
        for m in rest[top(-alike, len(rest))]:
            labels = consensus([*kept, m])
            value = cost(labels)
            if value < index - _TINY:
                return int(m), labels, value
        return None


def unweighted_ncut(
    ensemble: Ensemble, kept: list[int], *, n_clusters: int, seed: int
) -> Array:
    """Normalised cut of the co-association of some clusterings."""
    if len(kept) == 1 and ensemble.n_clusters_each[kept[0]] == n_clusters:
        return ensemble.labels[:, kept[0]]
    smaller = ensemble.take(clusterings=kept)
    return weighted_ncut(
        smaller.distinct(),
        np.ones(len(kept)),
        sizes=smaller.sizes,
        n_clusters=n_clusters,
        seed=seed,
    )
