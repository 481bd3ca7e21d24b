"""The scripts of the folder release/."""

from collections.abc import Callable
from typing import Any

import pytest


@pytest.fixture(scope="session")
def version(script: Callable[[str], Any]) -> Any:
    return script("release/version")


@pytest.fixture(scope="session")
def links(script: Callable[[str], Any]) -> Any:
    return script("release/links")


@pytest.fixture(scope="session")
def contents(script: Callable[[str], Any]) -> Any:
    pytest.importorskip("packaging", reason="metadata is read by packaging, which comes with pytest")
    return script("release/contents")


@pytest.fixture(scope="session")
def pythons(script: Callable[[str], Any]) -> Any:
    return script("release/pythons")


@pytest.fixture(scope="session")
def address(script: Callable[[str], Any]) -> Any:
    return script("release/address")
