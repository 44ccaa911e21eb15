"""Fewer columns: unsupervised selection and extraction of features."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._scales import unit_rows
from comitia._steps import check_choice
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = [
    "ReducedFeatures",
    "laplacian_scores",
    "n_components",
    "reduce_features",
    "spectral_scores",
]

Array = NDArray[np.float64]

_REDUCTIONS = ("none", "laplacian", "spectral", "kmedoids", "kmeans", "pca")


class ReducedFeatures(NamedTuple):
    """What is left of a table."""

    # (n_rows, n_kept), the columns that were kept, or those that were made of them
    values: Array
    # Which columns were kept, in order; None if new ones were made
    columns: NDArray[np.intp] | None


def reduce_features(
    V: ArrayLike,
    method: str = "spectral",
    n_select: int | None = None,
    rng: np.random.RandomState | None = None,
) -> ReducedFeatures:
    """Keep few columns of a table, or make few of many.

    "laplacian" and "spectral" keep those with the smallest scores, "kmedoids" the
    medoids of the columns; "kmeans" makes the means of groups of columns, "pca"
    principal components. The last three take columns that are equal for one.
    """
    table = _table(V)
    check_choice("method", method, _REDUCTIONS)
    columns = np.arange(table.shape[1])
    if method == "none":
        return ReducedFeatures(table, columns)
    if method in ("kmedoids", "kmeans", "pca"):
        _, first = np.unique(table, axis=1, return_index=True)
        columns = np.sort(first)
    distinct = table[:, columns]
    k = n_components(distinct) if n_select is None else n_select
    k = min(k, len(columns))
    if method == "kmeans":
        return ReducedFeatures(_column_means(distinct, k, rng), None)
    if method == "pca":
        return ReducedFeatures(_components(distinct, k), None)
    if method == "kmedoids":
        kept = _medoid_columns(distinct, k)
    else:
        scores = {"laplacian": laplacian_scores, "spectral": spectral_scores}[method]
        kept = np.sort(np.argsort(scores(distinct), kind="stable")[:k])
    return ReducedFeatures(distinct[:, kept], columns[kept])


def n_components(V: ArrayLike, share: float = 0.95) -> int:
    """Number of principal components that explain most of the variance."""
    table = _table(V)
    variance = np.linalg.svd(table - table.mean(axis=0), compute_uv=False) ** 2
    # Rounding may not ask for one component more.
    needed = (share - 1e-12) * variance.sum()
    return int(min(np.searchsorted(np.cumsum(variance), needed) + 1, len(variance)))


def laplacian_scores(V: ArrayLike, n_neighbors: int = 5) -> Array:
    r"""Laplacian score of each column: how well it follows the neighbours of a row.

    Rows that are among each other's nearest neighbours are joined by edges S, as heavy
    as the cosine of the two rows. With the degrees D and a column f less its mean in D,

    .. math::
        L_f = \frac{\tilde f' (D - S) \tilde f}{\tilde f' D \tilde f}, \qquad
        \tilde f = f - \frac{f' D \mathbf 1}{\mathbf 1' D \mathbf 1} \mathbf 1,

    is small for a column that varies much, and little between neighbours (He et al.,
    2005).
    """
    table = _table(V)
    rows = unit_rows(table)
    n = len(rows)
    cosine = rows @ rows.T
    np.fill_diagonal(cosine, -np.inf)
    nearest = np.argsort(-cosine, axis=1, kind="stable")[:, : min(n_neighbors, n - 1)]
    joined = np.zeros((n, n), dtype=bool)
    joined[np.arange(n)[:, None], nearest] = True
    S = np.where(joined | joined.T, np.maximum(cosine, 0.0), 0.0)
    D = S.sum(axis=1)
    centered = table - D @ table / max(D.sum(), np.finfo(float).tiny)
    weight = (D[:, None] * centered**2).sum(axis=0)
    bend = weight - (centered * (S @ centered)).sum(axis=0)
    return _ratios(bend, weight, np.ptp(table, axis=0) > 0)


def spectral_scores(V: ArrayLike) -> Array:
    r"""Spectral score of each column: how smooth it is on the graph of the rows.

    All rows, scaled to unit length, are joined by edges
    :math:`W_{ij} = e^{-d_{ij}^2 / 2 \sigma^2}`, with the median distance as
    :math:`\sigma`. With the degrees D, the normalised Laplacian :math:`\mathcal L`, the
    unit vector :math:`\hat f` along :math:`D^{1/2} f` and :math:`\xi` along
    :math:`D^{1/2} \mathbf 1`, the score is

    .. math::
        \varphi_2(f) = \frac{\hat f' \mathcal L \hat f}{1 - (\hat f' \xi)^2},

    where the denominator takes off what a column has of the trivial eigenvector (Zhao
    and Liu, 2007).
    """
    from scipy.spatial.distance import pdist, squareform

    table = _table(V)
    n = len(table)
    require_memory(32 * n * n, f"the distances of {n} rows")
    distances = pdist(unit_rows(table))
    apart = distances[distances > 0]
    width = np.median(apart) if len(apart) else 1.0
    W = np.exp(-(squareform(distances) ** 2) / (2 * width**2))
    D = W.sum(axis=1)
    # In terms of f itself: f'(D - W)f over f'Df less its part along the ones.
    bend = (table * (D[:, None] * table - W @ table)).sum(axis=0)
    along = (D @ table) ** 2 / D.sum()
    rest = (D[:, None] * table**2).sum(axis=0) - along
    return _ratios(bend, rest, np.ptp(table, axis=0) > 0)


def _table(V: ArrayLike) -> Array:
    table = np.asarray(V, dtype=np.float64)
    if table.ndim != 2 or table.size == 0 or not np.isfinite(table).all():
        raise ComitiaError(
            "V must be a table of finite numbers, with one row at least and one column "
            f"at least; got shape {table.shape}."
        )
    return table


def _ratios(numerator: Array, denominator: Array, varies: NDArray[np.bool_]) -> Array:
    usable = varies & (denominator > 0)
    safe = np.where(usable, denominator, 1.0)
    return np.where(usable, np.maximum(numerator, 0.0) / safe, np.inf)


def _medoid_columns(table: Array, k: int) -> NDArray[np.intp]:
    from scipy.spatial.distance import cdist

    from comitia.cluster.kmedoids import around_medoids

    return around_medoids(cdist(table.T, table.T), k).medoids


def _column_means(table: Array, k: int, rng: np.random.RandomState | None) -> Array:
    from sklearn.cluster import KMeans

    model = KMeans(k, n_init=50, random_state=0 if rng is None else rng)
    return model.fit(np.ascontiguousarray(table.T)).cluster_centers_.T


def _components(table: Array, k: int) -> Array:
    """Principal components, in [0, 1] and pointing where the row means grow."""
    centered = table - table.mean(axis=0)
    U, s, _ = np.linalg.svd(centered, full_matrices=False)
    Z = U[:, :k] * s[:k]
    Z = np.where(centered.mean(axis=1) @ Z < 0, -Z, Z)
    low, high = Z.min(axis=0), Z.max(axis=0)
    return (Z - low) / np.where(high > low, high - low, 1.0)
