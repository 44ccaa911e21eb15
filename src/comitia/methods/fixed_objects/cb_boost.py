"""Boosting for model-based clustering."""

from functools import partial
from typing import Any

import numpy as np

from comitia.catalogue import MethodCard
from comitia.generate.boosting import BoostingGenerator
from comitia.generate.boosting_rounds import mixture_round
from comitia.generate.boosting_votes import align_to_first
from comitia.methods._boosted import BoostedMethod
from comitia.methods._types import Array, Data, Rng, Seed

__all__ = ["CBBoost"]

# No object weighs more than a hundred average ones.
_LARGEST_SHARE = 100.0


def mixture_with_losses(
    X: Array, drawn: Any, weights: Array, rng: Rng, *, n_clusters: int
) -> Any:
    r"""Weighted Gaussian mixture, and what it is expected to lose on each object.

    The mixture. ``state["loss"]`` is :math:`-\sum_r \Pr(r \mid x_i) \ln p(x_i \mid r)`.
    """
    made = mixture_round(X, drawn, weights, rng, n_clusters=n_clusters)
    log_density = made.model.component_log_density(X)
    made.state["loss"] = -(made.membership * log_density).sum(axis=1)
    return made


def by_expected_loss(weights: Array, rounds: list[Any]) -> Array:
    r"""Raise the weights of the objects on which the last round loses most.

    Proportional to :math:`w_i e^{\ell_i}`, with the losses scaled to [0, 1], and capped
    at a hundred times the mean; they sum to one.
    """
    loss = rounds[-1].state["loss"]
    span = np.ptp(loss)
    scaled = (loss - loss.min()) / span if span > 0 else np.zeros(len(loss))
    raised = weights * np.exp(scaled)
    return cap_weights(raised / raised.sum(), _LARGEST_SHARE / len(weights))


def cap_weights(weights: Array, cap: float) -> Array:
    """Hold weights down to a cap; what is cut off goes to the others, in proportion.

    At most ``cap``, with sum one; uniform if that cannot be.
    """
    if cap * len(weights) <= 1.0:
        return np.full(len(weights), 1.0 / len(weights))
    held = np.zeros(len(weights), dtype=bool)
    result = weights
    while (result > cap * (1 + 1e-12)).any():
        held |= result > cap
        rest = (1.0 - cap * held.sum()) / weights[~held].sum()
        result = np.where(held, cap, weights * rest)
    return result


class CBBoost(BoostedMethod):
    r"""Boosting for model-based clustering.

    Gaussian mixtures one after the other, each with more weight on the objects that the
    last one explained badly; the aligned probabilities are averaged [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the eigengap of plain k-means clusterings.

    n_rounds : int, default=3
        Number of clusterings, each a mixture. More than a few do harm; see the notes.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    object_weights_ : ndarray of shape (n_objects,)
        Weight of each object after the last round; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each mixture in the average: equal.

    Notes
    -----
    Round m minimises :math:`\frac1n \sum_i w_i \sum_r \Pr(r \mid x_i)
    \mathrm{loss}(x_i, r)` over models; with :math:`\mathrm{loss}(x, r) = -\ln p(x \mid
    r)` that is a mixture of weighted objects. Then

    .. math::
        \ell_i = \sum_r \Pr(r \mid x_i) \, \mathrm{loss}(x_i, r), \qquad
        w_i \propto w_i \, e^{\ell_i},

    with the losses :math:`\ell_i` scaled to [0, 1] over the objects in each round, as
    powers of log-likelihoods would explode. Scaled are the expected losses: the loss of
    a component that is far away says nothing, and would make all others equal. No
    weight is more than a hundred times the mean, so that an outlier cannot take over.
    When all losses are equal the weights stay.

    All mixtures get the names of the first by the Hungarian method, and the result is
    :math:`\arg\max_r \frac1M \sum_m \Pr(r \mid x_i, m)`. Loss and consensus function
    are left open by the review; these are ours. So is the number of rounds: as weights
    move to what no mixture explains, later ones get worse, and count as much. The
    adjusted Rand index is 0.94 on iris after 3 rounds, 0.85 after 5 and 0.68 after 20
    (mean of six seeds), and 0.89, 0.82 and 0.75 on wine. The default was chosen among
    3, 5, 10 and 20 by these very scores, against the known classes, so they are no
    estimate of how well it does elsewhere. Covariances are full, and diagonal with less
    than :math:`k (p + 1)` objects.

    References
    ----------
    .. [1] A. Saffari and H. Bischof, "Boosting for model-based data clustering", DAGM,
       LNCS 5096, 2008.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]]
    >>> method("cb_boost")(n_clusters=2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="cb_boost",
        weighs="objects",
        approach="fixed",
        needs="data",
        scales="linear",
    )

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_rounds: int = 3,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.random_state = random_state

    def _boosting(self, X: Data, n_clusters: int) -> BoostingGenerator:
        return BoostingGenerator(
            self.n_rounds,
            cluster=partial(mixture_with_losses, n_clusters=n_clusters),
            align=align_to_first,
            reweight=by_expected_loss,
        )
