"""What tests of the calls share."""

import sys
from pathlib import Path

import attrs
import pytest

from kernelopt import Evidence
from kernelopt._api import _choose
from kernelopt._api.many_rows import _begun

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside the tests, which these import


@pytest.fixture
def few_are_many(monkeypatch):
    """More than 400 rows are many."""
    monkeypatch.setattr(_begun, "MANY", 400)
    monkeypatch.setattr(_choose, "MANY", 400)


@pytest.fixture(scope="module")
def two_parts():
    """Where rows judge new kernels, two parts of them are held out in turn, however few they are."""
    growth = Evidence.growth
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Evidence, "growth", lambda *asked: attrs.evolve(growth(*asked), folds=2))
        yield
