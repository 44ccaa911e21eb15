"""The memory budget is asked before anything large is allocated."""

import ctypes
import os
import subprocess
import sys

import pytest

from comitia import config
from comitia.exceptions import MemoryBudgetError


def test_a_budget_holds_inside_its_block_only():
    outside = config.memory_budget()
    with config.limit("2 GB"):
        assert config.memory_budget() == 2_000_000_000
        with config.limit("512 MiB"):
            assert config.memory_budget() == 512 * 2**20
        assert config.memory_budget() == 2_000_000_000
    # Free memory moves while other processes run; it does not double.
    assert 0.5 < config.memory_budget() / outside < 2


def test_a_budget_can_be_set_and_given_back():
    config.set_memory_budget(1000)
    assert config.memory_budget() == 1000
    config.set_memory_budget(None)
    assert config.memory_budget() > 1000


def test_a_step_that_does_not_fit_is_refused_with_a_way_out():
    with config.limit("1 GB"):
        config.require_memory(10**9, "a matrix")
        with pytest.raises(MemoryBudgetError) as refusal:
            config.require_memory(2 * 10**9, "a matrix", "use lwgp")
    message = str(refusal.value)
    assert message.startswith("a matrix needs 2 GB of memory; the budget is 1 GB.")
    assert message.endswith("or use lwgp.")


@pytest.mark.parametrize("wrong", ["many", "4 XB", "", "-1", 0, -5, "iB"])
def test_a_budget_that_is_no_size_is_refused(wrong):
    with pytest.raises(ValueError, match="budget="):
        config.set_memory_budget(wrong)


@pytest.mark.parametrize(
    ("limited", "used"), [("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")]
)
def test_the_budget_respects_the_limits_of_the_process(limited, used):
    # A limit cannot be taken back, so a process of its own gets it.
    code = f"""
import resource
from comitia import config
used = config._first_number(
    "/proc/self/status", r"{used}:\\s+(\\d+) kB", unit=1024
)
resource.setrlimit(resource.{limited}, (used + 500_000_000,) * 2)
print(config.memory_budget())
"""
    run = [sys.executable, "-c", code]
    budget = int(subprocess.run(run, capture_output=True, check=True).stdout)
    # 60 % of half a gigabyte, less what reading the limit itself took.
    assert 0.5 * 500_000_000 < budget <= 0.6 * 500_000_000


def test_the_system_is_asked_only_where_a_step_takes_more_than_little(monkeypatch):
    monkeypatch.setattr(config, "_free_memory", lambda: 0)
    config.require_memory(2**20, "a step")
    with pytest.raises(MemoryBudgetError, match="a step needs"):
        config.require_memory(2**20 + 1, "a step")
    # A budget that was set holds for all.
    with config.limit("1 kB"), pytest.raises(MemoryBudgetError, match="1 kB"):
        config.require_memory(1001, "a step")


@pytest.mark.parametrize(
    ("line", "top", "most", "used"), config._CGROUP_VERSIONS, ids=["v2", "v1"]
)
def test_the_budget_respects_the_cgroups_of_the_process(
    line, top, most, used, tmp_path, monkeypatch
):
    def write(folder, limit, current, stat=""):
        folder.mkdir(exist_ok=True)
        (folder / f"memory.{most}").write_text(limit)
        (folder / f"memory.{used}").write_text(current)
        (folder / "memory.stat").write_text(stat)

    write(tmp_path / top.strip("/"), "max", "900")
    job = tmp_path / top.strip("/") / "user"
    write(job, "1000", "800", "active_file 7\ninactive_file 50\n")
    write(job / "job", "700", "300")
    read = config._first_match

    def found(path, pattern):
        if path == "/proc/self/cgroup":
            return "user/job" if line in pattern else None
        return read(path, pattern)

    monkeypatch.setattr(config, "_first_match", found)
    assert config._free_in_cgroups(str(tmp_path)) == [250, 400]


class Windows:
    """What Windows tells about its memory, for a machine that is none."""

    def __init__(self, answers=1):
        self.answers = answers
        self.kernel32 = self

    def GlobalMemoryStatusEx(self, status):
        class MemoryStatusEx(ctypes.Structure):
            _fields_ = [
                ("dwLength", ctypes.c_uint32),
                ("dwMemoryLoad", ctypes.c_uint32),
                ("ullTotalPhys", ctypes.c_uint64),
                ("ullAvailPhys", ctypes.c_uint64),
                ("ullTotalPageFile", ctypes.c_uint64),
                ("ullAvailPageFile", ctypes.c_uint64),
                ("ullTotalVirtual", ctypes.c_uint64),
                ("ullAvailVirtual", ctypes.c_uint64),
                ("ullAvailExtendedVirtual", ctypes.c_uint64),
            ]

        told = ctypes.cast(status, ctypes.POINTER(MemoryStatusEx))[0]
        # Windows refuses a structure of another length.
        assert told.dwLength == ctypes.sizeof(MemoryStatusEx) == 64
        told.ullTotalPhys, told.ullAvailPhys = 8_000_000_000, 5_000_000_000
        told.ullAvailPageFile = 9_000_000_000
        return self.answers


@pytest.fixture
def elsewhere(monkeypatch):
    """A system without /proc and without limits."""
    monkeypatch.setattr(config, "_first_match", lambda path, pattern: None)
    monkeypatch.setattr(config, "_free_under_limits", list)


def test_windows_is_asked_for_the_memory_that_is_free(elsewhere, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", Windows(), raising=False)
    assert config.memory_budget() == 3_000_000_000


def test_where_nothing_is_told_a_small_machine_is_assumed(elsewhere, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(ctypes, "windll", Windows(answers=0), raising=False)
    monkeypatch.delattr(os, "sysconf")  # as on Windows
    assert config.memory_budget() == 2_400_000_000


def test_macos_tells_what_it_has_and_not_what_is_free(elsewhere, monkeypatch):
    has = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1_000_000}
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "sysconf", has.__getitem__)
    assert config.memory_budget() == int(0.6 * 4_096_000_000)
