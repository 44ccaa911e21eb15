"""The estimator base classes: input checks, fit, predict, fitted attributes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from comitia._sklearn import HasMethods, Interval, validate_data
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

__all__ = ["EnsembleMethod", "VariableWeightMethod"]


def _members_can_label(method: EnsembleMethod) -> bool:
    generator = method._generator()
    if not hasattr(generator, "transform"):
        raise AttributeError(
            f"the clusterings of {type(generator).__name__} cannot label new objects."
        )
    return True


class EnsembleMethod(ClusterMixin, BaseEstimator):
    """Base class of the methods: a method writes ``_combine``, the rest is here.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The consensus, 0..n_clusters_ - 1 in the order of first appearance.

    n_clusters_ : int
        Number of clusters found.

    ensemble_ : Ensemble
        The clusterings that were combined.
    """

    card: ClassVar[MethodCard]

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "generator": [HasMethods(["generate"]), None],
        "random_state": ["random_state"],
    }

    # Every method has these; declared for readers, set by the subclasses.
    n_clusters: int | None
    generator: Any
    random_state: Any

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "card" in vars(cls):
            cls.card = cls.card.described_by(cls.__doc__)

    # -- what a method writes ---------------------------------------------------

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """Weigh, represent, partition: the labels of the consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it combines.")

    def _default_generator(self) -> Any:
        """What makes the clusterings when ``fit`` is given data alone."""
        from comitia.generate import KMeansGenerator

        return KMeansGenerator()

    # -- what it inherits -------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        ensemble: Ensemble | None = None,
        must_link: Any = None,
        cannot_link: Any = None,
        device: str | None = None,
    ) -> EnsembleMethod:
        """Combine clusterings into one.

        Parameters
        ----------
        X : Ensemble, or array-like of shape (n_objects, n_features)
            The clusterings; or the data, of which the generator makes clusterings.
            Methods for several views take a list of tables, those for time series an
            array of shape (n_objects, n_channels, n_times) or a list of series, those
            for networks a sparse adjacency matrix.

        y : None
            Not used; there for scikit-learn's pipelines.

        ensemble : Ensemble, default=None
            Clusterings of the objects in X, for methods that look at the data to
            judge given clusterings.

        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of objects that belong together, and that do not, for methods that
            take constraints.

        device : str, default=None
            Where dense iterations run: ``"cuda"``, ``"cuda:1"`` or ``"torch"`` (the
            CPU, through PyTorch), for methods whose card says ``on_device``. ``None``
            follows the data: NumPy's stay with NumPy, a tensor's device is used.

        Returns
        -------
        self : object
            The fitted method.
        """
        with self._all_or_nothing():
            self._validate_params()
            rng = check_random_state(self.random_state)
            self._device = self._check_device(X, device)
            data = None if isinstance(X, Ensemble) else self._check_data(X)
            self._check_given(X, data, ensemble)
            self._keep_constraints(must_link, cannot_link, X if data is None else data)
            if ensemble is None:
                ensemble = X if data is None else self._generate(data, rng)
            self._check_ensemble(ensemble)
            self._keep(ensemble, self._combine(ensemble, data, rng))
        return self

    def fit_predict(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[Any]:
        """Combine clusterings into one and return its labels.

        Parameters
        ----------
        X : Ensemble, or array-like of shape (n_objects, n_features)
            As for :meth:`fit`.

        y : None
            Not used.

        **fit_params : dict
            As for :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_objects,)
            The consensus.
        """
        return self.fit(X, y, **fit_params).labels_

    @available_if(_members_can_label)
    def predict(self, X: Any) -> NDArray[Any]:
        """Label new objects by a weighted vote of the clusterings.

        Each clustering puts a new object into one of its clusters; the cluster votes
        with the shares that the consensus clusters have among its objects.

        Parameters
        ----------
        X : array-like of shape (n_new, n_features)
            New objects, with the features of the data given to :meth:`fit`.

        Returns
        -------
        labels : ndarray of shape (n_new,)
            A cluster of the consensus for each.
        """
        from comitia.represent import cluster_shares, spread_shares

        check_is_fitted(self)
        if not hasattr(self, "generator_"):
            raise ComitiaError(
                f"this {type(self).__name__} was fitted on given clusterings, which "
                "cannot label new objects; fit it on data to predict."
            )
        X = self._check_new(X)
        shares = cluster_shares(self.ensemble_, self.labels_, self.n_clusters_)
        labels = self.generator_.transform(X).T
        k = self.ensemble_.n_clusters_each
        new = Ensemble.from_codes(np.where(labels < 0, k[:, None], labels), k)
        votes = spread_shares(new, shares, **self._vote_weights())
        return votes.argmax(axis=1).astype(self.labels_.dtype)

    @cached_property
    def membership_(self) -> NDArray[np.float64]:
        """Share of the votes that each object gives to each cluster, (n, k)."""
        from comitia.represent import cluster_shares, spread_shares

        check_is_fitted(self)
        shares = cluster_shares(self.ensemble_, self.labels_, self.n_clusters_)
        return spread_shares(self.ensemble_, shares, **self._vote_weights())

    @cached_property
    def confidence_(self) -> NDArray[np.float64]:
        """Share of the votes that each object gives to its own cluster, (n,)."""
        return self.membership_[np.arange(len(self.labels_)), self.labels_]

    def _vote_weights(self) -> dict[str, Any]:
        return {
            name: getattr(self, f"{name}_")
            for name in ("clustering_weights", "cluster_weights")
            if hasattr(self, f"{name}_")
        }

    def _resolve_n_clusters(self, ensemble: Ensemble, **weights: Any) -> int:
        """``n_clusters``, or the eigengap of the ensemble's graph when it is None."""
        if self.n_clusters is not None:
            return int(self.n_clusters)
        from comitia.partition import choose_n_clusters

        return choose_n_clusters(ensemble, **weights)

    # -- how fit works ----------------------------------------------------------

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Start without the results of an earlier fit; a failure leaves them as is."""
        before = dict(vars(self))
        for name in before:
            if name.endswith("_") and not name.endswith("__"):
                delattr(self, name)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _check_given(self, X: Any, data: Any, ensemble: Ensemble | None) -> None:
        """Whether data and ensemble are what this method works on."""
        needs, name = self.card.needs, type(self).__name__
        if data is None and ensemble is not None:
            raise ComitiaError(
                "two ensembles were given; call fit(X, ensemble=E) with the data in X, "
                "or fit(E)."
            )
        if "labels" not in needs and (data is None or ensemble is not None):
            raise ComitiaError(f"{name} makes its own clusterings; call fit(X).")
        if data is None and "data" in needs:
            raise ComitiaError(
                f"{name} judges clusterings on their data; call fit(X, ensemble=E) "
                "with the data in X."
            )
        if ensemble is None:
            if "graph" in needs and data is not None and data.nnz == 0:
                raise ComitiaError("graph has no edges; there is nothing to cluster.")
            return
        if not isinstance(ensemble, Ensemble):
            raise ComitiaError(
                f"ensemble is a {type(ensemble).__name__}; make an Ensemble of it: "
                "comitia.Ensemble(labels)."
            )
        n = _n_objects(data)
        if n != ensemble.n_objects:
            raise ComitiaError(
                f"X has {n} rows and ensemble has {ensemble.n_objects} objects; they "
                "must be the same objects in the same order."
            )

    def _check_data(self, X: Any) -> Any:
        if "graph" in self.card.needs:
            from comitia.cluster.communities import check_graph

            return check_graph(X)
        if "series" in self.card.needs:
            return self._check_series(X)
        return validate_data(self, _on_host(X), dtype=np.float64)

    def _check_new(self, X: Any) -> Any:
        """New objects, for the members to label."""
        if "series" in self.card.needs:
            return self._check_series(X, reset=False)
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _check_series(self, X: Any, reset: bool = True) -> list[NDArray[np.float64]]:
        from comitia._inputs import check_series

        if not isinstance(X, list | tuple) and np.ndim(X) != 3:
            # scikit-learn's own check: the number and the names of the features.
            X = validate_data(self, X, reset=reset, dtype=np.float64)
        return check_series(X)

    def _check_device(self, X: Any, device: str | None) -> str | None:
        from comitia._arrays import check_device, device_of

        if device is None:
            device = device_of(X[0] if isinstance(X, list) and X else X)
            # A method that knows no devices reads a tensor as any other array.
            return device if self.card.on_device else None
        device = check_device(device)
        if device is not None and not self.card.on_device:
            raise ComitiaError(
                f"device={device!r} is not for {type(self).__name__}, which runs on "
                "the CPU; see comitia.methods(on_device=True)."
            )
        return device

    def _keep_constraints(self, must_link: Any, cannot_link: Any, X: Any) -> None:
        if "constraints" in self.card.needs:
            from comitia.cluster import ConstraintSet

            constraints = ConstraintSet(_n_objects(X), must_link, cannot_link)
            constraints.closure()  # refuses what contradicts itself
            self.constraints_ = constraints
        elif must_link is not None or cannot_link is not None:
            raise ComitiaError(
                f"{type(self).__name__} takes no constraints; "
                'see comitia.methods(needs=["labels", "data", "constraints"]).'
            )

    def _generator(self) -> Any:
        # Methods with a generator of their own have no parameter for it.
        return getattr(self, "generator", None) or self._default_generator()

    def _generate(self, X: Any, rng: np.random.RandomState) -> Ensemble:
        self._check_n_clusters(_n_objects(X))  # before the work, not after it
        generator = clone(self._generator(), safe=False)
        # The method's seed governs unless the generator was given one of its own.
        if getattr(generator, "random_state", 0) is None:
            generator.set_params(random_state=rng.randint(np.iinfo(np.int32).max))
        self.generator_ = generator
        return generator.generate(X)

    def _check_ensemble(self, ensemble: Ensemble) -> None:
        self._check_n_clusters(ensemble.n_objects)
        uncovered = np.flatnonzero(ensemble.n_votes == 0)
        if len(uncovered):
            i = uncovered[0]
            name = i if ensemble.object_names is None else ensemble.object_names[i]
            raise ComitiaError(
                f"{len(uncovered)} object(s) are in no clustering, the first is "
                f"object {name}; leave them out with ensemble.take(objects=…)."
            )

    def _check_n_clusters(self, n: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n:
            raise ComitiaError(
                f"n_clusters={self.n_clusters} is larger than the number of objects; "
                f"give at most {n}, got n_samples={n}."
            )

    def _keep(self, ensemble: Ensemble, labels: NDArray[Any]) -> None:
        names, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        order = np.empty(len(names), dtype=np.int32)
        order[np.argsort(first)] = np.arange(len(names))
        self.labels_ = order[codes]
        self.n_clusters_ = len(names)
        self.ensemble_ = ensemble


def _n_objects(X: Any) -> int:
    if hasattr(X, "n_objects"):
        return X.n_objects
    return len(X) if isinstance(X, list) else int(X.shape[0])


def _on_host(X: Any) -> Any:
    from comitia._arrays import device_of, to_numpy

    return X if device_of(X) is None else to_numpy(X)


class VariableWeightMethod(EnsembleMethod):
    """Base class of the methods that optimise weights and consensus together.

    A method says how it starts, how weights follow from a consensus, how a consensus
    follows from weights, and what they are judged by; the loop is here. Weights come
    first: from uniform weights a first update of the consensus may change nothing, and
    a loop that looks at the objective would stop there. The best iterate is kept.

    Attributes
    ----------
    objective_ : ndarray of shape (n_iter_ + 1,)
        The objective at the start and after each iteration.

    n_iter_ : int
        Number of iterations.

    converged_ : bool
        Whether the objective stopped changing before ``max_iter``.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **EnsembleMethod._parameter_constraints,
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    max_iter: int
    tol: float

    def _start(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> tuple[Any, Any]:
        """The first weights and the first consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it starts.")

    def _update_weights(self, ensemble: Ensemble, consensus: Any) -> Any:
        """The best weights for a consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it weighs.")

    def _update_consensus(self, ensemble: Ensemble, weights: Any) -> Any:
        """The best consensus for weights."""
        raise TypeError(f"{type(self).__name__} does not say how it combines.")

    def _objective(self, ensemble: Ensemble, weights: Any, consensus: Any) -> float:
        """What is minimised."""
        raise TypeError(f"{type(self).__name__} does not say what it minimises.")

    def _result(
        self, ensemble: Ensemble, weights: Any, consensus: Any, rng: Any
    ) -> NDArray[Any]:
        """Store the weights; return the labels."""
        raise TypeError(f"{type(self).__name__} does not say what its labels are.")

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        weights, consensus = self._start(ensemble, X, rng)
        objective = [self._objective(ensemble, weights, consensus)]
        best = (objective[0], weights, consensus)
        self.converged_ = False
        for _ in range(self.max_iter):
            weights = self._update_weights(ensemble, consensus)
            consensus = self._update_consensus(ensemble, weights)
            objective.append(self._objective(ensemble, weights, consensus))
            if objective[-1] <= best[0]:
                best = (objective[-1], weights, consensus)
            if abs(objective[-2] - objective[-1]) <= self.tol * abs(objective[-2]):
                self.converged_ = True
                break
        else:
            warnings.warn(
                f"{type(self).__name__} did not converge in max_iter={self.max_iter} "
                "iterations; raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=2,
            )
        self.objective_ = np.asarray(objective)
        self.n_iter_ = len(objective) - 1
        return self._result(ensemble, best[1], best[2], rng)
