"""A small table on disk, and the command line as a function."""

import csv
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.main import get_command
from typer.testing import CliRunner

from kernelopt.cli._app import app


@pytest.fixture(scope="session", autouse=True)
def _commands_are_made_once() -> Iterator[None]:
    """As in a terminal, where a process reads the signatures of all commands once, and runs one of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("typer.testing._get_command", cache(get_command))
        yield


@pytest.fixture
def kernelopt(small_grid: None) -> Callable[..., Any]:
    """The command line as a function."""

    def call(*arguments: object) -> Any:
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    return call


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Write text to a file of this test."""

    def written(text: str, name: str = "data.csv") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def clouds(path: Path) -> Path:
    """Two clouds in the plane, with words as labels and a column of text, in this file."""
    random = np.random.default_rng(0)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["width", "height", "place", "kind"])
        for k in range(40):
            side = k % 2
            x, y = random.normal(3.0 * side, 0.5, size=2)
            writer.writerow([x, y, "north", ("cat", "dog")[side]])
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two clouds in the plane."""
    return clouds(tmp_path / "clouds.csv")


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the two clouds, which is learned once; a test takes a copy."""
    folder = tmp_path_factory.mktemp("learned")
    path = folder / "clouds.kernelopt"
    options = ["--target", "kind", "--ignore", "place", "--family", "dictionary:kernels=rbf|linear", "--tol", "0.05"]
    command = ["solve", str(clouds(folder / "clouds.csv")), *options, "--no-progress", "--save", str(path)]
    shown = CliRunner().invoke(app, command)
    assert shown.exit_code == 0, shown.stderr
    assert f"model written to {path}" in shown.stderr
    return path


@pytest.fixture
def model(learned: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copy(learned, tmp_path))
