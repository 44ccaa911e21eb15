"""Figures that the README of the data folder tells of its sets."""

from __future__ import annotations

from pathlib import Path

__all__ = ["readme_table"]


def readme_table(folder: Path | None, title: str) -> dict[str, dict[str, str]]:
    """The table below a heading, by the name of the set.

    Parameters
    ----------
    folder : path or None
        The data folder, with its ``README.md``.

    title : str
        The heading, without its marks.

    Returns
    -------
    table : dict of str to dict of str to str
        For each set the cells of its line, by the heads of their columns. Empty without
        the file or the heading.
    """
    path = None if folder is None else folder / "README.md"
    if path is None or not path.exists():
        return {}
    _, _, below = path.read_text(encoding="utf-8").partition(f"### {title}\n")
    below = below.partition("\n#")[0]
    lines = [
        [cell.strip() for cell in line.strip().strip("|").split("|")]
        for line in below.splitlines()
        if line.startswith("|")
    ]
    if not lines:
        return {}
    head, _, *body = lines
    return {cells[0]: dict(zip(head, cells, strict=False)) for cells in body}
