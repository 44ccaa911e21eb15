"""An order of objects that comes from their data, not from where they stand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._inputs import Views

__all__ = [
    "ContentOrder",
    "content_order",
    "draw_by_content",
    "has_content_order",
    "holds_places",
    "order_for",
]

# Columns that vary by no more than this share of what the widest varies by hold the
# rounding of whoever computed them, which the order of rows changes.
_ROUNDING = 1e-12

# Values are compared in such shares of what their column varies by, and exactly where
# that leaves objects together: what differs by rounding has the same place.
_GRID = 2.0**30

# After so many columns, objects that are still together are looked at whole: most are
# equal then.
_COLUMNS_AT_ONCE = 8

# Parameters that may be arrays, functions or objects, and say nothing of the objects of
# data by their places.
_OF_OTHERS = {
    *("agreement", "checkpoint", "clustering_weights", "features", "gini_thresholds"),
    *("index", "indices", "init", "learning_rate", "means_init", "parameters"),
    *("precisions_init", "random_state", "representations", "sparsity_penalty"),
    *("utility", "view_penalty", "views", "weight_power", "weights_init"),
}

# A parameter that says which objects are neighbours, be it by the sides of a picture;
# and a value that says that the data are a matrix of all pairs.
_OF_OBJECTS = "connectivity"
_OF_PAIRS = "precomputed"


class ContentOrder(NamedTuple):
    """Objects in the order of their content, and the way back."""

    objects: NDArray[np.intp]  # (n_objects,), the object at each place of the order
    places: NDArray[np.intp]  # (n_objects,), the place of each object

    def sort(self, data: Any) -> Any:
        """Put data into this order.

        Parameters
        ----------
        data : ndarray, Views, list of ndarray or Series
            What :func:`content_order` was given.

        Returns
        -------
        data : of the same kind
            A copy.
        """
        if isinstance(data, Views):
            names = data.object_names
            return Views(
                tuple(X[self.objects] for X in data.arrays),
                data.names,
                None if names is None else names[self.objects],
            )
        if isinstance(data, list):
            return [data[i] for i in self.objects]
        if isinstance(data, np.ndarray):
            return data[self.objects]
        return data.take(self.objects)


def content_order(data: Any) -> ContentOrder | None:
    """Find an order of objects that does not change when they are given in another.

    They are sorted by the first feature, equal ones by the second, and so on, and then
    mixed by a permutation that hangs on their number alone: sorted data are no fair
    sample where something looks at the first of them. Shifting and scaling features
    does not change the order, nor does the rounding that comes with it: values count
    as equal that differ by less than a thousand-millionth of what their feature varies
    by, as long as another feature tells the objects apart.

    Parameters
    ----------
    data : ndarray of shape (n_objects, n_features), Views, list of ndarray or Series
        The objects, checked: a table, several of them, or series. NaN is one value.

    Returns
    -------
    order : ContentOrder or None
        Objects with equal data stay in the order in which they were given. None for
        data of another kind, and for very many (:func:`has_content_order`).

    Examples
    --------
    >>> X = np.array([[3.0, 1.0], [1.0, 2.0], [3.0, 0.0]])
    >>> moved = X[[2, 0, 1]]
    >>> bool((content_order(X).sort(X) == content_order(moved).sort(moved)).all())
    True
    """
    if isinstance(data, Views):
        parts = [*data.arrays]
    elif isinstance(data, np.ndarray) and data.ndim == 2:
        parts = [data]
    elif isinstance(data, list) and data:
        parts = [_side_by_side(data)]
    elif hasattr(data, "lengths") and hasattr(data, "take"):
        n = len(data)
        parts = [np.where(data.present[..., None], data.values, np.nan).reshape(n, -1)]
    else:
        return None
    n = len(parts[0])
    if n < 2 or not has_content_order(n, sum(X.shape[1] for X in parts)):
        return None
    by_content = np.argsort(_first_places(parts), kind="stable")
    objects = by_content[np.random.RandomState(n).permutation(n)]
    places = np.empty(n, dtype=np.intp)
    places[objects] = np.arange(n)
    return ContentOrder(objects, places)


def order_for(parameters: Any, data: Any) -> ContentOrder | None:
    """The order in which data are looked at with these parameters.

    Parameters
    ----------
    parameters : generator or method
        What looks at the data.

    data : table, Views, list of ndarray or Series
        As for :func:`content_order`.

    Returns
    -------
    order : ContentOrder or None
        That of their content, so that the order in which they are given decides
        nothing; None where they keep their places: where parameters may know these
        (:func:`holds_places`), and of very many objects.
    """
    return None if holds_places(parameters) else content_order(data)


def draw_by_content(
    X: NDArray[Any], size: int, rng: np.random.RandomState
) -> NDArray[np.intp]:
    """Draw some objects, or take all, in the order of their content.

    Parameters
    ----------
    X : ndarray of shape (n_objects, n_features)
        The objects.

    size : int
        How many, at most.

    rng : RandomState
        Who draws; not asked where all are taken.

    Returns
    -------
    objects : ndarray of int
        The same ones, and in the same order, for objects that are given in another.
    """
    n = len(X)
    places = np.arange(n)
    if n > size:
        places = np.sort(rng.choice(n, size, replace=False))
    order = content_order(X)
    return places if order is None else order.objects[places]


def has_content_order(n: int, n_features: int) -> bool:
    """Whether so many data are put into the order of their content.

    Parameters
    ----------
    n : int
        Number of objects.

    n_features : int
        Number of features.

    Returns
    -------
    has_order : bool
        Objects of more data keep their places.
    """
    few = n <= sizes.CONTENT_ORDER_OBJECTS
    return few and 8 * n * n_features <= sizes.CONTENT_ORDER_BYTES


def _side_by_side(series: list[NDArray[Any]]) -> NDArray[np.float64]:
    """Series of unequal length as one table, NaN where they have ended."""
    longest = max(one.size for one in series)
    table = np.full((len(series), longest), np.nan)
    for row, one in zip(table, series, strict=True):
        row[: one.size] = one.ravel()
    return table


def _first_places(tables: list[NDArray[Any]]) -> NDArray[np.intp]:
    """The first place of each object and its equals when all are sorted."""
    widths = [np.fmax.reduce(X, axis=0) - np.fmin.reduce(X, axis=0) for X in tables]
    narrow = _ROUNDING * max(np.fmax.reduce(each, initial=0.0) for each in widths)

    def wide() -> Iterator[tuple[NDArray[Any], float]]:
        for X, width in zip(tables, widths, strict=True):
            for j in np.flatnonzero(width > narrow):
                yield X[:, j], width[j]

    def columns() -> Iterator[NDArray[Any]]:
        for values, width in wide():
            yield np.rint((values - np.fmin.reduce(values)) * (_GRID / width))
        yield from (values for values, _ in wide())

    def whole(i: int) -> list[bytes]:
        # Zero has no sign here.
        return [(X[i] + 0).tobytes() for X in tables]

    n = len(tables[0])
    first = np.zeros(n, dtype=np.intp)
    tied = np.arange(n)
    for n_read, column in enumerate(columns(), 1):
        tied = _tell_apart(tied, column[tied], first)
        if n_read % _COLUMNS_AT_ONCE == 0:
            tied = _without_equal(tied, first, whole)
        if len(tied) == 0:
            break
    return first


def _tell_apart(
    tied: NDArray[np.intp], values: NDArray[Any], first: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Sort objects among their equals by a value; those that are equal in it too."""
    by = np.lexsort((values, first[tied]))
    tied, values = tied[by], values[by]
    before = first[tied]
    at = np.arange(len(tied))
    begins_group = np.append(True, before[1:] != before[:-1])
    differs = values[1:] != values[:-1]
    if values.dtype.kind == "f":
        differs &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
    begins = begins_group | np.append(True, differs)
    # How far the first of the equals stands from the first of the group.
    start_of_group = np.maximum.accumulate(np.where(begins_group, at, 0))
    start = np.maximum.accumulate(np.where(begins, at, 0))
    first[tied] = before + start - start_of_group
    n_equal = np.diff(np.append(np.flatnonzero(begins), len(tied)))
    return tied[np.repeat(n_equal > 1, n_equal)]


