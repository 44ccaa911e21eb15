"""Overlapping clusters by a Bayesian factorisation of the co-association."""

from numbers import Real
from typing import Any

import numpy as np

from comitia._arrays import array_namespace, to_numpy
from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._memberships import fuzzy_clusters
from comitia.methods._types import Array, Ensemble, Maker, Rng, Seed
from comitia.methods._votes import Votes, VotesMethod
from comitia.optimize import Term, multiply

__all__ = ["ECBNMF"]

# Least similarity that the factors may give to a pair: its logarithm is finite.
_FLOOR = 1e-10


class ECBNMF(VotesMethod):
    r"""Ensemble clustering by Bayesian non-negative matrix factorisation (EC-BNMF).

    Memberships that explain how often objects meet, in no more clusters than needed and
    with overlap where the clusterings overlap; made to find protein complexes in the
    results of several algorithms [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, at most, :math:`K`. ``None`` takes the largest number that a
        clustering has.

    threshold : float, default=None
        An object joins the clusters in which its membership is larger, :math:`\tau`;
        :math:`1/K` by default.

    weight_penalty : float, default=None
        How much the entropy of the weights counts, :math:`\lambda`. By default the
        mean absolute score :math:`|g_m|` at the start.

    prior : (float, float), default=(2.0, 1.0)
        Shape a and scale b of the inverse gamma prior on the variances of the columns.

    n_init : int, default=10
        Number of starts of k-means, from which the memberships start.

    max_iter : int, default=500
        Most updates of the weights, each with one of the memberships.

    tol : float, default=1e-5
        Stop when the objective changes by less than this share of itself.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    membership_ : ndarray of shape (n_objects, n_clusters_)
        Memberships :math:`F`; rows sum to one. Labels are their largest entries, and
        columns in which no object has its largest are left out.

    joined_ : ndarray of shape (n_objects, n_clusters_), bool
        Which clusters each object joins: those above the threshold.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each update.

    n_iter_, converged_ : shared

    Notes
    -----
    With :math:`S = \sum_m w_m B_m B_m'`, minus the logarithm of the posterior, less the
    entropy H of the weights, is

    .. math::
        \sum_{ij} \left( (FF')_{ij} - S_{ij} \ln (FF')_{ij} \right)
        + \sum_v \left( \frac{\|F_{\cdot v}\|^2 + 2b}{2 \beta_v}
        + \left( \tfrac{n}{2} + a + 1 \right) \ln \beta_v \right) - \lambda H(w),

    from a half-normal prior with variance :math:`\beta_v` on column v and an inverse
    gamma prior on :math:`\beta_v`, which lets columns die out. In turn

    .. math::
        w_m = \frac{e^{g_m / \lambda}}{\sum_l e^{g_l / \lambda}}, \quad
        g_m = \sum_{ij} [B_m B_m']_{ij} \ln (FF')_{ij}, \qquad
        \beta_v = \frac{\|F_{\cdot v}\|^2 / 2 + b}{n/2 + a + 1}, \\
        F \leftarrow F \circ \sqrt{ \frac{(S / FF') F}
        {1 1' F + F \, \mathrm{diag}(1 / 2\beta)} },

    and rows of F are divided by their sums. The likelihood also has the term
    :math:`\ln \Gamma(S_{ij} + 1)`; treated as a constant, it leaves the closed form of
    the weights that the review mentions. The scores :math:`g` grow with the square of
    the number of objects, and so must :math:`\lambda`; hence its default. Their
    standard deviation would be too little: F fits a clustering that has a little more
    weight, whose score rises by the size of the scores themselves, until it has all of
    it (four planted clusters, 60 % of the labels random: an adjusted Rand index of
    0.19, against 0.74). As :math:`(FF')_{ij} \le 1`, clusterings with few pairs of
    objects together have the larger scores: the weights compare clusterings of about
    the same number of clusters.

    The update of F alone does not raise the objective; with the rows divided, which the
    priors do not ask for, it can. The best iterate is kept.

    S / FF' has no structure to use. Objects with equal labels are factorised once, with
    their count; time and memory are quadratic in their number, :math:`O(u^2 K)` and
    :math:`O(u^2)`.

    References
    ----------
    .. [1] L. Ou-Yang, D.-Q. Dai and X.-F. Zhang, "Protein complex detection via
       weighted ensemble clustering based on Bayesian nonnegative matrix factorization",
       PLoS ONE 8(5), 2013. :doi:`10.1371/journal.pone.0062158`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("ec_bnmf")(n_clusters=2, random_state=0).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="ec_bnmf",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        missing="sums",
        scales="quadratic",
        on_device=True,
        quick={"tol": 1e-3, "n_init": 3},
    )

    _parameter_constraints = {
        "weight_penalty": [Interval(Real, 0, None, closed="neither"), None],
        "threshold": [Interval(Real, 0, 1, closed="both"), None],
        "prior": [tuple, list],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        threshold: float | None = None,
        weight_penalty: float | None = None,
        prior: tuple[float, float] = (2.0, 1.0),
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-5,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold
        self.weight_penalty = weight_penalty
        self.prior = prior
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _resolve_n_clusters(self, ensemble: Ensemble, **weights: Any) -> int:
        largest = min(int(ensemble.n_clusters_each.max()), ensemble.n_objects)
        return largest if self.n_clusters is None else int(self.n_clusters)

    def _start(self, votes: Votes, rng: Rng) -> tuple[Any, Any]:
        check_prior(self.prior)
        u = votes.micro.n_objects
        votes.require(4 * u * u, f"the similarities of {u} different objects")
        F = np.eye(votes.n_clusters)[votes.start(rng, self.n_init)]
        F = F + 0.2 / votes.n_clusters
        F = votes.put(F / F.sum(axis=1, keepdims=True))
        votes.penalty = self._penalty(lambda: np.abs(scores(votes, F)).mean() or 1.0)
        return votes.uniform, F

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        return softmax(scores(votes, consensus) / votes.penalty)

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        beta = variances(votes, consensus, *self.prior)
        F = update_memberships(votes, weights, consensus, beta)
        return F / array_namespace(F).sum(F, axis=1, keepdims=True)

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        a, b = self.prior
        xp = array_namespace(consensus)
        beta = variances(votes, consensus, a, b)
        squares = votes.counts @ (consensus * consensus)
        half = len(votes.inverse) / 2 + a + 1
        columns = (squares + 2 * b) / (2 * beta) + half * xp.log(beta)
        fit = xp.sum((votes.counts @ consensus) ** 2)
        entropy = -weights @ np.log(np.maximum(weights, 1e-300))
        explained = weights @ scores(votes, consensus)
        return float(fit) - explained + float(xp.sum(columns)) - votes.penalty * entropy

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.clustering_weights_ = weights
        consensus = to_numpy(consensus).astype(np.float64, copy=False)[votes.inverse]
        labels, order, self.membership_ = fuzzy_clusters(consensus)
        least = 1 / votes.n_clusters if self.threshold is None else self.threshold
        self.joined_ = least < consensus[:, order]
        return labels


def check_prior(prior: tuple[Any, ...]) -> None:
    """Refuse a prior that is not a pair of positive numbers."""
    try:
        a, b = (float(value) for value in prior)
    except (TypeError, ValueError):
        a = b = 0.0
    if not (a > 0 and b > 0 and np.isfinite([a, b]).all()):
        raise ComitiaError(
            f"prior={prior!r} must be a pair of positive numbers, the shape and the "
            "scale of an inverse gamma distribution."
        )


def softmax(values: Any) -> Any:
    """Exponentials that sum to one."""
    powers = np.exp(values - values.max())
    return powers / powers.sum()


def similarities(F: Any) -> Any:
    """FF', nowhere below the floor."""
    S = F @ F.T
    S[S < _FLOOR] = _FLOOR
    return S


def scored(votes: Votes, F: Any) -> tuple[Any, Any]:
    """FF', and its log over the pairs that each clustering puts together, (M,).

    The objective of an iterate and the next weights and memberships ask for the same.
    """
    if votes.scored is None or votes.scored[0] is not F:
        votes.scored = None  # room for the next
        S = similarities(F)
        votes.scored = F, S, votes.pair_sums(array_namespace(F).log(S))
    return votes.scored[1:]


def scores(votes: Votes, F: Any) -> Any:
    """Log-similarity of the pairs that each clustering puts together, (M,)."""
    return scored(votes, F)[1]


def variances(votes: Votes, F: Any, a: float, b: float) -> Any:
    """The most probable variance of each column."""
    squares = votes.counts @ (F * F)
    return (squares / 2 + b) / (len(votes.inverse) / 2 + a + 1)


def update_memberships(votes: Votes, weights: Array, F: Any, beta: Any) -> Any:
    """One step down the objective, before the rows are divided."""
    ratio = votes.coassociation(weights)
    ratio /= scored(votes, F)[0]
    pull = ratio @ (votes.counts[:, None] * F)
    push = votes.counts @ F + F / (2 * beta)
    return multiply(F, Term(pull, push), power=0.5)
