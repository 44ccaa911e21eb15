"""Diversity control."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.agreement import agreement_matrix
from comitia.catalogue import MethodCard
from comitia.engine.content_keys import clusterings_by_content
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Linkage, Maker, Rng, Seed
from comitia.methods.selection._base import SelectionMethod
from comitia.optimize.ties import merged_ties
from comitia.partition import cut, ensemble_linkage, hac
from comitia.select import best_of_groups, cover
from comitia.select.picks import merge_near_ties
from comitia.weigh import group_support

__all__ = ["DiversityControl"]


class DiversityControl(SelectionMethod):
    r"""Diversity control of the ensemble.

    Clusterings are grouped by what they say, and the smaller ensemble is drawn from the
    groups so that unusual ones get more seats than their size, or fewer [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_select : int, default=None
        How many clusterings are drawn; half of them by default.

    diversity_bias : float, default=10.0
        The bias :math:`\alpha`: above 0 the sample is more diverse than the ensemble,
        below 0 less, and at 0 groups have seats in proportion to their size.

    n_groups : int, default=None
        Number of groups of clusterings. ``None`` cuts their tree at its longest
        lifetime, into three groups at least.

    variant : {"medoid", "consensus"}, default="medoid"
        Who represents a group: the member that agrees most with the others, or the
        consensus of its members by average linkage.

    agreement, linkage, generator, random_state : shared

    Attributes
    ----------
    selected_ : ndarray of bool of shape (n_clusterings,)
        Which clusterings were drawn.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The share :math:`w_g` of the group of each clustering, divided by its size; they
        sum to 1.

    groups_ : ndarray of shape (n_clusterings,)
        The group of each clustering.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, from the clusterings drawn, in SciPy form.

    Notes
    -----
    Average linkage on :math:`1 - \phi` makes the groups :math:`G_1, \dots, G_t`. With
    the agreement :math:`S` of their representatives, its mean :math:`\bar s_g` over the
    other groups and the mean :math:`\bar s` over all pairs of groups,

    .. math::
        w_g = \frac{|G_g|}{1 + \exp \bigl( \alpha (\bar s_g - \bar s) \bigr)}

    and group g has :math:`n_\mathrm{select} \, w_g / \sum_h w_h` seats, for which
    members are drawn without replacement. Seats are whole numbers by the largest
    remainder, and what a group is too small to take goes to the others. A single group
    has all seats. Two groups have the same mean agreement, that with each other, and
    :math:`\alpha` has no effect on them; so without ``n_groups`` there are three at
    least, unless fewer clusterings differ.

    The review wants the representative that maximises the sum of :math:`\phi` over all
    partitions there are; the best member is taken here, or with
    ``variant="consensus"`` the consensus of the group. The paper gives no default for
    :math:`\alpha`; any consensus may follow, such as
    ``ConsensusClustering(selection=DiversityControl())``.

    Where labels are missing, clusterings are added until every object is in one.

    References
    ----------
    .. [1] M. Pividori, G. Stegmayer and D. H. Milone, "Diversity control for improving
       the analysis of consensus clustering", Information Sciences 361-362, 2016.
       :doi:`10.1016/j.ins.2016.04.027`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> draw = method("pividori_2016")(2, n_groups=2, n_select=2, random_state=0)
    >>> fitted = draw.fit(votes)
    >>> fitted.groups_
    array([0, 0, 1])
    >>> fitted.selected_[2]
    np.True_
    """

    card = MethodCard(
        id="pividori_2016",
        weighs="clusterings",
        approach="selection",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "drops_junk": "every group has seats by its size, and junk, which is like "
            "no other, is in groups of its own",
            "helps": "keeps half, and of the junk as much as of the rest, so that "
            "less noise is outvoted",
        },
    )

    _parameter_constraints = {
        "diversity_bias": [Interval(Real, None, None, closed="neither")],
        "variant": [StrOptions({"medoid", "consensus"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_select: int | None = None,
        diversity_bias: float = 10.0,
        n_groups: int | None = None,
        variant: str = "medoid",
        agreement: Any = "nmi_sqrt",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_select = n_select
        self.diversity_bias = diversity_bias
        self.n_groups = n_groups
        self.variant = variant
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _select(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_select = self._n_select(ensemble)
        phi = ensemble.agreement(self.agreement)
        # Ties and draws hang on the order of the clusterings.
        order = clusterings_by_content(ensemble)
        tree = hac(np.maximum(1.0 - phi[np.ix_(order, order)], 0.0))
        t = lifetime_from_three(tree) if self.n_groups is None else self.n_groups
        self.groups_ = np.empty(len(order), dtype=np.int64)
        self.groups_[order] = cut(tree, min(t, len(phi)))
        sizes = np.bincount(self.groups_)
        S = self._between(ensemble, phi, order)
        shares = diversity_shares(S, sizes, self.diversity_bias)
        self.clustering_weights_ = (shares / sizes)[self.groups_]
        seats = share_out(shares, n_select, sizes)
        members = [order[self.groups_[order] == g] for g in range(len(sizes))]
        drawn = [
            rng.permutation(group)[:n] for group, n in zip(members, seats, strict=True)
        ]
        return np.sort(np.concatenate(drawn))

    def _between(self, ensemble: Ensemble, phi: Array, order: Array) -> Array:
        """How alike the representatives of each two groups are."""
        if self.variant == "medoid":
            support = group_support(phi, self.groups_)[order]
            best = order[best_of_groups(support, self.groups_[order])]
            # Groups are numbered in the order of their first members, not of these.
            best = best[np.argsort(self.groups_[best])]
            return phi[np.ix_(best, best)]
        columns = []
        for g in range(self.groups_.max() + 1):
            members = cover(ensemble, np.flatnonzero(self.groups_ == g))
            tree = ensemble_linkage(ensemble.take(clusterings=members))
            columns.append(cut(tree, self._resolve_n_clusters(ensemble)))
        return agreement_matrix(Ensemble(columns), self.agreement)


def lifetime_from_three(tree: Array) -> int:
    """The number of groups from three on that lives longest in a tree.

    Fewer if fewer clusterings differ.
    """
    heights = tree[:, 2]
    n = len(heights) + 1
    n_different = 1 + int((heights > 1e-9).sum())
    if n_different <= 3:
        return n_different
    k = np.arange(3, n)
    lives = heights[n - k] - heights[n - k - 1]
    return int(k[merged_ties(lives).argmax()])


def diversity_shares(
    similarity: ArrayLike, sizes: ArrayLike, diversity_bias: float
) -> NDArray[np.float64]:
    r"""Share of each group in a sample that is to be more, or less, diverse.

    .. math::
        w_g \propto \frac{|G_g|}{1 + \exp \bigl( \alpha (\bar s_g - \bar s) \bigr)}

    with the mean similarity :math:`\bar s_g` of a group to the others and the mean
    :math:`\bar s` of all pairs.
    """
    from scipy.special import expit

    S = np.array(similarity, dtype=np.float64)
    size = np.asarray(sizes, dtype=np.float64)
    t = len(S)
    if t == 1:
        return np.ones(1)
    np.fill_diagonal(S, 0.0)
    mean = S.sum(axis=1) / (t - 1)
    w = size * expit(-diversity_bias * (mean - mean.mean()))
    return w / w.sum()


def share_out(shares: ArrayLike, total: int, capacity: ArrayLike) -> NDArray[np.int64]:
    """Share out seats in proportion, by the largest remainder, none above capacity."""
    due = np.asarray(shares, dtype=np.float64)
    most = np.asarray(capacity, dtype=np.int64)
    if not 0 <= total <= most.sum():
        raise ComitiaError(
            f"total={total} seats cannot be shared out; there is room for {most.sum()}."
        )
    seats = np.zeros(len(due), dtype=np.int64)
    while left := total - int(seats.sum()):
        room = most - seats
        part = np.where(room > 0, due, 0.0)
        if part.sum() <= 0:
            # Groups without a share get the seats that the others cannot fill.
            part = (room > 0).astype(np.float64)
        quota = left * part / part.sum()
        # Rounding must not turn 2 into 1.9999999999999998.
        whole = np.floor(quota + 1e-9).astype(np.int64)
        if (whole > room).any():
            # A group that is full frees seats; the others are asked again.
            full = whole > room
            seats[full] = most[full]
            continue
        rest = merge_near_ties(np.where(room > whole, quota - whole, -1.0))
        extra = np.argsort(-rest, kind="stable")[: left - int(whole.sum())]
        whole[extra[rest[extra] >= 0]] += 1
        seats += whole
    return seats
