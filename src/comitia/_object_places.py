"""What a fitted method says of objects, in the order in which these were given."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._content_order import ContentOrder

__all__ = ["put_back"]

# What is computed when it is asked for, and may have been asked for too early.
_LATER = ("confidence_", "vote_model_", "vote_share_")


def put_back(
    fitted: dict[str, Any],
    order: ContentOrder,
    per_object: Iterable[str],
    object_numbers: Iterable[str],
) -> None:
    """Put what a method keeps of objects into the order in which these were given.

    Parameters
    ----------
    fitted : dict of str to object
        The attributes of a method that was fitted to objects in another order. Those
        named here are replaced, and so are the tree and, by a copy, the generator.

    order : ContentOrder
        That order.

    per_object : iterable of str
        Attributes with an entry for each object: arrays, and what has
        ``take(objects=…)``.

    object_numbers : iterable of str
        Attributes that hold numbers of objects.
    """
    for name in per_object:
        value = fitted.get(name)
        if isinstance(value, np.ndarray):
            fitted[name] = value[order.places]
        elif value is not None:
            fitted[name] = value.take(objects=order.places)
    for name in object_numbers:
        if name in fitted:
            fitted[name] = order.objects[fitted[name]]
    if "linkage_" in fitted:
        fitted["linkage_"] = _tree_of(fitted["linkage_"], order.objects)
    if hasattr(fitted.get("generator_"), "put_back"):
        # Combining again goes on with the first one, which keeps its own order.
        fitted["generator_"] = generator = copy(fitted["generator_"])
        generator.ensemble_ = generator.ensemble_.take(objects=order.places)
        generator.put_back(order)
    for name in _LATER:
        fitted.pop(name, None)


def _tree_of(
    linkage: NDArray[np.float64], objects: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The same tree with other numbers for its leaves."""
    tree = linkage.copy()
    joined = tree[:, :2].astype(np.intp)
    is_leaf = joined < len(objects)
    joined[is_leaf] = objects[joined[is_leaf]]
    tree[:, :2] = np.sort(joined, axis=1)  # the lower number first, as in SciPy
    return tree
