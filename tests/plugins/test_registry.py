"""A broken plugin is listed with its reason and disturbs nobody."""

import sys
from importlib.metadata import EntryPoint

import pytest

import kernelopt
from kernelopt._base._errors import BrokenPlugin, InvalidOption, UnknownName
from kernelopt._plugins import _registry
from kernelopt._plugins._registry import required, resolve, scan

HEAD = """
import attrs
from kernelopt._families.variances._delta import Delta
from kernelopt.plugin import hookimpl
KERNELOPT_CONTRACT = {contract}

@attrs.frozen
class Mine(Delta):
    name = "{name}"

@hookimpl
def kernelopt_families():
    return [Mine]
"""

ROWS = """
import attrs
from kernelopt.plugin import RowSource, hookimpl
KERNELOPT_CONTRACT = 1

@attrs.frozen
class Post(RowSource):
    name = "post"
    takes = serves = lambda self, given: False
    blocks = passes = mapped = None

@hookimpl
def kernelopt_rows():
    return [Post]
"""

PLUGINS = {
    "rows_alone": ROWS,
    "demands_more": HEAD.format(contract=1, name="demanding").replace(
        'name = "demanding"', 'name = "demanding"\n    must: float = attrs.field(kw_only=True)'
    ),
    "good_one": HEAD.format(contract=1, name="good"),
    "rows_of_words": ROWS.replace('"post"', '"post of today"'),
    "syntax_error": "def broken(:\n",
    "raises": "raise ZeroDivisionError('no luck today')\n",
    "exits": "raise SystemExit(3)\n",
    "panics": "class PanicException(BaseException): pass\nraise PanicException('called unwrap on nothing')\n",
    "hook_panics": HEAD.format(contract=1, name="later").replace("return [Mine]", "raise BaseException('in the hook')"),
    "old_contract": HEAD.format(contract=0, name="old"),
    "no_contract": HEAD.format(contract=1, name="none").replace("KERNELOPT_CONTRACT = 1", ""),
    "twin_a": HEAD.format(contract=1, name="twin"),
    "twin_b": HEAD.format(contract=1, name="twin"),
    "offers_nothing": "KERNELOPT_CONTRACT = 1\n",
    "offers_no_list": HEAD.format(contract=1, name="single").replace("[Mine]", "Mine"),
    "returns_none": HEAD.format(contract=1, name="forgotten").replace("return [Mine]", "pass"),
    "offers_junk": HEAD.format(contract=1, name="junk").replace("[Mine]", "[42]"),
    "hook_raises": HEAD.format(contract=1, name="late").replace("return [Mine]", "raise KeyError('late')"),
    "unknown_hook": HEAD.format(contract=1, name="typo").replace("kernelopt_families", "kernelopt_familes"),
    "abstract": HEAD.format(contract=1, name="half").replace(
        "from kernelopt._families.variances._delta import Delta", "from kernelopt.plugin import KernelFamily as Delta"
    ),
    "half_rows": ROWS.replace("blocks = passes = mapped = None", "passes = None"),
    "nameless": HEAD.format(contract=1, name=""),
    "joined": HEAD.format(contract=1, name="two+three"),
    "optioned": HEAD.format(contract=1, name="my:one"),
    "two_lines": HEAD.format(contract=1, name="two\\nlines"),
    "taken": HEAD.format(contract=1, name="auto"),
    "taken_by_views": HEAD.format(contract=1, name="precomputed"),
}

