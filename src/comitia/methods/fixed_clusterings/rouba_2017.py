"""Group-relative weights of Rouba and Nait Bahloul."""

from typing import Any

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, hac
from comitia.weigh import group_support, normalize_weights
from comitia.weigh.mean_agreement import check_agreement

__all__ = ["GroupRelativeWeights"]


class GroupRelativeWeights(EnsembleMethod):
    r"""Group-relative weights from Rand similarity.

    The clusterings are themselves put into groups, each counts by how much its own
    group agrees with it, and a tree is grown on the weighted co-association [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_groups : int, default=2
        Number of groups of clusterings, at most as many as there are different
        clusterings. ``None`` cuts the tree of the clusterings at its longest lifetime.

    agreement : str or callable, default="rand"
        How alike two clusterings are, :math:`s`. The paper has ``"rand"``.

    linkage, generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    clustering_weights_ : shared

    groups_ : ndarray of shape (n_clusterings,)
        The group of each clustering.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the objects, in SciPy form.

    Notes
    -----
    With the group :math:`g(m)` of clustering m,

    .. math::
        w_m \propto \frac{1}{|g(m)|} \sum_{t \in g(m),\, t \ne m} s(C_m, C_t), \qquad
        S = \sum_m w_m B_m B_m'.

    The divisor is the size of the group, not one less. Two equal clusterings in a group
    of their own therefore get 1/2 each, a clustering alone in its group gets 0, and
    large groups are favoured: outliers are removed. When every clustering is alone, all
    weigh the same and a warning is given.

    Neither the clustering of the clusterings nor that of the objects is fixed by the
    paper; here both are agglomerative, the first with average linkage on
    :math:`1 - s`. Equal clusterings are never put into different groups.

    References
    ----------
    .. [1] B. Rouba and S. Nait Bahloul, "Weighted clustering ensemble: Towards learning
       the weights of the base clusterings", Multiagent and Grid Systems 13(4), 2017.
       :doi:`10.3233/MGS-170278`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("rouba_2017")(n_clusters=2).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_
    array([0.5, 0.5, 0. ])
    """

    card = MethodCard(
        id="rouba_2017",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_groups: int = 2,
        agreement: Any = "rand",
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_groups = n_groups
        self.agreement = agreement
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        check_agreement(self.agreement)
        s = ensemble.agreement(self.agreement)
        self.groups_ = self._group(s)
        # A single clustering has no group: it has all the weight.
        raw = group_support(s, self.groups_) if len(s) > 1 else np.ones(1)
        self.clustering_weights_ = normalize_weights(raw)
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _group(self, s: Array) -> Array:
        tree = hac(np.maximum(1.0 - s, 0.0))
        if self.n_groups is None:
            return cut(tree)
        n_different = 1 + int((tree[:, 2] > 1e-12).sum())
        return cut(tree, min(self.n_groups, n_different))
