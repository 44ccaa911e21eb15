"""Diversity of clusterings, and weights by it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import check_choice
from comitia.exceptions import ComitiaError

__all__ = [
    "dendrogram_weights",
    "diversity_scores",
    "diversity_weights",
    "group_similarity",
]

# Values that differ by less are equal: what is left of rounding.
_TINY = 1e-12


def diversity_scores(
    similarity: ArrayLike, kind: str = "leave_one_out"
) -> NDArray[np.float64]:
    r"""Diversity of an ensemble without each clustering, or of each from the rest.

    .. math::
        d_m = \frac{2}{(M - 1)(M - 2)} \sum_{\substack{j < l \\ j, l \ne m}}
        [1 - \phi(C_j, C_l)], \qquad
        e_m = \frac{1}{M - 1} \sum_{l \ne m} [1 - \phi(C_m, C_l)].

    With the sum :math:`T` over all pairs, :math:`\binom{M-1}{2} d_m = T - (M - 1) e_m`:
    a clustering far from the others has a large :math:`e_m` and a small :math:`d_m`, so
    that the two put the clusterings in opposite orders.
    """
    check_choice("kind", kind, ("leave_one_out", "individual"))
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
    """Mean similarity of the members of each two groups."""
    membership = np.eye(int(np.max(groups)) + 1)[np.asarray(groups)]
    membership /= membership.sum(axis=0)
    return membership.T @ np.asarray(similarity, dtype=np.float64) @ membership


def dendrogram_weights(
    tree: ArrayLike, *, by_length: bool = False
) -> NDArray[np.float64]:
    r"""Weights that flow down a tree of the clusterings and split at every node.

    The root has weight 1, and a node shares its weight out equally among its children:
    a leaf at depth t of a binary tree gets :math:`2^{-t}`. ``by_length`` shares it out
    in proportion to the lengths of the branches. Clusterings that stand alone get much,
    those with many like them little.

    Merges one above the other at the same height are one node with several children,
    so that the weights do not depend on the order in which a tie was resolved.
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
