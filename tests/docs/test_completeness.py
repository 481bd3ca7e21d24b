"""Nothing public goes without a word: names, options, hooks, laws, statuses, plugins, pages."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
import pytest

import kernelopt
from kernelopt import datasets, plot, plugin, sklearn, testing
from kernelopt._api import _solver_choice
from kernelopt._plugins import _hookspecs
from kernelopt._plugins._registry import Kind, registry
from kernelopt.cli._app import app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
TEMPLATE = ("kernelopt_minimal.py", "pyproject.toml", "tests/test_gaussians.py")
CONTRACTS = (
    "KernelFamily",
    "LinearFamily",
    "FiniteFamily",
    "MatrixFamily",
    "FeatureFamily",
    "ExplicitFamily",
    "SmoothFamily",
    "PenalizedFamily",
    "Coupling",
    "Criterion",
    "Solver",
)
SUITES = (testing.FamilySuite, testing.CriterionSuite, testing.SolverSuite, testing.ConcaveSolverSuite)
KINDS: tuple[Kind, ...] = ("family", "criterion", "solver")
NUMBERED = {
    "Translation-invariant kernels (2010)": 32,
    "The support kernel machine (2004)": 2,
    "Tessellated kernels (2020)": 25,
    "Hyperkernels (2005)": 32,
    "Frank-Wolfe steps (2024)": 21,
}
"""How many equations of each paper have a number."""


def words(text: str) -> set[str]:
    """The identifiers within backticks; a dotted one counts for each of its parts."""
    quoted = re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL))
    return {word for code in quoted for word in re.findall(r"\w[\w-]*", code)}


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def installed() -> Iterator[tuple[Kind, str, type[Any]]]:
    """All that the product offers: the template of a plugin is installed for the tests alone."""
    found = registry()
    template = {offer for plugin in found.plugins if plugin.name == "minimal" for offer in plugin.offers}
    for kind in KINDS:
        for name in found.names(kind):
            if (kind, name) not in template:
                yield kind, name, found.find(kind, name)


def all_installed() -> set[tuple[Kind, str]]:
    """The template too."""
    return {(kind, name) for kind in KINDS for name in registry().names(kind)}


@pytest.mark.parametrize("name", kernelopt.__all__)
def test_every_public_name_is_in_the_reference(name: str) -> None:
    assert name in words(page("reference.md"))


def test_tools_that_read_code_find_every_public_name() -> None:
    """What is loaded when it is used is imported under TYPE_CHECKING for type checkers and for the site's reference."""
    tree = ast.parse((ROOT / "kernelopt" / "__init__.py").read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(kernelopt.__all__) <= imported


@pytest.mark.parametrize("name", plot.__all__)
def test_every_picture_has_a_word(name: str) -> None:
    assert name in words(page("pictures.md"))


@pytest.mark.parametrize("name", plugin.__all__)
def test_every_name_for_plugins_is_in_the_contracts(name: str) -> None:
    assert name in words(page("contracts.md"))


@pytest.mark.parametrize("hook", [name for name in vars(_hookspecs) if name.startswith("kernelopt_")])
def test_every_hook_has_its_row(hook: str) -> None:
    assert re.search(rf"^\| `{hook}` \| .{{8,}} \|$", page("contracts.md"), re.MULTILINE)


@pytest.mark.parametrize("name", sklearn.__all__)
def test_every_parameter_of_an_estimator_is_on_its_page(name: str) -> None:
    assert set(inspect.signature(getattr(sklearn, name)).parameters) <= words(page("estimators.md"))


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_method_of_a_contract_is_named(name: str) -> None:
    methods = {method for method in vars(getattr(plugin, name)) if not method.startswith("_")}
    assert methods <= words(page("contracts.md"))


def test_no_contract_names_a_method_that_is_gone() -> None:
    rows = re.findall(r"^\| (`[a-z_]+\(.*?) \|", page("contracts.md"), re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`([a-z_]+)\(", row)}
    offered = [plugin, *(getattr(plugin, name) for name in plugin.__all__)]
    assert len(named) > 50
    assert not {name for name in named if not any(hasattr(one, name) for one in offered)}


@pytest.mark.parametrize("status", kernelopt.Status)
def test_every_status_is_explained_by_its_own_text(status: kernelopt.Status) -> None:
    assert f"| `{status.name}` | {status.advice} |\n" in page("messages.md"), "run: python docs/refresh.py messages.md"


@pytest.mark.parametrize(("kind", "name", "cls"), tuple(installed()), ids=lambda value: str(value))
def test_everything_installed_has_a_section_with_all_its_options(kind: Kind, name: str, cls: type[Any]) -> None:
    found = re.search(rf"^### `{re.escape(name)}`.*?(?=^##|\Z)", page("reference.md"), re.MULTILINE | re.DOTALL)
    assert found, f"docs/reference.md has no section for the {kind} {name}"
    assert_told(options_of(cls), found[0])


def options_of(cls: type[Any]) -> dict[str, Any]:
    """The options of a class with their defaults."""
    fields = [field for field in attrs.fields(cls) if field.init and not (field.alias or "_").startswith("_")]
    return {str(field.alias): field.default for field in fields}


def assert_told(options: dict[str, Any], text: str) -> None:
    """Each option has a row in a table, whose default, where it is a value, is the one of the class."""
    told: dict[str, str] = {}
    for names, cell in re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, re.MULTILINE):
        found = re.findall(r"`(\w+)`", names)
        told |= dict(zip(found, cell.split(", ") if len(found) > 1 else [cell], strict=False))
    assert set(options) <= set(told)
    for option, default in options.items():
        try:
            value = ast.literal_eval(told[option].strip("` "))
        except (ValueError, SyntaxError):  # words, such as "none", which a list without entries is too
            continue
        assert isinstance(default, attrs.Factory) or value == default, (
            f"{option}: the default is {default!r}, the page says {value!r}"
        )


@pytest.mark.parametrize("readme", sorted((ROOT / "plugins").glob("*/README.md")), ids=lambda path: path.parent.name)
def test_every_plugin_tells_the_options_of_what_it_offers(readme: Path) -> None:
    text = readme.read_text(encoding="utf-8")
    name = readme.parent.name.removeprefix("kernelopt-")
    for plugin_found in registry().plugins:
        for kind, offer in plugin_found.offers if plugin_found.name == name else ():
            part = re.search(rf"^## `{re.escape(offer)}`.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
            assert_told(options_of(registry().find(kind, offer)), part[0] if part else text)


def test_pages_name_no_family_that_only_the_repository_has() -> None:
    """The template of a plugin is on no package index: only the page that writes it may call it."""
    template = {name for kind, name in all_installed() if (kind, name) not in {one[:2] for one in installed()}}
    assert template
    calls = re.compile(rf"""["']({"|".join(template)})["']|--(check|family) ({"|".join(template)})\b""")
    pages = {path for path in DOCS.rglob("*.md") if path.name != "write-a-family.md"} | {ROOT / "README.md"}
    assert not [path.name for path in pages if calls.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("suite", SUITES)
def test_every_law_is_listed_in_its_own_words(suite: type) -> None:
    listed = page("laws.md")
    for name in dir(suite):
        if name.startswith("test_"):
            sentence = (inspect.getdoc(getattr(suite, name)) or "").splitlines()[0]
            assert f"| `{name}` | {sentence} |" in listed, "run: python docs/refresh.py"


@pytest.mark.parametrize("suite", SUITES)
def test_every_law_stands_beside_its_equation(suite: type) -> None:
    """And no equation stands beside a law that is not there."""
    told = re.search(
        rf"<!-- equations: {suite.__name__} -->(.*?)(?=<!-- equations|\Z)", page("equations.md"), re.DOTALL
    )
    assert told, f"docs/equations.md has no tables for {suite.__name__}"
    rows = re.findall(r"^\| (.*) \| `(test_\w+)` \|$", told[1], re.MULTILINE)
    laws = [law for _, law in rows]
    assert sorted(laws) == sorted(name for name in dir(suite) if name.startswith("test_"))
    for equation, law in rows:
        assert re.search(r"[=<>]| in ", equation), f"{law}: {equation!r} is no equation"


@pytest.mark.parametrize(("paper", "count"), NUMBERED.items())
def test_every_numbered_equation_of_a_paper_has_its_row(paper: str, count: int) -> None:
    """Each row says where the equation stands in the code, or why it does not; a file that it names is there."""
    told = re.search(rf"^### {re.escape(paper)}$(.*?)(?=^### |\Z)", page("equations.md"), re.MULTILINE | re.DOTALL)
    assert told
    rows = re.findall(r"^\| (.+?) \| (.+) \|$", told[1], re.MULTILINE)
    found = {int(number) for equation, _ in rows for number in re.findall(r"\((\d+)\)", equation)}
    assert found >= set(range(1, count + 1))
    for file in re.findall(r"`([\w/]+\.py)`", told[1]):
        assert (ROOT / "kernelopt" / file).exists() or any(ROOT.glob(f"plugins/*/{file}")), file


@pytest.mark.parametrize("name", testing.__all__)
def test_every_name_of_the_kit_is_on_its_page(name: str) -> None:
    assert name in words(page("laws.md"))


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = re.findall(r"^ +- .*: (\S+\.md)$", page("mkdocs.yml"), re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))


@pytest.mark.parametrize("path", TEMPLATE)
def test_the_template_of_a_plugin_is_quoted_whole(path: str) -> None:
    file = ROOT / "plugins" / "kernelopt-minimal" / path
    assert file.read_text(encoding="utf-8").strip() in page("write-a-family.md"), "run: python docs/refresh.py"


@pytest.mark.parametrize("path", [*TEMPLATE, "README.md"])
def test_new_plugin_copies_the_minimal_family(path: str) -> None:
    file = ROOT / "plugins" / "kernelopt-minimal" / path
    copied = ROOT / "kernelopt" / "cli" / "templates" / "family" / path
    assert copied.read_text(encoding="utf-8") == file.read_text(encoding="utf-8"), "run: python docs/refresh.py"


@pytest.mark.parametrize("name", ["criterion", "solver"])
def test_the_templates_of_criteria_and_solvers_are_quoted_whole(name: str) -> None:
    files = list((ROOT / "kernelopt" / "cli" / "templates" / name).rglob("*.py"))
    assert len(files) == 2
    for file in files:
        assert file.read_text(encoding="utf-8").strip() in page(f"write-a-{name}.md"), "run: python docs/refresh.py"


@pytest.mark.parametrize("name", ["README.md", "docs/saddle.md", "docs/choose.md"])
@pytest.mark.parametrize("kind", ["criterion", "solver"])
def test_every_criterion_and_solver_is_in_the_tables(name: str, kind: Kind) -> None:
    listed = words((ROOT / name).read_text(encoding="utf-8"))
    assert set(registry().names(kind)) <= listed


def test_the_rule_of_auto_is_told_with_its_numbers() -> None:
    told = " ".join(page("choose.md").split())
    assert f"order {_solver_choice.LARGEST_ORDER} or less" in told
    assert f"at most {_solver_choice.MOST_ROWS} rows" in told
    assert f"at most {_solver_choice.FEW_ROWS} rows of two classes" in told
    assert f"at most {_solver_choice.FEW_OF_CLASSES} rows of several classes" in told
    kernels, most = _solver_choice.OF_NUMBERS, _solver_choice.MOST_WHOLE
    assert f"{kernels.start} to {kernels.stop - 1} kernels under `svr` or `nu-svr` with one target and" in told
    assert f"with one target and at most {most} rows" in told


def test_every_command_and_option_is_on_its_page() -> None:
    from typer.main import get_command

    told = page("command-line.md")
    for name, command in get_command(app).commands.items():
        section = re.search(rf"^## `kernelopt {name}`.*?(?=^## |\Z)", told, re.MULTILINE | re.DOTALL)
        assert section, f"docs/command-line.md has no section for {name}"
        for option in (one for param in command.params for one in param.opts if one.startswith("--")):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", told), f"{name} {option}"


def test_every_data_set_is_named() -> None:
    assert {*datasets.BUNDLED, *datasets.OPENML} <= words(page("datasets.md"))
