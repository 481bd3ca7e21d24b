"""Write another address of the repository wherever the old one stands: packages, changelog, the page of issues.

    python release/address.py https://github.com/someone/kernelopt

The library's pyproject.toml states the address, as `Repository` among its urls; the old one is read from there.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from links import ROOT, address
from version import packages

_WHOLE = re.compile(r"https://[\w.-]+(/[\w.-]+)+")


def holders() -> Iterator[Path]:
    """The files that may state the address."""
    yield from packages()
    yield ROOT / "CHANGELOG.md"
    yield ROOT / "CITATION.cff"
    yield from sorted(ROOT.glob(".github/**/*.yml"))
    yield from sorted(ROOT.glob(".github/**/*.md"))


def moved(text: str, old: str, new: str) -> str:
    """A text with the new address in place of the old one, also where a page below it is meant."""
    return re.sub(rf"{re.escape(old)}(?![\w-])", new, text)


def main() -> None:
    """Rewrite every file in place."""
    if len(sys.argv) != 2 or not _WHOLE.fullmatch(sys.argv[1]):
        raise SystemExit(f"got {sys.argv[1:]}, wanted one address, such as https://github.com/someone/kernelopt")
    old = address()
    for path in holders():
        text = path.read_text(encoding="utf-8")
        path.write_text(moved(text, old, sys.argv[1]), encoding="utf-8")


if __name__ == "__main__":
    main()
