"""Selection on the relative neighbourhood graph of the clusterings."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, by_cspa
from comitia.select import (
    best_of_groups,
    multilayer_communities,
    relative_neighborhood,
)
from comitia.weigh import group_support, mean_agreement

__all__ = ["NeighborhoodSelection"]

_TOO_FEW_KEPT = (
    "of ten clusterings that are alike three are kept, one for each community, which "
    "is too few to outvote what each of them gets wrong"
)


class NeighborhoodSelection(SelectionMethod):
    r"""Selection on a relative neighbourhood graph of clusterings.

    Two clusterings are neighbours unless a third is closer to both. Each community of
    this graph sends one clustering: the one that agrees most with the ensemble [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"ensemble", "community"}, default="ensemble"
        Whether a clustering is judged by its agreement with all clusterings or with
        those of its community.

    agreement, generator, random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The agreement that the best of a community is found by.

    groups_ : ndarray of shape (n_clusterings,)
        The community of each clustering.

    graph_ : ndarray of bool of shape (n_clusterings, n_clusterings)
        Which clusterings are neighbours.

    Notes
    -----
    With the distances :math:`d_{lm} = 1 - \phi(C_l, C_m)`, the clusterings l and m are
    joined

    .. math::
        \text{unless some } t \text{ has} \quad \max(d_{lt}, d_{mt}) < d_{lm} .

    The inequality is strict, so that both of two equal clusterings are joined to the
    neighbours of either; copies of two clusterings are all joined, and one community.
    Of each community the clustering with the largest

    .. math::
        q_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l)

    is kept. The review fixes neither the communities, nor whether q runs over the
    ensemble or the community, nor the consensus: the Louvain method, the ensemble and
    CSPA are ours. For another consensus use ``ConsensusClustering(selection=…)``.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] R. Kanawati, "Ensemble selection for community detection in complex
       networks", SCSM 2015, LNCS 9182.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("kanawati_2015")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.clustering_weights_
    array([0.5, 0.5, 0. ])
    >>> fitted.selected_
    array([ True, False, False])
    """

    card = MethodCard(
        id="kanawati_2015",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "recovery": _TOO_FEW_KEPT,
            "missing_labels": _TOO_FEW_KEPT,
            "helps": _TOO_FEW_KEPT,
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"ensemble", "community"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "ensemble",
        agreement: Any = "nmi_sqrt",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        phi = ensemble.agreement(self.agreement)
        self.graph_ = relative_neighborhood(np.maximum(1.0 - phi, 0.0))
        # Louvain visits the clusterings in an order that is drawn by place.
        order = clusterings_by_content(ensemble)
        self.groups_ = np.empty(len(order), dtype=np.int64)
        self.groups_[order] = multilayer_communities(
            [self.graph_[np.ix_(order, order)]], rng
        )
        if self.variant == "ensemble":
            quality = mean_agreement(ensemble, self.agreement)
        else:
            quality = group_support(phi, self.groups_)
        self.clustering_weights_ = np.maximum(quality, 0.0)
        return np.sort(order[best_of_groups(quality[order], self.groups_[order])])

    _agree = by_cspa
