"""The estimator around a method: fit, which is generate and combine."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import TransformerTags
from sklearn.utils.validation import check_is_fitted

from comitia import sizes
from comitia._arrays import check_device, device_of
from comitia._content_order import ContentOrder
from comitia._inputs import count_objects
from comitia._names import Names, match_rows, names_of, proper_names
from comitia._parameter_rules import SHARED, Rules, rules_of
from comitia._shared_docs import METHODS, written_out
from comitia._steps import OnProgress, threads_for
from comitia.catalogue import MethodCard
from comitia.ensemble import Ensemble
from comitia.exceptions import (
    ComitiaError,
    ComitiaWarning,
    MemoryBudgetError,
)
from comitia.method_data import MethodData

__all__ = ["EnsembleMethod"]

# Labels that are renamed at once: what is made of them on the way stays small.
_LABELS_AT_ONCE = 1 << 20


class EnsembleMethod(MethodData):
    """Base class of the methods: a method writes ``_combine``, the rest is here.

    ``fit`` is ``generate``, which makes the clusterings, and ``combine``.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        The consensus, 0..n_clusters_ - 1 in the order of first appearance.

    n_clusters_ : int
        Number of clusters found.

    n_clusters_probabilities_ : dict of int to float
        How likely each number of clusters is, where it was chosen by the data:
        ``n_clusters=None``, and a table was given (:func:`comitia.choose_k`).

    likely_n_clusters_ : list of int
        The fewest numbers that hold 90 % of that probability, the likeliest first:
        "2 or 3".

    ensemble_ : Ensemble
        The clusterings that were combined.

    drift_ : Drift
        What became of the clusters of the run that ``align_to`` names, where it was
        given.

    timings_ : dict of str to float
        Seconds that each stage took: ``"generate"`` and ``"combine"``, and ``"weigh"``
        for methods that weigh in a step of its own.
    """

    card: ClassVar[MethodCard]

    # What the parameters may be. A method names its own parameters and those that are
    # different in it; the shared ones are added.
    _parameter_constraints: ClassVar[Rules] = SHARED

    # Every method has these; declared for readers, set by the subclasses.
    n_clusters: int | None
    generator: Any
    random_state: Any
    ensemble_: Ensemble
    constraints_: Any
    n_clusters_probabilities_: dict[int, float]
    cluster_weights_: NDArray[np.float64]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._parameter_constraints = rules_of(cls)
        if cls.__doc__ is not None:
            cls.__doc__ = written_out(cls.__doc__, METHODS)
        if "card" in vars(cls):
            cls.card = cls.card.described_by(cls.__doc__)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if hasattr(self, "transform"):
            tags.transformer_tags = TransformerTags(preserves_dtype=[])
        return tags

    # -- what a method writes ---------------------------------------------------

    def _combine(
        self, ensemble: Ensemble, X: Any, rng: np.random.RandomState
    ) -> NDArray[Any]:
        """Weigh, represent, partition: the labels of the consensus."""
        raise TypeError(f"{type(self).__name__} does not say how it combines.")

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
        checkpoint: str | os.PathLike[str] | None = None,
        align_to: Any = None,
        time_limit: float | None = None,
        on_progress: OnProgress | None = None,
    ) -> EnsembleMethod:
        """Combine clusterings into one.

        :meth:`generate` and :meth:`combine` in one go, or :meth:`combine` alone where
        clusterings are given.

        Parameters
        ----------
        X : Ensemble, or array-like of shape (n_objects, n_features)
            The clusterings; or the data, of which the generator makes clusterings.
            Methods for several views take a list of tables, those for time series an
            array of shape (n_objects, n_channels, n_times) or a list of series, those
            for networks a sparse adjacency matrix. The index of a DataFrame names the
            objects, and results are in its order. Of an AnnData ``obsm["X_pca"]`` is
            used if it is there, and else ``X``, which a warning says; ``obs_names``
            names the objects.

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
            these (:mod:`comitia.represent.landmark_labels`). For methods that need
            clusterings alone. By default nothing is approximated, and what does not
            fit into memory is refused.

        checkpoint : path-like, default=None
            As for :meth:`generate`.

        align_to : array-like, fitted method, Result or path, default=None
            An earlier run, whose cluster numbers are kept: its labels, or who knows
            them; a path is a result folder. Clusters are matched one to one by the
            objects that both runs have, as :func:`comitia.drift` matches them. Labels
            are 0..k - 1 all the same: a cluster has the number of its match if that is
            below k, and the others fill the gaps. ``drift_`` says what became of the
            clusters.

        time_limit : float, default=None
            Seconds after which no more clusterings are made of the data; combining
            them comes on top. At least two are made. Where that stops the generator,
            the result depends on the speed of the machine, and a warning says how many
            clusterings there are. By default all of them are made.

        on_progress : callable, default=None
            Called as ``on_progress(stage, done, total)``: with ``"generate"`` and
            numbers of clusterings, then with ``"combine"`` and, where a method tells
            its iterations, their numbers. Methods that weigh in a step of its own say
            ``"weigh"`` meanwhile. A stage begins with ``done=0`` and ends with
            ``done == total``; its ``total`` is 1 until more is known.

        Returns
        -------
        self : object
            The fitted method.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> fitted.labels_.tolist()
        [0, 0, 0, 1, 1, 1]
        >>> fitted.ensemble_.n_objects
        6
        """
        if isinstance(X, Ensemble):
            if ensemble is not None:
                raise ComitiaError(
                    "two ensembles were given; call fit(X, ensemble=E) with the data "
                    "in X, or fit(E)."
                )
            X, ensemble = None, X
        elif X is None:
            raise self._no_data()
        before = _labels_before(align_to)
        if time_limit is not None:
            self._refuse_time_limit(time_limit, ensemble)
        with self._all_or_nothing(on_progress, checkpoint):
            self._time_limit = time_limit
            self.check_parameters(device=device, approximate=approximate)
            rng = self._random_numbers()
            data, names = self._check_objects(
                X, ensemble, must_link, cannot_link, device
            )
            if ensemble is None:
                made = self._make_ensemble(data, rng)
            else:
                made = _in_order_of(names, ensemble)
            self._make_consensus(made, data, names, rng, approximate)
            self._align(before)
        return self

    def generate(
        self,
        X: Any,
        *,
        must_link: Any = None,
        cannot_link: Any = None,
        device: str | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        on_progress: OnProgress | None = None,
    ) -> Ensemble:
        """Make the clusterings: the first of the two steps of :meth:`fit`.

        ``combine(generate(X), X)`` is ``fit(X)``: this method remembers what it has
        made, and where its random numbers were.

        Parameters
        ----------
        X : array-like of shape (n_objects, n_features)
            The data, as for :meth:`fit`.

        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            As for :meth:`fit`.

        device : str, default=None
            As for :meth:`fit`.

        checkpoint : path-like, default=None
            A folder for finished clusterings, if the generator can save them. A call
            that was interrupted goes on with them when it is repeated.

        on_progress : callable, default=None
            Called as ``on_progress("generate", done, total)``.

        Returns
        -------
        ensemble : Ensemble or None
            The clusterings. None for methods that cluster views while they combine
            them; for these, ``combine(None, X)`` is the second step.

        Examples
        --------
        >>> from comitia import method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> lwgp = method("lwgp")(n_clusters=2, random_state=0)
        >>> votes = lwgp.generate(X)
        >>> lwgp.combine(votes, X).labels_.tolist()
        [0, 0, 0, 1, 1, 1]
        """
        if isinstance(X, Ensemble):
            raise ComitiaError("X is an Ensemble already; call combine(X).")
        if X is None:
            raise self._no_data()
        with self._all_or_nothing(on_progress, checkpoint):
            self.check_parameters(device=device)
            rng = self._random_numbers()
            data, names = self._check_objects(X, None, must_link, cannot_link, device)
            ensemble = self._make_ensemble(data, rng)
            if ensemble is not None:
                ensemble = ensemble.with_object_names(proper_names(names))
            self._remember(ensemble, rng)
        return ensemble

    def generate_blocks(
        self,
        source: Any,
        folder: str | os.PathLike[str],
        *,
        block_rows: int | None = None,
        client: Any = None,
        on_progress: OnProgress | None = None,
    ) -> Ensemble:
        """Make clusterings of data that are too many for memory.

        ``combine(generate_blocks(source, folder))`` gives the labels of ``fit`` on the
        same rows in memory, for methods that need clusterings alone.

        Parameters
        ----------
        source : path-like, np.memmap, dask.array.Array or Rows
            The data, as for :func:`comitia.generate.generate_blocks`.

        folder : path-like
            Where the labels go: a new folder, or the one of an interrupted call.

        block_rows : int, default=None
            Objects in a block; half a million by default.

        client : dask.distributed.Client, default=None
            Whose workers label the blocks; by default this process does.

        on_progress : callable, default=None
            Called as ``on_progress("generate", done, total)`` with numbers of blocks.

        Returns
        -------
        ensemble : Ensemble
            The clusterings, in row blocks.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> import numpy as np
        >>> from comitia import method
        >>> X = np.array([[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]], dtype=float)
        >>> lwgp = method("lwgp")(n_clusters=2, random_state=0)
        >>> with TemporaryDirectory() as folder:
        ...     votes = lwgp.generate_blocks(X, f"{folder}/votes", block_rows=3)
        ...     lwgp.combine(votes).labels_.tolist()
        [0, 0, 0, 1, 1, 1]
        """
        from comitia.generate import generate_blocks, open_rows

        if "labels" not in self.card.needs or "data" in self.card.needs:
            raise ComitiaError(
                f"{type(self).__name__} needs the data in memory; take a method of "
                'comitia.methods(needs="labels", scales="linear").'
            )
        with self._all_or_nothing(on_progress):
            self.check_parameters()
            rng = self._random_numbers()
            rows = source if hasattr(source, "read") else open_rows(source)
            self._check_n_clusters(len(rows))
            self._device = None
            self.generator_ = self._seeded_generator(rng)
            with self._stage("generate"):
                ensemble = generate_blocks(
                    self.generator_,
                    rows,
                    folder,
                    block_rows=block_rows,
                    client=client,
                    on_progress=self._report,
                )
            self.n_features_in_ = rows.n_features
            self._remember(ensemble, rng)
        return ensemble

    def combine(
        self,
        ensemble: Ensemble,
        X: Any = None,
        *,
        must_link: Any = None,
        cannot_link: Any = None,
        device: str | None = None,
        approximate: str | None = None,
        align_to: Any = None,
        on_progress: OnProgress | None = None,
    ) -> EnsembleMethod:
        """Combine clusterings into one: the second of the two steps of :meth:`fit`.

        Of clusterings that :meth:`generate` of this method has returned, the very
        object, the result is that of ``fit(X)`` for a fixed ``random_state``, and
        :meth:`predict` works; it may be combined again with other parameters. Of
        others it is that of ``fit(E)``, or of ``fit(X, ensemble=E)``.

        Parameters
        ----------
        ensemble : Ensemble
            The clusterings. Methods that make their own combine no others.

        X : array-like of shape (n_objects, n_features), default=None
            The data, for methods that look at them.

        must_link, cannot_link : array-like of shape (n_pairs, 2), default=None
            As for :meth:`fit`; by default those that :meth:`generate` was given.

        device : str, default=None
            As for :meth:`fit`; by default that of :meth:`generate`.

        approximate : {"landmarks"}, default=None
            As for :meth:`fit`.

        align_to : array-like, fitted method, Result or path, default=None
            As for :meth:`fit`.

        on_progress : callable, default=None
            As for :meth:`fit`, with ``"weigh"`` and ``"combine"``.

        Returns
        -------
        self : object
            The fitted method.

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> method("lwea")(n_clusters=2).combine(votes).labels_.tolist()
        [0, 0, 1, 1]
        """
        made = self._generated
        if made is not None and made.ensemble is not ensemble:
            made = None
        before = _labels_before(align_to)
        with self._all_or_nothing(on_progress, going_on=made):
            self.check_parameters(device=device, approximate=approximate)
            rng = self._random_numbers()
            if made is not None:
                device = device or made.device
            elif not isinstance(ensemble, Ensemble):
                raise _not_an_ensemble(ensemble)
            data, names = self._check_objects(
                X, ensemble, must_link, cannot_link, device
            )
            if ensemble is not None:
                ensemble = _in_order_of(names, ensemble)
            self._make_consensus(ensemble, data, names, rng, approximate)
            self._align(before)
        return self

    def partial_update(
        self,
        new_members: Any = None,
        new_rows: Any = None,
        *,
        align_to: Any = None,
        on_progress: OnProgress | None = None,
    ) -> EnsembleMethod:
        """Combine again after the ensemble has grown.

        The labels are those of ``fit`` on the grown ensemble, exactly, for a fixed
        ``random_state``. Contingency tables are kept from the first update on, and
        what they have counted is not counted again: after that, methods that weigh by
        tables (such as ``lwgp``, ``lwmc`` and ``voting``) read the new labels alone
        for their weights. Everything else, such as the passes of k-means, is done
        again.

        Parameters
        ----------
        new_members : Ensemble or array-like, default=None
            New clusterings of the same objects, as for :meth:`Ensemble.append`.

        new_rows : Ensemble or array-like, default=None
            New objects: their labels in each clustering, as for
            ``Ensemble.append(…, axis="objects")``. Of new data,
            ``generator_.transform(X_new)`` are these labels; :meth:`predict` works on.

        align_to : array-like, fitted method, Result or path, default=None
            As for :meth:`fit`; the method itself keeps the numbers of its clusters.

        on_progress : callable, default=None
            As for :meth:`fit`.

        Returns
        -------
        self : object
            The fitted method.

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(votes)
        >>> fitted.partial_update(new_rows=[[1, 1, 1], [0, 0, 0]]).labels_
        array([0, 0, 1, 1, 1, 0], dtype=int32)
        """
        check_is_fitted(self, "labels_")
        if (new_members is None) == (new_rows is None):
            raise ComitiaError("give new_members or new_rows, one of the two.")
        if self.ensemble_ is None:
            raise ComitiaError(
                f"{type(self).__name__} combines no clusterings that could grow."
            )
        kept = {}
        if new_members is None:
            grown = self.ensemble_.append(new_rows, axis="objects")
            # The members are the same, and can still label others.
            kept = {
                name: getattr(self, name)
                for name in ("generator_", "n_features_in_", "feature_names_in_")
                if hasattr(self, name)
            }
        else:
            grown = self.ensemble_.append(new_members)
        self.combine(grown, align_to=align_to, on_progress=on_progress)
        self.__dict__.update(kept)
        return self

    def check_parameters(
        self, *, device: str | None = None, approximate: str | None = None
    ) -> None:
        """Refuse parameters that do not work, before any data are read.

        Parameters
        ----------
        device : str, default=None
            As for :meth:`fit`.

        approximate : {"landmarks"}, default=None
            As for :meth:`fit`.

        Examples
        --------
        >>> from comitia import method
        >>> method("lwgp")(n_clusters=0).check_parameters()
        Traceback (most recent call last):
            ...
        sklearn.utils._param_validation.InvalidParameterError: The 'n_clusters' ...
        """
        self._validate_params()
        if device is not None:
            self._refuse_device(check_device(device))
        self._check_approximate(approximate)

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

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> method("lwgp")(n_clusters=2).fit_predict(votes).tolist()
        [0, 0, 1, 1]
        """
        return self.fit(X, y, **fit_params).labels_

    def _resolve_n_clusters(self, ensemble: Ensemble, **weights: Any) -> int:
        """``n_clusters``; or what the data say, or else the ensemble's eigengap."""
        known = self._known_n_clusters()
        if known is not None:
            return known
        from comitia.partition import choose_n_clusters

        return choose_n_clusters(ensemble, **weights)

    def _known_n_clusters(self) -> int | None:
        """``n_clusters``, or the likeliest number of a table; None if there is none."""
        if self.n_clusters is not None:
            return int(self.n_clusters)
        from comitia.partition.k_probabilities import k_odds, likeliest_k

        if not hasattr(self, "n_clusters_probabilities_"):
            if self._table is None:
                return None
            odds = k_odds(self._table)
            self.n_clusters_probabilities_ = odds.as_dict()
            self.likely_n_clusters_ = odds.likely
        return likeliest_k(self.n_clusters_probabilities_)

    # -- how fit works ----------------------------------------------------------

    def _check_objects(
        self,
        X: Any,
        ensemble: Ensemble | None,
        must_link: Any,
        cannot_link: Any,
        device: str | None,
    ) -> tuple[Any, Names]:
        """The data as the method sees them, and the names of the objects."""
        given = ensemble if X is None else X
        self._device = self._check_device(given, device)
        data = None if X is None else self._check_data(X)
        names = _names_of(given, data)
        self._check_given(data, ensemble)
        if self.n_clusters is None and isinstance(data, np.ndarray) and data.ndim == 2:
            from comitia.partition.k_probabilities import table_sample

            self._table = table_sample(data)
        some = must_link is not None or cannot_link is not None
        # Those of generate hold until others are given.
        if some or not hasattr(self, "constraints_"):
            self._keep_constraints(
                must_link, cannot_link, given if data is None else data, names
            )
        return data, names

    def _make_ensemble(self, data: Any, rng: np.random.RandomState) -> Any:
        order = self._order = self._order_of(data)
        if order is not None:
            data = order.sort(data)
        with (
            self._stage("generate"),
            self._constraints_in(order),
            threads_for(count_objects(data)),
        ):
            made = self._generate(data, rng)
        if order is None or made is None:
            return made
        return made.take(objects=order.places)

    def _make_consensus(
        self,
        ensemble: Any,
        data: Any,
        names: Names,
        rng: np.random.RandomState,
        approximate: str | None,
    ) -> None:
        self._check_ensemble(ensemble)
        order, given = self._order, ensemble
        if order is None and data is not None:
            order = self._order_of(data)
        if order is not None:
            data = order.sort(data)
            ensemble = None if given is None else given.take(objects=order.objects)
        n = count_objects(data) if ensemble is None else ensemble.n_objects
        with self._stage("combine"), self._constraints_in(order), threads_for(n):
            if approximate is not None:
                labels = self._combine_landmarks(ensemble, rng)
            else:
                try:
                    labels = self._combine(self._placed(ensemble), data, rng)
                except MemoryBudgetError as error:
                    raise self._naming_landmarks(error, ensemble) from None
            self._keep(ensemble, labels)
        if order is not None:
            self._put_back(order, given)
        if names is not None:
            self.ensemble_ = self.ensemble_.with_object_names(proper_names(names))
        self._warn_of_fewer_clusters()

    def _put_back(self, order: ContentOrder, given: Any) -> None:
        """Put what was found into the order in which the objects were given."""
        from comitia._object_places import put_back

        put_back(self.__dict__, order, self._per_object, self._object_numbers)
        if given is not None:
            self.ensemble_ = given
        before = self.labels_
        self.labels_, self.n_clusters_ = _by_appearance(before)
        first_of_each = np.unique(self.labels_, return_index=True)[1]
        self._number_anew(before[first_of_each])

    def _number_anew(self, clusters: NDArray[np.intp]) -> None:
        """Put what is kept of each cluster into the order of the labels."""
        k = len(clusters)
        for name, axis in self._per_cluster.items():
            kept = vars(self).get(name)
            if isinstance(kept, list):
                setattr(self, name, [np.take(one, clusters, axis) for one in kept])
            elif kept is not None and kept.shape[axis] == k:
                setattr(self, name, np.take(kept, clusters, axis))

    def _check_given(self, data: Any, ensemble: Ensemble | None) -> None:
        """Whether data and ensemble are what this method works on."""
        needs, name = self.card.needs, type(self).__name__
        is_own = self._generated is not None
        if "labels" not in needs and ensemble is not None and not is_own:
            raise ComitiaError(f"{name} makes its own clusterings; call fit(X).")
        if data is None and "labels" not in needs:
            raise ComitiaError(f"{name} needs the data too; call combine(E, X).")
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
            raise _not_an_ensemble(ensemble)
        if data is None or "dendrograms" in needs:
            return
        n = count_objects(data)
        if n != ensemble.n_objects:
            raise ComitiaError(
                f"X has {n} rows and ensemble has {ensemble.n_objects} objects; they "
                "must be the same objects in the same order."
            )

    def _check_device(self, X: Any, device: str | None) -> str | None:
        if device is not None:
            device = check_device(device)
            self._refuse_device(device)
        elif isinstance(X, Ensemble):
            device = X.device
        else:
            device = device_of(X[0] if isinstance(X, list) and X else X)
        # A method that knows no devices reads a tensor as any other array.
        return device if self.card.on_device else None

    def _refuse_device(self, device: str | None) -> None:
        if device is not None and not self.card.on_device:
            raise ComitiaError(
                f"device={device!r} is not for {type(self).__name__}, which runs on "
                "the CPU; see comitia.methods(on_device=True)."
            )

    def _naming_landmarks(
        self, error: MemoryBudgetError, ensemble: Ensemble
    ) -> MemoryBudgetError:
        """The refusal, with the sample that would fit where there is one."""
        if not self._takes_landmarks or not ensemble.is_hard:
            return error
        n_rows = len(ensemble.distinct().counts)
        return MemoryBudgetError(
            f"{error} Of the {ensemble.n_objects} objects {n_rows} differ in their "
            'labels; fit(…, approximate="landmarks") works on a sample of them.'
        )

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
        from comitia.represent.landmark_labels import draw_landmarks, extend_labels

        drawn = draw_landmarks(ensemble, rng)
        labels, _ = _by_appearance(self._combine(drawn.ensemble, None, rng))
        if hasattr(self, "cluster_weights_"):
            weights: NDArray[np.float64] = np.zeros(ensemble.n_clusters_total)
            weights[drawn.clusters] = self.cluster_weights_
            self.cluster_weights_ = weights
        self.landmarks_ = drawn.objects
        return extend_labels(ensemble, drawn, labels, **self.vote_weights())

    def _placed(self, ensemble: Ensemble) -> Ensemble:
        """The labels where this method works on them: on a device, or in memory."""
        if ensemble is None:  # methods for views make no clusterings
            return ensemble
        if not self._labels_on_device:
            return ensemble if ensemble.device is None else ensemble.whole
        if self._device is None:
            return ensemble
        return Ensemble.on_device(ensemble, self._device)

    @contextmanager
    def _constraints_in(self, order: ContentOrder | None) -> Iterator[None]:
        """Name the objects of constraints by their places in an order meanwhile."""
        given = None if order is None else vars(self).get("constraints_")
        if order is not None and given is not None:
            self.constraints_ = given.renamed(order.places)
        yield
        if given is not None:
            self.constraints_ = given

    def _keep_constraints(
        self, must_link: Any, cannot_link: Any, X: Any, names: Names
    ) -> None:
        if "constraints" in self.card.needs:
            from comitia.cluster.constraints import ConstraintSet, pairs_by_name

            constraints = ConstraintSet(
                count_objects(X),
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
                f"object {name}; leave them out (their rows of a file, or "
                "ensemble.take(objects=…)), or add a clustering that has them."
            )

    def _check_n_clusters(self, n: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n:
            raise ComitiaError(
                f"n_clusters={self.n_clusters} is larger than the number of objects; "
                f"give at most {n}, got n_samples={n}."
            )

    def _keep(self, ensemble: Ensemble, labels: NDArray[Any]) -> None:
        if isinstance(labels, np.ndarray) or device_of(labels) is None:
            self.labels_, self.n_clusters_ = _by_appearance(np.asarray(labels))
        else:
            from comitia._kernels.device import in_order

            self.labels_, self.n_clusters_ = in_order(labels)
        self.ensemble_ = ensemble

    def _align(self, before: Any) -> None:
        """Keep the cluster numbers of an earlier run."""
        if before is not None:
            from comitia._drift import keep_numbers

            keep_numbers(self, before)

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
            stacklevel=4,
        )


