"""SDGCA: similarity and dissimilarity guided co-association."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import warn_stopped_early
from comitia.methods._similarity_tree import distinct_in_pairs, similarity_tree
from comitia.methods._twins import TwinMatrix, components_of
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.fixed_clusters._propagated import propagated_coassociation
from comitia.partition import cut
from comitia.represent import (
    coassociation,
    jaccard_clusters,
    random_walk_similarity,
)
from comitia.weigh import entropy_certainty

__all__ = ["SDGCA"]

Floats = NDArray[np.float64]

# A share of clusterings that reaches a threshold but for rounding has reached it.
_SAME = 1e-9
# Likeness of similar pairs starts here, as in the authors' code.
_SIMILAR = 0.8
# The penalty grows by this factor in each round, up to the last value.
_GROWTH, _LARGEST_PENALTY = 1.1, 1e6
# Rows of all pairs that are worked on together; they stay in the processor's cache.
_ROWS = 32


class SDGCA(EnsembleMethod):
    r"""Similarity and dissimilarity guided co-association.

    Pairs that most clusterings join are held together, pairs whose clusters have
    nothing to do with each other are held apart. Both spread to their neighbours and
    correct the co-association that is weighed by normalised uncertainties, which
    average linkage then cuts [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    theta : float, default=0.09
        How slowly the weight of a cluster falls with its uncertainty; :math:`\lambda`
        of [1]_.

    threshold : float, default=0.75
        Share :math:`\eta` of the clusterings that must join two objects for likeness to
        spread between them. Above 1 the method is NWCA.

    similar_share : float, default=0.65
        Share of the clusterings that must join a pair to be held together.

    dissimilar_share : float, default=0.8
        Mean unlikeness of its clusters from which on a pair is held apart.

    n_steps : int, default=20
        Length of the random walks between clusters.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    max_iter : int, default=300
        Most rounds.

    tol : float, default=1e-3
        Stop when nothing changes by more than this, in the Frobenius norm.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    linkage_ : shared

    n_iter_ : int
        Number of rounds; 0 where there is nothing to spread.

    converged_ : bool
        Whether the rounds ended before ``max_iter``.

    Notes
    -----
    With the co-association A, that of NWCA W (weights
    :math:`e^{-H_c / (\theta M \log_2 k_m)}`, divided by its largest value, unit
    diagonal), and the Laplacian L of A where :math:`A \ge \eta`,

    .. math::
        \min_{X, Y} \mathrm{tr}(X L X') + \mathrm{tr}(Y L Y') + \langle X', Y \rangle,

    with X and Y symmetric and in [0, 1]. X is given for pairs held together, by W
    scaled to [0.8, 1], and Y for pairs held apart, by their mean
    :math:`1 - Z(C_m(i), C_m(j))` with the walks Z of ECPCS. With :math:`f = X - Y` the
    result is :math:`1 - (1 - f)(1 - W)` where :math:`f \ge 0` and :math:`(1 + f) W`
    elsewhere. The steps of ADMM are the authors': the proximal weight is twice the step
    of the multipliers and grows, so that the rounds end. All matrices have equal rows
    for objects with equal labels, and the rounds run on distinct label rows.

    The authors tune the three numbers for each data set with the classes in view; those
    of their example are the default here. At these, NWCA alone
    (``LWEA(normalized=True, theta=0.09)``) was better on six pools. Their code was
    read, and the abstract of the paper.

    References
    ----------
    .. [1] X. Zhang, Y. Jia, M. Song and R. Wang, "Similarity and dissimilarity guided
       co-association matrix construction for ensemble clustering", IEEE TKDE, 2025.
       :doi:`10.1109/TKDE.2025.3608721`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("sdgca")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="sdgca",
        source="after",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, None, closed="neither")],
        "similar_share": [Interval(Real, 0, None, closed="neither")],
        "dissimilar_share": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        theta: float = 0.09,
        threshold: float = 0.75,
        similar_share: float = 0.65,
        dissimilar_share: float = 0.8,
        n_steps: int = 20,
        linkage: Linkage = "average",
        max_iter: int = 300,
        tol: float = 1e-3,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.theta = theta
        self.threshold = threshold
        self.similar_share = similar_share
        self.dissimilar_share = dissimilar_share
        self.n_steps = n_steps
        self.linkage = linkage
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        self.cluster_weights_ = entropy_certainty(ensemble, self.theta, normalized=True)
        micro, counts, inverse = distinct_in_pairs(ensemble, 25, "the rounds over")
        weighed = coassociation(
            micro, cluster_weights=self.cluster_weights_, dtype=np.float64
        )
        W = TwinMatrix(weighed / weighed.max(), np.ones(len(counts)))
        self.n_iter_, self.converged_ = 0, True
        if self.threshold <= 1.0 + _SAME:
            W = self._corrected(ensemble, micro, W, counts)
        self.linkage_ = similarity_tree(W.pairs, counts, inverse, self.linkage)
        return cut(self.linkage_, n_clusters)

    def _corrected(
        self,
        ensemble: Ensemble,
        micro: Ensemble,
        W: TwinMatrix,
        counts: NDArray[np.int64],
    ) -> TwinMatrix:
        plain = coassociation(micro, dtype=np.float64)
        trusted = np.where(plain >= self.threshold - _SAME, plain, 0.0)
        walks = random_walk_similarity(jaccard_clusters(ensemble), self.n_steps)
        unlike = 1.0 - propagated_coassociation(micro, walks)
        apart = np.where(unlike >= self.dissimilar_share - _SAME, unlike, 0.0)
        together = _scaled_likeness(W, plain >= self.similar_share - _SAME, counts)
        together.pairs[apart > 0] = 0.0
        L = TwinMatrix(trusted, np.zeros(len(plain))).laplacian(counts)
        shift = self._spread(
            L, together, TwinMatrix(apart, np.zeros(len(plain))), counts
        )
        return W.map(
            lambda w, f: np.where(f >= 0, 1.0 - (1.0 - f) * (1.0 - w), (1.0 + f) * w),
            shift,
        )

    def _spread(
        self,
        L: TwinMatrix,
        together: TwinMatrix,
        apart: TwinMatrix,
        counts: NDArray[np.int64],
    ) -> TwinMatrix:
        """Likeness less unlikeness of all pairs; both are symmetric and in [0, 1]."""
        parts = sorted(components_of(L.pairs), key=len, reverse=True)
        order = np.concatenate(parts)
        counts = counts[order]
        inverse = _ShiftedInverse(L.taken(order), counts, [len(part) for part in parts])
        X, Y = (_Side(given.taken(order), counts) for given in (together, apart))
        mu = 1.0
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            self._report("combine", n_iter - 1, self.max_iter)
            self.n_iter_ = n_iter
            inverse.prepare(mu)
            next_mu = min(_GROWTH * mu, _LARGEST_PENALTY)
            # All of Y is kept transposed, so that the two meet without that.
            X.solve_for(Y, inverse.solve)
            gap = X.hold(mu, next_mu)
            Y.solve_for(X, lambda R: inverse.solve(R.transposed()))
            gap = max(gap, Y.hold(mu, next_mu))
            if gap < self.tol and X.moved() < self.tol and Y.moved() < self.tol:
                self.converged_ = True
                break
            mu = next_mu
        else:
            warn_stopped_early(self, "rounds")
        f = _clipped(X.values).map(np.subtract, _clipped(Y.values))
        return f.taken(np.argsort(order))


