"""The Pythons on which a release is tried."""

import sys
from pathlib import Path
from typing import Any

import pytest

OWN = "{}.{}".format(*sys.version_info[:2])


@pytest.fixture
def others(pythons: Any, monkeypatch: Any, tmp_path: Path) -> Path:
    """A folder that is all there is on the path, and three versions that are promised beside this one."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(pythons, "promised", lambda: [OWN, "3.97", "3.98", "3.99"])
    return tmp_path


def program(folder: Path, version: str, script: str) -> None:
    path = folder / f"python{version}"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)


def test_this_python_is_found_and_promised(pythons: Any, others: Path) -> None:
    assert pythons.found() == {OWN: sys.executable}


def test_the_classifiers_promise_this_python(pythons: Any) -> None:
    assert OWN in pythons.promised()


@pytest.mark.skipif(sys.platform == "win32", reason="programs there are no scripts of a shell")
def test_only_what_works_and_is_of_its_version_is_found(pythons: Any, others: Path) -> None:
    program(others, "3.97", "echo 3.97")
    program(others, "3.98", "echo 3.11")
    program(others, "3.99", "echo 3.99; exit 1")
    program(others, "3.96", "echo 3.96")
    assert pythons.found() == {OWN: sys.executable, "3.97": str(others / "python3.97")}
