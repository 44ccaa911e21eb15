"""Weighted ensemble over several representations of time series."""

from typing import Any

import numpy as np

from comitia.base import EnsembleMethod
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate import KMeansGenerator
from comitia.generate.series_generators import RepresentationGenerator
from comitia.methods._types import Array, Data, Linkage, Maker, Rng, Seed
from comitia.partition import cut, ensemble_linkage
from comitia.validity import get_index
from comitia.weigh import index_scores, mean_agreement, normalize_weights

__all__ = ["RepresentationEnsemble"]


class RepresentationEnsemble(EnsembleMethod):
    r"""Weighted clustering ensemble with different representations.

    Time series are described in several ways, each description is clustered several
    times, several criteria weigh these clusterings, each to a consensus of its own, and
    the consensuses are combined once more [1]_.

    Parameters
    ----------
    n_clusters : shared

    representations : sequence of str or callable, default=all four names
        What is clustered: ``"statistics"``, ``"wavelets"``, ``"polynomial"`` and
        ``"fourier"`` of :mod:`comitia.generate.series_features`, or functions that
        get a list of (n_channels, n_times) arrays and return one row of features for
        each.

    indices : sequence of str or callable, default=("dunn", "modified_hubert", "nmi")
        The criteria, each of which weighs the clusterings: ``"nmi"`` is the mean
        normalised mutual information with the other clusterings, all other names are
        indices of :mod:`comitia.validity`; a function ``index(X, labels)`` returns a
        number, 0 or more and larger for a better clustering.

    linkage : {"single", "complete", "average", "ward"}, default="average"
        Distance of two clusters in each tree.

    generator : generator, default=None
        Clusters each representation. By default k-means, ten times, with up to two
        clusters fewer or more than ``n_clusters``.

    n_jobs : shared

    random_state : int, RandomState instance or None, default=None
        Seed of the generator.

    Attributes
    ----------
    index_weights_ : ndarray of shape (n_indices, n_clusterings)
        Weight of each clustering by each criterion; rows sum to one.

    clustering_weights_ : ndarray of shape (n_clusterings,)
        Their mean over the criteria.

    candidates_ : Ensemble
        The consensus by each criterion, which the last step combines.

    linkage_ : ndarray of shape (n_objects - 1, 4)
        The dendrogram of the last step, in SciPy form.

    Notes
    -----
    For each criterion :math:`c`, with the weights :math:`W^c` on the diagonal,

    .. math::
        w_m^c = \frac{c(C_m)}{\sum_l c(C_l)}, \qquad S^c = B W^c B',

    and average linkage on :math:`1 - S^c` gives a consensus; average linkage on the
    unweighted co-association of these consensuses gives the result.

    The features of a representation are standardised before they are clustered. Indices
    that look at the data see all representations side by side, so that the values of
    clusterings of different representations can be compared; the review does not say
    what they see. The paper maps the wavelet coefficients of a window to few dimensions
    with Sammon's mapping, which is quadratic in the number of windows; here the
    coarsest coefficients are kept.

    References
    ----------
    .. [1] Y. Yang and K. Chen, "Temporal data clustering via weighted clustering
       ensemble with different representations", IEEE Trans. Knowledge and Data
       Engineering 23(2), 2011. :doi:`10.1109/TKDE.2010.112`

    Examples
    --------
    >>> from comitia import method
    >>> rising, falling = [0.0, 1.0, 2.0, 4.0], [5.0, 3.0, 2.0, 0.0]
    >>> series = [[rising], [rising[:3]], [falling], [falling[1:]]]
    >>> method("yang_chen_2011")(n_clusters=2, random_state=0).fit_predict(series)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="yang_chen_2011",
        weighs="clusterings",
        approach="fixed",
        needs="series",
        scales="quadratic",
    )

    _per_object = (*EnsembleMethod._per_object, "candidates_")

    _parameter_constraints = {
        "representations": [tuple, list],
        "indices": [tuple, list],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        representations: Any = ("statistics", "wavelets", "polynomial", "fourier"),
        indices: Any = ("dunn", "modified_hubert", "nmi"),
        linkage: Linkage = "average",
        generator: Maker = None,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.representations = representations
        self.indices = indices
        self.linkage = linkage
        self.generator = generator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self) -> Any:
        k = self.n_clusters
        around = None if k is None else (max(k - 2, min(k, 2)), k + 2)
        return KMeansGenerator(10, n_clusters=around)

    def _generate(self, X: Data, rng: Rng) -> Ensemble:
        self._check_lists()
        generator = RepresentationGenerator(
            self.representations,
            self.get_generator(),
            n_jobs=self.n_jobs,
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        return self._run_generator(generator, X)

    def _combine(self, ensemble: Ensemble, X: Data, rng: Rng) -> Array:
        Z = np.hstack(self.generator_.features_)
        self.index_weights_ = np.array(
            [
                normalize_weights(scores_by_index(Z, ensemble, index))
                for index in self.indices
            ]
        )
        self.clustering_weights_ = self.index_weights_.mean(axis=0)
        consensuses = [
            cut(self._tree(ensemble, weights), self._resolve_n_clusters(ensemble))
            for weights in self.index_weights_
        ]
        self.candidates_ = Ensemble(consensuses, clustering_names=self._index_names())
        self.linkage_ = self._tree(self.candidates_, None)
        return cut(self.linkage_, self._resolve_n_clusters(ensemble))

    def _tree(self, ensemble: Ensemble, weights: Array | None) -> Array:
        return ensemble_linkage(
            ensemble, clustering_weights=weights, linkage=self.linkage
        )

    def _check_lists(self) -> None:
        for name in ("representations", "indices"):
            if len(getattr(self, name)) == 0:
                raise ComitiaError(f"{name} is empty; give at least one.")
        for index in self.indices:
            if not callable(index) and index != "nmi":
                get_index(index)

    def _index_names(self) -> list[Any]:
        return [
            index if isinstance(index, str) else getattr(index, "__name__", "index")
            for index in self.indices
        ]


def scores_by_index(X: Data, ensemble: Ensemble, index: str) -> Array:
    """The value of each clustering by one criterion, 0 or more."""
    if index == "nmi":
        return mean_agreement(ensemble, "nmi_sqrt")
    return index_scores(X, ensemble, index)
