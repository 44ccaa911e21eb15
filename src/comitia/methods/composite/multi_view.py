"""Several views of the same objects, combined by any method on clusterings."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from comitia import catalogue
from comitia._inputs import Views, check_views
from comitia._sklearn import HasMethods, StrOptions, validate_data
from comitia.agreement import agreement_with
from comitia.base import EnsembleMethod, _on_host
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.generate.views import Standardizer, ViewsGenerator
from comitia.methods.multiview._base import MultiViewMethod
from comitia.represent import combined_weights

__all__ = ["MultiViewEnsemble"]

Array = NDArray[np.float64]

# What the method that combines the clusterings says of them.
_SAID = (
    "clustering_weights_",
    "cluster_weights_",
    "object_weights_",
    "selected_",
    "linkage_",
    "membership_",
    "objective_",
    "n_iter_",
    "converged_",
)


class MultiViewEnsemble(MultiViewMethod):
    r"""Ensemble over several views, combined by a method of your choice.

    Each view is clustered several times by itself, and any method that combines given
    clusterings combines them all: the views have nothing to share but their objects
    [1]_.

    Parameters
    ----------
    n_clusters : int, default=None
        Number of clusters. ``None`` leaves it to the method.

    method : str or method, default="lwgp"
        What combines the clusterings: the id of a method that needs labels alone, see
        ``comitia.methods(needs="labels")``, or such a method with its parameters.

    generators : generator or list of generators, default=None
        What clusters each view: one for all, or one for each. By default k-means, 20
        times, with numbers of clusters from 2 to :math:`\sqrt{n}`.

    views : list of slice or of lists of int, default=None
        The columns of each view, when :meth:`fit` is given one table; a table alone is
        one view.

    scale : {"standard", "unit"} or None, default="standard"
        What each view is scaled to before it is clustered: ``"standard"`` gives each
        column mean 0 and variance 1, ``"unit"`` gives each row length 1, as is good
        for word counts.

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
        The view that each clustering is of.

    method_ : method
        The method that combined the clusterings, fitted. Its weights, its tree and its
        objective are attributes here, too.

    Notes
    -----
    An object that a view does not have, a row of NaN there, is missing from the
    clusterings of that view.

    A view weighs what its clusterings weigh together. With the weights :math:`w_m` of
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
    (['size', 'color'], array([0.55, 0.45]))
    """

    card = MethodCard(
        id="multi_view",
        weighs="views",
        approach="composite",
        needs="views",
        scales="linear",
    )

    _takes_missing: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **MultiViewMethod._parameter_constraints,
        "method": [str, HasMethods(["fit", "fit_predict"])],
        "generators": [HasMethods(["generate"]), list, tuple, None],
        "scale": [StrOptions({"standard", "unit"}), None],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: Any = "lwgp",
        generators: Any = None,
        views: Any = None,
        scale: str | None = "standard",
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

    def _generator(self) -> ViewsGenerator:
        return ViewsGenerator(self.generators, n_jobs=self.n_jobs)

    def _generate(self, X: Views, rng: np.random.RandomState) -> Ensemble:
        self._unfitted_method()  # refused before anything is clustered
        self.scalers_ = [self._scaler(view) for view in X.arrays]
        self.generator_ = self._generator().set_params(
            random_state=rng.randint(np.iinfo(np.int32).max)
        )
        ensemble = self.generator_.generate(self._scaled(X), X.names)
        self.view_of_ = self.generator_.view_of_
        return ensemble

    def _combine(
        self, ensemble: Ensemble, X: Views, rng: np.random.RandomState
    ) -> NDArray[Any]:
        method = self._unfitted_method()
        seed = rng.randint(np.iinfo(np.int32).max)
        # The number of clusters is ours to say; the rest, where the method does not.
        if self.n_clusters is not None:
            method.set_params(n_clusters=self.n_clusters)
        for name, value in (("random_state", seed), ("n_jobs", self.n_jobs)):
            if getattr(method, name, seed) is None:
                method.set_params(**{name: value})
        self.method_ = method.fit(ensemble)
        for name in _SAID:
            if name in vars(method):
                setattr(self, name, getattr(method, name))
        self.view_weights_ = self._sum_by_view(self._clustering_shares(ensemble))
        agreement = agreement_with(method.labels_, ensemble, "nmi_sqrt")
        n_each = np.bincount(self.view_of_)
        self.view_agreement_ = np.bincount(self.view_of_, agreement) / n_each
        return method.labels_

    def _unfitted_method(self) -> EnsembleMethod:
        method = self.method
        if isinstance(method, str):
            method = catalogue.method(method)()
        if not isinstance(method, EnsembleMethod) or method.card.needs != ("labels",):
            name = getattr(getattr(method, "card", None), "id", type(method).__name__)
            raise ComitiaError(
                f"method={name!r} does not combine clusterings alone; see "
                'comitia.methods(needs="labels") for those that do.'
            )
        return clone(method)

    def _clustering_shares(self, ensemble: Ensemble) -> Array:
        """What each clustering weighed."""
        weights: dict[str, Any] = {}
        if self.method_.card.approach == "selection" and hasattr(self, "selected_"):
            kept = np.asarray(self.selected_, dtype=np.float64)
            by_cluster = len(kept) != ensemble.n_clusterings
            weights["cluster_weights" if by_cluster else "clustering_weights"] = kept
        else:
            weights = self._vote_weights()
        if "cluster_weights" not in weights:
            M = ensemble.n_clusterings
            return weights.get("clustering_weights", np.ones(M))
        masses = combined_weights(ensemble, **weights) * ensemble.sizes
        return np.bincount(ensemble.clustering_of, masses).astype(np.float64)

    def _sum_by_view(self, shares: Array) -> Array:
        total = np.bincount(self.view_of_, shares)
        if total.sum() == 0.0:
            return np.full(len(total), 1.0 / len(total))
        return total / total.sum()

    def _scaler(self, view: Array) -> Any:
        if self.scale == "standard":
            return Standardizer.of(view)
        return _unit_rows if self.scale == "unit" else None

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
                _on_host(X),
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
        return self._scaled(views)


def _unit_rows(view: Array) -> Array:
    """Rows of length 1; a row of zeros stays."""
    lengths = np.sqrt((view**2).sum(axis=1, keepdims=True))
    return view / np.where(lengths == 0.0, 1.0, lengths)
