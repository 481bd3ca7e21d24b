"""What the package index is told: one version, one licence, one address, and no plugin of the product without them."""

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = (ROOT, *sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml")))
RELEASED = tuple(path for path in PACKAGES if path.name != "kernelopt-minimal")
PLUGINS = RELEASED[1:]
SHARED = ("version", "requires-python", "license", "license-files", "authors", "classifiers", "urls")
PYTHON = "Programming Language :: Python :: 3."


def tables(package: Path) -> dict[str, Any]:
    return tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))


def project(package: Path) -> dict[str, Any]:
    return dict(tables(package)["project"])


def each(packages: tuple[Path, ...]) -> Any:
    return pytest.mark.parametrize("package", packages, ids=lambda path: "kernelopt" if path == ROOT else path.name)


@each(PLUGINS)
@pytest.mark.parametrize("field", SHARED)
def test_a_plugin_says_what_the_library_says(package: Path, field: str) -> None:
    assert project(package)[field] == project(ROOT)[field]


@each(RELEASED)
def test_a_package_describes_itself(package: Path) -> None:
    told = project(package)
    assert told["name"] == (package.name if package != ROOT else "kernelopt")
    assert len(told["description"]) > 20
    assert told["keywords"]
    assert (package / told["readme"]).is_file()


@each(RELEASED)
def test_every_package_has_the_licence(package: Path) -> None:
    assert (package / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


@each(RELEASED)
def test_every_package_tells_type_checkers_that_it_has_types(package: Path) -> None:
    assert (package / tables(package)["tool"]["flit"]["module"]["name"] / "py.typed").is_file()


@each(RELEASED)
def test_every_source_archive_has_the_tests(package: Path) -> None:
    assert "tests/" in tables(package)["tool"]["flit"]["sdist"]["include"]
    assert any((package / "tests").rglob("test_*.py"))


def test_the_extra_all_is_every_plugin_and_every_picture_and_table(version: Any) -> None:
    pin = version.pin(version.stated())
    wanted = {f"{package.name} {pin}" for package in PLUGINS}
    assert set(project(ROOT)["optional-dependencies"]["all"]) == {"kernelopt[parquet,plot,report]", *wanted}


@each(PACKAGES[1:])
def test_a_plugin_asks_for_the_library_that_it_was_made_for(version: Any, package: Path) -> None:
    own = [one for one in project(package)["dependencies"] if one.startswith("kernelopt")]
    assert own == [f"kernelopt {version.pin(version.stated())}"]


def test_the_version_stands_everywhere_as_the_library_states_it(version: Any) -> None:
    for path in version.packages():
        text = path.read_text(encoding="utf-8")
        assert version.stamped(text, version.stated()) == text, "run: python release/version.py"
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert version.cited(citation, version.stated()) == citation, "run: python release/version.py"


def test_another_version_changes_the_version_and_the_pins_alone(version: Any) -> None:
    before = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    after = version.stamped(before, "3.4.5")
    changed = [line for old, line in zip(before.splitlines(), after.splitlines(), strict=True) if old != line]
    assert changed[0] == 'version = "3.4.5"'
    assert all(re.fullmatch(r'    "kernelopt-\w+ >=3.4,<4",', line) for line in changed[1:])
    assert len(changed) == 1 + len(PLUGINS)
    assert version.stamped(after, version.stated()) == before


@pytest.mark.parametrize(("number", "pin"), [("0.1.0", ">=0.1,<0.2"), ("0.9.3", ">=0.9,<0.10"), ("2.5.1", ">=2.5,<3")])
def test_a_pin_ends_before_what_may_break_a_plugin(version: Any, number: str, pin: str) -> None:
    assert version.pin(number) == pin


def test_every_python_that_is_named_is_tested() -> None:
    """And the first of them is the oldest that pip lets in."""
    named = [one.removeprefix(PYTHON) for one in project(ROOT)["classifiers"] if one.startswith(PYTHON)]
    assert project(ROOT)["requires-python"] == f">=3.{named[0]}"
    flow = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    listed = re.search(r"python: \[(.*)\]", flow)
    assert listed is not None
    assert listed[1] == ", ".join(f'"3.{one}"' for one in named)
    for system in ("ubuntu", "macos", "windows"):
        assert f"{system}-latest" in flow


def test_no_plugin_is_named_twice_by_the_entry_points() -> None:
    names = Counter(name for package in RELEASED for name in project(package)["entry-points"]["kernelopt"])
    assert max(names.values()) == 1


def test_the_changelog_has_the_version_and_links_that_are_whole(links: Any, version: Any) -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"\n## [{version.stated()}]" in text
    assert links.relative(text) == []
