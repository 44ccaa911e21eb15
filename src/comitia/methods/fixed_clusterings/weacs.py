"""WEACS."""

from typing import Any

import numpy as np

from comitia._sklearn import StrOptions
from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.methods._types import Array, Data, Ensemble, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage, hac, kmeans
from comitia.represent.coassociation import coassociation, condensed_coassociation
from comitia.validity import INDICES, score_table
from comitia.weigh import normalize_weights

__all__ = ["WEACS"]

# The sixteen indices of the paper; the last two compare a clustering with others.
_SINGLE = (
    *("hubert_raw", "hubert_normalized", "dunn", "davies_bouldin"),
    *("calinski_harabasz", "silhouette", "sse", "r_squared", "rmsstd", "sd"),
    *("s_dbw", "index_i", "xie_beni", "point_symmetry"),
)
_NEIGHBORS = {
    "krzanowski_lai": ("sse_previous", "sse_next"),
    "hartigan": ("sse_next",),
}


class WEACS(EnsembleMethod):
    r"""Weighted evidence accumulation clustering using subsampling.

    Clusterings of random subsets of the objects count by what sixteen validity indices
    say of them, and two objects are as similar as the weight that puts them together
    where both were drawn [1]_.

    Parameters
    ----------
    n_clusters : shared

    indices : str or list of str, default=None
        One index of :mod:`comitia.validity`, or several whose mean is taken. All
        sixteen of the paper by default.

    unification : {"minmax", "range", "prob", "rank"}, default="minmax"
        How index values come to one scale, as for :func:`comitia.validity.unify`.

    consensus : {"average", "single", "complete", "ward", "kmeans"}, default="average"
        A linkage of the similarities, or k-means on their rows.

    object_fraction : float, default=0.8
        Share of the objects that each clustering sees, when :meth:`fit` is given data
        alone and there is no ``generator``.

    generator : generator, default=None
        Makes the clusterings when :meth:`fit` is given data alone. By default k-means
        on random subsets of the objects.

    random_state : shared

    Attributes
    ----------
    clustering_weights_ : ndarray of shape (n_clusterings,)
        The mean :math:`w_m` of the unified indices of each clustering.

    indices_ : list of str
        The indices that were used.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram, in SciPy form, if the consensus is a linkage.

    Notes
    -----
    With the unified value :math:`\nu_v` of index v, of which there are J = 16,

    .. math::
        w_m = \frac{1}{J} \sum_{v=1}^{J} \nu_v(C_m), \qquad
        S_{ij} = \frac{[B W B']_{ij}}
        {\text{number of subsets that have both } i \text{ and } j}.

    The paper calls it SWEACS with a single index and JWEACS with the committee, and has
    all five kinds of consensus; average linkage as the default is ours. How the indices
    are unified the review does not say; the default follows a public
    re-implementation. Pairs that were never drawn together have similarity 0, with a
    warning if they are more than one in ten.

    The index of Krzanowski and Lai and that of Hartigan are no functions of one
    clustering: they compare its scatter with that of clusterings with one cluster less
    and one more. These are made by the same algorithm on the same subset when the
    method makes its own clusterings, with a generator that can do so
    (:class:`comitia.generate.EstimatorGenerator` and its kind, with a number or nothing
    as ``random_state``). Otherwise the two are left out, and the mean goes over
    fourteen.

    References
    ----------
    .. [1] F. J. F. Duarte, A. L. N. Fred, F. Rodrigues, J. M. M. Duarte and
       A. Lourenço, "Weighted evidence accumulation clustering using subsampling",
       PRIS 2006.

    Examples
    --------
    >>> from comitia import Ensemble, method
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> votes = Ensemble([[0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, -1]])
    >>> judge = method("weacs")(n_clusters=2, indices="dunn")
    >>> judge.fit_predict(X, ensemble=votes)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> judge.clustering_weights_
    array([1.     , 0.03125])
    """

    card = MethodCard(
        id="weacs",
        weighs="clusterings",
        approach="fixed",
        needs=("labels", "data"),
        missing="pairs",
        scales="quadratic",
    )

    _parameter_constraints = {
        "indices": [StrOptions(set(INDICES)), list, tuple, None],
        "consensus": [StrOptions({"average", "single", "complete", "ward", "kmeans"})],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        indices: Any = None,
        unification: str = "minmax",
        consensus: Any = "average",
        object_fraction: float = 0.8,
        generator: Maker = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.indices = indices
        self.unification = unification
        self.consensus = consensus
        self.object_fraction = object_fraction
        self.generator = generator
        self.random_state = random_state

    def _default_generator(self) -> Any:
        from comitia.generate import KMeansGenerator, Subsample

        return KMeansGenerator(objects=Subsample(self.object_fraction))

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        w = self._judge(ensemble, X)
        # If all indices are 0 for all clusterings, these weigh the same.
        self.clustering_weights_ = w = w if w.any() else normalize_weights(w)
        # The part divides by a share of the clusterings, the paper by their number.
        weights = {"clustering_weights": w / ensemble.n_clusterings}
        if self.consensus == "kmeans":
            k = self._resolve_n_clusters(ensemble, **weights)
            S = coassociation(ensemble, co_sampled="count", **weights)
            return kmeans(S, k, rng).labels
        if ensemble.kind == "hard":
            self.linkage_ = ensemble_linkage(
                ensemble, linkage=self.consensus, **weights
            )
        else:
            S = condensed_coassociation(
                ensemble, co_sampled="count", dtype=np.float64, **weights
            )
            self.linkage_ = hac(S.max(initial=1.0) - S, self.consensus)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _judge(self, ensemble: Ensemble, X: Data) -> Array:
        """The mean of the unified indices of each clustering."""
        from comitia.generate import EstimatorGenerator

        made = getattr(self, "generator_", None)
        makes_more = isinstance(made, EstimatorGenerator) and isinstance(
            made.random_state, int | np.integer
        )
        names = self.indices
        if names is None:
            names = [*_SINGLE, *_NEIGHBORS] if makes_more else _SINGLE
        names = [names] if isinstance(names, str) else list(names)
        options = {}
        if makes_more and set(names) & set(_NEIGHBORS):
            scatter = self._scatter_of_neighbors(ensemble, X)
            options = {
                name: {key: scatter[key] for key in keys}
                for name, keys in _NEIGHBORS.items()
                if name in names
            }
        self.indices_ = names
        table = score_table(X, ensemble, names, options=options)
        return table.unified(self.unification).mean(axis=1)

    def _scatter_of_neighbors(self, ensemble: Ensemble, X: Data) -> dict[str, Any]:
        """Squared errors with one cluster less and one more, on the same subsets."""
        from comitia.generate import regenerate

        k = ensemble.n_clusters_each
        others = {"sse_previous": np.maximum(k - 1, 1), "sse_next": k + 1}
        return {
            name: score_table(X, regenerate(self.generator_, X, other), ["sse"]).values[
                :, 0
            ]
            for name, other in others.items()
        }
