"""What data without clusters look like: the references of :func:`choose_k`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia.ensemble import Ensemble

__all__ = ["shuffled_ensemble", "uniform_reference"]


def uniform_reference(X: ArrayLike, rng: np.random.RandomState) -> NDArray[np.float64]:
    r"""Objects spread evenly over a box around the data, along their main axes.

    With the singular value decomposition :math:`X - \bar{x} = U D V'`, each column of
    :math:`(X - \bar{x}) V` is replaced by draws from a uniform distribution over its
    range, and the box is turned back: the reference (b) of the gap statistic [1]_.
    Among data with one mode the uniform are those that most easily look clustered.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        The data.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    reference : ndarray of shape (n_objects, n_features)
        As many objects without clusters.

    References
    ----------
    .. [1] R. Tibshirani, G. Walther and T. Hastie, "Estimating the number of clusters
       in a data set via the gap statistic", J. Royal Statistical Society B 63(2),
       2001. :doi:`10.1111/1467-9868.00293`

    Examples
    --------
    >>> import numpy as np
    >>> line = np.column_stack([np.arange(5.0), 2 * np.arange(5.0)])
    >>> drawn = uniform_reference(line, np.random.RandomState(0))
    >>> bool(np.allclose(drawn[:, 1], 2 * drawn[:, 0]))
    True
    """
    data = np.asarray(X, dtype=np.float64)
    mean = data.mean(axis=0)
    _, _, Vt = np.linalg.svd(data - mean, full_matrices=False)
    turned = (data - mean) @ Vt.T
    low, high = turned.min(axis=0), turned.max(axis=0)
    return rng.uniform(low, high, size=turned.shape) @ Vt + mean


def shuffled_ensemble(ensemble: Ensemble, rng: np.random.RandomState) -> Ensemble:
    """Clusterings that have nothing to do with each other.

    Each clustering keeps its cluster sizes, and its memberships where it is fuzzy or
    overlapping, but hands them to the objects in random order.

    Parameters
    ----------
    ensemble : Ensemble
        The clusterings.

    rng : RandomState
        Source of randomness.

    Returns
    -------
    shuffled : Ensemble
        Of the same kind. Objects that a clustering leaves out stay out of it, so that
        no object is left without any clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import Ensemble
    >>> votes = Ensemble([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> shuffled_ensemble(votes, np.random.RandomState(0)).sizes
    array([2, 2, 2, 2])
    """
    n, offsets = ensemble.n_objects, ensemble.offsets
    orders = np.tile(np.arange(n), (ensemble.n_clusterings, 1))
    for m, (codes, k) in enumerate(
        zip(ensemble.codes, ensemble.n_clusters_each, strict=True)
    ):
        present = np.flatnonzero(codes != k)
        orders[m, present] = rng.permutation(present)
    if ensemble.is_hard:
        codes = np.take_along_axis(ensemble.codes, orders, axis=1)
        return Ensemble.from_codes(codes, ensemble.n_clusters_each)
    blocks = [
        ensemble.membership[:, offsets[m] : offsets[m + 1]][order]
        for m, order in enumerate(orders)
    ]
    if ensemble.kind == "fuzzy":
        return Ensemble.from_memberships([block.toarray() for block in blocks])
    columns = [block.tocsc() for block in blocks]
    lists: Any = [np.split(one.indices, one.indptr[1:-1]) for one in columns]
    return Ensemble.from_clusters(lists, n)
