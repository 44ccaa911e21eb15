"""The memory budget is asked before anything large is allocated."""

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
