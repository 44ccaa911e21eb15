"""How the house stands: the walk of ``fit``, public names, single users, size.

    python tools/house.py            every count
    python tools/house.py walk       files, frames and functions on the way through fit
    python tools/house.py files      the same by name: what each file of the way is for

Everything is counted from the source and from one profiled run; nothing is measured in
seconds. Figures are printed as one table per topic, to be compared before and after a
change of structure.
"""

from __future__ import annotations

import ast
import functools
import io
import sys
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).parents[1]
SRC = ROOT / "src" / "comitia"
STAGES = (
    "agreement",
    "validity",
    "cluster",
    "generate",
    "weigh",
    "select",
    "represent",
    "partition",
    "optimize",
    "engine",
)


# What makes attributes when they are first asked for, and kernels of functions.
MACHINERY = ("_lazy.py", "_njit.py")


def main() -> None:
    """Print the topics that were asked for."""
    asked = sys.argv[1:] or [topic for topic in TOPICS if topic != "files"]
    for topic in asked:
        print(f"{topic}\n{'-' * len(topic)}")
        TOPICS[topic]()
        print()


# -- the walk of fit -------------------------------------------------------------------


def walk() -> None:
    """Files, frames and functions from ``fit`` to the arithmetic."""
    print(f"{'':22}{'files':>8}{'frames':>8}{'functions':>11}")
    for name, calls, depth in walks():
        files = {file for file, _ in calls}
        print(f"{name:22}{len(files):>8}{depth:>8}{len(calls):>11}")


def files() -> None:
    """The files on the way, and the functions that are entered in each."""
    for name, calls, _ in walks():
        print(name)
        for file in sorted({file for file, _ in calls}):
            entered = sorted(function for at, function in calls if at == file)
            print(f"    {Path(file).relative_to(SRC)}: {', '.join(entered)}")


def walks() -> Iterator[tuple[str, set[tuple[str, str]], int]]:
    """The functions that fits enter, and how deep, by method and size."""
    sys.path.insert(0, str(ROOT))
    import comitia
    from benchmarks.ensembles import planted_labels

    for method in ("lwea", "lwgp"):
        for n in (178, 60_000):
            # Noise enough that nearly all of the label rows differ.
            ensemble = comitia.Ensemble(planted_labels(n, 8, 10, 0.6)[0])
            estimator = comitia.method(method)(4, random_state=0)
            run = functools.partial(estimator.fit, ensemble)
            yield f"{method} n={n}", *profiled(run)


def profiled(run: Callable[[], Any]) -> tuple[set[tuple[str, str]], int]:
    """The functions of comitia that a run enters, and how deep they are nested.

    Files of kernels count like others. Lambdas and comprehensions are left out, and
    the machinery of lazy attributes and of compilation.
    """
    run()  # imports and compilation are not part of the walk
    calls: set[tuple[str, str]] = set()
    deepest = 0

    def look(frame: FrameType, event: str, _: Any) -> None:
        nonlocal deepest
        if event != "call" or not is_ours(frame):
            return
        calls.add((frame.f_code.co_filename, frame.f_code.co_qualname))
        depth = 0
        at: FrameType | None = frame
        while at is not None:
            depth += is_ours(at)
            at = at.f_back
        deepest = max(deepest, depth)

    sys.setprofile(look)
    try:
        run()
    finally:
        sys.setprofile(None)
    return calls, deepest


def is_ours(frame: FrameType) -> bool:
    """Whether a frame belongs to a function of comitia with a name of its own."""
    code = frame.f_code
    return (
        str(SRC) in code.co_filename
        and not code.co_name.startswith("<")
        and not code.co_filename.endswith(MACHINERY)
    )


# -- names and their users -------------------------------------------------------------


def names() -> None:
    """Public names of the stage packages, and how many other packages use each."""
    print(f"{'package':14}{'public':>8}{'no user':>9}{'one user':>10}")
    used = users()
    total = Counter[str]()
    for package in STAGES:
        if not (SRC / package).exists():
            continue
        public = exported(package)
        n_users = {
            name: len({file for file in used.get(name, set()) if file[0] != package})
            for name in public
        }
        counts = Counter(
            public=len(public),
            none=sum(n == 0 for n in n_users.values()),
            one=sum(n == 1 for n in n_users.values()),
        )
        total.update(counts)
        print(
            f"{package:14}{counts['public']:>8}{counts['none']:>9}{counts['one']:>10}"
        )
    print(f"{'all':14}{total['public']:>8}{total['none']:>9}{total['one']:>10}")


def exported(package: str) -> list[str]:
    """What ``from comitia.package import …`` offers."""
    import importlib

    return list(importlib.import_module(f"comitia.{package}").__all__)


def users() -> dict[str, set[tuple[str, ...]]]:
    """For each identifier the source files that mention it, as their path's parts."""
    found: dict[str, set[tuple[str, ...]]] = {}
    for path in sources():
        for name in identifiers(path):
            found.setdefault(name, set()).add(path.relative_to(SRC).parts)
    return found


def single_users() -> None:
    """Modules that one other module imports, or none."""
    importers: dict[str, set[str]] = {module_name(p): set() for p in sources()}
    for path in sources():
        for imported in imports(path):
            for candidate in (imported, imported.rpartition(".")[0]):
                if candidate in importers and candidate != module_name(path):
                    importers[candidate].add(module_name(path))
                    break
    few = {m: sorted(u) for m, u in importers.items() if len(u) <= 1}
    inner = {m: u for m, u in few.items() if ".methods." not in m}
    print(
        f"{len(importers)} modules, {len(inner)} outside methods/ with one user or none"
    )


def imports(path: Path) -> Iterator[str]:
    """The full names that a file imports from comitia."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(
            "comitia"
        ):
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            yield from (a.name for a in node.names if a.name.startswith("comitia"))


# -- size ------------------------------------------------------------------------------


def size() -> None:
    """Lines of the source, and lines that hold code."""
    n_lines = n_code = n_files = 0
    for path in sources():
        text = path.read_text(encoding="utf-8")
        n_files += 1
        n_lines += text.count("\n")
        n_code += len(code_lines(text))
    print(f"{n_files} files, {n_lines} lines, {n_code} of code")


def code_lines(text: str) -> set[int]:
    """The lines that hold more than a comment or a docstring."""
    skipped = {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
    }
    doc = docstring_lines(ast.parse(text))
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in skipped:
            lines.update(range(token.start[0], token.end[0] + 1))
    return lines - doc


def docstring_lines(tree: ast.Module) -> set[int]:
    """The lines of all docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and body
            and isinstance(body[0], ast.Expr)
            and isinstance(body[0].value, ast.Constant)
            and isinstance(body[0].value.value, str)
        ):
            lines.update(range(body[0].lineno, (body[0].end_lineno or 0) + 1))
    return lines


def sources() -> list[Path]:
    """The modules of comitia."""
    return sorted(SRC.rglob("*.py"))


def module_name(path: Path) -> str:
    """Its dotted name."""
    parts = path.relative_to(SRC.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


def identifiers(path: Path) -> set[str]:
    """Every name, attribute and imported name in a file, docstrings left out."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.ImportFrom):
            found.update(alias.name for alias in node.names)
    return found


TOPICS: dict[str, Callable[[], None]] = {
    "walk": walk,
    "files": files,
    "names": names,
    "single_users": single_users,
    "size": size,
}

if __name__ == "__main__":
    main()
