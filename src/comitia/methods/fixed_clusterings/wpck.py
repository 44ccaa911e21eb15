"""WPCK."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._sklearn import Interval
from comitia.catalogue import MethodCard
from comitia.exceptions import ComitiaError
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.methods.fixed_clusterings._annealing import AnnealedMethod
from comitia.partition.partition_kernel import PartitionKernel
from comitia.validity import score_table
from comitia.weigh import maximum_relevance, normalize_weights

__all__ = ["WPCK"]


class WPCK(AnnealedMethod):
    r"""Weighted partition consensus via kernels.

    Clusterings that come near the best values of several validity indices count more,
    and the consensus is the partition that shares most subsets of objects with
    them [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the search.

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
        w_m \propto \sum_v \bigl( 1 - | I_v(C_m) - \max_l I_v(C_l) | \bigr), \qquad
        \max_C \sum_m w_m \phi(C, C_m),

    with the normalised subset kernel :math:`\phi`. Its significance of a subset S in a
    cluster is :math:`|S|` over the size of the cluster, which is how we recall the
    paper; the review does not define it. The indices are turned so that larger is
    better, and scaled to [0, 1] over the ensemble; without that the formula rewards
    poor values of compactness and connectedness. The paper does not normalise the
    weights, which does not matter to the maximum.

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
        missing="objects",
        scales="quadratic",
        exempt=dict.fromkeys(
            ("recovery", "missing_labels", "helps"),
            "with 15 % noise few subsets are shared: the optimum of the objective lies "
            "next to a base clustering; max_subset_size=2 finds the clusters",
        ),
    )

    _parameter_constraints = {
        "max_subset_size": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        indices: Any = ("dunn", "silhouette", "compactness", "connectedness"),
        max_subset_size: int | None = None,
        max_iter: int = 200,
        temperature: float = 1.0,
        cooling: float = 0.95,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.indices = indices
        self.max_subset_size = max_subset_size
        self.max_iter = max_iter
        self.temperature = temperature
        self.cooling = cooling
        self.generator = generator
        self.random_state = random_state

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        properties = score_table(X, ensemble, self.indices).unified("range")
        self.clustering_weights_ = normalize_weights(maximum_relevance(properties))
        kernel = subset_kernel_table(ensemble.n_objects, self.max_subset_size)
        return self._anneal(ensemble, kernel, rng)


def subset_kernel_table(
    n_objects: int, max_subset_size: int | None = None
) -> PartitionKernel:
    r"""The subset-significance kernel for counts up to the number of objects.

    Every set of objects that lies inside one cluster of both counts, by its share of
    these clusters:

    .. math::
        K(C, D) = \sum_{S} \mu(S | C) \, \mu(S | D)
        = \sum_{v,r} \frac{f(t_{vr})}{s_v \, s_r},
        \qquad \mu(S | C) = \frac{|S|}{s_v}, \quad S \subseteq C^v,

    where :math:`f(t) = \sum_{q=1}^{t} q^2 \binom{t}{q} = t (t + 1) 2^{t - 2}`.
    """
    from scipy.special import gammaln, logsumexp

    if max_subset_size is not None and max_subset_size < 1:
        raise ComitiaError(f"max_subset_size={max_subset_size} must be at least 1.")
    t = np.arange(1, n_objects + 1, dtype=np.float64)
    if max_subset_size is None:
        logs = np.log(t) + np.log(t + 1.0) + (t - 2.0) * np.log(2.0)
    else:
        logs = np.full(n_objects, -np.inf)
        for q in range(1, min(max_subset_size, n_objects) + 1):
            some = t[q - 1 :]
            ways = gammaln(some + 1.0) - gammaln(q + 1.0) - gammaln(some - q + 1.0)
            logs[q - 1 :] = logsumexp([logs[q - 1 :], 2.0 * np.log(q) + ways], axis=0)
    inner, exponents = _split(logs)
    own, own_exponents = _split(logs - 2.0 * np.log(t))
    factor = np.r_[0.0, 1.0 / t]
    return PartitionKernel(inner[None], exponents, factor[None], own, own_exponents)


def _split(logs: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Mantissas and binary exponents of exp(logs), with a zero put first."""
    bits = np.r_[-np.inf, logs / np.log(2.0)]
    exponents = np.where(np.isfinite(bits), np.floor(bits), 0.0)
    return np.exp2(bits - exponents), exponents.astype(np.int64)
