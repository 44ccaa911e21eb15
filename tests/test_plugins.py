"""Methods that are broken, and methods of other packages."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import comitia
from comitia.cli import main
from comitia.exceptions import ComitiaError, ComitiaWarning
from tests.test_contributing import files_of_the_guide

ROOT = Path(__file__).resolve().parent.parent
OURS = [card.id for card in comitia.methods()]


@pytest.fixture
def broken(tmp_path, monkeypatch):
    """Put a folder beside those of the methods, whose files are no methods."""
    folder = tmp_path / "broken_folder"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "broken.py").write_text("raise RuntimeError('no luck')\n")
    (folder / "unreadable.py").write_text("def :\n")
    (folder / "without_card.py").write_text("class Method:\n    pass\n")
    paths = [*comitia.methods.__path__, str(tmp_path)]
    monkeypatch.setattr(comitia.methods, "__path__", paths)
    # What other tests have looked up stays known.
    monkeypatch.delitem(vars(comitia.methods), "LWGP", raising=False)
    yield folder
    for name in [name for name in sys.modules if "broken_folder" in name]:
        del sys.modules[name]
    vars(comitia.methods).pop("broken_folder", None)


def test_broken_files_leave_the_list_and_are_named_in_warnings(broken):
    with pytest.warns(ComitiaWarning) as said:
        assert [card.id for card in comitia.methods()] == OURS
    texts = sorted(str(each.message) for each in said)
    assert len(texts) == 3
    path = str(broken / "broken.py")
    assert f"{path} raises RuntimeError: no luck. It is left out" in texts[0]
    assert "unreadable.py raises SyntaxError" in texts[1]
    assert "without_card.py has no class with a MethodCard" in texts[2]


def test_broken_files_leave_the_other_methods_alone(broken):
    assert comitia.method("lwea").card.id == "lwea"
    with pytest.warns(ComitiaWarning, match=r"broken\.py"):
        assert comitia.methods.LWGP is comitia.method("lwgp")


def test_a_broken_method_says_why(broken):
    with pytest.raises(
        ComitiaError, match=r"'broken' .*broken\.py .*no luck"
    ) as caught:
        comitia.method("broken")
    assert isinstance(caught.value.__cause__, RuntimeError)
    with pytest.raises(ComitiaError, match="no class with a MethodCard"):
        comitia.method("without_card")


def test_the_command_line_works_on_and_names_what_is_broken(broken, capsys):
    assert main(["methods", "--json"]) == 0
    printed = capsys.readouterr()
    assert [card["id"] for card in json.loads(printed.out)] == OURS
    assert re.search(r"^comitia methods: .*broken\.py raises", printed.err, re.M)
    assert main(["methods", "show", "broken"]) == 2
    assert "no luck" in capsys.readouterr().err


def run(code, *folders, options=()):
    """Run code in a fresh interpreter that finds packages in the folders."""
    paths = [*map(str, folders), str(ROOT / "src")]
    return subprocess.run(
        [sys.executable, *options, *code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_no_method_needs_an_extra_to_be_listed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    names = {
        re.split(r"[\[>=]", one)[0].replace("-", "_")
        for extra in ("cli", "report", "plot", "io", "dask", "device", "hypergraph")
        for one in extras[extra]
    }
    code = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {sorted(names | {"torch", "pymetis"})!r}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import comitia
print(len(comitia.methods()))
"""
    done = run(["-c", code], options=["-W", "error"])
    assert done.stdout == f"{len(OURS)}\n", done.stderr


@pytest.fixture
def site(tmp_path):
    """Lay out an installed package that brings the method of CONTRIBUTING.md."""
    method, _ = files_of_the_guide().values()
    (tmp_path / "agreeable.py").write_text(method)
    (tmp_path / "trouble.py").write_text("NOTHING = None\n")
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"```toml\n(.*?)```", guide, re.S)
    points = tomllib.loads(told)["project"]["entry-points"]["comitia.methods"]
    points |= {
        "lwea": "agreeable:AgreeableEAC",
        "another_name": "agreeable:AgreeableEAC",
        "missing_package": "no_such_package:Method",
        "nothing": "trouble:NOTHING",
    }
    about = tmp_path / "agreeable-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: agreeable\n")
    lines = [f"{name} = {value}" for name, value in points.items()]
    text = "\n".join(["[comitia.methods]", *lines, ""])
    (about / "entry_points.txt").write_text(text)
    return tmp_path


def test_a_package_brings_a_method_through_an_entry_point(site):
    code = """
import json, sys, warnings
import comitia
comitia.method("lwea")
told = {"at_once": "agreeable" in sys.modules}
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    told["ids"] = [card.id for card in comitia.methods()]
told["warnings"] = [str(one.message) for one in said]
told["class"] = comitia.method("agreeable_eac").__module__
told["attribute"] = comitia.methods.AgreeableEAC.__module__
told["lwea"] = comitia.method("lwea").__name__
for id in ("missing_package", "nothing", "agreeable_eec"):
    try:
        comitia.method(id)
    except comitia.exceptions.ComitiaError as error:
        told[id] = str(error)
votes = comitia.Ensemble([[0, 0], [0, 0], [1, 1]])
told["compared"] = [one.id for one in comitia.compare(
    votes, ["agreeable_eac"], n_clusters=2, n_resamples=0).rows]
json.dump(told, sys.stdout)
"""
    done = run(["-c", code], site)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["at_once"] is False
    assert told["ids"] == [*OURS, "agreeable_eac"]
    assert told["class"] == told["attribute"] == "agreeable"
    assert told["lwea"] == "LWEA"
    words = [
        r"lwea = agreeable:AgreeableEAC of agreeable is left out: 'lwea' is .*lwea\.py",
        "'another_name' .* card with id='agreeable_eac'",
        "'missing_package' .* raises ModuleNotFoundError",
        "'nothing' .* has no class with a MethodCard",
    ]
    for text, pattern in zip(told["warnings"], words, strict=True):
        assert re.search(pattern, text)
    assert "No module named 'no_such_package'" in told["missing_package"]
    assert "no class with a MethodCard" in told["nothing"]
    assert "did you mean agreeable_eac" in told["agreeable_eec"]
    assert told["compared"] == ["agreeable_eac"]


def test_nothing_is_looked_for_when_comitia_is_imported(site):
    code = "import sys, comitia.methods; print('importlib.metadata' in sys.modules)"
    assert run(["-c", code], site).stdout == "False\n"


def test_a_method_of_another_package_passes_the_common_suite_with_one_import(site):
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (test,) = re.findall(r"```python\n(from agreeable import.*?)```", guide, re.S)
    (site / "test_agreeable.py").write_text(test)
    command = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = run(
        [*command, "--rootdir", str(site), str(site / "test_agreeable.py")], site
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 40
