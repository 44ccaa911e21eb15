"""Break the kernels and the weights on purpose, and see whether the tests notice.

    python tools/mutants.py --work /tmp/mutants --cpu-minutes 15

A mutant is the code with one operator, constant or ``min`` changed. They are drawn with
a seed from all places in functions where something can be changed; each is written
into a copy of the tree, and the tests that are nearest to its module are run on it.
Kernels run as plain Python (``NUMBA_DISABLE_JIT``), so that nothing is compiled: tests
that are then too slow, or do not pass without any mutant, are left out. Each mutant is
a fork of this process, which has imported everything but the package.

What was found is kept line by line, and a second call goes on behind it. ``--again``
runs those that survived once more, after a test was written, ``--module`` those of one
module; ``--compiled`` runs all tests of their module on them, with kernels that are
compiled. A mutant that cannot be noticed, because the code does the same, is listed in
``EQUIVALENT`` with the reason.
"""

from __future__ import annotations

import argparse
import ast
import copy
import csv
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks/results/mutants.csv"
_SITE = ("module", "line", "code", "before", "after")
COLUMNS = ("number", *_SITE, "outcome", "by", "cpu_s")

# CPU seconds that a test may take, and all tests of a mutant, when nothing is wrong.
_TEST, _ALL = 1.0, 8.0
# Those after which a test on a mutant hangs, and a mutant as a whole.
_HANGS, _MUTANT = 3.0, 30

_AGREEMENT = ("tests/test_agreement.py", "tests/test_ensemble.py")
_ROWS = (
    "tests/partition/test_kmeans.py",
    "tests/represent/test_implicit.py",
    "tests/represent/test_cluster_sums.py",
)
_TCUT = ("tests/partition/test_tcut.py",)
_ENTROPY = ("tests/weigh/test_cluster_entropy.py",)
_VALIDITY = ("tests/validity/test_indices.py", "tests/validity/test_table.py")
_LINKAGE = (
    "tests/partition/test_linkage.py",
    "tests/partition/test_linkage_kernels.py",
    "tests/partition/test_micro_linkage.py",
)
_NEIGHBORS = ("tests/generate/test_shapes.py", "tests/generate/test_graph_generator.py")
_SAMPLES = ("tests/generate/test_kmeans_on_samples.py",)

