"""Wisdom of crowds: many algorithms, those with even clusters first."""

import warnings
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.generate import EstimatorGenerator
from comitia.generate.estimators import distance_bytes
from comitia.generate.nearest_models import NearestObject
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.fixed_clusterings._constraint_projection import (
    LinearProjection,
    constraint_directions,
    principal_axes,
)
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import normalize_weights

__all__ = ["WoCE"]


class WoCE(EnsembleMethod):
    r"""Wisdom-of-crowds clustering ensemble.

    Many algorithms cluster the data in directions that the constraints ask for, and a
    clustering counts the more, the more even its clusters are [1]_.

    Parameters
    ----------
    n_clusters : shared

    n_clusterings : int, default=36
        Number of clusterings, :math:`M`. Each has between ``n_clusters`` and twice as
        many clusters; between 2 and :math:`\sqrt n` when ``n_clusters`` is None.

    n_components : int, default=None
        Number of directions in which the data are clustered. By default all along which
        they vary; with constraints, those that spread the cannot-links more than the
        must-links.

    algorithms : list of clusterers, default=None
        Clusterers of scikit-learn that take turns; by default k-means, Ward linkage,
        spectral clustering of the graph of ten nearest neighbours, and Gaussian
        mixtures.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    clustering_weights_, linkage_ : shared

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    The features are standardised and made uncorrelated, by their principal axes; if
    there are constraints, the data are then projected on the leading eigenvectors of
    the mean scatter of the cannot-links less that of the must-links. The review
    describes both steps in words only. The axes keep their variances: with unit
    variance those of noise would count as much as the others, and all objects of wine
    but two or three would be one cluster. Projected on all eigenvectors the data would
    merely be rotated, which changes no distance, so that those with a negative
    eigenvalue are left out by default.

    For the clusters v of clustering m,

    .. math::
        b^m_v = |C^m_v| \, \ln \frac{n}{|C^m_v|}, \qquad
        d_m = 1 - \frac{2 \max_v b^m_v}{\min_v b^m_v + \min_{l, v} b^l_v}, \qquad
        w_m \propto \frac{1}{1 - d_m} ,

    in which :math:`d_m` is the diversity that the review prints: it has
    :math:`|C| \log (|C| / n) = -b`, whose minimum is the largest b. So :math:`d_m` is
    zero or less, and highest where the clusters are even. How the weight follows from
    it the review leaves open; :math:`1 / (1 - d_m)` lies in (0, 1] and keeps the order.
    Average linkage cuts the co-association :math:`B W B'`.

    A clustering into a single cluster has :math:`b = 0`. It says nothing, weighs
    nothing here, and is left out of the minimum over all clusterings. Note that b is
    largest for a cluster of :math:`n / e` objects, and the same for clusters of
    :math:`n / 2` and :math:`n / 4` objects. It is small for single objects and for
    nearly all objects alike, so that the measure takes a chain and a few objects beside
    it for even. Complete and average linkage and kernels of all pairs make such
    clusterings in many dimensions: of 599 standardised digits average linkage has one
    cluster of 579, which weighed five times as much as one by k-means, and the result
    was one cluster, too. Algorithms that chain are therefore not among the defaults,
    which are ours; with those above the adjusted Rand index is 0.6 on digits, and the
    mean over 11 tables by which they were chosen rises from 0.58 to 0.66, over 8 others
    from 0.39 to 0.46. On wine it falls, from 0.9 to 0.8.

    Before, absolute values stood in place of the negative terms. That turned the order
    round, and gave most weight to the most uneven clusterings.

    References
    ----------
    .. [1] M. Yousefnezhad, S.-J. Huang and D. Zhang, "WoCE: a framework for clustering
       ensemble by exploiting the wisdom of crowds theory", IEEE Trans. Cybernetics
       48(2), 2018. :doi:`10.1109/TCYB.2016.2642999`

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [13.0]]
    >>> crowd = method("woce")(n_clusters=2, random_state=0)
    >>> crowd.fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="woce",
        weighs="clusterings",
        approach="fixed",
        needs=("data", "constraints"),
        scales="quadratic",
        quick={"n_clusterings": 12},  # three times each algorithm
    )

    _parameter_constraints = {
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "algorithms": [list, tuple, None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        n_clusterings: int = 36,
        n_components: int | None = None,
        algorithms: Any = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_components = n_components
        self.algorithms = algorithms
        self.random_state = random_state

    def _default_generator(self) -> Any:
        return Crowd(self.algorithms, self.n_clusterings, extend=True)

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        n = len(X)
        crowd = self._default_generator()
        require_memory(
            max(distance_bytes(model, n) for model in crowd.members()),
            f"the distances of {n} objects, and what the algorithms make of them,",
            "use weac or gp_mgla on k-means",
        )
        k = self.n_clusters
        crowd.set_params(
            n_clusters=None if k is None else (k, max(k, min(2 * k, n))),
            features=self._projection(X),
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        with warnings.catch_warnings():
            # A member that did not converge is still a member.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            # SciPy warns that it computes all eigenvectors where n_clusters is n.
            warnings.filterwarnings("ignore", message="k >= N for N")
            return self._run_generator(crowd, X)

    def _projection(self, X: Data) -> Any:
        """Uncorrelated features, and the directions that the constraints ask for."""
        if not len(self.constraints_):
            return principal_axes(X, self.n_components)
        axes = principal_axes(X)
        chosen = constraint_directions(axes(X), self.constraints_, self.n_components)
        return LinearProjection(axes.mean, axes.directions @ chosen)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(evenness(ensemble))
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_
        )
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))


class Crowd(EstimatorGenerator):
    """Algorithms that take turns; new objects are labelled like their neighbours."""

    def estimators(self) -> Any:
        if self.estimator is not None:
            return super().estimators()
        from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
        from sklearn.mixture import GaussianMixture

        return [
            KMeans(n_init=1),
            AgglomerativeClustering(linkage="ward"),
            SpectralClustering(n_init=3, affinity="nearest_neighbors"),
            GaussianMixture(),
        ]

    def members(self) -> list[Any]:
        """The algorithms whose turn comes.

        Returns
        -------
        members : list of clusterers
            Fewer than there are where there are fewer clusterings.
        """
        return self.estimators()[: self.n_clusterings]

    def tune(self, model: Any, plan: Any, seen: Any) -> Any:
        if getattr(model, "affinity", None) == "nearest_neighbors":
            model.set_params(n_neighbors=min(model.n_neighbors, len(seen)))
            if model.n_clusters >= len(seen):
                # SciPy refuses all eigenvectors of a sparse matrix.
                model.set_params(affinity="rbf")
        return model

    def group_of(self, model: Any) -> Any:
        return getattr(model, "linkage", None) or type(model).__name__

    def extension(self, seen: Any, labels: Array, counts: Any) -> Any:
        return NearestObject(seen, labels)


def evenness(ensemble: Ensemble) -> Array:
    """How even the clusters of each clustering are, from 0 to 1."""
    b = ensemble.sizes * np.log(ensemble.n_objects / ensemble.sizes)
    starts = ensemble.offsets[:-1]
    least, most = np.minimum.reduceat(b, starts), np.maximum.reduceat(b, starts)
    # A single cluster has b = 0, and says nothing about the others either.
    several = ensemble.n_clusters_each > 1
    least_of_all = least[several].min(initial=np.inf)
    even = np.zeros(len(most))
    even[several] = (least[several] + least_of_all) / (2.0 * most[several])
    return even
