"""The command that labels new rows of a table. Its help is its docstring."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from comitia._optional import import_optional
from comitia.cli._input_files import memory_limit
from comitia.cli._options import Flag, LabelOptions
from comitia.cli._run_command import UsageError, refuse_absent
from comitia.cli._summary import print_json, print_lines, spaced
from comitia.exceptions import ComitiaError

__all__ = ["predict"]

_DATA = LabelOptions()


def predict(
    result: str,
    data: str,
    /,
    *,
    how: LabelOptions = _DATA,
    out: Annotated[str, Parameter(name=["--out", "-o"])] = "predicted.csv",
    force: Flag = False,
    memory: str | None = None,
    json: Flag = False,
    quiet: Flag = False,
) -> None:
    """Label new rows with the clusters of an earlier result.

    The rows are prepared as the table of the result was, its clusterings label them,
    and vote. Columns are found by their names. A result of series labels series.

    Parameters
    ----------
    result
        The folder of a result that comitia fit made.
    data
        Table with the same columns, as for comitia fit; more columns do no harm. Or
        series, of any length: an array (objects, channels, times), or one in each row.
    out
        The file to write: .csv with the columns of labels.csv, or .parquet.
    force
        Replace a file that is there.
    memory
        Memory that one step may take, such as '8 GB'; by default 60 % of what is free.
    json
        Print JSON and nothing else on standard output.
    quiet
        Say nothing but errors.
    """
    refuse_absent(result)
    refuse_absent(data)
    path = Path(out)
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise UsageError(f"-o {out} must end in .csv or .parquet.")
    if path.exists() and not (force and path.is_file()):
        raise ComitiaError(
            f"{out} is there already; give another name with -o"
            f"{', or --force to replace it' if path.is_file() else ''}."
        )
    from comitia.io import Result, read_prepared, read_series
    from comitia.prepare import TablePreparer

    with memory_limit(memory):
        fitted = Result.load(result)
        table: Any
        if "series" in fitted.card.get("needs", ()):
            table = read_series(data, **how.where())
            found = fitted.label_new(table.series)
        elif fitted.preparation is not None:
            preparer = TablePreparer.from_dict(fitted.preparation)
            table = read_prepared(data, preparer, **how.where())
            found = fitted.label_new(table.X, prepared=True)
        else:
            raise ComitiaError(
                f"the result in {result} was made of clusterings or of a graph, and "
                "cannot label rows of a table; comitia fit makes one that can."
            )
        _write(path, found, table)
    _say(fitted, found, table, path, how.truth, json=json, quiet=quiet)


def _write(path: Path, found: Any, table: Any) -> None:
    from comitia._files import atomic_write
    from comitia.io.csv_cells import write_columns
    from comitia.io.result_files import labels_table

    given = found.labels, found.confidence, found.membership
    is_text = path.suffix.lower() == ".csv"
    head, columns = labels_table(
        *given, table.object_names, table.truth, escape=is_text
    )
    if is_text:
        write_columns(path, head, columns, range(2, 3 + found.membership.shape[1]))
        return
    pa = import_optional("pyarrow", "writing .parquet", "io")
    parquet = import_optional("pyarrow.parquet", "writing .parquet", "io")
    with atomic_write(path) as file:
        parquet.write_table(pa.table(dict(zip(head, columns, strict=True))), file)


def _say(
    fitted: Any,
    found: Any,
    table: Any,
    path: Path,
    truth: str | None,
    *,
    json: bool,
    quiet: bool,
) -> None:
    import numpy as np

    from comitia.agreement import agreement

    n = len(found.labels)
    sizes = np.bincount(found.labels, minlength=fitted.n_clusters).tolist()
    scores = {"mean_confidence": float(found.confidence.mean())}
    if table.truth is not None and any(each is not None for each in table.truth):
        for name in ("adjusted_rand", "nmi_sqrt"):
            score = agreement(found.labels, table.truth.tolist(), name)
            scores[f"truth_{name}"] = float(score)
    if json:
        about = {"n_objects": n, "sizes": sizes, "scores": scores}
        notes = [*table.notes]
        print_json({"labels": os.fspath(path), **about, "notes": notes})
    elif not quiet:
        noun = "object" if n == 1 else "objects"
        mean = scores["mean_confidence"]
        lines = [
            ("data", f"{table.source}, {spaced(n)} {noun}", ""),
            *(("note", note, "") for note in table.notes),
            ("clusters", ", ".join(map(spaced, sizes)), ""),
            ("labels", f"mean confidence {mean:.2f}", str(path)),
        ]
        if "truth_adjusted_rand" in scores:
            ari, nmi = scores["truth_adjusted_rand"], scores["truth_nmi_sqrt"]
            lines.append(("truth", f"ARI {ari:.3f}, NMI {nmi:.3f} to {truth}", ""))
        print_lines(lines)
