"""The look into what would be released finds what is missing there."""

import io
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

STEM = "kernelopt_odd-0.1.0"
PYPROJECT = """
[project]
name = "kernelopt-odd"
license = "BSD-3-Clause"
[project.urls]
Repository = "https://nobody.invalid"
[tool.flit.module]
name = "kernelopt_odd"
"""
METADATA = """Metadata-Version: 2.4
Name: kernelopt-odd
Version: 0.1.0
Author: somebody
License-Expression: BSD-3-Clause
License-File: LICENSE
Project-URL: Repository, https://nobody.invalid
Requires-Dist: kernelopt PIN
Description-Content-Type: text/markdown

[a page](https://nobody.invalid)
"""
WHEEL = ("kernelopt_odd/py.typed", f"{STEM}.dist-info/licenses/LICENSE")
ARCHIVE = ("PKG-INFO", "LICENSE", "README.md", "pyproject.toml", "kernelopt_odd/py.typed", "tests/test_odd.py")


@pytest.fixture
def told(contents: Any, version: Any, tmp_path: Path, monkeypatch: Any) -> Callable[..., list[str]]:
    monkeypatch.setattr(contents, "stated", lambda: "0.1.0")
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    metadata = METADATA.replace("PIN", version.pin("0.1.0"))

    def look(without: str = "", wheel: str = "", old: str = "", new: str = "") -> list[str]:
        with zipfile.ZipFile(tmp_path / f"{STEM}-py3-none-any.whl", "w") as opened:
            opened.writestr(f"{STEM}.dist-info/METADATA", metadata.replace(old, new) if old else metadata)
            for name in (*WHEEL, wheel):
                if name and name != without:
                    opened.writestr(name, "")
        with tarfile.open(tmp_path / f"{STEM}.tar.gz", "w:gz") as packed:
            for name in ARCHIVE:
                if name != without:
                    packed.addfile(tarfile.TarInfo(f"{STEM}/{name}"), io.BytesIO())
        return list(contents.told(tmp_path, tmp_path))

    return look


def test_a_sound_package_has_no_fault(told: Callable[..., list[str]]) -> None:
    assert told() == []


@pytest.mark.parametrize("name", [*WHEEL, *ARCHIVE])
def test_a_file_that_is_missing_is_told(told: Callable[..., list[str]], name: str) -> None:
    assert told(without=name)


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("License-File: LICENSE\n", "", "no licence"),
        ("Author: somebody\n", "", "no author"),
        ("Project-URL: Repository, https://nobody.invalid\n", "", "addresses"),
        ("](https://nobody.invalid)", "](docs/start.md)", "links to docs/start.md"),
        ("Requires-Dist: kernelopt >=0.1,<0.2", "Requires-Dist: kernelopt >=0.1", "is wanted"),
    ],
)
def test_metadata_that_are_not_whole_are_told(told: Callable[..., list[str]], old: str, new: str, fault: str) -> None:
    (line,) = told(old=old, new=new)
    assert fault in line


def test_tests_in_a_wheel_are_told(told: Callable[..., list[str]]) -> None:
    (line,) = told(wheel="tests/test_odd.py")
    assert "has tests" in line


def test_a_file_that_was_not_built_is_told(contents: Any, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT, encoding="utf-8")
    (line,) = contents.told(tmp_path, tmp_path)
    assert "was not built" in line
