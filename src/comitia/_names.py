"""Whose row is whose: rows are matched by name wherever both sides have names.

One rule holds for all inputs that describe the same objects (label vectors, tables,
views, weights, known classes, ensembles):

- The index of a pandas Series or DataFrame names its rows, and so do the ``obs_names``
  of an AnnData and the ``object_names`` of an Ensemble. Arrays, lists, Polars and
  PyArrow have no names.
- Where both sides have names, these must be the same; rows are put into the order of
  the first side. Names that differ are refused.
- Where one side has no names, rows are matched by position.
- The numbers 0..n-1 in order are what pandas gives to rows that nobody named. They are
  names beside the same numbers in another order, and no names beside anything else.
- Names that repeat do not tell objects apart. They are accepted where both sides have
  them in the same order, and refused otherwise.
- Names are compared as text: 1 and ``"1"`` are the same name, 1 and 1.0 are not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from comitia.exceptions import ComitiaError

__all__ = [
    "Names",
    "as_names",
    "in_order",
    "is_network",
    "match_rows",
    "matching_rows",
    "names_of",
    "names_of_each",
    "proper_names",
]

# Text; the numbers 0..n-1, which nobody may have given; or none at all.
Names: TypeAlias = "NDArray[Any] | range | None"

_SHOWN = 3  # names that a message shows of each side


def names_of(given: Any) -> Names:
    """The names of the rows of something.

    Parameters
    ----------
    given : object
        A Series, a DataFrame, an AnnData, a graph of networkx, an Ensemble, or anything
        else.

    Returns
    -------
    names : ndarray of str, range or None
        A range for the numbers 0..n-1 in order; None where there are no names.
    """
    if is_network(given):
        vertices = np.empty(len(given.nodes), dtype=object)
        vertices[:] = list(given.nodes)
        return as_names(vertices)
    # The index first: pandas answers with a column of that name to the others.
    for attribute in ("index", "object_names", "obs_names"):
        found = getattr(given, attribute, None)
        # The index of a list is a function, that of a Dask frame is not known yet.
        if hasattr(found, "tolist") and not hasattr(found, "compute"):
            return as_names(found)
    return None


def is_network(given: Any) -> bool:
    """Whether something is a graph of networkx, by what it has.

    Parameters
    ----------
    given : object
        Anything.

    Returns
    -------
    is_network : bool
        Whether it has nodes, edges and an answer to the question of directions.
    """
    return all(hasattr(given, name) for name in ("nodes", "edges", "is_directed"))


def as_names(given: Any) -> NDArray[Any] | range:
    """Read names.

    Parameters
    ----------
    given : array or pandas.Index
        The names.

    Returns
    -------
    names : ndarray of str or range
        As text; a range for the numbers 0..n-1 in order.
    """
    n = len(given)
    if getattr(given.dtype, "kind", "O") in "iu" and np.array_equal(
        given, np.arange(n)
    ):
        return range(n)
    texts = np.array([str(name) for name in given.tolist()], dtype=str)
    return range(n) if _counts(texts) else texts


def names_of_each(given: Sequence[Any]) -> list[Names]:
    """The names of the rows of several things.

    Parameters
    ----------
    given : sequence of object
        The things. Those that share one index are read once.

    Returns
    -------
    names : list of ndarray of str, range or None
        As :func:`names_of` finds them.
    """
    found: dict[int, Names] = {}
    indices = [getattr(one, "index", one) for one in given]
    for one, index in zip(given, indices, strict=True):
        if id(index) not in found:
            found[id(index)] = names_of(one)
    return [found[id(index)] for index in indices]


def proper_names(names: Names) -> NDArray[Any] | None:
    """The names that somebody gave.

    Parameters
    ----------
    names : ndarray of str, range or None
        As :func:`names_of` finds them.

    Returns
    -------
    names : ndarray of str or None
        None for the numbers 0..n-1.
    """
    return None if isinstance(names, range) else names


def match_rows(
    names: Sequence[Names], called: Sequence[str]
) -> tuple[NDArray[Any] | None, list[NDArray[np.int64] | None]]:
    """Match the rows of several inputs by name, or by position where names lack.

    Parameters
    ----------
    names : sequence of ndarray of str, range or None
        The names of each input, as :func:`names_of` finds them.

    called : sequence of str
        What messages call each input.

    Returns
    -------
    order : ndarray of str or None
        The names in the common order, that of the first input that has names; None if
        there are none but the numbers 0..n-1.

    rows : list of ndarray of int, or None
        For each input the rows that put it into the common order; None if it is in
        that order, or is matched by position.
    """
    names = _with_numbers_as_names(names)
    first = next((at for at, each in enumerate(names) if each is not None), None)
    rows: list[NDArray[np.int64] | None] = [None] * len(names)
    if first is None:
        return None, rows
    order = names[first]
    assert order is not None
    for at, each in enumerate(names):
        if each is not None and each is not order and not np.array_equal(each, order):
            rows[at] = _places(each, order, called[at], called[first])
    moved = next((at for at, each in enumerate(rows) if each is not None), None)
    nameless = next((at for at, each in enumerate(names) if each is None), None)
    if moved is not None and nameless is not None:
        raise ComitiaError(
            f"{called[nameless]} has no names, while {called[first]} and "
            f"{called[moved]} have the same names in different orders, so that its "
            "rows could be in either; give it an index too, or put the others into "
            "one order."
        )
    return None if _counts(order) else order, rows


def matching_rows(
    first: Any, given: Any, called: Sequence[str]
) -> NDArray[np.int64] | None:
    """Find the rows of one input that belong to those of another.

    Parameters
    ----------
    first : object
        The input whose order holds.

    given : object
        The other one.

    called : sequence of str
        What messages call the two.

    Returns
    -------
    rows : ndarray of int or None
        As :func:`match_rows` returns them for the second.
    """
    return match_rows([names_of(first), names_of(given)], called)[1][1]


def in_order(given: NDArray[Any], rows: NDArray[np.int64] | None) -> NDArray[Any]:
    """Put rows into the order that was found.

    Parameters
    ----------
    given : ndarray
        One row or entry per object.

    rows : ndarray of int or None
        As :func:`match_rows` returns them.

    Returns
    -------
    array : ndarray
        In the common order.
    """
    return given if rows is None else given[rows]


def _counts(names: NDArray[Any]) -> bool:
    """Whether names are 0, 1, 2, … in order."""
    if len(names) == 0 or names[0] != "0" or names[-1] != str(len(names) - 1):
        return False
    return all(name == str(i) for i, name in enumerate(names.tolist()))


def _with_numbers_as_names(names: Sequence[Names]) -> list[NDArray[Any] | None]:
    """Write default numbers out beside the same numbers; else they are no names."""
    texts = next((each for each in names if isinstance(each, np.ndarray)), None)
    ranges = [each for each in names if isinstance(each, range)]
    are_names = (
        texts is not None
        and bool(ranges)
        and set(texts.tolist()) == {str(i) for i in range(len(texts))}
    )
    return [
        (np.array([str(i) for i in each], dtype=str) if are_names else None)
        if isinstance(each, range)
        else each
        for each in names
    ]


def _places(
    names: NDArray[Any], order: NDArray[Any], called: str, first: str
) -> NDArray[np.int64]:
    """The row of each name of the order."""
    own, wanted = names.tolist(), order.tolist()
    place = {name: row for row, name in enumerate(own)}
    known = {*wanted}
    sides = [
        f"only {who} has {_some(left)}"
        for who, left in (
            (first, [name for name in known if name not in place]),
            (called, [name for name in place if name not in known]),
        )
        if left
    ]
    if sides:
        # By position, two samples of the same objects would be mixed up.
        way = (
            "or give the one that lacks some empty rows for them (in pandas: "
            "reindex(names)), which labels and some methods for views take as missing."
            if known & place.keys()
            else "or drop the names of one of them (in pandas: "
            "reset_index(drop=True)) to match rows by position."
        )
        raise ComitiaError(
            f"{called} and {first} name different objects: {', '.join(sides)}. Give "
            f"both the same objects, {way}"
        )
    for who, each in ((called, own), (first, wanted)):
        if len(each) > len(place):
            twice = Counter(each).most_common(1)[0][0]
            raise ComitiaError(
                f"{who} names {twice!r} more than once, and {called} and {first} are "
                "not in the same order; names must tell objects apart to match rows."
            )
    return np.array([place[name] for name in wanted], dtype=np.int64)


def _some(names: Sequence[str]) -> str:
    rest = len(names) - _SHOWN
    shown = ", ".join(map(repr, sorted(names)[:_SHOWN]))
    return f"{shown} and {rest} more" if rest > 0 else shown
