"""Every example in the README and the documentation runs and prints what stands below it."""

import re
import runpy
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import attrs
import pytest
from typer.testing import CliRunner

from kernelopt.cli._app import app

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
NEEDS = {"sdp_peer.py": ("cvxpy", "clarabel")}
"""The libraries of the scripts that need more than kernelopt does."""

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FRAME = re.compile(r"[\u2500-\u257f]")
_LINK = re.compile(r"\]\(([^)#:]+)(?:#[^)]*)?\)")
_DRAWN = re.compile(r"(^|/)pictures/[\w-]+\.png$")
"""A file that docs/gallery.py draws when the site is built."""
_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?=%?[,;.)]?$)")
"""A number at the end of a word; what stands before it is compared as it is."""


@attrs.frozen
class Example:
    """A code block, the output that is printed below it, if any, and whether a picture that it draws stands there."""

    code: str
    output: str | None
    drawn: bool = False


def examples(page: Path) -> Iterator[Example]:
    """The Python blocks of a page; a block of the language `text` right below one is its output."""
    text = page.read_text(encoding="utf-8")
    blocks = list(_FENCE.finditer(text))
    for k, block in enumerate(blocks):
        after = blocks[k + 1] if k + 1 < len(blocks) else None
        if block[1] == "python":
            below = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
            rest = text[block.end() : None if after is None else after.start()]
            drawn = any(_DRAWN.search(link) for link in _LINK.findall(rest))
            yield Example(block[2], after[2] if after is not None and below else None, drawn)


def commands(page: Path) -> Iterator[Example]:
    """The blocks of the language `console`: a line `$ kernelopt ...` or `$ python file ...`, and its output below."""
    for block in _FENCE.finditer(page.read_text(encoding="utf-8")):
        if block[1] == "console":
            line, _, output = block[2].partition("\n")
            yield Example(line.removeprefix("$ "), output)


def printed_by(command: str) -> str:
    """What a command of a page prints; the test is skipped where a script's libraries are missing."""
    program, *arguments = shlex.split(command)
    if program == "kernelopt":
        quiet = ["--no-progress"] if arguments[0] in ("demo", "solve", "compare") else []
        done = CliRunner(env={"COLUMNS": "100"}).invoke(app, [*arguments, *quiet])
        assert done.exit_code == 0, done.stderr
        return done.stdout
    assert program == "python"
    for library in NEEDS.get(Path(arguments[0]).name, ()):
        pytest.importorskip(library)
    script, printed = ROOT / arguments[0], StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(printed):
        patched.setattr(sys, "argv", [str(script), *arguments[1:]])
        patched.syspath_prepend(script.parent)
        patched.chdir(ROOT)
        runpy.run_path(str(script), run_name="__main__")
    return printed.getvalue()


def same(shown: str, printed: str) -> bool:
    """Whether two outputs agree, as far as they do not depend on the machine.

    Words agree exactly, `...` stands for any words; frames and line breaks do not count. Numbers agree to two
    hundredths, counts to three. Seconds, and gaps in scientific notation, need not agree.
    """
    return _match(_FRAME.sub(" ", shown).split(), _FRAME.sub(" ", printed).split())


def _match(wanted: list[str], got: list[str]) -> bool:
    if not wanted:
        return not got
    if "..." not in wanted:
        pairs = zip(wanted, got, [*wanted[1:], ""], strict=True) if len(wanted) == len(got) else None
        return pairs is not None and all(_close(a, b, seconds=after.rstrip(",;.)") == "s") for a, b, after in pairs)
    cut = wanted.index("...")
    rest = wanted[cut + 1 :]
    return _match(wanted[:cut], got[:cut]) and any(_match(rest, got[start:]) for start in range(cut, len(got) + 1))


def _close(wanted: str, got: str, *, seconds: bool) -> bool:
    first, second = _NUMBER.search(wanted), _NUMBER.search(got)
    if first is None or second is None:
        return wanted == got
    framed = (wanted[: first.start()], wanted[first.end() :]) == (got[: second.start()], got[second.end() :])
    if seconds or ("e" in first[0] and "e" in second[0]):
        return framed
    a, b = float(first[0]), float(second[0])
    counts = first[0].isdigit() and second[0].isdigit()
    return framed and abs(a - b) <= max(0.02 * max(abs(a), abs(b)), 3.0 if counts else 0.0)


def draw_what_is_open(code: str) -> None:
    """The figure that a block of code left, drawn and closed."""
    import matplotlib.pyplot as plt

    assert plt.get_fignums(), code
    plt.gcf().canvas.draw()
    plt.close("all")


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.parent.name != "notebooks"], ids=lambda page: page.name
)
def test_the_python_of_a_page_runs_from_top_to_bottom(page: Path) -> None:
    scope: dict[str, Any] = {"__name__": "documentation"}
    blocks = tuple(examples(page))
    if any(example.drawn for example in blocks):
        pytest.importorskip("matplotlib.pyplot").switch_backend("Agg")
    for example in blocks:
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(example.code, str(page), "exec"), scope)
        if example.output is not None:
            assert same(example.output, printed.getvalue()), printed.getvalue()
        if example.drawn:
            draw_what_is_open(example.code)


@pytest.mark.parametrize("example", [one for page in PAGES for one in commands(page)], ids=lambda example: example.code)
def test_a_command_of_a_page_prints_what_stands_below_it(example: Example) -> None:
    printed = printed_by(example.code)
    assert same(example.output or "", printed), printed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_block_of_a_page_is_empty(page: Path) -> None:
    assert re.search(r"^```\w+\s*^```$", page.read_text(encoding="utf-8"), re.MULTILINE) is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / link).exists() or _DRAWN.search(link), link


@pytest.mark.parametrize(
    ("shown", "printed", "agree"),
    [
        ("gap 1.00 (certified)", "gap  1.01\n(certified)", True),
        ("gap 1.00 (certified)", "gap 1.10 (certified)", False),
        ("gap 1.00 (certified)", "gap 1.00 (estimated)", False),
        ("│ x 97.6%, │", "x 97.5%,", True),
        ("n=3", "m=3", False),
        ("34 steps, 1.25 s", "36 steps, 9.75 s", True),
        ("took 1.25 s, then", "took 9.75 s, then", True),
        ("34 steps", "44 steps", False),
        ("relative 6.2e-04 (certified)", "relative 8.9e-04 (certified)", True),
        ("took ... then 2", "took 1.25 s then 2", True),
        ("took ... then 2", "took 1.25 s then 9", False),
        ("took ...", "took 1.25 s", True),
        ("a b", "a", False),
    ],
)
def test_outputs_are_compared_by_words_and_numbers(shown: str, printed: str, agree: bool) -> None:
    assert same(shown, printed) is agree
