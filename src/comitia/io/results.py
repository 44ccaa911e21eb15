"""A result: what a fitted method found, as one object and as a folder of files."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import platform
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comitia._files import UNFINISHED, atomic_write
from comitia.config import require_memory
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.represent.summary import Profile

__all__ = [
    "FILES",
    "Result",
    "escape_cell",
    "recover_folder",
    "replaced_folder",
    "unescape_cell",
]

Floats = NDArray[np.float64]

FORMAT = "comitia-result-1"

# What a result folder holds; other files in it are the user's.
FILES = (
    "labels.csv",
    "weights.csv",
    "ensemble.npz",
    "result.json",
    "profile.csv",
    "map.csv",
    "report.html",
)

WEIGHTS = (
    "clustering_weights",
    "cluster_weights",
    "object_weights",
    "feature_weights",
    "view_weights",
    "selected",
)

# A spreadsheet takes a cell that begins so for a formula; an apostrophe says "text".
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")

# Pairwise distances of more objects than this take longer than a look at a sample.
_SILHOUETTE_SAMPLE = 2000

# Fewer objects in a cluster say nothing about a gap between two.
_FEW = 5

_PACKAGES = ("comitia", "numpy", "scipy", "scikit-learn", "numba")


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
        Share of its votes that each object gives to its own cluster.

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

    profile : Profile or None
        What makes each cluster different, feature by feature, when data were given.

    scores : dict of str to float
        Validity indices of the consensus on the data, agreement with the clusterings
        and with the truth, each where it is defined.

    choice : dict or None
        The table of the choice of the number of clusters.

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
    profile: Profile | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    choice: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    command: str | None = None
    source: str | None = None

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
            # The weights of a selection are its scores; what it kept votes alike.
            of_clusterings = len(kept) == self.ensemble.n_clusterings
            name = "clustering_weights" if of_clusterings else "cluster_weights"
            return {name: np.asarray(kept, dtype=np.float64)}
        return {
            name: self.weights[name]
            for name in ("clustering_weights", "cluster_weights")
            if name in self.weights
        }

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
    ) -> Result:
        """Collect what a fitted method found.

        Parameters
        ----------
        estimator : EnsembleMethod
            The fitted method.

        X : array-like of shape (n_objects, n_features), default=None
            The data it was fitted on; for methods of several views the list of them.
            Without data there is no profile, and the map shows the clusterings.

        feature_names : sequence of shape (n_features,), default=None
            Names of the features; the columns of a DataFrame by default.

        object_names : sequence of shape (n_objects,), default=None
            Names of the objects; those of the ensemble by default.

        truth : array-like of shape (n_objects,), default=None
            Known classes to compare with; None, NaN and "" are unknown.

        choice : KChoice or dict, default=None
            How the number of clusters was chosen.

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

        check_is_fitted(estimator, "labels_")
        ensemble, labels = estimator.ensemble_, estimator.labels_
        n, k = len(labels), int(estimator.n_clusters_)
        require_memory(8 * n * k, f"the vote shares of {n} objects in {k} clusters")
        weights = _weights_of(estimator)
        membership = _membership_of(estimator)
        data = _table_of(X, estimator.card.needs, n)
        units = data if raw is None else _table_of(raw, (), n)
        names = _feature_names(feature_names, X, units)
        positions, axes = _map_of(ensemble, data, names)
        seed = estimator.get_params(deep=False).get("random_state")
        known = _truth_of(truth, n)
        if object_names is None:
            object_names = ensemble.object_names
        return cls(
            method=estimator.card.id,
            card=_card_of(estimator),
            parameters=_parameters_of(estimator),
            labels=np.asarray(labels, dtype=np.int32),
            confidence=membership[np.arange(n), labels],
            membership=membership,
            ensemble=ensemble,
            object_names=_texts(object_names, n, "object_names"),
            truth=known,
            weights=weights,
            objective=_objective_of(estimator),
            converged=_converged(estimator),
            positions=positions,
            axes=axes,
            feature_names=names,
            profile=_profile_of(units, labels),
            scores=_scores_of(ensemble, labels, membership, data, known),
            choice=_jsonable(choice.to_dict() if hasattr(choice, "to_dict") else choice)
            if choice is not None
            else None,
            notes=tuple(map(str, notes)),
            versions=_versions(),
            seed=int(seed) if isinstance(seed, int | np.integer) else None,
            timings={name: float(value) for name, value in (timings or {}).items()},
            command=command,
            source=None if source is None else str(source),
        )

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the result folder, all of it or nothing.

        ``labels.csv`` has a line for each object: its cluster, its confidence, its
        share of votes for each cluster, and the known class where there is one.
        ``weights.csv`` has a line for each weight. ``ensemble.npz`` holds the
        clusterings, ``result.json`` the rest; with data there are ``profile.csv`` and
        ``map.csv`` too. A text that begins with ``=``, ``+``, ``-``, ``@``, a tab, a
        carriage return or an apostrophe gets an apostrophe in front, so that a
        spreadsheet does not run it as a formula; :meth:`load` takes it off again.

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
        """
        target = Path(folder)
        if target.exists() and not target.is_dir():
            raise ComitiaError(f"{target} is a file; give the name of a folder.")
        if not force and target.is_dir() and any(target.iterdir()):
            raise ComitiaError(
                f"the folder {target} is there already and not empty; give another "
                "name, or force=True to replace the result in it."
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        with replaced_folder(target) as place:
            self._write(place)
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
            The result, equal to the one that was saved.
        """
        source = Path(folder)
        if not (source / "result.json").is_file():
            raise ComitiaError(f"{source} holds no result.json, so it is no result.")
        try:
            about = json.loads((source / "result.json").read_text(encoding="utf-8"))
            if not isinstance(about, dict) or about.get("format") != FORMAT:
                raise ComitiaError(
                    f"result.json in {source} is not of the format {FORMAT}; another "
                    "version of comitia may have written it."
                )
            ensemble = Ensemble.load(source / "ensemble.npz")
            return cls(ensemble=ensemble, **_read(source, about, ensemble.n_objects))
        except (
            LookupError,
            TypeError,
            AttributeError,
            OSError,
            RecursionError,
            ValueError,
        ) as error:
            if isinstance(error, ComitiaError):
                raise
            raise ComitiaError(
                f"the result in {source} is damaged or was edited ({error}); make it "
                "again, or restore its files."
            ) from None

    def _write(self, folder: Path) -> None:
        n, k = self.membership.shape
        names = np.arange(n).astype(str) if self.object_names is None else _safe(self)
        columns = [names, self.labels.tolist(), _digits(self.confidence)]
        columns += [_digits(column) for column in self.membership.T]
        head = ["object", "cluster", "confidence"]
        head += [f"votes_{c}" for c in range(k)]
        if self.truth is not None:
            columns.append(list(map(escape_cell, self.truth)))
            head.append("truth")
        _write_csv(folder / "labels.csv", head, zip(*columns, strict=True))
        _write_csv(
            folder / "weights.csv",
            ["weights", "row", "column", "name", "value"],
            itertools.chain.from_iterable(
                _weight_rows(self, name, values)
                for name, values in self.weights.items()
            ),
        )
        self.ensemble.save(folder / "ensemble.npz")
        if self.positions is not None:
            x, y = self.positions.T
            rows = zip(names, _digits(x), _digits(y), strict=True)
            _write_csv(folder / "map.csv", ["object", "x", "y"], rows)
        if self.profile is not None:
            _write_csv(folder / "profile.csv", _PROFILE, _profile_rows(self))
        text = json.dumps(_about(self), indent=1, allow_nan=False, ensure_ascii=False)
        with atomic_write(folder / "result.json") as file:
            # Half a surrogate pair, which a file name may hold, is no UTF-8.
            file.write(text.encode("utf-8", "surrogatepass") + b"\n")