def _without_equal(
    tied: NDArray[np.intp], first: NDArray[np.intp], whole: Callable[[int], Any]
) -> NDArray[np.intp]:
    """Leave out groups whose objects are equal in everything."""
    groups = first[tied].tolist()
    content: dict[int, Any] = {}
    differ = set()
    for i, group in zip(tied.tolist(), groups, strict=True):
        if group not in differ:
            own = whole(i)
            if content.setdefault(group, own) != own:
                differ.add(group)
    return tied[[group in differ for group in groups]]


def holds_places(value: Any) -> bool:
    """Whether a parameter may say something of objects by their places.

    Parameters
    ----------
    value : object
        The value of a parameter; of a generator or a clusterer, all of its parameters.

    Returns
    -------
    holds : bool
        Whether there is an array, a list of lists, a function or anything unknown in
        it: it may be weights of the objects, pairs of them, a matrix of all pairs, or
        know those. What is said of features or of first centres does not count. True of
        "precomputed" as well, and of neighbours on a grid.
    """
    if isinstance(value, type) or value is None:
        return False
    if isinstance(value, str):
        return value == _OF_PAIRS
    if hasattr(value, "get_params"):
        known = value.get_params(deep=False)
    elif is_dataclass(value):
        known = vars(value)
    elif isinstance(value, dict):
        known = value
    elif isinstance(value, list | tuple):
        nested = any(isinstance(one, list | tuple) for one in value)
        return nested or any(map(holds_places, value))
    else:
        return not isinstance(value, Number | np.generic)
    if known.get(_OF_OBJECTS) is not None:
        return True
    return any(
        holds_places(each) for name, each in known.items() if name not in _OF_OTHERS
    )
