"""What a method does with data: which it takes, and who makes clusterings of them."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from comitia._arrays import on_host, to_tensor
from comitia._content_order import ContentOrder, order_for
from comitia._inputs import count_objects, special_kind
from comitia._label_tables import warn_of_labels
from comitia._sklearn import validate_data
from comitia._steps import FitSteps
from comitia.catalogue import DEFAULT_FOR
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, DataTypeError
from comitia.fitted_result import FittedResult

__all__ = ["MethodData"]

# What samples and starts are drawn from.
_DRAWN_FROM = ("data", "views", "series")

# What is no table, in words.
_IN_WORDS = {
    "views": "views, a list of tables",
    "series": "series in time",
    "graph": "a graph, a square sparse matrix",
}


class MethodData(FitSteps, FittedResult):
    """Base class of :class:`~comitia.base.EnsembleMethod`: what comes before combining.

    The checks of data, and the generator that makes clusterings of them. A method that
    reads other data writes ``_check_data``, one that makes clusterings in its own way
    ``_default_generator`` or ``_generate``.
    """

    # Whether ``_combine`` works on labels that live on a device; others get a copy.
    _labels_on_device: ClassVar[bool] = False
    # The fitted attributes that have an entry for each object: arrays, and what has
    # ``take(objects=…)``. Those that hold numbers of objects.
    _per_object: ClassVar[tuple[str, ...]] = (
        "ensemble_",
        "labels_",
        "membership_",
        "object_weights_",
    )
    _object_numbers: ClassVar[tuple[str, ...]] = ()
    # Those that have an entry for each cluster of the result, and along which axis; of
    # lists, that of each array.
    _per_cluster: ClassVar[dict[str, int]] = {"membership_": 1}

    if TYPE_CHECKING:

        def _check_n_clusters(self, n: int) -> None: ...

    # -- the data ---------------------------------------------------------------

    @property
    def _draws_from_data(self) -> bool:
        """Whether more is drawn from data than a generator draws."""
        needs = {*self.card.needs}
        return "labels" not in needs and not needs.isdisjoint(_DRAWN_FROM)

    def _order_of(self, data: Any) -> ContentOrder | None:
        """The order in which this method sees the objects: that of their content.

        None where they keep their places: also where nobody but a generator draws from
        the data, which sees to it itself.
        """
        return order_for(self, data) if self._draws_from_data else None

    def _check_data(self, X: Any) -> Any:
        if "graph" in self.card.needs:
            from comitia.cluster.adjacency import check_graph

            return check_graph(X)
        if "series" in self.card.needs:
            return self._check_series(X)
        if (kind := special_kind(X)) is not None:
            raise DataTypeError(
                f"X is no table: it looks like {_IN_WORDS[kind]}, for which "
                f"comitia.method({DEFAULT_FOR[kind]!r}) is the default."
            )
        warn_of_labels(X, "fit(comitia.Ensemble(X))", stacklevel=4)
        return validate_data(self, on_host(X), dtype=np.float64)

    def _check_new(self, X: Any) -> Any:
        """New objects, for the members to label."""
        if "series" in self.card.needs:
            return self._check_series(X, reset=False)
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _check_series(self, X: Any, reset: bool = True) -> list[NDArray[np.float64]]:
        from comitia._inputs import check_series, refuse_small

        if not isinstance(X, list | tuple) and np.ndim(X) != 3:
            # scikit-learn's own check: the number and the names of the features.
            X = validate_data(self, X, reset=reset, dtype=np.float64)
        series = check_series(X)
        if reset:
            refuse_small(np.concatenate(series, axis=1).T, "X")
        return series

    def _no_data(self) -> Exception:
        """Says what is to be given in place of None."""
        if not {"graph", "series", "dendrograms"}.isdisjoint(self.card.needs):
            try:
                self._check_data(None)
            except ValueError as error:  # in the words for graphs, trees or series
                return error
        if "views" in self.card.needs:
            return ComitiaError("X is None; give a list of tables, one for each view.")
        return ComitiaError("X is None; give data, or an Ensemble of clusterings.")

    # -- the clusterings --------------------------------------------------------

    def get_generator(self) -> Any:
        """What makes the clusterings of data: ``generator``, or the method's own.

        Returns
        -------
        generator : generator
            Not fitted.

        Examples
        --------
        >>> from comitia import method
        >>> from comitia.generate import KMeansGenerator
        >>> made = method("lwgp")(3, generator=KMeansGenerator(20)).get_generator()
        >>> made.n_clusterings
        20
        """
        # Methods with a generator of their own have no parameter for it.
        return getattr(self, "generator", None) or self._default_generator()

    def _default_generator(self) -> Any:
        """What makes the clusterings when ``fit`` is given data alone."""
        from comitia.generate import GraphGenerator, KMeansGenerator

        if "graph" in self.card.needs:
            return GraphGenerator()
        return KMeansGenerator()

    def _generate(self, X: Any, rng: np.random.RandomState) -> Ensemble:
        self._check_n_clusters(count_objects(X))  # before the work, not after it
        return self._run_generator(self._seeded_generator(rng), X)

    def _seeded_generator(self, rng: np.random.RandomState) -> Any:
        generator = clone(self.get_generator(), safe=False)
        # The method's seed governs unless the generator was given one of its own.
        if getattr(generator, "random_state", 0) is None:
            generator.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        return generator

    def _run_generator(self, generator: Any, X: Any, *more: Any) -> Ensemble:
        """Let a generator make the ensemble, save its members and tell of them."""
        self.generator_ = generator
        on_device = self._labels_on_device and getattr(
            generator, "takes_tensors", False
        )
        if on_device and self._device is not None:
            X = to_tensor(X, self._device)
        # A generator of the caller's need not know of progress.
        is_watched = self._progress is not None and self._progress.on_progress
        settings: dict[str, Any] = {"on_progress": self._report} if is_watched else {}
        if self._time_limit is not None:
            settings["time_limit"] = self._time_limit
        if self._checkpoint is None or not hasattr(generator, "checkpoint"):
            return generator.generate(X, *more, **settings)
        before, generator.checkpoint = generator.checkpoint, self._checkpoint
        try:
            return generator.generate(X, *more, **settings)
        finally:
            generator.checkpoint = before

    def _refuse_time_limit(self, limit: Any, ensemble: Ensemble | None) -> None:
        """Refuse a limit of time that nothing would keep to."""
        if not isinstance(limit, int | float) or not limit > 0:
            raise ComitiaError(f"time_limit={limit!r} must be a number above 0.")
        if ensemble is not None:
            raise ComitiaError(
                "time_limit is for clusterings that are made; those of an ensemble are "
                "there already."
            )
        makes = getattr(self.get_generator(), "generate", None)
        known = makes is not None and "time_limit" in signature(makes).parameters
        if not known or "generator" not in self.get_params(deep=False):
            raise ComitiaError(
                f"{type(self).__name__} makes its clusterings in its own way, and all "
                "of them; leave out time_limit."
            )
