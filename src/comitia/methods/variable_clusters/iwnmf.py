"""Factorisation of memberships that every object weighs for itself."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Maker, Rng, Seed
from comitia.methods._votes import Votes, VotesMethod
from comitia.optimize import (
    frobenius_loss,
    frobenius_term,
    multiply,
    normalize_columns,
    project_simplex,
)

__all__ = ["IWNMF"]

_FLOOR = 1e-12


class IWNMF(VotesMethod):
    r"""Instance-wise weighted non-negative matrix factorisation (IWNMF).

    A clustering may be right about some objects and wrong about others. Each object
    spreads its weight over the clusterings, and gives most to the clusters that its
    consensus cluster explains best [1]_.

    Parameters
    ----------
    n_clusters : shared

    weight_penalty : float, default=1.0
        Strength of the penalty on the squares of the weights, :math:`\lambda`. A large
        one makes all weights equal; 0 lets one clustering take all of an object's.

    n_init : int, default=10
        Number of starts of k-means, from which the factors start.

    max_iter : int, default=500
        Most updates of the weights, each with one sweep over the factors.

    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    instance_weights_ : ndarray of shape (n_objects, n_clusterings)
        Weight :math:`w_{im}` that object i gives to its cluster in clustering m; rows
        sum to one, and a missing label has none.

    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Mean weight that the objects of a cluster give it.

    objective_, n_iter_, converged_ : shared

    Notes
    -----
    V has the weights where B has its ones: :math:`V_{ic} = w_{im}` for the cluster c of
    object i in clustering m, and zero elsewhere, so that the penalty is over the
    weights alone. With factors :math:`F` (n × k) and :math:`P` (k × K),

    .. math::
        \min_{F, P \ge 0, \, V} \; \|B \circ V - F P\|_F^2 + \lambda \|V\|_F^2
        \quad \text{s. t.} \quad \sum_m w_{im} = 1 .

    For fixed factors each object projects its fitted values,

    .. math::
        w_{i \cdot} = P_\Delta \left(
        \frac{[FP]_{i, c_1(i)}, \dots, [FP]_{i, c_M(i)}}{1 + \lambda} \right),

    and for fixed weights both factors have the multiplicative updates of NMF on the
    sparse matrix :math:`B \circ V`. Object i goes to the largest entry of its row of F,
    for columns of P of length one.

    In the paper P says which cluster of a clustering belongs to which cluster of the
    consensus, a permutation when all have k clusters; the relaxation to
    :math:`P \ge 0` lets their numbers differ. The review files the method under weights
    of clusters; they may differ from object to object, and ``cluster_weights_`` are
    their means.

    Time is :math:`O(nMk)` for a sweep, memory :math:`O(nM + nk)`. Objects with equal
    labels have equal weights and are factorised once, with their count.

    References
    ----------
    .. [1] X. Zheng, S. Zhu, J. Gao and H. Mamitsuka, "Instance-wise weighted
       nonnegative matrix factorization for aggregating partitions with locally reliable
       clusters", IJCAI 2015.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("iwnmf")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.instance_weights_[0].round(2)
    array([0.37, 0.37, 0.25])
    """

    card = MethodCard(
        id="iwnmf",
        weighs="clusters",
        approach="variable",
        needs="labels",
        missing="votes",
        scales="linear",
    )

    _parameter_constraints = {
        "weight_penalty": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        weight_penalty: float = 1.0,
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight_penalty = weight_penalty
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _start(self, votes: Votes, rng: Rng) -> tuple[Any, Any]:
        if not votes.ensemble.is_hard:
            raise ComitiaError(
                f"IWNMF weighs the one cluster that an object has in each clustering; "
                f"the ensemble is {votes.ensemble.kind}. Use wgnmf or wcc, which take "
                "memberships."
            )
        votes.penalty = self._penalty(lambda: 1.0)
        F = np.eye(votes.n_clusters)[votes.start(rng, self.n_init)] + 0.2
        mean = votes.to_clusters(F) / np.maximum(votes.sizes, 1)[:, None]
        P = np.maximum(mean / votes.n_clusterings, _FLOOR)
        # One sweep of each gives the factors their scale.
        weights = labeled(votes) / votes.micro.n_votes[:, None]
        return weights, self._update_consensus(votes, weights, (F, P))

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        return project_rows(
            fitted_values(votes, *consensus), labeled(votes), votes.penalty
        )

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        X = weighted_membership(votes, weights)
        F, P = consensus
        F = multiply(F, frobenius_term(X, F, P), floor=_FLOOR)
        loss = frobenius_term(X.T, P, F, column_weights=votes.counts)
        P = multiply(P, loss, floor=_FLOOR)
        return normalize_columns(F, P)

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        X = weighted_membership(votes, weights)
        loss = frobenius_loss(X, *consensus, row_weights=votes.counts)
        return loss + votes.penalty * votes.counts @ np.square(weights).sum(axis=1)

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.instance_weights_ = weights[votes.inverse]
        B, X = votes.micro.membership, weighted_membership(votes, weights)
        given = X.T @ votes.counts
        self.cluster_weights_ = given / np.maximum(B.T @ votes.counts, 1.0)
        return consensus[0].argmax(axis=1)[votes.inverse]


def labeled(votes: Votes) -> Array:
    """Where micro-objects have a label, (n_micro, M)."""
    return votes.micro.row_codes < votes.micro.n_clusters_each


def weighted_membership(votes: Votes, weights: Array) -> Any:
    """The sparse matrix B o V; B has its ones in the order of the clusterings."""
    X = votes.micro.membership.astype(np.float64, copy=True)
    X.data = weights[labeled(votes)]
    return X


def fitted_values(votes: Votes, F: Array, P: Array) -> Array:
    """Entries of FP' at the clusters of each object, (n_micro, M)."""
    values = np.zeros((len(F), votes.n_clusterings))
    known = labeled(votes)
    for m, start in enumerate(votes.ensemble.offsets[:-1]):
        rows = known[:, m]
        clusters = start + votes.micro.row_codes[rows, m]
        values[rows, m] = np.einsum("ik,ik->i", F[rows], P[clusters])
    return values


def project_rows(values: Array, known: Array, penalty: float) -> Array:
    """Weights of each object: its values, shrunk, on the simplex of its labels."""
    shrunk = values / (1.0 + penalty)
    # A missing label is put two below the largest value, which projects to 0.
    least = shrunk.max(axis=1, initial=0.0, where=known, keepdims=True) - 2.0
    return project_simplex(np.where(known, shrunk, least))
