"""What labels new objects, kept with a result: its members, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.fitted_result import ResultBlock
from comitia.generate.generator import Generator
from comitia.generate.member_store import pack_members, unpack_members
from comitia.generate.series_features import SERIES_REPRESENTATIONS, represent_series
from comitia.generate.series_generators import RepresentationGenerator
from comitia.generate.views_generator import Standardizer
from comitia.partition.confidence import VoteModel, block_likelihood, own_confidence
from comitia.represent.votes import block_shares, cluster_shares, share_weights

__all__ = ["collect_members", "keeps_series", "label_new_objects"]

# Objects that are labelled at once.
_AT_ONCE = 1 << 17

# What the clusters of the members say: those of VoteModel by their own names.
_MODEL = ("scores", "log_sizes", "design_effect", "repeated")

# The names of the representations, where the members are of series.
_SERIES = "representations"

_EMPTY = np.empty(0)

_NONE = (
    "the result says nothing of how new objects are labelled: it was made of given "
    "clusterings, by an older version, or its members.npz was deleted; fit the table "
    "again."
)


def collect_members(estimator: Any) -> dict[str, NDArray[Any]]:
    """What labels new objects as ``predict`` of the method does, as arrays.

    Where that cannot be kept, the only array is ``reason``, which says why.
    """
    generator = getattr(estimator, "generator_", None)
    if generator is None:
        return {}
    try:
        if isinstance(generator, RepresentationGenerator):
            members = _pack_series_members(generator)
        else:
            members = _pack(generator)
    except ComitiaError as error:
        return {"reason": np.array(str(error))}
    ensemble, k = estimator.ensemble_, estimator.n_clusters_
    shares = cluster_shares(ensemble, estimator.labels_, k)
    weights = share_weights(ensemble, shares, **estimator.vote_weights())
    said = {name: np.asarray(getattr(estimator.vote_model_, name)) for name in _MODEL}
    return {
        **members,
        **said,
        "n_clusters_each": ensemble.n_clusters_each,
        "shares": shares,
        "weights": weights,
    }


def _pack(generator: Any) -> dict[str, NDArray[Any]]:
    if not isinstance(generator, Generator) or (
        type(generator).check_data is not Generator.check_data
    ):
        raise ComitiaError(
            f"the clusterings of {type(generator).__name__} are not kept with a "
            "result; predict in Python, or take --generator kmeans."
        )
    return pack_members(generator.members_, int(generator.n_features_in_))


def _pack_series_members(generator: RepresentationGenerator) -> dict[str, NDArray[Any]]:
    """The members of each representation, each array under the number of its own."""
    names = generator.representations
    if not all(isinstance(name, str) for name in names):
        raise ComitiaError(
            "representations that are functions are not kept with a result; predict in "
            "Python."
        )
    arrays: dict[str, NDArray[Any]] = {_SERIES: np.array(names, dtype=np.str_)}
    for r, (one, scaling) in enumerate(
        zip(generator.views_.generators_, generator.standardizers_, strict=True)
    ):
        parts = {**_pack(one), **scaling._asdict()}
        arrays |= {f"{r}_{name}": array for name, array in parts.items()}
    return arrays


def keeps_series(members: Mapping[str, NDArray[Any]]) -> bool:
    """Whether the members label series, and not rows of a table."""
    return _SERIES in members


def _votes(members: Mapping[str, NDArray[Any]], X: Any) -> Iterator[NDArray[np.int32]]:
    """What each member says of the objects."""
    if not keeps_series(members):
        for member in unpack_members(members):
            yield member.predict(X)
        return
    for r, name in enumerate(members[_SERIES].tolist()):
        start = f"{r}_"
        own = {
            key.removeprefix(start): array
            for key, array in members.items()
            if key.startswith(start)
        }
        scaling = Standardizer(own.get("mean", _EMPTY), own.get("scale", _EMPTY))
        if (
            name not in SERIES_REPRESENTATIONS
            or any(each.ndim != 1 or each.dtype != np.float64 for each in scaling)
            or not np.isfinite(scaling.mean).all()
            or not (np.isfinite(scaling.scale) & (scaling.scale > 0)).all()
            or len(scaling.mean) != len(scaling.scale)
        ):
            raise _damaged()
        features = represent_series(X, name)
        if features.shape[1] != len(scaling.mean):
            raise ComitiaError(
                f"the series have {len(X[0])} channels, and those of the result have "
                "another number of them."
            )
        Z = scaling(features)
        for member in unpack_members(own):
            yield member.predict(Z)


def label_new_objects(members: Mapping[str, NDArray[Any]], X: Any) -> ResultBlock:
    """Label objects by a vote of the members that :func:`collect_members` kept.

    X is a prepared table, or a list of series for members of series.
    """
    if "about" not in members and not keeps_series(members):
        raise ComitiaError(str(members.get("reason", _NONE)))
    model, n_each = _checked(members)
    codes = np.empty((len(n_each), len(X)), dtype=np.int32)
    n_found = 0
    for m, found in enumerate(_votes(members, X)):
        if m >= len(n_each) or found.max(initial=-1) >= n_each[m]:
            raise _damaged()
        codes[m] = np.where(found < 0, n_each[m], found)
        n_found += 1
    if n_found != len(n_each):
        raise _damaged()
    labels, sure, votes = [], [], []
    for lo in range(0, len(X), _AT_ONCE):
        new = Ensemble.from_codes(codes[:, lo : lo + _AT_ONCE], n_each)
        shares = block_shares(new, shares=members["shares"], weights=members["weights"])
        likelihood = block_likelihood(new, model=model)
        votes.append(shares)
        labels.append(shares.argmax(axis=1).astype(np.int32))
        sure.append(own_confidence(likelihood, shares, labels[-1], model=model))
    together = map(np.concatenate, (labels, sure, votes))
    return ResultBlock(slice(0, len(X)), *together)


def _checked(members: Mapping[str, NDArray[Any]]) -> tuple[VoteModel, NDArray[Any]]:
    """What the clusters say, if the arrays fit each other."""
    try:
        n_each, shares = members["n_clusters_each"], members["shares"]
        K, k = shares.shape
        shapes = {
            "n_clusters_each": (len(n_each),),
            "weights": (K,),
            "scores": (K, k),
            "log_sizes": (k,),
            "design_effect": (),
            "repeated": (),
        }
        fits = n_each.dtype.kind == "i" and n_each.min() > 0 and n_each.sum() == K
        for name, shape in shapes.items():
            found = members[name]
            fits &= found.shape == shape and not np.isnan(found).any()
    except (LookupError, TypeError, ValueError):
        fits = False
    if not fits or not np.isfinite(shares).all():
        raise _damaged()
    said = (members[name] for name in _MODEL)
    scores, log_sizes, effect, repeated = said
    model = VoteModel(scores, log_sizes, float(effect), float(repeated), np.empty(0))
    return model, n_each


def _damaged() -> ComitiaError:
    return ComitiaError("members.npz of the result is damaged; fit the table again.")