# -- what is collected ------------------------------------------------------------


def _weights_of(estimator: Any) -> dict[str, NDArray[Any]]:
    found = {}
    for name in WEIGHTS:
        values = getattr(estimator, f"{name}_", None)
        if values is None:
            continue
        if isinstance(values, list | tuple):  # one array for each view
            values = np.concatenate([np.ravel(part) for part in values])
        kind = bool if name == "selected" else np.float64
        found[name] = np.array(values, dtype=kind)
    return found


def _membership_of(estimator: Any) -> Floats:
    """The shares the method gives, or votes where it gives none for its clusters."""
    from comitia.represent import vote_shares

    n, k = len(estimator.labels_), int(estimator.n_clusters_)
    given = np.asarray(estimator.membership_, dtype=np.float64)
    if (
        given.shape == (n, k)
        and (given >= 0).all()
        # What is left of a sum of shares after an iteration in single precision.
        and np.allclose(given.sum(axis=1), 1.0, atol=1e-5)
    ):
        return given
    votes = estimator._vote_weights()
    return vote_shares(estimator.ensemble_, estimator.labels_, k, **votes)


def _table_of(X: Any, needs: Sequence[str], n: int) -> Floats | None:
    """The data as one table of finite numbers; None where they are none."""
    if X is None or isinstance(X, Ensemble) or {"series", "graph"} & {*needs}:
        return None
    from comitia.represent.summary import check_features

    if "views" in needs and isinstance(X, list | tuple):
        X = np.hstack([np.asarray(view, dtype=np.float64) for view in X])
        # An object that is missing from a view has no place on a map of the features.
        return X if np.isfinite(X).all() else None
    return check_features(X, n)


