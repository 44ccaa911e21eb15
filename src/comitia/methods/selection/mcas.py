"""MCAS."""

from typing import Any

import numpy as np

from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod, by_ncut
from comitia.methods.selection._grouping import group_clusterings
from comitia.select import best_of_groups

__all__ = ["MCAS"]

_GROUPERS = ("spectral", "average", "kmedoids")


class MCAS(SelectionMethod):
    r"""Multiple clustering and selecting approaches with combining strategy.

    Several clusterers group the clusterings, each of them names the best of every
    group, and whoever was named is kept [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_groups : int, default=None
        Number of groups; a quarter of the clusterings by default.

    groupers : list of str, default=("spectral", "average", "kmedoids")
        What groups the clusterings: normalised cut of :math:`\phi`, average linkage or
        k-medoids on :math:`1 - \phi`.

    agreement : shared

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default half of
        them by k-means and half spectral.

    random_state : shared

    Attributes
    ----------
    selected_ : shared

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The quality :math:`q_m` of each clustering.

    groups_ : ndarray of shape (n_groupers, n_clusterings)
        The group of each clustering, by each grouper.

    Notes
    -----
    A clustering is as good as its mean agreement with all, itself included,

    .. math::
        q_m = \frac{1}{M} \sum_{l=1}^{M} \phi(C_m, C_l).

    Each grouper divides the clusterings by the distances :math:`1 - \phi(C_m, C_l)`;
    of each group the clustering with the largest :math:`q_m` is named, and the union
    over groupers is kept. A normalised cut of the co-association of those kept is the
    consensus. Number of groups and groupers are ours. By its abstract the paper has
    two ways of combining what was named: this one, directly, and one that clusters it
    again, which the review does not describe.

    Equal clusterings share a group. Where labels are missing, clusterings are added
    until every object is in one.

    References
    ----------
    .. [1] T. Ma, T. Yu, X. Wu, J. Cao, A. Al-Abdulkarim, A. Al-Dhelaan and
       M. Al-Dhelaan, "Multiple clustering and selecting algorithms with combining
       strategy for selective clustering ensemble", Soft Computing 24, 2020.
       :doi:`10.1007/s00500-020-05264-1`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("mcas")(n_clusters=2, n_groups=2, random_state=0).fit(votes)
    >>> fitted.selected_
    array([ True, False,  True])
    """

    card = MethodCard(
        id="mcas",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "drops_junk": "every group keeps its best clustering, and junk, which is "
            "like no other, is in groups of its own",
            "helps": "keeps junk, for every group keeps one; so few are kept that it "
            "is not outvoted",
        },
        # A quarter of ten clusterings is too few to average their noise out.
        quick={"n_groups": 5},
    )

    _parameter_constraints = {
        "groupers": [list, tuple],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_groups: int | None = None,
        groupers: Any = _GROUPERS,
        agreement: Any = "nmi_sqrt",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_groups = n_groups
        self.groupers = groupers
        self.agreement = agreement
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.methods.selection._half_and_half import HalfAndHalf

        return HalfAndHalf()

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        unknown = [name for name in self.groupers if name not in _GROUPERS]
        if unknown or not self.groupers:
            raise ComitiaError(
                f"groupers={self.groupers!r} must name one or more of "
                f"{', '.join(_GROUPERS)}."
            )
        phi = ensemble.agreement(self.agreement)
        self.clustering_weights_ = phi.mean(axis=1)
        n_groups = self.n_groups or max(1, round(len(phi) / 4))
        # Starts and ties hang on the order of the clusterings.
        order = clusterings_by_content(ensemble)
        sorted_phi, scores = phi[np.ix_(order, order)], self.clustering_weights_[order]
        self.groups_ = np.empty((len(self.groupers), len(phi)), dtype=np.int64)
        named = []
        for found, name in zip(self.groups_, self.groupers, strict=True):
            groups = group_clusterings(sorted_phi, n_groups, rng, name)
            found[order] = groups
            named.append(order[best_of_groups(scores, groups)])
        return np.unique(np.concatenate(named))

    _agree = by_ncut
