"""Iterated consensus of Lancichinetti and Fortunato."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from comitia import sizes
from comitia._sklearn import Interval, StrOptions
from comitia.agreement import agreement_matrix
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._loops import warn_stopped_early
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.graphs._links import EXEMPT, kept_links
from comitia.partition import median_selection
from comitia.represent import coassociation, edge_coassociation

__all__ = ["IteratedCommunityConsensus"]


class IteratedCommunityConsensus(EnsembleMethod):
    r"""Iterated consensus clustering of networks.

    Vertices are linked by how often runs of a detector put them together, weak links
    are dropped, and the detector looks at this graph in place of the network, until
    its runs agree [1]_.

    Parameters
    ----------
    n_clusters : None, default=None
        Must be None: the detector finds the number of communities.

    threshold : float, default=0.2
        Least share :math:`\tau` of the runs that links two vertices. The value is for
        Louvain and Leiden; label propagation wants 0.8.

    variant : {"auto", "all_pairs", "links"}, default="auto"
        Which pairs are looked at: all of them [1]_; or the links of the last graph and
        as many random pairs of vertices with a common neighbour [2]_, in time and
        memory that are linear in the links. "auto" looks at all pairs of up to 10 000
        vertices.

    max_iter : int, default=20
        Most graphs of results that the detector looks at.

    tol : float, default=0.02
        Stop when at most this share of the links is neither in all runs nor in none.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone, and those of every
        further round; it must take the graph. By default it is 20 runs of Louvain.

    random_state : shared

    Attributes
    ----------
    graph_ : csr_array of shape (n_objects, n_objects)
        The shares of the last runs, those below the threshold dropped.

    n_iter_ : int
        How many graphs of results the detector looked at.

    converged_ : bool
        Whether the runs agreed in the end.

    Notes
    -----
    With the share :math:`D_{ij}` of the runs that have i and j together, over those
    that have both, each round keeps the pairs with :math:`D_{ij} \ge \tau`. A vertex
    that would lose all links keeps its strongest ones. The labels are those of the run
    that agrees best with the others.

    ``fit(graph, ensemble=E)`` begins with given clusterings, and ``fit(E)``, without
    a network, with their co-association; the detector makes those of further rounds.

    In the code by others that was read for [2]_, a run that separates two vertices sets
    their count back to the weight before; here it adds nothing.

    References
    ----------
    .. [1] A. Lancichinetti and S. Fortunato, "Consensus clustering in complex
       networks", Scientific Reports 2, 336, 2012. :doi:`10.1038/srep00336`
    .. [2] A. Tandon, A. Albeshri, V. Thayananthan, W. Alhalabi and S. Fortunato, "Fast
       consensus clustering in complex networks", Physical Review E 99, 042301, 2019.
       :doi:`10.1103/PhysRevE.99.042301`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> triangle = np.ones((3, 3)) - np.eye(3)
    >>> graph = np.kron(np.eye(2), triangle)
    >>> graph[2, 3] = graph[3, 2] = 1.0
    >>> method("lf_consensus")(random_state=0).fit_predict(graph)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="lf_consensus",
        weighs="nothing",
        approach="variable",
        needs=("labels", "graph"),
        missing="pairs",
        scales="linear",
        source="after",
        exempt=EXEMPT,
        quick={"n_clusters": None, "generator": None},
    )

    _parameter_constraints = {
        "n_clusters": [None],
        "threshold": [Interval(Real, 0, 1, closed="both")],
        "variant": [StrOptions({"auto", "all_pairs", "links"})],
    }

    def __init__(
        self,
        n_clusters: Any = None,
        *,
        threshold: float = 0.2,
        variant: str = "auto",
        max_iter: int = 20,
        tol: float = 0.02,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.variant = variant
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import GraphGenerator

        return GraphGenerator(20, detector="louvain")

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.n_iter_ = 0
        D = self._shares(ensemble, X, rng)
        while not (agree := _n_unsure(D) <= self.tol * D.nnz) and (
            self.n_iter_ < self.max_iter
        ):
            last = _with_strongest(D, kept_links(D, self.threshold))
            ensemble = self._seeded_generator(rng).generate(last)
            D = self._shares(ensemble, last, rng)
            self.n_iter_ += 1
            self._report("combine", self.n_iter_, self.max_iter)
        self.converged_ = bool(agree)
        if not agree:
            warn_stopped_early(self, "rounds")
        self.graph_ = _with_strongest(D, kept_links(D, self.threshold))
        agreement = agreement_matrix(ensemble, "nmi_sqrt")
        return ensemble.labels[:, median_selection(agreement)]

    def _shares(self, ensemble: Ensemble, graph: Any, rng: Rng) -> csr_array:
        """How often vertices are together: all of them, or those near each other."""
        n = ensemble.n_objects
        few = n <= sizes.ALL_PAIRS_VERTICES if self.variant == "auto" else False
        if graph is None or few or self.variant == "all_pairs":
            require_memory(8 * n * n, f"the co-association of {n} objects")
            D = coassociation(ensemble, dtype=np.float64)
            np.fill_diagonal(D, 0.0)
            return csr_array(D)
        return edge_coassociation(ensemble, _with_triads(graph, rng), check_input=False)


def _n_unsure(D: csr_array) -> int:
    """Links that some of the runs have and others have not."""
    return int(((D.data > 1e-9) & (D.data < 1.0 - 1e-9)).sum())


def _with_strongest(D: csr_array, kept: csr_array) -> csr_array:
    """Vertices that are left without links get their strongest ones back."""
    n = D.shape[0]
    alone = np.diff(kept.indptr) == 0
    top = np.zeros(n)
    row = np.repeat(np.arange(n), np.diff(D.indptr))
    np.maximum.at(top, row, D.data)
    back = alone[row] & (D.data > 0) & (D.data >= top[row] - 1e-9)
    if not back.any():
        return kept
    lost = csr_array((D.data[back], (row[back], D.indices[back])), shape=D.shape)
    found = csr_array(kept.maximum(lost).maximum(lost.T))
    found.sort_indices()
    return found


def _with_triads(graph: csr_array, rng: Rng) -> csr_array:
    """The links, and as many random pairs of neighbours of one vertex."""
    degree = np.diff(graph.indptr)
    open_to = np.flatnonzero(degree >= 2)
    n_links = graph.nnz // 2
    if len(open_to) == 0 or n_links == 0:
        return graph
    middle = open_to[rng.randint(len(open_to), size=n_links)]
    i, j = (
        graph.indices[
            graph.indptr[middle]
            + (rng.random_sample(n_links) * degree[middle]).astype(np.int64)
        ]
        for _ in range(2)
    )
    kept = i != j
    more = csr_array((np.ones(kept.sum()), (i[kept], j[kept])), shape=graph.shape)
    union = csr_array(graph + more + more.T)
    union.sort_indices()
    return union
