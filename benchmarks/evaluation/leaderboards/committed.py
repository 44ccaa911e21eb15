"""How the rows of a run differ from those that are in the repository."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from benchmarks.evaluation.store import RESULTS, Row, read

__all__ = ["differences"]

#: Cells have four digits: what differs by no more is rounding.
ROUNDING = 1e-3
#: What depends on the machine.
NOT_COMPARED = ("cpu", "seconds", "peak_mb", "message")
#: Rows that are named one by one; of more, only how many.
NAMED = 20


def differences(
    table: str, key: Sequence[str], results: Path, committed: Path = RESULTS
) -> list[str]:
    """What differs between a table of this run and the committed one.

    Parameters
    ----------
    table : str
        Name of the table, without its ending.

    key : sequence of str
        The columns that tell its rows apart.

    results, committed : path
        Folders of this run, and of the repository.

    Returns
    -------
    lines : list of str
        How many rows both have and how many differ by more than rounding, then these
        rows. Times and memory are not compared.
    """
    ours, theirs = (
        {tuple(row[name] for name in key): row for row in read(one / f"{table}.csv")}
        for one in (results, committed)
    )
    both = [one for one in ours if one in theirs]
    told = {one: _cells_that_differ(ours[one], theirs[one]) for one in both}
    differ = [one for one in both if told[one]]
    head = (
        f"{table}: {len(both)} rows in both, {len(differ)} differ; "
        f"{len(ours) - len(both)} only here, {len(theirs) - len(both)} only in "
        "the repository"
    )
    lines = [head, *(f"  {' '.join(one)}: {told[one]}" for one in differ[:NAMED])]
    if len(differ) > NAMED:
        lines.append(f"  and {len(differ) - NAMED} more")
    return lines


def _cells_that_differ(ours: Row, theirs: Row) -> str:
    names = [name for name in ours if name in theirs and name not in NOT_COMPARED]
    return ", ".join(
        f"{name} {ours[name]} here, {theirs[name]} there"
        for name in names
        if _differ(ours[name], theirs[name])
    )


def _differ(ours: str, theirs: str) -> bool:
    try:
        return abs(float(ours) - float(theirs)) > ROUNDING
    except ValueError:
        return ours != theirs