def _not_an_ensemble(given: Any) -> ComitiaError:
    return ComitiaError(
        f"ensemble is a {type(given).__name__}; make an Ensemble of it: "
        "comitia.Ensemble(labels)."
    )


def _labels_before(align_to: Any) -> Any:
    """The labels of an earlier run, read before anything is done; None for none."""
    if align_to is None:
        return None
    from comitia._drift import named_labels

    return named_labels(align_to, "align_to")


def _by_appearance(labels: NDArray[Any]) -> tuple[NDArray[np.int32], int]:
    """Small labels as numbers in the order of their first appearance, and how many."""
    least = int(labels.min())
    reach = int(labels.max()) - least + 1
    if reach > max(len(labels), sizes.FEW_VALUES):
        # Far apart: a table of everything between them would be mostly empty.
        return _by_appearance(np.unique(labels, return_inverse=True)[1])
    numbers = np.full(reach, -1, dtype=np.int32)
    n_labels = 0
    for lo in range(0, len(labels), _LABELS_AT_ONCE):
        some = labels[lo : lo + _LABELS_AT_ONCE] - least
        new = np.flatnonzero(np.bincount(some, minlength=reach)[:reach])
        new = new[numbers[new] < 0]
        for label in new[np.argsort([int(np.argmax(some == label)) for label in new])]:
            numbers[label] = n_labels
            n_labels += 1
    codes = np.empty(len(labels), dtype=np.int32)
    for lo in range(0, len(labels), _LABELS_AT_ONCE):
        rows = slice(lo, lo + _LABELS_AT_ONCE)
        codes[rows] = numbers[labels[rows] - least]
    return codes, n_labels


def _names_of(X: Any, data: Any) -> Names:
    """The names of the objects in the order in which a method sees them."""
    if isinstance(X, Ensemble) and X.object_names is None:
        return None
    # Those of views are found when the views are put into one order.
    return names_of(X if getattr(data, "object_names", None) is None else data)


def _in_order_of(names: Names, ensemble: Ensemble) -> Ensemble:
    """The ensemble with its objects in the order of the data, which has these names."""
    if names is None:
        return ensemble
    _, rows = match_rows([names, names_of(ensemble)], ["X", "ensemble"])
    return ensemble if rows[1] is None else ensemble.take(objects=rows[1])