# The tests of each module, those that look at it most closely first.
TESTS = {
    "_kernels/assign": _SAMPLES,
    "_kernels/bipartite_edges": ("tests/methods/test_sccabg.py",),
    "_kernels/cluster_medoids": ("tests/cluster/test_kmedoids.py",),
    "_kernels/cluster_minkowski": ("tests/cluster/test_minkowski.py",),
    "_kernels/cluster_som": ("tests/methods/test_yang_tan_2012_som.py",),
    "_kernels/coassociation": (
        "tests/represent/test_coassociation.py",
        "tests/represent/test_edges.py",
        "tests/partition/test_linkage.py",
    ),
    "_kernels/communities": (
        "tests/cluster/test_communities.py",
        "tests/methods/test_ecg.py",
    ),
    "_kernels/contingency": (
        "tests/test_contingency_kernels.py",
        *_AGREEMENT,
        *_TCUT,
        *_ENTROPY,
    ),
    "_kernels/cross_association": (
        "tests/methods/test_cross_assoc_2011_search.py",
        "tests/methods/test_cross_assoc_2011.py",
    ),
    "_kernels/feature_distances": ("tests/methods/test_zhou_zhu_2017_clustering.py",),
    "_kernels/fuzzy": (
        "tests/cluster/test_fuzzy_kernels.py",
        "tests/cluster/test_fuzzy.py",
        "tests/cluster/test_gustafson_kessel.py",
    ),
    "_kernels/gaps": ("tests/prepare/test_table_preparer.py",),
    "_kernels/hidden_markov": (
        "tests/cluster/test_hmm_kernels.py",
        "tests/cluster/test_hmm.py",
    ),
    "_kernels/joined_pairs": ("tests/methods/test_spce.py",),
    "_kernels/knn": _NEIGHBORS,
    "_kernels/label_rows": (
        "tests/test_label_row_kernels.py",
        "tests/test_ensemble.py",
        *_ROWS,
        *_TCUT,
    ),
    "_kernels/landmarks": ("tests/generate/test_landmark_spectral.py",),
    "_kernels/leiden": ("tests/cluster/test_leiden_louvain.py",),
    "_kernels/linkage": _LINKAGE,
    "_kernels/moves": ("tests/partition/test_median_search.py",),
    "_kernels/multiplex": ("tests/methods/test_ceam.py",),
    "_kernels/nearest": (*_NEIGHBORS, "tests/cluster/test_genie.py"),
    "_kernels/neighbors": ("tests/methods/test_gp_mgla.py",),
    "_kernels/pairwise": ("tests/validity/test_pairwise_kernels.py", *_VALIDITY),
    "_kernels/powers": ("tests/cluster/test_minkowski.py",),
    "_kernels/single_linkage": _LINKAGE,
    "_kernels/smooth_rows": ("tests/methods/test_awec.py",),
    "_kernels/spanning_tree": ("tests/cluster/test_genie.py",),
    "_kernels/sums": (*_AGREEMENT, *_ROWS, "tests/represent/test_coassociation.py"),
    "_kernels/validity": _VALIDITY,
    "engine/compiled": (
        "tests/test_engines.py",
        *_AGREEMENT,
        *_ROWS,
        *_TCUT,
        *_ENTROPY,
    ),
    "weigh/cluster_entropy": _ENTROPY,
    "weigh/cluster_silhouettes": ("tests/methods/test_wecr.py",),
    "weigh/clusterings": ("tests/weigh/test_clusterings.py",),
    "weigh/groups": ("tests/weigh/test_groups.py",),
    "weigh/indices": ("tests/weigh/test_indices.py",),
    "weigh/mean_agreement": ("tests/weigh/test_mean_agreement.py",),
    "weigh/object_uncertainty": ("tests/weigh/test_object_uncertainty.py",),
}

# Mutants that compute the same, and why they do: by module, the line of code, and what
# is changed in it into what. Not by the number of the line, which moves.
_HASH = "rows with equal hashes are compared label by label"
EQUIVALENT: dict[tuple[str, str, str, str], str] = {
    (
        "_kernels/label_rows",
        "for m in range(0, n_clusterings - 3, 4):",
        "0",
        "1",
    ): _HASH,
    (
        "_kernels/label_rows",
        "hashes[i] = (hashes[i] ^ np.uint64(codes[m, i])) * prime",
        "hashes[i] ^ np.uint64(codes[m, i])",
        "hashes[i] & np.uint64(codes[m, i])",
    ): _HASH,
    (
        "_kernels/hidden_markov",
        "if product < SMALLEST_SCALE:",
        "product < SMALLEST_SCALE",
        "product <= SMALLEST_SCALE",
    ): "the logarithm is taken a step earlier, and is the same",
    (
        "_kernels/linkage",
        "best, begin, end, total, drop = -1.0, 0, 0, 0, 0.0",
        "0.0",
        "1.0",
    ): "any row is better than none, so the numbers to begin with are not returned",
    (
        "_kernels/linkage",
        "at_least = max(s, links[depth - 1])",
        "max",
        "min",
    ): "a search that is promised less looks further and finds the same",
    (
        "_kernels/linkage",
        "parent = np.arange(2 * n - 1)",
        "2",
        "3",
    ): "more room than is used",
    (
        "_kernels/linkage",
        "parent = np.arange(2 * n - 1)",
        "1",
        "2",
    ): "nobody asks for the parent of the last cluster",
    (
        "_kernels/pairwise",
        "for q in range(min(4, n - i)):",
        "n - i",
        "n + i",
    ): "a row behind the last has no columns",
    (
        "_kernels/pairwise",
        "for i in range(i0, min(i1, high), 4):",
        "min",
        "max",
    ): "of rows behind the tile nothing is looked at",
    (
        "_kernels/moves",
        "top, top_own = np.int64(-(2**60)), np.int64(-(2**60))",
        "60",
        "61",
    ): "less than any exponent, and not read where there is none",
    (
        "_kernels/moves",
        "best, highest, may_open = -1, -np.inf, free",
        "-1",
        "1",
    ): "whatever cluster is tried first is better",
    (
        "_kernels/moves",
        "if gain >= 0.0 or draws[step, 2] < math.exp(gain / temperature):",
        "gain >= 0.0",
        "gain > 0.0",
    ): "exp(0) is 1, and draws are less",
    (
        "engine/compiled",
        "codes = block.codes.astype(coded.dtype, copy=False)",
        "False",
        "True",
    ): "a copy holds the same labels",
    (
        "weigh/object_uncertainty",
        "table = np.pad(table, ((0, 1), (0, 1)))",
        "1",
        "2",
    ): "no code reaches a second row of zeros",
}

