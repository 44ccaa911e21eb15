"""Constraints propagated over a neighbourhood graph."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._inputs import check_sparse
from comitia._names import names_of
from comitia._scales import unit_rows
from comitia._sklearn import RANDOM_STATE, Interval
from comitia._steps import check_random_state
from comitia.cluster.clusterer import Clusterer
from comitia.cluster.constraints import ConstraintSet, pairs_by_name
from comitia.config import require_memory
from comitia.exceptions import ComitiaError

__all__ = ["E2CP", "adjust_similarity", "propagate_constraints"]

Array = NDArray[np.float64]


def propagate_constraints(
    W: Any, constraints: ConstraintSet, *, alpha: float = 0.8
) -> Array:
    r"""Spread constraints from the pairs they name to all pairs of objects.

    With :math:`Z_{ij}` 1 for a must-link, -1 for a cannot-link and 0 otherwise, and
    :math:`L = D^{-1/2} W D^{-1/2}`,

    .. math::
        F = (1 - \alpha)^2 (I - \alpha L)^{-1} Z (I - \alpha L)^{-1}.

    Parameters
    ----------
    W : array-like or sparse of shape (n_objects, n_objects)
        Symmetric similarities, not negative; few neighbours for each object.

    constraints : ConstraintSet
        The constraints; their weights are not used.

    alpha : float, default=0.8
        How far, :math:`0 \le \alpha < 1`, constraints spread; 0 leaves them where
        they are.

    Returns
    -------
    F : ndarray of shape (n_objects, n_objects)
        Symmetric; positive for pairs that rather belong together, negative for pairs
        that do not.

    Examples
    --------
    >>> from comitia.cluster import ConstraintSet
    >>> path = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    >>> F = propagate_constraints(path, ConstraintSet(3, [(0, 1)]), alpha=0.5)
    >>> F[[0, 1], [1, 2]].round(6)
    array([0.444444, 0.111111])
    """
    from scipy.sparse import csc_array, diags_array, eye_array, issparse
    from scipy.sparse.linalg import splu

    if not 0 <= alpha < 1:
        raise ComitiaError(f"alpha={alpha} must be at least 0 and less than 1.")
    n = constraints.n_objects
    if issparse(W):
        check_sparse(W, "W")
    W = csc_array(W, dtype=np.float64)
    if W.shape != (n, n):
        raise ComitiaError(
            f"W must have shape ({n}, {n}), one row per object of the constraints; "
            f"got {W.shape}."
        )
    if W.nnz and W.data.min() < 0:
        raise ComitiaError("W has negative entries; similarities are not.")
    require_memory(8 * n**2, f"the propagated constraints of {n} objects")
    degree = np.asarray(W.sum(axis=1)).ravel()
    # An object without neighbours keeps its constraints to itself.
    scale = diags_array(np.where(degree > 0, degree, np.inf) ** -0.5)
    system = csc_array(eye_array(n) - alpha * (scale @ W @ scale))
    # Z is zero outside the rows and columns of the objects that have constraints, so
    # these columns of the inverse are all it takes.
    named = np.unique(constraints.pairs)
    if not len(named):
        return np.zeros((n, n))
    columns = np.zeros((n, len(named)))
    columns[named, np.arange(len(named))] = 1.0
    reach = (1 - alpha) * splu(system).solve(columns)
    Z = constraints.matrix()[named][:, named].toarray()
    F = reach @ Z @ reach.T
    return (F + F.T) / 2


def adjust_similarity(W: Any, F: ArrayLike) -> Array:
    r"""Raise and lower similarities as propagated constraints ask for.

    .. math::
        \tilde W_{ij} = \begin{cases}
            1 - (1 - F_{ij})(1 - W_{ij}) & F_{ij} \ge 0, \\
            (1 + F_{ij}) \, W_{ij} & F_{ij} < 0,
        \end{cases}

    with :math:`F` divided by its largest absolute value.

    Parameters
    ----------
    W : array-like or sparse of shape (n_objects, n_objects)
        Similarities from 0 to 1.

    F : array-like of shape (n_objects, n_objects)
        Propagated constraints, see :func:`propagate_constraints`.

    Returns
    -------
    adjusted : ndarray of shape (n_objects, n_objects)
        Similarities from 0 to 1; W itself when F is zero.

    Examples
    --------
    >>> adjust_similarity([[0.5, 0.5]], [[1.0, -0.5]])
    array([[1.  , 0.25]])
    """
    if hasattr(W, "toarray"):
        check_sparse(W, "W")
        W = W.toarray()
    W = np.asarray(W, dtype=np.float64)
    F = np.asarray(F, dtype=np.float64)
    if W.shape != F.shape:
        raise ComitiaError(
            f"W and F must have the same shape; got {W.shape} and {F.shape}."
        )
    if W.size and not (W.min() >= 0 and W.max() <= 1):
        raise ComitiaError("W must lie in 0..1; divide it by its largest entry.")
    largest = np.abs(F).max(initial=0.0)
    F = F / largest if largest > 0 else F
    return np.where(F >= 0, 1 - (1 - F) * (1 - W), (1 + F) * W)


class E2CP(Clusterer):
    r"""Exhaustive and efficient constraint propagation.

    Must-links and cannot-links are spread over the graph of nearest neighbours, the
    similarities are adjusted to them, and the normalised cut of the result gives the
    clusters [1]_:

    .. math::
        F = (1 - \alpha)^2 (I - \alpha L)^{-1} Z (I - \alpha L)^{-1}, \qquad
        L = D^{-1/2} W D^{-1/2}.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    alpha : float, default=0.8
        How far, :math:`0 \le \alpha < 1`, constraints spread.

    n_neighbors : int, default=10
        Neighbours of each object in the graph; all others if there are fewer.

    n_init : int, default=10
        Starts of the k-means that reads the clusters off the eigenvectors.

    random_state : int, RandomState instance or None, default=None
        Seed of that k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The clusters.

    affinity_matrix_ : ndarray of shape (n_objects, n_objects)
        The adjusted similarities.

    n_violated_ : int
        Number of constraints that do not hold.

    Notes
    -----
    Similarities are :math:`e^{-d^2 / 2 \sigma^2}`, :math:`\sigma` the mean distance of
    neighbours, and an edge is kept when either end chose it. Constraints are a
    preference: they may be violated, and may contradict each other. Memory grows with
    the square of the number of objects.

    References
    ----------
    .. [1] Z. Lu and Y. Peng, "Exhaustive and efficient constraint propagation: a
       graph-based learning approach and its applications", International Journal of
       Computer Vision 103(3), 2013. :doi:`10.1007/s11263-012-0602-z`

    Examples
    --------
    >>> from comitia.cluster import E2CP
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> E2CP(2, n_neighbors=2, random_state=0).fit(X, must_link=[(0, 2)]).n_violated_
    0
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, 1, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 0.8,
        n_neighbors: int = 10,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> E2CP:
        """Cluster the data.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data.

        y : None
            Not used; there for scikit-learn's pipelines.

        must_link : array-like of shape (c, 2), default=None
            Pairs of objects that belong together: numbers of rows, or names as text.

        cannot_link : array-like of shape (d, 2), default=None
            Pairs of objects that do not.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        must_link = pairs_by_name(must_link, names_of(X), "must_link")
        cannot_link = pairs_by_name(cannot_link, names_of(X), "cannot_link")
        X = self._read(X)
        constraints = ConstraintSet(len(X), must_link, cannot_link)
        require_memory(
            40 * len(X) ** 2,
            f"constraint propagation over {len(X)} objects",
            "use COPKMeans, which is linear in n",
        )
        W = _neighbor_similarity(X, self.n_neighbors)
        F = propagate_constraints(W, constraints, alpha=self.alpha)
        affinity = adjust_similarity(W, F)
        np.fill_diagonal(affinity, 0.0)
        rng = check_random_state(self.random_state)
        labels = _normalized_cut(affinity, self.n_clusters, self.n_init, rng)
        self.labels_ = labels
        self.affinity_matrix_ = affinity
        self.n_violated_ = constraints.n_violated(labels)
        return self


def _neighbor_similarity(X: Array, n_neighbors: int) -> Any:
    """Heat-kernel similarities of nearest neighbours, an edge chosen by either end."""
    from sklearn.neighbors import NearestNeighbors

    n = len(X)
    if n == 1:
        from scipy.sparse import csr_array

        return csr_array((1, 1))
    search = NearestNeighbors(n_neighbors=min(n_neighbors, n - 1)).fit(X)
    graph = search.kneighbors_graph(mode="distance")
    width = graph.data.mean()
    # Copies of one point are as similar as can be, whatever the width.
    scaled = graph.data / width if width > 0 else graph.data
    graph.data = np.exp(-(scaled**2) / 2)
    return graph.maximum(graph.T)


def _normalized_cut(
    S: Array, n_clusters: int, n_init: int, rng: np.random.RandomState
) -> NDArray[np.int32]:
    """K-means on the rows of the leading eigenvectors of D^-1/2 S D^-1/2."""
    from scipy.linalg import eigh
    from sklearn.cluster import KMeans

    n = len(S)
    degree = S.sum(axis=1)
    scale = np.where(degree > 0, degree, np.inf) ** -0.5
    normalized = S * scale * scale[:, None]
    # An object that is similar to nothing is a component of its own.
    normalized.flat[:: n + 1] += degree == 0
    _, vectors = eigh(normalized, subset_by_index=[n - n_clusters, n - 1])
    rows = unit_rows(vectors)
    labels = KMeans(n_clusters, n_init=n_init, random_state=rng).fit(rows).labels_
    # Eigenvectors of equal values are any basis, and with it the order of the clusters.
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return first.argsort().argsort()[codes].astype(np.int32)
