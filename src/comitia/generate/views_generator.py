"""Several tables of the same objects, each clustered on its own: one ensemble."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils.metaestimators import available_if

from comitia._inputs import check_views
from comitia._scales import column_scales
from comitia._steps import OnProgress, check_random_state
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.generator import draw_seeds

__all__ = ["Standardizer", "ViewsGenerator"]

Array = NDArray[np.float64]


class Standardizer(NamedTuple):
    """Shifts and scales tables as the columns of one table want it.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        What is taken off.

    scale : ndarray of shape (n_features,)
        What is divided by; 1 for a feature that does not vary.
    """

    mean: Array
    scale: Array

    @classmethod
    def of(cls, X: Array) -> Standardizer:
        """Learn from a table.

        Parameters
        ----------
        X : ndarray of shape (n_objects, n_features)
            The table; rows of NaN do not count.

        Returns
        -------
        standardizer : Standardiser
            Gives its columns mean 0 and variance 1.
        """
        mean, scale, _ = column_scales(X[~np.isnan(X).any(axis=1)])
        return cls(mean, scale)

    def __call__(self, X: Array) -> Array:
        """Shift and scale a table.

        Parameters
        ----------
        X : ndarray of shape (n_objects, n_features)
            The table.

        Returns
        -------
        Z : ndarray of the same shape
            The table, standardised.
        """
        return (X - self.mean) / self.scale


def _members_can_label(generator: ViewsGenerator) -> bool:
    for one in generator._each(None):
        if not hasattr(one, "transform"):
            raise AttributeError(
                f"the clusterings of {type(one).__name__} cannot label new objects."
            )
    return True


@dataclass(eq=False, repr=False)
class ViewsGenerator(BaseEstimator):
    """One ensemble over several views, each clustered by a generator of its own.

    An object that a view does not have, a row of NaN there, has no label in the
    clusterings of that view.

    Parameters
    ----------
    generators : generator or list of generators, default=None
        One for all views, or one for each; :class:`KMeansGenerator` with 20
        clusterings by default.

    n_jobs : int, default=None
        Number of parallel jobs of the generators that do not say.

    random_state : int, RandomState instance or None, default=None
        Seed of the generators that have none.

    Attributes
    ----------
    ensemble_ : Ensemble
        The clusterings of the first view, then those of the second, and so on.

    view_of_ : ndarray of shape (n_clusterings,)
        The view that each clustering is of.

    generators_ : list
        The generator of each view, with its members.

    Examples
    --------
    >>> import numpy as np
    >>> from comitia.generate import KMeansGenerator, ViewsGenerator
    >>> X0 = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> X1 = np.array([[0.0], [0.1], [5.0], [np.nan]])
    >>> twice = KMeansGenerator(2, n_clusters=2)
    >>> ensemble = ViewsGenerator(twice, random_state=0).generate([X0, X1])
    >>> ensemble
    Ensemble(kind='partial', n_objects=4, n_clusterings=4, n_clusters_total=8)
    >>> ensemble.labels[3, 2:]
    array([-1, -1], dtype=int32)
    """

    generators: Any = None
    _: KW_ONLY
    n_jobs: int | None = None
    random_state: None = None

    def generate(
        self,
        views: Sequence[Array],
        names: Sequence[str] | None = None,
        *,
        on_progress: OnProgress | None = None,
    ) -> Ensemble:
        """Cluster each view several times.

        Parameters
        ----------
        views : sequence of array-like of shape (n_objects, n_features of the view)
            The views; rows of DataFrames are matched by their index.

        names : sequence of str, default=None
            Their names, which become the groups of the clusterings.

        on_progress : callable, default=None
            Called as ``on_progress("generate", done, total)`` with numbers of
            clusterings of all views, in this process: once with 0, then after each
            that is done.

        Returns
        -------
        ensemble : Ensemble
            The clusterings.
        """
        checked = check_views(list(views), None, missing=True)
        views = checked.arrays
        rng = check_random_state(self.random_state)
        self.generators_ = [clone(one, safe=False) for one in self._each(len(views))]
        # A seed for each view, used or not, so that one view does not move another.
        seeds = draw_seeds(len(views), rng)
        parts = []
        told: dict[str, Any] = {}
        for v, (one, X) in enumerate(zip(self.generators_, views, strict=True)):
            self._equip(one, seeds[v])
            if on_progress is not None:
                sizes = [each.n_members for each in self.generators_]
                told["on_progress"] = partial(
                    _tell, on_progress, sum(sizes[:v]), sum(sizes)
                )
            present = _present(X)
            parts.append(_spread(one.generate(X[present], **told), present))
        n_each = [part.n_clusterings for part in parts]
        names = [f"view {v}" for v in range(len(views))] if names is None else names
        self.view_of_ = np.repeat(np.arange(len(views)), n_each)
        joined = _joined(parts, groups=np.repeat(list(names), n_each))
        self.ensemble_ = joined.with_object_names(checked.object_names)
        return self.ensemble_

    @available_if(_members_can_label)
    def transform(self, views: Sequence[Array]) -> NDArray[np.int32]:
        """Label objects with each member.

        Parameters
        ----------
        views : sequence of ndarray of shape (n_new, n_features of the view)
            New objects, in the views that were clustered.

        Returns
        -------
        labels : ndarray of shape (n_new, n_clusterings)
            The cluster of each object in each clustering, -1 for none of them.
        """
        views = check_views(list(views), None, missing=True, empty=True).arrays
        blocks = []
        for v, (one, X) in enumerate(zip(self.generators_, views, strict=True)):
            present = _present(X)
            n_members = int(np.sum(self.view_of_ == v))
            block = np.full((len(X), n_members), -1, dtype=np.int32)
            if present.any():
                block[present] = one.transform(X[present])
            blocks.append(block)
        return np.hstack(blocks)

    def _each(self, n_views: int | None) -> list[Any]:
        """The generator of each view; of the first, whatever the number, for None."""
        if isinstance(self.generators, list | tuple):
            if n_views is not None and len(self.generators) != n_views:
                raise ComitiaError(
                    f"generators has {len(self.generators)} generators for {n_views} "
                    "views; give one for each, or one for all."
                )
            return list(self.generators)
        one = self.generators
        if one is None:
            from comitia.generate import KMeansGenerator

            one = KMeansGenerator(20)
        return [one] * (1 if n_views is None else n_views)

    def _equip(self, generator: Any, seed: int) -> None:
        """What a generator does not say for itself, it gets from here."""
        given = generator.get_params(deep=False)
        for name, value in (("random_state", seed), ("n_jobs", self.n_jobs)):
            if name in given and given[name] is None:
                generator.set_params(**{name: value})


def _tell(
    on_progress: OnProgress, before: int, total: int, stage: str, done: int, _: int
) -> None:
    """Pass on how far one view is, as a part of all."""
    if done or not before:
        on_progress(stage, before + done, total)


def _present(X: Array) -> NDArray[np.bool_]:
    return np.logical_not(np.isnan(X).any(axis=1))


def _spread(part: Ensemble, present: NDArray[np.bool_]) -> Ensemble:
    """The clusterings of some objects as clusterings of all."""
    if present.all():
        return part
    if part.is_hard:
        k = part.n_clusters_each
        # The code one past the last cluster is "missing".
        codes = np.repeat(k[:, None], len(present), axis=1)
        codes[:, present] = part.codes
        return Ensemble.from_codes(codes, k)
    memberships = []
    for F in _memberships(part):
        full = np.zeros((len(present), F.shape[1]))
        full[present] = F
        memberships.append(full)
    return Ensemble.from_memberships(memberships)


def _joined(parts: Sequence[Ensemble], *, groups: Any) -> Ensemble:
    """The clusterings of several ensembles of the same objects in one."""
    if all(part.is_hard for part in parts):
        k = np.concatenate([part.n_clusters_each for part in parts])
        # An unsigned narrow type would not hold the other parts' codes.
        codes = np.concatenate([part.codes.astype(np.int64) for part in parts])
        return Ensemble.from_codes(codes, k, groups=groups)
    memberships = [F for part in parts for F in _memberships(part)]
    return Ensemble.from_memberships(memberships, groups=groups)


def _memberships(part: Ensemble) -> list[Array]:
    """Each clustering as a table of memberships; overlapping ones in equal shares."""
    B = part.membership
    found = []
    for begin, end in zip(part.offsets[:-1], part.offsets[1:], strict=True):
        F = B[:, begin:end].toarray()
        total = F.sum(axis=1, keepdims=True)
        found.append(F / np.where(total > 0, total, 1.0))
    return found
