"""What the shell completes: names from the registry, data sets, options of families, and files."""

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import attrs
import pytest

import kernelopt
from kernelopt._plugins._registry import registry
from kernelopt.cli import _completion
from kernelopt.cli._specs import parse_family, parse_solver
from kernelopt.cli.commands._cmd_plot import PICTURES

KINDS = {
    "family": (_completion.families, kernelopt.families),
    "solver": (_completion.solvers, kernelopt.solvers),
    "criterion": (_completion.criteria, kernelopt.criteria),
}


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_those_of_the_registry(kind: str) -> None:
    complete, known = KINDS[kind]
    assert set(complete("")) - {"auto"} == set(known())
    for name in known():
        assert name in complete(name[:1])
        assert all(one.startswith(name) for one in complete(name))


def test_unions_and_chains_go_on_behind_the_last_plus_sign() -> None:
    assert _completion.families("tk+del") == ["tk+delta"]
    assert _completion.solvers("fw+ap") == ["fw+apd"]
    assert parse_family("tk+delta") == ["tk", "delta"]
    assert parse_solver("fw+apd")["then"] == "apd"


@pytest.mark.parametrize("name", kernelopt.families())
def test_options_of_a_family_are_offered_with_their_defaults(name: str) -> None:
    offered = _completion.families(f"{name}:")
    cls = registry().find("family", name)
    keys = {one.removeprefix(f"{name}:").partition("=")[0] for one in offered}
    assert keys == {field.alias for field in attrs.fields(cls) if field.init and not field.name.startswith("_")}
    assert _completion.families(f"{name}:nothing") == []


def test_defaults_are_written_as_they_are_typed() -> None:
    assert "tk:degree=1" in _completion.families("tk:de")
    assert _completion.families("delta+tk:degree=2,bas")[0].startswith("delta+tk:degree=2,basis=")


def test_data_sets_and_files_go_together_where_either_may_be_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data.csv").write_text("", encoding="utf-8")
    (tmp_path / "dark").mkdir()
    monkeypatch.chdir(tmp_path)
    assert _completion.tables("dataset:ir") == ["dataset:iris"]
    assert {"data.csv", "dataset:iris", "dark/"} <= set(_completion.tables("da"))
    assert _completion.tables("i") == []  # the shell completes files itself
    assert _completion.tables("") == []


def test_every_picture_is_offered() -> None:
    from kernelopt.cli import _plot

    assert tuple(_plot._PICTURES) == PICTURES


@pytest.mark.parametrize(
    ("words", "joined", "ends"),
    [
        (["kernelopt", "solve", "dataset", ":", "ir"], ["kernelopt", "solve", "dataset:ir"], ["is"]),
        (["kernelopt", "solve", "x", "--family", "=", "tk"], ["kernelopt", "solve", "x", "--family=tk"], ["tk"]),
        (["kernelopt", "solve", "tk", ":", "d", "=", "2,b"], ["kernelopt", "solve", "tk:d=2,b"], ["b"]),
        (["kernelopt", "so"], ["kernelopt", "so"], ["solve"]),
    ],
)
def test_words_that_bash_has_cut_are_put_together(words: list[str], joined: list[str], ends: list[str]) -> None:
    environment = {
        "_KERNELOPT_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join([*words, "later"]),
        "COMP_CWORD": str(len(words) - 1),
    }
    with _completion.asked(environment):
        assert environment["COMP_WORDS"].split("\n") == joined
        assert environment["COMP_CWORD"] == str(len(joined) - 1)
    with _completion.asked(unasked := {"COMP_WORDS": "a\n:\nb", "COMP_CWORD": "2"}):
        assert unasked["COMP_WORDS"] == "a\n:\nb"


def test_bash_gets_the_end_of_the_word_that_it_has_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    told = io.StringIO()
    monkeypatch.setattr(sys, "stdout", told)
    cut = {"_KERNELOPT_COMPLETE": "complete_bash", "COMP_WORDS": "k\nsolve\ndataset\n:\nir", "COMP_CWORD": "4"}
    with _completion.asked(cut):
        print("dataset:iris")  # noqa: T201
    assert told.getvalue() == "iris\n"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_completes_data_sets_and_families(tmp_path: Path) -> None:
    program = tmp_path / "kernelopt"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m kernelopt "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    script = """
    eval "$(_KERNELOPT_COMPLETE=source_bash kernelopt)"
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kernelopt_completion kernelopt; echo "${COMPREPLY[*]}"; }
    ask kernelopt solve dataset : ir
    ask kernelopt solve x --family hyp
    ask kernelopt solve x --save m
    """
    environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment)
    assert done.stdout.splitlines() == ["iris", "hyperkernel", ""], done.stderr