_QUIET = (
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
    "--no-header",
    "--tb=native",
)
# Hashes wrap around, which NumPy warns of and compiled code does not.
_WRAPS = ("-W", "ignore:overflow encountered:RuntimeWarning")

Site = dict[str, Any]


# -- mutants ---------------------------------------------------------------------------

_OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
_NAMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "argmin": "argmax",
    "argmax": "argmin",
}


def changed(node: ast.AST) -> ast.AST | None:
    """The node with one thing changed; None where nothing can be."""
    new: Any = copy.deepcopy(node)
    if isinstance(new, ast.BinOp | ast.AugAssign | ast.BoolOp):
        other = _OTHER.get(type(new.op))
        if other is None:
            return None
        new.op = other()
    elif isinstance(new, ast.Compare):
        other = _OTHER.get(type(new.ops[0]))
        if other is None:
            return None
        new.ops[0] = other()
    elif isinstance(new, ast.UnaryOp) and isinstance(new.op, ast.Not | ast.USub):
        return new.operand
    elif isinstance(new, ast.Constant) and isinstance(new.value, bool):
        new.value = not new.value
    elif isinstance(new, ast.Constant) and isinstance(new.value, int):
        new.value += 1
    elif isinstance(new, ast.Constant) and isinstance(new.value, float):
        new.value = 2 * new.value or 1.0
    elif isinstance(new, ast.Name) and new.id in _NAMES:
        new.id = _NAMES[new.id]
    elif isinstance(new, ast.Attribute) and new.attr in _NAMES:
        new.attr = _NAMES[new.attr]
    else:
        return None
    return new


def sites_of(module: str) -> list[Site]:
    """The places of a module that can be changed, all of them in functions."""
    text = (ROOT / f"src/comitia/{module}.py").read_text()
    tree, lines = ast.parse(text), text.splitlines()
    found = []
    for place, node in enumerate(_inside_functions(tree)):
        new = changed(node)
        if new is not None:
            line = getattr(node, "lineno", 0)
            where = {"line": line, "code": lines[line - 1].strip(), "place": place}
            texts = {"before": ast.unparse(node), "after": ast.unparse(new)}
            found.append({"module": module, **where, **texts})
    return found


def mutated(site: Site) -> str:
    """The text of a module with the change of a site."""
    tree = ast.parse((ROOT / f"src/comitia/{site['module']}.py").read_text())
    for place, node in enumerate(_inside_functions(tree)):
        if place == site["place"]:
            new: Any = changed(node)
            # In place, as whatever holds the node is not known here.
            node.__class__ = new.__class__
            node.__dict__ = new.__dict__
            return ast.unparse(tree)
    raise LookupError(site)


