"""Internal validity of clusterings of categorical data."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from comitia.ensemble import Ensemble

__all__ = ["CATEGORICAL", "categorical_scores"]

Floats = NDArray[np.float64]

#: The indices of :func:`categorical_scores`, and which values are better.
CATEGORICAL = {
    "category_utility": "large",
    "condorcet": "large",
    "entropy": "small",
    "k_modes_cost": "small",
    "modes_davies_bouldin": "small",
}


def categorical_scores(X: Floats, ensemble: Ensemble) -> Floats:
    r"""Score every clustering by five indices for categories.

    With the number :math:`n_{cjv}` of objects of cluster c that have the value v of
    feature j, :math:`p_{cjv} = n_{cjv} / |c|`, :math:`p_{jv}` over all objects, the
    number p of features and the mode :math:`z_c` of a cluster,

    .. math::
        \text{category utility} &= \frac1k \sum_c \frac{|c|}{n}
        \sum_{jv} \bigl( p_{cjv}^2 - p_{jv}^2 \bigr), \\
        \text{Condorcet} &= \sum_{i, l \text{ together}} (p - 2 d_{il})
        + \sum_{i, l \text{ apart}} d_{il}, \\
        \text{entropy} &= -\sum_c \frac{|c|}{n} \sum_{jv} p_{cjv} \ln p_{cjv}, \\
        \text{k-modes cost} &= \sum_c \sum_{i \in c} d(x_i, z_c), \\
        \text{Davies-Bouldin} &= \frac1k \sum_c \max_{b \ne c}
        \frac{s_c + s_b}{d(z_c, z_b)}, \qquad
        s_c = \frac{1}{|c|} \sum_{i \in c} d(x_i, z_c),

    where d counts the features in which two objects differ. The mode has the smallest
    of equally frequent values. The Davies-Bouldin index is infinite for two clusters of
    the same mode and for a single one. Objects without a label are left out.

    One column for each of :data:`CATEGORICAL`.
    """
    codes, feature = _one_hot(X)
    of_objects = ensemble.labels
    rows = []
    for m in range(ensemble.n_clusterings):
        seen = np.flatnonzero(of_objects[:, m] >= 0)
        _, labels = np.unique(of_objects[seen, m], return_inverse=True)
        ones = np.ones(len(seen))
        B = csr_array((ones, (labels, np.arange(len(seen)))))
        rows.append(_indices((B @ codes[seen]).toarray(), np.bincount(labels), feature))
    return np.array(rows)


def _one_hot(X: Floats) -> tuple[csr_array, NDArray[np.int64]]:
    """Which value of which feature each object has, and the feature of each value."""
    found = [np.unique(column, return_inverse=True) for column in X.T]
    begin = np.cumsum([0, *(len(values) for values, _ in found)])
    columns = np.column_stack([inverse for _, inverse in found]) + begin[:-1]
    n, p = columns.shape
    codes = csr_array(
        (np.ones(n * p), columns.ravel(), np.arange(0, n * p + 1, p)),
        shape=(n, begin[-1]),
    )
    return codes, np.repeat(np.arange(p), np.diff(begin))


def _indices(N: Floats, sizes: NDArray[np.int64], feature: NDArray[np.int64]) -> Floats:
    """The five indices from counts of values in clusters, (k, n_values)."""
    k, n, p = len(sizes), sizes.sum(), feature[-1] + 1
    P, share, total = N / sizes[:, None], sizes / n, N.sum(axis=0)
    utility = (share @ (P**2).sum(axis=1) - ((total / n) ** 2).sum()) / k
    # Agreements of pairs of objects, counted by values.
    alike, pairs = (N**2).sum(), (sizes**2.0).sum()
    together = 2 * alike - p * pairs
    condorcet = together + p * (n**2 - pairs) - ((total**2).sum() - alike)
    entropy = -share @ (P * np.log(np.where(P > 0, P, 1.0))).sum(axis=1)
    begin = np.flatnonzero(np.diff(feature, prepend=-1))
    most = np.maximum.reduceat(N, begin, axis=1)
    away = p * sizes - most.sum(axis=1)
    # The first of the most frequent values of each feature.
    places = np.where(most[:, feature] == N, np.arange(len(feature)), len(feature))
    modes = np.minimum.reduceat(places, begin, axis=1)
    apart = (modes[:, None] != modes[None]).sum(axis=2).astype(np.float64)
    spread = away / sizes
    worst = np.full(k, np.inf)
    if k > 1:
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = (spread[:, None] + spread) / apart
        ratio[apart == 0] = np.inf
        np.fill_diagonal(ratio, -np.inf)
        worst = ratio.max(axis=1)
    return np.array([utility, condorcet, entropy, away.sum(), worst.mean()])
