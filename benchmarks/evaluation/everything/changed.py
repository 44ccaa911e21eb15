"""What methods that were changed since the large table find now, beside it.

``everything_changed.csv`` has rows like those of ``everything.csv``, with the commit of
the code that made them as one more column; ``everything.csv`` keeps the rows of the
code before. A method is compared on the data sets and seeds that it has in both.

``python -m benchmarks.evaluation everything --out FOLDER --methods …`` makes the rows,
and ``python -m benchmarks.evaluation.everything.changed FOLDER --commit 1f2e3d4`` puts
them into the table; where a fit has a row there already, the new one takes its place.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.evaluation.pages import enumerated, linked, list_table, number
from benchmarks.evaluation.store import RESULTS, Row, read, write

__all__ = ["TABLE", "Change", "changed", "changes", "merge"]

TABLE = "everything_changed.csv"
Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Change:
    """One method before and after, on the same data sets with the same seeds.

    Attributes
    ----------
    method, commit : str
        Its id, and the code that made the rows after; several, if there are.

    n_fits : int
        How many fits are compared.

    ari, rank, fewer : tuple of float
        Before and after: means of the adjusted Rand index, where both have a result;
        of the rank among all methods of the large table, the others as they were; and
        the share of fits with fewer clusters than asked for.

    n_late : tuple of int
        Fits that ran out of time.
    """

    method: str
    commit: str
    n_fits: int
    ari: tuple[float, float]
    rank: tuple[float, float]
    fewer: tuple[float, float]
    n_late: tuple[int, int]


def changes(before: Iterable[Row], after: Iterable[Row]) -> list[Change]:
    """Compare rows with the rows of the same fits of older code.

    Parameters
    ----------
    before, after : iterable of dict
        Rows of the large table, and of that of the changed methods.

    Returns
    -------
    changes : list of Change
        By method.
    """
    new = {_key(row): row for row in after}
    fields: dict[Key, dict[str, Row]] = defaultdict(dict)
    for row in before:
        fields[_field(row)][row["method"]] = row
    pairs: dict[str, list[tuple[Row, Row]]] = defaultdict(list)
    for row in new.values():
        old = fields.get(_field(row), {}).get(row["method"])
        if old is not None:
            pairs[row["method"]].append((old, row))
    return [_change(method, pairs[method], fields) for method in sorted(pairs)]


def _change(
    method: str,
    pairs: Sequence[tuple[Row, Row]],
    fields: Mapping[Key, Mapping[str, Row]],
) -> Change:
    both = [pair for pair in pairs if all(row["status"] == "ok" for row in pair)]
    sides = (0, 1)

    def means(value: Callable[[Row], float]) -> tuple[float, float]:
        one, other = (
            float(np.mean([value(pair[side]) for pair in both])) if both else np.nan
            for side in sides
        )
        return one, other

    def rank(row: Row) -> float:
        others = fields[_field(row)].items()
        scores = np.array(
            [_score(other) for name, other in others if name not in (method, "k-means")]
        )
        ours = _score(row)
        return 1.0 + float(np.sum(scores > ours) + np.sum(scores == ours) / 2)

    late = [
        sum(pair[side]["status"] == "timed out" for pair in pairs) for side in sides
    ]
    return Change(
        method=method,
        commit=", ".join(sorted({row["commit"] for _, row in pairs})),
        n_fits=len(pairs),
        ari=means(lambda row: float(row["ari"])),
        rank=means(rank),
        fewer=means(lambda row: int(row["n_found"]) < int(row["n_clusters"])),
        n_late=(late[0], late[1]),
    )


def _key(row: Row) -> tuple[str, ...]:
    return (*_field(row), row["method"])


def _field(row: Row) -> Key:
    """All fits of one data set with one seed."""
    return row["kind"], row["data"], str(row["n_objects"]), str(row["seed"])


def _score(row: Row) -> float:
    return float(row["ari"]) if row["status"] == "ok" else -np.inf


def changed(results: Path) -> str:
    """What the documentation says of the methods that were changed.

    Parameters
    ----------
    results : path
        Folder of the tables.

    Returns
    -------
    text : str
        In reStructuredText; empty without the table.
    """
    after = read(results / TABLE)
    found = changes(read(results / "everything.csv"), after)
    if not found:
        return ""
    seeds = sorted({row["seed"] for row in after}, key=int)
    told = (
        "The tables below have the rows of the code before these methods were changed. "
        f"Here they are once more (seed{'s' * (len(seeds) > 1)} {enumerated(seeds)}), "
        "each on the data sets that it has been run on since: before, and after. A "
        "rank is that among all methods of the table, the others as they were. The "
        "machine was busy after: what is late there need not be elsewhere.\n"
    )
    head = ("method", "fits", "ARI", "rank", "fewer clusters (%)", "late", "code")
    cells = [
        (
            linked(one.method),
            one.n_fits,
            _beside(*(number(value) for value in one.ari)),
            _beside(*(number(value, 1) for value in one.rank)),
            _beside(*(number(100 * value, 0) for value in one.fewer)),
            _beside(*map(str, one.n_late)),
            one.commit,
        )
        for one in found
    ]
    return "\n".join([told, list_table(head, cells), ""])


def _beside(before: str, after: str) -> str:
    return f"{before} → {after}"


def merge(folder: Path, commit: str, results: Path, *, what: str = "") -> None:
    """Put the rows of a run into the table of the changed methods.

    Those of k-means, which is no method, are left out.

    Parameters
    ----------
    folder : path
        Where the run left ``everything.csv`` and ``everything.json``.

    commit : str
        The code that it ran.

    results : path
        Folder of the tables.

    what : str, default=""
        What else the .json file is to say of it.
    """
    found = [
        {**row, "commit": commit}
        for row in read(folder / "everything.csv")
        if row["method"] != "k-means"
    ]
    rows = {_key(row): row for row in [*read(results / TABLE), *found]}
    order = ("kind", "method", "data", "seed")
    table = sorted(rows.values(), key=lambda row: [row[name] for name in order])
    write(results / TABLE, list(table[0]), table)
    note = (results / TABLE).with_suffix(".json")
    runs = json.loads(note.read_text())["runs"] if note.exists() else []
    told = ", ".join(filter(None, (f"code of {commit}", what)))
    new = json.loads((folder / "everything.json").read_text())["runs"]
    runs += [{"what": told, **run} for run in new]
    note.write_text(json.dumps({"runs": runs}, indent=2) + "\n")


def main(arguments: list[str] | None = None) -> int:
    """Put the rows of runs into the table, as the command line asks for.

    Parameters
    ----------
    arguments : list of str, default=None
        Instead of those of the process.

    Returns
    -------
    code : int
        Exit status.
    """
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evaluation.everything.changed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="that of --out of the run")
    parser.add_argument("--commit", required=True, help="the code that it ran")
    parser.add_argument("--what", default="", help="what else is to be said of it")
    parser.add_argument("--results", type=Path, default=RESULTS)
    asked = parser.parse_args(arguments)
    merge(asked.folder, asked.commit, asked.results, what=asked.what)
    return 0


if __name__ == "__main__":
    sys.exit(main())
