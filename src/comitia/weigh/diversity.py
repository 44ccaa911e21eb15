"""Weights of clusterings by how much they agree with, or differ from, the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.agreement import MEASURES, agreement_matrix
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.weigh.clusterings import normalize_weights

__all__ = [
    "above_uniform",
    "check_agreement",
    "dendrogram_weights",
    "diversity_scores",
    "diversity_weights",
    "group_similarity",
    "group_support",
    "inverse_agreement",
    "mean_agreement",
]

# Values that differ by less are equal: what is left of rounding.
_TINY = 1e-12


def check_agreement(agreement: str | Callable[..., float]) -> None:
    """Refuse a measure that is smaller for clusterings more alike.

    Parameters
    ----------
    agreement : str or callable
        A measure of :mod:`comitia.agreement`, or a function of two label vectors, which
        is taken to be larger for clusterings more alike.
    """
    if agreement in MEASURES and not MEASURES[str(agreement)].larger_is_alike:
        raise ComitiaError(
            f"agreement={agreement!r} is a distance; give a measure that is larger for "
            "clusterings more alike, such as nmi_sqrt."
        )


def mean_agreement(
    ensemble: Ensemble, agreement: str | Callable[..., float] = "nmi_sqrt"
) -> NDArray[np.float64]:
    r"""Mean agreement of each clustering with the others.

    .. math::
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l)

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`: a measure of
        :mod:`comitia.agreement` that is larger for clusterings more alike.

    Returns
    -------
    mean : ndarray of shape (n_clusterings,)
        The means :math:`\beta_m`; 1 for a single clustering.

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> mean_agreement(votes, "rand")
    array([0.75, 0.75, 0.5 ])
    """
    check_agreement(agreement)
    M = ensemble.n_clusterings
    if M == 1:
        return np.ones(1)
    phi = agreement_matrix(ensemble, agreement)
    np.fill_diagonal(phi, 0.0)
    return phi.sum(axis=1) / (M - 1)


def inverse_agreement(
    ensemble: Ensemble, agreement: str | Callable[..., float] = "nmi_sqrt"
) -> NDArray[np.float64]:
    r"""Weights that fall with the agreement of a clustering with the others.

    .. math::
        w_m = \frac{1 / \beta_m}{\sum_l 1 / \beta_l}, \qquad
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l).

    What a clustering says and the others do not say is worth more [1]_.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    agreement : str or callable, default="nmi_sqrt"
        As for :func:`mean_agreement`.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        Positive, with sum 1. A mean below 1e-12, 0 or negative, counts as 1e-12.

    References
    ----------
    .. [1] Z.-H. Zhou and W. Tang, "Clusterer ensemble", Knowledge-Based Systems 19(1),
       2006. :doi:`10.1016/j.knosys.2005.11.003`

    Examples
    --------
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 0], [1, 1, 0], [1, 1, 1]])
    >>> inverse_agreement(votes, "rand")
    array([0.28571429, 0.28571429, 0.42857143])
    """
    beta = np.maximum(mean_agreement(ensemble, agreement), _TINY)
    return normalize_weights(1.0 / beta)


def above_uniform(weights: ArrayLike, tol: float = 1e-10) -> NDArray[np.bool_]:
    r"""Mark the weights that reach the uniform one, :math:`w_m \ge 1 / M`.

    Parameters
    ----------
    weights : array-like of shape (n_clusterings,)
        Weights with sum 1.

    tol : float, default=1e-10
        How much of the uniform weight may be missing. Without it rounding could drop
        all of several equal weights.

    Returns
    -------
    selected : ndarray of shape (n_clusterings,)
        True for the weights that reach it; at least one does.

    Examples
    --------
    >>> above_uniform([0.5, 0.3, 0.2])
    array([ True, False, False])
    """
    w = np.asarray(weights, dtype=np.float64)
    return w >= 1.0 / len(w) - tol


def diversity_scores(
    similarity: ArrayLike, kind: str = "leave_one_out"
) -> NDArray[np.float64]:
    r"""Diversity of an ensemble without each clustering, or of each from the rest.

    .. math::
        d_m = \frac{2}{(M - 1)(M - 2)} \sum_{\substack{j < l \\ j, l \ne m}}
        [1 - \phi(C_j, C_l)], \qquad
        e_m = \frac{1}{M - 1} \sum_{l \ne m} [1 - \phi(C_m, C_l)].

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreements :math:`\phi`, symmetric.

    kind : {"leave_one_out", "individual"}, default="leave_one_out"
        Whether :math:`d` or :math:`e` is wanted. For less than three clusterings both
        give :math:`e`, and 0 for a single one.

    Returns
    -------
    diversity : ndarray of shape (n_clusterings,)
        The diversities.

    Notes
    -----
    With the sum :math:`T` over all pairs, :math:`\binom{M-1}{2} d_m = T - (M - 1) e_m`:
    a clustering far from the others has a large :math:`e_m` and a small :math:`d_m`, so
    that the two put the clusterings in opposite orders.

    Examples
    --------
    >>> phi = [[1.0, 1.0, 0.5], [1.0, 1.0, 0.5], [0.5, 0.5, 1.0]]
    >>> diversity_scores(phi)
    array([0.5, 0.5, 0. ])
    >>> diversity_scores(phi, "individual")
    array([0.25, 0.25, 0.5 ])
    """
    if kind not in ("leave_one_out", "individual"):
        raise ComitiaError(
            f'kind={kind!r} is neither "leave_one_out" nor "individual".'
        )
    difference = 1.0 - np.asarray(similarity, dtype=np.float64)
    np.fill_diagonal(difference, 0.0)
    M = len(difference)
    from_rest = difference.sum(axis=1)
    if kind == "individual" or M < 3:
        return from_rest / max(M - 1, 1)
    left = difference.sum() / 2 - from_rest
    # What remains without the only clustering that differs is 0, not -1e-17.
    return np.maximum(left, 0.0) * 2 / ((M - 1) * (M - 2))


def diversity_weights(
    diversity: ArrayLike, diversity_share: float = 0.5
) -> NDArray[np.float64]:
    r"""Weights that mix diversity with how usual it is.

    .. math::
        w_m = \alpha \frac{d_m}{\sum_l d_l} + (1 - \alpha)
        \frac{N(d_m; \mu, \sigma)}{\sum_l N(d_l; \mu, \sigma)},

    where N is the normal density with mean and standard deviation of the diversities.

    Parameters
    ----------
    diversity : array-like of shape (n_clusterings,)
        The diversities :math:`d_m`, 0 or more.

    diversity_share : float, default=0.5
        The share :math:`\alpha`, in [0, 1].

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        With sum 1; uniform when all diversities are equal.

    Examples
    --------
    >>> diversity_weights([0.5, 0.5, 0.0], diversity_share=1.0)
    array([0.5, 0.5, 0. ])
    """
    d = np.asarray(diversity, dtype=np.float64)
    if not 0 <= diversity_share <= 1:
        raise ComitiaError(f"diversity_share={diversity_share} must lie in [0, 1].")
    sigma = d.std()
    if sigma <= _TINY:
        return np.full(len(d), 1.0 / len(d))
    density = np.exp(-0.5 * ((d - d.mean()) / sigma) ** 2)
    return diversity_share * d / d.sum() + (1 - diversity_share) * (
        density / density.sum()
    )


def group_similarity(similarity: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    """Mean similarity of the members of each two groups.

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreements, symmetric.

    groups : array-like of shape (n_clusterings,)
        The group of each clustering, 0..n_groups - 1, none of them empty.

    Returns
    -------
    between : ndarray of shape (n_groups, n_groups)
        The means; on the diagonal over all pairs in the group, self-pairs included.

    Examples
    --------
    >>> phi = [[1.0, 0.8, 0.5], [0.8, 1.0, 0.3], [0.5, 0.3, 1.0]]
    >>> group_similarity(phi, [0, 0, 1])
    array([[0.9, 0.4],
           [0.4, 1. ]])
    """
    membership = np.eye(int(np.max(groups)) + 1)[np.asarray(groups)]
    membership /= membership.sum(axis=0)
    return membership.T @ np.asarray(similarity, dtype=np.float64) @ membership


def group_support(similarity: ArrayLike, groups: ArrayLike) -> NDArray[np.float64]:
    r"""How much the group of each clustering agrees with it.

    .. math::
        w_m = \frac{1}{|g(m)|} \sum_{t \in g(m),\, t \ne m} s(C_m, C_t)

    Parameters
    ----------
    similarity : array-like of shape (n_clusterings, n_clusterings)
        The agreements :math:`s`, symmetric.

    groups : array-like of shape (n_clusterings,)
        The group :math:`g(m)` of each clustering.

    Returns
    -------
    support : ndarray of shape (n_clusterings,)
        The sums, divided by the size of the group, the clustering included: 0 for one
        that is alone in its group.

    Examples
    --------
    >>> group_support([[1.0, 0.8, 0.5], [0.8, 1.0, 0.3], [0.5, 0.3, 1.0]], [0, 0, 1])
    array([0.4, 0.4, 0. ])
    """
    s = np.array(similarity, dtype=np.float64)
    np.fill_diagonal(s, 0.0)
    g = np.asarray(groups)
    together = g[:, None] == g[None, :]
    return (s * together).sum(axis=1) / together.sum(axis=1)


def dendrogram_weights(
    tree: ArrayLike, *, by_length: bool = False
) -> NDArray[np.float64]:
    r"""Weights that flow down a tree of the clusterings and split at every node.

    The root has weight 1, and a node shares its weight out equally among its children:
    a leaf at depth t of a binary tree gets :math:`2^{-t}`. Clusterings that stand alone
    get much, those with many like them little.

    Parameters
    ----------
    tree : array-like of shape (n_clusterings - 1, 4)
        Merges in SciPy form, sorted by height.

    by_length : bool, default=False
        Share out in proportion to the lengths of the branches instead.

    Returns
    -------
    weights : ndarray of shape (n_clusterings,)
        With sum 1.

    Notes
    -----
    Merges one above the other at the same height are one node with several children,
    so that the weights do not depend on the order in which a tie was resolved.

    Examples
    --------
    >>> dendrogram_weights([[0, 1, 0.0, 2], [2, 3, 0.5, 3]])
    array([0.25, 0.25, 0.5 ])
    """
    merges = np.asarray(tree, dtype=np.float64).reshape(-1, 4)
    M = len(merges) + 1
    children = merges[:, :2].astype(np.int64)
    height = np.concatenate([np.zeros(M), merges[:, 2]])
    weights = np.zeros(2 * M - 1)
    weights[-1] = 1.0
    absorbed = np.zeros(2 * M - 1, dtype=bool)
    for node in range(2 * M - 2, M - 1, -1):
        if absorbed[node]:
            continue
        parts, pending = [], [node]
        while pending:
            for child in children[pending.pop() - M]:
                if child >= M and height[child] >= height[node] - _TINY:
                    absorbed[child] = True
                    pending.append(child)
                else:
                    parts.append(child)
        lengths = height[node] - height[parts]
        if not by_length or lengths.sum() <= _TINY:
            lengths = np.ones(len(parts))
        weights[parts] = weights[node] * lengths / lengths.sum()
    return weights[:M]