def _inside_functions(tree: ast.AST) -> Iterator[ast.AST]:
    """Nodes of the bodies of functions: no decorator, annotation or default."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            for statement in node.body:
                if not _is_docstring(statement):
                    yield from _computed(statement)
        elif isinstance(node, ast.ClassDef):
            yield from _inside_functions(node)


def _computed(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Raise):  # the words of an error
        return
    yield node
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "decorator_list", "returns"):
            continue
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, ast.AST):
                yield from _computed(each)


def _is_docstring(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


# -- tests -----------------------------------------------------------------------------


class Watch:
    """Notes how long tests take and which pass, and stops those that are too slow."""

    def __init__(self, seconds: float) -> None:
        self.times: dict[str, float] = {}
        self.failed: list[str] = []
        self._seconds, self._start = seconds, 0.0

        def stop(*_: object) -> None:
            raise TimeoutError("too slow")

        signal.signal(signal.SIGPROF, stop)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._start = _cpu()
        signal.setitimer(signal.ITIMER_PROF, self._seconds)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)
        elif report.skipped:
            self.times.pop(report.nodeid, None)
        elif report.when == "call" and _cpu() - self._start < self._seconds:
            # A test may also be slow in processes of its own.
            self.times[report.nodeid] = _cpu() - self._start

    def pytest_runtest_logfinish(self) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.failed.append(report.nodeid)


def run_tests(tests: list[str], watch: Watch, *options: str) -> int:
    """Run tests of the tree in this process, on the package of the tree."""
    import pytest

    for name in [*sys.modules]:
        if name.partition(".")[0] in ("comitia", "tests", "benchmarks"):
            del sys.modules[name]
    # Those that start processes of their own are not watched.
    options = (*_QUIET, *_WRAPS, "-k", "not number_of_threads", *options)
    return int(pytest.main([*options, *tests], plugins=[watch]))


def in_fork(work: Any) -> tuple[Any, float, int]:
    """Do something in a fork: what it returned, its CPU seconds and how it ended."""
    read, write = os.pipe()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    pid = os.fork()
    if pid == 0:
        os.close(read)
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        answer = json.dumps(work())
        with os.fdopen(write, "w") as file:
            file.write(answer)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        answer = file.read()
    _, status = os.waitpid(pid, 0)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = sum(after[:2]) - sum(before[:2])
    return (json.loads(answer) if answer else None), spent, status


def quick_tests(module: str, known: dict[str, Any]) -> list[str]:
    """The tests of a module that pass without a mutant, the quickest first."""
    # A file that was changed has other tests.
    keys = [f"{name}@{(ROOT / name).stat().st_mtime_ns}" for name in TESTS[module]]
    for file, key in zip(TESTS[module], keys, strict=True):
        if key not in known:

            def baseline(file: str = file) -> dict[str, float]:
                watch = Watch(_TEST)
                run_tests([file], watch)
                failed = {*watch.failed}
                return {n: t for n, t in watch.times.items() if n not in failed}

            known[key], spent, _ = in_fork(baseline)
            print(f"{file}: {len(known[key] or ())} tests, {spent:.1f} s", flush=True)
    found = [(t, n) for key in keys for n, t in (known[key] or {}).items()]
    kept, total = [], 0.0
    for seconds, name in sorted(found):
        total += seconds
        if total > _ALL:
            break
        kept.append(name)
    return kept


def judge(site: Site, tests: list[str], tree: Path) -> tuple[str, str, float]:
    """Run the tests on a mutant: how it ended, who noticed, and the CPU seconds."""
    path = tree / f"src/comitia/{site['module']}.py"
    path.write_text(mutated(site))

    def work() -> list[str]:
        resource.setrlimit(resource.RLIMIT_CPU, (_MUTANT, _MUTANT))
        watch = Watch(_HANGS)
        code = run_tests(tests, watch, "-x")
        return watch.failed or ([f"pytest ended with {code}"] if code else [])

    try:
        failed, spent, status = in_fork(work)
    finally:
        shutil.copy2(ROOT / f"src/comitia/{site['module']}.py", path)
    if failed is None:
        ended = "took too long" if status else "ended"
        return "killed", ended, spent
    return ("killed", failed[0], spent) if failed else ("survived", "", spent)


def judge_compiled(site: Site, tree: Path) -> tuple[str, str, float]:
    """The same with all tests of the module, and kernels that are compiled."""
    source = ROOT / f"src/comitia/{site['module']}.py"
    path = tree / f"src/comitia/{site['module']}.py"
    path.write_text(mutated(site))
    # A kernel that is kept has the code of those that it calls in it.
    for kept in path.parent.glob("__pycache__/*.nb?"):
        caller = path.with_name(f"{kept.name.partition('.')[0]}.py")
        if caller.exists() and path.stem in caller.read_text():
            kept.unlink()
    before = _cpu()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", *_QUIET, *TESTS[site["module"]]],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"},
        capture_output=True,
        text=True,
    )
    shutil.copy2(source, path)
    failed = [line for line in done.stdout.splitlines() if line.startswith("FAILED ")]
    if done.returncode == 0:
        return "survived", "", _cpu() - before
    by = failed[0].split()[1] if failed else f"pytest ended with {done.returncode}"
    return "killed", f"{by} (compiled)", _cpu() - before


# -- the command -----------------------------------------------------------------------


def main(arguments: list[str] | None = None) -> int:
    """Draw, judge and keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="mutants of the sample")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cpu-minutes", type=float, default=15.0)
    parser.add_argument("--work", type=Path, required=True, help="a folder of its own")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--module", choices=TESTS, help="those of one module alone")
    parser.add_argument("--again", action="store_true", help="those that survived")
    parser.add_argument("--compiled", action="store_true", help="those, compiled")
    asked = parser.parse_args(arguments)
    sites = [site for module in TESTS for site in sites_of(module)]
    drawn = random.Random(asked.seed).sample(sites, asked.n)  # noqa: S311  a sample, no secret
    rows = {int(row["number"]): row for row in _kept(asked.out)}
    for number, row in rows.items():
        if any(str(drawn[number][name]) != row[name] for name in _SITE):
            parser.error(f"{asked.out} is of other code or another seed; move it away")
    tree = asked.work.resolve() / ("compiled" if asked.compiled else "tree")
    _copy_tree(tree, kernels=asked.compiled)
    if not asked.compiled:
        _import_all(tree)
    path = asked.work / "quick_tests.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    start = _cpu()
    for number, site in enumerate(drawn):
        outcome = rows.get(number, {}).get("outcome")
        survived = outcome == "survived" and (asked.again or asked.compiled)
        if not survived and (outcome is not None or asked.compiled):
            continue
        if asked.module not in (None, site["module"]):
            continue
        if _cpu() - start > 60 * asked.cpu_minutes:
            break
        if asked.compiled:
            outcome, by, spent = judge_compiled(site, tree)
        else:
            tests = quick_tests(site["module"], known)
            path.write_text(json.dumps(known, indent=1))
            outcome, by, spent = judge(site, tests, tree)
        if outcome == "survived" and _key(site) in EQUIVALENT:
            outcome, by = "equivalent", EQUIVALENT[_key(site)]
        rows[number] = {"number": number, **site, "outcome": outcome, "by": by}
        rows[number]["cpu_s"] = f"{spent:.1f}"
        print(rows[number], flush=True)
        _keep(asked.out, [rows[at] for at in sorted(rows)])
    print(
        summary([*rows.values()]), f"of {len(sites)} places", f"{_cpu() - start:.0f} s"
    )
    return 0


