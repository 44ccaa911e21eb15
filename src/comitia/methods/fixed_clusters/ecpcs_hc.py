"""ECPCS-HC."""

from __future__ import annotations

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.fixed_clusters._propagated import propagated_coassociation
from comitia.partition import cut, distances_of, hac, micro_linkage
from comitia.represent import jaccard_clusters, random_walk_similarity

__all__ = ["ECPCSHC"]


class ECPCSHC(EnsembleMethod):
    r"""Ensemble clustering by propagating cluster-wise similarities, hierarchical.

    Two objects that a clustering puts into different clusters still count as near when
    random walks over the graph of all clusters take the same ways from both; average
    linkage cuts this enhanced co-association [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_steps : int, default=20
        Length :math:`t` of the random walks.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    linkage_ : shared

    Notes
    -----
    With Z the similarity of the clusters as in ECPCS-MC and :math:`Z_{cc} = 1`, the
    enhanced co-association is

    .. math::
        S_{ij} = \frac{1}{M} \sum_{m=1}^{M} Z\bigl(C_m(i), C_m(j)\bigr) .

    Where labels are missing, the mean is over the clusterings that have both objects.
    Fuzzy memberships weigh the similarities of the clusters.

    Long walks meet everywhere, so that even objects of different clusters are similar
    and the merges of the tree lie close together. Their lifetimes say little, and the
    number of clusters is not chosen by them.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, H. Peng, J. Lai and C.-K. Kwoh, "Enhanced ensemble
       clustering via fast propagation of cluster-wise similarities", IEEE Trans. SMC:
       Systems 51(1), 2021. :doi:`10.1109/TSMC.2018.2876202`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    >>> method("ecpcs_hc")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ecpcs_hc",
        weighs="clusters",
        weighs_how="two at a time, by the random walks from both",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "pairs of clusters are weighed by their similarity; no "
            "cluster has a weight of its own",
            "weights_follow_quality": "no cluster has a weight of its own",
        },
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_steps: int = 20,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_steps = n_steps
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        Z = random_walk_similarity(jaccard_clusters(ensemble), self.n_steps)
        if ensemble.is_hard:
            micro, *copies = ensemble.distinct()
            S = propagated_coassociation(micro, Z)
            S = np.subtract(1.0, S, out=S)
            self.linkage_ = micro_linkage(S, *copies, linkage=self.linkage)
        else:
            # Objects with equal memberships need not be nearest to each other.
            S = propagated_coassociation(ensemble, Z)
            self.linkage_ = hac(distances_of(S), self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
