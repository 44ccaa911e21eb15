"""What each column of a table is, and what is done with it.

Nothing here loads scikit-learn, so that ``comitia check`` answers at once.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from comitia import sizes
from comitia._inputs import refuse_width
from comitia.exceptions import ComitiaError
from comitia.prepare._column_kinds import (
    CASE_ALONE,
    GROUP_COUNTER,
    as_levels,
    kind_of,
    number_or_limit,
    numbers_of,
)
from comitia.prepare._dates import days_of
from comitia.prepare.missing_words import is_missing_word
from comitia.prepare.odd_numbers import (
    far_limits,
    has_long_tail,
    missing_code,
    only_negative,
)
from comitia.prepare.repeated_columns import column_prints, repeated_columns
from comitia.prepare.table_columns import TableColumn
from comitia.prepare.table_forms import form_of

__all__ = [
    "CASE_ALONE",
    "KINDS",
    "LONG_TAIL",
    "ONLY_NEGATIVE",
    "ColumnDecision",
    "Preferences",
    "TableDecisions",
    "decide_column",
    "decide_columns",
    "decide_counts",
    "grouped_decisions",
    "join_decisions",
    "numbers_meant",
    "prints_of",
]

Prints = NDArray[np.float64] | None

# What a column can be declared to be.
KINDS = (
    *("numeric", "counts", "shares", "boolean", "category", "ordinal", "date", "id"),
    "drop",
)

# Said of numbers of which logarithms would be the better measure.
LONG_TAIL = "a few of them much larger than the others"

# Said of a number that may stand for a missing one.
ONLY_NEGATIVE = "is the only negative one"

# Squares of larger values overflow when they are added up.
_TOO_LARGE = 1e150


@dataclass(frozen=True)
class Preferences:
    """What was asked for.

    Parameters
    ----------
    kinds : dict of str to str or list
        What columns are, as for :class:`comitia.prepare.TablePreparer`.

    form, scale, impute, categorical, dates : str
        The same.

    max_missing : float, default=0.5
        The same.

    keep_ids : bool, default=False
        The same.
    """

    kinds: Mapping[str, Any]
    form: str = "auto"
    scale: str = "auto"
    impute: str = "auto"
    categorical: str = "onehot"
    dates: str = "drop"
    max_missing: float = 0.5
    keep_ids: bool = False

    @classmethod
    def of(cls, preparer: Any) -> Preferences:
        """Those of a :class:`TablePreparer`.

        Parameters
        ----------
        preparer : TablePreparer
            Who has the parameters.

        Returns
        -------
        asked : Preferences
            The same.
        """
        asked = {each.name: getattr(preparer, each.name) for each in fields(cls)}
        return cls(**{**asked, "kinds": dict(preparer.kinds or {})})

    def fills_from_nearest(self, n: int) -> bool:
        """Whether the nearest of n rows stand in for missing numbers.

        Parameters
        ----------
        n : int
            Number of rows.

        Returns
        -------
        answer : bool
            False if medians do, or nothing may.
        """
        if self.impute == "auto":
            return n <= sizes.FILLED_OBJECTS
        return self.impute == "knn"


@dataclass(frozen=True)
class ColumnDecision:
    """What was found in a column, and what is done with it.

    Parameters
    ----------
    column : str
        Its name.

    kind : str
        What it is read as.

    n_missing, n_distinct : int
        How many values are missing, and how many different ones there are.

    used : bool
        Whether it counts.

    action, reason : str
        What is done with it, and why.

    levels : tuple of str, default=()
        The values of an ordinal, in their order.

    problem : str, default=""
        Why the table cannot be used as it is.

    code : tuple of float, default=()
        The number that stands for a missing one, such as -999, if there is one.

    limits : tuple of float, default=()
        Between which two numbers the column is scaled, if a few values lie so far out
        that they would decide its scale.
    """

    column: str
    kind: str
    n_missing: int
    n_distinct: int
    used: bool
    action: str
    reason: str
    levels: tuple[str, ...] = ()
    problem: str = ""
    code: tuple[float, ...] = ()
    limits: tuple[float, ...] = ()

    @property
    def can_name_rows(self) -> bool:
        """Whether it is an identifier of every row."""
        return self.kind == "id" and not self.n_missing and self.reason != GROUP_COUNTER


@dataclass(frozen=True)
class TableDecisions:
    """The decisions on all columns, and on the table.

    Parameters
    ----------
    columns : list of ColumnDecision
        One for each column.

    form : {"columns", "alike", "counts"}
        How columns are compared with each other.

    form_reason : str
        Why.

    scale : {"standard", "robust", "none"}
        What is done to numbers.

    problem : str, default=""
        What is wrong with the table as a whole.
    """

    columns: list[ColumnDecision]
    form: str
    form_reason: str
    scale: str
    problem: str = ""

    @property
    def problems(self) -> list[str]:
        """Everything for which the table cannot be used as it is."""
        found = [each.problem for each in self.columns if each.problem]
        return [*found, *([self.problem] if self.problem else [])]


def decide_columns(
    columns: Sequence[TableColumn], asked: Preferences
) -> TableDecisions:
    """Decide what the columns of a table are and what is done with them.

    Parameters
    ----------
    columns : sequence of TableColumn
        The columns.

    asked : Preferences
        What is to be done.

    Returns
    -------
    decisions : TableDecisions
        The decisions.
    """
    _refuse_unknown([each.name for each in columns], asked)
    found = [_decide(each, asked) for each in columns]
    may_count = [
        each
        for each, was in zip(columns, found, strict=True)
        if was.used or (was.kind == "constant" and not each.is_text)
    ]
    form, form_reason = form_of(may_count, asked.form)
    if form == "counts":
        return _decide_count_table(columns, found, may_count, form_reason, asked)
    if not asked.keep_ids and not any(each.used for each in found):
        # What counts the rows is all there is: then it is data.
        found = [
            _decide(each, replace(asked, keep_ids=True))
            if was.kind == "id" and not each.is_text
            else was
            for each, was in zip(columns, found, strict=True)
        ]
    if form == "alike" and any(
        each.used and each.kind in ("category", "boolean") and column.is_text
        for each, column in zip(found, columns, strict=True)
    ):
        form, form_reason = "columns", "some columns are no numbers"
    scale = asked.scale
    if scale == "auto":
        scale = "none" if form == "alike" else "standard"
    if form == "alike":
        found = [
            replace(each, kind="numeric") if each.kind == "boolean" else each
            for each in found
        ]
    if form == "columns":
        found = _without_repeats(
            found,
            [prints_of(*both, asked) for both in zip(found, columns, strict=True)],
        )
    found = [
        _with_action(each, column, asked, form, scale)
        for each, column in zip(found, columns, strict=True)
    ]
    return TableDecisions(found, form, form_reason, scale, _nothing_left(found))


def _refuse_unknown(names: Sequence[str], asked: Preferences) -> None:
    unknown = [name for name in asked.kinds if name not in {*names}]
    if unknown:
        raise ComitiaError(
            f"kinds names {unknown[0]!r}, which is no column; there are "
            f"{', '.join(names[:6])}{', …' if len(names) > 6 else '.'}"
        )


def decide_column(column: TableColumn, asked: Preferences) -> ColumnDecision:
    """Decide about a column of the form ``"columns"``, without a look at the others.

    Parameters
    ----------
    column, asked : TableColumn, Preferences
        The column, and what is to be done.

    Returns
    -------
    decision : ColumnDecision
        The decision.
    """
    scale = "standard" if asked.scale == "auto" else asked.scale
    return _with_action(_decide(column, asked), column, asked, "columns", scale)


def prints_of(about: ColumnDecision, column: TableColumn, asked: Preferences) -> Prints:
    """What is equal for columns that say the same, if this one may be left out.

    Parameters
    ----------
    about, column, asked : ColumnDecision, TableColumn, Preferences
        What was decided about the column, the column, and what is to be done.

    Returns
    -------
    prints : ndarray or None
        Those of :func:`comitia.prepare.repeated_columns.column_prints`.
    """
    if not about.used or about.problem or about.column in asked.kinds:
        return None
    if about.kind in _DISCRETE:
        return column_prints(column, None)
    if about.kind != "numeric":
        return None
    values = numbers_of(column)
    if not np.isfinite(values[~np.isnan(values)]).all():
        return None
    return column_prints(column, values)


def _without_repeats(
    found: Sequence[ColumnDecision], prints: Sequence[Prints]
) -> list[ColumnDecision]:
    """The decisions, where a column that repeats another does not count again."""
    some = {j: each for j, each in enumerate(prints) if each is not None}
    repeats = repeated_columns(some)
    return [
        replace(
            each,
            kind="repeated",
            used=False,
            action="left out",
            reason=f"it repeats {found[repeats[j]].column!r}",
        )
        if j in repeats
        else each
        for j, each in enumerate(found)
    ]


def join_decisions(
    columns: Sequence[ColumnDecision],
    asked: Preferences,
    prints: Sequence[Prints] = (),
) -> TableDecisions:
    """Put the decisions of :func:`decide_column` together.

    Parameters
    ----------
    columns, asked : sequence of ColumnDecision, Preferences
        The decisions, and what was to be done.

    prints : sequence of ndarray or None, default=()
        What :func:`prints_of` gave for each column.

    Returns
    -------
    decisions : TableDecisions
        The same without columns that repeat others, and what is wrong with the table
        as a whole.
    """
    _refuse_unknown([each.column for each in columns], asked)
    form, reason = form_of((), asked.form)
    scale = "standard" if asked.scale == "auto" else asked.scale
    if prints and form == "columns":
        columns = _without_repeats(columns, prints)
    return TableDecisions([*columns], form, reason, scale, _nothing_left(columns))


def _nothing_left(found: Sequence[ColumnDecision]) -> str:
    if any(each.used or each.problem for each in found):
        return ""
    if all(each.kind == "constant" for each in found):
        return "all columns are constant; there is nothing to cluster."
    listed = "; ".join(f"{each.column!r} is {each.reason}" for each in found[:4])
    more = f"; and {len(found) - 4} more" if len(found) > 4 else ""
    return (
        f"no column is left to cluster ({listed}{more}); say with --kinds what a "
        "column is."
    )


def decide_counts(names: Sequence[str], X: Any) -> TableDecisions:
    """The decisions on a sparse matrix of counts.

    Parameters
    ----------
    names : sequence of str
        Names of the columns.

    X : sparse matrix of shape (n_objects, n_features)
        The counts.

    Returns
    -------
    decisions : TableDecisions
        All columns are counts.
    """
    columns = X.tocsc()
    distinct = [
        len(np.unique(columns.data[start:end])) + (end - start < X.shape[0])
        for start, end in pairwise(columns.indptr)
    ]
    return TableDecisions(
        [
            ColumnDecision(name, "counts", 0, int(n), True, _COUNTED, _COUNTS)
            for name, n in zip(names, distinct, strict=True)
        ],
        "counts",
        _COUNTS,
        "none",
    )


_COUNTED = "library size, logarithm, principal components"
_COUNTS = "whole numbers from 0 with many zeros"


def _decide_count_table(
    columns: Sequence[TableColumn],
    found: Sequence[ColumnDecision],
    counted: Sequence[TableColumn],
    reason: str,
    asked: Preferences,
) -> TableDecisions:
    """The decisions on a table of counts, beside which there may be names and dates."""
    names = {each.name for each in counted}
    decisions = [
        _as_count(column)
        if column.name in names
        else _with_action(was, column, asked, "counts", "none")
        for column, was in zip(columns, found, strict=True)
    ]
    words = [each.name for each in counted if each.is_text]
    problem = ""
    if words:
        problem = f"form='counts' needs counts, and column {words[0]!r} holds text."
    return TableDecisions(decisions, "counts", reason, "none", problem)


def _as_count(column: TableColumn) -> ColumnDecision:
    n_distinct = 0 if column.is_text else len(np.unique(column.values))
    return ColumnDecision(column.name, "counts", 0, n_distinct, True, _COUNTED, _COUNTS)


def _decide(column: TableColumn, asked: Preferences) -> ColumnDecision:
    """What a column is; the action is left open."""
    values = column.values
    if column.is_text:
        present = [value for value in values if value is not None]
        distinct: Any = set(present)
    else:
        present = values[~np.isnan(values)]
        distinct = np.unique(present)
    about = ColumnDecision(
        column.name, "", len(values) - len(present), len(distinct), True, "", ""
    )
    wanted = asked.kinds.get(column.name)
    if wanted is not None:
        return _as_wanted(about, column, wanted, distinct)
    if not len(present):
        return replace(about, kind="empty", used=False, reason="without any value")
    kind, reason = kind_of(column, present, distinct)
    if kind == "commas":
        example = next(iter(sorted(distinct)))
        return replace(
            about,
            kind="text",
            used=False,
            reason=reason,
            problem=f"column {column.name!r} has decimal commas ({example!r}); write "
            "decimal points.",
        )
    if kind == "stray":
        n_words = sum(number_or_limit(value) is None for value in present)
        about = replace(about, n_missing=about.n_missing + n_words)
        kind = "numeric"
    if kind == "numeric":
        about, reason = _without_code(about, column, reason)
    if about.n_distinct == 1:
        kind, reason = "constant", "the same everywhere"
    used = kind not in ("constant", "text") and not (
        (kind == "id" and not asked.keep_ids)
        or (kind == "date" and asked.dates == "drop")
        or (kind in ("boolean", "category") and asked.categorical == "drop")
    )
    if kind == "id" and used:
        kind = "category" if column.is_text else "numeric"
        reason = "kept, although it may be an identifier"
    share = about.n_missing / len(values)
    if used and share > asked.max_missing:
        return replace(
            about,
            kind=kind,
            used=False,
            reason=f"missing in {share:.0%} of the rows, more than max_missing = "
            f"{asked.max_missing:.0%}",
        )
    levels = column.levels if kind == "ordinal" else ()
    return replace(about, kind=kind, used=used, reason=reason, levels=levels)


def _without_code(
    about: ColumnDecision, column: TableColumn, reason: str
) -> tuple[ColumnDecision, str]:
    """Take a number such as -999 for missing."""
    values = numbers_of(column)
    code = missing_code(values)
    if code is None:
        return about, reason
    n = int((values == code).sum())
    return (
        replace(
            about,
            n_missing=about.n_missing + n,
            n_distinct=about.n_distinct - 1,
            code=(code,),
        ),
        f"{reason}; {code:g} stands {n} times far outside, for missing",
    )


def numbers_meant(about: ColumnDecision, column: TableColumn) -> NDArray[np.float64]:
    """The numbers of a column, NaN for words and for a number that stands for none.

    Parameters
    ----------
    about, column : ColumnDecision, TableColumn
        What was decided about the column, and the column.

    Returns
    -------
    values : ndarray of shape (n_objects,)
        The numbers.
    """
    values = numbers_of(column)
    if not about.code:
        return values
    return np.where(np.isin(values, about.code), np.nan, values)


def _as_wanted(
    about: ColumnDecision, column: TableColumn, wanted: Any, distinct: Any
) -> ColumnDecision:
    reason = "as it was declared"
    if not isinstance(wanted, str):
        levels = tuple(map(str, wanted))
        unknown = sorted({*as_levels(distinct)} - {*levels})
        if unknown:
            raise ComitiaError(
                f"kinds gives the values of column {column.name!r} in their order, and "
                f"{unknown[0]!r} is not among them; it has {', '.join(levels)}."
            )
        return replace(about, kind="ordinal", reason=reason, levels=levels)
    if wanted not in KINDS:
        raise ComitiaError(
            f"kinds={{{column.name!r}: {wanted!r}}} is not known; choose from "
            f"{', '.join(KINDS)}, or give the values in their order."
        )
    if wanted in ("id", "drop"):
        kind = "id" if wanted == "id" else "dropped"
        return replace(about, kind=kind, used=False, reason=reason)
    if column.is_text:
        if wanted == "date" and days_of(column.values) is None:
            raise ComitiaError(
                f"column {column.name!r} is declared a date and holds "
                f"{sorted(distinct)[0]!r}; write dates as 2026-03-31 or 31.3.2026."
            )
        words = [
            value
            for value in sorted(distinct)
            if number_or_limit(value) is None and not is_missing_word(value)
        ]
        if wanted in ("numeric", "counts", "shares") and words:
            raise ComitiaError(
                f"column {column.name!r} is declared {wanted} and holds {words[0]!r}; "
                "mend it, or declare it a category."
            )
        if wanted == "ordinal" and not column.levels:
            raise ComitiaError(
                f"column {column.name!r} is declared ordinal; give its values in their "
                f"order, such as {' < '.join(sorted(distinct)[:3])}."
            )
    if wanted == "boolean" and len(distinct) > 2:
        raise ComitiaError(
            f"column {column.name!r} is declared boolean and has {len(distinct)} "
            "values; declare it a category."
        )
    negative = not column.is_text and len(distinct) and np.min(distinct) < 0
    if wanted in ("counts", "shares") and negative:
        raise ComitiaError(
            f"column {column.name!r} is declared {wanted} and has negative values; "
            "declare it numeric."
        )
    if len(distinct) < 2:
        return replace(about, kind="constant", used=False, reason="the same everywhere")
    return replace(about, kind=wanted, reason=reason, levels=column.levels)


def _with_action(
    about: ColumnDecision,
    column: TableColumn,
    asked: Preferences,
    form: str,
    scale: str,
) -> ColumnDecision:
    """Say what is done, and what is wrong."""
    if not about.used:
        if about.reason == GROUP_COUNTER:
            return replace(about, action="left out (unless keep_ids)")
        return replace(about, action=_LEFT_OUT.get(about.kind, "left out"))
    done = _ACTIONS[asked.categorical if about.kind in _DISCRETE else "number"]
    if about.kind not in _DISCRETE:
        done = {
            "standard": "standardised",
            "robust": "centred, by its quartiles",
            "none": "as it is",
        }[scale]
        if asked.categorical == "gower" and form != "alike":
            done = "from 0 to 1"
        before = {"counts": "logarithm, ", "shares": "square root, "}
        done = before.get(about.kind, "") + done
        if about.kind == "ordinal":
            done = f"1 to {len(about.levels) or about.n_distinct}, {done}"
        if about.kind == "date":
            cyclic = asked.dates == "cyclic"
            done = "place in the year and in the week" if cyclic else f"days, {done}"
        about = _with_limits(about, column, asked, form, scale)
        if about.limits:
            done += f", values far out as {_reached(about, numbers_of(column))}"
    elif scale == "none" and asked.categorical == "onehot":
        done = "0 and 1"
    problem = _value_problem(about, column, scale)
    if about.n_missing:
        near = asked.fills_from_nearest(len(column.values))
        filled = "like the nearest rows" if near else "median"
        filled = "most frequent" if about.kind in _DISCRETE else filled
        done += f"; {about.n_missing} filled: {filled}"
        if asked.impute == "refuse":
            missing = _first_missing(column)
            values = f"missing value{'' if about.n_missing == 1 else 's'}"
            problem = problem or (
                f"column {about.column!r} has {about.n_missing} {values}, the first in "
                f"row {missing + 1}; fill them with --impute median, or leave the "
                "column out with --drop."
            )
    return replace(about, action=done, problem=about.problem or problem)


def _with_limits(
    about: ColumnDecision,
    column: TableColumn,
    asked: Preferences,
    form: str,
    scale: str,
) -> ColumnDecision:
    """Keep a few values that lie far out from deciding the scale of a column.

    A column that was declared numeric is one whose values are all meant.
    """
    declared = about.column in asked.kinds
    if about.kind != "numeric" or declared or form != "columns" or scale == "none":
        return about
    values = numbers_meant(about, column)
    if np.isinf(values).any():
        return about
    lone = only_negative(values)
    if lone is not None:
        about = replace(about, reason=f"{about.reason}; {lone:g} {ONLY_NEGATIVE}")
    limits = far_limits(values)
    if limits is not None:
        about = replace(about, limits=limits)
        values = np.clip(values, *limits)
    if has_long_tail(values):
        about = replace(about, reason=f"{about.reason}, {LONG_TAIL}")
    return about


def _reached(about: ColumnDecision, values: NDArray[np.float64]) -> str:
    """The limits that there are values beyond, in words."""
    (low, high), values = about.limits, values[~np.isin(values, about.code)]
    beyond = {low: np.nanmin(values) < low, high: np.nanmax(values) > high}
    return " or ".join(f"{limit:g}" for limit, is_passed in beyond.items() if is_passed)


_LEFT_OUT = {
    "id": "left out (unless keep_ids); may name the rows",
    "date": "left out (dates: number or cyclic)",
    "text": "left out (kinds: category)",
}

_DISCRETE = ("boolean", "category")

_MOST_LINES = 40  # up to so many columns have a line each

_ACTIONS = {
    "number": "",
    "onehot": "0/1 columns, half of a number's variance each",
    "gower": "0/1 columns; different counts as far as least from largest",
    "famd": "0/1 columns, by how frequent they are; principal components",
    "standard": "0/1 columns, standardised",
}


def _value_problem(about: ColumnDecision, column: TableColumn, scale: str) -> str:
    """Values that cannot be worked with."""
    values = column.values
    if column.is_text or about.kind in _DISCRETE or about.kind == "date":
        return ""
    infinite = np.isinf(values)
    n_infinite = int(infinite.sum())
    if n_infinite:
        return (
            f"column {about.column!r} has {n_infinite} infinite "
            f"value{'' if n_infinite == 1 else 's'}, the first in row "
            f"{int(np.argmax(infinite)) + 1}; mend or drop it."
        )
    if scale == "none":
        return ""
    if np.nanmax(np.abs(values)) > _TOO_LARGE:
        return (
            f"the values of column {about.column!r} are too large to be scaled; divide "
            "them, or drop the column."
        )
    try:
        refuse_width(
            float(np.nanmax(values) - np.nanmin(values)), f"column {about.column!r}"
        )
    except ComitiaError as error:
        return str(error)
    return ""


def _first_missing(column: TableColumn) -> int:
    if column.is_text:
        return next(i for i, value in enumerate(column.values) if value is None)
    return int(np.argmax(np.isnan(column.values)))


def grouped_decisions(columns: Sequence[ColumnDecision]) -> list[dict[str, Any]]:
    """Lines for people: one for each column, or for columns alike if there are many.

    Parameters
    ----------
    columns : sequence of ColumnDecision
        The decisions.

    Returns
    -------
    lines : list of dict
        ``column``, ``kind``, ``missing``, ``distinct``, ``action`` and ``reason``, all
        text.
    """
    groups: dict[Any, list[ColumnDecision]] = {}
    for j, each in enumerate(columns):
        alike = (
            each.kind,
            re.sub(r"\d+ filled", "some filled", each.action),
            each.used,
        )
        groups.setdefault(alike if len(columns) > _MOST_LINES else j, []).append(each)
    lines = []
    for group in groups.values():
        first, last = group[0], group[-1]
        distinct = [each.n_distinct for each in group]
        name = first.column
        if len(group) > 1:
            name = f"{len(group)} columns, {first.column} … {last.column}"
        lines.append(
            {
                "column": name,
                "kind": first.kind,
                "missing": str(sum(each.n_missing for each in group)),
                "distinct": str(min(distinct))
                if min(distinct) == max(distinct)
                else f"{min(distinct)}–{max(distinct)}",
                "action": first.action,
                "reason": first.reason,
            }
        )
    return lines
