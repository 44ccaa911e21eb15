"""Several representations of time series, combined by any method on clusterings."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia import catalogue
from comitia._sklearn import HasMethods
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.kmeans import KMeansGenerator
from comitia.generate.series_features import check_representation
from comitia.generate.series_generators import RepresentationGenerator, side_by_side
from comitia.methods.composite._by_method import CombinedByMethod
from comitia.partition.k_probabilities import table_sample

__all__ = ["TimeSeriesEnsemble"]


class TimeSeriesEnsemble(CombinedByMethod):
    r"""Ensemble over representations of time series.

    Each representation of the series keeps something else of them; each is clustered
    several times, and any method that combines given clusterings combines them all
    [1]_. What it does when nothing is chosen was chosen on some of the data sets of our
    evaluation, and looked at once on the others (:doc:`/time_series`).

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` takes the likeliest number for all
        representations side by side (:func:`comitia.choose_k`); for given clusterings
        the method chooses.

    method : str or method, default="consensus"
        What combines the clusterings: the id of a method that needs labels alone, see
        ``comitia.methods(needs="labels")``, or such a method with its parameters.

    representations : sequence of str or callable, default=five
        What is clustered: ``"values"``, the series themselves at 100 times;
        ``"statistics"``, ``"wavelets"``, ``"polynomial"``, ``"fourier"``, features of
        them; or functions that take a list of (n_channels, n_times) arrays and return
        one row for each. All five by default.

    generator : generator, default=None
        Clusters each representation, as
        :class:`comitia.generate.RepresentationGenerator` scales it. ``None`` makes ten
        clusterings of each by k-means, with k to :math:`\max(2k, \sqrt{n})` clusters.

    n_jobs : int, default=None
        Number of parallel jobs of the generator.

    random_state : int, RandomState instance or None, default=None
        Seed of the generator and of the method.

    Attributes
    ----------
    cluster_weights_ : ndarray of shape (n_clusters of the ensemble,)
        Weights of the clusters, with the method that there is by default.

    method_ : method
        The method that combined the clusterings, fitted. Its weights, its tree and its
        objective are attributes here, too.

    Notes
    -----
    ``ensemble_.groups`` names the representation that each clustering is of.

    Series may be of unequal length: each representation is as long for a short series
    as for a long one, and a series that lasts twice as long with the same shape is the
    same series. Where that is not meant, give series of the same duration.

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
    >>> method("time_series")(n_clusters=2, random_state=0).fit_predict(series)
    array([0, 0, 1, 1], dtype=int32)
    """

    card = MethodCard(
        id="time_series",
        weighs="clusters",
        approach="composite",
        needs="series",
        scales="linear",
    )

    # Its generator is all that draws from the data.
    _draws_from_data = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [str, HasMethods(["fit", "fit_predict"])],
        "representations": [tuple, list],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: Any = catalogue.DEFAULT_METHOD,
        representations: Any = (
            "values",
            "statistics",
            "wavelets",
            "polynomial",
            "fourier",
        ),
        generator: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.representations = representations
        self.generator = generator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _default_generator(self) -> Any:
        k = self.n_clusters
        return KMeansGenerator(10, n_clusters=None if k is None else (max(k, 2), None))

    def _generate(self, X: Any, rng: np.random.RandomState) -> Ensemble:
        self._unfitted_method()  # refused before anything is clustered
        if not self.representations:
            raise ComitiaError("representations is empty; give at least one.")
        for one in self.representations:
            check_representation(one)
        generator = RepresentationGenerator(
            self.representations,
            self.get_generator(),
            n_jobs=self.n_jobs,
            random_state=rng.randint(np.iinfo(np.int32).max),
        )
        ensemble = self._run_generator(generator, X)
        if self.n_clusters is None:
            self._table = table_sample(side_by_side(self.generator_.features_))
        return ensemble

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        return self._combine_by_method(ensemble, rng)
