"""Nothing that is read is run: no pickle, no eval, no shell, no guessable file."""

import ast
import builtins
import json
import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import comitia
from comitia import Ensemble
from comitia._files import atomic_write, signed
from comitia.io import Result
from comitia.report import write_report
from tools import audit

PACKAGE = Path(comitia.__file__).parent

# Calls that turn what somebody wrote into code that runs, or into a file name that
# somebody can guess.
FORBIDDEN = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "pickle.load",
    "pickle.loads",
    "pickle.Unpickler",
    "dill.load",
    "dill.loads",
    "cloudpickle.load",
    "cloudpickle.loads",
    "marshal.load",
    "marshal.loads",
    "shelve.open",
    "joblib.load",
    "torch.load",
    "pandas.read_pickle",
    "yaml.load",
    "yaml.unsafe_load",
    "yaml.full_load",
    "xml.etree.ElementTree.parse",
    "xml.etree.ElementTree.fromstring",
    "xml.dom.minidom.parse",
    "zipfile.ZipFile.extractall",
    "shutil.unpack_archive",
    "os.system",
    "os.popen",
    "os.tempnam",
    "tempfile.mktemp",
    "urllib.request.urlopen",
    "urllib.request.urlretrieve",
    "requests.get",
}
# Methods of objects, whatever the object is called.
FORBIDDEN_METHODS = {"extractall", "read_pickle"}

# What is allowed after all, where, and why.
ALLOWED = {
    ("workers/worker_process.py", "pickle.loads"): "its parent writes this",
    ("workers/worker.py", "pickle.loads"): "its child writes this",
    (
        "testing/_promises.py",
        "pickle.loads",
    ): "reads what it has just written, as a check",
}


