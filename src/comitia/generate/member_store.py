"""Members as arrays and back: what labels new objects, kept without pickle."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia.exceptions import ComitiaError, EnsembleFileError
from comitia.generate._checkpoint import check_state
from comitia.generate._kmeans_on_samples import ColumnsCenters
from comitia.generate._landmark_graph import LandmarkClusters
from comitia.generate._nearest_in_sample import NearestInSample
from comitia.generate.columns import Frame
from comitia.generate.member import Member, ShiftedModel
from comitia.generate.nearest_models import NearestCenter
from comitia.generate.sampling import FeatureMap

__all__ = ["pack_members", "unpack_members"]

_FORMAT = "comitia-members-1"

Arrays = dict[str, NDArray[Any]]


def pack_members(members: Sequence[Member], n_features: int) -> Arrays:
    """Turn members into arrays.

    Parameters
    ----------
    members : sequence of Member
        What labels new objects: by the nearest centre, by the nearest object of a
        sample, or by landmarks. Others are refused.

    n_features : int
        Number of features of an object.

    Returns
    -------
    arrays : dict of ndarray
        For :func:`unpack_members`. An array, or an object of a sample, that several
        members have is there once.
    """
    packer = _Packer()
    about = [packer.describe(member) for member in members]
    text = json.dumps({"format": _FORMAT, "n_features": n_features, "members": about})
    return {"about": np.array(text), **packer.finish()}


def unpack_members(arrays: Mapping[str, NDArray[Any]]) -> Iterator[Member]:
    """Make members of arrays, one after the other.

    Parameters
    ----------
    arrays : dict of ndarray
        What :func:`pack_members` returned, from a file perhaps: all is checked.

    Yields
    ------
    member : Member
        The members, in their order.
    """
    try:
        about = json.loads(str(arrays["about"]))
        if about["format"] != _FORMAT:
            raise ValueError(f"they are not of the format {_FORMAT}")
        p = int(about["n_features"])
        for one in about["members"]:
            yield _unpacked(arrays, one, p)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        kept = isinstance(error, EnsembleFileError)
        why = "arrays do not fit" if kept else error
        raise EnsembleFileError(
            f"the members of the result are damaged ({why}); fit it again."
        ) from None


class _Packer:
    """Arrays that are kept once, however many members have them."""

    def __init__(self) -> None:
        self.arrays: Arrays = {}
        self.known: dict[Any, str] = {}
        # Objects of samples, by the type and number of their features.
        self.rows: dict[tuple[str, int], dict[bytes, int]] = {}

    def put(self, array: NDArray[Any]) -> str:
        array = np.asarray(array)
        digest = hashlib.blake2b(np.ascontiguousarray(array).data).digest()
        key = array.dtype.str, array.shape, digest
        name = self.known.setdefault(key, f"array_{len(self.known)}")
        self.arrays[name] = array
        return name

    def put_rows(self, rows: NDArray[Any]) -> dict[str, str]:
        rows = np.ascontiguousarray(rows)
        kind = rows.dtype.str, rows.shape[1]
        known = self.rows.setdefault(kind, {})
        places = [known.setdefault(row.tobytes(), len(known)) for row in rows]
        _refuse_large(len(known) * rows[0].nbytes)
        return {"rows": _pool(*kind), "places": self.put(np.array(places, np.int32))}

    def describe(self, member: Member) -> dict[str, Any]:
        model, shifts = member.model, []
        if member.shift is not None:
            shifts.append(member.shift)
        while isinstance(model, ShiftedModel):
            shifts.append(model.shift)
            model = model.model
        kind = next((name for name, cls in _KINDS.items() if type(model) is cls), None)
        features = getattr(model, "features", None)
        if kind is None or not isinstance(features, FeatureMap | None):
            raise ComitiaError(
                "what labels new objects for its clusterings, a "
                f"{type(model).__name__}, is not kept with a result; predict in "
                "Python, or take --generator kmeans."
            )
        state, rows = _state_of(model), {}
        if kind == "sample":
            rows = self.put_rows(state.pop("sample").T)
        return {
            "kind": kind,
            "names": self.put(member.names),
            "shifts": [self.put(shift) for shift in shifts],
            "features": None if features is None else self.put(features.how),
            "state": {name: self.put(array) for name, array in state.items()} | rows,
        }

    def finish(self) -> Arrays:
        for (dtype, width), known in self.rows.items():
            rows = np.frombuffer(b"".join(known), dtype).reshape(-1, width)
            self.arrays[_pool(dtype, width)] = rows
        _refuse_large(sum(array.nbytes for array in self.arrays.values()))
        return self.arrays


def _pool(dtype: str, width: int) -> str:
    return f"rows_{np.dtype(dtype).name}_{width}"


def _refuse_large(n_bytes: int) -> None:
    if n_bytes > sizes.MEMBER_BYTES:
        raise ComitiaError(
            "what its clusterings remember takes more than the "
            f"{sizes.MEMBER_BYTES >> 20} MB that are kept with a result; predict in "
            "Python."
        )


_KINDS: dict[str, Any] = {
    "centers": NearestCenter,
    "columns": ColumnsCenters,
    "sample": NearestInSample,
    "landmarks": LandmarkClusters,
}


def _state_of(model: Any) -> Arrays:
    if isinstance(model, NearestCenter):
        return {"centers": model.centers}
    return dict(model.state())


def _unpacked(arrays: Mapping[str, Any], one: Mapping[str, Any], p: int) -> Member:
    state = {name: arrays[where] for name, where in one["state"].items()}
    if "rows" in state:
        places, rows = state.pop("places"), state.pop("rows")
        check_state({"places": places}, {"places": "m"})
        if places.dtype.kind != "i" or places.min() < 0:
            raise ValueError("a sample has an object that there is not")
        state["sample"] = np.ascontiguousarray(rows[places].T)
    features = None
    if one["features"] is not None:
        features = FeatureMap(arrays[one["features"]])
        _check_features(features.how, p)
    model = _restored(one["kind"], state, features, p)
    for shift in (arrays[where] for where in reversed(one["shifts"])):
        check_state({"shift": shift}, {"shift": "p"}, p=p)
        model = ShiftedModel(model, shift)
    names = arrays[one["names"]]
    check_state({"names": names}, {"names": "k"})
    return Member(model, names)


def _check_features(how: NDArray[Any], p: int) -> None:
    if how.ndim == 1:
        check_state({"features": how}, {"features": "seen"})
        if how.dtype.kind != "i" or how.min() < 0 or how.max() >= p:
            raise ValueError("a member sees a feature that there is not")
    else:
        check_state({"features": how}, {"features": "p seen"}, p=p)


def _restored(kind: str, state: Arrays, features: Any, p: int) -> Any:
    seen = p if features is None else features(np.zeros((1, p))).shape[1]
    if kind == "centers":
        check_state(state, {"centers": "k seen"}, seen=seen)
        return NearestCenter(state["centers"], features)
    if kind == "columns":
        shapes = {"centers": "k seen", "shift": "p", "scale": ""}
        check_state(state, shapes, seen=seen, p=p)
        frame = Frame(state["shift"], float(state["scale"]))
        return ColumnsCenters(state["centers"], frame, features)
    if kind == "sample":
        return NearestInSample.restored(state, p)
    if kind == "landmarks":
        return LandmarkClusters.restored(state, p)
    raise ValueError(f"a member is of the unknown kind {kind!r}")
