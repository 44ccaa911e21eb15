"""The co-association of linked objects: one value for each link of a graph."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from comitia.cluster.adjacency import check_graph
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning
from comitia.represent.coassociation import presence, weight_shares
from comitia.represent.graphs import combined_weights

__all__ = ["edge_coassociation"]

# Links of fuzzy and overlapping clusterings that are looked at together.
_BLOCK_LINKS = 1 << 16

# Share of the links of which no clustering has both ends, beyond which people are told.
_FEW_UNSEEN = 0.1


def edge_coassociation(
    ensemble: Ensemble,
    graph: Any,
    *,
    clustering_weights: ArrayLike | None = None,
    cluster_weights: ArrayLike | None = None,
    co_sampled: bool = True,
    check_input: bool = True,
) -> csr_array:
    r"""How much weight puts the two ends of each link of a graph together.

    The values of :func:`coassociation` where the graph has links,

    .. math::
        S_{ij} = \sum_{m=1}^{M} w_m \, v_{c} \, [\,i, j \in c,\ c \in C_m\,]
        \quad \text{where} \quad A_{ij} > 0,

    in time and memory that are linear in the number of links. A missing label says
    nothing: :math:`S_{ij}` is divided by the share of the weight of the clusterings
    that have both ends.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    graph : sparse matrix or array-like of shape (n_objects, n_objects)
        Symmetric adjacency matrix with non-negative weights, which say where there
        are links and nothing else.

    clustering_weights : array-like of shape (n_clusterings,), default=None
        Weight of each clustering; 1 / n_clusterings by default.

    cluster_weights : array-like of shape (n_clusters,), default=None
        Weight of each cluster, multiplied by that of its clustering.

    co_sampled : bool, default=True
        Whether a missing label says nothing, as above. Links of which no clustering
        has both ends get 0, with a warning if they are more than one in ten. With
        False a missing label means "apart from all others".

    check_input : bool, default=True
        False if the graph is what :func:`~comitia.cluster.adjacency.check_graph`
        returned.

    Returns
    -------
    coassociation : csr_array of shape (n_objects, n_objects)
        Symmetric; an entry for each link, also where it is zero.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> edge_coassociation(Ensemble([[0, 0], [0, 1], [1, 1]]), path).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.5],
           [0. , 0.5, 0. ]])
    """
    A = check_graph(graph) if check_input else graph
    if A.shape[0] != ensemble.n_objects:
        raise ComitiaError(
            f"graph has {A.shape[0]} vertices and ensemble has {ensemble.n_objects} "
            "objects; they must be the same objects in the same order."
        )
    weights = combined_weights(ensemble, clustering_weights, cluster_weights)
    sums = (_hard_sums if ensemble.is_hard else _soft_sums)(ensemble, A, weights)
    if co_sampled and ensemble.has_missing:
        shares = weight_shares(ensemble, clustering_weights)
        seen = _hard_sums(presence(ensemble), A, shares)
        never = seen <= 0
        np.divide(sums, seen, out=sums, where=~never)
        if never.sum() > _FEW_UNSEEN * len(never):
            warnings.warn(
                f"of {never.mean():.1%} of the links no clustering has both ends; "
                "their similarity is set to 0. Use more clusterings or larger samples.",
                ComitiaWarning,
                stacklevel=2,
            )
    return csr_array((sums, A.indices, A.indptr), shape=A.shape)


def _hard_sums(
    ensemble: Ensemble, A: csr_array, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """One value per entry of A: a clustering after the other."""
    from comitia._kernels.coassociation import add_on_links
    from comitia._kernels.sums import over_ranges

    sums = np.zeros(A.nnz)
    n = A.shape[0]
    for m, codes in enumerate(ensemble.codes):
        own = weights[ensemble.offsets[m] : ensemble.offsets[m + 1]]
        # Two objects that both lack a label are not together.
        given = A.indptr, A.indices, codes, np.append(own, 0.0)
        over_ranges(partial(add_on_links, *given, sums), n, cost=A.nnz / n)
    return sums


def _soft_sums(
    ensemble: Ensemble, A: csr_array, weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The same for fuzzy and overlapping clusterings."""
    B = ensemble.membership.astype(np.float64)
    row = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    sums = np.empty(A.nnz)
    for start in range(0, A.nnz, _BLOCK_LINKS):
        block = slice(start, start + _BLOCK_LINKS)
        sums[block] = B[row[block]].multiply(B[A.indices[block]]) @ weights
    return sums
