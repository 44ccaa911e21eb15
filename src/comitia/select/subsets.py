"""Clusterings as features: scores, subsets, and what several subsets agree on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.select.picks import top

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

    the Laplacian score [1]_ of the columns :math:`b_c` of B, summed above and below the
    line; on a graph of all pairs, the spectral score :math:`\varphi_2` [2]_.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    graph : sparse array of shape (n_objects, n_objects), default=None
        Symmetric, with non-negative weights. By default the co-association of the
        ensemble, which is not formed.

    Returns
    -------
    scores : ndarray of shape (n_clusterings,)
        Small for the better; infinite for a clustering of one cluster.

    References
    ----------
    .. [1] X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", NIPS
       18, 2005.
    .. [2] Z. Zhao and H. Liu, "Spectral feature selection for supervised and
       unsupervised learning", ICML 2007. :doi:`10.1145/1273496.1273641`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> pairs = np.kron(np.eye(2), [[0, 1], [1, 0]])
    >>> graph_scores(Ensemble([[0, 0], [0, 1], [1, 0], [1, 1]]), pairs)
    array([0., 2.])
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

    for the set P of those picked: most relevance, least redundancy [1]_, with all
    clusterings in the place of the class that is not known.

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreement :math:`\phi` of each two clusterings, such as their normalised
        mutual information.

    n_select : int
        How many to pick.

    Returns
    -------
    chosen : ndarray of shape (n_select,)
        Indices in the order of picking; the lowest of equals.

    References
    ----------
    .. [1] H. Peng, F. Long and C. Ding, "Feature selection based on mutual information:
       criteria of max-dependency, max-relevance, and min-redundancy", IEEE TPAMI 27(8),
       2005. :doi:`10.1109/TPAMI.2005.159`

    Examples
    --------
    >>> relevance_redundancy([[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]], 2)
    array([0, 2])
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
    :math:`\bar w^t` is the mean of the :math:`w^t_m` over the subset [1]_.

    Parameters
    ----------
    q : array-like of shape (n_clusterings,)
        Value of each clustering, 0 or more and small for the better.

    subsets : sequence of array-like of int
        The clusterings of each subset; none is empty.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        The :math:`w_m`; 0 for what is in no subset.

    of_subsets : ndarray of shape (n_subsets,)
        The :math:`w^t`; 1 for the best subset.

    References
    ----------
    .. [1] Z. Yu et al., "Hybrid clustering solution selection strategy", Pattern
       Recognition 47(10), 2014. :doi:`10.1016/j.patcog.2014.04.005`

    Examples
    --------
    >>> weights, of_subsets = subset_weights([1.0, 2.0, 3.0], [[0, 1], [0, 2]])
    >>> of_subsets.round(6)
    array([1.      , 0.903913])
    >>> weights.round(6)
    array([1.903913, 0.513417, 0.332531])
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
