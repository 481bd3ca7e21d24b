"""The address of the repository is stated in one place, and one command writes another one wherever it stands."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDERS = (".github", "asv_benchmarks", "docs", "kernelopt", "plugins", "release", "tests")
KINDS = {".cff", ".md", ".py", ".toml", ".yaml", ".yml"}
NEW = "https://forge.invalid/someone/their-kernels"


def texts() -> Iterator[Path]:
    """Every text of the repository, but for what was built."""
    yield from (path for path in ROOT.iterdir() if path.is_file() and path.suffix in KINDS)
    for folder in FOLDERS:
        yield from (path for path in (ROOT / folder).rglob("*") if path.suffix in KINDS and ".asv" not in path.parts)


def test_no_other_file_states_the_address(address: Any, links: Any) -> None:
    held = set(address.holders())
    assert ROOT / "pyproject.toml" in held
    assert [path for path in texts() if path not in held and links.address() in path.read_text(encoding="utf-8")] == []


def test_another_address_stands_in_place_of_the_old_one(address: Any, links: Any) -> None:
    old = links.address()
    for path in address.holders():
        before = path.read_text(encoding="utf-8")
        after = address.moved(before, old, NEW)
        assert old not in after
        assert after.count(NEW) == before.count(old)
        assert address.moved(after, NEW, old) == before


def test_the_page_of_issues_and_the_changelog_state_it_too(address: Any, links: Any) -> None:
    stating = {path.name for path in address.holders() if links.address() in path.read_text(encoding="utf-8")}
    assert {"pyproject.toml", "config.yml", "CHANGELOG.md"} <= stating


def test_a_longer_name_is_another_repository(address: Any) -> None:
    assert address.moved("https://a.b/c/d-e https://a.b/c/d/issues", "https://a.b/c/d", "https://f.g/h") == (
        "https://a.b/c/d-e https://f.g/h/issues"
    )
