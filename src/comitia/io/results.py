"""A result: what a fitted method found, as one object and as a folder of files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._files import read_json
from comitia._lock import locked
from comitia.config import require_memory
from comitia.display.cluster_profiles import Profile, cluster_profile
from comitia.display.consensus_view import weights_of
from comitia.display.object_map import map_objects
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.explanation import Explanation
from comitia.io import _collect as collect
from comitia.io._details import collect_details
from comitia.io.folder_swap import recover_folder, replaced_folder
from comitia.io.result_files import (
    FILES,
    FORMAT,
    OLD_FORMAT,
    read_files,
    write_files,
)

if TYPE_CHECKING:
    from comitia.fitted_result import ResultBlock

__all__ = ["Result"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What a fitted method found, and how: everything that a result folder holds.

    Attributes
    ----------
    method : str
        The catalogue id of the method.

    card : dict
        What the catalogue says of it: ``name``, ``summary``, ``description``, ``notes``
        and ``references`` in the words of its docstring, ``weighs``, ``approach``,
        ``needs`` and ``scales``.

    parameters : dict
        The parameters of the method, as JSON can hold them.

    labels : ndarray of shape (n_objects,)
        The consensus, 0..n_clusters - 1.

    confidence : ndarray of shape (n_objects,)
        Probability that each object is in the right cluster, as far as disagreement
        of the clusterings can tell: ``confidence_`` of the method.

    membership : ndarray of shape (n_objects, n_clusters)
        Share of its votes that each object gives to each cluster.

    ensemble : Ensemble
        The clusterings that were combined.

    object_names : ndarray of shape (n_objects,) or None
        Names of the objects.

    truth : ndarray of shape (n_objects,) or None
        Known classes to compare with, as text; empty where unknown.

    weights : dict of str to ndarray
        What the method weighs: ``clustering_weights``, ``cluster_weights``,
        ``object_weights``, ``feature_weights``, ``view_weights``, ``selected``.

    objective : tuple of ndarray
        The values of what was optimised, one array for each optimisation.

    converged : bool or None
        Whether the optimisation came to an end; None where there is none.

    positions : ndarray of shape (n_objects, 2) or None
        A map of the objects.

    axes : tuple of str
        What the two axes of the map are, in words.

    feature_names : tuple of str
        Names of the features, when data were given.

    view_names : tuple of str
        Names of the views, when there were several.

    all_sizes : tuple of int
        Where the result is shown by a sample of its objects, the sizes of the clusters
        of all of them; empty otherwise.

    profile : Profile or None
        What makes each cluster different, feature by feature, when data were given.

    scores : dict of str to float
        Validity indices of the consensus on the data, agreement with the clusterings
        and with the truth, each where it is defined.

    choice : dict or None
        The table of the choice of the number of clusters.

    explanation : Explanation or None
        What the result rests on, where the method says it.

    notes : tuple of str
        What was done to the data, in sentences.

    versions : dict of str to str
        Versions of Python and of the packages.

    seed : int or None
        The random seed of the method.

    timings : dict of str to float
        Seconds that the steps took.

    command : str or None
        The command that makes the result again.

    source : str or None
        Where the data came from.

    preparation : dict or None
        What was decided about the columns of the table and learnt from it, as
        :meth:`comitia.prepare.TablePreparer.to_dict` says it.

    details : dict of str to ndarray
        What the report draws besides, where there is any: ``linkage``, the tree of
        the method in SciPy form; ``columns``, the features that differ most between
        the clusters, (n_objects, n_columns), with ``column_names``; ``silhouettes``
        of the objects, NaN outside a sample; ``umap``, a second map of them.

    members : dict of str to ndarray
        What labels new objects, where the method was fitted on data: its clusterings,
        and what their clusters say about those of the consensus. They hold the objects
        of the prepared table that a clustering compares new ones with.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from comitia import Ensemble, Result, method
    >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    >>> result = Result.from_estimator(method("lwea")(n_clusters=2).fit(votes))
    >>> with TemporaryDirectory() as folder:
    ...     _ = result.save(f"{folder}/result")
    ...     Result.load(f"{folder}/result").labels.tolist()
    [0, 0, 1, 1]
    """

    method: str
    card: Mapping[str, Any]
    parameters: Mapping[str, Any]
    labels: NDArray[np.int32]
    confidence: Floats
    membership: Floats
    ensemble: Ensemble
    object_names: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    weights: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    objective: tuple[Floats, ...] = ()
    converged: bool | None = None
    positions: Floats | None = None
    axes: tuple[str, str] = ("", "")
    feature_names: tuple[str, ...] = ()
    view_names: tuple[str, ...] = ()
    all_sizes: tuple[int, ...] = ()
    profile: Profile | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    choice: Mapping[str, Any] | None = None
    explanation: Explanation | None = None
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    command: str | None = None
    source: str | None = None
    preparation: Mapping[str, Any] | None = None
    details: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    members: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"Result(method={self.method!r}, n_objects={self.n_objects}, "
            f"n_clusters={self.n_clusters})"
        )

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return len(self.labels)

    @property
    def n_clusters(self) -> int:
        """Number of clusters of the consensus."""
        return int(self.membership.shape[1])

    @property
    def sizes(self) -> NDArray[np.int64]:
        """Number of objects in each cluster."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    @property
    def vote_weights(self) -> dict[str, NDArray[Any]]:
        """The weights that clusterings and clusters vote with."""
        kept = self.weights.get("selected")
        if kept is not None and self.card.get("approach") == "selection":
            # Weights of a selection are scores; what it kept has equal votes.
            of_clusterings = len(kept) == self.ensemble.n_clusterings
            name = "clustering_weights" if of_clusterings else "cluster_weights"
            return {name: np.asarray(kept, dtype=np.float64)}
        return {
            name: self.weights[name]
            for name in ("clustering_weights", "cluster_weights")
            if name in self.weights
        }

    def prepare(self, table: Any) -> Floats:
        """Prepare other rows as those of the result were prepared.

        Parameters
        ----------
        table : DataFrame or array-like of shape (n_objects, n_columns)
            Rows with the columns of the table that was clustered.

        Returns
        -------
        X : ndarray of shape (n_objects, n_features)
            The features that the method was fitted on, for these rows.

        Examples
        --------
        >>> import numpy as np
        >>> from comitia import Result, method
        >>> from comitia.prepare import TablePreparer
        >>> table = np.array([[0.0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]])
        >>> preparer = TablePreparer().fit(table)
        >>> X = preparer.transform(table)
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> result = Result.from_estimator(fitted, X, preparation=preparer.to_dict())
        >>> bool(np.allclose(result.prepare(table), X))
        True
        """
        if self.preparation is None:
            raise ComitiaError(
                "the result does not say how its table was prepared; it was made of "
                "numbers, or of clusterings."
            )
        from comitia.prepare import TablePreparer

        return np.asarray(TablePreparer.from_dict(self.preparation).transform(table))

    def label_new(self, table: Any, *, prepared: bool = False) -> ResultBlock:
        """Label other rows by a weighted vote of the clusterings.

        Parameters
        ----------
        table : DataFrame or array-like of shape (n_new, n_columns), or series
            Rows with the columns of the table that was clustered; they are prepared as
            those were. Series, where series were clustered.

        prepared : bool, default=False
            Whether that has been done already.

        Returns
        -------
        found : ResultBlock
            ``labels``, which are those of ``predict`` of the fitted method,
            ``confidence`` and ``membership``, the vote shares. The confidence is that
            of the votes alone: what the method found when it left out a part of its
            clusterings is known of its own objects only.

        Examples
        --------
        >>> from comitia import Result, method
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = method("lwgp")(n_clusters=2, random_state=0).fit(X)
        >>> result = Result.from_estimator(fitted, X)
        >>> result.label_new([[0.5, 0.5], [9.5, 9.5]], prepared=True).labels.tolist()
        [0, 1]
        """
        from comitia._inputs import check_series
        from comitia.io._new_objects import keeps_series, label_new_objects

        if keeps_series(self.members):
            return label_new_objects(self.members, check_series(table))
        plain = prepared or self.preparation is None
        X = table if plain else self.prepare(table)
        return label_new_objects(self.members, np.asarray(X, dtype=np.float64))

    def explain(self) -> Explanation:
        """Say what the result rests on.

        Returns
        -------
        explanation : Explanation
            What the method said; ``print`` it to read it.

        Examples
        --------
        >>> from comitia import ConsensusClustering, Result
        >>> X = [[0, 0], [0, 1], [1, 0], [9, 9], [9, 8], [8, 9]]
        >>> fitted = ConsensusClustering(n_clusters=2, random_state=0).fit(X)
        >>> print(Result.from_estimator(fitted, X).explain())
        Of the evidence for the result, ...
        """
        if self.explanation is None:
            raise ComitiaError(
                f"{self.method} does not say what its result rests on; the default, "
                "consensus, does."
            )
        return self.explanation

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any = None,
        *,
        feature_names: Sequence[Any] | None = None,
        object_names: Sequence[Any] | None = None,
        truth: Any = None,
        choice: Any = None,
        notes: Sequence[str] = (),
        timings: Mapping[str, float] | None = None,
        command: str | None = None,
        source: str | None = None,
        raw: ArrayLike | None = None,
        preparation: Mapping[str, Any] | None = None,
        umap: bool = False,
    ) -> Result:
        """Collect what a fitted method found.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like of shape (n_objects, n_features), default=None
            The data it was fitted on; for methods of several views the list or dict
            of them, for methods of series the series.
            Without data there is no profile, and the map shows the clusterings.
            Rows of a DataFrame are matched with the names of the objects.

        feature_names : sequence of shape (n_features,), default=None
            Names of the features; the columns of a DataFrame by default.

        object_names : sequence of shape (n_objects,), default=None
            Names of the objects; those of the ensemble by default.

        truth : array-like of shape (n_objects,), default=None
            Known classes to compare with; None, NaN and "" are unknown. The index of
            a Series is matched with the names of the objects.

        choice : KChoice or dict, default=None
            How the number of clusters was chosen; by default the probabilities that
            the estimator has, if any.

        notes : sequence of str, default=()
            What was done to the data, in sentences.

        timings : dict of str to float, default=None
            Seconds that the steps took.

        command : str, default=None
            The command that makes the result again.

        source : str, default=None
            Where the data came from.

        raw : array-like of shape (n_objects, n_features), default=None
            The data in their original units, for the profile.

        preparation : dict, default=None
            How X was made of a table, by :class:`comitia.prepare.TablePreparer`.

        umap : bool, default=False
            Place the objects on a second map of the report, by UMAP, which takes some
            seconds and needs ``umap-learn``. For 20 to 5000 objects with data; others
            have one map.

        Returns
        -------
        result : Result
            The result.

        Examples
        --------
        >>> from comitia import Ensemble, method
        >>> from comitia.io import Result
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> result = Result.from_estimator(method("weac")(n_clusters=2).fit(votes))
        >>> result.method, result.n_clusters, result.sizes.tolist()
        ('weac', 2, [2, 2])
        """
        from sklearn.utils.validation import check_is_fitted

        from comitia.io._new_objects import collect_members

        check_is_fitted(estimator, "labels_")
        ensemble, labels = estimator.ensemble_, estimator.labels_
        n, k = len(labels), int(estimator.n_clusters_)
        require_memory(8 * n * k, f"the vote shares of {n} objects in {k} clusters")
        membership = collect.membership_of(estimator)
        confidence = np.asarray(estimator.confidence_, dtype=np.float64)
        if object_names is None:
            object_names = ensemble.object_names
        named = collect.object_texts(object_names, n, "object_names")
        objects = ensemble.with_object_names(named)
        data = collect.table_of(X, estimator.card.needs, objects)
        graph = collect.graph_of(X, estimator.card.needs)
        units = data if raw is None else collect.table_of(raw, (), objects)
        names = collect.feature_names_of(feature_names, X, units)
        # What was prepared is compared as it is.
        scaling = {"standardize": preparation is None}
        positions, axes = map_objects(ensemble, data, names, **scaling)
        seed = estimator.get_params(deep=False).get("random_state")
        known = collect.truth_of(truth, objects)
        profile = None if units is None else cluster_profile(units, labels)
        return cls(
            method=estimator.card.id,
            card=collect.card_of(estimator),
            parameters=collect.parameters_of(estimator),
            labels=np.asarray(labels, dtype=np.int32),
            confidence=confidence,
            membership=membership,
            ensemble=ensemble,
            object_names=named,
            truth=known,
            weights=weights_of(estimator),
            objective=collect.objective_of(estimator),
            converged=collect.converged_of(estimator),
            positions=positions,
            axes=axes,
            feature_names=names,
            view_names=tuple(getattr(estimator, "view_names_", ())),
            profile=profile,
            scores=collect.scores_of(
                ensemble, labels, confidence, membership, data, known, graph
            ),
            choice=collect.choice_of(estimator, choice),
            explanation=collect.explanation_of(estimator),
            notes=tuple(map(str, notes)),
            versions=collect.versions_here(),
            seed=int(seed) if isinstance(seed, int | np.integer) else None,
            timings={name: float(value) for name, value in (timings or {}).items()},
            command=command,
            source=None if source is None else str(source),
            preparation=preparation,
            details=collect_details(
                estimator,
                data,
                units,
                names,
                profile,
                scaling if umap else None,
                collect.series_of(X, estimator.card.needs),
            ),
            members=collect_members(estimator),
        )

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the result folder, all of it or nothing.

        ``labels.csv`` has a line for each object: its cluster, its confidence, its
        share of votes for each cluster, and the known class where there is one; the
        shares of 100 000 objects or more have six decimals. ``weights.csv`` has a line
        for each weight. ``ensemble.npz`` holds the clusterings, ``members.npz`` what
        labels new objects, ``details.npz`` what the report draws besides,
        ``result.json`` the rest; with data there are ``profile.csv`` and ``map.csv``
        too. A text that begins with ``=``, ``+``, ``-``, ``@``, a tab, a carriage
        return or an apostrophe gets an apostrophe in front, so that a spreadsheet does
        not run it as a formula; :meth:`load` takes it off again.

        Parameters
        ----------
        folder : path-like
            The folder to be made. An empty one may be there already.

        force : bool, default=False
            Replace the result in a folder that is there. Files that are not of a
            result stay; the old result stays if anything goes wrong.

        Returns
        -------
        folder : Path
            The folder.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble, Result, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> result = Result.from_estimator(method("lwea")(n_clusters=2).fit(votes))
        >>> with TemporaryDirectory() as folder:
        ...     saved = result.save(f"{folder}/result")
        ...     (saved / "labels.csv").is_file()
        True
        """
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise ComitiaError(f"{target} is a file; give the name of a folder.")
        with locked(target, beside=True):
            recover_folder(target, FILES)
            if not force and target.is_dir() and any(target.iterdir()):
                raise ComitiaError(
                    f"the folder {target} is there already and not empty; give another "
                    "name, or force=True to replace the result in it."
                )
            target.parent.mkdir(parents=True, exist_ok=True)
            with replaced_folder(target, FILES) as place:
                write_files(self, place)
        return target

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Result:
        """Read a result folder that :meth:`save` wrote.

        Parameters
        ----------
        folder : path-like
            The folder.

        Returns
        -------
        result : Result
            The result, equal to the one that was saved; shares of votes of 100 000
            objects or more up to their sixth decimal.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> from comitia import Ensemble, Result, method
        >>> votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
        >>> result = Result.from_estimator(method("lwea")(n_clusters=2).fit(votes))
        >>> with TemporaryDirectory() as folder:
        ...     Result.load(result.save(f"{folder}/result")).method
        'lwea'
        """
        source = Path(folder)
        if not (source / "result.json").is_file():
            raise ComitiaError(f"{source} holds no result.json, so it is no result.")
        try:
            before = source.stat()
            try:
                found = cls._read(source)
            except (ComitiaError, OSError, ValueError):
                if os.path.samestat(before, source.stat()):
                    raise
            else:
                if os.path.samestat(before, source.stat()):
                    return found
            return cls.load(source)  # another result has taken its place meanwhile
        except (
            LookupError,
            TypeError,
            AttributeError,
            OSError,
            ArithmeticError,
            RecursionError,
            ValueError,
        ) as error:
            if isinstance(error, ComitiaError):
                raise
            raise ComitiaError(
                f"the result in {source} is damaged or was edited ({error}); make it "
                "again, or restore its files."
            ) from None

    @classmethod
    def _read(cls, source: Path) -> Result:
        about = read_json(source / "result.json", FORMAT)
        if about.get("format") not in (FORMAT, OLD_FORMAT):
            raise ComitiaError(
                f"result.json in {source} is not of the format {FORMAT}; another "
                "version of comitia may have written it."
            )
        ensemble = Ensemble.load(source / "ensemble.npz")
        return cls(ensemble=ensemble, **read_files(source, about, ensemble))
