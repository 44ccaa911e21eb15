"""Clusterer ensemble of Zhou and Tang."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import complete_vote, kmeans_rows
from comitia.represent import align_clusters
from comitia.represent.cluster_sums import labels_of
from comitia.weigh import mean_agreement, normalize_weights

__all__ = ["ClustererEnsemble"]


class ClustererEnsemble(EnsembleMethod):
    r"""Clusterer ensemble by selective weighted voting.

    Clusterings that say what the others do not say count more, those that repeat the
    others are dropped, and the rest vote on each object after their clusters have got
    the names of a reference [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. The reference is one of the clusterings that have as many,
        and clusters in excess vote for the label they overlap most. ``None`` takes any
        reference, and clusters that match none of it vote for labels of their own.

    variant : {"voting", "weighted", "selective", "selective_weighted"}, \
            default="selective_weighted"
        Whether clusterings are dropped and whether the others have weights: the voting,
        w-voting, sel-voting and sel-w-voting of the paper.

    agreement : str or callable, default="nmi_sqrt"
        How alike two clusterings are, :math:`\phi`. The review has ``"nmi_sqrt"``, the
        paper ``"nmi_logk"``.

    reference : int, default=None
        Index of the clustering that the others are aligned to; a random one by default.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default twenty
        runs of k-means with ``n_clusters`` clusters.

    random_state : shared

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of the vote of each clustering; 0 for those that were dropped, with
        sum 1.

    selected_ : ndarray of shape (n_clusterings,)
        Whether each clustering was kept.

    Notes
    -----
    With the mean agreement :math:`\beta_m` of clustering m with the others,

    .. math::
        w_m = \frac{1 / \beta_m}{\sum_l 1 / \beta_l}, \qquad
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l),

    and the selective variants keep :math:`w_m \ge 1 / M`. Equality is taken with a
    tolerance of 1e-10, as in the authors' code: otherwise rounding could drop all of
    several equal clusterings. A :math:`\beta_m` below 1e-12 counts as 1e-12.

    Clusters are matched greedily: the pair with the largest overlap, then the largest
    among those left, and so on; of equal overlaps that of the smaller cluster. Then

    .. math::
        y_i = \arg\max_r \sum_m w_m \, [\pi_m(\text{label of } i \text{ in } m) = r],

    the lowest label of equals, where the authors' code draws at random. An object that
    only dropped clusterings have gets the label that most of these name. Where no
    clustering has ``n_clusters`` clusters, k-means on the label rows makes the
    reference.

    The similarity of the paper is :math:`\frac{2}{n} \sum_{rs} n_{rs} \log_{k^2}
    \frac{n \, n_{rs}}{n_r n_s}`, that is :math:`I / \ln k` for equal k, and not the NMI
    that the review gives to every method. The selective weighted variant is the
    review's; the authors' code does not drop clusterings unless it is asked to.

    References
    ----------
    .. [1] Z.-H. Zhou and W. Tang, "Clusterer ensemble", Knowledge-Based Systems 19(1),
       2006. :doi:`10.1016/j.knosys.2005.11.003`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> fitted = method("zhou_tang_2006")(2, variant="voting").fit(votes)
    >>> fitted.labels_
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="zhou_tang_2006",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="votes",
        scales="linear",
        exempt={
            "recovery": "keeps the clusterings that agree least with the others, which "
            "are the noisiest where all have the same truth and only noise differs",
            "weights_follow_quality": "as published, a clustering weighs more the "
            "less it agrees with the others, so that junk weighs most",
            "helps": "clusterings that agree least with the others are kept and weigh "
            "most, the worst where the others agree",
        },
        # The paper's generator: clusterings with equal numbers of clusters.
        quick={"generator": None},
    )

    _parameter_constraints = {
        "variant": [
            StrOptions({"voting", "weighted", "selective", "selective_weighted"})
        ],
        "reference": [Interval(Integral, 0, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        variant: Any = "selective_weighted",
        agreement: Any = "nmi_sqrt",
        reference: int | None = None,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.variant = variant
        self.agreement = agreement
        self.reference = reference
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import KMeansGenerator

        return KMeansGenerator(20, n_clusters=self.n_clusters)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        w = inverse_agreement(ensemble, self.agreement)
        self.selected_ = np.ones(len(w), dtype=bool)
        if self.variant.startswith("selective"):
            self.selected_ = above_uniform(w)
        votes = w if self.variant.endswith("weighted") else np.ones(len(w))
        self.clustering_weights_ = normalize_weights(votes * self.selected_)
        reference = self._reference(ensemble, rng)
        targets = align_clusters(
            ensemble,
            reference,
            method="greedy",
            surplus="fresh" if self.n_clusters is None else "merge",
        )
        n_labels = 1 + max(reference.max(), targets.max())
        return complete_vote(ensemble, targets, n_labels, self.clustering_weights_)

    def _reference(self, ensemble: Ensemble, rng: Rng) -> Array:
        """The labels of the clustering that the others are aligned to."""
        k, M = self.n_clusters, ensemble.n_clusterings
        have = ensemble.n_clusters_each
        m = self.reference
        if m is None:
            fit = np.arange(M) if k is None else np.flatnonzero(have == k)
            if len(fit) == 0:
                assert k is not None  # otherwise every clustering fits
                weights = self.clustering_weights_
                return kmeans_rows(ensemble, k, rng, clustering_weights=weights).labels
            m = fit[rng.randint(len(fit))]
        elif m >= M:
            raise ComitiaError(
                f"reference={m} is no clustering; give 0 to {M - 1}, or None for a "
                "random one."
            )
        elif k not in (None, have[m]):
            raise ComitiaError(
                f"reference={m} has {have[m]} clusters, not n_clusters={k}; leave one "
                "of the two out."
            )
        return labels_of(ensemble, m)


def inverse_agreement(
    ensemble: Ensemble, agreement: str | Callable[..., float] = "nmi_sqrt"
) -> NDArray[np.float64]:
    r"""Weights that fall with the agreement of a clustering with the others.

    .. math::
        w_m = \frac{1 / \beta_m}{\sum_l 1 / \beta_l}, \qquad
        \beta_m = \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l).

    What a clustering says and the others do not say is worth more.
    """
    beta = np.maximum(mean_agreement(ensemble, agreement), 1e-12)
    return normalize_weights(1.0 / beta)


def above_uniform(weights: ArrayLike, tol: float = 1e-10) -> NDArray[np.bool_]:
    r"""Mark the weights that reach the uniform one, :math:`w_m \ge 1 / M`."""
    w = np.asarray(weights, dtype=np.float64)
    return w >= 1.0 / len(w) - tol
