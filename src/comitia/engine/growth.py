"""Ensembles that grow: more clusterings, more objects, and tables that are kept.

What exists is shared. New objects are a row block of their own behind the others. New
clusterings are written behind the old ones, into room that the first of them made.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from comitia import _labels
from comitia._members import frozen
from comitia._names import match_rows, names_of
from comitia.config import require_memory
from comitia.engine.row_blocks import LocalBlocks, pieces
from comitia.engine.storage import InBlocks, InMemory, Mapped, Selected
from comitia.exceptions import ComitiaError

if TYPE_CHECKING:
    from comitia.ensemble import Ensemble

__all__ = [
    "grown_table",
    "more_clusterings",
    "more_objects",
    "new_files",
    "new_rows",
    "some_rows",
    "taken",
]

_lock = threading.Lock()  # of who writes into the room behind which labels


class Earlier(NamedTuple):
    """What the ensemble before knew, and what is new since then."""

    table: NDArray[np.int64] | None  # its dense contingency; None if it was not counted
    places: NDArray[np.int64]  # where its clusters are now
    blocks: list[Any]  # new row blocks
    clusterings: list[int]  # new clusterings


def grown_table(ensemble: Ensemble, earlier: Earlier) -> NDArray[np.int64]:
    """The dense contingency of a grown ensemble: what is known, and what is new.

    They are integers, so that the sum is what counting all of it gives.
    """
    if earlier.table is None:
        return np.asarray(ensemble.row_blocks.map("engine.dense_contingency").total())
    K, offsets = ensemble.n_clusters_total, ensemble.offsets
    shared = np.zeros((K, K), dtype=np.int64)
    shared[np.ix_(earlier.places, earlier.places)] = earlier.table
    for block in earlier.blocks:
        shared += block.engine.dense_contingency()
    for m in earlier.clusterings:
        own = slice(offsets[m], offsets[m + 1])
        found = ensemble.row_blocks.map("engine.overlaps_with", m=m).total()
        shared[:, own] = np.asarray(found)
        shared[own] = shared[:, own].T
    return shared


# -- new clusterings -------------------------------------------------------------------


def more_clusterings(parts: Sequence[Ensemble], called: Sequence[str]) -> Ensemble:
    """Clusterings of the same objects side by side, matched by the objects' names.

    Messages call the parts what ``called`` says.
    """
    first = parts[0]
    n = {part.n_objects for part in parts}
    if len(n) > 1:
        raise ComitiaError(
            "new clusterings must cluster the same objects; got "
            f"{' and '.join(str(part.n_objects) for part in parts)} objects."
        )
    order, rows = match_rows([names_of(part) for part in parts], called)
    names = {
        "groups": _side_by_side(parts, "groups", lambda m: ""),
        "clustering_names": _side_by_side(parts, "clustering_names", str),
        "object_names": order,
    }
    _refuse_twice(names["clustering_names"], "clustering")
    k = np.concatenate([part.n_clusters_each for part in parts])
    if any(part.cluster_names is not None for part in parts):
        names["cluster_names"] = np.concatenate([_called(part) for part in parts])
    if not all(part.is_hard for part in parts):
        return _beside_memberships(parts, rows, k, names)
    kind = "partial" if any(part.kind == "partial" for part in parts) else "hard"
    dtype = np.dtype(_labels.narrowest(int(k.max())))
    new = [
        part.codes if at is None else part.codes[:, at]
        for part, at in zip(parts[1:], rows[1:], strict=True)
    ]
    blocks = _blocks_of(first)
    cut = [pieces(codes.T, [block.n_objects for block in blocks]) for codes in new]
    grown = [
        first.assemble(_beside(block, [c[b].T for c in cut], dtype), k, None, kind)
        for b, block in enumerate(blocks)
    ]
    made = _in_blocks(grown, first, k, kind, names)
    old = first.n_clusterings
    return _remembering(
        made, first, np.arange(first.n_clusters_total), [], [*range(old, len(k))]
    )


def _beside(block: Ensemble, new: list[NDArray[Any]], dtype: np.dtype[Any]) -> Any:
    """Where the labels of a block and of new clusterings of it are together."""
    old = block.storage
    if not isinstance(old, InMemory):
        parts = [(old, None), *((InMemory(codes), None) for codes in new)]
        return Selected(parts, dtype)
    M, n = old.codes.shape
    most = M + sum(map(len, new))
    with _lock:
        room = old.room
        fits = old.codes.dtype == dtype and room is not None and room.n_used == M
        if not fits or room is None or most > len(room.codes):
            require_memory(most * n * dtype.itemsize, f"the labels of {n} objects")
            # Room for half as many again: memory that nobody writes to is not taken.
            room = _Room(np.empty((most + most // 2 + 1, n), dtype=dtype), most)
            room.codes[:M] = old.codes
        room.n_used = most
    at = M
    for codes in new:
        room.codes[at : at + len(codes)] = codes
        at += len(codes)
    storage = InMemory(frozen(room.codes[:most]), old.compiled, room)
    storage.is_sound = True  # all of them are of ensembles
    return storage


class _Room:
    """An array with room behind the clusterings that are in use.

    Each row is written once, by the ensemble that was the first to need it.
    """

    def __init__(self, codes: NDArray[Any], n_used: int) -> None:
        self.codes = codes
        self.n_used = n_used


def _beside_memberships(
    parts: Sequence[Ensemble], rows: Any, k: NDArray[np.int64], names: dict[str, Any]
) -> Ensemble:
    from scipy.sparse import hstack

    kind = _common_kind(parts)
    ordered = [
        part if at is None else part.take(objects=at)
        for part, at in zip(parts, rows, strict=True)
    ]
    codes = np.concatenate([part.codes.astype(np.int64) for part in ordered])
    membership = hstack([part.membership for part in ordered], format="csr")
    return parts[0].assemble(codes, k, membership, kind, **names)


def _common_kind(parts: Sequence[Ensemble]) -> str:
    kinds = sorted({part.kind for part in parts})
    if len(kinds) > 1:
        raise ComitiaError(
            f"{' and '.join(kinds)} clusterings do not go together; make all of them "
            "fuzzy with Ensemble.from_memberships."
        )
    return kinds[0]


def _side_by_side(parts: Sequence[Ensemble], name: str, default: Any) -> Any:
    """The names of all clusterings; None if no part has any."""
    if all(getattr(part, name) is None for part in parts):
        return None
    found: list[str] = []
    for part in parts:
        given = getattr(part, name)
        if given is None:
            numbers = range(len(found), len(found) + part.n_clusterings)
            given = [*map(default, numbers)]
        found += [*given]
    return found


def _refuse_twice(names: Any, noun: str) -> None:
    if names is None:
        return
    found, counts = np.unique(np.asarray(names), return_counts=True)
    if (counts > 1).any():
        raise ComitiaError(
            f"the ensemble has {str(found[counts > 1][0])!r} already; give the new "
            f"{noun} another name."
        )


# -- new objects -----------------------------------------------------------------------


class NewRows(NamedTuple):
    """Labels of new objects, before they are matched with the clusters that exist."""

    codes: list[NDArray[Any]]  # of each clustering; len(cluster_names) where missing
    cluster_names: list[list[str]]  # of each clustering
    object_names: Any
    clustering_names: Any


def new_rows(labels: Any, object_names: Any, clustering_names: Any) -> NewRows:
    """Read labels of new objects; a clustering may know none of them."""
    table = _labels.label_columns(labels)
    if not table.columns or len(table.columns[0]) == 0:
        raise ComitiaError("labels has no new objects; give at least one.")
    coded = [
        _labels.encode(column, f"clustering {m}", may_be_empty=True)
        for m, column in enumerate(table.columns)
    ]
    names = object_names if object_names is not None else table.object_names
    return NewRows(
        [one.codes for one in coded],
        [_labels.texts_of(one) for one in coded],
        None if names is None else np.array([*map(str, names)]),
        clustering_names if clustering_names is not None else table.clustering_names,
    )


def _rows_of(ensemble: Ensemble) -> NewRows:
    return NewRows(
        list(ensemble.codes),
        _names_each(ensemble),
        ensemble.object_names,
        ensemble.clustering_names,
    )


def more_objects(first: Ensemble, given: Sequence[Ensemble | NewRows]) -> Ensemble:
    """The same clusterings with more objects; clusters are matched by their labels."""
    if not first.is_hard:
        raise ComitiaError(
            f"new objects of {first.kind} clusterings are not matched; make the "
            "ensemble of all memberships again."
        )
    known = _names_each(first)
    new = [
        _matched_clusterings(
            rows if isinstance(rows, NewRows) else _rows_of(rows), first
        )
        for rows in given
    ]
    coded = [_recoded(rows, known) for rows in new]
    k = np.array([len(names) for names in known], dtype=np.int64)
    # The code of a missing label follows from the number of clusters in the end.
    added = [np.where(codes < 0, k[:, None], codes) for codes in coded]
    object_names = _end_to_end(first, new)
    missing = any((codes < 0).any() for codes in coded)
    kind = "partial" if missing or first.kind == "partial" else "hard"
    dtype = np.dtype(_labels.narrowest(int(k.max())))
    blocks = [_with_clusters(block, k, dtype, kind) for block in _blocks_of(first)]
    more = [
        first.assemble(InMemory(codes.astype(dtype), True), k, None, kind)
        for codes in added
    ]
    names = {
        "groups": first.groups,
        "clustering_names": first.clustering_names,
        "object_names": object_names,
    }
    if any(own != [*map(str, range(len(own)))] for own in known):
        names["cluster_names"] = np.array([name for own in known for name in own])
    made = _in_blocks([*blocks, *more], first, k, kind, names)
    begin = np.r_[0, np.cumsum(k)][:-1] - first.offsets[:-1]
    places = np.arange(first.n_clusters_total) + begin[first.clustering_of]
    return _remembering(made, first, places, more, [])


def _names_each(ensemble: Ensemble) -> list[list[str]]:
    names = _called(ensemble)
    return [part.tolist() for part in np.split(names, ensemble.offsets[1:-1])]


def _matched_clusterings(rows: NewRows, first: Ensemble) -> NewRows:
    """Put the clusterings of new objects into the order of those that exist."""
    M, found = first.n_clusterings, len(rows.codes)
    if found != M:
        raise ComitiaError(
            f"new objects need a label, or -1, in each of the {M} clusterings; got "
            f"{found} columns."
        )
    if rows.clustering_names is None or first.clustering_names is None:
        return rows
    wanted, own = first.clustering_names.tolist(), [*map(str, rows.clustering_names)]
    if wanted == own:
        return rows
    if sorted(wanted) != sorted(own) or len({*own}) < len(own):
        strange = sorted({*own} - {*wanted}) or own
        raise ComitiaError(
            f"labels of new objects name {strange[0]!r}, which is no clustering of the "
            f"ensemble; its clusterings are {', '.join(wanted[:5])}"
            f"{' and more' if len(wanted) > 5 else ''}."
        )
    at = [own.index(name) for name in wanted]
    return rows._replace(
        codes=[rows.codes[m] for m in at],
        cluster_names=[rows.cluster_names[m] for m in at],
    )


def _recoded(rows: NewRows, known: list[list[str]]) -> NDArray[np.int64]:
    """The labels in the numbers of the known clusters, which new ones are added to."""
    codes = np.empty((len(rows.codes), len(rows.codes[0])), dtype=np.int64)
    for m, (own, names) in enumerate(zip(rows.codes, rows.cluster_names, strict=True)):
        place = {name: c for c, name in enumerate(known[m])}
        for name in names:
            if name not in place:
                place[name] = len(place)
                known[m].append(name)
        number = np.array([*(place[name] for name in names), -1], dtype=np.int64)
        codes[m] = number[own]
    return codes


def _end_to_end(first: Ensemble, new: Sequence[NewRows]) -> Any:
    """The names of all objects; None if no part has any."""
    each = [first.object_names, *(rows.object_names for rows in new)]
    if all(names is None for names in each):
        return None
    if any(names is None for names in each):
        who = "the ensemble" if first.object_names is None else "labels"
        raise ComitiaError(
            f"{who} has no names for its objects, while the others have; give "
            "object_names to all of them, or to none."
        )
    names = np.concatenate(each)
    _refuse_twice(names, "object")
    return names


def _with_clusters(
    block: Ensemble, k: NDArray[np.int64], dtype: np.dtype[Any], kind: str
) -> Ensemble:
    """A block whose clusterings have more clusters, with the labels that it has."""
    old, storage = block.n_clusters_each, block.storage
    if isinstance(storage, Mapped):
        folder = storage.folder._replace(n_clusters_each=k, dtype=dtype, kind=kind)
        return block.assemble(Mapped(folder, storage.number), k, None, kind)
    codes = block.codes
    if codes.dtype != dtype:
        codes = codes.astype(dtype)
    more = np.flatnonzero(k > old)
    if block.kind == "partial" and len(more):  # missing labels have another code
        codes = codes.copy() if codes is block.codes else codes
        for m in more:
            codes[m][codes[m] == old[m]] = k[m]
    room = getattr(storage, "room", None) if codes is block.codes else None
    return block.assemble(InMemory(codes, True, room), k, None, kind)


# -- what both share -------------------------------------------------------------------


def _called(ensemble: Ensemble) -> NDArray[Any]:
    """What each cluster is called; its number where that was its label."""
    if ensemble.cluster_names is not None:
        return ensemble.cluster_names
    numbers = np.arange(ensemble.n_clusters_total)
    return (numbers - ensemble.offsets[ensemble.clustering_of]).astype(str)


def _blocks_of(ensemble: Ensemble) -> list[Any]:
    """The row blocks as they are kept, however few objects they have."""
    if not isinstance(ensemble.storage, InBlocks):
        return [ensemble if ensemble.storage.is_local else ensemble.whole]
    kept = ensemble.storage.kept
    if not isinstance(kept, LocalBlocks):
        raise ComitiaError(
            "the row blocks are with the workers of a client; let their folder grow "
            "with Ensemble.grow, and open it again."
        )
    return kept.values


def _in_blocks(
    blocks: list[Any],
    first: Ensemble,
    k: NDArray[np.int64],
    kind: str,
    names: dict[str, Any],
) -> Ensemble:
    if len(blocks) == 1 and not isinstance(first.storage, InBlocks):
        return first.assemble(blocks[0].storage, k, None, kind, **names)
    source = getattr(first.storage, "source", "memory")
    storage = InBlocks(LocalBlocks(blocks), [b.n_objects for b in blocks], source)
    return first.assemble(storage, k, None, kind, **names)


def new_files(
    old: Ensemble, grown: Ensemble
) -> list[tuple[int, NDArray[Any], NDArray[np.int64]]]:
    """What a folder lacks of a grown ensemble: blocks, labels and their clusters."""
    before, now, M = _blocks_of(old), _blocks_of(grown), old.n_clusterings
    k = grown.n_clusters_each
    if grown.n_clusterings > M:
        return [(b, np.asarray(now[b].codes[M:]), k[M:]) for b in range(len(before))]
    return [(b, np.asarray(now[b].codes), k) for b in range(len(before), len(now))]


def _remembering(
    made: Ensemble,
    first: Ensemble,
    places: NDArray[np.int64],
    blocks: list[Any],
    clusterings: list[int],
) -> Ensemble:
    """The ensemble, which will not count again what the one before has counted."""
    table = first.__dict__.get("dense_contingency")
    made.__dict__["_earlier"] = Earlier(table, places, blocks, clusterings)
    return made


def taken(ensemble: Ensemble, which: NDArray[np.int64], names: Any) -> Ensemble:
    """Some of the clusterings of row blocks, where the labels are."""
    k = ensemble.n_clusters_each[which]
    kind = ensemble.kind
    dtype = np.dtype(_labels.narrowest(int(k.max())))
    parts = []
    for block in _blocks_of(ensemble):
        storage: Any = Selected([(block.storage, which)], dtype)
        if isinstance(block.storage, InMemory):
            codes = some_rows(block.storage.codes, which)
            storage = InMemory(codes.astype(dtype, copy=False), True)
        parts.append(ensemble.assemble(storage, k, None, kind))
    return _in_blocks(parts, ensemble, k, kind, {**names})


def some_rows(codes: NDArray[Any], which: NDArray[np.int64]) -> NDArray[Any]:
    """The labels of some clusterings, shared where they stand side by side."""
    if np.array_equal(which, np.arange(which[0], which[0] + len(which))):
        return codes[which[0] : which[-1] + 1]
    return codes[which]
