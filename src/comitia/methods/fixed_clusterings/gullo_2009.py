"""Diversity-based weighting schemes of Gullo, Tagarelli and Greco."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._gullo_2009_diversity import (
    dendrogram_weights,
    diversity_scores,
    diversity_weights,
    group_similarity,
)
from comitia.partition import complete_vote, cut, hac, tcut
from comitia.represent import bipartite_graph, condensed_coassociation, jaccard_clusters
from comitia.weigh.mean_agreement import check_agreement

__all__ = ["DiversityWeighting"]


class DiversityWeighting(EnsembleMethod):
    r"""Diversity-based weighting schemes for clustering ensembles.

    A clustering counts by what it contributes to the diversity of the ensemble: judged
    one by one, in groups of clusterings that are alike, or along their dendrogram; any
    of three kinds of consensus uses the weights [1]_.

    Parameters
    ----------
    n_clusters : shared

    weighting : {"single", "group", "dendrogram", "branch_length"}, default="single"
        The scheme: Single Weighting, Group Weighting, or Dendrogram Weighting with the
        weight of a node halved or split in proportion to the branches below.

    consensus : {"instance", "cluster", "hybrid"}, default="instance"
        What the weights are used in: distances of objects, a vote of meta-clusters, or
        the graph of objects and clusters.

    variant : {"leave_one_out", "individual"}, default="leave_one_out"
        What the diversity of a clustering is: that of the others without it, as the
        review prints it, or how much it differs from them.

    diversity_share : float, default=0.5
        Share :math:`\alpha` of the weight that is proportional to the diversity; the
        rest goes to clusterings of usual diversity.

    n_groups : int, default=None
        Number of groups for ``weighting="group"``. ``None`` cuts the tree of the
        clusterings at its longest lifetime.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`; the paper also has the F-measure,
        ``"f_measure"``.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree, for the consensus "instance" and
        "cluster".

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, with ``consensus="instance"``.

    Notes
    -----
    Single Weighting takes the diversity that is left without clustering m,

    .. math::
        d_m = \frac{2}{(M - 1)(M - 2)} \sum_{\substack{j < l \\ j, l \ne m}}
        [1 - \phi(C_j, C_l)], \qquad
        w_m = \alpha \frac{d_m}{\sum_l d_l} + (1 - \alpha)
        \frac{N(d_m; \mu, \sigma)}{\sum_l N(d_l; \mu, \sigma)},

    with mean and standard deviation of the :math:`d_m` for :math:`\mu` and
    :math:`\sigma`. As printed, a clustering far from all others has a *small*
    :math:`d_m`. The mean :math:`e_m` of :math:`1 - \phi(C_m, C_l)` orders the
    clusterings exactly the other way round; ``variant="individual"`` takes it for
    :math:`d_m`. Equal diversities give equal weights; of two clusterings, both variants
    take :math:`e_m`.

    How groups and dendrogram enter is not described in the review. Here Group
    Weighting cuts an average-linkage tree of the clusterings on :math:`1 - \phi`,
    applies the formula to the groups, whose agreement is the mean over their members,
    and shares the weight of a group out equally. Dendrogram Weighting starts with
    weight 1 at the root of that tree and halves it at every node, so that a clustering
    at depth t gets :math:`2^{-t}`; merges at the same height are one node.

    The consensus "instance" cuts a tree on the distances
    :math:`R_{ij} = \sqrt{\sum_m w_m [i, j \text{ apart in } C_m]}`; the squared
    differences of label numbers in the review's example would depend on the names of
    labels. "cluster" merges all clusters on one minus their Jaccard coefficient (which
    the review calls a distance) and gives an object to the meta-cluster with the
    largest sum of :math:`w_m` over its clusters that hold it. "hybrid" cuts the
    bipartite graph of objects and clusters with edges :math:`1 + w_m` by Tcut.

    References
    ----------
    .. [1] F. Gullo, A. Tagarelli and S. Greco, "Diversity-based weighting schemes for
       clustering ensembles", SIAM SDM 2009. :doi:`10.1137/1.9781611972795.38`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("gullo_2009")(2, weighting="dendrogram").fit(votes)
    >>> fitted.clustering_weights_
    array([0.25, 0.25, 0.5 ])
    >>> method("gullo_2009")(2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="gullo_2009",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "weighting": [StrOptions({"single", "group", "dendrogram", "branch_length"})],
        "consensus": [StrOptions({"instance", "cluster", "hybrid"})],
        "variant": [StrOptions({"leave_one_out", "individual"})],
        "diversity_share": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        weighting: str = "single",
        consensus: str = "instance",
        variant: str = "leave_one_out",
        diversity_share: float = 0.5,
        n_groups: int | None = None,
        agreement: Any = "nmi_sqrt",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weighting = weighting
        self.consensus = consensus
        self.variant = variant
        self.diversity_share = diversity_share
        self.n_groups = n_groups
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        check_agreement(self.agreement)
        phi = ensemble.agreement(self.agreement)
        self.clustering_weights_ = self._weigh(phi)
        return getattr(self, f"_by_{self.consensus}")(ensemble, rng)

    def _weigh(self, phi: Array) -> Array:
        if self.weighting == "single":
            return self._of_diversity(phi)
        tree = hac(np.maximum(1.0 - phi, 0.0))
        if self.weighting != "group":
            by_length = self.weighting == "branch_length"
            return dendrogram_weights(tree, by_length=by_length)
        k = None if self.n_groups is None else min(self.n_groups, len(phi))
        groups = cut(tree, k)
        weights = self._of_diversity(group_similarity(phi, groups))
        return (weights / np.bincount(groups))[groups]

    def _of_diversity(self, phi: Array) -> Array:
        return diversity_weights(
            diversity_scores(phi, self.variant), self.diversity_share
        )

    def _by_instance(self, ensemble: Ensemble, rng: Rng) -> Array:
        together = condensed_coassociation(
            ensemble, clustering_weights=self.clustering_weights_, dtype=np.float64
        )
        # Rounding can leave -1e-16 where two objects always meet.
        apart = np.subtract(1.0, together, out=together)
        np.sqrt(np.maximum(apart, 0.0, out=apart), out=apart)
        self.linkage_ = hac(apart, self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _by_cluster(self, ensemble: Ensemble, rng: Rng) -> Any:
        k = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        J = jaccard_clusters(ensemble).toarray()
        groups = cut(hac(1.0 - J, self.linkage), min(k, len(J)))
        return complete_vote(ensemble, groups, k, self.clustering_weights_)

    def _by_hybrid(self, ensemble: Ensemble, rng: Rng) -> Any:
        w = self.clustering_weights_
        k = self._resolve_n_clusters(ensemble, clustering_weights=1.0 + w)
        return tcut(bipartite_graph(ensemble, clustering_weights=1.0 + w), k, rng)
