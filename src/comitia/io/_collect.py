"""What is collected of a fitted method, piece by piece."""

from __future__ import annotations

import inspect
import itertools
import platform
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia._inputs import check_views
from comitia._names import in_order, matching_rows
from comitia.display.consensus_view import objective_columns
from comitia.display.feature_table import check_features, name_features
from comitia.ensemble import Ensemble
from comitia.exceptions import ComitiaError
from comitia.explanation import Explanation

__all__ = [
    "TRUTH_MEASURES",
    "card_of",
    "choice_of",
    "converged_of",
    "explanation_of",
    "feature_names_of",
    "gap_between",
    "jsonable",
    "membership_of",
    "object_texts",
    "objective_of",
    "parameters_of",
    "scores_of",
    "table_of",
    "truth_of",
    "versions_here",
]

Floats = NDArray[np.float64]

# By which a result is compared with known labels.
TRUTH_MEASURES = ("adjusted_rand", "nmi_sqrt")

# Silhouettes of more objects are those of a sample of this size.
_SILHOUETTE_SAMPLE = 2000

# Clusters with fewer objects are left out of gap_between.
_FEW = 5

_PACKAGES = ("comitia", "numpy", "scipy", "scikit-learn", "numba")


def choice_of(estimator: Any, given: Any) -> Any:
    """How the number of clusters was chosen, as :meth:`KChoice.to_dict` has it."""
    odds = getattr(estimator, "n_clusters_probabilities_", None)
    if given is not None:
        return jsonable(given.to_dict() if hasattr(given, "to_dict") else given)
    if odds is None:
        return None
    from comitia.partition.k_probabilities import KOdds

    found = KOdds.from_dict(odds)
    return jsonable(
        {
            "ks": found.ks[1:],
            "n_clusters": found.n_clusters,
            "reason": found.in_words(),
            "probabilities": found.probabilities,
            "likely": found.likely,
            "method": estimator.card.id,
            "n_objects": len(estimator.labels_),
        }
    )


def membership_of(estimator: Any) -> Floats:
    """The method's own shares of its clusters, or votes where it has none."""
    from comitia.represent.votes import vote_shares

    n, k = len(estimator.labels_), int(estimator.n_clusters_)
    given = np.asarray(estimator.membership_, dtype=np.float64)
    if (
        given.shape == (n, k)
        and (given >= 0).all()
        # Shares of methods in single precision sum to 1 up to 1e-5.
        and np.allclose(given.sum(axis=1), 1.0, atol=1e-5)
    ):
        return given
    votes = estimator.vote_weights()
    return vote_shares(estimator.ensemble_, estimator.labels_, k, **votes)


def table_of(X: Any, needs: Sequence[str], objects: Ensemble) -> Floats | None:
    """The data as one table of finite numbers; None where they are none.

    Its rows are matched with the names of the objects where both have names.
    """
    if X is None or isinstance(X, Ensemble) or {"series", "graph"} & {*needs}:
        return None
    if "views" in needs and isinstance(X, list | tuple | Mapping):
        views = check_views(X, None, missing=True)
        rows = matching_rows(objects, views, ("the result", "X"))
        X = in_order(np.hstack(views.arrays), rows)
        # An object that is missing from a view has no place on a map of the features.
        return X if np.isfinite(X).all() else None
    return check_features(X, objects.n_objects, objects)


def graph_of(X: Any, needs: Sequence[str]) -> Any:
    """The graph that was clustered; None where there is none."""
    return X if "graph" in needs and not isinstance(X, Ensemble) else None


def series_of(X: Any, needs: Sequence[str]) -> Any:
    """The series that were clustered; None where there are none."""
    return X if "series" in needs and not isinstance(X, Ensemble) else None


def feature_names_of(
    given: Sequence[Any] | None, X: Any, data: Floats | None
) -> tuple[str, ...]:
    if data is None:
        return ()
    if given is None and isinstance(X, Mapping):
        given = _name_views(X)
    elif given is None and isinstance(X, list | tuple) and np.ndim(X[0]) == 2:
        given = _name_views({f"view {v}": view for v, view in enumerate(X)})
    return tuple(name_features(given, X, data.shape[1]).tolist())


def _name_views(views: Mapping[Any, Any]) -> list[str]:
    """The features of all views, each with the name of its view."""
    return [
        f"{name}, {column}"
        for name, view in views.items()
        for column in getattr(
            view, "columns", [f"feature {j}" for j in range(np.shape(view)[1])]
        )
    ]


def truth_of(truth: Any, objects: Ensemble) -> NDArray[Any] | None:
    if truth is None:
        return None
    rows = matching_rows(objects, truth, ("the result", "truth"))
    if isinstance(truth, np.ma.MaskedArray):
        known = truth.data.astype(object)
        known[np.ma.getmaskarray(truth)] = None
        truth = known
    values = np.asarray(truth, dtype=object).ravel()
    if len(values) != objects.n_objects:
        raise ComitiaError(
            f"truth must have one entry per object; got {len(values)} for "
            f"{objects.n_objects}."
        )
    return np.array(["" if _is_unknown(v) else str(v) for v in in_order(values, rows)])


