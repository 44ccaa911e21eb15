"""Run the benchmarks, print one table, and keep it.

``python -m benchmarks [--smoke] [--list] [topic ...]``
"""

import argparse
import csv
import datetime
import importlib.metadata
import json
import os
import platform
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.harness import Row, run_topic, topics

RESULTS = Path(__file__).parent / "results"
PACKAGES = (
    "comitia",
    "numpy",
    "scipy",
    "scikit-learn",
    "numba",
    "llvmlite",
    "pymetis",
    "mtkahypar",
    "fastcluster",
)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for; 1 when a target is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("topics", nargs="*", metavar="topic", help="default: all")
    parser.add_argument(
        "--smoke", action="store_true", help="tiny sizes: only shows that it runs"
    )
    parser.add_argument("--list", action="store_true", help="name the topics and stop")
    parser.add_argument(
        "--out", type=Path, help="folder of the CSV files (default benchmarks/results)"
    )
    asked = parser.parse_args(arguments)
    if asked.list:
        print("\n".join(topics()))
        return 0
    unknown = sorted(set(asked.topics) - set(topics()))
    if unknown:
        parser.error(f"no topic {', '.join(unknown)}; there are {', '.join(topics())}")
    scale = "smoke" if asked.smoke else "full"
    out = asked.out or (RESULTS / "local" if asked.smoke else RESULTS)
    failed = False
    table: list[tuple[str, Row]] = []
    for topic in asked.topics or topics():
        start = time.perf_counter()
        try:
            rows = run_topic(topic, scale)
        except RuntimeError as error:
            print(f"{topic}: {error}", file=sys.stderr, flush=True)
            failed = True
            continue
        seconds = time.perf_counter() - start
        print(f"{topic}: {len(rows)} rows in {seconds:.0f} s", file=sys.stderr)
        table += [(topic, row) for row in rows]
        write(out, topic, scale, rows)
    print(as_table(table, judged=not asked.smoke))
    missed = not asked.smoke and any(row.verdict is False for _, row in table)
    return int(failed or missed)


def as_table(table: list[tuple[str, Row]], judged: bool = True) -> str:
    """The rows under each other, numbers right-aligned."""
    head = (
        "topic",
        "kernel",
        "size",
        "ours s",
        "peer",
        "peer s",
        "ratio",
        "wall 2t s",
        "peak MB",
        "target",
        "",
        "note",
    )
    lines: list[tuple[str, ...]] = [head]
    for topic, row in table:
        verdict = {True: "pass", False: "MISS", None: ""}[row.verdict] if judged else ""
        lines.append(
            (
                topic,
                row.kernel,
                row.size,
                _number(row.ours_s),
                row.peer,
                _number(row.peer_s),
                _number(row.ratio),
                _number(row.wall2_s),
                _number(row.peak_mb),
                row.target_text,
                verdict,
                row.note,
            )
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    right = {3, 5, 6, 7, 8}
    return "\n".join(
        "  ".join(
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def write(folder: Path, topic: str, scale: str, rows: list[Row]) -> None:
    """Keep the rows of a topic as ``<topic>.csv`` and the machine as ``<topic>.json``.

    Each topic says on what it was measured: topics are often run one at a time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    columns = [*asdict(rows[0])] if rows else []
    text = folder / f"{topic}.csv.part"
    with text.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["topic", "scale", *columns], lineterminator="\n")
        writer.writeheader()
        for row in rows:
            values = {**asdict(row), "target": row.target_text, "passed": row.verdict}
            if scale == "smoke":
                values["passed"] = None
            writer.writerow({"topic": topic, "scale": scale, **_rounded(values)})
    text.replace(folder / f"{topic}.csv")
    note = folder / f"{topic}.json.part"
    note.write_text(json.dumps({"topic": topic, "scale": scale, **machine()}, indent=2))
    note.replace(folder / f"{topic}.json")


def machine(more: tuple[str, ...] = ()) -> dict[str, Any]:
    """What the figures depend on besides the code: processor, versions, date, load.

    ``more`` are packages besides the usual ones.
    """
    versions = {"python": platform.python_version()}
    for package in (*PACKAGES, *more):
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return {
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="minutes"),
        "cores": os.cpu_count(),
        "processor": _processor(),
        "memory_gb": round(
            os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1
        ),
        "load": [round(load, 2) for load in os.getloadavg()],
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if "model name" in line).split(": ")[1]
    except (OSError, StopIteration, IndexError):
        return platform.processor()


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 1000 else f"{value:.3g}"


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in values.items()
    }


if __name__ == "__main__":
    sys.exit(main())
