"""The packages of one commit, built once and switched to at once: what asv.conf.json calls for every commit.

    python wheelhouse.py build SOURCE CACHE      all wheels of a commit, unpacked into the folder of that commit
    python wheelhouse.py install SOURCE CACHE    make the Python that runs this import them

asv runs the benchmarks of two commits in turn. Each commit has a folder of its own with what its wheels hold, and what
numba compiled for it stays there; to go from one commit to the other is to write one line into a .pth file. Libraries
of others are installed into asv's environment beside that, and only if a commit asks for other ones.
"""

import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from importlib.metadata import distributions
from pathlib import Path

OURS = "kernelopt"
NOTE = "installed-by-kernelopt.txt"
"""The file beside the .pth file that tells which libraries of others are installed."""


def packages(source: Path) -> list[Path]:
    """The folders of all packages of a commit: the library, and every plugin that the commit has."""
    return [source, *(path.parent for path in sorted(source.glob("plugins/*/pyproject.toml")))]


def builders(source: Path) -> set[str]:
    """What the packages are built with."""
    files = [(package / "pyproject.toml").read_text(encoding="utf-8") for package in packages(source)]
    return {name for text in files for name in tomllib.loads(text)["build-system"]["requires"]}


def libraries(unpacked: Path) -> Iterator[str]:
    """The libraries of others that the unpacked packages need, without those of their extras."""
    for held in distributions(path=[str(unpacked)]):
        yield from (name for name in held.requires or () if "extra ==" not in name and not name.startswith(OURS))


def pip(*words: str) -> None:
    """Run pip; its output is shown by asv where it fails."""
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True)


def constrained(source: Path) -> list[str]:
    """The option that pins the versions, where the commit has the file of them."""
    file = source / "constraints.txt"
    return ["-c", str(file)] if file.exists() else []


def build(source: Path, cache: Path) -> None:
    """All wheels in one call, and then all of them unpacked in another; the folders are inside, for asv looks for one
    wheel alone at the top of the cache."""
    pip("install", "-q", *constrained(source), *sorted(builders(source)))
    folders = map(str, packages(source))
    pip("wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(cache / "wheels"), *folders)
    wheels = map(str, sorted((cache / "wheels").glob("*.whl")))
    pip("install", "-q", "--no-deps", "--no-index", "--target", str(cache / "unpacked"), *wheels)


def install(source: Path, cache: Path) -> None:
    """Libraries of others, if they are not there yet, and the line that says where the packages are."""
    place, unpacked = Path(sysconfig.get_paths()["purelib"]), cache / "unpacked"
    words = [*constrained(source), *sorted(set(libraries(unpacked)))]
    pins = (source / "constraints.txt").read_text(encoding="utf-8") if words[0] == "-c" else ""
    asked = "\n".join([*words, pins])
    note = place / NOTE
    if not note.exists() or note.read_text(encoding="utf-8") != asked:
        pip("install", "-q", *words)
        note.write_text(asked, encoding="utf-8")
    (place / f"{OURS}-of-the-commit.pth").write_text(f"{unpacked}\n", encoding="utf-8")


if __name__ == "__main__":
    {"build": build, "install": install}[sys.argv[1]](Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve())
