"""Adaptive evidence accumulation."""

from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import kmeans_round
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Linkage, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.represent import overlaps

__all__ = ["AdaptiveEAC"]


def assignment_confidence(ensemble: Ensemble, labels: Array) -> Array:
    r"""How much closer each object is to its own cluster than to the next one.

    .. math::
        \mathrm{conf}(i) = \frac{1}{|C^{r}| - 1} \sum_{j \in C^{r}, j \ne i} A_{ij}
        - \max_{v \ne r} \frac{1}{|C^v|} \sum_{j \in C^v} A_{ij}, \qquad i \in C^r

    From -1 to 1. The first term is 1 for an object alone in its cluster, the second 0
    if there is one cluster.
    """
    labels = np.asarray(labels)
    sizes = np.bincount(labels)
    i = np.arange(len(labels))
    # Sums of A over clusters, without A: the companions of i in each of its clusters.
    shared = overlaps(ensemble, labels, len(sizes)).astype(np.float64)
    sums = np.asarray(ensemble.membership @ shared) / ensemble.n_clusterings
    own_size = sizes[labels]
    own = (sums[i, labels] - 1.0) / np.maximum(own_size - 1, 1)
    own[own_size == 1] = 1.0
    means = sums / sizes
    means[i, labels] = -np.inf
    return own - np.maximum(means.max(axis=1), 0.0)


def by_confidence(
    weights: Array, rounds: list[Any], *, n_clusters: int, n_warmup: int, variant: str
) -> Array:
    """Weigh objects by how sure the consensus of the rounds so far is of them.

    They sum to one.
    """
    if len(rounds) < n_warmup:
        return weights
    ensemble = Ensemble([made.labels for made in rounds])
    labels = cut(ensemble_linkage(ensemble), n_clusters)
    conf = assignment_confidence(ensemble, labels)
    raw = np.maximum(conf if variant == "confident" else 1.0 - conf, 0.0)
    # If the rounds agree, no object is unsure, up to rounding: equal weights.
    if raw.max() < 1e-9:
        raw = np.ones(len(weights))
    return raw / raw.sum()


class AdaptiveEAC(BoostedMethod):
    r"""Adaptive evidence accumulation clustering with assignment confidence.

    Evidence accumulation in which every k-means clustering weighs the objects by how
    sure the consensus of the earlier ones is of them [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters, of each clustering and of the result. ``None`` takes the
        eigengap of plain k-means clusterings, and then that of the
        ensemble's graph.

    n_rounds : int, default=50
        Number of clusterings.

    n_warmup : int, default=10
        Number of rounds with equal weights, before there is a consensus.

    variant : {"confident", "unconfident"}, default="confident"
        Whether the objects weigh more that the consensus is sure of, or the others.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree of the result.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object after the last round; they sum to 1.

    linkage_ : shared

    Notes
    -----
    After each round average linkage on the co-association :math:`A` of the rounds so
    far gives clusters :math:`C^v`, and with

    .. math::
        \mathrm{conf}(i) = \frac{1}{|C^{r}| - 1} \sum_{j \in C^{r}, j \ne i} A_{ij}
        - \max_{v \ne r} \frac{1}{|C^v|} \sum_{j \in C^v} A_{ij}, \qquad i \in C^r,

    the next one weighs objects by their normalised confidence, or by what that lacks
    to 1,

    .. math::
        w_i = \frac{\max(\mathrm{conf}(i), 0)}{\sum_j \max(\mathrm{conf}(j), 0)}
        \quad \text{or} \quad
        w_i = \frac{1 - \mathrm{conf}(i)}{\sum_j (1 - \mathrm{conf}(j))} .

    A confidence can be negative, for an object that is nearer to another cluster than
    to its own; the review is silent on it, and such an object weighs nothing. The
    review prints :math:`1 / C^v` for :math:`1 / |C^v|`. An object
    alone in its cluster has 1 for the first term; with a single cluster the second is
    0. When all rounds agree, nobody is unsure and the weights are uniform; they
    are as well when nobody is sure.

    The sums over clusters are counted from the labels, without the n by n matrix.

    References
    ----------
    .. [1] J. M. M. Duarte, A. L. N. Fred and F. J. F. Duarte, "Adaptive evidence
       accumulation clustering using the confidence of the objects' assignments",
       Springer LNCS, 2013.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("adaptive_eac")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="adaptive_eac",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="quadratic",
        quick={"n_rounds": 6, "n_warmup": 3},
    )

    _parameter_constraints = {
        "n_warmup": [Interval(Integral, 1, None, closed="left")],
        "variant": [StrOptions({"confident", "unconfident"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 50,
        n_warmup: int = 10,
        variant: str = "confident",
        linkage: Linkage = "average",
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.n_warmup = n_warmup
        self.variant = variant
        self.linkage = linkage
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        return BoostingGenerator(
            self.n_rounds,
            cluster=partial(kmeans_round, n_clusters=n_clusters),
            reweight=partial(
                by_confidence,
                n_clusters=min(n_clusters, len(X)),
                n_warmup=self.n_warmup,
                variant=self.variant,
            ),
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.object_weights_ = self.generator_.weights_
        self.linkage_ = ensemble_linkage(ensemble, linkage=self.linkage)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
