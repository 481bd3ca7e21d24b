"""Bring what the pages quote up to date: files, the kit's laws, and the output of examples and commands.

    python docs/refresh.py                 every page
    python docs/refresh.py choose.md       this page, or papers/reproduced.md, or README.md

The template of a family in the command line is a copy of plugins/kernelopt-minimal, and is renewed first. A comment
above a block says what it holds: `<!-- file: path -->`, `<!-- laws: Suite -->`, `<!-- messages: path ... -->`, or
`<!-- statuses -->`. Outputs are the `text` blocks right below Python, and what follows the first line of a `console`
block; a `text` block that stands elsewhere is kept as it is. The command of interior-point.md needs cvxpy and Clarabel.

A page whose example fails, or prints nothing where the page has an output, is left as it was, and one sentence says so.
So is a page with `kernelopt reproduce NAME` where KERNELOPT_DATA names no folder of data sets.
"""

import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from messages import statuses, table

from kernelopt import testing

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
MINIMAL = ROOT / "plugins" / "kernelopt-minimal"
COPY = ROOT / "kernelopt" / "cli" / "templates" / "family"
COPIED = ("README.md", "kernelopt_minimal.py", "pyproject.toml", "tests/test_gaussians.py")
WIDTH = "100"

_FILE = re.compile(r"(<!-- file: (\S+) -->\n\n```\w+\n).*?(^```$)", re.MULTILINE | re.DOTALL)
_LAWS = re.compile(r"(<!-- laws: (\w+) -->\n\n)(?:\|.*\n)*")
_MESSAGES = re.compile(r"(<!-- messages: ([^>]+) -->\n\n)(?:\|.*\n)*")
_STATUSES = re.compile(r"(<!-- statuses -->\n\n)(?:\|.*\n)*")
_MARK = "\0"
"""Printed after each block of Python: no output has it."""
_CODE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def quoted(text: str) -> str:
    """The page with its quotes of files, laws, messages and statuses as they are now."""
    text = _FILE.sub(
        lambda found: found[1] + (ROOT / found[2]).read_text(encoding="utf-8").strip() + "\n" + found[3], text
    )
    text = _MESSAGES.sub(lambda found: found[1] + table(found[2].split()), text)
    text = _STATUSES.sub(lambda found: found[1] + statuses(), text)
    return _LAWS.sub(lambda found: found[1] + laws(getattr(testing, found[2])), text)


def laws(suite: type) -> str:
    """A table of a suite's laws, in the order of their files."""
    rows = [f"| `{name}` | {sentence} |" for name, sentence in testing.laws_of(suite).items()]
    return "\n".join(["| Law | What it says |", "|---|---|", *rows]) + "\n"


def executed(text: str) -> str:
    """The page with the outputs of its examples and commands as they are now.

    Raises:
        Stale: an example or a command fails, or prints nothing where the page has an output.
    """
    blocks = list(_CODE.finditer(text))
    below = {
        after.start(): before.end()
        for before, after in pairwise(blocks)
        if (before[1], after[1]) == ("python", "text") and not text[before.end() : after.start()].strip()
    }
    printed = _printed(
        [block for block in blocks if block[1] == "python" and block.end() <= max(below.values(), default=0)]
    )
    pieces, end = [], 0
    for block in blocks:
        if block.start() in below:
            output = _kept(printed[below[block.start()]], block[2], "the Python above it")
        elif block[1] == "console":
            line, _, before = block[2].partition("\n")
            output = f"{line}\n" + _kept(_output([sys.executable, *_arguments(line)]), before, line)
        else:
            continue
        pieces += [text[end : block.start(2)], output]
        end = block.end(2)
    return "".join([*pieces, text[end:]])


def _printed(blocks: list[re.Match[str]]) -> dict[int, str]:
    """What each block of Python prints, by where it ends; one process runs all of them, one after the other."""
    if not blocks:
        return {}
    whole = _output([sys.executable, "-c", "".join(f"{block[2]}print({_MARK!r})\n" for block in blocks)])
    return {block.end(): output for block, output in zip(blocks, whole.split(f"{_MARK}\n"), strict=False)}


class Stale(Exception):
    """An output cannot be brought up to date; the text says why."""


def _arguments(line: str) -> list[str]:
    """What Python is called with for a line of a console.

    Raises:
        Stale: the line needs data sets, and there are none.
    """
    program, *arguments = shlex.split(line.removeprefix("$ "))
    if program != "kernelopt":
        return arguments
    if arguments[0] == "reproduce" and len(arguments) > 1 and not os.environ.get("KERNELOPT_DATA"):
        raise Stale(f"{line!r} needs data sets: name their folder in the environment variable KERNELOPT_DATA")
    return ["-m", "kernelopt", *arguments]


def _kept(output: str, before: str, what: str) -> str:
    """The output, unless there is none any more.

    Raises:
        Stale: there was an output before, and now there is none.
    """
    if before.strip() and not output.strip():
        raise Stale(f"{what!r} prints nothing, and the page has an output that begins {before.strip()[:40]!r}")
    return output


def _output(command: list[str]) -> str:
    environment = {"OMP_NUM_THREADS": "1", **os.environ, "COLUMNS": WIDTH}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    if done.returncode:
        raise Stale(f"an example ends with status {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    return "".join(f"{line.rstrip()}\n" for line in done.stdout.splitlines())


def asked(names: list[str]) -> list[Path]:
    """The pages of these names, which are paths or the ends of paths; all where none is named.

    Raises:
        SystemExit: there is no page of a name.
    """
    found = {
        name: [page for page in PAGES if page.parts[-len(Path(name).parts) :] == Path(name).parts] for name in names
    }
    missing = [name for name, pages in found.items() if not pages]
    if missing:
        raise SystemExit(f"there is no page {' or '.join(missing)}; wanted the name of a page, such as choose.md")
    chosen = {page for pages in found.values() for page in pages}
    return [page for page in PAGES if page in chosen or not names]


def main() -> int:
    """Rewrite the pages that are named, or all, in place; 1 if a page had to be left as it was."""
    left = 0
    for path in COPIED:
        (COPY / path).write_text((MINIMAL / path).read_text(encoding="utf-8"), encoding="utf-8")
    for page in asked(sys.argv[1:]):
        try:
            page.write_text(executed(quoted(page.read_text(encoding="utf-8"))), encoding="utf-8")
        except Stale as reason:
            left = 1
            sys.stderr.write(f"{page.relative_to(ROOT)} is left as it was: {reason}\n")
    return left


if __name__ == "__main__":
    sys.exit(main())
