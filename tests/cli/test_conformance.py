"""`kernelopt plugins --check`: what it judges, what it shows, and how it ends."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs
import pytest

from kernelopt._plugins._registry import PluginInfo, registry
from kernelopt.cli import _conformance, _scaffold
from kernelopt.testing import FamilySuite, laws_of

Call = Callable[..., Any]
BREAKS = (
    ("return cdist(X, X, ", "return 2.0 * cdist(X, X, ", "train-predict-agree", "one kernel, not two"),
    ("return attrs.evolve(self, _size=", "self._size = float(X.var()) or (", "prepare-frozen", "attrs.evolve"),
    ("np.full(len(X), part.mass)", "np.ones(len(X))", "diag", "of weights that sum to 2.5"),
    ("return 8 * n * n", "return 8 * n", "bind-bytes", "bind_bytes states"),
    (
        "* self._size)) for",
        "* self._size)).astype('f') for",
        "float64",
        "was computed in float32, which has seven digits",
    ),
    ("return Dense(self._mixed(part, data))", "return self._mixed(part, data)", "gram-type", r"such as Dense\(K\)"),
    ("        return self._mixed(part, cdist(", "        self._mixed(part, cdist(", "", "in cross|NoneType"),
)


@pytest.fixture
def module(tmp_path: Path) -> Callable[..., str]:
    """A family of the scaffold in a file, with one thing in it replaced."""

    def written(name: str, old: str = "", new: str = "") -> str:
        text = _scaffold.copy(name, "family")[f"kernelopt_{name.replace('-', '_')}.py"]
        assert old in text
        path = tmp_path / f"module_{name.replace('-', '_')}.py"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return f"{path}:{name.title().replace('-', '')}"

    return written


def test_every_law_is_shown_and_the_end_is_0(kernelopt: Call, module: Callable[..., str]) -> None:
    shown = kernelopt("plugins", "--check", module("checked-sound"))
    assert shown.exit_code == 0, shown.stdout
    assert "kept     gram is symmetric: The Gram matrix is symmetric: K = K'." in shown.stdout
    assert "it needs naive_gram" in " ".join(shown.stdout.split())
    assert re.search(rf"{len(laws_of(FamilySuite))} laws: \d+ kept, \d+ skipped, 0 broken", shown.stdout)
    assert "BROKEN" not in shown.stdout


@pytest.mark.parametrize(("old", "new", "law", "told"), BREAKS, ids=[law or "nothing" for _, _, law, _ in BREAKS])
def test_what_is_broken_is_told_in_a_sentence_and_the_end_is_1(
    kernelopt: Call, module: Callable[..., str], old: str, new: str, law: str, told: str
) -> None:
    name = f"checked-{law or 'nothing'}"
    shown = kernelopt("plugins", "--check", module(name, old, new))
    assert shown.exit_code == 1
    text = " ".join(shown.stdout.split())
    assert "BROKEN" in text
    assert re.search(told, text), text
    if law:
        assert f"LAW {law}: " in text


def test_an_error_names_the_line_of_the_plugin(kernelopt: Call, module: Callable[..., str]) -> None:
    old = "return np.full(len(X), part.mass)"
    named = module("checked-line", old, "return self.absent")
    path, _, _ = named.rpartition(":")
    line = 1 + Path(path).read_text(encoding="utf-8").split("return self.absent")[0].count("\n")
    shown = kernelopt("plugins", "--check", named)
    assert f"(module_checked_line.py, line {line}, in diag)" in " ".join(shown.stdout.split())


@pytest.mark.parametrize("name", ["minimal", "gaussians", "gaussians:widths=0.5|2.0"])
def test_a_plugin_is_judged_by_its_name_and_by_what_it_offers(kernelopt: Call, name: str) -> None:
    shown = kernelopt("plugins", "--check", name, "--json")
    assert shown.exit_code == 0
    (told,) = json.loads(shown.stdout)["checked"]
    assert told["subject"].startswith("family gaussians (")
    assert not told["failed"]
    assert {law["outcome"] for law in told["laws"]} == {"passed", "skipped"}


def test_criteria_are_judged_too_and_progress_is_no_result(kernelopt: Call) -> None:
    shown = kernelopt("plugins", "--check", "ridge")
    assert shown.exit_code == 0
    assert "criterion ridge (" in shown.stdout
    assert kernelopt("plugins", "--check", "ridge", "--no-progress").stdout == shown.stdout


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("gausian", "'gausian' is not installed; the nearest names are gaussian, gaussians"),
        ("SVR", "the nearest names are svr"),
        ("qqqqqq", "'qqqqqq' is not installed; kernelopt plugins lists what is"),
        ("evidence", "no laws for a criterion with a concave term"),
        ("no_such_module:Thing", "no_such_module cannot be imported (ModuleNotFoundError"),
        ("kernelopt:Thing", "kernelopt has no attribute 'Thing'"),
        ("kernelopt:solve", "wanted a family, a criterion, a solver"),
        ("kernelopt.testing:FamilySuite", "judges nothing by itself"),
    ],
)
def test_what_cannot_be_judged_is_one_sentence(kernelopt: Call, name: str, told: str) -> None:
    shown = kernelopt("plugins", "--check", name)
    assert shown.exit_code == 2
    assert shown.stderr.count("\n") == 1
    assert told in shown.stderr


@pytest.mark.parametrize("name", ["sad", "sorrow"])
def test_a_broken_plugin_says_why(kernelopt: Call, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    sad = PluginInfo("sad", "sad 1.0", (), "BrokenPlugin: its family 'sorrow' does not implement dictionary")
    known = attrs.evolve(registry(), plugins=(*registry().plugins, sad))
    monkeypatch.setattr(_conformance, "registry", lambda: known)
    shown = kernelopt("plugins", "--check", name)
    assert shown.exit_code == 1
    assert "does not implement dictionary" in shown.stderr


def test_a_criterion_that_fails_at_once_is_judged_all_the_same(kernelopt: Call, tmp_path: Path) -> None:
    text = _scaffold.copy("checked-early", "criterion")["kernelopt_checked_early.py"]
    for k, (old, new) in enumerate(
        [("lower=np.zeros(2 * n)", "lower=np.zeros(n)"), ("n, sign = ", "n, sign = 1 / 0, ")]
    ):
        path = tmp_path / f"module_early_{k}.py"
        path.write_text(text.replace(old, new), encoding="utf-8")
        shown = kernelopt("plugins", "--check", f"{path}:CheckedEarly")
        assert shown.exit_code == 1, shown.exception
        assert "BROKEN" in shown.stdout
