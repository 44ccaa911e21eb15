"""Clusterings of time series: by hidden Markov models, and by representations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from comitia._inputs import check_series
from comitia._scales import far_shift
from comitia._sklearn import Interval
from comitia.cluster.hmm_k_models import HMMKModels
from comitia.cluster.sequences import Series
from comitia.ensemble import Ensemble
from comitia.generate.base import Generator, Made, draw_seeds
from comitia.generate.estimators import n_clusters_range
from comitia.generate.views import Standardizer, ViewsGenerator
from comitia.represent.series import represent_series

__all__ = ["HMMGenerator", "RepresentationGenerator"]

Array = NDArray[np.float64]


class HMMGenerator(Generator):
    r"""Clusterings of time series by hidden Markov models with random starts.

    Parameters
    ----------
    n_clusterings : int, default=10
        Size of the ensemble, :math:`M`.

    n_clusters : int or (int, int), default=None
        Number of clusters of each clustering, or the range it is drawn from. ``None``
        draws from 2 to :math:`\sqrt{n}`, at most 50.

    n_states : int, default=3
        Hidden states of each model.

    max_iter : int, default=50
        Most rounds of assigning series and fitting models.

    n_jobs : int, default=None
        Number of parallel jobs.

    checkpoint : path-like, default=None
        A folder for finished members. A run that was killed goes on from there.

    verbose : bool, default=False
        Whether to draw a progress bar.

    random_state : int, RandomState instance or None, default=None
        Seed.

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings.

    members_ : list
        The models, which label new series: :class:`comitia.cluster.HMMKModels`.

    Examples
    --------
    >>> from comitia.generate import HMMGenerator
    >>> X = [[0.0, 0.1, 0.0], [0.1, 0.0, 0.1], [5.0, 5.1, 5.0], [5.1, 5.0, 5.1]]
    >>> HMMGenerator(2, n_clusters=2, n_states=1, random_state=0).generate(X)
    Ensemble(kind='hard', n_objects=4, n_clusterings=2, n_clusters=4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **Generator._parameter_constraints,
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_clusterings: int = 10,
        *,
        n_clusters: Any = None,
        n_states: int = 3,
        max_iter: int = 50,
        n_jobs: int | None = None,
        checkpoint: Any = None,
        verbose: Any = False,
        random_state: Any = None,
    ) -> None:
        self.n_clusterings = n_clusterings
        self.n_clusters = n_clusters
        self.n_states = n_states
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.checkpoint = checkpoint
        self.verbose = verbose
        self.random_state = random_state

    def _check_data(self, X: Any, *, reset: bool = True) -> Series:
        return Series.read(check_series(X))

    def _shift_of(self, X: Series) -> Array | None:
        return far_shift(X.steps)

    def _fingerprint(self, X: Any) -> str:
        return super()._fingerprint(np.append(X.lengths, X.steps))

    def _plan(self, X: Series, rng: np.random.RandomState) -> list[dict[str, Any]]:
        few, most = n_clusters_range(self.n_clusters, len(X))
        n_clusters = rng.randint(few, most + 1, size=self.n_clusterings)
        seeds = draw_seeds(self.n_clusterings, rng)
        return [
            {"n_clusters": int(k), "seed": seed}
            for k, seed in zip(n_clusters, seeds, strict=True)
        ]

    def _make(self, X: Series, plan: dict[str, Any]) -> Made:
        model = HMMKModels(
            plan["n_clusters"],
            n_states=self.n_states,
            n_init=1,
            max_iter=self.max_iter,
            random_state=plan["seed"],
        )
        with warnings.catch_warnings():
            # A member that is a little off is what an ensemble is made of.
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(X)
        return Made(model.labels_, model=model)


def _members_can_label(generator: RepresentationGenerator) -> bool:
    return hasattr(ViewsGenerator(generator.generator), "transform")


class RepresentationGenerator(BaseEstimator):
    """Clusterings of several representations of time series.

    Parameters
    ----------
    representations : sequence of str or callable
        Names or functions, as for :func:`comitia.represent.represent_series`.

    generator : generator, default=None
        Clusters each representation, its features standardised;
        :class:`KMeansGenerator` with 20 clusterings by default.

    n_jobs : int, default=None
        Number of parallel jobs of a generator that does not say.

    random_state : int, RandomState instance or None, default=None
        Seed of a generator that has none.

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings, in groups by representation.

    features_ : list of ndarray of shape (n_objects, n_features)
        The representations, standardised.

    Examples
    --------
    >>> from comitia.generate import KMeansGenerator, RepresentationGenerator
    >>> X = [[0.0, 0.1, 0.0], [0.1, 0.0, 0.1], [5.0, 5.1, 5.0], [5.1, 5.0, 5.1]]
    >>> once = KMeansGenerator(1, n_clusters=2)
    >>> made = RepresentationGenerator(["statistics", "fourier"], once).generate(X)
    >>> made.groups.tolist()
    ['statistics', 'fourier']
    """

    def __init__(
        self,
        representations: Sequence[Any],
        generator: Any = None,
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.representations = representations
        self.generator = generator
        self.n_jobs = n_jobs
        self.random_state = random_state

    def generate(self, series: Any) -> Ensemble:
        """Cluster each representation several times.

        Parameters
        ----------
        series : array-like of shape (n_objects, n_channels, n_times), or list
            The series.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.
        """
        raw = self._represent(series)
        self.standardizers_ = [Standardizer.of(X) for X in raw]
        self.features_ = self._standardize(raw)
        self.views_ = ViewsGenerator(
            self.generator, n_jobs=self.n_jobs, random_state=self.random_state
        )
        names = [
            one if isinstance(one, str) else getattr(one, "__name__", f"{r}")
            for r, one in enumerate(self.representations)
        ]
        self.ensemble_ = self.views_.generate(self.features_, names)
        return self.ensemble_

    @available_if(_members_can_label)
    def transform(self, series: Any) -> NDArray[np.int32]:
        """Label series with each member.

        Parameters
        ----------
        series : array-like of shape (n_new, n_channels, n_times), or list
            New series.

        Returns
        -------
        labels : ndarray of shape (n_new, n_clusterings)
            The cluster of each series in each clustering.
        """
        return self.views_.transform(self._standardize(self._represent(series)))

    def _represent(self, series: Any) -> list[Array]:
        series = check_series(series)
        return [represent_series(series, one) for one in self.representations]

    def _standardize(self, raw: list[Array]) -> list[Array]:
        return [
            standardize(X)
            for standardize, X in zip(self.standardizers_, raw, strict=True)
        ]
