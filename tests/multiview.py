"""Views with a known answer, and the libraries that a dense iteration runs on."""

import numpy as np
import pytest

# Each view takes two of the four clusters for one; together they tell all apart.
_LEFT = np.array([[0, 0], [0, 0], [8, 0], [8, 8]], dtype=float)
_RIGHT = np.array([[0, 8], [8, 0], [0, 0], [0, 0]], dtype=float)

each_library = pytest.mark.parametrize("library", ["torch", "array_api_strict"])
# In single precision six or seven digits are right, and iterations lose some of them.
each_precision = pytest.mark.parametrize(
    ("precision", "atol"), [("float64", 1e-8), ("float32", 1e-4)]
)


def complementary_views(n_each=25, seed=0, junk=False):
    """Two views that need each other, of four clusters; a third of noise if asked."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(4), n_each)
    views = [C[truth] + rng.randn(len(truth), 2) for C in (_LEFT, _RIGHT)]
    if junk:
        views.append(rng.randn(len(truth), 2))
    return views, truth


def clear_views(seed=0, n_views=2):
    """Views that each show the same three clusters, and one more of noise."""
    rng = np.random.RandomState(seed)
    truth = np.arange(150) % 3
    views = [4.0 * np.eye(3, 6)[truth] + rng.randn(150, 6) for _ in range(n_views)]
    return [*views, rng.randn(150, 6)], truth


def in_library(arrays, library, precision):
    """The same arrays in another library."""
    xp = pytest.importorskip(library)
    dtype = getattr(xp, precision)
    return [xp.asarray(array, dtype=dtype) for array in arrays]
