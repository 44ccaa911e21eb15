"""Consensus by factorisation of a weighted co-association."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Maker, Rng, Seed
from comitia.methods._votes import Votes, VotesMethod
from comitia.optimize import indicator_start, orthogonal_nmf, qp_simplex
from comitia.optimize.onmf import onmf_objective

__all__ = ["WeightedConsensus"]

# Most sweeps between two updates of the weights. They are not monotone; this many show
# whether a better partition can still be reached, and five times as many no more.
_SWEEPS = 20

# Objectives below this share of the squared norm are rounding.
_ROUNDING = 1e-9


class WeightedConsensus(VotesMethod):
    r"""Weighted consensus clustering (WCC).

    The partition and the weights for which the partition's own co-association is
    nearest to the weighted one of the ensemble: clusterings that can be explained
    together count more [1]_.

    Parameters
    ----------
    n_clusters : shared

    weight_penalty : float, default=0.2
        Strength of the penalty that keeps the weights from gathering on a few
        clusterings, :math:`\lambda`. The paper has none, which is 0; see the notes.

    n_init : int, default=10
        Number of starts of k-means, from which the factors start.

    max_iter : int, default=50
        Most updates of the weights.

    tol : float, default=1e-6
        Stop when the objective changes by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_, objective_, n_iter_, converged_ : shared

    Notes
    -----
    With :math:`S_w = \sum_m w_m B_m B_m'`,

    .. math::
        \min_{w \in \Delta, \, Q, D \ge 0} \|Q D Q' - S_w\|_F^2
        + \lambda \, \bar g \, \|w\|^2 \quad \text{s. t.} \quad Q'Q = I .

    For a fixed consensus the weights solve a quadratic programme,

    .. math::
        \min_{w \in \Delta} \; w'(G + \lambda \bar g I) w - 2 h'w, \qquad
        G_{ml} = \langle B_m B_m', B_l B_l' \rangle, \qquad
        h_m = \langle Q D Q', B_m B_m' \rangle,

    and :math:`\bar g` is the mean of the diagonal of G, so that :math:`\lambda` means
    the same for every number of objects. For fixed weights, up to twenty sweeps of the
    updates of :class:`~comitia.methods.NMFConsensus` start from the last partition. No
    sweep meets :math:`Q'Q = I`; they are compared, and kept, at the partitions that
    they make, as there. The best of them or of the start is the next, and so the
    objective does not rise. Comparing the factors themselves would keep the first
    sweeps and with them the start, since the objective ignores :math:`Q'Q = I`.

    Without a penalty the problem has trivial solutions: :math:`w = e_m` with
    :math:`Q D Q' = B_m B_m'` costs nothing, for every clustering m that has k
    clusters. From equal weights, where the iteration starts, it often ends in the
    neighbourhood of one of them, with a consensus that is worse than that of equal
    weights. Hence the penalty, which is ours; a large one keeps the weights equal, and
    the method is that of [2]_.

    :math:`S_w` is never formed: G comes from contingency counts, :math:`h_m` and the
    sweeps from products with B. Time is :math:`O(nMk)` for a sweep, memory
    :math:`O(nM + nk)`. Objects with equal labels are factorised once, with their count.

    References
    ----------
    .. [1] T. Li and C. Ding, "Weighted consensus clustering", SIAM International
       Conference on Data Mining, 2008.
    .. [2] T. Li, C. Ding and M. I. Jordan, "Solving consensus and semi-supervised
       clustering problems using nonnegative matrix factorization", IEEE ICDM 2007.
       :doi:`10.1109/ICDM.2007.98`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("wcc")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(2)
    array([0.45, 0.45, 0.1 ])
    """

    card = MethodCard(
        id="wcc",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="sums",
        scales="linear",
    )

    _parameter_constraints = {
        "weight_penalty": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        weight_penalty: float = 0.2,
        n_init: int = 10,
        max_iter: int = 50,
        tol: float = 1e-6,
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
        votes.penalty = self.weight_penalty * np.diag(votes.gram).mean()
        labels = votes.start(rng, self.n_init)
        return votes.uniform, self._factorize(votes, votes.uniform, labels)

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        return best_weights(votes, *consensus)

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        return self._factorize(votes, weights, consensus[0].argmax(axis=1))

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        Q, D = consensus
        size = float(weights @ votes.gram @ weights)
        QSQ = Q.T @ (votes.counts[:, None] * (votes.similarity(weights) @ Q))
        QQ = Q.T @ (votes.counts[:, None] * Q)
        fit = max(onmf_objective(size, D, QSQ, QQ), _ROUNDING * size)
        return float(fit + votes.penalty * weights @ weights)

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.clustering_weights_ = weights
        return consensus[0].argmax(axis=1)[votes.inverse]

    def _factorize(
        self, votes: Votes, weights: Array, labels: Array
    ) -> tuple[Any, Any]:
        """The best partition of some sweeps, or that which they start from."""
        factors = orthogonal_nmf(
            votes.similarity(weights),
            indicator_start(labels, votes.n_clusters, weights=votes.counts),
            weights=votes.counts,
            squared_norm=float(weights @ votes.gram @ weights),
            max_iter=_SWEEPS,
        )
        return factors.Q, factors.D


def best_weights(votes: Votes, Q: Array, D: Array) -> Array:
    """The quadratic programme for the weights, with the penalty of the votes."""
    T = votes.to_clusters(Q)
    h = votes.by_clustering(((T @ D) * T).sum(axis=1))
    G = votes.gram + votes.penalty * np.eye(votes.n_clusterings)
    return qp_simplex(G, -h)
