"""The memory budget is asked before anything large is allocated."""

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
