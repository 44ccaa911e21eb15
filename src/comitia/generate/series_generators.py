"""Clusterings of time series: by hidden Markov models, and by representations."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.metaestimators import available_if

from comitia._content_order import ContentOrder
from comitia._inputs import check_series
from comitia._scales import column_scales, far_shift
from comitia._sklearn import Interval
from comitia._steps import OnProgress
from comitia.cluster.hmm_k_models import HMMKModels
from comitia.cluster.sequences import Series
from comitia.ensemble import Ensemble
from comitia.generate.estimators import _sized_plans, n_clusters_range
from comitia.generate.generator import Generator, Plan
from comitia.generate.member import Made
from comitia.generate.series_features import SERIES_REPRESENTATIONS, represent_series
from comitia.generate.views_generator import Standardizer, ViewsGenerator

__all__ = ["HMMGenerator", "RepresentationGenerator", "series_table", "side_by_side"]

Array = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class HMMGenerator(Generator):
    r"""Clusterings of time series by hidden Markov models with random starts.

    Parameters
    ----------
    n_clusterings : int, default=10
        Size of the ensemble, :math:`M`.

    n_clusters : shared

    n_states : int, default=3
        Hidden states of each model.

    max_iter : int, default=50
        Most rounds of assigning series and fitting models.

    n_jobs, checkpoint, verbose, random_state : shared

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
    Ensemble(kind='hard', n_objects=4, n_clusterings=2, n_clusters_total=4)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), tuple, list, None],
        "n_states": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    n_clusterings: int = 10
    _: KW_ONLY
    n_clusters: Any = None
    n_states: int = 3
    max_iter: int = 50
    n_jobs: int | None = None
    checkpoint: Any = None
    verbose: Any = False
    random_state: Any = None

    def check_data(self, X: Any, *, reset: bool = True) -> Series:
        return Series.read(check_series(X))

    def shift_of(self, X: Series) -> Array | None:
        return far_shift(X.steps)

    def fingerprint(self, X: Any) -> str:
        return super().fingerprint(np.append(X.lengths, X.steps))

    def plan(self, X: Series, rng: np.random.RandomState) -> list[Plan]:
        ends = n_clusters_range(self.n_clusters, len(X))
        return _sized_plans(self.n_clusterings, *ends, rng)

    def fit_member(self, X: Series, plan: Plan) -> Made:
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


def _by_channel(X: Array, n_channels: int) -> Standardizer:
    """Each column around zero, and the columns of a channel divided by one number."""
    mean, scale, varies = column_scales(X)
    each = np.where(varies, scale, 0.0).reshape(n_channels, -1)
    largest = each.max(axis=1, keepdims=True)
    largest = np.where(largest > 0.0, largest, 1.0)  # so that no square underflows
    shared = largest[:, 0] * np.sqrt(np.square(each / largest).mean(axis=1))
    shared = np.repeat(np.where(shared > 0.0, shared, 1.0), each.shape[1])
    return Standardizer(mean, shared)


def series_table(series: Any) -> Array:
    """Series as the rows of one table: all representations side by side.

    Parameters
    ----------
    series : array-like of shape (n_objects, n_channels, n_times), or list
        The series.

    Returns
    -------
    table : ndarray of shape (n_objects, n_features of all)
        As :func:`side_by_side` puts them.
    """
    return side_by_side(
        RepresentationGenerator([*SERIES_REPRESENTATIONS]).represent(series)
    )


def side_by_side(features: Sequence[Array]) -> Array:
    """Representations of series as one table, in which all count alike.

    Parameters
    ----------
    features : sequence of ndarray of shape (n_objects, n_features)
        As :meth:`RepresentationGenerator.represent` returns them.

    Returns
    -------
    table : ndarray of shape (n_objects, n_features of all)
        Each of them over the root of its number of features.
    """
    return np.hstack([X / np.sqrt(X.shape[1]) for X in features])


def _members_can_label(generator: RepresentationGenerator) -> bool:
    return hasattr(ViewsGenerator(generator.generator), "transform")


@dataclass(eq=False, repr=False)
class RepresentationGenerator(BaseEstimator):
    """Clusterings of several representations of time series.

    Parameters
    ----------
    representations : sequence of str or callable
        Names or functions, as for :func:`comitia.represent.represent_series`.

    generator : generator, default=None
        Clusters each representation, its features standardised, or for ``"values"``
        each channel as a whole: a time at which series hardly differ counts for
        little. :class:`KMeansGenerator` with 20 clusterings by default.

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

    representations: Sequence[Any]
    generator: Any = None
    _: KW_ONLY
    n_jobs: int | None = None
    random_state: Any = None

    def generate(
        self, series: Any, *, on_progress: OnProgress | None = None
    ) -> Ensemble:
        """Cluster each representation several times.

        Parameters
        ----------
        series : array-like of shape (n_objects, n_channels, n_times), or list
            The series.

        on_progress : callable, default=None
            As for :meth:`ViewsGenerator.generate`.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.
        """
        self.represent(series)
        self.views_ = ViewsGenerator(
            self.generator, n_jobs=self.n_jobs, random_state=self.random_state
        )
        names = [
            one if isinstance(one, str) else getattr(one, "__name__", f"{r}")
            for r, one in enumerate(self.representations)
        ]
        self.ensemble_ = self.views_.generate(
            self.features_, names, on_progress=on_progress
        )
        return self.ensemble_

    def represent(self, series: Any) -> list[Array]:
        """Represent the series: the first step of :meth:`generate`.

        Parameters
        ----------
        series : array-like of shape (n_objects, n_channels, n_times), or list
            The series.

        Returns
        -------
        features : list of ndarray of shape (n_objects, n_features)
            ``features_``: the representations, standardised.
        """
        series = check_series(series)
        raw = self._represent(series)
        self.standardizers_ = [
            _by_channel(X, len(series[0])) if one == "values" else Standardizer.of(X)
            for one, X in zip(self.representations, raw, strict=True)
        ]
        self.features_ = self._standardize(raw)
        return self.features_

    def put_back(self, order: ContentOrder) -> None:
        """Put the representations into the order that the series had.

        Parameters
        ----------
        order : ContentOrder
            That in which they were given.
        """
        self.features_ = [X[order.places] for X in self.features_]

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