class _ShiftedInverse:
    """Solves X (2 L + 2 mu I) = R for any mu, by the eigenvalues of L.

    The connected parts of L, whose sizes are given, stand one after the other, those of
    one micro-object last.
    """

    def __init__(
        self, L: TwinMatrix, counts: NDArray[np.int64], sizes: list[int]
    ) -> None:
        self.shift, self.parts = 2.0 * L.shift(), []
        start = 0
        for size in sizes:
            if size == 1:
                break
            part = slice(start, start + size)
            root = np.sqrt(counts[part])
            edges = 2.0 * L.pairs[part, part]
            inner = edges * root[:, None] * root
            inner[np.diag_indices(size)] += self.shift[part]
            values, vectors = np.linalg.eigh(inner)
            left, back = vectors * root[:, None], vectors.T / root
            self.parts.append((part, edges, values, left, back))
            start += size
        # Those that are parts of their own are divided at once.
        self.alone = slice(start, len(counts))
        self.edges = 2.0 * np.diagonal(L.pairs)[self.alone]
        self.values = self.edges * counts[self.alone] + self.shift[self.alone]

    def prepare(self, mu: float) -> None:
        """Choose mu."""
        self.mu = mu
        self.inverses = [
            (part, edges, (left / (values + 2.0 * mu)) @ back)
            for part, edges, values, left, back in self.parts
        ]

    def solve(self, R: TwinMatrix) -> None:
        """Replace R by X."""
        own = R.shift() / (self.shift + 2.0 * self.mu)
        for part, edges, inverse in self.inverses:
            R.pairs[part, part] -= own[part, None] * edges
            R.pairs[:, part] = R.pairs[:, part] @ inverse
        alone = self.alone
        np.einsum("aa->a", R.pairs)[alone] -= own[alone] * self.edges
        R.pairs[:, alone] /= self.values + 2.0 * self.mu
        R.own[:] = np.diagonal(R.pairs) + own


