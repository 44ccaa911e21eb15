"""Ensemble clustering for graphs."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.graphs._links import EXEMPT, communities, require_graph
from comitia.represent import edge_coassociation

__all__ = ["ECG"]


class ECG(EnsembleMethod):
    r"""Ensemble clustering for graphs.

    The links of a network weigh as much as quick runs of a detector put their ends
    together, and the detector looks once more at the weighted network [1]_.

    Parameters
    ----------
    n_clusters : None, default=None
        Must be None: the detector finds the number of communities.

    min_weight : float, default=0.05
        Weight :math:`w_{\min}` of a link whose ends are never together, or one of
        whose ends is on a branch that no cycle holds.

    detector : {"louvain", "leiden"}, default="louvain"
        What looks at the weighted network.

    resolution : float, default=1.0
        Larger for more communities of the weighted network.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default it is 16
        runs of the first level of Louvain.

    random_state : shared

    Attributes
    ----------
    edge_weights_ : ndarray of shape (n_links,)
        Weight of each link, in the order of the upper triangle of ``graph_``, row by
        row.

    graph_ : csr_array of shape (n_objects, n_objects)
        The weighted network.

    community_strength_ : float
        The community strength index, from 0 to 1: how sure the runs are of the links.

    Notes
    -----
    With the share :math:`S_{ij}` of the clusterings that have both ends together, over
    those that have both, link (i, j) weighs

    .. math::
        w_{ij} = w_{\min} + (1 - w_{\min}) \, S_{ij}

    if both ends are in the 2-core of the network, and :math:`w_{\min}` otherwise; the
    2-core is what is left when vertices with fewer than two links are taken away until
    there are none. The index is :math:`1 - 2 \, \overline{\min(w, 1 - w)}` over the
    links. As in the authors' code the new weights take the place of those of the
    network, which the runs have seen.

    ``fit(graph, ensemble=E)`` weighs the links by any clusterings of the vertices.

    References
    ----------
    .. [1] V. Poulin and F. Théberge, "Ensemble clustering for graphs: comparisons and
       applications", Applied Network Science 4, 51, 2019.
       :doi:`10.1007/s41109-019-0162-z`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graph = np.kron(np.eye(2), triangle)
    >>> graph[2, 3] = graph[3, 2] = 1.0
    >>> method("ecg")(random_state=0).fit_predict(graph)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ecg",
        weighs="edges",
        approach="fixed",
        needs=("labels", "graph"),
        missing="pairs",
        scales="linear",
        source="after",
        exempt=EXEMPT,
        quick={"n_clusters": None, "generator": None},
    )

    _parameter_constraints = {
        "n_clusters": [None],
        "min_weight": [Interval(Real, 0, 1, closed="left")],
        "detector": [StrOptions({"louvain", "leiden"})],
        "resolution": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        min_weight: float = 0.05,
        detector: str = "louvain",
        resolution: float = 1.0,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.min_weight = min_weight
        self.detector = detector
        self.resolution = resolution
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import GraphGenerator

        return GraphGenerator(16, detector="local_moving")

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        from comitia._kernels.communities import core

        A = require_graph(self, X)
        S = edge_coassociation(ensemble, A, check_input=False)
        row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        inside = core(A.indptr, A.indices, 2)
        both = inside[row] & inside[A.indices]
        w = self.min_weight + (1.0 - self.min_weight) * np.where(both, S.data, 0.0)
        self.graph_ = csr_array((w, A.indices, A.indptr), shape=A.shape)
        self.edge_weights_ = w[row < A.indices]
        unsure = np.minimum(self.edge_weights_, 1.0 - self.edge_weights_)
        self.community_strength_ = 1.0 - 2.0 * float(unsure.mean()) if A.nnz else 0.0
        # A link without weight is none.
        weighed = self.graph_ if self.min_weight > 0 else self.graph_.copy()
        weighed.eliminate_zeros()
        return communities(weighed, rng, self.detector, self.resolution)
