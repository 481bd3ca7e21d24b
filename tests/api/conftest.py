"""What tests of the calls share."""

import sys
from pathlib import Path

import pytest

from kernelopt._api import _choose
from kernelopt._api.many_rows import _begun

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside the tests, which these import


@pytest.fixture
def few_are_many(monkeypatch):
    """More than 400 rows are many."""
    monkeypatch.setattr(_begun, "MANY", 400)
    monkeypatch.setattr(_choose, "MANY", 400)
