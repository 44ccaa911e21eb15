"""PTGP: probability trajectory based graph partitioning."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.baselines._trajectories import trajectory_similarity
from comitia.partition.matrix_cut import matrix_cut

__all__ = ["PTGP"]


class PTGP(EnsembleMethod):
    r"""Probability trajectory based graph partitioning.

    Each object is joined with all clusters, by edges that weigh how similar random
    walks from the object and from those of the cluster are, and the graph is cut [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph. At most
        the number of clusters of all clusterings together.

    n_neighbors : int, default=None
        Number of elite neighbours, :math:`K`, that each object keeps; as many more as
        are equally near. ``None`` takes :math:`\sqrt u / 2` of u different label rows,
        at least 8 and at most 20.

    n_steps : int, default=None
        Length :math:`T` of the random walks. ``None`` takes the same number.

    n_init : int, default=3
        Number of starts of k-means, which cuts the eigenvectors.

    generator, random_state : shared

    Notes
    -----
    With the similarity :math:`S` of the walks as in :class:`PTA`, micro-object a and
    cluster c are joined by the mean of :math:`S_{ab}` over the micro-objects b in c,
    each counted once. The cut is the transfer cut. Where most objects of each cluster
    have equal labels, clear clusters can fall apart, as those of :class:`PTA` do, and a
    warning says so.

    The authors' code was read, not the paper.

    References
    ----------
    .. [1] D. Huang, J.-H. Lai and C.-D. Wang, "Robust ensemble clustering using
       probability trajectories", IEEE TKDE 28(5), 2016.
       :doi:`10.1109/TKDE.2015.2503753`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 2, 2], [1, 2, 3], [1, 3, 2]]
    >>> method("ptgp")(n_clusters=2, random_state=0).fit_predict(Ensemble(votes))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ptgp",
        source="after",
        weighs="nothing",
        approach="baseline",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "data_alone": "clear clusters fall apart where most objects of each have "
            "equal labels, as those of a few k-means clusterings have",
        },
    )

    _parameter_constraints = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left"), None],
        "n_steps": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_neighbors: int | None = None,
        n_steps: int | None = None,
        n_init: int = 3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.n_init = n_init
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        micro, counts, inverse = ensemble.distinct().in_content_order()
        S = trajectory_similarity(micro, counts, self.n_neighbors, self.n_steps)
        B = micro.membership
        require_memory(8 * 2 * B.shape[0] * B.shape[1], "the edges of the graph")
        edges = np.asarray(S @ B) / np.asarray(B.sum(axis=0)).ravel()
        return matrix_cut(edges, n_clusters, rng, n_init=self.n_init)[inverse]
