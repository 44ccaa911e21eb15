"""Which objects and which features a base clustering gets to see."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._steps import check_weights
from comitia.exceptions import ComitiaError
from comitia.generate._docs import SharedDocs

__all__ = [
    "Bootstrap",
    "FeatureSubset",
    "HybridSample",
    "LittleBootstraps",
    "RandomProjection",
    "Sample",
    "Subsample",
    "WeightedSample",
]


class Sample(NamedTuple):
    """Objects that were drawn.

    Attributes
    ----------
    rows : ndarray of int
        The distinct objects, in order.

    counts : ndarray of int
        How often each was drawn.
    """

    rows: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, drawn: NDArray[Any]) -> Sample:
        """Count the objects of a draw with repeats.

        Parameters
        ----------
        drawn : ndarray of int
            The objects, as drawn.

        Returns
        -------
        sample : Sample
            The distinct objects and their counts.
        """
        return cls(*np.unique(drawn, return_counts=True))


class _ObjectSampler(SharedDocs, ABC):
    """Says which objects a member sees."""

    @abstractmethod
    def draw(self, n: int, rng: np.random.RandomState) -> Sample:
        """Draw from n objects.

        Parameters
        ----------
        n : int
            Number of objects.

        rng : RandomState
            Source of randomness.

        Returns
        -------
        sample : Sample
            The objects, in order, and how often each was drawn.
        """


class _FeatureSampler(SharedDocs, ABC):
    """Says which features a member sees."""

    @abstractmethod
    def draw(self, p: int, rng: np.random.RandomState) -> FeatureMap:
        """Draw from p features.

        Parameters
        ----------
        p : int
            Number of features.

        rng : RandomState
            Source of randomness.

        Returns
        -------
        features : FeatureMap
            Makes the features that a member sees.
        """


@dataclass(frozen=True)
class Subsample(_ObjectSampler):
    """A share of the objects, without replacement.

    Parameters
    ----------
    object_fraction : float, default=0.8
        The share of the objects that is drawn.
    """

    object_fraction: float = 0.8

    def draw(self, n: int, rng: np.random.RandomState) -> Sample:
        size = _share(self.object_fraction, n, "object_fraction")
        return Sample.of(rng.choice(n, size=size, replace=False))


@dataclass(frozen=True)
class Bootstrap(_ObjectSampler):
    """As many draws as there are objects (or a share of that), with replacement.

    Parameters
    ----------
    object_fraction : float, default=1.0
        Number of draws, as a share of the number of objects.
    """

    object_fraction: float = 1.0

    def draw(self, n: int, rng: np.random.RandomState) -> Sample:
        size = _share(self.object_fraction, n, "object_fraction")
        return Sample.of(rng.randint(n, size=size))


@dataclass(frozen=True, eq=False)
class WeightedSample(_ObjectSampler):
    """Objects drawn with given probabilities.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        Objects are drawn in proportion to these.

    object_fraction : float, default=1.0
        Number of draws, as a share of the number of objects.

    replace : bool, default=True
        Whether an object can be drawn twice.
    """

    weights: ArrayLike
    object_fraction: float = 1.0
    replace: bool = True

    def draw(self, n: int, rng: np.random.RandomState) -> Sample:
        weights = check_weights(self.weights, n, "weights", "object")
        size = _share(self.object_fraction, n, "object_fraction")
        return Sample.of(_weighted_choice(weights, size, rng, replace=self.replace))


@dataclass(frozen=True, eq=False)
class HybridSample(_ObjectSampler):
    """A bootstrap of the objects, and a weighted draw among those.

    Parameters
    ----------
    weights : array-like of shape (n_objects,)
        The second draw is in proportion to these.

    object_fraction : float, default=1.0
        Number of draws in the second step, as a share of the number of objects; the
        bootstrap has as many draws as there are objects.
    """

    weights: ArrayLike
    object_fraction: float = 1.0

    def draw(self, n: int, rng: np.random.RandomState) -> Sample:
        weights = check_weights(self.weights, n, "weights", "object")
        size = _share(self.object_fraction, n, "object_fraction")
        candidates = rng.randint(n, size=n)
        return Sample.of(candidates[_weighted_choice(weights[candidates], size, rng)])


@dataclass(frozen=True)
class LittleBootstraps(_ObjectSampler):
    r"""The bag of little bootstraps: resamples of size n of few distinct objects.

    A subset of :math:`b = n^\gamma` distinct objects stands for all; :math:`n` draws
    from it are stored as counts, so a clusterer that takes weights sees only
    :math:`b` objects.

    Parameters
    ----------
    subset_power : float, default=0.7
        The exponent :math:`\gamma`.

    n_resamples : int, default=1
        How many members in a row share one subset.
    """

    subset_power: float = 0.7
    n_resamples: int = 1

    def draw(
        self,
        n: int,
        rng: np.random.RandomState,
        subset_rng: np.random.RandomState | None = None,
    ) -> Sample:
        """Draw from n objects.

        Parameters
        ----------
        n : int
            Number of objects.

        rng : RandomState
            Source of randomness.

        subset_rng : RandomState, default=None
            What the subset is drawn with, the same for those that share it; ``rng``
            by default.

        Returns
        -------
        sample : Sample
            The objects, in order, and how often each was drawn.
        """
        if not 0 < self.subset_power <= 1:
            raise ComitiaError(
                f"subset_power={self.subset_power} must be above 0 and at most 1."
            )
        size = max(1, round(n**self.subset_power))
        chosen = (rng if subset_rng is None else subset_rng).choice(
            n, size=size, replace=False
        )
        counts = rng.multinomial(n, np.full(size, 1 / size))
        return Sample(np.sort(chosen)[counts > 0], counts[counts > 0])


@dataclass(frozen=True, eq=False)
class FeatureSubset(_FeatureSampler):
    """A share of the features, uniformly or in proportion to weights.

    Parameters
    ----------
    feature_fraction : float or "sqrt", default=0.5
        The share of the features that is drawn, or the square root of their number.

    weights : array-like of shape (n_features,), default=None
        Features are drawn in proportion to these; uniformly by default.

    groups : array-like of shape (n_features,), default=None
        The variable that each feature belongs to, as ``groups_`` of
        :class:`comitia.prepare.TablePreparer` says. Whole variables are drawn, each in
        proportion to the sum of its weights; by default each feature is a variable.
    """

    feature_fraction: float | str = 0.5
    weights: ArrayLike | None = None
    groups: ArrayLike | None = None

    def draw(self, p: int, rng: np.random.RandomState) -> FeatureMap:
        if self.groups is not None:
            return self._draw_variables(p, rng)
        if self.feature_fraction == "sqrt":
            size = max(1, round(p**0.5))
        else:
            size = _share(self.feature_fraction, p, "feature_fraction")
        weights = (
            np.ones(p)
            if self.weights is None
            else check_weights(self.weights, p, "weights", "feature")
        )
        return FeatureMap(np.sort(_weighted_choice(weights, size, rng, replace=False)))

    def _draw_variables(self, p: int, rng: np.random.RandomState) -> FeatureMap:
        groups = np.asarray(self.groups)
        if groups.shape != (p,):
            raise ComitiaError(
                f"groups must have one entry per feature; got shape {groups.shape} "
                f"for {p} features."
            )
        names, variable = np.unique(groups, return_inverse=True)
        weights = None
        if self.weights is not None:
            each = check_weights(self.weights, p, "weights", "feature")
            weights = np.bincount(variable, each)
        chosen = FeatureSubset(self.feature_fraction, weights).draw(len(names), rng)
        return FeatureMap(np.flatnonzero(np.isin(variable, chosen.how)))


@dataclass(frozen=True)
class RandomProjection(_FeatureSampler):
    """Gaussian random projections of the features.

    Parameters
    ----------
    n_components : int or "sqrt", default="sqrt"
        Number of directions, or the square root of the number of features.
    """

    n_components: int | str = "sqrt"

    def draw(self, p: int, rng: np.random.RandomState) -> FeatureMap:
        d = max(1, round(p**0.5)) if self.n_components == "sqrt" else self.n_components
        if not isinstance(d, int | np.integer) or d < 1:
            raise ComitiaError(
                f'n_components={d!r} must be a number of at least 1, or "sqrt".'
            )
        return FeatureMap(rng.standard_normal((p, int(d))) / np.sqrt(d))


class FeatureMap:
    """Features as a member sees them: some of the columns, or a projection.

    Parameters
    ----------
    how : ndarray
        Indices of columns, or a matrix with one row per feature.
    """

    def __init__(self, how: NDArray[Any]) -> None:
        self.how = how

    def __call__(self, X: NDArray[Any]) -> NDArray[Any]:
        return X[:, self.how] if self.how.ndim == 1 else X @ self.how

    def on_columns(self, columns: NDArray[Any]) -> NDArray[Any]:
        """Map data that are stored feature by feature.

        Parameters
        ----------
        columns : ndarray of shape (p, n)
            The data.

        Returns
        -------
        mapped : ndarray of shape (d, n)
            The features as the member sees them, of the same precision. An object's
            values do not depend on the objects beside it.
        """
        if self.how.ndim == 1:
            return columns[self.how]
        directions = self.how.T.astype(columns.dtype)
        mapped = np.zeros((len(directions), columns.shape[1]), dtype=columns.dtype)
        for d, direction in enumerate(directions):
            for part, column in zip(direction, columns, strict=True):
                mapped[d] += part * column
        return mapped

    def on_tensor(self, columns: Any) -> Any:
        """Map data on a device, added up in the same order.

        Parameters
        ----------
        columns : tensor of shape (p, n)
            The data, feature by feature.

        Returns
        -------
        mapped : tensor of shape (d, n)
            The features as the member sees them.
        """
        from comitia._arrays import as_tensor

        if self.how.ndim == 1:
            return columns[as_tensor(self.how).to(columns.device)]
        directions = self.how.T.astype(np.float32)
        mapped = columns.new_zeros((len(directions), columns.shape[1]))
        for d, direction in enumerate(directions):
            for part, column in zip(direction.tolist(), columns, strict=True):
                mapped[d] += part * column
        return mapped


def _weighted_choice(
    weights: ArrayLike,
    size: int,
    rng: np.random.RandomState,
    *,
    replace: bool = True,
) -> NDArray[np.int64]:
    """Draw indices in proportion to weights, in the order they were drawn.

    Weights that are all zero mean uniform. Without replacement no more indices are
    drawn than have a positive weight.
    """
    p = np.asarray(weights, dtype=np.float64)
    if p.ndim != 1 or not np.isfinite(p).all() or (p < 0).any():
        raise ComitiaError("weights must be a vector of finite numbers, none negative.")
    if not p.any():
        p = np.ones_like(p)
    if not replace:
        size = min(size, int(np.count_nonzero(p)))
    return rng.choice(len(p), size=size, replace=replace, p=p / p.sum())


def _share(fraction: Any, n: int, argument: str) -> int:
    if not isinstance(fraction, int | float) or not 0 < fraction <= 1:
        raise ComitiaError(f"{argument}={fraction!r} must be above 0 and at most 1.")
    return max(1, round(fraction * n))
