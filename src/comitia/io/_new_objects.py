"""What labels new objects, kept with a result: its members, and what they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.fitted_result import ResultBlock
from comitia.generate.generator import Generator
from comitia.generate.member_store import pack_members, unpack_members
from comitia.partition.confidence import VoteModel, block_likelihood, own_confidence
from comitia.represent.votes import block_shares, cluster_shares, share_weights

__all__ = ["collect_members", "label_new_objects"]

# Objects that are labelled at once.
_AT_ONCE = 1 << 17

# What the clusters of the members say: those of VoteModel by their own names.
_MODEL = ("scores", "log_sizes", "design_effect", "repeated")

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
        if not isinstance(generator, Generator) or (
            type(generator).check_data is not Generator.check_data
        ):
            raise ComitiaError(
                f"the clusterings of {type(generator).__name__} are not kept with a "
                "result; predict in Python, or take --generator kmeans."
            )
        members = pack_members(generator.members_, int(generator.n_features_in_))
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


def label_new_objects(
    members: Mapping[str, NDArray[Any]], X: NDArray[np.float64]
) -> ResultBlock:
    """Label objects by a vote of the members that :func:`collect_members` kept."""
    if "about" not in members:
        raise ComitiaError(str(members.get("reason", _NONE)))
    model, n_each = _checked(members)
    codes = np.empty((len(n_each), len(X)), dtype=np.int32)
    n_found = 0
    for m, member in enumerate(unpack_members(members)):
        found = member.predict(X)
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
