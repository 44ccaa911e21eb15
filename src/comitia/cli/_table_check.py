"""The command that says what would be done with a table. Its help is its docstring."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from comitia.cli._options import DataOptions, Flag
from comitia.cli._run_command import refuse_absent
from comitia.cli._summary import print_json, print_lines, print_table, spaced
from comitia.exceptions import ComitiaError

__all__ = ["check"]

_DATA = DataOptions()

_HEAD = {
    "column": "column",
    "kind": "read as",
    "missing": "missing",
    "distinct": "distinct",
    "action": "what will be done",
    "reason": "why",
}


def check(
    data: str,
    /,
    *,
    how: DataOptions = _DATA,
    json: Flag = False,
) -> None:
    """Say what comitia fit would do with each column of a table, and why.

    Nothing is clustered. All problems of all columns come in one answer; the exit code
    is 1 if the table cannot be used as it is.

    Parameters
    ----------
    data
        Table with one row per object, as for comitia fit.
    json
        Print JSON and nothing else on standard output.
    """
    refuse_absent(data)
    from comitia.io import examine_table

    found = examine_table(data, **how.how())
    if json:
        print_json(_as_json(found))
    else:
        _print(found)
    if found.problems:
        n = len(found.problems)
        raise ComitiaError(
            f"{found.source} cannot be used as it is, for {n} "
            f"reason{'' if n == 1 else 's'}: {' '.join(found.problems)}"
        )


def _print(found: Any) -> None:
    from comitia.prepare.column_decisions import grouped_decisions

    lines = grouped_decisions(found.decisions.columns)
    print_table(
        [*_HEAD.values()],
        [[line[name] for name in _HEAD] for line in lines],
        right=[2, 3],
    )
    print()
    columns = found.decisions.columns
    n_used = spaced(sum(each.used for each in columns))
    words = f"{found.source}, {spaced(found.n_objects)} objects, {n_used} of "
    words += f"{spaced(len(columns))} columns used"
    notes = [("note", note, "") for note in found.notes]
    print_lines([("data", words, ""), *notes])


def _as_json(found: Any) -> dict[str, Any]:
    decided = found.decisions
    return {
        "source": found.source,
        "n_objects": found.n_objects,
        "form": decided.form,
        "form_reason": decided.form_reason,
        "scale": decided.scale,
        "columns": [asdict(each) for each in decided.columns],
        "notes": list(found.notes),
        "problems": list(found.problems),
    }
