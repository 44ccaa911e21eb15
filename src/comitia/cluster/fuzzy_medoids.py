"""Fuzzy c-medoids: memberships in clusters that an object each stands for."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from comitia._sklearn import Interval
from comitia.cluster._base import (
    COMMON_CONSTRAINTS,
    Clusterer,
    best_run,
    check_n_clusters,
    object_weights,
    warn_unconverged,
    weights_beside,
)
from comitia.cluster._dissimilarity import dissimilarities
from comitia.cluster.fuzzy import fuzzy_memberships
from comitia.exceptions import ComitiaError
from comitia.optimize._ties import first_lowest, is_lower

__all__ = ["FuzzyCMedoids", "FuzzyMedoidsRun", "fuzzy_cmedoids"]

Array = NDArray[np.float64]


class FuzzyMedoidsRun(NamedTuple):
    """Result of fuzzy c-medoids.

    Attributes
    ----------
    membership : ndarray of shape (n_objects, n_clusters)
        Memberships; rows sum to one.

    medoids : ndarray of shape (n_clusters,)
        The object at the centre of each cluster.

    objective : ndarray of shape (n_iter + 1,)
        The objective at the start and after each iteration.

    converged : bool
        Whether the medoids stopped changing.
    """

    membership: Array
    medoids: NDArray[np.intp]
    objective: Array
    converged: bool


def fuzzy_cmedoids(
    D: ArrayLike,
    n_clusters: int,
    rng: np.random.RandomState,
    *,
    fuzziness: float = 2.0,
    sample_weight: ArrayLike | None = None,
    init: str | ArrayLike = "random",
    n_init: int = 10,
    max_iter: int = 300,
) -> FuzzyMedoidsRun:
    r"""Fuzzy c-medoids on a dissimilarity matrix.

    Alternates the best memberships and the best medoids :math:`g_r` of

    .. math::
        \sum_i w_i \sum_r F_{ir}^\alpha \, D_{i g_r}.

    Parameters
    ----------
    D : array-like of shape (n_objects, n_objects)
        Dissimilarities, not negative.

    n_clusters : int
        Number of clusters.

    rng : RandomState
        Source of randomness.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    sample_weight : array-like of shape (n_objects,), default=None
        Weights :math:`w_i`.

    init : "random" or array-like of int, shape (n_clusters,)
        First medoids, all different.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    Returns
    -------
    run : FuzzyMedoidsRun
        The best run: membership, medoids, objective, converged.

    Notes
    -----
    Two clusters never share a medoid: the medoids are renewed one after the other,
    each among the objects that are no medoid of another cluster. Its old medoid is
    one of them, so the objective cannot rise.
    """
    D = np.asarray(D, dtype=np.float64)
    n = len(D)
    check_n_clusters(n_clusters, n)
    w = object_weights(sample_weight, n)
    if not isinstance(init, str):
        n_init = 1

    def run() -> FuzzyMedoidsRun:
        medoids = _initial_medoids(init, n, n_clusters, rng)
        F = fuzzy_memberships(D[:, medoids], fuzziness)
        objective = [float((w[:, None] * F**fuzziness * D[:, medoids]).sum())]
        converged = False
        for _ in range(max_iter):
            costs = (w[:, None] * F**fuzziness).T @ D
            before, medoids = medoids, medoids.copy()
            for r in range(n_clusters):
                free = costs[r].copy()
                free[np.delete(medoids, r)] = np.inf
                best = int(first_lowest(free))
                # A tie is no reason to move: the loop stops when medoids stay.
                if is_lower(free[best], free[medoids[r]]):
                    medoids[r] = best
            F = fuzzy_memberships(D[:, medoids], fuzziness)
            objective.append(float((w[:, None] * F**fuzziness * D[:, medoids]).sum()))
            if (medoids == before).all():
                converged = True
                break
        return FuzzyMedoidsRun(F, medoids, np.array(objective), converged)

    return best_run(n_init, run)


class FuzzyCMedoids(Clusterer):
    r"""Fuzzy c-medoids.

    Fuzzy c-means for objects of which only dissimilarities are known: the centre of a
    cluster is one of the objects [1]_,

    .. math::
        \min_{F, g} \sum_i w_i \sum_r F_{ir}^\alpha \, D_{i g_r}, \qquad
        \sum_r F_{ir} = 1.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.

    fuzziness : float, default=2.0
        The exponent :math:`\alpha > 1` of the memberships.

    metric : str or callable, default="euclidean"
        A metric of scikit-learn's ``pairwise_distances``, or "precomputed" when X holds
        the dissimilarities.

    n_init : int, default=10
        Number of starts; the best objective wins.

    max_iter : int, default=300
        Most iterations of a start.

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The cluster in which each object has most membership.

    membership_ : ndarray of shape (n_objects, n_clusters)
        Memberships :math:`F`; rows sum to one.

    medoid_indices_ : ndarray of shape (n_clusters,)
        The object at the centre of each cluster.

    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The medoids themselves; not there for precomputed dissimilarities.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the medoids stopped changing.

    References
    ----------
    .. [1] R. Krishnapuram, A. Joshi, O. Nasraoui and L. Yi, "Low-complexity fuzzy
       relational clustering algorithms for web mining", IEEE Trans. Fuzzy Systems
       9(4), 2001. :doi:`10.1109/91.940971`

    Examples
    --------
    >>> from comitia.cluster import FuzzyCMedoids
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> sorted(FuzzyCMedoids(2, random_state=0).fit(X).medoid_indices_.tolist())
    [1, 4]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **{k: v for k, v in COMMON_CONSTRAINTS.items() if k != "tol"},
        "fuzziness": [Interval(Real, 1, None, closed="neither")],
        "metric": [str, callable],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        fuzziness: float = 2.0,
        metric: str | Callable[..., Any] = "euclidean",
        n_init: int = 10,
        max_iter: int = 300,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.fuzziness = fuzziness
        self.metric = metric
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None
    ) -> FuzzyCMedoids:
        """Cluster the objects.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features) or (n_objects, n_objects)
            The data, or dissimilarities when ``metric`` is "precomputed".

        y : None
            Not used; there for scikit-learn's pipelines.

        sample_weight : array-like of shape (n_objects,), default=None
            Weight of each object.

        Returns
        -------
        self : object
            The fitted clusterer.
        """
        sample_weight = weights_beside(X, sample_weight)
        X = self._read(X)
        run = fuzzy_cmedoids(
            dissimilarities(X, self.metric),
            self.n_clusters,
            check_random_state(self.random_state),
            fuzziness=self.fuzziness,
            sample_weight=sample_weight,
            n_init=self.n_init,
            max_iter=self.max_iter,
        )
        warn_unconverged(run.converged, self, self.max_iter)
        self.membership_ = run.membership
        self.labels_ = run.membership.argmax(axis=1)
        self.medoid_indices_ = run.medoids
        if self.metric != "precomputed":
            self.cluster_centers_ = X[run.medoids]
        self.objective_ = run.objective
        self.n_iter_ = len(run.objective) - 1
        self.converged_ = run.converged
        return self

    def predict_membership(self, X: Any) -> Array:
        """Memberships of new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_objects)
            New objects, or their dissimilarities to the objects given to :meth:`fit`.

        Returns
        -------
        membership : ndarray of shape (n_new, n_clusters)
            Rows sum to one.
        """
        X = self._read_new(X)
        if self.metric == "precomputed":
            D = X[:, self.medoid_indices_]
        else:
            D = dissimilarities(X, self.metric, self.cluster_centers_)
        return fuzzy_memberships(D, self.fuzziness)

    def predict(self, X: Any) -> NDArray[np.intp]:
        """Label new objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features) or (n_new, n_objects)
            New objects, or their dissimilarities to the objects given to :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            The cluster of most membership.
        """
        return self.predict_membership(X).argmax(axis=1)


def _initial_medoids(
    init: str | ArrayLike, n: int, n_clusters: int, rng: np.random.RandomState
) -> NDArray[np.intp]:
    if isinstance(init, str):
        if init != "random":
            raise ComitiaError(f'init={init!r} is neither "random" nor an array.')
        return rng.choice(n, n_clusters, replace=False)
    medoids = np.array(init)
    valid = (
        medoids.shape == (n_clusters,)
        and medoids.dtype.kind in "iu"
        and len(np.unique(medoids)) == n_clusters
        and (medoids >= 0).all()
        and (medoids < n).all()
    )
    if not valid:
        raise ComitiaError(
            f"init must name {n_clusters} different objects of 0..{n - 1}; got "
            f"{init!r}."
        )
    return medoids.astype(np.intp)
