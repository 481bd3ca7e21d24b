"""Build the source archive and the wheel of the library and of every plugin of the product into one folder.

    python release/build.py dist

What is built is a copy of the files that git knows, with the links of each README made whole. Every wheel is built from
its source archive. Needs git, and the packages build and flit_core beside the Python that runs this.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from links import ROOT, whole
from version import stated

TEMPLATE = "kernelopt-minimal"
"""The plugin that authors copy: it is installed for tests and never released."""


def packages(root: Path = ROOT) -> Iterator[Path]:
    """The folders of what is released: the root, and one for each plugin."""
    yield root
    yield from (path.parent for path in sorted(root.glob("plugins/*/pyproject.toml")) if path.parent.name != TEMPLATE)


def staged(folder: Path) -> None:
    """Copy every file that git knows into a folder, and make the links of the READMEs whole."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    for package in packages(folder):
        page = package / "README.md"
        place = package.relative_to(folder).as_posix()
        page.write_text(whole(page.read_text(encoding="utf-8"), place, stated()), encoding="utf-8")


def build(target: Path) -> None:
    """Build everything into a folder that is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    with tempfile.TemporaryDirectory() as name:
        staged(Path(name))
        for package in packages(Path(name)):
            command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(target), str(package)]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve())
