"""A plugin from the scaffold is found, and passes the conformance kit as it was generated."""

import ast
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest

import kernelopt as library
from kernelopt._plugins._registry import Kind
from kernelopt.cli import _scaffold

Call = Callable[..., Any]
KINDS: tuple[Kind, ...] = get_args(Kind)
ROOT = Path(__file__).parents[2]
JUDGED: tuple[Kind, ...] = ("family", "criterion")
COMMANDS = """
import json, shlex, sys
import pytest
from typer.testing import CliRunner
from kernelopt.cli._app import app

shown = [CliRunner().invoke(app, ["plugins", *shlex.split(text)]) for text in json.loads(sys.argv[1])]
assert not any(one.exit_code for one in shown), [one.output for one in shown]
print(json.dumps([one.stdout for one in shown]), flush=True)
sys.exit(pytest.main(["-q", "-W", "error", "-p", "no:cacheprovider", "--import-mode=importlib", *sys.argv[2:]]))
"""
"""`kernelopt plugins` with several options, one after the other, and then the tests of some folders, in one process."""


def install(root: Path) -> None:
    """What pip would write beside the module, as far as entry points need it."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = root / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    points = "".join(f"{name} = {value}\n" for name, value in project["entry-points"]["kernelopt"].items())
    (info / "entry_points.txt").write_text(f"[kernelopt]\n{points}")


def test_what_it_writes_is_found_and_passes_the_kit(kernelopt: Call, tmp_path: Path) -> None:
    for kind in KINDS:
        shown = kernelopt("new-plugin", f"my-{kind}", f"--{kind}", "--folder", tmp_path)
        assert shown.exit_code == 0, shown.stderr
        assert f"kernelopt_my_{kind}.py" in shown.stdout
        install(tmp_path / f"kernelopt-my-{kind}")
    roots = [str(path) for path in sorted(tmp_path.iterdir())]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(library.__file__).parents[1]), *roots])}
    asked = json.dumps(["--json", *(f"--check my-{kind}" for kind in JUDGED)])
    command = [sys.executable, "-c", COMMANDS, asked, *roots]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    first, _, ran = done.stdout.partition("\n")
    listed, *judged = json.loads(first)
    told = {one["name"]: one for one in json.loads(listed)["plugins"]}
    for kind in KINDS:
        assert told[f"my-{kind}"]["offers"] == {kind: [f"my-{kind}"]}
        assert told[f"my-{kind}"]["reason"] is None
    for text in judged:
        assert ", 0 broken" in text
    assert "passed" in ran


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["xy", "own-kernel-3", "gaussian-fields", "average", "squared-errors"])
def test_nothing_of_the_template_s_names_is_left(kind: Kind, name: str) -> None:
    template, files = _scaffold.TEMPLATES[kind], _scaffold.copy(name, kind)
    module = f"kernelopt_{name.replace('-', '_')}"
    assert set(files) == {f"{module}.py", f"tests/test_{name.replace('-', '_')}.py", "pyproject.toml", "README.md"}
    for path, text in files.items():
        assert not re.search(rf"\b{template.cls}\b", text), path
        assert f"kernelopt-{template.plugin}" not in text
        assert f'"{template.offers}"' not in text
        assert not re.search(rf"\b({template.plugin}|{template.offers})\b", text), path
        if path.endswith(".py"):
            ast.parse(text)
    project = tomllib.loads(files["pyproject.toml"])["project"]
    assert project["entry-points"]["kernelopt"] == {name: module}
    assert not {"authors", "license", "classifiers"} & set(project)


@pytest.mark.parametrize("kind", KINDS)
def test_the_templates_are_what_they_are_said_to_be(kind: Kind) -> None:
    template = _scaffold.TEMPLATES[kind]
    module = f"kernelopt_{template.plugin.replace('-', '_')}.py"
    text = (ROOT / "kernelopt" / "cli" / "templates" / kind / module).read_text(encoding="utf-8")
    assert f"class {template.cls}(" in text
    assert f'= "{template.offers}"\n' in text


@pytest.mark.parametrize(
    "name", ["Own", "own_kernel", "3d", "own-", "-own", "own kernel", "kernelopt-own", "", "../own"]
)
def test_a_name_that_is_none_is_refused(kernelopt: Call, tmp_path: Path, name: str) -> None:
    shown = kernelopt("new-plugin", "--family", "--folder", tmp_path, "--", name)
    assert shown.exit_code == 2
    assert "lower-case words joined by hyphens" in shown.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "kind", "message"),
    [
        ("dictionary", "family", "is taken by the plugin core"),
        ("minimal", "solver", "is taken by the plugin minimal"),
        ("auto", "family", "which users type for something else; take another one"),
        ("each", "family", "which users type for something else; take another one"),
        ("part", "family", "the class Part"),
        ("x", "solver", "the class X"),
        ("none", "criterion", "the class None"),
    ],
)
def test_a_name_that_is_taken_is_refused(kernelopt: Call, tmp_path: Path, name: str, kind: str, message: str) -> None:
    shown = kernelopt("new-plugin", name, f"--{kind}", "--folder", tmp_path)
    assert shown.exit_code == 2
    assert message in shown.stderr


@pytest.mark.parametrize("options", [(), ("--family", "--solver")])
def test_one_kind_is_asked_for(kernelopt: Call, tmp_path: Path, options: tuple[str, ...]) -> None:
    shown = kernelopt("new-plugin", "own", *options, "--folder", tmp_path)
    assert shown.exit_code == 2
    assert "one of --family, --criterion and --solver" in shown.stderr


def test_a_folder_that_is_there_is_left_alone(kernelopt: Call, tmp_path: Path) -> None:
    assert kernelopt("new-plugin", "own", "--solver", "--folder", tmp_path, "--json").exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.py")}
    shown = kernelopt("new-plugin", "own", "--family", "--folder", tmp_path)
    assert shown.exit_code == 2
    assert "is there already" in shown.stderr
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.py")} == before
