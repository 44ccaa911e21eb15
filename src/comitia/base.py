"""The estimator base classes: input checks, fit, predict, fitted attributes."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from comitia._arrays import check_device, device_of, to_tensor
from comitia._labels import by_appearance
from comitia._names import Names, match_rows, names_of, proper_names
from comitia._sklearn import HasMethods, Interval, validate_data
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError, ComitiaWarning, MemoryBudgetError

__all__ = ["EnsembleMethod", "ResultBlock", "VariableWeightMethod"]


def _members_can_label(method: EnsembleMethod) -> bool:
    generator = method._generator()
    if not hasattr(generator, "transform"):
        raise AttributeError(
            f"the clusterings of {type(generator).__name__} cannot label new objects."
        )
    return True


class ResultBlock(NamedTuple):
    """The result for the objects of one row block.

    Attributes
    ----------
    rows : slice
        Where the block stands.

    labels : ndarray of shape (n_rows,)
        The clusters of its objects.

    confidence : ndarray of shape (n_rows,)
        Share of the votes that each gives to its own cluster.

    membership : ndarray of shape (n_rows, n_clusters_)
        Share of the votes that each gives to each cluster.
    """

    rows: slice
    labels: NDArray[Any]
    confidence: NDArray[np.float64]
    membership: NDArray[np.float64]


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

    # Whether ``_combine`` works on labels that live on a device; others get a copy.
    _labels_on_device: ClassVar[bool] = False

    # Every method has these; declared for readers, set by the subclasses.
    n_clusters: int | None
    generator: Any
    random_state: Any
    ensemble_: Ensemble
    cluster_weights_: NDArray[np.float64]

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
        approximate: str | None = None,
    ) -> EnsembleMethod:
        """Combine clusterings into one.

        Parameters
        ----------
        X : Ensemble, or array-like of shape (n_objects, n_features)
            The clusterings; or the data, of which the generator makes clusterings.
            Methods for several views take a list of tables, those for time series an
            array of shape (n_objects, n_channels, n_times) or a list of series, those
            for networks a sparse adjacency matrix. The index of a DataFrame names the
            objects, and results are in its order.

        y : None
            Not used; there for scikit-learn's pipelines.

        ensemble : Ensemble, default=None
            Clusterings of the objects in X, for methods that look at the data to
            judge given clusterings. Objects are matched by name where X and the
            ensemble have names, and by position otherwise.

        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            Pairs of objects that belong together, and that do not, for methods that
            take constraints: numbers of rows, or names as text.

        device : str, default=None
            Where dense iterations run, or where the labels of the ensemble are worked
            on: ``"cuda"``, ``"cuda:1"`` or ``"torch"`` (the CPU, through PyTorch), for
            methods whose card says ``on_device``. ``None`` follows what is given:
            NumPy's arrays stay with NumPy, the device of a tensor or of an
            :meth:`Ensemble.on_device` is used.

        approximate : {"landmarks"}, default=None
            ``"landmarks"`` runs a method that is quadratic in n on 5000 objects drawn
            at random, and gives the others the labels that their clusters have among
            these (:mod:`comitia.represent.landmarks`). For methods that need
            clusterings alone. By default nothing is approximated, and what does not
            fit into memory is refused.

        Returns
        -------
        self : object
            The fitted method.
        """
        with self._all_or_nothing():
            self._validate_params()
            rng = check_random_state(self.random_state)
            self._device = self._check_device(X, device)
            self._check_approximate(approximate)
            data = None if isinstance(X, Ensemble) else self._check_data(X)
            names = _names_of(X, data)
            self._check_given(X, data, ensemble)
            self._keep_constraints(
                must_link, cannot_link, X if data is None else data, names
            )
            if ensemble is None:
                ensemble = X if data is None else self._generate(data, rng)
            else:
                ensemble = _in_order_of(names, ensemble)
            self._check_ensemble(ensemble)
            if approximate is None:
                labels = self._combine_all(ensemble, data, rng)
            else:
                labels = self._combine_landmarks(ensemble, rng)
            self._keep(ensemble, labels)
            self.ensemble_ = self.ensemble_.with_object_names(proper_names(names))
            self._warn_of_fewer_clusters()
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
        return np.concatenate([part.confidence for part in self.result_blocks()])

    def result_blocks(self) -> Iterator[ResultBlock]:
        """Walk over the result, a row block of the ensemble at a time.

        Vote shares of many objects do not fit into memory; those of a block do.

        Yields
        ------
        block : ResultBlock
            Where the block stands, its labels, confidence and vote shares.
        """
        from comitia.represent.votes import block_shares, cluster_shares, share_weights

        check_is_fitted(self)
        ensemble = self.ensemble_
        if len(ensemble.row_blocks) == 1:
            parts: Any = [self.membership_]
        else:
            shares = cluster_shares(ensemble, self.labels_, self.n_clusters_)
            weights = share_weights(ensemble, shares, **self._vote_weights())
            parts = ensemble.row_blocks.each(
                block_shares, shares=shares, weights=weights
            )
        start = 0
        for membership in parts:
            rows = slice(start, start + len(membership))
            labels = self.labels_[rows]
            own = membership[np.arange(len(labels)), labels]
            yield ResultBlock(rows, labels, own, membership)
            start = rows.stop

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
        from comitia._inputs import check_series, refuse_small

        if not isinstance(X, list | tuple) and np.ndim(X) != 3:
            # scikit-learn's own check: the number and the names of the features.
            X = validate_data(self, X, reset=reset, dtype=np.float64)
        series = check_series(X)
        if reset:
            refuse_small(np.concatenate(series, axis=1).T, "X")
        return series

    def _check_device(self, X: Any, device: str | None) -> str | None:
        if device is None and isinstance(X, Ensemble):
            device = X.device
        elif device is None:
            device = device_of(X[0] if isinstance(X, list) and X else X)
        else:
            device = check_device(device)
            self._refuse_device(device)
        # A method that knows no devices reads a tensor as any other array.
        return device if self.card.on_device else None

    def _refuse_device(self, device: str | None) -> None:
        if device is not None and not self.card.on_device:
            raise ComitiaError(
                f"device={device!r} is not for {type(self).__name__}, which runs on "
                "the CPU; see comitia.methods(on_device=True)."
            )

    def _combine_all(
        self, ensemble: Ensemble, data: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        try:
            return self._combine(self._placed(ensemble), data, rng)
        except MemoryBudgetError as error:
            if not self._takes_landmarks or not ensemble.is_hard:
                raise
            n_rows = len(ensemble.distinct().counts)
            raise MemoryBudgetError(
                f"{error} Of the {ensemble.n_objects} objects {n_rows} differ in their "
                'labels; fit(…, approximate="landmarks") works on a sample of them.'
            ) from None

    @property
    def _takes_landmarks(self) -> bool:
        return self.card.scales == "quadratic" and self.card.needs == ("labels",)

    def _check_approximate(self, approximate: str | None) -> None:
        if approximate is None:
            return
        if approximate != "landmarks":
            raise ComitiaError(
                f'approximate={approximate!r} is not known; give "landmarks" or None.'
            )
        if not self._takes_landmarks:
            raise ComitiaError(
                f"{type(self).__name__} is not approximated by landmarks, which are "
                'for methods of comitia.methods(needs="labels", scales="quadratic").'
            )

    def _combine_landmarks(
        self, ensemble: Ensemble, rng: np.random.RandomState
    ) -> NDArray[Any]:
        from comitia.represent.landmarks import draw_landmarks, extend_labels

        drawn = draw_landmarks(ensemble, rng)
        labels, _ = by_appearance(self._combine(drawn.ensemble, None, rng))
        if hasattr(self, "cluster_weights_"):
            weights: NDArray[np.float64] = np.zeros(ensemble.n_clusters_total)
            weights[drawn.clusters] = self.cluster_weights_
            self.cluster_weights_ = weights
        self.landmarks_ = drawn.objects
        return extend_labels(ensemble, drawn, labels, **self._vote_weights())

    def _placed(self, ensemble: Ensemble) -> Ensemble:
        """The labels where this method works on them: on a device, or in memory."""
        if ensemble is None:  # methods for views make no clusterings
            return ensemble
        if not self._labels_on_device:
            return ensemble if ensemble.device is None else ensemble.whole
        if self._device is None:
            return ensemble
        return Ensemble.on_device(ensemble, self._device)

    def _keep_constraints(
        self, must_link: Any, cannot_link: Any, X: Any, names: Names
    ) -> None:
        if "constraints" in self.card.needs:
            from comitia.cluster.constraints import ConstraintSet, pairs_by_name

            constraints = ConstraintSet(
                _n_objects(X),
                pairs_by_name(must_link, names, "must_link"),
                pairs_by_name(cannot_link, names, "cannot_link"),
            )
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
        there = self._labels_on_device and getattr(generator, "takes_tensors", False)
        if there and self._device is not None:
            X = to_tensor(X, self._device)
        return generator.generate(X)

    def _check_ensemble(self, ensemble: Ensemble) -> None:
        self._check_n_clusters(ensemble.n_objects)
        if ensemble.kind == "hard":
            return
        uncovered = ensemble.uncovered
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
        if device_of(labels) is None:
            self.labels_, self.n_clusters_ = by_appearance(np.asarray(labels))
        else:
            from comitia._kernels.device import in_order

            self.labels_, self.n_clusters_ = in_order(labels)
        self.ensemble_ = ensemble

    def _warn_of_fewer_clusters(self) -> None:
        asked, found = self.n_clusters, self.n_clusters_
        if asked is None or found >= asked:
            return
        ensemble = self.ensemble_
        n_rows = asked
        if ensemble.is_hard and ensemble.storage.is_local:
            n_rows = len(ensemble.distinct().counts)
        warnings.warn(
            f"only {found} of n_clusters={asked} clusters were found: "
            + (
                f"the objects have only {n_rows} different row(s) of labels."
                if n_rows < asked
                else "the others were left without objects. Ask for fewer, or combine "
                "clusterings that have more clusters."
            ),
            ComitiaWarning,
            stacklevel=3,
        )


def _n_objects(X: Any) -> int:
    if hasattr(X, "n_objects"):
        return X.n_objects
    return len(X) if isinstance(X, list) else int(X.shape[0])


def _names_of(X: Any, data: Any) -> Names:
    """The names of the objects in the order in which a method sees them."""
    # Those of views are found when the views are put into one order.
    return names_of(X if getattr(data, "object_names", None) is None else data)


def _in_order_of(names: Names, ensemble: Ensemble) -> Ensemble:
    """The ensemble with its objects in the order of the data, which has these names."""
    _, rows = match_rows([names, names_of(ensemble)], ["X", "ensemble"])
    return ensemble if rows[1] is None else ensemble.take(objects=rows[1])


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
