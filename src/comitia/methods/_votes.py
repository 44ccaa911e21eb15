"""The votes of an ensemble, ready for the loops of variable-weight methods."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import (
    array_namespace,
    floats_on,
    require_device_memory,
    to_device,
    to_numpy,
)
from comitia._sklearn import Interval
from comitia.ensemble import Ensemble
from comitia.methods._loops import VariableWeightMethod
from comitia.optimize import project_simplex
from comitia.partition import kmeans_rows
from comitia.represent import ImplicitCoassociation, coassociation
from comitia.represent.coassociation import seen_by

__all__ = [
    "DenseVotes",
    "ObjectVotes",
    "Votes",
    "VotesMethod",
    "gram_matrix",
    "penalized_weights",
]

Floats = NDArray[np.float64]


def gram_matrix(ensemble: Ensemble) -> Floats:
    r"""Inner products of the co-occurrence matrices, from contingency counts.

    .. math::
        G_{ml} = \langle B_m B_m', B_l B_l' \rangle
        = \sum_{c \in C_m} \sum_{d \in C_l} |c \cap d|^2 .

    Symmetric and positive semi-definite.
    """
    shared = ensemble.contingency().tocoo()
    owner, M = ensemble.clustering_of, ensemble.n_clusterings
    pairs = owner[shared.row] * M + owner[shared.col]
    squares = np.square(shared.data, dtype=np.float64)
    sums = np.bincount(pairs, squares, minlength=M * M)
    return sums.reshape(M, M).astype(np.float64, copy=False)


def penalized_weights(costs: Floats, penalty: float) -> Floats:
    r"""The best weights for costs, held together by a penalty.

    .. math::
        \arg\min_{w \in \Delta} \; \sum_m w_m t_m + \gamma \|w\|^2
        = P_\Delta \left( \frac{-t}{2 \gamma} \right) .

    Without a penalty, the cheapest clusterings share the weight.
    """
    costs = costs - costs.min()
    if not 2 * penalty > 1e-12 * costs.max():
        cheapest = (costs <= 1e-12 * costs.max()).astype(np.float64)
        return np.asarray(cheapest / cheapest.sum())
    return project_simplex(-costs / (2 * penalty))


class ObjectVotes:
    """The clusterings, for methods whose consensus is a label for each object.

    Objects are touched through the row blocks of the ensemble alone.

    Attributes
    ----------
    penalty : float
        Strength of the penalty on the weights; a method sets it when it starts.
    """

    def __init__(self, ensemble: Ensemble, n_clusters: int) -> None:
        self.ensemble = ensemble
        self.n_clusters = n_clusters
        self.n_clusterings = ensemble.n_clusterings
        self.penalty = 0.0

    @property
    def uniform(self) -> Floats:
        """Equal weights of the clusterings."""
        return np.full(self.n_clusterings, 1.0 / self.n_clusterings)

    def start(
        self, rng: np.random.RandomState, n_init: int, **how: Any
    ) -> NDArray[np.int32]:
        """Labels by k-means on the rows of B."""
        return kmeans_rows(
            self.ensemble, self.n_clusters, rng, n_init=n_init, **how
        ).labels

    def by_clustering(self, values: Any) -> Floats:
        """Sum numbers of clusters over each clustering, (M,)."""
        owner = self.ensemble.clustering_of
        sums = np.bincount(owner, to_numpy(values), minlength=self.n_clusterings)
        return sums.astype(np.float64, copy=False)


class Votes(ObjectVotes):
    """The clusterings, ready for factorisation: equal objects once, with their count.

    B is sparse here. :class:`DenseVotes` has it on a device; methods that run there
    :meth:`put` the numbers they start from and leave the rest to the products.

    Attributes
    ----------
    micro : Ensemble
        The objects with different labels.

    counts : ndarray of shape (n_micro,)
        How many objects each stands for.

    inverse : ndarray of shape (n_objects,)
        Which one each object is.

    gram : ndarray of shape (n_clusterings, n_clusterings)
        Inner products of the co-occurrence matrices.

    sizes : ndarray of shape (n_clusters,)
        Number of objects of each cluster.

    seen : ndarray of bool of shape (n_clusterings, n_micro)
        Which of them each clustering has.

    penalty : float
        Strength of the penalty on the weights; a method sets it when it starts.

    scored : tuple or None
        The last consensus that a method scored the clusterings by, its similarities,
        and the scores.
    """

    def __init__(self, ensemble: Ensemble, n_clusters: int) -> None:
        super().__init__(ensemble, n_clusters)
        self.scored: tuple[Any, Any, Floats] | None = None
        # Starts are drawn by place: in an order that the labels alone determine.
        self.micro, counts, self.inverse = ensemble.distinct().in_content_order()
        self.counts = counts.astype(np.float64)
        self.gram = gram_matrix(ensemble)
        self.sizes = ensemble.sizes.astype(np.float64)
        self.device: str | None = None
        self.is_hard = ensemble.is_hard
        self.seen = seen_by(self.micro)
        self._plain = ImplicitCoassociation(self.micro)

    def start(
        self, rng: np.random.RandomState, n_init: int, **how: Any
    ) -> NDArray[np.int32]:
        """Labels of the micro-objects by k-means on the rows of B."""
        k, counts = min(self.n_clusters, self.micro.n_objects), to_numpy(self.counts)
        return kmeans_rows(
            self.micro, k, rng, object_weights=counts, n_init=n_init, **how
        ).labels

    @property
    def membership(self) -> Any:
        """B of the micro-objects; what can be multiplied with ``@``."""
        return self.micro.membership

    def put(self, array: Any) -> Any:
        """Numbers, where the factors are."""
        return array

    def coassociation(self, weights: Floats) -> Any:
        """The weighted co-association of the micro-objects, as a matrix.

        It is linear in the weights: a missing label adds nothing.
        """
        return coassociation(
            self.micro, clustering_weights=weights, co_sampled=False, dtype=np.float64
        )

    def cooccurrence(self, m: int) -> Any:
        """Whether clustering m has the micro-objects together, as a matrix."""
        B = self.micro.membership[:, slice(*self.ensemble.offsets[m : m + 2])]
        return (B @ B.T).toarray()

    def require(self, n_numbers: int, what: str) -> None:
        """Ask for the memory that a step needs, before it takes it."""
        require_device_memory(
            n_numbers,
            what,
            self.device,
            instead="use wcc, wgnmf or iwnmf, which are linear in n",
        )

    def similarity(self, weights: Floats) -> Any:
        """The weighted co-association, over all copies, known by its products."""
        return ImplicitCoassociation(
            self.micro, clustering_weights=weights, counts=self.counts
        )

    def to_clusters(self, U: Any) -> Any:
        """Sum rows over the objects of each cluster, all copies: B'U, (K, k)."""
        return self._plain.to_clusters(U * self.counts[:, None])

    def to_objects(self, table: Any) -> Any:
        """Sum rows over the clusters of each object: B times the table."""
        return self._plain.to_objects(table)

    def pair_sums(self, A: Any) -> Floats:
        """Sum a matrix over the pairs that each clustering has together, (M,)."""
        from comitia._kernels.coassociation import sums_inside

        B = self.micro.membership.multiply(self.counts[:, None])
        rows, columns = B.tocsr(), B.tocsc()
        inside = sums_inside(
            A,
            (rows.indptr, rows.indices, rows.data),
            (columns.indptr, columns.indices, columns.data),
        )
        return self.by_clustering(inside)


