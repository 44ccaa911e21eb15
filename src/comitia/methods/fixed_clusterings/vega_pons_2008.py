"""Clusterings weighed by how average they are, combined by a path kernel."""

from numbers import Integral, Real

import numpy as np

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.partition import MedianSearch
from comitia.represent import path_kernel_table
from comitia.validity import INDICES, score_table, unify
from comitia.weigh import entropy_relevance, normalize_weights

__all__ = ["PathKernelConsensus"]


class PathKernelConsensus(EnsembleMethod):
    r"""Weighted ensemble with a random-walk path kernel.

    Clusterings whose properties are like those of the others count more, and the
    consensus is the partition on which random walks look most like theirs [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters; left to the search when None.

    indices : sequence of str, default=("inter_cluster_distance", \
            "intra_cluster_distance", "mean_cluster_size", "cluster_size_difference")
        The properties :math:`I_v` of a clustering: indices of :mod:`comitia.validity`.

    continuation : float, default=0.5
        Probability :math:`g` that a random walk goes on, in [0, 1].

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
        w_m \propto \sum_v H(p_v) \bigl( 1 - | I_v(C_m) - \bar I_v | \bigr), \qquad
        p_{vm} = \frac{I_v(C_m)}{\sum_l I_v(C_l)}, \qquad
        \max_C \sum_m w_m K(C, C_m),

    with the normalised path kernel K of :func:`comitia.represent.path_kernel`. Each
    property is scaled to [0, 1] by its range over the ensemble, because otherwise
    :math:`1 - |\cdot|` can be negative; H has natural logarithms. A range over two
    clusterings leaves 0 and 1, whose entropy is 0: two clusterings that differ in every
    property weigh the same, with a warning.

    The review does not say with what probability a path starts, goes on and ends.
    Here a walk starts at any object, goes on with probability g and moves to any other
    member of the cluster. For g = 0 all partitions are alike; the kernel differs from 1
    by about :math:`g^2 k / n`, and only differences matter to the search. A path of a
    singleton has one vertex.

    The authors replace the search for the pre-image by a second problem that the review
    does not describe. Here simulated annealing starts from the base clustering with the
    highest objective, as in WPCK.

    References
    ----------
    .. [1] S. Vega-Pons, J. Correa-Morris and J. Ruiz-Shulcloper, "Weighted cluster
       ensemble using a kernel consensus function", CIARP 2008, LNCS 5197.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> C, D = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]
    >>> votes = Ensemble(list(zip(C, C, D)))
    >>> fitted = method("vega_pons_2008")().fit(X, ensemble=votes)
    >>> fitted.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> fitted.clustering_weights_.round(3)
    array([0.361, 0.361, 0.278])
    """

    card = MethodCard(
        id="vega_pons_2008",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        scales="linear",
    )

    _parameter_constraints = {
        **EnsembleMethod._parameter_constraints,
        "indices": ["array-like", StrOptions(set(INDICES))],
        "continuation": [Interval(Real, 0, 1, closed="both")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "temperature": [Interval(Real, 0, None, closed="neither")],
        "cooling": [Interval(Real, 0, 1, closed="neither")],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        indices=(
            "inter_cluster_distance",
            "intra_cluster_distance",
            "mean_cluster_size",
            "cluster_size_difference",
        ),
        continuation=0.5,
        max_iter=200,
        temperature=1.0,
        cooling=0.95,
        generator=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.indices = indices
        self.continuation = continuation
        self.max_iter = max_iter
        self.temperature = temperature
        self.cooling = cooling
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble, X, rng):
        self.clustering_weights_ = self._weigh(ensemble, X)
        search = MedianSearch(
            ensemble,
            path_kernel_table(ensemble.n_objects, self.continuation),
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

    def _weigh(self, ensemble, X):
        if ensemble.n_clusterings == 1:
            return np.ones(1)
        values = score_table(X, ensemble, self.indices).values
        # Properties are no qualities: none is turned round.
        properties = unify(values, "property", "range")
        return normalize_weights(entropy_relevance(properties))
