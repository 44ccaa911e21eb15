"""Did a change make comitia slower? Rows of the topics at two commits, in one sitting.

``python -m benchmarks.before_after BEFORE AFTER [--rounds 2] [topic ...]``

BEFORE and AFTER are checkouts, each with ``.venv/bin/python``. A topic runs in one,
then in the other, round after round, and the least processor time of each row is
compared: both have the same machine and the same neighbours on it. Only our own times
are taken, on one thread: a call that reaches no function of comitia is a peer's, and is
made once; the peers that take minutes are not run.

Each topic of a round is a file of ``build/before_after``, so that a run that was
stopped goes on. The table is ``benchmarks/results/before_after.csv``, with the commits
and the machine in ``before_after.json``.
"""

import argparse
import csv
import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.__main__ import RESULTS, machine
from benchmarks.harness import ONE_THREAD, ROOT, topics

KEPT = ROOT / "build" / "before_after"
SLOWER = 1.1  # rows above are named

# Runs in the checkout, whose harness may be an older one. The hook goes when the first
# function of comitia is called.
TOPIC = """
import importlib, json, os, sys
import comitia, numpy
from benchmarks import harness

OURS = os.path.dirname(comitia.__file__)
assert OURS.startswith(os.getcwd()), OURS
measure = harness.cpu


def is_ours(func):
    found = []
    def watch(frame, event, _):
        if frame.f_code.co_filename.startswith(OURS):
            found.append(event)
            sys.setprofile(None)
    sys.setprofile(watch)
    func()
    sys.setprofile(None)
    return bool(found)


def cpu(func, repeats=5, *, warm_up=True):
    return measure(func, repeats, warm_up=False) if is_ours(func) else float("nan")


harness.cpu = cpu
harness.two_thread_wall = harness.peak_mb = lambda *_, **__: None
module = importlib.import_module("benchmarks.bench_" + sys.argv[1])
# Peers that take minutes.
if sys.argv[1] == "linkage":
    module._peer = lambda *_: lambda: None
    module._cuts = lambda *_: ""
    module.condensed_coassociation = lambda *_, **__: numpy.zeros(1)
elif sys.argv[1] == "generate":
    module.KMeansRun.measured = lambda _: (float("nan"), float("nan"))
elif sys.argv[1] == "tcut":
    product = module.product_case(10**6)
    module._product = lambda _, size: harness.Row("B'D⁻¹B", size, cpu(product))
if hasattr(module, "PEER_PYTHON"):
    rows = [module._compare("full", *case) for case in module.CASES]
else:
    rows = module.run("full")
print()
print(json.dumps([[row.kernel, row.size, row.peer, row.ours_s] for row in rows]))
"""


def main(arguments: list[str] | None = None) -> int:
    """Measure what is missing and write the table; 1 where a row is slower."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.before_after", description=__doc__
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("topics", nargs="*", metavar="topic", help="default: all")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--out", type=Path, default=RESULTS / "before_after.csv")
    asked = parser.parse_intermixed_args(arguments)
    trees = {commit(tree): tree.resolve() for tree in (asked.before, asked.after)}
    for number in range(asked.rounds):
        for topic in asked.topics or topics():
            for name, tree in trees.items():
                measured(name, tree, topic, number)
    rows = table(*trees)
    write(asked.out, rows, *trees)
    slower = [row for row in rows if row["ratio"] > SLOWER]
    for row in slower:
        print(
            "{topic}: {kernel}, {size}: {before_s} s, now {after_s} s".format_map(row)
        )
    print(f"{len(rows)} rows, {len(slower)} slower by more than a tenth; {asked.out}")
    return 1 if slower else 0


def commit(tree: Path) -> str:
    """The commit of a checkout, shortened."""
    words = ["git", "-C", str(tree), "rev-parse", "--short=7", "HEAD"]
    return subprocess.check_output(words, text=True).strip()


def measured(name: str, tree: Path, topic: str, number: int) -> None:
    """Run a topic in a checkout, unless it is in the file."""
    kept = KEPT / f"{name}-{topic}-{number}.json"
    if kept.exists():
        return
    print(f"{topic} at {name}, round {number + 1}", file=sys.stderr, flush=True)
    done = subprocess.run(
        [str(tree / ".venv" / "bin" / "python"), "-c", TOPIC, topic],
        cwd=tree,
        env={**os.environ, **ONE_THREAD},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    KEPT.mkdir(parents=True, exist_ok=True)
    kept.write_text(done.stdout.strip().splitlines()[-1])


def table(before: str, after: str) -> list[dict[str, Any]]:
    """The least times of the rows that both commits have."""
    rows = []
    for topic in topics():
        old, new = (least(name, topic) for name in (before, after))
        for key in old.keys() & new.keys():
            kernel, size = key
            one, other = min(old[key]), min(new[key])
            rows.append(
                {
                    "topic": topic,
                    "kernel": kernel,
                    "size": size,
                    "before_s": float(f"{one:.4g}"),
                    "after_s": float(f"{other:.4g}"),
                    "ratio": round(other / one, 3),
                    "rounds": min(len(old[key]), len(new[key])),
                }
            )
    return sorted(rows, key=lambda row: (row["topic"], row["kernel"], row["size"]))


def least(name: str, topic: str) -> dict[tuple[str, str], list[float]]:
    """The times of each row in the rounds that are kept."""
    times: dict[tuple[str, str], list[float]] = {}
    for kept in sorted(KEPT.glob(f"{name}-{topic}-*.json")):
        here = {
            (kernel, size): seconds
            for kernel, size, _, seconds in json.loads(kept.read_text())
            if seconds is not None and not math.isnan(seconds)
        }
        for key, seconds in here.items():
            times.setdefault(key, []).append(seconds)
    return times


def write(path: Path, rows: list[dict[str, Any]], before: str, after: str) -> None:
    """Keep the table, and what it depends on."""
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    about = {"topic": "before_after", "before": before, "after": after, **machine()}
    path.with_suffix(".json").write_text(json.dumps(about, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
