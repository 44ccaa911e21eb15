"""The method of Bagherinia et al."""

from typing import Any

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, tcut
from comitia.represent import bipartite_graph
from comitia.weigh import entropy_certainty

__all__ = ["FuzzyReliabilityEnsemble"]


class FuzzyReliabilityEnsemble(EnsembleMethod):
    r"""Reliability-based fuzzy clustering ensemble.

    Fuzzy clusters that the other clusterings spread over many of their own count less.
    Objects with large memberships in the same reliable clusters are near [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"hac", "bipartite"}, default="hac"
        Linkage of the similarity of objects, or the transfer cut of the graph of
        objects and clusters, which is linear in the number of objects.

    theta : float, default=0.4
        How slowly, :math:`\theta`, reliability falls with unreliability.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree, for ``variant="hac"``. The paper has
        ``"average"``.

    n_init : int, default=3
        Number of starts of k-means inside the transfer cut.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default fuzzy
        c-means.

    random_state : shared

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Reliability of each cluster, in (0, 1].

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form, for ``variant="hac"``.

    Notes
    -----
    With memberships F, the reliability of cluster c is

    .. math::
        R_c = e^{-U_c / (\theta M)}, \qquad
        U_c = -\sum_{m=1}^{M} \sum_{v \in C_m} q_{cv} \log_2 q_{cv}, \qquad
        q_{cv} \propto \sum_i \min(F_{ic}, F_{iv}),
        \quad \sum_{v \in C_m} q_{cv} = 1,

    and the similarity of two objects is

    .. math::
        S_{ij} = \frac{1}{M} \sum_c R_c F_{ic} F_{jc} ;

    in the bipartite form the edge of object i and cluster c weighs
    :math:`R_c F_{ic}`. Since :math:`S_{ii} < 1` for fuzzy memberships, the heights of
    the tree do not start at zero; a constant is all that differs.

    Neither the similarity of fuzzy clusters nor the map from unreliability to
    reliability are given in the review. Those above make the method LWEA, or LWGP, when
    memberships are 0 and 1. A fuzzy cluster also overlaps the others of its own
    clustering, and is the less reliable for it.

    References
    ----------
    .. [1] A. Bagherinia, B. Minaei-Bidgoli, M. Hosseinzadeh and H. Parvin,
       "Reliability-based fuzzy clustering ensemble", Fuzzy Sets and Systems 413, 2021.
       :doi:`10.1016/j.fss.2020.03.008`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> one = [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7], [0.1, 0.9]]
    >>> other = [[0.8, 0.2], [0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> votes = Ensemble.from_memberships([one, other])
    >>> method("bagherinia_2021")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="bagherinia_2021",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "variant": [StrOptions({"hac", "bipartite"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "hac",
        theta: float = 0.4,
        linkage: Linkage = "average",
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.theta = theta
        self.linkage = linkage
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import FuzzyGenerator

        return FuzzyGenerator()

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        weights = entropy_certainty(ensemble, theta=self.theta)
        self.cluster_weights_ = weights
        if self.variant == "hac":
            self.linkage_ = ensemble_linkage(
                ensemble, cluster_weights=weights, linkage=self.linkage
            )
            return cut(self.linkage_, self._resolve_n_clusters(ensemble))
        graph = bipartite_graph(ensemble, cluster_weights=weights)
        # The weights favour small clusters, which the eigengap would then count.
        n_clusters = self._resolve_n_clusters(ensemble)
        return tcut(graph, n_clusters, rng, n_init=self.n_init)
