"""What stands in for another processor is one that this processor can run."""

import os
import subprocess
import sys
import time

import psutil
import pytest

from tools import test_portable as portable
from tools.test_portable import NEEDS, Setting, closing_line, foreign_core, main

EVERYTHING = set().union(*NEEDS.values())


@pytest.mark.parametrize(
    ("own", "can", "core"),
    [
        ({"SkylakeX"}, EVERYTHING, "Sandybridge"),
        ({"Zen", "Haswell"}, EVERYTHING - {"AVX512_SKX"}, "Sandybridge"),
        ({"Sandybridge"}, EVERYTHING, "Haswell"),
        ({"Sandybridge"}, {"AVX", "SSE42"}, "Nehalem"),
        ({"Nehalem"}, {"SSE42"}, None),
        ({"neoversen1"}, {"NEON", "ASIMD"}, None),
        (set(), EVERYTHING, "Sandybridge"),  # not OpenBLAS: no harm
    ],
)
def test_the_foreign_core_is_another_one_that_can_be_run(own, can, core):
    assert foreign_core(own, can) == core


def test_what_the_processor_lacks_is_skipped_in_words():
    assert portable.of_core("Haswell", {"AVX2", "FMA3", "AVX"}).skipped == ""
    lacking = portable.of_core("Haswell", {"SSE42"})
    assert lacking.skipped == "the processor lacks AVX2, FMA3"


def test_every_setting_starts_the_libraries_without_a_warning():
    for setting in portable.all_settings():
        if not setting.skipped:
            environment = os.environ | setting.variables
            command = [sys.executable, "-W", "error", "-c", "import numpy"]
            subprocess.run(command, env=environment, check=True)


def test_the_closing_line_is_that_of_pytest():
    said = "1 passed\n\n=== 3 failed, 12 passed, 1 xfailed in 63.10s (0:01:03) ===\nbye"
    assert closing_line(said) == "3 failed, 12 passed, 1 xfailed in 63.10s (0:01:03)"
    assert closing_line("..\n410 passed in 7.85s\n") == "410 passed in 7.85s"
    assert closing_line("Segmentation fault") == "pytest did not finish"


def test_one_setting_that_fails_is_a_failure(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "test_it.py").write_text(
        "import os\ndef test_it():\n    assert os.environ['OF'] == 'one'\n"
    )
    one, two = Setting("OF=one", {"OF": "one"}), Setting("OF=two", {"OF": "two"})
    skipped = Setting("OF=three", {}, "it is not there")
    monkeypatch.setattr(portable, "all_settings", lambda: [one, two, skipped])
    assert main(["-n", "0", "test_it.py"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("OF=one: 1 passed in ")
    assert lines[1].startswith("OF=two: 1 failed in ")
    assert lines[2].startswith("FAILED test_it.py::test_it")
    assert lines[-1] == "OF=three: skipped, it is not there"
    monkeypatch.setattr(portable, "all_settings", lambda: [one, skipped])
    assert main(["-n", "0", "test_it.py"]) == 0


def test_what_keeps_the_cores_busy_ends_with_the_tests():
    def burning():
        children = psutil.Process().children()
        return [child for child in children if portable.BURN in child.cmdline()]

    with portable.all_cores_busy():
        # What is being started has no command line yet.
        patience = time.monotonic() + 60
        while len(burning()) < os.cpu_count() and time.monotonic() < patience:
            time.sleep(0.01)
        assert len(burning()) == os.cpu_count()
    assert burning() == []
    with pytest.raises(KeyboardInterrupt), portable.all_cores_busy():
        raise KeyboardInterrupt
    assert burning() == []
