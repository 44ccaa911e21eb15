"""Optimal weights with a validity-weighted co-association."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.methods.fixed_clusterings.berikov_2014 import StabilityWeightedAlgorithms
from comitia.partition import cut, ensemble_linkage
from comitia.validity import INDICES
from comitia.weigh import Groups, decision_variance, index_scores, normalize_weights

__all__ = ["StabilityAndValidityWeightedAlgorithms"]


class StabilityAndValidityWeightedAlgorithms(StabilityWeightedAlgorithms):
    r"""Averaged co-association with optimal weights and validity indices.

    Each clustering counts by how good an index finds it, and each algorithm by how
    little its runs vary in their decisions and in their quality [1]_.

    Parameters
    ----------
    n_clusters : shared

    index : str or callable, default="dunn"
        What a clustering is judged by, :math:`\gamma`: an index of
        :mod:`comitia.validity`, or a function ``index(X, labels)`` whose values are 0
        or more and larger for a better clustering.

    pair_accuracy : array-like of shape (n_groups,), dict or float, default=None
        The probability :math:`q_m` that algorithm m treats a random pair of objects
        rightly, in the order in which the algorithms appear in ``ensemble.groups``, or
        by their names. ``None`` estimates :math:`q_m (1 - q_m)` from the runs, as
        ``berikov_2014`` does.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in the tree. The paper has ``"average"``.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default k-means
        and average linkage in turn.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    group_weights_ : ndarray of shape (n_groups,)
        Weight :math:`w_m` of each algorithm, in the order in which they appear in
        ``ensemble_.groups``; they sum to 1.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        The weight of each clustering in the co-association,
        :math:`w_m \gamma_{ma} / a_m`, scaled to sum 1.

    linkage_ : shared

    Notes
    -----
    Run a of algorithm m has the indicator matrix :math:`B_{ma}` and the quality
    :math:`\gamma_{ma}`; the :math:`a_m` qualities of an algorithm have the mean
    :math:`u_m` and the variance :math:`s_m^2`. Then

    .. math::
        w_m \propto \frac{a_m}{s_m^2 + 4 u_m^2 \, q_m (1 - q_m)}, \qquad
        S = \sum_m w_m \frac{1}{a_m} \sum_a \gamma_{ma} B_{ma} B_{ma}'.

    The qualities are divided by the largest of them, which changes neither the weights
    nor the tree, and S is divided by the sum of its weights. Its diagonal is 1 then,
    and the tree is built on :math:`1 - S`, which is :math:`\max S - S` scaled down.
    An algorithm whose runs are all worth 0 adds nothing to S and weighs nothing. When
    every clustering is worth the same, this is ``berikov_2014``, where the estimate of
    :math:`q_m (1 - q_m)` is explained.

    The weights make the variance of S least, and an index with larger values has the
    larger variance. Good runs count for more than poor ones of the same algorithm, but
    of two algorithms that are equally stable, the one whose runs are worth twice as
    much has half the share :math:`w_m u_m` in S. An index whose values stay in a narrow
    range, such as the shifted silhouette, makes little of this; the Dunn index of the
    review may make much of it.

    References
    ----------
    .. [1] V. Berikov, "Construction of an optimal collective decision in cluster
       analysis on the basis of an averaged co-association matrix and cluster validity
       indices", Pattern Recognition and Image Analysis 27(2), 2017.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> runs = [[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]]
    >>> votes = Ensemble(runs, groups=["k-means", "k-means"])
    >>> judge = method("berikov_2017")(n_clusters=2)
    >>> judge.fit_predict(X, ensemble=votes)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judge.clustering_weights_.round(3)
    array([0.97, 0.03])
    """

    card = MethodCard(
        id="berikov_2017",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
        exempt={
            "helps": "the Dunn index looks at two objects of each clustering, and "
            "where clusters are noisy weighs them nearly by chance; "
            'index="silhouette" does not lose',
        },
    )

    _parameter_constraints = {
        "index": [StrOptions(set(INDICES)), callable],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        index: Any = "dunn",
        pair_accuracy: Any = None,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.index = index
        self.pair_accuracy = pair_accuracy
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        groups = Groups.of(ensemble, warn=True)
        gamma = normalize_weights(index_scores(X, ensemble, self.index))
        gamma = gamma / gamma.max()
        u, square = (
            np.bincount(groups.codes, values) / groups.n_runs
            for values in (gamma, gamma**2)
        )
        # Rounding can leave -1e-17 where the runs are worth the same.
        s2 = np.maximum(square - u**2, 0.0)
        spread = s2 + 4 * u**2 * decision_variance(ensemble, self.pair_accuracy)
        worth = u > 0
        self.group_weights_ = normalize_weights(
            np.where(worth, groups.n_runs / np.where(worth, spread, 1.0), 0.0)
        )
        self.clustering_weights_ = normalize_weights(
            (self.group_weights_ / groups.n_runs)[groups.codes] * gamma
        )
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
