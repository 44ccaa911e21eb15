"""What an Ensemble is made of, checked: names, indices, memberships, clusters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import masked_to_nan
from comitia.exceptions import ComitiaError

__all__ = [
    "check_array",
    "check_cluster",
    "check_indices",
    "check_membership",
    "check_names",
    "check_sequence",
    "frozen",
]


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array one that cannot be written to.

    Parameters
    ----------
    array : ndarray
        The array; it is changed in place.

    Returns
    -------
    array : ndarray
        The same.
    """
    array.flags.writeable = False
    return array


def check_names(names: Any, n: int, argument: str, noun: str) -> NDArray[Any] | None:
    """Check names that were given.

    Parameters
    ----------
    names : sequence or None
        The names.

    n : int
        How many there must be.

    argument, noun : str
        What messages call them, and what each belongs to.

    Returns
    -------
    names : ndarray of str of shape (n,), or None
        The names as text.
    """
    if names is None:
        return None
    if isinstance(names, np.ndarray) and names.dtype.kind == "U":
        checked = names.copy()
    else:
        try:
            checked = np.array([str(name) for name in names])
        except TypeError:
            raise ComitiaError(
                f"{argument} must be a sequence of names; got {names!r}."
            ) from None
    if checked.shape != (n,):
        raise ComitiaError(
            f"{argument} must have one entry per {noun}; got {len(checked)} for {n}."
        )
    return frozen(checked)


def check_indices(which: ArrayLike | None, n: int, argument: str) -> NDArray[np.int64]:
    """Check which of n things were asked for.

    Parameters
    ----------
    which : array-like of int or bool, or None
        Indices, a mask, or None for all.

    n : int
        How many things there are.

    argument : str
        What messages call them.

    Returns
    -------
    indices : ndarray of int64
        From 0 to n - 1, in the order that was asked for.
    """
    if which is None:
        return np.arange(n)
    array = check_array(which, argument)
    if array.size == 0:
        raise ComitiaError(f"{argument} keeps nothing; give at least one.")
    if array.dtype == bool:
        if array.shape != (n,):
            raise ComitiaError(
                f"{argument} as a mask must have {n} entries; got shape {array.shape}."
            )
        array = np.flatnonzero(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ComitiaError(f"{argument} must be indices or a mask; got {which!r}.")
    if len(array) == 0:
        raise ComitiaError(f"{argument} keeps nothing; give at least one.")
    if array.min() < -n or array.max() >= n:
        wrong = array.max() if array.max() >= n else array.min()
        raise ComitiaError(f"{argument} must lie in 0..{n - 1}; got {wrong}.")
    return array.astype(np.int64) % n


def check_membership(membership: ArrayLike, m: int) -> NDArray[np.float64]:
    """Check the memberships of one fuzzy clustering.

    Parameters
    ----------
    membership : array-like of shape (n_objects, k)
        Rows that sum to one; zeros or NaN for an object that is not clustered.

    m : int
        Which clustering it is, for messages.

    Returns
    -------
    membership : ndarray of float64
        Without clusters that nobody is in.
    """
    try:
        F = np.asarray(masked_to_nan(membership))
        if F.dtype.kind not in "biufO":
            raise TypeError
        F = F.astype(np.float64)
    except (TypeError, ValueError):
        raise ComitiaError(f"memberships[{m}] must be a table of numbers.") from None
    if F.ndim != 2 or 0 in F.shape:
        raise ComitiaError(
            f"memberships[{m}] must have one row per object and one column per "
            f"cluster; got shape {F.shape}."
        )
    F = np.where(np.isnan(F).all(axis=1, keepdims=True), 0.0, F)
    if not np.isfinite(F).all() or (F < 0).any():
        raise ComitiaError(f"memberships[{m}] must be finite and not negative.")
    sums = F.sum(axis=1)
    # Memberships read from text carry a few decimals; 1e-6 is closer than float32.
    wrong = (sums != 0) & (np.abs(sums - 1) > 1e-6)
    if wrong.any():
        i = int(np.argmax(wrong))
        raise ComitiaError(
            f"memberships[{m}] must have rows that sum to 1, or to 0 for an object "
            f"that is not clustered; row {i} sums to {sums[i]:.6g}."
        )
    if not sums.any():
        raise ComitiaError(f"memberships[{m}] clusters no object; leave it out.")
    return F[:, F.any(axis=0)]


def check_sequence(given: Any, argument: str) -> list[Any]:
    """Check that a list was given.

    Parameters
    ----------
    given : iterable
        What was given.

    argument : str
        What messages call it.

    Returns
    -------
    items : list
        Its items.
    """
    try:
        return list(given)
    except TypeError:
        raise ComitiaError(
            f"{argument} must be a list; got {type(given).__name__}."
        ) from None


def check_array(given: ArrayLike, argument: str) -> NDArray[Any]:
    """Check that something is an array.

    Parameters
    ----------
    given : array-like
        What was given.

    argument : str
        What messages call it.

    Returns
    -------
    array : ndarray
        The array.
    """
    if isinstance(given, np.ma.MaskedArray) and np.ma.getmaskarray(given).any():
        raise ComitiaError(f"{argument} has masked entries; leave them out.")
    try:
        return np.asarray(given)
    except ValueError:
        raise ComitiaError(
            f"{argument} is ragged: its rows differ in length."
        ) from None


def check_cluster(given: ArrayLike, n_objects: int, name: str) -> NDArray[np.int64]:
    """Check the objects of one cluster.

    Parameters
    ----------
    given : array-like of int
        Their indices.

    n_objects : int
        How many objects there are.

    name : str
        What messages call the cluster.

    Returns
    -------
    cluster : ndarray of int64
        In rising order.
    """
    cluster = check_array(given, name)
    if cluster.ndim != 1 or len(cluster) == 0 or cluster.dtype.kind not in "iu":
        raise ComitiaError(f"{name} must be a list of object indices, not empty.")
    if cluster.min() < 0 or cluster.max() >= n_objects:
        wrong = cluster.min() if cluster.min() < 0 else cluster.max()
        raise ComitiaError(
            f"{name} names object {int(wrong)}; indices are 0..{n_objects - 1}."
        )
    unique = np.unique(cluster)
    if len(unique) < len(cluster):
        raise ComitiaError(f"{name} names an object twice.")
    return unique.astype(np.int64)
