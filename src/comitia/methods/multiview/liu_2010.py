"""Views that count by how much their clusterings agree."""

from typing import Any

import numpy as np
from sklearn.base import clone

from comitia._inputs import Views
from comitia._scales import off_center, unit_rows
from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.methods._types import Array, Data, Maker, Rng, Seed
from comitia.methods.multiview._base import MultiViewMethod
from comitia.methods.multiview._prepared_views import impute_views
from comitia.partition import cut, ensemble_linkage, kernel_kmeans
from comitia.weigh import mean_agreement, normalize_weights

__all__ = ["WeightedHybridClustering"]


class WeightedHybridClustering(MultiViewMethod):
    r"""Weighted hybrid clustering.

    Each view is clustered on its own; a view counts by how much its clustering agrees
    with those of the others, be it that clusterings are combined, or kernels [1]_.

    Parameters
    ----------
    n_clusters, views : shared

    variant : {"ensemble", "kernel"}, default="ensemble"
        Average linkage on the weighted co-association, or kernel k-means on the
        weighted sum of the views' kernels.

    agreement : shared

    kernel : {"linear", "rbf"} or callable, default="linear"
        Kernel of each view for ``variant="kernel"``. The linear one is that of rows
        scaled to unit length, which suits text; a callable is given a view and returns
        its kernel matrix.

    generator : generator, default=None
        Makes the clusterings of each view. By default one by k-means, the best of ten
        starts, with ``n_clusters`` clusters; for ``None`` with as many as the eigengap
        of ten k-means clusterings of the view suggests.

    n_init : int, default=10
        Number of starts of kernel k-means.

    random_state : shared

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        Weight of each view; they sum to one.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Weight of each clustering; those of a view sum to the weight of the view.

    view_labels_ : ndarray of shape (n_objects, n_views)
        The first clustering of each view, -1 for an object that it does not have.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form, for ``variant="ensemble"``.

    Notes
    -----
    With one clustering per view,

    .. math::
        w_m \propto \frac{1}{M - 1} \sum_{l \ne m} \phi(C_m, C_l), \qquad
        S = \sum_m w_m B_m B_m' \quad \text{or} \quad
        K = \sum_m w_m \frac{K_m}{\mathrm{tr} K_m} .

    A generator that makes several clusterings of a view gives each of them its weight,
    and the view their sum.

    The paper speaks of a weighted average of the mapped matrices. Views have different
    widths, so what is averaged can only be the inner products; they are scaled to unit
    trace first, or the view with the largest numbers would decide.

    An object that a view does not have is not in the clusterings of the view; for its
    kernel it is filled in with the means of the view's columns.

    References
    ----------
    .. [1] X. Liu, S. Yu, F. Janssens, W. Glänzel, Y. Moreau and B. De Moor, "Weighted
       hybrid clustering by combining text mining and bibliometrics on a large-scale
       journal database", J. Am. Soc. Inf. Sci. Technol. 61(6), 2010.
       :doi:`10.1002/asi.21312`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import method
    >>> words = np.array([[0.0], [0.1], [5.0], [5.1], [5.0], [0.0]])
    >>> cited = np.array([[1.0], [1.1], [3.0], [3.1], [3.0], [3.2]])
    >>> fitted = method("liu_2010")(n_clusters=2, random_state=0)
    >>> fitted.fit([words, cited, cited]).labels_
    array([0, 0, 1, 1, 1, 1], dtype=int32)
    >>> fitted.view_weights_.round(3)
    array([0.245, 0.378, 0.378])
    """

    card = MethodCard(
        id="liu_2010",
        weighs="views",
        approach="fixed",
        needs="views",
        scales="quadratic",
    )

    _takes_missing = True

    _parameter_constraints = {
        "variant": [StrOptions({"ensemble", "kernel"})],
        "kernel": [StrOptions({"linear", "rbf"}), callable],
        "n_init": EnsembleMethod._parameter_constraints["n_clusters"][:1],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        views: Any = None,
        variant: str = "ensemble",
        agreement: Any = "nmi_sqrt",
        kernel: Any = "linear",
        generator: Maker = None,
        n_init: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.views = views
        self.variant = variant
        self.agreement = agreement
        self.kernel = kernel
        self.generator = generator
        self.n_init = n_init
        self.random_state = random_state

    def _generate(self, views: Views, rng: Rng) -> Ensemble:
        made = [
            self._cluster(X, present, rng)
            for X, present in zip(views.arrays, views.present.T, strict=True)
        ]
        self.view_labels_ = np.stack([labels[:, 0] for labels in made], axis=1)
        names = np.repeat(views.names, [labels.shape[1] for labels in made])
        return Ensemble(np.concatenate(made, axis=1), groups=names.tolist())

    def _combine(self, ensemble: Any, views: Views, rng: Rng) -> Array:
        self.clustering_weights_ = normalize_weights(
            mean_agreement(ensemble, self.agreement)
        )
        self.view_weights_ = np.array(
            [self.clustering_weights_[ensemble.groups == v].sum() for v in views.names]
        )
        k = self._resolve_n_clusters(
            ensemble, clustering_weights=self.clustering_weights_
        )
        if self.variant == "ensemble":
            self.linkage_ = ensemble_linkage(
                ensemble, clustering_weights=self.clustering_weights_
            )
            return cut(self.linkage_, k)
        n = views.n_objects
        require_memory(3 * 8 * n * n, f"a kernel of {n} objects")
        K = sum(
            weight * unit_trace(kernel_of(X, self.kernel))
            for weight, X in zip(
                self.view_weights_, impute_views(views.arrays), strict=True
            )
        )
        return kernel_kmeans(K, k, rng, n_init=self.n_init).labels

    def _cluster(self, X: Data, present: Array, rng: Rng) -> Array:
        """Clusterings of one view, (n_objects, n_clusterings)."""
        X, seed = X[present], rng.randint(np.iinfo(np.int32).max)
        generator = self.generator
        if generator is None:
            generator = one_kmeans(X, self.n_clusters, seed)
        generator = clone(generator, safe=False)
        if getattr(generator, "random_state", 0) is None:
            generator.set_params(random_state=seed)
        found = generator.generate(X).labels
        labels = np.full((len(present), found.shape[1]), -1, dtype=np.int32)
        labels[present] = found
        return labels


def one_kmeans(X: Data, n_clusters: int | None, seed: int) -> Any:
    """A generator of one k-means clustering, the best of ten."""
    from sklearn.cluster import KMeans

    from comitia.generate import EstimatorGenerator, KMeansGenerator
    from comitia.partition import choose_n_clusters

    if n_clusters is None:
        several = KMeansGenerator(n_clusterings=10, random_state=seed).generate(X)
        n_clusters = choose_n_clusters(several)
    k = min(n_clusters, len(np.unique(X, axis=0)))
    best = KMeans(n_init=10)
    return EstimatorGenerator(best, 1, n_clusters=k, random_state=seed)


def kernel_of(X: Data, kernel: Any) -> Any:
    """Inner products of the objects of one view."""
    if callable(kernel):
        return np.asarray(kernel(X), dtype=np.float64)
    if kernel == "rbf":
        from sklearn.metrics.pairwise import rbf_kernel

        # The width at which distances count: the mean squared distance of two objects.
        spread = 2 * X.var(axis=0).sum()
        return rbf_kernel(off_center(X), gamma=1 / spread if spread > 0 else 1.0)
    rows = unit_rows(X)
    return rows @ rows.T


def unit_trace(K: Any) -> Any:
    """A kernel whose trace is one, unless it is zero."""
    trace = float(np.trace(K))
    return K / trace if trace > 0 else K