def _feature_names(
    given: Sequence[Any] | None, X: Any, data: Floats | None
) -> tuple[str, ...]:
    if data is None:
        return ()
    p = data.shape[1]
    if given is None:
        given = getattr(X, "columns", None)
    if given is None and isinstance(X, list | tuple) and np.ndim(X[0]) == 2:
        given = [
            f"view {v}, feature {j}"
            for v, view in enumerate(X)
            for j in range(np.shape(view)[1])
        ]
    if given is None or len(given) != p:
        if given is not None:
            raise ComitiaError(
                f"feature_names must have one entry per feature; got {len(given)} for "
                f"{p}."
            )
        given = [f"feature {j}" for j in range(p)]
    return tuple(map(str, given))


def _map_of(
    ensemble: Ensemble, data: Floats | None, names: Sequence[str]
) -> tuple[Floats, tuple[str, str]]:
    from comitia.represent import embed_objects

    positions = embed_objects(ensemble, data)
    if data is None:
        return positions, (
            "first coordinate of the clusterings",
            "second coordinate of the clusterings",
        )
    n_varying = max(int((np.ptp(data, axis=0) > 0).sum()), 1)
    first, second = positions.var(axis=0) / n_varying
    if data.shape[1] == 1:
        return positions, (names[0] + ", standardised", "")
    return positions, (
        f"first principal component, {first:.0%} of the variance",
        f"second principal component, {second:.0%} of the variance",
    )


def _profile_of(data: Floats | None, labels: NDArray[Any]) -> Profile | None:
    from comitia.represent import cluster_profile

    return None if data is None else cluster_profile(data, labels)


def _truth_of(truth: Any, n: int) -> NDArray[Any] | None:
    if truth is None:
        return None
    values = np.asarray(truth, dtype=object).ravel()
    if len(values) != n:
        raise ComitiaError(
            f"truth must have one entry per object; got {len(values)} for {n}."
        )
    # NaN is the one value that differs from itself.
    return np.array(["" if v is None or v != v else str(v) for v in values])


