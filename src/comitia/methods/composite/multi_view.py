"""Several views of the same objects, combined by any method on clusterings."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia import catalogue
from comitia._arrays import on_host
from comitia._inputs import Views, check_views
from comitia._scales import unit_rows
from comitia._sklearn import HasMethods, StrOptions, validate_data
from comitia.agreement import agreement_with
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.mixed_generator import MixedGenerator
from comitia.generate.views_generator import Standardizer, ViewsGenerator
from comitia.methods.composite._by_method import CombinedByMethod
from comitia.methods.multiview._base import MultiViewMethod
from comitia.represent.graphs import combined_weights

__all__ = ["MultiViewEnsemble"]

Array = NDArray[np.float64]


class MultiViewEnsemble(CombinedByMethod, MultiViewMethod):
    r"""Ensemble over several views, combined by a method of your choice.

    Each view is clustered several times by itself, and any method that combines given
    clusterings combines them all: the views have nothing to share but their objects
    [1]_. What it does when nothing is chosen was chosen on some of the data sets of our
    evaluation, and looked at once on the others (:doc:`/views`).

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the method.

    method : str or method, default="consensus"
        What combines the clusterings: the id of a method that needs labels alone, see
        ``comitia.methods(needs="labels")``, or such a method with its parameters.

    generators : generator or list of generators, default=None
        What clusters each view: one for all, or one for each. ``None`` makes twenty
        clusterings of each view, and twenty of all views side by side, of the kinds
        that suit the data (:class:`comitia.generate.MixedGenerator`), with k to
        :math:`\max(2k, \sqrt{n})` clusters.

    views : list of slice or of lists of int, default=None
        The columns of each view, when :meth:`fit` is given one table; a table alone is
        one view.

    scale : {"auto", "standard", "unit"} or None, default="auto"
        What each view is scaled to before it is clustered: ``"standard"`` gives each
        column mean 0 and variance 1, ``"unit"`` gives each row length 1, as is good
        for word counts. ``"auto"`` is ``"unit"`` for a view without negative values
        more than half of which are zeros, and ``"standard"`` for any other.

    n_jobs : int, default=None
        Number of parallel jobs of the generators.

    random_state : int, RandomState instance or None, default=None
        Seed of the generators and of the method.

    Attributes
    ----------
    view_weights_ : ndarray of shape (n_views,)
        How much each view weighed; they sum to one. See Notes.

    view_agreement_ : ndarray of shape (n_views,)
        Mean normalised mutual information of the clusterings of each view with the
        consensus, on the objects that the view has.

    view_of_ : ndarray of shape (n_clusterings,)
        The view that each clustering is of; -1 for one of all views side by side.

    method_ : method
        The method that combined the clusterings, fitted. Its weights, its tree and its
        objective are attributes here, too.

    Notes
    -----
    An object that a view does not have, a row of NaN there, is missing from the
    clusterings of that view.

    Side by side, each scaled view is divided by the root of its total variance, so that
    a view does not count for more because it has more columns. Objects that some view
    does not have are missing there; if more than half of the objects are, or there is
    one view, views are not put side by side.

    A view weighs what its clusterings weigh together; those of all views side by side
    weigh for none of them. With the weights :math:`w_m` of
    the clusterings and :math:`w_c` of the clusters that the method gives, where it does
    not all alike, view v weighs

    .. math::
        \omega_v \propto \sum_{m \in v} w_m \sum_{c \in C_m} w_c \, |c|,

    and :math:`\omega_v \propto \sum_{m \in v} w_m` if the method weighs no clusters. A
    method that selects has its weights for judging: there, what it kept weighs alike
    and the rest nothing. A method that weighs neither clusterings nor clusters treats
    clusterings alike, so that a view weighs by how many it has.

    References
    ----------
    .. [1] A. Strehl and J. Ghosh, "Cluster ensembles - a knowledge reuse framework for
       combining multiple partitions", JMLR 3, 2002. :doi:`10.1162/153244303321897735`

    Examples
    --------
    >>> import numpy as np
    >>> from comitia import MultiViewEnsemble
    >>> size = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> color = np.array([[1.0], [1.1], [np.nan], [9.0], [9.1], [9.2]])
    >>> both = MultiViewEnsemble(2, random_state=0).fit({"size": size, "color": color})
    >>> both.labels_
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> both.view_names_, both.view_weights_.round(2)
    (['size', 'color'], array([0.49, 0.51]))
    """

    card = MethodCard(
        id="multi_view",
        weighs="views",
        approach="composite",
        needs="views",
        scales="linear",
    )

    _takes_missing: ClassVar[bool] = True

    # Its generator is all that draws from the data.
    _draws_from_data = False

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "method": [str, HasMethods(["fit", "fit_predict"])],
        "generators": [HasMethods(["generate"]), list, tuple, None],
        "scale": [StrOptions({"auto", "standard", "unit"}), None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: Any = catalogue.DEFAULT_METHOD,
        generators: Any = None,
        views: Any = None,
        scale: str | None = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.generators = generators
        self.views = views
        self.scale = scale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def get_generator(self) -> ViewsGenerator:
        """What makes the clusterings of each view.

        Returns
        -------
        generator : ViewsGenerator
            Not fitted.
        """
        generators = self.generators
        if generators is None:
            k = self.n_clusters
            generators = MixedGenerator(
                n_clusterings=20, n_clusters=None if k is None else (k, None)
            )
        return ViewsGenerator(generators, n_jobs=self.n_jobs)

    def _generate(self, X: Views, rng: np.random.RandomState) -> Ensemble:
        self._unfitted_method()  # refused before anything is clustered
        self.scalers_ = [self._scaler(view) for view in X.arrays]
        self._spreads = self._spreads_side_by_side(X)
        generator = self.get_generator().set_params(
            random_state=rng.randint(np.iinfo(np.int32).max)
        )
        names = [*X.names] if self._spreads is None else [*X.names, "all views"]
        ensemble = self._run_generator(generator, self._tables(X), names)
        view_of = self.generator_.view_of_
        self.view_of_ = np.where(view_of < len(X.arrays), view_of, -1)
        return ensemble

    def _combine(
        self, ensemble: Ensemble, X: Views, rng: np.random.RandomState
    ) -> NDArray[Any]:
        labels = self._combine_by_method(ensemble, rng)
        self.view_weights_ = self._sum_by_view(self._clustering_shares(ensemble))
        agreement = agreement_with(labels, ensemble, "nmi_sqrt")
        of_one = self.view_of_ >= 0
        n_each = np.bincount(self.view_of_[of_one])
        total = np.bincount(self.view_of_[of_one], agreement[of_one])
        self.view_agreement_ = total / n_each
        return labels

    def _clustering_shares(self, ensemble: Ensemble) -> Array:
        """What each clustering weighed."""
        weights: dict[str, Any] = {}
        if self.method_.card.approach == "selection" and hasattr(self, "selected_"):
            kept = np.asarray(self.selected_, dtype=np.float64)
            by_cluster = len(kept) != ensemble.n_clusterings
            weights["cluster_weights" if by_cluster else "clustering_weights"] = kept
        else:
            weights = self.vote_weights()
        if "cluster_weights" not in weights:
            M = ensemble.n_clusterings
            return weights.get("clustering_weights", np.ones(M))
        masses = combined_weights(ensemble, **weights) * ensemble.sizes
        return np.bincount(ensemble.clustering_of, masses).astype(np.float64)

    def _sum_by_view(self, shares: Array) -> Array:
        of_one = self.view_of_ >= 0
        total = np.bincount(self.view_of_[of_one], shares[of_one])
        if total.sum() == 0.0:
            return np.full(len(total), 1.0 / len(total))
        return total / total.sum()

    def _scaler(self, view: Array) -> Any:
        scale = self.scale
        if scale == "auto":
            scale = "unit" if _is_counts(view) else "standard"
        if scale == "standard":
            return Standardizer.of(view)
        return unit_rows if scale == "unit" else None

    def _spreads_side_by_side(self, X: Views) -> list[float] | None:
        """What the columns of each view are divided by; None where that is not done."""
        if self.generators is not None or len(X.arrays) == 1:
            return None
        scaled = self._scaled(X)
        complete = ~np.any([np.isnan(view).any(axis=1) for view in scaled], axis=0)
        if 2 * complete.sum() < len(complete):
            return None
        spreads = [np.sqrt(view[complete].var(axis=0).sum()) for view in scaled]
        return [float(spread) if spread > 0.0 else 1.0 for spread in spreads]

    def _tables(self, X: Views) -> list[Array]:
        """What is clustered: each view, and maybe all of them side by side."""
        scaled = self._scaled(X)
        if self._spreads is None:
            return scaled
        pairs = zip(scaled, self._spreads, strict=True)
        together = np.hstack([view / spread for view, spread in pairs])
        together[np.isnan(together).any(axis=1)] = np.nan
        return [*scaled, together]

    def _scaled(self, X: Views) -> list[Array]:
        return [
            view if scaler is None else scaler(view)
            for scaler, view in zip(self.scalers_, X.arrays, strict=True)
        ]

    def _check_data(self, X: Any, **options: Any) -> Views:
        views = super()._check_data(X, **options)
        self._n_features_each = [view.shape[1] for view in views.arrays]
        return views

    def _check_new(self, X: Any) -> list[Array]:
        # One of the sparse formats of SciPy is a dict, too.
        several = isinstance(X, dict | list | tuple) and not hasattr(X, "toarray")
        if several and isinstance(X, dict) and set(X) == set(self.view_names_):
            X = {name: X[name] for name in self.view_names_}
        self._check_feature_names(X, several, reset=False)
        if not several:
            X = validate_data(
                self,
                on_host(X),
                reset=False,
                dtype=np.float64,
                ensure_all_finite="allow-nan",
            )
        views = check_views(X, self.views, missing=True, empty=True)
        found = [view.shape[1] for view in views.arrays]
        if found != self._n_features_each:
            raise ComitiaError(
                f"X has views with {found} features; this MultiViewEnsemble was fitted "
                f"to {self._n_features_each}."
            )
        return self._tables(views)


def _is_counts(view: Array) -> bool:
    """Whether a view looks like counts of words: no value below zero, most are zero."""
    known = view[~np.isnan(view).any(axis=1)]
    return bool((known >= 0.0).all() and 2 * np.sum(known == 0.0) > known.size)
