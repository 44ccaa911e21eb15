"""The worked examples of the catalogue, and ensembles with a known answer."""

import itertools

import numpy as np
from scipy.spatial.distance import squareform

from comitia._content_order import content_order
from comitia._inputs import Views
from comitia.testing import planted, same_partition

__all__ = [
    "E6",
    "LWEA16",
    "U6",
    "X6",
    "heights_by_loops",
    "is_ultrametric",
    "planted",
    "same_partition",
    "settled",
]

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


def is_ultrametric(D, tol=1e-9):
    """Whether no side of a triangle is longer than both of the others."""
    D = squareform(D) if np.ndim(D) == 1 else np.asarray(D)
    return all((np.maximum(D[:, [k]], D[k]) + tol >= D).all() for k in range(len(D)))


def heights_by_loops(tree):
    """Walk the merges: two objects meet where their clusters merge."""
    n = len(tree) + 1
    members = {i: [i] for i in range(n)}
    D = np.zeros((n, n))
    for step, (a, b, height, _) in enumerate(tree):
        for i, j in itertools.product(members[int(a)], members[int(b)]):
            D[i, j] = D[j, i] = height
        members[n + step] = members[int(a)] + members[int(b)]
    return D


def settled(X, *beside):
    """Objects in the order in which a fit looks at them, and what stands beside them.

    There a part that is called by itself draws what a method draws with the same seed.
    X is a table or a list of views.
    """
    views = isinstance(X, list)
    order = content_order(Views(tuple(X), tuple("v" * len(X))) if views else X)
    placed = [view[order.objects] for view in X] if views else X[order.objects]
    return (placed, *(each[order.objects] for each in beside)) if beside else placed