class DenseVotes(Votes):
    """The clusterings with B as a dense array on a device.

    Products with B are matrix products, which is what a graphics card is good at, what
    the array API standard has, and what gives the same sums on every run. Scattered
    additions to the rows of clusters would do with less memory; they are not in the
    standard, and on a graphics card their order, and with it the result, is left to
    chance.

    Attributes
    ----------
    counts : array of shape (n_micro,)
        How many objects each stands for, on the device. Weights, sizes and sums over
        clusterings are few numbers and stay with NumPy.
    """

    def __init__(self, ensemble: Ensemble, n_clusters: int, device: str) -> None:
        super().__init__(ensemble, n_clusters)
        self.device = device
        u, K = self.micro.n_objects, self.micro.n_clusters_total
        # B, and of the same size the fit and what it leaves.
        require_device_memory(
            u * (4 * K + 8 * n_clusters),
            f"the membership of {u} different objects in {K} clusters",
            device,
        )
        self.counts = self.put(self.counts)
        self._B = self._dense()

    def _dense(self) -> Any:
        if not self.micro.is_hard:
            return self.put(self.micro.membership.toarray())
        # Made there: only the labels travel. A missing label is like no cluster.
        xp = array_namespace(self.counts)
        blocks = []
        for codes, k in zip(self.micro.codes, self.micro.n_clusters_each, strict=True):
            clusters = to_device(np.arange(k, dtype=np.int64), self.device)
            own = to_device(codes.astype(np.int64), self.device)[:, None] == clusters
            blocks.append(xp.astype(own, self.counts.dtype))
        return xp.concat(blocks, axis=1)

    @property
    def membership(self) -> Any:
        """B of the micro-objects."""
        return self._B

    def put(self, array: Any) -> Any:
        """Numbers on the device, in the precision that was set."""
        return floats_on(array, self.device)

    def coassociation(self, weights: Floats) -> Any:
        """The weighted co-association of the micro-objects, as a matrix."""
        return (self._B * self._of_clusters(weights)) @ self._B.T

    def cooccurrence(self, m: int) -> Any:
        """Whether clustering m has the micro-objects together, as a matrix."""
        lo, hi = self.ensemble.offsets[m : m + 2].tolist()
        B = self._B[:, lo:hi]
        return B @ B.T

    def similarity(self, weights: Floats) -> Any:
        """The weighted co-association, over all copies, known by its products."""
        return _Similarity(self, self._of_clusters(weights)[:, None])

    def to_clusters(self, U: Any) -> Any:
        """Sum rows over the objects of each cluster, all copies: B'U, (K, k)."""
        return self._B.T @ (U * self.counts[:, None])

    def to_objects(self, table: Any) -> Any:
        """Sum rows over the clusters of each object: B times the table."""
        return self._B @ table

    def pair_sums(self, A: Any) -> Floats:
        """Sum a matrix over the pairs that each clustering has together, (M,)."""
        xp = array_namespace(A)
        inside = xp.sum(
            (A @ (self._B * self.counts[:, None])) * self._B * self.counts[:, None],
            axis=0,
        )
        return self.by_clustering(inside)

    def _of_clusters(self, weights: Floats) -> Any:
        return self.put(weights[self.ensemble.clustering_of])


class _Similarity:
    """S = B W B' diag(counts), as a product."""

    def __init__(self, votes: DenseVotes, weights: Any) -> None:
        self.votes, self.weights = votes, weights

    def __matmul__(self, U: Any) -> Any:
        return self.votes.to_objects(self.weights * self.votes.to_clusters(U))


class VotesMethod(VariableWeightMethod):
    """Base class of the methods whose loop works on the votes of an ensemble.

    The problem of the loop is :class:`Votes`, or :class:`DenseVotes` on a device.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "weight_penalty": [Interval(Real, 0, None, closed="left"), None],
    }

    weight_penalty: float | None

    def _problem(self, ensemble: Ensemble, X: Any, rng: np.random.RandomState) -> Any:
        k = self._resolve_n_clusters(ensemble)
        if self._device is None:
            return Votes(ensemble, k)
        return DenseVotes(ensemble, k, self._device)

    def _penalty(self, default: Callable[[], float]) -> float:
        """The penalty that was asked for, or the one the data suggest."""
        return default() if self.weight_penalty is None else float(self.weight_penalty)
