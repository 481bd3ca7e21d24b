"""The Pythons of this machine on which the library says that it runs.

    python release/pythons.py     print the version and the program of each

A Python is found if it is the one that runs this script, or if a program of its name, such as `python3.12`, is on the
path. Only the versions count that `pyproject.toml` has among its classifiers.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (3\.\d+)")
_ASKED = "import ensurepip, sys, venv; print('%d.%d' % sys.version_info[:2])"
"""A Python without `ensurepip`, as Debian's is at first, cannot make an environment with pip."""


def promised() -> list[str]:
    """The versions of Python that the classifiers name, such as "3.11"."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [found[1] for line in project["classifiers"] if (found := _CLASSIFIER.fullmatch(line))]


def works(program: str, version: str) -> bool:
    """Whether a program is a Python of this version that can make an environment."""
    done = subprocess.run([program, "-c", _ASKED], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def found() -> dict[str, str]:
    """The program of each version that is on this machine: first of the Python that runs this, then of the others."""
    own = "{}.{}".format(*sys.version_info[:2])
    named = {version: shutil.which(f"python{version}") for version in promised() if version != own}
    others = {version: program for version, program in named.items() if program and works(program, version)}
    return {own: sys.executable, **others}


if __name__ == "__main__":
    for version, program in found().items():
        sys.stdout.write(f"{version} {program}\n")
