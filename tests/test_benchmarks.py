"""Benchmarks can tell two commits apart, have every plugin installed, and the table of peers says who is behind."""

import ast
import importlib
import re
from math import comb
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "asv_benchmarks"
MEASURED = re.compile(r"(time|timeraw|track|peakmem|mem)_\w+")
THRESHOLD = 0.002
"""The p-value below which asv calls a difference real."""


@pytest.fixture
def script(monkeypatch):
    """What imports a script of the folder by its name."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def classes(file):
    return [node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.ClassDef)]


def measures(node):
    return any(isinstance(one, ast.FunctionDef) and MEASURED.fullmatch(one.name) for one in node.body)


def test_every_benchmark_is_quick_or_slow():
    elsewhere = [file for file in (FOLDER / "benchmarks").glob("*.py") if any(map(measures, classes(file)))]
    assert not elsewhere


@pytest.mark.parametrize("folder", ["quick", "slow"])
def test_every_benchmark_is_sampled_as_all_are(folder):
    found = [(file.name, node) for file in (FOLDER / "benchmarks" / folder).glob("*.py") for node in classes(file)]
    assert found
    for name, node in found:
        assert {ast.unparse(base) for base in node.bases} & {"Timed", "evidence.Auto"}, (name, node.name)


def test_samples_are_enough_for_a_difference_to_be_real():
    names = {"Timed": next(node for node in classes(FOLDER / "benchmarks" / "_timed.py") if node.name == "Timed")}
    told = {}
    for line in names["Timed"].body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) in ("rounds", "repeat"):
            told[ast.unparse(line.targets[0])] = ast.literal_eval(line.value)
    least = told["rounds"] * told["repeat"][0]
    assert 2 / comb(2 * least, least) < THRESHOLD


def test_every_plugin_is_installed_for_the_benchmarks(script):
    folders = {file.parent for file in (ROOT / "plugins").glob("*/pyproject.toml")}
    assert set(script("wheelhouse").packages(ROOT)) == {ROOT, *folders}


def test_libraries_of_others_are_asked_for_without_extras(script, tmp_path):
    held = tmp_path / "kernelopt_a-1.dist-info"
    held.mkdir()
    needs = ["kernelopt >=0.2,<0.3", "numpy >=2.0", 'pytest >=8 ; extra == "testing"']
    lines = ["Metadata-Version: 2.1", "Name: kernelopt-a", "Version: 1", *(f"Requires-Dist: {need}" for need in needs)]
    (held / "METADATA").write_text("\n".join(lines), encoding="utf-8")
    assert list(script("wheelhouse").libraries(tmp_path)) == ["numpy >=2.0"]


@pytest.mark.parametrize(("peer", "end"), [(2.0, "behind"), (3.0, "3"), (None, "not installed")])
def test_the_table_says_who_is_behind(script, peer, end):
    assert script("peers").line(script("_pair").Pair("work", 1.0, peer, 3.0)).endswith(end)


def test_the_table_has_every_script_that_yields_pairs(script):
    assert {"qcqp_peer", "sdp_peer", "everyday_peers"} <= set(script("peers").scripts([]))
    assert list(script("peers").scripts(["sdp"])) == ["sdp_peer"]
