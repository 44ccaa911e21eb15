"""Tables whose rows are the features: turned round, and noticed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from comitia.config import require_memory
from comitia.exceptions import ComitiaError
from comitia.io._cell_text import object_names_of, refuse_duplicates, verbatim
from comitia.io._delimited_text import read_cells
from comitia.io._file_columns import FileColumns

__all__ = ["note_features_in_rows", "transposed"]

# What genes, transcripts, probes and the like are called.
_FEATURE = re.compile(
    r"ENS[A-Z]{0,4}[GTP]\d{6,}(\.\d+)?|ILMN_\d+|[\w/-]+_at|cg\d{7,8}|rs\d{3,}"
    r"|(hsa|mmu)-(mir|miR|let)-[\w-]+|A_\d\d_P\d+|N[MR]_\d{5,}(\.\d+)?"
    r"|(MT-|RP[LS]|CD|IL|HLA-|KRT|COL|SLC|ZNF|TMEM|FAM|LOC)[A-Z0-9-]*\d[A-Z0-9-]*"
)

# Names that are looked at, and the share of them that must look like features.
_GLANCE, _SHARE = 2000, 0.1

# Spread of the columns, largest to smallest, that counts as one scale.
_ALIKE = 10.0


def transposed(found: FileColumns, source: str) -> FileColumns:
    """The table with rows and columns changed.

    Names of the columns become those of the objects. Names of the features are those
    of the rows, or the first column of text.
    """
    if found.is_annotated:
        raise ComitiaError(
            f"{source}: the rows of AnnData are its objects; leave out transpose."
        )
    names, values = list(found.names), list(found.values)
    features, notes = found.object_names, list(found.notes)
    if features is None:
        at = next((j for j, each in enumerate(values) if each.dtype == object), None)
        if at is not None and len(values) > 1:
            features = object_names_of(values.pop(at), blank="")
            notes.append(f"column {names.pop(at)!r} names the features.")
        else:
            features = [f"row {i + 1}" for i in range(len(values[0]))]
    else:
        # What was said of the first column is no longer so.
        notes = [note for note in notes if "objects' names" not in note]
    refuse_duplicates(features, f"turned round, {source}")
    n, p = len(values), len(features)
    if all(each.dtype != object for each in values):
        require_memory(16 * n * p, f"the {n} × {p} table of {source}")
        turned = list(np.array(values, dtype=np.float64).T.copy())
    else:
        # A row of text among rows of numbers: cell by cell.
        cells = [[cell or "" for cell in verbatim(each)] for each in values]
        turned = [read_cells(row) for row in zip(*cells, strict=True)]
    return FileColumns(features, turned, names, notes)


def note_features_in_rows(
    row_names: Sequence[str] | None, found: FileColumns, notes: list[str]
) -> None:
    """Note a table of which the rows look like features: genes in samples."""
    if row_names is None or len(row_names) < 2 * len(found.names):
        return
    some = [str(name) for name in row_names[:_GLANCE]]
    hits = sum(bool(_FEATURE.fullmatch(name)) for name in some)
    if hits < max(_SHARE * len(some), 2):
        return
    numeric = [each for each in found.values if each.dtype != object]
    spread = [np.nanstd(each) for each in numeric if np.isfinite(each).any()]
    if len(spread) < 2 or max(spread) > _ALIKE * max(min(spread), 1e-300):
        return
    first = next(name for name in some if _FEATURE.fullmatch(name))
    notes.append(
        f"rows are called like features ({first!r}) and columns are on one scale: if "
        f"the {len(found.names)} columns are the objects, say --transpose."
    )
