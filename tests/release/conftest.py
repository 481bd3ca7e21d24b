"""The scripts of the folder release/, which import each other by their names."""

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[2] / "release"


def loaded(name: str) -> Any:
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="session")
def version() -> Any:
    return loaded("version")


@pytest.fixture(scope="session")
def links() -> Any:
    return loaded("links")


@pytest.fixture(scope="session")
def contents() -> Any:
    pytest.importorskip("packaging", reason="metadata is read by packaging, which comes with pytest")
    return loaded("contents")
