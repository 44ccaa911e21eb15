"""What shared parameters may be: the same in every method."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from comitia._sklearn import Interval, StrOptions
from comitia.base import EnsembleMethod

__all__ = ["OWN_CLUSTERINGS", "SHARED", "shared"]

SHARED: dict[str, list[Any]] = {
    **EnsembleMethod._parameter_constraints,
    "agreement": [str, callable],
    "clustering_weights": ["array-like", None],
    "cooling": [Interval(Real, 0, 1, closed="neither")],
    "feature_fraction": [Interval(Real, 0, 1, closed="right")],
    "fuzziness": [Interval(Real, 1, None, closed="neither")],
    "imbalance": [Interval(Real, 0, None, closed="left")],
    "linkage": [StrOptions({"single", "complete", "average", "ward"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "n_clusterings": [Interval(Integral, 1, None, closed="left")],
    "n_groups": [Interval(Integral, 1, None, closed="left"), None],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [Integral, None],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "n_rounds": [Interval(Integral, 1, None, closed="left")],
    "n_select": [Interval(Integral, 1, None, closed="left"), None],
    "normalized": ["boolean"],
    "object_fraction": [Interval(Real, 0, 1, closed="right")],
    "smoothing": [Interval(Real, 0, None, closed="left")],
    "sparsity_penalty": [Interval(Real, 0, None, closed="left")],
    "theta": [Interval(Real, 0, None, closed="neither")],
    "temperature": [Interval(Real, 0, None, closed="neither")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "unification": [StrOptions({"minmax", "range", "prob", "rank"})],
    "view_penalty": [Interval(Real, 0, None, closed="left")],
}


def shared(*names: str) -> dict[str, list[Any]]:
    """Constraints of shared parameters, for ``_parameter_constraints``."""
    return {name: SHARED[name] for name in names}


# Of a method that makes its own clusterings and takes no generator.
OWN_CLUSTERINGS = shared("n_clusters", "n_clusterings", "random_state")