REASONS = {
    "syntax_error": "SyntaxError: invalid syntax",
    "raises": "ZeroDivisionError: no luck today",
    "exits": "SystemExit: 3",
    "panics": "PanicException: called unwrap on nothing",
    "hook_panics": "BaseException: in the hook",
    "old_contract": "was written for contract 0, this kernelopt speaks contract 1",
    "no_contract": "states no contract version",
    "twin_a": "the family 'twin' is claimed by twin_a, twin_b; uninstall all but one",
    "twin_b": "the family 'twin' is claimed by twin_a, twin_b; uninstall all but one",
    "offers_nothing": "it has no hooks",
    "offers_no_list": "its hook kernelopt_families returned <class 'offers_no_list.Mine'>, wanted a list of classes",
    "returns_none": "its kernelopt_families offered nothing, wanted a list of classes; return one",
    "offers_junk": "it offers 42 as a family, wanted a subclass of KernelFamily",
    "hook_raises": "late",
    "unknown_hook": "unknown hook 'kernelopt_familes'",
    "abstract": "its family 'half' does not implement best_atoms, center, cross, diag, gram",
    "half_rows": "its rows 'post' does not implement blocks, mapped",
    "nameless": "has no name",
    "joined": "its family Mine has the name 'two+three', wanted a lower-case word without spaces and without any of +",
    "optioned": "its family Mine has the name 'my:one', wanted a lower-case word",
    "two_lines": "its family Mine has the name 'two\\nlines', wanted a lower-case word",
    "taken": "its family Mine has the name 'auto', which users type for something else; take another one",
    "taken_by_views": "its family Mine has the name 'precomputed', which users type for something else",
    "missing": "ModuleNotFoundError: No module named 'missing'",
}


@pytest.fixture
def scanned(tmp_path, monkeypatch):
    for name, text in PLUGINS.items():
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.syspath_prepend(tmp_path)
    points = [EntryPoint(name, name, "kernelopt") for name in (*PLUGINS, "missing")]
    yield scan((EntryPoint("core", "kernelopt._api._builtin", "kernelopt"), *points))
    for name in PLUGINS:
        sys.modules.pop(name, None)


def test_every_broken_plugin_is_listed_with_its_reason(scanned):
    reasons = {plugin.name: plugin.reason for plugin in scanned.plugins}
    assert reasons.keys() - {"core", "demands_more", "good_one", "rows_alone", "rows_of_words"} == REASONS.keys()
    for name, reason in REASONS.items():
        assert reason in reasons[name], name


def test_all_others_work(scanned):
    assert not next(plugin for plugin in scanned.plugins if plugin.name == "good_one").broken
    assert scanned.find("family", "good").name == "good"
    assert scanned.find("criterion", "svc") is kernelopt.SVC
    assert scanned.names("rows") == ("post", "post of today")
    assert "twin" not in scanned.names("family")


def test_what_has_no_default_is_asked_for(scanned, monkeypatch):
    """A table of all combinations has those that can be made without options."""
    monkeypatch.setattr(_registry, "registry", lambda: scanned)
    with pytest.raises(
        InvalidOption, match=r"family 'demanding' has no default for must; write family=..name.: .demanding"
    ):
        resolve("family", "demanding")
    assert resolve("family", {"name": "demanding", "must": 2.0}).must == 2.0
    assert required(scanned.find("family", "demanding")) == ("must",)
    assert required(scanned.find("family", "good")) == ()


def test_asking_for_a_broken_one_says_why(scanned):
    with pytest.raises(BrokenPlugin, match=r"family 'twin': the plugin twin_a .*claimed by twin_a, twin_b"):
        scanned.find("family", "twin")
    with pytest.raises(BrokenPlugin, match="no luck today"):
        scanned.find("family", "raises")
    with pytest.raises(UnknownName, match="did you mean 'good'"):
        scanned.find("family", "goood")


def test_installed_plugins_are_whole():
    assert [plugin for plugin in kernelopt.plugins() if plugin.broken] == []
    assert {"tk", "dictionary", "delta"} <= set(kernelopt.families())
    assert {"fw", "plain-fw"} <= set(kernelopt.solvers())
    assert "svc" in kernelopt.criteria()


def test_ctrl_c_while_a_plugin_is_loaded_is_the_user_s(tmp_path, monkeypatch):
    (tmp_path / "pressed.py").write_text("raise KeyboardInterrupt\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        scan((EntryPoint("pressed", "pressed", "kernelopt"),))
