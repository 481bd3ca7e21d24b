"""The documentation's site: formulas become MathML, and the reference has every name.

The site itself is built by `make docs`; here are the tools that do it.
"""

import importlib
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import kernelopt
from kernelopt import datasets, plot, plugin, sklearn, testing

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MODULES = (datasets, plot, plugin, sklearn, testing)
_MATH = re.compile(r"^```math\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def loaded(name: str) -> Any:
    """A module of the folder docs/, whose files import each other by their names."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def formulas() -> Any:
    pytest.importorskip("latex2mathml", reason="the formulas need latex2mathml: make docs installs it")
    return loaded("formulas")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_a_title_and_words(page: Path) -> None:
    text = re.sub(r"\A---\n.*?^---\n+", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    title, words, *_ = text.split("\n\n")
    assert title.startswith("# ")
    assert re.match(r"[A-Z]\w* ", words)


def test_every_formula_of_the_pages_is_known(formulas: Any) -> None:
    found = [source for page in PAGES for source in _MATH.findall(page.read_text(encoding="utf-8"))]
    assert len(found) > 20
    for source in found:
        assert formulas.fence(source).startswith('<div class="formula"><math')


def test_what_stands_below_min_is_drawn_below_it(formulas: Any) -> None:
    assert "<munder><mi>min" in formulas.mathml(r"\min_{x} f(x)")
    assert "<msub>" not in formulas.mathml(r"\max_x f(x)")


@pytest.mark.parametrize("latex", [r"\nosuchcommand x", "a & b", r"\begin{aligned} a &= b \end{aligned}", r"\left( x"])
def test_a_formula_that_is_not_known_fails_the_build(formulas: Any, latex: str) -> None:
    page = pytest.importorskip("markdown", reason="pages need Markdown: make docs installs it")
    config = formulas.on_config(SimpleNamespace(mdx_configs={})).mdx_configs
    drawn = page.markdown("```math\nx\n```\n", extensions=[*config], extension_configs=config)
    assert drawn.startswith('<div class="formula"><math')
    with pytest.raises(Exception, match="the formula is"):
        page.markdown(f"```math\n{latex}\n```\n", extensions=[*config], extension_configs=config)


def test_the_font_has_the_signs_of_formulas(formulas: Any, tmp_path: Path) -> None:
    pytest.importorskip("ziamath", reason="the font of formulas comes with ziamath: make docs installs it")
    from fontTools.ttLib import TTFont

    font = TTFont(formulas.font(tmp_path))
    assert {ord("x"), ord("\N{GREEK SMALL LETTER BETA}"), ord("\N{N-ARY SUMMATION}"), 0x1D465} <= set(
        font.getBestCmap()
    )
    assert "MATH" in font


def test_every_public_name_is_in_the_reference_of_the_site() -> None:
    quoted = set(re.findall(r"^::: (\S+)$", (DOCS / "api" / "kernelopt.md").read_text(encoding="utf-8"), re.MULTILINE))
    elsewhere = {"__version__", *sklearn.__all__, *(module.__name__.rpartition(".")[2] for module in MODULES)}
    assert quoted == {f"kernelopt.{name}" for name in set(kernelopt.__all__) - elsewhere}


def test_every_name_for_plugins_is_in_the_reference_of_the_site() -> None:
    quoted = re.findall(
        r"^::: kernelopt\.plugin\.(\S+)$", (DOCS / "api" / "plugin.md").read_text(encoding="utf-8"), re.M
    )
    assert sorted(quoted) == sorted(plugin.__all__)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_every_public_module_has_a_page(module: Any) -> None:
    page = DOCS / "api" / f"{module.__name__.rpartition('.')[2]}.md"
    assert f"::: {module.__name__}" in page.read_text(encoding="utf-8")
