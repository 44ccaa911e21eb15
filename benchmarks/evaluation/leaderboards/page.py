"""What the documentation says of all leaderboards: one entry for each."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from benchmarks.evaluation.leaderboards import BOARDS

__all__ = ["board_page", "page"]


def page(results: Path, figures: Path) -> str:
    """What came out on each board, with a link to its page."""
    return "\n".join(
        f":doc:`/evaluation/leaderboards/{board}`\n    {_module(board).answer(results)}"
        for board in BOARDS
    )


def board_page(board: str, results: Path, figures: Path) -> str:
    """What the documentation says of one board.

    Parameters
    ----------
    board : str
        One of :data:`~benchmarks.evaluation.leaderboards.BOARDS`.

    results : path
        Folder of the tables.

    figures : path
        Folder for the plots.

    Returns
    -------
    text : str
        In reStructuredText.
    """
    return str(_module(board).page(results, figures))


def _module(board: str) -> Any:
    return importlib.import_module(f"benchmarks.evaluation.leaderboards.{board}")
