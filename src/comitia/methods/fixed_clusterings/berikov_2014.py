"""Weighted ensemble of heterogeneous algorithms by stability."""

from typing import Any

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import Groups, decision_variance, normalize_weights

__all__ = ["StabilityWeightedAlgorithms"]


class StabilityWeightedAlgorithms(EnsembleMethod):
    r"""Weighted ensemble of algorithms by stability.

    Several algorithms are run several times, and an algorithm whose runs agree on which
    objects belong together counts for more [1]_.

    Parameters
    ----------
    n_clusters : shared

    pair_accuracy : array-like of shape (n_groups,), dict or float, default=None
        The probability :math:`q_m` that algorithm m treats a random pair of objects
        rightly, in the order in which the algorithms appear in ``ensemble.groups``, or
        by their names. ``None`` estimates :math:`q_m (1 - q_m)` from the runs.

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
        The weight of each clustering, :math:`w_m / a_m`; they sum to 1.

    linkage_ : shared

    Notes
    -----
    Algorithm m makes :math:`a_m` clusterings with indicator matrices :math:`B_{ma}`.
    The weights that make the variance of the averaged co-association least are

    .. math::
        w_m \propto \frac{a_m}{q_m (1 - q_m)}, \qquad
        S = \sum_m w_m \frac{1}{a_m} \sum_a B_{ma} B_{ma}'.

    Which algorithm made a clustering, ``ensemble.groups`` says; without it they are all
    the work of one, with a warning, and the method is EAC. The review does not say how
    :math:`q_m` is estimated. Here it is the spread of the runs, which is right in
    expectation for independent decisions: with the share :math:`h_{ij}` of runs that
    put i and j together,

    .. math::
        \widehat{q_m (1 - q_m)} = \frac{a_m}{a_m - 1} \,
        \overline{h_{ij} (1 - h_{ij})}
        = \tfrac12 \bigl( 1 - \overline{\mathrm{Rand}} \bigr),

    half of what the mean Rand index of two runs lacks to 1. The formula cannot tell
    :math:`q` from :math:`1 - q`: an algorithm that is wrong in the same way every time
    counts as stable. One that hardly varies gets the variance :math:`1 / (4 a_m^2)`,
    with a warning; so does one with a single run.

    References
    ----------
    .. [1] V. Berikov, "Weighted ensemble of algorithms for complex data clustering",
       Pattern Recognition Letters 38, 2014. :doi:`10.1016/j.patrec.2013.11.012`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> runs = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 0], [1, 1, 1, 1]]
    >>> votes = Ensemble(runs, groups=["k-means", "k-means", "ward", "ward"])
    >>> judge = method("berikov_2014")(n_clusters=2, pair_accuracy=[0.9, 0.6])
    >>> judge.fit_predict(votes)
    array([0, 0, 1, 1], dtype=int32)
    >>> judge.group_weights_.round(3)
    array([0.727, 0.273])
    """

    card = MethodCard(
        id="berikov_2014",
        weighs="clusterings",
        approach="fixed",
        needs="labels",
        missing="pairs",
        scales="quadratic",
        exempt={
            "weights_differ": "weights are those of the groups; clusterings without "
            "groups are one group",
            "weights_follow_quality": "weights are those of the groups; clusterings "
            "without groups are one group",
        },
    )

    _parameter_constraints = {
        "pair_accuracy": ["array-like", dict, float, None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        pair_accuracy: Any = None,
        linkage: Linkage = "average",
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.pair_accuracy = pair_accuracy
        self.linkage = linkage
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from sklearn.cluster import AgglomerativeClustering, KMeans

        from comitia.generate import EstimatorGenerator

        return EstimatorGenerator(
            [KMeans(n_init=1), AgglomerativeClustering(linkage="average")], extend=True
        )

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        groups = Groups.of(ensemble, warn=True)
        variance = decision_variance(ensemble, self.pair_accuracy)
        self.group_weights_ = normalize_weights(groups.n_runs / variance)
        self.clustering_weights_ = (self.group_weights_ / groups.n_runs)[groups.codes]
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_, linkage=self.linkage
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))