def _is_unknown(value: Any) -> bool:
    # NaN differs from itself; pandas.NA cannot be compared.
    return value is None or type(value).__name__ == "NAType" or bool(value != value)


def scores_of(
    ensemble: Ensemble,
    labels: NDArray[Any],
    confidence: Floats,
    membership: Floats,
    data: Floats | None,
    truth: NDArray[Any] | None,
    graph: Any = None,
) -> dict[str, float]:
    from comitia.agreement import agreement, agreement_with

    scores = {
        "mean_confidence": float(confidence.mean()),
        "mean_vote_share": float(membership[np.arange(len(labels)), labels].mean()),
    }
    if ensemble.kind != "overlapping":
        scores["mean_ari_with_clusterings"] = float(
            agreement_with(labels, ensemble, "adjusted_rand").mean()
        )
    if data is not None and 1 < len(np.unique(labels)) < len(labels):
        from comitia.validity.centers import davies_bouldin
        from comitia.validity.pairs import silhouette
        from comitia.validity.scatter import calinski_harabasz

        sample = _SILHOUETTE_SAMPLE if len(labels) > _SILHOUETTE_SAMPLE else None
        scores["silhouette"] = silhouette(
            data, labels, sample_size=sample, random_state=0
        )
        scores["calinski_harabasz"] = calinski_harabasz(data, labels)
        scores["davies_bouldin"] = davies_bouldin(data, labels)
        scores["gap_between_clusters"] = gap_between(data, labels)
    if graph is not None:
        from comitia.cluster.community_quality import modularity

        scores["modularity"] = modularity(graph, labels)
    if truth is not None and truth.astype(bool).any():
        known = [value or None for value in truth.tolist()]
        for measure in TRUTH_MEASURES:
            scores[f"truth_{measure}"] = agreement(labels, known, measure)
    return {name: float(value) for name, value in scores.items() if np.isfinite(value)}


def gap_between(data: Floats, labels: NDArray[Any]) -> float:
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
    centers = [rows.mean(axis=0) for rows in members]
    z = np.zeros((len(large), len(large)))
    for a, b in itertools.combinations(range(len(large)), 2):
        line = centers[b] - centers[a]
        length = float(line @ line) or 1.0
        both = np.concatenate([members[a], members[b]])
        place = (both - centers[a]) @ line / length
        near = [int((np.abs(place - at) < 1 / 6).sum()) for at in (0.0, 0.5, 1.0)]
        e, m = min(near[0], near[2]), near[1]
        z[a, b] = (e - m) / np.sqrt(max(e + m, 1))
    # The spanning tree takes weight 0 for a missing edge.
    shift = 1.0 - z.min()
    tree = minimum_spanning_tree(np.triu(z + shift, 1))
    return float(tree.data.max()) - shift


def objective_of(estimator: Any) -> tuple[Floats, ...]:
    """One curve for each optimisation and each of its objectives."""
    runs = objective_columns(estimator)
    return tuple(curve.copy() for run in runs for curve in run.T if curve.size)


def converged_of(estimator: Any) -> bool | None:
    value = getattr(estimator, "converged_", None)
    return None if value is None else bool(np.all(value))


def explanation_of(estimator: Any) -> Explanation | None:
    """What the result rests on, if the method says it."""
    said = estimator.explain() if hasattr(estimator, "explain") else None
    return said if isinstance(said, Explanation) else None


def card_of(estimator: Any) -> dict[str, Any]:
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


def parameters_of(estimator: Any) -> dict[str, Any]:
    parameters = estimator.get_params(deep=False)
    # The generator that was used, with its seed, tells more than None.
    generator = getattr(estimator, "generator_", None)
    if generator is not None and "generator" in parameters:
        parameters["generator"] = generator
    return {name: jsonable(value) for name, value in parameters.items()}


def jsonable(value: Any) -> Any:
    """The nearest thing that JSON can hold; NaN and infinity become None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value) if np.isfinite(value) else None
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        return jsonable(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset | range):
        return [jsonable(item) for item in value]
    if hasattr(value, "get_params") and not isinstance(value, type):
        parameters = value.get_params(deep=False)
        return {"class": type(value).__name__, "parameters": jsonable(parameters)}
    if callable(value):
        return getattr(value, "__qualname__", type(value).__name__)
    return type(value).__name__


def versions_here() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def object_texts(names: Any, n: int, argument: str) -> NDArray[Any] | None:
    if names is None:
        return None
    texts = np.array([str(name) for name in names])
    if texts.shape != (n,):
        raise ComitiaError(
            f"{argument} must have one entry per object; got {len(texts)} for {n}."
        )
    return texts
