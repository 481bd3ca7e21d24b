"""--config: a file says what could be typed, and what is typed comes first."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Call = Callable[..., Any]
Write = Callable[..., Path]


def test_a_file_says_what_could_be_typed(kernelopt: Call, table: Path, write: Write) -> None:
    config = write(
        f'data = "{table.as_posix()}"\ntarget = "kind"\nignore = ["place"]\n'
        "tol = 0.05\nno-progress = true\nno-check = true\njson = true\n"
        'family = [{name = "dictionary", kernels = ["rbf", "linear"]}, "delta"]\n'
        'criterion = {name = "svc", C = 10}\n',
        "run.toml",
    )
    typed = ("--family", "dictionary:kernels=rbf|linear+delta", "--criterion", "svc:C=10", "--tol", "0.05")
    silent = ("--no-progress", "--no-check", "--json")
    said = kernelopt("solve", "--config", config)
    wanted = kernelopt("solve", table, "--target", "kind", "--ignore", "place", *typed, *silent)
    assert said.exit_code == 0, said.stderr
    assert said.stderr == ""
    told, other = json.loads(said.stdout), json.loads(wanted.stdout)
    assert told["certificate"] == other["certificate"]
    assert [member["family"] for member in told["kernel"]] == ["dictionary", "delta"]


def test_what_is_typed_comes_before_the_file(kernelopt: Call, table: Path, write: Write) -> None:
    config = write('target = "place"\nignore = "kind"\nfamily = "dictionary"\ntol = 0.05\n', "run.toml")
    said = kernelopt(
        "solve", table, "--target", "kind", "--ignore", "place", "--no-check", "--config", config, "--json"
    )
    assert said.exit_code == 0, said.stderr
    assert json.loads(said.stdout)["kernel"][0]["family"] == "dictionary"


def test_lists_of_a_comparison_are_its_candidates(kernelopt: Call, write: Write) -> None:
    config = write('family = ["dictionary", {name = "tk", degree = 0}]\nsolver = "fw"\ntol = 0.5\n', "run.toml")
    said = kernelopt("compare", "dataset:iris", "--config", config, "--json", "--no-progress")
    assert said.exit_code == 0, said.stderr
    entries = json.loads(said.stdout)["entries"]
    assert [entry["family"] for entry in entries] == ["dictionary", '{"name": "tk", "degree": 0}']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tolerance = 1", "no option is called 'tolerance'"),
        ("tols = 1", "did you mean 'tol'"),
        ("tol = = 1", "is no TOML file"),
        ('config = "other.toml"', "no option is called 'config'"),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_line(
    kernelopt: Call, table: Path, write: Write, text: str, message: str
) -> None:
    shown = kernelopt("solve", table, "--target", "kind", "--config", write(text, "run.toml"))
    assert shown.exit_code == 2
    assert shown.stdout == ""
    assert shown.stderr.startswith("error: --config")
    assert shown.stderr.count("\n") == 1
    assert message in shown.stderr


def test_a_file_that_is_not_there_is_said_not_to_be(kernelopt: Call, table: Path, tmp_path: Path) -> None:
    shown = kernelopt("solve", table, "--config", tmp_path / "none.toml")
    assert shown.exit_code == 2
    assert "there is no such file" in shown.stderr
