"""Run the evaluation.

``python -m benchmarks.evaluation [part ...] [--data FOLDER] [--jobs N] [--smoke]``

Rows that are finished are kept: a run that was stopped goes on with the same command.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.evaluation import PARTS
from benchmarks.evaluation.store import RESULTS, Options

SMOKE_RESULTS = RESULTS.parent / "local" / "evaluation"


def main(arguments: list[str] | None = None) -> int:
    """Run the parts that the command line asks for.

    Parameters
    ----------
    arguments : list of str, default=None
        Instead of those of the process.

    Returns
    -------
    code : int
        Exit status.
    """
    parser = _parser()
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.parts) - set(PARTS))
    if unknown:
        parser.error(f"no part {', '.join(unknown)}; there are {', '.join(PARTS)}")
    if asked.data is not None and not asked.data.is_dir():
        parser.error(f"--data {asked.data} is no folder")
    options = _options(asked)
    end = None if asked.stop_after is None else time.monotonic() + asked.stop_after
    for part in asked.parts or PARTS:
        if end is not None:
            options = replace(options, stop_after=max(end - time.monotonic(), 0.0))
        importlib.import_module(f"benchmarks.evaluation.{part}.run").run(options)
    return 0


def _parser() -> argparse.ArgumentParser:
    default = Options()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evaluation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)}; default all")
    add(
        "--data",
        type=Path,
        default=os.environ.get("COMITIA_DATA"),
        help="folder of the data sets (default: COMITIA_DATA, or none: what comes with "
        "scikit-learn)",
    )
    add("--out", type=Path, help=f"folder of the tables (default {RESULTS})")
    add("--jobs", type=int, default=1, help="processes at the same time")
    add("--seeds", type=int, default=len(default.seeds), help="number of repetitions")
    add("--max-objects", type=int, help="cut larger data sets to so many objects")
    add("--time-limit", type=float, default=default.time_limit, help="seconds of a job")
    add("--memory-limit", type=float, default=default.memory_limit, help="MB of a job")
    add("--stop-after", type=float, help="seconds after which all is stopped")
    add("--methods", default="", help="ids, separated by commas (default: all)")
    add("--sets", default="", help="data sets, separated by commas (default: all)")
    add("--retry", action="store_true", help="do again what failed before")
    add("--smoke", action="store_true", help="only show that it runs, in seconds")
    return parser


def _options(asked: argparse.Namespace) -> Options:
    return Options(
        # A smoke test looks the same everywhere.
        data=None if asked.smoke or asked.data is None else Path(asked.data).resolve(),
        results=asked.out or (SMOKE_RESULTS if asked.smoke else RESULTS),
        n_jobs=asked.jobs,
        seeds=tuple(range(asked.seeds)),
        max_objects=asked.max_objects,
        time_limit=asked.time_limit,
        memory_limit=asked.memory_limit,
        stop_after=asked.stop_after,
        methods=tuple(asked.methods.split(",")) if asked.methods else (),
        sets=tuple(asked.sets.split(",")) if asked.sets else (),
        smoke=asked.smoke,
        retry=asked.retry,
    )


if __name__ == "__main__":
    sys.exit(main())
