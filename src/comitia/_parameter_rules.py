"""What constructor parameters may be: shared names are the same in every method."""

from __future__ import annotations

from inspect import signature
from numbers import Integral, Real
from typing import Any

from comitia._sklearn import RANDOM_STATE, HasMethods, Interval, StrOptions

__all__ = ["SHARED", "Rules", "inherited_rules", "rules_of"]

Rules = dict[str, list[Any]]

SHARED: Rules = {
    "agreement": [str, callable],
    "clustering_weights": ["array-like", None],
    "cooling": [Interval(Real, 0, 1, closed="neither")],
    "feature_fraction": [Interval(Real, 0, 1, closed="right")],
    "fuzziness": [Interval(Real, 1, None, closed="neither")],
    "generator": [HasMethods(["generate"]), None],
    "imbalance": [Interval(Real, 0, None, closed="left")],
    "linkage": [StrOptions({"single", "complete", "average", "ward"})],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "n_clusterings": [Interval(Integral, 1, None, closed="left")],
    "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
    "n_groups": [Interval(Integral, 1, None, closed="left"), None],
    "n_init": [Interval(Integral, 1, None, closed="left")],
    "n_jobs": [Integral, None],
    "n_neighbors": [Interval(Integral, 1, None, closed="left")],
    "n_rounds": [Interval(Integral, 1, None, closed="left")],
    "n_select": [Interval(Integral, 1, None, closed="left"), None],
    "n_steps": [Interval(Integral, 1, None, closed="left")],
    "normalized": ["boolean"],
    "object_fraction": [Interval(Real, 0, 1, closed="right")],
    "random_state": RANDOM_STATE,
    "smoothing": [Interval(Real, 0, None, closed="left")],
    "sparsity_penalty": [Interval(Real, 0, None, closed="left")],
    "temperature": [Interval(Real, 0, None, closed="neither")],
    "theta": [Interval(Real, 0, None, closed="neither")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "unification": [StrOptions({"minmax", "range", "prob", "rank"})],
    "view_penalty": [Interval(Real, 0, None, closed="left")],
}


def inherited_rules(cls: type) -> Rules:
    """What a class and its parents say of parameters in ``_parameter_constraints``."""
    rules: Rules = {}
    for parent in reversed(cls.__mro__):
        rules |= vars(parent).get("_parameter_constraints", {})
    return rules


def rules_of(cls: type) -> Rules:
    """What each parameter of a constructor may be.

    The class or a parent says it, the base class of the shared parameters. A class
    without a constructor has the rules of all of them, for its subclasses.
    """
    rules = inherited_rules(cls)
    if cls.__init__ is object.__init__:  # type: ignore[misc]
        return rules
    return {name: rules[name] for name in signature(cls).parameters if name in rules}
