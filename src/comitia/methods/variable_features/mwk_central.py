"""The Minkowski central partition."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia._steps import check_random_state
from comitia.agreement import agreement_matrix
from comitia.catalogue import MethodCard
from comitia.cluster import MinkowskiKMeans
from comitia.cluster.clusterer import Repeats, initial_centers
from comitia.cluster.minkowski import minkowski_runs
from comitia.exceptions import ComitiaError
from comitia.generate.estimators import n_clusters_range
from comitia.generate.generator import draw_seeds
from comitia.methods._types import Array, Data, Ensemble, Rng, Seed
from comitia.methods.variable_features._sweep import SweepMethod
from comitia.partition import median_selection
from comitia.validity import get_index

__all__ = ["MinkowskiCentralPartition"]


class MinkowskiCentralPartition(SweepMethod):
    r"""Minkowski central partition.

    Minkowski weighted k-means, which weighs the features in each cluster, runs with
    many exponents of the distance. The clustering that agrees most with those of the
    other exponents is the result, and points to a suitable exponent [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` draws it for each start, from 2 to :math:`\sqrt n`,
        and lets the index decide.

    weight_power : array-like of shape (n_clusterings,), default=None
        The exponents :math:`\rho` of distances and weights, at least 1; by default 1.0,
        1.1, ..., 5.0.

    index : {"calinski_harabasz", "silhouette"}, default="calinski_harabasz"
        Validity index that judges the starts with one exponent.

    variant : {"guarded", "offset"}, default="guarded"
        Add the mean dispersion to all of them when one is zero, or always, as the
        authors' program does.

    n_init : int, default=100
        Number of starts with each exponent.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the starts.

    Attributes
    ----------
    weight_power_ : float
        The exponent of the central partition.

    centrality_ : ndarray of shape (n_clusterings,)
        Sum of the adjusted Rand indices of each clustering with the others.

    selected_ : ndarray of bool of shape (n_clusterings,)
        Which clustering is the result.

    feature_weights_ : ndarray of shape (n_clusters_, n_features)
        Weight of each feature in each cluster of the result; rows sum to one.

    objective_ : list of ndarray
        For each clustering its objective after each iteration.

    n_iter_ : int
        Most iterations of a clustering.

    converged_ : bool
        Whether all clusterings converged.

    Notes
    -----
    The features are standardised. With each exponent :math:`\rho`,

    .. math::
        \min \sum_v \sum_{i \in C^v} \sum_r w_{vr}^\rho \, |x_{ir} - c_{vr}|^\rho,
        \qquad w_{vr} = \frac{1}{\sum_s (D_{vr} / D_{vs})^{1 / (\rho - 1)}},
        \qquad D_{vr} = \sum_{i \in C^v} |x_{ir} - c_{vr}|^\rho ;

    with :math:`\rho = 1` all weight of a cluster is on the feature of least dispersion.
    The centres minimise :math:`\sum |x - c|^\rho`: medians for 1, means for 2, found by
    a search on a convex function otherwise. Of the starts with one exponent the one
    with the best index is kept, which is computed on the standardised data without
    weights; the review does not say on which. The result is

    .. math::
        \arg\max_m \sum_{l \ne m} \mathrm{ARI}(C_m, C_l) .

    All steps are exact and the objective of a clustering does not rise, unless the mean
    dispersion is added. With :math:`\rho = 2` and equal dispersions the clustering is
    k-means.

    By default there are 41 exponents of 100 starts each, 4100 runs in all, each linear
    in the number of objects; ``n_jobs`` spreads the exponents. The silhouette is
    quadratic.

    References
    ----------
    .. [1] R. Cordeiro de Amorim, A. Shestakov, B. Mirkin and V. Makarenkov, "The
       Minkowski central partition as a pointer to a suitable distance exponent and
       consensus partitioning", Pattern Recognition 67, 2017, pp. 62-72.

    Examples
    --------
    >>> from comitia import method
    >>> X = [[0.0, 4.0], [0.1, 0.0], [0.2, 2.0], [5.0, 4.1], [5.1, 0.1], [5.2, 2.1]]
    >>> central = method("mwk_central")(n_clusters=2, n_init=5, random_state=0)
    >>> central.fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> central.ensemble_.n_clusterings
    41
    """

    card = MethodCard(
        id="mwk_central",
        weighs="features",
        approach="variable",
        needs="data",
        scales="linear",
        quick={"weight_power": (2.0, 3.0, 4.0), "n_init": 25},
    )

    _per_cluster = {"feature_weights_": 0}

    _parameter_constraints = {
        "weight_power": ["array-like", None],
        "index": [StrOptions({"calinski_harabasz", "silhouette"})],
        "variant": [StrOptions({"guarded", "offset"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        weight_power: Any = None,
        index: str = "calinski_harabasz",
        variant: str = "guarded",
        n_init: int = 100,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.weight_power = weight_power
        self.index = index
        self.variant = variant
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _clusterer(self) -> Any:
        return JudgedMinkowski(
            variant=self.variant,
            n_init=self.n_init,
            index=self.index,
            draw_n_clusters=self.n_clusters is None,
        )

    def _exponents(self) -> Array:
        if self.weight_power is None:
            return np.arange(10, 51) / 10
        exponents = np.asarray(self.weight_power, dtype=np.float64)
        if exponents.ndim != 1 or not len(exponents) or not (exponents >= 1).all():
            raise ComitiaError(
                f"weight_power={self.weight_power!r} must be a list of exponents, each "
                "at least 1."
            )
        return exponents

    def _grid(self) -> list[Any]:
        return [{"p": float(exponent)} for exponent in self._exponents()]

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        agreement = agreement_matrix(ensemble, "adjusted_rand")
        self.centrality_ = agreement.sum(axis=1) - np.diag(agreement)
        central = median_selection(agreement)
        self.selected_ = np.arange(ensemble.n_clusterings) == central
        self.weight_power_ = float(self._exponents()[central])
        labels = ensemble.labels[:, central]
        # Clusters of the result are numbered in the order of their first objects.
        _, first = np.unique(labels, return_index=True)
        own = self.feature_weights_[ensemble.clustering_of == central]
        self.feature_weights_ = own[np.argsort(first)]
        return labels


class JudgedMinkowski(MinkowskiKMeans):
    """Minkowski weighted k-means whose starts are judged by a validity index."""

    _parameter_constraints = {
        "index": [str],
        "draw_n_clusters": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: Any = 8,
        *,
        p: Any = 2.0,
        variant: Any = "guarded",
        n_init: Any = 100,
        index: Any = "calinski_harabasz",
        draw_n_clusters: Any = False,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters, p=p, variant=variant, n_init=n_init, random_state=random_state
        )
        self.index = index
        self.draw_n_clusters = draw_n_clusters

    def fit(self, X: Data, y: Any = None) -> Any:
        """Cluster the data, and keep the start with the best index."""
        rng = check_random_state(self.random_state)
        k = None if self.draw_n_clusters else self.n_clusters
        few, most = n_clusters_range(k, len(X))
        sizes = rng.randint(few, most + 1, size=self.n_init)
        index = get_index(self.index).function
        best: tuple[Any, Any] = (-np.inf, None)
        seen_before = Repeats()
        starts = [
            initial_centers(X, int(size), "random", np.random.RandomState(seed))
            for size, seed in zip(sizes, draw_seeds(self.n_init, rng), strict=True)
        ]
        for run in minkowski_runs(X, starts, p=self.p, variant=self.variant):
            if seen_before(run.labels):
                continue
            score = index(X, run.labels)
            # A single cluster has no index; all starts are then alike.
            if best[1] is None or score > best[0]:
                best = (np.nan_to_num(score, nan=-np.inf), run)
        self._keep(best[1])
        self.n_features_in_ = X.shape[1]
        return self