def _scores_of(
    ensemble: Ensemble,
    labels: NDArray[Any],
    membership: Floats,
    data: Floats | None,
    truth: NDArray[Any] | None,
) -> dict[str, float]:
    from comitia.agreement import agreement, agreement_with

    scores = {
        "mean_confidence": float(membership[np.arange(len(labels)), labels].mean())
    }
    if ensemble.kind != "overlapping":
        scores["mean_ari_with_clusterings"] = float(
            agreement_with(labels, ensemble, "adjusted_rand").mean()
        )
    if data is not None and 1 < len(np.unique(labels)) < len(labels):
        from comitia import validity

        sample = _SILHOUETTE_SAMPLE if len(labels) > _SILHOUETTE_SAMPLE else None
        scores["silhouette"] = validity.silhouette(
            data, labels, sample_size=sample, random_state=0
        )
        scores["calinski_harabasz"] = validity.calinski_harabasz(data, labels)
        scores["davies_bouldin"] = validity.davies_bouldin(data, labels)
        scores["gap_between_clusters"] = _gap(data, labels)
    if truth is not None and truth.astype(bool).any():
        known = [value or None for value in truth.tolist()]
        for measure in ("adjusted_rand", "nmi_sqrt"):
            scores[f"truth_{measure}"] = agreement(labels, known, measure)
    return {name: float(value) for name, value in scores.items() if np.isfinite(value)}


def _gap(data: Floats, labels: NDArray[Any]) -> float:
    r"""How clear a gap splits the clusters into two groups, in standard errors.

    The objects of two clusters are projected on the line through their centres, which
    stand at 0 and 1. Of an unbroken cloud that was cut in two, the stretch around 1/2
    holds as many objects as those around 0 and 1; between two clusters it holds fewer.
    For counts m in the middle and e at the emptier end, each of width 1/3,

    .. math::
        z = (e - m) / \sqrt{e + m}.

    Clusters can hang together through others; the value is the largest z on the
    spanning tree of smallest z. NaN when no two clusters have five objects or more.
    """
    from scipy.sparse.csgraph import minimum_spanning_tree

    large = np.flatnonzero(np.bincount(labels) >= _FEW)
    if len(large) < 2:
        return float("nan")
    members = [data[labels == c] for c in large]
    centres = [rows.mean(axis=0) for rows in members]
    z = np.zeros((len(large), len(large)))
    for a, b in itertools.combinations(range(len(large)), 2):
        line = centres[b] - centres[a]
        length = float(line @ line) or 1.0
        both = np.concatenate([members[a], members[b]])
        place = (both - centres[a]) @ line / length
        near = [int((np.abs(place - at) < 1 / 6).sum()) for at in (0.0, 0.5, 1.0)]
        e, m = min(near[0], near[2]), near[1]
        z[a, b] = (e - m) / np.sqrt(max(e + m, 1))
    # No edge, to a spanning tree, is one of weight zero.
    shift = 1.0 - z.min()
    tree = minimum_spanning_tree(np.triu(z + shift, 1))
    return float(tree.data.max()) - shift


def _objective_of(estimator: Any) -> tuple[Floats, ...]:
    """One curve for each optimisation; several columns are several curves."""
    values = getattr(estimator, "objective_", None)
    if values is None:
        return ()
    parts = values if isinstance(values, list | tuple) else [values]
    if all(np.ndim(part) == 0 for part in parts):
        parts = [np.array(parts)]
    return tuple(
        np.array(curve, dtype=np.float64)
        for part in parts
        for curve in np.atleast_2d(np.asarray(part, dtype=np.float64).T)
        if curve.size
    )


def _converged(estimator: Any) -> bool | None:
    value = getattr(estimator, "converged_", None)
    return None if value is None else bool(np.all(value))


