"""Clusterings as features: scores, subsets, and what several subsets agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.select import top

__all__ = ["graph_scores", "relevance_redundancy", "subset_weights"]

Array = NDArray[np.float64]


def graph_scores(ensemble: Ensemble, graph: Any = None) -> Array:
    r"""Laplacian score of each clustering: how rarely it separates neighbours.

    A clustering is a categorical feature, and so one column for each of its clusters.
    With the edges S of a graph of the objects and the degrees D,

    .. math::
        L_m = \frac{\sum_{c \in C_m} b_c' (D - S) b_c}
        {\sum_{c \in C_m} \bigl( b_c' D b_c - (b_c' D \mathbf 1)^2 /
        \mathbf 1' D \mathbf 1 \bigr)},

    the Laplacian score (He et al., 2005) of the columns :math:`b_c` of B, summed above
    and below the line; on a graph of all pairs, the spectral score :math:`\varphi_2`
    (Zhao and Liu, 2007). Without a graph S is the co-association.
    """
    from scipy.sparse import csr_array

    B = csr_array(ensemble.membership).astype(np.float64)
    K = ensemble.n_clusters_total
    if graph is None:
        degree = B @ (B.T @ np.ones(ensemble.n_objects))
        # Inside c the co-association sums to the squared overlaps with all clusters.
        inside = (ensemble.contingency().astype(np.float64) ** 2).sum(axis=1)
    else:
        S = csr_array(graph)
        if S.shape != (ensemble.n_objects,) * 2:
            raise ComitiaError(
                f"graph must have one row for each of {ensemble.n_objects} objects; "
                f"got shape {S.shape}."
            )
        degree = np.asarray(S.sum(axis=1)).ravel()
        inside = (B * (S @ B)).sum(axis=0)
    own = (B * B).T @ degree
    mean = (B.T @ degree) ** 2 / max(float(degree.sum()), np.finfo(float).tiny)
    M, of = ensemble.n_clusterings, ensemble.clustering_of
    bend = np.bincount(of, own - np.asarray(inside).reshape(K), minlength=M)
    spread = np.bincount(of, own - mean, minlength=M)
    varies = spread > 1e-12 * np.bincount(of, own, minlength=M)
    safe = np.where(varies, spread, 1.0)
    return np.where(varies, np.maximum(bend, 0.0) / safe, np.inf)


def relevance_redundancy(similarity: ArrayLike, n_select: int) -> NDArray[np.int64]:
    r"""Pick clusterings that say what all say, and not what was said already.

    The next one is

    .. math::
        \arg\max_m \; \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l) -
        \frac{1}{|P|} \sum_{l \in P} \phi(C_m, C_l)

    for the set P of those picked: most relevance, least redundancy (Peng et al., 2005),
    with all clusterings in the place of the class that is not known.
    """
    phi = np.asarray(similarity, dtype=np.float64)
    M = len(phi)
    relevance = (phi.sum(axis=1) - phi.diagonal()) / max(M - 1, 1)
    chosen = [int(top(relevance, 1)[0])]
    while len(chosen) < n_select:
        gain = relevance - phi[:, chosen].mean(axis=1)
        rest = np.setdiff1d(np.arange(M), chosen)
        chosen.append(int(rest[top(gain[rest], 1)[0]]))
    return np.array(chosen, dtype=np.int64)


def subset_weights(q: ArrayLike, subsets: Sequence[ArrayLike]) -> tuple[Array, Array]:
    r"""Weigh clusterings by their quality in each of several subsets that have them.

    .. math::
        w_m = \sum_t [m \in s_t] \, w^t w^t_m, \qquad
        w^t_m = e^{-(q_m - \min q^t) / \overline{q^t}}, \qquad
        w^t = e^{(\bar w^t - \max_u \bar w^u) / \overline{\bar w}},

    where :math:`q^t` are the values in the subset :math:`s_t`, a bar is a mean, and
    :math:`\bar w^t` is the mean of the :math:`w^t_m` over the subset.
    """
    values = np.asarray(q, dtype=np.float64)
    inside = []
    for subset in subsets:
        own = values[np.asarray(subset)]
        mean = own.mean()
        inside.append(np.exp(-(own - own.min()) / (mean if mean > 0 else 1.0)))
    means = np.array([one.mean() for one in inside])
    of_subsets = np.exp((means - means.max()) / means.mean())
    weights = np.zeros(len(values))
    for subset, own, weight in zip(subsets, inside, of_subsets, strict=True):
        weights[np.asarray(subset)] += weight * own
    return weights, of_subsets
