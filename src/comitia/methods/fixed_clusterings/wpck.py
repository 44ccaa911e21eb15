"""WPCK."""

from numbers import Integral, Real

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import MedianSearch
from comitia.represent import subset_kernel_table
from comitia.validity import INDICES, score_table
from comitia.weigh import maximum_relevance, normalize_weights

__all__ = ["WPCK"]


class WPCK(EnsembleMethod):
    r"""Weighted partition consensus via kernels.

    Clusterings that come near the best values of several validity indices count more,
    and the consensus is the partition that shares most subsets of objects with
    them [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; left to the search when None.

    indices : sequence of str, default=("dunn", "silhouette", "compactness", \
            "connectedness")
        The properties :math:`I_v` that clusterings are judged by: indices of
        :mod:`comitia.validity`.

    max_subset_size : int, default=None
        Subsets with more objects than this do not count. All count by default, as in
        the paper; 2 gives a kernel on pairs.

    max_iter : int, default=200
        Most temperatures of the annealing.

    temperature : float, default=1.0
        First temperature, as a multiple of the mean change that a move from the start
        makes.

    cooling : float, default=0.95
        What a temperature is multiplied by to get the next.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the annealing.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering, with sum 1.

    objective_ : ndarray of shape (n_iter_ + 1,)
        The best objective so far: at the start, and after each temperature.

    n_iter_ : int
        Number of rounds.

    converged_ : bool
        Whether no single move improves the result.

    Notes
    -----
    The weights and the consensus are

    .. math::
        w_m \propto \sum_v \bigl( 1 - | I_v(C_m) - \max_l I_v(C_l) | \bigr), \qquad
        \max_C \sum_m w_m \phi(C, C_m),

    with the normalised subset kernel :math:`\phi` of
    :func:`comitia.represent.subset_kernel`. Its significance of a subset S in a cluster
    is :math:`|S|` over the size of the cluster, which is how we recall the paper; the
    review does not define it. The indices are turned so that larger is better, and
    scaled to [0, 1] over the ensemble; without that the formula rewards poor values of
    compactness and connectedness. The paper does not normalise the weights, which does
    not matter to the maximum.

    A set of t objects has :math:`2^t` subsets: the largest clusters decide, and two
    partitions that differ in some percent of the objects of a large cluster have nearly
    nothing in common. Beyond some hundred objects the optimum is mostly the clustering
    with the largest weight, or next to it. ``max_subset_size=2`` is free of that.

    The annealing starts from the base clustering with the highest objective, and moves
    one random object to another or a new cluster. It is followed by moves that help, so
    that the result is never worse than the start. Up to seven objects all partitions
    are tried.

    References
    ----------
    .. [1] S. Vega-Pons, J. Correa-Morris and J. Ruiz-Shulcloper, "Weighted partition
       consensus via kernels", Pattern Recognition 43(8), 2010.
       :doi:`10.1016/j.patcog.2010.03.001`

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2]])
    >>> fitted = method("wpck")().fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_
    array([1., 0.])
    """

    card = MethodCard(
        id="wpck",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        scales="quadratic",
        exempt=dict.fromkeys(
            ("recovery", "missing_labels"),
            "with 15 % noise few subsets are shared: the optimum of the objective lies "
            "next to a base clustering; max_subset_size=2 finds the clusters",
        ),
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "indices": ["array-like", StrOptions(set(INDICES))],
        "max_subset_size": [Interval(Integral, 1, None, closed="left"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "cooling": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        indices=("dunn", "silhouette", "compactness", "connectedness"),
        max_subset_size=None,
        max_iter=200,
        temperature=1.0,
        cooling=0.95,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.indices = indices
        self.max_subset_size = max_subset_size
        self.max_iter = max_iter
        self.temperature = temperature
        self.cooling = cooling
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        properties = score_table(X, ensemble, self.indices).unified("range")
        self.clustering_weights_ = normalize_weights(maximum_relevance(properties))
        search = MedianSearch(
            ensemble,
            subset_kernel_table(ensemble.n_objects, self.max_subset_size),
            rng,
            clustering_weights=self.clustering_weights_,
            n_clusters=self.n_clusters,
        )
        run = search.annealing(
            temperature=self.temperature,
            cooling=self.cooling,
            max_iter=self.max_iter,
        )
        self.objective_, self.converged_ = run.objective, run.converged
        self.n_iter_ = len(run.objective) - 1
        return run.labels