def summary(rows: list[dict[str, Any]]) -> str:
    """How many were killed of those that compute something else."""
    found = [str(row["outcome"]) for row in rows]
    killed, same = found.count("killed"), found.count("equivalent")
    return f"{killed} of {len(found) - same} killed; {same} more are equivalent;"


def _key(site: Site) -> tuple[str, str, str, str]:
    return site["module"], site["code"], site["before"], site["after"]


def _kept(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def _keep(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(
            file, COLUMNS, extrasaction="ignore", lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows(rows)


def _copy_tree(tree: Path, kernels: bool) -> None:
    shutil.rmtree(tree, ignore_errors=True)
    skip = shutil.ignore_patterns("results", *["__pycache__"] * (not kernels))
    for name in ("src", "tests", "benchmarks"):
        shutil.copytree(ROOT / name, tree / name, ignore=skip)
    shutil.copy2(ROOT / "pyproject.toml", tree)


def _import_all(tree: Path) -> None:
    """Import what tests import, once for all forks; without compiling anything."""
    os.environ |= {"NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    sys.dont_write_bytecode = True
    os.chdir(tree)
    sys.path[:0] = [str(tree / "src"), str(tree)]
    import pytest

    files = sorted({file for files in TESTS.values() for file in files})
    pytest.main(["-qq", "--collect-only", "-p", "no:cacheprovider", *files[:6]])


def _cpu() -> float:
    each = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(who)[:2]) for who in each)


if __name__ == "__main__":
    sys.exit(main())
