"""The properties of tests/hard/test_properties.py at night, in shards that resume.

``python -m tests.hard.nightly [-j 2] [--methods lwea,eac] [--shards 20] [--first 0]``

Every method is tried on 20 shards of 1 000 examples, which its properties share. A
shard has seeds of its own: it draws other examples than its neighbours, and the same
ones when it is run again. All methods have their first shard before one has its second.

A shard of a method and a property that is done is a line of ``build/nightly.csv``, so
that a night that was stopped goes on with what is missing. What passed at another
commit is missing, unless ``--any-commit`` is said; so is what passed with changes that
were not committed. What failed is told at the end, with what it takes to see it again,
and stands in a file of ``build/nightly-failures``.

``--summary`` writes what is known so far by method and property, and runs nothing. The
file, ``benchmarks/results/nightly.csv``, is kept with the code: another machine, which
has no ``build/nightly.csv``, takes from it which shards have passed at which commit.
"""

import argparse
import csv
import os
import subprocess
import sys
import time
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TESTS = "tests/hard/test_properties.py"
KNOWN = ROOT / "benchmarks" / "results" / "nightly.csv"
COLUMNS = (
    "method",
    "property",
    "shard",
    "examples",
    "outcome",
    "cpu_s",
    "date",
    "commit",
    "versions",
)
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "hypothesis")
CHANGED = "+"  # after the commit: with changes that were not committed


def main(arguments=None):
    """Run what is missing, or sum up what is there; 1 if a shard failed."""
    asked = command_line().parse_args(arguments)
    if asked.summary is None:
        run(asked)
    rows = all_known(asked)
    if asked.summary is not None:
        write(asked.summary, summary(rows.values(), ["method", "property"]))
    print_table(summary(rows.values(), ["method"]))
    failed = [row for row in rows.values() if row["outcome"] != "passed"]
    for row in failed:
        print(f"\n{row['outcome']}: {again(row)}\n  {report_of(asked.out, row)}")
    return 1 if failed else 0


def command_line():
    parser = argparse.ArgumentParser(
        prog="python -m tests.hard.nightly", description=__doc__
    )
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes")
    parser.add_argument("--methods", help="ids, separated by commas; default all")
    parser.add_argument("--shards", type=int, default=20)
    parser.add_argument("--examples", type=int, default=1000, help="of a shard")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "nightly.csv")
    parser.add_argument("--any-commit", action="store_true")
    parser.add_argument("--first", type=int, default=0, help="shard to begin with")
    parser.add_argument("--known", type=Path, default=KNOWN, help="an older summary")
    parser.add_argument("--summary", type=Path, nargs="?", const=KNOWN)
    return parser


def all_known(asked):
    """The last word on each shard, of this machine or of the summary."""
    return last_of_each([*shards_of(read(asked.known)), *read(asked.out)])


def run(asked):
    """Run the shards that the file does not have yet, one number after the other."""
    chosen = asked.methods.split(",") if asked.methods else properties()
    done = {
        key
        for key, row in all_known(asked).items()
        if is_done(row, commit(), asked.any_commit)
    }
    for shard in map(str, range(asked.first, asked.shards)):
        names = [
            f"{TESTS}::{name}[{method}]"
            for method in chosen
            for name in properties()[method]
            if (method, name, shard, share(method, asked.examples)) not in done
        ]
        if names:
            run_shard(names, shard, asked)


@cache
def properties():
    """The names of the tests that each method has, by its id."""
    from tests.hard import test_properties

    found = {}
    for name, test in vars(test_properties).items():
        if name.startswith("test_"):
            (parameters,) = test.pytestmark
            for cls in parameters.args[1]:
                found.setdefault(cls.card.id, []).append(name)
    return found