class _Side:
    """Likeness or unlikeness X, its symmetric copy F in [0, 1], and multipliers P.

    A round works in place, some rows at a time: new matrices of all pairs take longer
    than the arithmetic. Of F only 2 mu F - P is kept, which is what X is solved for.
    """

    def __init__(self, given: TwinMatrix, counts: NDArray[np.int64]) -> None:
        self.given, self.counts = given, counts.astype(np.float64)
        self.values, self.before, self.pull, self.multipliers = (
            TwinMatrix(np.zeros_like(given.pairs), np.zeros_like(given.own))
            for _ in range(4)
        )
        self.held = np.empty_like(given.pairs)
        self.rows = [slice(i, i + _ROWS) for i in range(0, len(counts), _ROWS)]

    def solve_for(self, other: _Side, solve: Callable[[TwinMatrix], None]) -> None:
        """The step of X."""
        self.before, self.values = self.values, self.before
        np.subtract(self.pull.pairs, other.values.pairs, out=self.values.pairs)
        np.subtract(self.pull.own, other.values.own, out=self.values.own)
        solve(self.values)

    def hold(self, mu: float, next_mu: float) -> float:
        """The steps of F and P; returns how far X and F are apart."""
        X, P, pull, held = self.values, self.multipliers, self.pull, self.held
        for rows in self.rows:
            _hold(P.pairs[rows], X.pairs[rows], mu, self.given.pairs[rows], held[rows])
        n, squares = self.counts, 0.0
        for rows in self.rows:
            F = held[rows] + held[:, rows].T
            F /= 2.0
            gap = X.pairs[rows] - F
            squares += float(n[rows] @ (gap**2 @ n))
            gap *= mu
            P.pairs[rows] += gap
            F *= 2.0 * next_mu
            np.subtract(F, P.pairs[rows], out=pull.pairs[rows])
        F = _hold(P.own, X.own, mu, self.given.own, np.empty_like(X.own))
        gap, twins = X.own - F, np.diagonal(X.pairs) - np.diagonal(held)
        P.own[:] += mu * gap
        pull.own[:] = 2.0 * next_mu * F - P.own
        return self._norm(squares, gap, twins)

    def moved(self) -> float:
        """How far X moved."""
        n, squares = self.counts, 0.0
        for rows in self.rows:
            step = self.values.pairs[rows] - self.before.pairs[rows]
            squares += float(n[rows] @ (step**2 @ n))
        own = self.values.own - self.before.own
        twins = np.diagonal(self.values.pairs) - np.diagonal(self.before.pairs)
        return self._norm(squares, own, twins)

    def _norm(self, squares: float, own: Floats, twins: Floats) -> float:
        """Of a matrix of all objects, by the sum of squares of its micro-objects."""
        inside = float(self.counts @ (own**2 - twins**2))
        return max(squares + inside, 0.0) ** 0.5


def _hold(P: Floats, X: Floats, mu: float, given: Floats, out: Floats) -> Floats:
    """The copy in [0, 1] that has the given values where there are any."""
    np.divide(P, 2.0 * mu, out=out)
    out += X
    np.clip(out, 0.0, 1.0, out=out)
    np.copyto(out, given, where=given > 0)
    return out


def _clipped(matrix: TwinMatrix) -> TwinMatrix:
    return matrix.map(lambda x: np.clip(x, 0.0, 1.0)).symmetric()


def _scaled_likeness(
    W: TwinMatrix, similar: NDArray[np.bool_], counts: NDArray[np.int64]
) -> TwinMatrix:
    """Likeness of similar pairs in (0.8, 1]; 0 for all others."""
    values = TwinMatrix(np.where(similar, W.pairs, 0.0), W.own)
    # The value of two twins counts only where there are two.
    real = values.pairs.copy()
    real[np.diag_indices(len(real))] = np.where(
        counts > 1, np.diagonal(real), values.own
    )
    low, high = min(real.min(), 1.0), 1.0
    width = high - low if high > low else 1.0
    scaled = values.map(lambda v: _SIMILAR + (1.0 - _SIMILAR) * (v - low) / width)
    return scaled.map(lambda v: np.where(v <= _SIMILAR + _SAME, 0.0, v))
