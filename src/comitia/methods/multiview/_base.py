"""What the methods for several views share."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from comitia._arrays import on_host
from comitia._inputs import Views, check_views, refuse_small
from comitia._sklearn import feature_names, validate_data
from comitia.base import EnsembleMethod
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["MultiViewMethod"]


class MultiViewMethod(EnsembleMethod):
    """Base class: ``fit`` takes a list of views, or one table that is cut into views.

    A method writes ``_combine(ensemble, views, rng)``, where ``ensemble`` is None
    unless it writes ``_generate(views, rng)`` too. It leaves what each view says of the
    objects in ``view_labels_``; these clusterings become ``ensemble_``.

    Attributes
    ----------
    view_labels_ : ndarray of shape (n_objects, n_views)
        The clustering of each view, -1 where a view does not have the object.

    view_names_ : list of str
        The keys, when the views came in a dict, and otherwise numbers.
    """

    # Whether a row of NaN, an object that the view does not have, is handled.
    _takes_missing: ClassVar[bool] = False
    _per_object = (
        *EnsembleMethod._per_object,
        *("consensus_", "view_labels_", "view_object_weights_"),
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "views": ["array-like", None],
    }

    views: Any
    view_labels_: NDArray[np.int_]

    def _check_data(self, X: Any, *, empty: bool = False) -> Views:
        # One of the sparse formats of SciPy is a dict, too.
        several = isinstance(X, dict | list | tuple) and not hasattr(X, "toarray")
        self._check_feature_names(X, several, reset=not empty)
        if several:
            values = X.values() if isinstance(X, dict) else X
            hosted = [on_host(view) for view in values]
            X = dict(zip(X, hosted, strict=True)) if isinstance(X, dict) else hosted
        else:
            # scikit-learn's own check: the number and the names of the features.
            finite = "allow-nan" if self._takes_missing else True
            X = validate_data(
                self, on_host(X), dtype=np.float64, ensure_all_finite=finite
            )
        views = check_views(X, self.views, missing=self._takes_missing, empty=empty)
        for v, view in enumerate(views.arrays):
            refuse_small(view, f"X[{v}]")
        self.n_features_in_ = sum(view.shape[1] for view in views.arrays)
        self.view_names_ = list(views.names)
        return views

    def _check_feature_names(self, X: Any, several: bool, reset: bool) -> None:
        """Keep the names of the features of each table, or refuse others."""
        tables = [X] if not several else X.values() if isinstance(X, dict) else X
        found = [feature_names(table) for table in tables]
        if reset:
            self._feature_names = found
            return
        pairs = zip(self._feature_names, found, strict=False)
        for v, (known, given) in enumerate(pairs):
            if known is None or given is None or np.array_equal(known, given):
                continue
            table = f"X[{v}]" if several else "X"
            raise ComitiaError(
                f"{table} has the columns {', '.join(map(str, given[:3]))}, …; "
                f"{type(self).__name__} was fitted to "
                f"{', '.join(map(str, known[:3]))}, …. Give the same columns in the "
                "same order."
            )

    def get_generator(self) -> Any:
        """None: nothing that could label new objects."""
        return None

    def _generate(self, X: Any, rng: np.random.RandomState) -> Any:
        return None

    def _check_ensemble(self, ensemble: Ensemble | None) -> None:
        if ensemble is not None:
            super()._check_ensemble(ensemble)

    def _check_given(self, data: Any, ensemble: Ensemble | None) -> None:
        super()._check_given(data, ensemble)
        self._check_n_clusters(data.n_objects)

    def _keep(self, ensemble: Ensemble | None, labels: NDArray[Any]) -> None:
        if ensemble is None:
            ensemble = Ensemble(self.view_labels_, clustering_names=self.view_names_)
        super()._keep(ensemble, labels)
