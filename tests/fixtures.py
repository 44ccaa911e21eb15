"""The worked examples of the catalogue, and ensembles with a known answer."""

import numpy as np

# Six objects in three clusterings, two of them identical.
E6 = np.array(
    [[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 2], [1, 1, 2]], dtype=np.int32
)

# Six objects in three nested clusterings with unequal co-association degrees.
U6 = np.array(
    [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, 1]], dtype=np.int32
)

# One-dimensional data that go with E6.
X6 = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])

# Sixteen objects in three clusterings: the worked example of the LWEA paper (Table I).
LWEA16 = np.repeat(
    [[1, 1, 1], [2, 1, 1], [1, 2, 1], [1, 2, 2], [1, 3, 2], [3, 3, 2], [3, 3, 3]],
    [2, 3, 2, 1, 3, 1, 4],
    axis=0,
)


def same_partition(one, other):
    """True when two label vectors group the objects alike, whatever the names."""
    one, other = np.asarray(one), np.asarray(other)
    pairs = {*zip(one.tolist(), other.tolist(), strict=True)}
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


def planted(n, k, n_clusterings, noise, seed, sizes=None):
    """Copies of one partition, in each of which a share of the labels is random.

    ``sizes`` gives the shares of the clusters; equal by default. The clusterings have
    their labels permuted, so that names carry nothing.
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
