"""A result never takes the place of a file that the command reads, or of another result: that is refused at once."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kernelopt as library

Call = Callable[..., Any]
QUICK = ("--target", "kind", "--ignore", "place", "--no-progress")


@pytest.fixture(name="kept")
def _kept(table: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of clouds.csv and clouds.kernelopt, in which the command runs; nothing can be learned."""
    monkeypatch.setattr(library, "solve", None)
    monkeypatch.chdir(table.parent)
    Path("new.csv").write_bytes(table.read_bytes())
    Path("run.toml").write_text("tol = 0.1\n", encoding="utf-8")
    Path("link.csv").symlink_to("clouds.csv")
    os.link("clouds.csv", "second.csv")
    return table.parent


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("solve clouds.csv --save clouds.csv", "--save: clouds.csv is the file that DATA reads"),
        (
            "solve clouds.csv --save ../{folder}/clouds.csv",
            "--save: ../{folder}/clouds.csv is the file that DATA reads",
        ),
        ("solve clouds.csv --save link.csv", "--save: link.csv is the file that DATA reads"),
        ("solve link.csv --save second.csv", "--save: second.csv is the file that DATA reads"),
        ("solve clouds.csv --checkpoint clouds.csv", "--checkpoint: clouds.csv is the file that DATA reads"),
        ("solve clouds.csv --predict new.csv --out new.csv", "--out: new.csv is the file that --predict reads"),
        ("solve clouds.csv --config run.toml --save run.toml", "--save: run.toml is the file that --config reads"),
        ("solve clouds.csv --save same --predict new.csv --out same", "--out: same is the file that --save writes"),
        ("solve clouds.csv --save same --checkpoint ./same", "--checkpoint: same is the file that --save writes"),
        ("solve clouds.csv --view mri=new.csv --save new.csv", "--save: new.csv is the file that --view mri reads"),
        ("predict clouds.kernelopt new.csv --out clouds.kernelopt", "--out: clouds.kernelopt is the file that MODEL"),
        ("predict clouds.kernelopt new.csv --out new.csv", "--out: new.csv is the file that DATA reads"),
        ("predict clouds.kernelopt --view mri=new.csv --out new.csv", "--out: new.csv is the file that --view mri"),
        ("report clouds.csv --out clouds.csv", "--out: clouds.csv is the file that DATA reads"),
        ("plot clouds.csv --out clouds.csv", "--out: clouds.csv is the file that DATA reads"),
        ("plot clouds.kernelopt --rows new.csv --out new.csv", "--out: new.csv is the file that --rows reads"),
        ("reproduce 004-f1 --out f1.svg --picture f1.svg", "--picture: f1.svg is the file that --out writes"),
    ],
)
def test_it_is_refused_before_the_work(kernelopt: Call, kept: Path, command: str, sentence: str) -> None:
    held = {path: path.read_bytes() for path in kept.iterdir()}
    name, *words = command.format(folder=kept.name).split()
    shown = kernelopt(name, *words, *(() if name in ("predict", "reproduce") else QUICK))
    assert shown.exit_code == 2
    assert shown.stderr.startswith(f"error: {sentence.format(folder=kept.name)}")
    assert shown.stderr.endswith("; give another name\n")
    assert {path: path.read_bytes() for path in kept.iterdir()} == held


def test_the_parquet_files_of_a_folder_are_read(kernelopt: Call, kept: Path) -> None:
    Path("many").mkdir()
    Path("many/a.parquet").write_bytes(b"PAR1")
    shown = kernelopt("solve", "many", *QUICK, "--save", "many/a.parquet")
    assert shown.stderr == "error: --save: many/a.parquet is the file that DATA reads; give another name\n"


def test_what_the_shell_connects_with_standard_input_is_read(kept: Path) -> None:
    command = [sys.executable, "-m", "kernelopt", "solve", "-", *QUICK, "--save", "clouds.csv"]
    with Path("clouds.csv").open("rb") as file:
        shown = subprocess.run(command, stdin=file, capture_output=True, text=True, check=False)
    assert (shown.returncode, shown.stderr) == (
        2,
        "error: --save: clouds.csv is the file that DATA reads; give another name\n",
    )


def test_a_result_may_take_the_place_of_an_older_one(kernelopt: Call, kept: Path) -> None:
    Path("out.csv").write_text("older\n", encoding="utf-8")
    shown = kernelopt("predict", "clouds.kernelopt", "new.csv", "--out", "out.csv")
    assert shown.exit_code == 0, shown.stderr
    assert Path("out.csv").read_text(encoding="utf-8").startswith("prediction,")
    if Path("/dev/null").is_char_device():
        assert kernelopt("predict", "clouds.kernelopt", "new.csv", "--out", "/dev/null").exit_code == 0
