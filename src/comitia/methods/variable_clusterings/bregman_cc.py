"""Consensus similarity that is near to the clusterings in a Bregman divergence."""

import numpy as np

from comitia._arrays import to_numpy
from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.methods._alternating import AlternatingMethod, penalized_weights
from comitia.optimize import bregman_elementwise, get_bregman
from comitia.partition import cut, distances_of, micro_linkage, ncut

__all__ = ["BregmannianConsensus"]

# Divergences from zero are infinite; similarities are kept this far from 0 and 1.
_EPSILON = 1e-3


class BregmannianConsensus(AlternatingMethod):
    r"""Bregmannian consensus clustering.

    A similarity of objects that is near to the co-occurrence of each clustering, in a
    divergence of one's choice; clusterings far from it count less [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime, or takes the
        eigengap of the similarity.

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
        The most updates of the weights.

    tol : float, default=1e-9
        Stop when the objective changes by less than this share of itself.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the normalised cut, and of the generator.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to one.

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
        **AlternatingMethod._parameter_constraints,
        "metric": [StrOptions({"squared", "kl", "itakura_saito"})],
        "consensus": [StrOptions({"linkage", "ncut"})],
        "linkage": [StrOptions({"average", "single", "complete"})],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        metric="squared",
        consensus="linkage",
        linkage="average",
        weight_penalty=None,
        max_iter=100,
        tol=1e-9,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.metric = metric
        self.consensus = consensus
        self.linkage = linkage
        self.weight_penalty = weight_penalty
        self.max_iter = max_iter
        self.tol = tol
        self.generator = generator
        self.random_state = random_state

    def _resolve_n_clusters(self, ensemble, **weights):
        return self.n_clusters  # the tree or the cut chooses

    # The consensus in the loop is the weights of its mean and the divergences from it.

    def _begin(self, votes, rng):
        u = votes.micro.n_objects
        votes.require(3 * u * u, f"the similarities of {u} different objects")
        # The cut is made on the CPU, wherever the similarities come from.
        n = u if self.consensus == "linkage" else len(votes.inverse)
        require_memory(
            3 * 8 * n * n,
            f"the cut of the similarities of {n} objects",
            instead="use wcc, wgnmf or iwnmf, which are linear in n",
        )
        consensus = self._refine(votes, self._first_weights(votes), None)
        votes.penalty = self._penalty(lambda: consensus[1].sum())
        return consensus

    def _weigh(self, votes, consensus):
        return penalized_weights(consensus[1], votes.penalty)

    def _refine(self, votes, weights, consensus):
        return weights, divergences(votes, weights, self.metric)

    def _cost(self, votes, weights, consensus):
        return weights @ consensus[1] + votes.penalty * weights @ weights

    def _result(self, votes, weights, consensus, rng):
        self._store(votes, weights[0])
        S = to_numpy(mean_similarity(votes, consensus[0], self.metric))
        S = S.astype(np.float64, copy=False)
        if self.consensus == "ncut":
            full = S[np.ix_(votes.inverse, votes.inverse)]
            _, first = np.unique(votes.inverse, return_index=True)
            return ncut(full, votes.n_clusters, rng)[first]
        counts = np.bincount(votes.inverse)
        self.linkage_ = micro_linkage(
            distances_of(S), counts, votes.inverse, linkage=self.linkage
        )
        labels = np.zeros(len(counts), dtype=np.int64)
        labels[votes.inverse] = cut(self.linkage_, votes.n_clusters)
        return labels


def cooccurrences(votes, epsilon):
    """The similarity of each clustering in turn, kept away from 0 and 1."""
    for m in range(votes.n_clusterings):
        yield (1 - 2 * epsilon) * votes.cooccurrence(m) + epsilon


def mean_similarity(votes, weights, metric):
    """The similarity whose gradient is the weighted mean of the gradients, (u, u)."""
    g, epsilon = get_bregman(metric), _kept_away(metric)
    if votes.ensemble.is_hard:
        low, high = g.gradient(np.array([epsilon, 1 - epsilon])).tolist()
        return g.inverse(low + (high - low) * votes.coassociation(weights))
    each = zip(weights.tolist(), cooccurrences(votes, epsilon), strict=True)
    return g.inverse(sum(w * g.gradient(S) for w, S in each))


def divergences(votes, weights, metric):
    """Divergence of the mean similarity from each clustering, all copies, (M,)."""
    if metric == "squared":
        Gw = votes.gram @ weights
        d = weights @ Gw - 2 * Gw + np.diag(votes.gram)
        # The sums cancel for equal clusterings; what is left there is rounding.
        return np.where(d > 1e-12 * np.diag(votes.gram), d, 0.0)
    S, c = mean_similarity(votes, weights, metric), votes.counts
    epsilon = _kept_away(metric)
    if votes.ensemble.is_hard:
        apart = bregman_elementwise(S, epsilon, metric)
        joined = bregman_elementwise(S, 1 - epsilon, metric)
        return float(c @ (apart @ c)) + votes.pair_sums(joined - apart)
    each = (
        bregman_elementwise(S, one, metric) for one in cooccurrences(votes, epsilon)
    )
    return np.array([float(c @ (apart @ c)) for apart in each])


def _kept_away(metric):
    return 0.0 if metric == "squared" else _EPSILON
