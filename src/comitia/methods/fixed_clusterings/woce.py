"""Wisdom of crowds: many algorithms, those with uneven clusters first."""

import warnings
from numbers import Integral

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from comitia._sklearn import Interval
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.cluster import LinearProjection, constraint_directions, whitening
from comitia.config import require_memory
from comitia.generate import EstimatorGenerator
from comitia.generate.estimators import (
    NearestObject,
    distance_bytes,
    median_distance,
)
from comitia.partition import cut, ensemble_linkage
from comitia.weigh import normalize_weights

__all__ = ["WoCE"]


class WoCE(EnsembleMethod):
    r"""Wisdom-of-crowds clustering ensemble.

    Many algorithms cluster the data in directions that the constraints ask for, and a
    clustering counts the more, the less even its clusters are [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` cuts the tree at its longest lifetime.

    n_clusterings : int, default=35
        Number of clusterings, :math:`M`. Each has between ``n_clusters`` and twice as
        many clusters; between 2 and :math:`\sqrt n` when ``n_clusters`` is None.

    n_components : int, default=None
        Number of directions in which the data are clustered. By default all along which
        they vary; with constraints, those that spread the cannot-links more than the
        must-links.

    algorithms : list of clusterers, default=None
        Clusterers of scikit-learn that take turns; by default k-means, hierarchical
        clustering with single, complete, average and Ward linkage, spectral clustering
        and Gaussian mixtures.

    random_state : int, RandomState instance or None, default=None
        Seed of the clusterings.

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; they sum to one.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form.

    constraints_ : ConstraintSet
        The constraints.

    Notes
    -----
    The features are made uncorrelated and of unit variance; if there are constraints,
    the data are then projected on the leading eigenvectors of the mean scatter of the
    cannot-links less that of the must-links. The review describes both steps in words
    only. Projected on all eigenvectors the data would merely be rotated, which changes
    no distance, so that those with a negative eigenvalue are left out by default.

    For the clusters v of clustering m,

    .. math::
        b^m_v = |C^m_v| \, \ln \frac{n}{|C^m_v|}, \qquad
        u_m = \frac{2 \min_v b^m_v}{\max_v b^m_v + \max_{l, v} b^l_v}, \qquad
        w_m = \frac{1 - u_m}{\sum_l (1 - u_l)} ,

    in which :math:`u_m` is the uniformity and :math:`1 - u_m` the diversity of a
    clustering. Average linkage cuts the co-association :math:`B W B'`.

    The review prints :math:`|C| \log (|C| / n)`, which is negative: its minimum is the
    cluster of largest magnitude, so that u is at least one, and the diversity zero or
    less, for every clustering. With absolute values both lie in [0, 1], as the text
    says they do. How the weight follows from the diversity it leaves open. A clustering
    into a single cluster has :math:`u = 0`, and weighs nothing here: it says nothing.

    Note that b is largest for a cluster of :math:`n / e` objects: clusters of equal
    size have the uniformity 1 only if no clustering has a larger b.

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
        quick={"n_clusterings": 14},  # twice each algorithm
    )

    _parameter_constraints = {
        "n_clusters": EnsembleMethod._parameter_constraints["n_clusters"],
        "n_clusterings": [Interval(Integral, 1, None, closed="left")],
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
        "algorithms": [list, tuple, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_clusters=None,
        *,
        n_clusterings=35,
        n_components=None,
        algorithms=None,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.n_clusterings = n_clusterings
        self.n_components = n_components
        self.algorithms = algorithms
        self.random_state = random_state

    def _default_generator(self):
        return Crowd(self.algorithms, self.n_clusterings, extend=True)

    def _generate(self, X, rng):
        n = len(X)
        crowd = self._default_generator()
        require_memory(
            max(distance_bytes(model, n) for model in crowd.members()),
            f"the distances of {n} objects, and what the algorithms make of them,",
            "use weac or gp_mgla on k-means",
        )
        k = self.n_clusters
        self.generator_ = crowd.set_params(
            n_clusters=None if k is None else (k, max(k, min(2 * k, n))),
            features=self._projection(X),
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        with warnings.catch_warnings():
            # A member that is not quite at its best is one of the crowd.
            warnings.simplefilter("ignore", ConvergenceWarning)
            warnings.filterwarnings("ignore", message="Graph is not fully connected")
            # As many clusters as objects, all eigenvectors: SciPy says how it does it.
            warnings.filterwarnings("ignore", message="k >= N for N")
            return self.generator_.generate(X)

    def _projection(self, X):
        """Whitening, and the directions that the constraints ask for."""
        if not len(self.constraints_):
            return whitening(X, self.n_components)
        white = whitening(X)
        chosen = constraint_directions(white(X), self.constraints_, self.n_components)
        return LinearProjection(white.mean, white.directions @ chosen)

    def _combine(self, ensemble, X, rng):
        diversity = 1.0 - uniformity(ensemble)
        diversity[ensemble.n_clusters_each == 1] = 0.0
        self.clustering_weights_ = normalize_weights(diversity)
        self.linkage_ = ensemble_linkage(
            ensemble, clustering_weights=self.clustering_weights_
        )
        return cut(self.linkage_, self.n_clusters)


class Crowd(EstimatorGenerator):
    """Algorithms that take turns; new objects are labelled like their neighbours."""

    def _estimators(self):
        if self.estimator is not None:
            return super()._estimators()
        from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
        from sklearn.mixture import GaussianMixture

        linkages = ("single", "complete", "average", "ward")
        return [
            KMeans(n_init=1),
            *(AgglomerativeClustering(linkage=linkage) for linkage in linkages),
            SpectralClustering(n_init=3, gamma=None),
            GaussianMixture(),
        ]

    def members(self):
        """The algorithms whose turn comes.

        Returns
        -------
        members : list of clusterers
            Fewer than there are where there are fewer clusterings.
        """
        return self._estimators()[: self.n_clusterings]

    def _model(self, plan, seen):
        model = super()._model(plan, seen)
        if model.get_params().get("gamma", 0.0) is None:
            # Half the median distance is the width of the kernel.
            width = median_distance(seen, np.random.RandomState(plan["seed"])) / 2
            model.set_params(gamma=1 / (2 * width**2))
        return model

    def _name(self, model):
        return getattr(model, "linkage", None) or type(model).__name__

    def _extension(self, seen, labels, counts):
        return NearestObject(seen, labels)


def uniformity(ensemble):
    """How even the clusters of each clustering are, from 0 to 1."""
    b = ensemble.sizes * np.log(ensemble.n_objects / ensemble.sizes)
    starts = ensemble.offsets[:-1]
    least, most = np.minimum.reduceat(b, starts), np.maximum.reduceat(b, starts)
    scale = most + b.max()
    return 2.0 * least / np.where(scale > 0, scale, 1.0)
