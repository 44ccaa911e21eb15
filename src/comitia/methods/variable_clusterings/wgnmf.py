"""Factorisation of the memberships, smoothed along the weighted co-association."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import array_namespace, to_numpy
from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Maker, Rng, Seed
from comitia.methods._votes import Votes, VotesMethod, penalized_weights
from comitia.optimize import (
    Term,
    frobenius_loss,
    frobenius_term,
    graph_term,
    multiply,
    normalize_columns,
)
from comitia.optimize.nmf import kl_loss, kl_term
from comitia.partition import kmeans

__all__ = ["WGNMF"]

_FLOOR = 1e-12

# Sweeps with equal weights, after which the roughness of the clusterings says
# something about them and no more about the start.
_WARM_UP = 30

# How often a step that would raise the objective is shortened before it is left out.
_SHORTENINGS = 8


class WGNMF(VotesMethod):
    r"""Weighted graph-regularised NMF (WGNMF).

    The memberships of all clusterings are factorised together, and objects that good
    clusterings put together are drawn together; a clustering is good when the factors
    are smooth along it [1]_.

    Parameters
    ----------
    n_clusters : shared

    variant : {"frobenius", "kl"}, default="frobenius"
        The loss: squared errors, or Kullback-Leibler divergences.

    graph_penalty : float, default=None
        Strength of the smoothness, :math:`\lambda`. By default M over the mean size of
        the cluster that an object is in.

    weight_penalty : float, default=None
        Strength of the penalty on the squares of the weights, :math:`\gamma`. By
        default :math:`\lambda \sum_m t_m` after thirty sweeps with equal weights. 0 is
        the printed form, in which the smoothest clustering has all the weight.

    consensus : {"kmeans", "argmax"}, default="kmeans"
        What makes clusters of the factor U: k-means on its rows, or the column in which
        a row is largest.

    n_init : int, default=10
        Number of starts of k-means, from which the factors start and which makes
        clusters of them.

    max_iter : int, default=1000
        Most updates of the weights, each with one sweep over the factors.

    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_, objective_, n_iter_, converged_ : shared

    Notes
    -----
    With :math:`L_m` the Laplacian of :math:`B_m B_m'` and :math:`t_m` the roughness of
    U along it,

    .. math::
        \min_{U, V \ge 0, \, w \in \Delta} \; \|B - UV'\|_F^2
        + \lambda \sum_m w_m t_m + \gamma \|w\|^2, \qquad
        t_m = \mathrm{tr}(U' L_m U)
        = \tfrac12 \sum_{ij} [B_m B_m']_{ij} \|U_i - U_j\|^2,

    or, for ``variant="kl"``, with the generalised Kullback-Leibler divergence of
    :math:`UV'` from B and
    :math:`t_m = \tfrac12 \sum_{ij} [B_m B_m']_{ij} \sum_r (U_{ir} - U_{jr})
    (\ln U_{ir} - \ln U_{jr})`. In turn

    .. math::
        w = P_\Delta \left( -\frac{\lambda t}{2 \gamma} \right), \qquad
        U \leftarrow U \circ \frac{BV + \lambda S_w U}{UV'V + \lambda D_w U}, \qquad
        V \leftarrow V \circ \frac{B'U}{V (U'U + \lambda \, \mathrm{diag}(U' L_w U))},

    with :math:`S_w = \sum_m w_m B_m B_m'`, its degrees :math:`D_w` and Laplacian
    :math:`L_w`. How labels are read from U is not said in the review; k-means on its
    rows is the default. Columns of U differ in length, the more the less equal the
    clusters are, and a long one has the largest entry of nearly every row: with
    ``consensus="argmax"`` clusters are lost, in noise often all but one. The default
    was chosen with labels in view, of six readings on wine, iris, digits and five
    planted ensembles: the largest entry of columns of equal length has a higher
    adjusted Rand index on most of them, but can still lose a cluster, which k-means
    does not.

    As printed the objective is linear in w, and its optimum puts all weight on the
    clustering with the smallest :math:`t_m`; the penalty is ours, and
    :math:`\gamma \to 0` is the printed form. The default grows with M because
    :math:`\|w\|^2` of equal weights falls with it; with the mean in place of the sum,
    one of ten noisy clusterings takes all the weight. Degrees of :math:`S_w` are sizes
    of clusters, and rows of B have M ones; the default of :math:`\lambda` lets both
    terms count alike, whatever the number of objects. With :math:`\lambda = 1`, large
    clusters are smoothed until nothing of them is left.

    The smoothness falls for free when U shrinks and V grows. Columns of V therefore
    have length one (sum one for ``"kl"``), and the smoothness that such a
    normalisation would cost stands in the update of V, last term of its denominator:
    the objective at normalised factors does not rise. Without that term, which the
    review does not have, normalising can undo what the update gained.

    No multiplicative update of U is known to lower the Kullback-Leibler form. The one
    used here splits the gradient, :math:`U \leftarrow U \circ (\text{pull} /
    \text{push})^p`, and halves :math:`p` from one until the objective does not rise.

    :math:`B_m B_m'` is never formed: :math:`t_m = \sum_{c \in C_m} |c|
    \sum_{i \in c} \|U_i\|^2 - \|B_m'U\|_F^2`. Time is :math:`O(nMk)` for a sweep,
    memory :math:`O(nM + nk)`. On a device B is dense: :math:`O(nKk)` time for a sweep
    and :math:`O(nK)` memory with :math:`K` clusters in all clusterings together.

    References
    ----------
    .. [1] L. Du, X. Li and Y.-D. Shen, "Cluster ensembles via weighted graph
       regularized nonnegative matrix factorization", ADMA, LNCS 7120, 2011.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("wgnmf")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(2)
    array([0.5, 0.5, 0. ])
    """

    card = MethodCard(
        id="wgnmf",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="sums",
        scales="linear",
        on_device=True,
    )

    _parameter_constraints = {
        "variant": [StrOptions({"frobenius", "kl"})],
        "consensus": [StrOptions({"kmeans", "argmax"})],
        "graph_penalty": [Interval(Real, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: str = "frobenius",
        graph_penalty: float | None = None,
        weight_penalty: float | None = None,
        consensus: str = "kmeans",
        n_init: int = 10,
        max_iter: int = 1000,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.graph_penalty = graph_penalty
        self.weight_penalty = weight_penalty
        self.consensus = consensus
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _start(self, votes: Votes, rng: Rng) -> tuple[Any, Any]:
        labels = votes.start(rng, self.n_init)
        U = votes.put(np.eye(votes.n_clusters)[labels] + 0.2)
        # A cluster is described by its share of the objects of each consensus cluster.
        V = votes.to_clusters(U) / votes.put(np.maximum(votes.sizes, 1)[:, None])
        V = array_namespace(V).clip(V, _FLOOR, None)
        form = _FORMS[self.variant]
        U, V = normalize_columns(U, V, norm=form.norm)
        for _ in range(_WARM_UP):
            U, V = self._update_consensus(votes, votes.uniform, (U, V))
        t = form.roughness(votes, U)
        votes.penalty = self._penalty(lambda: self._smoothness(votes) * t.sum())
        return votes.uniform, (U, V)

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        t = _FORMS[self.variant].roughness(votes, consensus[0])
        return penalized_weights(self._smoothness(votes) * t, votes.penalty)

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        form, strength = _FORMS[self.variant], self._smoothness(votes)
        U = form.update_objects(votes, weights, *consensus, strength)
        V = form.update_clusters(votes, weights, U, consensus[1], strength)
        return normalize_columns(U, V, norm=form.norm)

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        form = _FORMS[self.variant]
        rough = weights @ form.roughness(votes, consensus[0])
        smooth = self._smoothness(votes) * rough
        ridge = votes.penalty * weights @ weights
        return form.loss(votes, *consensus) + smooth + ridge

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.clustering_weights_ = weights
        U = to_numpy(consensus[0])
        if self.consensus == "argmax":
            return U.argmax(axis=1)[votes.inverse]
        counts = to_numpy(votes.counts)
        k = min(votes.n_clusters, len(U))
        found = kmeans(U, k, rng, sample_weight=counts, n_init=self.n_init)
        return found.labels[votes.inverse]

    def _smoothness(self, votes: Votes) -> float:
        if self.graph_penalty is not None:
            return float(self.graph_penalty)
        pairs = np.square(votes.sizes).sum()
        return float(votes.n_clusterings * votes.sizes.sum() / pairs)


def similarity_row_sums(votes: Votes, weights: Array) -> Any:
    """Row sums of the weighted co-association, over all copies."""
    w = weights[votes.ensemble.clustering_of] * votes.sizes
    return votes.to_objects(votes.put(w[:, None]))[:, 0]


class Frobenius:
    """Squared errors and squared differences."""

    norm = 2

    @staticmethod
    def loss(votes: Votes, U: Any, V: Any) -> float:
        return frobenius_loss(votes.membership, U, V, row_weights=votes.counts)

    @staticmethod
    def roughness(votes: Votes, U: Any) -> Any:
        return _roughness(votes, U, U).sum(axis=1)

    @staticmethod
    def update_objects(
        votes: Votes, weights: Array, U: Any, V: Any, strength: float
    ) -> Any:
        data = frobenius_term(votes.membership, U, V)
        S, d = votes.similarity(weights), similarity_row_sums(votes, weights)
        return multiply(U, data, graph_term(S, U, strength, degrees=d), floor=_FLOOR)

    @staticmethod
    def update_clusters(
        votes: Votes, weights: Array, U: Any, V: Any, strength: float
    ) -> Any:
        data = Term(votes.to_clusters(U), V @ (U.T @ (votes.counts[:, None] * U)))
        rough = votes.put(strength * weights @ _roughness(votes, U, U))
        return multiply(V, data, Term(0.0, V * rough), floor=_FLOOR)


class KullbackLeibler:
    """Divergences of the fit, and between the rows of U."""

    norm = 1

    @staticmethod
    def loss(votes: Votes, U: Any, V: Any) -> Any:
        return kl_loss(votes.membership, U, V, row_weights=votes.counts)

    @staticmethod
    def roughness(votes: Votes, U: Any) -> Any:
        return _roughness(votes, U, array_namespace(U).log(U)).sum(axis=1)

    @classmethod
    def update_objects(
        cls, votes: Votes, weights: Array, U: Any, V: Any, strength: Any
    ) -> Any:
        S, d = votes.similarity(weights), similarity_row_sums(votes, weights)[:, None]
        xp = array_namespace(U)
        # Counted from the smallest logarithm, none is negative; S 1 = d cancels it.
        logs = xp.log(U) - xp.log(xp.min(U))
        data = kl_term(votes.membership, U, V)
        half = strength / 2
        graph = Term(half * (S @ logs + (S @ U) / U), half * d * (logs + 1.0))

        def cost(U: Any) -> Any:
            return cls.loss(votes, U, V) + strength * weights @ cls.roughness(votes, U)

        before = cost(U)
        for halvings in range(_SHORTENINGS):
            moved = multiply(U, data, graph, power=0.5**halvings, floor=_FLOOR)
            if cost(moved) <= before:
                return moved
        return U

    @staticmethod
    def update_clusters(
        votes: Votes, weights: Array, U: Any, V: Any, strength: Any
    ) -> Any:
        data = kl_term(votes.membership.T, V, U, column_weights=votes.counts)
        logs = array_namespace(U).log(U)
        rough = votes.put(strength / 2 * weights @ _roughness(votes, U, logs))
        return multiply(V, data, Term(0.0, rough), floor=_FLOOR)


_FORMS: dict[str, Any] = {"frobenius": Frobenius, "kl": KullbackLeibler}


def _roughness(votes: Votes, U: Any, W: Any) -> Any:
    """Half the sum of (U_i - U_j)(W_i - W_j) over pairs in a cluster, (M, k)."""
    own = votes.sizes[:, None] * to_numpy(votes.to_clusters(U * W))
    together = to_numpy(votes.to_clusters(U))
    table = own - together * (together if W is U else to_numpy(votes.to_clusters(W)))
    columns = [votes.by_clustering(column) for column in table.T]
    # The sums cancel where U is smooth; what is left there is rounding.
    return np.maximum(np.stack(columns, axis=1), 0.0)
