"""Equal label rows, found by hashing and verified by comparing."""

import numpy as np

from comitia._kernels._njit import njit

__all__ = ["distinct_rows"]

_BLOCK = 1024


@njit(cache=True)
def _hash_rows(codes):
    """One 64-bit hash per object, from codes of shape (n_clusterings, n)."""
    n_clusterings, n = codes.shape
    hashes = np.zeros(n, dtype=np.uint64)
    prime = np.uint64(0x9E3779B97F4A7C15)
    for start in range(0, n, _BLOCK):
        stop = min(start + _BLOCK, n)
        # Four labels to one multiplication, which is what costs.
        for m in range(0, n_clusterings - 3, 4):
            for i in range(start, stop):
                word = (
                    np.uint64(codes[m, i])
                    ^ (np.uint64(codes[m + 1, i]) << np.uint64(16))
                    ^ (np.uint64(codes[m + 2, i]) << np.uint64(32))
                    ^ (np.uint64(codes[m + 3, i]) << np.uint64(48))
                )
                hashes[i] = (hashes[i] ^ (hashes[i] >> np.uint64(29)) ^ word) * prime
        for m in range(n_clusterings - n_clusterings % 4, n_clusterings):
            for i in range(start, stop):
                hashes[i] = (hashes[i] ^ np.uint64(codes[m, i])) * prime
        # The product mixes upwards only; bring the high bits down.
        for i in range(start, stop):
            hashes[i] ^= hashes[i] >> np.uint64(32)
    return hashes


@njit(cache=True)
def distinct_rows(codes, row_codes):
    """Number the distinct label rows in the order in which they first appear.

    Parameters
    ----------
    codes : ndarray of shape (n_clusterings, n)
        The labels of each clustering, contiguous.

    row_codes : ndarray of shape (n, n_clusterings)
        The same labels, those of each object contiguous.

    Returns
    -------
    first : ndarray of shape (n_distinct,)
        The first object with each row.

    inverse : ndarray of shape (n,)
        The number of the row of each object.
    """
    n, n_clusterings = row_codes.shape
    hashes = _hash_rows(codes)
    # At most half full, so that runs of occupied places stay short.
    n_places = 2
    while n_places < 2 * n:
        n_places *= 2
    mask = np.uint64(n_places - 1)
    # No block has two thousand million objects, and the table is the largest part.
    place_of = np.full(n_places, -1, dtype=np.int32)
    first = np.empty(n, dtype=np.int64)
    inverse = np.empty(n, dtype=np.int64)
    n_distinct = 0
    for i in range(n):
        place = hashes[i] & mask
        while True:
            d = place_of[place]
            if d < 0:
                place_of[place] = n_distinct
                first[n_distinct] = i
                inverse[i] = n_distinct
                n_distinct += 1
                break
            j = first[d]
            if hashes[j] == hashes[i]:
                equal = True
                for m in range(n_clusterings):
                    equal &= row_codes[i, m] == row_codes[j, m]
                if equal:
                    inverse[i] = d
                    break
            place = (place + np.uint64(1)) & mask
    return first[:n_distinct].copy(), inverse
