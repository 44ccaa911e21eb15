"""Small ensembles are counted without compiled kernels; here the kernels are tested."""

import pytest

from comitia import ensemble


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    """Let the kernels run on the small ensembles of these tests."""
    monkeypatch.setattr(ensemble, "_FEW_LABELS", 0)
