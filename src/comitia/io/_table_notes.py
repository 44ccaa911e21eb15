"""What was done to the columns of a table, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from comitia.io._cell_text import counted, quoted
from comitia.prepare.column_decisions import (
    CASE_ALONE,
    LONG_TAIL,
    ONLY_NEGATIVE,
    ColumnDecision,
    TableDecisions,
)

__all__ = ["MOST_LISTED", "preparation_notes", "scaling_word"]


def scaling_word(preparer: Any, embedded: bool) -> str:
    """What was done to the columns, in a word or two."""
    if preparer.form_ == "counts":
        return "counts, normalised"
    word = {"standard": "standardised", "robust": "robustly scaled"}.get(
        preparer.scale_, "not scaled"
    )
    if preparer.form_ == "alike" and preparer.scale_ == "none" and not embedded:
        word = "in one unit"
    kinds = {each.kind for each in preparer.decisions_ if each.used}
    if kinds & {"boolean", "category"}:
        word += ", discrete ones as 0 and 1"
    rotated = preparer.rotation_ is not None
    return f"{word}, rotated" if rotated else word


def preparation_notes(
    decided: TableDecisions, named: bool, n_by_medians: int = 0
) -> list[str]:
    """What was done, in a sentence or two; nothing where all columns are numbers.

    ``n_by_medians`` is the number of rows if medians stand for missing values.
    """
    used = [each for each in decided.columns if each.used]
    left = [each for each in decided.columns if not each.used]
    notes = []
    parts = []
    if decided.form == "columns" and {each.kind for each in used} - {"numeric"}:
        parts.append(_counted_kinds(used))
    if left:
        parts.append(f"left out: {_left_out(left, named)}")
    n_missing = sum(each.n_missing for each in used)
    if n_missing:
        often = n_missing > _MANY_MISSING * len(used) * n_by_medians > 0
        how = _MEDIANS if often else ""
        parts.append(f"{counted(n_missing, 'missing value')} filled in{how}")
    if parts:
        notes.append(f"{'; '.join(parts)} (comitia check says more).")
    notes += _odd_levels(used)
    notes += _odd_numbers(used)
    if decided.form != "columns":
        notes.append(f"{decided.form_reason}: {_FORMS[decided.form]}.")
    return notes


def _odd_levels(used: Sequence[ColumnDecision]) -> list[str]:
    """Which categories are written in two ways."""
    found = [each for each in used if each.reason.endswith(CASE_ALONE)]
    if not found:
        return []
    names = _listed([each.column for each in found])
    example = found[0].reason.partition("; ")[2]
    note = f"in {names} levels count as different that may be one: {example}."
    return [note]


def _odd_numbers(used: Sequence[ColumnDecision]) -> list[str]:
    """What was done with numbers that would have decided everything."""
    notes = []
    for code in dict.fromkeys(each.code for each in used if each.code):
        names = [each.column for each in used if each.code == code]
        notes.append(
            f"{code[0]:g} was read as missing in {_listed(names)}, where it is far "
            f"outside (--kinds {quoted(names[0])}=numeric takes it as a number)."
        )
    lone = [each.column for each in used if ONLY_NEGATIVE in each.reason]
    if lone:
        notes.append(
            f"in {_listed(lone)} one negative number stands several times, and no "
            "other is negative: empty these cells if it stands for no value (--kinds "
            f"{quoted(lone[0])}=numeric says that it does not)."
        )
    far = [each.column for each in used if each.limits]
    if far:
        notes.append(
            f"a few values far out would have decided the scale of {_listed(far)} and "
            "were drawn in; look whether they are right (--kinds "
            f"{quoted(far[0])}=numeric leaves them)."
        )
    tails = [each.column for each in used if each.reason.endswith(LONG_TAIL)]
    if tails and _MANY_TAILS * len(tails) >= len(used):
        kinds = " ".join(f"--kinds {quoted(name)}=counts" for name in tails[:2])
        notes.append(
            f"in {_listed(tails)} a few values are much larger than the others and "
            f"count for most; {kinds}{' …' * (len(tails) > 2)} takes logarithms."
        )
    return notes


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_LISTED
    return ", ".join(map(repr, names[:MOST_LISTED])) + (
        f" and {more} more" if more > 0 else ""
    )


def _counted_kinds(used: Sequence[ColumnDecision]) -> str:
    nouns = {"numeric": "number", "boolean": "yes/no", "category": "category"}
    texts = []
    for kind in dict.fromkeys(each.kind for each in used):
        n = sum(each.kind == kind for each in used)
        noun = nouns.get(kind, kind)
        plural = {"category": "categories", "yes/no": "yes/no"}.get(noun, f"{noun}s")
        texts.append(f"{n} {noun if n == 1 else plural.replace('ss', 's')}")
    return ", ".join(texts)


def _left_out(left: Sequence[ColumnDecision], named: bool) -> str:
    texts = []
    for each in left[:MOST_LISTED]:
        about = each.kind
        if each.can_name_rows and not named:
            named, about = True, "id, names the rows"
        elif about not in ("id", "date", "constant", "empty", "dropped"):
            about = each.reason
        texts.append(f"{each.column!r} ({about})")
    more = len(left) - MOST_LISTED
    return ", ".join(texts) + (f" and {more} more" if more > 0 else "")


# One column in so many with a long tail is no more than one among others.
_MANY_TAILS = 4

# From this share of missing values on, a better way to fill them in is named.
_MANY_MISSING = 0.02
_MEDIANS = (
    " with medians (--impute knn takes the nearest rows, which blurs clusters less)"
)

# Columns that are left out and named one by one.
MOST_LISTED = 4

_FORMS = {
    "alike": "columns keep their unit (--form columns gives each its own)",
    "counts": "rows are divided by their sums, then logarithm, the columns that vary "
    "most, principal components (--form columns takes them as they are)",
}
