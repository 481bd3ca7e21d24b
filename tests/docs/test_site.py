"""The documentation's site: formulas become MathML, the reference has every name, and the look at it finds every fault.

The site itself is built and looked at by `make docs`; here are the tools that do it.
"""

import re
from collections.abc import Callable
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

STYLE = """<style>
  body { margin: 0; background: white; font: 16px sans-serif; }
  @media (prefers-color-scheme: dark) { body { background: black; } }
  td { border: 1px solid; padding: 8px; }
  math { font-family: formulas; }
  @font-face { font-family: formulas; src: url(formulas.woff); }
  pre { overflow-x: auto; }
</style>"""
TABLE = "<table><tr><td>a</td><td>b</td></tr></table>"
SEARCH = """<input class="md-search__input"><ol id="hits"></ol><script>
  const hit = "<li class='md-search-result__item'>a page</li>";
  document.querySelector("input").oninput = () => { document.querySelector("#hits").innerHTML = hit; };
</script>"""
FORMULA = '<math display="block"><mfrac><mn>1</mn><mn>2</mn></mfrac></math>'
SOUND = f"""<p>Words.</p>{TABLE}{FORMULA}<pre>{"long " * 90}</pre><a href="other.html#here">there</a>
<a href="https://nobody.invalid/">elsewhere</a>"""


@pytest.fixture(scope="module")
def formulas(script: Callable[[str], Any]) -> Any:
    pytest.importorskip("latex2mathml", reason="the formulas need latex2mathml: make docs installs it")
    return script("docs/formulas")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A sound site of two pages, with the font that is at hand on every machine that draws pictures."""
    fonts = pytest.importorskip("matplotlib").get_data_path()
    font = (Path(fonts) / "fonts" / "ttf" / "STIXGeneral.ttf").read_bytes()
    (tmp_path / "formulas.woff").write_bytes(font)
    (tmp_path / "other.html").write_text(f"{STYLE}<p id='here'>Words.</p>", encoding="utf-8")
    written(tmp_path, SOUND)
    return tmp_path


def written(site: Path, body: str, search: str = SEARCH, style: str = STYLE) -> None:
    page = f'<!doctype html><meta charset="utf-8">{style}{search}<div class="md-content">{body}</div>'
    (site / "index.html").write_text(page, encoding="utf-8")


def told(look: Any, eyes: Any, site: Path) -> list[str]:
    return [line for lines in look.faults(site, eyes).values() for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_begins_with_a_title_and_words(page: Path) -> None:
    text = re.sub(r"\A---\n.*?^---\n+", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    title, words, *_ = text.split("\n\n")
    assert title.startswith("# ")
    assert re.match(r"[A-Z]\w* ", words)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_line_without_words_parts_a_table_from_what_follows(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    joined = re.findall(r"^\|.*\n([^|\n].*)$", text, re.MULTILINE)
    assert not joined, "Markdown takes these lines for rows of the table above them"


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


def test_a_sound_site_has_no_fault(look: Any, eyes: Any, site: Path) -> None:
    assert told(look, eyes, site) == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ("<script>nothing.there()</script>", "a script fails"),
        ("<script>console.error('no')</script>", "a script complains"),
        ("<img src='missing.png'>", "the picture missing.png is not there"),
        ("<script src='http://127.0.0.1:9/far.js'></script>", "fetched from the network"),
        ("<a href='missing.html'>there</a>", "missing.html, which is not there"),
        ("<a href='other.html#nowhere'>there</a>", "the page has no such anchor"),
        ("<table><tr><td style='padding: 0'>a</td></tr></table>", "a table has no style"),
        ("<table><tr><td><code>a \\| b</code></td></tr></table>", "a bar in a table has a backslash"),
        ("<table><tr><td style='border: 0'>a</td></tr></table>", "a table has no style"),
        (
            f"<table><tr><td><code style='word-break: break-all'>{'word' * 20}</code></td></tr></table>",
            "a word of a name",
        ),
        ("<p>| a | b |\n|---|---|---|\n| 1 | 2 |</p>", "a table stayed text"),
        ("<math><mfrac><mn>1</mn></mfrac></math>", "a formula is not drawn"),
        ("<math></math>", "a formula is not drawn"),
        ("<math style='font-family: absent'><mn>12</mn></math>", "the font absent of a formula is not there"),
        (r"<pre>\frac12 x</pre>", "a formula stayed LaTeX"),
        ("<div style='width: 500px'>wide</div>", "wider than 390 pixels"),
        ("<div style='overflow: hidden'><p style='width: 500px'>cut off</p></div>", "wider than 390 pixels"),
    ],
)
def test_a_fault_of_a_page_is_told(look: Any, eyes: Any, site: Path, body: str, fault: str) -> None:
    written(site, SOUND + body)
    lines = told(look, eyes, site)
    assert lines
    assert any(fault in line for line in lines), lines


def test_a_search_that_finds_nothing_is_told(look: Any, eyes: Any, site: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(look, "PATIENCE", 200)
    written(site, SOUND, search='<input class="md-search__input">')
    assert told(look, eyes, site) == ["the search finds no kernel"]


def test_a_page_that_is_never_dark_is_told(look: Any, eyes: Any, site: Path) -> None:
    written(site, SOUND, style=STYLE.replace("background: black", "background: white"))
    assert told(look, eyes, site) == ["the page is not dark where the system is"]
