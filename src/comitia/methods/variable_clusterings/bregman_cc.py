"""Consensus similarity that is near to the clusterings in a Bregman divergence."""

from typing import Any

import numpy as np

from comitia._arrays import array_namespace, to_numpy
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._types import Array, Linkage, Maker, Rng, Seed
from comitia.methods._votes import Votes, VotesMethod, penalized_weights
from comitia.optimize import get_bregman
from comitia.partition import cut, distances_of, micro_linkage, ncut

__all__ = ["BregmannianConsensus"]

# Divergences from zero are infinite; similarities are kept this far from 0 and 1.
_EPSILON = 1e-3


class BregmannianConsensus(VotesMethod):
    r"""Bregmannian consensus clustering.

    A similarity of objects that is near to the co-occurrence of each clustering, in a
    divergence of one's choice; clusterings far from it count less [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of the ensemble's graph.

    metric : {"squared", "kl", "itakura_saito"}, default="squared"
        The divergence: squared differences, Kullback-Leibler or Itakura-Saito.

    consensus : {"linkage", "ncut"}, default="linkage"
        What cuts the similarity: a tree or a normalised cut.

    linkage : {"average", "single", "complete"}, default="average"
        Distance of two clusters in the tree.

    weight_penalty : float, default=None
        Strength of the penalty on the squares of the weights, :math:`\lambda`. By
        default the sum of the divergences at the start.

    max_iter : int, default=100
        Most updates of the weights.

    tol : float, default=1e-9
        Stop when the objective changes by less than this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the consensus.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to 1.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form; for ``consensus="linkage"``.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each update; it does not rise.

    n_iter_ : int
        Number of updates of the weights.

    converged_ : bool
        Whether the objective stopped changing before ``max_iter``.

    Notes
    -----
    With :math:`D_\varphi` the divergence of the convex function :math:`\varphi` and
    :math:`S^m = B_m B_m'`,

    .. math::
        \min_{S^*, \, w \in \Delta} \; \sum_m w_m d_m + \lambda \|w\|^2, \qquad
        d_m = \sum_{ij} D_\varphi(S^*_{ij}, S^m_{ij}), \\
        w = P_\Delta \left( \frac{-d}{2 \lambda} \right), \qquad
        \varphi'(S^*) = \sum_m w_m \varphi'(S^m) .

    The unknown is the first argument of the divergence, so that :math:`S^*` is the
    weighted arithmetic mean for the squared divergence, the geometric mean for
    Kullback-Leibler and the harmonic mean for Itakura-Saito. These two are infinite at
    zero, and see :math:`(1 - 2\varepsilon) S^m + \varepsilon` with
    :math:`\varepsilon = 10^{-3}`.

    With the mean divergence :math:`\bar d` as :math:`\lambda`, all weight on one
    clustering would cost :math:`\lambda = \bar d`, and equal weights, with what they
    cost, :math:`\bar d (1 + 1/M)`: the penalty would favour what it is there to
    prevent. The default is :math:`M \bar d`. How :math:`S^*` is cut is not described;
    both ways are ours.

    A hard clustering has only two different similarities, so that :math:`\varphi'(S^*)`
    is a linear function of the weighted co-association, whatever M is. For the squared
    divergence the weights need no similarity at all: :math:`d_m = w'Gw - 2(Gw)_m +
    G_{mm}` from contingency counts. The rest is quadratic in the number of objects with
    different labels: :math:`O(u^2 M)` time for an update, :math:`O(u^2)` memory. On a
    device similarities and divergences are there; the result is cut on the CPU.

    References
    ----------
    .. [1] J. Li, L. Xie, Y. Xie and F. Wang, "Bregmannian consensus clustering for
       cancer subtypes analysis", Computer Methods and Programs in Biomedicine 189,
       2020. :doi:`10.1016/j.cmpb.2020.105337`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("bregman_cc")(n_clusters=2).fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(2)
    array([0.5, 0.5, 0. ])
    """

    card = MethodCard(
        id="bregman_cc",
        weighs="clusterings",
        approach="variable",
        needs="labels",
        scales="quadratic",
        on_device=True,
    )

    _parameter_constraints = {
        **VotesMethod._parameter_constraints,
        "metric": [StrOptions({"squared", "kl", "itakura_saito"})],
        "consensus": [StrOptions({"linkage", "ncut"})],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        metric: str = "squared",
        consensus: str = "linkage",
        linkage: Linkage = "average",
        weight_penalty: float | None = None,
        max_iter: int = 100,
        tol: float = 1e-9,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.metric = metric
        self.consensus = consensus
        self.linkage = linkage
        self.weight_penalty = weight_penalty
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    # The consensus in the loop is the weights of its mean and the divergences from it.

    def _start(self, votes: Votes, rng: Rng) -> tuple[Any, Any]:
        u = votes.micro.n_objects
        votes.require(3 * u * u, f"the similarities of {u} different objects")
        # The cut is made on the CPU, wherever the similarities come from.
        n = u if self.consensus == "linkage" else len(votes.inverse)
        require_memory(
            3 * 8 * n * n,
            f"the cut of the similarities of {n} objects",
            instead="use wcc, wgnmf or iwnmf, which are linear in n",
        )
        consensus = self._update_consensus(votes, votes.uniform, None)
        votes.penalty = self._penalty(lambda: consensus[1].sum())
        return votes.uniform, consensus

    def _update_weights(self, votes: Votes, consensus: Any) -> Any:
        return penalized_weights(consensus[1], votes.penalty)

    def _update_consensus(self, votes: Votes, weights: Array, consensus: Any) -> Any:
        return weights, divergences(votes, weights, self.metric)

    def _objective(self, votes: Votes, weights: Array, consensus: Any) -> float:
        return weights @ consensus[1] + votes.penalty * weights @ weights

    def _result(self, votes: Votes, weights: Array, consensus: Any, rng: Rng) -> Array:
        self.clustering_weights_ = weights
        S = to_numpy(mean_similarity(votes, consensus[0], self.metric))
        S = S.astype(np.float64, copy=False)
        if self.consensus == "ncut":
            full = S[np.ix_(votes.inverse, votes.inverse)]
            _, first = np.unique(votes.inverse, return_index=True)
            return ncut(full, votes.n_clusters, rng)[first][votes.inverse]
        counts = np.bincount(votes.inverse)
        self.linkage_ = micro_linkage(
            distances_of(S), counts, votes.inverse, linkage=self.linkage
        )
        labels = np.zeros(len(counts), dtype=np.int64)
        labels[votes.inverse] = cut(self.linkage_, votes.n_clusters)
        return labels[votes.inverse]


def cooccurrences(votes: Votes, epsilon: Any) -> Any:
    """The similarity of each clustering in turn, kept away from 0 and 1."""
    for m in range(votes.n_clusterings):
        yield (1 - 2 * epsilon) * votes.cooccurrence(m) + epsilon


def mean_similarity(votes: Votes, weights: Array, metric: Any) -> Any:
    """The similarity whose gradient is the weighted mean of the gradients, (u, u)."""
    g: Any = get_bregman(metric)
    epsilon = _epsilon_of(metric)
    if votes.ensemble.is_hard:
        low, high = g.gradient(np.array([epsilon, 1 - epsilon])).tolist()
        return g.inverse(low + (high - low) * votes.coassociation(weights))
    each = zip(weights.tolist(), cooccurrences(votes, epsilon), strict=True)
    return g.inverse(sum(w * g.gradient(S) for w, S in each))


def divergences(votes: Votes, weights: Array, metric: Any) -> Any:
    """Divergence of the mean similarity from each clustering, all copies, (M,)."""
    if metric == "squared":
        Gw = votes.gram @ weights
        d = weights @ Gw - 2 * Gw + np.diag(votes.gram)
        # The sums cancel for equal clusterings; what is left there is rounding.
        return np.where(d > 1e-12 * np.diag(votes.gram), d, 0.0)
    S, c = mean_similarity(votes, weights, metric), votes.counts
    epsilon = _epsilon_of(metric)
    if votes.ensemble.is_hard:
        apart = elementwise_divergence(S, epsilon, metric)
        joined = elementwise_divergence(S, 1 - epsilon, metric)
        return float(c @ (apart @ c)) + votes.pair_sums(joined - apart)
    each = (
        elementwise_divergence(S, one, metric) for one in cooccurrences(votes, epsilon)
    )
    return np.array([float(c @ (apart @ c)) for apart in each])


def elementwise_divergence(x: Any, y: Any, metric: Any) -> Any:
    """D(x, y) of positive numbers, element by element; "kl" or "itakura_saito"."""
    xp, ratio = array_namespace(x), x / y
    if metric == "kl":
        return xp.clip(x * xp.log(ratio) - x + y, 0.0, None)
    return xp.clip(ratio - xp.log(ratio) - 1.0, 0.0, None)


def _epsilon_of(metric: Any) -> float:
    return 0.0 if metric == "squared" else _EPSILON
