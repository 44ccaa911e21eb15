"""The files of a result folder: how they are written, and read again."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from comitia._files import file_digest, read_arrays, write_arrays, write_json
from comitia.display.cluster_profiles import Profile
from comitia.explanation import Explanation
from comitia.io._collect import jsonable
from comitia.io._details import read_details
from comitia.io.csv_cells import (
    digits,
    escape_cell,
    read_csv,
    unescape_cell,
    write_columns,
    write_csv,
)

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble
    from comitia.io.results import Result

__all__ = [
    "FILES",
    "FORMAT",
    "OLD_FORMAT",
    "labels_table",
    "read_files",
    "write_files",
]

Floats = NDArray[np.float64]

FORMAT = "comitia-result-2"
# Of older versions, without digests.
OLD_FORMAT = "comitia-result-1"

# What a result folder holds; other files in it are the user's.
FILES = (
    "labels.csv",
    "weights.csv",
    "ensemble.npz",
    "result.json",
    "profile.csv",
    "map.csv",
    "details.npz",
    "members.npz",
    "report.html",
    # What became of the clusters when the result grew.
    "drift.csv",
    # Of very many objects: all labels and all clusterings, in blocks.
    "labels",
    "ensemble",
)


def labels_table(
    labels: NDArray[Any],
    confidence: Floats,
    membership: Floats,
    object_names: Any = None,
    truth: Any = None,
    *,
    escape: bool = True,
) -> tuple[list[str], list[Any]]:
    """What ``labels.csv`` says of objects.

    Parameters
    ----------
    labels, confidence, membership : ndarray
        Their clusters, how sure that is, and their vote shares.

    object_names, truth : sequence of str, default=None
        Their names, by default numbers from 0, and known classes.

    escape : bool, default=True
        Whether texts are made safe for spreadsheets.

    Returns
    -------
    head, columns : list
        Names of the columns, and the columns.
    """
    n, k = membership.shape
    written = escape_cell if escape else str
    names: Any = (
        np.arange(n)
        if object_names is None
        else [written(name) for name in object_names]
    )
    head = ["object", "cluster", "confidence", *(f"votes_{c}" for c in range(k))]
    columns = [names, labels, confidence, *membership.T]
    if truth is not None:
        columns.append(["" if each is None else written(each) for each in truth])
        head.append("truth")
    return head, columns


def write_files(result: Result, folder: Path) -> None:
    """Write all files but the report.

    Parameters
    ----------
    result : Result
        What to write.

    folder : Path
        Where, an empty folder.
    """
    head, columns = labels_table(
        result.labels,
        result.confidence,
        result.membership,
        result.object_names,
        result.truth,
    )
    names = columns[0]
    shares = range(2, 3 + result.n_clusters)
    write_columns(folder / "labels.csv", head, columns, shares)
    write_csv(
        folder / "weights.csv",
        ["weights", "row", "column", "name", "value"],
        itertools.chain.from_iterable(
            _weight_rows(result, name, values)
            for name, values in result.weights.items()
        ),
    )
    result.ensemble.save(folder / "ensemble.npz")
    if result.positions is not None:
        columns = [names, *result.positions.T]
        write_columns(folder / "map.csv", ["object", "x", "y"], columns)
    if result.profile is not None:
        write_csv(folder / "profile.csv", _PROFILE, _profile_rows(result))
    if result.details:
        write_arrays(folder / "details.npz", result.details, compress=True)
    if result.members:
        write_arrays(folder / "members.npz", result.members)
    write_json(
        folder / "result.json", {**_json_fields(result), "digests": _digests(folder)}
    )


# It may hold rows of the table, and serves new objects alone: people may delete it.
_MAY_BE_DELETED = "members.npz"

# What is read back, with a digest of each.
_CHECKED_FILES = (
    "labels.csv",
    "weights.csv",
    "ensemble.npz",
    "profile.csv",
    "map.csv",
    "details.npz",
    "members.npz",
)


def _digests(folder: Path) -> dict[str, str]:
    """A digest of each file that is read back, by which damage is noticed."""
    return {
        name: file_digest(folder / name)
        for name in _CHECKED_FILES
        if (folder / name).exists()
    }


def _weight_rows(
    result: Result, name: str, values: NDArray[Any]
) -> Iterator[tuple[Any, ...]]:
    """One line for each weight: where it stands, what it weighs, how much."""
    ensemble = result.ensemble
    items = {
        "feature_weights": result.feature_names,
        "view_weights": result.view_names,
    }
    for place, value in np.ndenumerate(values):
        row, column, of = place[0], "", ""
        if name == "clustering_weights" or (
            name == "selected" and len(values) == ensemble.n_clusterings
        ):
            if ensemble.clustering_names is not None:
                of = str(ensemble.clustering_names[row])
        elif name in ("cluster_weights", "selected"):
            m = int(ensemble.clustering_of[row])
            row, column = m, place[0] - int(ensemble.offsets[m])
            if ensemble.clustering_names is not None:
                of = str(ensemble.clustering_names[m])
        elif name == "object_weights" and result.object_names is not None:
            of = str(result.object_names[row])
        elif name in items:
            # A line for each feature or view, and for each cluster if it has its own.
            column = place[-1]
            row = place[0] if values.ndim == 2 else ""
            if values.shape[-1] == len(items[name]):
                of = items[name][column]
        number = repr(value.item())
        yield name, row, column, escape_cell(of), number


_PROFILE = ["cluster", "feature", "mean", "difference", "effect", "explained"]


def _profile_rows(result: Result) -> Iterator[tuple[Any, ...]]:
    profile = result.profile
    assert profile is not None
    names = [escape_cell(name) for name in result.feature_names]
    explained = digits(profile.explained)
    for c in range(len(profile.means)):
        yield from zip(
            itertools.repeat(c),
            names,
            digits(profile.means[c]),
            digits(profile.differences[c]),
            digits(profile.effects[c]),
            explained,
            strict=False,
        )


_JSON_FIELDS = (
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
    "preparation",
)


def _json_fields(result: Result) -> dict[str, Any]:
    about = {name: jsonable(getattr(result, name)) for name in _JSON_FIELDS}
    return {
        "format": FORMAT,
        **about,
        "axes": list(result.axes),
        "view_names": list(result.view_names),
        "all_sizes": list(result.all_sizes),
        "objective": [jsonable(curve) for curve in result.objective],
        "explanation": None
        if result.explanation is None
        else result.explanation.to_dict(),
        "has_names": result.object_names is not None,
        "has_truth": result.truth is not None,
        "weights": {name: list(w.shape) for name, w in result.weights.items()},
    }


# Shares are at most one; larger numbers are damage.
_LARGEST_SHARE = 1e6


def _is_number(value: Any) -> bool:
    return value is None or (
        isinstance(value, int | float) and bool(np.isfinite(float(value)))
    )


def _is_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _dict_of(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(is_valid, value.values()))


def _list_of(is_valid: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_valid, value))


# Types of the fields of result.json.
_IS_VALID: dict[str, Callable[[Any], bool]] = {
    "card": _dict_of(lambda value: _is_text(value) or _list_of(_is_text)(value)),
    "parameters": lambda value: isinstance(value, dict),
    "n_clusters": lambda value: type(value) is int,
    "converged": lambda value: value is None or isinstance(value, bool),
    "scores": _dict_of(_is_number),
    "choice": lambda value: value is None or isinstance(value, dict),
    "notes": _list_of(_is_text),
    "versions": _dict_of(_is_text),
    "seed": lambda value: value is None or type(value) is int,
    "timings": _dict_of(_is_number),
    "command": _is_text,
    "source": _is_text,
    "preparation": lambda value: value is None or isinstance(value, dict),
}


def read_files(
    folder: Path, about: Mapping[str, Any], ensemble: Ensemble
) -> dict[str, Any]:
    """Read what :func:`write_files` wrote, all but the ensemble.

    Parameters
    ----------
    folder : Path
        The folder.

    about : dict
        What ``result.json`` says.

    ensemble : Ensemble
        The clusterings, which the rest must fit.

    Returns
    -------
    fields : dict
        The fields of the result.
    """
    about = {"preparation": None, **about}  # not in results of older versions
    if about["format"] != OLD_FORMAT:
        found, digests = _digests(folder), about["digests"]
        for name in _CHECKED_FILES:
            was_deleted = name == _MAY_BE_DELETED and name not in found
            if found.get(name) != digests.get(name) and not was_deleted:
                raise ValueError(f"{name} is not what was written")
    for name, is_valid in _IS_VALID.items():
        if not is_valid(about[name]):
            raise ValueError(f"{name} in result.json is not what it should be")
    n, k = ensemble.n_objects, int(about["n_clusters"])
    names, labels, numbers, truth = _read_labels(folder, k, bool(about["has_truth"]))
    if len(labels) != n or k < 1 or labels.min() < 0 or labels.max() >= k:
        raise ValueError("labels.csv does not fit the ensemble")
    if np.isinf(numbers).any() or (np.abs(numbers) > _LARGEST_SHARE).any():
        raise ValueError("labels.csv has votes that are no shares")
    feature_names, profile = _read_profile(folder, labels, k)
    return {
        "method": str(about["method"]),
        "labels": labels,
        "confidence": numbers[:, 0],
        "membership": numbers[:, 1:],
        "object_names": names if about["has_names"] else None,
        "truth": truth,
        "weights": _read_weights(folder, about["weights"], ensemble),
        "objective": tuple(
            np.array([np.nan if v is None else v for v in curve], dtype=np.float64)
            for curve in about["objective"]
        ),
        "positions": _read_map(folder, n),
        "axes": tuple(map(str, about["axes"])),
        "view_names": tuple(map(str, about["view_names"])),
        "all_sizes": tuple(map(int, about["all_sizes"])),
        "feature_names": feature_names,
        "profile": profile,
        "details": read_details(folder / "details.npz", n),
        "members": _read_members(folder / "members.npz"),
        "explanation": _read_explanation(about.get("explanation")),
        "notes": tuple(map(str, about["notes"])),
        **{
            name: about[name]
            for name in _JSON_FIELDS
            if name not in ("method", "n_clusters", "notes")
        },
    }


def _read_members(path: Path) -> dict[str, NDArray[Any]]:
    """What labels new objects; results of older versions have none."""
    return read_arrays(path) if path.exists() else {}


def _read_explanation(given: Any) -> Explanation | None:
    """The explanation; results of older versions have none."""
    return None if given is None else Explanation.from_dict(given)


def _read_labels(
    folder: Path, k: int, has_truth: bool
) -> tuple[NDArray[Any], NDArray[np.int32], Floats, NDArray[Any] | None]:
    head, rows = read_csv(folder / "labels.csv")
    if len(head) != 3 + k + has_truth or not rows:
        raise ValueError(f"labels.csv does not have the columns of {k} clusters")
    names = np.array([unescape_cell(row[0]) for row in rows])
    labels = np.array([int(row[1]) for row in rows], dtype=np.int32)
    numbers = np.array([row[2 : 3 + k] for row in rows], dtype=np.float64)
    truth = np.array([unescape_cell(row[-1]) for row in rows]) if has_truth else None
    return names, labels, numbers, truth


def _read_weights(
    folder: Path, shapes: Mapping[str, Any], ensemble: Ensemble
) -> dict[str, NDArray[Any]]:
    _, rows = read_csv(folder / "weights.csv")
    values: dict[str, list[str]] = {name: [] for name in shapes}
    for name, *_, value in rows:
        values[name].append(value)
    weights = {
        name: (
            np.array(texts) == "True"
            if name == "selected"
            else np.array(texts, dtype=np.float64)
        ).reshape(shapes[name])
        for name, texts in values.items()
    }
    M, K = ensemble.n_clusterings, ensemble.n_clusters_total
    fit = {
        "clustering_weights": [(M,)],
        "cluster_weights": [(K,)],
        "object_weights": [(ensemble.n_objects,)],
        "selected": [(M,), (K,)],
    }
    for name, found in weights.items():
        if found.shape not in fit.get(name, [found.shape]):
            raise ValueError(f"the {name} do not fit the ensemble")
    return weights


def _read_map(folder: Path, n: int) -> Floats | None:
    if not (folder / "map.csv").exists():
        return None
    _, rows = read_csv(folder / "map.csv")
    positions = np.array([row[1:] for row in rows], dtype=np.float64).reshape(n, 2)
    if not np.isfinite(positions).all():
        raise ValueError("map.csv has a position that is not finite")
    return positions


def _read_profile(
    folder: Path, labels: NDArray[Any], k: int
) -> tuple[tuple[str, ...], Profile | None]:
    if not (folder / "profile.csv").exists():
        return (), None
    _, rows = read_csv(folder / "profile.csv")
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
