"""Small ensembles are counted without compiled kernels; here the kernels are tested."""

import pytest

from comitia import sizes


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Let the kernels run on the small ensembles of these tests."""
    monkeypatch.setattr(sizes, "FEW_LABELS", 0)
