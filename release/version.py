"""Write the version of the library wherever it stands: packages, what they ask of each other, the citation.

    python release/version.py           write the version that kernelopt/_base/_version.py states
    python release/version.py 0.2.0     state this one first

The heading of CHANGELOG.md is written by hand, with its date.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OWNER = ROOT / "kernelopt" / "_base" / "_version.py"
_STATED = re.compile(r'^__version__ = "(\d+\.\d+\.\d+)"$', re.MULTILINE)
_PACKAGE = re.compile(r'^version = ".*"$', re.MULTILINE)
_CITED = re.compile(r"^version: .*$", re.MULTILINE)
_PIN = re.compile(r'"(kernelopt(?:-\w+)*) >=[\d.]+,<[\d.]+"')


def stated() -> str:
    """The version that the library states of itself, as three numbers with points."""
    found = _STATED.search(OWNER.read_text(encoding="utf-8"))
    if found is None:
        raise SystemExit(f'{OWNER} states no version: write __version__ = "0.2.0", with three numbers')
    return found[1]


def pin(version: str) -> str:
    """What one package asks of another: before 1.0 the second number may break a plugin, from then on the first."""
    major, minor, _ = map(int, version.split("."))
    return f">={major}.{minor},<{f'0.{minor + 1}' if major == 0 else major + 1}"


def packages() -> Iterator[Path]:
    """The pyproject.toml of the library, of every plugin, and of the templates that authors of plugins copy."""
    yield ROOT / "pyproject.toml"
    yield from sorted(ROOT.glob("plugins/*/pyproject.toml"))
    yield from sorted((ROOT / "kernelopt" / "cli" / "templates").glob("*/pyproject.toml"))


def stamped(text: str, version: str) -> str:
    """A pyproject.toml with this version and with pins that fit it."""
    text = _PACKAGE.sub(f'version = "{version}"', text)
    return _PIN.sub(rf'"\1 {pin(version)}"', text)


def cited(text: str, version: str) -> str:
    """CITATION.cff with this version."""
    return _CITED.sub(f"version: {version}", text)


def main() -> None:
    """Rewrite every file in place."""
    if sys.argv[1:]:
        wanted = f'__version__ = "{sys.argv[1]}"'
        if not _STATED.fullmatch(wanted):
            raise SystemExit(f"{sys.argv[1]!r} is no version: write three numbers, such as 0.2.0")
        OWNER.write_text(_STATED.sub(wanted, OWNER.read_text(encoding="utf-8")), encoding="utf-8")
    version = stated()
    for path in packages():
        path.write_text(stamped(path.read_text(encoding="utf-8"), version), encoding="utf-8")
    citation = ROOT / "CITATION.cff"
    citation.write_text(cited(citation.read_text(encoding="utf-8"), version), encoding="utf-8")


if __name__ == "__main__":
    main()