def found_in(source: str) -> list[str]:
    """The calls and texts in a piece of code that must not be there."""
    tree = ast.parse(source)
    names = _imported(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = _dotted(node.func, names)
            if name in FORBIDDEN:
                found.append(name)
            elif getattr(node.func, "attr", None) in FORBIDDEN_METHODS:
                found.append(node.func.attr)
            if name == "numpy.load" and "allow_pickle" not in {
                word.arg for word in node.keywords
            }:
                found.append("numpy.load")  # say it, whatever the default is
            found += [
                f"{word.arg}=True"
                for word in node.keywords
                if word.arg in ("shell", "allow_pickle")
                and not (isinstance(word.value, ast.Constant) and not word.value.value)
            ]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # A name in a folder that all may write to can be taken by another.
            found += re.findall(r"^/(?:var/)?tmp\b|^/dev/shm\b", node.value)
    return found


def _imported(tree: ast.AST) -> dict[str, str]:
    """What each imported name stands for."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                first = alias.name.partition(".")[0]
                names[alias.asname or first] = alias.name if alias.asname else first
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return names


def _dotted(node: ast.AST, names: dict[str, str]) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value, names)}.{node.attr}"
    if isinstance(node, ast.Name):
        # A variable may be called as a module is.
        return names.get(node.id, node.id if node.id in dir(builtins) else "…")
    return "…"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("eval('1')", "eval"),
        ("import pickle\npickle.loads(b)", "pickle.loads"),
        ("import pickle as p\ndef f():\n    return p.load(b)", "pickle.load"),
        ("def f():\n    from pickle import loads as read\n    read(b)", "pickle.loads"),
        ("import numpy as np\nnp.load('a')", "numpy.load"),
        ("read_array(f, allow_pickle=True)", "allow_pickle=True"),
        ("read_array(f, allow_pickle=trusted)", "allow_pickle=True"),
        ("import subprocess\nsubprocess.run(c, shell=True)", "shell=True"),
        ("import yaml\nyaml.load(f)", "yaml.load"),
        ("import tempfile\ntempfile.mktemp()", "tempfile.mktemp"),
        ("open('/tmp/comitia.log')", "/tmp"),
        ("archive.extractall(folder)", "extractall"),
    ],
)
def test_what_must_not_be_there_would_be_found(source, name):
    assert found_in(source) == [name]


@pytest.mark.parametrize(
    "source",
    [
        "read_array(f, allow_pickle=False)",
        "import json\njson.loads(text)",
        "import ast\nast.literal_eval(text)",
        "import re\nre.compile('a')",
        "import numpy as np\nnp.load('a', allow_pickle=False)",
        "requests = {}\nrequests.get('a')",
        "import pickle\npickle.dumps(a)",
    ],
)
def test_what_may_be_there_is_not_found(source):
    assert found_in(source) == []


def test_files_are_read_without_pickle_and_nothing_is_evaluated():
    found = {
        (path.relative_to(PACKAGE).as_posix(), name)
        for path in PACKAGE.rglob("*.py")
        for name in found_in(path.read_text())
    }
    # Equal, not contained: a reason for something that is gone goes too.
    assert found == ALLOWED.keys()


def test_templates_switch_no_escaping_off_and_scripts_write_no_html():
    for path in (PACKAGE / "report" / "templates").rglob("*"):
        if path.is_file():
            assert not re.search(r"\|\s*safe\b|autoescape", path.read_text()), path
    unsafe = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\("
    for path in (PACKAGE / "report" / "static").glob("*.js"):
        assert not re.search(unsafe, path.read_text()), path


def test_unfinished_files_cannot_be_guessed_and_are_their_owners(tmp_path):
    names = []
    for _ in range(20):
        with atomic_write(tmp_path / "result.txt") as file:
            (name,) = {p.name for p in tmp_path.iterdir()} - {"result.txt"}
            names.append(name)
            mode = stat.S_IMODE((tmp_path / name).stat().st_mode)
            assert mode == 0o600
            file.write(b"1")
    assert len(set(names)) == 20


def test_an_unfinished_file_does_not_follow_a_link(tmp_path):
    """A link that waits under the name of the result is replaced, not followed."""
    secret = tmp_path / "secret"
    secret.write_text("mine")
    (tmp_path / "labels.csv").symlink_to(secret)
    with atomic_write(tmp_path / "labels.csv") as file:
        file.write(b"0\n")
    assert secret.read_text() == "mine"
    assert not (tmp_path / "labels.csv").is_symlink()


NASTY = '"></td><script>alert(1)</script><img src=x onerror=alert(1)>'


def test_a_folder_made_by_somebody_else_cannot_put_code_into_the_report(tmp_path):
    """Every text of result.json is written by whoever sent the folder."""
    votes = Ensemble([[0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 0]])
    fitted = comitia.method("lwea")(n_clusters=2).fit(votes)
    Result.from_estimator(fitted).save(tmp_path / "result")
    about = tmp_path / "result" / "result.json"
    plain = _tags(write_report(Result.load(tmp_path / "result"), tmp_path / "a.html"))
    found = json.loads(about.read_text())
    poisoned = _poisoned(found, keep={"format", "method", *found["digests"]})
    about.write_text(json.dumps(signed(poisoned)))  # as anybody can
    try:
        result = Result.load(tmp_path / "result")
    except ValueError:
        pytest.fail("nothing was wrong with the folder but its texts")
    page = write_report(result, tmp_path / "b.html")
    text = page.read_text()
    assert "alert(1)" in text  # the texts are shown, as texts
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    assert _tags(page)["script"] == plain["script"]


def _poisoned(value, keep, name=None):
    """Every free text replaced by one that breaks out of attributes and elements."""
    if isinstance(value, dict):
        return {key: _poisoned(each, keep, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_poisoned(each, keep, name) for each in value]
    return NASTY if isinstance(value, str) and name not in keep else value


def _tags(path):
    names, counts = np.unique(
        re.findall(r"<([a-z]+)", path.read_text()), return_counts=True
    )
    return dict(zip(names.tolist(), counts.tolist(), strict=True))


def test_every_dependency_has_a_lower_bound_that_can_be_tested():
    """``make test-oldest`` installs what this prints."""
    root = Path(__file__).parents[2]
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = [
        extra
        for extra in project["optional-dependencies"]
        if extra not in ("all", "bench", "docs", "dev")
    ]
    printed = subprocess.run(
        [sys.executable, root / "tools" / "lower_bounds.py", *extras],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    wanted = list(project["dependencies"])
    for extra in extras:
        wanted += project["optional-dependencies"][extra]
    assert len(printed) == len(wanted)
    assert all(re.fullmatch(r"[\w-]+==\d[\w.]*", line) for line in printed)


# -- known weaknesses ----------------------------------------------------------------


def advisories(monkeypatch, answers):
    """A pip-audit that knows these weaknesses, or one that reaches nobody."""

    def run(command, **_):
        listed = Path(command[command.index("-r") + 1]).read_text().split()
        if answers is None:
            return subprocess.CompletedProcess(command, 1, "", "ConnectionError")
        said = [
            {"name": name, "version": version, "vulns": answers.get(name, [])}
            for name, version in (line.split("==") for line in listed)
        ]
        return subprocess.CompletedProcess(
            command, 0, json.dumps({"dependencies": said}), ""
        )

    monkeypatch.setattr(audit.subprocess, "run", run)
    monkeypatch.setattr(audit, "installed", lambda: ["numpy==2.0.0", "rich==13.6.0"])


WEAK = [{"id": "CVE-1", "fix_versions": ["9.9"]}]


def test_a_weakness_that_is_known_fails_the_audit(monkeypatch, capsys):
    advisories(monkeypatch, {"jinja2": WEAK, "rich": WEAK})
    assert audit.main([]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "rich 13.6.0: CVE-1, mended in 9.9",
        "pip-audit: 2 packages, 1 weaknesses",
    ]


def test_without_a_weakness_the_audit_passes(monkeypatch, capsys):
    advisories(monkeypatch, {"jinja2": WEAK})
    assert audit.main([]) == 0
    assert capsys.readouterr().out == "pip-audit: 2 packages, 0 weaknesses\n"


# One that cannot be reached, and a mirror that has packages and no advisories.
@pytest.mark.parametrize("answers", [None, {}])
def test_an_audit_that_nobody_answers_says_so(answers, monkeypatch, capsys):
    advisories(monkeypatch, answers)
    assert audit.main([]) == 0
    assert capsys.readouterr().out.startswith("pip-audit: skipped")
    assert audit.main(["--required"]) == 1


def test_what_is_audited_is_what_is_installed():
    assert f"numpy=={np.__version__}" in audit.installed()
    assert not any(one.startswith("comitia==") for one in audit.installed())