def _card_of(estimator: Any) -> dict[str, Any]:
    import inspect
    import re

    card, text = estimator.card, inspect.cleandoc(type(estimator).__doc__ or "")
    parts = re.split(r"\n(\w[\w ]*)\n-{3,}\n", f"{text}\n")
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    cited = re.findall(
        r"\.\. \[\w+\] (.+?)(?=\n\.\. \[|\n\n|\Z)",
        sections.get("References", "").strip(),
        flags=re.S,
    )
    return {
        "id": card.id,
        "name": card.name,
        "summary": card.summary,
        "description": parts[0].partition("\n\n")[2].strip(),
        "notes": sections.get("Notes", "").strip(),
        "references": [" ".join(entry.split()) for entry in cited],
        "weighs": card.weighs,
        "approach": card.approach,
        "needs": list(card.needs),
        "scales": card.scales,
        "class": type(estimator).__name__,
    }


def _parameters_of(estimator: Any) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    # What made the clusterings, with the seed it was given, tells more than None.
    generator = getattr(estimator, "generator_", None)
    if generator is not None and "generator" in parameters:
        parameters["generator"] = generator
    return {name: _jsonable(value) for name, value in parameters.items()}


def _jsonable(value: Any) -> Any:
    """The nearest thing that JSON can hold; numbers that are none become None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        return _jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): _jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [_jsonable(item) for item in value]
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = value.get_params(deep=False)
        return {"class": type(value).__name__, "parameters": _jsonable(parameters)}
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return type(value).__name__


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def _texts(names: Any, n: int, argument: str) -> NDArray[Any] | None:
    if names is None:
        return None
    texts = np.array([str(name) for name in names])
    if texts.shape != (n,):
        raise ComitiaError(
            f"{argument} must have one entry per object; got {len(texts)} for {n}."
        )
    return texts


# -- how it is written ------------------------------------------------------------


def escape_cell(text: Any) -> str:
    """Make a text safe to open in a spreadsheet.

    Parameters
    ----------
    text : str
        What stands in a cell.

    Returns
    -------
    cell : str
        The text, with an apostrophe in front if a spreadsheet could take it for a
        formula, or if it begins with an apostrophe itself.

    Examples
    --------
    >>> escape_cell("=1+1"), escape_cell("plain")
    ("'=1+1", 'plain')
    """
    text = str(text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def unescape_cell(cell: str) -> str:
    """Undo :func:`escape_cell`.

    Parameters
    ----------
    cell : str
        What stands in the file.

    Returns
    -------
    text : str
        The text that was meant.

    Examples
    --------
    >>> unescape_cell(escape_cell("'=1+1"))
    "'=1+1"
    """
    return cell[1:] if cell.startswith("'") else cell


def _safe(result: Result) -> list[str]:
    assert result.object_names is not None
    return [escape_cell(name) for name in result.object_names]


def _digits(values: NDArray[Any]) -> list[str]:
    """Numbers with the fewest digits that give them back exactly."""
    return [repr(value) for value in values.tolist()]


@contextmanager
def replaced_folder(
    target: Path, files: Sequence[str] = FILES, workplace: Path | None = None
) -> Iterator[Path]:
    """Make a folder to write into that takes the place of another when it is finished.

    Parameters
    ----------
    target : Path
        The folder that is to appear.

    files : sequence of str, default=FILES
        What it may hold. Other files of a folder that is there already stay.

    workplace : Path, default=None
        A folder on the same disk for what is not finished; beside the target by
        default. What a killed process leaves there, :func:`recover_folder` finds.

    Yields
    ------
    place : Path
        Where to write.
    """
    room = Path(tempfile.mkdtemp(dir=workplace or target.parent, prefix=UNFINISHED))
    fresh, old = room / "new", room / "old"
    try:
        # Inside the private room, so that it is as open as any new folder.
        fresh.mkdir()
        yield fresh
        _sync(fresh)
        if target.exists():
            os.rename(target, old)
        try:
            for entry in old.iterdir() if old.exists() else ():
                if entry.name not in files:
                    os.rename(entry, fresh / entry.name)
            os.rename(fresh, target)
        except BaseException:
            _bring_back(old, fresh, target, files)
            raise
        _sync(target.parent)
    finally:
        # An old folder that could not be brought back is left where it can be found.
        if target.exists() or not old.exists():
            shutil.rmtree(room, ignore_errors=True)


def recover_folder(target: Path, files: Sequence[str], workplace: Path) -> None:
    """Tidy up after a process that was killed while it replaced a folder.

    Parameters
    ----------
    target : Path
        The folder. If it was taken away already, it is brought back.

    files : sequence of str
        As for :func:`replaced_folder`.

    workplace : Path
        As for :func:`replaced_folder`.
    """
    for room in workplace.glob(f"{UNFINISHED}*"):
        if room.is_dir():
            if not target.exists():
                _bring_back(room / "old", room / "new", target, files)
            shutil.rmtree(room)


def _bring_back(old: Path, fresh: Path, target: Path, files: Sequence[str]) -> None:
    if not old.exists():
        return
    for entry in fresh.iterdir():
        if entry.name not in files:
            os.rename(entry, old / entry.name)
    os.rename(old, target)


def _sync(folder: Path) -> None:
    # Windows opens no folders; there a rename is as durable as it gets.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _write_csv(path: Path, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with atomic_write(path) as file:
        text = io.TextIOWrapper(
            file, encoding="utf-8", errors="surrogatepass", newline=""
        )
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)
        text.detach()  # flushes, and leaves the file open


def _weight_rows(
    result: Result, name: str, values: NDArray[Any]
) -> Iterator[tuple[Any, ...]]:
    """One line for each weight: where it stands, what it weighs, how much."""
    ensemble = result.ensemble
    for place, value in np.ndenumerate(values):
        row, column, of = place[0], "", ""
        if name in ("clustering_weights", "view_weights") or (
            name == "selected" and len(values) == ensemble.n_clusterings
        ):
            if ensemble.clustering_names is not None and name != "view_weights":
                of = str(ensemble.clustering_names[row])
        elif name in ("cluster_weights", "selected"):
            m = int(ensemble.clustering_of[row])
            row, column = m, place[0] - int(ensemble.offsets[m])
            if ensemble.clustering_names is not None:
                of = str(ensemble.clustering_names[m])
        elif name == "object_weights" and result.object_names is not None:
            of = str(result.object_names[row])
        elif name == "feature_weights":
            column = place[-1]
            row = place[0] if values.ndim == 2 else ""
            if values.shape[-1] == len(result.feature_names):
                of = result.feature_names[column]
        number = repr(value.item())
        yield name, row, column, escape_cell(of), number


_PROFILE = ["cluster", "feature", "mean", "difference", "effect", "explained"]


def _profile_rows(result: Result) -> Iterator[tuple[Any, ...]]:
    profile = result.profile
    assert profile is not None
    names = [escape_cell(name) for name in result.feature_names]
    explained = _digits(profile.explained)
    for c in range(len(profile.means)):
        yield from zip(
            itertools.repeat(c),
            names,
            _digits(profile.means[c]),
            _digits(profile.differences[c]),
            _digits(profile.effects[c]),
            explained,
            strict=False,
        )


_PLAIN = (
    "method",
    "card",
    "parameters",
    "n_clusters",
    "converged",
    "scores",
    "choice",
    "notes",
    "versions",
    "seed",
    "timings",
    "command",
    "source",
)


def _about(result: Result) -> dict[str, Any]:
    about = {name: _jsonable(getattr(result, name)) for name in _PLAIN}
    return {
        "format": FORMAT,
        **about,
        "axes": list(result.axes),
        "objective": [_jsonable(curve) for curve in result.objective],
        "has_names": result.object_names is not None,
        "has_truth": result.truth is not None,
        "weights": {name: list(w.shape) for name, w in result.weights.items()},
    }


# -- how it is read ---------------------------------------------------------------


def _read(folder: Path, about: dict[str, Any], n: int) -> dict[str, Any]:
    k = int(about["n_clusters"])
    names, labels, numbers, truth = _read_labels(folder, k, bool(about["has_truth"]))
    if len(labels) != n or k < 1 or labels.min() < 0 or labels.max() >= k:
        raise ValueError("labels.csv does not fit the ensemble")
    feature_names, profile = _read_profile(folder, labels, k)
    return {
        "method": str(about["method"]),
        "labels": labels,
        "confidence": numbers[:, 0],
        "membership": numbers[:, 1:],
        "object_names": names if about["has_names"] else None,
        "truth": truth,
        "weights": _read_weights(folder, about["weights"]),
        "objective": tuple(
            np.array([np.nan if v is None else v for v in curve], dtype=np.float64)
            for curve in about["objective"]
        ),
        "positions": _read_map(folder, n),
        "axes": tuple(map(str, about["axes"])),
        "feature_names": feature_names,
        "profile": profile,
        "notes": tuple(map(str, about["notes"])),
        **{
            name: about[name]
            for name in (*_PLAIN[1:3], "converged", "scores", "choice", *_PLAIN[8:])
        },
    }


def _read_csv(path: Path) -> tuple[list[str], list[list[str]]]:
    with open(path, encoding="utf-8", errors="surrogatepass", newline="") as file:
        rows = csv.reader(file)
        head = next(rows, [])
        table = list(rows)
    if any(len(row) != len(head) for row in table):
        raise ValueError(f"{path.name} has lines of different lengths")
    return head, table


def _read_labels(
    folder: Path, k: int, has_truth: bool
) -> tuple[NDArray[Any], NDArray[np.int32], Floats, NDArray[Any] | None]:
    head, rows = _read_csv(folder / "labels.csv")
    if len(head) != 3 + k + has_truth or not rows:
        raise ValueError(f"labels.csv does not have the columns of {k} clusters")
    names = np.array([unescape_cell(row[0]) for row in rows])
    labels = np.array([int(row[1]) for row in rows], dtype=np.int32)
    numbers = np.array([row[2 : 3 + k] for row in rows], dtype=np.float64)
    truth = np.array([unescape_cell(row[-1]) for row in rows]) if has_truth else None
    return names, labels, numbers, truth


def _read_weights(folder: Path, shapes: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
    _, rows = _read_csv(folder / "weights.csv")
    values: dict[str, list[str]] = {name: [] for name in shapes}
    for name, *_, value in rows:
        values[name].append(value)
    return {
        name: (
            np.array(texts) == "True"
            if name == "selected"
            else np.array(texts, dtype=np.float64)
        ).reshape(shapes[name])
        for name, texts in values.items()
    }


def _read_map(folder: Path, n: int) -> Floats | None:
    if not (folder / "map.csv").exists():
        return None
    _, rows = _read_csv(folder / "map.csv")
    return np.array([row[1:] for row in rows], dtype=np.float64).reshape(n, 2)


def _read_profile(
    folder: Path, labels: NDArray[Any], k: int
) -> tuple[tuple[str, ...], Profile | None]:
    if not (folder / "profile.csv").exists():
        return (), None
    from comitia.represent.summary import Profile

    _, rows = _read_csv(folder / "profile.csv")
    p = len(rows) // k
    numbers = np.array([row[2:] for row in rows], dtype=np.float64).reshape(k, p, 4)
    names = tuple(unescape_cell(row[1]) for row in rows[:p])
    means, differences, effects, explained = np.moveaxis(numbers, 2, 0)
    return names, Profile(
        sizes=np.bincount(labels, minlength=k),
        means=means,
        differences=differences,
        effects=effects,
        explained=explained[0],
    )
