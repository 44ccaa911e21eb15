"""EC-CMS: co-association matrix self-enhancement."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._loops import warn_stopped_early
from comitia.methods._similarity_tree import distinct_in_pairs, similarity_tree
from comitia.methods._twins import TwinMatrix, TwinSolver
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut
from comitia.represent import coassociation
from comitia.weigh import entropy_certainty

__all__ = ["ECCMS"]

# A share of clusterings that reaches a threshold but for rounding has reached it.
_SAME = 1e-9
# Multipliers below this share of the target are taken for 0.
_NO_NOISE = 1e-3


class ECCMS(EnsembleMethod):
    r"""Ensemble clustering via co-association matrix self-enhancement.

    Pairs of objects that nearly all clusterings join are trusted. Their likeness
    spreads over the locally weighted co-association, what contradicts it is taken for
    noise, and average linkage cuts what is left [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    threshold : float, default=0.75
        Share :math:`\alpha` of the clusterings that must join two objects for the pair
        to be trusted.

    noise_penalty : float, default=0.01
        What noise costs, :math:`\lambda`.

    theta : float, default=0.4
        How slowly, :math:`\theta`, the weight of a cluster falls with its uncertainty.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    max_iter : int, default=100
        Most rounds.

    tol : float, default=1e-2
        Stop when nothing changes by more than this share, and the constraints hold up
        to it.

    generator : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weight of each cluster, in (0, 1].

    linkage_ : shared

    n_iter_ : int
        Number of rounds.

    converged_ : bool
        Whether the rounds ended before ``max_iter``.

    Notes
    -----
    Let T be the co-association of LWEA with a unit diagonal, A the plain one, H = A
    where :math:`A \ge \alpha` off the diagonal and 0 elsewhere, and :math:`\Phi` the
    Laplacian of H. With noise E,

    .. math::
        \min_{C, E} \mathrm{tr}(C' \Phi C) + \tfrac{\lambda}{2} \lVert E \rVert_F^2,
        \qquad T = C + E, \quad E_{ij} = 0 \text{ where } H_{ij} > 0, \quad
        C = C', \quad 0 \le C_{ij} \le 1,

    by ADMM with both penalties 1 and a copy F of C that is symmetric and in [0, 1].
    Objects with equal labels have equal rows in all of these matrices, so that the
    rounds run on distinct label rows and give the same result.

    The authors hand C to a routine that reads one triangle of it, while C is not yet
    symmetric, so that their labels depend on the order of the objects. F is used here.
    Their code was read, not the paper. With a threshold above 1 nothing is trusted and
    the tree is that of LWEA.

    References
    ----------
    .. [1] Y. Jia, S. Tao, R. Wang and Y. Wang, "Ensemble clustering via co-association
       matrix self-enhancement", IEEE TNNLS 35(8), 2024.
       :doi:`10.1109/TNNLS.2023.3249207`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> method("ec_cms")(n_clusters=2).fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ec_cms",
        source="after",
        weighs="clusters",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "threshold": [Interval(Real, 0, None, closed="neither")],
        "noise_penalty": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float = 0.75,
        noise_penalty: float = 0.01,
        theta: float = 0.4,
        linkage: Linkage = "average",
        max_iter: int = 100,
        tol: float = 1e-2,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.noise_penalty = noise_penalty
        self.theta = theta
        self.linkage = linkage
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        n_clusters = self._resolve_n_clusters(ensemble)
        self.cluster_weights_ = entropy_certainty(ensemble, theta=self.theta)
        micro, counts, inverse = distinct_in_pairs(ensemble, 22, "the rounds over")
        target = coassociation(
            micro, cluster_weights=self.cluster_weights_, dtype=np.float64
        )
        plain = coassociation(micro, dtype=np.float64)
        enhanced = self._enhanced(
            TwinMatrix(target, np.ones(len(counts))), plain, counts
        )
        self.linkage_ = similarity_tree(enhanced.pairs, counts, inverse, self.linkage)
        return cut(self.linkage_, n_clusters)

    def _enhanced(
        self, T: TwinMatrix, plain: NDArray[np.float64], counts: NDArray[np.int64]
    ) -> TwinMatrix:
        """The symmetric copy F of the matrix that is learnt."""
        trusted = plain >= self.threshold - _SAME
        nothing = np.zeros_like(T.own)
        Phi = TwinMatrix(np.where(trusted, plain, 0.0), nothing).laplacian(counts)
        solver = TwinSolver(TwinMatrix(2.0 * Phi.pairs, 2.0 * Phi.own + 2.0), counts)
        free = TwinMatrix((~trusted).astype(np.float64), np.ones_like(T.own))
        C = E = F = Y2 = TwinMatrix(np.zeros_like(plain), nothing)
        Y1 = T
        # Where nothing is noise the multipliers vanish, and are no scale.
        least = _NO_NOISE * T.norm(counts)
        self.converged_ = False
        for n_iter in range(1, self.max_iter + 1):
            self._report("combine", n_iter - 1, self.max_iter)
            self.n_iter_ = n_iter
            before = C, E, F
            C = solver.solve(T.map(_right_side, E, Y1, F, Y2))
            E = T.map(
                lambda t, c, y, f: (t - c + y) / (self.noise_penalty + 1.0) * f,
                C,
                Y1,
                free,
            )
            F = C.map(np.add, Y2).symmetric().map(lambda x: np.clip(x, 0.0, 1.0))
            gaps = T.map(lambda t, c, e: t - c - e, C, E), C.map(np.subtract, F)
            Y1, Y2 = Y1.map(np.add, gaps[0]), Y2.map(np.add, gaps[1])
            changes = [
                (new.map(np.subtract, old), old)
                for new, old in zip((C, E, F), before, strict=True)
            ]
            if all(
                change.norm(counts) <= self.tol * max(scale.norm(counts), least)
                for change, scale in [*changes, (gaps[0], Y1), (gaps[1], Y2)]
            ):
                self.converged_ = True
                break
        else:
            warn_stopped_early(self, "rounds")
        return F


def _right_side(t: Any, e: Any, y1: Any, f: Any, y2: Any) -> Any:
    return (t - e + y1) + (f - y2)
