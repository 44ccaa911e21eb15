"""A name that begins with an underscore belongs to its package, and is used there only.

A package is a folder or a file directly under ``comitia``; ``benchmarks`` and ``tools``
are packages too. ``comitia._arrays``, ``comitia._kernels`` and their like serve the
whole of ``comitia``: its packages may import them, but not what is private in them.
Classes may use the hooks that they inherit, through ``self``, ``cls`` and ``super()``.
"""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ("src/comitia", "benchmarks", "tools")

# Public names of the standard library, in spite of their underscore.
OF_PYTHON = {"_asdict", "_exit", "_fields", "_make", "_replace"}

# The one module that knows scikit-learn's private names.
KNOWS_SKLEARN = "src/comitia/_sklearn.py"

# What is still to be done; a use that is gone must be taken out here.
KNOWN = {
    # A process may have one handle of Mt-KaHyPar only.
    (
        "benchmarks/evaluation/fidelity/clusterpack.py: "
        "comitia.methods.baselines._hgpa_hypergraph._mtkahypar"
    ),
    # Labels that are made block by block, without a generator.
    "benchmarks/scale.py: comitia._store.BlockWriter",
    # Selectors that are made to keep everything.
    "benchmarks/selection.py: ._combine",
    "benchmarks/selection.py: comitia.methods.selection._base.SelectionMethod",
    (
        "benchmarks/selection.py: "
        "comitia.methods.selection._clusters.ClusterSelectionMethod"
    ),
}


def package_of(path):
    """The package of a file whose path begins at the root, such as ``cli``."""
    parts = path.parts[2:] if path.parts[0] == "src" else path.parts
    return parts[0].removesuffix(".py")


def is_private(name):
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def is_foreign(dotted, package):
    """Whether a dotted name of ours has a private part that is another package's."""
    first, *rest = dotted.split(".")
    if first == "benchmarks":
        return package != "benchmarks" and any(map(is_private, rest))
    if first != "comitia" or not rest:
        return False
    owner, *inside = rest
    if is_private(owner) and package in ("benchmarks", "tools"):
        return owner != "_kernels"  # which benchmarks measure and compile
    return owner != package and any(map(is_private, inside))


def is_own(node):
    """Whether an expression is the instance or class that the code is in."""
    if isinstance(node, ast.Name):
        return node.id in ("self", "cls")
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    return is_call and node.func.id == "super"


def attributes_of(nodes):
    """Private attributes that the classes of a module define."""
    for node in nodes:
        if isinstance(node, ast.ClassDef):
            for one in node.body:
                if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield one.name
                targets = getattr(one, "targets", [getattr(one, "target", None)])
                yield from (t.id for t in targets if isinstance(t, ast.Name))
        is_set = isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        if is_set and is_own(node.value):
            yield node.attr


def modules_of(nodes, package):
    """Names under which a module has imported modules of its own package."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            mine = node.module.split(".")[:2] in (["comitia", package], [package])
            is_package = node.module == "comitia"
            for alias in node.names:
                if mine or (is_package and alias.name == package):
                    yield alias.asname or alias.name


def uses_of(nodes, package, attributes):
    """Private names of other packages that a module uses."""
    modules = {*modules_of(nodes, package)}
    for node in nodes:
        match node:
            case ast.ImportFrom(module=str(module), names=names):
                found = (f"{module}.{alias.name}" for alias in names)
                yield from (name for name in found if is_foreign(name, package))
            case ast.Import(names=names):
                yield from (a.name for a in names if is_foreign(a.name, package))
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+", text):
                if is_foreign(text, package):
                    yield text
            case ast.Attribute(value=value, attr=name) if is_private(name):
                in_module = isinstance(value, ast.Name) and value.id in modules
                of_ours = is_own(value) or name in attributes or in_module
                whole = ast.unparse(node)
                is_shared = whole.startswith("comitia._") and not is_foreign(
                    whole, package
                )
                if not (of_ours or is_shared or name in OF_PYTHON):
                    yield f".{name}"
            case ast.Call(
                func=ast.Name(id="getattr" | "hasattr" | "setattr" | "delattr"),
                args=[value, ast.Constant(value=str(name)), *_],
            ) if is_private(name):
                if not (is_own(value) or name in attributes | OF_PYTHON):
                    yield f".{name}"


def all_uses(sources):
    """``"file: name"`` for each use of a private name of another package."""
    modules = {path: [*ast.walk(ast.parse(text))] for path, text in sources.items()}
    attributes = defaultdict(set)
    for path, nodes in modules.items():
        attributes[package_of(path)] |= {*filter(is_private, attributes_of(nodes))}
    return {
        f"{path.as_posix()}: {use}"
        for path, nodes in modules.items()
        if path.as_posix() != KNOWS_SKLEARN
        for use in uses_of(nodes, package_of(path), attributes[package_of(path)])
    }


def test_private_names_are_used_in_their_own_package_only():
    sources = {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for place in PLACES
        for path in (ROOT / place).rglob("*.py")
    }
    found = all_uses(sources)
    assert not found - KNOWN, "private names of other packages are used"
    assert not KNOWN - found, "these are gone: take them out of KNOWN"


BASE = "class Method:\n    def _combine(self): ...\n    _rules = {}\n"


@pytest.mark.parametrize(
    "code",
    [
        "estimator._combine(E)",
        "estimator._combine = other",
        "Method._rules",
        "hasattr(estimator, '_combine')",
        "estimator._validate_params()",
        "from comitia.base import _helper",
        "from comitia.io._cells import write",
        "import comitia.io._cells",
        "from comitia._lock import _Held",
        "call('comitia.io._cells')",
        "def _combine(): ...\nestimator._combine()",
    ],
)
def test_a_use_of_another_packages_name_is_found(code):
    sources = {Path("src/comitia/base.py"): BASE, Path("src/comitia/cli/_x.py"): code}
    assert len(all_uses(sources)) == 1


@pytest.mark.parametrize(
    "code",
    [
        "class Own(Method):\n    def fit(self): return self._combine()",
        "class Own(Method):\n    def _combine(self): return super()._combine()",
        "class Own:\n    def _go(self): ...\nOwn()._go()",
        "from comitia._lock import locked",
        "from comitia.cli._other import thing",
        "from comitia.cli import _other\n_other._thing()",
        "record._replace(k=3)",
        "import comitia._kernels\ncomitia._kernels.__path__",
        "'see comitia.io._cells for more'",
    ],
)
def test_a_use_of_ones_own_is_left_alone(code):
    sources = {Path("src/comitia/base.py"): BASE, Path("src/comitia/cli/_x.py"): code}
    assert not all_uses(sources)


def test_benchmarks_may_look_at_kernels_but_not_at_the_store():
    sources = {
        Path(
            "benchmarks/one.py"
        ): "from comitia._kernels.label_rows import distinct_rows",
        Path("benchmarks/two.py"): "from comitia._store import BlockWriter",
    }
    assert all_uses(sources) == {"benchmarks/two.py: comitia._store.BlockWriter"}
