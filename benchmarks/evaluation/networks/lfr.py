"""Artificial networks with communities of unequal size and vertices of unequal degree.

After A. Lancichinetti, S. Fortunato and F. Radicchi, "Benchmark graphs for testing
community detection algorithms", Physical Review E 78, 046110, 2008.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

__all__ = ["lfr_network"]

#: Least and largest degree, and size of a community, and the exponents of their laws.
DEGREES, DEGREE_LAW = (10, 50), 2.5
SIZES, SIZE_LAW = (20, 100), 1.5
#: How often ends that found no partner are dealt again before they are dropped.
N_DEALS = 30

Ints = NDArray[np.int64]


def lfr_network(n: int, mixing: float, seed: int) -> tuple[csr_array, Ints]:
    """Draw a network.

    Parameters
    ----------
    n : int
        Number of vertices, at least the size of the largest community.

    mixing : float
        Share of its links that lead a vertex out of its community.

    seed : int
        Of all that is random.

    Returns
    -------
    graph : csr_array of shape (n, n)
        The links, of weight 1.

    communities : ndarray of shape (n,)
        The community of each vertex.
    """
    rng = np.random.RandomState(seed)
    degree = _power_law(DEGREES, DEGREE_LAW, n, rng)
    inside = np.rint((1.0 - mixing) * degree).astype(np.int64)
    member = _assigned(inside, _sizes(n, rng), rng)
    keys = np.concatenate(
        [
            _dealt(inside, member, True, rng),
            _dealt(degree - inside, member, False, rng),
        ]
    )
    half = csr_array((np.ones(len(keys)), (keys // n, keys % n)), shape=(n, n))
    return csr_array(half + half.T), member


def _power_law(
    ends: tuple[int, int], exponent: float, n: int, rng: np.random.RandomState
) -> Ints:
    values = np.arange(ends[0], ends[1] + 1)
    chance = values ** -float(exponent)
    return rng.choice(values, size=n, p=chance / chance.sum())


def _sizes(n: int, rng: np.random.RandomState) -> Ints:
    """Sizes of communities; what is left over is spread among them."""
    drawn = _power_law(SIZES, SIZE_LAW, n // SIZES[0] + 1, rng)
    sizes = drawn[: max(int(np.searchsorted(np.cumsum(drawn), n)), 1)]
    left = n - sizes.sum()
    sizes += left // len(sizes)
    sizes[rng.permutation(len(sizes))[: left % len(sizes)]] += 1
    return sizes


def _assigned(inside: Ints, sizes: Ints, rng: np.random.RandomState) -> Ints:
    """A community for each vertex, larger than the number of its links there."""
    member, free = np.empty(len(inside), dtype=np.int64), sizes.copy()
    shuffled = rng.permutation(len(inside))
    for i in shuffled[np.argsort(-inside[shuffled], kind="stable")]:
        room = np.where(sizes > inside[i], free, 0)
        room = room if room.any() else free
        member[i] = rng.choice(len(sizes), p=room / room.sum())
        free[member[i]] -= 1
    return member


def _dealt(
    n_ends: Ints, member: Ints, inside: bool, rng: np.random.RandomState
) -> Ints:
    """Join the ends of links at random, inside of communities or between them."""
    n = len(member)
    ends = np.repeat(np.arange(n), n_ends)
    found: Ints = np.empty(0, dtype=np.int64)
    for _ in range(N_DEALS):
        rng.shuffle(ends)
        if inside:
            ends = ends[np.argsort(member[ends], kind="stable")]
        i, j = ends[: len(ends) // 2 * 2].reshape(-1, 2).T
        key = np.minimum(i, j) * n + np.maximum(i, j)
        first = np.zeros(len(key), dtype=bool)
        first[np.unique(key, return_index=True)[1]] = True
        good = first & (i != j) & ((member[i] == member[j]) == inside)
        good &= ~np.isin(key, found)
        found = np.concatenate([found, key[good]])
        ends = np.concatenate([i[~good], j[~good], ends[len(ends) // 2 * 2 :]])
        if len(ends) < 2:
            break
    return found
