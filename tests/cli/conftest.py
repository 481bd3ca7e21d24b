"""A small table on disk, and the command line as a function."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from kernelopt.cli._app import app


@pytest.fixture
def kernelopt() -> Callable[..., Any]:
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


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Two clouds in the plane, with words as labels and a column of text."""
    random = np.random.default_rng(0)
    path = tmp_path / "clouds.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["width", "height", "place", "kind"])
        for k in range(40):
            side = k % 2
            x, y = random.normal(3.0 * side, 0.5, size=2)
            writer.writerow([x, y, "north", ("cat", "dog")[side]])
    return path
