"""Every message that the library has for its users, read from its source: errors, refusals, warnings, notes.

A message is a template: what is put in when it is said reads `...`.
"""

import ast
from collections.abc import Iterator
from html import escape
from pathlib import Path

import attrs

from kernelopt._base import _errors
from kernelopt._base._status import Status

ROOT = Path(__file__).parents[1]
ERRORS = {name for name, value in vars(_errors).items() if isinstance(value, type) and issubclass(value, Exception)}
SENTENCES = {
    "refuses": "`Refused`",
    "caution": "`OutsideBounds`",
    "remark": "note",
    "outlying": "note",
    "copying": "note",
    "counted_as_copies": "note",
    "endless": "note",
}
"""What becomes of the sentence that a method returns."""
NOTES = (
    "certificate: ",
    "checkpoint: ",
    "components: ",
    "criterion: ",
    "data: ",
    "device: ",
    "family: ",
    "machine: ",
    "noise: ",
    "predict: ",
    "solver: ",
    "targets: ",
    "X: ",
)
_HOLE = "..."


@attrs.frozen(order=True)
class Message:
    """A template, what it is said as, and the file that says it, relative to the root of the repository."""

    file: str
    line: int
    kind: str
    text: str

    @property
    def row(self) -> str:
        """A row of a table."""
        if "|" in self.text:  # which would end the cell of a table, and a backslash before it would be shown
            return f"| <code>{escape(self.text, quote=False).replace('|', '&#124;')}</code> | {self.kind} |"
        fence = "``" if "`" in self.text else "`"
        return f"| {fence}{self.text}{fence} | {self.kind} |"


def sources() -> Iterator[Path]:
    """The files of the library and of its plugins; the kit and the templates speak to authors in their own words."""
    for folder in (ROOT / "kernelopt", *sorted((ROOT / "plugins").glob("*/kernelopt_*"))):
        for path in [folder] if folder.is_file() else sorted(folder.rglob("*.py")):
            if not {"testing", "templates"} & set(path.parts):
                yield path


def messages() -> tuple[Message, ...]:
    """All of them, in the order of the files and lines; of equal ones in a file the first."""
    found: dict[tuple[str, str], Message] = {}
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        for line, kind, text in sorted(_said(ast.parse(path.read_text(encoding="utf-8")))):
            if any(map(str.isalpha, text.replace(_HOLE, ""))):
                found.setdefault((name, text), Message(name, line, kind, text))
    return tuple(found.values())


def _said(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    nodes = tuple(ast.walk(tree))
    pieces = {id(value) for node in nodes if isinstance(node, ast.JoinedStr) for value in node.values}
    for node in nodes:
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args:
            yield from _error(node.exc)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Call) and node.value.args:
            yield from _error(node.value)
            if getattr(node.value.func, "id", "") == "Fault":
                yield from ((part.lineno, "part of a sentence", _template(part)) for part in node.value.args[1:])
        elif isinstance(node, ast.Call) and _warns(node) and len(node.args) > 1:
            if " " in _template(node.args[0]):
                yield node.lineno, f"`{ast.unparse(node.args[1])}`", _template(node.args[0])
        elif isinstance(node, ast.FunctionDef) and _tells(node):
            for inner in ast.walk(node):
                if isinstance(inner, ast.Return) and inner.value is not None and " " in _template(inner.value):
                    text = _template(inner.value)
                    kind = _note(text) if node.name == "note" else SENTENCES.get(node.name, "part of a sentence")
                    yield inner.lineno, kind, text
        elif isinstance(node, ast.keyword) and node.arg == "note":
            yield node.value.lineno, _note(_template(node.value)), _template(node.value)
        elif isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["note"]:
            yield node.lineno, _note(_template(node.value)), _template(node.value)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "append" and node.args:
            if getattr(getattr(node.func, "value", None), "id", "") == "notes":
                yield node.lineno, "note", _template(node.args[0])
        elif id(node) not in pieces and _template(node).startswith(NOTES):
            yield node.lineno, "note", _template(node)


def _error(call: ast.Call) -> Iterator[tuple[int, str, str]]:
    name = getattr(call.func, "id", "")
    if name in ERRORS:
        yield call.lineno, f"`{name}`", _template(call.args[0])


def _warns(call: ast.Call) -> bool:
    """Whether it is a call of Python's `warn`, or of the library's own."""
    return getattr(call.func, "attr", "") == "warn" or getattr(call.func, "id", "") == "warn_caller"


def _note(text: str) -> str:
    """Of the solution, or of one step in its trace."""
    return "note" if text.startswith(NOTES) else "note of a step"


def _tells(node: ast.FunctionDef) -> bool:
    """Whether a function returns a sentence or None, or is the note of what it belongs to."""
    returned = "" if node.returns is None else ast.unparse(node.returns)
    return returned == "str | None" or (node.name, returned) == ("note", "str")


def _template(node: ast.AST) -> str:
    """What a text says, with holes; "" of what is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(_template(value) for value in node.values)
    if isinstance(node, ast.BinOp):
        return _template(node.left) + _template(node.right)
    if isinstance(node, ast.FormattedValue):
        return _counted(node.value)
    return _HOLE


def _counted(node: ast.AST) -> str:
    """What is put in: a hole, or one and the word for several things that a call of `counted` puts behind a number."""
    if not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "counted"):
        return _HOLE
    words = [word.value for word in node.args[1:] if isinstance(word, ast.Constant)]
    return f"{_HOLE} {words[1] if len(words) > 1 else f'{words[0]}s'}"


def table(prefixes: list[str]) -> str:
    """The messages of the files whose names begin so, as a table."""
    rows = [message.row for message in messages() if message.file.startswith(tuple(prefixes))]
    return "\n".join(["| Message | It is |", "|---|---|", *rows]) + "\n"


def statuses() -> str:
    """Every status with its own text, which says what it means and what to do, as a table."""
    rows = [f"| `{status.name}` | {status.advice} |" for status in Status]
    return "\n".join(["| Status | What it means, and what to do |", "|---|---|", *rows]) + "\n"
