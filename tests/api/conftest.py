"""What tests of the calls share."""

import pytest

from kernelopt._api import _choose, _many_rows


@pytest.fixture
def few_are_many(monkeypatch):
    """More than 400 rows are many."""
    monkeypatch.setattr(_many_rows, "MANY", 400)
    monkeypatch.setattr(_choose, "MANY", 400)
