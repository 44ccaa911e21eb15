"""Dendrograms that people give, checked and in one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from comitia.exceptions import ComitiaError
from comitia.methods._types import Array

__all__ = ["read_dendrograms"]


def read_dendrograms(trees: list[Any]) -> list[Any]:
    """Turn dendrograms of several kinds into SciPy's, and check them."""
    from scipy.cluster.hierarchy import is_valid_linkage

    if isinstance(trees, np.ndarray) and trees.ndim == 2:
        trees = [trees]  # one tree is no list of rows
    try:
        read = [_read(tree) for tree in trees]
    except (TypeError, ValueError) as error:
        if isinstance(error, ComitiaError):
            raise
        raise ComitiaError(
            f"X is a {type(trees).__name__}; give a list of dendrograms, as "
            "scipy.cluster.hierarchy.linkage returns them."
        ) from None
    if not read:
        raise ComitiaError("X has no dendrograms; give one at least.")
    for m, tree in enumerate(read):
        valid = tree.ndim == 2 and np.isfinite(tree).all() and is_valid_linkage(tree)
        if not valid:
            raise ComitiaError(
                f"dendrogram {m} is not in SciPy form: rows of two clusters, a height "
                "and a count, all finite."
            )
        if len(tree) != len(read[0]):
            raise ComitiaError(
                f"dendrogram {m} has {len(tree) + 1} objects and the first has "
                f"{len(read[0]) + 1}; give trees of the same objects."
            )
    return read


def _read(tree: Array) -> Array:
    """One dendrogram in SciPy form."""
    if not hasattr(tree, "children_"):
        if np.iscomplexobj(tree):
            raise ComitiaError("a dendrogram is complex; give real numbers.")
        return np.asarray(tree, dtype=np.float64)
    if not hasattr(tree, "distances_"):
        raise ComitiaError(
            f"{type(tree).__name__} has no distances_; fit it with "
            "compute_distances=True."
        )
    n = len(tree.children_) + 1
    counts = np.ones(2 * n - 1)
    for i, (left, right) in enumerate(tree.children_):
        counts[n + i] = counts[left] + counts[right]
    return np.column_stack([tree.children_, tree.distances_, counts[n:]])
