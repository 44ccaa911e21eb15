"""Run the leaderboards, and say what came out differently than in the repository."""

from __future__ import annotations

import importlib
import time
from dataclasses import replace

from benchmarks.evaluation.leaderboards import BOARDS
from benchmarks.evaluation.leaderboards.committed import differences
from benchmarks.evaluation.store import RESULTS, Options

__all__ = ["run"]


def run(options: Options) -> None:
    """Do what has no row yet, board by board."""
    start = time.monotonic()
    boards = {
        board: importlib.import_module(f"benchmarks.evaluation.leaderboards.{board}")
        for board in BOARDS
    }
    for module in boards.values():
        left = options.stop_after
        if left is not None:
            left = max(left - (time.monotonic() - start), 0.0)
        module.run(replace(options, stop_after=left))
    if options.results.resolve() != RESULTS.resolve() and not options.smoke:
        for board, module in boards.items():
            table = f"leaderboard_{board}"
            print("\n".join(differences(table, module.KEY, options.results)))
