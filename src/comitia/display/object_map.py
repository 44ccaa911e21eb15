"""A map of the objects, from their data or from the clusterings alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._optional import import_optional
from comitia.display._principal_axes import (
    leading_directions,
    principal_coordinates,
    with_signs,
)
from comitia.display.feature_table import check_features, is_constant
from comitia.ensemble import Ensemble

__all__ = ["UMAP_OBJECTS", "embed_objects", "has_umap", "map_objects", "umap_places"]

Floats = NDArray[np.float64]

# A group of objects that no clustering joins to the others and that has a smaller share
# of all objects does not shape the axes of the map.
_SMALL_GROUP = 1 / 20

# Fewer objects have no neighbourhoods to keep; more take minutes.
UMAP_OBJECTS = range(20, 5001)


def map_objects(
    ensemble: Ensemble,
    X: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    *,
    standardize: bool = True,
) -> tuple[Floats, tuple[str, str]]:
    """Places of the objects on a map, and what its two axes are, in words."""
    if X is None:
        return embed_objects(ensemble), (
            "first coordinate of the clusterings",
            "second coordinate of the clusterings",
        )
    data = check_features(X, ensemble.n_objects, ensemble)
    positions = embed_objects(ensemble, data, standardize=standardize)
    if data.shape[1] == 1 and feature_names is not None:
        return positions, (f"{feature_names[0]}, standardised", "")
    total = data.var(axis=0).sum()
    if standardize:
        total = max(int((~is_constant(data)).sum()), 1)
    first, second = positions.var(axis=0) / (total or 1.0)
    return positions, (
        f"first principal component, {first:.0%} of the variance",
        f"second principal component, {second:.0%} of the variance",
    )


def embed_objects(
    ensemble: Ensemble, X: ArrayLike | None = None, *, standardize: bool = True
) -> Floats:
    r"""Places of the objects on a map, (n_objects, 2), in time linear in their number.

    With data, the two leading principal components of the features, standardised unless
    that is False.
    Without, the two leading non-trivial vectors of the graph of objects and clusters,

    .. math::
        D_x^{-1/2} B \, D_y^{-1/2} = \sum_r \sigma_r u_r e_r', \qquad
        f_r = \sqrt{t} \, D_x^{-1/2} \sigma_r u_r , \quad r = 1, 2,

    with the degrees :math:`D_x, D_y` of objects and clusters, their sum t and the
    trivial :math:`\sigma_0 = 1` left out: the principal coordinates of a multiple
    correspondence analysis of the labels. Objects that the same clusters hold are at
    one place. An axis without spread is zero, and the largest loading is positive.

    A few objects that no chain of clusters joins to the others, such as a vertex
    without edges, would take an axis for themselves. A group with less than a twentieth
    of the objects is put below the others instead.

    >>> embed_objects(Ensemble([[0, 0], [0, 0], [1, 0], [1, 0]])).round(2).tolist()
    [[0.71, 0.0], [0.71, 0.0], [-0.71, 0.0], [-0.71, 0.0]]
    """
    if X is not None:
        Z = _centered(check_features(X, ensemble.n_objects, ensemble), standardize)
        if Z.shape[0] >= Z.shape[1]:
            return np.asarray(Z @ leading_directions(Z, None))
        # Fewer objects than features: scores first, and loadings from them.
        loadings = Z.T @ leading_directions(Z.T, None)
        lengths = np.linalg.norm(loadings, axis=0)
        loadings /= np.where(lengths > 0, lengths, 1.0)
        return np.asarray(Z @ with_signs(loadings))
    micro = ensemble.distinct()
    B, counts = micro.ensemble.membership, micro.counts
    group = _joined_groups(B)
    sizes = np.bincount(group, counts)
    small = sizes < _SMALL_GROUP * sizes.sum()
    apart = small[group] if not small.all() else np.zeros(len(group), dtype=bool)
    places = np.empty((len(group), 2))
    places[~apart] = principal_coordinates(B[~apart], counts[~apart])
    if apart.any():
        low, high = places[~apart].min(axis=0), places[~apart].max(axis=0)
        _, rank = np.unique(group[apart], return_inverse=True)
        step = (rank + 0.5) / (rank.max() + 1)
        places[apart, 0] = low[0] + step * (high[0] - low[0])
        # Below by a fifth of the height; of the length if all are in a line.
        places[apart, 1] = low[1] - 0.2 * ((high - low)[1] or (high - low)[0] or 1.0)
    return places[micro.inverse]


def _centered(data: Floats, standardize: bool) -> Floats:
    still = is_constant(data)
    spread = np.where(still, 1.0, data.std(axis=0) if standardize else 1.0)
    return np.asarray((data - data.mean(axis=0)) / spread)


def has_umap() -> bool:
    """Whether umap-learn is installed; a package that is called umap is another."""
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        distribution("umap-learn")
    except PackageNotFoundError:
        return False
    return True


def umap_places(data: Floats, *, standardize: bool = True) -> NDArray[np.float32]:
    """Places of the objects on a map by UMAP, the same in each run."""
    import warnings

    umap = import_optional("umap", "umap=True", "umap")
    # umap-learn warns that a seed means one thread.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = umap.UMAP(random_state=0, n_jobs=1).fit_transform(
            _centered(data, standardize)
        )
    return np.asarray(found, dtype=np.float32)


def _joined_groups(B: Any) -> NDArray[np.int64]:
    """Number the groups of rows of an indicator matrix that shared columns join."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    # Objects first, then clusters; a cluster without objects is a group by itself.
    _, groups = connected_components(block_array([[None, B], [B.T, None]]), False)
    return np.unique(groups[: B.shape[0]], return_inverse=True)[1]
