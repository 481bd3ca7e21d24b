"""The order of the rooms: every file imports only from rooms below its own, and no files form a circle.

Imports inside functions and those under TYPE_CHECKING count. docs/architecture.md draws the same order.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest

ROOT = Path(__file__).parents[1]

ORDER = (
    "_base",
    "_rows",
    "_linalg",
    "_device",
    "_families",
    "_criteria",
    "dual",
    "_prediction",
    "_saddle",
    "_plugins",
    "_solvers",
    "interior",
    "_model",
    "_evidence",
    "_variance_components",
    "_targets",
    "_io",
    "_api",
    "datasets",
    "plugin",
    "plot",
    "sklearn",
    "testing",
    "_report",
    "__init__",
    "cli",
    "__main__",
)
"""Each room, or face, imports from itself and from those before it."""
FACES = {"__init__", "__main__", "plugin", "datasets"}
"""The files at the top level; everything else there is a package."""
EXCEPTIONS = {
    ("kernelopt._model._doors", "kernelopt._io._model_file"): "a user calls save on the answer itself",
    ("kernelopt._model._doors", "kernelopt.plot"): "a user calls plot on the answer itself",
    ("kernelopt._model._doors", "kernelopt.sklearn._machines"): "a user calls to_sklearn on the answer itself",
}
"""The imports that point upward, each with its reason; there are no others."""


@attrs.frozen
class Import:
    """One file imports another."""

    importer: str
    imported: str

    @property
    def key(self) -> tuple[str, str]:
        return self.importer, self.imported


def files(root: Path) -> dict[str, Path]:
    """Every module of the library by its dotted name; a package is its `__init__`."""
    found = {}
    for path in (root / "kernelopt").rglob("*.py"):
        parts = path.relative_to(root).with_suffix("").parts
        if "templates" not in parts:
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(root: Path) -> frozenset[Import]:
    """Every import of one file of the library by another, wherever in the file it stands."""
    modules = files(root)
    return frozenset(
        Import(name, target) for name, path in modules.items() for target in _targets(path, modules) if target != name
    )


def _targets(path: Path, modules: dict[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole in modules or node.module in modules:
                    yield whole if whole in modules else node.module


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def upward(found: frozenset[Import]) -> set[tuple[str, str]]:
    """The imports of a room that stands later in the order."""
    return {one.key for one in found if ORDER.index(room(one.importer)) < ORDER.index(room(one.imported))}


def circles(found: frozenset[Import]) -> set[str]:
    """The files that stand in a circle, or import one that does: what is left when all others are taken away.

    A file that imports nothing is taken away, and so is one that imports only what is gone already.
    """
    left = {one.importer for one in found}
    while True:
        held = {one.importer for one in found if one.importer in left and one.imported in left}
        if held == left:
            return left
        left = held


@pytest.fixture(scope="module", name="found")
def _found() -> frozenset[Import]:
    """The imports of the library."""
    return imports(ROOT)


def test_no_import_points_upward_but_those_with_a_reason(found: frozenset[Import]) -> None:
    assert upward(found) == set(EXCEPTIONS)


def test_no_files_form_a_circle(found: frozenset[Import]) -> None:
    assert circles(frozenset(one for one in found if one.key not in EXCEPTIONS)) == set()


TURNED = {
    "at the top": "from kernelopt._api._solve import solve\n",
    "in a function": "def late():\n    from kernelopt._api import _solve\n",
    "for types": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import kernelopt._api._solve\n",
}


@pytest.mark.parametrize("where", TURNED)
def test_an_import_that_is_turned_round_is_seen(where: str, tmp_path: Path) -> None:
    """A library of two files: the upper one imports the lower one, and then the lower one the upper one as well."""
    for package in ("kernelopt", "kernelopt/_base", "kernelopt/_api"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "kernelopt/_api/_solve.py").write_text("from kernelopt._base._errors import KerneloptError\n")
    lower = tmp_path / "kernelopt/_base/_errors.py"
    lower.touch()
    assert upward(imports(tmp_path)) == circles(imports(tmp_path)) == set()
    lower.write_text(TURNED[where])
    pair = ("kernelopt._base._errors", "kernelopt._api._solve")
    assert upward(imports(tmp_path)) == {pair}
    assert circles(imports(tmp_path)) == set(pair)


def within(found: frozenset[Import], folder: str) -> frozenset[Import]:
    """The imports of what lies in a folder, where a file of a folder inside counts as that folder."""
    depth = folder.count(".") + 2

    def place(module: str) -> str:
        return ".".join(module.split(".")[:depth])

    inside = (one for one in found if one.importer.startswith(f"{folder}.") and one.imported.startswith(f"{folder}."))
    places = {Import(place(one.importer), place(one.imported)) for one in inside}
    return frozenset(one for one in places if one.importer != one.imported)


def test_folders_within_a_room_form_no_circle(found: frozenset[Import]) -> None:
    folders = {one.importer.rpartition(".")[0] for one in found if one.importer.count(".") > 1}
    assert {folder: left for folder in sorted(folders) if (left := circles(within(found, folder)))} == {}


def test_two_folders_of_a_room_that_import_each_other_are_seen() -> None:
    """No file imports one that imports it, and yet neither folder can be read before the other."""
    one, other = "kernelopt._api.data", "kernelopt._api.outliers"
    pair = {Import(f"{one}._rows", f"{other}._looks"), Import(f"{other}._signs", f"{one}._words")}
    assert circles(frozenset(pair)) == set()
    assert circles(within(frozenset(pair), "kernelopt._api")) == {one, other}


MOST = 32
"""Files of one folder that a stranger can look over."""


def test_no_folder_has_more_files_than_can_be_looked_over() -> None:
    folders = {path.parent for path in [*(ROOT / "kernelopt").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]}
    assert {folder.name: len([*folder.glob("*.py")]) for folder in folders if len([*folder.glob("*.py")]) > MOST} == {}


@pytest.mark.parametrize("room_of", sorted(set(ORDER) - FACES))
def test_every_folder_within_a_room_says_what_lives_there(room_of: str) -> None:
    inside = (path for path in (ROOT / "kernelopt" / room_of).rglob("__init__.py") if "templates" not in path.parts)
    assert [path.parent.name for path in inside if not ast.get_docstring(ast.parse(path.read_text("utf-8")))] == []


def test_the_top_level_holds_public_faces_and_rooms_alone() -> None:
    top = {path.stem for path in (ROOT / "kernelopt").glob("*.py")}
    assert top == FACES
    packages = {path.parent.name for path in (ROOT / "kernelopt").glob("*/__init__.py")}
    assert packages | FACES == set(ORDER)


@pytest.mark.parametrize("name", sorted(set(ORDER) - FACES))
def test_every_room_says_what_lives_there_and_has_its_tests(name: str) -> None:
    told = ast.get_docstring(ast.parse((ROOT / "kernelopt" / name / "__init__.py").read_text(encoding="utf-8")))
    assert told is not None
    if name != "testing":
        assert "othing" in told, "a room says what it must not know: Nothing here ..."
    assert any((ROOT / "tests" / name.removeprefix("_")).glob("test_*.py"))


def test_the_architecture_page_has_every_room_in_this_order() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)
    assert rows == [name for name in ORDER if name not in FACES]


def test_nobody_outside_the_evidence_asks_whether_an_objective_is_concave() -> None:
    asking = []
    for path in [*(ROOT / "kernelopt").rglob("*.py"), *(ROOT / "plugins").rglob("*.py")]:
        text = path.read_text(encoding="utf-8")
        nodes = ast.walk(ast.parse(text)) if "ConcaveCriterion" in text else ()
        for call in (node for node in nodes if isinstance(node, ast.Call)):
            told = ast.unparse(call)
            if told.startswith(("isinstance(", "issubclass(")) and "ConcaveCriterion" in told:
                asking.append(path.relative_to(ROOT).as_posix())
    assert [path for path in asking if not path.startswith("kernelopt/_evidence/")] == []
