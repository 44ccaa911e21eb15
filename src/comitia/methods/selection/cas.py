"""CAS."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, by_cspa
from comitia.methods.selection._grouping import group_clusterings
from comitia.select import best_of_groups
from comitia.weigh import group_support, mean_agreement

__all__ = ["CAS"]


class CAS(SelectionMethod):
    r"""Cluster and select.

    Clusterings that are alike are put into one group, and each group keeps the one
    that agrees most with the others [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        Number of groups, and of clusterings kept; half of them by default.

    variant : {"group", "library"}, default="group"
        Whether a clustering is judged by its agreement with its group or with all
        clusterings.

    agreement, generator, random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The quality :math:`q_m` that the best of a group is found by.

    groups_ : ndarray of shape (n_clusterings,)
        The group of each clustering.

    Notes
    -----
    Spectral clustering of the matrix :math:`\phi(C_m, C_l)` makes the groups G. The
    clustering kept of each is

    .. math::
        \arg\max_{m \in G} q_m, \qquad
        q_m = \frac{1}{|G|} \sum_{l \in G,\, l \ne m} \phi(C_m, C_l),

    and CSPA combines those kept. The review judges a clustering by its group; as far
    as is known to us the paper judges by the whole library,
    :math:`q_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l)`, which is
    ``variant="library"``. A group of one keeps its member.

    The number of groups has no default in the paper; half of the clusterings is ours.
    Equal clusterings share a group, so fewer may be kept than asked for, unless all
    are. The paper's other two strategies, a joint criterion and a convex hull, are not
    part of the review.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] X. Z. Fern and W. Lin, "Cluster ensemble selection", Statistical Analysis and
       Data Mining 1(3), 2008. :doi:`10.1002/sam.10008`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("cas")(n_clusters=2, n_select=2, random_state=0).fit(votes)
    >>> fitted.selected_
    array([ True, False,  True])
    """

    card = MethodCard(
        id="cas",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "drops_junk": "every group keeps one clustering, and junk, which is like "
            "no other, is in groups of its own",
            "helps": "keeps junk, for every group keeps one; so few are kept that it "
            "is not outvoted",
        },
    )

    _parameter_constraints = {
        "variant": [StrOptions({"group", "library"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        variant: str = "group",
        agreement: Any = "nmi_sqrt",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.variant = variant
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        phi = ensemble.agreement(self.agreement)
        # Starts and ties hang on the order of the clusterings.
        order = clusterings_by_content(ensemble)
        self.groups_ = np.empty(len(order), dtype=np.int64)
        self.groups_[order] = group_clusterings(
            phi[np.ix_(order, order)], self._n_select(ensemble), rng
        )
        if self.variant == "group":
            self.clustering_weights_ = group_support(phi, self.groups_)
        else:
            self.clustering_weights_ = mean_agreement(ensemble, self.agreement)
        best = best_of_groups(self.clustering_weights_[order], self.groups_[order])
        return np.sort(order[best])

    _agree = by_cspa
