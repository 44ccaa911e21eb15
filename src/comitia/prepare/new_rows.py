"""New rows beside a table that was prepared: what they lack, and what is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comitia.exceptions import ComitiaError
from comitia.prepare.column_decisions import ColumnDecision
from comitia.prepare.table_columns import TableColumn

__all__ = ["describe_new", "match_counts", "refuse_lacking"]

# Names that are listed one by one.
_MOST_LISTED = 6


def refuse_lacking(decisions: Sequence[ColumnDecision], names: Sequence[str]) -> None:
    """Refuse a table without columns that a preparation uses.

    Parameters
    ----------
    decisions : sequence of ColumnDecision
        What was decided about the columns of the earlier table.

    names : sequence of str
        The columns of the new one.
    """
    known = {*names}
    used = [each.column for each in decisions if each.used]
    lacking = [name for name in used if name not in known]
    if lacking:
        listed = ", ".join(map(repr, lacking[:_MOST_LISTED]))
        more = len(lacking) - _MOST_LISTED
        raise ComitiaError(
            f"the table has no column {listed}{f' and {more} more' * (more > 0)}, "
            f"which the preparation uses; it has {', '.join(names[:_MOST_LISTED])}"
            f"{', …' if len(names) > _MOST_LISTED else ''}."
        )


def match_counts(preparer: Any, X: Any, names: Sequence[str]) -> Any:
    """Bring the columns of a matrix of counts into the order that is known.

    Parameters
    ----------
    preparer : TablePreparer
        Fitted on another matrix of counts.

    X : sparse matrix of shape (n_objects, n_columns)
        The counts.

    names : sequence of str
        Names of its columns.

    Returns
    -------
    X : sparse matrix of shape (n_objects, n_features)
        For ``transform_counts``.
    """
    refuse_lacking(preparer.decisions_, names)
    place = {name: j for j, name in enumerate(names)}
    return X[:, [place[each.column] for each in preparer.decisions_ if each.used]]


def describe_new(preparer: Any, columns: Sequence[TableColumn]) -> list[str]:
    """Say which values of new rows are missing, or were never seen.

    Parameters
    ----------
    preparer : TablePreparer
        Fitted on the earlier table.

    columns : sequence of TableColumn
        The columns of the new rows.

    Returns
    -------
    notes : list of str
        In sentences.
    """
    if preparer.form_ == "counts":
        return []
    notes, n_missing = [], 0
    for name, missing, unknown in preparer.coder_.gaps(columns):
        n_missing += missing
        if unknown:
            notes.append(
                f"column {name!r} has values that were not in the table that was "
                f"clustered, such as {unknown[0]!r}; they count as none of its levels."
            )
    notes += [
        f"column {name!r} {what}" for name, what in preparer.coder_.odd_columns(columns)
    ]
    if n_missing:
        noun = "value" if n_missing == 1 else "values"
        notes.append(f"{n_missing} missing {noun} filled in.")
    return notes
