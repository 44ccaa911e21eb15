"""Clusterings weighed by how average they are, combined by a path kernel."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._annealing import AnnealedMethod
from comitia.partition.partition_kernel import PartitionKernel
from comitia.validity import score_table, unify
from comitia.weigh import entropy_relevance, normalize_weights

__all__ = ["PathKernelConsensus"]

# Paths of more vertices than this add less than 1e-16 of the sum, whatever the sizes:
# a path of l vertices counts at most (l - 1)! / (l - 1) ** (2 l - 2).
_LONGEST_PATH = 13


class PathKernelConsensus(AnnealedMethod):
    r"""Weighted ensemble with a random-walk path kernel.

    Clusterings whose properties are like those of the others count more, and the
    consensus is the partition on which random walks look most like theirs [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the search.

    indices : sequence of str, default=("inter_cluster_distance", \
            "intra_cluster_distance", "mean_cluster_size", "cluster_size_difference")
        The properties :math:`I_v` of a clustering: indices of :mod:`comitia.validity`.

    continuation : float, default=0.5
        Probability :math:`g` that a random walk goes on, in [0, 1].

    max_iter : int, default=200
        Most temperatures of the annealing.

    temperature : float, default=1.0
        First temperature of the annealing, as a multiple of the mean change that a move
        from the start makes.

    cooling : float, default=0.95
        What a temperature is multiplied by to get the next.

    generator, random_state : shared

    Attributes
    ----------
    clustering_weights_ : shared

    objective_ : ndarray of shape (n_iter_ + 1,)
        The best objective so far: at the start, and after each temperature.

    n_iter_ : int
        Number of temperatures.

    converged_ : bool
        Whether no single move improves the result.

    Notes
    -----
    The weights and the consensus are

    .. math::
        w_m \propto \sum_v H(p_v) \bigl( 1 - | I_v(C_m) - \bar I_v | \bigr), \qquad
        p_{vm} = \frac{I_v(C_m)}{\sum_l I_v(C_l)}, \qquad
        \max_C \sum_m w_m K(C, C_m),

    with the normalised path kernel K of ``path_kernel_table`` below. Each
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
        missing="objects",
        scales="linear",
    )

    _parameter_constraints = {
        "continuation": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        indices: Any = (
            "inter_cluster_distance",
            "intra_cluster_distance",
            "mean_cluster_size",
            "cluster_size_difference",
        ),
        continuation: float = 0.5,
        max_iter: int = 200,
        temperature: float = 1.0,
        cooling: float = 0.95,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.indices = indices
        self.continuation = continuation
        self.max_iter = max_iter
        self.temperature = temperature
        self.cooling = cooling
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = self._weigh(ensemble, X)
        kernel = path_kernel_table(ensemble.n_objects, self.continuation)
        return self._anneal(ensemble, kernel, rng)

    def _weigh(self, ensemble: Ensemble, X: Data) -> Array:
        if ensemble.n_clusterings == 1:
            return np.ones(1)
        values = score_table(X, ensemble, self.indices).values
        # A property has no better end: none is reversed.
        properties = unify(values, "property", "range")
        return normalize_weights(entropy_relevance(properties))


def path_kernel_table(n_objects: int, continuation: float = 0.5) -> PartitionKernel:
    r"""The path kernel for counts up to the number of objects.

    A partition is a graph whose clusters are cliques. A walk starts at any object,
    goes on with probability :math:`g` to one of the other members of the cluster, and
    a path h that visits no object twice has probability :math:`P(h | C)`. Then

    .. math::
        K(C, D) = \sum_h P(h | C) \, P(h | D)
        = \frac{1}{n^2} \sum_{v,r} \sum_{l=1}^{t_{vr}} \frac{t_{vr}!}{(t_{vr} - l)!}
        \Bigl( \frac{g}{s_v - 1} \, \frac{g}{s_r - 1} \Bigr)^{l - 1},

    here without the factor :math:`1 / n^2`, which cancels in the normalised kernel.
    """
    if not 0.0 <= continuation <= 1.0:
        raise ComitiaError(f"continuation={continuation} must lie in [0, 1].")
    n_terms = min(_LONGEST_PATH, n_objects)
    t = np.arange(n_objects + 1, dtype=np.float64)
    inner = np.empty((n_terms, n_objects + 1))
    factor = np.ones((n_terms, n_objects + 1))
    inner[0] = t
    # An object that is alone has nowhere to go: only the path of one vertex is left.
    step = np.where(t > 1, continuation / np.maximum(t - 1.0, 1.0), 0.0)
    for term in range(1, n_terms):
        inner[term] = inner[term - 1] * np.maximum(t - term, 0.0)
        factor[term] = factor[term - 1] * step
    zeros = np.zeros(n_objects + 1, dtype=np.int64)
    own = (factor * inner * factor).sum(axis=0)
    return PartitionKernel(inner, zeros, factor, own, zeros)
