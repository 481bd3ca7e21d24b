"""Look into source archives and wheels, and say what is missing before they are released.

    python release/contents.py dist

Needs the package packaging.
"""

import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from build import packages
from links import relative
from packaging.metadata import Metadata
from version import pin, stated


def told(package: Path, dist: Path) -> Iterator[str]:
    """What is wrong with the two files of a package; nothing where all is well."""
    tables = tomllib.loads((package / "pyproject.toml").read_text(encoding="utf-8"))
    stem = f"{tables['project']['name'].replace('-', '_')}-{stated()}"
    module = tables["tool"]["flit"]["module"]["name"]
    wheel, archive = dist / f"{stem}-py3-none-any.whl", dist / f"{stem}.tar.gz"
    for path in (wheel, archive):
        if not path.is_file():
            yield f"{path.name} was not built"
            return
    with zipfile.ZipFile(wheel) as opened:
        names = opened.namelist()
        metadata = Metadata.from_email(opened.read(f"{stem}.dist-info/METADATA"), validate=True)
    for wanted in (f"{module}/py.typed", f"{stem}.dist-info/licenses/LICENSE"):
        if wanted not in names:
            yield f"{wheel.name} lacks {wanted}"
    if any(name.startswith("tests/") for name in names):
        yield f"{wheel.name} has tests, which would be installed beside every other package's"
    yield from (f"{wheel.name}: {fault}" for fault in _metadata(metadata, tables["project"]))
    with tarfile.open(archive) as packed:
        inside = packed.getnames()
    for wanted in ("PKG-INFO", "LICENSE", "README.md", "pyproject.toml", f"{module}/py.typed"):
        if f"{stem}/{wanted}" not in inside:
            yield f"{archive.name} lacks {wanted}"
    if not any(name.startswith(f"{stem}/tests/") and name.endswith(".py") for name in inside):
        yield f"{archive.name} has no tests: name them in [tool.flit.sdist]"


def _metadata(metadata: Any, project: dict[str, Any]) -> Iterator[str]:
    if metadata.license_expression != project["license"] or metadata.license_files != ["LICENSE"]:
        yield "it states no licence, or names no file of it"
    if not metadata.author or set(metadata.project_urls or {}) != set(project["urls"]):
        yield "it names no author, or not all addresses"
    for link in relative(metadata.description or ""):
        yield f"its description links to {link}, which the package index does not have"
    for needed in metadata.requires_dist or ():
        own = needed.name.startswith("kernelopt") and not needed.extras
        if own and needed.specifier != type(needed.specifier)(pin(stated())):
            yield f"it asks for {needed}, and {pin(stated())} is wanted: run python release/version.py"


def main() -> None:
    """Look at every package, and end with an error where something is wrong."""
    dist = Path(sys.argv[1])
    faults = [fault for package in packages() for fault in told(package, dist)]
    if faults:
        raise SystemExit("\n".join(faults))
    sys.stdout.write(f"{len(list(packages()))} packages: a source archive and a wheel each, with whole metadata\n")


if __name__ == "__main__":
    main()
