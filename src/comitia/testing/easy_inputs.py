"""What methods are tried on: planted clusterings, and methods that are quick to fit."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["planted", "quick_method", "same_partition"]


def quick_method(method_class: type, **parameters: Any) -> Any:
    """Make a method that is quick to fit: three clusters, few members, few rounds.

    Parameters
    ----------
    method_class : type
        The class of the method.

    **parameters : dict
        What it is given besides; what its constructor does not know is left out.

    Returns
    -------
    method : object
        The method, with what ``quick`` of its card says.

    Examples
    --------
    >>> from comitia import method
    >>> from comitia.testing import quick_method
    >>> quick_method(method("lwgp"), theta=0.5).n_clusters
    3
    """
    from comitia.generate import KMeansGenerator

    card: Any = method_class.card  # type: ignore[attr-defined]
    known = inspect.signature(method_class).parameters
    # A few members are enough to see that nothing breaks.
    quick: dict[str, Any] = {
        "n_clusters": 3,
        "generator": KMeansGenerator(n_clusterings=6),
        "n_clusterings": 6,
        "n_rounds": 6,
        "random_state": 0,
    }
    quick |= {**card.quick, **parameters}
    return method_class(
        **{name: value for name, value in quick.items() if name in known}
    )


def planted(
    n: int,
    k: int,
    n_clusterings: int,
    noise: float,
    seed: int,
    sizes: ArrayLike | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Copies of one partition, in each of which a share of the labels is random.

    The clusterings have their labels permuted, so that names carry nothing.

    Parameters
    ----------
    n, k, n_clusterings : int
        Numbers of objects, clusters and clusterings.

    noise : float
        Share of the labels that is random.

    seed : int
        The seed.

    sizes : array-like of shape (k,), default=None
        Shares of the clusters; equal by default.

    Returns
    -------
    labels : ndarray of shape (n, n_clusterings)
        The clusterings.

    truth : ndarray of shape (n,)
        The partition.

    Examples
    --------
    >>> from comitia.testing import planted
    >>> labels, truth = planted(6, 2, 3, noise=0.0, seed=0)
    >>> labels.shape, truth.tolist()
    ((6, 3), [0, 0, 0, 1, 1, 1])
    """
    rng = np.random.RandomState(seed)
    shares = np.ones(k) if sizes is None else np.asarray(sizes)
    ends = np.rint(n * np.cumsum(shares) / np.sum(shares)).astype(int)
    truth = np.searchsorted(ends, np.arange(n), side="right")
    labels = np.empty((n, n_clusterings), dtype=np.int32)
    for m in range(n_clusterings):
        column = np.where(rng.rand(n) < noise, rng.randint(k, size=n), truth)
        labels[:, m] = rng.permutation(k)[column]
    return labels, truth


def same_partition(one: ArrayLike, other: ArrayLike) -> bool:
    """Say whether two label vectors group the objects alike, whatever the names.

    Parameters
    ----------
    one, other : array-like of shape (n,)
        The labels.

    Returns
    -------
    same : bool
        True if they do.

    Examples
    --------
    >>> from comitia.testing import same_partition
    >>> same_partition([0, 0, 1], ["b", "b", "a"])
    True
    """
    one, other = np.asarray(one), np.asarray(other)
    pairs = {*zip(one.tolist(), other.tolist(), strict=True)}
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))