def share(method, n_examples):
    """The examples that each property of a method has of a shard, as in the file."""
    return str(-(-int(n_examples) // len(properties()[method])))


def is_done(row, now, any_commit):
    """Whether a shard need not be run again."""
    same = row["commit"] == now and not now.endswith(CHANGED)
    return row["outcome"] == "passed" and (any_commit or same)


def run_shard(names, shard, asked):
    """Run tests in processes of their own; a kernel may take its process with it."""
    environment = os.environ | {
        "COMITIA_PROFILE": "nightly",
        "COMITIA_SHARD": shard,
        "COMITIA_EXAMPLES": str(asked.examples),
        "COMITIA_NIGHTLY": str(asked.out.resolve()),
    }
    # What takes half an hour is shown with what it is doing, and goes on.
    options = ["-q", "--tb=short", "-o", "faulthandler_timeout=1800"]
    plugins = ["-p", "no:cacheprovider", "-p", "tests.hard.nightly"]
    command = [sys.executable, "-m", "pytest", "-n", str(asked.jobs), *options]
    done = subprocess.run([*command, *plugins, *names], env=environment, cwd=ROOT)
    if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"pytest ended with code {done.returncode}; no shard can be run.")


# -- what pytest tells ---------------------------------------------------------------


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Count the seconds of the processor, in the process that runs the test."""
    begin = time.process_time()
    try:
        return (yield)
    finally:
        spent = time.process_time() - begin
        item.user_properties.append(("cpu_s", round(spent, 1)))


def pytest_configure(config):
    # The one process that is told what became of all tests.
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(os.environ["COMITIA_NIGHTLY"])))


class Recorder:
    """Writes a line for each test that has ended, and a file for each that failed."""

    def __init__(self, path):
        self.path = path
        self.commit = commit()
        self.versions = versions()

    def pytest_runtest_logreport(self, report):
        # A test whose process died has ended too, and neither before nor after.
        if report.when != "call" and report.passed:
            return
        name, _, method = report.nodeid.rpartition("::")[2].rstrip("]").partition("[")
        row = {
            "method": method,
            "property": name,
            "shard": os.environ["COMITIA_SHARD"],
            "examples": share(method, os.environ["COMITIA_EXAMPLES"]),
            "outcome": report.outcome,
            "cpu_s": dict(report.user_properties).get("cpu_s", ""),
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "commit": self.commit,
            "versions": self.versions,
        }
        append(self.path, row)
        if report.failed:
            file = report_of(self.path, row)
            file.parent.mkdir(exist_ok=True)
            file.write_text(f"{again(row)}\n\n{report.longreprtext}\n")


def report_of(path, row):
    """The file that has what a failed test said."""
    name = "{method}-{property}-{shard}.txt".format_map(row)
    return path.with_name(f"{path.stem}-failures") / name


def again(row):
    """The command that runs a shard of a method and a property alone."""
    return (
        f"COMITIA_PROFILE=nightly COMITIA_SHARD={row['shard']} "
        f"COMITIA_EXAMPLES={int(row['examples']) * len(properties()[row['method']])} "
        f"python -m pytest '{TESTS}::{row['property']}[{row['method']}]'"
    )


def commit():
    """The commit of the checkout, with a mark where files differ from it."""
    try:
        head = _git("rev-parse", "--short=12", "HEAD")
        return head + CHANGED * bool(_git("status", "--porcelain"))
    except (OSError, subprocess.CalledProcessError):
        return CHANGED  # not a checkout


def _git(*words):
    done = subprocess.run(
        ["git", *words], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def versions():
    python = ".".join(map(str, sys.version_info[:3]))
    return " ".join([f"python {python}", *(f"{p} {version(p)}" for p in PACKAGES)])


# -- the file ------------------------------------------------------------------------


def read(path):
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return [*csv.DictReader(file)]


def write(path, rows):
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def append(path, row):
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def last_of_each(rows):
    """The last word on each shard."""
    key = ("method", "property", "shard", "examples")
    return {tuple(row[name] for name in key): row for row in rows}


def summary(rows, by):
    """Sums over the shards of a method, or of a method and a property."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    return [
        {
            **dict(zip(by, key, strict=True)),
            "shards": len({row["shard"] for row in some}),
            "passed": ranges(
                {int(row["shard"]) for row in some if row["outcome"] == "passed"}
            ),
            "examples": sum(int(row["examples"]) for row in some),
            "failed": sum(row["outcome"] != "passed" for row in some),
            "cpu_s": round(sum(float(row["cpu_s"] or 0) for row in some)),
            "date": max(row["date"] for row in some),
            "commits": " ".join(sorted({row["commit"] for row in some})),
            "versions": "; ".join(sorted({row["versions"] for row in some})),
        }
        for key, some in sorted(groups.items())
    ]


def shards_of(rows):
    """The shards that passed, as lines, of a summary by method and property."""
    for row in rows:
        n = int(row["shards"])
        for shard in numbers(row["passed"]):
            yield {
                **{name: row[name] for name in COLUMNS if name in row},
                "shard": str(shard),
                "examples": str(int(row["examples"]) // n),
                "outcome": "passed",
                "cpu_s": float(row["cpu_s"]) / n,
                "commit": row["commits"],
            }


def ranges(found):
    """Whole numbers in words: ``"0-2 5"`` for 0, 1, 2 and 5."""
    starts = [i for i in sorted(found) if i - 1 not in found]
    ends = [i for i in sorted(found) if i + 1 not in found]
    pairs = zip(starts, ends, strict=True)
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in pairs)


def numbers(words):
    """What :func:`ranges` wrote."""
    for word in words.split():
        first, _, last = word.partition("-")
        yield from range(int(first), int(last or first) + 1)


def print_table(rows):
    """What a person wants to see of a summary, and the sum of all."""
    for row in rows:
        print("{method:24} {examples:>8} examples {cpu_s:>8} s".format_map(row), end="")
        print(f"  {row['failed']} failed" * bool(row["failed"]))
    n, seconds, failed = (
        sum(row[name] for row in rows) for name in ("examples", "cpu_s", "failed")
    )
    print(f"{len(rows)} methods, {n} examples, {seconds} s, {failed} shards failed")


if __name__ == "__main__":
    sys.exit(main())
