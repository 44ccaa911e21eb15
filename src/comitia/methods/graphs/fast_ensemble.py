"""FastEnsemble: a threshold on the links that clusterings agree on."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.graphs._links import (
    EXEMPT,
    communities,
    kept_links,
    require_graph,
)
from comitia.represent import edge_coassociation
from comitia.represent.coassociation import weight_shares

__all__ = ["FastEnsemble"]

_AS_GIVEN = "clusterings weigh what the user says, and all the same by default"


class FastEnsemble(EnsembleMethod):
    r"""FastEnsemble.

    Links of a network that too few clusterings keep inside a community are taken away,
    and a detector looks at what is left, where links weigh as much as clusterings
    agree on them [1]_.

    Parameters
    ----------
    n_clusters : None, default=None
        Must be None: the detector finds the number of communities.

    threshold : float, default=0.8
        Least share :math:`t` of the clusterings, by weight, that keeps a link; 1 is the
        strict consensus.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering, such as of each algorithm; all the same by default.

    detector : {"leiden", "louvain"}, default="leiden"
        What looks at the links that are left.

    resolution : float, default=1.0
        Larger for more communities of these links.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default it is 10
        runs of Leiden.

    random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    graph_ : csr_array of shape (n_objects, n_objects)
        The links that are left, with their weights.

    Notes
    -----
    Link (i, j) weighs

    .. math::
        S_{ij} = \sum_m w_m \, [\,i, j \text{ together in } C_m\,], \qquad
        \sum_m w_m = 1,

    over the clusterings that have both ends, and is kept if :math:`S_{ij} \ge t`. The
    share is compared up to rounding: in the authors' code, which takes the weights of
    separating clusterings away one after the other, a link that exactly reaches
    :math:`t` may fall below it. That code sets all weights of the network to 1 before
    the clusterings are made; here they are kept.

    ``fit(graph, ensemble=E)`` takes any clusterings of the vertices.

    References
    ----------
    .. [1] Y. Tabatabaee, E. Wedell, M. Park and T. Warnow, "FastEnsemble: scalable
       ensemble clustering on large networks", PLOS Complex Systems, 2025.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graph = np.kron(np.eye(2), triangle)
    >>> graph[2, 3] = graph[3, 2] = 1.0
    >>> method("fast_ensemble")(random_state=0).fit_predict(graph)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="fast_ensemble",
        weighs="clusterings",
        weighs_how="as the user says, with clustering_weights",
        approach="fixed",
        needs=("labels", "graph"),
        missing="pairs",
        scales="linear",
        source="after",
        exempt={
            **EXEMPT,
            "helps": "the threshold is for runs that mostly agree: where a third of "
            "all labels is wrong few links reach it, and the other objects stay alone",
            "weights_differ": _AS_GIVEN,
            "weights_follow_quality": _AS_GIVEN,
        },
        quick={"n_clusters": None, "generator": None},
    )

    _parameter_constraints = {
        "n_clusters": [None],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "detector": [StrOptions({"louvain", "leiden"})],
        "resolution": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        threshold: float = 0.8,
        clustering_weights: Any = None,
        detector: str = "leiden",
        resolution: float = 1.0,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.clustering_weights = clustering_weights
        self.detector = detector
        self.resolution = resolution
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import GraphGenerator

        return GraphGenerator(10)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        A = require_graph(self, X)
        self.clustering_weights_ = _shares(ensemble, self.clustering_weights)
        S = edge_coassociation(
            ensemble,
            A,
            clustering_weights=self.clustering_weights_,
            check_input=False,
        )
        self.graph_ = kept_links(S, self.threshold)
        return communities(self.graph_, rng, self.detector, self.resolution)


def _shares(ensemble: Ensemble, weights: Any) -> Array:
    from comitia.exceptions import ComitiaError

    shares = weight_shares(ensemble, weights)
    if (shares < 0).any() or not shares.sum() > 0:
        raise ComitiaError(
            "clustering_weights must not be negative, and one at least above zero."
        )
    return np.asarray(shares)
