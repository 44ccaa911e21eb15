"""WECR: weighted ensemble consensus of random k-means."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, micro_linkage
from comitia.represent import coassociation
from comitia.weigh.cluster_silhouettes import silhouette_weights

__all__ = ["WECR"]


class WECR(EnsembleMethod):
    r"""Weighted ensemble consensus of random k-means.

    Clusters count by their silhouette, and by how many of the known pairs their
    clustering and they themselves get right; average linkage cuts the weighted
    co-association [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    local_share : float, default=0.5
        How much, :math:`\gamma`, the pairs that touch a cluster count against all
        pairs, where as many touch it as its size lets expect.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. ``None`` is a
        hundred times k-means on 80 % of the objects and 80 % of the features, which
        labels the other objects by their nearest centre.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in [0, 1].

    linkage_ : shared

    Notes
    -----
    With the mean :math:`s_c` of :math:`(\text{silhouette} + 1) / 2` over a cluster, on
    all features, the share :math:`\mu_m` of the constraints that clustering m meets,
    and the share :math:`\nu_c` of those that touch the cluster,

    .. math::
        w_c = s_c \bigl( (1 - g_c)\, \mu_m + g_c \,\nu_c \bigr),

    where :math:`g_c` rises from 0 for a cluster that no constraint touches, over
    :math:`\gamma` where as many touch it as its share of the objects lets expect, to 1
    where all do. Without constraints :math:`w_c = s_c`. The co-association
    :math:`\frac{1}{M} B\,\mathrm{diag}(w)\,B'` is scaled to a unit diagonal.

    The weights alone, with another consensus, are
    ``comitia.weigh.cluster_silhouettes.silhouette_weights``, a ``weighting`` of
    ``ConsensusClustering``.

    Read in a port, which counts cannot-links only where there is no must-link, and
    gives clusters without constraints a negative :math:`g_c`; both are mended here. It
    draws rows and columns with replacement, this does not.

    References
    ----------
    .. [1] Y. Lai, S. He, Z. Lin, F. Yang, Q. Zhou and X. Zhou, "An adaptive robust
       semi-supervised clustering framework using weighted consensus of random k-means
       ensemble", IEEE TKDE 33(5), 2021. :doi:`10.1109/TKDE.2019.2952596`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 1], [1, 1]])
    >>> method("wecr")(n_clusters=2).fit(X, ensemble=votes).labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="wecr",
        source="after",
        weighs="clusters",
        approach="fixed",
        needs=("labels", "data", "constraints"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "local_share": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        local_share: float = 0.5,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.local_share = local_share
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import FeatureSubset, KMeansGenerator, Subsample

        return KMeansGenerator(
            100, objects=Subsample(0.8), features=FeatureSubset(0.8), extend=True
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n = ensemble.n_objects
        require_memory(
            8 * n * n,
            f"the silhouettes and similarities of {n} objects",
            "use a method that is linear in n, such as lwgp",
        )
        n_clusters = self._resolve_n_clusters(ensemble)
        self.cluster_weights_ = silhouette_weights(
            ensemble, X, self.constraints_, local_share=self.local_share
        )
        micro, counts, inverse = ensemble.distinct().in_content_order()
        u = micro.n_objects
        require_memory(3 * 8 * u * u, f"the similarity of each two of {u} objects")
        S = coassociation(
            micro, cluster_weights=self.cluster_weights_, dtype=np.float64
        )
        root = np.sqrt(np.diagonal(S))
        root = np.where(root > 0, root, 1.0)
        S /= root[:, None]
        S /= root
        distance = np.maximum(1.0 - S, 0.0)
        self.linkage_ = micro_linkage(distance, counts, inverse, linkage=self.linkage)
        return cut(self.linkage_, n_clusters)
