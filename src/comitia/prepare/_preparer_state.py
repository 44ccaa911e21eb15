"""A fitted preparer as JSON, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from comitia._sklearn import validate_parameters
from comitia.exceptions import ComitiaError
from comitia.prepare._count_tables import CountCoder
from comitia.prepare._fitted_state import pca_state, restored_pca
from comitia.prepare._variable_coder import VariableCoder
from comitia.prepare.column_decisions import ColumnDecision, Preferences, TableDecisions

__all__ = ["preparer_state", "restored_preparer"]

_FORMAT = "comitia-preparation-2"

# What a decision holds in tuples, which JSON has as lists.
_TUPLES = ("levels", "code", "limits")


def preparer_state(preparer: Any) -> dict[str, Any]:
    """Everything that a fitted TablePreparer chose and learnt, as JSON can hold it."""
    columns = [asdict(each) for each in preparer.decisions_]
    names = ColumnDecision.__dataclass_fields__
    return {
        "format": _FORMAT,
        "parameters": {
            **preparer.get_params(),
            "kinds": {
                name: kind if isinstance(kind, str) else [*map(str, kind)]
                for name, kind in (preparer.kinds or {}).items()
            },
        },
        "form": preparer.form_,
        "form_reason": preparer.form_reason_,
        "scale": preparer.scale_,
        "columns": {name: [each[name] for each in columns] for name in names},
        "has_names": hasattr(preparer, "feature_names_in_"),
        "learnt": preparer.coder_.to_dict(),
        "rotation": pca_state(preparer.rotation_),
    }


def restored_preparer(cls: Any, state: Mapping[str, Any]) -> Any:
    """The preparer of that state."""
    if not isinstance(state, Mapping) or state.get("format") != _FORMAT:
        raise ComitiaError(
            f"this is no preparation of the format {_FORMAT}; another version of "
            "comitia may have written it."
        )
    try:
        preparer = cls(**state["parameters"])
        validate_parameters(preparer)
        fields = ColumnDecision.__dataclass_fields__
        # Earlier preparations knew neither codes for missing values nor limits.
        n_columns = len(state["columns"]["column"])
        about = {**{name: [()] * n_columns for name in _TUPLES}, **state["columns"]}
        expected = {
            "parameters": (sorted(state["parameters"]), sorted(cls().get_params())),
            "columns": (sorted(about), sorted(fields)),
            "form": (state["form"], ("columns", "alike", "counts")),
            "scale": (state["scale"], ("standard", "robust", "none")),
        }
        for name, (found, allowed) in expected.items():
            if found != allowed and found not in allowed:
                raise ValueError(f"{name} is not what it should be")
        lines = zip(*about.values(), strict=True)
        rows = [dict(zip(about, line, strict=True)) for line in lines]
        decisions = [
            ColumnDecision(**{**row, **{name: tuple(row[name]) for name in _TUPLES}})
            for row in rows
        ]
        preparer._take(
            TableDecisions(
                decisions, state["form"], state["form_reason"], state["scale"]
            )
        )
        preparer.n_features_in_ = len(decisions)
        if state["has_names"]:
            names = [each.column for each in decisions]
            preparer.feature_names_in_ = np.array(names, dtype=object)
        if preparer.form_ == "counts":
            preparer.coder_ = CountCoder.from_dict(state["learnt"])
        else:
            preparer.coder_ = VariableCoder(
                decisions, preparer.scale_, Preferences.of(preparer)
            ).restore(state["learnt"])
        preparer.rotation_ = restored_pca(state["rotation"])
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ComitiaError):
            raise
        raise ComitiaError(f"the preparation is damaged ({error}).") from None
    return preparer
