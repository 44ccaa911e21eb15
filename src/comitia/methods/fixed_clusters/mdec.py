"""MDEC: multi-diversified ensemble clustering."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, ncut, tcut
from comitia.represent import bipartite_graph, coassociation
from comitia.weigh import entropy_certainty

__all__ = ["MDEC"]


class MDEC(EnsembleMethod):
    r"""Multi-diversified ensemble clustering.

    Spectral clusterings in random subspaces, each by a kernel of its own, are weighed
    by how rarely their clusters are torn apart, and combined by a tree, a cut of the
    objects or a cut of the graph of objects and clusters [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    variant : {"hc", "sc", "bg"}, default="hc"
        ``"hc"`` cuts the tree of the weighted co-association, ``"sc"`` the
        co-association itself, ``"bg"`` the graph of objects and clusters.

    theta : float, default=1.0
        How slowly, :math:`\theta`, the weight of a cluster falls with its uncertainty.

    n_init : int, default=3
        Number of starts of k-means, which cuts the eigenvectors.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. ``None`` is that of
        [1]_: thirty spectral clusterings, each of half of the features, with 5 to 20
        neighbours and a kernel 0.2 to 0.8 times as wide as the local scale.

    random_state : shared

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form, for ``variant="hc"``.

    Notes
    -----
    On given clusterings ``"hc"`` is LWEA and ``"bg"`` is LWGP, with :math:`\theta = 1`.
    The members are what is new: with squared distances D on their features and the mean
    :math:`s_i` of those to the q nearest, objects are alike by the normal density of
    :math:`D_{ij}` with the standard deviation :math:`a (s_i + s_j + D_{ij}) / 3`. The
    authors put squared distances where the kernel usually takes distances, and keep the
    q largest values of each row; here each object keeps its q nearest, which needs no
    n × n matrix. Their code was read, and the abstract of the paper.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-H. Lai and C.-K. Kwoh, "Toward multidiversified
       ensemble clustering of high-dimensional data: from subspaces to metrics and
       beyond", IEEE Trans. Cybernetics 52(11), 2022.
       :doi:`10.1109/TCYB.2021.3049633`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("mdec")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="mdec",
        source="after",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "variant": [StrOptions({"hc", "sc", "bg"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "hc",
        theta: float = 1.0,
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.theta = theta
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import EstimatorGenerator, FeatureSubset
        from comitia.methods.fixed_clusters._mdec_members import ScaledSpectral

        drawn = {
            "n_neighbors": [*range(5, 21)],
            "width": np.linspace(0.2, 0.8, 61).tolist(),
        }
        return EstimatorGenerator(
            ScaledSpectral(), 30, parameters=drawn, features=FeatureSubset(0.5)
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        w = self.cluster_weights_ = entropy_certainty(ensemble, theta=self.theta)
        if self.variant == "bg":
            graph = bipartite_graph(ensemble, cluster_weights=w)
            return tcut(graph, n_clusters, rng, n_init=self.n_init)
        if self.variant == "hc":
            self.linkage_ = ensemble_linkage(ensemble, cluster_weights=w)
            return cut(self.linkage_, n_clusters)
        S = coassociation(ensemble, cluster_weights=w, dtype=np.float64)
        np.fill_diagonal(S, 1.0)
        return ncut(S, n_clusters, rng, n_init=self.n_init)
